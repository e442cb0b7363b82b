// A CUDA device: its primary context, which it shares with CUDA code of other libraries, one stream, a pool over
// cuMemAlloc, pinned staging for copies, kernels as modules. Whatever calls the driver has gone through use() first.
#include <cstdlib>
#include <cstring>
#include <mutex>

#include <sinter/error.hpp>

#include "runtime/counters.hpp"
#include "runtime/device/device.hpp"
#include "runtime/device/driver.hpp"
#include "runtime/device/staging.hpp"
#include "runtime/memory/pool.hpp"

namespace sinter::runtime {
namespace {

cu_address address(const std::byte* memory) { return reinterpret_cast<cu_address>(memory); }

bool set_to_one(const char* variable) {
  const char* text = std::getenv(variable);
  return text && std::strcmp(text, "1") == 0;
}

/// The device's primary context, held for as long as this lives, made current on any thread that needs it.
class context {
 public:
  context(const driver& d, fault_latch& faults, cu_device device) : driver_(d), faults_(faults), device_(device) {
    faults_.check(driver_.cuDevicePrimaryCtxRetain(&context_, device_), "cuDevicePrimaryCtxRetain");
  }
  context(const context&) = delete;
  context& operator=(const context&) = delete;
  ~context() {
    if (faults_.usable()) driver_.cuDevicePrimaryCtxRelease_v2(device_);
  }

  /// Asks the driver each time instead of remembering: other libraries switch contexts too, and what is allocated or
  /// launched under theirs would land on another device without an error. The question is a thread-local read inside
  /// the driver.
  void use() const {
    faults_.raise_if_lost();
    cu_context now = nullptr;
    driver_.cuCtxGetCurrent(&now);
    if (now != context_) [[unlikely]]
      faults_.check(driver_.cuCtxSetCurrent(context_), "cuCtxSetCurrent");
  }

  /// For destructors and noexcept functions. False: leave the driver alone.
  bool use_if_alive() const noexcept { return faults_.usable() && driver_.cuCtxSetCurrent(context_) == cu_success; }

 private:
  const driver& driver_;
  fault_latch& faults_;
  const cu_device device_;
  cu_context context_ = nullptr;
};

/// The one stream all work of the device is enqueued on. Non-blocking: it does not wait for the legacy default stream.
class stream {
 public:
  stream(const driver& d, fault_latch& faults, const context& c) : driver_(d), context_(c) {
    context_.use();
    faults.check(driver_.cuStreamCreate(&handle_, cu_stream_non_blocking), "cuStreamCreate");
  }
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;
  ~stream() {
    if (context_.use_if_alive()) driver_.cuStreamDestroy_v2(handle_);
  }
  cu_stream handle() const { return handle_; }

 private:
  const driver& driver_;
  const context& context_;
  cu_stream handle_ = nullptr;
};

/// The pool's source: the device's memory.
class cuda_memory final : public memory_source {
 public:
  cuda_memory(const driver& d, fault_latch& faults, const context& c, const stream& s)
      : driver_(d), faults_(faults), context_(c), stream_(s) {}

  std::byte* allocate(std::size_t size) override {
    context_.use();
    cu_address memory = 0;
    const cu_result result = driver_.cuMemAlloc_v2(&memory, size);
    if (result == cu_error_out_of_memory) return nullptr;  // the pool knows what to do, and what to say
    if (result != cu_success) faults_.fail(result, "cuMemAlloc_v2", std::to_string(size) + " bytes");
    return reinterpret_cast<std::byte*>(memory);
  }
  void release(std::byte* segment, std::size_t) noexcept override {
    if (context_.use_if_alive()) faults_.note(driver_.cuMemFree_v2(address(segment)), "cuMemFree_v2");
  }
  /// cuMemFree may wait for the device or may not; kernels that were enqueued before the block was freed may still run.
  void settle() noexcept override {
    if (context_.use_if_alive()) faults_.note(driver_.cuStreamSynchronize(stream_.handle()), "cuStreamSynchronize");
  }

