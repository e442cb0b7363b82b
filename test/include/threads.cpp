// What docs/threads.md promises, a test for each line of it: what threads may do at once, what each has for itself, how
// arrays go from one to the other. Then all of it together: 32 threads at random programs, whose values are checked and
// which may not grow. SINTER_STRESS says how many evaluations that is; the default suits a run of all tests.
#include <doctest/doctest.h>

#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "test/include/ordering.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using doubles = std::vector<double>;

constexpr std::int64_t n = 4096;

/// Runs `work(i)` on threads that start together. Gives what they threw that they should not have, a line each.
template <class Work>
std::string on_threads(int count, Work work) {
  std::atomic<int> ready{0};
  std::mutex busy;
  std::string thrown;
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i)
    threads.emplace_back([&, i] {
      ++ready;
      while (ready < count) std::this_thread::yield();
      try {
        work(i);
      } catch (const std::exception& e) {
        const std::lock_guard hold(busy);
        thrown += std::string(e.what()) + "\n";
      }
    });
  for (std::thread& t : threads) t.join();
  return thrown;
}

/// Hands arrays from one thread to another, oldest first.
class channel {
 public:
  void put(array<double> a) {
    const std::lock_guard hold(busy_);
    waiting_.push_back(std::move(a));
    came_.notify_one();
  }
  array<double> take() {
    std::unique_lock hold(busy_);
    came_.wait(hold, [this] { return !waiting_.empty(); });
    array<double> a = std::move(waiting_.front());
    waiting_.pop_front();
    return a;
  }

 private:
  std::mutex busy_;
  std::condition_variable came_;
  std::deque<array<double>> waiting_;
};

/// Bytes in use once everything that streams were still busy with has been given back.
std::size_t settled_bytes() {
  synchronize();
  default_memory_pool().free_all_blocks();
  return default_memory_pool().used_bytes();
}

bool compiles() { return device::current() != device::interpreter(); }

}  // namespace

TEST_CASE("threads: any number of them read, copy and evaluate one array and one expression") {
  const array<double> x = arange<double>(n);
  const auto e = x * 2 + 1;
  std::atomic<int> wrong{0};
  const std::string thrown = on_threads(12, [&](int thread) {
    for (int i = 0; i < 15; ++i) {
      const array<double> copy = x;
      const array<double> whole = e, other = e * double(thread) + copy, part = copy(slice(1, 3));
      if (sum(e).item() != double(n) * n) ++wrong;
      if (whole(thread).item() != 2 * thread + 1) ++wrong;
      if (other(n - 1).item() != (2 * (n - 1) + 1) * double(thread) + (n - 1)) ++wrong;
      if (part.get() != doubles{1, 2} || x.shape() != shape{n}) ++wrong;
    }
  });
  CHECK(thrown == "");
  CHECK(wrong == 0);
  CHECK(holders_of(x) == 1);
  CHECK(sum(x).item() == double(n) * (n - 1) / 2);
}

TEST_CASE("threads: a named expression becomes one node, however many come to it at once") {
  const array<double> x = arange<double>(8);
  const auto used_by = [&](int threads) {
    auto t = x + 1.0;
    const std::string thrown = on_threads(threads, [&](int i) {
      auto mine = t * t + double(i);
      CHECK(mine(7).item() == 64 + i);
    });
    CHECK(thrown == "");
    return x.node()->references;
  };
  const auto by_one = used_by(1);
  CHECK(by_one > x.node()->references);
  for (int round = 0; round < 30; ++round) CHECK(used_by(8) == by_one);
}

