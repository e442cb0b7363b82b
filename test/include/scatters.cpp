// Stores through arrays of indices and masks: NumPy's values; the last of several for one element, or all of them as one.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "test/include/looking.hpp"

namespace sn = sinter;
using sn::_;
using sn::array;
using sn::ellipsis;
using sn::slice;
using ints = std::vector<int>;
using sn::test::moved_by;
using sn::test::place_of;
using sn::test::rerun;
using sn::test::times_in;

TEST_CASE("scatters: through indices") {
  array<int> a = sn::zeros<int>({6});
  a(array<int>{4, 1, -1}) = array<int>{7, 8, 9};
  CHECK(a.get() == ints{0, 8, 0, 0, 7, 9});
  a(array<int>{0, 2}) = 5;
  CHECK(a.get() == ints{5, 8, 5, 0, 7, 9});
  a(array<int>{0, 1}) += 10;
  CHECK(a.get() == ints{15, 18, 5, 0, 7, 9});
  a(array<int>{3, 4}) = a(array<int>{4, 3}) * 2;
  CHECK(a.get() == ints{15, 18, 5, 14, 0, 9});
  a(array<int>{1}) = array<double>{2.9};
  CHECK(a(1).item() == 2);
  a(sn::zeros<int>({0})) = 3;
  CHECK(a.get() == ints{15, 2, 5, 14, 0, 9});
}

TEST_CASE("scatters: mixed with other indices") {
  array<int> m = sn::zeros<int>({3, 4});
  m(_, array<int>{3, 0}) = array<int>{{1, 2}, {3, 4}, {5, 6}};
  CHECK(m.get() == ints{2, 0, 0, 1, 4, 0, 0, 3, 6, 0, 0, 5});
  m(array<int>{0, 2}, array<int>{1, 2}) = array<int>{8, 9};
  CHECK(m.get() == ints{2, 8, 0, 1, 4, 0, 0, 3, 6, 0, 9, 5});
  m(array<int>{1}) = sn::arange<int>(4);
  CHECK(m(1).get() == ints{0, 1, 2, 3});
  array<int> turned = m.T();
  turned(array<int>{0}) = 7;
  CHECK(turned.get() == ints{7, 7, 7, 8, 1, 0, 0, 2, 9, 1, 3, 5});
  CHECK(m(0, 0).item() == 2);
}

TEST_CASE("scatters: the last of several values for one element stays") {
  constexpr int count = 20'000;
  array<int> a = sn::full<int>({7}, -1);
  const array<int> at = sn::arange<int>(count) % 7;
  a(at) = sn::arange<int>(count);
  ints want(7);
  for (int i = 0; i < count; ++i) want[static_cast<std::size_t>(i % 7)] = i;
  CHECK(a.get() == want);
  for (const auto& size : {1, 2, 8}) {
    CAPTURE(size);
    if (size == 1) {
      array<std::uint8_t> b = sn::zeros<std::uint8_t>({3});
      b(array<int>{1, 1, 2}) = array<std::uint8_t>{1, 2, 3};
      CHECK(b.get() == std::vector<std::uint8_t>{0, 2, 3});
    } else if (size == 2) {
      array<std::int16_t> b = sn::zeros<std::int16_t>({3});
      b(array<int>{1, 1, 2}) = array<std::int16_t>{1, 2, 3};
      CHECK(b.get() == std::vector<std::int16_t>{0, 2, 3});
    } else {
      array<double> b = sn::zeros({3});
      b(array<int>{1, 1, 2}) = array<double>{1, 2, 3};
      CHECK(b.get() == std::vector<double>{0, 2, 3});
    }
  }
}

TEST_CASE("scatters: values and copies keep what they had") {
  array<int> a = sn::arange<int>(4);
  const array<int> copy = a;
  const auto before = a + 0;
  a(array<int>{0, 3}) = 9;
  CHECK(a.get() == ints{9, 1, 2, 9});
  CHECK(copy.get() == ints{0, 1, 2, 3});
  CHECK(array<int>(before).get() == ints{0, 1, 2, 3});
}

