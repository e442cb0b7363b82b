// Scans: running sums, products, extremes and logarithms of sums, of every dtype and layout, against plain loops; what comes
// before and after is in the same launch; the same bits every time.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "test/include/looking.hpp"
#include "test/support/all_cases.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;

/// Small whole numbers, of which sums are exact in every dtype, and products where none is more than 1.
template <class T>
array<T> numbers(const shape& s, int most = 3, unsigned seed = 5) {
  std::mt19937 random(seed);
  using E = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
  std::vector<E> all(static_cast<std::size_t>(s.elements()));
  for (E& x : all) {
    const int n = static_cast<int>(random() % static_cast<unsigned>(most + 1));
    x = static_cast<E>(std::is_signed_v<E> && random() % 2 ? -n : n);
  }
  return astype<T>(asarray(all, s));
}

/// The plain loop: `step(total, element)` along an axis of elements in C order.
template <class R, class T>
std::vector<R> running(const std::vector<T>& from, const shape& s, int axis, const std::function<R(R, R)>& step) {
  std::int64_t inner = 1;
  for (int d = axis + 1; d < s.size(); ++d) inner *= s[d];
  std::vector<R> to(from.begin(), from.end());
  for (std::size_t i = 0; i < to.size(); ++i) {
    const std::int64_t place = static_cast<std::int64_t>(i) / inner % s[axis];
    if (place > 0) to[i] = step(to[i - static_cast<std::size_t>(inner)], to[i]);
  }
  return to;
}

/// Elements of a bool array have no vector<bool> of their own.
template <class T>
std::vector<T> elements(const array<T>& a) {
  return a.get();
}
std::vector<unsigned char> elements(const array<bool>& a) {
  const array<std::uint8_t> bytes = astype<std::uint8_t>(a);
  return bytes.get();
}

/// Equal as numbers; NaN equals NaN.
template <class R>
std::size_t first_difference(const std::vector<R>& a, const std::vector<R>& b) {
  if (a.size() != b.size()) return 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(a[i] == b[i] || (a[i] != a[i] && b[i] != b[i]))) return i;
  return a.size();
}
#define SAME(made, wanted)                                     \
  do {                                                         \
    const auto made_ = made;                                   \
    const auto wanted_ = wanted;                               \
    REQUIRE(made_.size() == wanted_.size());                   \
    CHECK(first_difference(made_, wanted_) == wanted_.size()); \
  } while (false)

template <class T, class W>
W wrapped_add(W a, W b) {
  if constexpr (std::is_integral_v<W>)
    return static_cast<W>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  else return a + b;
}
template <class T, class W>
W wrapped_multiply(W a, W b) {
  if constexpr (std::is_integral_v<W>)
    return static_cast<W>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  else return a * b;
}

template <class T>
using wide = typename decltype(cumsum(std::declval<const array<T>&>()))::sinter_element;

template <class T>
void check_all(const array<T>& a) {
  const shape s = a.shape();
  const auto from = elements(a);
  using W = wide<T>;
  using E = std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>;
  for (int axis = 0; axis < s.size(); ++axis) {
    CAPTURE(axis);
    CAPTURE(s);
    const auto number = static_cast<unsigned>(dtype_of<T>) + static_cast<unsigned>(axis + s.size());
    if (takes_in_turn(number)) {
      SAME(elements(array<W>(cumsum(a, axis))), (running<W>(from, s, axis, wrapped_add<T, W>)));
      SAME(elements(array<T>(cummin(a, axis))), (running<E>(from, s, axis, [](E x, E y) { return x < y ? x : y; })));
    }
    if (takes_in_turn(number + 1)) {
      SAME(elements(array<W>(cumprod(a, axis - s.size()))), (running<W>(from, s, axis, wrapped_multiply<T, W>)));
      SAME(elements(array<T>(cummax(a, axis))), (running<E>(from, s, axis, [](E x, E y) { return x > y ? x : y; })));
      SAME(elements(array<double>(cumsum<double>(a, axis))),
           (running<double>(from, s, axis, [](double x, double y) { return x + y; })));
    }
  }
  const shape flat{s.elements()};
  SAME(elements(array<W>(cumsum(a))), (running<W>(from, flat, 0, wrapped_add<T, W>)));
  SAME(elements(array<W>(cumprod(a))), (running<W>(from, flat, 0, wrapped_multiply<T, W>)));
}

