// 10^7 random allocations and releases by eight threads on eight arenas of one pool, every block checked against a map
// of who owns each 512 bytes: nothing is handed out twice or to another arena, nothing is lost, and used + free ==
// total whenever a thread looks.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sinter/error.hpp>

#include "test/runtime/memory/address_space.hpp"

namespace {

using namespace sinter;
using runtime::pool;
using test::address_space, test::quick_random;

constexpr std::size_t u = pool::unit;
constexpr unsigned arenas = 8;
constexpr int threads = 8;
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr int operations = 1'000'000;
#else
constexpr int operations = 10'000'000;
#endif

/// Notes for which arena each segment was asked for, and refuses now and then.
class watched_space final : public address_space {
 public:
  explicit watched_space(std::size_t units) : address_space(units), arena_(new std::atomic<std::uint8_t>[units]()) {}

  std::byte* allocate(std::size_t size) override {
    if (++calls_ % 1000 == 0) throw device_error("the device says no");
    std::byte* const segment = address_space::allocate(size);
    if (segment) held += size;
    return segment;
  }
  void release(std::byte* segment, std::size_t size) noexcept override {
    address_space::release(segment, size);
    for (std::size_t i = 0; i < size / unit; ++i) arena_[first(segment) + i].store(0);
    held -= size;
  }
  /// Notes for which arena a block was handed out. False: its segment is another one's.
  bool belongs(const std::byte* block, std::size_t size, unsigned arena) {
    bool all = true;
    for (std::size_t i = first(block), end = i + count(size); i < end; ++i) {
      const std::uint8_t before = arena_[i].exchange(static_cast<std::uint8_t>(arena + 1), std::memory_order_relaxed);
      all = all && (before == 0 || before == arena + 1);
    }
    return all;
  }

  std::atomic<std::size_t> held{0};

 private:
  std::unique_ptr<std::atomic<std::uint8_t>[]> arena_;  // of each unit of a segment, from 1; 0: not known yet
  int calls_ = 0;
};

/// Who owns each unit.
class ownership {
 public:
  explicit ownership(std::size_t units) : owner_(new std::atomic<std::uint32_t>[units]()) {}

  /// False: some of it has an owner already.
  bool take(const std::byte* block, std::size_t size, std::uint32_t who) {
    bool all = true;
    for (std::size_t i = address_space::first(block), end = i + address_space::count(size); i < end; ++i) {
      std::uint32_t unowned = 0;
      all = owner_[i].compare_exchange_strong(unowned, who, std::memory_order_relaxed) && all;
    }
    return all;
  }
  /// False: some of it is not this owner's.
  bool give(const std::byte* block, std::size_t size, std::uint32_t who) {
    bool all = true;
    for (std::size_t i = address_space::first(block), end = i + address_space::count(size); i < end; ++i)
      all = owner_[i].exchange(0, std::memory_order_relaxed) == who && all;
    return all;
  }

 private:
  std::unique_ptr<std::atomic<std::uint32_t>[]> owner_;
};

struct taken_block {
  std::byte* data;
  std::size_t size;
  std::uint32_t who;
};

/// Through here blocks reach other threads than the one that allocated them.
struct exchange_place {
  std::mutex busy;
  std::vector<taken_block> blocks;
};

class worker {
 public:
  worker(watched_space& d, pool& p, ownership& o, exchange_place& e, std::atomic<int>& wrong, unsigned number)
      : device_(d), pool_(p), owners_(o), exchange_(e), wrong_(wrong), number_(number), random_{number + 1} {}

  void run(int steps) {
    for (int i = 0; i < steps; ++i) {
      const std::uint64_t r = random_();
      if (r % 65536 == 0) pool_.free_all_blocks();
      else if (r % 8192 == 0) pool_.free_all_blocks(number_ % arenas);
      if (mine_.size() < 4 || (mine_.size() < 64 && r % 2)) take(r >> 8);
      else give(r >> 8);
    }
    for (const taken_block& b : mine_) give_back(b);
    mine_.clear();
  }

 private:
  void take(std::uint64_t r) {
    // Mostly sizes that come again, as programs ask for them, now and then any size.
    const std::size_t size = r % 16 == 0 ? 1 + (r >> 8) % (400 * u) : u << (r >> 8) % 6;
    // Each thread mostly on its own arena, now and then on any: a stream may be used by several threads.
    const unsigned arena = r % 32 == 1 ? static_cast<unsigned>(r >> 40) % arenas : number_ % arenas;
    const std::uint32_t who = ++last_ * threads + number_ + 1;
    try {
      std::byte* data = pool_.allocate(size, arena);
      if (!owners_.take(data, size, who) || !device_.belongs(data, size, arena)) ++wrong_;
      mine_.push_back({data, size, who});
    } catch (const out_of_memory&) {
      if (mine_.size() > 8) give(r);
    } catch (const device_error&) {
    }
  }

  void give(std::uint64_t r) {
    std::swap(mine_[r % mine_.size()], mine_.back());
    taken_block b = mine_.back();
    mine_.pop_back();
    if (r >> 32 & 15) return give_back(b);
    {
      const std::lock_guard hold(exchange_.busy);
      exchange_.blocks.push_back(b);
      if (exchange_.blocks.size() < 256) return;
      std::swap(exchange_.blocks[(r >> 40) % exchange_.blocks.size()], exchange_.blocks.back());
      b = exchange_.blocks.back();
      exchange_.blocks.pop_back();
    }
    give_back(b);
  }

  void give_back(const taken_block& b) {
    if (!owners_.give(b.data, b.size, b.who)) ++wrong_;
    pool_.deallocate(b.data, b.size);
  }

  watched_space& device_;
  pool& pool_;
  ownership& owners_;
  exchange_place& exchange_;
  std::atomic<int>& wrong_;
  const unsigned number_;
  quick_random random_;
  std::uint32_t last_ = 0;
  std::vector<taken_block> mine_;
};

}  // namespace

TEST_CASE(
    "memory 1.3: ten million operations by eight threads on eight arenas: nothing lost, nothing handed out twice") {
  constexpr std::size_t units = 60'000;  // tight: the ladder is climbed often
  watched_space device(units);
  ownership owners(units);
  pool p(device, {"the test's device", 0});
  exchange_place exchange;
  std::atomic<int> wrong{0};
  std::atomic<bool> over{false};
  std::uint64_t samples = 0, unbalanced = 0;

  std::thread observer([&] {
    while (!over.load(std::memory_order_relaxed)) {
      const runtime::pool_usage now = p.usage();
      if (now.used + now.free != now.total) ++unbalanced;
      ++samples;
      std::this_thread::yield();
    }
  });
  std::vector<std::thread> workers;
  for (unsigned t = 0; t < threads; ++t)
    workers.emplace_back([&, t] { worker(device, p, owners, exchange, wrong, t).run(operations / threads); });
  for (std::thread& t : workers) t.join();
  over.store(true);
  observer.join();

  CHECK(wrong == 0);
  CHECK(unbalanced == 0);
  CHECK(samples > 0);
  for (const taken_block& b : exchange.blocks) {
    CHECK(owners.give(b.data, b.size, b.who));
    p.deallocate(b.data, b.size);
  }
  CHECK(p.usage().used == 0);
  CHECK(p.usage().total == device.held);
  p.free_all_blocks();
  CHECK(p.usage().total == 0);
  CHECK(p.n_free_blocks() == 0);
  CHECK(device.held == 0);
}
