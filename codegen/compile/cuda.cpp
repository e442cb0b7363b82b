// CUDA C++ text to a cubin through NVRTC, between the CUDA dialect and the driver's module loader. Needs no GPU and no
// toolkit headers: the library is opened at run time and the few functions used are declared here. Invariant: no lock
// and no shared state, so programs compile side by side on as many threads as the caller has.
#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>

#include <sinter/detail/config.hpp>
#include <sinter/error.hpp>

#include "codegen/compile/compiler.hpp"
#include "codegen/compile/failure.hpp"

namespace sinter::codegen {
namespace {

struct nvrtc_program;  // NVRTC's own, never looked into
using nvrtc_status = int;
constexpr nvrtc_status nvrtc_success = 0;
constexpr nvrtc_status nvrtc_compilation_failed = 6;

// NVRTC's functions. Each member keeps the C signature of the function it is filled from.
struct nvrtc_table {
  nvrtc_status (*version)(int* major, int* minor);
  nvrtc_status (*count_archs)(int* count);
  nvrtc_status (*list_archs)(int* archs);
  nvrtc_status (*create)(nvrtc_program**, const char* source, const char* name, int, const char* const*,
                         const char* const*);
  nvrtc_status (*compile)(nvrtc_program*, int count, const char* const* options);
  nvrtc_status (*log_size)(nvrtc_program*, std::size_t*);
  nvrtc_status (*log)(nvrtc_program*, char*);
  nvrtc_status (*cubin_size)(nvrtc_program*, std::size_t*);
  nvrtc_status (*cubin)(nvrtc_program*, char*);
  nvrtc_status (*ptx_size)(nvrtc_program*, std::size_t*);
  nvrtc_status (*ptx)(nvrtc_program*, char*);
  nvrtc_status (*destroy)(nvrtc_program**);
  const char* (*describe)(nvrtc_status);
};

// The environment of a privileged program belongs to the user who started it: it must not choose a library to run.
std::string from_environment(const char* name) {
  const char* value = ::secure_getenv(name);
  return value ? value : "";
}

std::vector<std::string> nvrtc_candidates() {
  if (::secure_getenv("SINTER_NVRTC")) return {from_environment("SINTER_NVRTC")};  // a choice is not second-guessed
  const char* const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
  std::vector<std::string> result(std::begin(names), std::end(names));
  std::vector<std::string> folders;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const std::string root = from_environment(variable); !root.empty()) {
      folders.push_back(root + "/lib64");
      folders.push_back(root + "/lib");
    }
  }
  for (const char* folder : {
         "/usr/local/cuda/lib64", "/usr/local/cuda/lib",
#if defined(__aarch64__)
             "/usr/local/cuda/targets/sbsa-linux/lib"
#else
                             "/usr/local/cuda/targets/x86_64-linux/lib"
#endif
       }) {
    folders.emplace_back(folder);
  }
  for (const std::string& folder : folders) {
    for (const char* name : names) result.push_back(folder + "/" + name);
  }
  return result;
}

template <class Function>
bool find(void* library, const char* name, Function& to) {
  to = reinterpret_cast<Function>(::dlsym(library, name));
  return to != nullptr;
}

bool fill(void* library, nvrtc_table& to) {
  return find(library, "nvrtcVersion", to.version) && find(library, "nvrtcGetNumSupportedArchs", to.count_archs) &&
         find(library, "nvrtcGetSupportedArchs", to.list_archs) && find(library, "nvrtcCreateProgram", to.create) &&
         find(library, "nvrtcCompileProgram", to.compile) && find(library, "nvrtcGetProgramLogSize", to.log_size) &&
         find(library, "nvrtcGetProgramLog", to.log) && find(library, "nvrtcGetCUBINSize", to.cubin_size) &&
         find(library, "nvrtcGetCUBIN", to.cubin) && find(library, "nvrtcGetPTXSize", to.ptx_size) &&
         find(library, "nvrtcGetPTX", to.ptx) && find(library, "nvrtcDestroyProgram", to.destroy) &&
         find(library, "nvrtcGetErrorString", to.describe);
}

struct nvrtc_library {
  nvrtc_table call;
  int major = 0;
  int minor = 0;
  std::vector<int> archs;  // ascending
  long long file_bytes =
      0;  // tells the updates of one version apart, and is the same wherever that package is installed
};

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

