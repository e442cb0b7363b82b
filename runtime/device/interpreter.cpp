// The interpreter device: kernels stay kernels and run as obvious loops, single threaded. The tests' oracle.
#include "runtime/device/interpreter.hpp"

#include <sinter/error.hpp>

#include "codegen/cache/images.hpp"
#include "codegen/ir/function.hpp"
#include "codegen/source/called.hpp"
#include "runtime/counters.hpp"
#include "runtime/device/host.hpp"

namespace sinter::runtime {
namespace {

// By the CPU's compiler, and as its kernels are loaded.
void compile(const codegen::function_text& f, device on) {
  device_impl& cpu = implementation(device::cpu());
  const codegen::compiler* const with = cpu.compiler();
  if (!with)
    throw device_error(
        ("sinter: the kernel \"" + f.name + "\" is text, and the device " + to_text(on) + " has no compiler for it")
            .c_str());
  codegen::image_origin from{};
  const auto image =
      codegen::image_for(*with, codegen::interpreted_text(f, codegen::target_here(codegen::dialect::c)), &from);
  bump(from == codegen::image_origin::disk ? counter::disk_hits : counter::compiles);
  const loaded_kernel code = cpu.load(image.get(), {}, {});
  __atomic_store_n(&f.finish, code.finish, __ATOMIC_RELEASE);
  __atomic_store_n(&f.entry, code.entry, __ATOMIC_RELEASE);
}

class interpreter_device final : public host_device {
 public:
  interpreter_device() : host_device(device::interpreter(), 1) {}

  const codegen::compiler* compiler() const override { return nullptr; }
  codegen::dialect dialect() const override { return codegen::dialect::none; }
  loaded_kernel load(const codegen::bytes*, const codegen::kernel& source, const codegen::variant& layout) override {
    return {programs_.load(source, layout, id), nullptr};
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

void* interpreted_kernels::load(const codegen::kernel& source, const codegen::variant& layout, device on) {
  static std::mutex& compiling = *new std::mutex;
  for (const codegen::function_text* f : codegen::texts_of(source)) {
    const std::lock_guard hold(compiling);
    if (!__atomic_load_n(&f->entry, __ATOMIC_ACQUIRE)) compile(*f, on);
  }
  const std::lock_guard hold(loading_);
  return &programs_.emplace_back(program{source, layout});
}

std::unique_ptr<device_impl> make_interpreter_device() { return std::make_unique<interpreter_device>(); }

}  // namespace sinter::runtime
