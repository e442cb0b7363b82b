// Reductions over every shape and layout for which there is another algorithm: sizes around the lanes, tiles and parts
// of a kernel, rows, columns and axes in between, and operands that lie in memory in any way.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "test/include/looking.hpp"
#include "test/include/reference.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;

/// Elements whose fold is exact in any order and shows a missing, doubled or misplaced one: sums of small whole
/// numbers, products of few twos, one extreme element, one truth value out of line.
template <class T>
array<T> elements_for(fold f, const shape& s, unsigned salt = 0) {
  std::vector<std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>> all(
      static_cast<std::size_t>(s.elements()));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const unsigned r = static_cast<unsigned>((i + salt) * 2654435761u) >> 7;
    int x = static_cast<int>(r % 9) - 3;
    if (f == fold::prod) x = r % 40 == 0 ? -1 : r % 25'000 == 1 ? 2 : 1;
    if (f == fold::any) x = r % 300 == 0;
    if (f == fold::all) x = r % 300 != 0;
    if (f == fold::min || f == fold::max) x = static_cast<int>(r % 60'001) - 30'000;
    all[i] = static_cast<T>(std::is_same_v<T, bool> ? x > 0 : x);
  }
  return array<T>(detail::make_from_host(dtype_of<T>, s, all.data()));
}

double allowed(fold f, dtype result) { return f < fold::mean ? 0 : result == dtype::float32 ? 1.2e-7 : 1e-13; }

template <class T>
void check(fold f, const array<T>& a, unsigned mask) {
  const handle result = reduced(a.node(), f, mask);
  INFO(name_of(f), " of ", std::string(name(dtype_of<T>)), ", shape ",
       doctest::toString(std::vector<std::int64_t>(a.shape().begin(), a.shape().end())), ", axes mask ", mask);
  CHECK(worst(value_of(result.get()), reduced(value_of(a), f, mask)) <= allowed(f, dtype_of_node(result.get())));
}
template <class T>
void check_shape(fold f, const shape& s, unsigned mask) {
  check(f, elements_for<T>(f, s), mask);
}

constexpr int lengths[] = {1,    2,      15,     16,     17,     31,     33,     255,     256,    257,
                           1000, 16'383, 16'384, 16'385, 32'767, 32'768, 32'769, 100'003, 1 << 20};

template <class T>
void check_bytes(int n) {
  CAPTURE(n);
  const array<T> a = astype<T>(arange(n) * 37 % 256);
  std::int64_t plain = 0, high = std::numeric_limits<T>::lowest(), squares = 0;
  for (const T v : a.get()) plain += v, high = std::max<std::int64_t>(high, v), squares += std::int64_t{v} * v;
  const auto [total, largest, of_squares] =
      eval(sum(a), max(a), sum(astype<std::int64_t>(a) * astype<std::int64_t>(a)));
  CHECK(total.item() == plain);
  CHECK(largest.item() == high);
  CHECK(of_squares.item() == squares);
  CHECK(sum(a).item() == plain);
}

}  // namespace

TEST_CASE("reductions: everything, for lengths around every threshold") {
  for (fold f : folds)
    for (int n : lengths) check_shape<float>(f, shape{n}, 1);
  for (int n : lengths) {
    check_shape<double>(fold::sum, shape{n}, 1);
    check_shape<std::int8_t>(fold::sum, shape{n}, 1);
    check_shape<bool>(fold::sum, shape{n}, 1);
    check_shape<std::int16_t>(fold::max, shape{n}, 1);
  }
}

