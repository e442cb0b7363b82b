// The conductor: what was seen before compiles nothing, threads that meet at a new kernel compile it once, many threads
// evaluate at the same time, and an evaluation that fails changes nothing.
#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <thread>

#include "test/codegen/scratch.hpp"
#include "test/include/looking.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using floats = std::vector<float>;

/// Kernels that were made, by a compiler or from the disk.
template <class Work>
std::int64_t made_by(Work&& work) {
  const counters_snapshot moved = moved_by(work);
  return moved.compiles + moved.disk_hits;
}
bool compiles() { return device::current() != device::interpreter(); }

array<float> numbers(int n, float step = 1) { return arange<float>(n) * step; }

/// Runs `work(i)` on threads that start together.
template <class Work>
void on_threads(int count, Work work) {
  std::atomic<int> ready{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i)
    threads.emplace_back([&, i] {
      ++ready;
      while (ready < count) std::this_thread::yield();
      work(i);
    });
  for (std::thread& t : threads) t.join();
}

}  // namespace

TEST_CASE("eval: the second evaluation makes no kernel") {
  const array<float> x = numbers(100), y = numbers(100, 0.5f);
  const auto statement = [&] { return array<float>(hypot(x, y) * 3 + sqrt(x) - y); };
  CHECK(made_by(statement) == (compiles() ? 1 : 0));
  CHECK(made_by(statement) == 0);
  const auto moved = moved_by(statement);
  CHECK(moved.memory_hits == 1);
  CHECK(moved.launches == 1);
}

TEST_CASE("eval: other scalars, other extents and other arrays make no kernel") {
  const auto statement = [&](int rows, int columns, float s) {
    const array<float> x = numbers(rows * columns).reshape({rows, columns}), row = numbers(columns);
    array<float> r = log1p(x * s) + row - s;
    return r(rows - 1, columns - 1).item();
  };
  const auto reduction = [&](int rows, int columns) {
    const array<float> x = numbers(rows * columns).reshape({rows, columns});
    return sum(x * 2, 1)(rows - 1).item();
  };
  statement(4, 8, 1);
  statement(5, 16, 1);  // rows of a few elements are a class of their own
  statement(64, 8, 1);  // and so are many of them, which a CPU goes along as one stream
  reduction(4, 8);
  CHECK(made_by([&] {
          for (int i = 1; i < 20; ++i) {
            const float s = static_cast<float>(i) / 4;
            CHECK(statement(4 * i, 8, s) == doctest::Approx(std::log1p(static_cast<float>(32 * i - 1) * s) + 7 - s));
            CHECK(statement(5, 16 * i, s) ==
                  doctest::Approx(std::log1p(static_cast<float>(80 * i - 1) * s) + 16 * i - 1 - s));
            CHECK(reduction(i + 3, 8) == doctest::Approx(8 * 2 * (8.0 * (i + 3) - 4.5)));
          }
        }) == 0);
}

TEST_CASE("eval: another layout is another kernel, once") {
  const array<float> x = numbers(64).reshape({8, 8});
  const auto statement = [](const array<float>& a, const array<float>& b) { return array<float>(arctan2(a, b) + a); };
  statement(x, x + 1);
  const auto turned = [&] { statement(x.T(), x); };
  CHECK(made_by(turned) == (compiles() ? 1 : 0));
  CHECK(made_by(turned) == 0);
}

TEST_CASE("eval: threads that meet at a new kernel make it once, and all have its value") {
  const array<float> x = numbers(1000);
  std::vector<float> got(8);
  CHECK(made_by([&] {
          on_threads(8, [&](int i) {
            got[static_cast<std::size_t>(i)] = array<float>(cosh(x * 0.001f) - sinh(x * 0.001f) + 8)(999).item();
          });
        }) == (compiles() ? 1 : 0));
  for (float g : got) CHECK(g == doctest::Approx(std::exp(-0.999f) + 8));
}

