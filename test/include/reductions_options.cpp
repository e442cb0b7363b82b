// The options `where` and `initial` of reductions, against plain loops: every reduction that takes them, of several dtypes and
// layouts; what is refused; one launch.
#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "test/include/looking.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;

template <class T>
array<T> some_numbers() {
  return array<T>(astype<T>(array<double>{{3, -1, 2, 5}, {0, 4, 4, -2}, {1, 6, -3, 2}}));
}

/// A fold of the chosen elements of a row in plain C++.
template <class T, class Step>
std::vector<double> by_rows(const array<T>& a, const array<bool>& mask, double first, Step step) {
  const std::vector<double> elements = array<double>(astype<double>(a)).get();
  const std::vector<int> truths = array<int>(astype<int>(mask)).get();
  const auto [rows, columns] = a.template shape<2>();
  std::vector<double> result;
  for (std::int64_t i = 0; i < rows; ++i) {
    double total = first;
    for (std::int64_t j = i * columns; j < (i + 1) * columns; ++j)
      if (truths[static_cast<std::size_t>(j)]) total = step(total, elements[static_cast<std::size_t>(j)]);
    result.push_back(total);
  }
  return result;
}

template <class E>
std::vector<double> doubles(E&& e) {
  return array<double>(astype<double>(std::forward<E>(e))).get();
}

template <class T>
void check_dtype() {
  const array<T> a = some_numbers<T>();
  const auto larger = [](double x, double y) { return x > y ? x : y; };
  const auto smaller = [](double x, double y) { return x < y ? x : y; };
  const auto plus = [](double x, double y) { return x + y; };
  const auto times = [](double x, double y) { return x * y; };
  const array<bool> chosen{{true, false, true, true}, {false, false, false, false}, {false, true, true, false}};
  CHECK(doubles(sum(a, {.axis = 1, .where = chosen})) == by_rows(a, chosen, 0, plus));
  CHECK(doubles(sum(a, {.axis = 1, .initial = 7, .where = chosen})) == by_rows(a, chosen, 7, plus));
  CHECK(doubles(prod(a, {.axis = 1, .where = chosen})) == by_rows(a, chosen, 1, times));
  CHECK(doubles(max(a, {.axis = 1, .initial = 1, .where = chosen})) == by_rows(a, chosen, 1, larger));
  CHECK(doubles(min(a, {.axis = 1, .initial = 2, .where = chosen})) == by_rows(a, chosen, 2, smaller));
  CHECK(doubles(any(a, {.axis = 1, .where = chosen})) == std::vector<double>{1, 0, 1});
  CHECK(doubles(all(a, {.axis = 1, .where = chosen})) == std::vector<double>{1, 1, 1});
  CHECK(doubles(count_nonzero(a, {.axis = 1, .where = chosen})) == std::vector<double>{3, 0, 2});
  // Of a view, by a mask that is broadcast, with the axis kept.
  const auto turned = a.T()(_, slice(_, _, -1));
  const array<bool> column{{true}, {false}, {true}, {true}};
  const auto kept = sum(turned, {.axis = 0, .keepdims = true, .where = column});
  CHECK(kept.shape() == shape{1, 3});
  CHECK(doubles(kept) == by_rows(array<T>(flip(a, 0)), array<bool>(broadcast_to(column.T(), {3, 4})), 0, plus));
}

}  // namespace

TEST_CASE("reduction options: a mask and a first value, of several dtypes") {
  check_dtype<int>();
  check_dtype<std::int8_t>();
  check_dtype<float>();
  check_dtype<double>();
  check_dtype<half>();
}

