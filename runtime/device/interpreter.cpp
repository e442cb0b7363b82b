// The interpreter device: kernels stay kernels and run as obvious loops, single threaded. The tests' oracle, and what
// the CPU device hands its work to where there is no C compiler. A loaded kernel is a copy of it and of its variant,
// kept for good.
#include <deque>
#include <mutex>

#include "codegen/ir/interpret.hpp"
#include "runtime/counters.hpp"
#include "runtime/device/host.hpp"

namespace sinter::runtime {
namespace {

class interpreter_device final : public host_device {
 public:
  interpreter_device() : host_device(device::interpreter(), "interpreter") {}

  const codegen::compiler* compiler() const override { return nullptr; }
  codegen::dialect dialect() const override { return codegen::dialect::none; }

  loaded_kernel load(const codegen::bytes*, const codegen::kernel& source, const codegen::variant& layout) override {
    std::lock_guard hold(loading_);
    return {&programs_.emplace_back(program{source, layout}), nullptr};
  }

  void launch(const loaded_kernel& loaded, const geometry& how, const void* arguments, std::size_t) override {
    const auto& run = *static_cast<const program*>(loaded.entry);
    bump(counters_now.launches);
    codegen::interpret(run.kernel, run.layout, arguments, 0, how.items);
  }

  int multiprocessors() const override { return 1; }
  std::string description() const override { return "interpreter (one thread)"; }

 private:
  struct program {
    codegen::kernel kernel;
    codegen::variant layout;
  };

  std::mutex loading_;
  std::deque<program> programs_;  // addresses stay
};

}  // namespace

std::unique_ptr<device_impl> make_interpreter_device() { return std::make_unique<interpreter_device>(); }

}  // namespace sinter::runtime