TEST_CASE("threads: copies share their storage and are each thread's own to change") {
  const array<double> shared = arange<double>(n);
  std::atomic<int> wrong{0};
  const std::string thrown = on_threads(12, [&](int thread) {
    const double t = thread;
    for (int i = 0; i < 15; ++i) {
      array<double> mine = shared;
      mine(slice(0, 2)) = t;  // a store into a part of what others hold
      mine += 1;
      array<double> held = mine;
      mine(ellipsis) = mine * 2;
      mine(n - 1) = -1.0;
      const doubles got = mine.get();
      if (got[0] != 2 * t + 2 || got[2] != 6 || got[n - 2] != 2 * (n - 1) || got[n - 1] != -1) ++wrong;
      if (held(n - 1).item() != n || shared(0).item() != 0) ++wrong;
    }
  });
  CHECK(thrown == "");
  CHECK(wrong == 0);
  CHECK(holders_of(shared) == 1);
  CHECK(shared.get() == arange<double>(n).get());
}

TEST_CASE("threads: each has its own current device, stream and allocator") {
  const device here = device::current();
  memory_pool pool;
  const using_allocator from(pool);
  const stream mine;
  const stream_scope in(mine);
  const device_scope elsewhere(here == device::cpu() ? device::interpreter() : device::cpu());
  bool own_device = false, own_stream = false, own_pool = false;
  std::thread([&] {
    own_device = device::current() == here;
    own_stream = stream::current() == stream::null();
    own_pool = get_allocator() == default_memory_pool();
    const stream other;
    other.use();
    set_allocator(default_memory_pool());  // it is in no using_allocator, so it may
  }).join();
  CHECK(own_device);
  CHECK(own_stream);
  CHECK(own_pool);
  CHECK(get_allocator() == pool);
  const device_scope back(here);
  CHECK(stream::current() == mine);
}

TEST_CASE("threads: an unordered scope is its thread's, and so are hooks") {
  rehearsed([] {
    const stream a, b;
    const array<double> warm = on(b, [&] { return array<double>(slowly(zeros({n})) * 2); });
    gate closed(a);
    const array<double> x = on(a, [&] { return slowly(zeros({n})); });
    const unordered here;
    memory_statistics_hook seen;
    const hook_scope registered(seen);
    array<double> y;
    std::thread([&] {
      const stream_scope in(b);
      y = x * 2;  // ordered all the same
    }).join();
    CHECK(seen.statistics().mallocs == 0);
    closed.open();
    b.synchronize();
    CHECK(y.get() == doubles(n, 16));
    const array<double> own = on(b, [&] { return array<double>(y * 2); });
    CHECK(seen.statistics().mallocs == 1);
  });
}

TEST_CASE("a first use by many" * doctest::skip()) {
  std::atomic<int> right{0};
  const std::string thrown = on_threads(16, [&](int i) {
    const stream mine;
    const stream_scope in(mine);
    const array<double> a = slowly(full({n}, double(i)));
    right += sum(a).item() == double(n) * (i + 8);
  });
  CHECK(thrown == "");
  CHECK(right == 16);
}

TEST_CASE("threads: the first use of all may be by many at once") {
  const rerun c("a first use by many");
  CHECK_MESSAGE(c.ok, c.output);
}

TEST_CASE("threads: a kernel that many want at once is compiled once") {
  const array<double> x = arange<double>(1000);
  doubles got(12);
  const counters_snapshot moved = moved_by([&] {
    CHECK(on_threads(12, [&](int i) {
            got[static_cast<std::size_t>(i)] =
                array<double>(cosh(x * 0.001) * cosh(x * 0.001) - sinh(x * 0.001) * sinh(x * 0.001) + 8)(999).item();
          }) == "");
  });
  CHECK(moved.compiles + moved.disk_hits == (compiles() ? 1 : 0));
  for (const double g : got) CHECK(g == doctest::Approx(9));
}

TEST_CASE("threads: memory is given back by whichever thread drops it last") {
  const std::size_t before = settled_bytes();
  channel here, back;
  std::thread other([&] {
    const stream mine;
    const stream_scope in(mine);
    for (int i = 0; i < 60; ++i) {
      array<double> a = here.take();
      back.put(a * 2);  // a goes here, the result there
    }
  });
  double total = 0;
  for (int i = 0; i < 60; ++i) here.put(full({n}, double(i)));
  for (int i = 0; i < 60; ++i) total += sum(back.take()).item();
  other.join();
  CHECK(total == 2.0 * n * (60 * 59 / 2));
  CHECK(settled_bytes() == before);
}

