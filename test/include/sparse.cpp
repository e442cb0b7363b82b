// Sparse arrays: SciPy's values for every dtype and several shapes.
#include <doctest/doctest.h>

#include <complex>
#include <limits>
#include <sstream>
#include <string>

#include <sinter/sinter.hpp>

#include "test/support/sparse_cases.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using sparse::coo_array, sparse::csc_array, sparse::csr_array;

#define EVERY_DTYPE                                                                                        \
  bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t, \
      std::uint64_t, float, double, std::complex<float>, std::complex<double>
#define MANY_DTYPES \
  bool, std::int32_t, std::int64_t, std::uint64_t, float, double, std::complex<float>, std::complex<double>

template <class T, class Check>
void of_each_shape(Check check) {
  for (const auto& [name, s] : sparse_shapes) {
    if (!is_sparse_case_here(name)) continue;
    check(sparse_comparison(dtype_of<T>, name), sparse_matrix_named<T>(name, s));
  }
}

}  // namespace

TEST_CASE_TEMPLATE("sparse: formats", T, EVERY_DTYPE) {
  if (!is_sparse_dtype_here<T>()) return;
  of_each_shape<T>([](const sparse_comparison& is, const array<T>& m) {
    const csr_array<T> a(m);
    const csc_array<T> c(m);
    const coo_array<T> o(m);
    CHECK(a.shape() == m.shape());
    CHECK(c.shape() == m.shape());
    is("toarray", a.toarray());
    is("toarray", c.toarray());
    is("toarray", o.toarray());
    is("toarray", a.tocsc().tocoo().tocsr().toarray());
    is("toarray", a.T().T().toarray());
    is("csr data", a.data());
    is("csr indices", a.indices());
    is("csr indptr", a.indptr());
    is("csr data", o.tocsr().data());
    is("csr data", c.tocsr().data());
    is("csc data", c.data());
    is("csc indices", c.indices());
    is("csc indptr", c.indptr());
    is("csc data", a.tocsc().data());
    is("csc indices", o.tocsc().indices());
    is("csc indptr", a.tocsc().indptr());
    is("coo row", a.row());
    is("coo col", a.col());
    is("coo row", c.tocsr().tocoo().row());
    is("coo col", o.col());
    CHECK(a.has_canonical_format());
    CHECK(a.tocsc().has_canonical_format());
    CHECK(a.index_dtype() == dtype::int32);
  });
}

TEST_CASE_TEMPLATE("sparse: products", T, EVERY_DTYPE) {
  if (!is_product_here<T>()) return;
  of_each_shape<T>([](const sparse_comparison& is, const array<T>& m) {
    const csr_array<T> a(m);
    const std::int64_t rows = m.shape()[0], columns = m.shape()[1];
    const array<T> x = dense_operand<T>({columns}), y = dense_operand<T>({rows});
    is("matvec", matmul(a, x));
    is("matmat", matmul(a, dense_operand<T>({columns, 3})));
    if (!is_sparse_dtype_here<T>()) return;
    is("matvec", matmul(a.tocsc(), x));
    is("matvec", a.tocoo().dot(x));
    is("matmat", matmul(a.tocsc(), array<T>(dense_operand<T>({columns, 3}).T().copy()).T()));
    is("wide", matmul(a, dense_operand<T>({columns, 37})));
    is("vecmat", matmul(y, a));
    is("vecmat", matmul(y, a.tocsc()));
    is("left", matmul(dense_operand<T>({2, rows}), a));
    is("transposed", matmul(a.T(), y));
    const array<T> twice = stack({x, x}, -1).ravel();
    is("matvec", matmul(a, twice(slice(_, _, 2))));
  });
}

TEST_CASE_TEMPLATE("sparse: sums, diagonals and products by elements", T, MANY_DTYPES) {
  if (!is_sparse_dtype_here<T>()) return;
  of_each_shape<T>([](const sparse_comparison& is, const array<T>& m) {
    const csr_array<T> a(m);
    const std::int64_t rows = m.shape()[0], columns = m.shape()[1];
    is("mixed", matmul(a, dense_operand<double>({columns})));
    is("sum", a.sum());
    is("sum 0", a.sum(0));
    is("sum 1", a.sum(1));
    is("sum 0", a.tocoo().sum(-2));
    if (m.size() > 0) {
      is("mean", a.mean());
      is("mean 0", a.tocsc().mean(0));
      is("mean 1", a.mean(-1));
    }
    is("count", a.count_nonzero());
    is("diagonal 0", a.diagonal());
    is("diagonal 1", a.tocsc().diagonal(1));
    is("diagonal -2", a.tocoo().diagonal(-2));
    is("diagonal 9", a.diagonal(9));
    is("multiply", a.multiply(dense_operand<T>({rows, columns})).toarray());
    is("multiply row", a.tocsc().multiply(dense_operand<T>({1, columns})).toarray());
    if constexpr (!std::is_same_v<T, bool>) {
      is("scaled", (a * 3).toarray());
      is("scaled", (3 * a.tocsc()).toarray());
      is("negative", (-a).toarray());
      is("power", a.power(2).toarray());
    }
  });
}

