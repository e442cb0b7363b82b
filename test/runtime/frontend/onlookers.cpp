// Threads that come to use nodes beside one that counts alone. Counts are looked at when all is quiet: an update that two
// threads made at once, and one of them lost, shows there.
#include "runtime/frontend/onlookers.hpp"

#include <doctest/doctest.h>

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include <sinter/sinter.hpp>

#include "runtime/frontend/nodes.hpp"
#include "runtime/memory/storage.hpp"

namespace {

using namespace sinter;

bool can_count_alone() {
  const long commands = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
  return commands > 0 && commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED;
}

bool counts_alone() { return runtime::sole_counter.load() == &runtime::this_onlooker; }

int holders_of(const detail::storage& memory) {
  int count = 0;
  for (const detail::array_node* h = memory.holders; h; h = h->older) ++count;
  return count;
}

// Everything that counts: copies, views, names of expressions, and what is made of them.
void count_much(const array<double>& x, int times) {
  for (int i = 0; i < times; ++i) {
    const array<double> copy = x;
    const array<double> part = x(slice(1, _)), whole = x.T();
    auto twice = part + part;
    auto sums = twice * twice + sum(twice);
    const lazy<double> held = sums, again = held;
  }
}

TEST_CASE("onlookers: a thread counts alone until another comes, and again when that one has gone") {
  if (!can_count_alone()) return;
  const array<double> x = ones({4});
  array<double> y = x;  // the first count after threads of other tests have gone
  y = x;
  REQUIRE(counts_alone());
  std::atomic<int> step{0};
  std::thread other([&] {
    array<double> z = x;
    CHECK(runtime::sole_counter.load() == nullptr);
    step = 1;
    while (step != 2) std::this_thread::yield();
    z = {};
    CHECK(runtime::sole_counter.load() == nullptr);
  });
  while (step != 1) std::this_thread::yield();
  y = {};
  CHECK(runtime::sole_counter.load() == nullptr);
  step = 2;
  other.join();
  y = x;
  CHECK(counts_alone());
}

TEST_CASE("onlookers: a thread that comes second waits for the end of the first one's section") {
  if (!can_count_alone()) return;
  const array<double> x = ones({4}), y = x, z = x;  // alone again after the test before
  std::atomic<bool> started{false}, inside{false};
  std::thread other;
  {
    const runtime::sole_section alone;
    REQUIRE(static_cast<bool>(alone));
    other = std::thread([&] {
      started = true;
      runtime::look();
      inside = true;
    });
    while (!started) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CHECK(!inside);
  }
  other.join();
  CHECK(inside);
}

TEST_CASE("onlookers: no count is lost while threads come and go beside one that counts alone") {
  array<double> x = ones({8});
  const detail::array_node& node = *runtime::as_array_node(x.node());
  for (int round = 0; round < 400; ++round) {
    std::atomic<bool> started{false};
    std::thread other([&] {
      started = true;
      count_much(x, 3);
    });
    if (round % 2 == 0)
      while (!started) {
      }
    count_much(x, 20);
    other.join();
    REQUIRE(node.references == 1);
    REQUIRE(node.memory->references == 1);
    REQUIRE(holders_of(*node.memory) == 1);
  }
}

TEST_CASE("onlookers: several threads that begin together find a named expression's one node, counted once for each") {
  for (int round = 0; round < 100; ++round) {
    array<double> x = ones({8});
    {
      auto named = x + 1;
      std::vector<std::thread> threads;
      for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
          for (int i = 0; i < 10; ++i) auto more = named * named;
        });
      for (int i = 0; i < 10; ++i) auto more = named * named;
      for (std::thread& t : threads) t.join();
      REQUIRE(named.sum().item() == 16);
    }
    REQUIRE(x.node()->references == 1);
  }
}

}  // namespace
