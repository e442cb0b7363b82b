// Elementwise functions of plain numbers: computed when called, with the value and the dtype an array of them would have.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "test/include/looking.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
namespace sn = sinter;

template <class Wanted, class Got>
bool gives(Got got, Wanted wanted) {
  static_assert(std::is_same_v<Got, Wanted>);
  return got == wanted || (got != got && wanted != wanted);
}

/// Of values of T, every function of a row gives the element it gives of arrays in the interpreter, bit for bit.
template <class T>
void rows_agree() {
  device_scope on(device::interpreter());
  const T values[] = {T(0), T(1), T(2), T(100), T(-1), std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max()};
#define TRY_1(name) \
  if constexpr (requires { sn::name(x).item(); }) CHECK_MESSAGE(same(sn::name(a), sn::name(x).item()), #name);
#define TRY_2(name) \
  if constexpr (requires { sn::name(x, y).item(); }) CHECK_MESSAGE(same(sn::name(a, b), sn::name(x, y).item()), #name);
#define TRY_3(name)                                     \
  if constexpr (requires { sn::name(x, y, x).item(); }) \
    CHECK_MESSAGE(same(sn::name(a, b, a), sn::name(x, y, x).item()), #name);
  const auto same = [](auto p, auto q) {
    static_assert(std::is_same_v<decltype(p), decltype(q)>);
    return p == q || (p != p && q != q);
  };
  for (T a : values)
    for (T b : values) {
      const array<T> x{a}, y{b};
      INFO(std::string(name(dtype_of<T>)), " ", a, " ", b);
#define SINTER_OP(name, arity, rule_, ...)                           \
  if constexpr (detail::accepts(detail::rule::rule_, dtype_of<T>)) { \
    TRY_##arity(name)                                                \
  }
#define SINTER_DRAW(...)
#define SINTER_PART(...)
#define SINTER_SPECIAL_OP(...)
#include <sinter/ops.def>
#undef SINTER_OP
    }
}

}  // namespace

TEST_CASE("numbers: a lambda serves arrays and numbers") {
  const auto swish = [](auto x) { return x / (1 + sn::exp(-x)); };
  const auto clipped = [](auto x) { return sn::where(x > 2, sn::sqrt(x), sn::maximum(x, 0)); };
  CHECK(swish(0.5) == doctest::Approx(0.5 / (1 + std::exp(-0.5))));
  CHECK(array<double>(swish(array{0.5})).item() == doctest::Approx(swish(0.5)));
  CHECK(gives(clipped(9.0f), 3.0f));
  CHECK(array<float>(clipped(array{9.0f, -4.0f})).get() == std::vector<float>{clipped(9.0f), clipped(-4.0f)});
}

TEST_CASE("numbers: they combine as C++ combines them, and give what the row gives of that dtype") {
  CHECK(gives(sn::exp(0), 1.0));
  CHECK(gives(sn::exp(0.0f), 1.0f));
  CHECK(gives(sn::sqrt(short{4}), 2.0f));  // as arrays of int16
  CHECK(gives(sn::maximum(1.0, 2), 2.0));
  CHECK(gives(sn::maximum(1.5f, 1), 1.5f));
  CHECK(gives(sn::gcd(std::size_t{12}, 8), std::uint64_t{4}));
  CHECK(gives(sn::divide(1, 2), 0.5));
  CHECK(gives(sn::where(true, 1, 2), 1));
  CHECK(gives(sn::where(0.0, 1, 2.5), 2.5));
  CHECK(gives(sn::less(1, 2.5), true));
  CHECK(gives(sn::logical_and(2, 0.0), false));
  CHECK(gives(sn::power(2, 10), 1024));
  CHECK(gives(sn::pow(2.0, 0.5), std::sqrt(2.0)));
  CHECK(gives(sn::abs(-3), 3));
  CHECK(gives(sn::negative(std::uint8_t{1}), std::uint8_t{255}));
  CHECK(gives(sn::floor_divide(-7, 2), -4));
  CHECK(gives(sn::floor_divide(7, 0), 0));
  CHECK(gives(sn::left_shift(std::uint32_t{1} << 31, 1), std::uint32_t{0}));
  CHECK(gives(sn::hypot(strong(3.0f), 4), 5.0f));
  CHECK(gives(sn::clip(7, 0, 5), 5));
  CHECK(gives(sn::isnan(std::nan("")), true));
  CHECK_THROWS_AS(sn::maximum(std::uint64_t{1}, -1), dtype_error);
}

TEST_CASE("numbers: astype converts them as it converts elements") {
  CHECK(gives(sn::astype<int>(1e20), std::numeric_limits<int>::max()));
  CHECK(gives(sn::astype<std::uint8_t>(-5.0f), std::uint8_t{0}));
  CHECK(gives(sn::astype<std::int8_t>(300), std::int8_t{44}));
  CHECK(gives(sn::astype<bool>(0.5), true));
  CHECK(gives(sn::astype<float>(strong(2.0)), 2.0f));
}

TEST_CASE("numbers: every row has the value the interpreter has, of every dtype") {
  rows_agree<bool>();
  rows_agree<std::int8_t>();
  rows_agree<std::uint16_t>();
  rows_agree<int>();
  rows_agree<std::int64_t>();
  rows_agree<std::uint64_t>();
  rows_agree<float>();
  rows_agree<double>();
}

TEST_CASE("numbers: nothing is launched or allocated") {
  const counters_snapshot moved = moved_by([] { CHECK(sn::tanh(sn::fma(1.0, 2.0, 3)) > 0.9); });
  CHECK(moved.launches == 0);
  CHECK(moved.bytes_allocated == 0);
}
