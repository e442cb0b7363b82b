// Reading and writing files of the Matrix Market, the text form in which collections of sparse matrices come. Not in sinter.hpp.
#pragma once

#include <sinter/io.hpp>
#include <sinter/sparse.hpp>

namespace sinter::io {

/// What a file says of itself: "coordinate" or "array"; "real", "complex", "integer" or "pattern"; "general", "symmetric",
/// "skew-symmetric" or "hermitian". Entries: those that are written down, of an array all elements.
struct mm_facts {
  std::int64_t rows, columns, entries;
  const char *format, *field, *symmetry;
};
enum class mm_symmetry : unsigned char { general, symmetric, skew_symmetric, hermitian };
/// `mmwrite("a.mtx", a, {.comment = "of a mesh", .symmetry = io::mm_symmetry::symmetric})`. precision: digits; -1: as few as give the
/// same number when it is read. pattern: places alone. Of a matrix with a symmetry one triangle is written.
struct mm_options {
  const char* comment = "";
  int precision = -1;
  mm_symmetry symmetry = mm_symmetry::general;
  sinter::detail::truth pattern = false;
};

}  // namespace sinter::io

namespace sinter::detail {
SINTER_API io::mm_facts facts_of_matrix_market(const char* path);
SINTER_API sparse_parts read_matrix_market(const char* path, dtype);
SINTER_API void write_matrix_market(const char* path, const sparse_parts&, const io::mm_options&);
SINTER_API void write_matrix_market(const char* path, handle dense, const io::mm_options&);
}  // namespace sinter::detail

namespace sinter::io {

/// The first lines of a file. Errors: `io_error`. Source: scipy.io.mminfo.
inline mm_facts mminfo(sinter::detail::file_name path) { return sinter::detail::facts_of_matrix_market(path.text()); }
/// Reads a file onto the current device: `mmread<double>("a.mtx").tocsr()`. Entries are in the file's order, those of a symmetric matrix
/// and behind each the one across the diagonal; of an array all elements are entries, so that `toarray` gives it. Dtypes: values are
/// converted to T; entries of a pattern are 1. Errors: `io_error` with the number of the line that is wrong; `dtype_error` for complex
/// numbers where T is not. Source: scipy.io.mmread.
template <element T>
sparse::coo_array<T> mmread(sinter::detail::file_name path) {
  return sparse::coo_array<T>(sinter::detail::read_matrix_market(path.text(), dtype_of<T>));
}
/// Writes a sparse matrix, entry by entry. Errors: `io_error`; `error` for a matrix without the symmetry that is asked for. Stream
/// behaviour: evaluates, and waits. Source: scipy.io.mmwrite.
template <sparse_matrix A>
void mmwrite(sinter::detail::file_name path, const A& a, const mm_options& how = {}) {
  sinter::detail::write_matrix_market(path.text(), a.parts(), how);
}
/// Writes all elements of a matrix. Errors: also `shape_error` unless it has two axes; `error` for a pattern.
template <sinter::detail::expression E>
void mmwrite(sinter::detail::file_name path, const E& e, const mm_options& how = {}) {
  sinter::detail::write_matrix_market(path.text(), sinter::detail::handle(e.share()), how);
}

}  // namespace sinter::io