TEST_CASE("eval: two types with one text are compiled once, also without a disk cache, and by threads that meet") {
  if (!compiles()) return;
  const rerun child("process without a disk cache: one compilation of one text", {{"SINTER_CACHE_DIR", ""}});
  INFO(child.output);
  CHECK(child.ok);
}

TEST_CASE("process without a disk cache: one compilation of one text" * doctest::skip()) {
  const array<float> x = asarray(floats{1, 2, 3});
  CHECK(moved_by([&] {
          on_threads(16, [&](int i) {
            array<float> r;
            if (i % 2) {
              r = (x + 1) * 2;
            } else {
              const auto t = x + 1;
              r = t * 2;
            }
            CHECK(r.get() == floats{4, 6, 8});
          });
        }).compiles == 1);
  // Another text, and the same text of another device, are other kernels.
  CHECK(moved_by([&] { array<float> r = (x + 1) * x; }).compiles == 1);
  array<float> again = (x - 1) * 2;
  const device_scope elsewhere(device::interpreter());
  const array<float> y = asarray(floats{1, 2, 3});
  again = (y + 1) * 2;
  CHECK(again.get() == floats{4, 6, 8});
}

TEST_CASE("eval: threads that meet at one named expression share its node") {
  const array<float> x = numbers(10);
  for (int round = 0; round < 50; ++round) {
    auto t = x + static_cast<float>(round);
    std::atomic<int> right{0};
    on_threads(8, [&](int i) {
      auto mine = t * t + static_cast<float>(i);
      const float wanted = static_cast<float>((9 + round) * (9 + round) + i);
      right += mine(9).item() == wanted;
    });
    CHECK(right == 8);
  }
  CHECK(holders_of(x) == 1);
}

TEST_CASE("eval: a name used many times, by several threads and under another name, lets go of everything") {
  const array<float> x = numbers(10);
  for (int round = 0; round < 20; ++round) {
    std::vector<lazy<float>> kept(8, lazy<float>(x));
    {
      auto t = x + static_cast<float>(round);
      for (int i = 0; i < 2 * round; ++i) kept.emplace_back(t * static_cast<float>(i));
      on_threads(8, [&](int i) {
        for (int more = 0; more < 20; ++more) kept[static_cast<std::size_t>(i)] = t * t + t;
      });
      auto moved = std::move(t);
      for (int i = 0; i < 20; ++i) kept.emplace_back(moved - moved * moved);
      CHECK(array<float>(kept.back())(9).item() == static_cast<float>((9 + round) * (1 - 9 - round)));
    }
    // Threads drop their parts of it side by side.
    std::vector<std::vector<lazy<float>>> parts(8);
    for (std::size_t i = 0; i < kept.size(); ++i) parts[i % 8].push_back(kept[i]);
    kept.clear();
    on_threads(8, [&](int i) { parts[static_cast<std::size_t>(i)].clear(); });
    CHECK(holders_of(x) == 1);
    CHECK(static_cast<const detail::node*>(x.node())->references == 1);
  }
}

TEST_CASE("eval: 32 threads, many evaluations of changing shapes, all right") {
  const array<float> shared = numbers(512);
  std::atomic<int> wrong{0};
  on_threads(32, [&](int thread) {
    array<float> mine = numbers(512);
    for (int i = 0; i < 100; ++i) {
      const int n = 1 + (thread * 37 + i * 11) % 512;
      const float s = static_cast<float>(thread + 1);
      array<float> r = shared(slice(0, n)) * s + mine(slice(0, n));
      r += 1;
      r(0) = -1;
      const float end = static_cast<float>(n - 1);
      const float last = n == 1 ? -1 : end * s + end + 1;
      if (r(n - 1).item() != last) ++wrong;
      const auto [total, top] = eval(sum(r), max(r));
      const float all = end * static_cast<float>(n) / 2 * (s + 1) + static_cast<float>(n) - 2;
      if (total.item() != all) ++wrong;
      if (top.item() != last) ++wrong;
      if (i % 10 == 0) mine = mine + 0;
    }
  });
  CHECK(wrong == 0);
  CHECK(shared.get() == numbers(512).get());
}

