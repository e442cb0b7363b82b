// Products with sparse arrays: every form of the kernel gives what a dense product does, of few and of many entries and columns, and
// where few rows have most of the entries; they are lazy, in order with streams and part of graphs; what is wrong is said.
#include <doctest/doctest.h>

#include <atomic>
#include <complex>
#include <limits>
#include <thread>
#include <vector>

#include <sinter/graph.hpp>
#include <sinter/products.hpp>
#include <sinter/sinter.hpp>
#include <sinter/sparse.hpp>

#include "test/include/looking.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using sparse::coo_array, sparse::csc_array, sparse::csr_array;

// About `mean` small integers in each row.
template <class T>
array<T> scattered(std::int64_t rows, std::int64_t columns, std::int64_t mean) {
  const array<std::int64_t> i = arange(rows).reshape(rows, 1), j = arange(columns);
  const std::int64_t apart = std::max<std::int64_t>(columns / mean, 1);
  return where((i * 7 + j) % apart == 0, astype<T>((i * 3 + j * 5) % 9 - 4), zeros<T>({}));
}
template <class T>
array<T> numbers(const shape& s) {
  return astype<T>(arange(s.elements()).reshape(s) % 11 - 5);
}

// A row that is full, one that is half full, empty ones before, between and behind, and two entries in each of the others.
template <class T>
array<T> skewed(std::int64_t rows, std::int64_t columns) {
  const array<std::int64_t> i = arange(rows).reshape(rows, 1), j = arange(columns);
  const auto is_there =
      (i == 9) || (i == 11 && j < columns / 2) || ((j == i || j == i * 2 + 1) && i > 2 && i % 5 != 0 && i < rows - 3);
  return where(is_there, astype<T>((i + j) % 7 - 3), zeros<T>({}));
}

template <class T>
void is_dense_product(const array<T>& m, std::int64_t columns) {
  CAPTURE(columns);
  const csr_array<T> a(m);
  if (columns == 0) {
    const array<T> x = numbers<T>({m.shape()[1]});
    CHECK(all(matmul(a, x) == matmul(m, x)).item());
    return;
  }
  const array<T> x = numbers<T>({m.shape()[1], columns});
  CHECK(all(matmul(a, x) == matmul(m, x)).item());
}

}  // namespace

TEST_CASE("sparse products: rows of every length and results of every width") {
  for (const std::int64_t mean : {1, 40}) {
    CAPTURE(mean);
    const array<float> m = scattered<float>(70, 300, mean);
    for (const std::int64_t columns : {0, 1, 20, 200}) is_dense_product(m, columns);
  }
  is_dense_product(scattered<double>(1000, 40, 12), 0);
  is_dense_product(scattered<std::int16_t>(30, 40, 12), 6);
}

TEST_CASE_TEMPLATE("sparse products: few rows that have most entries", T, bool, std::int8_t, double,
                   std::complex<double>) {
  const array<T> m = skewed<T>(60, 5000);
  is_dense_product(m, 0);
  if constexpr (std::is_same_v<T, double>) is_dense_product(m, 5);
  const csr_array<T> a(m);
  const array<T> y = numbers<T>({60});
  CHECK(all(matmul(a.T(), y) == matmul(m.T(), y)).item());
  CHECK(all(matmul(csr_array<T>(array<T>(m.T())).T(), numbers<T>({5000})) == matmul(m, numbers<T>({5000}))).item());
}

TEST_CASE("sparse products: rows that end where tiles do, and longer than many tiles") {
  // Tiles have 2048 rows and entries: a row of 4096 entries ends where the second one does, less the rows before it.
  for (const std::int64_t length : {2046, 2047, 2048, 4095, 4096, 20000}) {
    CAPTURE(length);
    const array<std::int64_t> row = concatenate(
        {array<std::int64_t>{0}, array<std::int64_t>(full<std::int64_t>({length}, 1)), array<std::int64_t>{3}});
    const array<std::int64_t> col = concatenate({array<std::int64_t>{5}, arange(length), array<std::int64_t>{0}});
    const csr_array<double> a(coo_array<double>(astype<double>(arange(length + 2) % 5 - 1), row, col, {200, 20001}));
    const array<double> x = numbers<double>({20001}), got = matmul(a, x);
    array<double> want = zeros<double>({200});
    scatter_add(want, row, astype<double>(arange(length + 2) % 5 - 1) * x(col));
    CHECK(all(got == want).item());
  }
}

