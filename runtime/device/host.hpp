// What the devices whose memory is the host's have in common: memory, copies, streams and events that never wait, graphs.
// Between device_impl and the CPU and interpreter devices; whatever is enqueued there has finished when the call returns.
#pragma once

#include "runtime/device/cpu_graph.hpp"
#include "runtime/device/cpu_memory.hpp"
#include "runtime/device/device.hpp"

namespace sinter::runtime {

/// How many threads SINTER_NUM_THREADS and the machine allow.
int host_threads();
/// Calls with the numbers below `parts`, on several threads; returns when all have returned. Any thread.
void run_on_threads(std::int64_t parts, void (*part)(void* with, std::int64_t number), void* with);

class host_device : public device_impl {
 public:
  ~host_device() override;

  bool asynchronous() const override { return false; }
  /// The thread's own: it is told of its kernels as soon as they have run.
  codegen::index_trouble* index_note() override;
  memory_source& memory(memory_kind) override { return memory_; }
  std::size_t total_memory() const override;
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
  void destroy_stream(void*) noexcept override {}
  void synchronize(const stream_state&) override {}
  bool idle(const stream_state&) override { return true; }
  void synchronize() override {}
  void* create_event(event_options) override;
  void destroy_event(void* event) noexcept override;
  void record(void* event, const stream_state&) override;
  void wait(const stream_state&, void*) override {}
  bool done(void*) override { return true; }
  void synchronize(void*) override {}
  double elapsed_milliseconds(void* start, void* end) override;

  void begin_capture(stream_state& s) override { begin_host_capture(s); }
  bool end_capture(stream_state& s, std::unique_ptr<executable_graph>& graph) override {
    return end_host_capture(s, graph);
  }
  void drop_capture(stream_state& s) noexcept override { drop_host_capture(s); }
  void launch(executable_graph&, stream_state&) override;

  device_properties properties() const override;

 protected:
  host_device(device which, unsigned place) : device_impl(which, place) {}
  /// Runs a kernel to its end.
  virtual void run(const loaded_kernel&, const geometry&, const void* arguments, std::size_t size) = 0;
  virtual std::string name() const = 0;

 private:
  void perform(const host_operation&);

  host_memory memory_;
};

}  // namespace sinter::runtime
