// Transforms that kernels of a GPU make themselves: values beside those of a call, of every length, axis and surrounding; what is one
// launch; and what stays a call. On other devices all of them are calls, and the values the same.
#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include <sinter/fft.hpp>
#include <sinter/sinter.hpp>

#include "test/include/looking.hpp"
#include "test/support/all_cases.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;

bool on_gpu() { return device::current().type() == device::kind::cuda; }
bool is_interpreted() { return device::current().type() == device::kind::interpreter; }

template <class T>
array<T> noise(const shape& s, int seed = 0) {
  const array<std::int64_t> i = arange(s.elements()) + seed;
  const array<double> x = astype<double>(i * i * 37 % 1009 + i * 11 % 101) / 512 - 1;
  if constexpr (detail::complex_number<T>) return astype<T>(make_complex(x, 1 - x * x)).reshape(s);
  else return astype<T>(x).reshape(s);
}

// The relative distance, by squares. Of float it is about what cuFFT is off; of double it is 8e-16 on a GPU, and some times that where a
// host's sine stands in for the GPU's.
template <class A, class B>
void near(const A& got, const B& wanted) {
  using T = typename A::sinter_element;
  constexpr bool is_float = detail::real_part_of(dtype_of<T>) == dtype::float32;
  const array<std::complex<double>> g = astype<std::complex<double>>(got), w = astype<std::complex<double>>(wanted);
  REQUIRE(g.shape() == w.shape());
  const double off = std::sqrt(sum(square(abs(g - w))).item()), all = std::sqrt(sum(square(abs(w))).item());
  CHECK(off <= (is_float ? 1e-6 : 6e-15) * all);
}

// By a call, in double.
template <class A>
array<std::complex<double>> called(const A& x, const fft::options& how = {}) {
  const array<std::complex<double>> z = astype<std::complex<double>>(x);
  const auto made = fft::fft(z, how);
  return made;
}
template <class A>
array<std::complex<double>> called_back(const A& x, const fft::options& how = {}) {
  const array<std::complex<double>> z = astype<std::complex<double>>(x);
  const auto made = fft::ifft(z, how);
  return made;
}

template <class Work>
void is_one_launch(Work&& work) {
  const counters_snapshot moved = moved_by(std::forward<Work>(work));
  if (!on_gpu()) return;
  CHECK(moved.launches == 1);
  CHECK(moved.library_calls == 0);
}

// Rows of a length, there and back, with work on every side.
template <class T>
void rows_of(std::int64_t n, std::int64_t rows, bool in_kernels = true) {
  using complex = std::complex<T>;
  CAPTURE(n);
  const array<complex> x = noise<complex>({rows, n});
  const array<T> w = noise<T>({n}, 5);
  array<T> power;
  array<complex> filtered;
  const counters_snapshot forward = moved_by([&] { power = square(abs(fft::fft(x * w))); });
  const counters_snapshot both = moved_by([&] { filtered = fft::ifft(fft::fft(x + 1) * w) - x; });
  if (on_gpu()) {
    CHECK(forward.launches == (in_kernels ? 1 : 2));
    CHECK(forward.library_calls == (in_kernels ? 0 : 1));
    CHECK(both.launches == (in_kernels ? 1 : 3));
    CHECK(both.library_calls == (in_kernels ? 0 : 2));
  }
  const array<std::complex<double>> z = astype<std::complex<double>>(x);
  const array<double> v = astype<double>(w);
  near(power, square(abs(called(z * v))));
  near(filtered + x, called_back(called(z + 1) * v));
}

}  // namespace

