// Sorts: NumPy's values for every dtype and layout; rows of every length, up to such as devices sort in parts; what they refuse; and
// how they go with expressions, stores and graphs.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>

#include <sinter/order.hpp>
#include <sinter/sinter.hpp>

#include "test/include/looking.hpp"
#include "test/support/order_cases.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;

template <class T>
lazy<T> major_of(const lazy<T>& x) {
  return astype<T>(arange(x.size()).reshape(x.shape()) % 2);
}
template <class T>
lazy<T> at(const lazy<T>& x, std::int64_t last) {
  return x(ellipsis, last);
}

}  // namespace

#define OF(...) [](const lazy<T>& x) { return __VA_ARGS__; }
#define CASES(name)                                                                                             \
  TEST_CASE_TEMPLATE(name, T, bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, int, std::uint32_t, \
                     std::int64_t, std::uint64_t, half, float, double, std::complex<float>, std::complex<double>)

CASES("order: sort and argsort") {
  check_order_of<T>("sort", OF(sort(x)));
  check_order_of<T>("sort 0", OF(sort(x, 0)));
  check_order_of<T>("sort flat", OF(sort(x.ravel())));
  check_order_of<T>("sort stable", OF(sort(x, {.axis = 0, .stable = true})));
  check_order_of<T>("sort descending", OF(sort(x, {.descending = true})));
  check_order_of<T>("argsort", OF(argsort(x)));
  check_order_of<T>("argsort 0", OF(x.argsort(0)));
  check_order_of<T>("argsort flat", OF(argsort(x.ravel())));
  check_order_of<T>("argsort descending", OF(argsort(x, {.descending = true})));
}

CASES("order: lexsort, partition and top_k") {
  check_order_of<T>("lexsort", OF(lexsort({x, major_of(x)})));
  check_order_of<T>("lexsort 0", OF(lexsort(tuple(major_of(x), x), 0)));
  check_order_of<T>("lexsort rows", OF(lexsort(x)));
  check_order_of<T>("partition", OF(at<T>(partition(x, 2), 2)));
  check_order_of<T>("partition 0", OF(lazy<T>(partition(x, {0, -1}, 0)(-1))));
  check_order_of<T>("top_k", OF(top_k(x, 3).values));
  check_order_of<T>("top_k indices", OF(top_k(x, 3).indices));
  check_order_of<T>("top_k smallest", OF(top_k(x, 3, {.largest = false}).indices));
  check_order_of<T>("argpartition", OF(at<T>(take_along_axis(x, argpartition(x, 3), -1), 3)));
}

namespace {

// Bits that have everything: numbers of either sign, NaN, infinities, and equal ones.
template <class T>
std::vector<T> bits_of_all_kinds(std::int64_t count, std::uint64_t seed) {
  std::vector<T> all(static_cast<std::size_t>(count));
  std::uint64_t state = seed * 0x9e3779b97f4a7c15 + 1;
  for (T& x : all) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    std::uint64_t bits = state * 0x2545f4914f6cdd1d;
    if (bits % 8 == 0) bits = (bits >> 8 & 1) << (8 * sizeof(T) - 1);  // zeros
    else bits = bits % 8 == 1 ? bits >> 60 : bits >> (64 - 8 * sizeof(T));
    if constexpr (std::is_same_v<T, bool>) x = bits & 1;
    else std::memcpy(static_cast<void*>(&x), &bits, sizeof x);
  }
  return all;
}

template <class T>
bool comes_before(T a, T b) {
  if constexpr (std::is_integral_v<T>) return a < b;
  else {
    const auto x = static_cast<double>(a), y = static_cast<double>(b);
    return x < y || (std::isnan(y) && !std::isnan(x));
  }
}

