// Reductions with options, those of what is not NaN, statistics, products and norms: NumPy's values and refusals, of arrays of
// every layout and several dtypes, alone and fused.
#include <doctest/doctest.h>

#include <limits>

#include <sinter/nan_reductions.hpp>
#include <sinter/products.hpp>
#include <sinter/sinter.hpp>
#include <sinter/softmax.hpp>
#include <sinter/statistics.hpp>
#include <sinter/vectors.hpp>

#include "test/support/statistics_cases.hpp"

namespace {

using namespace sinter;
using sinter::test::check_layouts_of, sinter::test::is_real, sinter::test::is_wide;

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class T>
lazy<bool> mask(const lazy<T>& x) {
  return arange(x.size()).reshape(x.shape()) % 3 != 1;
}
template <class T>
lazy<T> first(const lazy<T>& x, std::int64_t count) {
  return x(ellipsis, slice(0, count));
}
template <class T>
lazy<T> turned(const lazy<T>& x) {
  return x(ellipsis, slice(_, _, -1));
}

}  // namespace

#define OF(...) [](const lazy<T>& x) { return __VA_ARGS__; }
#define CASES(...) TEST_CASE_TEMPLATE(__VA_ARGS__, T, int, half, float, double, std::complex<double>)

CASES("statistics: options of reductions") {
  check_layouts_of<T>("sum where", OF(sum(x, {.axis = -1, .where = mask(x)})));
  check_layouts_of<T>("sum initial", OF(sum(x, {.axis = 0, .initial = 3})));
  check_layouts_of<T>("prod where", OF(prod(first(x, 3), {.axis = -1, .where = mask(first(x, 3))})));
  check_layouts_of<T>("any where", OF(any(x, {.axis = -1, .where = mask(x)})));
  check_layouts_of<T>("all where", OF(all(x, {.axis = -1, .where = mask(x)})));
  check_layouts_of<T>("mean where", OF(mean(x, {.axis = -1, .where = mask(x)})));
  check_layouts_of<T>("var where", OF(var(x, {.axis = -1, .ddof = 1, .where = mask(x)})));
  check_layouts_of<T>("std where", OF(stddev(x, {.where = mask(x)})));
  if constexpr (is_real<T>) {
    check_layouts_of<T>("max where", OF(max(x, {.axis = -1, .initial = -2, .where = mask(x)})));
    check_layouts_of<T>("min initial", OF(min(x, {.axis = 0, .keepdims = true, .initial = 2})));
  }
}

CASES("statistics: of what is not NaN") {
  check_layouts_of<T>("nansum", OF(nansum(x, -1)), true);
  check_layouts_of<T>("nansum all", OF(nansum(x)), true);
  check_layouts_of<T>("nanprod", OF(nanprod(first(x, 4), -1)), true);
  check_layouts_of<T>("nanmean", OF(nanmean(x, 0)), true);
  check_layouts_of<T>("nanmean all", OF(nanmean(x)), true);
  check_layouts_of<T>("nanvar", OF(nanvar(x, -1)), true);
  check_layouts_of<T>("nanvar ddof", OF(nanvar(x, {.axis = 0, .ddof = 3})), true);
  check_layouts_of<T>("nanstd", OF(nanstd(x)), true);
  check_layouts_of<T>("nancumsum", OF(nancumsum(x, -1)), true);
  check_layouts_of<T>("nancumsum all", OF(nancumsum(x)), true);
  check_layouts_of<T>("nancumprod", OF(nancumprod(first(x, 4), -1)), true);
  if constexpr (is_real<T>) {
    check_layouts_of<T>("nanmax", OF(nanmax(x, -1)), true);
    check_layouts_of<T>("nanmax all", OF(nanmax(x)), true);
    check_layouts_of<T>("nanmin", OF(nanmin(x, {.axis = 0, .keepdims = true})), true);
    check_layouts_of<T>("nanargmax", OF(nanargmax(x, -1)), true);
    check_layouts_of<T>("nanargmin", OF(nanargmin(x)), true);
  }
}

CASES("statistics: averages and covariances") {
  check_layouts_of<T>("average", OF(average(x, astype<T>(arange(x.shape()[x.ndim() - 1]) % 3 + 1), {.axis = -1})));
  if constexpr (is_real<T>) check_layouts_of<T>("average all", OF(average(x, astype<T>(x * x + T(1)))));
  if constexpr (is_wide<T>) {
    check_layouts_of<T>("cov", OF(cov(x)));
    check_layouts_of<T>("cov columns", OF(cov(x, {.rowvar = false, .ddof = 0})));
    if constexpr (is_real<T> && !std::is_integral_v<T>)
      check_layouts_of<T>("zscore", [](const lazy<T>& x) { return lazy<T>(stats::zscore(x, 0, 1)); });
    if constexpr (sizeof(T) >= 8) {
      check_layouts_of<T>("cov of two", OF(cov(x, turned(x))));
      check_layouts_of<T>("corrcoef", OF(corrcoef(x)));
    }
  }
}

