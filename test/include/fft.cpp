// Fourier transforms: values beside their definition for every kind, dtype, length and axis; what they refuse; and how they go with
// expressions and graphs. Where there is a library each is one call.
#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include <sinter/fft.hpp>
#include <sinter/sinter.hpp>

#include "test/include/looking.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using complex = std::complex<double>;

template <class T>
array<T> some(const shape& s, int seed = 0) {
  const array<double> x = astype<double>((arange(s.elements()) * 7 + seed * 3) % 11 - 4) / 4;
  if constexpr (detail::complex_number<T>) return astype<T>(make_complex(x, 1 - x * x)).reshape(s);
  else if constexpr (std::is_integral_v<T>) return astype<T>(x * 4).reshape(s);
  else return astype<T>(x).reshape(s);
}

// The definition along one axis, of complex numbers in C order.
array<complex> defined(const array<complex>& x, std::int64_t axis, double sign) {
  const array<complex> last = moveaxis(x, axis, -1);
  const std::int64_t n = last.shape()[last.ndim() - 1];
  std::vector<complex> from = last.get(), to(from.size());
  const double turn = sign * 2 * std::acos(-1.0) / static_cast<double>(n);
  for (std::size_t row = 0; row < from.size(); row += static_cast<std::size_t>(n))
    for (std::int64_t k = 0; k < n; ++k)
      for (std::int64_t j = 0; j < n; ++j)
        to[row + static_cast<std::size_t>(k)] +=
            from[row + static_cast<std::size_t>(j)] * std::polar(1.0, turn * static_cast<double>(j * k % n));
  return moveaxis(asarray(to, last.shape()), -1, axis);
}

template <class A, class B>
void close(const A& got, const B& wanted, double tolerance) {
  const array g(got);
  const array w(wanted);
  REQUIRE(g.shape() == w.shape());
  if (g.size() == 0) return;
  const double off = max(abs(astype<complex>(g) - astype<complex>(w))).item(), largest = max(abs(w)).item();
  CHECK(off <= tolerance * (1 + static_cast<double>(largest)));
}

}  // namespace

TEST_CASE_TEMPLATE("fft: one axis, by its definition", T, int, half, float, double, std::complex<float>, complex) {
  constexpr bool is_float = std::is_same_v<detail::transform_real<array<T>>, float>;
  const double limit = is_float ? 2e-6 : 1e-14;
  static_assert(std::is_same_v<typename decltype(fft::fft(some<T>({3})))::sinter_element,
                               std::conditional_t<is_float, std::complex<float>, complex>>);
  for (const std::int64_t n : {1, 2, 3, 5, 8, 12, 17, 30}) {
    CAPTURE(n);
    const array<T> x = some<T>({2, n, 3});
    const array<complex> z = astype<complex>(x);
    const array<complex> forward = defined(z, 1, -1), back = defined(z, 1, 1) / static_cast<double>(n);
    close(fft::fft(x, {.axis = 1}), forward, limit);
    close(fft::ifft(x, {.axis = 1}), back, limit);
    close(fft::fft(x.swapaxes(1, 2)), forward.swapaxes(1, 2), limit);
    if constexpr (!detail::complex_number<T>) {
      const array<complex> half_of = forward(_, slice(0, n / 2 + 1));
      close(fft::rfft(x, {.axis = 1}), half_of, limit);
      close(fft::irfft(fft::rfft(x, {.axis = 1}), {.n = n, .axis = 1}), astype<double>(x), limit);
    }
  }
}

