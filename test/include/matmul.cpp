// Products of matrices: their values beside a plain loop for every dtype and layout, and how they go with expressions, stores, streams
// and graphs. Where there is a library each is one call; on the interpreter they are folds.
#include <doctest/doctest.h>

#include <atomic>
#include <complex>
#include <functional>
#include <sstream>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <sinter/fft.hpp>
#include <sinter/sinter.hpp>

#include "test/include/looking.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;

std::string text_of(const shape& s) {
  std::ostringstream out;
  out << s;
  return out.str();
}

// Small whole numbers: every sum of products is exact, whatever its order.
template <class T>
array<T> some(const shape& s, int seed = 0) {
  const array<std::int64_t> i = (arange(s.elements()) * 7 + seed * 3) % 11 - 4;
  if constexpr (std::is_same_v<T, bool>) return array<bool>(i > 3).reshape(s);
  else if constexpr (detail::complex_number<T>)
    return astype<T>(make_complex(astype<double>(i), astype<double>((i * 3 + 2) % 5 - 2))).reshape(s);
  else if constexpr (std::is_unsigned_v<T>) return astype<T>(i + 4).reshape(s);
  else return astype<T>(i).reshape(s);
}

template <class T>
std::vector<T> multiplied(const std::vector<T>& a, const std::vector<T>& b, std::size_t rows, std::size_t inner,
                          std::size_t columns) {
  std::vector<T> c(rows * columns);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) {
      T sum{};
      for (std::size_t k = 0; k < inner; ++k) {
        const T x = a[i * inner + k], y = b[k * columns + j];
        if constexpr (std::is_same_v<T, bool>) sum = sum || (x && y);
        else sum = static_cast<T>(sum + x * y);
      }
      c[i * columns + j] = sum;
    }
  return c;
}

template <class T>
void check_product(const array<T>& a, const array<T>& b) {
  const auto rows = a.shape()[0], inner = a.shape()[1], columns = b.shape()[1];
  const std::string what = text_of(a.shape()) + text_of(b.shape());
  CAPTURE(what);
  const array<T> c = matmul(a, b);
  CHECK(c.shape() == shape{rows, columns});
  CHECK(c.get() == multiplied<T>(a.get(), b.get(), static_cast<std::size_t>(rows), static_cast<std::size_t>(inner),
                                 static_cast<std::size_t>(columns)));
}

template <class T>
void check_layouts(const array<T>& a, const array<T>& b) {
  check_product<T>(a, b);
  check_product<T>(b.T(), a.T());
  check_product<T>(a(slice(_, _, 2)), b);
  check_product<T>(a(slice(_, _, -1)), b(_, slice(_, _, 3)));
  check_product<T>(a(_, slice(_, _, -1)), b);
  check_product<T>(broadcast_to(a(slice(1)), a.shape()), b);
  check_product<T>(a, broadcast_to(b(_, slice(1)), b.shape()));
  check_product<T>(a(slice(1)), b);
  check_product<T>(a, b(_, slice(1)));
  check_product<T>(a(_, slice(1)), b(slice(1)));
  check_product<T>(a(_, slice(0)), b(slice(0)));
  check_product<T>(a(slice(0)), b);
}

// One call of a library, where there is one: the interpreter has none.
int one_call() { return device::current() == device::interpreter() ? 0 : 1; }
int calls_of(const std::function<void()>& work) { return static_cast<int>(moved_by(work).library_calls); }

}  // namespace

