// Memory as a program sees it, on every device: pools with CuPy's numbers, arenas of streams, limits, allocators of the
// user's own, the driver's pool, pinned arrays and hooks. The numbers in the names are those of the list of behaviours.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "test/include/ordering.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;

constexpr std::size_t u = 512;
bool has_driver_pool() { return device::current().type() == device::kind::cuda; }

/// An array that a test drops when it wants to.
template <class T>
using held = std::unique_ptr<array<T>>;
template <class T>
held<T> hold(array<T> a) {
  return std::make_unique<array<T>>(std::move(a));
}

bool is(const memory_pool& p, std::size_t used, std::size_t free) {
  return p.used_bytes() == used && p.free_bytes() == free && p.total_bytes() == used + free;
}

/// A pool that no other test uses; `alone`: the thread's arrays come from it.
struct own_pool {
  memory_pool pool;
};
struct alone : own_pool {
  using_allocator scope{pool};
};

/// An allocator of a user's: blocks of the device's memory, counted.
class counting : public memory_resource {
 public:
  counting() { ++alive; }
  ~counting() override { --alive; }
  void* allocate(std::size_t size, const stream& on) override {
    ++allocations;
    return below_.resource().allocate(size, on);
  }
  void deallocate(void* block, std::size_t size, const stream& on) noexcept override {
    ++deallocations;
    below_.resource().deallocate(block, size, on);
  }
  static inline int alive = 0;
  int allocations = 0;
  int deallocations = 0;

 private:
  const allocator below_ = device_memory();
};

struct allocator_restored {
  const allocator before = get_allocator();
  ~allocator_restored() { set_allocator(before); }
};

template <class P>
concept counts_blocks = requires(const P& p) {
  p.n_free_blocks();
};

}  // namespace

// ---- 1: the pool

TEST_CASE_FIXTURE(alone, "memory 1.1: 400 bytes are 512, and an empty array is nothing") {
  array<float> a = empty<float>(100);
  CHECK(is(pool, 512, 0));
  array<float> none = empty<float>(0);
  CHECK(is(pool, 512, 0));
  CHECK(pool.allocate(0) == nullptr);
  pool.deallocate(nullptr, 0);
  CHECK(is(pool, 512, 0));
}

TEST_CASE_FIXTURE(alone, "memory 1.2: what an array leaves behind is cached, used again, and given back") {
  held<float> a = hold(empty<float>(100));
  const void* place = place_of(*a);
  a.reset();
  CHECK(is(pool, 0, 512));
  a = hold(empty<float>(128));
  CHECK(place_of(*a) == place);
  CHECK(is(pool, 512, 0));
  a.reset();
  pool.free_all_blocks();
  CHECK(is(pool, 0, 0));
}

TEST_CASE_FIXTURE(own_pool, "memory 1.3: CuPy's worked numbers") {
  void* two = pool.allocate(2 * u);
  void* four = pool.allocate(4 * u);
  CHECK(is(pool, 6 * u, 0));
  pool.deallocate(two, 2 * u);
  pool.deallocate(four, 4 * u);
  CHECK(is(pool, 0, 6 * u));
  void* one = pool.allocate(1 * u);
  CHECK(is(pool, 1 * u, 5 * u));
  pool.deallocate(one, 1 * u);
}

TEST_CASE_FIXTURE(own_pool, "memory 1.4: best fit, the rest is kept, neighbours merge, a split segment stays") {
  void* four = pool.allocate(4 * u);
  void* eight = pool.allocate(8 * u);
  pool.deallocate(eight, 8 * u);
  pool.deallocate(four, 4 * u);
  void* head = pool.allocate(2 * u);
  CHECK(head == four);
  void* tail = pool.allocate(2 * u);
  CHECK(tail == static_cast<std::byte*>(four) + 2 * u);
  CHECK(pool.largest_free_block() == 8 * u);
  pool.deallocate(tail, 2 * u);
  pool.free_all_blocks();
  CHECK(is(pool, 2 * u, 2 * u));
  pool.deallocate(head, 2 * u);
  CHECK(pool.n_free_blocks() == 1);
  CHECK(pool.allocate(4 * u) == four);
  pool.deallocate(four, 4 * u);
}

