// Random programs, evaluated in ways that have to agree; check.hpp says which, docs/contributing.md how to use it.
//
//   sinter_fuzz [--device cpu|interpreter|softgpu|cuda] [--math strict|standard] [--numpy] [--seed N] [--programs N]
//               [--seconds N] [--print]
//
// Program k of a run is made from seed + k, so `--seed S --programs 1` repeats one. Programs run in child processes, many in
// each: one that crashes or hangs is a finding like any other, and what compiled kernels take is given back. A finding is
// made smaller and printed as C++ and as Python. Without --math every other batch is strict.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <sinter/device.hpp>

#include "test/fuzz/child.hpp"
#include "test/fuzz/generate.hpp"
#include "test/fuzz/numpy.hpp"
#include "test/fuzz/print.hpp"
#include "test/fuzz/shrink.hpp"

namespace fs = std::filesystem;
using namespace sinter;
using namespace sinter::fuzz;

namespace {

constexpr int skipped = 77;          // ctest's SKIP_RETURN_CODE
constexpr unsigned most_shrunk = 3;  // findings that are made smaller
constexpr std::chrono::seconds for_each{60};

struct options {
  std::string device, math;
  bool numpy = false, print = false;
  std::uint64_t seed = std::random_device()() % 1'000'000 * 1'000'000;
  std::uint64_t programs = 0, seconds = 0;
};

[[noreturn]] void refuse(const std::string& why) {
  std::cerr << "sinter_fuzz: " << why << '\n';
  std::exit(EXIT_FAILURE);
}

std::uint64_t number_in(const std::string& text) {
  if (text.empty() || text.find_first_not_of("0123456789") != text.npos) refuse('"' + text + "\" is no number");
  return std::stoull(text);
}

options read(int argc, char** argv) {
  options o;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&]() -> std::string {
      if (i + 1 == argc) refuse(word + " is missing its value");
      return argv[++i];
    };
    if (word == "--device") o.device = value();
    else if (word == "--math") o.math = value();
    else if (word == "--numpy") o.numpy = true;
    else if (word == "--print") o.print = true;
    else if (word == "--seed") o.seed = number_in(value());
    else if (word == "--programs") o.programs = number_in(value());
    else if (word == "--seconds") o.seconds = number_in(value());
    else refuse("there is no option " + word);
  }
  if (!o.math.empty() && o.math != "strict" && o.math != "standard") refuse("--math is strict or standard");
  if (o.programs == 0 && o.seconds == 0) o.programs = 1000;
  return o;
}

void choose_device(const std::string& device) {
  if (device == "softgpu") {
    for (const char* variable : {"SINTER_CUDA_DRIVER", "SINTER_NVRTC", "SINTER_CUBLAS", "SINTER_CUBLASLT",
                                 "SINTER_CUFFT", "SINTER_CUSOLVER", "SINTER_CUDSS"})
      ::setenv(variable, SINTER_SOFTGPU, 1);
    ::setenv("SOFTGPU_FATAL", "1", 1);
  }
  if (!device.empty()) ::setenv("SINTER_DEVICE", device == "softgpu" ? "cuda" : device.c_str(), 1);
}