TEST_CASE_TEMPLATE("matmul: every dtype and layout", T, bool, std::int8_t, std::uint8_t, int, std::int64_t, half,
                   bfloat16, float, double, std::complex<float>, std::complex<double>) {
  if constexpr (std::is_same_v<T, bool>) {
    const array<bool> a = some<bool>({4, 5}), b = some<bool>({5, 3}, 1);
    check_product<bool>(a, b);
    const array<bool> few =
        (arange<int>(2000) * 7 % 53 == 0).reshape({40, 50});  // so many products that they are counted
    check_product<bool>(few, some<bool>({50, 60}, 1));
    check_product<bool>(few(slice(_, _, -1)), few.T());
    return;
  } else if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>) {
    const array<T> a = some<T>({17, 12}), b = some<T>({12, 9}, 1);
    const array<float> exact = matmul(astype<float>(a), astype<float>(b));
    CHECK(astype<float>(matmul(a, b)).get() == astype<float>(astype<T>(exact)).get());
    CHECK(astype<float>(matmul(b.T(), a.T())).get() == astype<float>(astype<T>(exact.T())).get());
    CHECK(astype<float>(matmul(a, b(_, 2))).get() == astype<float>(astype<T>(exact(_, 2))).get());
  } else {
    check_layouts<T>(some<T>({18, 13}), some<T>({13, 11}, 1));
    check_layouts<T>(some<T>({3, 4}), some<T>({4, 5}, 1));
  }
}

// Results with rows of every width that fits a register, of more and fewer rows than go together, from operands that lie either
// way.
TEST_CASE_TEMPLATE("matmul: rows by a small matrix", T, float, double) {
  for (const auto& [rows, inner] : {std::pair<std::int64_t, std::int64_t>{64, 1}, {67, 3}, {1029, 8}, {2050, 33}})
    for (std::int64_t columns = 2; columns <= 17; ++columns) {
      const array<T> a = some<T>({rows, inner}), b = some<T>({inner, columns}, 1);
      check_product<T>(a, b);
      check_product<T>(array<T>(some<T>({inner, rows})).T(), array<T>(some<T>({columns, inner}, 1)).T());
    }
  array<T> to = zeros<T>({300, 5});
  to(ellipsis) = 2 * matmul(some<T>({300, 4}), some<T>({4, 5}, 1)) + 1;
  CHECK(to.get() == array<T>(2 * array<T>(matmul(some<T>({300, 4}), some<T>({4, 5}, 1))) + 1).get());
}

// Matrices that begin anywhere, with rows any number of elements apart.
TEST_CASE_TEMPLATE("matmul: many small matrices, as they lie", T, float, double) {
  for (const std::int64_t rows : {4, 9})
    for (const std::int64_t inner : {4, 6, 8})
      for (std::int64_t columns = 4; columns <= 16; ++columns) {
        const array<T> a = some<T>({20, rows, inner}), wide = some<T>({20, inner, columns + 3}, 1);
        const array<T> part = wide(_, _, slice(1, columns + 1)),
                       turned = swapaxes(array<T>(swapaxes(part, 1, 2)), 1, 2);
        const array<T> wanted = sum(a(_, _, _, newaxis) * part(_, newaxis), 2);
        CHECK(array<T>(matmul(a, part)).get() == wanted.get());
        CHECK(array<T>(matmul(a, turned)).get() == wanted.get());
        CHECK(array<T>(matmul(a, array<T>(part + T(0)))).get() == wanted.get());
      }
}

// Half of the work where there is BLAS; values are whole numbers, so that every order of adding gives the same.
TEST_CASE_TEMPLATE("matmul: by its own transpose", T, float, double, std::complex<float>, std::complex<double>) {
  for (const std::int64_t rows : {31, 32, 33, 100})
    for (const std::int64_t inner : {63, 64, 130}) {
      const array<T> a = some<T>({rows, inner}), wide = some<T>({rows + 5, inner * 2}, 1);
      check_product<T>(a, a.T());
      check_product<T>(a.T(), a);
      const array<T> part = wide(slice(2, rows + 2), slice(1, inner + 1));
      check_product<T>(part, part.T());
      check_product<T>(part, a.T());
      CHECK(array<T>(matmul(a, a.T()) * T(2) + T(1)).get() == array<T>(array<T>(matmul(a, a.T())) * T(2) + T(1)).get());
    }
  const array<T> batch = some<T>({3, 40, 70});
  const array<T> squares = matmul(batch, swapaxes(batch, 1, 2));
  for (std::int64_t i = 0; i < 3; ++i)
    CHECK(array<T>(squares(i)).get() == array<T>(matmul(batch(i), array<T>(batch(i).T() + T(0)))).get());
  array<T> sum = ones<T>({40, 40});
  sum += matmul(batch(0), batch(0).T());
  CHECK(sum.get() == array<T>(squares(0) + T(1)).get());
}

