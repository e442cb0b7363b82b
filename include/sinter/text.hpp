// Numbers in files of text, and as the bytes that they are: NumPy's loadtxt, savetxt, genfromtxt, fromstring, fromfile, tofile,
// frombuffer and fromiter.
#pragma once

#include <sinter/create.hpp>
#include <sinter/io.hpp>

namespace sinter {

/// How a table of numbers is read. Source: numpy.loadtxt, numpy.genfromtxt.
struct text_format {
  const char* delimiter = nullptr;         ///< between two numbers; null: any spaces and tabs
  const char* comments = "#";              ///< what follows it in a line is left out
  std::int64_t skiprows = 0;               ///< lines at the beginning that are left out
  std::int64_t max_rows = -1;              ///< rows to read; -1: all
  std::vector<std::int64_t> usecols = {};  ///< the columns to read, of rows that have them; none: all
  double filling_values = 0. / 0.;         ///< genfromtxt: in place of what is missing; of integers -1 where it is NaN
};
/// How one is written. Source: numpy.savetxt.
struct text_layout {
  const char* fmt = "%.18e";  ///< as in C: one of d i e E f F g G, with flags, width and precision, and text around it
  const char* delimiter = " ";
  const char* newline = "\n";
  const char* header = "";  ///< lines before the numbers, each behind `comments`
  const char* footer = "";
  const char* comments = "# ";
};

namespace detail {
/// Integers are read as int64, or uint64 for that; everything else as double.
template <class T>
using text_number = std::conditional_t<!std::is_integral_v<T>, double,
                                       std::conditional_t<std::same_as<T, std::uint64_t>, std::uint64_t, std::int64_t>>;
SINTER_API node* load_text(const char* path, dtype, const text_format&, bool may_miss);
SINTER_API node* parse_text(const char* text, const char* separator, dtype);
SINTER_API void save_text(const char* path, node*, const text_layout&);
SINTER_API node* load_raw(const char* path, dtype, std::int64_t count, std::int64_t offset);
SINTER_API void save_raw(const char* path, node*);
SINTER_API std::int64_t elements_in(std::size_t bytes, dtype, std::int64_t count, std::int64_t offset);

/// A node of the dtype that text is read in, as an array.
template <element T>
array<T> from_text(node* read) {
  return array<T>(astype<T>(lazy<text_number<T>>(read)));
}
}  // namespace detail

/// Reads a table of numbers. Shapes: a row for each line that has some; axes of one are dropped, as NumPy drops them. Dtypes: double,
/// or as chosen; bool is true where an integer is not 0. Errors: `io_error` naming the line, for what is no number or does not fit,
/// and for rows of different lengths. Stream behaviour: the file has been read on return. Source: numpy.loadtxt.
template <element T = double>
array<T> loadtxt(detail::file_name path, const text_format& how = {}) {
  return detail::from_text<T>(detail::load_text(path.text(), dtype_of<T>, how, false));
}
/// The same, but where a number is missing or is none there is another value. Source: numpy.genfromtxt, for numbers.
template <element T = double>
array<T> genfromtxt(detail::file_name path, const text_format& how = {}) {
  return detail::from_text<T>(detail::load_text(path.text(), dtype_of<T>, how, true));
}
/// Writes an array of one axis, a number to a line, or of two; evaluates. Errors: `shape_error` for other shapes, `io_error`, also
/// for a format that is none. Stream behaviour: waits. Source: numpy.savetxt.
template <detail::expression E>
void savetxt(detail::file_name path, const E& e, const text_layout& how = {}) {
  detail::save_text(path.text(), detail::handle(e.share()).get(), how);
}
/// The numbers in a text, with something between them; a space is any number of spaces. Errors: `io_error` for what is no number.
/// Source: numpy.fromstring.
template <element T = double>
array<T> fromstring(const char* text, const char* sep = " ") {
  return detail::from_text<T>(detail::parse_text(text, sep, dtype_of<T>));
}

/// The elements that a file has as bytes of this machine, `count` of them or all, behind `offset` bytes. Errors: `io_error` where it
/// has fewer. Source: numpy.fromfile of a binary file.
template <element T>
array<T> fromfile(detail::file_name path, std::int64_t count = -1, std::int64_t offset = 0) {
  return array<T>(detail::load_raw(path.text(), dtype_of<T>, count, offset));
}
/// Writes the elements in C order as bytes; evaluates. Errors: `io_error`. Stream behaviour: waits. Source: numpy.ndarray.tofile.
template <detail::expression E>
void tofile(detail::file_name path, const E& e) {
  detail::save_raw(path.text(), detail::handle(e.share()).get());
}
/// The elements that contiguous host memory has as bytes, copied. Errors: `shape_error` where it has no so many. Source:
/// numpy.frombuffer.
template <element T, class Bytes>
  requires detail::host_memory<const Bytes&, const void*> array<T> frombuffer(const Bytes& from,
                                                                              std::int64_t count = -1,
                                                                              std::int64_t offset = 0) {
    const std::size_t bytes = from.size() * sizeof(*from.data());
    const std::int64_t n = detail::elements_in(bytes, dtype_of<T>, count, offset);
    return array<T>(
        detail::make_from_host(dtype_of<T>, shape{n}, reinterpret_cast<const std::byte*>(from.data()) + offset));
  }
/// What an iteration gives: `fromiter(list)`, over anything that a for loop takes. Dtypes: its elements', or as chosen. Source:
/// numpy.fromiter.
template <class T = void, class Range>
auto fromiter(const Range& range) {
  using V = std::remove_cvref_t<decltype(*std::begin(range))>;
  using R = std::conditional_t<std::is_void_v<T>, element_type<V>, T>;
  std::vector<std::conditional_t<std::same_as<R, bool>, unsigned char, R>> all;
  for (const auto& x : range) all.push_back(static_cast<R>(x));
  return array<R>(detail::make_from_host(dtype_of<R>, shape{all.size()}, all.data()));
}

}  // namespace sinter
