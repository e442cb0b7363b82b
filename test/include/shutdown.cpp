// How a process ends: arrays, streams, events and graphs that outlive main or their thread, exit with work under way or
// in the middle of a capture, fork, exceptions in flight. Each in a process of its own, whose status says how it went.
#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "test/include/ordering.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using doubles = std::vector<double>;

constexpr std::int64_t n = 4096;

/// One of each thing that holds something of the device's.
struct belongings {
  stream on;
  array<double> made = test::on(on, [] { return slowly(zeros({n})); });
  array<double> read = made * 2;
  event e = on.record();
  pinned_array<double> pinned = zeros_pinned({n});
  graph g = capture([this] { read(ellipsis) = made + asarray(doubles(n, 1.0)); });
  belongings() {
    g.launch();
    g.launch(on);
    made.get(pinned, {.blocking = false});
  }
};

long long driver_calls() {
  const softgpu::controls* const soft = softgpu_controls();
  return soft ? soft->softgpu_calls() : 0;
}

/// Made before the library has been used for the first time, so it goes after everything that the library has to do at
/// exit.
struct goes_last {
  std::unique_ptr<belongings> all;
  ~goes_last() {
    if (!all) return;
    const long long before = driver_calls();
    all.reset();
    std::printf("late calls: %lld\n", driver_calls() - before);
    std::fflush(stdout);
  }
} last;

/// The status of a forked process that does this.
template <class Work>
int in_fork(Work&& work) {
  std::fflush(stdout);
  const pid_t pid = ::fork();
  if (pid == 0) work();
  int ended = 0;
  ::waitpid(pid, &ended, 0);
  return WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
}

}  // namespace

TEST_CASE("ending with static things" * doctest::skip()) {
  softgpu_controls();
  static belongings kept;
  static const array<double> copy = kept.made;
  CHECK(holds(copy, 8));
  last.all = std::make_unique<belongings>();
  CHECK(holds(last.all->read, 9));
}

TEST_CASE("ending with thread-local things" * doctest::skip()) {
  const auto work = [] {
    thread_local belongings mine;
    thread_local std::optional<stream_scope> scope;
    scope.emplace(mine.on);
    mine.made = slowly(mine.made);
    CHECK(holds(mine.made, 16));
    stream().use();
    mine.read = mine.made + 1;
  };
  const device here = device::current();
  for (int i = 0; i < 4; ++i) {
    std::thread([&] {
      const device_scope in(here);
      work();
    }).join();
  }
  work();
  stream().use();  // of the main thread, until it ends
  static const array<double> pending = slowly(ones({n}));
}

TEST_CASE("exit with work under way" * doctest::skip()) {
  static belongings kept;
  const stream s;
  const stream_scope in(s);
  std::vector<array<double>> all;
  for (int i = 0; i < 20; ++i) all.push_back(slowly(kept.made));
  kept.g.launch();
  std::exit(3);
}

TEST_CASE("exit in another thread" * doctest::skip()) {
  static belongings kept;
  std::thread([here = device::current()] {
    const device_scope in(here);
    thread_local belongings mine;
    mine.made = slowly(kept.made);
    std::exit(4);
  }).join();
}

TEST_CASE("exit in a capture" * doctest::skip()) {
  static belongings kept;
  static array<double> out;
  const graph g = capture([&] {
    out = slowly(kept.made);
    std::exit(5);
  });
}

TEST_CASE("fork and exit" * doctest::skip()) {
  std::optional<belongings> mine(std::in_place);
  static belongings kept;
  CHECK(in_fork([&] { std::exit(0); }) == 0);
  const int dropping = in_fork([&] {
    mine.reset();
    ::_exit(6);
  });
  CHECK(dropping == 6);
  CHECK(holds(slowly(mine->made), 16));
  mine->g.launch();
  CHECK(holds(mine->read, 9));
}

TEST_CASE("fork and evaluate on the CPU" * doctest::skip()) {
  const array<double> before = slowly(zeros({n}));
  {
    const device_scope in(device::cpu());  // with its threads
    CHECK(sum(ones({2'000'000}) * 2 + 1).item() == 6'000'000);
  }
  const int status = in_fork([&] {
    const device_scope in(device::cpu());
    const bool right = sum(ones({2'000'000}) * 2 + 1).item() == 6'000'000 && sum(exp(zeros({1000}))).item() == 1000;
    ::_exit(right ? 0 : 1);
  });
  CHECK(status == 0);
  CHECK(holds(before, 8));
}

TEST_CASE("fork and use the GPU" * doctest::skip()) {
  const array<double> before = slowly(zeros({n}));
  const int status = in_fork([&] {
    std::string refused;
    for (int i = 0; i < 2; ++i) refused = refusal<device_lost>([&] { const array<double> a = before + 1; });
    const bool stream_too = !refusal<device_error>([&] { const stream s; }).empty();
    ::_exit(refused.find("fork") != std::string::npos && stream_too ? 0 : 1);
  });
  CHECK(status == (asynchronous() ? 0 : 1));
  CHECK(holds(array<double>(before + 1), 9));
}

TEST_CASE("captures while an exception is in flight" * doctest::skip()) {
  const array<double> x = ones({n});
  array<double> out;
  struct captures_at_end {
    const array<double>& from;
    array<double>& to;
    ~captures_at_end() {
      const graph g = capture([&] { to = from + 1; });
      g.launch();
      CHECK_THROWS_AS(capture([&] { to.get(); }), device_error);
    }
  };
  CHECK_THROWS_AS(capture([&] {
                    const array<double> lost = x * 3;
                    const stream s;
                    const stream_scope in(s);
                    const array<double> too = lost + 1;
                    throw std::runtime_error("mine");
                  }),
                  std::runtime_error);
  try {
    const captures_at_end end{x, out};
    throw std::runtime_error("mine");
  } catch (const std::runtime_error&) {
  }
  CHECK(holds(out, 2));
}

TEST_CASE("shutdown: everything may outlive main, and the driver is not called any more then") {
  const rerun c("ending with static things");
  CHECK_MESSAGE(c.ok, c.output);
  CHECK_MESSAGE(c.output.find("late calls: 0\n") != std::string::npos, c.output);
}

TEST_CASE("shutdown: what a thread holds goes with it") {
  const rerun c("ending with thread-local things");
  CHECK_MESSAGE(c.ok, c.output);
}

TEST_CASE("shutdown: exit with work under way, in another thread, in a capture") {
  const rerun working("exit with work under way");
  CHECK_MESSAGE(working.status == 3, working.output);
  const rerun thread("exit in another thread");
  CHECK_MESSAGE(thread.status == 4, thread.output);
  const rerun capturing("exit in a capture");
  CHECK_MESSAGE(capturing.status == 5, capturing.output);
}

TEST_CASE("shutdown: a fork may exit, drop what it has, and evaluate on the CPU") {
  for (const char* const name : {"fork and exit", "fork and evaluate on the CPU", "fork and use the GPU"}) {
    const rerun c(name);
    CHECK_MESSAGE(c.ok, c.output);
  }
}

TEST_CASE("shutdown: exceptions in flight during captures") {
  const rerun c("captures while an exception is in flight");
  CHECK_MESSAGE(c.ok, c.output);
}
