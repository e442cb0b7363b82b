// Convolutions that are folds: many results and few, along one axis and two, with and without an end that lacks products, against
// plain loops. NumPy's own values are in differences_numpy.cpp.
#include <doctest/doctest.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include <sinter/polynomial.hpp>
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
  check_sequences<T>(700, 400);  // with zeros around it
  check_sequences<T>(700, 600);  // with ends that are halved
  if (std::is_same_v<T, double>) check_sequences<T>(1300, 1300);
  check_sequences<T>(17'000, 500);
}

// What the dtype has no loop of is made of other convolutions.
TEST_CASE("convolutions: complex numbers, halves, truth") {
  const array<double> x = asarray(numbers<double>(600, 3)), y = asarray(numbers<double>(600, 5));
  const array<double> v = asarray(numbers<double>(400, 2)), w = asarray(numbers<double>(400, 7));
  const std::complex<double> i(0, 1);
  const array<std::complex<double>> z = x + i * y, u = v + i * w, all = convolve(z, u);
  CHECK(array_equal(all, convolve(x, v) - convolve(y, w) + i * (convolve(x, w) + convolve(y, v))));
  CHECK(array_equal(convolve(astype<std::complex<float>>(z), astype<std::complex<float>>(u)),
                    astype<std::complex<float>>(all)));
  const array<half> few = astype<half>(x % 2);
  CHECK(array_equal(astype<double>(convolve(few, astype<half>(v % 2))), convolve(abs(x % 2), abs(v % 2))));
  for (const array<double>& by : {v, y}) {  // 400 elements, and 600, whose ends are halved
    const array<bool> some = x > 7, others = by > 7;
    CHECK(array_equal(convolve(some, others), convolve(astype<int>(some), astype<int>(others)) > 0));
  }
}

template <class T>
void check_images(std::int64_t rows, std::int64_t columns, std::int64_t down, std::int64_t across) {
  const std::vector<T> a = numbers<T>(rows * columns, 1), v = numbers<T>(down * across, 2);
  const array<T> image = asarray(a, {rows, columns}), kernel = asarray(v, {down, across});
  array<T> wanted = zeros<T>({rows + down - 1, columns + across - 1});
  for (std::int64_t i = 0; i < down; ++i)
    for (std::int64_t k = 0; k < across; ++k)
      wanted(slice(i, i + rows), slice(k, k + columns)) += image * v[static_cast<std::size_t>(i * across + k)];
  using enum convolve_mode;
  const auto folded = [](const auto& x, const auto& by, convolve_mode mode) {
    return signal::convolve(x, by, mode, convolve_method::direct);
  };
  CHECK(array_equal(folded(image, kernel, full), wanted));
  CHECK(array_equal(folded(image.T(), kernel.T(), full), wanted.T()));
  CHECK(array_equal(folded(image, kernel, valid), wanted(slice(down - 1, rows), slice(across - 1, columns))));
  const std::int64_t top = (down - 1) / 2, left = (across - 1) / 2;
  CHECK(array_equal(folded(image, kernel, same), wanted(slice(top, top + rows), slice(left, left + columns))));
}

TEST_CASE_TEMPLATE("convolutions: images", T, float, std::int32_t) {
  check_images<T>(37, 45, 7, 6);
  check_images<T>(90, 131, 7, 6);
  check_images<T>(40, 50, 30, 41);
}