TEST_CASE("sparse products: indices of 64 bits") {
  const array<float> m = skewed<float>(40, 3000), x = numbers<float>({3000, 2});
  const csr_array<float> narrow(m);
  const csr_array<float> wide(narrow.data(), narrow.indices(), narrow.indptr(), {40, 3000});
  CHECK(narrow.index_dtype() == dtype::int32);
  CHECK(wide.index_dtype() == dtype::int64);
  CHECK(wide.tocsc().index_dtype() == dtype::int64);
  CHECK(all(matmul(wide, x) == matmul(m, x)).item());
  CHECK(all(matmul(wide, numbers<float>({3000})) == matmul(m, numbers<float>({3000}))).item());
  const csr_array<double> small(scattered<double>(20, 30, 4));
  const csr_array<double> same(small.data(), astype<std::uint16_t>(small.indices()), astype<int>(small.indptr()));
  CHECK(same.index_dtype() == dtype::int32);
  CHECK(all(matmul(csr_array<double>(small.data(), small.indices(), small.indptr(), {20, 30}),
                   numbers<double>({30, 9})) == matmul(small, numbers<double>({30, 9})))
            .item());
}

TEST_CASE("sparse products: are values that are computed when they are wanted") {
  array<double> m = scattered<double>(50, 60, 6), x = numbers<double>({60});
  csr_array<double> a(m);
  const auto named = matmul(a, x);
  const array<double> before = matmul(m, x);
  const std::int64_t launches = counters().launches;
  const auto more = named * 2 + 1;
  CHECK(counters().launches == launches);
  array<double> data = a.data();
  const auto scaled = a.with_data(data * 2);
  x += 1;
  data(ellipsis) = 0;
  a = csr_array<double>(shape{50, 60});
  CHECK(named.get() == before.get());
  CHECK(more.get() == array<double>(before * 2 + 1).get());
  CHECK(matmul(scaled, x).get() == array<double>(matmul(m, x) * 2).get());
  CHECK(sum(matmul(a, x)).item() == 0);
  // Values and operand are made in one kernel each at most, and what is behind the product is another.
  const csr_array<double> b(m);
  const auto statement = [&] { const array<double> y = matmul(b, x + 1) * 3 + x(slice(0, 50)); };
  statement();
  CHECK(launches_of(statement) <= 3);
}

TEST_CASE("sparse products: in order with streams, and in graphs") {
  const array<double> m = scattered<double>(64, 64, 5);
  const csr_array<double> a(m);
  array<double> x = numbers<double>({64});
  const array<double> first = matmul(m, x), second = matmul(m, x + 1), dense = m * 2;
  const stream other;
  array<double> there;
  {
    const stream_scope on(other);
    there = matmul(a, x);
  }
  const array<double> here = there + 0;
  CHECK(here.get() == first.get());
  array<double> out = zeros<double>({64}), all_of = zeros<double>({64, 64});
  const graph g = capture([&] {
    out(ellipsis) = matmul(a, x);
    all_of(ellipsis) = (a * 2).toarray();
    x += 1;
  });
  CHECK(!any(out != 0).item());
  g.launch();
  CHECK(out.get() == first.get());
  CHECK(all_of.get() == dense.get());
  g.launch();
  CHECK(out.get() == second.get());

  const csr_array<double> long_rows(skewed<double>(40, 3000));
  array<double> y = numbers<double>({3000}), to = zeros<double>({40});
  const array<double> want = matmul(skewed<double>(40, 3000), y + 1);
  const graph h = capture([&] {
    y += 1;
    to(ellipsis) = matmul(long_rows, y);
  });
  h.launch();
  CHECK(to.get() == want.get());
}