// Never closed again: NVRTC registers thread-local and exit-time state of its own. Opening it twice only counts.
nvrtc_library open_nvrtc() {
  std::string tried;
  for (const std::string& name : nvrtc_candidates()) {
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

class program {
 public:
  program(const nvrtc_table& call, const std::string& source) : call_(call) {
    check(call_, call_.create(&handle_, source.c_str(), "kernel.cu", 0, nullptr, nullptr), "nvrtcCreateProgram");
  }
  ~program() { call_.destroy(&handle_); }
  program(const program&) = delete;
  program& operator=(const program&) = delete;

  nvrtc_program* get() const { return handle_; }

  std::string log() const {
    std::size_t size = 0;
    if (call_.log_size(handle_, &size) != nvrtc_success || size == 0) return {};
    std::string text(size, '\0');
    if (call_.log(handle_, text.data()) != nvrtc_success) return {};
    text.resize(std::min(text.find('\0'), text.size()));
    return text;
  }

 private:
  const nvrtc_table& call_;
  nvrtc_program* handle_ = nullptr;
};

class cuda_compiler final : public compiler {
 public:
  cuda_compiler(int arch, math_mode mode) : nvrtc_(open_nvrtc()) {
    choose_arch(arch);
    options_.emplace_back("-std=c++17");
    if (nvrtc_.major > 12 || (nvrtc_.major == 12 && nvrtc_.minor >= 4)) options_.emplace_back("-minimal");
    if (mode == math_mode::strict) options_.emplace_back("-fmad=false");
    if (mode == math_mode::fast) options_.emplace_back("-use_fast_math");
    identity_ = "sinter " SINTER_VERSION "\nnvrtc " + version() + ", " + std::to_string(nvrtc_.file_bytes) +
                " bytes\narch " + std::to_string(arch) + "\noptions";
    for (const std::string& option : options_) identity_ += " " + option;
  }

  const std::string& identity() const override { return identity_; }
  const char* extension() const override { return "cu"; }

  bytes compile(std::string_view source) const override {
    const std::string text(source);
    const program compiled(nvrtc_.call, text);
    std::vector<const char*> options;
    for (const std::string& option : options_) options.push_back(option.c_str());
    const nvrtc_status status = nvrtc_.call.compile(compiled.get(), static_cast<int>(options.size()), options.data());
    if (status != nvrtc_success) fail(status, compiled.log(), source);
    return image(compiled);
  }

 private:
  std::string version() const { return std::to_string(nvrtc_.major) + "." + std::to_string(nvrtc_.minor); }

  // The exact architecture gives a cubin, which no driver has to compile again or can be too old to parse. A GPU newer
  // than this NVRTC gets PTX of the closest older architecture, and its driver finishes the work.
  void choose_arch(int arch) {
    const auto after = std::upper_bound(nvrtc_.archs.begin(), nvrtc_.archs.end(), arch);
    if (after == nvrtc_.archs.begin()) {
      std::string known;
      for (const int one : nvrtc_.archs) known += " sm_" + std::to_string(one);
      throw device_error(("NVRTC " + version() + " cannot compile for sm_" + std::to_string(arch) + ", only for" +
                          known + "; an older one (SINTER_NVRTC) may")
                             .c_str());
    }
    const int chosen = *std::prev(after);
    gives_cubin_ = chosen == arch;
    options_.push_back((gives_cubin_ ? "-arch=sm_" : "-arch=compute_") + std::to_string(chosen));
  }

  [[noreturn]] void fail(nvrtc_status status, const std::string& log, std::string_view source) const {
    const std::string by =
        "NVRTC " + version() + " for " + options_.front().substr(6) + " (" + nvrtc_.call.describe(status) + ")";
    const std::string message = report({by, "did not compile", log, identity_, source});
    if (status == nvrtc_compilation_failed)
      throw compile_error(message.c_str(), log.c_str(), std::string(source).c_str());
    throw device_error(message.c_str());  // out of memory, a broken installation: not the kernel's fault
  }

  // PTX keeps the zero at its end that NVRTC counts: the driver reads it as a C string.
  bytes image(const program& compiled) const {
    std::size_t size = 0;
    const nvrtc_table& call = nvrtc_.call;
    check(call, (gives_cubin_ ? call.cubin_size : call.ptx_size)(compiled.get(), &size),
          "asking NVRTC for an image's size");
    bytes result(size);
    check(call, (gives_cubin_ ? call.cubin : call.ptx)(compiled.get(), reinterpret_cast<char*>(result.data())),
          "asking NVRTC for an image");
    if (result.empty()) throw device_error("NVRTC reported success and gave no image");
    return result;
  }

  nvrtc_library nvrtc_;
  std::vector<std::string> options_;
  std::string identity_;
  bool gives_cubin_ = true;
};

}  // namespace

std::unique_ptr<compiler> make_cuda_compiler(int arch, math_mode mode) {
  return std::make_unique<cuda_compiler>(arch, mode);
}

}  // namespace sinter::codegen