/// A folder of this run, gone when it ends: what NumPy reads and writes, and kernels, where no cache is named.
class work_folder {
 public:
  work_folder() {
    std::string name = (fs::temp_directory_path() / "sinter_fuzz.XXXXXX").string();
    if (!::mkdtemp(name.data())) refuse("no temporary folder: " + std::string(std::strerror(errno)));
    path_ = name;
    if (!std::getenv("SINTER_CACHE_DIR")) ::setenv("SINTER_CACHE_DIR", (path_ / "kernels").c_str(), 1);
  }
  work_folder(const work_folder&) = delete;
  ~work_folder() {
    std::error_code left_behind;
    fs::remove_all(path_, left_behind);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

generate_options options_for(math how, bool by_numpy) {
  generate_options o;
  o.special = !by_numpy;  // SciPy is not asked for
  o.whole = how == math::standard;
  return o;
}

class run {
 public:
  explicit run(const options& o) : o_(o), end_(std::chrono::steady_clock::now() + std::chrono::seconds(o.seconds)) {}

  int all() {
    std::uint64_t done = 0;
    const std::uint64_t batch = o_.numpy ? 500 : 40;  // programs of one child; Python takes a while to begin
    for (math how = math::strict; !is_over(done); how = how == math::strict ? math::standard : math::strict) {
      if (!o_.math.empty()) how = o_.math == "strict" ? math::strict : math::standard;
      ::setenv("SINTER_MATH", word(how), 1);
      done += one_batch(o_.seed + done, o_.programs ? std::min(batch, o_.programs - done) : batch, how);
    }
    std::cout << "fuzz: " << done << " programs, " << findings_ << " findings\n";
    return findings_ ? EXIT_FAILURE : EXIT_SUCCESS;
  }

 private:
  static std::string device_option() {
    const char* device = std::getenv("SINTER_DEVICE");
    const char* driver = std::getenv("SINTER_CUDA_DRIVER");
    if (driver && driver == std::string(SINTER_SOFTGPU)) device = "softgpu";
    return device ? std::string(" --device ") + device : "";
  }
  static const char* word(math how) { return how == math::strict ? "strict" : "standard"; }
  program made(std::uint64_t seed, math how) const { return generate(seed, options_for(how, o_.numpy)); }

  bool is_over(std::uint64_t done) const {
    if (o_.programs && done >= o_.programs) return true;
    return findings_ >= 40 || (o_.seconds && std::chrono::steady_clock::now() >= end_);
  }

  // How many of the programs ran.
  std::uint64_t one_batch(std::uint64_t first, std::uint64_t count, math how) {
    const report r = in_child([&](reporter& to) {
      numpy_batch to_numpy(folder_.path());
      std::vector<std::uint64_t> seeds;
      for (std::uint64_t seed = first; seed < first + count; ++seed) {
        if (o_.seconds && std::chrono::steady_clock::now() >= end_) break;
        to.begin(seed);
        const program p = made(seed, how);
        std::vector<snapshot> values;
        const verdict v = check(p, how, &values);
        if (!v.fine()) to.note(seed, v);
        else if (o_.numpy && numpy_batch::knows(p)) to_numpy.add(p, std::move(values)), seeds.push_back(seed);
        to.done();
      }
      if (seeds.empty()) return;
      to.begin_together();
      const std::vector<verdict> verdicts = to_numpy.run();
      for (std::size_t i = 0; i < seeds.size(); ++i)
        if (!verdicts[i].fine()) to.note(seeds[i], verdicts[i]);
    });
    for (const finding& f : r.findings) tell(f, how);
    return r.done;
  }

  // The verdict on one program, in a child.
  verdict judged(const program& p, math how, bool by_numpy) {
    const report r = in_child([&](reporter& to) {
      to.begin(0);
      std::vector<snapshot> values;
      verdict v = check(p, how, &values);
      if (v.fine() && by_numpy && numpy_batch::knows(p)) {
        numpy_batch one(folder_.path());
        one.add(p, std::move(values));
        v = one.run()[0];
      }
      if (!v.fine()) to.note(0, v);
      to.done();
    });
    return r.findings.empty() ? verdict() : r.findings[0].what;
  }

  void tell(const finding& f, math how) {
    std::cout << "\nfuzz: program " << f.seed << ", " << word(how) << ": " << f.what.ways << " differ: " << f.what.what
              << "\nagain: sinter_fuzz" << device_option() << " --math " << word(how) << (o_.numpy ? " --numpy" : "")
              << " --seed " << f.seed << " --programs 1\n";
    if (findings_++ >= most_shrunk) return;
    const bool by_numpy = f.what.ways == numpy_batch::ways;
    const auto enough = std::chrono::steady_clock::now() + for_each;
    const auto fails = [&](const program& p) {
      return std::chrono::steady_clock::now() < enough && judged(p, how, by_numpy).ways == f.what.ways;
    };
    const program small = shrink(made(f.seed, how), fails);
    std::cout << "smaller: " << judged(small, how, by_numpy).what << "\n\n"
              << cpp_text(small) << '\n'
              << python_text(small) << std::endl;
  }

  const options& o_;
  const std::chrono::steady_clock::time_point end_;
  const work_folder folder_;
  unsigned findings_ = 0;
};

/// Was a GPU asked for that is not there? Any other word is the library's to judge.
bool gpu_is_missing() {
  const char* asked = std::getenv("SINTER_DEVICE");
  if (!asked || std::string(asked).compare(0, 4, "cuda") != 0) return false;
  const report r = in_child([&](reporter& to) {
    if (device::available(device::cuda(asked[4] == ':' ? std::atoi(asked + 5) : 0))) to.done();
  });
  return r.done == 0;
}

}  // namespace

int main(int argc, char** argv) {
  const options o = read(argc, argv);
  if (o.print) {
    for (std::uint64_t k = 0; k < o.programs; ++k) {
      const program p =
          generate(o.seed + k, options_for(o.math == "standard" ? math::standard : math::strict, o.numpy));
      std::cout << cpp_text(p) << '\n' << python_text(p) << '\n';
    }
    return EXIT_SUCCESS;
  }
  choose_device(o.device);
  if (gpu_is_missing() || (o.numpy && !numpy_batch::available())) {
    std::cout << "sinter: skipped, there is no " << (o.numpy ? "NumPy of 2.1 or later, or no " : "") << "such device\n";
    return skipped;
  }
  std::cout << "fuzz: seed " << o.seed << std::endl;
  return run(o).all();
}