// In whatever order.
template <class T>
bool are_the_same_bits(std::vector<T> a, std::vector<T> b) {
  const auto by_bits = [](const T& x, const T& y) { return std::memcmp(&x, &y, sizeof x) < 0; };
  std::sort(a.begin(), a.end(), by_bits);
  std::sort(b.begin(), b.end(), by_bits);
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

template <class T>
void check_sorts(const std::vector<T>& from, std::int64_t rows, std::int64_t length) {
  CAPTURE(rows);
  CAPTURE(length);
  const array<T> x = asarray(from, {rows, length});
  const auto [sorted, places, fallen, falling] =
      eval(sort(x), argsort(x), sort(x, {.descending = true}), argsort(x, {.descending = true}));
  const std::vector<T> got = sorted.get(), down = fallen.get();
  const std::vector<std::int64_t> at = places.get(), down_at = falling.get();
  std::int64_t wrong = 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    const T* const row = from.data() + r * length;
    std::vector<std::int64_t> want(static_cast<std::size_t>(length));
    std::iota(want.begin(), want.end(), std::int64_t{0});
    std::vector<std::int64_t> back = want;
    std::stable_sort(want.begin(), want.end(), [&](auto a, auto b) { return comes_before(row[a], row[b]); });
    std::stable_sort(back.begin(), back.end(), [&](auto a, auto b) { return comes_before(row[b], row[a]); });
    // The same elements, not only equal ones: none is lost.
    const std::vector<T> all(row, row + length), mine(got.begin() + r * length, got.begin() + (r + 1) * length);
    wrong += !are_the_same_bits(all, mine);
    for (std::int64_t i = 0; i < length; ++i) {
      const auto k = static_cast<std::size_t>(r * length + i), j = static_cast<std::size_t>(i);
      const auto equal = [](T a, T b) { return !comes_before(a, b) && !comes_before(b, a); };
      wrong += at[k] != want[j] || down_at[k] != back[j];
      wrong += !equal(got[k], row[want[j]]) || !equal(down[k], row[back[j]]);
    }
  }
  CHECK(wrong == 0);
}

template <class T>
void check_rows(std::int64_t rows, std::int64_t length) {
  check_sorts(bits_of_all_kinds<T>(rows * length, static_cast<std::uint64_t>(length)), rows, length);
}

// Ranks in order where they belong, lower ones before and higher ones behind; places name every element once.
template <class T>
void check_ranks(const std::vector<T>& from, std::int64_t first, std::int64_t last) {
  const auto n = static_cast<std::int64_t>(from.size());
  CAPTURE(n);
  CAPTURE(first);
  CAPTURE(last);
  const array<T> x = asarray(from);
  const auto [parted, places] = eval(partition(x, {first, last}), argpartition(x, {last, first}));
  const std::vector<T> sorted = sort(x).get(), got = parted.get();
  const std::vector<std::int64_t> at = places.get();
  CHECK(are_the_same_bits(from, got));
  std::vector<bool> named(from.size());
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto j = static_cast<std::size_t>(i);
    const T low = sorted[static_cast<std::size_t>(first)], high = sorted[static_cast<std::size_t>(last)];
    named[static_cast<std::size_t>(at[j])] = true;
    for (const T v : {got[j], from[static_cast<std::size_t>(at[j])]}) {
      wrong += i < first && comes_before(low, v);
      wrong += i > last && comes_before(v, high);
      wrong += i >= first && i <= last && (comes_before(v, sorted[j]) || comes_before(sorted[j], v));
    }
  }
  CHECK(wrong == 0);
  CHECK(std::count(named.begin(), named.end(), false) == 0);
  if (first > 0) return;
  const auto top = top_k(x, last + 1, {.largest = false});
  CHECK(top.indices.get() == argsort(x)(slice(0, last + 1)).get());
}

}  // namespace

