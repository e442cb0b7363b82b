// argmin and argmax, whose states are pairs, against plain loops; and what is made of reductions: count_nonzero, ptp.
#include <doctest/doctest.h>

#include <type_traits>

#include "test/include/looking.hpp"
#include "test/include/reference.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;

template <class T, class E>
constexpr bool gives = std::is_same_v<typename std::remove_cvref_t<E>::sinter_element, T>;

/// Few different numbers, so that most extremes are met more than once.
template <class T>
array<T> repeated(const shape& s) {
  std::vector<T> all(static_cast<std::size_t>(s.elements()));
  std::uint32_t at = 1;
  for (T& x : all) at = at * 1664525u + 1013904223u, x = static_cast<T>((at >> 20) % 11);
  return asarray(all, s);
}

template <class T>
void check(const array<T>& a, int axis) {
  CAPTURE(a.shape()[0]);
  CAPTURE(axis);
  const auto [low, high, least, most] = eval(argmin(a, axis), argmax(a, axis), min(a, axis), max(a, axis));
  const tensor from = value_of(a);
  CHECK(worst(value_of(low), reduced(from, fold::argmin, 1u << axis)) == 0);
  CHECK(worst(value_of(high), reduced(from, fold::argmax, 1u << axis)) == 0);
  CHECK(worst(value_of(array<std::int64_t>(argmax(a, axis))), reduced(from, fold::argmax, 1u << axis)) == 0);
  CHECK(worst(value_of(least), reduced(from, fold::min, 1u << axis)) == 0);
  CHECK(worst(value_of(most), reduced(from, fold::max, 1u << axis)) == 0);
}

template <class T>
void check_all_axes(const array<T>& a) {
  for (int axis = 0; axis < a.ndim(); ++axis) check(a, axis);
  const tensor from = value_of(a);
  const unsigned every = (1u << a.ndim()) - 1;
  CHECK(argmin(a).item() == static_cast<std::int64_t>(reduced(from, fold::argmin, every).at[0]));
  CHECK(argmax(a).item() == static_cast<std::int64_t>(reduced(from, fold::argmax, every).at[0]));
}

}  // namespace

TEST_CASE("positions: the first of equal extremes, along every axis and over all, of every length") {
  for (const std::int64_t n : {1, 2, 3, 15, 16, 17, 63, 64, 65, 100, 1000, 4099}) {
    check_all_axes(repeated<float>({n}));
    check_all_axes(repeated<float>({n, 3}));
    check_all_axes(repeated<double>({3, n}));
    check_all_axes(repeated<std::int8_t>({2, n, 5}));
  }
}

TEST_CASE("positions: count in C order of what is reduced, however it lies in memory") {
  const array<float> a = repeated<float>({40, 30, 20});
  check_all_axes(array<float>(a));
  for (const array<float>& view : {a.T(), a(_, slice(_, _, -1)), a(slice(1, _, 2), _, slice(_, _, -3)),
                                   a.transpose(1, 0, 2), a(slice(_, _, -1), slice(_, _, -1), slice(_, _, -1)),
                                   a(_, slice(3, 4)), array<float>(broadcast_to(a(0, 0), {7, 9, 20}))})
    check_all_axes(view);
  CHECK(argmax(a.T()).item() == argmax(a.T().copy()).item());
}

