// NVRTC, opened at run time: the functions that are used, declared here, and one compilation with them. Needs no GPU and no
// toolkit headers. Invariant: no lock and no shared state, so programs compile side by side on as many threads as there are.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "codegen/compile/compiler.hpp"

namespace sinter::codegen {

struct nvrtc_handle;  // NVRTC's own, never looked into
using nvrtc_status = int;
inline constexpr nvrtc_status nvrtc_success = 0;
inline constexpr nvrtc_status nvrtc_compilation_failed = 6;

/// NVRTC's functions. Each member keeps the C signature of the function it is filled from.
struct nvrtc_table {
  nvrtc_status (*version)(int* major, int* minor);
  nvrtc_status (*count_archs)(int* count);
  nvrtc_status (*list_archs)(int* archs);
  nvrtc_status (*create)(nvrtc_handle**, const char* source, const char* name, int headers,
                         const char* const* header_texts, const char* const* header_names);
  nvrtc_status (*add_name)(nvrtc_handle*, const char* expression);
  nvrtc_status (*compile)(nvrtc_handle*, int count, const char* const* options);
  nvrtc_status (*lowered_name)(nvrtc_handle*, const char* expression, const char** lowered);
  nvrtc_status (*log_size)(nvrtc_handle*, std::size_t*);
  nvrtc_status (*log)(nvrtc_handle*, char*);
  nvrtc_status (*cubin_size)(nvrtc_handle*, std::size_t*);
  nvrtc_status (*cubin)(nvrtc_handle*, char*);
  nvrtc_status (*ptx_size)(nvrtc_handle*, std::size_t*);
  nvrtc_status (*ptx)(nvrtc_handle*, char*);
  nvrtc_status (*destroy)(nvrtc_handle**);
  const char* (*describe)(nvrtc_status);
};

struct nvrtc_library {
  nvrtc_table call;
  int major = 0;
  int minor = 0;
  std::vector<int> archs;  // ascending
  long long file_bytes =
      0;  // tells the updates of one version apart, and is the same wherever that package is installed

  std::string version() const { return std::to_string(major) + "." + std::to_string(minor); }
  /// Part of the identity of what it compiles.
  std::string identity() const { return "nvrtc " + version() + ", " + std::to_string(file_bytes) + " bytes"; }
  /// The option for a compute capability. The exact architecture gives a cubin, which no driver has to compile again or can be
  /// too old to parse. A GPU newer than this NVRTC gets PTX of the closest older architecture, and its driver finishes the
  /// work. Errors: `device_error` where all that it knows are newer.
  std::string arch_option(int arch) const;
};

/// Errors: `device_error` naming what was looked for.
nvrtc_library open_nvrtc();

/// A file that a text includes by name, given with it.
struct text_header {
  std::string name;
  std::string text;
};

/// One text on its way through NVRTC.
class nvrtc_program {
 public:
  nvrtc_program(const nvrtc_library&, const std::string& source, const std::vector<text_header>& headers = {});
  ~nvrtc_program() { nvrtc_.call.destroy(&handle_); }
  nvrtc_program(const nvrtc_program&) = delete;
  nvrtc_program& operator=(const nvrtc_program&) = delete;

  /// Before it is compiled: `f<float>`, `&ns::variable`. What it names is kept, and gets a name in the image.
  void add_name(const std::string& expression);
  nvrtc_status compile(const std::vector<std::string>& options);
  std::string log() const;
  /// After it has been compiled.
  std::string lowered_name(const std::string& expression) const;
  bytes image(bool cubin) const;
  /// What a cubin was made from.
  std::string ptx() const;

 private:
  const nvrtc_library& nvrtc_;
  nvrtc_handle* handle_ = nullptr;
};

/// Has NVRTC's log say what a kernel uses, as `uses_in` reads it: "sinter_kernel: 14 registers a thread, none spilled, 256 bytes of
/// shared memory a block", a line for each kernel.
inline constexpr const char* nvrtc_tells_uses = "--ptxas-options=-v";
std::string uses_in(const std::string& log);

/// Throws what a compilation has come to that did not succeed: `compile_error` where the text is at fault, otherwise
/// `device_error`. `name`: the kernel's, where the text does not say it.
[[noreturn]] void throw_not_compiled(const nvrtc_library&, nvrtc_status, const std::string& arch_option,
                                     const std::string& log, const std::string& identity, std::string_view source,
                                     std::string_view name = {});

}  // namespace sinter::codegen