// A conjugate that lies turned over is read as it is; another one is computed before. Values are whole numbers.
TEST_CASE_TEMPLATE("matmul: conjugates", T, std::complex<float>, std::complex<double>) {
  const array<T> a = some<T>({40, 20}) + T(0, 1) * some<T>({40, 20}, 3), b = some<T>({40, 30}) * T(1, -2);
  const array<T> turned = conj(a.T()), others = conj(b);
  array<T> r;
  const auto moved = moved_by([&] { r = matmul(conj(a).T(), b); });
  if (one_call() == 1) CHECK(moved.launches == 0);
  CHECK(r.get() == array<T>(matmul(turned, b)).get());
  CHECK(array<T>(matmul(conj(a.T()), b)).get() == r.get());
  CHECK(array<T>(matmul(conj(a.T()), conj(b))).get() == array<T>(matmul(turned, others)).get());
  const array<T> across = some<T>({30, 40}) * T(3, 1);
  CHECK(array<T>(matmul(a.T(), conj(across).T())).get() == array<T>(matmul(a.T(), array<T>(conj(across.T())))).get());
  CHECK(array<T>(matmul(conj(a.T()), a) - T(2)).get() == array<T>(matmul(turned, a) - T(2)).get());
  const array<T> batch = some<T>({3, 20, 40}) * T(1, 1) + T(0, 2);
  CHECK(array<T>(matmul(batch, conj(swapaxes(batch, 1, 2)))).get() ==
        array<T>(matmul(batch, array<T>(conj(swapaxes(batch, 1, 2))))).get());
}

TEST_CASE("matmul: a transpose of what is computed is read as it lies") {
  const array<double> x = some<double>({40, 70}), y = x + 1;
  array<double> r;
  const auto centred = x + 1;
  const auto moved = moved_by([&] { r = matmul(centred.T(), centred); });
  CHECK(moved.library_calls == one_call());
  if (one_call() == 1) CHECK(moved.launches == 1);
  CHECK(r.get() == array<double>(matmul(y.T(), y)).get());
  std::ostringstream text;
  text << explain(matmul(centred.T(), centred));
  CHECK(times_in(text.str(), "kernels: 1, calls: 1") == 1);
  CHECK(array<double>(matmul((x + 1).T(), x * 2)).get() == array<double>(matmul(y.T(), array<double>(x * 2))).get());
  const array<double> batch = some<double>({3, 40, 70});
  CHECK(array<double>(matmul(batch * 2, swapaxes(batch + 1, 1, 2))).get() ==
        array<double>(matmul(array<double>(batch * 2), array<double>(swapaxes(batch + 1, 1, 2)))).get());
  // The first two axes are other ones: it is copied.
  CHECK(array<double>(matmul(swapaxes(batch + 1, 0, 1), some<double>({70, 40}))).get() ==
        array<double>(matmul(array<double>(swapaxes(batch + 1, 0, 1)), some<double>({70, 40}))).get());
  CHECK(array<double>(matmul(matmul(x, x.T()).T(), x)).get() ==
        array<double>(matmul(array<double>(matmul(x, x.T())), x)).get());
}

TEST_CASE("matmul: dtypes promote") {
  const array<int> a = some<int>({16, 16});
  const array<float> b = some<float>({16, 16});
  static_assert(std::is_same_v<decltype(matmul(a, b))::sinter_element, double>);
  const array<double> c = matmul(a, b);
  CHECK(c.get() == array<double>(matmul(astype<double>(a), astype<double>(b))).get());
}