// What lies outside is not multiplied: an infinity in the kernel makes no NaN of it.
TEST_CASE("convolutions: nothing is multiplied by what is outside") {
  for (const std::int64_t n : {500, 3000, 30'000}) {
    array<double> x = ones<double>({n}), v = ones<double>({64});
    v(10) = std::numeric_limits<double>::infinity();
    CHECK(!any(isnan(convolve(x, v))).item());
    CHECK(count_nonzero(isinf(convolve(x, v))).item() == n);
    x(n - 1) = std::numeric_limits<double>::quiet_NaN();
    CHECK(count_nonzero(isnan(convolve(x, v))).item() == 64);
  }
  for (const std::int64_t at : {0, 10, 700, 799}) {  // with ends that are halved
    array<double> x = ones<double>({900}), v = ones<double>({800});
    v(at) = std::numeric_limits<double>::infinity();
    CHECK(!any(isnan(convolve(x, v))).item());
    CHECK(count_nonzero(isinf(convolve(x, v))).item() == 900);
    x(at) = std::numeric_limits<double>::quiet_NaN();
    CHECK(count_nonzero(isnan(convolve(x, v))).item() == 800);
  }
  const array<float> image = ones<float>({100, 90}),
                     kernel = full<float>({8, 9}, std::numeric_limits<float>::infinity());
  CHECK(all(isinf(signal::convolve(image, kernel))).item());
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

template <class T>
void check_windows(std::int64_t n, std::int64_t length) {
  CAPTURE(n);
  CAPTURE(length);
  const std::vector<T> a = numbers<T>(n, 7);
  std::vector<T> sums, largest, weighted;
  std::vector<std::int64_t> places;
  for (std::size_t i = 0; i + static_cast<std::size_t>(length) <= a.size(); ++i) {
    const auto* from = a.data() + i;
    const auto* at = std::max_element(from, from + length);
    largest.push_back(*at);
    places.push_back(at - from);
    sums.push_back(std::accumulate(from, from + length, T{}));
    weighted.push_back(T{});
    for (std::int64_t k = 0; k < length; ++k) weighted.back() += from[k] * static_cast<T>(k % 5);
  }
  const array<T> x = asarray(a), weights = astype<T>(arange(length) % 5);
  CHECK(array_equal(sum(sliding_window_view(x, length), 1), asarray(sums)));
  CHECK(array_equal(sum(sliding_window_view(x * 2, length) * weights, 1), asarray(weighted) * 2));
  CHECK(array_equal(sum(sliding_window_view(x(slice(_, _, -1)), length), 1), asarray(sums)(slice(_, _, -1))));
  const auto [most, place] = eval(max(sliding_window_view(x, length), 1), argmax(sliding_window_view(x, length), 1));
  CHECK(array_equal(most, asarray(largest)));
  CHECK(array_equal(place, asarray(places)));
}

TEST_CASE_TEMPLATE("convolutions: windows that overlap", T, float, double, std::int32_t) {
  check_windows<T>(280, 20);
  check_windows<T>(1400, 1100);
  check_windows<T>(5'200, 1'100);  // several columns to a thread of a GPU, in parts
  check_windows<T>(30'011, 13);
  check_windows<T>(300'007, 5);
}

// Each window has numbers of its own beside those that it shares.
TEST_CASE("convolutions: windows times a matrix") {
  constexpr std::int64_t n = 1200, length = 30;
  const array<float> x = astype<float>(arange(n + length - 1) % 7);
  const array<float> m = astype<float>(reshape(arange(n * length) % 5, {n, length}));
  array<float> wanted = zeros<float>({n});
  for (std::int64_t k = 0; k < length; ++k) wanted += x(slice(k, k + n)) * m(_, k);
  CHECK(array_equal(sum(sliding_window_view(x, length) * m, 1), wanted));
  CHECK(array_equal(sum(m * sliding_window_view(x, length), 1), wanted));
  const array<float> turned = m.T() * 1;
  CHECK(array_equal(sum(sliding_window_view(x, length) * turned.T(), 1), wanted));
}

TEST_CASE("convolutions: windows of images") {
  constexpr std::int64_t rows = 60, columns = 47, down = 4, across = 7;
  const array<double> image = asarray(numbers<double>(rows * columns, 4), {rows, columns});
  array<double> wanted = zeros<double>({rows - down + 1, columns - across + 1});
  for (std::int64_t i = 0; i < down; ++i)
    for (std::int64_t k = 0; k < across; ++k)
      wanted += image(slice(i, i + rows - down + 1), slice(k, k + columns - across + 1));
  CHECK(array_equal(sum(sliding_window_view(image, {down, across}), {.axis = {2, 3}}), wanted));
  CHECK(array_equal(sum(sliding_window_view(image.T(), {across, down}), {.axis = {2, 3}}), wanted.T()));
}

template <class T>
void check_methods(const array<T>& a, const array<T>& v) {
  CAPTURE(a.shape());
  CAPTURE(v.shape());
  using enum convolve_method;
  // Of numbers of this size and so many products of them.
  const double last_bits =
      (sizeof(decltype(std::abs(T()))) == 4 ? 1e-6 : 1e-14) * static_cast<double>(std::min(a.size(), v.size()));
  for (const convolve_mode mode : {convolve_mode::full, convolve_mode::same, convolve_mode::valid}) {
    CAPTURE(static_cast<int>(mode));
    const array<T> wanted = signal::convolve(a, v, mode, direct), other = signal::correlate(a, v, mode, direct);
    for (const convolve_method how : {automatic, fft}) {
      CHECK(max(abs(signal::convolve(a, v, mode, how) - wanted)).item() < last_bits);
      CHECK(max(abs(signal::correlate(a, v, mode, how) - other)).item() < last_bits);
    }
  }
}

TEST_CASE_TEMPLATE("convolutions: by transforms", T, float, double, std::complex<float>, std::complex<double>) {
  const array<T> a = astype<T>(sin(arange(3000.0) * 0.7)) * T(1), v = astype<T>(cos(arange(3000.0) * 0.3)) + T(1);
  check_methods(a(slice(600)).copy(), v(slice(500)).copy());
  check_methods(v(slice(500)), a(slice(600)));
  check_methods(a, v(slice(150)));
  check_methods(a(slice(2500)).reshape(50, 50).copy(), v(slice(300)).reshape(15, 20).copy());
}

TEST_CASE("convolutions: what is not transformed") {
  // Whole numbers come out whole, and wrap, however many there are.
  const array<std::int64_t> whole = arange(2000) % 7;
  CHECK(array_equal(signal::convolve(whole, whole), convolve(whole, whole)));
  CHECK_THROWS_WITH(static_cast<void>(signal::convolve(whole, whole, convolve_mode::full, convolve_method::fft)),
                    "sinter: only floating and complex elements are convolved by transforms; astype<double>(a)");
  // By NumPy's name an infinity stays where it is.
  array<double> x = ones({2000});
  x(0) = std::numeric_limits<double>::infinity();
  CHECK(convolve(x, ones({1000}))(2500).item() == 499);
}

TEST_CASE("convolutions: with a list") {
  const array<float> f{1, 2, 3};
  CHECK(convolve(f, {1, 1, 1}).get() == std::vector<float>{1, 3, 6, 5, 3});
  CHECK(correlate(f, {1, 2}).get() == std::vector<float>{5, 8});
  CHECK(signal::convolve(f, {1, 1}, convolve_mode::valid).get() == std::vector<float>{3, 5});
  CHECK(polyval({1, 0, 2}, f).get() == std::vector<float>{3, 6, 11});
  CHECK(polyval({0.5, 2}, 3.0).item() == 3.5);
}

}  // namespace