TEST_CASE("eval: a copy written to by each thread is that thread's own") {
  const array<float> shared = numbers(100);
  std::atomic<int> wrong{0};
  on_threads(16, [&](int thread) {
    for (int i = 0; i < 50; ++i) {
      array<float> mine = shared;
      mine += static_cast<float>(thread);
      mine(0) = 5;
      if (mine(99).item() != static_cast<float>(99 + thread) || mine(0).item() != 5) ++wrong;
      if (shared(0).item() != 0) ++wrong;
    }
  });
  CHECK(wrong == 0);
  CHECK(shared.get() == numbers(100).get());
  CHECK(holders_of(shared) == 1);
}

TEST_CASE("eval: a shape error, before or in the middle, changes nothing") {
  array<float> a = numbers(6), b = numbers(4);
  const void* place = place_of(a);
  CHECK_THROWS_AS(a += b, shape_error);
  CHECK_THROWS_AS(a(slice(0, 3)) = b * 2, shape_error);
  CHECK_THROWS_AS(a = a + b, shape_error);
  CHECK_THROWS_AS(eval(a * 2, a + b), shape_error);
  CHECK(a.get() == numbers(6).get());
  CHECK(place_of(a) == place);
  CHECK(holders_of(a) == 1);
  a += 1;
  CHECK(place_of(a) == place);
  CHECK(a(5).item() == 6);
}

TEST_CASE("eval: a compiler that fails leaves the array as it was") {
  if (!compiles()) return;
  const scratch room;
  const std::string compiler = room / "compiler";
  // It answers what it is, and compiles nothing.
  write_text(compiler,
             "#!/bin/sh\nfor a; do case $a in *.c|-c|-shared|-) echo boom >&2; exit 1;; esac; done\nexec cc \"$@\"\n");
  std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
  const rerun child(
      "process without a working compiler: nothing changes",
      {{"SINTER_CC", compiler}, {"SINTER_NVRTC", room / "no_such_library.so"}, {"SINTER_CACHE_DIR", room / "cache"}});
  INFO(child.output);
  CHECK(child.ok);
}

TEST_CASE("process without a working compiler: nothing changes" * doctest::skip()) {
  array<float> a = asarray(floats{1, 2, 3});
  const array<float> held = a;
  array<float> own = asarray(floats{4, 5, 6});
  const void* place = place_of(own);
  const auto refused = [](auto f) {
    try {
      f();
    } catch (const compile_error& e) {
      return std::string(e.what()).find("boom") != std::string::npos;
    } catch (const device_error&) {
      return device::current().type() == device::kind::cuda;  // there it is the compiler that is missing
    }
    return false;
  };
  CHECK(refused([&] { a += 1; }));
  CHECK(refused([&] { own *= 2; }));
  CHECK(refused([&] { own(slice(0, 2)) = own(slice(1, 3)) + 0; }));
  CHECK(refused([&] { own(0) = 9; }));
  CHECK(refused([&] { a = a * 3; }));
  CHECK(refused([&] { static_cast<void>(eval(a + 1, a - 1)); }));
  CHECK(refused([&] { static_cast<void>(sum(a).item()); }));
  CHECK(refused([&] { own += 1; }));  // again: a failure is not kept
  CHECK(a.get() == floats{1, 2, 3});
  CHECK(held.get() == floats{1, 2, 3});
  CHECK(place_of(a) == place_of(held));
  CHECK(own.get() == floats{4, 5, 6});
  CHECK(place_of(own) == place);
  CHECK(holders_of(own) == 1);
  own.set(floats{7, 8, 9});
  CHECK(own.get() == floats{7, 8, 9});
  CHECK(counters().launches == 0);
}
