// A compiler for each module, so that its image can be kept as every other's is. What its names are called there (`f<float>` is
// _Z1fIfEvPT_) lies behind the image, where nothing that reads an ELF file or PTX looks.
#include "codegen/compile/module.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <sinter/detail/config.hpp>
#include <sinter/error.hpp>

namespace sinter::codegen {
namespace {

bool has_option(const module_text& text, std::initializer_list<const char*> beginnings) {
  return std::any_of(text.options.begin(), text.options.end(), [&](const std::string& option) {
    return std::any_of(beginnings.begin(), beginnings.end(),
                       [&](const char* beginning) { return option.starts_with(beginning); });
  });
}

std::string joined(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return all;
}

class module_compiler final : public compiler {
 public:
  module_compiler(const module_text& text, int arch) : nvrtc_(open_nvrtc()), text_(text), options_(text.options) {
    const auto own = std::find_if(options_.begin(), options_.end(), [](const std::string& option) {
      return option.starts_with("-arch") || option.starts_with("--gpu-architecture");
    });
    arch_ = own != options_.end() ? *own : nvrtc_.arch_option(arch);
    if (own == options_.end()) options_.push_back(arch_);
    if (!has_option(text, {"-std", "--std"})) options_.emplace_back("-std=c++17");
    identity_ = "sinter " SINTER_VERSION ", a module\n" + nvrtc_.identity() + "\narch " + std::to_string(arch);
    for (const std::string& option : options_) append("option", option);
    for (const std::string& name : text.names) append("name", name);
    for (const text_header& header : text.headers) {
      append("header", header.name);
      append("text", header.text);
    }
  }

  const std::string& identity() const override { return identity_; }
  const char* extension() const override { return "cu"; }

  bytes compile(std::string_view source) const override {
    std::string log;
    nvrtc_status status = nvrtc_success;
    const bytes made = attempt(text_.names, status, log);
    if (status == nvrtc_success) return made;
    if (status == nvrtc_compilation_failed) check_names();
    throw_not_compiled(nvrtc_, status, arch_, log, identity_, source, joined(text_.names));
  }

  compiled_text compile_to_read(std::string_view source) const override {
    nvrtc_program program(nvrtc_, text_.source, text_.headers);
    for (const std::string& name : text_.names) program.add_name(name);
    std::vector<std::string> options = options_;
    options.emplace_back(nvrtc_tells_uses);
    if (const nvrtc_status status = program.compile(options); status != nvrtc_success)
      throw_not_compiled(nvrtc_, status, arch_, program.log(), identity_, source, joined(text_.names));
    return {program.image(makes_cubins()), program.ptx(), uses_in(program.log())};
  }

 private:
  bool makes_cubins() const { return arch_.find("sm_") != std::string::npos; }

  // With its length, so that no two lists come to the same identity.
  void append(const char* what, const std::string& text) {
    identity_ += "\n" + std::string(what) + " " + std::to_string(text.size()) + " " + text;
  }

  bytes attempt(const std::vector<std::string>& names, nvrtc_status& status, std::string& log) const {
    nvrtc_program program(nvrtc_, text_.source, text_.headers);
    for (const std::string& name : names) program.add_name(name);
    status = program.compile(options_);
    log = program.log();
    if (status != nvrtc_success) return {};
    bytes made = program.image(makes_cubins());
    const std::uint64_t size = made.size();
    const auto append_bytes = [&](const void* data, std::size_t count) {
      const auto* from = static_cast<const std::byte*>(data);
      made.insert(made.end(), from, from + count);
    };
    for (const std::string& name : names) {
      const std::string lowered = program.lowered_name(name);
      append_bytes(lowered.c_str(), lowered.size() + 1);
    }
    append_bytes(&size, sizeof size);
    return made;
  }

  // Where the text compiles without names, or without one of them, a name is wrong and not the text.
  void check_names() const {
    nvrtc_status status = nvrtc_success;
    std::string log;
    attempt({}, status, log);
    if (status != nvrtc_success) return;
    for (const std::string& name : text_.names) {
      attempt({name}, status, log);
      if (status == nvrtc_success) continue;
      const std::size_t begin = log.find("error"), end = log.find('\n', begin);
      const std::string said = begin == std::string::npos ? "" : " (" + log.substr(begin, end - begin) + ")";
      const std::string there = kernels_in_text(text_);
      const bool variable = name.starts_with("&");
      throw error(("sinter: the module has no " + std::string(variable ? "variable \"" : "kernel \"") +
                   name.substr(variable ? 1 : 0) + "\"" + said +
                   (variable        ? ""
                    : there.empty() ? "; there is none in its text"
                                    : "; its text has " + there))
                      .c_str());
    }
  }

  const nvrtc_library nvrtc_;
  const module_text& text_;
  std::vector<std::string> options_;
  std::string arch_;
  std::string identity_;
};

}  // namespace

std::unique_ptr<compiler> make_module_compiler(const module_text& text, int arch) {
  return std::make_unique<module_compiler>(text, arch);
}

std::vector<std::string> lowered_names(const bytes& image) {
  const char* const end = reinterpret_cast<const char*>(image.data() + image.size()) - sizeof(std::uint64_t);
  std::uint64_t size = 0;
  std::memcpy(&size, end, sizeof size);
  std::vector<std::string> names;
  for (const char* at = reinterpret_cast<const char*>(image.data()) + size; at < end; at += names.back().size() + 1)
    names.emplace_back(at);
  return names;
}

bool includes_files(const module_text& text) {
  if (has_option(text, {"-include", "--pre-include"})) return true;
  const auto is_given = [&](std::string_view name) {
    return std::any_of(text.headers.begin(), text.headers.end(),
                       [&](const text_header& header) { return header.name == name; });
  };
  // What stands between the quotes or brackets of each #include. In a comment it costs a compilation at most.
  const auto has_other = [&](std::string_view source) {
    for (std::size_t at = source.find("include"); at != std::string_view::npos; at = source.find("include", at + 1)) {
      const std::size_t before = source.substr(0, at).find_last_not_of(" \t");
      if (before == std::string_view::npos || source[before] != '#') continue;
      const std::size_t line = std::min(source.find('\n', at), source.size());
      const std::size_t open = std::min(source.find_first_of("\"<", at), line);
      const std::size_t close = std::min(source.find_first_of("\">", open + 1), line);
      if (open == line || !is_given(source.substr(open + 1, close - open - 1))) return true;
    }
    return false;
  };
  return has_other(text.source) || std::any_of(text.headers.begin(), text.headers.end(),
                                               [&](const text_header& header) { return has_other(header.text); });
}

}  // namespace sinter::codegen
