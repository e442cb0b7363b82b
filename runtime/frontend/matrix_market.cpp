// Matrix Market files read. A file is untrusted text: each line has to be what the ones before promise, and no memory is asked for on
// its word alone.
#include <sinter/matrix_market.hpp>

#include <algorithm>
#include <charconv>
#include <complex>
#include <limits>
#include <new>
#include <string>
#include <string_view>

#include <sinter/error.hpp>

#include "runtime/frontend/files.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/sparse_entries.hpp"

namespace sinter {

namespace {

using io::mm_symmetry;
using runtime::list, runtime::place_list;

enum class field : std::uint8_t { real, complex, integer, pattern };
constexpr std::string_view formats[] = {"coordinate", "array"};
constexpr std::string_view fields[] = {"real", "complex", "integer", "pattern"};
constexpr std::string_view symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian"};

struct header {
  bool is_array = false;
  field of = field::real;
  mm_symmetry symmetry = mm_symmetry::general;
  std::int64_t rows = 0, columns = 0, entries = 0;
};

std::string text(std::int64_t n) { return std::to_string(n); }

std::string lower(std::string_view s) {
  std::string l(s);
  std::transform(l.begin(), l.end(), l.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return l;
}

// The words of a file, line by line.
class market_reader {
 public:
  market_reader(const char* path, std::string_view all) : path_(path), rest_(all) {}

  [[noreturn]] void refuse(const std::string& why) const {
    throw io_error(
        detail::message("sinter: mmread: %s: line %lld: %s", path_, static_cast<long long>(line_), why.c_str())
            .c_str());
  }
  header head();
  /// The next line that has a word; none at the end.
  bool next_line() {
    while (!rest_.empty()) {
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      words_ = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++line_;
      skip_spaces();
      if (!words_.empty()) return true;
    }
    ++line_;
    return false;
  }
  bool is_comment() const { return words_.front() == '%'; }
  std::string_view word() {
    const std::size_t end = std::min(words_.find_first_of(spaces), words_.size());
    const std::string_view w = words_.substr(0, end);
    words_.remove_prefix(end);
    skip_spaces();
    return w;
  }
  template <class N>
  N number(const char* what) {
    std::string_view w = word();
    const std::string_view given = w;
    if (w.size() > 1 && w.front() == '+' && w[1] != '-') w.remove_prefix(1);
    N n{};
    const auto [end, wrong] = std::from_chars(w.data(), w.data() + w.size(), n);
    if (given.empty()) refuse(std::string(what) + " is missing");
    if (wrong == std::errc::result_out_of_range) n = beyond<N>(given, what, w);
    else if (wrong != std::errc{} || end != w.data() + w.size()) refuse(quoted(given) + " is no " + what);
    return n;
  }
  void expect_end() const {
    if (!words_.empty()) refuse(quoted(words_.substr(0, words_.find_first_of(spaces))) + " is more than a line has");
  }
  std::size_t bytes_left() const { return rest_.size(); }

 private:
  static constexpr std::string_view spaces = " \t\r\v\f";

  static std::string quoted(std::string_view w) {
    constexpr std::size_t most = 40;
    return '"' + std::string(w.substr(0, most)) + (w.size() > most ? "...\"" : "\"");
  }
  // A number beyond what its type has: a floating one is infinite, or so small that it is zero.
  template <class N>
  N beyond(std::string_view given, const char* what, std::string_view w) const {
    if constexpr (std::is_floating_point_v<N>) {
      return static_cast<N>(std::strtod(std::string(w).c_str(), nullptr));
    } else {
      refuse(quoted(given) + " is too large for " + what);
    }
  }
  void skip_spaces() { words_.remove_prefix(std::min(words_.find_first_not_of(spaces), words_.size())); }
  template <std::size_t n>
  std::size_t one_of(const std::string_view (&names)[n], const char* what) {
    const std::string w = lower(word());
    const auto at = std::find(names, names + n, w);
    if (at == names + n) refuse(quoted(w) + " is no " + what);
    return static_cast<std::size_t>(at - names);
  }

  const char* path_;
  std::string_view rest_, words_;
  std::int64_t line_ = 0;
};

header market_reader::head() {
  if (!next_line() || lower(word()) != "%%matrixmarket") {
    line_ = 1;
    refuse("a file of the Matrix Market begins with %%MatrixMarket");
  }
  if (lower(word()) != "matrix") refuse("only matrices are read");
  header h;
  h.is_array = one_of(formats, "format: coordinate or array") == 1;
  h.of = static_cast<field>(one_of(fields, "field: real, complex, integer or pattern"));
  h.symmetry =
      static_cast<mm_symmetry>(one_of(symmetries, "symmetry: general, symmetric, skew-symmetric or hermitian"));
  expect_end();
  if (h.is_array && h.of == field::pattern) refuse("an array has values, no pattern");
  if (h.symmetry == mm_symmetry::hermitian && h.of != field::complex) refuse("only a complex matrix is Hermitian");
  if (h.symmetry == mm_symmetry::skew_symmetric && h.of == field::pattern) refuse("a pattern has no signs");
  do {
    if (!next_line()) refuse("the file ends before it says how many rows and columns there are");
  } while (is_comment());
  h.rows = number<std::int64_t>("number of rows");
  h.columns = number<std::int64_t>("number of columns");
  if (!h.is_array) h.entries = number<std::int64_t>("number of entries");
  expect_end();
  if (h.rows < 0 || h.columns < 0 || h.entries < 0) refuse("a number of rows, columns or entries is negative");
  if (h.symmetry != mm_symmetry::general && h.rows != h.columns)
    refuse("a " + std::string(symmetries[static_cast<int>(h.symmetry)]) + " matrix of " + text(h.rows) + " rows and " +
           text(h.columns) + " columns");
  if (!h.is_array) return h;
  const std::int64_t n = h.rows;
  std::int64_t all = 0;
  if (__builtin_mul_overflow(h.rows, h.columns, &all) || all > std::numeric_limits<std::int64_t>::max() / 2)
    refuse("too many elements");
  h.entries = h.symmetry == mm_symmetry::general          ? all
              : h.symmetry == mm_symmetry::skew_symmetric ? n * (n - 1) / 2
                                                          : n * (n + 1) / 2;
  return h;
}

template <class V>
V negated(V v) {
  if constexpr (std::is_unsigned_v<V>) return V{} - v;
  else return -v;
}
template <class V>
V across(V v, mm_symmetry s) {
  if constexpr (!std::is_arithmetic_v<V>) {
    if (s == mm_symmetry::hermitian) return std::conj(v);
  }
  return s == mm_symmetry::skew_symmetric ? negated(v) : v;
}

template <class V>
struct read_entries {
  place_list rows, columns;
  list<V> values;

  void add(std::int64_t row, std::int64_t column, V v, mm_symmetry s) {
    rows.push_back(row);
    columns.push_back(column);
    values.push_back(v);
    if (s == mm_symmetry::general || row == column) return;
    rows.push_back(column);
    columns.push_back(row);
    values.push_back(across(v, s));
  }
};

template <class V>
V value_in(market_reader& r, field of) {
  if (of == field::pattern) return V(1);
  if constexpr (std::is_arithmetic_v<V>) {
    return r.number<V>(std::is_integral_v<V> ? "integer" : "number");
  } else {
    const double real = r.number<double>("real part"), imaginary = r.number<double>("imaginary part");
    return {real, imaginary};
  }
}

// Entries of an array lie column by column; of a symmetric one from the diagonal down, of a skew one below it.
void step_down(const header& h, std::int64_t& row, std::int64_t& column) {
  if (++row < h.rows) return;
  ++column;
  row = h.symmetry == mm_symmetry::general ? 0 : column + (h.symmetry == mm_symmetry::skew_symmetric);
}

template <class V>
read_entries<V> entries_in(market_reader& r, const header& h) {
  read_entries<V> all;
  // A line has two bytes at least.
  const auto room = std::min(static_cast<std::size_t>(h.entries), r.bytes_left() / 2 + 1);
  const std::size_t both = h.symmetry == mm_symmetry::general ? 1 : 2;
  all.rows.reserve(room * both);
  all.columns.reserve(room * both);
  all.values.reserve(room * both);
  std::int64_t row = h.is_array && h.symmetry == mm_symmetry::skew_symmetric ? 1 : 0, column = 0;
  for (std::int64_t k = 0; k < h.entries; ++k) {
    do {
      if (!r.next_line()) r.refuse("the file ends after " + text(k) + " of " + text(h.entries) + " entries");
    } while (r.is_comment());
    if (!h.is_array) {
      row = r.number<std::int64_t>("row") - 1;
      column = r.number<std::int64_t>("column") - 1;
      if (row < 0 || row >= h.rows || column < 0 || column >= h.columns)
        r.refuse("entry (" + text(row + 1) + ", " + text(column + 1) + ") of a matrix of " + text(h.rows) +
                 " rows and " + text(h.columns) + " columns");
    }
    const V v = value_in<V>(r, h.of);
    r.expect_end();
    if (!h.is_array && h.symmetry == mm_symmetry::skew_symmetric && row == column && v != V())
      r.refuse("a skew-symmetric matrix has zeros on its diagonal");
    all.add(row, column, v, h.symmetry);
    if (h.is_array) step_down(h, row, column);
  }
  while (r.next_line())
    if (!r.is_comment()) r.refuse("more than " + text(h.entries) + " entries");
  return all;
}

template <class V>
detail::sparse_parts parts_in(market_reader& r, const header& h, dtype wanted) {
  const read_entries<V> all = entries_in<V>(r, h);
  const shape s{static_cast<std::int64_t>(all.values.size())}, whole{h.rows, h.columns};
  const dtype index = runtime::index_for(h.rows, h.columns, s[0]);
  const runtime::term values(detail::handle(detail::make_from_host(dtype_of<V>, s, all.values.data())));
  return detail::make_sparse(runtime::astype(values, wanted).held(), runtime::make_index_array(all.columns, index),
                             runtime::make_index_array(all.rows, index), sparse::format::coo, &whole);
}

}  // namespace

namespace detail {

io::mm_facts facts_of_matrix_market(const char* path) try {
  const std::string all = detail::read_whole("mmread", path);
  const header h = market_reader(path, all).head();
  return {h.rows,
          h.columns,
          h.entries,
          formats[h.is_array].data(),
          fields[static_cast<int>(h.of)].data(),
          symmetries[static_cast<int>(h.symmetry)].data()};
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

sparse_parts read_matrix_market(const char* path, dtype wanted) try {
  const std::string all = detail::read_whole("mmread", path);
  market_reader r(path, all);
  const header h = r.head();
  if (h.of == field::complex) {
    if (!is_complex(wanted))
      throw dtype_error(message("sinter: mmread: %s: its numbers are complex, and no %s", path, name(wanted)).c_str());
    return parts_in<std::complex<double>>(r, h, wanted);
  }
  if (h.of == field::real) return parts_in<double>(r, h, wanted);
  return wanted == dtype::uint64 ? parts_in<std::uint64_t>(r, h, wanted) : parts_in<std::int64_t>(r, h, wanted);
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

}  // namespace detail
}  // namespace sinter