TEST_CASE_FIXTURE(alone, "memory 1.5: a block belongs to the stream it was allocated for") {
  stream s;
  held<float> a;
  {
    const stream_scope in(s);
    a = hold(empty<float>(100));
  }
  const void* place = place_of(*a);
  a.reset();  // on another stream than its own
  array<float> other = empty<float>(100);
  CHECK(place_of(other) != place);
  {
    const stream_scope in(s);
    a = hold(empty<float>(100));
    CHECK(place_of(*a) == place);
    a.reset();
  }
  std::thread([&] {
    const using_allocator same(pool);
    const stream_scope in(s);
    a = hold(empty<float>(100));  // a stream is the same one in every thread
  }).join();
  CHECK(place_of(*a) == place);
}

TEST_CASE_FIXTURE(alone, "memory 1.6: the cached blocks of one stream can go alone, and outlive the stream") {
  std::optional<stream> s(std::in_place);
  {
    const stream_scope in(*s);
    array<float> a = empty<float>(100);
  }
  { array<float> b = empty<float>(300); }
  CHECK(is(pool, 0, 4 * u));
  pool.free_all_blocks(stream::current());
  CHECK(is(pool, 0, 1 * u));
  pool.free_all_blocks(*s);
  CHECK(is(pool, 0, 0));
  {
    const stream_scope in(*s);
    array<float> a = empty<float>(100);
  }
  s.reset();
  CHECK(is(pool, 0, 1 * u));
  pool.free_all_blocks();
  CHECK(is(pool, 0, 0));
}

TEST_CASE_FIXTURE(alone, "memory 1.7: cached pieces are counted over all streams") {
  CHECK(pool.n_free_blocks() == 0);
  stream s;
  { array<float> a = empty<float>(100); }
  {
    const stream_scope in(s);
    array<float> a = empty<float>(100);
  }
  CHECK(pool.n_free_blocks() == 2);
  array<float> a = empty<float>(100);
  CHECK(pool.n_free_blocks() == 1);
}

TEST_CASE_FIXTURE(own_pool, "memory 1.8: limits") {
  const std::size_t inherited = pool.get_limit();  // SINTER_MEMORY_LIMIT's, as a rule none
  pool.set_limit({.bytes = 1024});
  CHECK(pool.get_limit() == 1024);
  CHECK(default_memory_pool().get_limit() == inherited);
  pool.set_limit({.fraction = 0.5});
  CHECK(pool.get_limit() == properties(device::current()).total_memory / 2);
  pool.set_limit({.fraction = 0});
  CHECK(pool.get_limit() == 0);
  pool.set_limit({.bytes = 1});
  pool.set_limit();
  CHECK(pool.get_limit() == 0);
  const std::int64_t negative = -1;
  CHECK_THROWS_AS(pool.set_limit({.bytes = negative}), error);
  CHECK_THROWS_AS(pool.set_limit({.bytes = 1, .fraction = 0.1}), error);
  CHECK_THROWS_AS(pool.set_limit({.fraction = 1.5}), error);
  CHECK_THROWS_AS(pool.set_limit({.fraction = -0.5}), error);
  CHECK(pool.get_limit() == 0);
}

TEST_CASE("memory 1.9: the environment" * doctest::skip()) {
  memory_pool& pool = default_memory_pool();
  const std::string asked = std::getenv("SINTER_MEMORY_LIMIT");
  if (asked == "12 apples" || asked == "0.5") {
    CHECK_THROWS_AS(empty<float>(100), error);
    return;
  }
  const std::size_t total = properties(device::current()).total_memory;
  const std::size_t expected = asked == "2M" ? std::size_t{2} << 20 : total / 4;
  CHECK(pool.get_limit() == expected);
  CHECK_THROWS_AS(pool.allocate(expected + 1), out_of_memory);
  pool.set_limit({.bytes = 1024});
  CHECK(pool.get_limit() == 1024);
}