TEST_CASE("fft: lengths and norms") {
  const array<double> x = some<double>({4, 10});
  const array<complex> z = astype<complex>(x);
  close(fft::fft(x, {.n = 6}), defined(z(_, slice(0, 6)), 1, -1), 1e-14);
  close(fft::fft(x, {.n = 16}), defined(pad(z, {{0, 0}, {0, 6}}), 1, -1), 1e-14);
  close(fft::rfft(x, {.n = 7, .axis = 0}), defined(pad(z, {{0, 3}, {0, 0}}), 0, -1)(slice(0, 4)), 1e-14);
  close(fft::fft(x, {.norm = fft::norm::ortho}), fft::fft(x) / std::sqrt(10.0), 1e-14);
  close(fft::fft(x, {.norm = fft::norm::forward}), fft::fft(x) / 10.0, 1e-14);
  close(fft::ifft(x, {.norm = fft::norm::ortho}), fft::ifft(x) * std::sqrt(10.0), 1e-14);
  close(fft::ifft(x, {.norm = fft::norm::forward}), fft::ifft(x) * 10.0, 1e-14);
  close(fft::irfft(z), fft::irfft(z, {.n = 18}), 1e-14);
  close(fft::irfft(z, {.n = 7}), fft::irfft(z(_, slice(0, 4)), {.n = 7}), 1e-14);
  close(fft::irfft(z, {.n = 25}), fft::irfft(pad(z, {{0, 0}, {0, 3}}), {.n = 25}), 1e-14);
  close(fft::hfft(z, {.n = 12}), fft::irfft(conj(z), {.n = 12}) * 12.0, 1e-14);
  close(fft::ihfft(x), conj(fft::rfft(x)) / 10.0, 1e-14);
  CHECK(fft::irfft(z).shape() == shape{4, 18});
}

TEST_CASE("fft: points and axis as plain numbers") {
  const array<double> x = some<double>({4, 6});
  const auto same = [](const auto& a, const auto& b) { close(a, b, 1e-15); };
  same(fft::fft(x, 8), fft::fft(x, {.n = 8}));
  same(fft::ifft(x, 3, 0), fft::ifft(x, {.n = 3, .axis = 0}));
  same(fft::rfft(x, 5, 0), fft::rfft(x, {.n = 5, .axis = 0}));
  same(fft::irfft(x, 7), fft::irfft(x, {.n = 7}));
  same(fft::hfft(x, 9), fft::hfft(x, {.n = 9}));
  same(fft::ihfft(x, 4, 0), fft::ihfft(x, {.n = 4, .axis = 0}));
}

TEST_CASE("fft: several axes") {
  const array<complex> z = some<complex>({3, 4, 5, 6});
  const array<double> x = some<double>({3, 4, 5, 6});
  array<complex> all = z, real_all = astype<complex>(x);
  for (int d = 0; d < 4; ++d) all = defined(all, d, -1), real_all = defined(real_all, d, -1);
  close(fft::fftn(z), all, 1e-13);
  close(fft::ifftn(fft::fftn(z)), z, 1e-13);
  close(fft::rfftn(x), real_all(ellipsis, slice(0, 4)), 1e-13);
  close(fft::irfftn(fft::rfftn(x), {.s = {3, 4, 5, 6}}), x, 1e-13);
  close(fft::irfftn(fft::rfftn(x)), x, 1e-13);
  close(fft::fft2(z), defined(defined(z, 2, -1), 3, -1), 1e-13);
  close(fft::ifft2(fft::fft2(z)), z, 1e-13);
  close(fft::rfft2(x), fft::fft2(x)(ellipsis, slice(0, 4)), 1e-13);
  close(fft::irfft2(fft::rfft2(x)), x, 1e-13);
  close(fft::fftn(z, {.axes = {1, 2}}), defined(defined(z, 1, -1), 2, -1), 1e-13);
  close(fft::fftn(z, {.axes = {2, 0}}), defined(defined(z, 2, -1), 0, -1), 1e-13);
  close(fft::fftn(z, {.s = {2, 8}, .axes = {0, 3}}),
        defined(defined(pad(z(slice(0, 2)), {{0, 0}, {0, 0}, {0, 0}, {0, 2}}), 0, -1), 3, -1), 1e-13);
  close(fft::fftn(z, {.s = {7, -1}}), fft::fftn(z, {.s = {7, 6}, .axes = {2, 3}}), 1e-13);
  close(fft::rfftn(x, {.axes = {3, 0}}), fft::fft(fft::rfft(x, {.axis = 0}), {.axis = 3}), 1e-13);
  const array<double> many = some<double>({2, 1, 2, 1, 2, 1, 3, 4});  // axes, as many as there can be
  close(fft::fft(many, {.axis = 6}), defined(astype<complex>(many), 6, -1), 1e-13);
  close(fft::rfft2(many), fft::fft2(many)(ellipsis, slice(0, 3)), 1e-13);
  close(fft::irfft(fft::rfft(many)), many, 1e-13);
}

