// Rows that are joined, padded and turned, of every length from one element to more than a vector has, of many rows and of few: what
// stands where is asked once for many rows, or many elements, on a CPU.
#include <doctest/doctest.h>

#include <complex>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include <sinter/sinter.hpp>

namespace {

using namespace sinter;

template <class T>
struct rows_of {
  std::int64_t rows, length;
  std::vector<T> at;
  rows_of(std::int64_t r, std::int64_t l, int first = 0) : rows(r), length(l), at(static_cast<std::size_t>(r * l)) {
    for (std::size_t i = 0; i < at.size(); ++i) at[i] = static_cast<T>((first + static_cast<int>(i) * 7) % 101);
  }
  T operator()(std::int64_t i, std::int64_t j) const { return at[static_cast<std::size_t>(i * length + j)]; }
  array<T> get() const { return asarray(at).reshape(rows, length); }
};

/// Is element (i, j) what `wanted` says?
template <class T, class F>
void check_rows(const std::string& what, const array<T>& got, std::int64_t rows, std::int64_t length, F wanted) {
  REQUIRE(got.shape() == shape{rows, length});
  const std::vector<T> is = got.get();
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < length; ++j) wrong += is[static_cast<std::size_t>(i * length + j)] != wanted(i, j);
  INFO(what << " of " << rows << " x " << length);
  CHECK(wrong == 0);
}

// As numpy.pad has it, for any width.
std::int64_t place_of(std::int64_t at, std::int64_t n, pad_mode mode) {
  const auto modulo = [](std::int64_t a, std::int64_t b) { return (a % b + b) % b; };
  if (n == 1) return 0;
  if (mode == pad_mode::edge) return at < 0 ? 0 : at < n ? at : n - 1;
  if (mode == pad_mode::wrap) return modulo(at, n);
  const std::int64_t period = mode == pad_mode::reflect ? 2 * n - 2 : 2 * n, r = modulo(at, period);
  return r < n ? r : (mode == pad_mode::reflect ? period : period - 1) - r;
}

template <class T>
void check_joins(std::int64_t rows, std::int64_t length) {
  const rows_of<T> x(rows, length), y(rows, length + 1, 50), z(rows, 1, 9);
  const array<T> a = x.get(), b = y.get(), c = z.get();
  const auto joined = [&](std::int64_t i, std::int64_t j) {
    return j < length ? x(i, j) : j < 2 * length + 1 ? y(i, j - length) : z(i, 0);
  };
  check_rows<T>("concatenate", concatenate({a, b, c}, 1), rows, 2 * length + 2, joined);
  check_rows<T>("concatenate of expressions", concatenate(tuple(a + a, b + a(_, slice(0, 1))), 1), rows, 2 * length + 1,
                [&](std::int64_t i, std::int64_t j) {
                  return static_cast<T>(j < length ? x(i, j) + x(i, j) : y(i, j - length) + x(i, 0));
                });
  check_rows<T>("stack", stack<T>({a, b(_, slice(1, _)), a}, -1).reshape(rows, 3 * length), rows, 3 * length,
                [&](std::int64_t i, std::int64_t j) { return j % 3 == 1 ? y(i, j / 3 + 1) : x(i, j / 3); });
  check_rows<T>(
      "stack between", stack(tuple(a, a + a), 1).reshape(2 * rows, length), 2 * rows, length,
      [&](std::int64_t i, std::int64_t j) { return static_cast<T>(i % 2 ? x(i / 2, j) + x(i / 2, j) : x(i / 2, j)); });
  check_rows<T>("roll", roll(a, 2, 1), rows, length,
                [&](std::int64_t i, std::int64_t j) { return x(i, (j + 2 * length - 2) % length); });
  check_rows<T>("roll of columns", roll(b.T(), 1, 0).T().copy(), rows, length + 1,
                [&](std::int64_t i, std::int64_t j) { return y(i, (j + length) % (length + 1)); });
  const array<std::int64_t> which = (arange(rows) * 3) % rows;
  check_rows<T>("take", take(a, which, 0) + a, rows, length,
                [&](std::int64_t i, std::int64_t j) { return static_cast<T>(x(i * 3 % rows, j) + x(i, j)); });
}

template <class T>
void check_pads(std::int64_t rows, std::int64_t length) {
  const rows_of<T> x(rows, length);
  const array<T> a = x.get();
  check_rows<T>("pad", pad(a, {{1, 0}, {2, 1}}, 5), rows + 1, length + 3, [&](std::int64_t i, std::int64_t j) {
    return i < 1 || j < 2 || j >= length + 2 ? T(5) : x(i - 1, j - 2);
  });
  for (const pad_mode mode : {pad_mode::edge, pad_mode::wrap, pad_mode::reflect, pad_mode::symmetric})
    for (const auto& [before, after] : {std::pair{1, 1}, {0, 2}, {3, 0}, {9, 20}})
      check_rows<T>("pad by place " + std::to_string(static_cast<int>(mode)), pad(a, {{0, 1}, {before, after}}, mode),
                    rows + 1, length + before + after, [&, before = before](std::int64_t i, std::int64_t j) {
                      return x(place_of(i, rows, mode), place_of(j - before, length, mode));
                    });
}

template <class T>
void check_all(std::initializer_list<std::int64_t> lengths) {
  for (const std::int64_t rows : {1, 9, 301})
    for (const std::int64_t length : lengths) {
      check_joins<T>(rows, length);
      check_pads<T>(rows, length);
    }
}

}  // namespace

TEST_CASE("short rows: joins, rolls, gathers and pads of every length") {
  check_all<float>({1, 2, 3, 4, 7, 9, 15, 16, 33, 70});
  check_all<std::uint8_t>({1, 3, 6, 17});
}

TEST_CASE("short rows: the same of wide elements") { check_all<std::complex<double>>({1, 4, 9}); }

TEST_CASE("short rows: a line, longer than a stretch is") {
  const rows_of<float> x(1, 3001);
  const array<float> a = x.get()(0);
  for (const pad_mode mode : {pad_mode::edge, pad_mode::wrap, pad_mode::reflect, pad_mode::symmetric})
    for (const auto& [before, after] : {std::pair{2, 5}, {2500, 1}, {1, 2900}, {4000, 7000}})
      check_rows<float>(
          "line", pad(a, {{before, after}}, mode).reshape(1, 3001 + before + after), 1, 3001 + before + after,
          [&, before = before](std::int64_t, std::int64_t j) { return x(0, place_of(j - before, 3001, mode)); });
  check_rows<float>("twice", (pad(a, 3, pad_mode::reflect) * pad(a, 3, pad_mode::edge)).reshape(1, 3007), 1, 3007,
                    [&](std::int64_t, std::int64_t j) {
                      return x(0, place_of(j - 3, 3001, pad_mode::reflect)) *
                             x(0, place_of(j - 3, 3001, pad_mode::edge));
                    });
}
