// Calls of libraries by many threads: 32 of them with the same plans on several streams; one call with a name asked by several at once;
// several results of one call, each asked by another thread. The rest of what threads may do is in threads.cpp.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "test/include/every_call.hpp"
#include "test/include/ordering.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using doubles = std::vector<double>;

constexpr int many = 32;
constexpr std::int64_t rows = 36;

/// Runs `work(i)` on threads that start together. Gives what they threw, a line each.
template <class Work>
std::string on_threads(Work work) {
  std::atomic<int> ready{0};
  std::mutex busy;
  std::string thrown;
  std::vector<std::thread> threads;
  for (int i = 0; i < many; ++i)
    threads.emplace_back([&, i] {
      ++ready;
      while (ready < many) std::this_thread::yield();
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

bool is_near(const doubles& got, const doubles& wanted, double by) {
  return got.size() == wanted.size() && std::equal(got.begin(), got.end(), wanted.begin(), [&](double a, double b) {
           return std::abs(a - b) <= by * (1 + std::abs(b)) || (std::isnan(a) && std::isnan(b));
         });
}
double allowed(const kind_of_call& k) { return k.name.find("float16") == std::string::npos ? 1e-9 : 1e-2; }

}  // namespace

TEST_CASE(
    "threads of calls: 32 of them make every kind of call at once, of shared arrays and their own, on several "
    "streams") {
  const std::vector<array<double>> of = {made_for_calls(rows), made_for_calls(rows, 3), made_for_calls(40, 1)};
  const std::vector<kind_of_call> kinds = every_call();
  std::vector<std::vector<doubles>> wanted;
  for (const array<double>& x : of) {
    wanted.emplace_back();
    for (const kind_of_call& k : kinds) wanted.back().push_back(k.of(x).get());
  }
  const std::vector<stream> streams(6);
  std::atomic<int> wrong{0};
  std::atomic<const char*> what{""};
  const std::string thrown = on_threads([&](int thread) {
    std::mt19937 random(static_cast<unsigned>(thread));
    const stream_scope here(streams[static_cast<std::size_t>(thread) % streams.size()]);
    array<double> mine = of[0];
    mine += 1;
    mine -= 1;
    for (int i = 0; i < 12; ++i) {
      const std::size_t which = random() % kinds.size(), array_of = random() % of.size();
      const kind_of_call& k = kinds[which];
      const bool own = array_of == 0 && i % 2;
      const array<double> made = k.of(own ? mine : of[array_of]);
      if (!is_near(made.get(), wanted[array_of][which], allowed(k))) ++wrong, what = k.name.c_str();
    }
  });
  CHECK(thrown == "");
  CHECK_MESSAGE(wrong == 0, what.load());
}

TEST_CASE("threads of calls: one with a name is worth the same for all that ask it at once") {
  const array<double> x = made_for_calls(rows);
  const std::vector<stream> streams(4);
  for (int round = 0; round < 6; ++round) {
    const auto product = matmul(x + round, x);
    const auto spectrum = fft::fft(x * (1 + round));
    const auto ordered = sort(x - round);
    const auto solution = linalg::solve(every_call_of::dominant(x), x + round);
    std::vector<doubles> products(many), sizes(many), orders(many), solutions(many);
    const std::string thrown = on_threads([&](int thread) {
      const auto t = static_cast<std::size_t>(thread);
      const stream_scope here(streams[t % streams.size()]);
      products[t] = array<double>(product + 1).get();
      sizes[t] = array<double>(abs(spectrum)).get();
      orders[t] = array<double>(ordered * 2).get();
      solutions[t] = array<double>(solution + product).get();
    });
    CHECK(thrown == "");
    for (const std::vector<doubles>* all : {&products, &sizes, &orders, &solutions})
      CHECK(std::all_of(all->begin(), all->end(), [&](const doubles& one) { return one == all->front(); }));
    CHECK(products[0] == array<double>(product + 1).get());
  }
}

TEST_CASE("threads of calls: the results of one call, each asked by another thread, belong together") {
  const array<double> x = made_for_calls(rows);
  for (int round = 0; round < 6; ++round) {
    const auto f = linalg::svd(x + round, {.full_matrices = false});
    const auto top = top_k(x * (round + 1), 4);
    std::vector<array<double>> u(many), s(many), vh(many);
    std::atomic<int> wrong{0};
    const std::string thrown = on_threads([&](int thread) {
      const auto t = static_cast<std::size_t>(thread);
      const stream own;
      const stream_scope here(own);
      if (thread % 3 == 0) u[t] = f.U;
      if (thread % 3 == 1) s[t] = f.S;
      if (thread % 3 == 2) vh[t] = f.Vh;
      const array<double> values = top.values, found = take_along_axis(x * (round + 1), top.indices, -1);
      if (values.get() != found.get()) ++wrong;
    });
    CHECK(thrown == "");
    CHECK(wrong == 0);
    for (int t = 0; t + 2 < many; t += 3) {
      const auto i = static_cast<std::size_t>(t);
      const array<double> again = matmul(u[i] * s[i + 1], vh[i + 2]);
      CHECK(is_near(again.get(), array<double>(x + round).get(), 1e-9));
    }
  }
}

TEST_CASE("threads of calls: an operand that a thread changes behind a call is what it was for the others") {
  const array<double> x = made_for_calls(rows);
  const auto product = matmul(x, x);
  const doubles wanted = array<double>(matmul(x, x)).get();
  std::atomic<int> wrong{0};
  const std::string thrown = on_threads([&](int thread) {
    array<double> mine = x;
    const auto own = matmul(mine, mine);
    mine(0) = static_cast<double>(thread);
    if (!is_near(array<double>(own).get(), wanted, 1e-12) || array<double>(product).get() != wanted) ++wrong;
    const array<double> before = mine;
    mine(ellipsis) = matmul(mine, mine);
    if (mine.get() != array<double>(matmul(before, before)).get()) ++wrong;
  });
  CHECK(thrown == "");
  CHECK(wrong == 0);
}
