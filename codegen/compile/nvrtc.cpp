// Opening NVRTC, and one compilation with it: nvrtc.hpp.
#include "codegen/compile/nvrtc.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include <sinter/error.hpp>

#include "codegen/compile/failure.hpp"
#include "codegen/compile/toolkit.hpp"

namespace sinter::codegen {
namespace {

template <class Function>
bool find(void* library, const char* name, Function& to) {
  to = reinterpret_cast<Function>(::dlsym(library, name));
  return to != nullptr;
}

bool fill(void* library, nvrtc_table& to) {
  return find(library, "nvrtcVersion", to.version) && find(library, "nvrtcGetNumSupportedArchs", to.count_archs) &&
         find(library, "nvrtcGetSupportedArchs", to.list_archs) && find(library, "nvrtcCreateProgram", to.create) &&
         find(library, "nvrtcAddNameExpression", to.add_name) && find(library, "nvrtcCompileProgram", to.compile) &&
         find(library, "nvrtcGetLoweredName", to.lowered_name) &&
         find(library, "nvrtcGetProgramLogSize", to.log_size) && find(library, "nvrtcGetProgramLog", to.log) &&
         find(library, "nvrtcGetCUBINSize", to.cubin_size) && find(library, "nvrtcGetCUBIN", to.cubin) &&
         find(library, "nvrtcGetPTXSize", to.ptx_size) && find(library, "nvrtcGetPTX", to.ptx) &&
         find(library, "nvrtcDestroyProgram", to.destroy) && find(library, "nvrtcGetErrorString", to.describe);
}

long long size_of_library(void* library) {
  link_map* map = nullptr;
  struct stat status;
  if (::dlinfo(library, RTLD_DI_LINKMAP, &map) != 0 || ::stat(map->l_name, &status) != 0) return 0;
  return status.st_size;
}

void check(const nvrtc_table& call, nvrtc_status status, const char* function) {
  if (status == nvrtc_success) return;
  throw device_error((std::string(function) + " failed: " + call.describe(status)).c_str());
}

}  // namespace

// Never closed again: NVRTC registers thread-local and exit-time state of its own. Opening it twice only counts.
nvrtc_library open_nvrtc() {
  std::string tried;
  for (const std::string& name : toolkit_files("SINTER_NVRTC", {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"})) {
    nvrtc_library result;
    void* library = name.empty() ? nullptr : ::dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) {
      tried += "\n  " + (name.empty() ? std::string("(SINTER_NVRTC is empty)") : name);
      continue;
    }
    if (!fill(library, result.call)) {
      ::dlclose(library);
      tried += "\n  " + name + " (found, but it lacks functions that CUDA 11.2 and later have)";
      continue;
    }
    int count = 0;
    check(result.call, result.call.version(&result.major, &result.minor), "nvrtcVersion");
    check(result.call, result.call.count_archs(&count), "nvrtcGetNumSupportedArchs");
    result.archs.resize(static_cast<std::size_t>(std::max(count, 0)));
    check(result.call, result.call.list_archs(result.archs.data()), "nvrtcGetSupportedArchs");
    std::sort(result.archs.begin(), result.archs.end());
    result.file_bytes = size_of_library(library);
    return result;
  }
  throw device_error(
      ("NVRTC, the CUDA run-time compiler, was not found; set SINTER_NVRTC to it. Looked for:" + tried).c_str());
}

std::string nvrtc_library::arch_option(int arch) const {
  const auto after = std::upper_bound(archs.begin(), archs.end(), arch);
  if (after == archs.begin()) {
    std::string known;
    for (const int one : archs) known += " sm_" + std::to_string(one);
    throw device_error(("NVRTC " + version() + " cannot compile for sm_" + std::to_string(arch) + ", only for" + known +
                        "; an older one (SINTER_NVRTC) may")
                           .c_str());
  }
  const int chosen = *std::prev(after);
  return (chosen == arch ? "-arch=sm_" : "-arch=compute_") + std::to_string(chosen);
}

nvrtc_program::nvrtc_program(const nvrtc_library& with, const std::string& source,
                             const std::vector<text_header>& headers)
    : nvrtc_(with) {
  std::vector<const char*> texts, names;
  for (const text_header& h : headers) {
    texts.push_back(h.text.c_str());
    names.push_back(h.name.c_str());
  }
  check(nvrtc_.call,
        nvrtc_.call.create(&handle_, source.c_str(), "kernel.cu", static_cast<int>(headers.size()), texts.data(),
                           names.data()),
        "nvrtcCreateProgram");
}

void nvrtc_program::add_name(const std::string& expression) {
  check(nvrtc_.call, nvrtc_.call.add_name(handle_, expression.c_str()), "nvrtcAddNameExpression");
}

nvrtc_status nvrtc_program::compile(const std::vector<std::string>& options) {
  std::vector<const char*> words;
  for (const std::string& option : options) words.push_back(option.c_str());
  return nvrtc_.call.compile(handle_, static_cast<int>(words.size()), words.data());
}

std::string nvrtc_program::log() const {
  std::size_t size = 0;
  if (nvrtc_.call.log_size(handle_, &size) != nvrtc_success || size == 0) return {};
  std::string text(size, '\0');
  if (nvrtc_.call.log(handle_, text.data()) != nvrtc_success) return {};
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

std::string nvrtc_program::lowered_name(const std::string& expression) const {
  const char* lowered = nullptr;
  check(nvrtc_.call, nvrtc_.call.lowered_name(handle_, expression.c_str(), &lowered), "nvrtcGetLoweredName");
  return lowered;
}

// PTX keeps the zero at its end that NVRTC counts: the driver reads it as a C string.
bytes nvrtc_program::image(bool cubin) const {
  std::size_t size = 0;
  const nvrtc_table& call = nvrtc_.call;
  check(call, (cubin ? call.cubin_size : call.ptx_size)(handle_, &size), "asking NVRTC for an image's size");
  bytes result(size);
  check(call, (cubin ? call.cubin : call.ptx)(handle_, reinterpret_cast<char*>(result.data())),
        "asking NVRTC for an image");
  if (result.empty()) throw device_error("NVRTC reported success and gave no image");
  return result;
}

std::string nvrtc_program::ptx() const {
  const bytes text = image(false);
  const std::string all(reinterpret_cast<const char*>(text.data()), text.size());
  return all.substr(0, all.find('\0'));
}

// ptxas has three lines for a kernel: "Function properties for f", "n bytes stack frame, n bytes spill stores, n bytes spill loads",
// and "Used n registers, used n barriers, n bytes smem". It leaves out what there is none of.
std::string uses_in(const std::string& log) {
  std::istringstream lines(log);
  std::string all, name, line;
  long stack = 0, spilled = 0;
  const auto number_before = [&](const char* what) {
    const std::size_t at = line.find(what);
    if (at == std::string::npos) return 0l;
    const std::size_t digit = line.find_last_not_of("0123456789", at - 1) + 1;
    return std::atol(line.c_str() + digit);
  };
  while (std::getline(lines, line)) {
    constexpr std::string_view begin = "Function properties for ";
    if (const std::size_t at = line.find(begin); at != std::string::npos) {
      name = line.substr(at + begin.size());
    } else if (line.find(" bytes stack frame") != std::string::npos) {
      stack = number_before(" bytes stack frame");
      spilled = number_before(" bytes spill stores");
    } else if (const long registers = number_before(" registers"); registers > 0) {
      all += name + ": " + std::to_string(registers) + " registers a thread, ";
      all += spilled > 0 ? std::to_string(spilled) + " bytes spilled" : "none spilled";
      if (stack > spilled) all += ", " + std::to_string(stack - spilled) + " bytes of arrays";
      all += ", " + std::to_string(number_before(" bytes smem")) + " bytes of shared memory a block\n";
    }
  }
  return all;
}

void throw_not_compiled(const nvrtc_library& nvrtc, nvrtc_status status, const std::string& arch_option,
                        const std::string& log, const std::string& identity, std::string_view source,
                        std::string_view name) {
  const std::string by = "NVRTC " + nvrtc.version() + " for " + arch_option.substr(arch_option.find('=') + 1) + " (" +
                         nvrtc.call.describe(status) + ")";
  const std::string message = report({by, "did not compile", log, identity, source, name});
  if (status == nvrtc_compilation_failed)
    throw compile_error(message.c_str(), log.c_str(), std::string(source).c_str());
  throw device_error(message.c_str());  // out of memory, a broken installation: not the text's fault
}

}  // namespace sinter::codegen