TEST_CASE("positions: long ones are folded in parts") {
  for (const std::int64_t n : {100'000, 1'000'003}) {
    array<float> a = zeros<float>({n});
    CHECK(argmax(a).item() == 0);
    CHECK(argmin(a).item() == 0);
    for (const std::int64_t at : {std::int64_t{0}, n / 3, n - 1}) {
      a(at) = 5;
      CHECK(argmax(a).item() == (at == 0 ? 0 : argmin(-a).item()));
      CHECK(argmax(a(slice(at, _))).item() == 0);
      if (at != 0) a(0) = 0;
    }
  }
  array<int> tall = zeros<int>({300'000, 3});
  tall(123'456, 1) = 1, tall(200'000, 1) = 1;
  CHECK(argmax(tall, 0).get() == std::vector<std::int64_t>{0, 123'456, 0});
  CHECK(argmax(tall).item() == 3 * 123'456 + 1);
  CHECK(argmax(tall.T()).item() == 300'000 + 123'456);
}

TEST_CASE("positions: what ends a fold of truth may be anywhere") {
  for (const std::int64_t n : {1'000, 100'000, 300'001})
    for (const std::int64_t at : {std::int64_t{0}, n / 3, n - 1}) {
      CAPTURE(n);
      CAPTURE(at);
      array<bool> few = zeros<bool>({2, n});
      few(1, at) = true;
      const array<bool> most = !few;
      CHECK(any(few, 1).get() == std::vector<bool>{false, true});
      CHECK(all(most, 1).get() == std::vector<bool>{true, false});
      CHECK(max(few, 1).get() == std::vector<bool>{false, true});
      CHECK(min(most, 1).get() == std::vector<bool>{true, false});
      CHECK(argmax(few, 1).get() == std::vector<std::int64_t>{0, at});
      CHECK(argmin(most, 1).get() == std::vector<std::int64_t>{0, at});
      CHECK(any(few).item());
      CHECK(!all(most).item());
      CHECK(argmax(few).item() == n + at);
      CHECK(any(few(1, slice(at, _))).item());
      CHECK(!any(few(1, slice(at + 1, _))).item());
    }
}

TEST_CASE("positions: NaN wins, the first of several; infinities and the ends of integers are ordinary") {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  for (const int n : {1, 2, 16, 17, 100, 40'000})
    for (const int at : {0, n / 2, n - 1}) {
      CAPTURE(n);
      CAPTURE(at);
      array<float> a = arange<float>(n);
      a(slice(at, _, 3)) = nan;
      CHECK(argmin(a).item() == at);
      CHECK(argmax(a).item() == at);
      array<float> columns = array<float>(ones<float>({n, 3}));
      columns(at, 1) = nan;
      CHECK(argmax(columns, 0).get() == std::vector<std::int64_t>{0, at, 0});
    }
  CHECK(argmax(array<float>{-inf, -inf}).item() == 0);
  CHECK(argmin(array<float>{inf, inf}).item() == 0);
  CHECK(argmin(array<float>{0.f, -0.f}).item() == 0);
  CHECK(argmax(array<std::int64_t>{std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::min()})
            .item() == 0);
  CHECK(argmin(array<std::uint8_t>{255, 255}).item() == 0);
  CHECK(argmax(array<bool>{false, true, true}).item() == 1);
  CHECK(argmin(array<bool>{true, true}).item() == 0);
}

// Loops over whole vectors, and what is left of a row, may call other functions of a library, whose last bits differ.
TEST_CASE_TEMPLATE("positions: extremes of what is computed are those of their array", T, float, double) {
  for (const std::int64_t n : {5, 48, 63, 600, 1000, 3001}) {
    CAPTURE(n);
    const array<T> x = astype<T>(arange<double>(n) % 7) * T(0.37) + T(0.1), same = full<T>({n}, T(0.7));
    const array<T> y = x * T(1.1) - T(0.3);
    const auto check = [&](const auto& e) {
      const array<T> values = e;
      const std::int64_t largest = argmax(e).item(), smallest = argmin(e).item();
      REQUIRE(largest < n);
      REQUIRE(smallest < n);
      CHECK(largest < 7);
      CHECK(smallest < 7);
      CHECK(std::abs(values(largest).item() - max(values).item()) <= 4 * std::numeric_limits<T>::epsilon());
      CHECK(std::abs(values(smallest).item() - min(values).item()) <= 4 * std::numeric_limits<T>::epsilon());
    };
    check(sin(x));
    check(exp(same));
    check(sin(same) * y);
    check(x * y - same);
    check(log(y + T(2)) / x);
  }
}

TEST_CASE("positions: options, dtypes and refusals") {
  const array<float> a{{1, 5, 2}, {5, 0, 0}};
  static_assert(gives<std::int64_t, decltype(argmin(a))> && gives<std::int64_t, decltype(argmax(a, 0))>);
  CHECK(argmax(a).item() == 1);
  CHECK(a.argmin().item() == 4);
  CHECK(argmax(a, 1).get() == std::vector<std::int64_t>{1, 0});
  CHECK(a.argmax(-2).get() == std::vector<std::int64_t>{1, 0, 0});
  CHECK(argmax(a, {.axis = 1, .keepdims = true}).shape() == shape{2, 1});
  CHECK(argmin(a, {.keepdims = true}).shape() == shape{1, 1});
  CHECK(argmax(sum(a)).item() == 0);
  CHECK(argmax(sum(a), 0).item() == 0);
  CHECK((argmax(a * -1, 1) + 10).get() == std::vector<std::int64_t>{10, 11});
  CHECK_THROWS_AS(argmax(a, {.axis = {0, 1}}), shape_error);
  CHECK_THROWS_AS(argmax(a, {.axis = {}}), shape_error);
  CHECK_THROWS_AS(argmin(zeros<float>({0})), shape_error);
  CHECK_THROWS_AS(argmin(zeros<float>({2, 0}), 1), shape_error);
  CHECK(argmin(zeros<float>({2, 0}), 0).get().empty());
}

TEST_CASE("positions: with other reductions of the same elements they are one kernel, and rows may use them") {
  const array<float> x = repeated<float>({300, 257});
  const std::int64_t launches = launches_of([&] {
    const auto [low, high, at, m, v] = eval(min(x), max(x), argmax(x), mean(x), var(x));
    CHECK(x.ravel()(at.item()).item() == high.item());
    CHECK(low.item() == 0);
    CHECK(m.item() == doctest::Approx(5).epsilon(0.1));
    CHECK(v.item() == doctest::Approx(10).epsilon(0.1));
  });
  CHECK(launches == 1);
  const reduce_options along{.axis = 1, .keepdims = true};
  const array<float> picked = where(arange<std::int64_t>(257) == argmax(x, along), x, 0.f);
  CHECK(all(sum(picked, 1) == max(x, 1)).item());
  CHECK(all(count_nonzero(picked, 1) == 1).item());
  const array<float> down = where(arange<std::int64_t>(300).reshape({300, 1}) == argmax(x, 0), x, 0.f);
  CHECK(all(sum(down, 0) == max(x, 0)).item());
}

TEST_CASE("reductions that are made of others: count_nonzero and ptp") {
  const array<float> a{{0, -3, NAN}, {-0.f, 2, 1}};
  static_assert(gives<std::int64_t, decltype(count_nonzero(a))> && gives<float, decltype(ptp(a))>);
  CHECK(count_nonzero(a).item() == 4);
  CHECK(count_nonzero(a, 0).get() == std::vector<std::int64_t>{0, 2, 2});
  CHECK(count_nonzero(a > 0, {.axis = 1, .keepdims = true}).shape() == shape{2, 1});
  CHECK(count_nonzero(zeros<int>({0, 2})).item() == 0);
  CHECK(ptp(a(_, slice(0, 2))).item() == 5);
  CHECK(ptp(a, 1).get()[1] == 2);
  CHECK(std::isnan(ptp(a).item()));
  CHECK(ptp(array<std::uint8_t>{3, 250}).item() == 247);
  CHECK(ptp(array<std::int8_t>{-128, 127}).item() == -1);  // wraps, as NumPy's
  CHECK(ptp(a, {.axis = 0, .keepdims = true}).shape() == shape{1, 3});
  CHECK_THROWS_AS(ptp(zeros<int>({0})), shape_error);
  array<float> spread;
  CHECK(launches_of([&] { spread = ptp(a * 2, 1); }) == 1);
}
