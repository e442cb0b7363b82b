// The scanner: text.hpp.
#include "text.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <utility>

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
  std::string type;
  std::string_view name;
  token t = from.next();
  for (; !t.text.empty() && t.text != "["; t = from.next()) {
    if (t.text == "(") {  // of __align__, alignas or __attribute__
      from.group();
      name = {};
      continue;
    }
    type += std::string(name) + " ";
    name = t.text;
  }
  while (!t.text.empty() && t.text != ";") t = from.next();
  const auto line = 1 + std::count(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(from.at()), '\n');
  return "\n#define " + std::string(name) + " (reinterpret_cast<softgpu::same_t<" + type +
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

/// Which namespaces a place in the text is in, and whether what comes there is a template.
class surroundings {
 public:
  void pass(std::string_view before, std::string_view token) {
    if (before == "namespace") space_ = token;
    if (token == "template") of_template = true;
    if (token == ";" || token == "{" || token == "}") of_template = false;
    if (token == ";") space_ = {};
    if (token == "{") open_.emplace_back(std::exchange(space_, {}));
    if (token == "}" && !open_.empty()) open_.pop_back();
  }
  std::string prefix() const {
    std::string all;
    for (const std::string& one : open_) all += one.empty() ? "" : one + "::";
    return all;
  }
  bool of_template = false;

 private:
  std::vector<std::string> open_;  // an entry for each brace
  std::string_view space_;
};

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
  surroundings place;
  for (token t = from.next(); !t.text.empty(); before = t, t = from.next()) {
    place.pass(before.text, t.text);
    if (!starts_name(t.text[0])) continue;
    if (takes_turns(t.text)) result.together = true;
    if (t.text == "__shared__" && before.text == "extern") {
      result.text += source.substr(copied, before.at - copied);
      result.text += dynamic_shared(from, source);
      copied = from.at();
    }
    if (t.text != "__global__") continue;
    kernel_in_text kernel = read_kernel(from);
    kernel.of_template = place.of_template;
    if (!kernel.name.empty()) kernel.name = place.prefix() + kernel.name;
    const auto same = [&](const kernel_in_text& k) { return k.name == kernel.name; };
    if (!kernel.name.empty() && std::none_of(result.kernels.begin(), result.kernels.end(), same))
      result.kernels.push_back(kernel);
  }
  result.text += source.substr(copied);
  return result;
}

std::string module_trailer(const scanned_text& scanned, const std::vector<std::string>& name_expressions) {
  std::string kernels, variables;
  unsigned count = 0;
  const std::string title = ", \"" + scanned.title + "\", ";
  const auto add = [&](const std::string& what, const std::string& name, unsigned most_threads) {
    kernels +=
        "  softgpu::named<&" + what + ">::kernel_of(\"" + name + "\"" + title + std::to_string(most_threads) + "),\n";
    ++count;
  };
  for (const kernel_in_text& kernel : scanned.kernels)
    if (!kernel.of_template) add(kernel.name, kernel.name, kernel.most_threads);
  for (const std::string& expression : name_expressions) {
    const std::string what = expression.substr(expression.starts_with("&") ? 1 : 0);
    const auto found = std::find_if(scanned.kernels.begin(), scanned.kernels.end(), [&](const kernel_in_text& k) {
      return k.name == what.substr(0, std::min(what.find('<'), what.size()));
    });
    add(what, expression, found == scanned.kernels.end() ? 1024 : found->most_threads);
    variables += "  softgpu::named<&" + what + ">::variable_of(\"" + expression + "\"),\n";
  }
  return "\n#line 1 \"softgpu_module\"\nstatic const softgpu::kernel_record softgpu_kernels[] = {\n" + kernels +
         "  {}};\nstatic const softgpu::variable_record softgpu_variables[] = {\n" + variables +
         "  {}};\nextern \"C\" __attribute__((visibility(\"default\"))) const softgpu::module_record softgpu_module = "
         "{\n"
         "  softgpu::module_version, " +
         (scanned.together ? "true" : "false") + ", softgpu_kernels, " + std::to_string(count) +
         ", softgpu_variables, " + std::to_string(name_expressions.size()) +
         ",\n  &softgpu_services, &softgpu_thread, &softgpu_block, &softgpu_block_size, &softgpu_grid_size,\n"
         "  __start_softgpu_shared, __stop_softgpu_shared};\n";
}

}  // namespace softgpu
