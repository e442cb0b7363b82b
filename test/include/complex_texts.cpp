// Complex numbers in functions given as text, beside the same expressions of complex arrays.
#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include <sinter/elementwise_kernel.hpp>

#include "test/include/ordering.hpp"
#include "test/include/texts.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;

template <class R>
array<std::complex<R>> numbers() {
  using C = std::complex<R>;
  return array<C>{C(1, 2), C(-3, 0.5), C(0, -0.5), C(0.25, 0), C(-2, -2), C(3, 4)};
}

/// Do they agree but for the last few bits?
template <class T, class R>
bool near(const array<T>& given, const std::vector<T>& expected, R by) {
  const std::vector<T> values = given.get();
  if (values.size() != expected.size()) return false;
  for (std::size_t n = 0; n < values.size(); ++n)
    if (!(std::abs(values[n] - expected[n]) <= by * (1 + std::abs(expected[n])))) {
      INFO(n);
      CHECK(values[n] == expected[n]);
      return false;
    }
  return true;
}

/// One function of a text against the array's own.
template <class C, class E>
void check_function(const char* text, const E& expected) {
  INFO(std::string(text));
  using R = typename C::value_type;
  const elementwise_kernel<C(C)> f("z", text);
  const R by = 16 * std::numeric_limits<R>::epsilon();
  CHECK(near(array<C>(f(numbers<R>())), array<C>(astype<C>(expected)).get(), by));
}

template <class R>
void check_functions() {
  using C = std::complex<R>;
  const array<C> z = numbers<R>();
  check_function<C>("return exp(z);", exp(z));
  check_function<C>("return log(z);", log(z));
  check_function<C>("return log10(z);", log10(z));
  check_function<C>("return sqrt(z);", sqrt(z));
  check_function<C>("return sin(z) + cos(z) + tan(z);", sin(z) + cos(z) + tan(z));
  check_function<C>("return sinh(z) + cosh(z) + tanh(z);", sinh(z) + cosh(z) + tanh(z));
  check_function<C>("return asin(z) + acos(z) + atan(z);", arcsin(z) + arccos(z) + arctan(z));
  check_function<C>("return asinh(z) + acosh(z) + atanh(z);", arcsinh(z) + arccosh(z) + arctanh(z));
  check_function<C>("return pow(z, 3) + pow(z, z);", power(z, C(3)) + power(z, z));
  check_function<C>("return conj(z) * abs(z) + arg(z) - norm(z);", conj(z) * abs(z) + angle(z) - real(z * conj(z)));
  check_function<C>("return make_complex(imag(z), real(z));", make_complex(imag(z), real(z)));
  check_function<C>("return polar(abs(z), arg(z));", z);
}

}  // namespace

TEST_CASE("complex texts: operators, with real numbers on either side, and assignments") {
  if (!runs_text()) return;
  using C = std::complex<float>;
  const array<C> z = numbers<float>(), w = conj(z) + C(0.5F, 1);
  const elementwise_kernel<C(C, C, float)> mixed("z, w, x",
                                                 "complex64 s = 2 * z - w / x;\n"
                                                 "s += z * w; s -= 1.5; s *= x; s /= w;\n"
                                                 "if (s == z || s != s) s = 0;\n"
                                                 "return -s + (+z) - 1 / w;");
  const float x = 3;
  const lazy<C> expected = -((C(2) * z - w / C(x) + z * w - C(1.5F)) * C(x) / w) + z - C(1) / w;
  CHECK(near(array<C>(mixed(z, w, x)), array<C>(expected).get(), 1e-5F));
  const elementwise_kernel<bool(C, C)> same("z, w", "return z == w;");
  CHECK(same(z, z).get() == std::vector<bool>(6, true));
  CHECK(same(z, conj(z)).get() == std::vector<bool>{false, false, false, true, false, false});
}

TEST_CASE("complex texts: functions are those of the arrays, of both precisions") {
  if (!runs_text()) return;
  check_functions<float>();
  check_functions<double>();
}

TEST_CASE("complex texts: a real kernel that computes with complex numbers inside") {
  if (!runs_text()) return;
  const elementwise_kernel<int(double, double)> escapes("x, y",
                                                        "const complex128 c = make_complex(x, y);\n"
                                                        "complex128 z = 0;\n"
                                                        "int n = 0;\n"
                                                        "while (n < 50 && norm(z) <= 4) { z = z * z + c; ++n; }\n"
                                                        "return n;");
  const array<double> x{-2, 0, 0.5, 1}, y{0, 0.5, 0.5, 1};
  std::vector<int> expected;
  for (int at = 0; at < 4; ++at) {
    const std::complex<double> c(x.get()[static_cast<std::size_t>(at)], y.get()[static_cast<std::size_t>(at)]);
    std::complex<double> z = 0;
    int n = 0;
    while (n < 50 && std::norm(z) <= 4) z = z * z + c, ++n;
    expected.push_back(n);
  }
  CHECK(escapes(x, y).get() == expected);
}