TEST_CASE("memory 1.9: SINTER_MEMORY_LIMIT in bytes or percent, until set_limit") {
  for (const char* limit : {"2M", "25%", "12 apples", "0.5"}) {
    const rerun child("memory 1.9: the environment", {{"SINTER_MEMORY_LIMIT", limit}});
    CHECK_MESSAGE(child.ok, limit, ": ", child.output);
  }
}

TEST_CASE_FIXTURE(alone, "memory 1.10: a limit makes cached blocks go, and then refuses without changing anything") {
  pool.set_limit({.bytes = 6 * u});
  { array<double> five = empty<double>(5 * 64); }
  CHECK(is(pool, 0, 5 * u));
  held<double> six = hold(empty<double>(6 * 64));
  CHECK(is(pool, 6 * u, 0));
  CHECK_THROWS_AS(empty<double>(1), out_of_memory);
  CHECK(is(pool, 6 * u, 0));
  six.reset();
  CHECK_THROWS_AS(empty<double>(6 * 64 + 1), out_of_memory);
  CHECK(is(pool, 0, 6 * u));  // more than the limit: at once
  array<double> a = zeros<double>(64);
  array<double> b = a + 1;
  CHECK_THROWS_AS(b = array<double>(zeros<double>({8, 64}) + b), out_of_memory);
  CHECK(b.get() == std::vector<double>(64, 1.0));
}

TEST_CASE_FIXTURE(alone, "memory 1.11: a device without room") {
  CHECK_THROWS_AS(empty<double>(std::int64_t{1} << 55), out_of_memory);
  CHECK_THROWS_AS(empty<double>(std::numeric_limits<std::int64_t>::max() / 16), out_of_memory);
  CHECK(is(pool, 0, 0));
  array<double> a = zeros<double>(10);
  CHECK(a.get() == std::vector<double>(10, 0.0));
}

TEST_CASE_FIXTURE(alone, "memory 1.12: what out_of_memory says") {
  pool.set_limit({.bytes = 10 * u});
  array<double> a = empty<double>(4 * 64);
  held<double> b = hold(empty<double>(3 * 64));
  array<double> c = empty<double>(64);
  b.reset();
  try {
    array<double> d = empty<double>(8 * 64);
    FAIL("there is no room");
  } catch (const out_of_memory& e) {
    CHECK(e.asked == 8 * u);
    CHECK(e.in_use == 5 * u);
    CHECK(e.limit == 10 * u);
    CHECK(e.largest_free == 0);  // what was cached has gone back
    const std::string text = e.what();
    for (const char* part : {"4,096 bytes", "in use 2,560", "limit 5,120 bytes"})
      CHECK_MESSAGE(times_in(text, part) == 1, text, " lacks ", part);
  }
}

TEST_CASE("memory 1.13: set_allocator replaces the pool for all threads, nullptr turns it off") {
  const allocator_restored restore;
  const allocator mine = make_allocator<counting>();
  auto& counted = static_cast<counting&>(mine.resource());
  set_allocator(mine);
  CHECK(get_allocator() == mine);
  {
    array<float> a = zeros<float>(100);
    CHECK(counted.allocations == 1);
    std::thread([] { array<float> b = zeros<float>(100); }).join();
    CHECK(counted.allocations == 2);
    CHECK(counted.deallocations == 1);
    set_allocator(nullptr);
    CHECK(get_allocator() == device_memory());
    const std::size_t pooled = default_memory_pool().used_bytes();
    array<float> c = a + 1;
    CHECK(default_memory_pool().used_bytes() == pooled);
    CHECK(c.get() == std::vector<float>(100, 1.f));
    CHECK(counted.allocations == 2);
  }
  CHECK(counted.deallocations == 2);
  set_allocator(default_memory_pool());
  CHECK(get_allocator() == default_memory_pool());
}

TEST_CASE("memory 1.13: a replaced allocator goes with its last array") {
  const allocator_restored restore;
  set_allocator(make_allocator<counting>());
  held<float> a = hold(ones<float>(100));
  set_allocator(default_memory_pool());
  CHECK(counting::alive == 1);
  array<float> b = *a + 1;
  CHECK(b.get() == std::vector<float>(100, 2.f));
  a.reset();
  CHECK(counting::alive == 0);
}