TEST_CASE_TEMPLATE("fft kernels: lengths", T, float, double) {
  if (is_interpreted()) return;  // for which there is no other way
  // Each length is two kernels to compile, of texts that grow with it. Those of the two dtypes differ in their letters alone.
  constexpr bool is_float = sizeof(T) == 4;
  const std::vector<std::int64_t> all = {2, 3, 5, 6, 8, 9, 16, 25, 49, 64, 128, 243, 1000, 1024, 4096, 8192},
                                  some = {7, 512}, few = {2, 6, 9, 25, 128, 1000};
  for (const std::int64_t n : !is_float ? some : takes_all_cases() ? all : few) rows_of<T>(n, 5);
  for (const std::int64_t n : {1, 13, 22, 448, 1021, 16'384}) rows_of<T>(n, 3, false);
}

TEST_CASE("fft kernels: numbers of rows") {
  if (is_interpreted()) return;
  for (const std::int64_t rows : {1, 2, 7, 15, 16, 17, 63, 129}) rows_of<float>(16, rows), rows_of<double>(8, rows);
}

TEST_CASE("fft kernels: axes") {
  using complex = std::complex<float>;
  const array<complex> x = noise<complex>({6, 8, 32});
  const array<float> w = noise<float>({8, 1}, 3);
  for (const std::int64_t axis : {0, 1, 2}) {
    CAPTURE(axis);
    array<float> power = square(abs(fft::fft(x * w, {.axis = axis})));
    near(power, square(abs(called(astype<std::complex<double>>(x) * w, {.axis = axis}))));
    array<complex> out = zeros<complex>({6, 8, 32});
    out(ellipsis) = fft::ifft(x.swapaxes(0, 1) * 2.0f, {.axis = axis}).swapaxes(0, 1);
    near(out, called_back(array(x.swapaxes(0, 1)) * 2.0f, {.axis = axis}).swapaxes(0, 1));
  }
  is_one_launch([&] { array<float> last = abs(fft::fft(x * w)); });
  // Rows that lie across memory.
  const array<complex> columns = noise<complex>({64, 24});
  array<complex> turned;
  is_one_launch([&] { turned = fft::fft(columns.T() * 2.0f); });
  near(turned, called(array(columns.T()) * 2.0f));
  const array<std::complex<double>> wide = noise<std::complex<double>>({4, 128, 10});
  near(fft::fft(wide.swapaxes(1, 2) + 1.0), called(array(wide.swapaxes(1, 2)) + 1.0));
}

TEST_CASE("fft kernels: what comes before and after") {
  using complex = std::complex<float>;
  const array<complex> x = noise<complex>({12, 64});
  const array<float> r = noise<float>({12, 64}, 1), across = noise<float>({12, 1}, 2);
  const array<std::int16_t> n = astype<std::int16_t>(arange(64));
  const auto zd = [](const auto& a) { return array<std::complex<double>>(astype<std::complex<double>>(a)); };
  array<complex> y;
  is_one_launch([&] { y = fft::fft(x * r + across * 3 - n); });
  near(y, called(zd(x) * zd(r) + zd(across) * 3.0 - zd(n)));
  is_one_launch([&] { y = fft::fft(r * 2); });  // of real numbers
  near(y, called(zd(r) * 2.0));
  is_one_launch([&] { y = fft::fft(roll(x, 5, 1)) * across; });
  near(y, called(zd(array(roll(x, 5, 1)))) * zd(across));
  const array<std::int64_t> order = arange(63, -1, -1);
  is_one_launch([&] { y = conj(fft::ifft(x(_, order))); });
  near(y, conj(called_back(zd(array(x(_, order))))));
  is_one_launch([&] { y = fft::fft(x(_, slice(0, 50)) * 2.0f, {.n = 64}) + 1.0f; });  // zeros behind
  near(y, called(zd(array(x(_, slice(0, 50)))) * 2.0, {.n = 64}) + 1.0);
  array<complex> shifted = fft::fftshift(fft::fft(x * r));
  near(shifted, fft::fftshift(called(zd(x) * zd(r))));
  const array<float> power = sum(square(abs(fft::fft(x * r))), {.axis = 1});
  near(power, sum(square(abs(called(zd(x) * zd(r)))), {.axis = 1}));
  const float all = sum(abs(fft::fft(x * r))).item();
  CHECK(all == doctest::Approx(sum(abs(called(zd(x) * zd(r)))).item()).epsilon(1e-5));
  const array<complex> whitened = fft::ifft(fft::fft(x * r) / max(abs(fft::fft(x * r)), {.axis = 1, .keepdims = true}));
  const array<std::complex<double>> spectrum = called(zd(x) * zd(r));
  near(whitened, called_back(spectrum / max(abs(spectrum), {.axis = 1, .keepdims = true})));
  y = cumsum(fft::fft(cumsum(x, 1) * 0.5f), 1);
  near(y, cumsum(called(cumsum(zd(x), 1) * 0.5), 1));
  const array<complex> rows_between = fft::fft(fft::fft(x * r), {.axis = 0});
  near(rows_between, called(called(zd(x) * zd(r)), {.axis = 0}));
}

TEST_CASE("fft kernels: lengths and norms of the inverse") {
  using complex = std::complex<double>;
  const array<complex> x = noise<complex>({9, 48});
  for (const fft::norm norm : {fft::norm::backward, fft::norm::ortho, fft::norm::forward}) {
    near(fft::ifft(x * 2.0, {.norm = norm}), called_back(x * 2.0, {.norm = norm}));
    near(fft::fft(x * 2.0, {.norm = norm}), called(x * 2.0, {.norm = norm}));
    array<complex> same;
    is_one_launch([&] { same = fft::ifft(fft::fft(x, {.norm = norm}), {.norm = norm}); });
    near(same, x);
  }
}

TEST_CASE("fft kernels: several results, stores, and results in place") {
  using complex = std::complex<float>;
  const array<complex> x = noise<complex>({10, 128}), u = noise<complex>({10, 128}, 9);
  const array<float> w = noise<float>({128}, 4);
  const auto [size, part] = eval(abs(fft::fft(x * w)), imag(fft::fft(u * w)));
  near(size, abs(called(astype<std::complex<double>>(x) * w)));
  near(part, imag(called(astype<std::complex<double>>(u) * w)));
  array<complex> whole = zeros<complex>({10, 256});
  whole(_, slice(64, 192)) = fft::fft(x * w);
  near(whole(_, slice(64, 192)), called(astype<std::complex<double>>(x) * w));
  CHECK(sum(abs(whole(_, slice(0, 64)))).item() == 0);
  CHECK(sum(abs(whole(_, slice(192, _)))).item() == 0);
  array<complex> same = x + 0.0f;
  same = fft::fft(same * w);
  near(same, called(astype<std::complex<double>>(x) * w));
  same(ellipsis) = x;
  same(ellipsis) = fft::ifft(fft::fft(same(_, slice(_, _, -1)) * w) * same);  // a row read the other way round
  near(same, called_back(called(astype<std::complex<double>>(array(x(_, slice(_, _, -1)))) * w) * x));
  array<complex> turned = noise<complex>({16, 16});
  const array<complex> before = turned + 0.0f;
  turned(ellipsis) = fft::fft(turned.T() * 2.0f);
  near(turned, called(astype<std::complex<double>>(array(before.T())) * 2.0));
  const array<complex> product = fft::ifft(fft::fft(x * w) * fft::fft(u * w));
  near(product, called_back(called(astype<std::complex<double>>(x) * w) * called(astype<std::complex<double>>(u) * w)));
}

TEST_CASE("fft kernels: what is no number stays in its row") {
  using complex = std::complex<float>;
  array<complex> x = noise<complex>({9, 16});
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  x(2, 3) = complex(nan, 0);
  x(8, 0) = complex(inf, 1);
  const array<complex> y = fft::fft(x * 2.0f), wanted = fft::fft(noise<complex>({9, 16}) * 2.0f);
  const array<bool> odd = any(isnan(y) | isinf(y), {.axis = 1});
  for (std::int64_t row = 0; row < 9; ++row) {
    CHECK(odd(row).item() == (row == 2 || row == 8));
    if (row != 2 && row != 8) CHECK(array<complex>(y(row)).get() == array<complex>(wanted(row)).get());
  }
}

TEST_CASE("fft kernels: a name keeps one value, and what has no work around it is a call") {
  if (is_interpreted()) return;
  using complex = std::complex<float>;
  const array<complex> x = noise<complex>({8, 64});
  const auto spectrum = fft::fft(x * 2.0f);
  array<float> size, part;
  const counters_snapshot named = moved_by([&] {
    size = abs(spectrum);
    part = real(spectrum);
  });
  CHECK(named.library_calls == 1);
  array<complex> alone;
  const counters_snapshot bare = moved_by([&] { alone = fft::fft(x); });
  CHECK(bare.library_calls == 1);
  CHECK(bare.launches == 0);
  const counters_snapshot of_real = moved_by([&] { size = abs(fft::rfft(real(x))); });
  CHECK(of_real.library_calls == 1);
  near(size, abs(fft::rfft(astype<double>(array<float>(real(x))))));
}

TEST_CASE("fft kernels: again and again, of other elements") {
  using complex = std::complex<float>;
  const array<float> w = noise<float>({256}, 4);
  std::vector<complex> first;
  for (int i = 0; i < 12; ++i) {
    const array<complex> x = noise<complex>({20, 256}, i % 3);
    array<complex> y;
    is_one_launch([&] { y = fft::ifft(fft::fft(x * w) * 0.5f); });
    near(y, astype<std::complex<double>>(x) * w * 0.5);
    if (i == 0) first = y.get();
    if (i % 3 == 0) CHECK(y.get() == first);
  }
  array<complex> x = noise<complex>({20, 256}), out = zeros<complex>({20, 256});
  const graph g = capture([&] {
    out(ellipsis) = fft::fft(x * w);
    x *= 2.0f;
  });
  g.launch();
  near(out, called(astype<std::complex<double>>(noise<complex>({20, 256})) * w));
  g.launch();
  near(out, called(astype<std::complex<double>>(noise<complex>({20, 256})) * 2.0 * w));
}

TEST_CASE("fft kernels: what explain and dump say") {
  if (!on_gpu()) return;
  const array<std::complex<float>> x = noise<std::complex<float>>({64, 1024});
  const array<float> w = noise<float>({1024});
  const std::string text = explain(square(abs(fft::fft(x * w)))).c_str();
  CHECK(times_in(text, "kernels: 1\n") == 1);
  CHECK(times_in(text, "1. transform over (64, 1024): a transform of rows") == 1);
  CHECK(times_in(text, "fft(x0 * complex64(x1))") == 1);
  CHECK(times_in(text, "shared out: rows of 1024 points, 2 to a block") == 1);
  const std::string dumped = dump(fft::ifft(fft::fft(x * w) * w)).c_str();
  CHECK(times_in(dumped, "a0: complex64 = fft v") == 1);
  CHECK(times_in(dumped, "a1: complex64 = ifft v") == 1);
  CHECK(times_in(dumped, "void transform(complex64* v") == 1);
  CHECK(times_in(dumped, "C ====") == 0);
}

TEST_CASE("strict process: transforms" * doctest::skip()) {
  const array<std::complex<float>> x = noise<std::complex<float>>({8, 64});
  array<float> fused;
  const counters_snapshot moved = moved_by([&] { fused = abs(fft::fft(x * 2.0f)); });
  CHECK(moved.library_calls == 1);
  const array<std::complex<float>> doubled = x * 2.0f, made = fft::fft(doubled);
  CHECK(fused.get() == array<float>(abs(made)).get());
}

TEST_CASE("fft kernels: in strict mode transforms are calls") {
  if (is_interpreted()) return;
  const rerun strict("strict process: transforms", {{"SINTER_MATH", "strict"}});
  INFO(strict.output);
  CHECK(strict.ok);
}