TEST_CASE("scatters: through masks") {
  array<int> a{1, -2, 3, -4};
  a(a < 0) = 0;
  CHECK(a.get() == ints{1, 0, 3, 0});
  a(a > 0) += 5;
  CHECK(a.get() == ints{6, 0, 8, 0});
  sn::store_where(a, a == 0, sn::arange<int>(4) * 10);
  CHECK(a.get() == ints{6, 10, 8, 30});
  sn::store_where(a(slice(2, _)), a(slice(2, _)) > 8, 40);
  CHECK(a.get() == ints{6, 10, 8, 40});
  sn::store_where(a, a > 8, 1);
  CHECK(a.get() == ints{6, 1, 8, 1});
  array<int> m = sn::arange<int>(6).reshape(3, 2);
  m(array<bool>{true, false, true}) = 7;
  CHECK(m.get() == ints{7, 7, 2, 3, 7, 7});
  CHECK_THROWS_AS(m(array<bool>{true, false}) = 7, sn::index_error);
}

TEST_CASE("scatters: into arrays of any layout, where they are") {
  const array<double> base = sn::arange<double>(48).reshape(6, 8) + 0.0;
  const std::vector<std::pair<std::string, std::function<array<double>()>>> layouts{
      {"transposed", [&] { return array<double>(base + 1).T(); }},
      {"backwards", [&] { return array<double>(base + 1)(sn::slice(_, _, -1), sn::slice(_, _, -1)); }},
      {"every second column", [&] { return array<double>(base + 1)(_, sn::slice(_, _, 2)); }},
      {"a few columns", [&] { return array<double>(base + 1)(_, sn::slice(2, 4)); }},
      {"a column", [&] { return array<double>(base + 1)(_, sn::slice(3, 4)); }},
      {"three axes", [&] { return array<double>(base + 1).reshape(2, 3, 8).transpose(2, 0, 1)(sn::slice(1, 6), 1); }},
  };
  const array<int> k{0, 2, 2, -1}, first{0};
  for (const auto& [name, made] : layouts) {
    INFO(name);
    array<double> a = made();
    array<double> flat = a.copy();
    REQUIRE(!a.is_contiguous());
    const std::vector<std::int64_t> strides = a.strides();
    const void* const place = place_of(a);
    const auto store = [&](array<double>& to) {
      to(k) = 100 + sn::arange<double>(4)(_, sn::newaxis);
      to(k, 0) += 7;
      sn::scatter_add(to, k, to(k));
      sn::scatter_max(to(_, first), 12.5);
    };
    CHECK(moved_by([&] { store(a); }).bytes_copied == 0);
    CHECK(place_of(a) == place);
    CHECK(a.strides() == strides);
    store(flat);
    CHECK(a.get() == flat.get());
  }
}

TEST_CASE("scatters: into the elements of an array_ref, and reading them") {
  array<double> x = sn::arange<double>(20).reshape(4, 5) + 0.0;
  const array<double> before = x;
  const array<double> kept = before + 0;
  const array<int> k{0, 3};
  const auto work = [&](sn::array_ref<double> v) {
    CHECK(array<double>(v(k)).get() == std::vector<double>{1, 16});
    CHECK(array<double>(v[k] + sn::take(v, array<int>{1, 2})).get() == std::vector<double>{7, 27});
    v(k) = 50;
    v[array<int>{1, 1}] = array<double>{60, 61};
    v(array<int>{-1}) += 5;
    sn::scatter_add(v, array<int>{2, 2}, 1);
    v(v > 54) -= 1;
    v[v == 13] = sn::strong(3);
    sn::store_where(v, v == 50, v * 2);
    return v.get();
  };
  CHECK(work(x(_, 1)) == std::vector<double>{100, 60, 3, 54});
  CHECK(array<double>(x(_, 1)).get() == std::vector<double>{100, 60, 3, 54});
  CHECK(array<double>(x(_, 2)).get() == array<double>(kept(_, 2)).get());
  CHECK(before.get() == kept.get());

  // Of a part of a part; and of a whole array.
  const auto inner = [](sn::array_ref<double> v) { v(array<int>{1}) = 9; };
  const auto outer = [&](sn::array_ref<double> v) { inner(v(sn::slice(1, 3))); };
  outer(x(0));
  CHECK(array<double>(x(0)).get() == std::vector<double>{0, 100, 9, 3, 4});
  inner(x);
  CHECK(array<double>(x(1)).get() == std::vector<double>(5, 9));
}

