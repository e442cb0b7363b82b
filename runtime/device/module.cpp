// Modules through the CUDA driver: module.hpp.
#include "runtime/device/module.hpp"

#include <string>

#include "runtime/device/cuda_context.hpp"
#include "runtime/memory/storage.hpp"

namespace sinter::runtime {
namespace {

cu_function function(void* kernel) { return static_cast<cu_function>(kernel); }

class cuda_module final : public program_module {
 public:
  cuda_module(cuda_context& in, cu_module loaded) : context_(in), loaded_(loaded) {}

  void* find_kernel(const char* name) override {
    context_.use();
    cu_function found = nullptr;
    const cu_result result = context_.api.cuModuleGetFunction(&found, loaded_, name);
    if (result == cu_error_not_found) return nullptr;
    context_.check(result, "cuModuleGetFunction");
    return found;
  }

  kernel_facts facts_of(void* kernel) override {
    context_.use();
    const auto ask = [&](int which) {
      int value = 0;
      context_.check(context_.api.cuFuncGetAttribute(&value, which, function(kernel)), "cuFuncGetAttribute");
      return value;
    };
    kernel_facts facts;
    kernel_attributes& a = facts.attributes;
    a.max_threads = ask(cu_function_max_threads);
    a.shared_bytes = static_cast<std::size_t>(ask(cu_function_shared_bytes));
    a.constant_bytes = static_cast<std::size_t>(ask(cu_function_constant_bytes));
    a.local_bytes = static_cast<std::size_t>(ask(cu_function_local_bytes));
    a.registers = ask(cu_function_registers);
    a.ptx_version = ask(cu_function_ptx_version);
    a.binary_version = ask(cu_function_binary_version);
    int most = 0;
    context_.check(context_.api.cuDeviceGetAttribute(&most, cu_attribute_shared_opt_in, context_.properties.handle),
                   "cuDeviceGetAttribute");
    a.max_dynamic_shared_bytes = static_cast<std::size_t>(most) - a.shared_bytes;
    facts.parameters_known = context_.api.cuFuncGetParamInfo != nullptr;
    if (!facts.parameters_known) return facts;
    for (kernel_facts::parameter p{};
         context_.api.cuFuncGetParamInfo(function(kernel), facts.parameters.size(), &p.offset, &p.size) == cu_success;)
      facts.parameters.push_back(p);
    return facts;
  }

  void allow_shared(void* kernel, std::size_t bytes) override {
    context_.use();
    context_.check(context_.api.cuFuncSetAttribute(function(kernel), cu_function_max_dynamic_shared_bytes,
                                                   static_cast<int>(bytes)),
                   "cuFuncSetAttribute");
  }

  std::byte* find_variable(const char* name, std::size_t& size) override {
    context_.use();
    cu_address at = 0;
    const cu_result result = context_.api.cuModuleGetGlobal_v2(&at, &size, loaded_, name);
    if (result == cu_error_not_found) return nullptr;
    context_.check(result, "cuModuleGetGlobal_v2");
    return reinterpret_cast<std::byte*>(at);
  }

 private:
  cuda_context& context_;
  const cu_module loaded_;
};

}  // namespace

cu_module load_image(cuda_context& in, device_impl& of, const void* image, std::size_t size) {
  in.use();
  // What the driver's own compiler says of PTX.
  char log[4096] = {};
  int names[] = {cu_jit_error_log, cu_jit_error_log_size};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log - 1)};
  cu_module module = nullptr;
  const auto load = [&] { return in.api.cuModuleLoadDataEx(&module, image, 2, names, values); };
  cu_result result = load();
  if (result == cu_error_out_of_memory) {
    make_room(of);  // modules live in the same memory
    result = load();
  }
  if (result == cu_success) return module;
  const std::string said = log;
  in.faults.fail(result, "cuModuleLoadDataEx",
                 "an image of " + std::to_string(size) + " bytes" + (said.empty() ? "" : "; " + said));
}

std::unique_ptr<program_module> load_program_module(cuda_context& in, device_impl& of, const void* image,
                                                    std::size_t size) {
  return std::make_unique<cuda_module>(in, load_image(in, of, image, size));
}

}  // namespace sinter::runtime
