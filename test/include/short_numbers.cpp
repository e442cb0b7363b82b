// Numbers of 16 bits: stored as such, computed with as float, rounded once where a value has a name.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "test/include/looking.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;

template <class H>
std::vector<float> floats(const array<H>& a) {
  return a.template astype<float>().get();
}

/// Every number of a type, in an array of its bits' order.
template <class H>
array<H> all_numbers() {
  std::vector<H> all(65536);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = H::from_bits(static_cast<std::uint16_t>(i));
  return asarray(all);
}

TEST_CASE_TEMPLATE("every number of 16 bits becomes its float and comes back", H, half, bfloat16) {
  const array<H> all = all_numbers<H>();
  const std::vector<H> given = all.get();
  const array<float> wide = astype<float>(all);
  const std::vector<float> numbers = wide.get();
  const array<H> narrow = astype<H>(wide);
  const std::vector<H> back = narrow.get();
  int wrong = 0;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const float number = given[i];
    const bool is_number = number == number;
    wrong +=
        is_number ? std::signbit(numbers[i]) != std::signbit(number) || numbers[i] != number : numbers[i] == numbers[i];
    wrong += is_number ? back[i].bits != given[i].bits : !std::isnan(float(back[i]));
  }
  CHECK(wrong == 0);
}

TEST_CASE_TEMPLATE("floats and doubles are rounded once, halves to even", H, half, bfloat16) {
  // Between neighbours lies the number half-way, one just below and one just above it, which no float tells from it.
  std::vector<double> from;
  std::vector<float> near;
  const std::vector<H> all = all_numbers<H>().get();
  for (std::size_t i = 0; i + 1 < all.size(); i += 7) {
    const double a = float(all[i]), b = float(all[i + 1]), middle = (a + b) / 2;
    if (!std::isfinite(middle)) continue;
    for (const double x : {middle, std::nextafter(middle, a), std::nextafter(middle, b)}) from.push_back(x);
    near.push_back(static_cast<float>(middle));
  }
  const std::vector<H> got = array<H>(astype<H>(asarray(from))).get(),
                       of_floats = array<H>(astype<H>(asarray(near))).get();
  int wrong = 0;
  for (std::size_t i = 0; i < from.size(); ++i) wrong += got[i].bits != H(from[i]).bits;
  for (std::size_t i = 0; i < near.size(); ++i) wrong += of_floats[i].bits != H(near[i]).bits;
  CHECK(wrong == 0);
  CHECK(float(H(1.0 + 1.5 * std::numeric_limits<double>::epsilon())) == 1.0f);
}

TEST_CASE_TEMPLATE("signs of every number of 16 bits", H, half, bfloat16) {
  const array<float> wide = arange<float>(-40, 40) / 8;
  const array<H> x = concatenate(tuple(astype<H>(wide), array<H>{H(-0.0F), H(INFINITY), H(-INFINITY)}));
  const array<float> f = astype<float>(x);
  CHECK(astype<float>(abs(x)).get() == abs(f).get());
  CHECK(astype<float>(-x).get() == (-f).get());
  CHECK(all(signbit(-abs(x))).item());
  CHECK(isnan(abs(array<H>{H(NAN)})).get()[0]);
  const array<H> y = x(slice(0, 80));
  const array<float> g = f(slice(0, 80));
  CHECK(astype<float>(abs(y * y - y)).get() == astype<float>(astype<H>(abs(g * g - g))).get());
}

TEST_CASE("a value is rounded where it has a name, and not within an expression") {
  const array<half> a = {2048.0}, b = {1.0};
  const array<half> together = a + b - a;  // 2049 is no half
  CHECK(together.item() == 1.0f);
  const auto sum = a + b;
  const array<half> apart = sum - a;
  CHECK(apart.item() == 0.0f);
  const array<half> written = astype<half>(a + b) - a;
  CHECK(written.item() == 0.0f);
}