TEST_CASE("memory 1.13: using_allocator is the thread's and nests; set_allocator inside is refused") {
  memory_pool outer, inner;
  {
    const using_allocator first(outer);
    CHECK(get_allocator() == outer);
    {
      const using_allocator second(inner);
      array<float> a = empty<float>(100);
      CHECK(inner.used_bytes() == u);
      CHECK_THROWS_AS(set_allocator(outer), error);
      CHECK_THROWS_AS(set_allocator(nullptr), error);
      std::thread([&] { CHECK(get_allocator() == default_memory_pool()); }).join();
      const using_allocator none(nullptr);
      CHECK(get_allocator() == device_memory());
    }
    CHECK(outer.used_bytes() == 0);
    array<float> b = empty<float>(100);
    CHECK(outer.used_bytes() == u);
  }
  CHECK(get_allocator() == default_memory_pool());
}

TEST_CASE("memory 1.13: a pool over managed memory, and one over another allocator") {
  {
    memory_pool pool(managed_memory());
    const using_allocator scope(pool);
    array<float> a = arange<float>(1000);
    array<float> b = a * 2;
    CHECK(sum(b).item() == 999'000.f);
    CHECK(pool.used_bytes() == 2 * 4096);
    const std::size_t available = properties(device::current()).free_memory;
    if (has_driver_pool()) CHECK_THROWS_AS(pool.allocate(available + (std::size_t{1} << 30)), out_of_memory);
  }
  const allocator below = make_allocator<counting>();
  memory_pool pool(below);
  const using_allocator scope(pool);
  for (int i = 0; i < 3; ++i) array<float> a = zeros<float>(100);
  CHECK(static_cast<counting&>(below.resource()).allocations == 1);
  pool.free_all_blocks();
  CHECK(static_cast<counting&>(below.resource()).deallocations == 1);
}

TEST_CASE_FIXTURE(alone, "memory 1.14: hooks see an array come and go") {
  struct hook : memory_hook {
    const char* name() const override { return "hook"; }
    void alloc_preprocess(const memory_event&) override { order += "alloc_pre "; }
    void alloc_postprocess(const memory_event&) override { order += "alloc_post "; }
    void malloc_preprocess(const memory_event&) override { order += "malloc_pre "; }
    void malloc_postprocess(const memory_event& e) override {
      order += "malloc_post ";
      last = e;
    }
    void free_preprocess(const memory_event&) override { order += "free_pre "; }
    void free_postprocess(const memory_event& e) override {
      order += "free_post ";
      CHECK(e.pmem_id == last.pmem_id);
    }
    std::string order;
    memory_event last{};
  } seen;
  const hook_scope registered(seen);
  {
    array<float> a = empty<float>(100);
    CHECK(seen.last.size == 400);
    CHECK(seen.last.mem_size == 512);
    CHECK(seen.last.mem_ptr == place_of(a));
    CHECK(seen.last.device == device::current());
    array<float> b = a;  // shares
  }
  { array<float> c = empty<float>(90); }
  CHECK(seen.order ==
        "malloc_pre alloc_pre alloc_post malloc_post free_pre free_post "
        "malloc_pre malloc_post free_pre free_post ");
  struct twin : memory_hook {
    const char* name() const override { return "hook"; }
  } same_name;
  CHECK_THROWS_AS(std::make_unique<hook_scope>(same_name), error);
}

TEST_CASE_FIXTURE(alone, "memory 1.14: the printer, the counter and the profile by statement") {
  std::ostringstream lines, report;
  debug_print_hook printer(lines);
  memory_statistics_hook counter;
  line_profile_hook profile;
  int line = 0, made = 0;
  {
    const hook_scope first(printer), second(counter), third(profile);
    made = __LINE__ + 1;
    array<float> a = zeros<float>(100);
    const allocation_label label("the step");
    for (int i = 0; i < 3; ++i) {
      line = __LINE__ + 1;
      array<float> b = a + 1;
    }
  }
  CHECK(times_in(lines.str(), "{\"hook\":\"malloc\",\"device_id\":0,\"size\":400,\"mem_size\":512,\"mem_ptr\":") == 4);
  CHECK(times_in(lines.str(), "{\"hook\":\"alloc\",\"device_id\":0,\"mem_size\":512,\"mem_ptr\":") == 2);
  CHECK(times_in(lines.str(), "{\"hook\":\"free\",\"device_id\":0,\"mem_size\":512,\"mem_ptr\":") == 4);
  const memory_statistics s = counter.statistics();
  CHECK(s.mallocs == 4);
  CHECK(s.frees == 4);
  CHECK(s.allocs == 2);
  CHECK(s.peak_bytes == 1024);
  CHECK(s.live_bytes == 0);
  profile.print_report(report);
  CHECK(times_in(report.str(), "_root (2.00KB, 1.00KB), 4\n") == 1);
  CHECK(times_in(report.str(), "  the step (1.50KB, 512.00B), 3\n") == 1);
  CHECK(times_in(report.str(), "memory.cpp:" + std::to_string(line) + " (1.50KB, 512.00B), 3\n") == 1);
  CHECK(times_in(report.str(), "memory.cpp:" + std::to_string(made) + " (512.00B, 512.00B), 1\n") == 1);
}

TEST_CASE("memory: the statement of an assignment, and of what makes an array") {
  line_profile_hook profile;
  array<double> a, b;
  const int line = __LINE__;
  {
    const hook_scope in(profile);
    a = zeros({8});
    a = a + 1;
    b = ones({8});
    b = full({8}, 2.0);
    b = a.copy();
    b = asarray(std::vector<double>(8));
    b = arange<double>(8);
    b = linspace(0, 1, 8);
    b = eye(3);
    b = zeros_like(a);
  }
  std::ostringstream report;
  profile.print_report(report);
  for (int i = 3; i < 13; ++i)
    CHECK_MESSAGE(times_in(report.str(), "memory.cpp:" + std::to_string(line + i) + " ") == 1, report.str());
  CHECK(times_in(report.str(), "(no statement)") == 0);
}

TEST_CASE("memory 1.14: several threads print into one stream, each line whole") {
  std::ostringstream lines;
  debug_print_hook printer(lines);
  std::vector<std::thread> all;
  for (int t = 0; t < 4; ++t)
    all.emplace_back([&] {
      const hook_scope in(printer);
      for (int i = 0; i < 200; ++i) array<double> a = zeros({100 + i});
    });
  for (std::thread& t : all) t.join();
  std::istringstream each(lines.str());
  int count = 0;
  for (std::string line; std::getline(each, line); ++count) CHECK((line.front() == '{' && line.back() == '}'));
  CHECK(count >= 2 * 4 * 200);
}

TEST_CASE("memory 1.11: memory that another thread waits for is waited for by all") {
  rehearsed([] {
    memory_pool pool;
    constexpr std::int64_t mega = (1 << 20) / 8;
    pool.set_limit({.bytes = (7 << 20) / 2});
    const using_allocator from(pool);
    const stream s, t;
    array<double> kept = on(s, [] { return zeros({8}); }), x = on(s, [] { return zeros({3 * mega}); });
    array<double> y =
        on(t, [] { return zeros({8}); });  // made before the gate: the driver's own allocation may wait for it
    gate closed(t);
    on(t, [&] { y(ellipsis) = x(slice(0, 8)) + 1; });
    x = array<double>();  // three of the three and a half until the gate opens
    if (!gates_stand()) return;
    std::atomic<int> served = 0;
    std::vector<std::thread> all;
    for (int i = 0; i < 2; ++i)
      all.emplace_back([&] {
        const using_allocator own(pool);
        try {
          served += holds(zeros({mega}), 0);
        } catch (const out_of_memory&) {
        }
      });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    closed.open();
    for (std::thread& thread : all) thread.join();
    CHECK(served == 2);
    CHECK(!closed.gave_up());
  });
}

TEST_CASE("memory 1.11: blocks of a pool come back for its own requests too") {
  rehearsed([] {
    memory_pool pool;
    pool.set_limit({.bytes = (1 << 20) + 4096});
    const stream s, t;
    array<double> y;
    gate closed(t);
    {
      const using_allocator from(pool);
      const array<double> x = on(s, [] { return zeros({(1 << 20) / 8}); });
      on(t, [&] { y = x(slice(0, 8)) + 1; });
    }
    y = array<double>();
    closed.open();
    void* const block = pool.allocate(1 << 19);  // not as long as x is waited for
    CHECK(block != nullptr);
    pool.deallocate(block, 1 << 19);
  });
}

TEST_CASE("memory: a resource that gives nothing is out of memory") {
  struct empty_handed : memory_resource {
    void* allocate(std::size_t, const stream&) override { return nullptr; }
    void deallocate(void*, std::size_t, const stream&) noexcept override {}
  };
  const using_allocator from(make_allocator<empty_handed>());
  CHECK_THROWS_AS(zeros({8}), out_of_memory);
}

// ---- 2: the driver's pool

TEST_CASE(
    "memory 2.2: the driver's pool counts no blocks and tells no hooks; where the driver has none, the pool does") {
  static_assert(counts_blocks<memory_pool> && !counts_blocks<async_memory_pool>);
  memory_statistics_hook counter;
  async_memory_pool pool;
  {
    const using_allocator scope(pool);
    const hook_scope in(counter);
    const array<double> a = zeros({8});
  }
  CHECK(counter.statistics().mallocs == (asynchronous() ? 0 : 1));
}

TEST_CASE("memory 2.3: arrays of the driver's pool, whose free memory is what it holds unused") {
  async_memory_pool pool;
  const using_allocator scope(pool);
  const std::size_t before = pool.used_bytes();
  array<float> a = arange<float>(1000);
  array<float> b = a * 2 + 1;
  CHECK(b.get()[999] == 1999.f);
  CHECK(pool.used_bytes() >= before + 8000);
  CHECK(pool.total_bytes() >= pool.used_bytes());
  CHECK(pool.free_bytes() == pool.total_bytes() - pool.used_bytes());
}

TEST_CASE("memory 2.4: free_all_blocks waits for the stream and gives back what is free") {
  async_memory_pool pool;
  const using_allocator scope(pool);
  { array<float> a = zeros<float>(1 << 20); }
  const std::size_t held = pool.total_bytes();
  CHECK(held >= std::size_t{4} << 20);
  pool.free_all_blocks(stream::current());
  CHECK(pool.total_bytes() < held);
  { array<float> a = zeros<float>(1 << 20); }
  pool.free_all_blocks();
  CHECK(pool.total_bytes() < held);
}

TEST_CASE("memory 2.5: its limit is soft, and none reads as the largest number") {
  async_memory_pool pool;
  const using_allocator scope(pool);
  CHECK(pool.get_limit() == SIZE_MAX);
  pool.free_all_blocks();
  pool.set_limit({.bytes = pool.total_bytes() + 1000});
  CHECK(pool.get_limit() == pool.total_bytes() + 1000);
  CHECK_THROWS_AS(empty<float>(1 << 24), out_of_memory);
  pool.set_limit({.fraction = 1});
  CHECK(pool.get_limit() == properties(device::current()).total_memory);
  CHECK_THROWS_AS(pool.set_limit({.bytes = 1, .fraction = 0.5}), error);
  CHECK_THROWS_AS(pool.set_limit({.fraction = 2}), error);
  pool.set_limit();
  CHECK(pool.get_limit() == SIZE_MAX);
  array<float> a = ones<float>(1 << 20);
  CHECK(sum(a).item() == 1 << 20);
}

TEST_CASE("memory 2.6: its arrays may outlive their stream, and be used on others") {
  async_memory_pool pool(driver_pool::default_);
  const using_allocator scope(pool);
  held<float> a;
  {
    stream s;
    const stream_scope in(s);
    a = hold(array<float>(arange<float>(1000) * 3));
  }
  array<float> b = *a + 1;
  a.reset();
  CHECK(b.get()[10] == 31.f);
}

// ---- 3: pinned memory

TEST_CASE("memory 3.1: pinned blocks are powers of two from 512 bytes on, cached by size") {
  pinned_memory_pool pool;
  void* a = pool.allocate(700);
  pool.deallocate(a);
  CHECK(pool.n_free_blocks() == 1);
  void* b = pool.allocate(1024);
  CHECK(b == a);
  void* c = pool.allocate(2000);
  pinned_memory_pool same = pool;
  same.deallocate(b);
  CHECK(pool.n_free_blocks() == 1);
  CHECK(pool.allocate(512) != a);
  pool.free_all_blocks();
  CHECK(same.n_free_blocks() == 0);
  pool.deallocate(c);
  CHECK_THROWS_AS(pool.allocate(std::size_t{1} << 50), out_of_memory);
  CHECK(pool.allocate(0) == nullptr);
}

TEST_CASE("memory 3.2: pinned memory is free again when its copies are over") {
  pinned_memory_pool& pool = default_pinned_memory_pool();
  pool.free_all_blocks();
  array<float> a = zeros<float>(1 << 20);
  const void* place = nullptr;
  {
    pinned_array<float> host = empty_pinned<float>(1 << 20);
    for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<float>(i % 1000);
    place = host.data();
    a.set(host, {.blocking = false});
  }
  {
    // Another owner would destroy what the copy reads.
    pinned_array<float> next = empty_pinned<float>(1 << 20);
    for (float& x : next) x = -1;
  }
  CHECK(sum(a).item() > 0);
  const std::vector<float> values = a.get();
  bool right = true;
  for (std::size_t i = 0; i < values.size(); ++i) right = right && values[i] == static_cast<float>(i % 1000);
  CHECK(right);
  synchronize();
  pinned_array<float> again = empty_pinned<float>(1 << 20);  // looks
  CHECK(pool.n_free_blocks() + (again.data() == place) >= 1);
}

TEST_CASE("memory 3.4: copies to pinned memory, waited for and not") {
  array<int> a = arange<int>(5000);
  pinned_array<int> host = zeros_pinned<int>(5000);
  a.get(host);
  CHECK(host[4999] == 4999);
  array<int> b = a * 2;
  b.get(host, {.blocking = false});
  stream::current().synchronize();
  CHECK(host[4999] == 9998);
  for (int& x : host) x = 7;
  a.set(host);
  for (int& x : host) x = 8;
  CHECK(a.get() == std::vector<int>(5000, 7));
}

TEST_CASE("memory 3.5: pinned arrays own their memory and look like spans") {
  pinned_array<double> a = zeros_pinned({2, 3});
  CHECK(a.shape() == shape{2, 3});
  CHECK(a.ndim() == 2);
  CHECK(a.size() == 6);
  for (const double x : a) CHECK(x == 0);
  a[5] = 2.5;
  CHECK(a.end()[-1] == 2.5);
  const double* place = a.data();
  pinned_array<double> b = std::move(a);
  CHECK(b.data() == place);
  CHECK(a.size() == 0);
  CHECK(a.data() == nullptr);
  a = std::move(b);
  CHECK(a.data() == place);

  auto like = zeros_like_pinned(a);
  CHECK(like.shape() == shape{2, 3});
  CHECK(like[5] == 0);
  array<int> on_device = ones<int>({4, 5});
  auto host = empty_like_pinned(on_device);
  static_assert(std::is_same_v<decltype(host), pinned_array<int>>);
  CHECK(host.shape() == on_device.shape());
  on_device.get(host);
  CHECK(host[19] == 1);

  CHECK(empty_pinned<float>(0).data() == nullptr);
  CHECK(empty_pinned<float>({3, 0}).size() == 0);
  CHECK(empty_pinned<bool>(3).size() == 3);
  CHECK_THROWS_AS(empty_pinned<double>({std::int64_t{1} << 40, std::int64_t{1} << 10}), out_of_memory);
  CHECK_THROWS_AS(empty_pinned<double>({std::int64_t{1} << 40, std::int64_t{1} << 40}), shape_error);
}
