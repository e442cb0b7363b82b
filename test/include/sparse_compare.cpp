// Sparse arrays compared, beside dense operands and in other shapes, and their largest and smallest elements: what dense ones give, and
// SciPy's places.
#include <doctest/doctest.h>

#include <limits>
#include <string>

#include <sinter/sinter.hpp>
#include <sinter/sparse_construct.hpp>

#include "test/support/sparse_cases.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using sparse::coo_array, sparse::csc_array, sparse::csr_array;

template <class Sparse, class Dense>
void compares(const Sparse& got, const Dense& want) {
  CHECK(got.nnz() == count_nonzero(want).item());  // what is false has no entry
  CHECK(got.shape() == want.shape());
  CHECK(all(got.toarray() == want).item());
}

template <class T, class Sparse>
void compare_all(const Sparse& a, const Sparse& b, const array<T>& m, const array<T>& n) {
  compares(a > 1, m > 1);
  compares(1 < a, 1 < m);
  compares(a != 0, m != 0);
  compares(a >= 0.5, m >= 0.5);
  compares(a == 2, m == 2);
  compares(a > b, m > n);
  compares(a < b, m < n);
  compares(a != b, m != n);
  compares(a != a, m != m);
  if constexpr (!std::is_unsigned_v<T>) {
    compares(a < -1, m < -1);
    compares(-2 >= a, -2 >= m);
    CHECK_THROWS_WITH_AS((void)(a > -1), "sinter: sparse > is true where there is no entry: compare toarray()", error);
  }
  CHECK_THROWS_AS((void)(a <= 0), error);
  CHECK_THROWS_AS((void)(0 == a), error);
}

// Each type is some 300 kernels, which differ in nothing but its name.
TEST_CASE_TEMPLATE("sparse comparisons: what dense arrays give", T, std::uint8_t, double) {
  for (const auto& [given, s] : sparse_shapes) {
    const std::string name = given;
    CAPTURE(name);
    const array<T> m = sparse_matrix_named<T>(name, s), n = astype<T>(m * (arange(s[1]) % 2) + m / 2.0);
    compare_all(csr_array<T>(m), csr_array<T>(n), m, n);
    compare_all(csc_array<T>(m), csc_array<T>(n), m, n);
  }
}

template <class Sparse, class T>
void has_extremes(const Sparse& a, const array<T>& m) {
  CHECK(a.max().item() == max(m).item());
  CHECK(a.min().item() == min(m).item());
  for (const int axis : {0, 1, -1, -2}) {
    CAPTURE(axis);
    CHECK(all(a.max(axis) == max(m, axis)).item());
    CHECK(all(a.min(axis) == min(m, axis)).item());
    CHECK(all(a.count_nonzero(axis) == count_nonzero(m, axis)).item());
  }
}

TEST_CASE_TEMPLATE("sparse extremes: zeros count where there is no entry", T, bool, std::uint64_t, double) {
  for (const auto& [given, s] : sparse_shapes) {
    const std::string name = given;
    if (s.elements() == 0) continue;
    CAPTURE(name);
    const array<T> m = sparse_matrix_named<T>(name, s);
    has_extremes(csr_array<T>(m), m);
    has_extremes(csc_array<T>(m), m);
    has_extremes(coo_array<T>(m), m);
    const array<T> full_of_ones = ones<T>(s);  // which has no zero
    has_extremes(csr_array<T>(full_of_ones), full_of_ones);
  }
}

TEST_CASE("sparse extremes: entries of one place, NaN, and no elements") {
  const array<int> row{0, 0, 1}, column{1, 1, 0};
  const coo_array<double> twice(array<double>{2, 3, -1}, row, column, {2, 2});
  CHECK(twice.max().item() == 5);
  CHECK(twice.max(1).get() == std::vector<double>{5, 0});
  CHECK(twice.min(0).get() == std::vector<double>{-1, 0});
  CHECK(twice.count_nonzero(1).get() == std::vector<std::int64_t>{1, 1});
  compares(twice > 4, twice.toarray() > 4);
  const csr_array<double> a(array<double>{{0, std::numeric_limits<double>::quiet_NaN()}, {1, 0}});
  CHECK(isnan(a.max()).item());
  CHECK(isnan(a.max(1)).get() == std::vector<bool>{true, false});
  CHECK((a != a).nnz() == 1);
  CHECK_THROWS_WITH_AS((void)csr_array<double>(shape{0, 3}).max(0),
                       "sinter: max over axis 0 of shape (0, 3), which has no element", shape_error);
  CHECK_THROWS_AS((void)csr_array<double>(shape{0, 3}).min(), shape_error);
  CHECK(csr_array<double>(shape{0, 3}).max(1).size() == 0);
  CHECK_THROWS_AS((void)a.max(2), shape_error);
  CHECK_THROWS_WITH_AS((void)(a > csr_array<double>(shape{3, 2})),
                       "sinter: a comparison of sparse arrays of shapes (2, 2) and (3, 2)", shape_error);
}

template <class Sparse, class T, class Dense>
void beside_dense(const Sparse& a, const array<T>& m, const Dense& d) {
  CHECK((a * d).nnz() == a.nnz());
  CHECK(array_equal((a * d).toarray(), m * d));
  CHECK(array_equal((d * a).toarray(), d * m));
  CHECK(allclose((a / (d + 0.25f)).toarray(), m / (d + 0.25f)));
  CHECK(array_equal(a + d, m + d));
  CHECK(array_equal(a - d, m - d));
  CHECK(array_equal(d - a, d - m));
  static_assert(std::is_same_v<typename decltype(a * d)::value_type, result_type<T, float>>);
}

TEST_CASE_TEMPLATE("sparse operators: beside dense operands", T, std::int32_t, std::complex<double>) {
  for (const auto& [given, s] : sparse_shapes) {
    const std::string name = given;
    CAPTURE(name);
    const array<T> m = sparse_matrix_named<T>(name, s);
    const array<float> row = astype<float>(arange(s[1])) - 2, column = astype<float>(arange(s[0])) + 0.5;
    beside_dense(csr_array<T>(m), m, row);
    beside_dense(csc_array<T>(m), m, column(_, newaxis));
    beside_dense(coo_array<T>(m), m, row * column(_, newaxis));
  }
  const csr_array<double> a(ones<double>({2, 3}));
  CHECK_THROWS_AS((void)(a * ones({2, 2})), shape_error);
  CHECK_THROWS_AS(array<double>(a + ones({2, 2})), shape_error);
}

TEST_CASE("sparse arrays: of another shape") {
  for (const auto& [given, s] : sparse_shapes) {
    const std::string name = given;
    CAPTURE(name);
    const array<double> m = sparse_matrix_named<double>(name, s);
    const csr_array<double> a(m);
    const csc_array<double> b(m);
    const auto flat = a.reshape(1, s[0] * s[1]);
    CHECK(flat.nnz() == a.nnz());
    CHECK(array_equal(flat.toarray(), m.reshape({1, s[0] * s[1]})));
    CHECK(array_equal(b.reshape(s[1], s[0]).toarray(), m.reshape({s[1], s[0]})));
    if (s[1] > 0) CHECK(array_equal(a.reshape(s[1], -1).toarray(), m.reshape({s[1], -1})));
    CHECK(b.reshape(s[0] * s[1], 1).has_sorted_indices());
  }
  CHECK_THROWS_AS((void)csr_array<double>(ones<double>({2, 3})).reshape(4, 2), shape_error);
  CHECK_THROWS_AS((void)csr_array<double>(ones<double>({2, 3})).reshape(-1, -1), shape_error);
}

}  // namespace
