// async_memory_pool over a driver pool that the test controls: three tries, the soft limit, streams that have gone,
// streams that are captured, and devices without such a pool.
#include <cstdlib>
#include <string>

#include <doctest/doctest.h>

#include <sinter/error.hpp>
#include <sinter/memory.hpp>

#include "runtime/stream/capture.hpp"
#include "runtime/stream/order.hpp"
#include "test/runtime/memory/memory_device.hpp"

namespace {

using namespace sinter;
using test::memory_device;

struct variable {
  const char* const name;
  variable(const char* n, const char* value) : name(n) { setenv(n, value, 1); }
  ~variable() { unsetenv(name); }
};

struct fixture {
  memory_device device;
  test::fake_driver_pool& driver = device.current_pool;
  async_memory_pool pool;
  void* take(std::size_t size) { return take(size, device.stream().handle_of()); }
  void* take(std::size_t size, const stream& on) { return pool.resource().allocate(size, on); }
  void give(void* block, std::size_t size) { give(block, size, device.stream().handle_of()); }
  void give(void* block, std::size_t size, const stream& on) { pool.resource().deallocate(block, size, on); }
};

}  // namespace

TEST_CASE_FIXTURE(fixture, "memory 2.1: the driver keeps what is freed; 'current' and 'default' are its two pools") {
  void* block = take(100);
  CHECK(driver.kept == UINT64_MAX);
  CHECK(driver.used() == 100);
  CHECK(driver.last_stream == &device.stream());
  give(block, 100);
  CHECK(driver.used() == 0);
  CHECK(driver.reserved() == 4096);
  CHECK(device.host_waits == 0);
  CHECK(device.default_pool.asked == 0);

  async_memory_pool other(driver_pool::default_);
  block = other.resource().allocate(200, device.stream().handle_of());
  CHECK(device.default_pool.used() == 200);
  other.resource().deallocate(block, 200, device.stream().handle_of());
  CHECK(device.device_memory.asked == 0);
}

TEST_CASE_FIXTURE(fixture, "memory 2.6: three tries, with a wait for the stream between them, then out_of_memory") {
  device.stream().enqueued();
  driver.refuse = 2;
  void* block = take(100);
  CHECK(driver.asked == 3);
  CHECK(device.host_waits == 1);  // there was nothing left to wait for the second time
  driver.refuse = 3;
  try {
    take(1000);
    FAIL("it refused three times");
  } catch (const out_of_memory& e) {
    CHECK(driver.asked == 6);
    CHECK(e.asked == 1000);
    CHECK(e.in_use == 100);
    CHECK(e.limit == 0);
    CHECK(e.largest_free == 3996);
    CHECK(std::string(e.what()).find("1,000 bytes") != std::string::npos);
  }
  give(block, 100);
}

TEST_CASE_FIXTURE(fixture, "memory 2.6: what other pools cache makes room too") {
  memory_pool ordinary;
  const stream& on = device.stream().handle_of();
  void* block = ordinary.resource().allocate(5000, on);
  ordinary.resource().deallocate(block, 5000, on);
  driver.refuse = 2;
  block = take(100);
  CHECK(device.device_memory.held == 0);
  give(block, 100);
}

TEST_CASE("memory 2.5: the limit is looked at before the driver's pool would grow") {
  const variable set("SINTER_MEMORY_LIMIT", "8192");
  fixture f;
  void* first = f.take(5000);
  CHECK(f.driver.kept == 8192);
  CHECK(f.driver.reserved() == 8192);
  void* second = f.take(3192);  // free already: it does not grow
  CHECK_THROWS_AS(f.take(1), out_of_memory);
  const int asked = f.driver.asked;
  try {
    f.take(8193);
    FAIL("more than the limit");
  } catch (const out_of_memory& e) {
    CHECK(e.limit == 8192);
    CHECK(f.driver.asked == asked);  // at once
  }
  f.give(first, 5000);
  f.give(second, 3192);
  f.give(f.take(8192), 8192);
  f.driver.trim(0);
  // Another user of the driver's pool is not stopped, but what it holds counts.
  std::byte* theirs = f.driver.allocate(8000, f.device.stream());
  CHECK_THROWS_AS(f.take(1000), out_of_memory);
  f.driver.release(theirs, f.device.stream());
}

TEST_CASE_FIXTURE(fixture,
                  "memory 2.6: a block is freed on its own stream, or behind it on another where it has gone") {
  void* block = nullptr;
  runtime::stream_state* gone = nullptr;
  void* late = nullptr;
  {
    stream_options how;
    const stream own(&device.streams().make(how));
    block = take(100, own);
    late = take(100, own);
    give(block, 100, own);
    CHECK(driver.last_stream == &own.state());
    own.state().enqueued();
    gone = &own.state();
  }
  CHECK(device.stream_waits == 0);
  give(late, 100, gone->handle_of());
  CHECK(driver.last_stream == &device.stream());
  CHECK(device.stream_waits == 1);
}

TEST_CASE_FIXTURE(fixture, "memory 2: an allocation in a capture is not a part of the graph") {
  stream_options how;
  const stream captured(&device.streams().make(how));
  void* before = take(100, captured);
  captured.state().enqueued();
  runtime::mark(captured.state());
  {
    runtime::capture_state capture(captured.state());
    captured.state().capture = &capture;
    void* block = take(200, captured);
    CHECK(driver.last_stream == &device.stream());
    CHECK(device.host_waits == 1);  // usable by whatever stream the graph is launched on
    give(before, 100, captured);
    CHECK(driver.last_stream == &device.stream());
    CHECK(device.host_waits == 2);  // for what was enqueued before the capture
    captured.state().capture = nullptr;
    give(block, 200, captured);
  }
  CHECK(driver.used() == 0);
}

TEST_CASE_FIXTURE(fixture, "memory 2: a device without a driver pool has an ordinary one") {
  device.has_driver_pools = false;
  void* block = take(100);
  CHECK(device.device_memory.held == 512);
  give(block, 100);
  CHECK(take(500) == block);
  CHECK(device.device_memory.asked == 1);
  give(block, 500);
  CHECK(driver.asked == 0);
}
