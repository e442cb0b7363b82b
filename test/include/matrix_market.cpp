// Files of the Matrix Market: every format, kind of number and symmetry read, what is written read again, and what is wrong said with
// its line.
#include <doctest/doctest.h>

#include <complex>
#include <limits>
#include <string>

#include <sinter/matrix_market.hpp>
#include <sinter/sinter.hpp>
#include <sinter/sparse_construct.hpp>

#include "test/codegen/scratch.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using sparse::coo_array, sparse::csc_array, sparse::csr_array;
using complex = std::complex<double>;

const std::string banner = "%%MatrixMarket matrix ";

template <class T>
coo_array<T> read(const std::string& text) {
  const scratch folder;
  write_text(folder / "a.mtx", text);
  return io::mmread<T>(folder / "a.mtx");
}
template <class T>
std::vector<T> elements(const std::string& text) {
  return read<T>(text).toarray().get();
}

// What is wrong with a text, without the name of its file.
template <class T = double>
std::string refusal_of(const std::string& text) {
  try {
    (void)read<T>(text);
  } catch (const io_error& e) {
    const std::string what = e.what();
    return what.substr(what.find("a.mtx: ") + 7);
  }
  return "none";
}

template <class A>
std::string written(const A& a, const io::mm_options& how = {}) {
  const scratch folder;
  io::mmwrite(folder / "a.mtx", a, how);
  return read_text(folder / "a.mtx");
}

}  // namespace

TEST_CASE("matrix market: entries of every kind and symmetry") {
  const coo_array<double> a = read<double>(banner +
                                           "coordinate real general\n% a comment\n\n  % another\n 2 3 4 \n"
                                           "2 3 -1.5e1\n1 1 +2\n\n%\n2\t3 1\r\n1 2 .5\n");
  CHECK(a.shape() == shape{2, 3});
  CHECK(a.nnz() == 4);  // as they are in the file
  CHECK(a.row().get() == std::vector<std::int64_t>{1, 0, 1, 0});
  CHECK(a.data().get() == std::vector<double>{-15, 2, 1, 0.5});
  CHECK(a.toarray().get() == std::vector<double>{2, 0.5, 0, 0, 0, -14});
  CHECK(elements<float>("%%matrixmarket MATRIX Coordinate Integer Symmetric\n2 2 2\n1 1 3\n2 1 -4") ==
        std::vector<float>{3, -4, -4, 0});
  CHECK(elements<int>(banner + "coordinate integer skew-symmetric\n2 2 1\n2 1 -4\n") == std::vector<int>{0, 4, -4, 0});
  CHECK(elements<complex>(banner + "coordinate complex hermitian\n2 2 2\n2 1 1 2\n2 2 5 0\n") ==
        std::vector<complex>{0, {1, -2}, {1, 2}, 5});
  CHECK(elements<std::complex<float>>(banner + "coordinate complex symmetric\n2 2 1\n2 1 1 2\n") ==
        std::vector<std::complex<float>>{0, {1, 2}, {1, 2}, 0});
  CHECK(elements<bool>(banner + "coordinate pattern symmetric\n2 2 1\n2 1\n") ==
        std::vector<bool>{false, true, true, false});
  CHECK(elements<complex>(banner + "coordinate real general\n1 1 1\n1 1 2.5\n") == std::vector<complex>{2.5});
  CHECK(elements<std::uint64_t>(banner + "coordinate integer general\n1 1 1\n1 1 18446744073709551615\n") ==
        std::vector<std::uint64_t>{std::numeric_limits<std::uint64_t>::max()});
  CHECK(elements<double>(banner + "coordinate real general\n1 2 2\n1 1 inf\n1 2 1e999\n")[1] ==
        std::numeric_limits<double>::infinity());
  CHECK(read<double>(banner + "coordinate real general\n0 3 0\n").shape() == shape{0, 3});
  CHECK(read<double>(banner + "coordinate real general\n2 3 0\n").toarray().get() == std::vector<double>(6));
}

TEST_CASE("matrix market: arrays lie column by column") {
  CHECK(elements<double>(banner + "array real general\n2 3\n1\n2\n3\n4\n5\n6\n") ==
        std::vector<double>{1, 3, 5, 2, 4, 6});
  CHECK(elements<double>(banner + "array integer symmetric\n2 2\n1\n2\n3\n") == std::vector<double>{1, 2, 2, 3});
  CHECK(elements<double>(banner + "array real skew-symmetric\n3 3\n1\n2\n3\n") ==
        std::vector<double>{0, -1, -2, 1, 0, -3, 2, 3, 0});
  CHECK(elements<complex>(banner + "array complex hermitian\n2 2\n1 0\n2 3\n4 0\n") ==
        std::vector<complex>{1, {2, -3}, {2, 3}, 4});
  CHECK(elements<double>(banner + "array real skew-symmetric\n1 1\n") == std::vector<double>{0});
  CHECK(read<double>(banner + "array real general\n0 2\n").shape() == shape{0, 2});
}

