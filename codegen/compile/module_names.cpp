// Which kernels there are, for messages about one that is not there. A scanner of tokens, not a parser.
#include <elf.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <utility>

#include "codegen/compile/module.hpp"

namespace sinter::codegen {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// The next token: a name, a number, or one character. Empty at the end.
std::string_view next_token(std::string_view& text) {
  for (;;) {
    const std::size_t blank = std::min(text.find_first_not_of(" \t\r\n"), text.size());
    text.remove_prefix(blank);
    if (text.starts_with("//")) text.remove_prefix(std::min(text.find('\n'), text.size()));
    else if (text.starts_with("/*")) text.remove_prefix(std::min(text.find("*/", 2), text.size() - 2) + 2);
    else break;
  }
  std::size_t length = std::min<std::size_t>(1, text.size());
  if (length != 0 && is_word(text[0]))
    length = static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_word) - text.begin());
  if (length != 0 && text[0] == '"') {
    for (; length < text.size() && text[length] != '"'; ++length)
      if (text[length] == '\\') ++length;
    length = std::min(length + 1, text.size());
  }
  const std::string_view token = text.substr(0, length);
  text.remove_prefix(length);
  return token;
}

void skip_group(std::string_view& text) {
  int depth = 1;
  for (std::string_view t = next_token(text); !t.empty(); t = next_token(text)) {
    depth += t == "(" ? 1 : t == ")" ? -1 : 0;
    if (depth == 0) return;
  }
}

/// The name before the parameters of the kernel that has been read up to `__global__`.
std::string_view kernel_name(std::string_view& text) {
  std::string_view last;
  for (std::string_view t = next_token(text); !t.empty(); t = next_token(text)) {
    if (t != "(") last = t;
    else if (last == "__launch_bounds__" || last == "__attribute__" || last == "alignas") skip_group(text);
    else break;
  }
  return last;
}

void append_kernels(std::string_view text, std::string& to) {
  std::vector<std::string> spaces;  // an entry for each open brace
  std::string_view space;           // the name of a namespace about to begin
  bool of_template = false;
  for (std::string_view before, t = next_token(text); !t.empty(); before = t, t = next_token(text)) {
    if (before == "namespace") space = t;
    if (t == "template") of_template = true;
    if (t == ";" || t == "{" || t == "}") of_template = false;
    if (t == ";") space = {};
    if (t == "{") spaces.emplace_back(std::exchange(space, {}));
    if (t == "}" && !spaces.empty()) spaces.pop_back();
    if (t != "__global__") continue;
    std::string name;
    for (const std::string& s : spaces) name += s.empty() ? "" : s + "::";
    name += std::string(kernel_name(text)) + (of_template ? "<...>" : "");
    if (!to.empty()) to += ", ";
    to += name;
    of_template = false;
  }
}

constexpr unsigned char entry_flag = 0x10;  // of a cubin's symbols: what a host can launch

template <class T>
bool read_at(const bytes& image, std::size_t at, T& to) {
  if (at > image.size() || image.size() - at < sizeof to) return false;
  std::memcpy(&to, image.data() + at, sizeof to);
  return true;
}

std::string kernels_in_cubin(const bytes& image) {
  std::string names;
  Elf64_Ehdr header;
  if (!read_at(image, 0, header)) return names;
  for (unsigned s = 0; s < header.e_shnum; ++s) {
    Elf64_Shdr table, strings;
    if (!read_at(image, header.e_shoff + s * sizeof table, table) || table.sh_type != SHT_SYMTAB) continue;
    if (!read_at(image, header.e_shoff + table.sh_link * sizeof strings, strings)) continue;
    Elf64_Sym symbol;
    for (std::size_t at = 0; at < table.sh_size && read_at(image, table.sh_offset + at, symbol); at += sizeof symbol) {
      const std::size_t name = strings.sh_offset + symbol.st_name;
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || !(symbol.st_other & entry_flag) || name >= image.size())
        continue;
      const auto* const text = reinterpret_cast<const char*>(image.data() + name);
      names += (names.empty() ? "" : ", ") + std::string(text, ::strnlen(text, image.size() - name));
    }
  }
  return names;
}

}  // namespace

std::string kernels_in_text(const module_text& text) {
  std::string names;
  append_kernels(text.source, names);
  for (const text_header& header : text.headers) append_kernels(header.text, names);
  return names;
}

std::string kernels_in_image(const bytes& image) {
  if (image.size() > SELFMAG && std::memcmp(image.data(), ELFMAG, SELFMAG) == 0) return kernels_in_cubin(image);
  std::string names;
  std::string_view text(reinterpret_cast<const char*>(image.data()), image.size());
  for (std::string_view before, dot, t = next_token(text); !t.empty(); dot = before, before = t, t = next_token(text)) {
    if (before != "entry" || dot != ".") continue;
    names += (names.empty() ? "" : ", ") + std::string(t);
  }
  return names;
}

}  // namespace sinter::codegen