TEST_CASE("reductions: bytes are added up four at a time, alone and beside other folds") {
  for (const int n : {1, 15, 16, 17, 255, 4096, 100'003}) check_bytes<std::int8_t>(n), check_bytes<std::uint8_t>(n);
  CHECK(sum(full({70'000}, std::uint8_t{255})).item() == 70'000 * 255);
  CHECK(sum(full({70'000}, std::int8_t{-128})).item() == -70'000 * 128);
  CHECK(sum(full({70'000}, true)).item() == 70'000);
  const auto [truths, all_there] = eval(sum(full({1'000}, true)), all(array<double>(arange<double>(1000) + 1)));
  CHECK(truths.item() == 1'000);  // in packs of two, as those beside them
  CHECK(all_there.item());
}

TEST_CASE("reductions: rows of every length and number") {
  for (fold f : {fold::sum, fold::min, fold::var, fold::all})
    for (int n : {1, 2, 15, 16, 17, 255, 257, 4099})
      for (int rows : {1, 3, 63, 65, 300}) check_shape<float>(f, {rows, n}, 0b10);
  for (int rows : {1, 3, 63, 64}) check_shape<float>(fold::sum, {rows, 33'000}, 0b10);
  check_shape<float>(fold::mean, {2, 400'003}, 0b10);
  check_shape<double>(fold::max, {100'003, 3}, 0b10);
  check_shape<std::uint8_t>(fold::sum, {1000, 77}, 0b10);
}

TEST_CASE("reductions: columns of every length and number") {
  for (fold f : {fold::sum, fold::max, fold::stddev, fold::any})
    for (int columns : {1, 2, 31, 33, 255, 256, 257, 600})
      for (int n : {1, 2, 3, 17, 129}) check_shape<float>(f, {n, columns}, 0b01);
  for (int columns : {1, 2, 63, 65, 256, 257, 513}) check_shape<float>(fold::sum, {1500, columns}, 0b01);
  check_shape<float>(fold::mean, {200'003, 2}, 0b01);
  check_shape<double>(fold::prod, {50'001, 3}, 0b01);
  check_shape<std::int32_t>(fold::sum, {3000, 40}, 0b01);
  for (int columns : {3, 7, 33, 62, 63}) check_shape<float>(fold::sum, {1281, columns}, 0b01);
}

TEST_CASE("reductions: axes in between, at both ends, and apart") {
  for (fold f : {fold::sum, fold::max, fold::mean}) {
    for (int n : {1, 2, 17, 300}) {
      check_shape<float>(f, {2, n, 3}, 0b010);
      check_shape<float>(f, {n, 5, 7}, 0b101);
      check_shape<float>(f, {3, 5, n}, 0b101);
      check_shape<float>(f, {n, 4, 2, 3}, 0b1010);
      check_shape<float>(f, {3, 4, n, 2}, 0b0101);
      check_shape<float>(f, {2, 3, n, 2, 2}, 0b10110);
      check_shape<float>(f, {1, n, 1, 6, 1}, 0b01001);
      check_shape<float>(f, {1, n, 1, 6, 1}, 0b10110);
    }
    check_shape<float>(f, {300, 4, 300}, 0b101);
    check_shape<float>(f, {4, 300, 300}, 0b110);
    check_shape<float>(f, {300, 300, 4}, 0b011);
    check_shape<float>(f, {2, 50'000, 2}, 0b010);
    check_shape<float>(f, {90, 3, 200}, 0b101);
    check_shape<float>(f, {2, 2, 2, 2, 2, 2, 2, 2}, 0b10110101);
  }
}

TEST_CASE("reductions: operands that lie in memory in any way") {
  for (fold f : {fold::sum, fold::max, fold::var}) {
    const array<float> a = elements_for<float>(f, {60, 90});
    const array<float> cube = elements_for<float>(f, {20, 30, 40});
    const array<float> views[] = {
        a.T(),
        a(slice(_, _, -1)),
        a(_, slice(_, _, -1)),
        a(slice(1, _, 2), slice(3, 80, 7)),
        a(slice(_, _, -3), slice(_, _, -2)),
        a.T()(slice(_, _, -2), slice(5, _)),
        a(slice(7, _), slice(1, _)),
        broadcast_to(a(0), {60, 90}),
        broadcast_to(a(_, slice(0, 1)), {60, 90}),
        broadcast_to(a(3, 3), {60, 90}),
        cube(_, 3),
        cube(_, _, -1),
        cube.transpose({1, 2, 0})(5),
    };
    for (const array<float>& v : views)
      for (unsigned mask : {0b01u, 0b10u, 0b11u}) check(f, v, mask);
    for (unsigned mask = 1; mask < 8; ++mask) {
      check(f, array<float>(cube.T()), mask);
      check(f, array<float>(cube.transpose({1, 0, 2})), mask);
      check(f, array<float>(cube(slice(_, _, 3), slice(_, _, -1), slice(1, _, 2))), mask);
      check(f, array<float>(broadcast_to(a(slice(0, 30), newaxis, slice(0, 40)), {30, 25, 40})), mask);
    }
    check(f, array<float>(elements_for<float>(f, {300, 400}).T()), 0b01);
    check(f, array<float>(elements_for<float>(f, {400, 300})(slice(_, _, 2))), 0b11);
    check(f, array<float>(elements_for<float>(f, {200'000})(slice(_, _, -2))), 1);
    check(f, array<float>(elements_for<float>(f, {7, 40'000})(slice(_, _, -2), slice(3, _))), 0b10);
  }
}

TEST_CASE("reductions: of views of expressions and of reductions") {
  const array<float> a = elements_for<float>(fold::sum, {12, 18});
  const tensor t = value_of(a);
  auto e = a * 2 - 1;
  const tensor te = value_of(array<float>(e));
  CHECK(worst(value_of(sum(e.T(), 0)), reduced(te, fold::sum, 0b10)) == 0);
  CHECK(worst(value_of(sum(e(slice(_, _, -1), slice(2, 9)), 1)),
              reduced(value_of(array<float>(e)(slice(_, _, -1), slice(2, 9))), fold::sum, 0b10)) == 0);
  CHECK(worst(value_of(max(sum(a, 0))), reduced(reduced(t, fold::sum, 0b01), fold::max, 1)) == 0);
  CHECK(worst(value_of(sum(max(a, 1))), reduced(reduced(t, fold::max, 0b10), fold::sum, 1)) == 0);
  CHECK(worst(value_of(sum(sum(e, 0)(slice(_, _, -2)))),
              reduced(value_of(array<float>(sum(e, 0))(slice(_, _, -2))), fold::sum, 1)) == 0);
  CHECK(worst(value_of(sum(a.T().reshape({6, 36}), 0)),
              reduced(value_of(array<float>(a.T()).copy().reshape({6, 36})), fold::sum, 0b01)) == 0);
  CHECK(worst(value_of(sum(broadcast_to(sum(e, 0), {12, 18}) - e, 1)),
              reduced(value_of(broadcast_to(array<float>(sum(e, 0)), {12, 18}) - array<float>(e)), fold::sum, 0b10)) ==
        0);
  CHECK(sum(a, {.axis = {0, 1}, .keepdims = true})(0, 0).item() == sum(a).item());
  CHECK(sum(arange(1000)).item() == 499'500);  // of indices that are in no memory
  CHECK(sum(broadcast_to(sum(a), {10, 1000})).item() == 10'000 * sum(a).item());
}

TEST_CASE("reductions: more columns than a grid has blocks") {
  constexpr std::int64_t rows = 2'200'000'000, bytes = rows * 4;
  // A host would take minutes; the stand-in for a GPU has not the memory.
  const device here = device::current();
  if (here.type() != device::kind::cuda || properties(here).total_memory < 4 * bytes) return;
  array<std::uint8_t> x = zeros<std::uint8_t>({rows, 2, 2});
  x(rows - 1, 1, 0) = 7;
  const array<std::uint8_t> most = max(x, 1);
  CHECK(most(rows - 1, 0).item() == 7);
  CHECK(most(rows - 1, 1).item() == 0);
  CHECK(sum(astype<std::int64_t>(most)).item() == 7);
  x = array<std::uint8_t>();
  default_memory_pool().free_all_blocks();
}

namespace {

/// What the CUDA text of an expression's first kernel declares for a block. Units: bytes.
template <class E>
int block_memory_of(const E& e) {
  const std::string text = dump(e).c_str(), declared = "__shared__ ";
  int bytes = 0;
  for (std::size_t at = text.find(declared); at != std::string::npos; at = text.find(declared, at + 1)) {
    const std::string line = text.substr(at, text.find(';', at) - at);
    const std::size_t bracket = line.find('[');
    const int each = line.find("bool") != std::string::npos                                               ? 1
                     : line.find("double") != std::string::npos || line.find("long") != std::string::npos ? 8
                                                                                                          : 4;
    bytes += each * (bracket == std::string::npos ? 1 : std::stoi(line.substr(bracket + 1)));
  }
  return bytes;
}

}  // namespace

TEST_CASE("reductions: as many over columns as a block of a GPU has memory to fold") {
  const array<std::int8_t> a = astype<std::int8_t>(arange(32 * 64) % 7 - 3).reshape({64, 32});
  const auto total = sum(a, 0) + sum(a * a, 0) + prod(a | 1, 0) + astype<std::int64_t>(max(a, 0)) * sum(a - 1, 0);
  const array<float> x = zeros<float>({100'000, 64}), y = zeros<float>({100'000, 64}), z = zeros<float>({100'000, 64});
  for (int bytes : {block_memory_of(total), block_memory_of(stddev(x, 0) + stddev(y, 0) + stddev(z, 0))}) {
    CHECK(bytes > 0);
    CHECK(bytes <= 48 * 1024);
  }
  const std::vector<std::int8_t> all = a.get();
  const std::vector<std::int64_t> got = total.get();
  for (std::size_t column = 0; column < 32; ++column) {
    std::int64_t sums = 0, squares = 0, product = 1, largest = -128, shifted = 0;
    for (std::size_t row = 0; row < 64; ++row) {
      const std::int64_t v = all[row * 32 + column];
      sums += v, squares += v * v, shifted += v - 1, product *= v | 1, largest = std::max(largest, v);
    }
    CHECK(got[column] == sums + squares + product + largest * shifted);
  }
}