TEST_CASE_TEMPLATE("sparse: functions of the entries", T, float, double, std::complex<float>, std::complex<double>) {
  if (!is_sparse_dtype_here<T>()) return;
  of_each_shape<T>([](const sparse_comparison& is, const array<T>& m) {
    const csr_array<T> a(m);
#define IS(name) is(#name, a.name().toarray());
    IS(sin)
    IS(conj)
    IS(abs)
    if (!takes_all_cases()) return;
    IS(arcsin)
    IS(arcsinh)
    IS(arctan)
    IS(arctanh)
    IS(expm1)
    IS(imag)
    IS(log1p)
    IS(real)
    IS(sinh)
    IS(sqrt)
    IS(tan)
    IS(tanh)
    if constexpr (std::is_floating_point_v<T>) {
      IS(ceil)
      IS(deg2rad)
      IS(floor)
      IS(rad2deg)
      IS(rint)
      IS(sign)
      IS(trunc)
      if (a.nnz() > 2) {
        array<T> data = a.data();
        data(1) = std::numeric_limits<T>::quiet_NaN();
        data(2) = std::numeric_limits<T>::infinity();
        const auto b = a.with_data(data);
        is("nan matvec", matmul(b, dense_operand<T>({m.shape()[1]})));
        is("nan sum 0", b.sum(0));
      }
    }
#undef IS
  });
}

TEST_CASE_TEMPLATE("sparse: entries in no order, some at one place", T, EVERY_DTYPE) {
  if (!is_sparse_dtype_here<T>()) return;
  const sparse_comparison is(dtype_of<T>, "triples");
  const array<std::int64_t> n = arange(23);
  const array<T> data = sparse_values<T>(n * 5 % 9 - 4, n % 4 - 1);
  const array<std::int64_t> row = n * 7 % 5, col = n * 11 % 4;
  coo_array<T> c(data, astype<int>(row), astype<std::uint8_t>(col), {6, 5});
  is("triples", c.toarray());
  is("triples matvec", matmul(c, dense_operand<T>({5})));
  const csr_array<T> r(c);
  is("triples csr data", r.data());
  is("triples csr indices", r.indices());
  is("triples csr indptr", r.indptr());
  is("triples csc data", c.tocsc().data());
  is("triples csc indices", c.tocsc().indices());
  is("triples csc indptr", c.tocsc().indptr());

  std::vector<std::int64_t> order;
  for (std::int64_t k = 0; k < 5; ++k)
    for (std::int64_t i = 0; i < 23; ++i)
      if (i * 7 % 5 == k) order.push_back(i);
  const array<std::int64_t> by_row = asarray(order), starts = searchsorted(row(by_row), arange(7));
  csr_array<T> u(array<T>(data(by_row)), array<std::int64_t>(col(by_row)), starts, {6, 5});
  CHECK(u.index_dtype() == dtype::int64);
  CHECK(!u.has_sorted_indices());
  CHECK(!u.has_canonical_format());
  is("unsorted", u.toarray());
  is("unsorted", u.tocsc().toarray());
  is("unsorted matvec", matmul(u, dense_operand<T>({5})));
  is("unsorted vecmat", matmul(dense_operand<T>({6}), u));
  if constexpr (std::is_same_v<T, double>) is("unsorted sum 1", u.sum(1));
  if constexpr (std::is_same_v<T, double>) is("unsorted diagonal", u.diagonal(1));
  u.sort_indices();
  CHECK(u.has_sorted_indices());
  CHECK(!u.has_canonical_format());
  is("sorted indices", u.indices());
  is("unsorted", u.toarray());
  u.sum_duplicates();
  CHECK(u.has_canonical_format());
  is("merged data", u.data());
  is("merged indices", u.indices());
  is("merged indptr", u.indptr());
  u.eliminate_zeros();
  is("without zeros data", u.data());
  is("without zeros indices", u.indices());
  is("without zeros indptr", u.indptr());
  is("unsorted", u.toarray());
  c.eliminate_zeros();
  is("without zeros row", c.row());
}

TEST_CASE("sparse: entries of one element are added before they are counted, raised or made positive") {
  const csr_array<double> a(array<double>{3, -3, 2}, array<int>{0, 0, 1}, array<int>{0, 3}, {1, 2});
  CHECK(a.count_nonzero().item() == 1);
  CHECK(a.power(2).toarray().get() == std::vector<double>{0, 4});
  CHECK(a.abs().toarray().get() == std::vector<double>{0, 2});
  CHECK(abs(a).toarray().get() == std::vector<double>{0, 2});
  CHECK(a.nnz() == 3);
}

// SciPy's text.
TEST_CASE("sparse: printed") {
  const auto text_of = [](const auto& a) {
    std::ostringstream out;
    out << a;
    return out.str();
  };
  const array<double> m{{1.5, 0, 2}, {0, 0, 3}};
  CHECK(text_of(csr_array<double>(m)) ==
        "<Compressed Sparse Row sparse array of dtype 'float64'\n\twith 3 stored elements and shape (2, 3)>\n"
        "  Coords\tValues\n  (0, 0)\t1.5\n  (0, 2)\t2.0\n  (1, 2)\t3.0");
  CHECK(text_of(coo_array<std::complex<double>>(astype<std::complex<double>>(m(slice(1, 2), _)))) ==
        "<COOrdinate sparse array of dtype 'complex128'\n\twith 1 stored elements and shape (1, 3)>\n"
        "  Coords\tValues\n  (0, 2)\t(3+0j)");
  CHECK(text_of(csc_array<float>({2, 3})) ==
        "<Compressed Sparse Column sparse array of dtype 'float32'\n\twith 0 stored elements and shape (2, 3)>");
  CHECK(text_of(coo_array<float>(array<float>{{1 / 3.0F}})).ends_with("\n  (0, 0)\t0.3333333432674408"));
  const std::string many = text_of(csr_array<int>(arange<int>(1, 73).reshape(9, 8)) * 2);
  CHECK(many.find("  (3, 0)\t50\n  :\t:\n  (5, 7)\t96\n") != std::string::npos);
  CHECK(many.ends_with("\n  (8, 7)\t144"));
}
