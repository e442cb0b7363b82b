// The CUDA driver without a GPU: what is no driver; what is made of its errors, and the staging of copies, against a table
// made here.
#include "runtime/device/driver.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <sinter/error.hpp>

#include "runtime/device/staging.hpp"

namespace {

using namespace sinter;

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

/// A driver's table whose stream runs only when a caller waits for it: what was not waited for has not happened.
struct fake {
  struct event {
    int recorded = 0, reached = 0;  // a second record makes the first one forgotten
  };
  static event* of(runtime::cu_event e) { return reinterpret_cast<event*>(e); }
  static inline std::deque<std::function<void()>> stream;
  static inline int pinned = 0, events = 0, waits = 0;
  static inline bool no_pinned_memory = false;

  static void run_all() {
    while (!stream.empty()) stream.front()(), stream.pop_front();
  }
  static runtime::driver table() {
    runtime::driver d;
    d.cuGetErrorName = [](int result, const char** text) {
      *text = result == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_INVALID_VALUE";
      return result == 12345 ? 1 : 0;
    };
    d.cuGetErrorString = [](int, const char** text) { return *text = "the driver's words", 0; };
    d.cuMemAllocHost_v2 = [](void** memory, std::size_t size) {
      if (no_pinned_memory) return 2;
      return *memory = std::malloc(size), ++pinned, 0;
    };
    d.cuMemFreeHost = [](void* memory) { return std::free(memory), --pinned, 0; };
    d.cuEventCreate = [](runtime::cu_event* e, unsigned flags) {
      CHECK(flags == 2);
      return *e = reinterpret_cast<runtime::cu_event>(new event), ++events, 0;
    };
    d.cuEventDestroy_v2 = [](runtime::cu_event e) { return delete of(e), --events, 0; };
    d.cuEventRecord = [](runtime::cu_event e, runtime::cu_stream) {
      stream.push_back([e, number = ++of(e)->recorded] { of(e)->reached = number; });
      return 0;
    };
    d.cuEventSynchronize = [](runtime::cu_event e) {
      ++waits;
      while (of(e)->reached != of(e)->recorded) stream.front()(), stream.pop_front();
      return 0;
    };
    d.cuStreamSynchronize = [](runtime::cu_stream) { return run_all(), 0; };
    d.cuMemcpyHtoDAsync_v2 = [](runtime::cu_address to, const void* from, std::size_t size, runtime::cu_stream) {
      stream.push_back([=] { std::memcpy(reinterpret_cast<void*>(to), from, size); });
      return 0;
    };
    d.cuMemcpyDtoHAsync_v2 = [](void* to, runtime::cu_address from, std::size_t size, runtime::cu_stream) {
      stream.push_back([=] { std::memcpy(to, reinterpret_cast<const void*>(from), size); });
      return 0;
    };
    return d;
  }
};

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const error& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("driver: what is not a driver is described, not used") {
  std::string why;
  CHECK(runtime::open_driver("/nonexistent/libcuda.so", &why) == nullptr);
  CHECK(contains(why, "/nonexistent/libcuda.so"));
  CHECK(contains(why, "SINTER_CUDA_DRIVER"));
  CHECK(runtime::open_driver("libc.so.6", &why) == nullptr);
  CHECK(contains(why, "it lacks cuInit"));
  CHECK(runtime::open_driver("/nonexistent/libcuda.so", nullptr) == nullptr);
}

TEST_CASE("driver: errors are translated, and a sticky one is for ever") {
  const runtime::driver d = fake::table();
  runtime::fault_latch faults(d, "cuda:0");
  faults.check(0, "cuInit");
  CHECK_THROWS_AS(faults.check(2, "cuMemAllocHost_v2"), out_of_memory);
  CHECK_THROWS_AS(faults.check(1, "cuStreamCreate"), device_error);
  CHECK(contains(message_of([&] { faults.check(1, "cuMemAlloc_v2"); }),
                 "cuMemAlloc(...) failed: CUDA_ERROR_INVALID_VALUE: the driver's words"));
  CHECK(contains(message_of([&] { faults.check(12345, "cuInit"); }), "CUDA error 12345"));
  CHECK(faults.usable());
  faults.raise_if_lost();

  CHECK_THROWS_AS(faults.check(700, "cuStreamSynchronize"), device_lost);
  CHECK_FALSE(faults.usable());
  const std::string first = message_of([&] { faults.raise_if_lost(); });
  CHECK(contains(first, "cuda:0 is lost"));
  CHECK(contains(first, "cuStreamSynchronize(...) failed: CUDA_ERROR_ILLEGAL_ADDRESS"));
  CHECK(message_of([&] { faults.check(719, "cuLaunchKernel"); }) == first);
  CHECK(message_of([&] { faults.check(1, "cuLaunchKernel"); }) == first);
  faults.note(716, "cuMemFree_v2");
  CHECK(message_of([&] { faults.raise_if_lost(); }) == first);

  runtime::fault_latch quiet(d, "cuda:1");
  quiet.note(1, "cuMemFree_v2");
  CHECK(quiet.usable());
  quiet.note(719, "cuMemFree_v2");
  CHECK_THROWS_AS(quiet.raise_if_lost(), device_lost);
  runtime::fault_latch given_up(d, "cuda:2");
  given_up.lose(1, "cuStreamEndCapture");
  CHECK(contains(message_of([&] { given_up.raise_if_lost(); }), "cuStreamEndCapture(...) failed"));
  for (const int sticky : {4, 214, 700, 702, 710, 714, 715, 716, 717, 718, 719}) CHECK(runtime::is_sticky(sticky));
  for (const int passing : {0, 1, 2, 200, 500, 600, 701, 999}) CHECK_FALSE(runtime::is_sticky(passing));
}

TEST_CASE("staging: copies of every size arrive, in any order, with the device as late as it may be") {
  const runtime::driver d = fake::table();
  for (const bool refused : {false, true}) {
    fake::no_pinned_memory = refused;
    fake::waits = 0;
    runtime::fault_latch faults(d, "cuda:0");
    runtime::staging staging(d, faults);
    std::vector<unsigned char> on_device(24 << 20), expected(on_device.size());
    const auto address = [&](std::size_t at) { return reinterpret_cast<runtime::cu_address>(on_device.data() + at); };
    std::uint32_t random = 1;
    const auto next = [&] { return random = random * 1664525 + 1013904223, random >> 8; };
    for (int step = 0; step < 300; ++step) {
      const std::size_t size = 1 + next() % (step % 30 == 0 ? 12u << 20 : step % 3 == 0 ? 300'000 : 100);
      const std::size_t at = next() % (on_device.size() - size);
      std::vector<std::byte> host(size);
      if (next() % 4) {
        std::memset(host.data(), static_cast<int>(next() % 256), size);
        std::memcpy(expected.data() + at, host.data(), size);
        staging.copy_in(address(at), host.data(), size, nullptr);
        std::fill(host.begin(), host.end(), std::byte{0xEE});  // it has been read: the caller may do as it likes
      } else {
        staging.copy_out(host.data(), address(at), size, nullptr);
        REQUIRE(std::memcmp(host.data(), expected.data() + at, size) == 0);
      }
    }
    fake::run_all();
    CHECK(on_device == expected);
    CHECK(fake::pinned == (refused ? 0 : 1));
    staging.close();
    CHECK(fake::pinned == 0);
    CHECK(fake::events == 0);
  }
}

TEST_CASE("staging: pinned memory that was refused is asked for again") {
  const runtime::driver d = fake::table();
  fake::no_pinned_memory = true;
  runtime::fault_latch faults(d, "cuda:0");
  runtime::staging staging(d, faults);
  long long from = 7, to = 0;
  const auto copy = [&] {
    staging.copy_in(reinterpret_cast<runtime::cu_address>(&to), reinterpret_cast<const std::byte*>(&from), sizeof from,
                    nullptr);
  };
  copy();
  fake::no_pinned_memory = false;
  copy();
  CHECK(fake::pinned == 0);
  for (int i = 0; i < 100; ++i) copy();
  CHECK(fake::pinned == 1);  // it was asked for again
  fake::run_all();
  CHECK(to == 7);
  staging.close();
}

TEST_CASE("staging: small copies one after the other fill the buffer before they wait") {
  const runtime::driver d = fake::table();
  fake::no_pinned_memory = false;
  fake::waits = 0;
  runtime::fault_latch faults(d, "cuda:0");
  runtime::staging staging(d, faults);
  long long target = 0;
  for (long long i = 0; i < 10'000; ++i)
    staging.copy_in(reinterpret_cast<runtime::cu_address>(&target), reinterpret_cast<const std::byte*>(&i), sizeof i,
                    nullptr);
  CHECK(fake::waits == 0);
  fake::run_all();
  CHECK(target == 9999);
  staging.close();
}