TEST_CASE("threads: what a thread made outlives it, and so does what its stream still does") {
  const std::size_t before = settled_bytes();
  {
    std::vector<array<double>> made(24);
    for (std::size_t i = 0; i < made.size(); ++i)
      std::thread([&, i] {
        const stream mine;
        mine.use();  // it ends as the thread's current stream
        made[i] = slowly(full({n}, double(i)));
      }).join();
    for (std::size_t i = 0; i < made.size(); ++i) CHECK(holds(made[i], double(i) + 8));
  }
  CHECK(settled_bytes() == before);
}

TEST_CASE("threads: an array handed on is ordered behind the stream that wrote it") {
  rehearsed([] {
    const stream a, b;
    channel between;
    gate closed(a);
    array<double> doubled;
    std::thread other([&] {
      const stream_scope in(b);
      array<double> x = between.take();
      doubled = x * 2;
      x(ellipsis) = 0.0;  // after the read before it, on the other stream
    });
    const array<double> kept = on(a, [&] { return slowly(zeros({n})); });
    between.put(kept);
    other.join();
    closed.open();
    CHECK(holds(doubled, 16));
    CHECK(holds(kept, 8));
  });
}

TEST_CASE("threads: one stream and one event are used by many") {
  const stream shared;
  const event marked = [&] {
    const stream_scope in(shared);
    const array<double> work = slowly(zeros({n}));
    return shared.record();
  }();
  const array<double> x = ones({n});
  std::atomic<int> wrong{0};
  const std::string thrown = on_threads(8, [&](int thread) {
    for (int i = 0; i < 10; ++i) {
      const stream copy = shared, mine;
      const event seen = marked;
      const array<double> y = on(copy, [&] { return array<double>(x + double(thread)); });
      const event own = shared.record();
      mine.wait(own);
      mine.wait(seen);
      mine.wait(shared);
      const array<double> z = on(mine, [&] { return array<double>(y * 2); });
      if (!holds(z, 2.0 * (1 + thread))) ++wrong;
      seen.synchronize();
      own.synchronize();
      if (!seen.done() || !own.done()) ++wrong;
      shared.synchronize();
    }
  });
  CHECK(thrown == "");
  CHECK(wrong == 0);
}

TEST_CASE("threads: all functions of one pool at once") {
  memory_pool pool;
  const std::size_t plenty = std::size_t{64} << 20;
  std::atomic<long long> wrong = 0;
  const std::string thrown = on_threads(8, [&](int thread) {
    const stream mine;
    const stream_scope in(mine);
    const using_allocator from(pool);
    for (int i = 0; i < 100; ++i) {
      const array<double> a = full({64 + 16 * thread + i}, double(thread));
      void* const block = pool.allocate(1000);
      switch ((i + thread) % 4) {
        case 0: pool.free_all_blocks(); break;
        case 1: pool.free_all_blocks(mine); break;
        case 2: pool.set_limit({.bytes = i % 8 < 4 ? plenty : 0}); break;
        default:
          // Each is of some moment, and what this thread holds is in all of them.
          wrong += pool.used_bytes() < 512 || pool.total_bytes() < 512 || pool.free_bytes() > plenty;
          wrong += pool.get_limit() % plenty != 0;
          wrong += pool.n_free_blocks() > 10'000 || pool.largest_free_block() > plenty;
      }
      if (!holds(a, thread)) ++wrong;
      pool.deallocate(block, 1000);
    }
  });
  CHECK(thrown == "");
  CHECK(wrong == 0);
  synchronize();
  pool.free_all_blocks();
  CHECK(pool.used_bytes() == 0);
  CHECK(pool.total_bytes() == 0);
}