CASES("statistics: products and norms") {
  check_layouts_of<T>("vecdot", OF(vecdot(x, turned(x))));
  check_layouts_of<T>("vecdot 0", OF(vecdot(x, astype<T>(x + T(1)), 0)));
  check_layouts_of<T>("vdot", OF(vdot(x, turned(x))));
  check_layouts_of<T>("inner", OF(inner(x, turned(x))));
  const array<T> one_two_three = astype<T>(array<int>{1, 2, 3});
  check_layouts_of<T>("cross", OF(cross(x(ellipsis, slice(0, 3)), x(ellipsis, slice(-3, _)))));
  check_layouts_of<T>("cross axes", OF(cross(x(slice(0, 3)), x(ellipsis, slice(0, 3), slice(0, 1)),
                                             {.axisa = 0, .axisb = -2, .axisc = 0})));
  check_layouts_of<T>("cross broadcast",
                      [&](const lazy<T>& x) { return cross(x(ellipsis, slice(0, 3)), one_two_three); });
  check_layouts_of<T>("linalg cross", OF(linalg::cross(x(slice(0, 3)), x(slice(-3, _)), 0)));
  check_layouts_of<T>("kron", OF(kron(x, x(ellipsis, slice(0, 2)))));
  check_layouts_of<T>("kron more axes", OF(kron(astype<T>(array<int>{{{1, 2}}, {{3, 4}}}), x)));
  check_layouts_of<T>("outer", OF(outer(x, first(x, 2))));
  check_layouts_of<T>("norm", OF(linalg::norm(x)));
  check_layouts_of<T>("norm rows", OF(linalg::norm(x, {.axis = -1, .keepdims = true})));
  check_layouts_of<T>("norm 1", OF(linalg::norm(x, {.ord = 1, .axis = -1})));
  check_layouts_of<T>("norm inf", OF(linalg::norm(x, {.ord = infinity, .axis = -1})));
  check_layouts_of<T>("norm -inf", OF(linalg::norm(x, {.ord = -infinity, .axis = -1})));
  check_layouts_of<T>("norm 0", OF(linalg::norm(x, {.ord = 0, .axis = -1})));
  if constexpr (is_wide<T> && !std::is_integral_v<T>)
    check_layouts_of<T>("norm 3", OF(linalg::norm(x, {.ord = 3, .axis = -1})));
  check_layouts_of<T>("norm matrix 1", OF(linalg::norm(x, {.ord = 1})));
  check_layouts_of<T>("norm matrix inf", OF(linalg::norm(x, {.ord = infinity, .axis = {0, 1}})));
  check_layouts_of<T>("norm matrix -1", OF(linalg::norm(x, {.ord = -1, .axis = {1, 0}, .keepdims = true})));
  check_layouts_of<T>("norm fro", OF(linalg::norm(x, {.ord = "fro"})));
  check_layouts_of<T>("vector_norm", OF(linalg::vector_norm(x)));
  check_layouts_of<T>("matrix_norm", OF(linalg::matrix_norm(x)));
  check_layouts_of<T>("linalg trace", OF(linalg::trace(x)));
}

TEST_CASE_TEMPLATE("statistics: exponentials over their sum", T, float, double) {
  check_layouts_of<T>("logsumexp", OF(special::logsumexp(x, {.axis = -1})));
  check_layouts_of<T>("logsumexp weights", OF(special::logsumexp(x, fmod(abs(x), 3), {.axis = 0})));
  check_layouts_of<T>("softmax", OF(special::softmax(x, -1)));
  check_layouts_of<T>("log_softmax", OF(special::log_softmax(x, 0)));
}

TEST_CASE("statistics: matrices made of vectors") {
  const array<int> column{1, 2, 3}, row{9, 5, 6, 7};
  CHECK(linalg::toeplitz(column, row).get() == std::vector<int>{1, 5, 6, 7, 2, 1, 5, 6, 3, 2, 1, 5});
  CHECK(linalg::toeplitz(array{1.5}, row).get() == std::vector<double>{1.5, 5, 6, 7});
  CHECK(linalg::toeplitz(array{1, 2, 3}).get() == std::vector<int>{1, 2, 3, 2, 1, 2, 3, 2, 1});
  const array<double> x{{0, 0}, {3, 4}}, y{{3, 0}, {0, 0}, {3, 4}};
  CHECK(spatial::distance_matrix(x, y).get() == std::vector<double>{3, 0, 5, 4, 5, 0});
  CHECK(spatial::distance_matrix(x, y, 1).get() == std::vector<double>{3, 0, 7, 4, 7, 0});
  CHECK_THROWS_AS((void)cross(x, y), shape_error);
  CHECK(x.trace().item() == 4);
  CHECK(column.searchsorted(row).get() == std::vector<std::int64_t>{3, 3, 3, 3});
}