TEST_CASE_TEMPLATE("sums, means and deviations are of floats", H, half, bfloat16) {
  const array<H> ones = sinter::ones<H>({70'000});
  CHECK(float(mean(ones).item()) == 1.0f);
  CHECK(float(stddev(ones).item()) == 0.0f);
  CHECK(sum<float>(ones).item() == 70'000.0f);
  const array<H> many = astype<H>(arange<float>(4096) % 100);
  CHECK(float(mean(many).item()) == float(H(mean(astype<float>(many)).item())));
  CHECK(float(max(many).item()) == 99.0f);
  CHECK(argmax(many).item() == 99);
  CHECK(argmin(many).item() == 0);
  const array<H> rows = sum(many.reshape({64, 64}), 1), columns = sum(many.reshape({64, 64}), 0);
  const array<H> wanted = astype<H>(sum(astype<float>(many).reshape({64, 64}), 1));
  CHECK(floats(rows) == floats(wanted));
  CHECK(columns.shape() == shape{64});
  const array<H> running = cumsum(many);
  const array<H> wide = astype<H>(cumsum(astype<float>(many)));
  CHECK(floats(running) == floats(wide));
}

TEST_CASE_TEMPLATE("chains with folds and joins are one launch", H, half, bfloat16) {
  const array<H> x = astype<H>(arange<float>(512).reshape({8, 64}) * 0.01f);
  const counters_snapshot moved = moved_by([&] {
    auto e = exp(x - max(x, {.axis = 1, .keepdims = true}));
    const array<H> softmax = e / sum(e, {.axis = 1, .keepdims = true});
    synchronize();
  });
  CHECK(moved.launches == 1);
  const array<H> joined = concatenate(tuple(x + 1, roll(x, 1, 1)), 0);
  CHECK(joined.shape() == shape{16, 64});
  const array<H> where_large = where(x > 1, x, H(7));
  CHECK(float(where_large(0, 0).item()) == 7.0f);
}

TEST_CASE_TEMPLATE("stores, updates, masks and scatters", H, half, bfloat16) {
  array<H> a = arange<H>(5);
  a(0) = 3;
  a(slice(1, 3)) += 0.5;
  a(a > 3.5) = 9;
  CHECK(floats(a) == std::vector<float>{3, 1.5, 2.5, 3, 9});
  const array<std::int32_t> k = {2, 0, 2};
  a(k) = H(0);
  CHECK(floats(a) == std::vector<float>{0, 1.5, 0, 3, 9});
  scatter_add(a, k, array<H>{1.0, 2.0, 4.0});
  CHECK(floats(a) == std::vector<float>{2, 1.5, 5, 3, 9});
  scatter_max(a, k, array<H>{1.0, 7.0, 6.0});
  CHECK(floats(a) == std::vector<float>{7, 1.5, 6, 3, 9});
  array<H> grid = zeros<H>({4, 4});
  scatter_add(grid(array<int>{1, 1}, slice(_, _, 2)), H(0.25));
  CHECK(floats(grid) == std::vector<float>{0, 0, 0, 0, .5f, 0, .5f, 0, 0, 0, 0, 0, 0, 0, 0, 0});
}

TEST_CASE("numbers of 16 bits combine with others as NumPy combines them") {
  static_assert(std::same_as<result_type<half, float>, float>);
  static_assert(std::same_as<result_type<half, bfloat16>, float>);
  static_assert(std::same_as<result_type<half, std::int8_t>, half>);
  static_assert(std::same_as<result_type<half, std::int16_t>, float>);
  static_assert(std::same_as<result_type<half, std::int32_t>, double>);
  const array<half> h = {1.0, 2.0};
  static_assert(std::same_as<decltype(h + 1.5)::sinter_element, half>);
  static_assert(std::same_as<decltype(h + strong(1.5))::sinter_element, double>);
  static_assert(std::same_as<decltype(mean(h))::sinter_element, half>);
}

}  // namespace