std::vector<float> noise_of(unsigned seed, std::size_t count) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> noise(count);
  for (float& x : noise) x = normal(random);
  return noise;
}

}  // namespace

TEST_CASE_TEMPLATE("scans: every dtype, along every axis", T, bool, std::int8_t, std::uint8_t, std::int16_t,
                   std::uint16_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float, double) {
  check_all(numbers<T>({5}, 2));
  check_all(numbers<T>({2, 3, 7}, 2));
  check_all(numbers<T>({3, 41}, 1));
  check_all(numbers<T>({41, 3}, 1));
}

TEST_CASE("scans: dtypes are NumPy's") {
  const array<std::int8_t> a{1, 2};
  const array<std::uint16_t> u{1, 2};
  const array<bool> t{true, true};
  const array<float> f{1, 2};
  CHECK(cumsum(a).dtype() == dtype::int64);
  CHECK(cumprod(u, 0).dtype() == dtype::uint64);
  CHECK(cumsum(t).dtype() == dtype::int64);
  CHECK(cumsum(f).dtype() == dtype::float32);
  CHECK(cumsum<double>(f).dtype() == dtype::float64);
  CHECK(cumsum<std::int8_t>(a, 0).dtype() == dtype::int8);
  CHECK(cummax(a).dtype() == dtype::int8);
  CHECK(cummin(t, 0).dtype() == dtype::bool_);
  CHECK(logcumsumexp(a).dtype() == dtype::float64);
  CHECK(logcumsumexp(f).dtype() == dtype::float32);
  CHECK(f.cumsum(0).dtype() == dtype::float32);
  CHECK(a.cumprod<float>().dtype() == dtype::float32);
}

TEST_CASE("scans: an axis by its name") {
  const array<double> m = (arange<double>(6) + 1).reshape({2, 3});
  CHECK(array<double>(cumsum(m, {.axis = 0})).get() == array<double>(cumsum(m, 0)).get());
  CHECK(array<double>(cumprod(m, {.axis = -1})).get() == array<double>(cumprod(m, 1)).get());
  CHECK(array<float>(cumsum<float>(m, {.axis = 1})).get() == array<float>(cumsum<float>(m, 1)).get());
  CHECK(array<double>(cummax(m, {.axis = 1})).get() == array<double>(cummax(m, 1)).get());
  CHECK(array<double>(cummin(m, {.axis = 1})).get() == array<double>(cummin(m, 1)).get());
  CHECK(array<float>(logcumsumexp<float>(m, {.axis = 1})).get() == array<float>(logcumsumexp<float>(m, 1)).get());
}

TEST_CASE("scans: axes that are not there") {
  const array<double> a = ones({2, 3});
  CHECK_THROWS_AS(cumsum(a, 2), shape_error);
  CHECK_THROWS_AS(cummax(a, -3), shape_error);
  const array<double> scalar = sum(a);
  CHECK_THROWS_AS(cummin(scalar), shape_error);
  SAME(elements(array<double>(cumsum(scalar))), (std::vector<double>{6}));
  CHECK(array<double>(cumsum(scalar)).shape() == shape{1});
}

TEST_CASE("scans: shapes with extents of 0 and 1") {
  for (const shape& s : {shape{0}, shape{1}, shape{1, 1, 1}, shape{0, 3}, shape{3, 0}, shape{1, 5}, shape{5, 1},
                         shape{2, 1, 3}, shape{7, 1}})
    check_all(numbers<double>(s));
}

TEST_CASE("scans: rows and columns of many lengths") {
  for (const std::int64_t n :
       {2, 3, 4, 15, 16, 17, 31, 33, 63, 64, 65, 127, 129, 500, 511, 512, 513, 1023, 1025, 2049, 4097, 8191})
    for (const std::int64_t m : {1, 3, 5, 40}) {
      check_all(numbers<float>({m, n}, 1));
      check_all(numbers<std::int32_t>({n, m}, 1));
    }
}

