// Sets: NumPy's values for every dtype and layout, and what they refuse.
#include <doctest/doctest.h>

#include <limits>

#include <sinter/sets.hpp>
#include <sinter/sinter.hpp>

#include "test/include/looking.hpp"
#include "test/support/order_cases.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;

template <class T>
array<T> other() {
  return unordered_numbers<T>({9})(slice(2, _));
}
template <class T>
lazy<T> known(const lazy<T>& x) {
  if constexpr (detail::complex_number<T>) return lazy<T>(where(isnan(x), T(7), x));
  else return x;
}
using count = std::int64_t;

std::vector<count> bincount_of(const array<count>& x) {
  std::vector<count> all;
  for (const count i : x.get()) {
    if (i >= static_cast<count>(all.size())) all.resize(static_cast<std::size_t>(i) + 1);
    ++all[static_cast<std::size_t>(i)];
  }
  return all;
}

}  // namespace

#define OF(...) [](const lazy<T>& x) { return __VA_ARGS__; }
#define CASES(name)                                                                                             \
  TEST_CASE_TEMPLATE(name, T, bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, int, std::uint32_t, \
                     std::int64_t, std::uint64_t, half, float, double, std::complex<float>, std::complex<double>)

CASES("sets: unique") {
  const unique_options one_nan{.equal_nan = true};
  check_order_of<T>("unique", OF(lazy<T>(unique(x))));
  check_order_of<T>("unique nan", OF(lazy<T>(unique_values(x))));
  check_order_of<T>("unique counts nan", OF(lazy<count>(unique_counts(x).counts)));
  const auto part = [&](const char* name, auto member) {
    check_order_of<T>(name, [&](const lazy<T>& x) { return lazy<count>(unique_all(x, one_nan).*member); });
  };
  part("unique indices", &unique_result<T>::indices);
  part("unique inverse", &unique_result<T>::inverse_indices);
  part("unique counts", &unique_result<T>::counts);
  check_order_of<T>("unique", [&](const lazy<T>& x) { return lazy<T>(unique_all(x, one_nan).values); });
  check_order_of<T>("unique inverse",
                    [&](const lazy<T>& x) { return lazy<count>(unique_inverse(x, one_nan).inverse_indices); });
}

CASES("sets: two of them") {
  check_order_of<T>("isin", OF(isin(x, other<T>())));
  check_order_of<T>("isin invert", OF(isin(x, other<T>()(slice(0, 1)), {.invert = true})));
  check_order_of<T>("intersect1d", OF(lazy<T>(intersect1d(known(x), known(lazy<T>(other<T>()))))));
  check_order_of<T>("union1d", OF(lazy<T>(union1d(known(x), known(lazy<T>(other<T>()))))));
  check_order_of<T>("setdiff1d", OF(lazy<T>(setdiff1d(known(x), known(lazy<T>(other<T>()))))));
  check_order_of<T>("setxor1d", OF(lazy<T>(setxor1d(known(x), known(lazy<T>(other<T>()))))));
}

TEST_CASE("sets: of different dtypes, and of nothing") {
  const array<int> a{3, 1, 3, 2};
  const array<double> b{2.0, 2.5, 3.0}, none = zeros<double>({0});
  CHECK(intersect1d(a, b).get() == std::vector<double>{2, 3});
  CHECK(union1d(a, b).get() == std::vector<double>{1, 2, 2.5, 3});
  CHECK(isin(a, b).get() == std::vector<bool>{true, false, true, true});
  CHECK(in1d(a.reshape(2, 2), none).get() == std::vector<bool>(4));
  CHECK(unique(none).size() == 0);
  CHECK(setdiff1d(a, none).get() == std::vector<double>{1, 2, 3});
  CHECK(setxor1d(none, none).size() == 0);
  CHECK(intersect1d(none, b).size() == 0);
  const auto [values, first, which, counts] = unique_all(array<float>{7.0f}.reshape(shape{}));
  CHECK(values.get() == std::vector<float>{7});
  CHECK(which.shape() == shape{});
  CHECK(counts.get() == std::vector<std::int64_t>{1});
}

