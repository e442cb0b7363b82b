// The caching pool and the storages over it: sizes, best fit, merging, limits, the way out of a full device, threads.
// Expected numbers are those of cupy.cuda.MemoryPool in units of 512 bytes; for them every request gets its own
// segment.
#include "runtime/memory/pool.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <sinter/error.hpp>

#include "runtime/counters.hpp"
#include "runtime/device/device.hpp"
#include "runtime/memory/storage.hpp"

namespace {

using namespace sinter;
using runtime::pool;

constexpr std::size_t u = pool::unit;
constexpr std::size_t MiB = std::size_t{1} << 20;

/// A device with `capacity` bytes that counts what it is asked for.
class fake_memory final : public runtime::memory_source {
 public:
  explicit fake_memory(std::size_t capacity = SIZE_MAX) : capacity_(capacity) {}
  ~fake_memory() override { CHECK(held == 0); }

  std::byte* allocate(std::size_t size) override {
    ++asked;
    if (throw_next) {
      throw_next = false;
      throw device_error("the device says no");
    }
    if (size > capacity_ - held) return nullptr;
    held += size;
    largest = std::max(largest, size);
    return static_cast<std::byte*>(std::aligned_alloc(u, size));
  }
  void release(std::byte* segment, std::size_t size) noexcept override {
    held -= size;
    if (!settled) ++unsettled;
    std::free(segment);
  }
  void settle() noexcept override { settled = true; }

  std::size_t held = 0;
  std::size_t largest = 0;
  int asked = 0;
  int unsettled = 0;  // releases nobody waited before
  bool settled = false;
  bool throw_next = false;

 private:
  std::size_t capacity_;
};

runtime::pool_options each_its_own(std::size_t limit = 0) { return {"the test's device", 0, limit}; }

struct fixture {
  fake_memory device;
  pool p{device, each_its_own()};
  std::byte* take(std::size_t units) { return p.allocate(units * u); }
  void give(std::byte* block, std::size_t units) { p.deallocate(block, units * u); }
};

}  // namespace

TEST_CASE_FIXTURE(fixture, "pool: sizes round up to 512 bytes, and zero bytes are nothing") {
  std::byte* block = p.allocate(400);
  CHECK(p.used_bytes() == 512);
  CHECK(p.total_bytes() == 512);
  CHECK(reinterpret_cast<std::uintptr_t>(block) % 512 == 0);
  CHECK(p.allocate(0) == nullptr);
  p.deallocate(nullptr, 0);
  CHECK(p.total_bytes() == 512);
  p.deallocate(block, 400);
  CHECK(p.used_bytes() == 0);
  CHECK(p.total_bytes() == 512);
  CHECK(p.allocate(512) == block);
  p.deallocate(block, 512);
  p.free_all_blocks();
  CHECK(p.total_bytes() == 0);
  CHECK(device.unsettled == 0);
}

TEST_CASE_FIXTURE(fixture, "pool: used, free and total in CuPy's worked numbers") {
  std::byte* two = take(2);
  std::byte* four = take(4);
  CHECK(p.total_bytes() == 6 * u);
  CHECK(p.used_bytes() == 6 * u);
  give(two, 2);
  give(four, 4);
  CHECK(p.total_bytes() == 6 * u);
  CHECK(p.free_bytes() == 6 * u);
  CHECK(p.n_free_blocks() == 2);
  std::byte* one = take(1);
  CHECK(one == two);
  CHECK(p.used_bytes() == 1 * u);
  CHECK(p.free_bytes() == 5 * u);
  give(one, 1);
}

