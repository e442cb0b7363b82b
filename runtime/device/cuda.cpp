// A CUDA device: its primary context, which it shares with CUDA code of other libraries, its memory, pinned staging for
// copies, streams and events, kernels as modules. Whatever calls the driver has gone through use() first.
#include <algorithm>
#include <mutex>
#include <vector>

#include <sinter/error.hpp>

#include "runtime/counters.hpp"
#include "runtime/device/cuda_context.hpp"
#include "runtime/device/cuda_graph.hpp"
#include "runtime/device/cuda_memory.hpp"
#include "runtime/device/device.hpp"
#include "runtime/device/module.hpp"
#include "runtime/device/process.hpp"
#include "runtime/device/staging.hpp"
#include "runtime/memory/resources.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/stream/table.hpp"

namespace sinter::runtime {
namespace {

cu_address address(const std::byte* memory) { return reinterpret_cast<cu_address>(memory); }

cuda_properties ask(const driver& d, fault_latch& faults, int ordinal) {
  cuda_properties p;
  faults.check(d.cuDeviceGet(&p.handle, ordinal), "cuDeviceGet");
  char text[256] = {};
  faults.check(d.cuDeviceGetName(text, sizeof text - 1, p.handle), "cuDeviceGetName");
  p.name = text;
  char bus[32] = {};
  faults.check(d.cuDeviceGetPCIBusId(bus, sizeof bus - 1, p.handle), "cuDeviceGetPCIBusId");
  p.pci_bus = bus;
  const auto attribute = [&](int which) {
    int value = 0;
    faults.check(d.cuDeviceGetAttribute(&value, which, p.handle), "cuDeviceGetAttribute");
    return value;
  };
  p.capability = 10 * attribute(cu_attribute_capability_major) + attribute(cu_attribute_capability_minor);
  p.multiprocessors = attribute(cu_attribute_multiprocessors);
  p.cache = attribute(cu_attribute_cache);
  p.clock = attribute(cu_attribute_clock);
  p.memory_clock = attribute(cu_attribute_memory_clock);
  p.bus_width = attribute(cu_attribute_bus_width);
  faults.check(d.cuDeviceTotalMem_v2(&p.memory, p.handle), "cuDeviceTotalMem_v2");
  faults.check(d.cuDriverGetVersion(&p.driver_version), "cuDriverGetVersion");
  return p;
}

cu_stream native(const stream_state& s) { return static_cast<cu_stream>(s.handle); }
cu_event native(void* event) { return static_cast<cu_event>(event); }

class cuda_device final : public device_impl {
 public:
  cuda_device(const driver& d, int ordinal);
  ~cuda_device() override;

  bool asynchronous() const override { return true; }
  void use() override { context_.use(); }
  memory_source& memory(memory_kind kind) override { return memory_.of(kind); }
  stream_ordered_source* stream_ordered_memory(driver_pool which) override { return &memory_.stream_ordered(which); }
  std::size_t total_memory() const override { return context_.properties.memory; }
  std::size_t free_memory() const override;

  void copy_in(std::byte* to, const void* from_host, std::size_t size, stream_state& on) override;
  void copy_out(void* to_host, const std::byte* from, std::size_t size, stream_state& on) override;
  void copy_in_pinned(std::byte* to, const void* from, std::size_t size, stream_state& on) override;
  void copy_out_pinned(void* to, const std::byte* from, std::size_t size, stream_state& on) override;
  void copy(std::byte* to, const std::byte* from, std::size_t size, stream_state& on) override;
  void copy_from(device_impl& other, std::byte* to, const std::byte* from, std::size_t size, stream_state& on) override;
  void zero(std::byte* block, std::size_t size, stream_state& on) override;
  void launch(const loaded_kernel&, const geometry&, const void* arguments, std::size_t size,
              stream_state& on) override;
  void call_host(void (*call)(void*) noexcept, void* with, stream_state& on) override;

  void* create_stream(stream_options& how) override;
  bool is_non_blocking(void* stream) override;
  void destroy_stream(void* stream) noexcept override;
  void synchronize(const stream_state&) override;
  bool idle(const stream_state&) override;
  void synchronize() override;
  void* create_event(event_options) override;
  void destroy_event(void* event) noexcept override;
  void record(void* event, const stream_state&) override;
  void wait(const stream_state& waiting, void* event) override;
  bool done(void* event) override;
  void synchronize(void* event) override;
  double elapsed_milliseconds(void* start, void* end) override;

