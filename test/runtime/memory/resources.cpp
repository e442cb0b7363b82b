// Memory resources over a device that the test controls: pools for each device, over other allocators and kinds of
// memory; pools off; what happens to a resource that is replaced while others use it; pools that make room for each
// other.
#include "runtime/memory/resources.hpp"

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <sinter/error.hpp>

#include "runtime/memory/storage.hpp"
#include "test/runtime/memory/memory_device.hpp"

namespace {

using namespace sinter;
using runtime::memory_kind;
using runtime::pooled_resource;
using test::memory_device;

constexpr std::size_t u = runtime::pool::unit;

pooled_resource& pools(const allocator& a) { return static_cast<pooled_resource&>(a.resource()); }

/// A user's allocator: counts itself and its blocks.
class counting final : public memory_resource {
 public:
  explicit counting(std::size_t most = SIZE_MAX) : room_(most) { ++alive; }
  ~counting() override {
    --alive;
    CHECK(blocks == 0);
  }
  void* allocate(std::size_t size, const stream& on) override {
    last_stream = &on.state();
    if (size > room_) throw out_of_memory("the test's allocator is full", size, 0, 0);
    room_ -= size;
    ++blocks;
    return std::aligned_alloc(256, (size + 255) / 256 * 256);
  }
  void deallocate(void* block, std::size_t size, const stream&) noexcept override {
    room_ += size;
    --blocks;
    std::free(block);
  }

  static inline std::atomic<int> alive{0};
  std::atomic<int> blocks{0};
  std::atomic<runtime::stream_state*> last_stream{nullptr};

 private:
  std::atomic<std::size_t> room_;
};

/// Puts the process's allocator back.
struct allocator_restored {
  const allocator before = get_allocator();
  ~allocator_restored() { set_allocator(before); }
};

/// Sets a variable for a scope.
struct variable {
  const char* const name;
  variable(const char* n, const char* value) : name(n) { setenv(n, value, 1); }
  ~variable() { unsetenv(name); }
};

}  // namespace

TEST_CASE("memory 1.9: SINTER_MEMORY_LIMIT is read when a pool is made, a percentage of that pool's device") {
  memory_device small, large;  // of one index: the table of pools tells them apart
  small.total = 1000 * u;
  large.total = 8000 * u;
  memory_pool pool;
  {
    const variable set("SINTER_MEMORY_LIMIT", "50%");
    CHECK(pools(pool).of(small).blocks.limit() == 500 * u);
    CHECK(pools(pool).of(large).blocks.limit() == 4000 * u);
    memory_device other;
    setenv("SINTER_MEMORY_LIMIT", "12 apples", 1);
    CHECK_THROWS_AS(pools(pool).of(other), error);
    setenv("SINTER_MEMORY_LIMIT", "70.5%", 1);
    other.total = 1000;
    CHECK(pools(pool).of(other).blocks.limit() == 705);  // the failure is not kept
  }
  CHECK(pools(pool).of(small).blocks.limit() == 500 * u);
  CHECK_THROWS_AS(pool.resource().allocate(501 * u, small.stream().handle_of()), out_of_memory);
  pools(pool).of(small).blocks.set_limit(0);  // set_limit overrides it
  void* block = pool.resource().allocate(501 * u, small.stream().handle_of());
  pool.resource().deallocate(block, 501 * u, small.stream().handle_of());
}

TEST_CASE("memory 1.8: limits by bytes and by fraction, and what is refused") {
  memory_device device;
  device.total = 1000;
  using runtime::limit_in_bytes;
  CHECK(limit_in_bytes({}, device) == 0);
  CHECK(limit_in_bytes({.bytes = 77}, device) == 77);
  CHECK(limit_in_bytes({.bytes = std::size_t{1} << 40}, device) == std::size_t{1} << 40);
  CHECK(limit_in_bytes({.bytes = 0}, device) == 0);
  CHECK(limit_in_bytes({.fraction = 0.25}, device) == 250);
  CHECK(limit_in_bytes({.fraction = 1}, device) == 1000);
  CHECK(limit_in_bytes({.fraction = 0.0}, device) == 0);
  CHECK_THROWS_AS(limit_in_bytes({.bytes = 1, .fraction = 0.5}, device), error);
  CHECK_THROWS_AS(limit_in_bytes({.bytes = -1}, device), error);
  CHECK_THROWS_AS(limit_in_bytes({.fraction = -0.01}, device), error);
  CHECK_THROWS_AS(limit_in_bytes({.fraction = 1.01}, device), error);
  CHECK_THROWS_AS(limit_in_bytes({.fraction = std::numeric_limits<double>::quiet_NaN()}, device), error);
}

