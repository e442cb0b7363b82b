// Integers at the ends of their range, where a result wraps and what follows has to see that it did.
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include <sinter/sinter.hpp>

namespace {

using namespace sinter;

TEST_CASE_TEMPLATE("integers: the most negative one is its own distance from zero", T, std::int8_t, std::int16_t,
                   std::int32_t, std::int64_t) {
  constexpr T least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
  const array<T> x = asarray(std::vector<T>{least, static_cast<T>(-most), -1, 0, 1, most});
  const array<T> wanted = asarray(std::vector<T>{least, most, 1, 0, 1, most});
  CHECK(array_equal(abs(x), wanted));
  // In one kernel with it: compilers that take a distance for no less than zero leave the question out.
  CHECK(array_equal(abs(x) < T(0), x == least));
  CHECK(array_equal(where(abs(x) >= T(0), T(1), T(2)), where(x == least, T(2), T(1))));
  CHECK(array_equal(maximum(abs(x), T(0)), where(x == least, T(0), wanted)));
  CHECK(array_equal(power(full<T>({6}, 7), abs(x)), power(full<T>({6}, 7), wanted)));
  CHECK(array_equal(power(full<T>({6}, 7), abs(x))(slice(1)), zeros<T>({1})));
  CHECK(array_equal(abs(x) / T(2) * T(2) <= abs(x), ones<bool>({6})));
}

}  // namespace