TEST_CASE("sparse products: threads may share an array, and find out about its columns at once") {
  const array<double> m = scattered<double>(80, 70, 9);
  const csr_array<double> a(m);
  const array<double> y = numbers<double>({80});
  const std::vector<double> want = array<double>(matmul(m.T(), y)).get();
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back([&] { right += array<double>(matmul(a.T(), y)).get() == want; });
  for (std::thread& t : threads) t.join();
  CHECK(right == 8);
}

TEST_CASE("sparse arrays: what is wrong") {
  using sparse_double = csr_array<double>;
  const array<double> data{1, 2, 3};
  const array<int> columns{0, 2, 1}, starts{0, 2, 3};
  const sparse_double a(data, columns, starts, {2, 3});
  CHECK(a.nnz() == 3);
  CHECK(sparse_double(data, columns, starts).shape() == shape{2, 3});
  CHECK(coo_array<double>(data, columns, columns).shape() == shape{3, 3});
  const char* const of_shape = "sinter: a sparse array of shape (3,)";
  CHECK_THROWS_WITH_AS((void)sparse_double(data), of_shape, shape_error);
  CHECK_THROWS_WITH_AS((void)coo_array<double>(shape{3}), of_shape, shape_error);
  CHECK_THROWS_WITH_AS((void)sparse_double(data, columns, starts, {2, 2}),
                       "sinter: an entry of a sparse array lies in column 2, of which there are 2", index_error);
  CHECK_THROWS_WITH_AS((void)coo_array<double>(data, columns, array<int>{0, -1, 0}, {3, 3}),
                       "sinter: an entry of a sparse array lies in column -1, of which there are 3", index_error);
  CHECK_THROWS_WITH_AS((void)coo_array<double>(data, columns, columns, {2, 3}),
                       "sinter: an entry of a sparse array lies in row 2, of which there are 2", index_error);
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const array<std::int64_t> far{0, 1, most - 1}, furthest{0, 1, most}, large{0, 1, std::int64_t{1} << 40};
  CHECK_THROWS_AS((void)coo_array<double>(data, far, far), shape_error);
  CHECK_THROWS_AS((void)coo_array<double>(data, furthest, columns), error);
  CHECK_THROWS_AS((void)sparse_double(data, furthest, starts), error);
  CHECK_THROWS_WITH_AS((void)coo_array<double>(data, large, large),
                       "sinter: shape (1099511627777, 1099511627777) has more elements than can be counted",
                       shape_error);
  CHECK_THROWS_WITH_AS((void)sparse_double(data, columns, starts, {3, 3}),
                       "sinter: a sparse array of 3 places where its rows begin and shape (3, 3)", shape_error);
  CHECK_THROWS_WITH_AS((void)sparse_double(data, starts, array<int>{0, 2, 1, 3}, {3, 4}),
                       "sinter: a sparse array has rows that begin before the ones before them", shape_error);
  CHECK_THROWS_WITH_AS((void)sparse_double(data, columns, array<int>{0, 2, 2}, {2, 3}),
                       "sinter: a sparse array has 3 entries, of which its rows have those from 0 to 2", shape_error);
  CHECK_THROWS_WITH_AS((void)sparse_double(data, array<int>{0, 1}, starts, {2, 3}),
                       "sinter: a sparse array of 3 values and 2 indices", shape_error);
  CHECK_THROWS_WITH_AS((void)sparse_double(data.reshape(3, 1), columns, starts, {2, 3}),
                       "sinter: a sparse array of values of shape (3, 1)", shape_error);
  CHECK_THROWS_WITH_AS((void)a.with_data(array<double>{1, 2}),
                       "sinter: a sparse array of 3 entries, with values of shape (2,)", shape_error);
  CHECK_THROWS_WITH_AS((void)matmul(a, array<double>{1, 2}),
                       "sinter: matmul of a sparse array and an array of shapes (2, 3) and (2,)", shape_error);
  CHECK_THROWS_WITH_AS((void)matmul(data, a), "sinter: matmul of an array and a sparse array of shapes (3,) and (2, 3)",
                       shape_error);
  CHECK_THROWS_AS((void)a.sum(2), shape_error);
  CHECK_THROWS_AS((void)a.multiply(data(slice(0, 2))), shape_error);
}
