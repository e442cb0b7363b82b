// How NumPy writes arrays: every element becomes a word, all words of an array are made equally wide, and the words are
// laid out in rows inside nested brackets.

#include "runtime/frontend/format.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include <sinter/error.hpp>

namespace sinter::runtime {
namespace {

// ---- words ----------------------------------------------------------------------------------------------------------

// No double needs more: the longest are 309 digits before the point, or 308 zeros and 17 digits after it.
using digit_buffer = char[768];

/// The parts of a number's text. A value that is not finite has only `whole`.
struct parts {
  std::string whole;     // with the sign
  std::string fraction;  // without trailing zeros
  std::string exponent;  // sign and digits; empty where there is none
  bool finite = true;
};

parts split(std::string_view text) {
  parts p;
  const auto e = text.find('e');
  if (e != text.npos) p.exponent = text.substr(e + 1);
  const auto number = text.substr(0, e);
  const auto point = number.find('.');
  p.whole = number.substr(0, point);
  if (point != number.npos) p.fraction = number.substr(point + 1);
  p.fraction.erase(p.fraction.find_last_not_of('0') + 1);
  return p;
}

/// What is known of a type's digits. Of numbers of 16 bits std::numeric_limits and std::to_chars know nothing.
template <class T>
struct digits {
  using wide = T;  // in which they are computed with
  static constexpr int certain = std::numeric_limits<T>::digits10;
};
template <>
struct digits<half> {
  using wide = float;
  static constexpr int certain = 3;
};
template <>
struct digits<bfloat16> {
  using wide = float;
  static constexpr int certain = 2;
};
template <class T>
using wide = typename digits<T>::wide;

/// The number whose own shortest text is that of x among all of its type.
template <class T>
auto as_read(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    return x;
  } else {
    char buffer[32];
    double read = static_cast<double>(static_cast<float>(x));
    if (!std::isfinite(read)) return read;
    for (int after = 0; after < 9; ++after) {
      const char* end =
          std::to_chars(buffer, std::end(buffer), static_cast<float>(x), std::chars_format::scientific, after).ptr;
      std::from_chars(buffer, end, read);
      if (T(read).bits == x.bits) break;
    }
    return read;
  }
}

/// The exact value rounded to `precision` digits after the point.
template <class T>
parts rounded(T x, std::chars_format how, int precision) {
  digit_buffer buffer;
  return split({buffer, std::to_chars(buffer, std::end(buffer), x, how, precision).ptr});
}

/// The fewest digits that name this value among all of its type, but no more than `precision` after the point.
template <class T>
parts shortest(T given, std::chars_format how, int precision = std::numeric_limits<int>::max()) {
  const auto x = as_read(given);
  if (std::isnan(x)) return {"nan", "", "", false};
  if (std::isinf(x)) return {x < 0 ? "-inf" : "inf", "", "", false};
  digit_buffer buffer;
  parts p = split({buffer, std::to_chars(buffer, std::end(buffer), x, how).ptr});
  return p.fraction.size() > static_cast<std::size_t>(precision) ? rounded(wide<T>(given), how, precision) : p;
}

/// From where on a number is written with an exponent in an array, and by itself: its certain digits end there, or 8 do, or 16.
template <class T>
const double large = std::pow(10.0, std::min(8, digits<T>::certain));
template <class T>
const double large_alone = digits<T>::certain < 8 ? std::pow(10.0, digits<T>::certain) : 1e16;

/// One notation for the whole array: scientific where the sizes of its elements would make columns of zeros.
template <class T>
bool wants_exponent(const T* x, std::size_t count, const print_options& options) {
  using W = wide<T>;
  W low = std::numeric_limits<W>::infinity(), high = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const W size = std::fabs(W(x[i]));
    if (size == 0 || !std::isfinite(size)) continue;
    low = std::min(low, size);
    high = std::max(high, size);
  }
  if (high == 0) return false;
  return high >= W(large<T>) || (!options.suppress && (low < W(0.0001) || high / low > W(1000)));
}

/// Puts spaces on the left until all words are as wide as the widest.
void align_right(std::vector<std::string>& words) {
  std::size_t width = 0;
  for (const std::string& word : words) width = std::max(width, word.size());
  for (std::string& word : words) word.insert(0, width - word.size(), ' ');
}

/// A number's text, its right half padded to the widest of the array, so that words aligned on the right have their
/// points above each other.
std::string padded(const parts& p, std::size_t fraction, std::size_t exponent_digits) {
  if (!p.finite) return p.whole;
  std::string word = p.whole + '.' + p.fraction;
  word.append(fraction - p.fraction.size(), p.exponent.empty() ? ' ' : '0');
  if (p.exponent.empty()) return word;
  word.append(1, 'e').append(1, p.exponent[0]);
  return word.append(exponent_digits + 1 - p.exponent.size(), '0').append(p.exponent, 1);
}

