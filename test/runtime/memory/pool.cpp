// The caching pool and the storages over it: sizes, best fit, merging, arenas, limits, the way out of a full device,
// threads. Expected numbers are those of cupy.cuda.MemoryPool in units of 512 bytes.
#include "runtime/memory/pool.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <sinter/error.hpp>

#include "runtime/counters.hpp"
#include "runtime/device/device.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/stream/table.hpp"
#include "test/runtime/memory/fake_memory.hpp"

namespace {

using namespace sinter;
using runtime::pool;
using runtime::pool_usage;
using test::fake_memory;

constexpr std::size_t u = pool::unit;
constexpr std::size_t MiB = std::size_t{1} << 20;

bool is(const pool& p, std::size_t used, std::size_t free) {
  const pool_usage now = p.usage();
  return now.used == used && now.free == free && now.total == used + free;
}

struct fixture {
  fake_memory device;
  pool p{device, {"the test's device", 0}};
  std::byte* take(std::size_t units, unsigned arena = 0) { return p.allocate(units * u, arena); }
  void give(std::byte* block, std::size_t units) { p.deallocate(block, units * u); }
};

}  // namespace

TEST_CASE_FIXTURE(fixture, "memory 1.1: sizes round up to 512 bytes, and zero bytes are nothing") {
  std::byte* block = p.allocate(400, 0);
  CHECK(is(p, 512, 0));
  CHECK(reinterpret_cast<std::uintptr_t>(block) % 512 == 0);
  CHECK(p.allocate(0, 0) == nullptr);
  p.deallocate(nullptr, 0);
  CHECK(is(p, 512, 0));
  p.deallocate(block, 400);
  CHECK(is(p, 0, 512));
  CHECK(p.allocate(512, 0) == block);
  p.deallocate(block, 512);
  CHECK(p.free_all_blocks());
  CHECK(is(p, 0, 0));
  CHECK(device.unsettled == 0);
  CHECK_FALSE(p.free_all_blocks());
}

TEST_CASE_FIXTURE(fixture, "memory 1.3: used, free and total in CuPy's worked numbers") {
  std::byte* two = take(2);
  std::byte* four = take(4);
  CHECK(is(p, 6 * u, 0));
  give(two, 2);
  give(four, 4);
  CHECK(is(p, 0, 6 * u));
  CHECK(p.n_free_blocks() == 2);
  std::byte* one = take(1);
  CHECK(one == two);
  CHECK(is(p, 1 * u, 5 * u));
  give(one, 1);
}

TEST_CASE_FIXTURE(fixture, "memory 1.4: the smallest block that fits is taken and its rest is kept") {
  std::byte* blocks[] = {take(8), take(2), take(4), take(5000), take(6000)};
  const std::size_t sizes[] = {8, 2, 4, 5000, 6000};
  for (int i = 0; i < 5; ++i) give(blocks[i], sizes[i]);
  std::byte* three = take(3);
  CHECK(three == blocks[2]);
  std::byte* one = take(1);
  CHECK(one == blocks[2] + 3 * u);
  CHECK(take(1) == blocks[1]);
  CHECK(take(6) == blocks[0]);
  CHECK(take(5500) == blocks[4]);  // any ratio, above and below the size where the index changes
  CHECK(take(9) == blocks[4] + 5500 * u);
  CHECK(take(4999) == blocks[3]);
  CHECK(device.asked == 5);
}

TEST_CASE_FIXTURE(fixture, "memory 1.4: freed neighbours are one block again, whichever goes first") {
  for (int order = 0; order < 6; ++order) {
    std::byte* all = take(9);
    give(all, 9);
    std::byte* parts[] = {take(2), take(3), take(4)};
    CHECK(parts[0] == all);
    CHECK(parts[1] == all + 2 * u);
    CHECK(parts[2] == all + 5 * u);
    int turn[] = {0, 1, 2};
    for (int i = 0; i < order; ++i) std::next_permutation(turn, turn + 3);
    for (const int i : turn) give(parts[i], static_cast<std::size_t>(i) + 2);
    CHECK(p.n_free_blocks() == 1);
    CHECK(p.largest_free_block() == 9 * u);
  }
  CHECK(device.asked == 1);
}

TEST_CASE_FIXTURE(fixture, "pool: a block that is shortened leaves its end to others") {
  std::byte* const all = take(9);
  p.shorten(all, 4 * u - 100);
  CHECK(p.usage().used == 4 * u);
  CHECK(p.usage().free == 5 * u);
  std::byte* const end = take(5);
  CHECK(end == all + 4 * u);
  p.shorten(end, 5 * u);  // nothing to leave
  CHECK(p.n_free_blocks() == 0);
  p.shorten(all, 1);
  give(end, 5);
  CHECK(p.largest_free_block() == 8 * u);  // what was left is one with its neighbour
  give(all, 1);
  CHECK(take(9) == all);
  CHECK(device.asked == 1);
}