// Of so many points a host computes half, and mirrors it.
TEST_CASE_TEMPLATE("fft: all of a real array's transform", T, int, double) {
  for (const shape& s : {shape{2, 1, 206}, shape{3, 203}, shape{1, 200, 2}}) {
    CAPTURE(s);
    const array<T> x = some<T>(s);
    const array<complex> z = astype<complex>(x);
    for (const std::int64_t axis : {-1, -2}) {
      close(fft::fft(x, {.axis = axis}), fft::fft(z, {.axis = axis}), 1e-14);
      close(fft::ifft(x, {.axis = axis}), fft::ifft(z, {.axis = axis}), 1e-14);
    }
    close(fft::fft(x, {.n = 240, .norm = fft::norm::ortho}), fft::fft(z, {.n = 240, .norm = fft::norm::ortho}), 1e-14);
  }
}

TEST_CASE("fft: all of a real array's transform along several axes") {
  if (device::current() == device::interpreter()) return;  // so many points take long by the definition
  const array<double> x = some<double>({7, 74, 64});
  const array<complex> z = astype<complex>(x);
  close(fft::fft2(x), fft::fft2(z), 1e-14);
  close(fft::ifftn(x), fft::ifftn(z), 1e-14);
  close(fft::fftn(x, {.axes = {1, -1, 0}}), fft::fftn(z, {.axes = {1, -1, 0}}), 1e-14);
  close(fft::fftn(x, {.axes = {0, 1}}), fft::fftn(z, {.axes = {0, 1}}), 1e-14);
}

TEST_CASE("fft: nothing, and what it refuses") {
  CHECK(fft::fft(zeros<double>({0, 4})).shape() == shape{0, 4});
  CHECK(array<complex>(fft::fft(zeros<double>({0, 4}))).size() == 0);
  const array<double> x = some<double>({4, 10});
  CHECK_THROWS_WITH(static_cast<void>(fft::fft(x, {.n = 0})), "sinter: a Fourier transform of 0 points");
  CHECK_THROWS_AS(static_cast<void>(fft::fft(x(_, slice(0)))), shape_error);
  CHECK_THROWS_AS(static_cast<void>(fft::fft(x, {.axis = 2})), shape_error);
  CHECK_THROWS_AS(static_cast<void>(fft::fft2(x(0))), shape_error);
  CHECK_THROWS_AS(static_cast<void>(fft::fftn(x, {.axes = {1, 1}})), shape_error);
  CHECK_THROWS_AS(static_cast<void>(fft::fftn(x, {.s = {2}, .axes = {0, 1}})), shape_error);
  const array<double> of_most = ones({1, 1, 1, 1, 1, 1, 1, 2});
  CHECK_THROWS_AS(static_cast<void>(fft::fftn(of_most, {.s = {1, 1, 1, 1, 1, 1, 1, 2, 3}})), shape_error);
  CHECK_THROWS_AS(static_cast<void>(fft::rfft(some<complex>({4}))), dtype_error);
  CHECK_THROWS_AS(static_cast<void>(fft::irfft(some<complex>({1}))), shape_error);
}