template <class T>
std::vector<std::string> real_words(const T* x, std::size_t count, const print_options& options, bool signs = false) {
  const auto how = wants_exponent(x, count, options) ? std::chars_format::scientific : std::chars_format::fixed;
  std::vector<parts> numbers;
  std::size_t fraction = 0, exponent_digits = 0;
  for (std::size_t i = 0; i < count; ++i) {
    parts& p = numbers.emplace_back(shortest(x[i], how, std::max(options.precision, 0)));
    fraction = std::max(fraction, p.fraction.size());
    if (!p.exponent.empty()) exponent_digits = std::max(exponent_digits, p.exponent.size() - 1);
  }
  std::vector<std::string> words;
  for (std::size_t i = 0; i < count; ++i) {
    parts& p = numbers[i];
    // Where columns are filled up with digits, they are the value's own: a short number's further digits need not be
    // zeros.
    if (!p.exponent.empty() && p.fraction.size() < fraction)
      p = rounded(wide<T>(x[i]), how, static_cast<int>(fraction));
    if (signs && p.whole[0] != '-') p.whole.insert(0, 1, '+');
    words.push_back(padded(p, fraction, exponent_digits));
  }
  align_right(words);
  return words;
}

/// Both parts are laid out as arrays of their own; the j follows the last digit.
template <class R>
std::vector<std::string> complex_words(const R* parts, std::size_t count, const print_options& options) {
  std::vector<R> real, imaginary;
  for (std::size_t i = 0; i < count; ++i) {
    real.push_back(parts[2 * i]);
    imaginary.push_back(parts[2 * i + 1]);
  }
  std::vector<std::string> words = real_words(real.data(), count, options);
  const std::vector<std::string> second = real_words(imaginary.data(), count, options, true);
  for (std::size_t i = 0; i < count; ++i) {
    words[i] += second[i];
    words[i].insert(words[i].find_last_not_of(' ') + 1, 1, 'j');
  }
  return words;
}

template <class T>
std::vector<std::string> integer_words(const T* x, std::size_t count) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < count; ++i) words.push_back(std::to_string(x[i]));
  align_right(words);
  return words;
}

std::vector<std::string> truth_words(const unsigned char* x, std::size_t count) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < count; ++i) words.emplace_back(x[i] ? " True" : "False");
  return words;
}

}  // namespace

std::vector<std::string> words_of(const void* at, dtype type, std::size_t count, const print_options& options) {
  switch (type) {
    case dtype::bool_: return truth_words(static_cast<const unsigned char*>(at), count);
    case dtype::int8: return integer_words(static_cast<const std::int8_t*>(at), count);
    case dtype::uint8: return integer_words(static_cast<const std::uint8_t*>(at), count);
    case dtype::int16: return integer_words(static_cast<const std::int16_t*>(at), count);
    case dtype::uint16: return integer_words(static_cast<const std::uint16_t*>(at), count);
    case dtype::int32: return integer_words(static_cast<const std::int32_t*>(at), count);
    case dtype::uint32: return integer_words(static_cast<const std::uint32_t*>(at), count);
    case dtype::int64: return integer_words(static_cast<const std::int64_t*>(at), count);
    case dtype::uint64: return integer_words(static_cast<const std::uint64_t*>(at), count);
    case dtype::float16: return real_words(static_cast<const half*>(at), count, options);
    case dtype::bfloat16: return real_words(static_cast<const bfloat16*>(at), count, options);
    case dtype::float32: return real_words(static_cast<const float*>(at), count, options);
    case dtype::float64: return real_words(static_cast<const double*>(at), count, options);
    case dtype::complex64: return complex_words(static_cast<const float*>(at), count, options);
    case dtype::complex128: return complex_words(static_cast<const double*>(at), count, options);
  }
  throw internal_error("print: a dtype that is none");
}