TEST_CASE("threads: launches of one graph come one after the other, and a launch is a store") {
  array<double> count = zeros({n}), twice;
  const graph g = capture([&] {
    count(ellipsis) = count + 1;
    twice = count * 2;
  });
  const std::string thrown = on_threads(8, [&](int) {
    const stream mine;
    const stream_scope in(mine);
    const graph copy = g;
    for (int i = 0; i < 5; ++i) copy.launch();
  });
  CHECK(thrown == "");
  CHECK(holds(count, 40));
  CHECK(holds(twice, 80));
}

TEST_CASE("threads: others go on while one captures, and nothing of theirs is in the graph") {
  const array<double> x = ones({n});
  array<double> out, theirs = zeros({n});
  const graph before = capture([&] { theirs(ellipsis) = theirs + 1; });
  std::string thrown;
  const graph g = capture([&] {
    const array<double> half = x + 1;
    thrown = on_threads(1, [&](int) {
      theirs += 10;
      before.launch();
      const graph inner = capture([&] { theirs(ellipsis) = theirs * 2; });
      inner.launch();
      synchronize();
      CHECK(holds(theirs, 22));
      CHECK(holds(slowly(x), 9));
      default_memory_pool().free_all_blocks();
    });
    out = half * 3;
  });
  CHECK(thrown == "");
  for (int i = 0; i < 2; ++i) g.launch();
  CHECK(holds(out, 6));
  CHECK(holds(theirs, 22));
}

TEST_CASE("threads: an exception goes to the thread whose call failed") {
  const array<double> x = arange<double>(n);
  std::atomic<int> right{0};
  const std::string thrown = on_threads(8, [&](int thread) {
    memory_pool small;
    if (thread % 4 == 1) small.set_limit({.bytes = 4 * n});
    const using_allocator from(small);
    for (int i = 0; i < 10; ++i) {
      const array<double> odd = zeros({thread + 3});
      std::string message;
      switch (thread % 4) {
        case 0:
          message = refusal<shape_error>([&] { const array<double> y = x + odd; });
          right += times_in(message, "(" + std::to_string(thread + 3) + ",)") == 1;
          break;
        case 1:
          message = refusal<out_of_memory>([&] { const array<double> y = x + 1; });
          right += !message.empty();
          break;
        default: right += sum(x + 1).item() == double(n) * (n + 1) / 2;
      }
    }
  });
  CHECK(thrown == "");
  CHECK(right == 80);
}

TEST_CASE("a lost device" * doctest::skip()) {
  const softgpu::controls* const soft = softgpu_controls();
  REQUIRE(soft);
  const array<double> x = ones({n});
  const array<double> y = x + 1;
  CHECK(holds(y, 2));
  constexpr int illegal_address = 700;
  soft->softgpu_fail(0, illegal_address, 2);
  std::string first;
  std::thread([&] { first = refusal<device_lost>([&] { array<double>(x + 1).get(); }); }).join();
  CHECK(first != "");
  std::atomic<int> same{0};
  const std::string thrown = on_threads(8, [&](int) {
    same += refusal<device_lost>([&] { array<double>(x + 1).get(); }) == first;
    same += refusal<device_lost>([&] { y.get(); }) == first;
  });
  CHECK(thrown == "");
  CHECK(same == 16);
}

TEST_CASE("threads: a device that is lost is lost for all, with the first cause") {
  if (!softgpu_controls()) return;  // a GPU cannot be told to fail
  const rerun c("a lost device");
  CHECK_MESSAGE(c.ok, c.output);
}

namespace {

/// Made before its thread has evaluated anything, so it goes after whatever the library keeps for the thread.
struct goes_late {
  array<double> kept;
  double* last = nullptr;
  ~goes_late() {
    if (!last) return;
    array<double> a = kept * 2 + 1;
    a(slice(0, 1)) = 5.0;
    const auto [total, top] = eval(sum(a), max(a));
    *last = total.item() + top.item();
  }
};

}  // namespace