TEST_CASE("matrix market: facts") {
  const scratch folder;
  write_text(folder / "a.mtx", banner + "Array REAL skew-symmetric\n3 3\n");
  const io::mm_facts f = io::mminfo(folder / "a.mtx");
  CHECK(f.rows == 3);
  CHECK(f.columns == 3);
  CHECK(f.entries == 3);
  CHECK(std::string(f.format) == "array");
  CHECK(std::string(f.field) == "real");
  CHECK(std::string(f.symmetry) == "skew-symmetric");
}

TEST_CASE("matrix market: what is written") {
  const csr_array<double> a(array<double>{{0, 0.1, 0}, {1e300, 0, -2}});
  CHECK(written(a, {.comment = "two\nlines"}) ==
        banner + "coordinate real general\n%two\n%lines\n2 3 3\n1 2 0.1\n2 1 1e+300\n2 3 -2\n");
  CHECK(written(a, {.precision = 3}) == banner + "coordinate real general\n2 3 3\n1 2 0.1\n2 1 1e+300\n2 3 -2\n");
  CHECK(written(a * (1.0 / 3), {.precision = 3}).find("1 2 0.0333\n") != std::string::npos);
  CHECK(written(a, {.pattern = true}) == banner + "coordinate pattern general\n2 3 3\n1 2\n2 1\n2 3\n");
  CHECK(written(a.astype<float>().tocsc(), {}).find("1 2 0.1\n") != std::string::npos);
  const array<double> m{{1, 2}, {2, 3}};
  CHECK(written(csc_array<double>(m), {.symmetry = io::mm_symmetry::symmetric}) ==
        banner + "coordinate real symmetric\n2 2 3\n1 1 1\n2 1 2\n2 2 3\n");
  CHECK(written(m + 1, {.symmetry = io::mm_symmetry::symmetric}) == banner + "array real symmetric\n2 2\n2\n3\n4\n");
  CHECK(written(array<int>{{1, 2, 3}, {4, 5, 6}}) == banner + "array integer general\n2 3\n1\n4\n2\n5\n3\n6\n");
  CHECK(written(coo_array<bool>(array<bool>{{false, true}})) == banner + "coordinate integer general\n1 2 1\n1 2 1\n");
  const complex z{1, 2}, i{0, 2};
  const array<complex> skew{{complex(0), z}, {-z, complex(0)}}, hermitian{{complex(1), -i}, {i, complex(3)}};
  CHECK(written(skew, {.symmetry = io::mm_symmetry::skew_symmetric}) ==
        banner + "array complex skew-symmetric\n2 2\n-1 -2\n");
  CHECK(written(csr_array<complex>(hermitian), {.symmetry = io::mm_symmetry::hermitian}) ==
        banner + "coordinate complex hermitian\n2 2 3\n1 1 1 0\n2 1 0 2\n2 2 3 0\n");
  CHECK(written(array<double>(zeros<double>({0, 3}))) == banner + "array real general\n0 3\n");
}

TEST_CASE_TEMPLATE("matrix market: what is written is read again", T, std::int16_t, std::uint64_t, float, double,
                   std::complex<float>, complex) {
  const array<T> third = astype<T>(astype<double>(arange(12).reshape(3, 4) % 5) / 3);
  const csr_array<T> a(third);
  const coo_array<T> same = read<T>(written(a));
  CHECK(same.toarray().get() == third.get());
  CHECK(read<T>(written(third)).toarray().get() == third.get());
  const array<T> square = third(_, slice(3)), m = square + square.T();
  CHECK(read<T>(written(csr_array<T>(m), {.symmetry = io::mm_symmetry::symmetric})).toarray().get() == m.get());
  CHECK(read<T>(written(csr_array<T>(shape{2, 3}))).shape() == shape{2, 3});
}