TEST_CASE("complex texts: infinities and NaN are NumPy's, also times a real number") {
  if (!runs_text()) return;
  using C = std::complex<double>;
  const double inf = std::numeric_limits<double>::infinity();
  const elementwise_kernel<C(C)> twice("z", "return 2.0 * z;");
  const C made = twice(array<C>{C(inf, 0)}).get()[0];
  CHECK(made == C(inf, 0));
  const elementwise_kernel<C(C, C)> product("z, w", "return z * w;");
  const C numpys = product(array<C>{C(inf, 0)}, array<C>{C(1, 0)}).get()[0];
  CHECK(numpys.real() == inf);
  CHECK(std::isnan(numpys.imag()));
  const elementwise_kernel<C(C, C)> quotient("z, w", "return z / w;");
  CHECK(quotient(array<C>{C(1e300, 1e300)}, array<C>{C(1e300, 1e300)}).get()[0] == C(1, 0));
}

TEST_CASE("complex texts: raw parameters, several results, preambles, and what is fused around") {
  if (!runs_text()) return;
  using C = std::complex<float>;
  const array<C> z = numbers<float>();
  const elementwise_kernel<C(raw<C>, std::int64_t)> turned("z, n", "return z[n - 1 - i] + z[i];");
  CHECK(turned(z, 6, {6}).get() == array<C>(flip(z) + z).get());
  const elementwise_kernel<std::tuple<C, float, std::complex<double>>(C)> parts(
      "z", "w, size, wide", "w = conj(z) * 2; size = norm(z); wide = z; wide *= 0.5;");
  const auto [w, size, wide] = parts(z);
  const counters_snapshot before = counters();
  eval(w, size, wide);
  CHECK(counters().launches - before.launches == 1);
  CHECK(w.get() == array<C>(conj(z) * C(2)).get());
  CHECK(size.get() == std::vector<float>{5, 9.25F, 0.25F, 0.0625F, 8, 25});
  CHECK(wide.get() == array<std::complex<double>>(astype<std::complex<double>>(z) * 0.5).get());
  const char preamble[] =
      "__device__ inline complex64 squared(complex64 v) { return v * v; }\n"
      "__device__ inline float size_of(const complex64 v) { return real(v * conj(v)); }\n";
  const elementwise_kernel<C(C)> square("z", "return squared(z) + size_of(z);", "square", preamble);
  CHECK(near(array<C>(square(z + C(1)) * C(0, 1)),
             array<C>(((z + C(1)) * (z + C(1)) + (z + C(1)) * conj(z + C(1))) * C(0, 1)).get(), 1e-6F));
}

TEST_CASE("complex texts: reductions") {
  if (!runs_text()) return;
  using C = std::complex<double>;
  const reduction_kernel<C(C)> product("z", "z", "a * b", "a", C(1));
  const array<C> z = numbers<double>();
  CHECK(near(array<C>(product(z)), array<C>(prod(z)).get(), 1e-14));
  const reduction_kernel<C(C, double)> weighted("z, x", "z * x", "a + b", "conj(a) / 2", 0);
  const array<double> x = arange<double>(3000).reshape({3, 1000});
  const array<C> many = make_complex(x, -2 * x);
  const array<C> expected = conj(sum(many * astype<C>(x), 1)) / C(2);
  CHECK(near(array<C>(weighted(many, x, 1)), expected.get(), 1e-13));
  const array<C> columns = conj(sum(many * astype<C>(x), 0)) / C(2);
  CHECK(near(array<C>(weighted(many, x, 0)), columns.get(), 1e-13));
}

TEST_CASE("texts: abs, and what is no number, of every type") {
  if (!runs_text()) return;
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const elementwise_kernel<std::int64_t(std::int64_t)> whole("x", "return abs(x);");
  CHECK(whole(array<std::int64_t>{-5'000'000'000, 3}).get() == std::vector<std::int64_t>{5'000'000'000, 3});
  const elementwise_kernel<float(float)> single("x", "return abs(x) + abs(-0.5f);");
  CHECK(single(array<float>{-1.5F, 2}).get() == std::vector<float>{2, 2.5F});
  const elementwise_kernel<int(double)> kind("x",
                                             "return isnan(x) ? 1 : isinf(x) ? 2 : isfinite(x) && signbit(x) ? 3 : 4;");
  CHECK(kind(array<double>{nan, -inf, -1, 1}).get() == std::vector<int>{1, 2, 3, 4});
}