TEST_CASE_FIXTURE(fixture, "memory 1.4: free_all_blocks keeps a segment that is still split") {
  give(take(4), 4);
  std::byte* head = take(2);
  std::byte* tail = take(2);
  std::byte* other = take(3);
  give(tail, 2);
  give(other, 3);
  p.free_all_blocks();
  CHECK(is(p, 2 * u, 2 * u));
  CHECK(p.n_free_blocks() == 1);
  CHECK(take(2) == tail);
  give(head, 2);
  give(tail, 2);
  p.free_all_blocks();
  CHECK(is(p, 0, 0));
}

TEST_CASE_FIXTURE(fixture, "memory 1.5: a block goes back to the arena it was allocated for, and no other gets it") {
  std::byte* first = take(4, 0);
  std::byte* second = take(4, 7);
  CHECK(first != second);
  give(first, 4);
  CHECK(take(4, 7) != first);
  CHECK(take(2, 3) != first);
  CHECK(take(4, 0) == first);
  give(second, 4);
  std::byte* half = take(2, 7);
  CHECK(half == second);
  CHECK(take(2, 0) != second + 2 * u);  // nor a piece of it
  CHECK(take(2, 7) == second + 2 * u);
  CHECK(is(p, 4 * u + 4 * u + 4 * u + 2 * u + 2 * u, 0));
}

TEST_CASE_FIXTURE(fixture, "memory 1.6: the cached blocks of one arena can go alone") {
  std::byte* a = take(1, 0);
  std::byte* b = take(2, 1);
  std::byte* c = take(3, 2);
  give(a, 1);
  give(b, 2);
  CHECK_FALSE(p.free_all_blocks(2));
  CHECK_FALSE(p.free_all_blocks(1000));
  CHECK(p.n_free_blocks() == 2);
  CHECK(p.largest_free_block() == 2 * u);
  CHECK(p.free_all_blocks(1));
  CHECK(is(p, 3 * u, 1 * u));
  CHECK(take(1, 0) == a);
  give(a, 1);
  give(c, 3);
  p.free_all_blocks();
  CHECK(is(p, 0, 0));
}

TEST_CASE("memory 1.10: a limit holds, cached blocks make room, and a request above it changes nothing") {
  fake_memory device;
  pool p(device, {"the test's device", 6 * u});
  p.deallocate(p.allocate(5 * u, 0), 5 * u);
  std::byte* six = p.allocate(6 * u, 3);  // another arena's cached blocks make room too
  CHECK(is(p, 6 * u, 0));
  p.deallocate(six, 6 * u);
  CHECK_THROWS_AS(p.allocate(7 * u, 0), out_of_memory);
  CHECK(is(p, 0, 6 * u));  // refused at once: nothing was given back for it
  std::byte* four = p.allocate(4 * u, 3);
  try {
    p.allocate(3 * u - 1, 3);
    FAIL("no room was left");
  } catch (const out_of_memory& e) {
    CHECK(e.asked == 3 * u - 1);
    CHECK(e.in_use == 4 * u);
    CHECK(e.limit == 6 * u);
    CHECK(e.largest_free == 2 * u);
    const std::string text = e.what();
    for (const char* part :
         {"the test's device", "1,535 bytes", "in use 2,048", "limit 3,072", "largest free block 1,024"})
      CHECK_MESSAGE(text.find(part) != std::string::npos, text, " lacks ", part);
  }
  p.set_limit(0);
  std::byte* three = p.allocate(3 * u, 3);
  CHECK(p.limit() == 0);
  p.deallocate(three, 3 * u);
  p.deallocate(four, 4 * u);
}

