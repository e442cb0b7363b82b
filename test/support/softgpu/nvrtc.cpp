// NVRTC, as far as it is used: CUDA text goes through the scanner and, behind the shim, to the host's C++ compiler; the
// "cubin" is a shared object. Compilations hold no lock, so they run side by side.
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "entry.hpp"
#include "shim_text.hpp"
#include "text.hpp"

using namespace softgpu;

namespace {

using nvrtc_status = int;
constexpr nvrtc_status invalid_input = 3, invalid_program = 4, invalid_option = 5, compilation_failed = 6,
                       builtin_failure = 7, internal_error = 11;

struct header {
  std::string name, text;
};

struct program {
  std::string source, log;
  std::vector<char> image;
  std::vector<char> ptx;  // beside a cubin: a line, as there is none; else the image
  std::vector<header> headers;
  std::vector<std::string> names;  // name expressions, which are their own names in the image
};

using program_handle = program*;

bool is_program(const std::string& path) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

std::string find_on_path(const std::string& name) {
  if (name.find('/') != std::string::npos) return is_program(name) ? name : "";
  const char* const value = std::getenv("PATH");
  const std::string path = value ? value : "";
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find(':', at), path.size());
    if (std::string candidate = path.substr(at, end - at) + "/" + name; is_program(candidate)) return candidate;
    at = end + 1;
  }
  return {};
}

std::string host_compiler() {
  if (const char* wanted = std::getenv("SOFTGPU_CXX"); wanted && *wanted) return find_on_path(wanted);
  for (const char* name : {"g++", "c++", "clang++"})
    if (std::string found = find_on_path(name); !found.empty()) return found;
  return {};
}

/// Linked by path: binding to a function's current version needs no development package.
std::string math_library() {
  void* library = ::dlopen("libm.so.6", RTLD_LAZY | RTLD_LOCAL);
  link_map* map = nullptr;
  if (!library || ::dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) return "-lm";
  return map->l_name;
}