TEST_CASE_TEMPLATE("order: ranks of long rows", T, std::uint16_t, half, float, int, double, std::uint64_t) {
  for (const std::int64_t n : {513, 600, 999, 1000, 2000, 4096, 30'001}) {
    if (n > 600 && !(device::current() == device::cpu())) break;  // elsewhere all is sorted
    const std::vector<T> any = bits_of_all_kinds<T>(n, 7);
    std::vector<T> rising = any, falling = any, few = any, same(any.size(), T(3));
    std::sort(rising.begin(), rising.end(), comes_before<T>);
    std::sort(falling.begin(), falling.end(), [](T a, T b) { return comes_before(b, a); });
    for (std::size_t i = 0; i < few.size(); ++i) few[i] = T(static_cast<float>(i * 31 % 5));
    same[static_cast<std::size_t>(n / 3)] = T(2), same[static_cast<std::size_t>(n - 1)] = T(4);
    for (const std::vector<T>& from : {any, rising, falling, few, same}) {
      check_ranks(from, n / 2, n / 2);
      check_ranks(from, std::int64_t{0}, std::int64_t{9});
      check_ranks(from, n - 20, n - 1);
      if (n > 5000) check_ranks(from, n / 10, n / 5), check_ranks(from, n / 10, n - 7);
    }
  }
}

TEST_CASE("order: ranks of several long rows") {
  const array<float> x = astype<float>(arange(5 * 9001) * 7919 % 5003).reshape(5, 9001), sorted = sort(x);
  CHECK(array_equal(partition(x, 77)(_, 77), sorted(_, 77)));
  CHECK(array_equal(partition(x.T() * 1, 8000, 0)(8000), sorted(_, 8000)));
  CHECK(array_equal(top_k(x, 5).values, flip(sorted, 1)(_, slice(0, 5))));
  CHECK(array_equal(sort(partition(x, 77), {.axis = 1}), sorted));
}

TEST_CASE_TEMPLATE("order: rows of every length", T, std::int8_t, bfloat16, std::uint16_t, float, std::int64_t) {
  for (const std::int64_t n : {2, 3, 31, 32, 33, 64, 65, 100, 500, 513, 1025, 2000}) check_rows<T>(n < 600 ? 3 : 1, n);
}

// On a CPU as many at once as vectors have lanes, and what is left of them; on a GPU as many as a block has threads.
TEST_CASE_TEMPLATE("order: many short rows", T, std::int16_t, half, float, std::uint32_t, double, std::int64_t) {
  const bool by_lanes = device::current() == device::cpu();
  for (const std::int64_t n : {2, 3, 5, 8, 9, 31, 64, 100, 255, 256, 257, 511, 512})
    for (const std::int64_t rows : {2, 4, 8, 9, 17, 70, 300})
      if (by_lanes ? rows < 300 : n == 5 && rows == 300) check_rows<T>(rows, n);
}

// Parts of them are sorted as rows and merged: an odd number of pairs, a row alone, and rows of all but one vector.
TEST_CASE_TEMPLATE("order: many rows of middling length", T, std::int16_t, half, float, std::uint32_t, double,
                   std::int64_t) {
  if (!(device::current() == device::cpu())) return;
  for (const std::int64_t n : {513, 600, 1009, 1024, 1025, 2000, 2048, 2049, 4095, 4096, 4097})
    for (const std::int64_t rows : {1, 2, 3, 8, 13}) check_rows<T>(rows, n);
  check_rows<T>(5, 8192), check_rows<T>(3, 8193);
}

TEST_CASE_TEMPLATE("order: long rows", T, std::uint8_t, std::int16_t, half, float, int, double, std::uint64_t) {
  check_rows<T>(1, 8193);
  check_rows<T>(2, 12289);
  // Each thread of a CPU sorts a part.
  if (device::current() == device::cpu()) check_rows<T>(1, 150'001), check_rows<T>(1, 1 << 18);
}

TEST_CASE_TEMPLATE("order: what is in order already, and all but one of it", T, std::int16_t, half, float, int, double,
                   std::int64_t) {
  const std::int64_t n = device::current() == device::cpu() ? 150'000 : 1000;
  std::vector<T> from = bits_of_all_kinds<T>(n, 3);
  std::stable_sort(from.begin(), from.end(), comes_before<T>);
  check_sorts(from, 1, n);
  check_sorts(from, n / 1000, 1000);
  std::swap(from.front(), from.back());
  check_sorts(from, 1, n);
  std::reverse(from.begin(), from.end());
  check_sorts(from, 1, n);
}

TEST_CASE("order: the ends of 64-bit integers") {
  using limits = std::numeric_limits<std::int64_t>;
  const array<std::int64_t> x{limits::max(), -1, limits::min(), 0, limits::min() + 1, limits::max() - 1};
  CHECK(sort(x).get() ==
        std::vector<std::int64_t>{limits::min(), limits::min() + 1, -1, 0, limits::max() - 1, limits::max()});
  const array<std::uint64_t> u{~0ull, 1ull << 63, (1ull << 63) - 1, 0ull, ~0ull - 1};
  CHECK(sort(u).get() == std::vector<std::uint64_t>{0, (1ull << 63) - 1, 1ull << 63, ~0ull - 1, ~0ull});
  CHECK(argsort(u).get() == std::vector<std::int64_t>{3, 2, 1, 4, 0});
}

TEST_CASE("order: equal elements of a stable sort stay as they come") {
  const array<float> zeros{0.0f, -0.0f, 1.0f, -0.0f, 0.0f};
  const std::vector<float> got = sort(zeros, {.stable = true}).get();
  const bool signs[] = {false, true, true, false, false};
  for (std::size_t i = 0; i < 5; ++i) CHECK(std::signbit(got[i]) == signs[i]);
}

TEST_CASE("order: what is refused") {
  const array<double> x = arange<double>(12).reshape(3, 4);
  CHECK_THROWS_WITH(static_cast<void>(sort(x, 2)), "sinter: sort: axis 2 of an array of 2 axes");
  CHECK_THROWS_WITH(static_cast<void>(argsort(x(0, 0))), "sinter: argsort: axis -1 of an array of 0 axes");
  CHECK_THROWS_WITH(static_cast<void>(lexsort({x, x(0)})), "sinter: lexsort by keys of shapes (3, 4) and (4,)");
  CHECK_THROWS_WITH(static_cast<void>(lexsort(std::vector<array<double>>())), "sinter: lexsort by no keys");
  CHECK_THROWS_WITH(static_cast<void>(lexsort(x(0))),
                    "sinter: lexsort of an array that has no keys along its first axis");
  CHECK_THROWS_WITH(static_cast<void>(partition(x, 4)),
                    "sinter: index 4 is out of range for axis 1 of an array of shape (3, 4)");
  CHECK(partition(x, 1, {.axis = 0}).get() == partition(x, 1, 0).get());
  CHECK(argpartition(x, 1, {.axis = 0}).get() == argpartition(x, 1, 0).get());
  CHECK_THROWS_AS(static_cast<void>(argpartition(x, {0, -4}, 0)), index_error);
  CHECK_THROWS_WITH(static_cast<void>(top_k(x, 4, {.axis = 0})), "sinter: top_k of 4 elements along an axis of 3");
  CHECK_THROWS_AS(static_cast<void>(top_k(x, -1)), shape_error);
}

TEST_CASE("order: part of an expression") {
  const array<double> x = astype<double>(arange(600) * 7 % 101).reshape(6, 100);
  array<double> gaps;
  const counters_snapshot moved = moved_by([&] {
    const auto s = sort(x * 2 + 1);
    gaps = (s(_, slice(1, _)) - s(_, slice(0, -1))) / 2;
  });
  const array<double> s = sort(x);
  CHECK(gaps.get() == (s(_, slice(1, _)) - s(_, slice(0, -1))).get());
  if (!(device::current() == device::interpreter())) CHECK(moved.library_calls == 1);
  // Into an array that is there, and over the operand.
  array<double> y = x;
  y(ellipsis) = sort(y, 0);
  CHECK(y.get() == sort(x, 0).get());
  array<double> part = zeros<double>({6, 102});
  part(_, slice(1, 101)) = sort(x);
  CHECK(part(_, slice(1, 101)).get() == s.get());
  CHECK(part(_, 0).get() == std::vector<double>(6));
  CHECK(take_along_axis(x, argsort(x), -1).get() == s.get());
}

TEST_CASE("order: where there is no library" * doctest::skip()) {
  check_rows<float>(3, 1000), check_rows<std::int16_t>(3, 1000), check_rows<double>(3, 1000), check_rows<half>(3, 100);
}

TEST_CASE("order: without Highway the CPU sorts by std::sort, and the log says what is missing") {
  const rerun r("order: where there is no library", {{"SINTER_HIGHWAY", ""}, {"SINTER_LOG", "1"}});
  CHECK(r.ok);
  if (device::current() == device::cpu()) CHECK(times_in(r.output, "Highway was not found; it is in libhwy1") > 0);
}

TEST_CASE("order: part of a graph") {
  array<float> x = astype<float>(arange(20'000) * 7919 % 20'011), sorted;
  array<std::int64_t> places;
  graph g = capture([&] {
    sorted = sort(x);
    places = argsort(x * -1.0f);
  });
  for (int run = 0; run < 2; ++run) {
    x(ellipsis) = astype<float>(arange(20'000) * (7919 + run) % 20'011);
    g.launch();
    CHECK(sorted.get() == sort(x).get());
    CHECK(places.get() == argsort(x * -1.0f).get());
  }
}

// Integers near each other are sorted with their places in one word: from where on there is no room is a matter of both.
TEST_CASE_TEMPLATE("order: places of integers of every range", T, std::int64_t, std::uint64_t) {
  using limits = std::numeric_limits<T>;
  for (const std::int64_t n : {1, 2, 1000, 1024, 70'000})
    for (const int bits : {1, 8, 43, 46, 47, 48, 53, 54, 63, 64})
      for (const bool falls : {false, true}) {
        std::vector<T> values;
        std::uint64_t state = 12345;
        for (std::int64_t i = 0; i < n; ++i) {
          state = state * 6364136223846793005u + 1442695040888963407u;
          const std::uint64_t draw = (state ^ state >> 32) & (~std::uint64_t{0} >> (64 - bits));
          values.push_back(static_cast<T>(static_cast<std::uint64_t>(limits::lowest()) + draw));
        }
        std::vector<std::int64_t> wanted(values.size());
        std::iota(wanted.begin(), wanted.end(), std::int64_t{0});
        std::stable_sort(wanted.begin(), wanted.end(), [&](std::int64_t i, std::int64_t j) {
          const T a = values[static_cast<std::size_t>(i)], b = values[static_cast<std::size_t>(j)];
          return falls ? b < a : a < b;
        });
        CAPTURE(n);
        CAPTURE(bits);
        const array<T> x = asarray(values);
        const std::vector<std::int64_t> got = argsort(x, {.stable = true, .descending = falls}).get();
        CHECK(got == wanted);
      }
}

// Places of keys of 64 bits: near each other, whole, far apart, and alike in their high bits.
TEST_CASE("order: places of 64-bit elements") {
  for (const std::int64_t n : {2, 300, 1000, 70'000}) {
    const array<std::int64_t> mixed = arange(n) * 7919 % 1009, far = mixed * (std::int64_t{1} << 50);
    const array<double> whole = astype<double>(mixed) * 4096, alike = 1 + astype<double>(mixed) * 0x1p-52;
    const array<double> some = astype<double>(mixed) * 1e-300, signs = where(mixed % 3 == 0, -0.0, some);
    const std::vector<std::int64_t> wanted = argsort(astype<std::int32_t>(mixed)).get();
    for (const array<double>& x : {whole, alike, some}) CHECK(argsort(x).get() == wanted);
    CHECK(argsort(far).get() == wanted);
    CHECK(argsort(astype<std::uint64_t>(mixed) + (~std::uint64_t{0} - 2000)).get() == wanted);
    CHECK(argsort(full({n}, 3.5)).get() == arange(n).get());
    const array<double> sorted = take_along_axis(signs, argsort(signs), 0);
    CHECK(all(sorted(slice(1, _)) >= sorted(slice(0, -1))).item());
  }
}
