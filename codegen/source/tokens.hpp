// Generated text, token by token.
#pragma once

#include <string_view>

namespace sinter::codegen {

constexpr bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
constexpr bool continues_name(char c) { return starts_name(c) || (c >= '0' && c <= '9'); }

/// Takes the next token off the front of `text`, which is not empty: a name, a number with its suffix, or one other character.
inline std::string_view take_token(std::string_view& text) {
  std::size_t n = 1;
  if (continues_name(text[0]))
    while (n < text.size() && continues_name(text[n])) ++n;
  const std::string_view token = text.substr(0, n);
  text.remove_prefix(n);
  return token;
}

/// Is there such a name in a text?
inline bool has_name(std::string_view text, std::string_view name) {
  while (!text.empty())
    if (take_token(text) == name) return true;
  return false;
}

}  // namespace sinter::codegen