// The numbers are NumPy's.
TEST_CASE("sets: the different parts along an axis") {
  const array<int> m{{3, 1, 3, 1}, {2, 0, 2, 0}, {3, 1, 3, 1}, {1, 5, 1, 5}};
  const auto [rows, first, which, counts] = unique_all(m, {.axis = 0});
  CHECK(array_equal(rows, array<int>{{1, 5, 1, 5}, {2, 0, 2, 0}, {3, 1, 3, 1}}));
  CHECK(first.get() == std::vector<count>{3, 1, 0});
  CHECK(which.get() == std::vector<count>{2, 1, 2, 0});
  CHECK(counts.get() == std::vector<count>{1, 1, 2});
  CHECK(array_equal(unique(m, {.axis = -1}), array<int>{{1, 3}, {0, 2}, {1, 3}, {5, 1}}));
  CHECK(array_equal(unique(m.T() + 0, {.axis = 0}), array<int>{{1, 0, 1, 5}, {3, 2, 3, 1}}));
  CHECK(array_equal(unique(m > 1, {.axis = 0}), array<bool>{{false, true, false, true}, {true, false, true, false}}));
  const array<int> cube = stack(tuple(m, m * 2, m));
  CHECK(array_equal(unique(cube, {.axis = 0}), stack(tuple(m, m * 2))));
  CHECK(array_equal(unique_inverse(cube, {.axis = 0}).inverse_indices, array<count>{0, 1, 0}));
  CHECK(array_equal(unique(cube, {.axis = 1}), cube(_, array<count>{3, 1, 0})));

  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(array_equal(unique(array<double>{{nan, 1}, {nan, 1}, {0, 2}}, {.axis = 0}),
                    array<double>{{0, 2}, {nan, 1}, {nan, 1}}, true));
  CHECK(unique(zeros<int>({3, 0}), {.axis = 0}).shape() == shape{1, 0});
  CHECK(unique(zeros<int>({0, 3}), {.axis = 0}).shape() == shape{0, 3});
  CHECK(unique(zeros<int>({3, 0}), {.axis = 1}).shape() == shape{3, 0});
  CHECK_THROWS_WITH(static_cast<void>(unique(m, {.axis = {0, 1}})),
                    "sinter: unique is along one axis, or of all elements");
  CHECK_THROWS_AS(static_cast<void>(unique(m, {.axis = 2})), shape_error);
}

TEST_CASE("sets: is a number among them?") {
  CHECK(isin(3, array<int>{1, 3}).item());
  const std::vector<int> of{1, 3};
  CHECK(isin(array<int>{0, 1, 3}, of).get() == std::vector<bool>{false, true, true});
  CHECK(isin(array<double>{0.5, 1}, of, {.invert = true}).get() == std::vector<bool>{true, false});
  CHECK(!isin(2.5, array<int>{2, 3}).item());
}

TEST_CASE("sets: of many elements") {
  const std::int64_t n = 30'000;
  const array<std::int64_t> x = arange(n) * 7919 % 1009;
  const auto [values, first, which, counts] = unique_all(x);
  CHECK(values.get() == arange(1009).get());
  CHECK(values(which).get() == x.get());
  CHECK(counts.get() == bincount_of(x));
  CHECK(x(first).get() == values.get());
  CHECK(min(first).item() == 0);
  CHECK(max(first).item() == 1008);
  // A search in what is sorted once, in the kernel of what uses it; on a CPU a call, too.
  const array<std::int64_t> nine = values(slice(0, 9));
  const std::int64_t wanted = sum(counts(slice(0, 9))).item();
  const counters_snapshot moved = moved_by([&] { CHECK(sum(isin(x, nine)).item() == wanted); });
  const bool searches_by_call = device::current() == device::cpu();
  if (!(device::current() == device::interpreter())) CHECK(moved.library_calls == (searches_by_call ? 2 : 1));
}

TEST_CASE("sets: lists and numbers stand for arrays of the element type") {
  const array<std::int64_t> k{2, 0, 1};
  const array<double> a{1, 3};
  using truths = std::vector<bool>;
  CHECK(isin(k, {1, 2}).get() == truths{true, false, true});
  CHECK(isin(k, {1}, {.invert = true}).get() == truths{true, true, false});
  CHECK(isin(k, 1).get() == truths{false, false, true});
  CHECK(isin(a, 3.0).get() == truths{false, true});
  CHECK(isin(3.0, a).item());
  CHECK(in1d(k, {0}).get() == truths{false, true, false});
  CHECK(union1d(k, {7, 1}).get() == std::vector<std::int64_t>{0, 1, 2, 7});
  CHECK(searchsorted(a, {0, 2, 4}).get() == std::vector<std::int64_t>{0, 1, 2});
  CHECK(interp(1.5, {1, 2}, {10, 20}).item() == 15);
}
