// Convolutions that are folds: many results and few, along one axis and two, with and without an end that lacks products, against
// plain loops. NumPy's own values are in differences_numpy.cpp.
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include <sinter/signal.hpp>
#include <sinter/sinter.hpp>

namespace {

using namespace sinter;

/// Small whole numbers, so that every order of a sum gives the same.
template <class T>
std::vector<T> numbers(std::int64_t n, int from) {
  std::vector<T> all;
  for (std::int64_t i = 0; i < n; ++i) all.push_back(static_cast<T>((i * 37 + from) % 17 - 8));
  return all;
}

template <class T>
void check_sequences(std::int64_t n, std::int64_t m) {
  CAPTURE(n);
  CAPTURE(m);
  const std::vector<T> a = numbers<T>(n, 3), v = numbers<T>(m, 5);
  std::vector<T> wanted(static_cast<std::size_t>(n + m - 1));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t k = 0; k < v.size(); ++k) wanted[i + k] += a[i] * v[k];
  const array<T> x = asarray(a), y = asarray(v), all = asarray(wanted);
  CHECK(array_equal(convolve(x, y), all));
  CHECK(array_equal(convolve(x + 1 - 1, y * 1), all));
  CHECK(array_equal(convolve(y, x), all));
  CHECK(array_equal(convolve(x, y, convolve_mode::valid), all(slice(m - 1, n))));
  CHECK(array_equal(convolve(x, y, convolve_mode::same), all(slice((m - 1) / 2, (m - 1) / 2 + n))));
  CHECK(array_equal(correlate(x, y(slice(_, _, -1)), convolve_mode::full), all));
  CHECK(sum(convolve(x, y)).item() == sum(all).item());
}

TEST_CASE_TEMPLATE("convolutions: sequences", T, float, double, std::int32_t, std::int64_t) {
  check_sequences<T>(300, 40);
  check_sequences<T>(1000, 129);
  check_sequences<T>(120, 100);
  check_sequences<T>(20'000, 33);
}

TEST_CASE_TEMPLATE("convolutions: images", T, float, std::int32_t) {
  constexpr std::int64_t rows = 37, columns = 45, down = 7, across = 6;
  const std::vector<T> a = numbers<T>(rows * columns, 1), v = numbers<T>(down * across, 2);
  const array<T> image = asarray(a, {rows, columns}), kernel = asarray(v, {down, across});
  array<T> wanted = zeros<T>({rows + down - 1, columns + across - 1});
  for (std::int64_t i = 0; i < down; ++i)
    for (std::int64_t k = 0; k < across; ++k)
      wanted(slice(i, i + rows), slice(k, k + columns)) += image * v[static_cast<std::size_t>(i * across + k)];
  CHECK(array_equal(signal::convolve(image, kernel), wanted));
  CHECK(array_equal(signal::convolve(image.T(), kernel.T()), wanted.T()));
  CHECK(array_equal(signal::convolve(image, kernel, convolve_mode::valid),
                    wanted(slice(down - 1, rows), slice(across - 1, columns))));
}

// What lies outside is not multiplied: an infinity in the kernel makes no NaN of it.
TEST_CASE("convolutions: nothing is multiplied by what is outside") {
  array<double> x = ones<double>({500}), v = ones<double>({64});
  v(10) = std::numeric_limits<double>::infinity();
  const array<double> all = convolve(x, v);
  CHECK(!any(isnan(all)).item());
  CHECK(count_nonzero(isinf(all)).item() == 500);
}

TEST_CASE("convolutions: a weighted sum that is the same for many results") {
  const array<float> weights = astype<float>(arange(50));
  const array<float> sums = sum(broadcast_to(weights, {1000, 50}) * 2, 1);
  CHECK(array_equal(sums, full({1000}, 2450.0f)));
  // By the position of a result, too, and few results.
  const array<std::int64_t> places = arange(400);
  const array<float> moved = sum(weights + astype<float>(expand_dims(places, 1)), 1);
  CHECK(array_equal(moved, astype<float>(places * 50 + 1225)));
  CHECK(array_equal(sum(broadcast_to(weights, {3, 50}), 1), full({3}, 1225.0f)));
}

}  // namespace
