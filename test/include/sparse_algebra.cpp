// Two sparse arrays, and sparse arrays taken apart and put together: SciPy's values and places for several dtypes and shapes; what is
// lazy is, and what is wrong is said.
#include <doctest/doctest.h>

#include <complex>
#include <limits>

#include <sinter/graph.hpp>
#include <sinter/products.hpp>
#include <sinter/sinter.hpp>
#include <sinter/sparse_construct.hpp>

#include "test/include/looking.hpp"
#include "test/support/sparse_cases.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using sparse::coo_array, sparse::csc_array, sparse::csr_array;

#define DTYPES bool, std::int32_t, std::uint64_t, float, double, std::complex<float>, std::complex<double>

// `other` of golden_sparse_algebra.py.
template <class T>
array<T> other(const shape& s) {
  const array<std::int64_t> i = arange(s[0]).reshape(s[0], 1), j = arange(s[1]);
  const auto stored = (i * 3 + j * 5) % 3 == 0 && j != 1;
  return where(stored, sparse_values<T>((i * 5 + j * 3) % 7 - 3, (2 * i + j) % 3 - 1), zeros<T>({}));
}

// All elements, and, without zeros, values and places.
class result_comparison {
 public:
  template <class T>
  result_comparison(T, const std::string& of) : is_(dtype_of<T>, of, "sparse_algebra.txt") {}
  template <class A>
  void operator()(const std::string& name, A a) const {
    is_(name, a.toarray());
    CHECK(a.has_canonical_format());
    a.eliminate_zeros();
    is_(name + " data", a.data());
    is_(name + " indices", a.indices());
    is_(name + " indptr", a.indptr());
  }

  template <class E>
  void array(const std::string& name, const E& e) const {
    is_(name, e);
  }

 private:
  sparse_comparison is_;
};

template <class T, class Check>
void of_each_shape(Check check) {
  if (!is_sparse_dtype_here<T>()) return;
  for (const auto& [name, s] : sparse_shapes) {
    if (!is_sparse_case_here(name)) continue;
    check(result_comparison(T(), name), csr_array<T>(sparse_matrix_named<T>(name, s)), csr_array<T>(other<T>(s)));
  }
}

// The same with indices of int64.
template <class T>
csr_array<T> wide(const csr_array<T>& a) {
  return csr_array<T>(a.data(), a.indices(), a.indptr(), a.shape());
}

}  // namespace

TEST_CASE_TEMPLATE("sparse algebra: two arrays, element by element", T, DTYPES) {
  of_each_shape<T>([](const result_comparison& is, const csr_array<T>& a, const csr_array<T>& b) {
    is("sum", a + b);
    is("sum", a.tocoo() + b.tocsc());
    is("sum", wide(a) + b);
    CHECK((wide(a) + b).index_dtype() == dtype::int64);
    CHECK((a + b).index_dtype() == dtype::int32);
    is("csc sum", a.tocsc() + b);
    is("hadamard", a * b);
    is("hadamard", a.multiply(b.tocoo()));
    if constexpr (!std::is_same_v<T, bool>) is("difference", a - b);
    if constexpr (!detail::complex_number<T>) {
      is("maximum", a.maximum(b));
      is("minimum", a.minimum(b));
    }
    // Of the same places.
    const csr_array<T> twice = a + a.with_data(a.data());
    CHECK(twice.nnz() == a.nnz());
    CHECK(all(twice.toarray() == a.toarray() + a.toarray()).item());
  });
}

TEST_CASE_TEMPLATE("sparse algebra: products", T, DTYPES) {
  of_each_shape<T>([](const result_comparison& is, const csr_array<T>& a, const csr_array<T>& b) {
    const csr_array<T> c(other<T>({a.shape()[1], 4}));
    is("product", matmul(a, c));
    is("product", a.dot(c.tocsc()));
    is("product", matmul(a.tocoo(), wide(c)));
    is("csc product", matmul(a.tocsc(), c));
    is("square", matmul(a, a.T()));
    CHECK(matmul(a, wide(c)).index_dtype() == dtype::int64);
    CHECK(matmul(a, matmul(a.T(), b)).shape() == a.shape());
  });
}