TEST_CASE("fft: elements that lie at any place") {
  const array<double> x = some<double>({5, 7});
  const array<float> y = some<float>({41});
  close(fft::rfft(x(1)), defined(astype<complex>(x(1)), 0, -1)(slice(0, 4)), 1e-14);
  close(fft::rfft(y(slice(1, _))), defined(astype<complex>(y(slice(1, _))), 0, -1)(slice(0, 21)), 2e-6);
  close(fft::fft(y(slice(3, _, 2))), defined(astype<complex>(y(slice(3, _, 2))), 0, -1), 2e-6);
  array<double> into = zeros<double>({13});
  into(slice(1, _)) = fft::irfft(astype<complex>(x(2)), {.norm = fft::norm::forward});
  close(into(slice(1, _)), fft::irfft(astype<complex>(x(2)), {.norm = fft::norm::forward}), 1e-14);
  CHECK(into(0).item() == 0);
  close(fft::irfftn(astype<complex>(x), {.s = {-1}, .axes = {0}}), fft::irfft(astype<complex>(x), {.n = 5, .axis = 0}),
        1e-14);
  CHECK_THROWS_AS(static_cast<void>(fft::fft(x, {.n = -5})), shape_error);
}

TEST_CASE("fft: part of an expression, and of a graph") {
  array<double> x = some<double>({8, 64});
  const array<double> w = hanning(64);
  array<double> power;
  const counters_snapshot moved = moved_by([&] { power = square(abs(fft::rfft(x * w))) / 64; });
  if (!(device::current() == device::interpreter())) {
    CHECK(moved.launches == 2);
    CHECK(moved.library_calls == 1);
    const array<complex> whole = astype<complex>(x);
    CHECK(launches_of([&] { array<complex> alone = fft::fft(whole); }) == 0);
  }
  close(power, square(abs(defined(astype<complex>(x * w), 1, -1)))(_, slice(0, 33)) / 64, 1e-13);
  const array<complex> z = astype<complex>(x);
  const array<double> kept = real(z);
  const array<double> back = fft::irfft(z, {.n = 126});
  CHECK(array<double>(real(z)).get() == kept.get());  // libraries may write over what becomes real
  array<complex> out = zeros<complex>({8, 64});
  const graph g = capture([&] {
    out(ellipsis) = fft::fft(x);
    x *= 2;
  });
  const array<complex> first = fft::fft(x);
  g.launch();
  close(out, first, 1e-14);
  g.launch();
  close(out, first * 2.0, 1e-14);
}

TEST_CASE("fft: where there is no library" * doctest::skip()) {
  const array<double> x = some<double>({3, 12});
  close(fft::rfft(x), defined(astype<complex>(x), 1, -1)(_, slice(0, 7)), 1e-14);
  close(fft::irfft(fft::rfft(x)), x, 1e-14);
  close(fft::fft2(x), defined(defined(astype<complex>(x), 1, -1), 0, -1), 1e-13);
}

TEST_CASE("fft: without a library it is computed by its definition, and the log says what is missing") {
  const rerun r("fft: where there is no library",
                {{"SINTER_FFTW", ""}, {"SINTER_FFTWF", ""}, {"SINTER_CUFFT", ""}, {"SINTER_LOG", "1"}});
  CHECK(r.ok);
  CHECK(times_in(r.output, "by kernels of Sinter's own") > 0);
}

TEST_CASE("fft: a call that has run" * doctest::skip()) {
  const array<complex> x = astype<complex>(some<double>({64, 256}));
  int waiting = 0;
  for (int i = 0; i < 40; ++i) {
    const array<complex> z = fft::fft(x), y = fft::fft(x), w = fft::fft(x);
    waiting += !stream::current().done();
  }
  CHECK(waiting == 0);
}

TEST_CASE("fft: SINTER_SYNC=1 waits for calls, too") {
  CHECK(rerun("fft: a call that has run", {{"SINTER_SYNC", "1"}}).ok);
}
