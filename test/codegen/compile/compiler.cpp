// Both compilers: what they make loads and runs, what they cannot make is explained, and whatever a compiler does to
// us, the caller gets an exception and an empty scratch folder.
#include "codegen/compile/compiler.hpp"

#include <dlfcn.h>
#include <doctest/doctest.h>
#include <elf.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <limits>
#include <thread>

#include <sinter/error.hpp>

#include "codegen/compile/failure.hpp"
#include "codegen/compile/process.hpp"
#include "test/codegen/scratch.hpp"

namespace fs = std::filesystem;
using namespace sinter::codegen;
using namespace sinter::test;
using std::chrono::milliseconds;

namespace {

// A loaded image, closed before its file goes.
class loaded {
 public:
  explicit loaded(const bytes& image) {
    write_text(room_ / "kernel.so", to_text(image));
    library_ = ::dlopen((room_ / "kernel.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  ~loaded() {
    if (library_) ::dlclose(library_);
  }
  loaded(const loaded&) = delete;
  loaded& operator=(const loaded&) = delete;

  template <class Function>
  Function* get(const char* name) const {
    return library_ ? reinterpret_cast<Function*>(::dlsym(library_, name)) : nullptr;
  }

 private:
  scratch room_;
  void* library_ = nullptr;
};

/// A failed compilation: the exception, and the file that its message names.
struct complaint {
  std::string message = "no compile_error", log, source, file;
};

complaint complaint_of(const compiler& with, std::string_view source) {
  complaint found;
  try {
    with.compile(source);
  } catch (const sinter::compile_error& failed) {
    const sinter::compile_error copy = failed;
    found = {copy.what(), copy.log(), copy.source(), ""};
    const std::size_t at = found.message.rfind(" /");
    const std::string path = at == std::string::npos ? "" : found.message.substr(at + 1);
    found.file = read_text(path);
    ::unlink(path.c_str());
  }
  return found;
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::unique_ptr<compiler> c_compiler(math_mode mode) {
  auto found = make_cpu_compiler(mode);
  if (!found) MESSAGE("skipped: no C compiler");
  return found;
}

std::string script(const scratch& room, const std::string& text) {
  write_text(room / "compiler", "#!/bin/sh\n" + text + "\n");
  fs::permissions(room / "compiler", fs::perms(0700));
  return room / "compiler";
}

constexpr const char* multiply_add =
    "void f(const float* a, float* r) { for (int i = 0; i < 64; ++i) r[i] = a[i] * a[i] + a[64]; }\n";

}  // namespace

TEST_CASE("math mode: the words of SINTER_MATH, and no others") {
  const auto mode = [](const char* word) {
    return in_child([&] {
      word ? ::setenv("SINTER_MATH", word, 1) : ::unsetenv("SINTER_MATH");
      try {
        return static_cast<int>(math_mode_from_environment());
      } catch (const sinter::error& failed) {
        return std::strstr(failed.what(), word) ? 50 : 51;
      }
    });
  };
  CHECK(mode(nullptr).exit_code == static_cast<int>(math_mode::standard));
  CHECK(mode("").exit_code == static_cast<int>(math_mode::standard));
  CHECK(mode("standard").exit_code == static_cast<int>(math_mode::standard));
  CHECK(mode("strict").exit_code == static_cast<int>(math_mode::strict));
  CHECK(mode("fast").exit_code == static_cast<int>(math_mode::fast));
  for (const char* wrong : {"Strict", "fast ", "0"}) CHECK(mode(wrong).exit_code == 50);
}

TEST_CASE("failure: the first line has the first error, and lines are numbered as the compiler counts them") {
  const char* log = "note: x\nk.c:2: error: bad\nk.c:3: error: worse\n";
  const std::string text = describe({"it", "failed at", log, "cc 1", "a\n\nb"});
  CHECK(text.substr(0, text.find('\n')) == "sinter: it failed at a kernel: k.c:2: error: bad");
  CHECK(describe({"it", "failed at", "\nnone\nsuch\n", "", ""}).starts_with("sinter: it failed at a kernel: none\n"));
  CHECK(describe({"it", "failed at", "", "", "// Sinter 1\n// map: f32 -> f32\n"})
            .starts_with("sinter: it failed at the kernel \"map: f32 -> f32\"\n"));
  CHECK(text.find("k.c:3: error: worse\n") != std::string::npos);
  CHECK(text.find("cc 1\n") != std::string::npos);
  CHECK(text.find("    1 | a\n    2 | \n    3 | b\n") != std::string::npos);
}

TEST_CASE("failure: a long log makes no long message; the file has all of it, and is written anew the next time") {
  const scratch places;
  const environment temporary("TMPDIR", places.path().c_str());
  const std::string log = "k.c:1: error: first\n" + std::string(100'000, 'x');
  const std::string message = report({"it", "failed at", log, "identity", "source"});
  CHECK(message == report({"it", "failed at", log, "identity", "source"}));
  CHECK(message.size() < 300);
  CHECK(message.starts_with("sinter: it failed at a kernel: k.c:1: error: first; log and source: " + places.path()));
  CHECK(std::distance(fs::directory_iterator(places.path()), fs::directory_iterator()) == 1);
  const std::string file = message.substr(message.rfind(' ') + 1);
  CHECK(read_text(file) == describe({"it", "failed at", log, "identity", "source"}));
  // Another's link in its place is not followed.
  write_text(places / "victim", "untouched");
  fs::remove(file);
  fs::create_symlink(places / "victim", file);
  const std::string elsewhere = report({"it", "failed at", log, "identity", "source"});
  CHECK(read_text(places / "victim") == "untouched");
  CHECK_FALSE(has(elsewhere, places.path()));
  fs::remove(elsewhere.substr(elsewhere.rfind(' ') + 1));
}

TEST_SUITE("cpu compiler") {
  TEST_CASE("an image loads and runs, and is the same when made again") {
    const auto with = c_compiler(math_mode::standard);
    if (!with) return;
    CHECK(std::string(with->extension()) == "c");
    const std::string source =
        "extern double cbrt(double);\n"
        "void f(long n, const double* restrict a, double* restrict r) { for (long i = 0; i < n; ++i) r[i] = "
        "cbrt(a[i]); }\n";
    const bytes image = with->compile(source);
    CHECK(image == with->compile(source));
    const loaded kernel(image);
    auto* f = kernel.get<void(long, const double*, double*)>("f");
    REQUIRE((f != nullptr));
    const double in[3] = {8, -27, 0.5};
    double out[3];
    f(3, in, out);
    for (int i = 0; i < 3; ++i) CHECK(out[i] == doctest::Approx(std::cbrt(in[i])));
  }

  TEST_CASE("strict rounds every step, standard may contract, fast keeps NaN") {
    float in[65], out[64];
    for (int i = 0; i < 64; ++i) in[i] = 1 + static_cast<float>(i) / 4096;
    in[64] = -1;
    for (const math_mode mode : {math_mode::strict, math_mode::standard, math_mode::fast}) {
      const auto with = c_compiler(mode);
      if (!with) return;
      const loaded kernel(with->compile(std::string(multiply_add) + "int nan(float x) { return x != x; }\n"));
      auto* f = kernel.get<void(const float*, float*)>("f");
      REQUIRE((f != nullptr));
      f(in, out);
      bool unfused = true;
      bool close = true;
      for (int i = 0; i < 64; ++i) {
        volatile float square = in[i] * in[i];
        unfused = unfused && out[i] == square + in[64];
        close = close && std::abs(out[i] - (square + in[64])) < 1e-6f;
      }
      CHECK(close);
      if (mode == math_mode::strict) CHECK(unfused);
      const bool has_fma = with->identity().find(" fma ") != std::string::npos;
      if (mode == math_mode::standard && has_fma) CHECK_FALSE(unfused);
      CHECK(kernel.get<int(float)>("nan")(std::numeric_limits<float>::quiet_NaN()) == 1);
    }
  }

#if defined(__x86_64__) && defined(__GLIBC__)
  TEST_CASE("functions declared simd become calls of the vector library") {
    const auto with = make_cpu_compiler(math_mode::standard);
    if (!with) return;
    if (with->identity().find("gcc") == std::string::npos) {
      MESSAGE("skipped: not gcc");
      return;
    }
    const bytes image = with->compile(
        "__attribute__((simd(\"notinbranch\"))) extern float expf(float);\n"
        "void f(long n, const float* restrict a, float* restrict r) { for (long i = 0; i < n; ++i) r[i] = expf(a[i]); "
        "}\n");
    CHECK(to_text(image).find("_ZGV") != std::string::npos);
    CHECK(to_text(image).find("libmvec.so.1") != std::string::npos);  // found without the host having opened it
    const loaded kernel(image);
    auto* f = kernel.get<void(long, const float*, float*)>("f");
    REQUIRE((f != nullptr));
    float in[37], out[37];
    for (int i = 0; i < 37; ++i) in[i] = static_cast<float>(i - 18) / 3;
    f(37, in, out);
    for (int i = 0; i < 37; ++i) CHECK(out[i] == doctest::Approx(std::exp(in[i])));
  }
#endif

  TEST_CASE("an error carries the compiler's log, its options and the numbered source") {
    const auto with = c_compiler(math_mode::strict);
    if (!with) return;
    const std::string source = "int fine;\nint f(void) { return undeclared_name; }\n";
    const complaint said = complaint_of(*with, source);
    CHECK(has(said.message, "undeclared_name"));
    CHECK(has(said.message, "kernel.c:2:"));
    CHECK_FALSE(has(said.message, "\n"));
    CHECK(has(said.log, "kernel.c:2:"));
    CHECK(said.source == source);
    CHECK(has(said.file, said.log));
    CHECK(has(said.file, "-ffp-contract=off"));
    CHECK(has(said.file, "    2 | int f(void) { return undeclared_name; }\n"));
    CHECK(has(complaint_of(*with, "double f(double x) { return forgotten(x); }\n").message, "forgotten"));
  }

  TEST_CASE("identity tells modes apart, names the compiler and the processor, and does not change") {
    const auto strict = c_compiler(math_mode::strict);
    if (!strict) return;
    const auto fast = make_cpu_compiler(math_mode::fast);
    CHECK(strict->identity() != fast->identity());
    CHECK(strict->identity() == make_cpu_compiler(math_mode::strict)->identity());
    CHECK(strict->identity().find("MHz") == std::string::npos);
#ifdef __x86_64__
    CHECK(strict->identity().find("\nflags") != std::string::npos);
    CHECK(strict->identity().find("\nmodel name") != std::string::npos);
#endif
    const scratch room;
    const environment chosen("SINTER_CC", script(room, "exit 1").c_str());
    const auto before = make_cpu_compiler(math_mode::strict);
    CHECK(before->identity().find(room / "compiler") != std::string::npos);
    std::this_thread::sleep_for(milliseconds(20));
    script(room, "exit 2");  // the same size, at another time
    CHECK(make_cpu_compiler(math_mode::strict)->identity() != before->identity());
  }

  TEST_CASE("no usable compiler is no compiler") {
    const scratch room;
    write_text(room / "plain", "not a program");
    for (const std::string& choice :
         {std::string(), room / "missing", room / "plain", room.path(), std::string("no-such-cc")}) {
      const environment chosen("SINTER_CC", choice.c_str());
      CHECK(make_cpu_compiler(math_mode::standard) == nullptr);
    }
    const environment unset("SINTER_CC", nullptr);
    for (const char* path : {"", ":", room.path().c_str(), "relative:."}) {
      const environment limited("PATH", path);
      CHECK(make_cpu_compiler(math_mode::standard) == nullptr);
    }
    script(room, "exit 1");
    fs::rename(room / "compiler", room / "clang");
    const child_report relative = in_child([&] {
      fs::current_path(room.path());
      for (const char* path : {"", ":", ".", "./", "/nowhere:.", ":/nowhere"}) {
        const environment limited("PATH", path);
        if (make_cpu_compiler(math_mode::standard)) return 1;
      }
      return 0;
    });
    CHECK(relative.exit_code == 0);
    const environment found("PATH", ("/nowhere:" + room.path()).c_str());
    CHECK(make_cpu_compiler(math_mode::standard) != nullptr);
  }

  TEST_CASE("a text that the compiler breaks down over is compiled once more without vectors") {
    const auto real = c_compiler(math_mode::strict);
    if (!real) return;
    const scratch room;
    const std::string text =
        "case \" $* \" in *\" -fno-tree-vectorize \"*) exec cc \"$@\";; esac\n"
        "echo kernel.c:1: internal compiler error; exit 1";
    const environment chosen("SINTER_CC", script(room, text).c_str());
    const auto with = make_cpu_compiler(math_mode::strict);
    REQUIRE(with);
    CHECK_FALSE(with->compile("int f(void) { return 1; }\n").empty());
    script(room, "echo kernel.c:1: internal compiler error; exit 1");
    CHECK(has(complaint_of(*with, "int f(void) { return 1; }\n").message, "internal compiler error"));
  }

  TEST_CASE("a compiler that misbehaves gives an exception, and leaves nothing behind") {
    const scratch room, temporary;
    const environment folder("TMPDIR", temporary.path().c_str());
    const environment seconds("SINTER_CC_SECONDS", "1");
    // The exception, and its report, which may stay.
    const auto with_report = [](const char* kind, const char* what) {
      const std::string message = what, file = message.substr(message.rfind(' ') + 1);
      const std::string all = kind + (": " + message) + "\n" + read_text(file);
      fs::remove(file);
      return all;
    };
    const auto outcome = [&](const char* text, bool remove = false) -> std::string {
      const environment chosen("SINTER_CC", script(room, text).c_str());
      const auto with = make_cpu_compiler(math_mode::standard);
      REQUIRE(with);
      if (remove) fs::remove(room / "compiler");
      try {
        with->compile("source text\n");
      } catch (const sinter::compile_error& failed) {
        return with_report("compile_error", failed.what());
      } catch (const compiler_hangs& failed) {
        return with_report("compiler_hangs", failed.what());
      } catch (const sinter::device_error& failed) {
        return remove ? std::string("device_error: ") + failed.what() : with_report("device_error", failed.what());
      }
      return "no exception";
    };
    const auto has = [](const std::string& text, const char* start, const char* part) {
      return text.starts_with(start) && text.find(part) != std::string::npos;
    };
    CHECK(has(outcome("echo hm; exec sleep 600"), "compiler_hangs", "stopped after 1 s"));
    CHECK(has(outcome("echo said >&2; echo out; exit 3"), "compile_error", "said\nout\n"));
    CHECK(has(outcome("echo said >&2; kill -9 $$"), "device_error", "signal 9"));
    CHECK(has(outcome("exit 0"), "device_error", "without a whole shared object"));
    CHECK(has(outcome("printf '\\177ELF' >kernel.so"), "device_error", "without a whole shared object"));
    CHECK(has(outcome("touch left; mkdir -p a/b; touch \"$TMPDIR/c\"; exit 1"), "compile_error", "source text"));
    CHECK(has(outcome("exit 0", true), "device_error", "No such file"));
    CHECK(fs::is_empty(temporary.path()));
  }

  TEST_CASE("the scratch folder is private, is where the compiler's own files go, and survives a bad TMPDIR") {
    const scratch room;
    const std::string report = room / "report";
    const environment chosen(
        "SINTER_CC",
        script(room, "{ pwd; echo $TMPDIR; stat -c %a .; echo $LC_ALL; } >" + report + "; exit 1").c_str());
    const environment folder("TMPDIR", (room / "missing").c_str());
    const auto with = make_cpu_compiler(math_mode::standard);
    REQUIRE(with);
    complaint_of(*with, "");
    const std::string text = read_text(report);
    const std::string pwd = text.substr(0, text.find('\n'));
    CHECK(text == pwd + "\n" + pwd + "\n700\nC\n");
    CHECK_FALSE(fs::exists(pwd));
  }

  TEST_CASE(
      "a variable that would change an image does not reach the compiler; another tool on PATH is another identity") {
    const scratch room, tools;
    const environment chosen("SINTER_CC", script(room, "env >" + (room / "report") + "; exit 1").c_str());
    std::vector<std::unique_ptr<environment>> set;
    const char* const names[] = {"GCC_EXEC_PREFIX", "GCC_COMPARE_DEBUG",   "COMPILER_PATH",       "LIBRARY_PATH",
                                 "CPATH",           "C_INCLUDE_PATH",      "DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES",
                                 "LD_RUN_PATH",     "SOURCE_DATE_EPOCH",   "LDEMULATION",         "GNUTARGET",
                                 "COLLECT_GCC",     "CCC_OVERRIDE_OPTIONS"};
    for (const char* name : names) set.push_back(std::make_unique<environment>(name, "/elsewhere"));
    const environment kept("SINTER_TEST_KEPT", "/elsewhere");
    const auto with = make_cpu_compiler(math_mode::standard);
    REQUIRE(with);
    complaint_of(*with, "");
    const std::string seen = "\n" + read_text(room / "report");
    CHECK(has(seen, "\nSINTER_TEST_KEPT=/elsewhere\n"));
    for (const char* name : names) {
      CAPTURE(name);
      CHECK_FALSE(has(seen, "\n" + std::string(name) + "="));
    }
    set.clear();
    for (const char* tool : {"as", "ld"}) {
      script(room, "exit 1");
      fs::copy_file(room / "compiler", tools / tool);
      const std::string before = make_cpu_compiler(math_mode::standard)->identity();
      const environment path("PATH", (tools.path() + ":" + std::getenv("PATH")).c_str());
      CHECK(make_cpu_compiler(math_mode::standard)->identity() != before);
      fs::remove(tools / tool);
    }
  }

  TEST_CASE("a TMPDIR without room is named once, and the next folder is taken") {
    if (!c_compiler(math_mode::standard)) return;
    const scratch small;
    const child_report report = in_child([&] {
      if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
          ::mount("none", small.path().c_str(), "tmpfs", 0, "size=16k") != 0)
        return 77;
      ::setenv("TMPDIR", small.path().c_str(), 1);
      const auto with = make_cpu_compiler(math_mode::standard);
      // The text fits and the image does not; then not even the text.
      for (const std::size_t length : {0, 20'000})
        if (with->compile("int f(void) { return 1; }\n" + std::string(length, '\n')).empty()) return 1;
      return fs::is_empty(small.path()) ? 0 : 2;
    });
    if (report.exit_code == 77) {
      MESSAGE("skipped: no file system may be mounted here");
      return;
    }
    CHECK(report.exit_code == 0);
    CHECK(report.lines() == 1);
    CHECK(has(report.errors, small.path() + ": No space left on device"));
  }

  TEST_CASE("why there is no compiler: the variable and its value") {
    {
      const environment chosen("SINTER_CC", "nonsense");
      CHECK(why_no_cpu_compiler() == "SINTER_CC=nonsense names no program that can be run");
    }
    {
      const environment chosen("SINTER_CC", "");
      CHECK(has(why_no_cpu_compiler(), "SINTER_CC is empty"));
    }
    const environment chosen("SINTER_CC", nullptr);
    CHECK(has(why_no_cpu_compiler(), "cc, gcc, clang"));
  }

  TEST_CASE("it works in a host that ignores its children or blocks signals") {
    if (!c_compiler(math_mode::standard)) return;
    const child_report report = in_child([] {
      ::signal(SIGCHLD, SIG_IGN);
      sigset_t all;
      ::sigfillset(&all);
      ::sigprocmask(SIG_BLOCK, &all, nullptr);
      const auto with = make_cpu_compiler(math_mode::standard);
      return with->compile("int f(void) { return 1; }\n").empty() ? 1 : 0;
    });
    CHECK(report.exit_code == 0);
    CHECK(report.errors == "");
  }

  TEST_CASE("threads compile at the same time") {
    const auto with = c_compiler(math_mode::standard);
    if (!with) return;
    bytes images[4];
    std::vector<std::thread> threads;
    threads.reserve(4);
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back(
          [&, t] { images[t] = with->compile("int f(void) { return " + std::to_string(t) + "; }\n"); });
    }
    for (std::thread& thread : threads) thread.join();
    for (int t = 0; t < 4; ++t) {
      const loaded kernel(images[t]);
      REQUIRE((kernel.get<int()>("f") != nullptr));
      CHECK(kernel.get<int()>("f")() == t);
    }
  }
}

TEST_CASE("process: one that runs too long is stopped with all it started") {
  const scratch room;
  write_text(room / "script", "#!/bin/sh\nsleep 60 & echo $! >child\nwait\n");
  fs::permissions(room / "script", fs::perms(0700));
  const auto start = std::chrono::steady_clock::now();
  const process_result result =
      run_process({room / "script", {}, {"PATH=/usr/bin:/bin"}, room.path(), "log", milliseconds(300)});
  const auto took = std::chrono::steady_clock::now() - start;
  CHECK(result.end == process_end::timed_out);
  CHECK(took >= milliseconds(300));
  CHECK(took < milliseconds(3000));
  const std::string child = read_text(room / "child");
  REQUIRE_FALSE(child.empty());
  const auto running = [&] {  // dead, or a zombie not collected yet
    const std::string status = read_text("/proc/" + child.substr(0, child.size() - 1) + "/stat");
    const std::size_t name_end = status.rfind(')');
    return name_end != std::string::npos && status.compare(name_end, 3, ") Z") != 0;
  };
  for (int i = 0; i < 100 && running(); ++i) std::this_thread::sleep_for(milliseconds(10));
  CHECK_FALSE(running());
}

TEST_CASE("process: the host's ignored and blocked signals are not inherited") {
  const scratch room;
  const child_report report = in_child([&] {
    for (const int signal : {SIGCHLD, SIGPIPE, SIGTERM}) ::signal(signal, SIG_IGN);
    sigset_t all;
    ::sigfillset(&all);
    ::sigprocmask(SIG_BLOCK, &all, nullptr);
    run_process({"/bin/cat", {"/proc/self/status"}, {}, room.path(), "log", milliseconds(10'000)});
    return 0;
  });
  CHECK(report.exit_code == 0);
  const std::string status = read_text(room / "log");
  const auto mask = [&](const char* name) {
    const std::size_t at = status.find(name);
    return at == std::string::npos ? ~0ull : std::stoull(status.substr(at + std::strlen(name)), nullptr, 16);
  };
  CHECK(mask("SigBlk:") == 0);
  for (const int signal : {SIGCHLD, SIGPIPE, SIGTERM}) CHECK((mask("SigIgn:") >> (signal - 1) & 1) == 0);
}

TEST_CASE("process: arguments arrive as they are, without a shell") {
  const scratch room;
  const process_result result =
      run_process({"/bin/echo", {"a b", "$HOME", ";", "*"}, {}, room.path(), "log", milliseconds(10'000)});
  CHECK(result.end == process_end::exited);
  CHECK(result.code == 0);
  CHECK(read_text(room / "log") == "a b $HOME ; *\n");
}

TEST_SUITE("cuda compiler") {
  constexpr const char* kernel =
      "extern \"C\" __global__ void f(const float* a, float* r, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) r[i] = a[i] * a[i] + a[0];\n"
      "}\n";

  std::unique_ptr<compiler> nvrtc(int arch, math_mode mode = math_mode::standard) {
    try {
      return make_cuda_compiler(arch, mode);
    } catch (const sinter::device_error& missing) {
      MESSAGE("skipped: " << std::string(missing.what()).substr(0, 60));
      return nullptr;
    }
  }

  bool is_cubin(const bytes& image) {
    Elf64_Ehdr header;
    if (image.size() < sizeof header) return false;
    std::memcpy(&header, image.data(), sizeof header);
    constexpr int em_cuda = 190;
    return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_machine == em_cuda;
  }

  TEST_CASE("a cubin of each architecture, the same when made again") {
    for (const int arch : {80, 90, 100}) {
      CAPTURE(arch);
      const auto with = nvrtc(arch);
      if (!with) return;
      CHECK(std::string(with->extension()) == "cu");
      CHECK(with->identity().find("-arch=sm_" + std::to_string(arch)) != std::string::npos);
      CHECK(with->identity().find("nvrtc ") != std::string::npos);
      const bytes image = with->compile(kernel);
      CHECK(is_cubin(image));
      CHECK(image == with->compile(kernel));
    }
  }

  TEST_CASE("strict forbids contraction, fast allows approximations, and each has its own identity") {
    const auto strict = nvrtc(90, math_mode::strict);
    if (!strict) return;
    const auto standard = nvrtc(90), fast = nvrtc(90, math_mode::fast);
    CHECK(strict->compile(kernel) != standard->compile(kernel));
    CHECK(strict->identity() != standard->identity());
    CHECK(fast->identity() != standard->identity());
    const char* divide = "extern \"C\" __global__ void f(float* r) { r[0] = r[1] / r[2]; }\n";
    CHECK(fast->compile(divide).size() < standard->compile(divide).size());
  }

  TEST_CASE("a GPU newer than NVRTC gets PTX; one that is too old is named with what there is") {
    const auto with = nvrtc(100'000);
    if (!with) return;
    CHECK(with->identity().find("-arch=compute_") != std::string::npos);
    const bytes image = with->compile(kernel);
    CHECK(to_text(image).find(".target sm_") != std::string::npos);
    CHECK(image.back() == std::byte{0});
    CHECK_THROWS_WITH_AS(make_cuda_compiler(10, math_mode::standard), doctest::Contains("sm_10"), sinter::device_error);
  }

  TEST_CASE("an error carries NVRTC's log, its options and the numbered source") {
    const auto with = nvrtc(90, math_mode::strict);
    if (!with) return;
    const complaint said = complaint_of(*with, "extern \"C\" __global__ void f() {\n  undeclared_name = 1;\n}\n");
    CHECK(has(said.message, "undeclared_name"));
    CHECK(has(said.message, "sm_90"));
    CHECK(has(said.log, "kernel.cu(2)"));
    CHECK(has(said.file, "-arch=sm_90"));
    CHECK(has(said.file, "-fmad=false"));
    CHECK(has(said.file, "    2 |   undeclared_name = 1;\n"));
  }

  TEST_CASE("threads compile at the same time") {
    const auto with = nvrtc(80);
    if (!with) return;
    bytes images[4];
    std::vector<std::thread> threads;
    threads.reserve(4);
    const auto text = [](int t) {
      return "extern \"C\" __global__ void f" + std::to_string(t) + "(float* r) { r[0] = 1; }\n";
    };
    for (int t = 0; t < 4; ++t) threads.emplace_back([&, t] { images[t] = with->compile(text(t)); });
    for (std::thread& thread : threads) thread.join();
    for (int t = 0; t < 4; ++t) {
      CHECK(is_cubin(images[t]));
      CHECK(to_text(images[t]).find("f" + std::to_string(t)) != std::string::npos);
    }
  }

  TEST_CASE("a missing NVRTC is reported with what was looked for") {
    const environment chosen("SINTER_NVRTC", "/nowhere/libnvrtc.so");
    CHECK_THROWS_WITH_AS(make_cuda_compiler(90, math_mode::standard), doctest::Contains("/nowhere/libnvrtc.so"),
                         sinter::device_error);
    const environment wrong("SINTER_NVRTC", "libm.so.6");
    CHECK_THROWS_WITH_AS(make_cuda_compiler(90, math_mode::standard), doctest::Contains("lacks functions"),
                         sinter::device_error);
  }
}