TEST_CASE("memory 1.11: a full device: give back what every arena has cached, try again, then say so") {
  fake_memory device(10 * u);
  pool p(device, {"the test's device", 0});
  std::byte* four = p.allocate(4 * u, 0);
  p.deallocate(p.allocate(2 * u, 1), 2 * u);
  p.deallocate(p.allocate(3 * u, 2), 3 * u);
  std::byte* six = p.allocate(6 * u, 0);  // 9 are held; the 5 have to go first
  CHECK(device.held == 10 * u);
  CHECK(device.unsettled == 0);
  const int before = device.asked;
  CHECK_THROWS_AS(p.allocate(1, 0), out_of_memory);
  CHECK(device.asked == before + 2);  // once before the ladder, once after
  CHECK(is(p, 10 * u, 0));
  CHECK_THROWS_AS(p.allocate(SIZE_MAX - 10, 0), out_of_memory);
  CHECK_THROWS_AS(p.allocate(SIZE_MAX / 2, 0), out_of_memory);
  p.deallocate(four, 4 * u);
  p.deallocate(six, 6 * u);

  device.throw_next = true;  // another failure than no room comes through unchanged
  CHECK_THROWS_AS(p.allocate(7 * u, 0), device_error);
  CHECK(is(p, 0, 10 * u));
  CHECK(p.allocate(4 * u, 0) == four);
}

TEST_CASE("pool: a source may come back for more while it is asked") {
  struct recursive final : runtime::memory_source {
    fake_memory inner;
    pool* back = nullptr;
    std::byte* nested = nullptr;
    std::byte* allocate(std::size_t size) override {
      if (pool* p = std::exchange(back, nullptr)) nested = p->allocate(2 * u, 5);
      return inner.allocate(size);
    }
    void release(std::byte* segment, std::size_t size) noexcept override { inner.release(segment, size); }
  } source;
  pool p(source, {"the test's device", 4 * u});
  source.back = &p;
  CHECK_THROWS_AS(p.allocate(3 * u, 9), out_of_memory);  // the nested one took half of what the limit allows
  CHECK(source.nested != nullptr);
  CHECK(is(p, 2 * u, 0));
  CHECK(source.inner.held == 2 * u);
  p.deallocate(source.nested, 2 * u);
}

TEST_CASE("pool: a block that is not the pool's is left alone") {
  fixture f;
  std::byte* block = f.take(2);
  std::byte stranger{};
  f.p.deallocate(&stranger, 1);
  f.p.deallocate(block + u, u);
  CHECK(is(f.p, 2 * u, 0));
  CHECK(f.p.record_of(block) != nullptr);
  CHECK(f.p.record_of(block + u) == nullptr);
  f.give(block, 2);
  CHECK(f.p.record_of(block) == nullptr);
  f.give(block, 2);
  CHECK(is(f.p, 0, 2 * u));
}