TEST_CASE_TEMPLATE("sparse algebra: rows, columns and elements", T, DTYPES) {
  of_each_shape<T>([](const result_comparison& is, const csr_array<T>& a, const csr_array<T>&) {
    is("rows", a(slice(1, 4), _));
    is("columns", a(_, slice(_, _, -2)));
    is("both", a(slice(_, _, -1), slice(1, _)).tocsr());
    const csc_array<T> by_column = a.tocsc();
    CHECK(all(by_column(slice(_, _, -1), slice(1, _)).toarray() == a.toarray()(slice(_, _, -1), slice(1, _))).item());
    const std::int64_t rows = a.shape()[0], columns = a.shape()[1];
    if (rows > 2) {
      is("some rows", a(array<int>{2, 0, -1, 2}, _));
      is("row", a.getrow(1));
      if (columns > 1) is("some of both", a(array<int>{2, 0}, array<std::int64_t>{1, 0, 1}));
    }
    if (rows * columns > 0) {
      CHECK(a(-1, 0).item() == a.toarray()(-1, 0).item());
      CHECK(a.tocoo()(0, -1).item() == a.toarray()(0, -1).item());
      CHECK(all(by_column.getcol(-1).toarray() == a.toarray()(_, slice(-1, _))).item());
    }
  });
}

TEST_CASE_TEMPLATE("sparse algebra: triangles, diagonals and joins", T, DTYPES) {
  of_each_shape<T>([](const result_comparison& is, const csr_array<T>& a, const csr_array<T>& b) {
    for (const std::int64_t k : {0, 1, -2}) {
      is("tril " + std::to_string(k), sparse::tril(a, k));
      is("csc triu " + std::to_string(k), sparse::triu(a.tocsc(), k));
    }
    const array<T> of = dense_operand<T>({3});
    for (const std::int64_t k : {0, 2, -1}) {
      if (k >= a.shape()[1] || -k >= a.shape()[0]) continue;
      csr_array<T> d = a;
      d.setdiag(of, k);
      is("setdiag " + std::to_string(k), d);
      csc_array<T> e = a.tocsc();
      e.setdiag(dense_operand<T>({4})(3), k);
      is("csc setdiag " + std::to_string(k), e);
    }
    is("kron", sparse::kron(a, b));
    is("hstack", sparse::hstack({a, b, a}));
    is("csc vstack", sparse::vstack({a.tocsc(), b.tocsc()}));
    is("block_diag", sparse::block_diag({a, b}));
    is("blocks", sparse::block_array({{a, b}, {b, a}}));
    const auto [row, col, data] = sparse::find(a.tocoo());
    is.array("find row", row);
    is.array("find col", col);
    is.array("find data", data);
  });
}

TEST_CASE_TEMPLATE("sparse algebra: entries in no order, some at one place", T, DTYPES) {
  if (!is_sparse_dtype_here<T>()) return;
  const result_comparison is(T(), "triples");
  const array<std::int64_t> n = arange(23);
  const coo_array<T> a(sparse_values<T>(n * 5 % 9 - 4, n % 4 - 1), array<std::int64_t>(n * 7 % 5),
                       array<std::int64_t>(n * 11 % 4), {6, 5});
  const csr_array<T> b(other<T>({6, 5}));
  is("sum", a + b);
  is("hadamard", a * b);
  is("product", matmul(a, b.T()));
  is("square", matmul(a, a.T()));
  is("tril 0", sparse::tril(a));
  is("kron", sparse::kron(a, b));
  is("hstack", sparse::hstack({a.tocsr(), b}));
}

TEST_CASE("sparse algebra: of diagonals") {
  const result_comparison is(double(), "square");
  const array<double> d{1, 2, 3};
  is("diags", sparse::diags_array<double>({{d, 0}, {d * 2, -1}}, {4, 3}));
  is("laplace", sparse::diags_array<double>({{2, 0}, {-1, 1}, {-1, -1}}, {5, 5}));
  is("alone", sparse::diags_array<double>({{d, 2}}));
  is("eye", sparse::eye_array(3, 5, 1));
  CHECK(sparse::eye_array<int>(4).sum().item() == 4);
  CHECK(sparse::eye_array<float>(3, 3, 3).nnz() == 0);
  CHECK(sparse::eye_array(0).shape() == shape{0, 0});
  CHECK(sparse::diags_array<float>({}, {2, 3}).shape() == shape{2, 3});
}

