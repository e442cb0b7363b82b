// Matrix Market files written, with as many digits as give the same numbers when they are read.
#include <sinter/matrix_market.hpp>

#include <charconv>
#include <complex>
#include <new>
#include <string>

#include <sinter/error.hpp>
#include <sinter/eval.hpp>

#include "runtime/frontend/files.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/sparse_entries.hpp"

namespace sinter::detail {

using io::mm_options, io::mm_symmetry;
using runtime::list, runtime::place_list, runtime::structure_of, runtime::term;
using sparse::format;

namespace {

// As which type an element type's numbers are written.
template <class F>
auto of_written_type(dtype t, F f) {
  switch (t) {
    case dtype::float32: return f(float());
    case dtype::float64: return f(double());
    case dtype::complex64: return f(std::complex<float>());
    case dtype::complex128: return f(std::complex<double>());
    case dtype::uint64: return f(std::uint64_t());
    default: break;
  }
  if (!is_inexact(t)) return f(std::int64_t());
  return is_complex(t) ? f(std::complex<float>()) : f(float());
}

template <class V>
list<V> read_values(const term& t) {
  const term all = runtime::astype(t, dtype_of<V>);
  list<V> read(static_cast<std::size_t>(all.extents().elements()));
  if (!read.empty()) read_all(all.get(), read.data(), read.size(), {}, where{});
  return read;
}

[[noreturn]] void refuse(const std::string& why) { throw error(("sinter: mmwrite: " + why).c_str()); }

const char* name_of(mm_symmetry s) {
  constexpr const char* names[] = {"general", "symmetric", "skew-symmetric", "hermitian"};
  return names[static_cast<int>(s)];
}

class text_of_market {
 public:
  text_of_market(const mm_options& how, bool is_array, dtype t) : how_(how) {
    const char* const field = how.pattern ? "pattern" : is_complex(t) ? "complex" : is_inexact(t) ? "real" : "integer";
    if (how.symmetry == mm_symmetry::hermitian && !is_complex(t)) refuse("only a complex matrix is Hermitian");
    if (how.pattern &&
        (is_array || how.symmetry == mm_symmetry::skew_symmetric || how.symmetry == mm_symmetry::hermitian))
      refuse(is_array ? "a matrix that is not sparse has no pattern" : "a pattern has no signs");
    text =
        message("%%%%MatrixMarket matrix %s %s %s\n", is_array ? "array" : "coordinate", field, name_of(how.symmetry));
    const std::string comment = how.comment ? how.comment : "";
    for (std::size_t begin = 0; begin < comment.size();) {
      const std::size_t end = std::min(comment.find('\n', begin), comment.size());
      text += '%' + comment.substr(begin, end - begin) + '\n';
      begin = end + 1;
    }
  }
  void number(std::int64_t n) { put(n); }
  template <class V>
  void value(const V& v) {
    if constexpr (std::is_integral_v<V>) put(v);
    else if constexpr (std::is_floating_point_v<V>) put_floating(v);
    else {
      put_floating(v.real());
      text += ' ';
      put_floating(v.imag());
    }
  }
  std::string text;

 private:
  template <class N>
  void put(N n) {
    char digits[24];
    text.append(digits, std::to_chars(digits, digits + sizeof digits, n).ptr);
  }
  template <class N>
  void put_floating(N n) {
    char digits[64];
    constexpr int most = 40;
    const auto done = how_.precision < 0 ? std::to_chars(digits, digits + sizeof digits, n)
                                         : std::to_chars(digits, digits + sizeof digits, n, std::chars_format::general,
                                                         std::min(std::max(how_.precision, 1), most));
    text.append(digits, done.ptr);
  }