class scratch_folder {
 public:
  scratch_folder() {
    for (const char* base : {"/dev/shm", static_cast<const char*>(std::getenv("TMPDIR")), "/tmp"}) {
      if (!base || !*base) continue;
      path_ = std::string(base) + "/softgpu-XXXXXX";
      if (::mkdtemp(path_.data())) return;
    }
    path_.clear();
  }
  ~scratch_folder() {
    std::error_code stays;
    if (!path_.empty()) std::filesystem::remove_all(path_, stays);
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  std::string file(const char* name) const { return path_ + "/" + name; }
  bool usable() const { return !path_.empty(); }

 private:
  std::string path_;
};

template <class Container>
Container read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return Container(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

/// Runs a program to its end with what it says in a file. Gives its exit status, or -1.
int run_program(const std::vector<std::string>& words, const std::string& log) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::posix_spawn_file_actions_adddup2(&actions, 1, 2);
  // A program may ignore or block signals; a compiler that waits for its own children must not inherit that.
  posix_spawnattr_t attributes;
  sigset_t none, defaults;
  ::sigemptyset(&none);
  ::sigemptyset(&defaults);
  for (const int signal : {SIGCHLD, SIGPIPE, SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&defaults, signal);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &defaults);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t child = 0;
  const int failed = ::posix_spawn(&child, arguments[0], &actions, &attributes, arguments.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return -1;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno == ECHILD) return 0;  // the program's handler took it: whether there is an image tells
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Options that say something to the host compiler are passed on, NVRTC's own mean nothing here, others are refused.
bool translate(const std::string& option, std::vector<std::string>& into) {
  for (const char* passed : {"-D", "-I", "-U", "--define-macro=", "--include-path="})
    if (option.starts_with(passed)) {
      const std::size_t length = std::strlen(passed);
      const std::string letter = passed[1] != '-' ? std::string(passed) : passed[2] == 'd' ? "-D" : "-I";
      into.push_back(letter + option.substr(length));
      return true;
    }
  if (option.starts_with("-std=") || option.starts_with("--std=")) {
    into.push_back(option.substr(option.starts_with("--") ? 1 : 0));
    return true;
  }
  for (const char* known : {"-arch=",
                            "--gpu-architecture=",
                            "-minimal",
                            "--minimal",
                            "-fmad=",
                            "--fmad=",
                            "-use_fast_math",
                            "--use_fast_math",
                            "-lineinfo",
                            "--generate-line-info",
                            "-G",
                            "--device-debug",
                            "-w",
                            "--disable-warnings",
                            "-default-device",
                            "--device-as-default-execution-space",
                            "-ftz=",
                            "--ftz=",
                            "-prec-div=",
                            "--prec-div=",
                            "-prec-sqrt=",
                            "--prec-sqrt=",
                            "-maxrregcount=",
                            "--maxrregcount=",
                            "-extra-device-vectorization",
                            "-restrict",
                            "--restrict",
                            "-rdc=",
                            "--relocatable-device-code=",
                            "-dc",
                            "-ewp",
                            "-dlto",
                            "-split-compile=",
                            "--ptxas-options=",
                            "--diag-suppress=",
                            "-diag-suppress="})
    if (option.starts_with(known)) return true;
  return false;
}

std::vector<std::string> compile_command(bool check) {
  static const std::string compiler = host_compiler();
  std::vector<std::string> words{compiler, check ? "-DSOFTGPU_CHECK=1" : "-DSOFTGPU_CHECK=0"};
  // Not linking the usual libraries saves a third of the time, and -Og in place of -O1 a tenth of what tests of it take. Overflow wraps
  // and types may alias as on a GPU.
  for (const char* word :
       {"-std=gnu++17", "-Og", "-w", "-fPIC", "-shared", "-nostdlib", "-pipe", "-fno-exceptions", "-fno-rtti",
        "-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off", "-frounding-math", "-fno-math-errno",
        "-fno-stack-protector", "-fno-asynchronous-unwind-tables", "-Wl,-Bsymbolic"})
    words.emplace_back(word);
  if (check) words.emplace_back("-fsanitize=thread");
  return words;
}

nvrtc_status compile(program& what, const std::vector<std::string>& options) {
  std::vector<std::string> words = compile_command(the_machine().config.check);
  for (const std::string& option : options)
    if (!translate(option, words)) {
      what.log = "unrecognized option " + option;
      return invalid_option;
    }
  if (words[0].empty()) {
    what.log = "softgpu: there is no C++ compiler: set SOFTGPU_CXX, or have g++, c++ or clang++ on the PATH";
    return builtin_failure;
  }
  const scratch_folder folder;
  scanned_text scanned = scan(what.source);
  if (!folder.usable()) return builtin_failure;
  if (!what.headers.empty()) words.push_back("-I" + folder.file("headers"));
  for (const header& h : what.headers) {
    const std::filesystem::path path = folder.file("headers") + "/" + h.name;
    const scanned_text in_header = scan(h.text);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << in_header.text;
    scanned.together = scanned.together || in_header.together;
    scanned.kernels.insert(scanned.kernels.end(), in_header.kernels.begin(), in_header.kernels.end());
  }
  {
    std::ofstream file(folder.file("kernel.cpp"), std::ios::binary);
    file << shim_text << "\n#line 1 \"kernel.cu\"\n" << scanned.text << module_trailer(scanned, what.names);
    if (!file.flush()) return builtin_failure;
  }
  static const std::string library = math_library();
  for (const std::string& word : {std::string("-o"), folder.file("kernel.so"), folder.file("kernel.cpp"), library})
    words.push_back(word);
  const int status = run_program(words, folder.file("log"));
  what.log = read_file<std::string>(folder.file("log"));
  if (status < 0) return builtin_failure;
  if (status != 0) return compilation_failed;
  what.image = read_file<std::vector<char>>(folder.file("kernel.so"));
  constexpr std::string_view no_ptx = "// softgpu has no PTX\n";
  what.ptx = what.image;
  if (std::any_of(options.begin(), options.end(), [](const std::string& o) { return o.starts_with("-arch=sm_"); }))
    what.ptx.assign(no_ptx.begin(), no_ptx.end());
  return what.image.empty() ? internal_error : 0;
}

template <class Body>
nvrtc_status nvrtc_call(const char* name, nvrtc_status plausible, Body&& body) {
  const result planned = planned_fault(name, plausible);
  return planned != 0 ? planned : body();
}

template <class Bytes>
nvrtc_status give_size(program_handle of, const Bytes program::*what, std::size_t* size, std::size_t more) {
  if (!of || !size) return invalid_input;
  *size = (of->*what).size() + more;
  return 0;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

nvrtc_status nvrtcVersion(int* major, int* minor) {
  return nvrtc_call("nvrtcVersion", internal_error, [&] {
    *major = 12;
    *minor = 8;
    return 0;
  });
}

nvrtc_status nvrtcGetNumSupportedArchs(int* count) {
  return nvrtc_call("nvrtcGetNumSupportedArchs", internal_error, [&] {
    *count = 3;
    return 0;
  });
}

nvrtc_status nvrtcGetSupportedArchs(int* archs) {
  return nvrtc_call("nvrtcGetSupportedArchs", internal_error, [&] {
    for (const int arch : {80, 90, 100}) *archs++ = arch;
    return 0;
  });
}

nvrtc_status nvrtcCreateProgram(program_handle* to, const char* source, const char*, int headers,
                                const char* const* texts, const char* const* names) {
  return nvrtc_call("nvrtcCreateProgram", 1, [&] {
    if (!to || !source || headers < 0) return invalid_input;
    *to = new program{source, {}, {}, {}, {}, {}};
    for (int i = 0; i < headers; ++i) (*to)->headers.push_back({names[i], texts[i]});
    return 0;
  });
}

nvrtc_status nvrtcAddNameExpression(program_handle of, const char* expression) {
  return nvrtc_call("nvrtcAddNameExpression", invalid_program, [&] {
    if (!of) return invalid_program;
    of->names.emplace_back(expression);
    return 0;
  });
}

nvrtc_status nvrtcGetLoweredName(program_handle of, const char* expression, const char** lowered) {
  return nvrtc_call("nvrtcGetLoweredName", 10, [&] {
    if (!of) return invalid_program;
    const auto found = std::find(of->names.begin(), of->names.end(), expression);
    if (found == of->names.end() || of->image.empty()) return 10;
    *lowered = found->c_str();
    return 0;
  });
}

nvrtc_status nvrtcDestroyProgram(program_handle* of) {
  return nvrtc_call("nvrtcDestroyProgram", invalid_program, [&] {
    if (!of || !*of) return invalid_program;
    delete *of;
    *of = nullptr;
    return 0;
  });
}

nvrtc_status nvrtcCompileProgram(program_handle of, int count, const char* const* options) {
  return nvrtc_call("nvrtcCompileProgram", compilation_failed, [&] {
    return of ? compile(*of, std::vector<std::string>(options, options + count)) : invalid_program;
  });
}

nvrtc_status nvrtcGetProgramLogSize(program_handle of, std::size_t* size) {
  return nvrtc_call("nvrtcGetProgramLogSize", invalid_program, [&] { return give_size(of, &program::log, size, 1); });
}

nvrtc_status nvrtcGetProgramLog(program_handle of, char* log) {
  return nvrtc_call("nvrtcGetProgramLog", invalid_program, [&] {
    std::memcpy(log, of->log.c_str(), of->log.size() + 1);
    return 0;
  });
}

nvrtc_status nvrtcGetCUBINSize(program_handle of, std::size_t* size) {
  return nvrtc_call("nvrtcGetCUBINSize", invalid_program, [&] { return give_size(of, &program::image, size, 0); });
}

nvrtc_status nvrtcGetCUBIN(program_handle of, char* image) {
  return nvrtc_call("nvrtcGetCUBIN", invalid_program, [&] {
    std::copy(of->image.begin(), of->image.end(), image);
    return 0;
  });
}

nvrtc_status nvrtcGetPTXSize(program_handle of, std::size_t* size) {
  return nvrtc_call("nvrtcGetPTXSize", invalid_program, [&] { return give_size(of, &program::ptx, size, 0); });
}

nvrtc_status nvrtcGetPTX(program_handle of, char* image) {
  return nvrtc_call("nvrtcGetPTX", invalid_program, [&] {
    std::copy(of->ptx.begin(), of->ptx.end(), image);
    return 0;
  });
}

const char* nvrtcGetErrorString(nvrtc_status status) {
  constexpr const char* names[] = {"NVRTC_SUCCESS",
                                   "NVRTC_ERROR_OUT_OF_MEMORY",
                                   "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
                                   "NVRTC_ERROR_INVALID_INPUT",
                                   "NVRTC_ERROR_INVALID_PROGRAM",
                                   "NVRTC_ERROR_INVALID_OPTION",
                                   "NVRTC_ERROR_COMPILATION",
                                   "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
                                   "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
                                   "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
                                   "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
                                   "NVRTC_ERROR_INTERNAL_ERROR"};
  return status >= 0 && status < 12 ? names[status] : "NVRTC_ERROR unknown";
}

}  // extern "C"
#pragma GCC visibility pop