TEST_CASE("reduction options: mean and variance of what a mask chooses") {
  const array<double> a{{1, 2, 100, 5}, {1, 1, 1, 1}};
  const array<bool> most{{true, true, false, true}, {false, false, false, false}};
  const std::vector<double> middle = mean(a, {.axis = 1, .where = most}).get();
  CHECK(middle[0] == doctest::Approx(8.0 / 3));
  CHECK(std::isnan(middle[1]));
  CHECK(var(a(0), {.where = most(0)}).item() == doctest::Approx(26.0 / 9));
  CHECK(var(a(0), {.ddof = 1, .where = most(0)}).item() == doctest::Approx(13.0 / 3));
  CHECK(stddev(a(0), {.where = most(0)}).item() == doctest::Approx(std::sqrt(26.0 / 9)));
  CHECK(var(a(0), {.axis = 0, .keepdims = true, .where = most(0)}).shape() == shape{1});
  const array<std::complex<double>> z{std::complex<double>(1, 2), std::complex<double>(3, -1),
                                      std::complex<double>(50, 50)};
  const array<bool> two{true, true, false};
  CHECK(var(z, {.where = two}).item() == doctest::Approx(1 + 2.25));
  CHECK(mean(z, {.where = two}).item() == std::complex<double>(2, 0.5));
  // Far from zero: distances are from the mean.
  const array<double> far = array<double>{1, 2, 3, 4} + 1e9;
  CHECK(var(far, {.where = far > 0}).item() == 1.25);
  static_assert(std::is_same_v<decltype(mean(a, {.where = most}))::sinter_element, double>);
}

TEST_CASE("reduction options: what is not chosen does not matter, and what is empty has its first value") {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const array<double> a{1, none, 3};
  CHECK(sum(a, {.where = a == a}).item() == 4);
  CHECK(max(a, {.initial = 0, .where = a == a}).item() == 3);
  CHECK(std::isnan(max(a, {.initial = 5}).item()));
  CHECK(var(a, {.where = a == a}).item() == 1);
  const array<float> empty = zeros<float>({0, 2});
  CHECK(max(empty, {.axis = 0, .initial = 3}).get() == std::vector<float>{3, 3});
  CHECK(min(empty, {.axis = {0, 1}, .initial = 3}).get() == std::vector<float>{3});
  CHECK(sum(empty, {.axis = 0, .initial = 3}).get() == std::vector<float>{3, 3});
  CHECK(sum(array<int>{1, 2}, {.initial = 2.5}).item() == 5);  // as NumPy has it
  CHECK(sum(array<bool>{true, true}, {.initial = 5}).item() == 7);
  // Of what has no axes.
  const array<double> one = full({}, 3.0);
  CHECK(sum(one, {.where = full({}, false)}).item() == 0);
  CHECK(a.sum({.initial = 1, .where = a == a}).item() == 5);
}

TEST_CASE("reduction options: what is refused") {
  const array<double> a{{1, 2}, {3, 4}};
  CHECK_THROWS_AS(max(a, {.where = a > 2}), error);
  CHECK_THROWS_AS(argmax(a, {.where = a > 2}), error);
  CHECK_THROWS_AS(argmin(a, {.initial = 2}), error);
  CHECK_THROWS_AS(sum(a, {.where = array<bool>{true, false, true}}), shape_error);
  CHECK_THROWS_AS(sum(a(0), {.where = a > 2}), shape_error);  // more axes than the elements have
}

TEST_CASE("reduction options: the mask is computed in the launch that folds") {
  const array<float> x = arange<float>(0, 5000), y = x * 0.5f;
  const array<float> warm = sum(x * 2, {.initial = 1, .where = y > 3});
  CHECK(launches_of([&] { const array<float> s = sum(x * 2, {.initial = 1, .where = y > 3}); }) == 1);
  CHECK(launches_of([&] { const array<float> s = mean(x, {.where = y > 3}); }) == 1);
  const array<float> rows = x.reshape({50, 100});
  CHECK(launches_of([&] { const array<float> s = var(rows, {.axis = 1, .where = rows > 3}); }) == 1);
}

TEST_CASE("reduction options: what is asked of the same elements is one pass over them") {
  const auto five = [](const auto& x, const reduce_options& how) {
    return eval(min(x, how), max(x, how), argmax(x, how), mean(x, how), var(x, how));
  };
  const array<float> x = arange<float>(0, 300000) % 1001, m = x.reshape({300, 1000});
  const auto check = [&](const array<float>& of, const reduce_options& how) {
    const auto warm = five(of, how);
    CHECK(launches_of([&] { const auto again = five(of, how); }) == 1);
  };
  check(x, {});
  check(m, {.axis = 0});
  check(m, {.axis = 1});
}

TEST_CASE("reductions: the logarithm of an empty sum is minus infinity") {
  const array<double> none = special::logsumexp(zeros({3, 0}), {.axis = -1});
  CHECK(special::logsumexp(zeros({3, 2}), 1).get() == special::logsumexp(zeros({3, 2}), {.axis = 1}).get());
  CHECK(none.get() == std::vector<double>(3, -INFINITY));
}
