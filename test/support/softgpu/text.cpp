// The scanner: text.hpp.
#include "text.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace softgpu {
namespace {

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool continues_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

struct token {
  std::string_view text;  // empty at the end
  std::size_t at = 0;
};

class reader {
 public:
  explicit reader(std::string_view text) : text_(text) {}

  token next() {
    skip_blanks();
    const std::size_t begin = at_;
    if (at_ >= text_.size()) return {};
    const char c = text_[at_];
    if (continues_name(c)) {
      while (at_ < text_.size() && continues_name(text_[at_])) ++at_;
    } else if (c == '"' || c == '\'') {
      for (++at_; at_ < text_.size() && text_[at_] != c; ++at_)
        if (text_[at_] == '\\') ++at_;
      at_ = std::min(at_ + 1, text_.size());
    } else {
      ++at_;
    }
    return {text_.substr(begin, at_ - begin), begin};
  }

  /// Past the bracket that closes the one just read; gives what is between them.
  std::string_view group() {
    const std::size_t begin = at_;
    std::size_t end = at_;
    for (int depth = 1; depth > 0;) {
      const token t = next();
      if (t.text.empty()) break;
      if (t.text == "(") ++depth;
      if (t.text == ")") --depth;
      end = t.at;
    }
    return text_.substr(begin, end - begin);
  }

  std::size_t at() const { return at_; }

 private:
  void skip_blanks() {
    while (at_ < text_.size()) {
      if (std::isspace(static_cast<unsigned char>(text_[at_]))) {
        ++at_;
      } else if (text_.substr(at_, 2) == "//") {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (text_.substr(at_, 2) == "/*") {
        const std::size_t end = text_.find("*/", at_ + 2);
        at_ = end == std::string_view::npos ? text_.size() : end + 2;
      } else {
        return;
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

kernel_in_text read_kernel(reader& from) {
  kernel_in_text kernel;
  std::string_view last;
  for (token t = from.next(); !t.text.empty(); t = from.next()) {
    if (t.text != "(") {
      last = t.text;
      continue;
    }
    if (last != "__launch_bounds__" && last != "__attribute__" && last != "alignas") {
      kernel.name = last;
      return kernel;
    }
    const std::string bound(from.group());
    if (last != "__launch_bounds__") continue;
    const long most = std::strtol(bound.c_str(), nullptr, 0);
    if (most > 0 && most < 1024) kernel.most_threads = static_cast<unsigned>(most);
  }
  return kernel;
}

/// `extern __shared__ T x[];` has been read up to and with __shared__: gives a macro that stands for the memory.
std::string dynamic_shared(reader& from, std::string_view source) {
  const std::size_t begin = from.at();
  token name, t = from.next();
  for (; !t.text.empty() && t.text != "["; t = from.next()) {
    if (t.text == "(") from.group();
    else name = t;
  }
  const std::string type(source.substr(begin, name.at - begin));
  while (!t.text.empty() && t.text != ";") t = from.next();
  const auto line = 1 + std::count(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(from.at()), '\n');
  return "\n#define " + std::string(name.text) + " (reinterpret_cast<softgpu::same_t<" + type +
         ">*>(softgpu_driver.dynamic_shared()))\n#line " + std::to_string(line) + "\n";
}

std::string title_of(std::string_view source) {
  std::string_view title;
  while (source.starts_with("//")) {
    const std::size_t end = std::min(source.find('\n'), source.size());
    title = source.substr(2, end - 2);
    source.remove_prefix(std::min(end + 1, source.size()));
  }
  std::string out;
  for (const char c : title.substr(std::min(title.find_first_not_of(' '), title.size()), 100))
    if (c != '"' && c != '\\' && c != '\r') out += c;
  return out;
}

bool takes_turns(std::string_view name) {
  return name.starts_with("__syncthreads") || name == "__syncwarp" || name == "__activemask" ||
         (name.starts_with("__") && name.ends_with("_sync"));
}

}  // namespace

scanned_text scan(std::string_view source) {
  scanned_text result;
  result.title = title_of(source);
  reader from(source);
  std::size_t copied = 0;
  token before;
  for (token t = from.next(); !t.text.empty(); before = t, t = from.next()) {
    if (!starts_name(t.text[0])) continue;
    if (takes_turns(t.text)) result.together = true;
    if (t.text == "__shared__" && before.text == "extern") {
      result.text += source.substr(copied, before.at - copied);
      result.text += dynamic_shared(from, source);
      copied = from.at();
    }
    if (t.text != "__global__") continue;
    const kernel_in_text kernel = read_kernel(from);
    const auto same = [&](const kernel_in_text& k) { return k.name == kernel.name; };
    if (!kernel.name.empty() && std::none_of(result.kernels.begin(), result.kernels.end(), same))
      result.kernels.push_back(kernel);
  }
  result.text += source.substr(copied);
  return result;
}

std::string module_trailer(const scanned_text& scanned) {
  std::string out = "\n#line 1 \"softgpu_module\"\nstatic const softgpu::kernel_record softgpu_kernels[] = {\n";
  for (const kernel_in_text& kernel : scanned.kernels) {
    const std::string made = "softgpu::kernel<decltype(" + kernel.name + "), " + kernel.name + ">";
    out += "  {\"" + kernel.name + "\", \"" + scanned.title + "\", &" + made + "::call, " + made + "::where.at, " +
           made + "::count, " + made + "::where.bytes, " + std::to_string(kernel.most_threads) + "},\n";
  }
  out += "  {nullptr, nullptr, nullptr, nullptr, 0, 0, 0}};\n";
  out += "extern \"C\" __attribute__((visibility(\"default\"))) const softgpu::module_record softgpu_module = {\n";
  out += "  softgpu::module_version, " + std::string(scanned.together ? "true" : "false") + ", softgpu_kernels, " +
         std::to_string(scanned.kernels.size()) + ",\n";
  out += "  &softgpu_services, &softgpu_thread, &softgpu_block, &softgpu_block_size, &softgpu_grid_size,\n";
  out += "  __start_softgpu_shared, __stop_softgpu_shared};\n";
  return out;
}

}  // namespace softgpu
