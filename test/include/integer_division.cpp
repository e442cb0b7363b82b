// Quotients and remainders of integers of every size, by arrays and by scalars, against the plain steps of scalar.hpp.
#include <doctest/doctest.h>

#include <chrono>
#include <limits>
#include <random>
#include <string>
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
}

/// Both ends, powers of two and their neighbours of either sign, small numbers and numbers of every length; of 8 bits all.
template <class T>
std::vector<T> divisors() {
  std::vector<T> all;
  if (sizeof(T) == 1) {
    for (int d = 0; d < 256; ++d) all.push_back(static_cast<T>(d));
    return all;
  }
  for (std::size_t bit = 0; bit < 8 * sizeof(T); ++bit)
    for (int near : {-1, 0, 1}) {
      const auto d = static_cast<T>((std::uint64_t{1} << bit) + static_cast<std::uint64_t>(near));
      all.push_back(d), all.push_back(scalar::negative(d));
    }
  std::mt19937_64 random(3);
  for (int i = 0; i < 60; ++i) all.push_back(static_cast<T>(static_cast<T>(random()) >> random() % (8 * sizeof(T))));
  for (int d : {5, 7, 10, 60, 100}) all.push_back(static_cast<T>(d)), all.push_back(static_cast<T>(-d));
  return all;
}

/// What is divided by d: all there is of 8 and 16 bits; of more, both ends and around multiples of d.
template <class T>
std::vector<T> dividends([[maybe_unused]] T d) {
  std::vector<T> all;
  if (sizeof(T) <= 2) {
    for (int a = 0; a < 1 << 8 * sizeof(T); ++a) all.push_back(static_cast<T>(a));
    return all;
  }
  std::mt19937_64 random(static_cast<std::uint64_t>(d));
  const auto around = [&](std::uint64_t a) {
    for (std::uint64_t near = 0; near < 3; ++near) all.push_back(static_cast<T>(a + near - 1));
  };
  for (std::uint64_t a : {std::uint64_t{0}, std::uint64_t{1} << (8 * sizeof(T) - 1), std::uint64_t{1} << 32}) around(a);
  for (int i = 0; i < 700; ++i) around(static_cast<std::uint64_t>(d) * (random() >> random() % 64));
  for (int i = 0; i < 100; ++i) around(random() >> random() % 64);
  return all;
}

template <class T>
void check_scalars() {
  CAPTURE(name(dtype_of<T>));
  for (T d : divisors<T>()) {
    const std::vector<T> a = dividends(d);
    const array<T> x = asarray(a);
    const auto [by, modulo, left] = eval(floor_divide(x, strong(d)), x % strong(d), fmod(x, strong(d)));
    const int wrong = differences(by, a, [&](std::size_t i) { return scalar::floor_divide(a[i], d); }) +
                      differences(modulo, a, [&](std::size_t i) { return scalar::remainder(a[i], d); }) +
                      differences(left, a, [&](std::size_t i) { return scalar::fmod(a[i], d); });
    CAPTURE(+d);
    CHECK(wrong == 0);
  }
}

}  // namespace

TEST_CASE("integer division: every dtype, by arrays") {
  check<std::int8_t>();
  check<std::uint8_t>();
  check<std::int16_t>();
  check<std::uint16_t>();
  check<std::int32_t>();
  check<std::uint32_t>();
  check<std::int64_t>();
  check<std::uint64_t>();
}

TEST_CASE("integer division: every dtype, by scalars that are only divided by") {
  check_scalars<std::int8_t>();
  check_scalars<std::uint8_t>();
  check_scalars<std::int16_t>();
  check_scalars<std::uint16_t>();
  check_scalars<std::int32_t>();
  check_scalars<std::uint32_t>();
  check_scalars<std::int64_t>();
  check_scalars<std::uint64_t>();
}

TEST_CASE("integer division: by scalars in a reduction, before and after it, and beside other operations") {
  const array<std::int64_t> x = arange(-50, 50);
  const auto both = [](const auto& a) { return floor_divide(a, 7) + a % -7; };
  std::int64_t total = 0;
  for (std::int64_t i = -50; i < 50; ++i) {
    total += scalar::floor_divide<std::int64_t>(i, 7) + scalar::remainder<std::int64_t>(i, -7);
  }
  CHECK(sum(both(x)).item() == total);
  const array<std::int64_t> columns = sum(both(x).reshape({4, 25}), 0);
  CHECK(sum(columns).item() == total);
  const array<std::int64_t> after = floor_divide(sum(x), 7) % 5;
  CHECK(after.item() == scalar::remainder<std::int64_t>(scalar::floor_divide<std::int64_t>(-50, 7), 5));
  CHECK(sum(where(x % 2 == 0, x, 0)).item() == -50);
}

// In a pack of sixteen NVRTC 13.0 did not come to an end with them.
TEST_CASE("integer division: quotients that are indices are compiled in seconds") {
  const array<float> x{2.25f, 2.5f};
  const array<std::uint16_t> i{22};
  const auto picked = x(astype<std::int64_t>(i) % 4ll - 2ll);
  const auto is_less = less(picked, all(picked, {.axis = {0}, .keepdims = true}));
  const auto quotient = floor_divide(is_less, nanmax(is_less, {.axis = {0}, .keepdims = true}));
  const auto again = quotient(astype<std::int64_t>(quotient) % 2ll - 1ll);
  const auto start = std::chrono::steady_clock::now();
  CHECK(std::string(dump(again, {.ptx = true}).c_str()).find("floor_divide_i8(") != std::string::npos);
  const array<std::int8_t> value = again;
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(60));
  CHECK(value.item() == 0);
}
