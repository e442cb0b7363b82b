// Folds and scans of what only moves elements, folds of one domain whose elements lie otherwise, and columns that many rows read: the
// values, against loops, and on a CPU how many kernels there are.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <sinter/inspect.hpp>
#include <sinter/products.hpp>
#include <sinter/sinter.hpp>

namespace {

using namespace sinter;

constexpr std::int64_t rows = 70, columns = 90;

template <class T>
array<T> numbers() {
  return astype<T>((arange(rows * columns) * 37) % 101).reshape(rows, columns);
}

/// A value that is moved first gives what its array gives: the two statements are the reference.
template <class T, class F, class M>
void check_moved(const char* what, const array<T>& x, M move, F fold) {
  INFO(what);
  const array<T> moved = move(x);
  const auto wanted = (fold(moved)).copy(), got = (fold(move(x))).copy();
  REQUIRE(got.shape() == wanted.shape());
  CHECK(got.get() == wanted.get());
}

template <class T>
void check_folds() {
  const array<T> x = numbers<T>();
  const auto check = [&](const char* what, auto move) {
    check_moved(what, x, move, [](const auto& m) { return sum(m, 0); });
    check_moved(what, x, move, [](const auto& m) { return max(m, 0); });
    check_moved(what, x, move, [](const auto& m) { return max(m + m, 1); });
    check_moved(what, x, move, [](const auto& m) { return argmin(m, 1); });
    check_moved(what, x, move, [](const auto& m) { return sum(m); });
    check_moved(what, x, move, [](const auto& m) { return cumsum(m, 0); });
    check_moved(what, x, move, [](const auto& m) { return cumsum(m, 1); });
  };
  check("roll", [](const array<T>& a) { return roll(a, 3, 1); });
  check("roll of both", [](const array<T>& a) { return roll(a, {35, -45}, {0, 1}); });
  check("pad", [](const array<T>& a) { return pad(a, 2); });
  check("edge", [](const array<T>& a) { return pad(a, {{1, 0}, {2, 3}}, pad_mode::edge); });
  check("reflect", [](const array<T>& a) { return pad(a, 4, pad_mode::reflect); });
  check("concatenate", [](const array<T>& a) { return concatenate(tuple(a, a + a), 1); });
  check("stack", [](const array<T>& a) { return stack({a, a}, -1).reshape(rows, 2 * columns); });
  check("repeat", [](const array<T>& a) { return repeat(a, 3, 1); });
  check("repeat of rows", [](const array<T>& a) { return repeat(a, 3, 0); });
  check("tile", [](const array<T>& a) { return tile(a, {2, 3}); });
  check("roll of a transpose", [](const array<T>& a) { return roll(a.T(), 3, 1); });
}

std::size_t kernels_of(const std::string& explained) {
  const std::size_t at = explained.find("kernels: ");
  return at == std::string::npos ? 0 : std::stoul(explained.substr(at + 9));
}

}  // namespace

TEST_CASE("moved folds: floats") { check_folds<float>(); }
TEST_CASE("moved folds: bytes") { check_folds<std::uint8_t>(); }

TEST_CASE("moved folds: an expression that is folded and used, whose operands only move") {
  const array<double> x = numbers<double>(), r = roll(x, 5, 1);
  const auto shifted = roll(x, 5, 1);
  CHECK(allclose((shifted - mean(shifted, {.axis = 1, .keepdims = true})).copy(),
                 r - mean(r, {.axis = 1, .keepdims = true})));
  CHECK(allclose((stddev(roll(x, 5, 1), {.axis = 0})).copy(), stddev(r, {.axis = 0})));
  CHECK(allclose((sum(square(roll(x, 5, 1) - x), 0)).copy(), sum(square(r - x), 0)));
  CHECK(allclose((sum(abs(roll(x, 1, 0) - roll(x, -1, 1)), 1)).copy(),
                 sum(abs(roll(x, 1, 0).copy() - roll(x, -1, 1).copy()), 1)));
  // Indices that are elements, and rows that are read again: nothing only moves.
  const array<std::int64_t> k = (arange(columns) * 7) % columns;
  CHECK(allclose((sum(take(x, k, 1), 0)).copy(), sum(take(x, k, 1).copy(), 0)));
}

TEST_CASE("moved folds: elements that lie otherwise, and columns that rows read") {
  const std::int64_t n = 150;
  const array<double> a = (astype<double>((arange(n * n) * 37) % 101) - 50.0).reshape(n, n), u = a(3).copy(),
                      v = a(5).copy();
  const auto product = [&](const array<double>& m, const array<double>& by) {
    const std::vector<double> all = m.copy().get(), w = by.copy().get();
    std::vector<double> to(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < to.size(); ++i)
      for (std::size_t j = 0; j < to.size(); ++j) to[i] += all[i * to.size() + j] * w[j];
    return asarray(to);
  };
  CHECK(allclose((matmul(a, u) + matmul(a.T(), v)).copy(), product(a, u) + product(a.T(), v)));
  CHECK(
      allclose((where(matmul(a, u) > 0, matmul(a.T(), u), 0)).copy(), where(product(a, u) > 0, product(a.T(), u), 0)));
  CHECK(allclose((matmul(a, a(_, 0))).copy(), product(a, a(_, 0))));
  CHECK(allclose((matmul(a, a(_, 0) + a(_, 1))).copy(), product(a, a(_, 0) + a(_, 1))));
  CHECK(allclose((matmul(a, a(_, 0)) + matmul(a.T(), a(0))).copy(), product(a, a(_, 0)) + product(a.T(), a(0))));
  CHECK(allclose((matmul(a, a(slice(_, _, -1), 7))).copy(), product(a, a(slice(_, _, -1), 7))));
  CHECK(allclose((sum(a * a(_, 0), 1) + max(a.T(), 1)).copy(), product(a, a(_, 0)) + max(a, 0)));
  // What lies the same way is one pass.
  CHECK(kernels_of(explain(matmul(a, u) + matmul(a, v)).c_str()) == 1);
  CHECK(kernels_of(explain(sum(a * a) + max(a.T())).c_str()) == 1);
}