  void begin_capture(stream_state& s) override {
    context_.use();
    begin_cuda_capture(context_, native(s));
  }
  bool end_capture(stream_state& s, std::unique_ptr<executable_graph>& graph) override {
    return end_cuda_capture(context_, native(s), graph);
  }
  void drop_capture(stream_state& s) noexcept override { drop_cuda_capture(context_, native(s)); }
  void launch(executable_graph& graph, stream_state& on) override {
    context_.use();
    launch_cuda_graph(graph, native(on));
    bump(counter::launches);
    wait_if_asked(on);
  }

  void collect_profile(bool on) override {
    context_.use();
    context_.check(on ? context_.api.cuProfilerStart() : context_.api.cuProfilerStop(),
                   on ? "cuProfilerStart" : "cuProfilerStop");
  }

  const codegen::compiler* compiler() const override;
  codegen::dialect dialect() const override { return codegen::dialect::cuda; }
  loaded_kernel load(const codegen::bytes* image, const codegen::kernel&, const codegen::variant&) override;
  compiled_facts facts_of(const loaded_kernel&, const geometry&) override;
  std::unique_ptr<program_module> load_module(const void* image, std::size_t size) override {
    return load_program_module(context_, *this, image, size);
  }
  int multiprocessors() const override { return context_.properties.multiprocessors; }
  std::int64_t cache() const override { return context_.properties.cache; }
  void wait_if_asked(const stream_state& on) override {
    if (synchronous_ && !on.capture.load(std::memory_order_relaxed)) [[unlikely]]
      synchronize(on), troubles.report();
  }
  int capability() const override { return context_.properties.capability; }
  double stated_bandwidth() const override;
  double stated_operations() const override;
  std::string description() const override;
  device_properties properties() const override;

 private:
  void reach(cuda_device& other);
  cu_result try_launch(const loaded_kernel&, const geometry&, const void* arguments, std::size_t size, cu_stream on);
  void launch_failed(cu_result, const loaded_kernel&, const geometry&, const void* arguments, std::size_t size,
                     cu_stream on);
  staging& staging_of(const stream_state&);
  bool is_done(cu_result answer, const char* call);

  // In this order: each needs the ones before it.
  mutable cuda_context context_;
  cuda_memory memory_;
  const bool synchronous_ = set_to_one("SINTER_SYNC");
  std::atomic<std::uint64_t> peers_asked_{0};  // a bit for each other device ...
  std::atomic<std::uint64_t> peers_{0};        // ... whose memory this one can read

  std::mutex staging_making_;
  std::vector<std::unique_ptr<staging>> staging_;  // by stream number

