// Blocks of memory under load: eight threads on eight streams fill arrays with a number each, hand some of them to one
// another, and look at every element before they drop them. A block that is handed out twice, or while a stream still
// works on it, shows as a number that is not the array's. SINTER_STRESS: how many arrays in all.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include <sinter/sinter.hpp>

namespace {

using namespace sinter;

struct tagged {
  array<std::int32_t> elements;
  std::int32_t tag = 0;
};

/// Where threads leave arrays for one another, to be checked and dropped on another stream than they were filled on.
class exchange {
 public:
  /// Leaves an array and takes another one that lies there.
  tagged swap(std::size_t place, tagged mine) {
    const std::lock_guard hold(busy_);
    return std::exchange(places_[place % places_.size()], std::move(mine));
  }

 private:
  std::mutex busy_;
  std::vector<tagged> places_ = std::vector<tagged>(32);
};

/// One thread's share. Counts the elements that are not what they were filled with.
std::int64_t wrong_elements(unsigned seed, std::int64_t count, exchange& others) {
  std::mt19937 random(seed);
  const stream mine;
  const stream_scope in(mine);
  array<std::int64_t> wrong = zeros<std::int64_t>({});
  std::vector<tagged> live(24);
  const auto check = [&](const tagged& t) {
    if (t.elements.size()) wrong(ellipsis) = wrong + sum<std::int64_t>(astype<std::int64_t>(t.elements != t.tag));
  };
  for (std::int64_t i = 0; i < count; ++i) {
    const auto tag = static_cast<std::int32_t>(random() >> 2);
    const std::int64_t length = 1 + static_cast<std::int64_t>(random() % (i % 16 == 0 ? 60'000 : 900));
    tagged fresh{full<std::int32_t>({length}, tag), tag};
    if (i % 4 == 0) fresh = others.swap(random(), std::move(fresh));
    tagged& place = live[random() % live.size()];
    check(place);
    place = std::move(fresh);
  }
  for (const tagged& t : live) check(t);
  return wrong.item();
}

}  // namespace

TEST_CASE("memory: arrays of eight threads on eight streams keep their elements") {
  const char* asked = std::getenv("SINTER_STRESS");
  const std::int64_t count = asked ? std::atoll(asked) : 2'000;
  constexpr int workers = 8;
  const device here = device::current();
  memory_pool& pool = default_memory_pool();
  exchange others;
  std::atomic<std::int64_t> wrong{0};
  std::atomic<bool> done{false}, balanced{true};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < workers; ++t) {
    threads.emplace_back([&, t] {
      const device_scope in(here);
      wrong += wrong_elements(t, count / workers, others);
    });
  }
  std::thread accountant([&] {
    const device_scope in(here);
    while (!done) {
      if (pool.used_bytes() > pool.total_bytes()) balanced = false;
      std::this_thread::yield();
    }
  });
  for (std::thread& t : threads) t.join();
  done = true;
  accountant.join();
  CHECK(wrong == 0);
  CHECK(balanced);
}
