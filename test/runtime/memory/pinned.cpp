// The pinned pool over a device whose work is over when the test says so: sizes, lists, blocks that copies still use,
// and what it does when there is no more.
#include "runtime/memory/pinned.hpp"

#include <atomic>
#include <cstring>
#include <mutex>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sinter/error.hpp>

#include "runtime/stream/order.hpp"
#include "test/runtime/memory/memory_device.hpp"

namespace {

using namespace sinter;
using runtime::is_pinned;
using runtime::note_use;
using runtime::pinned_pool;
using test::memory_device;

/// A pool with one handle.
struct handle {
  pinned_pool* const pool = new pinned_pool;
  handle() = default;
  handle(const handle&) = delete;
  ~handle() { pool->release(); }
  pinned_pool* operator->() const { return pool; }
};

}  // namespace

TEST_CASE("memory 3.1: pinned sizes are 512 bytes, then powers of two; one list for each") {
  memory_device device;
  {
    const handle pool;
    const std::size_t sizes[] = {1, 511, 512, 513, 1024, 1025, 100'000, 1 << 20};
    const std::size_t expected[] = {512, 512, 512, 1024, 1024, 2048, 131'072, 1 << 20};
    for (int i = 0; i < 8; ++i) {
      const std::size_t before = device.pinned_memory.held;
      void* block = pool->allocate(sizes[i], device);
      CHECK(device.pinned_memory.held - before == expected[i]);
      std::memset(block, 1, sizes[i]);
      pinned_pool::deallocate(block);
      pool->free_all_blocks(device);
    }
    CHECK(pool->allocate(0, device) == nullptr);
    pinned_pool::deallocate(nullptr);

    void* small = pool->allocate(700, device);
    pinned_pool::deallocate(small);
    void* large = pool->allocate(5000, device);  // not cut from a larger one, nor the other way round
    CHECK(large != small);
    CHECK(pool->allocate(1000, device) == small);
    void* other = pool->allocate(1000, device);
    CHECK(other != small);
    pinned_pool::deallocate(large);
    CHECK(pool->n_free_blocks(device) == 1);
    CHECK(pool->allocate(4097, device) == large);
    CHECK(pool->n_free_blocks(device) == 0);
    CHECK_THROWS_AS(pool->allocate(SIZE_MAX / 2, device), out_of_memory);
    CHECK_THROWS_AS(pool->allocate(SIZE_MAX, device), out_of_memory);
    for (void* b : {small, large, other}) pinned_pool::deallocate(b);
  }
  CHECK(device.pinned_memory.held == 0);
}

TEST_CASE("memory 3.1: without room what is cached goes back, once, then it says so") {
  memory_device device(4096);
  const handle pool;
  void* kept = pool->allocate(1024, device);
  pinned_pool::deallocate(pool->allocate(2048, device));
  pinned_pool::deallocate(pool->allocate(512, device));
  void* block = pool->allocate(1024 + 1, device);
  CHECK(device.pinned_memory.asked == 3);  // cached
  pinned_pool::deallocate(block);
  block = pool->allocate(1024, device);
  void* another = pool->allocate(1024, device);  // 3,584 of 4,096 bytes were held
  CHECK(device.pinned_memory.held == 3072);
  CHECK(pool->n_free_blocks(device) == 0);
  const int asked = device.pinned_memory.asked;
  try {
    pool->allocate(2000, device);
    FAIL("there is no room");
  } catch (const out_of_memory& e) {
    CHECK(e.asked == 2000);
  }
  CHECK(device.pinned_memory.asked == asked + 2);
  for (void* b : {kept, block, another}) pinned_pool::deallocate(b);
}

TEST_CASE("memory 3.2: a block that a copy uses is free again once the copy is over and the pool looks") {
  memory_device device;
  const handle pool;
  runtime::stream_state& s = device.stream();
  void* block = pool->allocate(512, device);
  note_use(static_cast<std::byte*>(block) + 100, s, s.enqueued());
  pinned_pool::deallocate(block);
  CHECK(pool->n_free_blocks(device) == 0);
  void* other = pool->allocate(512, device);
  CHECK(other != block);
  device.finish();
  CHECK(pool->n_free_blocks(device) == 0);  // counting does not look
  CHECK(pool->allocate(512, device) == block);
  CHECK(device.host_waits == 0);

  note_use(block, s, s.enqueued());
  pinned_pool::deallocate(block);
  device.finish();
  pool->free_all_blocks(device);  // looks too
  CHECK_FALSE(is_pinned(block, 1, device));

  block = pool->allocate(300, device);
  note_use(block, s, s.enqueued());
  CHECK_FALSE(runtime::reached(s, s.position()));
  device.finish();
  pinned_pool::deallocate(block);  // the copy was over by then
  CHECK(pool->n_free_blocks(device) == 1);
  pinned_pool::deallocate(other);
}

TEST_CASE("memory 3.2: every stream that copies counts") {
  memory_device device;
  const handle pool;
  runtime::stream_state& first = device.stream();
  stream_options how;
  const stream second(&device.streams().make(how));
  void* block = pool->allocate(512, device);
  note_use(block, first, first.enqueued());
  runtime::mark(first);
  device.finish();
  note_use(block, second.state(), second.state().enqueued());
  pinned_pool::deallocate(block);
  void* other = pool->allocate(512, device);
  CHECK(other != block);
  device.finish();
  CHECK(pool->allocate(512, device) == block);
  pinned_pool::deallocate(block);
  pinned_pool::deallocate(other);
}

TEST_CASE("memory 3.1: without room it waits for copies of blocks that were freed already") {
  memory_device device(1024);
  const handle pool;
  runtime::stream_state& s = device.stream();
  void* block = pool->allocate(1024, device);
  note_use(block, s, s.enqueued());
  pinned_pool::deallocate(block);
  void* other = pool->allocate(512, device);
  CHECK(device.host_waits == 1);
  CHECK(device.pinned_memory.held == 512);
  pinned_pool::deallocate(other);
}

TEST_CASE("pinned: what is pinned, and what is not the pool's") {
  memory_device device;
  const handle pool;
  auto* block = static_cast<std::byte*>(pool->allocate(1000, device));
  CHECK(is_pinned(block, 1024, device));
  CHECK(is_pinned(block + 1023, 1, device));
  CHECK_FALSE(is_pinned(block, 1025, device));
  CHECK_FALSE(is_pinned(block + 1024, 1, device));
  std::vector<std::byte> pageable(4096);
  CHECK_FALSE(is_pinned(pageable.data(), pageable.size(), device));
  note_use(pageable.data(), device.stream(), 1);
  pinned_pool::deallocate(pageable.data());
  pinned_pool::deallocate(block + 512);
  CHECK(is_pinned(block, 1024, device));
  pinned_pool::deallocate(block);
  pinned_pool::deallocate(block);  // twice
  CHECK(pool->n_free_blocks(device) == 1);
}

TEST_CASE("pinned: a block may outlive the pool, and the pool gives everything back when the last is gone") {
  memory_device device;
  void* block = nullptr;
  {
    const handle pool;
    block = pool->allocate(512, device);
    pinned_pool::deallocate(pool->allocate(512, device));
    runtime::stream_state& s = device.stream();
    note_use(block, s, s.enqueued());
  }
  CHECK(device.pinned_memory.held == 1024);
  pinned_pool::deallocate(block);
  CHECK(device.host_waits == 1);
  CHECK(device.pinned_memory.held == 0);
}

TEST_CASE("pinned: a device that goes takes its cached blocks along") {
  const handle pool;
  for (int i = 0; i < 2; ++i) {
    memory_device device;
    void* block = pool->allocate(512, device);
    pinned_pool::deallocate(pool->allocate(2048, device));
    pinned_pool::deallocate(block);
    CHECK(pool->n_free_blocks(device) == 2);
  }  // the device's memory checks that everything has come back
}

TEST_CASE("pinned: eight threads, each freeing what others allocated") {
  memory_device device;
  const handle pool;
  std::mutex busy;
  std::vector<std::pair<unsigned char*, std::size_t>> shared;
  std::atomic<int> damaged{0};
  const auto work = [&](unsigned seed) {
    std::mt19937 random(seed);
    for (int i = 0; i < 5000; ++i) {
      const std::size_t size = 1 + random() % 10'000;
      auto* block = static_cast<unsigned char*>(pool->allocate(size, device));
      std::memset(block, static_cast<int>(size % 251), size);
      const std::lock_guard hold(busy);
      shared.emplace_back(block, size);
      if (shared.size() < 40) continue;
      std::swap(shared[random() % shared.size()], shared.back());
      const auto [old, length] = shared.back();
      shared.pop_back();
      if (old[0] != length % 251 || old[length - 1] != length % 251) ++damaged;
      pinned_pool::deallocate(old);
    }
  };
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 8; ++t) threads.emplace_back(work, t);
  for (std::thread& t : threads) t.join();
  CHECK(damaged == 0);
  for (const auto& [block, size] : shared) pinned_pool::deallocate(block);
  pool->free_all_blocks(device);
  CHECK(device.pinned_memory.held == 0);
}