 private:
  const driver& driver_;
  fault_latch& faults_;
  const context& context_;
  const stream& stream_;
};

struct properties {
  cu_device handle = 0;
  std::string name;
  int capability = 0;  // 90 for 9.0
  int multiprocessors = 0;
  std::size_t memory = 0;
  int driver_version = 0;
};

properties ask(const driver& d, fault_latch& faults, int ordinal) {
  properties p;
  faults.check(d.cuDeviceGet(&p.handle, ordinal), "cuDeviceGet");
  char name[256] = {};
  faults.check(d.cuDeviceGetName(name, sizeof name - 1, p.handle), "cuDeviceGetName");
  p.name = name;
  const auto attribute = [&](int which) {
    int value = 0;
    faults.check(d.cuDeviceGetAttribute(&value, which, p.handle), "cuDeviceGetAttribute");
    return value;
  };
  p.capability = 10 * attribute(cu_attribute_capability_major) + attribute(cu_attribute_capability_minor);
  p.multiprocessors = attribute(cu_attribute_multiprocessors);
  faults.check(d.cuDeviceTotalMem_v2(&p.memory, p.handle), "cuDeviceTotalMem_v2");
  faults.check(d.cuDriverGetVersion(&p.driver_version), "cuDriverGetVersion");
  return p;
}

pool_options options(const std::string& name, std::size_t total) {
  pool_options o;
  o.name = name;
  o.limit = parse_memory_limit(std::getenv("SINTER_MEMORY_LIMIT"), total);
  return o;
}

class cuda_device final : public device_impl {
 public:
  cuda_device(const driver& d, int ordinal);
  ~cuda_device() override;

  std::byte* allocate(std::size_t size) override {
    faults_.raise_if_lost();  // a cached block would be no use
    return pool_.allocate(size);
  }
  void deallocate(std::byte* block, std::size_t size) noexcept override { pool_.deallocate(block, size); }
  void copy_in(std::byte* to, const void* from_host, std::size_t size) override;
  void copy_out(void* to_host, const std::byte* from, std::size_t size) override;
  void copy(std::byte* to, const std::byte* from, std::size_t size) override;
  void zero(std::byte* block, std::size_t size) override;
  void synchronize() override;
  const codegen::compiler* compiler() const override;
  codegen::dialect dialect() const override { return codegen::dialect::cuda; }
  loaded_kernel load(const codegen::bytes* image, const codegen::kernel&, const codegen::variant&) override;
  void launch(const loaded_kernel&, const geometry&, const void* arguments, std::size_t size) override;
  int multiprocessors() const override { return properties_.multiprocessors; }
  std::string description() const override;

 private:
  cu_result try_launch(const loaded_kernel&, const geometry&, const void* arguments, std::size_t size);
  void launch_failed(cu_result, const loaded_kernel&, const geometry&, const void* arguments, std::size_t size);

  // In this order: each needs the ones before it.
  const driver& driver_;
  fault_latch faults_;
  const properties properties_;
  context context_;
  stream stream_;
  staging staging_;
  cuda_memory memory_;
  pool pool_;
  const bool synchronous_ = set_to_one("SINTER_SYNC");