// Rows whose entries are in no order, some of them at one place: picks and joins leave them as they are.
TEST_CASE("sparse algebra: picks and joins of rows in no order") {
  const array<int> columns{3, 0, 3, 2, 1, 4, 0}, starts{0, 3, 3, 5, 7};
  const csr_array<double> a(array<double>{1, 2, 3, 4, 5, 6, 7}, columns, starts, {4, 5});
  const csr_array<double> b = sparse::eye_array(4, 2, -1);
  const array<double> dense = a.toarray(), other = b.toarray();
  const auto same = [](const auto& s, const array<double>& wanted) {
    return s.shape() == wanted.shape() && all(s.toarray() == wanted).item();
  };
  CHECK(same(a(slice(0, 2), _), dense(slice(0, 2), _)));
  CHECK(same(a(slice(2, 2), _), dense(slice(2, 2), _)));
  CHECK(same(a(slice(0, 3, -1), _), dense(slice(0, 3, -1), _)));
  CHECK(same(a(slice(_, _, -1), _), dense(slice(_, _, -1), _)));
  CHECK(same(a(array<int>{3, 3, 0}, _), dense(array<int>{3, 3, 0})));
  CHECK(same(a(zeros<int>({0}), _), zeros({0, 5})));
  CHECK(same(a(_, slice(1, 4)), dense(_, slice(1, 4))));
  CHECK(same(a(slice(0, 3), array<int>{3, 0, 3}), dense(slice(0, 3))(_, array<int>{3, 0, 3})));
  CHECK(same(sparse::tril(a), tril(dense)));
  CHECK(same(sparse::vstack({a, a}), concatenate({dense, dense}, 0)));
  CHECK(same(sparse::hstack({a, b, a}), concatenate({dense, other, dense}, 1)));
  CHECK(same(sparse::hstack({a.tocsc(), b.tocsc()}), concatenate({dense, other}, 1)));
  CHECK(same(sparse::vstack({a.T(), a.T()}), concatenate({dense.T(), dense.T()}, 0)));
  CHECK(!a(slice(0, 2), _).has_sorted_indices());
  const array<double> x{1, 2, 3, 4, 5};
  CHECK(all(matmul(a(slice(2, 4), _), x) == matmul(dense(slice(2, 4)), x)).item());
  const auto twice = sparse::diags_array<double>({{1, 1}, {array<double>{4, 5, 6}, 0}, {2, 1}}, {3, 3});
  CHECK(!twice.has_canonical_format());
  CHECK(same(twice, array<double>{4, 3, 0, 0, 5, 3, 0, 0, 6}.reshape(3, 3)));
}

TEST_CASE("sparse algebra: values are computed where places are found") {
  const csr_array<double> a(array<double>{{1, 0, 2}, {0, 3, 0}}), b(array<double>{{0, 4, -2}, {5, -3, 0}});
  array<double> data = a.data();
  const csr_array<double> named = a.with_data(data);
  const auto sum_of = named + b;
  const auto product = matmul(named, b.T());
  const csr_array<double> twice = sparse::kron(named, b), joined = sparse::hstack({csr_array<double>(named * 2.0), b});
  const csr_array<double> picked = named(array<int>{1, 0}, _);
  const array<double> x{1, 2, 3}, y{1, 2, 3, 4, 5, 6};
  // A sum is used as often as one likes: nothing but the product is done again.
  (void)array<double>(matmul(sum_of, x));
  const std::int64_t launches = counters().launches;
  const auto more = product * 2;
  const auto rows = sum_of(slice(0, 1), _);
  CHECK(counters().launches == launches);
  const auto once = [](auto f) {
    const array<double> first = f();
    return launches_of([&] { const array<double> again = f(); });
  };
  const csr_array<double> held = a.copy();
  const std::int64_t of_array = once([&] { return matmul(held, x); });
  CHECK(once([&] { return matmul(sum_of, x); }) == of_array);
  CHECK(once([&] { return matmul(picked, x); }) == of_array);
  CHECK(once([&] { return matmul(joined, y); }) == of_array);
  CHECK(once([&] { return matmul(product, array<double>(x(slice(0, 2)))); }) == of_array);
  data(ellipsis) = 0;
  CHECK(sum_of.toarray().get() == std::vector<double>{1, 4, 0, 5, 0, 0});
  CHECK(sum_of.nnz() == 5);
  CHECK(more.toarray().get() == std::vector<double>{-8, 10, 24, -18});
  CHECK(rows.toarray().get() == std::vector<double>{1, 4, 0});
  CHECK(twice.sum().item() == 24);
  CHECK(joined.toarray()(0).get() == std::vector<double>{2, 0, 4, 0, 4, -2});
  CHECK(picked.toarray().get() == std::vector<double>{0, 3, 0, 1, 0, 2});

  // Values are part of a graph, once places have been found: they are kept for other values at the same places.
  const csr_array<double> c = b.T().tocsr();
  (void)matmul(a, c);
  (void)(a + b);
  (void)(a * b);
  array<double> values = a.data() + 0, square = zeros<double>({2, 2}), sums = zeros<double>({2, 3});
  const graph g = capture([&] {
    values *= 2;
    const csr_array<double> now = a.with_data(values);
    square(ellipsis) = matmul(now, c).toarray();
    sums(ellipsis) = (now + b).toarray() + (now * b).toarray();
  });
  for (const double factor : {2.0, 4.0}) {
    const array<double> want = a.toarray() * factor, other = b.toarray();
    g.launch();
    CHECK(square.get() == array<double>(matmul(want, other.T())).get());
    CHECK(sums.get() == array<double>(want + other + want * other).get());
  }
}