TEST_CASE("scans: of more than a block holds, along every axis") {
  for (const shape& s : {shape{8193}, shape{3, 16'384}, shape{2, 20'001}, shape{300, 2, 33}, shape{1, 70'000},
                         shape{70'001, 1}, shape{9000, 3}, shape{2000, 40}, shape{2, 5000, 2}, shape{600, 65}})
    check_all(numbers<double>(s, 1));
}

TEST_CASE("scans: a long row in tiles, and over ages of groups of them") {
  const array<double> a = numbers<double>({1'000'003}, 3);
  check_all(a);
  const array<float> n = ones<float>({9'000'001});
  const std::vector<float> made = array<float>(cumsum(n)).get();
  std::size_t off = 0;
  for (std::size_t i = 0; i < made.size(); ++i) off += made[i] != static_cast<float>(i + 1);
  CHECK(off == 0);
}

TEST_CASE("scans: operands of any layout") {
  const array<double> whole = numbers<double>({6, 7, 40}, 1);
  const array<double> a = whole;
  const auto check_view = [](const array<double>& v) { check_all(v); };
  check_view(a(_, slice(1, 6, 2), slice(3, 33)));
  check_view(a(_, _, slice(_, _, -1)));
  check_view(a(slice(_, _, -2), _, slice(_, _, 3)));
  check_view(a.T());
  check_view(a.transpose({1, 2, 0}));
  check_view(broadcast_to(a(0, _, slice(0, 1)), {7, 30}));
  check_view(broadcast_to(a(0, slice(0, 1), _), {50, 40}));
  const array<float> f = numbers<float>({20'005}, 1);
  check_all(array<float>(f(slice(1, _))));
  check_all(array<float>(f(slice(3, _, 2))));
  check_all(array<float>(f(slice(_, _, -1))));
}

TEST_CASE("scans: NaN, infinities and the signs of zeros") {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const array<double> a{1, 3, nan, 2, inf};
  SAME(elements(array<double>(cummax(a))), (std::vector<double>{1, 3, nan, nan, nan}));
  SAME(elements(array<double>(cummin(a))), (std::vector<double>{1, 1, nan, nan, nan}));
  SAME(elements(array<double>(cumsum(a))), (std::vector<double>{1, 4, nan, nan, nan}));
  const array<double> b{-inf, 1, inf, -inf};
  SAME(elements(array<double>(cummax(b))), (std::vector<double>{-inf, 1, inf, inf}));
  SAME(elements(array<double>(cumsum(b))), (std::vector<double>{-inf, -inf, nan, nan}));
  SAME(elements(array<double>(logcumsumexp(array<double>{-inf, -inf, 0}))), (std::vector<double>{-inf, -inf, 0}));
  for (const std::int64_t n : {1, 3, 100, 9000}) {
    const array<float> zeros = full<float>({n}, -0.0f);
    for (const float x : elements(array<float>(cumsum(zeros)))) REQUIRE(std::signbit(x));
    const array<float> columns = full<float>({n, 3}, -0.0f);
    for (const float x : elements(array<float>(cumsum(columns, 0)))) REQUIRE(std::signbit(x));
  }
  array<double> late = ones({20'000});
  late(15'000) = nan;
  const std::vector<double> made = array<double>(cummax(late)).get();
  CHECK(made[14'999] == 1);
  for (std::size_t i = 15'000; i < made.size(); ++i) REQUIRE(std::isnan(made[i]));
}

TEST_CASE("scans: logarithms of sums of exponentials") {
  for (const shape& s : {shape{40}, shape{3, 600}, shape{600, 3}, shape{20'000}}) {
    const array<double> a = numbers<double>(s, 700);
    const int axis = s.size() == 2 && s[0] == 3 ? 1 : 0;
    const std::vector<double> wanted = running<double>(
        a.get(), s, axis, [](double x, double y) { return std::max(x, y) + std::log1p(std::exp(-std::fabs(x - y))); });
    const std::vector<double> made = array<double>(logcumsumexp(a, axis)).get();
    for (std::size_t i = 0; i < made.size(); ++i) REQUIRE(made[i] == doctest::Approx(wanted[i]).epsilon(1e-12));
  }
}

TEST_CASE("scans: what comes before and after is in the same launch") {
  for (const shape& s : {shape{100}, shape{30'000}, shape{40, 30}, shape{3000, 5}, shape{3, 9000}})
    for (int axis = 0; axis < s.size(); ++axis) {
      CAPTURE(s);
      CAPTURE(axis);
      const array<double> x = numbers<double>(s), y = numbers<double>(s, 3, 9);
      const array<double> p = x * y + 1;
      const std::vector<double> sums = array<double>(cumsum(p, axis)).get(),
                                tops = array<double>(cummax(x, axis)).get();
      const std::vector<double> xs = x.get();
      array<double> made;
      CHECK(launches_of([&] { made = cumsum(x * y + 1, axis) * 2 - x; }) == 1);
      std::vector<double> wanted;
      for (std::size_t i = 0; i < xs.size(); ++i) wanted.push_back(sums[i] * 2 - xs[i]);
      SAME(made.get(), wanted);
      CHECK(launches_of([&] { made = cumsum(x * y + 1, axis) - cummax(x, axis); }) == 1);
      for (std::size_t i = 0; i < xs.size(); ++i) wanted[i] = sums[i] - tops[i];
      SAME(made.get(), wanted);
    }
}

TEST_CASE("scans: an element that is read before and after, where too much would have to be kept between the two") {
  for (const shape& s : {shape{2, 1}, shape{40, 70}, shape{3, 500}})
    for (int axis : {0, 1}) {
      CAPTURE(axis);
      const array<std::uint16_t> x = numbers<std::uint16_t>(s);
      const array<std::uint16_t> fused = where(x == logcumsumexp<double>(x, axis), strong<std::uint16_t>(9), x);
      const array<double> sums = logcumsumexp<double>(x, axis);
      SAME(elements(fused), elements(array<std::uint16_t>(where(x == sums, strong<std::uint16_t>(9), x))));
    }
}

TEST_CASE("scans: what reads other points than its own is another kernel") {
  const array<double> x = numbers<double>({6, 50});
  const array<double> steps = cumsum(x, 1), again = cumsum(steps, 1), total = sum(x, {.axis = 1, .keepdims = true});
  SAME(array<double>(cumsum(cumsum(x, 1), 1)).get(), again.get());
  SAME(array<double>(cumsum(cumsum(x, 1), 0)).get(), array<double>(cumsum(steps, 0)).get());
  auto lazy_steps = cumsum(x, 1);
  SAME(array<double>(lazy_steps(_, slice(_, _, -1)) + lazy_steps).get(),
       array<double>(steps(_, slice(_, _, -1)) + steps).get());
  SAME(array<double>(lazy_steps.T() * 2).get(), array<double>(steps.T() * 2).get());
  SAME(array<double>(sum(lazy_steps, 1)).get(), array<double>(sum(steps, 1)).get());
  const array<double> shares = steps / total;
  array<double> made;
  CHECK(launches_of([&] { made = cumsum(x, 1) / sum(x, {.axis = 1, .keepdims = true}); }) == 2);
  SAME(made.get(), shares.get());
  const array<double> wide = ones({3, 6, 50});
  SAME(array<double>(lazy_steps + wide).get(), array<double>(steps + wide).get());
}

TEST_CASE("scans: stored over what they read") {
  for (const shape& s : {shape{50}, shape{20'003}, shape{30, 20}, shape{5000, 3}}) {
    array<double> x = numbers<double>(s);
    const std::vector<double> wanted = array<double>(cumsum(x.copy(), 0)).get();
    array<double> y = x.copy();
    y = cumsum(y, 0);
    SAME(y.get(), wanted);
    array<double> z = x.copy();
    z(ellipsis) = cumsum(z, 0);
    SAME(z.get(), wanted);
  }
  array<double> x = numbers<double>({30'000});
  const std::vector<double> before = x.get();
  const std::vector<double> sums = array<double>(cumsum(array<double>(x(slice(0, -1))).copy())).get();
  x(slice(1, _)) = cumsum(x(slice(0, -1)));
  std::vector<double> wanted{before[0]};
  wanted.insert(wanted.end(), sums.begin(), sums.end());
  SAME(x.get(), wanted);
}

TEST_CASE("scans: the same bits every time, wherever the operands lie") {
  const std::vector<float> noise = noise_of(3, 150'001);
  const array<float> a = asarray(noise);
  const array<float> base = empty<float>({150'004});
  const std::vector<float> first = array<float>(cumsum(a)).get();
  const auto same_bits = [](const std::vector<float>& x, const std::vector<float>& y) {
    return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(float)) == 0;
  };
  for (int turn = 0; turn < 20; ++turn) CHECK(same_bits(array<float>(cumsum(a)).get(), first));
  for (int shift = 1; shift < 4; ++shift) {
    array<float> moved = empty<float>({150'004});
    moved(slice(shift, 150'001 + shift)) = a;
    CHECK(same_bits(array<float>(cumsum(moved(slice(shift, 150'001 + shift)))).get(), first));
  }
  // What else is scanned, and of what dtype, does not matter.
  const array<double> d = astype<double>(a);
  array<float> together;
  array<double> other;
  std::tie(together, other) = eval(cumsum(a) * 1.0f, cummax(d));
  CHECK(same_bits(together.get(), first));
}

template <class T>
void check_long(const shape& s) {
  CAPTURE(s);
  const int axis = s.size() - 1;
  const array<T> a = numbers<T>(s);
  using W = wide<T>;
  const std::vector<W> wanted = running<W>(a.get(), s, axis, wrapped_add<T, W>);
  SAME(elements(array<W>(cumsum(a, axis))), wanted);
  if constexpr (std::is_same_v<T, W>) {
    array<T> b = a.copy();
    b = cumsum(b, axis);
    SAME(b.get(), wanted);
  }
}

// A GPU's blocks fold tiles ahead of those they scan.
TEST_CASE("scans: rows of many tiles") {
  check_long<double>({300'001});
  check_long<float>({5, 100'000});
  check_long<std::int8_t>({400'003});
  const array<float> x = numbers<float>({400'003}), y = numbers<float>({400'004}, 3, 9)(slice(1, _));
  array<float> made;
  CHECK(launches_of([&] { made = cumsum(x * y, 0) - cummax(x, 0) * y; }) == 1);
  const std::vector<float> sums = array<float>(cumsum(array<float>(x * y), 0)).get(),
                           tops = array<float>(cummax(x, 0)).get(), ys = y.get();
  std::vector<float> wanted;
  for (std::size_t i = 0; i < ys.size(); ++i) wanted.push_back(sums[i] - tops[i] * ys[i]);
  SAME(made.get(), wanted);
}

// Whether blocks run ahead depends on what is folded, which must not have a say in the order of folding.
TEST_CASE("scans: a sum of costly elements has the bits of a sum of elements") {
  const std::vector<float> noise = noise_of(7, 300'001);
  const array<float> x = asarray(noise), e = exp(x);
  const std::vector<float> fused = array<float>(cumsum(exp(x))).get(), stepped = array<float>(cumsum(e)).get();
  CHECK(std::memcmp(fused.data(), stepped.data(), fused.size() * sizeof(float)) == 0);
}

TEST_CASE("scans: a graph's launches scan by themselves") {
  const array<float> a = numbers<float>({50'000});
  array<float> x = a.copy(), y;
  const std::vector<float> wanted = array<float>(cumsum(a)).get();
  const graph g = capture([&] { y = cumsum(x) + 0.0f; });
  for (int turn = 0; turn < 3; ++turn) {
    g.launch();
    SAME(y.get(), wanted);
    SAME(array<float>(cumsum(a)).get(), wanted);
    array<float> longer = cumsum(numbers<float>({300'000}));
    synchronize();
  }
}

TEST_CASE("scans: a number without axes is a list of one") {
  const array<double> total = sum(array<double>{1, 2});
  CHECK(cumsum(total).shape() == shape{1});
  CHECK(cumsum(total, 0).get() == std::vector<double>{3});
  CHECK(cumprod(total, -1).get() == std::vector<double>{3});
  CHECK_THROWS_AS((void)cumsum(total, 1), shape_error);
}

// gcc 12 makes vectors for AVX-512 of this that it does not know.
TEST_CASE("scans: of integers that choose between doubles") {
  const array<double> v = asarray(std::vector<double>{1.0});
  CHECK(array<double>(where(v, cumprod<std::int32_t>(v, 0), v)).get() == std::vector<double>{1});
}