TEST_CASE("threads: a thread-local object may hold arrays and evaluate while its thread ends") {
  const std::size_t before = settled_bytes();
  for (int i = 0; i < 4; ++i) {
    double last = 0;
    std::thread([&] {
      thread_local goes_late mine;
      mine.last = &last;
      mine.kept = slowly(zeros({n}));
    }).join();
    CHECK(last == 17.0 * (n - 1) + 5 + 17);
  }
  CHECK(settled_bytes() == before);
}

TEST_CASE("a fork beside threads that hold things" * doctest::skip()) {
  std::mutex busy;
  std::condition_variable changed;
  bool let_go = false;
  int holding = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      const device_scope in(device::cpu());
      const stream mine;
      const stream_scope on_mine(mine);
      const array<double> a = slowly(zeros({n}));
      std::unique_lock hold(busy);
      ++holding;
      changed.notify_all();
      changed.wait(hold, [&] { return let_go; });
      CHECK(holds(a, 8));
    });
  {
    std::unique_lock hold(busy);
    changed.wait(hold, [&] { return holding == 4; });
  }
  const pid_t pid = ::fork();
  if (pid == 0) {
    const device_scope in(device::cpu());
    ::_exit(holds(slowly(zeros({n})), 8) && sum(ones({n})).item() == n ? 0 : 1);
  }
  int ended = -1;
  ::waitpid(pid, &ended, 0);
  CHECK(WIFEXITED(ended));
  CHECK(WEXITSTATUS(ended) == 0);
  {
    const std::lock_guard hold(busy);
    let_go = true;
    changed.notify_all();
  }
  for (std::thread& t : threads) t.join();
}

TEST_CASE("threads: a fork while the others are at rest may evaluate on the CPU") {
  const rerun c("a fork beside threads that hold things");
  CHECK_MESSAGE(c.ok, c.output);
}

// ---- everything at once

namespace {

/// An array whose elements are known: slope * i + offset, small integers, so that every sum is exact.
struct line {
  array<double> what;
  double slope = 0, offset = 0;
  double at(std::int64_t i) const { return slope * double(i) + offset; }
};

constexpr std::int64_t length = 64;
/// Enough for several threads of the CPU device, and for several blocks on a GPU.
std::int64_t long_length() { return device::current() == device::cpu() ? 1'000'000 : 50'000; }
constexpr int workers = 32;
constexpr int mailboxes = 48;
constexpr std::size_t own_lines = 4;
constexpr double too_large = 1e6;

/// What the threads share: arrays that no thread changes, boxes in which each may find what another left, streams.
struct common {
  explicit common(bool with_streams) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const double slope = double(i % 3) - 1, offset = double(i) - 4;
      inputs[i] = {arange<double>(length) * slope + offset, slope, offset};
    }
    long_input = arange<double>(long_length());
    if (with_streams) streams.resize(8);
    clear();
  }
  void clear() {
    for (box& b : boxes) {
      const std::lock_guard hold(b.busy);
      b.left = inputs[0];
    }
  }

  struct box {
    std::mutex busy;
    line left;
  };
  std::array<line, 8> inputs;
  array<double> long_input;
  std::array<box, mailboxes> boxes;
  std::vector<stream> streams;
  std::atomic<std::int64_t> evaluations{0};
  std::atomic<int> wrong{0};
};

/// One thread's program.
class worker {
 public:
  worker(common& c, unsigned seed) : all_(c), random_(seed) {
    for (line& l : lines_) l = any_input();
  }

  /// Until it has made that many evaluations.
  void run(std::int64_t count) {
    while (made_ < count) step(random_() % choices);
    all_.evaluations += made_;
  }
  /// Every step once, on every stream: all kernels are made.
  void each_step() {
    all_of_them_ = true;
    const std::size_t places = std::max<std::size_t>(all_.streams.size(), 1);
    for (std::size_t s = 0; s < places; ++s)
      for (unsigned which = 0; which < choices; ++which)
        for (const bool same : {false, true}) {
          lines_[0] = all_.inputs[1];
          lines_[1] = same ? lines_[0] : all_.inputs[2];
          if (!all_.streams.empty()) {
            const stream_scope in(all_.streams[s]);
            act(which, lines_[0], lines_[1]);
          } else {
            act(which, lines_[0], lines_[1]);
          }
        }
  }