  mutable std::mutex compiler_making_;  // asked for on the way of a miss only
  mutable std::unique_ptr<codegen::compiler> compiler_;
};

cuda_device::cuda_device(const driver& d, int ordinal)
    : driver_(d),
      faults_(d, "cuda:" + std::to_string(ordinal)),
      properties_(ask(d, faults_, ordinal)),
      context_(d, faults_, properties_.handle),
      stream_(d, faults_, context_),
      staging_(d, faults_, stream_.handle()),
      memory_(d, faults_, context_, stream_),
      pool_(memory_, options("cuda:" + std::to_string(ordinal), properties_.memory)) {
  id = device::cuda(ordinal);
}

/// Devices of the registry live for ever; this is for the ones a test makes.
cuda_device::~cuda_device() {
  memory_.settle();
  if (context_.use_if_alive()) staging_.close();
}

void cuda_device::copy_in(std::byte* to, const void* from_host, std::size_t size) {
  if (size == 0) return;
  context_.use();
  staging_.copy_in(address(to), static_cast<const std::byte*>(from_host), size);
  bump(counters_now.bytes_copied, size);
}

void cuda_device::copy_out(void* to_host, const std::byte* from, std::size_t size) {
  if (size == 0) return;
  context_.use();
  staging_.copy_out(static_cast<std::byte*>(to_host), address(from), size);
  bump(counters_now.bytes_copied, size);
}

void cuda_device::copy(std::byte* to, const std::byte* from, std::size_t size) {
  if (size == 0) return;
  context_.use();
  const cu_result result = driver_.cuMemcpyDtoDAsync_v2(address(to), address(from), size, stream_.handle());
  faults_.check(result, "cuMemcpyDtoDAsync_v2");
  bump(counters_now.bytes_copied, size);
}

void cuda_device::zero(std::byte* block, std::size_t size) {
  if (size == 0) return;
  context_.use();
  faults_.check(driver_.cuMemsetD8Async(address(block), 0, size, stream_.handle()), "cuMemsetD8Async");
}

void cuda_device::synchronize() {
  context_.use();
  faults_.check(driver_.cuStreamSynchronize(stream_.handle()), "cuStreamSynchronize");
}

const codegen::compiler* cuda_device::compiler() const {
  std::lock_guard hold(compiler_making_);
  if (!compiler_)
    compiler_ = codegen::make_cuda_compiler(properties_.capability, codegen::math_mode_from_environment());
  return compiler_.get();
}

loaded_kernel cuda_device::load(const codegen::bytes* image, const codegen::kernel&, const codegen::variant&) {
  if (!image) throw internal_error("a CUDA device was asked to load a kernel without its image");
  context_.use();
  cu_module module = nullptr;
  const auto load_module = [&] { return driver_.cuModuleLoadDataEx(&module, image->data(), 0, nullptr, nullptr); };
  cu_result result = load_module();
  if (result == cu_error_out_of_memory) {
    pool_.free_all_blocks();  // modules live in the same memory
    result = load_module();
  }
  if (result != cu_success)
    faults_.fail(result, "cuModuleLoadDataEx", "an image of " + std::to_string(image->size()) + " bytes");
  cu_function function = nullptr;
  result = driver_.cuModuleGetFunction(&function, module, "sinter_kernel");
  if (result == cu_success) return {function, nullptr};  // the module stays for the life of the process
  driver_.cuModuleUnload(module);
  faults_.fail(result, "cuModuleGetFunction", "sinter_kernel");
}

inline cu_result cuda_device::try_launch(const loaded_kernel& kernel, const geometry& how, const void* arguments,
                                         std::size_t size) {
  void* extra[] = {cu_launch_buffer, const_cast<void*>(arguments), cu_launch_buffer_size, &size, cu_launch_end};
  return driver_.cuLaunchKernel(static_cast<cu_function>(kernel.entry), how.grid[0], how.grid[1], how.grid[2],
                                how.block[0], how.block[1], how.block[2], 0, stream_.handle(), nullptr, extra);
}

// The way of every evaluation: nothing here but the context's question and the call.
void cuda_device::launch(const loaded_kernel& kernel, const geometry& how, const void* arguments, std::size_t size) {
  context_.use();
  if (const cu_result result = try_launch(kernel, how, arguments, size); result != cu_success) [[unlikely]]
    launch_failed(result, kernel, how, arguments, size);
  bump(counters_now.launches);
  if (synchronous_) [[unlikely]]
    synchronize();
}

/// A kernel's first launch may need memory for its stack; what the pool keeps may be in the way.
void cuda_device::launch_failed(cu_result result, const loaded_kernel& kernel, const geometry& how,
                                const void* arguments, std::size_t size) {
  if (result == cu_error_out_of_memory) {
    pool_.free_all_blocks();
    result = try_launch(kernel, how, arguments, size);
    if (result == cu_success) return;
  }
  const auto extents = [](const unsigned(&n)[3]) {
    return std::to_string(n[0]) + "x" + std::to_string(n[1]) + "x" + std::to_string(n[2]);
  };
  faults_.fail(result, "cuLaunchKernel",
               "grid " + extents(how.grid) + ", block " + extents(how.block) + ", " + std::to_string(size) +
                   " bytes of arguments");
}

std::string cuda_device::description() const {
  const int version = properties_.driver_version;
  return properties_.name + " (sm_" + std::to_string(properties_.capability) + ", " +
         std::to_string(properties_.multiprocessors) + " multiprocessors, " + std::to_string(properties_.memory >> 20) +
         " MiB, driver for CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10) + ")";
}

}  // namespace

std::unique_ptr<device_impl> make_cuda_device(int ordinal) {
  const driver* d = find_driver(nullptr);
  if (!d || ordinal < 0 || ordinal >= cuda_device_count(nullptr)) return nullptr;
  return std::make_unique<cuda_device>(*d, ordinal);
}

int cuda_device_count(std::string* why) {
  const driver* d = find_driver(why);
  if (!d) return 0;
  int count = 0;
  const cu_result result = d->cuDeviceGetCount(&count);
  if (result == cu_success && count > 0) return count;
  if (why)
    *why = d->file + (result == cu_success ? std::string(" was opened, but finds no GPU")
                                           : " was opened, but cuDeviceGetCount failed: " + describe(*d, result));
  return 0;
}

}  // namespace sinter::runtime