TEST_CASE("scatters: what the log shows" * doctest::skip()) {
  array<double> x = sn::arange<double>(12).reshape(3, 4) + 0.0;
  const array<double> row = x(0);
  x(array<int>{1}) = 5;
  const array<double> all = x;
  x(array<int>{1}) = 6;
}
TEST_CASE("scatters: SINTER_LOG=1 says what a store by indices copied or kept") {
  const rerun logged("scatters: what the log shows", {{"SINTER_LOG", "1"}});
  INFO(logged.output);
  REQUIRE(logged.ok);
  CHECK(times_in(logged.output, "kept 4 elements (32 bytes)") == 1);
  CHECK(times_in(logged.output, "of an array of shape (3, 4) copied it, 96 bytes: another name") == 1);
  CHECK(times_in(logged.output, "a store into") == 2);
}

TEST_CASE("scatters: what does not fit") {
  array<int> a = sn::arange<int>(4);
  CHECK_THROWS_AS(a(array<int>{0, 1}) = array<int>({1, 2, 3}), sn::shape_error);
  const auto beyond = [&] {
    a(array<int>{1, 4}) = 7;
    sn::synchronize();
  };
  CHECK_THROWS_AS(beyond(), sn::index_error);
}

TEST_CASE("scatters: a graph gathers and stores at every launch") {
  array<int> a = sn::zeros<int>({4}), from{1, 2, 3, 4};
  const array<int> k{3, 1, 3};
  a(k) = from(k) + a(k);  // what the capture needs is there
  a(ellipsis) = 0;
  const sn::graph g = sn::capture([&] { a(k) = from(k) + a(k); });
  for (int i = 0; i < 3; ++i) g.launch();
  CHECK(a.get() == ints{0, 6, 0, 12});
}

namespace {

std::int64_t mixed(std::int64_t i) { return i * 7919 + i / 13; }

/// Where each of `count` values goes among `elements`, and the values: small whole numbers.
array<std::int64_t> places(std::int64_t count, std::int64_t elements) {
  std::vector<std::int64_t> at(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) at[static_cast<std::size_t>(i)] = mixed(i) % elements;
  return sn::asarray(at);
}
int small(std::int64_t i, bool is_signed) { return static_cast<int>(mixed(i + 5) % 7) - (is_signed ? 3 : 0); }

template <class T>
array<T> numbers(std::int64_t count) {
  std::vector<int> all;
  for (std::int64_t i = 0; i < count; ++i) all.push_back(small(i, std::is_signed_v<T>));
  return sn::astype<T>(sn::asarray(all));
}

/// The same in order, on the host, as numbers; integers wrap when they are compared.
template <class T, class F>
std::vector<T> in_order(const array<T>& start, const array<std::int64_t>& at, const array<T>& values, F fold) {
  const auto to_ints = [](const array<T>& a) { return array<std::int64_t>(sn::astype<std::int64_t>(a)).get(); };
  std::vector<std::int64_t> all = to_ints(start), value = to_ints(values), place = at.get();
  for (std::size_t i = 0; i < place.size(); ++i) {
    std::int64_t& to = all[static_cast<std::size_t>(place[i])];
    to = fold(to, value[i]);
  }
  return std::vector<T>(all.begin(), all.end());
}
template <class T>
bool same(const array<T>& got, const std::vector<T>& want) {
  if constexpr (std::is_same_v<T, bool>) {
    const auto bytes = array<std::uint8_t>(sn::astype<std::uint8_t>(got)).get();
    return std::equal(bytes.begin(), bytes.end(), want.begin(), want.end());
  } else {
    return got.get() == want;
  }
}

}  // namespace