TEST_CASE("sparse algebra: larger products are those of dense matrices") {
  const array<std::int64_t> i = arange(150).reshape(150, 1), j = arange(90);
  const array<double> m = where((i * 7 + j * 3) % 11 == 0 || i == 5, astype<double>((i + j) % 9 - 4), 0.0);
  const csr_array<double> a(m);
  const array<double> square = matmul(m.T(), m);
  CHECK(all(matmul(a.T(), a).toarray() == square).item());
  CHECK(all(matmul(a.T().tocsr(), a).toarray() == square).item());
  // A row that has all of its products at one place.
  const csr_array<double> row(array<double>(ones<double>({1, 20000}))),
      column(array<double>(full<double>({20000, 1}, 2)));
  const auto one = matmul(row, column);
  CHECK(one.nnz() == 1);
  CHECK(one.toarray().get() == std::vector<double>{40000});
}

TEST_CASE("sparse algebra: what is wrong") {
  csr_array<double> a(array<double>{{1, 0, 2}, {0, 3, 0}}), b(shape{3, 3});
  CHECK_THROWS_WITH_AS((void)(a + b), "sinter: a sum of sparse arrays of shapes (2, 3) and (3, 3)", shape_error);
  CHECK_THROWS_WITH_AS((void)(a * b), "sinter: a product of sparse arrays of shapes (2, 3) and (3, 3)", shape_error);
  CHECK_THROWS_WITH_AS((void)matmul(b, a), "sinter: matmul of sparse arrays of shapes (3, 3) and (2, 3)", shape_error);
  CHECK_THROWS_AS((void)a(2, 0), index_error);
  CHECK_THROWS_AS((void)a.getrow(2), index_error);
  CHECK_THROWS_AS((void)a(array<int>{0, 3}, _), index_error);
  CHECK_THROWS_WITH_AS((void)a(array<int>{{0, 1}}, _),
                       "sinter: rows and columns of a sparse array are picked by indices of one axis, not (1, 2)",
                       shape_error);
  CHECK_THROWS_WITH_AS(a.setdiag(1.0, 3), "sinter: diagonal 3 of a sparse array of shape (2, 3)", shape_error);
  CHECK_THROWS_WITH_AS(a.setdiag(ones({2, 2})), "sinter: setdiag of values of shape (2, 2)", shape_error);
  CHECK_THROWS_WITH_AS((void)sparse::hstack({a, b}),
                       "sinter: sparse arrays of shapes (2, 3) and (3, 3) do not join side by side", shape_error);
  CHECK_THROWS_WITH_AS((void)sparse::diags_array<double>({{array<double>{1, 2}, 0}}, {3, 3}),
                       "sinter: diagonal 0 of a sparse array of shape (3, 3), of 2 elements", shape_error);
  CHECK_THROWS_AS((void)sparse::diags_array<double>({{array<double>{1, 2}, std::numeric_limits<std::int64_t>::min()}}),
                  error);
  CHECK_THROWS_WITH_AS((void)sparse::kron(csr_array<double>(shape{1, std::int64_t{1} << 40}),
                                          csr_array<double>(shape{1, std::int64_t{1} << 40})),
                       "sinter: shape (1, 9223372036854775807) has more elements than can be counted", shape_error);
}
