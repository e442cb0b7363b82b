// C text to a shared object through the system's C compiler, between the C dialect and the CPU device's dlopen.
// Invariant: every compilation works in a private folder of its own that is gone when it returns or throws; no shell is
// used. A place without room is left for the next one.
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
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include <sinter/detail/config.hpp>
#include <sinter/error.hpp>

#include "codegen/cache/notice.hpp"
#include "codegen/compile/compiler.hpp"
#include "codegen/compile/failure.hpp"
#include "codegen/compile/file.hpp"
#include "codegen/compile/process.hpp"
#include "codegen/compile/scratch.hpp"

namespace sinter::codegen {
namespace {

// The first kernel of a process is rarely large, and a busy machine is some tens of times slower than a quiet one: a compiler
// that has said nothing by then hangs. Of one that has worked before the largest kernels may take their time.
constexpr std::chrono::seconds first_limit{30}, later_limit{120};

std::string from_environment(const char* name) {
  const char* value = ::secure_getenv(name);
  return value ? value : "";
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

// Set but unusable (or empty) means no compiler: it is how a user turns this one off.
std::string find_compiler() {
  if (::secure_getenv("SINTER_CC")) {
    const std::string wanted = from_environment("SINTER_CC");
    if (wanted.find('/') == std::string::npos) return wanted.empty() ? wanted : program_on_path(wanted);
    std::error_code failed;
    const std::string absolute = std::filesystem::absolute(wanted, failed).string();
    return !failed && is_program(absolute) ? absolute : "";
  }
  for (const char* name : {"cc", "gcc", "clang"}) {
    if (std::string found = program_on_path(name); !found.empty()) return found;
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

// Beginnings of variables that change what gcc, clang or a wrapper of theirs makes, which programs and libraries they take,
// or what they write: an image must not depend on what its key does not know. The last two are set anew below.
constexpr std::string_view dropped[] = {"GCC_",
                                        "COLLECT_",
                                        "COMPILER_PATH=",
                                        "LIBRARY_PATH=",
                                        "CPATH=",
                                        "C_INCLUDE_PATH=",
                                        "DEPENDENCIES_OUTPUT=",
                                        "SUNPRO_DEPENDENCIES=",
                                        "SOURCE_DATE_EPOCH=",
                                        "LD_RUN_PATH=",
                                        "LDEMULATION=",
                                        "GNUTARGET=",
                                        "CCC_",
                                        "CCACHE_COMPILER",
                                        "CCACHE_PREFIX",
                                        "NIX_CFLAGS",
                                        "NIX_LDFLAGS",
                                        "TMPDIR=",
                                        "LC_ALL="};

bool is_dropped(std::string_view variable) {
  return std::ranges::any_of(dropped, [&](std::string_view start) { return variable.starts_with(start); });
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

// Tells a program from the one that an update puts in its place.
std::string program_identity(const std::string& path) {
  const std::string resolved = resolve(path);
  struct stat status {};
  ::stat(resolved.c_str(), &status);
  const long long nanoseconds = status.st_mtim.tv_sec * 1'000'000'000LL + status.st_mtim.tv_nsec;
  return resolved + ", " + std::to_string(status.st_size) + " bytes, modified " + std::to_string(nanoseconds);
}

std::optional<std::chrono::seconds> chosen_limit() {
  const int count = std::atoi(from_environment("SINTER_CC_SECONDS").c_str());
  return count > 0 ? std::optional(std::chrono::seconds(count)) : std::nullopt;
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
  cpu_compiler(std::string path, math_mode mode)
      : path_(std::move(path)), environment_(compiler_environment()), chosen_limit_(chosen_limit()) {
    choose_options(resolve(path_), mode);
    identity_ = "sinter " SINTER_VERSION "\ncompiler " + program_identity(path_);
    // gcc takes these from PATH where it has none of its own.
    for (const char* tool : {"as", "ld"})
      identity_ += "\n" + std::string(tool) + " " + program_identity(program_on_path(tool));
    identity_ += "\nC library " + c_library_version() + "\noptions";
    for (const std::string& option : options_) identity_ += " " + option;
    for (const std::string& option : of_complex_) identity_ += " complex:" + option;
    for (const std::string& library : libraries_) identity_ += " " + library;
    for (const std::string& library : libraries_of_complex_) identity_ += " complex:" + library;
    identity_ += "\n" + processor_features();
  }

  const std::string& identity() const override { return identity_; }
  const char* extension() const override { return "c"; }

  bytes compile(std::string_view source) const override {
    std::string tried;
    for (const std::string& place : scratch_places()) {
      if (std::optional<bytes> image = compile_below(place, source)) return std::move(*image);
      const int error = errno;
      const std::string why = place + ": " + std::strerror(error);
      tried += (tried.empty() ? "" : "; ") + why;
      if (error == ENOSPC || error == EDQUOT)
        warn_once(notice::full_scratch, "no room to compile kernels in " + why + "; other temporary folders are tried");
    }
    throw device_error(("sinter: no temporary folder to compile for the CPU in: " + tried).c_str());
  }

 private:
  // Nothing where this is no place to work in, and errno says why. gcc 12 makes some vectors for AVX-512 that it then does not
  // know, and gives up: such a text is compiled once more without vectors.
  std::optional<bytes> compile_below(const std::string& place, std::string_view source, bool vectorises = true) const {
    const scratch_folder folder(place);
    if (folder.path().empty() || !folder.write("kernel.c", source)) return std::nullopt;
    const std::chrono::seconds limit =
        chosen_limit_.value_or(answered_.load(std::memory_order_relaxed) ? later_limit : first_limit);
    process_request request{path_, options_, environment_, folder.path(), "log", limit};
    request.environment.push_back("TMPDIR=" + folder.path());
    const bool of_complex = source.find("complex") != source.npos;
    if (of_complex) request.arguments.insert(request.arguments.end(), of_complex_.begin(), of_complex_.end());
    if (!vectorises) request.arguments.emplace_back("-fno-tree-vectorize");
    for (const char* word : {"-o", "kernel.so", "kernel.c"}) request.arguments.emplace_back(word);
    if (calls_libraries(source))
      request.arguments.insert(request.arguments.end(), libraries_.begin(), libraries_.end());
    if (of_complex)
      request.arguments.insert(request.arguments.end(), libraries_of_complex_.begin(), libraries_of_complex_.end());
    const process_result result = run_process(request);
    if (result.end == process_end::timed_out) {
      const std::string what = "was stopped after " + std::to_string(limit.count()) + " s without having compiled";
      throw compiler_hangs(report({by(), what, log_in(folder), identity_, source}).c_str());
    }
    answered_.store(true, std::memory_order_relaxed);
    const bool may_be_good =
        result.end == process_end::unknown || (result.end == process_end::exited && result.code == 0);
    bytes image = read_file(folder.file("kernel.so").c_str());
    if (may_be_good && is_whole_image(image)) return image;
    if (!folder.has_room()) return std::nullopt;
    const std::string log = log_in(folder);
    if (vectorises && log.find("internal compiler error") != log.npos) return compile_below(place, source, false);
    fail(result, log, source);
  }

  [[noreturn]] void fail(const process_result& result, const std::string& log, std::string_view source) const {
    if (result.end == process_end::exited && result.code != 0)
      throw compile_error(report({by(), "did not compile", log, identity_, source}).c_str(), log.c_str(),
                          std::string(source).c_str());
    const std::string what =
        result.end == process_end::signalled
            ? "was killed by signal " + std::to_string(result.code) + " (" + ::strsignal(result.code) + ") in"
            : "ended without an error and without a whole shared object of";
    throw device_error(report({by(), what, log, identity_, source}).c_str());
  }

  std::string by() const { return "the C compiler " + path_; }

  static std::string log_in(const scratch_folder& folder) {
    const bytes log = read_file(folder.file("log").c_str());
    return {reinterpret_cast<const char*>(log.data()), log.size()};
  }

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
      options_.emplace_back("-DSINTER_REORDERS");  // no macro of the compilers' own tells
      options_.emplace_back("-fno-finite-math-only");
    }
    options_.emplace_back(mode == math_mode::strict ? "-ffp-contract=off" : "-ffp-contract=fast");
    // More loops vectorise without traps; what gcc takes that for a licence to do is not all strict.
    if (mode != math_mode::strict) options_.emplace_back("-fno-trapping-math");
    // A function of a constant is what the library gives at run time, and not what gcc knows it to be. Vectors in which a
    // difference and a sum of products alternate, as real and imaginary parts do, gcc 12 contracts all the same.
    if (mode == math_mode::strict && !is_clang) {
      options_.emplace_back("-frounding-math");
      of_complex_ = {"-fno-tree-vectorize", "-fno-openmp-simd"};  // the second for loops that ask for vectors
    }
    // Products of C's complex numbers are NumPy's, and quotients are scaled; clang calls a function for those that are NaN.
    if (is_clang) libraries_of_complex_ = {"-lgcc"};
    else of_complex_.emplace_back("-fcx-fortran-rules");
    // Without the first, gcc makes branches of chains of max and min, which then do not vectorise.
    options_.emplace_back(is_clang ? "-Wno-unknown-attributes" : "-fno-thread-jumps");
    // gcc vectorises the functions a kernel declares `simd`; clang ignores that and knows the library by name.
    if (is_clang && mode != math_mode::strict && clang_version(resolved) >= 12)
      options_.emplace_back("-fveclib=libmvec");
    for (const char* name : {"libm.so.6", "libmvec.so.1"}) {
      if (std::string found = loaded_library(name); !found.empty()) libraries_.push_back(std::move(found));
    }
  }

  std::string path_;
  std::vector<std::string> options_, of_complex_;  // the latter beside, where a text has complex numbers
  std::vector<std::string> libraries_, libraries_of_complex_;
  std::vector<std::string> environment_;
  std::optional<std::chrono::seconds> chosen_limit_;
  std::string identity_;
  mutable std::atomic<bool> answered_{false};  // it has finished a kernel, one way or the other
};

}  // namespace

std::unique_ptr<compiler> make_cpu_compiler(math_mode mode) {
  std::string path = find_compiler();
  if (path.empty()) return nullptr;
  return std::make_unique<cpu_compiler>(std::move(path), mode);
}

std::string why_no_cpu_compiler() {
  if (!::secure_getenv("SINTER_CC")) return "no C compiler found (looked for cc, gcc, clang on PATH)";
  const std::string chosen = from_environment("SINTER_CC");
  return chosen.empty() ? "SINTER_CC is empty: no C compiler"
                        : "SINTER_CC=" + chosen + " names no program that can be run";
}

}  // namespace sinter::codegen