namespace {

// ---- numbers without axes -------------------------------------------------------------------------------------------

/// A number by itself is written with all of its digits, whatever the precision, and with a digit after the point.
template <class T>
std::string real_alone(T x, bool point = true) {
  const double size = std::fabs(static_cast<double>(wide<T>(x)));
  const bool exponent = size != 0 && (size >= large_alone<T> || as_read(T(size)) < 1e-4);
  const parts p = shortest(x, exponent ? std::chars_format::scientific : std::chars_format::fixed);
  if (!p.finite) return p.whole;
  if (!exponent) return p.whole + (p.fraction.empty() ? (point ? ".0" : "") : '.' + p.fraction);
  return p.whole + (p.fraction.empty() ? "" : '.' + p.fraction) + 'e' + p.exponent;
}

/// As Python writes a complex number: no points that are not needed, and no real part that is +0.
template <class R>
std::string complex_alone(const R* parts) {
  const std::string imaginary = real_alone(parts[1], false) + 'j';
  if (parts[0] == 0 && !std::signbit(parts[0])) return imaginary;
  return '(' + real_alone(parts[0], false) + (imaginary[0] == '-' ? "" : "+") + imaginary + ')';
}

std::string alone(const void* at, dtype type, const print_options& options) {
  switch (type) {
    case dtype::bool_: return *static_cast<const unsigned char*>(at) ? "True" : "False";
    case dtype::float16: return real_alone(*static_cast<const half*>(at));
    case dtype::bfloat16: return real_alone(*static_cast<const bfloat16*>(at));
    case dtype::float32: return real_alone(*static_cast<const float*>(at));
    case dtype::float64: return real_alone(*static_cast<const double*>(at));
    case dtype::complex64: return complex_alone(static_cast<const float*>(at));
    case dtype::complex128: return complex_alone(static_cast<const double*>(at));
    default: return words_of(at, type, 1, options).front();
  }
}

// ---- brackets, rows and gaps ----------------------------------------------------------------------------------------

/// How much of an axis is shown: so many items, and where there is a gap, so many more after it.
struct visible {
  std::int64_t before, after;
  bool gap;
  std::int64_t items() const { return before + after; }
};

visible visible_items(std::int64_t extent, bool summarise, const print_options& options) {
  const std::int64_t edge = std::max(options.edgeitems, 0);
  if (!summarise || extent <= 2 * edge || extent < 2) return {extent, 0, false};
  return {edge, std::max<std::int64_t>(edge, 1), true};
}

bool summarised(const shape& extents, const print_options& options) { return extents.elements() > options.threshold; }

/// Writes words, which come in the order in which they are shown, into nested brackets.
class layout {
 public:
  layout(const shape& extents, const print_options& options, const text_frame& frame,
         const std::vector<std::string>& words)
      : rank_(extents.size()), frame_(frame), next_(words.begin()) {
    const auto last = frame.separator.find_last_not_of(' ');
    mark_ = frame.separator.substr(0, last == frame.separator.npos ? 0 : last + 1);
    const bool summarise = summarised(extents, options);
    for (int d = 0; d < rank_; ++d) axes_[d] = visible_items(extents[d], summarise, options);
    block(0, 1 + static_cast<int>(frame.before), options.linewidth - static_cast<int>(frame.behind));
  }
  std::string text;

 private:
  /// One axis in brackets. Its contents start in column `indent`; what is inside has to end before column `width`.
  void block(int axis, int indent, int width) {
    text += '[';
    if (axis + 1 == rank_) {
      row(indent, width - std::max(1, static_cast<int>(mark_.size())));
    } else {
      for (std::int64_t i = 0; i < axes_[axis].items() + axes_[axis].gap; ++i) {
        if (i > 0) text.append(mark_).append(rank_ - axis - 1, '\n').append(indent, ' ');
        if (is_gap(axis, i)) text += "...";
        else block(axis + 1, indent + 1, width - 1);
      }
    }
    text += ']';
  }

  /// The last axis: words with a separator between them, and a new line where the next word would cross `width`.
  void row(int indent, int width) {
    int column = indent;
    for (std::int64_t i = 0; i < axes_[rank_ - 1].items() + axes_[rank_ - 1].gap; ++i) {
      const std::string_view word = is_gap(rank_ - 1, i) ? "..." : std::string_view(*next_++);
      if (i > 0) text += frame_.separator, column += static_cast<int>(frame_.separator.size());
      if (column > indent && column + static_cast<int>(word.size()) > width) {
        text.erase(text.find_last_not_of(' ') + 1);
        text.append(1, '\n').append(indent, ' ');
        column = indent;
      }
      text += word;
      column += static_cast<int>(word.size());
    }
  }

  bool is_gap(int axis, std::int64_t i) const { return axes_[axis].gap && i == axes_[axis].before; }

  int rank_;
  const text_frame& frame_;
  std::string_view mark_;  // the separator at the end of a line
  visible axes_[max_rank];
  std::vector<std::string>::const_iterator next_;
};

}  // namespace

edges edges_of(const shape& extents, const print_options& options) {
  const bool summarise = summarised(extents, options);
  edges e;
  e.extents = extents;
  for (int d = 0; d < extents.size(); ++d) {
    const visible v = visible_items(extents[d], summarise, options);
    e.extents[d] = v.items();
    e.after[d] = v.after;
  }
  return e;
}

std::string format(const void* shown, dtype type, const shape& extents, const print_options& options) {
  if (extents.size() == 0) return alone(shown, type, options);
  if (extents.elements() == 0) return "[]";
  const auto count = static_cast<std::size_t>(edges_of(extents, options).extents.elements());
  return lay_out(words_of(shown, type, count, options), extents, options, {});
}

std::string lay_out(const std::vector<std::string>& words, const shape& extents, const print_options& options,
                    const text_frame& frame) {
  if (extents.elements() == 0) return "[]";
  if (extents.size() > 0) return layout(extents, options, frame, words).text;
  return words.front().substr(words.front().find_first_not_of(' '));
}

}  // namespace sinter::runtime