 private:
  static constexpr unsigned choices = 64;

  void step(unsigned which) {
    line &x = lines_[random_() % own_lines], &y = lines_[random_() % own_lines];
    if (all_.streams.empty()) {
      act(which, x, y);
    } else {
      const stream_scope in(all_.streams[random_() % all_.streams.size()]);
      act(which, x, y);
    }
    if (std::max(std::abs(x.slope), std::abs(x.offset)) > too_large) x = any_input();
  }

  void act(unsigned which, line& x, line& y) {
    switch (which) {
      case 0: return on_stream_of_its_own(x);
      case 1: return with_events(x);
      case 2: return sum_long();
      case 3:
      case 4: return whole(x);
      default: break;
    }
    switch (which % 10) {
      case 0: return assign(x, x.what + y.what, x.slope + y.slope, x.offset + y.offset);
      case 1: return named(x, y);
      case 2: return store(x);
      case 3: return reduce(x);
      case 4: return store_part(x, y);
      case 5: return turn(x);
      case 6: return several(x);
      case 7: return from_input(x);
      default: return exchange(x);
    }
  }

  template <class E>
  void assign(line& x, E&& e, double slope, double offset) {
    x = {array<double>(std::forward<E>(e)), slope, offset};
    ++made_;
  }
  void from_input(line& x) {
    const line& in = any_input();
    assign(x, in.what - x.what * 2, in.slope - 2 * x.slope, in.offset - 2 * x.offset);
  }
  void named(line& x, const line& y) {
    auto difference = x.what - y.what;
    auto sum_of = difference + x.what;
    const double slope = 3 * x.slope - 2 * y.slope, offset = 3 * x.offset - 2 * y.offset;
    assign(x, difference + sum_of, slope, offset);
  }
  void store(line& x) {
    const line kept = x;  // shares the storage until the store
    x.what += 3;
    x.what(ellipsis) = x.what * -1.0;
    x.slope = -x.slope;
    x.offset = -(x.offset + 3);
    made_ += 2;
    check(kept.what(5).item() == kept.at(5));
  }
  void store_part(line& x, const line& y) {
    x = {array<double>(x.what + 0.0), x.slope, x.offset};
    x.what(slice(0, length / 2)) = y.what(slice(0, length / 2));
    x.what(slice(length / 2, length)) = y.what(slice(length / 2, length));
    x.slope = y.slope;
    x.offset = y.offset;
    made_ += 3;
  }
  void turn(line& x) {
    const array<double> backwards = x.what(slice(_, _, -1));
    assign(x, backwards + 1.0, -x.slope, x.at(length - 1) + 1);
  }
  void reduce(const line& x) {
    check(sum(x.what * 2).item() == x.slope * double(length * (length - 1)) + 2 * x.offset * double(length));
    ++made_;
  }
  void several(const line& x) {
    const auto [total, least] = eval(sum(x.what), min(x.what + 1.0));
    check(total.item() == x.slope * double(length * (length - 1) / 2) + x.offset * double(length));
    check(least.item() == std::min(x.at(0), x.at(length - 1)) + 1);
    made_ += 2;
  }
  void whole(const line& x) {
    const doubles got = x.what.get();
    bool right = got.size() == length;
    for (std::size_t i = 0; right && i < got.size(); ++i) right = got[i] == x.at(static_cast<std::int64_t>(i));
    check(right);
  }
  void exchange(line& x) {
    common::box& b = all_.boxes[random_() % mailboxes];
    const std::lock_guard hold(b.busy);
    std::swap(b.left, x);
  }
  void sum_long() {
    if (random_() % 16 && !all_of_them_) return;
    const double count = double(long_length());
    check(sum(all_.long_input * 2).item() == count * (count - 1));
    ++made_;
  }
  void on_stream_of_its_own(line& x) {
    if (random_() % 4 && !all_of_them_) return;
    const stream mine;
    const stream_scope in(mine);
    assign(x, x.what + 2.0, x.slope, x.offset + 2);
  }
  void with_events(line& x) {
    if (all_.streams.empty()) return;
    const stream &a = all_.streams[random_() % all_.streams.size()], &b = all_.streams[random_() % all_.streams.size()];
    b.wait(a.record());
    const stream_scope in(b);
    assign(x, x.what + 2.0, x.slope, x.offset + 2);
  }