TEST_CASE("matmul: vectors are rows on the left and columns on the right") {
  const array<double> m = some<double>({20, 30}), row = some<double>({20}), column = some<double>({30}, 2);
  CHECK(calls_of([&] {
          CHECK(array<double>(matmul(m, column)).get() == array<double>(sum(m * column, 1)).get());
          CHECK(array<double>(matmul(row, m)).get() == array<double>(sum(m.T() * row, 1)).get());
          CHECK(array<double>(matmul(row, row)).item() == sum(row * row).item());
        }) == 0);
  CHECK(matmul(m, column).shape() == shape{20});
  CHECK(matmul(row, m).shape() == shape{30});
  CHECK(matmul(row, row).shape() == shape{});
  const array<double> many = some<double>({4, 20, 30});
  CHECK(matmul(many, column).shape() == shape{4, 20});
  CHECK(matmul(row, many).shape() == shape{4, 30});
  CHECK(array<double>(matmul(row, many))(2).get() == array<double>(matmul(row, many(2))).get());
}

TEST_CASE_TEMPLATE("matmul: an outer product is a map", T, double, std::complex<float>, std::complex<double>) {
  for (const std::int64_t n : {16, 100}) {
    const array<T> x = some<T>({n}), y = some<T>({n}, 1);
    array<T> made;
    CHECK(calls_of([&] { made = tensordot(x, y, 0) + x; }) == 0);
    CHECK(array<T>(dot(x, T(2))).get() == array<T>(x * T(2)).get());
    CHECK(array<T>(dot(T(2), y)).get() == array<T>(T(2) * y).get());
    CHECK(made.get() == array<T>(expand_dims(x, {-1}) * y + x).get());
    CHECK(array<T>(matmul(expand_dims(x, {-1}), expand_dims(y, {0}))).get() == array<T>(tensordot(x, y, 0)).get());
  }
}

TEST_CASE("matmul: axes before the last two broadcast") {
  const auto check = [](const array<double>& a, const array<double>& b) {
    const array<double> c = matmul(a, b);
    const array<double> wanted = sum(expand_dims(a, {-1}) * expand_dims(b, {-3}), -2);
    CAPTURE(text_of(a.shape()));
    CAPTURE(text_of(b.shape()));
    CHECK(c.shape() == wanted.shape());
    CHECK(c.get() == wanted.get());
  };
  const array<double> a = some<double>({12, 9}), b = some<double>({9, 10}, 1);
  const array<double> as = some<double>({3, 12, 9}), bs = some<double>({3, 9, 10}, 1);
  check(as, bs);
  check(as, b);
  check(a, bs);
  check(as(slice(_, _, -1)), b);
  check(as, bs(slice(1)));
  check(some<double>({2, 1, 12, 9}), bs);
  check(some<double>({2, 3, 12, 9}), bs);
  check(some<double>({2, 3, 12, 9}), b);
  check(some<double>({2, 3, 12, 9}), some<double>({2, 1, 9, 10}));
  check(some<double>({3, 2, 12, 9}).swapaxes(0, 1), bs);
  check(some<double>({3, 9, 12}).swapaxes(1, 2), bs);
  check(some<double>({12, 3, 9}).swapaxes(0, 1), some<double>({9, 3, 10}).swapaxes(0, 1));
  check(broadcast_to(a, {4, 12, 9}), broadcast_to(b, {5, 1, 9, 10}));
  check(some<double>({0, 12, 9}), b);
  CHECK_THROWS_AS(static_cast<void>(matmul(as, some<double>({2, 9, 10}))), shape_error);
  CHECK_THROWS_AS(static_cast<void>(matmul(a, a)), shape_error);
  CHECK_THROWS_AS(static_cast<void>(matmul(a, ones<double>({}))), shape_error);
  CHECK_THROWS_WITH(static_cast<void>(matmul(a, a)),
                    "sinter: matmul of arrays of shapes (12, 9) and (12, 9): axis 1 of the first has 9 elements, axis "
                    "0 of the second 12");
}