  mutable std::mutex compiler_making_;  // asked for on the way of a miss only
  mutable std::unique_ptr<codegen::compiler> compiler_;
};

cuda_device::cuda_device(const driver& d, int ordinal)
    : device_impl(device::cuda(ordinal), 2 + static_cast<unsigned>(ordinal)), context_(d, ordinal), memory_(context_) {}

/// Devices of the registry live for ever; this is for the ones a test makes.
cuda_device::~cuda_device() {
  if (context_.use_if_alive()) context_.api.cuCtxSynchronize();
  troubles.close();
  drop_pools(*this);
  streams().close();
  if (!context_.use_if_alive()) return;
  for (const auto& s : staging_)
    if (s) s->close();
}

std::size_t cuda_device::free_memory() const {
  context_.use();
  std::size_t available = 0, total = 0;
  context_.check(context_.api.cuMemGetInfo_v2(&available, &total), "cuMemGetInfo_v2");
  return available;
}

staging& cuda_device::staging_of(const stream_state& on) {
  const std::lock_guard hold(staging_making_);
  if (staging_.size() <= on.number) staging_.resize(on.number + 1);
  if (!staging_[on.number]) staging_[on.number] = std::make_unique<staging>(context_.api, context_.faults);
  return *staging_[on.number];
}

void cuda_device::copy_in(std::byte* to, const void* from_host, std::size_t size, stream_state& on) {
  context_.use();
  staging_of(on).copy_in(address(to), static_cast<const std::byte*>(from_host), size, native(on));
  bump(counter::bytes_copied, size);
}

void cuda_device::copy_out(void* to_host, const std::byte* from, std::size_t size, stream_state& on) {
  context_.use();
  staging_of(on).copy_out(static_cast<std::byte*>(to_host), address(from), size, native(on));
  bump(counter::bytes_copied, size);
}

void cuda_device::copy_in_pinned(std::byte* to, const void* from, std::size_t size, stream_state& on) {
  context_.use();
  context_.check(context_.api.cuMemcpyHtoDAsync_v2(address(to), from, size, native(on)), "cuMemcpyHtoDAsync_v2");
  bump(counter::bytes_copied, size);
}

void cuda_device::copy_out_pinned(void* to, const std::byte* from, std::size_t size, stream_state& on) {
  context_.use();
  context_.check(context_.api.cuMemcpyDtoHAsync_v2(to, address(from), size, native(on)), "cuMemcpyDtoHAsync_v2");
  bump(counter::bytes_copied, size);
}

void cuda_device::copy(std::byte* to, const std::byte* from, std::size_t size, stream_state& on) {
  context_.use();
  context_.check(context_.api.cuMemcpyDtoDAsync_v2(address(to), address(from), size, native(on)),
                 "cuMemcpyDtoDAsync_v2");
  bump(counter::bytes_copied, size);
}

/// Lets this device read the other's memory over the link between them, where they have one: without that the driver stages
/// copies through the host, at a tenth of the speed. The driver is asked once; a refusal only costs that speed.
void cuda_device::reach(cuda_device& other) {
  const cu_device here = context_.properties.handle, there = other.context_.properties.handle;
  const std::uint64_t bit = std::uint64_t{1} << there;
  if (!(peers_asked_.load(std::memory_order_relaxed) & bit)) {
    int can = 0;
    const cu_result answer = context_.api.cuDeviceCanAccessPeer(&can, here, there);
    if (answer == cu_success && can) {
      const cu_result enabled = context_.api.cuCtxEnablePeerAccess(other.context_.handle, 0);
      context_.faults.note(enabled, "cuCtxEnablePeerAccess");
      if (enabled == cu_success || enabled == cu_error_peer_access_already_enabled) peers_.fetch_or(bit);
    }
    peers_asked_.fetch_or(bit);
  }
  if (peers_.load(std::memory_order_relaxed) & bit) other.memory_.let_in(here);
}

void cuda_device::copy_from(device_impl& other, std::byte* to, const std::byte* from, std::size_t size,
                            stream_state& on) {
  context_.use();
  reach(static_cast<cuda_device&>(other));
  const cuda_context& there = static_cast<cuda_device&>(other).context_;
  context_.check(
      context_.api.cuMemcpyPeerAsync(address(to), context_.handle, address(from), there.handle, size, native(on)),
      "cuMemcpyPeerAsync");
  bump(counter::bytes_copied, size);
}

void cuda_device::zero(std::byte* block, std::size_t size, stream_state& on) {
  context_.use();
  context_.check(context_.api.cuMemsetD8Async(address(block), 0, size, native(on)), "cuMemsetD8Async");
}

void cuda_device::call_host(void (*call)(void*) noexcept, void* with, stream_state& on) {
  context_.use();
  context_.check(context_.api.cuLaunchHostFunc(native(on), call, with), "cuLaunchHostFunc");
}

void* cuda_device::create_stream(stream_options& how) {
  context_.use();
  int least = 0, greatest = 0;
  context_.check(context_.api.cuCtxGetStreamPriorityRange(&least, &greatest), "cuCtxGetStreamPriorityRange");
  how.priority = std::clamp(how.priority, greatest, least);
  cu_stream made = nullptr;
  const unsigned flags = how.non_blocking ? cu_stream_non_blocking : 0;
  context_.check(context_.api.cuStreamCreateWithPriority(&made, flags, how.priority), "cuStreamCreateWithPriority");
  return made;
}

bool cuda_device::is_non_blocking(void* stream) {
  context_.use();
  unsigned flags = 0;
  context_.check(context_.api.cuStreamGetFlags(static_cast<cu_stream>(stream), &flags), "cuStreamGetFlags");
  return (flags & cu_stream_non_blocking) != 0;
}

void cuda_device::destroy_stream(void* stream) noexcept {
  if (context_.use_if_alive()) context_.api.cuStreamDestroy_v2(static_cast<cu_stream>(stream));
}

void cuda_device::synchronize(const stream_state& s) {
  context_.use();
  context_.check(context_.api.cuStreamSynchronize(native(s)), "cuStreamSynchronize");
}

bool cuda_device::is_done(cu_result answer, const char* call) {
  if (answer == cu_error_not_ready) return false;
  context_.check(answer, call);
  return true;
}

bool cuda_device::idle(const stream_state& s) {
  context_.use();
  return is_done(context_.api.cuStreamQuery(native(s)), "cuStreamQuery");
}

void cuda_device::synchronize() {
  context_.use();
  context_.check(context_.api.cuCtxSynchronize(), "cuCtxSynchronize");
}

void* cuda_device::create_event(event_options how) {
  context_.use();
  cu_event made = nullptr;
  const unsigned flags = (how.timing ? 0 : cu_event_disable_timing) | (how.blocking_sync ? cu_event_blocking_sync : 0);
  context_.check(context_.api.cuEventCreate(&made, flags), "cuEventCreate");
  return made;
}

void cuda_device::destroy_event(void* event) noexcept {
  if (context_.use_if_alive()) context_.api.cuEventDestroy_v2(native(event));
}

void cuda_device::record(void* event, const stream_state& s) {
  context_.use();
  context_.check(context_.api.cuEventRecord(native(event), native(s)), "cuEventRecord");
}

void cuda_device::wait(const stream_state& waiting, void* event) {
  context_.use();
  context_.check(context_.api.cuStreamWaitEvent(native(waiting), native(event), 0), "cuStreamWaitEvent");
}

bool cuda_device::done(void* event) {
  context_.use();
  return is_done(context_.api.cuEventQuery(native(event)), "cuEventQuery");
}

void cuda_device::synchronize(void* event) {
  context_.use();
  context_.check(context_.api.cuEventSynchronize(native(event)), "cuEventSynchronize");
}

double cuda_device::elapsed_milliseconds(void* start, void* end) {
  context_.use();
  float elapsed = 0;
  const cu_result result = context_.api.cuEventElapsedTime(&elapsed, native(start), native(end));
  if (result == cu_error_not_ready) throw device_error("sinter: elapsed_time before the device has come to the events");
  context_.check(result, "cuEventElapsedTime");
  return elapsed;
}

const codegen::compiler* cuda_device::compiler() const {
  std::lock_guard hold(compiler_making_);
  if (!compiler_)
    compiler_ = codegen::make_cuda_compiler(context_.properties.capability, codegen::math_mode_from_environment());
  return compiler_.get();
}

loaded_kernel cuda_device::load(const codegen::bytes* image, const codegen::kernel&, const codegen::variant&) {
  if (!image) throw internal_error("a CUDA device was asked to load a kernel without its image");
  const cu_module module = load_image(context_, *this, image->data(), image->size());
  cu_function function = nullptr;
  const cu_result result = context_.api.cuModuleGetFunction(&function, module, "sinter_kernel");
  if (result == cu_success) return {function, nullptr};  // the module stays for the life of the process
  context_.api.cuModuleUnload(module);
  context_.faults.fail(result, "cuModuleGetFunction", "sinter_kernel");
}

compiled_facts cuda_device::facts_of(const loaded_kernel& kernel, const geometry& how) {
  context_.use();
  const auto function = static_cast<cu_function>(kernel.entry);
  compiled_facts facts;
  const auto& api = context_.api;
  context_.check(api.cuFuncGetAttribute(&facts.registers, cu_function_registers, function), "cuFuncGetAttribute");
  context_.check(api.cuFuncGetAttribute(&facts.spilled_bytes, cu_function_local_bytes, function), "cuFuncGetAttribute");
  int blocks = 0, most = 0;
  const auto threads = static_cast<int>(how.block[0] * how.block[1] * how.block[2]);
  const bool known =
      api.cuOccupancyMaxActiveBlocksPerMultiprocessor &&
      api.cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, threads, how.shared_bytes) == cu_success &&
      api.cuDeviceGetAttribute(&most, cu_attribute_resident_threads, context_.properties.handle) == cu_success;
  if (known && most > 0) facts.occupancy = static_cast<double>(blocks) * threads / most;
  return facts;
}

inline cu_result cuda_device::try_launch(const loaded_kernel& kernel, const geometry& how, const void* arguments,
                                         std::size_t size, cu_stream on) {
  void* extra[] = {cu_launch_buffer, const_cast<void*>(arguments), cu_launch_buffer_size, &size, cu_launch_end};
  return context_.api.cuLaunchKernel(static_cast<cu_function>(kernel.entry), how.grid[0], how.grid[1], how.grid[2],
                                     how.block[0], how.block[1], how.block[2], how.shared_bytes, on, nullptr, extra);
}

// The way of every evaluation: nothing here but the context's question and the call.
void cuda_device::launch(const loaded_kernel& kernel, const geometry& how, const void* arguments, std::size_t size,
                         stream_state& on) {
  context_.use();
  if (const cu_result result = try_launch(kernel, how, arguments, size, native(on)); result != cu_success) [[unlikely]]
    launch_failed(result, kernel, how, arguments, size, native(on));
  bump(counter::launches);
  wait_if_asked(on);
}

/// A kernel's first launch may need memory for its stack; what the pool keeps may be in the way.
void cuda_device::launch_failed(cu_result result, const loaded_kernel& kernel, const geometry& how,
                                const void* arguments, std::size_t size, cu_stream on) {
  if (result == cu_error_out_of_memory) {
    make_room(*this);
    result = try_launch(kernel, how, arguments, size, on);
    if (result == cu_success) return;
  }
  const auto extents = [](const unsigned(&n)[3]) {
    return std::to_string(n[0]) + "x" + std::to_string(n[1]) + "x" + std::to_string(n[2]);
  };
  context_.faults.fail(result, "cuLaunchKernel",
                       "grid " + extents(how.grid) + ", block " + extents(how.block) + ", " + std::to_string(size) +
                           " bytes of arguments");
}

// Two transfers to a clock: every memory of a GPU in use doubles its rate at least, and the driver counts the rest as clocks.
double cuda_device::stated_bandwidth() const {
  const cuda_properties& p = context_.properties;
  return 2e3 * p.memory_clock * p.bus_width / 8;
}

// A fused multiply-add of each core in every clock counts as two.
double cuda_device::stated_operations() const {
  const cuda_properties& p = context_.properties;
  const bool of_64 = p.capability < 86;  // float32 cores of a multiprocessor, from compute capability 7.0 on
  return 2e3 * p.clock * p.multiprocessors * (of_64 ? 64 : 128);
}

std::string cuda_device::description() const {
  const cuda_properties& p = context_.properties;
  const int version = p.driver_version;
  return p.name + " (sm_" + std::to_string(context_.properties.capability) + ", " +
         std::to_string(context_.properties.multiprocessors) + " multiprocessors, " +
         std::to_string(context_.properties.memory >> 20) + " MiB, driver for CUDA " + std::to_string(version / 1000) +
         "." + std::to_string(version % 1000 / 10) + ")";
}

device_properties cuda_device::properties() const {
  const cuda_properties& p = context_.properties;
  device_properties facts{};
  p.name.copy(facts.name, sizeof facts.name - 1);
  p.pci_bus.copy(facts.pci_bus, sizeof facts.pci_bus - 1);
  facts.compute_capability = p.capability;
  facts.multiprocessors = p.multiprocessors;
  facts.total_memory = p.memory;
  facts.free_memory = free_memory();
  return facts;
}

}  // namespace

cuda_context::cuda_context(const driver& d, int ordinal)
    : api(d), faults(d, "cuda:" + std::to_string(ordinal)), properties(ask(d, faults, ordinal)) {
  check(api.cuDevicePrimaryCtxRetain(&handle, properties.handle), "cuDevicePrimaryCtxRetain");
}

cuda_context::~cuda_context() {
  if (faults.usable()) api.cuDevicePrimaryCtxRelease_v2(properties.handle);
}

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