TEST_CASE("memory 1.13: pools wrap any allocator") {
  memory_device device;
  const stream& on = device.stream().handle_of();
  {
    const allocator upstream = make_allocator<counting>(std::size_t{1000 * u});
    auto& counted = static_cast<counting&>(upstream.resource());
    memory_pool pool(upstream);
    void* block = pool.resource().allocate(400, on);
    CHECK(counted.blocks == 1);
    CHECK(counted.last_stream == &device.stream());
    pool.resource().deallocate(block, 400, on);
    CHECK(counted.blocks == 1);
    CHECK(pool.resource().allocate(500, on) == block);
    pool.resource().deallocate(block, 500, on);

    stream_options how;
    const stream other(&device.streams().make(how));  // its arena's memory is asked for in its order
    block = pool.resource().allocate(900 * u, other);
    CHECK(counted.last_stream == &other.state());
    pool.resource().deallocate(block, 900 * u, other);

    // 901 units are cached, so the upstream has no room; its refusal makes the pool give them back.
    block = pool.resource().allocate(950 * u, on);
    CHECK(counted.blocks == 1);
    try {
      pool.resource().allocate(51 * u, on);
      FAIL("the allocator was full");
    } catch (const out_of_memory& e) {
      CHECK(e.in_use == 950 * u);
    }
    pool.resource().deallocate(block, 950 * u, on);
  }
  CHECK(counting::alive == 0);
  CHECK(device.device_memory.asked == 0);
}

TEST_CASE("memory 1.13: pools over pools that run out at the same time do not wait for each other") {
  memory_device device(64 * u);
  const stream& on = device.stream().handle_of();
  const auto work = [&] {
    const memory_pool below, pool(static_cast<const allocator&>(below));
    for (int i = 0; i < 300; ++i) {
      CHECK_THROWS_AS(pool.resource().allocate(std::size_t{1} << 40, on), out_of_memory);
      void* const block = pool.resource().allocate(u, on);
      pool.resource().deallocate(block, u, on);
    }
  };
  std::thread other(work);
  work();
  other.join();
}

TEST_CASE("memory 1.13: a pool over managed memory takes its segments from there, without a wait") {
  memory_device device;
  const stream& on = device.stream().handle_of();
  memory_pool pool(managed_memory());
  for (int i = 0; i < 3; ++i) {
    void* block = pool.resource().allocate(1000, on);
    pool.resource().deallocate(block, 1000, on);
  }
  CHECK(device.managed_memory.asked == 1);
  CHECK(device.device_memory.asked == 0);
  CHECK(device.host_waits == 0);
}

TEST_CASE("memory 1.13: without a pool every request goes to the device, and freeing waits for the block's stream") {
  memory_device device(10 * u);
  runtime::stream_state& s = device.stream();
  const allocator raw = device_memory();
  void* block = raw.resource().allocate(700, s.handle_of());
  CHECK(device.device_memory.held == 700);
  s.enqueued();  // a kernel that uses it
  raw.resource().deallocate(block, 700, s.handle_of());
  CHECK(device.host_waits == 1);
  CHECK(device.device_memory.held == 0);
  block = raw.resource().allocate(700, s.handle_of());
  CHECK(device.device_memory.asked == 2);
  raw.resource().deallocate(block, 700, s.handle_of());
  CHECK(device.host_waits == 1);  // nothing was enqueued since
  try {
    raw.resource().allocate(11 * u, s.handle_of());
    FAIL("the device is smaller");
  } catch (const out_of_memory& e) {
    CHECK(e.asked == 11 * u);
    CHECK(std::string(e.what()).find("5,632 bytes") != std::string::npos);
  }
  CHECK(raw == device_memory());
  CHECK(raw != managed_memory());
}