TEST_CASE("matmul: inner is the product of one with the other turned, of as many axes as there may be") {
  const array<double> a = some<double>({40, 30}), b = some<double>({50, 30}, 1);
  array<double> made;
  CHECK(calls_of([&] { made = inner(a, b); }) == one_call());
  CHECK(made.get() == array<double>(matmul(a, b.T())).get());
  const array<int> many = some<int>({1, 2, 1, 2, 3}), others = some<int>({2, 1, 2, 1, 3}, 1);
  const array<int> all = inner(many, others);
  CHECK(all.shape() == shape{1, 2, 1, 2, 2, 1, 2, 1});
  CHECK(all.get() == array<int>(matmul(many.reshape({4, 3}), others.reshape({4, 3}).T())).get());
  CHECK(array<double>(inner(a, b(0))).get() == array<double>(matmul(a, b(0))).get());
  CHECK(array<double>(inner(b(0), a)).get() == array<double>(matmul(a, b(0))).get());
  CHECK(inner(a(0), b(0)).item() == sum(a(0) * b(0)).item());
  CHECK_THROWS_AS(static_cast<void>(inner(a, a.T())), shape_error);
  const array<int> deep = ones<int>({1, 1, 1, 1, 1, 3});
  CHECK_THROWS_AS(static_cast<void>(inner(deep, deep)), shape_error);
}

TEST_CASE("matmul: as many axes as there may be, of small matrices and others") {
  const array<int> a = some<int>({1, 2, 1, 1, 3, 1, 2, 3}), b = some<int>({2, 3, 2}, 1);
  CHECK(array<int>(matmul(a, b)).get() == array<int>(matmul(a.reshape({2, 3, 1, 2, 3}), b)).get());
  CHECK(array<int>(matmul(a, b)).shape() == shape{1, 2, 1, 1, 3, 2, 2, 2});
  const array<double> wide = some<double>({1, 1, 1, 1, 1, 2, 20, 30}), high = some<double>({30, 20}, 1);
  CHECK(array<double>(matmul(wide, high)).get() == array<double>(matmul(wide.reshape({2, 20, 30}), high)).get());
  CHECK(array<double>(matmul(high, wide)).shape() == shape{1, 1, 1, 1, 1, 2, 30, 30});
}

TEST_CASE("matmul: part of an expression") {
  const array<double> x = some<double>({20, 30}), y = some<double>({30, 20}, 1);
  const array<double> product = matmul(x, y);
  array<double> r;
  const auto before = moved_by([&] { r = matmul(x + 1, y) * 2 - x(0, 0); });
  CHECK(before.library_calls == one_call());
  CHECK(r.get() == array<double>(sum(expand_dims(x + 1, {-1}) * y, -2) * 2 - x(0, 0)).get());
  CHECK(array<double>(matmul(matmul(x, y), matmul(x, y))).get() == array<double>(matmul(product, product)).get());
  CHECK(array<double>(sum(matmul(x, y), 0)).get() == array<double>(sum(product, 0)).get());
  CHECK(array<double>(matmul(x, y).T()(slice(2, 5))).get() == array<double>(product.T()(slice(2, 5))).get());
  auto [p, q] = eval(matmul(x, y), x + 1);
  CHECK(p.get() == product.get());
  CHECK(q.get() == array<double>(x + 1).get());
  std::ostringstream text;
  text << explain(matmul(x + 1, y) * 2);
  CHECK(times_in(text.str(), "kernels: 1, calls: 1") == 1);
  CHECK(times_in(text.str(), "call of a library: product of float64 (20, 30) and (30, 20)") == 1);
}

