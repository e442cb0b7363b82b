// C text to a shared object through the system's C compiler, between the C dialect and the CPU device's dlopen.
// Invariant: every compilation works in a private folder of its own that is gone when it returns or throws; no shell is
// used.
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>

#include <sinter/detail/config.hpp>
#include <sinter/error.hpp>

#include "codegen/compile/compiler.hpp"
#include "codegen/compile/failure.hpp"
#include "codegen/compile/file.hpp"
#include "codegen/compile/process.hpp"

namespace sinter::codegen {
namespace {

// Generous: the largest kernels take seconds. Only a compiler that hangs ever meets it.
constexpr std::chrono::minutes time_limit{2};

std::string from_environment(const char* name) {
  const char* value = ::secure_getenv(name);
  return value ? value : "";
}

[[noreturn]] void scratch_failure(const std::string& what, const std::string& path) {
  throw device_error(("cannot compile for the CPU: " + what + " " + path + ": " + std::strerror(errno)).c_str());
}

constexpr const char* own_files[] = {"kernel.c", "kernel.so", "log"};

// A folder only this user can enter. Removing it also removes what a killed compiler left there.
class scratch_folder {
 public:
  scratch_folder() {
    for (const std::string& base : {from_environment("TMPDIR"), std::string("/tmp"), std::string("/var/tmp")}) {
      if (base.empty() || base.front() != '/') continue;
      std::string name = base + "/sinter-XXXXXX";
      if (::mkdtemp(name.data())) {
        path_ = std::move(name);
        return;
      }
    }
    scratch_failure("no temporary folder could be made in $TMPDIR, /tmp or", "/var/tmp");
  }
  ~scratch_folder() {
    for (const char* name : own_files) {  // without asking for memory: there may be none
      char path[PATH_MAX];
      std::snprintf(path, sizeof path, "%s/%s", path_.c_str(), name);
      ::unlink(path);
    }
    if (::rmdir(path_.c_str()) == 0) return;
    try {
      std::error_code ignored;
      std::filesystem::remove_all(path_, ignored);
    } catch (const std::bad_alloc&) {
      // Then what a killed compiler left there stays.
    }
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const char* name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

void write_file(const std::string& path, std::string_view text) {
  const unique_fd file = open_file(AT_FDCWD, path.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (!file || !write_all(file.get(), text.data(), text.size())) scratch_failure("cannot write", path);
}

// Empty where there is no such file, which is for the caller to explain.
bytes read_file(const std::string& path) {
  const unique_fd file = open_file(AT_FDCWD, path.c_str(), O_RDONLY);
  struct stat status;
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  bytes result(static_cast<std::size_t>(status.st_size));
  if (read_upto(file.get(), result.data(), result.size()) != status.st_size) scratch_failure("cannot read", path);
  return result;
}

// A linker stopped half-way leaves a file without the section table that ends it.
bool is_whole_image(const bytes& image) {
  ElfW(Ehdr) header;
  if (image.size() < sizeof header) return false;
  std::memcpy(&header, image.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return false;
  const std::uint64_t table = std::uint64_t{header.e_shnum} * header.e_shentsize;
  return header.e_shoff <= image.size() && table <= image.size() - header.e_shoff;
}

bool is_program(const std::string& path) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

// Relative entries of PATH are left out: which program they name depends on where the host happens to stand.
std::string find_on_path(const std::string& name) {
  const std::string path = from_environment("PATH");
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find(':', at), path.size());
    std::string candidate = path.substr(at, end - at) + "/" + name;
    if (candidate.front() == '/' && end > at && is_program(candidate)) return candidate;
    at = end + 1;
  }
  return {};
}

// Set but unusable (or empty) means no compiler: it is how a user turns this one off.
std::string find_compiler() {
  if (::secure_getenv("SINTER_CC")) {
    const std::string wanted = from_environment("SINTER_CC");
    if (wanted.find('/') == std::string::npos) return wanted.empty() ? wanted : find_on_path(wanted);
    std::error_code failed;
    const std::string absolute = std::filesystem::absolute(wanted, failed).string();
    return !failed && is_program(absolute) ? absolute : "";
  }
  for (const char* name : {"cc", "gcc", "clang"}) {
    if (std::string found = find_on_path(name); !found.empty()) return found;
  }
  return {};
}

std::string resolve(const std::string& path) {
  char resolved[PATH_MAX];
  return ::realpath(path.c_str(), resolved) ? resolved : path;
}

// The file behind a library this process can load. Linking against it by path needs no development package.
std::string loaded_library(const char* name) {
  void* library = ::dlopen(name, RTLD_LAZY | RTLD_LOCAL);
  if (!library) return {};
  link_map* map = nullptr;
  const std::string path = ::dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 ? map->l_name : "";
  ::dlclose(library);
  return path.empty() || path.front() != '/' ? "" : path;
}

// Variables that would change an image behind the key's back, or that are set anew below.
constexpr std::string_view dropped[] = {
    "CPATH=",  "C_INCLUDE_PATH=", "DEPENDENCIES_OUTPUT=", "SUNPRO_DEPENDENCIES=", "GCC_COMPARE_DEBUG=", "LD_RUN_PATH=",
    "TMPDIR=", "LC_ALL="};

bool is_dropped(std::string_view variable) {
  return std::ranges::any_of(dropped, [&](std::string_view name) { return variable.starts_with(name); });
}

std::vector<std::string> compiler_environment() {
  std::vector<std::string> result{"LC_ALL=C"};  // one spelling of messages, and no locale files to look for
  for (char** variable = environ; variable && *variable; ++variable) {
    if (!is_dropped(*variable)) result.emplace_back(*variable);
  }
  return result;
}

// What -march=native looks at. Clock rates and load are left out: they change and no instruction depends on them.
std::string processor_features() {
  std::ifstream file("/proc/cpuinfo");
  std::string result, line;
  while (std::getline(file, line) && !line.empty()) {
    const std::string key = line.substr(0, line.find_first_of("\t:"));
    for (const char* wanted : {"vendor_id", "cpu family", "model", "model name", "stepping", "flags", "Features", "isa",
                               "cpu", "CPU implementer", "CPU variant", "CPU part", "CPU revision"}) {
      if (key == wanted) result += line + "\n";
    }
  }
  return result;
}

std::string c_library_version() {
#ifdef __GLIBC__
  return ::gnu_get_libc_version();
#else
  return "unknown";
#endif
}

// The version in a name such as /usr/lib/llvm-14/bin/clang or clang-17, 0 where there is none: asking costs a process.
int clang_version(const std::string& resolved) {
  for (const std::string_view mark : {"clang-", "llvm-"}) {
    const std::size_t at = resolved.rfind(mark);
    if (at != std::string::npos) return std::atoi(resolved.c_str() + at + mark.size());
  }
  return 0;
}

// A plain kernel declares nothing; one that calls the C library declares what it calls. Not linking saves 4 ms.
bool calls_libraries(std::string_view source) { return source.find("extern ") != std::string_view::npos; }

class cpu_compiler final : public compiler {
 public:
  cpu_compiler(std::string path, math_mode mode) : path_(std::move(path)), environment_(compiler_environment()) {
    const std::string resolved = resolve(path_);
    choose_options(resolved, mode);
    struct stat status {};
    ::stat(resolved.c_str(), &status);
    const long long nanoseconds = status.st_mtim.tv_sec * 1'000'000'000LL + status.st_mtim.tv_nsec;
    identity_ = "sinter " SINTER_VERSION "\ncompiler " + resolved + ", " + std::to_string(status.st_size) +
                " bytes, modified " + std::to_string(nanoseconds) + "\nC library " + c_library_version() + "\noptions";
    for (const std::string& option : options_) identity_ += " " + option;
    for (const std::string& library : libraries_) identity_ += " " + library;
    identity_ += "\n" + processor_features();
  }

  const std::string& identity() const override { return identity_; }
  const char* extension() const override { return "c"; }

  bytes compile(std::string_view source) const override {
    const scratch_folder folder;
    write_file(folder.file("kernel.c"), source);
    process_request request{path_, options_, environment_, folder.path(), "log", time_limit};
    request.environment.push_back("TMPDIR=" + folder.path());
    for (const char* word : {"-o", "kernel.so", "kernel.c"}) request.arguments.emplace_back(word);
    if (calls_libraries(source)) {
      request.arguments.insert(request.arguments.end(), libraries_.begin(), libraries_.end());
    }
    const process_result result = run_process(request);
    if (result.end == process_end::exited && result.code != 0) {
      throw compile_error(report(" did not compile a kernel", folder, source).c_str());
    }
    bytes image = read_file(folder.file("kernel.so"));
    if (result.end != process_end::exited && result.end != process_end::unknown) {
      throw device_error(report(how_it_ended(result), folder, source).c_str());
    }
    if (!is_whole_image(image)) {
      throw device_error(report(" ended without an error and without a whole shared object", folder, source).c_str());
    }
    return image;
  }

 private:
  void choose_options(const std::string& resolved, math_mode mode) {
    const bool is_clang = resolved.find("clang", resolved.rfind('/') + 1) != std::string::npos;
    // -nostdlib leaves out start files and default libraries, a third of a small kernel's time; what a kernel calls is
    // linked by path instead, so that it binds to the C library's current functions and not to their oldest versions.
    options_ = {"-std=gnu17",
                "-O3",
                "-fno-math-errno",
                "-fopenmp-simd",
                "-fno-stack-protector",
                "-Werror=implicit-function-declaration",
                "-shared",
                "-fPIC",
                "-pipe",
                "-nostdlib",
                "-Wl,--as-needed",
                "-Wl,-z,noseparate-code"};
#if defined(__x86_64__) || defined(__i386__)
    options_.emplace_back("-march=native");
#else
    options_.emplace_back("-mcpu=native");
#endif
    if (mode == math_mode::fast) {
      options_.emplace_back("-ffast-math");
      options_.emplace_back("-fno-finite-math-only");
    }
    options_.emplace_back(mode == math_mode::strict ? "-ffp-contract=off" : "-ffp-contract=fast");
    // More loops vectorise without traps; what gcc takes that for a licence to do is not all strict.
    if (mode != math_mode::strict) options_.emplace_back("-fno-trapping-math");
    // Without the first, gcc makes branches of chains of max and min, which then do not vectorise.
    options_.emplace_back(is_clang ? "-Wno-unknown-attributes" : "-fno-thread-jumps");
    // gcc vectorises the functions a kernel declares `simd`; clang ignores that and knows the library by name.
    if (is_clang && mode != math_mode::strict && clang_version(resolved) >= 12)
      options_.emplace_back("-fveclib=libmvec");
    for (const char* name : {"libm.so.6", "libmvec.so.1"}) {
      if (std::string found = loaded_library(name); !found.empty()) libraries_.push_back(std::move(found));
    }
  }

  std::string how_it_ended(const process_result& result) const {
    if (result.end == process_end::timed_out) {
      return " was stopped after " + std::to_string(std::chrono::seconds(time_limit).count()) + " s";
    }
    return std::string(" was killed by signal ") + std::to_string(result.code) + " (" + ::strsignal(result.code) + ")";
  }

  std::string report(const std::string& what, const scratch_folder& folder, std::string_view source) const {
    const bytes log = read_file(folder.file("log"));
    const std::string_view text(reinterpret_cast<const char*>(log.data()), log.size());
    return describe({"the C compiler " + path_ + what, text, identity_, source});
  }

  std::string path_;
  std::vector<std::string> options_;
  std::vector<std::string> libraries_;
  std::vector<std::string> environment_;
  std::string identity_;
};

}  // namespace

std::unique_ptr<compiler> make_cpu_compiler(math_mode mode) {
  std::string path = find_compiler();
  if (path.empty()) return nullptr;
  return std::make_unique<cpu_compiler>(std::move(path), mode);
}

}  // namespace sinter::codegen
