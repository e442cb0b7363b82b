// Law 8: a result does not depend on the run: not on what ran before, on the thread, on where in memory the operands
// lie, nor on how many threads share the work.
#include <doctest/doctest.h>

#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "test/include/looking.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;

/// Numbers whose sum depends on the order.
template <class T>
std::vector<T> noise(std::size_t n) {
  std::mt19937 random(42);
  std::vector<T> all(n);
  for (T& x : all)
    x = static_cast<T>(static_cast<double>(random()) / 4294967296.0 - 0.3) *
        static_cast<T>(random() % 7 == 0 ? 1000 : 1);
  return all;
}

std::uint64_t mixed(std::uint64_t h, const void* data, std::size_t size) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < size; ++i) h = (h ^ bytes[i]) * 1099511628211u;
  return h;
}
template <class T>
std::uint64_t digest(const array<T>& a, std::uint64_t h = 14695981039346656037u) {
  const std::vector<T> all = a.get();
  return mixed(h, all.data(), all.size() * sizeof(T));
}

/// Reductions of every form: everything, rows, columns, middle axes, a long one split into parts, with work before and
/// after.
template <class T>
std::uint64_t all_results(const array<T>& flat) {
  const array<T> wide = flat(slice(0, 300'000)).reshape({3, 100'000}),
                 tall = flat(slice(0, 300'000)).reshape({3000, 100});
  const array<T> cube = flat(slice(0, 240'000)).reshape({40, 200, 30});
  std::uint64_t h = digest(array<T>(sum(flat)));
  h = digest(array<T>(sum(flat(slice(0, 16'385)) * 2)), h);
  h = digest(array<T>(mean(wide, 1)), h);
  h = digest(array<T>(sum(wide, 0)), h);
  h = digest(array<T>(sum(tall, 0)), h);
  h = digest(array<T>(sqrt(sum(tall * tall, 1))), h);
  h = digest(array<T>(sum(cube, {.axis = {0, 2}})), h);
  h = digest(array<T>(sum(cube, 1)), h);
  h = digest(array<T>(stddev(wide)), h);
  h = digest(array<T>((tall - mean(tall, {.axis = 0, .keepdims = true})) / stddev(tall, {.axis = 0, .keepdims = true})),
             h);
  h = digest(array<T>(sum(wide.T(), 0)), h);
  h = digest(array<T>(exp(flat / 1000)), h);  // vector functions and their tails
  return h;
}

}  // namespace

TEST_CASE("law 8: twenty runs give the same bits") {
  const array<float> a = asarray(noise<float>(300'001));
  const array<double> b = asarray(noise<double>(300'001));
  const std::uint64_t first = all_results(a), first_double = all_results(b);
  int same = 0;
  for (int run = 0; run < 20; ++run) {
    const array<float> elsewhere = zeros<float>({1 + 1000 * run});  // so that memory is shared out differently
    same += all_results(array<float>(a.copy())) == first && all_results(b) == first_double;
  }
  CHECK(same == 20);
}

TEST_CASE("law 8: threads that reduce at the same time give the same bits") {
  const array<float> a = asarray(noise<float>(300'001));
  const std::uint64_t first = all_results(a);
  std::vector<std::uint64_t> got(8);
  std::vector<std::thread> threads;
  for (std::uint64_t& g : got) threads.emplace_back([&a, &g] { g = all_results(a); });
  for (std::thread& t : threads) t.join();
  for (std::uint64_t g : got) CHECK(g == first);
}

TEST_CASE("law 8: a view at any offset gives the bits of its copy") {
  const array<float> a = asarray(noise<float>(300'001));
  for (int offset : {1, 2, 3, 5}) {
    CAPTURE(offset);
    const array<float> part = a(slice(offset, offset + 240'000));
    CHECK(digest(array<float>(sum(part))) == digest(array<float>(sum(part.copy()))));
    const array<float> rows = part.reshape({240, 1000});
    CHECK(digest(array<float>(mean(rows, 1))) == digest(array<float>(mean(rows.copy(), 1))));
    CHECK(digest(array<float>(exp(part))) == digest(array<float>(exp(part.copy()))));
  }
}

namespace {

/// The bits of every reduction over some axes.
template <class T>
std::uint64_t reductions(const array<T>& a, axes over) {
  const reduce_options how{.axis = over};
  const auto [s, p, low, high, squares, deviation] =
      eval(sum(a, how), prod(a / 300, how), min(a, how), max(a, how), mean(a * a, how), stddev(a, how));
  const auto [some, every] = eval(astype<T>(any(a > 990, how)), astype<T>(all(a > -290, how)));
  std::uint64_t h = digest(every, digest(some));
  for (const array<T>& x : {s, p, low, high, squares, deviation}) h = digest(x, h);
  return h;
}

/// Views of numbers, all of the same shape but of different layouts: each is to reduce to the bits of its copy.
template <class T>
std::vector<std::pair<std::string, array<T>>> layouts(const shape& s) {
  shape padded = s;
  const int last = s.size() - 1;
  for (int d = 0; d <= last; ++d) padded[d] = s[d] + 3;
  padded[last] = 2 * s[last] + 3;
  const array<T> numbers = asarray(noise<T>(static_cast<std::size_t>(padded.elements()))),
                 outer = numbers.reshape(padded);
  std::vector<std::pair<std::string, array<T>>> made;
  for (int start : {0, 1, 2, 3})
    made.emplace_back("starting at " + std::to_string(start), numbers(slice(start, start + s.elements())).reshape(s));
  const auto along_last = [&](const char* how, auto range) {
    const auto cut = [](std::int64_t n) { return slice(1, n + 1); };
    if (last == 0) made.emplace_back(how, outer(range));
    if (last == 1) made.emplace_back(how, outer(cut(s[0]), range));
    if (last == 2) made.emplace_back(how, outer(cut(s[0]), cut(s[1]), range));
  };
  along_last("with gaps, aligned", slice(0, s[last]));
  along_last("with gaps", slice(1, s[last] + 1));
  along_last("with steps", slice(1, 2 * s[last] + 1, 2));
  along_last("backwards", slice(s[last], 0, -1));
  return made;
}

template <class T>
void check_layouts(const shape& s, std::initializer_list<axes> each) {
  for (const auto& [how, view] : layouts<T>(s)) {
    const array<T> copy = view.copy();
    for (const axes& over : each) {
      CAPTURE(s.size());
      CAPTURE(s[0]);
      CAPTURE(how);
      CHECK(reductions(view, over) == reductions(copy, over));
    }
  }
}

}  // namespace

TEST_CASE("law 8: a reduction has the same bits wherever its operand lies, with gaps, with steps and backwards") {
  check_layouts<float>({20'011, 64}, {0});       // few columns, in parts
  check_layouts<float>({50, 3000}, {0, 1});      // many columns; rows
  check_layouts<float>({70'001}, {0});           // one long row
  check_layouts<float>({5, 9001}, {{0, 1}, 1});  // axes that merge unless there are gaps
  check_layouts<float>({301, 3}, {0, 1, {0, 1}});
  check_layouts<float>({12, 33, 70}, {0, 1, 2, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}});
  check_layouts<double>({2011, 6}, {0, 1, {0, 1}});
  check_layouts<float>({40'003, 3}, {0});       // so few columns that they are folded as one stream
  check_layouts<float>({70, 33, 7}, {{0, 1}});  // rows of a stream that do
  CHECK(sum(ones<float>({5, 4})(_, slice(0, 0))).item() == 0);
  check_layouts<double>({9001, 2, 5}, {0, 1, {0, 1}});  // columns of which two axes merge unless there are gaps
  check_layouts<float>({9001, 2, 5}, {0, {0, 1}, {0, 1, 2}});
  check_layouts<float>({700, 5}, {1});    // short rows
  check_layouts<float>({700, 13}, {1});   // longer than the text names
  check_layouts<float>({400, 555}, {1});  // rows that do not fill their lanes
}

TEST_CASE("law 8: the number of threads changes nothing") {
  std::string first;
  for (const std::string threads : {"1", "2", "3", "64"}) {
    CAPTURE(threads);
    const rerun child("process of some threads: digest", {{"SINTER_NUM_THREADS", threads}});
    INFO(child.output);
    CHECK(child.ok);
    const std::size_t at = child.output.find("digest=");
    REQUIRE(at != std::string::npos);
    const std::string digest = child.output.substr(at, 23);
    if (first.empty()) first = digest;
    CHECK(digest == first);
  }
}

TEST_CASE("process of some threads: digest" * doctest::skip()) {
  const std::uint64_t h = all_results(array<float>(asarray(noise<float>(300'001))));
  std::printf("digest=%016llx\n", static_cast<unsigned long long>(h));
  std::fflush(stdout);
  CHECK(h != 0);
}
