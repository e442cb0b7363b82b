// The interpreter device: kernels stay kernels and run as obvious loops, single threaded. The tests' oracle.
#include "runtime/device/interpreter.hpp"

#include "runtime/device/host.hpp"

namespace sinter::runtime {
namespace {

class interpreter_device final : public host_device {
 public:
  interpreter_device() : host_device(device::interpreter(), 1) {}

  const codegen::compiler* compiler() const override { return nullptr; }
  codegen::dialect dialect() const override { return codegen::dialect::none; }
  loaded_kernel load(const codegen::bytes*, const codegen::kernel& source, const codegen::variant& layout) override {
    return {programs_.load(source, layout), nullptr};
  }
  int multiprocessors() const override { return 1; }
  std::string description() const override { return "interpreter (one thread)"; }

 protected:
  void run(const loaded_kernel& kernel, const geometry& how, const void* arguments, std::size_t) override {
    programs_.run(kernel.entry, how, arguments);
  }
  std::string name() const override { return "interpreter"; }

 private:
  interpreted_kernels programs_;
};

}  // namespace

std::unique_ptr<device_impl> make_interpreter_device() { return std::make_unique<interpreter_device>(); }

}  // namespace sinter::runtime