  const line& any_input() { return all_.inputs[random_() % all_.inputs.size()]; }
  void check(bool right) {
    if (!right) ++all_.wrong;
  }

  common& all_;
  std::mt19937 random_;
  bool all_of_them_ = false;  // none is left out for being slow
  std::array<line, own_lines> lines_;
  std::int64_t made_ = 0;
};

/// What may not grow.
struct footprint {
  std::size_t used = 0, total = 0;
  std::uint64_t compiles = 0;
  std::size_t host = 0;  // what malloc has given out
  softgpu_counts driver{};

  static footprint now() {
    synchronize();
    footprint f;
    f.total = default_memory_pool().total_bytes();
    f.used = settled_bytes();
    const counters_snapshot c = counters();
    f.compiles = static_cast<std::uint64_t>(c.compiles + c.disk_hits);
    f.host = ::mallinfo2().uordblks;
    if (const softgpu::controls* const soft = softgpu_controls()) f.driver = soft->softgpu_live();
    return f;
  }
};

std::int64_t stress_evaluations() {
  if (const char* const text = std::getenv("SINTER_STRESS")) return std::atoll(text);
  return asynchronous() ? 1'500 : 30'000;
}

/// The evaluations of one phase, by threads that are new in it.
std::string phase(common& c, std::int64_t evaluations, unsigned seed) {
  return on_threads(workers, [&](int i) {
    worker w(c, seed * workers + static_cast<unsigned>(i));
    w.run(evaluations / workers);
  });
}

}  // namespace

TEST_CASE("threads: 32 of them at random programs over shared arrays and streams, all right and nothing grows") {
  const std::int64_t evaluations = stress_evaluations();
  common c(true);
  worker(c, 0).each_step();
  const std::int64_t warm = std::max<std::int64_t>(evaluations / 10, 500);
  CHECK(phase(c, warm, 1) == "");
  c.clear();
  const footprint start = footprint::now();
  CHECK(phase(c, evaluations / 2, 2) == "");
  c.clear();
  const footprint half = footprint::now();
  CHECK(phase(c, evaluations - evaluations / 2, 3) == "");
  c.clear();
  const footprint end = footprint::now();

  CHECK(c.wrong == 0);
  CHECK(c.evaluations >= evaluations + warm - 3 * workers);
  MESSAGE(c.evaluations.load(), " evaluations on ", workers, " threads; host bytes ", start.host, ", ", half.host, ", ",
          end.host, "; pool at most ", end.total, " bytes");
  CHECK(start.compiles == end.compiles);
  CHECK(start.used == half.used);
  CHECK(start.used == end.used);
  // What can be alive at once, if each stream's arena had to hold all of it once: more is growth.
  constexpr std::size_t arrays = workers * (own_lines + 4) + mailboxes;
  const std::size_t most =
      arrays * length * sizeof(double) * 10 + 10 * static_cast<std::size_t>(long_length()) * sizeof(double);
  CHECK(end.total <= start.used + most);
  CHECK(end.host <= half.host + (std::size_t{1} << 20));
  CHECK(end.driver.modules == start.driver.modules);
  CHECK(end.driver.streams <= start.driver.streams);
  CHECK(end.driver.events <= start.driver.events + 1'024);  // those kept to be used again, and each stream's marks
  CHECK(end.driver.allocations <= half.driver.allocations);
}