TEST_CASE("memory 1.11: what other pools cache makes room before a request fails") {
  memory_device device(10 * u);
  const stream& on = device.stream().handle_of();
  memory_pool first, second, third;
  void* a = first.resource().allocate(6 * u, on);
  void* b = second.resource().allocate(3 * u, on);
  first.resource().deallocate(a, 6 * u, on);
  void* c = third.resource().allocate(5 * u, on);
  CHECK(device.device_memory.held == 8 * u);
  second.resource().deallocate(b, 3 * u, on);
  void* d = device_memory().resource().allocate(4 * u, on);  // so it does for requests past the pools
  CHECK(device.device_memory.held == 9 * u);
  CHECK_THROWS_AS(third.resource().allocate(2 * u, on), out_of_memory);
  third.resource().deallocate(c, 5 * u, on);

  pools(second).of(device).blocks.set_limit(1 * u);
  const int asked = device.device_memory.asked;
  CHECK_THROWS_AS(second.resource().allocate(2 * u, on), out_of_memory);
  CHECK(device.device_memory.asked == asked);
  CHECK(device.device_memory.held == 9 * u);  // a limit is no reason for others to give anything back
  device_memory().resource().deallocate(d, 4 * u, on);
}

TEST_CASE("memory 1.5: the arenas of a device's pool are its streams") {
  memory_device device;
  const stream& on = device.stream().handle_of();
  const stream other(&device.streams().make(*std::make_unique<stream_options>()));
  memory_pool pool;
  void* a = pool.resource().allocate(1000, on);
  pool.resource().deallocate(a, 1000, on);
  void* b = pool.resource().allocate(1000, other);
  CHECK(a != b);
  CHECK(pool.resource().allocate(1000, on) == a);
  pool.resource().deallocate(b, 1000, other);
  pools(pool).of(device).blocks.free_all_blocks(other.state().number);
  CHECK(device.device_memory.held == 2 * u);
  pool.resource().deallocate(a, 1000, on);
}

TEST_CASE("memory: a replaced allocator lives as long as what came from it") {
  const allocator_restored restore;
  memory_device device;
  detail::storage* kept = nullptr;
  {
    const allocator mine = make_allocator<counting>();
    set_allocator(mine);
    kept = runtime::make_storage(1000, device.stream());
    CHECK(static_cast<counting&>(mine.resource()).blocks == 1);
    set_allocator(default_memory_pool());
  }
  CHECK(counting::alive == 1);
  detail::release(kept);
  CHECK(counting::alive == 0);
}

TEST_CASE("memory: threads allocate while another replaces the allocator") {
  const allocator_restored restore;
  memory_device device;
  const stream& on = device.stream().handle_of();
  std::atomic<bool> over{false};
  std::atomic<int> allocations{0};
  const auto work = [&] {
    while (!over.load(std::memory_order_relaxed)) {
      const runtime::resource_ref from = runtime::current_resource();
      void* block = from->allocate(64, on);
      from->deallocate(block, 64, on);
      ++allocations;
    }
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) threads.emplace_back(work);
  for (int i = 0; i < 3000 || allocations < 3000; ++i) {
    set_allocator(i % 5 == 4 ? allocator(default_memory_pool()) : make_allocator<counting>());
    if (i % 64 == 0) std::this_thread::yield();
  }
  over = true;
  for (std::thread& t : threads) t.join();
  set_allocator(default_memory_pool());
  CHECK(counting::alive == 0);
  runtime::drop_pools(device);
}

TEST_CASE("memory: pools go with their device, and with their last handle") {
  memory_pool pool;
  {
    memory_device device;
    const stream& on = device.stream().handle_of();
    void* block = pool.resource().allocate(5 * u, on);
    pool.resource().deallocate(block, 5 * u, on);
    {
      const memory_pool shortlived;
      block = shortlived.resource().allocate(3 * u, on);
      shortlived.resource().deallocate(block, 3 * u, on);
      CHECK(device.device_memory.held == 8 * u);
    }
    CHECK(device.device_memory.held == 5 * u);
  }  // the device's memory checks that everything has come back
  memory_device next;
  void* block = pool.resource().allocate(u, next.stream().handle_of());
  CHECK(next.device_memory.held == u);
  pool.resource().deallocate(block, u, next.stream().handle_of());
}
