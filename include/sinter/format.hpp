// Arrays as text in a string: NumPy's array_repr, array_str and array2string, and std::format where the standard library has it
// (fmt.hpp is for {fmt}). Not in sinter.hpp.
#pragma once

#include <string>
#if __has_include(<version>)
#include <version>
#endif
#ifdef __cpp_lib_format
#include <format>
#endif

#include <sinter/io.hpp>

namespace sinter {

/// How array2string writes; what is not given is as set_printoptions says. Source: numpy.array2string.
struct string_options {
  int max_line_width = get_printoptions().linewidth;
  int precision = get_printoptions().precision;
  bool suppress_small = get_printoptions().suppress;
  const char* separator = " ";  ///< between elements
  const char* prefix = "";      ///< not written: as many characters come before the text in its first line
  int threshold = get_printoptions().threshold;
  int edgeitems = get_printoptions().edgeitems;
  const char* suffix = "";  ///< not written: as many come behind it in its last line
};

namespace detail {

struct text_around {
  const char *separator, *prefix, *suffix;
};
/// A function of the program's that makes the text of an element. Null: there is none.
struct element_text {
  std::string (*of)(const void* by, const void* element) = nullptr;
  const void* by = nullptr;
};
SINTER_API std::string text_of(node*, const print_options&, const text_around&, const element_text&);
SINTER_API std::string str_of(node*, const print_options&);
SINTER_API std::string repr_of(node*, const print_options&);

inline print_options print_options_of(const string_options& o) {
  return {o.precision, o.threshold, o.edgeitems, o.max_line_width, o.suppress_small};
}

}  // namespace detail

/// The text of an array: `array2string(a, {.precision = 3, .separator = ", "})`; evaluates. Stream behaviour: waits. Source:
/// numpy.array2string.
template <detail::expression E>
std::string array2string(const E& e, const string_options& how = {}) {
  return detail::text_of(detail::handle(e.share()).get(), detail::print_options_of(how),
                         {how.separator, how.prefix, how.suffix}, {});
}
/// The same with a function that makes the text of each element, as which it stands there: `array2string(a, [](double x) { ... })`.
/// Source: numpy.array2string with a formatter.
template <detail::expression E, std::invocable<detail::element_in<E>> F>
std::string array2string(const E& e, const F& formatter, const string_options& how = {}) {
  const detail::element_text own{
      [](const void* by, const void* element) -> std::string {
        return (*static_cast<const F*>(by))(*static_cast<const detail::element_in<E>*>(element));
      },
      &formatter};
  return detail::text_of(detail::handle(e.share()).get(), detail::print_options_of(how),
                         {how.separator, how.prefix, how.suffix}, own);
}
/// What `<<` prints: of a number without axes all digits. Source: numpy.array_str.
template <detail::expression E>
std::string array_str(const E& e, const string_options& how = {}) {
  return detail::str_of(detail::handle(e.share()).get(), detail::print_options_of(how));
}
/// The text that NumPy's prompt shows: `array([1., 2.], dtype=float32)`; evaluates. Stream behaviour: waits. Source:
/// numpy.array_repr.
template <detail::expression E>
std::string array_repr(const E& e, const string_options& how = {}) {
  return detail::repr_of(detail::handle(e.share()).get(), detail::print_options_of(how));
}

namespace detail {

/// What std::format and {fmt} ask for. Without a specification an array is what `<<` prints, with `r` its array_repr, and what
/// follows a colon is the specification of each element, as a range's is: `{::.2f}`. `Library::element` formats a number.
template <class Library>
class formatted {
 public:
  template <class Context>
  constexpr auto parse(Context& context) {
    auto at = context.begin();
    if (at != context.end() && *at == 'r') repr_ = true, ++at;
    if (at != context.end() && *at == ':') {
      begin_ = ++at;
      while (at != context.end() && *at != '}') ++at;
      has_elements_ = true;
      length_ = static_cast<std::size_t>(at - begin_);
    }
    if (at != context.end() && *at != '}') Library::refuse("sinter: an array's format is {}, {:r} or {::...}");
    return at;
  }
  template <expression E, class Context>
  auto format(const E& e, Context& context) const {
    auto out = context.out();
    for (const char c : text(e)) *out++ = c;
    return out;
  }

 private:
  template <expression E>
  std::string text(const E& e) const {
    if (!has_elements_) return repr_ ? array_repr(e) : array_str(e);
    const std::string each = "{:" + std::string(begin_, length_) + '}';
    return array2string(e, [&each](const element_in<E>& x) { return element(each, x); });
  }
  template <class T>
  static std::string element(const std::string& how, const T& x) {
    if constexpr (complex_number<T>) {
      const std::string second = Library::element(how, x.imag());
      return Library::element(how, x.real()) + (second[0] == '-' || second[0] == '+' ? "" : "+") + second + 'j';
    } else if constexpr (short_number<T>) {
      return Library::element(how, static_cast<float>(x));
    } else {
      return Library::element(how, x);
    }
  }

  bool repr_ = false, has_elements_ = false;
  const char* begin_ = nullptr;  // within the program's format string
  std::size_t length_ = 0;
};

}  // namespace detail
}  // namespace sinter

#ifdef __cpp_lib_format
namespace sinter::detail {
struct std_format {
  template <class T>
  static std::string element(const std::string& how, const T& x) {
    return std::vformat(how, std::make_format_args(x));
  }
  [[noreturn]] static void refuse(const char* why) { throw std::format_error(why); }
};
}  // namespace sinter::detail

template <sinter::detail::expression E>
struct std::formatter<E, char> : sinter::detail::formatted<sinter::detail::std_format> {};
#endif
