// What programs ported from NumPy say in passing: lists where arrays stand, None for a bound, options behind an axis, functions that are
// methods too.
#include <doctest/doctest.h>

#include <complex>
#include <vector>

#include <sinter/fft.hpp>
#include <sinter/filter_design.hpp>
#include <sinter/filters.hpp>
#include <sinter/sinter.hpp>
#include <sinter/spectral.hpp>

namespace {

using namespace sinter;
using numbers = std::vector<double>;

TEST_CASE("spellings: lists in braces") {
  const array<double> f{1, 2, 3};
  const double dt = 0.5;
  const array rows{{1, dt}, {0, 1}}, planes{{{1, dt}}, {{0, -1}}};
  static_assert(std::is_same_v<decltype(rows), const array<double>>);
  CHECK(rows.get() == numbers{1, 0.5, 0, 1});
  CHECK(planes.shape() == shape{2, 1, 2});
  CHECK(append(f, {5, 6}).get() == numbers{1, 2, 3, 5, 6});
  CHECK(append(array<double>{{1, 2}}, {{3, 4}}, 0).get() == numbers{1, 2, 3, 4});
  array<double> a = arange<double>(6);
  place(a, a > 2, {10, 20});
  CHECK(a.get() == numbers{0, 1, 2, 10, 20, 10});
  putmask(a, a > 5, {-1, -2, -3});
  CHECK(a.get() == numbers{0, 1, 2, -1, -2, -3});
  copyto(a, {1, 2, 3, 4, 5, 6});
  CHECK(a.get() == numbers{1, 2, 3, 4, 5, 6});
  copyto(a, {0, 0, 0, 0, 0, 0}, a > 4);
  CHECK(a.get() == numbers{1, 2, 3, 4, 0, 0});
  put_along_axis(a, array<int>{0, 5}, {7, 8}, 0);
  CHECK(a.get() == numbers{7, 2, 3, 4, 0, 8});
  array<double> square = zeros<double>({2, 2});
  fill_diagonal(square, {3, 4});
  CHECK(square.get() == numbers{3, 0, 0, 4});
}

TEST_CASE("spellings: numbers among what is chosen") {
  const array<int> k{0, 2, 1};
  const array<double> x{-1, 0.5, 2};
  CHECK(choose(k, {10, 20, 30}).get() == std::vector<std::int64_t>{10, 30, 20});
  CHECK(choose(k, tuple(x, 0, 1.5)).get() == numbers{-1, 1.5, 0});
  CHECK(select({x < 0, 1 < x}, tuple(-x, 1), 0.25).get() == numbers{1, 0.25, 1});
  CHECK(select({x < 0, 1 < x}, tuple(0, x * x)).get() == numbers{0, 0, 4});
  static_assert(std::is_same_v<decltype(tuple(array<float>{1}, 2))::value_type, float>);
  static_assert(std::is_same_v<decltype(tuple(1, 2.5))::value_type, double>);
}

TEST_CASE("spellings: no bound") {
  const array<int> n{-3, 5, 12};
  CHECK(clip(n, 0, _).get() == std::vector<int>{0, 5, 12});
  CHECK(clip(n, _, 10).get() == std::vector<int>{-3, 5, 10});
  CHECK(n.clip(_, n(0)).get() == std::vector<int>{-3, -3, -3});
}

TEST_CASE("spellings: options behind the axes") {
  const array<double> a = arange<double>(6).reshape(2, 3);
  CHECK(mean(a, 0, {.keepdims = true}).shape() == shape{1, 3});
  CHECK(sum<float>(a, {0, 1}, {.keepdims = true}).shape() == shape{1, 1});
  CHECK(max(a, 1, {.initial = 4}).get() == numbers{4, 5});
  CHECK(var(a, 1, {.ddof = 1}).get() == numbers{1, 1});
  CHECK(any(a > 4, -1, {.keepdims = true}).shape() == shape{2, 1});
  CHECK(nanmean(a, 0, {.keepdims = true}).shape() == shape{1, 3});
  CHECK(nanmax(a, -1, {.keepdims = true}).shape() == shape{2, 1});
  CHECK(a.sum(1, {.keepdims = true}).shape() == shape{2, 1});
  CHECK((a + 1).mean<float>({0, 1}, {.keepdims = true}).get() == std::vector<float>{3.5});
  CHECK(a.max(0, {.initial = 4}).get() == numbers{4, 4, 5});
  CHECK(allclose(stats::zscore(a, {.axis = 1, .ddof = 1}), array<double>{{-1, 0, 1}, {-1, 0, 1}}));
  CHECK(allclose(stats::zscore(a, {.ddof = 1}), stats::zscore(a, 0, 1)));
}

TEST_CASE("spellings: weights along several axes") {
  const array<double> a = arange<double>(24).reshape(2, 3, 4), w = arange<double>(8).reshape(4, 2) + 1;
  const array<double> whole = broadcast_to(w.T()(_, newaxis), {2, 3, 4}), want = average(a, whole, {.axis = {0, 2}});
  CHECK(allclose(average(a, w, {.axis = {2, 0}}), want));
  CHECK(allclose(average(a, w.T(), {.axis = {0, 2}}), want));
  CHECK(allclose(average(a, w.T(), {.axis = {0, -1}, .keepdims = true}), want.reshape(1, 3, 1)));
  CHECK_THROWS_WITH_AS(
      (void)average(a, w, {.axis = {0, 2}}),
      "sinter: an average of shape (2, 3, 4) by weights of shape (4, 2), which do not lie along its axes", shape_error);
  CHECK_THROWS_AS((void)average(a, w, {.axis = 0}), shape_error);
}

TEST_CASE("spellings: functions that are methods too") {
  array<double> a = arange<double>(24).reshape(2, 3, 4);
  const array<double> other = copy(a);
  a += 1;
  CHECK(other(0, 0, 0).item() == 0);
  CHECK(ndim(a) == 3);
  CHECK(asarray(a).get() == a.get());
  CHECK(asarray(a(0, 0) * 2).get() == numbers{2, 4, 6, 8});
  CHECK(size(a + 1) == 24);
  CHECK(a.mT().shape() == shape{2, 4, 3});
  CHECK(all(array(a + 1).mT() == matrix_transpose(a + 1)).item());
  CHECK_THROWS_AS((void)a(0, 0).mT(), shape_error);
}

TEST_CASE("spellings: an axis by its name") {
  const array<double> a = arange<double>(12).reshape(3, 4);
  const array<std::int64_t> k{0, 2};
  CHECK(take(a, k, {.axis = 1}).get() == numbers{0, 2, 4, 6, 8, 10});
  CHECK(take(a, {0, 2}, {.axis = 1}).get() == take(a, k, 1).get());
  CHECK(take(a, 1, {.axis = 0}).get() == numbers{4, 5, 6, 7});
  CHECK(take_along_axis(a, argsort(-a, 1), {.axis = 1}).get() == flip(a, 1).get());
  CHECK(repeat(a, 2, {.axis = 0}).get() == repeat(a, 2, 0).get());
  CHECK(repeat(a, array<int>{0, 2, 0}, {.axis = 0}).shape() == shape{2, 4});
  CHECK(repeat(a, {1, 0, 2}, {.axis = 0}).shape() == shape{3, 4});
  CHECK(concatenate({a, a}, {.axis = 1}).shape() == shape{3, 8});
  CHECK(concatenate(tuple(a, a + 1), {.axis = 1}).get() == hstack(tuple(a, a + 1)).get());
  CHECK(stack({a, a}, {.axis = -1}).shape() == shape{3, 4, 2});
  CHECK(concatenate({a, a}).shape() == shape{6, 4});
  CHECK(append(a, a, {.axis = 1}).get() == concatenate({a, a}, 1).get());
  CHECK(delete_(a, 1, {.axis = 1}).get() == numbers{0, 2, 3, 4, 6, 7, 8, 10, 11});
  CHECK(delete_(a, {0, 1}, {.axis = 0}).get() == delete_(a, slice(0, 2), {.axis = 0}).get());
  CHECK(insert(a, 1, 0, {.axis = 1}).shape() == shape{3, 5});
  CHECK(compress({true, false, true}, a, {.axis = 0}).get() == numbers{0, 1, 2, 3, 8, 9, 10, 11});
  CHECK(a.cumsum({.axis = 0}).get() == cumsum(a, 0).get());
  CHECK((a + 1).cumprod({.axis = 1}).get() == cumprod(a + 1, {.axis = 1}).get());
  CHECK(split(a, 2, {.axis = 1})[1].get() == numbers{2, 3, 6, 7, 10, 11});
  const auto [left, right] = split<2>(a, {.axis = 1});
  CHECK(right.get() == array_split(a, {2}, {.axis = 1})[1].get());
  CHECK(unstack(a, {.axis = 1})[3].get() == numbers{3, 7, 11});
  array<double> b = zeros<double>({2, 3});
  put_along_axis(b, array<int>{{2}, {0}}, 1, {.axis = 1});
  CHECK(b.get() == numbers{0, 0, 1, 1, 0, 0});
  CHECK(average(a, array<double>{1, 0, 0, 1}, 1).get() == numbers{1.5, 5.5, 9.5});
  CHECK(a(ix_({0, 2}, {1, 3})).get() == numbers{1, 3, 9, 11});
  CHECK(signal::lfilter({1.0, -1.0}, {1.0}, a, {.axis = 0})(1, ellipsis).get() == numbers{4, 4, 4, 4});
  CHECK(signal::freqz({1.0}, {1.0, 0.5}).w.shape() == shape{512});
}

TEST_CASE("spellings: complex numbers") {
  using complex = std::complex<double>;
  const array<complex> z{complex(0, 1), complex(-1, 0)};
  CHECK(angle(z, true).get() == numbers{90, 180});
  CHECK(angle(z, false).get() == angle(z).get());
  CHECK(angle(array<std::complex<float>>{1}, true).dtype() == dtype::float32);
  CHECK(iscomplexobj(z));
  CHECK(isrealobj(real(z)));
  CHECK(size(z) == 2);  // std has a size, which complex numbers bring in
}

TEST_CASE("spellings: lengths of transforms made at run time") {
  const array<double> a = arange<double>(12).reshape(3, 4);
  const auto want = fft::fftn(a, {.s = {4, 6}}).get();
  CHECK(fft::fftn(a, {.s = std::vector<int>{4, 6}}).get() == want);
  CHECK(fft::fftn(a, {.s = zeros({4, 6}).shape()}).get() == want);
  CHECK(allclose(fft::irfftn(fft::rfftn(a), {.s = a.shape()}), a));
}

TEST_CASE("spellings: lines of pieces") {
  const array<double> t = arange<double>(10);
  const array<double> bent = where(t < 4, 2 * t, 8 - 3 * t);
  CHECK(allclose(signal::detrend(bent, signal::detrending::linear, -1, 4), zeros({10})));
  CHECK(allclose(signal::detrend(stack(tuple(bent, -bent)), signal::detrending::linear, 1, {4, 7, 4}), zeros({2, 10})));
  CHECK(!allclose(signal::detrend(bent), zeros({10})));
  CHECK_THROWS_WITH_AS((void)signal::detrend(bent, signal::detrending::linear, -1, 11),
                       "sinter: detrend of a piece that begins at 11, of 10 samples", shape_error);
}

}  // namespace
