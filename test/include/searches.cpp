// Searches in sorted arrays: of values in any order, of some at once and of those left over, against the standard library.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <sinter/order.hpp>
#include <sinter/search.hpp>
#include <sinter/sinter.hpp>

namespace {

using namespace sinter;

// NaN comes last.
template <class T>
bool comes_before(T a, T b) {
  return a < b || (b != b && a == a);
}

template <class T>
std::vector<std::int64_t> counted(const std::vector<T>& sorted, const std::vector<T>& values, bool or_equal) {
  std::vector<std::int64_t> all;
  for (const T v : values)
    all.push_back((or_equal ? std::upper_bound(sorted.begin(), sorted.end(), v, comes_before<T>)
                            : std::lower_bound(sorted.begin(), sorted.end(), v, comes_before<T>)) -
                  sorted.begin());
  return all;
}

template <class T>
void check(std::vector<T> sorted, const std::vector<T>& values) {
  std::sort(sorted.begin(), sorted.end(), comes_before<T>);
  const array<T> a = asarray(sorted), v = asarray(values);
  INFO(sorted.size() << " elements, " << values.size() << " values");
  CHECK(searchsorted(a, v).get() == counted(sorted, values, false));
  CHECK(searchsorted(a, v, {.side = search_side::right}).get() == counted(sorted, values, true));
  if (sorted.empty() || sorted.back() != sorted.back()) return;
  const auto is_rising = sorted.size() < 2 || sorted.front() < sorted.back();
  CHECK(digitize(v, a).get() == counted(sorted, values, true));
  if (is_rising && sorted.size() > 1) {
    std::vector<std::int64_t> falling = counted(sorted, values, false);
    for (std::int64_t& n : falling) n = static_cast<std::int64_t>(sorted.size()) - n;
    CHECK(digitize(v, a(slice(_, _, -1)).copy(), true).get() == falling);
  }
}

// Numbers that repeat, in an order that looks like none.
template <class T>
std::vector<T> numbers(std::size_t count, unsigned of, unsigned from) {
  std::vector<T> all(count);
  std::uint64_t state = from;
  for (T& x : all) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    x = static_cast<T>(state >> 33 & (of - 1));
  }
  return all;
}

TEST_CASE_TEMPLATE("searches: of every count, in any order", T, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                   std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float, double) {
  for (const std::size_t n : {0u, 1u, 2u, 3u, 63u, 64u, 65u, 1000u})
    for (const std::size_t count : {1u, 2u, 63u, 64u, 65u, 200u}) {
      std::vector<T> values = numbers<T>(count, 128, 7);
      check(numbers<T>(n, 128, 3), values);
      std::sort(values.begin(), values.end());
      check(numbers<T>(n, 128, 3), values);
      std::reverse(values.begin(), values.end());
      check(numbers<T>(n, 64, 3), values);
    }
}

TEST_CASE_TEMPLATE("searches: of integers near each other and at the ends of what there is", T, std::int8_t,
                   std::uint8_t, std::int16_t, std::int32_t, std::int64_t, std::uint64_t) {
  constexpr T least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
  for (const T from : {least, static_cast<T>(most - 31), static_cast<T>(T(0) - T(16))}) {
    std::vector<T> sorted = numbers<T>(50, 32, 3), values = numbers<T>(100, 32, 7);
    for (T& x : sorted) x = static_cast<T>(x + from);
    for (T& x : values) x = static_cast<T>(x + from);
    values[7] = least, values[8] = most;
    check(sorted, values);
    sorted[9] = least, sorted[10] = most;
    check(sorted, values);
  }
  // Of what is not in order any count within the elements may come, and nothing is written elsewhere.
  for (const T wrong : {least, most}) {
    std::vector<T> sorted = numbers<T>(64, 32, 3);
    sorted[0] = 0, sorted[63] = 31, sorted[32] = wrong;
    const std::vector<std::int64_t> counts = searchsorted(asarray(sorted), asarray(numbers<T>(100, 32, 7))).get();
    CHECK(std::all_of(counts.begin(), counts.end(), [](std::int64_t c) { return c >= 0 && c <= 64; }));
  }
}

TEST_CASE("searches: bool, beyond both ends, and values that are not numbers") {
  const array<bool> truths{false, false, true, true, true};
  CHECK(searchsorted(truths, array<bool>{true, false}, {.side = search_side::right}).get() ==
        std::vector<std::int64_t>{5, 2});
  const double nan = std::nan(""), infinite = std::numeric_limits<double>::infinity();
  std::vector<double> values = numbers<double>(150, 32, 9);
  values[3] = nan, values[70] = -infinite, values[100] = infinite, values[149] = nan, values[5] = -0.;
  std::vector<double> sorted = numbers<double>(90, 32, 5);
  check(sorted, values);
  sorted[0] = sorted[1] = nan, sorted[2] = -infinite;
  check(sorted, values);
  check(std::vector<double>(3, nan), values);
}

TEST_CASE("searches: of several dtypes, shapes and views") {
  const array<int> sorted = astype<int>(arange(100) / 3);
  const array<double> values = (arange(120) * 37 % 40 - 2.5).reshape(10, 12);
  const array<std::int64_t> got = searchsorted(sorted, values(_, slice(_, _, 2)));
  for (std::int64_t r = 0; r < 10; ++r)
    for (std::int64_t c = 0; c < 6; ++c) {
      const double v = static_cast<double>((12 * r + 2 * c) * 37 % 40) - 2.5;
      std::int64_t before = 0;
      while (before < 100 && static_cast<double>(before / 3) < v) ++before;
      CHECK(got(r, c).item() == before);
    }
  CHECK(searchsorted(sorted(slice(_, _, 3)), 5).item() == 5);
  CHECK(sum(searchsorted(sorted, values + 1) * 2).item() ==
        2 * sum(searchsorted(sorted, array<double>(values + 1))).item());
}

}  // namespace

TEST_CASE("searches: a side by itself") {
  const array<double> sorted{1, 2, 2, 3}, values{2, 3};
  CHECK(searchsorted(sorted, values, search_side::right).get() == std::vector<std::int64_t>{3, 4});
  CHECK(searchsorted(sorted, values, search_side::left).get() == std::vector<std::int64_t>{1, 3});
  CHECK(searchsorted(sorted, 2.0, search_side::right).item() == 3);
}