TEST_CASE("matrix market: what is wrong with a file is said with its line") {
  const std::string real = banner + "coordinate real general\n", two = real + "2 2 2\n";
  CHECK(refusal_of("") == "line 1: a file of the Matrix Market begins with %%MatrixMarket");
  CHECK(refusal_of("%MatrixMarket matrix\n") == "line 1: a file of the Matrix Market begins with %%MatrixMarket");
  CHECK(refusal_of("%%MatrixMarket vector array real general\n") == "line 1: only matrices are read");
  CHECK(refusal_of(banner + "sparse real general\n") == "line 1: \"sparse\" is no format: coordinate or array");
  CHECK(refusal_of(banner + "array\n") == "line 1: \"\" is no field: real, complex, integer or pattern");
  CHECK(refusal_of(banner + "array real odd\n") ==
        "line 1: \"odd\" is no symmetry: general, symmetric, skew-symmetric or hermitian");
  CHECK(refusal_of(banner + "array pattern general\n") == "line 1: an array has values, no pattern");
  CHECK(refusal_of(banner + "array real hermitian\n") == "line 1: only a complex matrix is Hermitian");
  CHECK(refusal_of(real) == "line 2: the file ends before it says how many rows and columns there are");
  CHECK(refusal_of(real + "%\n2 2\n") == "line 3: number of entries is missing");
  CHECK(refusal_of(real + "2 -2 1\n") == "line 2: a number of rows, columns or entries is negative");
  CHECK(refusal_of(real + "2 2 1 9\n") == "line 2: \"9\" is more than a line has");
  CHECK(refusal_of(banner + "array real symmetric\n2 3\n") == "line 2: a symmetric matrix of 2 rows and 3 columns");
  CHECK(refusal_of(banner + "array real general\n4294967296 4294967296\n") == "line 2: too many elements");
  CHECK(refusal_of(two + "1 1 1\n") == "line 4: the file ends after 1 of 2 entries");
  CHECK(refusal_of(real + "2 2 4611686018427387904\n1 1 1\n") ==
        "line 4: the file ends after 1 of 4611686018427387904 entries");
  CHECK(refusal_of(two + "1 1 1\n\n%\n3 1 1\n") == "line 6: entry (3, 1) of a matrix of 2 rows and 2 columns");
  CHECK(refusal_of(two + "1 0 1\n") == "line 3: entry (1, 0) of a matrix of 2 rows and 2 columns");
  CHECK(refusal_of(two + "1 1\n") == "line 3: number is missing");
  CHECK(refusal_of(two + "1 1 x1\n") == "line 3: \"x1\" is no number");
  CHECK(refusal_of(two + "1 1 1.5z\n") == "line 3: \"1.5z\" is no number");
  CHECK(refusal_of(two + "1.5 1 1\n") == "line 3: \"1.5\" is no row");
  CHECK(refusal_of(two + "1 1 1 2\n") == "line 3: \"2\" is more than a line has");
  CHECK(refusal_of(two + "1 1 1\n2 2 2\n1 2 3\n") == "line 5: more than 2 entries");
  CHECK(refusal_of(banner + "coordinate integer general\n1 1 1\n1 1 9223372036854775808\n") ==
        "line 3: \"9223372036854775808\" is too large for integer");
  CHECK(refusal_of(banner + "coordinate real skew-symmetric\n1 1 1\n1 1 2\n") ==
        "line 3: a skew-symmetric matrix has zeros on its diagonal");
  CHECK(refusal_of<complex>(banner + "coordinate complex general\n1 1 1\n1 1 2\n") ==
        "line 3: imaginary part is missing");
  CHECK_THROWS_AS((void)read<double>(banner + "coordinate complex general\n1 1 1\n1 1 2 0\n"), dtype_error);
  CHECK_THROWS_WITH_AS((void)io::mmread<double>("/nowhere/a.mtx"),
                       "sinter: mmread: /nowhere/a.mtx: No such file or directory", io_error);
  CHECK_THROWS_WITH_AS(io::mmwrite("/nowhere/a.mtx", csr_array<double>(shape{1, 1})),
                       "sinter: mmwrite: /nowhere/a.mtx: No such file or directory", io_error);
  const array<double> m{{1, 2}, {3, 4}};
  CHECK_THROWS_WITH_AS((void)written(m, {.symmetry = io::mm_symmetry::symmetric}),
                       "sinter: mmwrite: the matrix is not symmetric", error);
  CHECK_THROWS_WITH_AS((void)written(csr_array<double>(m), {.symmetry = io::mm_symmetry::skew_symmetric}),
                       "sinter: mmwrite: the matrix is not skew-symmetric", error);
  CHECK_THROWS_WITH_AS((void)written(csr_array<double>(m), {.symmetry = io::mm_symmetry::hermitian}),
                       "sinter: mmwrite: only a complex matrix is Hermitian", error);
  CHECK_THROWS_WITH_AS((void)written(m, {.pattern = true}),
                       "sinter: mmwrite: a matrix that is not sparse has no pattern", error);
  CHECK_THROWS_WITH_AS((void)written(m(0)), "sinter: mmwrite of shape (2,)", shape_error);
}