TEST_CASE(
    "matmul: what few columns of integers are multiplied with stays in their kernel, and what many are is made once") {
  const array<int> rows = arange<int>(30'000).reshape({10'000, 3}) % 7, few = arange<int>(9).reshape({3, 3}) % 5;
  array<int> product;
  CHECK(launches_of([&] { product = matmul(rows + 1, few); }) == 1);
  CHECK(array_equal(product, matmul(array<int>(rows + 1), few)));
  const array<int> square = arange<int>(3600).reshape({60, 60}) % 7;
  CHECK(launches_of([&] { product = matmul(square + 1, square * 2); }) > 1);
  CHECK(array_equal(product, matmul(array<int>(square + 1), array<int>(square * 2))));
  const shape eight{1, 1, 1, 1, 1, 1, 60, 60};  // as many axes as there can be
  CHECK(array_equal(matmul((square + 1).reshape(eight), (square * 2).reshape(eight)), product.reshape(eight)));
}

TEST_CASE("matmul: a transpose that a product reads as it lies is laid out for another call") {
  const array<double> x = (arange<double>(34) % 3.0 + 1.0).reshape({17, 2});
  const auto turned = roll(x, -1, 0).transpose({1, 0});
  const array<double> made = turned, product = matmul(x, made);
  const array<std::int64_t> places = argsort(made, 1);
  const auto [p1, s1] = eval(matmul(x, turned), argsort(turned, 1));
  CHECK(array_equal(p1, product));
  CHECK(array_equal(s1, places));
  const auto [s2, p2] = eval(argsort(turned, 1), matmul(x, turned));
  CHECK(array_equal(p2, product));
  CHECK(array_equal(s2, places));
  const auto [p3, t3, v3] = eval(matmul(x, turned), real(fft::fft(turned)), turned + 1);
  CHECK(array_equal(p3, product));
  CHECK(array_equal(t3, real(fft::fft(made))));
  CHECK(array_equal(v3, made + 1));
}

TEST_CASE("matmul: a named product is computed once, and keeps its value") {
  array<double> x = some<double>({20, 30});
  const array<double> y = some<double>({30, 20}, 1), product = matmul(x, y);
  const auto named = matmul(x, y);
  const auto later = matmul(x, y);
  CHECK(calls_of([&] {
          CHECK(array<double>(named + 1).get() == array<double>(product + 1).get());
          CHECK(array<double>(named * 2).get() == array<double>(product * 2).get());
          CHECK(array<double>(named).get() == product.get());
        }) == one_call());
  x += 1;  // what was said before is of the old elements
  CHECK(array<double>(later).get() == product.get());
  array<double> mine = named;
  mine(0, 0) = 99;
  CHECK(array<double>(named).get() == product.get());
}

TEST_CASE("matmul: stores") {
  array<double> x = some<double>({20, 20});
  const array<double> y = some<double>({20, 20}, 1), product = matmul(x, y);
  array<double> whole = zeros<double>({40, 20});
  whole(slice(20)) = matmul(x, y);
  whole(slice(20, _)) += matmul(x, y);
  CHECK(array<double>(whole(slice(20))).get() == product.get());
  CHECK(array<double>(whole(slice(20, _))).get() == product.get());
  x = matmul(x, y);
  CHECK(x.get() == product.get());
  x(slice(10)) = matmul(x(slice(10)), y);
  CHECK(array<double>(x(slice(10))).get() == array<double>(matmul(product(slice(10)), y)).get());
}