TEST_CASE("memory 1.3: 100,000 random steps on five arenas keep every invariant") {
  std::mt19937_64 random(20'240'817);
  fake_memory device(40'000 * u);
  pool p(device, {"the test's device", 0});
  struct live_block {
    std::size_t size;
    unsigned arena;
  };
  std::map<std::byte*, live_block> live;
  std::size_t used = 0;
  for (int step = 0; step < 100'000; ++step) {
    const bool give = !live.empty() && (random() % 100 < 50 || live.size() > 300);
    if (give) {
      auto it = std::next(live.begin(), static_cast<long>(random() % live.size()));
      REQUIRE(std::memcmp(it->first, &it->second, sizeof it->second) == 0);
      used -= (it->second.size + u - 1) / u * u;
      p.deallocate(it->first, it->second.size);
      live.erase(it);
    } else {
      const live_block made{16 + random() % (random() % 10 == 0 ? 5000 * u : 100 * u),
                            static_cast<unsigned>(random() % 5)};
      try {
        std::byte* block = p.allocate(made.size, made.arena);
        const auto after = live.lower_bound(block);
        REQUIRE((after == live.end() || block + made.size <= after->first));
        REQUIRE((after == live.begin() || std::prev(after)->first + std::prev(after)->second.size <= block));
        live[block] = made;
        std::memcpy(block, &made, sizeof made);
        used += (made.size + u - 1) / u * u;
      } catch (const out_of_memory&) {
      }
    }
    if (!live.empty() && random() % 4 == 0) {
      auto& [block, what] = *std::next(live.begin(), static_cast<long>(random() % live.size()));
      used -= (what.size + u - 1) / u * u;
      what.size -= (what.size - 16) / (1 + random() % 4);
      used += (what.size + u - 1) / u * u;
      p.shorten(block, what.size);
      std::memcpy(block, &what, sizeof what);
    }
    if (random() % 5000 == 0) p.free_all_blocks();
    if (random() % 1000 == 0) p.free_all_blocks(static_cast<unsigned>(random() % 6));
    const pool_usage now = p.usage();
    REQUIRE(now.used == used);
    REQUIRE(now.used + now.free == now.total);
    REQUIRE(now.total == device.held);
  }
  for (const auto& [block, what] : live) p.deallocate(block, what.size);
  CHECK(p.usage().used == 0);
  p.free_all_blocks();  // possible only if every segment is one block again
  CHECK(is(p, 0, 0));
  CHECK(p.n_free_blocks() == 0);
}

TEST_CASE("pool: how a memory limit is spelt") {
  using runtime::parse_memory_limit;
  CHECK(parse_memory_limit(nullptr, 1000) == 0);
  CHECK(parse_memory_limit("", 1000) == 0);
  CHECK(parse_memory_limit("0", 1000) == 0);
  CHECK(parse_memory_limit("123456", 1000) == 123456);
  CHECK(parse_memory_limit("3K", 1000) == 3072);
  CHECK(parse_memory_limit("512m", 1000) == 512 * MiB);
  CHECK(parse_memory_limit("1.5G", 1000) == 1536 * MiB);
  CHECK(parse_memory_limit("2T", 1000) == std::size_t{2} << 40);
  CHECK(parse_memory_limit("50%", 1000) == 500);
  CHECK(parse_memory_limit("70.5%", 1000) == 705);
  CHECK(parse_memory_limit("100%", 1000) == 1000);
  for (const char* wrong : {"-1", "lots", "101%", "5 G", "5GB", "5X", "%", "1e3", "nan", "inf", "K"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(parse_memory_limit(wrong, 1000), error);
  }
  CHECK(runtime::with_commas(0) == "0");
  CHECK(runtime::with_commas(999) == "999");
  CHECK(runtime::with_commas(1'234'567) == "1,234,567");
}

TEST_CASE("storage: counted, given back by the last owner, and free of leaks across threads") {
  const std::unique_ptr<runtime::device_impl> device = runtime::make_interpreter_device();
  runtime::stream_state& on = device->streams().default_stream();
  const std::uint64_t before = runtime::count_of(runtime::counter::bytes_allocated);
  detail::storage* s = runtime::make_storage(1000, on);
  CHECK(runtime::count_of(runtime::counter::bytes_allocated) - before == 1000);
  CHECK(s->references == 1);
  CHECK(s->device == device.get());
  CHECK(s->size == 1000);
  CHECK(s->data != nullptr);
  std::byte* data = s->data;
  __atomic_fetch_add(&s->references, 1, __ATOMIC_RELAXED);
  detail::release(s);
  CHECK(s->references == 1);
  detail::release(s);
  detail::release(static_cast<detail::storage*>(nullptr));
  detail::storage* again = runtime::make_storage(900, on);
  CHECK(again->data == data);
  CHECK(again == s);
  detail::release(again);
  detail::storage* empty = runtime::make_storage(0, on);
  CHECK(empty->data == nullptr);
  detail::release(empty);
  CHECK_THROWS_AS(runtime::make_storage(SIZE_MAX / 4, on), out_of_memory);

  // Made here, dropped there: the objects have to find their way back.
  for (int round = 0; round < 20; ++round) {
    std::vector<detail::storage*> made(1000);
    for (detail::storage*& m : made) m = runtime::make_storage(512, on);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 4; ++t)
      threads.emplace_back([&made, t] {
        for (std::size_t i = t; i < made.size(); i += 4) detail::release(made[i]);
      });
    for (std::thread& t : threads) t.join();
  }
}

TEST_CASE("storage: what an array costs") {
  using clock = std::chrono::steady_clock;
  const auto per_call = [](clock::duration d, int calls) {
    return std::chrono::duration<double, std::nano>(d).count() / calls;
  };
  fake_memory source;
  pool p(source, {});
  constexpr int n = 1'000'000;
  const std::size_t sizes[] = {400, 40'000, 4 * MiB};
  std::byte* held = p.allocate(4096, 0);
  for (const std::size_t size : sizes) {
    p.deallocate(p.allocate(size, 1), size);
    const auto begin = clock::now();
    for (int i = 0; i < n; ++i) p.deallocate(p.allocate(size, 1), size);
    const double pair = per_call(clock::now() - begin, n);
    std::printf("pool: allocate + free of %zu bytes, cached: %.0f ns\n", size, pair);
    CHECK(pair < 2000);  // a budget of 100 ns with room for sanitizers and busy machines
  }
  p.deallocate(held, 4096);
  const std::unique_ptr<runtime::device_impl> device = runtime::make_interpreter_device();
  runtime::stream_state& on = device->streams().default_stream();
  const auto begin = clock::now();
  for (int i = 0; i < n; ++i) detail::release(runtime::make_storage(4000, on));
  std::printf("storage: make + release of 4000 bytes: %.0f ns\n", per_call(clock::now() - begin, n));
}