TEST_CASE_FIXTURE(fixture, "pool: the smallest block that fits is taken and its rest is kept") {
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

TEST_CASE_FIXTURE(fixture, "pool: freed neighbours are one block again, whoever goes first") {
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

TEST_CASE_FIXTURE(fixture, "pool: free_all_blocks keeps a segment that is still split") {
  give(take(4), 4);
  std::byte* head = take(2);
  std::byte* tail = take(2);
  std::byte* other = take(3);
  give(tail, 2);
  give(other, 3);
  p.free_all_blocks();
  CHECK(p.total_bytes() == 4 * u);
  CHECK(p.n_free_blocks() == 1);
  CHECK(take(2) == tail);
  give(head, 2);
  give(tail, 2);
  p.free_all_blocks();
  CHECK(p.total_bytes() == 0);
}

TEST_CASE("pool: small requests share segments of 2 MiB, large ones have their own") {
  fake_memory device;
  pool p(device, {});
  std::byte* small[] = {p.allocate(400), p.allocate(100'000), p.allocate(MiB - u)};
  CHECK(p.total_bytes() == 2 * MiB);
  CHECK(small[1] == small[0] + u);
  std::byte* large = p.allocate(MiB + 1);
  CHECK(p.total_bytes() == 3 * MiB + u);
  CHECK(device.asked == 2);
  std::byte* fitting = p.allocate(800'000);  // what is left of the first segment
  CHECK(device.asked == 2);
  p.deallocate(small[0], 400);
  p.deallocate(small[1], 100'000);
  p.deallocate(small[2], MiB - u);
  p.deallocate(large, MiB + 1);
  p.deallocate(fitting, 800'000);
  CHECK(p.n_free_blocks() == 2);
}

TEST_CASE("pool: a limit holds, cached blocks make room, and a request above it changes nothing") {
  fake_memory device;
  pool p(device, each_its_own(6 * u));
  std::byte* five = p.allocate(5 * u);
  p.deallocate(five, 5 * u);
  std::byte* six = p.allocate(6 * u);
  CHECK(p.total_bytes() == 6 * u);
  p.deallocate(six, 6 * u);
  CHECK_THROWS_AS(p.allocate(7 * u), out_of_memory);
  CHECK(p.total_bytes() == 6 * u);  // refused at once: nothing was given back for it
  std::byte* four = p.allocate(4 * u);
  try {
    p.allocate(3 * u - 1);
    FAIL("no room was left");
  } catch (const out_of_memory& e) {
    CHECK(e.asked == 3 * u - 1);
    CHECK(e.in_use == 4 * u);
    CHECK(e.limit == 6 * u);
    const std::string text = e.what();
    for (const char* part :
         {"the test's device", "1,535 bytes", "in use 2,048", "limit 3,072", "largest free block 1,024"})
      CHECK_MESSAGE(text.find(part) != std::string::npos, text, " lacks ", part);
  }
  p.set_limit(0);
  std::byte* three = p.allocate(3 * u);
  CHECK(p.limit() == 0);
  p.deallocate(three, 3 * u);
  p.deallocate(four, 4 * u);
}

TEST_CASE("pool: near the limit a small request gets a small segment") {
  fake_memory device;
  pool p(device, {"the test's device", 2 * MiB, 3 * MiB});
  std::byte* large = p.allocate(2 * MiB + MiB / 2);
  std::byte* small = p.allocate(1000);
  CHECK(p.total_bytes() == 2 * MiB + MiB / 2 + 2 * u);
  p.deallocate(large, 2 * MiB + MiB / 2);
  p.deallocate(small, 1000);
}

TEST_CASE("pool: a full device: give back what is cached, try again, then say so") {
  fake_memory device(10 * u);
  pool p(device, each_its_own());
  std::byte* four = p.allocate(4 * u);
  std::byte* five = p.allocate(5 * u);
  p.deallocate(five, 5 * u);
  std::byte* six = p.allocate(6 * u);  // 9 are held; the 5 have to go first
  CHECK(device.held == 10 * u);
  CHECK(device.unsettled == 0);
  const int before = device.asked;
  CHECK_THROWS_AS(p.allocate(1), out_of_memory);
  CHECK(device.asked == before + 2);  // once before the ladder, once after
  CHECK(p.used_bytes() == 10 * u);
  CHECK_THROWS_AS(p.allocate(SIZE_MAX - 10), out_of_memory);
  CHECK_THROWS_AS(p.allocate(SIZE_MAX / 2), out_of_memory);
  p.deallocate(four, 4 * u);
  p.deallocate(six, 6 * u);

  device.throw_next = true;  // another failure than no room comes through unchanged
  CHECK_THROWS_AS(p.allocate(7 * u), device_error);
  CHECK(p.used_bytes() == 0);
  CHECK(p.allocate(4 * u) == four);
}

TEST_CASE("pool: a block that is not the pool's is left alone") {
  fixture f;
  std::byte* block = f.take(2);
  std::byte stranger{};
  f.p.deallocate(&stranger, 1);
  f.p.deallocate(block + u, u);
  CHECK(f.p.used_bytes() == 2 * u);
  f.give(block, 2);
  f.give(block, 2);
  CHECK(f.p.free_bytes() == 2 * u);
}

TEST_CASE("pool: 100,000 random steps keep every invariant") {
  std::mt19937_64 random(20'240'817);
  for (const std::size_t segment : {std::size_t{0}, 64 * u}) {
    fake_memory device(40'000 * u);
    pool p(device, {"the test's device", segment, 0});
    std::map<std::byte*, std::size_t> live;
    std::size_t used = 0;
    for (int step = 0; step < 100'000; ++step) {
      const bool give = !live.empty() && (random() % 100 < 50 || live.size() > 300);
      if (give) {
        auto it = live.lower_bound(std::next(live.begin(), static_cast<long>(random() % live.size()))->first);
        REQUIRE(std::memcmp(it->first, &it->second, sizeof it->second) == 0);
        used -= (it->second + u - 1) / u * u;
        p.deallocate(it->first, it->second);
        live.erase(it);
      } else {
        const std::size_t size = 8 + random() % (random() % 10 == 0 ? 5000 * u : 100 * u);
        try {
          std::byte* block = p.allocate(size);
          const auto after = live.lower_bound(block);
          REQUIRE((after == live.end() || block + size <= after->first));
          REQUIRE((after == live.begin() || std::prev(after)->first + std::prev(after)->second <= block));
          live[block] = size;
          std::memcpy(block, &size, sizeof size);
          used += (size + u - 1) / u * u;
        } catch (const out_of_memory&) {
        }
      }
      if (random() % 5000 == 0) p.free_all_blocks();
      REQUIRE(p.used_bytes() == used);
      REQUIRE(p.used_bytes() + p.free_bytes() == p.total_bytes());
      REQUIRE(p.total_bytes() == device.held);
    }
    for (const auto& [block, size] : live) p.deallocate(block, size);
    CHECK(p.used_bytes() == 0);
    p.free_all_blocks();  // possible only if every segment is one block again
    CHECK(p.total_bytes() == 0);
    CHECK(p.n_free_blocks() == 0);
  }
}

TEST_CASE("pool: eight threads, each freeing what others allocated") {
  fake_memory device(200'000 * u);
  pool p(device, {});
  std::mutex exchange_busy;
  std::vector<std::pair<std::byte*, std::size_t>> exchange;
  std::atomic<int> damaged{0};
  const auto work = [&](unsigned seed) {
    std::mt19937 random(seed);
    for (int step = 0; step < 20'000; ++step) {
      const std::size_t size = 16 + random() % (step % 50 == 0 ? 3 * MiB : 20'000);
      std::byte* block = nullptr;
      try {
        block = p.allocate(size);
      } catch (const out_of_memory&) {
      }
      if (block) {
        std::memcpy(block, &size, sizeof size);
        std::memcpy(block + size - 8, &size, sizeof size);
      }
      std::pair<std::byte*, std::size_t> old{nullptr, 0};
      {
        std::lock_guard hold(exchange_busy);
        if (block) exchange.emplace_back(block, size);
        if (exchange.size() > 100 || !block) {
          if (exchange.empty()) continue;
          std::swap(exchange[random() % exchange.size()], exchange.back());
          old = exchange.back();
          exchange.pop_back();
        }
      }
      if (!old.first) continue;
      if (std::memcmp(old.first, &old.second, 8) || std::memcmp(old.first + old.second - 8, &old.second, 8)) ++damaged;
      p.deallocate(old.first, old.second);
      if (step % 4096 == 0) p.free_all_blocks();
    }
  };
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 8; ++t) threads.emplace_back(work, t);
  for (std::thread& t : threads) t.join();
  CHECK(damaged == 0);
  CHECK(p.used_bytes() + p.free_bytes() == p.total_bytes());
  for (const auto& [block, size] : exchange) p.deallocate(block, size);
  CHECK(p.used_bytes() == 0);
  p.free_all_blocks();
  CHECK(p.total_bytes() == 0);
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
  const std::uint64_t before = runtime::counters_now.bytes_allocated;
  detail::storage* s = detail::make_storage(*device, 1000);
  CHECK(runtime::counters_now.bytes_allocated - before == 1000);
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
  detail::storage* again = detail::make_storage(*device, 900);
  CHECK(again->data == data);
  CHECK(again == s);
  detail::release(again);
  detail::storage* empty = detail::make_storage(*device, 0);
  CHECK(empty->data == nullptr);
  detail::release(empty);
  CHECK_THROWS_AS(detail::make_storage(*device, SIZE_MAX / 4), out_of_memory);

  // Made here, dropped there: the objects have to find their way back.
  for (int round = 0; round < 20; ++round) {
    std::vector<detail::storage*> made(1000);
    for (detail::storage*& m : made) m = detail::make_storage(*device, 512);
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
  std::byte* held = p.allocate(4096);
  for (const std::size_t size : sizes) {
    p.deallocate(p.allocate(size), size);
    const auto begin = clock::now();
    for (int i = 0; i < n; ++i) p.deallocate(p.allocate(size), size);
    const double pair = per_call(clock::now() - begin, n);
    std::printf("pool: allocate + free of %zu bytes, cached: %.0f ns\n", size, pair);
    CHECK(pair < 2000);  // a budget of 100 ns with room for sanitizers and busy machines
  }
  p.deallocate(held, 4096);
  const std::unique_ptr<runtime::device_impl> device = runtime::make_interpreter_device();
  const auto begin = clock::now();
  for (int i = 0; i < n; ++i) detail::release(detail::make_storage(*device, 4000));
  std::printf("storage: make + release of 4000 bytes: %.0f ns\n", per_call(clock::now() - begin, n));
}
