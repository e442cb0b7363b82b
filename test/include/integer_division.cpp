// Quotients and remainders of integers of every size, by arrays and by scalars, against the plain steps of scalar.hpp.
#include <doctest/doctest.h>

#include <limits>
#include <random>
#include <vector>

#include <sinter/sinter.hpp>

#include "codegen/ir/scalar.hpp"

namespace {

using namespace sinter;
namespace scalar = codegen::scalar;

/// Numbers of every length in bits, multiples of others, and both ends.
template <class T>
void operands(std::vector<T>& a, std::vector<T>& b) {
  std::mt19937_64 random(7);
  const auto any = [&] { return static_cast<T>(static_cast<T>(random()) >> random() % (8 * sizeof(T))); };
  using limits = std::numeric_limits<T>;
  const T ends[] = {limits::min(),
                    static_cast<T>(limits::min() + 1),
                    limits::max(),
                    static_cast<T>(limits::max() - 1),
                    static_cast<T>(limits::max() / 2 + 1),
                    static_cast<T>(-1),
                    0,
                    1};
  for (T x : ends)
    for (T y : ends) a.push_back(x), b.push_back(y);
  for (int i = 0; i < 20'000; ++i) {
    b.push_back(i % 16 ? any() : ends[random() % 8]);
    const auto multiple = static_cast<T>(static_cast<std::uint64_t>(b.back()) * (random() >> random() % 64));
    a.push_back(i % 3 ? any() : static_cast<T>(multiple - i % 2));
  }
}

template <class T, class F>
int differences(const array<T>& got, const std::vector<T>& a, F expected) {
  const std::vector<T> all = got.get();
  int wrong = 0;
  for (std::size_t i = 0; i < a.size(); ++i) wrong += all[i] != expected(i);
  return wrong;
}

template <class T>
void check() {
  CAPTURE(name(dtype_of<T>));
  std::vector<T> a, b;
  operands(a, b);
  const array<T> x = asarray(a), y = asarray(b);
  const auto [q, r, rest] = eval(floor_divide(x, y), x % y, fmod(x, y));
  CHECK(differences(q, a, [&](std::size_t i) { return scalar::floor_divide(a[i], b[i]); }) == 0);
  CHECK(differences(r, a, [&](std::size_t i) { return scalar::remainder(a[i], b[i]); }) == 0);
  CHECK(differences(rest, a, [&](std::size_t i) { return scalar::fmod(a[i], b[i]); }) == 0);
  for (T d : {T(7), T(1), static_cast<T>(-1), static_cast<T>(-7), T(0), std::numeric_limits<T>::min(),
              std::numeric_limits<T>::max()}) {
    CAPTURE(+d);
    const auto [by, modulo, left] = eval(floor_divide(x, strong(d)), x % strong(d), fmod(x, strong(d)));
    CHECK(differences(by, a, [&](std::size_t i) { return scalar::floor_divide(a[i], d); }) == 0);
    CHECK(differences(modulo, a, [&](std::size_t i) { return scalar::remainder(a[i], d); }) == 0);
    CHECK(differences(left, a, [&](std::size_t i) { return scalar::fmod(a[i], d); }) == 0);
  }
}

}  // namespace

TEST_CASE("integer division: every dtype, by arrays and by scalars") {
  check<std::int8_t>();
  check<std::uint8_t>();
  check<std::int16_t>();
  check<std::uint16_t>();
  check<std::int32_t>();
  check<std::uint32_t>();
  check<std::int64_t>();
  check<std::uint64_t>();
}