TEST_CASE_TEMPLATE("scatters: values for one element combine, of every dtype", T, bool, std::int8_t, std::uint8_t,
                   std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float,
                   double) {
  // Few elements, as many as a block has room for, many, and more than there are values.
  for (const std::int64_t elements : {5, 700, 3000, 20'000}) {
    CAPTURE(elements);
    const array<std::int64_t> at = places(12'000, elements);
    const array<T> values = numbers<T>(12'000), start = numbers<T>(elements);
    array<T> a = start.copy(), b = start.copy(), c = start.copy(), d = start.copy();
    sn::scatter_add(a, at, values);
    CHECK(same(a, in_order(start, at, values, [](auto x, auto y) { return x + y; })));
    sn::scatter_add(b, at, values, {.atomic = true});
    CHECK(same(b, in_order(start, at, values, [](auto x, auto y) { return x + y; })));
    sn::scatter_max(c, at, values);
    CHECK(same(c, in_order(start, at, values, [](auto x, auto y) { return std::max(x, y); })));
    sn::scatter_min(d, at, values);
    CHECK(same(d, in_order(start, at, values, [](auto x, auto y) { return std::min(x, y); })));
  }
}

TEST_CASE_TEMPLATE("scatters: sums of floating elements are the same every time, and as exact as in order", T, float,
                   double) {
  constexpr std::int64_t count = 12'000;
  std::vector<T> terms;
  for (std::int64_t i = 0; i < count; ++i)
    terms.push_back(
        static_cast<T>(std::ldexp(static_cast<double>(mixed(i) % 1999 - 999) / 7, static_cast<int>(i % 40) - 20)));
  const array<T> values = sn::asarray(terms);
  for (const std::int64_t elements : {1, 300, 20'000}) {
    CAPTURE(elements);
    const array<std::int64_t> at = places(count, elements);
    array<T> a = sn::full<T>({elements}, T(0.25));
    array<T> again = a.copy();
    sn::scatter_add(a, at, values);
    sn::scatter_add(again, at, values);
    CHECK(a.get() == again.get());
    const std::vector<std::int64_t> place = at.get();
    std::vector<long double> want(static_cast<std::size_t>(elements), 0.25L), sizes = want;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      want[static_cast<std::size_t>(place[i])] += terms[i];
      sizes[static_cast<std::size_t>(place[i])] += std::fabs(terms[i]);
    }
    const std::vector<T> got = a.get();
    for (std::size_t e = 0; e < got.size(); ++e)
      REQUIRE(std::fabs(got[e] - want[e]) <= sizes[e] * std::numeric_limits<T>::epsilon() * 300);
  }
}

TEST_CASE_TEMPLATE("scatters: infinities, NaN, zeros and the smallest numbers", T, float, double) {
  using limits = std::numeric_limits<T>;
  const T inf = limits::infinity(), nan = limits::quiet_NaN(), least = limits::denorm_min(), most = limits::max();
  const array<int> at{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4, 5, 5, 6, 7, 7};
  const array<T> values{inf,   T(1),  inf,   -inf, nan,  T(1),  -inf,  most,
                        least, least, least, most, T(1), T(-2), least, T(1)};
  const array<T> start{0, 0, 0, -1, least, -most, inf, 0};
  array<T> a = start.copy();
  sn::scatter_add(a, at, values);
  const std::vector<T> sums = a.get();
  CHECK(sums[0] == inf);
  CHECK(std::isnan(sums[1]));
  CHECK(std::isnan(sums[2]));
  CHECK(sums[3] == -inf);
  CHECK(sums[4] == 4 * least);
  CHECK((sums[5] == 0 || sums[5] == 1));  // exact, or in order
  CHECK(sums[6] == inf);
  CHECK(sums[7] == 1);
  array<T> b = start.copy();
  sn::scatter_max(b, at, values);
  CHECK(std::isnan(b.get()[2]));
  CHECK(b.get()[5] == most);
  CHECK(b.get()[3] == most);
  array<T> c = start.copy();
  sn::scatter_min(c, at, values);
  CHECK(std::isnan(c.get()[2]));
  CHECK(c.get()[1] == -inf);
}

TEST_CASE("scatters: of two zeros max takes the positive one, and min the other") {
  array<float> high{-0.0f, 0.0f}, low{0.0f, -0.0f};
  sn::scatter_max(high, array<int>{0, 1, 0}, array<float>{0.0f, -0.0f, -0.0f});
  sn::scatter_min(low, array<int>{0, 1, 0}, array<float>{-0.0f, 0.0f, 0.0f});
  for (float x : high.get()) CHECK_FALSE(std::signbit(x));
  for (float x : low.get()) CHECK(std::signbit(x));
}

TEST_CASE("scatters: a few values among many elements") {
  array<double> a = sn::zeros({1'000'000});
  sn::scatter_add(a, array<int>{999'999, 5, -1, 5}, array<double>{0.5, 1, 0.25, 2});
  CHECK(sn::sum(a).item() == 3.75);
  CHECK(a(5).item() == 3);
  CHECK(a(-1).item() == 0.75);
}

TEST_CASE("scatters: what combines is named as in any store") {
  array<int> m = sn::zeros<int>({3, 4});
  const array<int> copy = m;
  sn::scatter_add(m(_, array<int>{3, 0, 3}), array<int>{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}});
  CHECK(m.get() == ints{2, 0, 0, 4, 5, 0, 0, 10, 8, 0, 0, 16});
  CHECK(copy.get() == ints(12, 0));
  sn::scatter_max(m(array<int>{0, 0, 2}, array<int>{1, 1, 3}), array<int>{5, 6, 7});
  CHECK(m.get() == ints{2, 6, 0, 4, 5, 0, 0, 10, 8, 0, 0, 16});
  sn::scatter_add(m, array<int>{1, 1}, array<int>{1, 2, 3, 4});  // rows
  CHECK(m(1).get() == ints{7, 4, 6, 18});
  array<int> turned = m.T();
  sn::scatter_min(turned, array<int>{0}, -1);
  CHECK(turned(0).get() == ints{-1, -1, -1});
  CHECK(m(0, 0).item() == 2);
  sn::scatter_add(m, array<int>{0, 0}, m(array<int>{1, 2}));  // read before anything is written
  CHECK(m(0).get() == ints{2 + 7 + 8, 10, 6, 4 + 18 + 16});
  sn::scatter_add(m, sn::zeros<int>({0}), 3);
  CHECK(m(1).get() == ints{7, 4, 6, 18});
  array<int> own{1, 2, 3}, part = sn::arange<int>(6)(slice(_, _, 2));
  sn::scatter_add(own, array<int>{2, 1, 0}, own);
  CHECK(own.get() == ints{4, 4, 4});
  own(array<int>{0, 2, 1}) = own + part;
  CHECK(own.get() == ints{4, 8, 6});
  sn::scatter_add(own, array<int>{0, 2, 2}, part);
  CHECK(own.get() == ints{4, 8, 12});
  CHECK_THROWS_AS(sn::scatter_add(m, array<int>{0, 1}, sn::zeros<int>({3})), sn::shape_error);
  const auto beyond = [&] {
    sn::scatter_add(m, array<int>{1, 3}, 7);
    sn::synchronize();
  };
  CHECK_THROWS_AS(beyond(), sn::index_error);
}

TEST_CASE("scatters: a graph adds at every launch") {
  array<float> a = sn::zeros<float>({3});
  const array<float> of{1, 2, 4};
  const array<int> k{2, 0, 2};
  sn::scatter_add(a, k, of);  // what the capture needs is there
  a(ellipsis) = 0;
  const sn::graph g = sn::capture([&] { sn::scatter_add(a, k, of); });
  for (int i = 0; i < 3; ++i) g.launch();
  CHECK(a.get() == std::vector<float>{6, 0, 15});
}

TEST_CASE(
    "scatters: elements that were named have no value once taken, and no place once their array has another value") {
  array<double> a = sn::zeros({4});
  const array<int> k{0, 2};
  auto&& taken = a(k);
  const array<double> of = std::move(taken) + 1;
  CHECK(of.get() == std::vector<double>{1, 1});
  CHECK_THROWS_AS((void)taken.shape(), sn::error);
  CHECK_THROWS_AS((void)(std::move(taken) + 1), sn::error);
  auto&& stored = a(k);
  std::move(stored) = 3;
  CHECK_THROWS_AS((void)stored.get(), sn::error);
  CHECK(a.get() == std::vector<double>{3, 0, 3, 0});
  auto&& elsewhere = a(k);
  a = sn::zeros({2});
  CHECK_THROWS_AS(std::move(elsewhere) = 3, sn::error);
  CHECK(a.get() == std::vector<double>{0, 0});
  auto parts = sn::tuple(a, a + 1);
  const auto moved = std::move(parts);
  CHECK_THROWS_AS((void)sn::concatenate(parts), sn::error);
}

TEST_CASE("scatters: indices and values of another device are refused before anything is stored") {
  using sn::device;
  const device other = device::current().type() == device::kind::interpreter ? device::cpu() : device::interpreter();
  array<double> a = sn::zeros({4});
  const array<int> k{0, 2}, elsewhere = k.to(other);
  const array<double> values = array<double>{1, 2}.to(other);
  CHECK_THROWS_AS(a(elsewhere) = 3, sn::device_error);
  CHECK_THROWS_AS(a(k) = values, sn::device_error);
  CHECK_THROWS_AS(a(elsewhere) = values, sn::device_error);
  CHECK_THROWS_AS(sn::scatter_add(a, elsewhere, 1), sn::device_error);
  CHECK(a.get() == std::vector<double>(4, 0));
}

TEST_CASE("scatters: elements under a mask are updated by every operator") {
  array<int> a{1, -2, 3, -4};
  a(a < 0) -= 1;
  CHECK(a.get() == ints{1, -3, 3, -5});
  a(a > 1) %= 2;
  CHECK(a.get() == ints{1, -3, 1, -5});
  a(a < -3) ^= 1;
  CHECK(a.get() == ints{1, -3, 1, -6});
  array<double> d{2, 4};
  d(d > 3) /= 2;
  CHECK(d.get() == std::vector<double>{2, 2});
}

TEST_CASE("scatters: functions that store take a part, and lists") {
  array<int> a{{1, 2, 3}, {4, 5, 6}};
  sn::copyto(a(0), 7);
  CHECK(a.get() == ints{7, 7, 7, 4, 5, 6});
  sn::copyto(a(1), array{1, 2, 3}, a(1) > 4);
  CHECK(a.get() == ints{7, 7, 7, 4, 2, 3});
  sn::putmask(a(_, 1), a(_, 0) > 5, 0);
  CHECK(a.get() == ints{7, 0, 7, 4, 2, 3});
  sn::place(a(1), a(1) < 4, array{8, 9});
  CHECK(a.get() == ints{7, 0, 7, 4, 8, 9});
  sn::put(a(1), {0, 2}, {-1, -2});
  CHECK(a.get() == ints{7, 0, 7, -1, 8, -2});
  sn::put(a, {1}, 5);
  CHECK(a.get() == ints{7, 5, 7, -1, 8, -2});
  sn::put_along_axis(a(slice(1, _)), array<int>{{2}}, 0, 1);
  CHECK(a.get() == ints{7, 5, 7, -1, 8, 0});
  sn::scatter_add(a(0), array{0, 0}, 1);
  sn::scatter_max(a(1), array{0}, 3);
  sn::scatter_min(a(1), array{1}, 2);
  CHECK(a.get() == ints{9, 5, 7, 3, 2, 0});
  a(1).fill(6);
  CHECK(a.get() == ints{9, 5, 7, 6, 6, 6});
  const auto fill = [](sn::array_ref<int> v) {
    v.fill(1);
    sn::copyto(v, 2, v > 0);
    sn::fill_diagonal(v(sn::newaxis), 3);
  };
  fill(a(0, slice(1, _)));
  CHECK(a.get() == ints{9, 3, 2, 6, 6, 6});
}

TEST_CASE("scatters: the diagonal of a part, of which nothing else is copied") {
  array<int> t = sn::zeros<int>({2, 30, 30});
  const array<int> kept = t(1), two{5, 6};
  const auto moved = moved_by([&] {
    sn::fill_diagonal(t(0), 1);
    sn::fill_diagonal(t(0, slice(28, _), slice(28, _)), two);
  });
  CHECK(moved.bytes_copied == 0);
  CHECK(sn::sum(t(0)).item() == 28 + 11);
  CHECK(sn::trace(t(0)).item() == 28 + 11);
  CHECK(sn::sum(t(1)).item() == 0);
  CHECK(sn::sum(kept).item() == 0);
}
