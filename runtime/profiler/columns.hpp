// Columns of the profiler's reports. Numbers are written without the program's locale, and text is padded by characters
// instead of bytes, so that a report looks the same everywhere.
#pragma once

#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

namespace sinter::runtime {

/// Three digits after the point, at the right of `width` characters or more.
inline std::string fixed(double value, std::size_t width) {
  char digits[400];  // the largest double has 309 in front of the point
  const auto [end, failed] = std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed, 3);
  std::string text(digits, failed == std::errc{} ? end : digits);
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text;
}

/// How many characters a text in UTF-8 has: all bytes but those that continue one.
inline std::size_t characters(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return count;
}

/// At the left of `width` characters or more.
inline std::string left(std::string text, std::size_t width) {
  const std::size_t have = characters(text);
  if (have < width) text.append(width - have, ' ');
  return text;
}

}  // namespace sinter::runtime
