// A device for tests of what lies between arrays and raw memory: memory of a given size and kind, a driver pool, and
// work that is over only when the test says so. It runs no kernels.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sinter/error.hpp>

#include "runtime/device/host.hpp"
#include "runtime/memory/resources.hpp"
#include "runtime/stream/table.hpp"
#include "test/runtime/memory/fake_memory.hpp"

namespace sinter::test {

/// The driver's pool: it grows by 4 KiB at a time and remembers on which stream each call came.
class fake_driver_pool final : public runtime::stream_ordered_source {
 public:
  std::byte* allocate(std::size_t size, runtime::stream_state& on) override {
    ++asked;
    if (used_ + size > capacity || refuse > 0) {
      if (refuse > 0) --refuse;
      return nullptr;
    }
    used_ += size;
    while (reserved_ < used_) reserved_ += 4096;
    auto* block = new std::byte[size];
    live_.push_back({block, size});
    last_stream = &on;
    on.enqueued();
    return block;
  }
  void release(std::byte* block, runtime::stream_state& on) noexcept override {
    last_stream = &on;
    for (auto& [data, size] : live_)
      if (data == block) {
        used_ -= size;
        std::swap(data, live_.back().first);
        std::swap(size, live_.back().second);
        live_.pop_back();
        delete[] block;
        return;
      }
    FAIL_CHECK("a block that the driver's pool does not know");
  }
  std::size_t used() const override { return used_; }
  std::size_t reserved() const override { return reserved_; }
  void keep(std::uint64_t bytes) override { kept = bytes; }
  void trim(std::size_t to) override {
    while (reserved_ >= 4096 && reserved_ - 4096 >= used_ && reserved_ - 4096 >= to) reserved_ -= 4096;
    ++trims;
  }

  std::size_t capacity = SIZE_MAX;
  std::uint64_t kept = 0;
  int asked = 0;
  int refuse = 0;  // so many requests, whatever room there is
  int trims = 0;
  runtime::stream_state* last_stream = nullptr;

 private:
  std::size_t used_ = 0;
  std::size_t reserved_ = 0;
  std::vector<std::pair<std::byte*, std::size_t>> live_;
};

class memory_device final : public runtime::host_device {
 public:
  explicit memory_device(std::size_t capacity = SIZE_MAX, unsigned place = runtime::most_devices - 1)
      : host_device(device::interpreter(), place),
        device_memory(capacity),
        managed_memory(capacity),
        pinned_memory(capacity) {}
  ~memory_device() override {
    runtime::drop_pools(*this);
    streams().close();
  }

  runtime::stream_state& stream() { return streams().default_stream(); }
  /// What was enqueued so far is over.
  void finish() { finished_ = recorded_; }

  bool asynchronous() const override { return true; }
  runtime::memory_source& memory(runtime::memory_kind kind) override {
    return kind == runtime::memory_kind::device    ? device_memory
           : kind == runtime::memory_kind::managed ? managed_memory
                                                   : pinned_memory;
  }
  runtime::stream_ordered_source* stream_ordered_memory(driver_pool which) override {
    if (!has_driver_pools) return nullptr;
    return which == driver_pool::current ? &current_pool : &default_pool;
  }
  std::size_t total_memory() const override { return total; }
  std::size_t free_memory() const override { return total / 2; }

  // An event holds the number of the record that it stands for.
  void* create_event(event_options) override { return &events_.emplace_back(0); }
  void destroy_event(void*) noexcept override {}
  void record(void* event, const runtime::stream_state&) override { *static_cast<std::uint64_t*>(event) = ++recorded_; }
  void wait(const runtime::stream_state&, void*) override { ++stream_waits; }
  bool done(void* event) override { return *static_cast<std::uint64_t*>(event) <= finished_; }
  void synchronize(void* event) override {
    ++host_waits;
    finished_ = std::max(finished_, *static_cast<std::uint64_t*>(event));
  }
  using host_device::synchronize;

  const codegen::compiler* compiler() const override { return nullptr; }
  codegen::dialect dialect() const override { return codegen::dialect::c; }
  runtime::loaded_kernel load(const codegen::bytes*, const codegen::kernel&, const codegen::variant&) override {
    return {};
  }
  int multiprocessors() const override { return 1; }
  std::string description() const override { return "a test's"; }

  fake_memory device_memory, managed_memory, pinned_memory;
  fake_driver_pool current_pool, default_pool;
  bool has_driver_pools = true;
  std::size_t total = std::size_t{1} << 30;
  int host_waits = 0;
  int stream_waits = 0;

 private:
  void run(const runtime::loaded_kernel&, const runtime::geometry&, const void*, std::size_t) override {}
  std::string name() const override { return "a test's"; }

  std::deque<std::uint64_t> events_;  // addresses stay
  std::uint64_t recorded_ = 0;
  std::uint64_t finished_ = 0;
};

}  // namespace sinter::test