TEST_CASE("matmul: a product is written where it is stored") {
  const array<double> x = some<double>({20, 20}), y = some<double>({20, 20}, 1);
  const array<double> product = matmul(x, y);
  if (!(device::current() == device::interpreter()))
    CHECK(launches_of([&] { array<double> fresh = matmul(x, y); }) == 0);
  array<double> whole = zeros<double>({40, 20});
  const auto of_part = moved_by([&] { whole(slice(20)) = matmul(x, y); });
  CHECK(of_part.library_calls == one_call());
  if (!(device::current() == device::interpreter())) CHECK(of_part.launches == 0);
  CHECK(array<double>(whole(slice(20))).get() == product.get());
  CHECK(!any(whole(slice(20, _)) != 0).item());
  const auto product_again = matmul(x, y);
  whole(slice(20)) = product_again;
  whole(slice(20)) = whole(slice(20)) * 0;  // is nothing to the product that has a name
  CHECK(array<double>(product_again).get() == product.get());
  whole(slice(_, _, 2)) = matmul(x, y);
  CHECK(array<double>(whole(slice(_, _, 2))).get() == product.get());
  whole(slice(20)) = matmul(whole(slice(20)), y);
  array<double> other = zeros<double>({3, 20, 20});
  other(ellipsis) = matmul(x, y);
  CHECK(array<double>(other(2)).get() == product.get());
}

TEST_CASE("matmul: in order with streams, and in graphs") {
  array<double> x = some<double>({64, 64});
  const array<double> y = some<double>({64, 64}, 1);
  const array<double> first = matmul(x, y), second = matmul(x + 1, y);
  const stream other;
  array<double> there;
  {
    const stream_scope on(other);
    there = matmul(x, y);
  }
  array<double> here = there + 0;
  CHECK(here.get() == first.get());
  array<double> out = zeros<double>({64, 64});
  const graph g = capture([&] {
    out(ellipsis) = matmul(x, y);
    x += 1;
  });
  CHECK(!any(out != 0).item());
  g.launch();
  CHECK(out.get() == first.get());
  g.launch();
  CHECK(out.get() == second.get());
}

TEST_CASE("matmul: a graph computes its own product, and one that has a name is computed once for all stores") {
  array<double> x = some<double>({20, 30});
  const array<double> y = some<double>({30, 20}, 1);
  array<double> out = zeros<double>({20, 20}), other = zeros<double>({20, 20});
  const auto named = matmul(x, y);
  CHECK(calls_of([&] {
          out(ellipsis) = named;
          other(ellipsis) = named;
        }) == one_call());
  CHECK(out.get() == other.get());
  const array<double> batches = some<double>({200, 1, 30});
  CHECK(calls_of([&] { array<double> rows = matmul(batches, y); }) == one_call());  // the rows of one matrix
  CHECK(array<double>(matmul(batches, y))(7, 0).get() == array<double>(matmul(batches(7, 0), y)).get());
}

TEST_CASE("matmul: threads may evaluate one product") {
  const array<double> x = some<double>({50, 60}), y = some<double>({60, 40}, 1);
  const array<double> product = matmul(x, y);
  const std::vector<double> wanted = product.get();
  for (int round = 0; round < 5; ++round) {
    const auto named = matmul(x, y);
    std::vector<std::thread> threads;
    std::atomic<int> right = 0;
    for (int i = 0; i < 8; ++i) threads.emplace_back([&] { right += array<double>(named + 0).get() == wanted; });
    for (std::thread& t : threads) t.join();
    CHECK(right == 8);
  }
}

TEST_CASE("matmul: where there is no library" * doctest::skip()) {
  const array<float> x = some<float>({20, 30}), y = some<float>({30, 20}, 1);
  CHECK(array<float>(matmul(x, y)).get() == array<float>(sum(expand_dims(x, {-1}) * y, -2)).get());
}

TEST_CASE("matmul: without a library it is a kernel, and the log says what is missing") {
  const rerun r("matmul: where there is no library", {{"SINTER_BLAS", ""}, {"SINTER_CUBLAS", ""}, {"SINTER_LOG", "1"}});
  CHECK(r.ok);
  CHECK(times_in(r.output, "product of float32 (20, 30) and (30, 20)") == 1);
  CHECK(times_in(r.output, "by a kernel of Sinter's own") == 1);
}