TEST_CASE("statistics: what is refused, and what is one launch") {
  const array<double> a{{1, 2, 3}, {4, 5, 7}};
  CHECK_THROWS_AS(linalg::norm(a, {.ord = 3}), error);  // needs singular values
  CHECK_THROWS_AS(linalg::norm(a, {.ord = "nic"}), error);
  CHECK_THROWS_AS(linalg::norm(a(0), {.ord = "fro"}), error);
  CHECK_THROWS_AS(linalg::norm(a.reshape(1, 2, 3), {.ord = 1}), shape_error);
  CHECK_THROWS_AS(linalg::matrix_norm(a, {.ord = 1, .axis = {0, 0}}), shape_error);
  CHECK_THROWS_AS(average(a, array<double>{1, 2}, {.axis = 1}), shape_error);
  CHECK_THROWS_AS(average(a, a, {.where = a > 2}), error);
  CHECK_THROWS_AS(cov(a.reshape(1, 2, 3)), shape_error);
  CHECK_THROWS_AS(nanargmax(a, {.where = a > 2}), error);
  CHECK(nanmax(a, {.axis = 1, .initial = 4, .where = a < 7}).get() == std::vector<double>{4, 5});
  using complex = std::complex<float>;
  const float infinity = std::numeric_limits<float>::infinity(), no_number = std::numeric_limits<float>::quiet_NaN();
  const array<complex> z{complex(-infinity, no_number), complex(-infinity, -2)};
  CHECK(nanmax(z).item() == complex(-infinity, -2));
  CHECK(nanmin(-z).item() == complex(infinity, 2));
  const array<float> x = arange<float>(0, 60000).reshape({60, 1000}) % 31;
  const auto one = [](const char* name, auto work) {
    CAPTURE(std::string(name));
    work();
    CHECK(test::launches_of(work) == 1);
  };
  one("nanmean", [&] { const array<float> r = nanmean(x * 2) + 1; });
  one("nanmax", [&] { const array<float> r = nanmax(x * 2, 1); });
  one("nanstd", [&] { const array<float> r = nanstd(x, 1); });
  one("norm", [&] { const array<float> r = linalg::norm(x - 1, {.axis = 1, .keepdims = true}) * x; });
  one("softmax", [&] { const array<float> r = special::softmax(x * 2, 1); });
  one("log_softmax", [&] { const array<float> r = special::log_softmax(x * 2, 1); });
  one("logsumexp", [&] { const array<float> r = special::logsumexp(x * 2, {.axis = 1}) + 1; });
  one("zscore", [&] { const array<float> r = stats::zscore(x, 1); });
  one("average", [&] { const array<float> r = average(x, x + 1, {.axis = 0}); });
  one("vecdot", [&] { const array<float> r = vecdot(x + 1, x - 1) * 2; });
}

TEST_CASE("statistics: weights in a list") {
  const array<double> a{{1, 2, 3}, {4, 5, 9}};
  CHECK(average(a, {1, 2, 1}, {.axis = 1}).get() == std::vector<double>{2, 5.75});
  CHECK(average(a(0), {1, 2, 1}).item() == 2);
  CHECK(average(a, {.axis = 1}).get() == std::vector<double>{2, 6});
}

TEST_CASE_TEMPLATE("statistics: ranks", T, int, float, double) {
  using stats::rank_method, stats::rankdata;
  const array<T> x = astype<T>(array<double>{0, 2, 3, 2, -1, 2});
  const auto is = [&](rank_method how, const array<double>& wanted) { CHECK(rankdata(x, how).get() == wanted.get()); };
  is(rank_method::average, {2, 4, 6, 4, 1, 4});
  is(rank_method::min, {2, 3, 6, 3, 1, 3});
  is(rank_method::max, {2, 5, 6, 5, 1, 5});
  is(rank_method::dense, {2, 3, 4, 3, 1, 3});
  is(rank_method::ordinal, {2, 3, 6, 4, 1, 5});
  CHECK(rankdata(x.reshape(2, 3)).get() == rankdata(x).get());
  for (const rank_method how : {rank_method::average, rank_method::dense, rank_method::ordinal})
    CHECK(rankdata(zeros<T>({0}), how).size() == 0);
  if constexpr (std::is_floating_point_v<T>) {
    const array<T> with_nan{T(1), std::numeric_limits<T>::quiet_NaN()};
    CHECK(all(isnan(rankdata(with_nan))).item());
  }
}
