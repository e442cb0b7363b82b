// Arrays in {fmt}: `fmt::print("{}\n", a)`, `{:r}` and `{::.2f}`, as with std::format. Empty where {fmt} is not found. Not in
// sinter.hpp.
#pragma once

#if __has_include(<fmt/format.h>)
#include <fmt/format.h>

#include <sinter/format.hpp>

namespace sinter::detail {
struct fmt_format {
  template <class T>
  static std::string element(const std::string& how, const T& x) {
    return fmt::vformat(how, fmt::make_format_args(x));
  }
  [[noreturn]] static void refuse(const char* why) { throw fmt::format_error(why); }
};
}  // namespace sinter::detail

template <sinter::detail::expression E>
struct fmt::formatter<E, char> : sinter::detail::formatted<sinter::detail::fmt_format> {};
#endif