  const mm_options& how_;
};

template <class V>
bool mirrors(const V& below, const V& above, mm_symmetry s) {
  if constexpr (!std::is_arithmetic_v<V>) {
    if (s == mm_symmetry::hermitian) return below == std::conj(above);
  }
  return s == mm_symmetry::skew_symmetric ? below == V() - above : below == above;
}

// Of a matrix with a symmetry that is asked for the rows and the columns are the same, but for signs.
template <class V>
void check_symmetry(const sparse_parts& p, mm_symmetry s) {
  const sparse_parts rows = sum_duplicates(convert(p, format::csr)), columns = convert(rows, format::csc);
  const runtime::sparse_entries &one = *structure_of(rows.structure).entries,
                                &other = *structure_of(columns.structure).entries;
  bool is_so = runtime::read_places(one.major) == runtime::read_places(other.major) &&
               runtime::read_places(one.minor) == runtime::read_places(other.minor);
  if (is_so) {
    const list<V> a = read_values<V>(term(rows.data)), b = read_values<V>(term(columns.data));
    for (std::size_t i = 0; i < a.size() && is_so; ++i) is_so = mirrors(a[i], b[i], s);
  }
  if (!is_so) refuse(std::string("the matrix is not ") + name_of(s));
}

// Does an element of a matrix with this symmetry stand in the file?
bool is_written(std::int64_t row, std::int64_t column, mm_symmetry s) {
  return s == mm_symmetry::general || row > column || (row == column && s != mm_symmetry::skew_symmetric);
}

template <class V>
std::string entries_text(const sparse_parts& given, dtype t, const mm_options& how) {
  text_of_market m(how, false, t);
  const shape s = structure_of(given.structure).extents();
  if (how.symmetry != mm_symmetry::general && s[0] != s[1])
    refuse(message("a %s matrix of shape %s", name_of(how.symmetry), to_string(s).c_str()));
  if (how.symmetry != mm_symmetry::general) check_symmetry<V>(given, how.symmetry);
  const place_list rows = runtime::read_places(handle(make_entry_index(given.structure, false))),
                   columns = runtime::read_places(handle(make_entry_index(given.structure, true)));
  const list<V> values = how.pattern ? list<V>(rows.size()) : read_values<V>(term(given.data));
  std::int64_t count = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) count += is_written(rows[i], columns[i], how.symmetry);
  m.text += message("%lld %lld %lld\n", static_cast<long long>(s[0]), static_cast<long long>(s[1]),
                    static_cast<long long>(count));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!is_written(rows[i], columns[i], how.symmetry)) continue;
    m.number(rows[i] + 1);
    m.text += ' ';
    m.number(columns[i] + 1);
    if (!how.pattern) {
      m.text += ' ';
      m.value(values[i]);
    }
    m.text += '\n';
  }
  return std::move(m.text);
}

template <class V>
std::string elements_text(const term& matrix, const mm_options& how) {
  text_of_market m(how, true, matrix.type());
  const std::int64_t rows = matrix.extent(0), columns = matrix.extent(1);
  if (how.symmetry != mm_symmetry::general && rows != columns)
    refuse(message("a %s matrix of shape %s", name_of(how.symmetry), to_string(matrix.extents()).c_str()));
  const list<V> values = read_values<V>(matrix);
  const auto at = [&](std::int64_t i, std::int64_t j) { return values[static_cast<std::size_t>(i * columns + j)]; };
  m.text += message("%lld %lld\n", static_cast<long long>(rows), static_cast<long long>(columns));
  for (std::int64_t j = 0; j < columns; ++j)
    for (std::int64_t i = 0; i < rows; ++i) {
      if (how.symmetry != mm_symmetry::general && !mirrors(at(i, j), at(j, i), how.symmetry))
        refuse(std::string("the matrix is not ") + name_of(how.symmetry));
      if (!is_written(i, j, how.symmetry)) continue;
      m.value(at(i, j));
      m.text += '\n';
    }
  return std::move(m.text);
}

}  // namespace

// Both make the text before the file is opened: an expression that fails leaves the old file alone.
void write_matrix_market(const char* path, const sparse_parts& p, const mm_options& how) try {
  const dtype t = term(p.data).type();
  write_whole("mmwrite", path, of_written_type(t, [&](auto v) { return entries_text<decltype(v)>(p, t, how); }));
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

void write_matrix_market(const char* path, handle dense, const mm_options& how) try {
  const term matrix(std::move(dense));
  if (matrix.rank() != 2)
    throw shape_error(message("sinter: mmwrite of shape %s", to_string(matrix.extents()).c_str()).c_str());
  write_whole("mmwrite", path,
              of_written_type(matrix.type(), [&](auto v) { return elements_text<decltype(v)>(matrix, how); }));
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

}  // namespace sinter::detail
