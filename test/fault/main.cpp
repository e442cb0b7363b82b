// Every sample with every call failing:
//
//   sinter_fault [--all] [--device cpu|interpreter|softgpu] [--sample <name>] [--state cold|stored|warm] [--kind <word>]
//                [--manner <word>] [--each <number>] [--share <number>/<of>] [--at <number>] [--tell]
//
// Without --all (or SINTER_FAULTS=all) it tries --each indices of each kind and manner, spread evenly and the same in every run; of
// either --share 0/4 tries the first, the fifth and so on, for as many processes side by side; --at tries one and shows who made
// the call. Without --device the environment decides. Each trial runs in a child process, forked where its state begins: nothing
// used yet and no kernel on disk (cold), all kernels on disk (stored), or everything used before (warm: a child then makes many
// trials, so that whatever leaks adds up). trial.cpp has the verdicts.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <sinter/device.hpp>

#include "caller.hpp"
#include "driver.hpp"
#include "trial.hpp"

namespace fs = std::filesystem;
using namespace fault;

namespace {

constexpr unsigned patience = 60;  // seconds a trial may take before it counts as hanging
constexpr int batch = 64;          // trials of a child that is used again
constexpr long shown = 40;         // problems that are told
constexpr long traced = 3;         // those of them with the whole stack

enum class state { cold, stored, warm };
constexpr const char* state_words[] = {"cold", "stored", "warm"};

// ---- children -------------------------------------------------------------------------------------------------------

struct shared_page {
  verdict verdicts[batch];
  char what[1 << 16];  // what a child that measures has to say
};

shared_page& page() {
  static auto* const made = static_cast<shared_page*>(
      mmap(nullptr, sizeof(shared_page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  return *made;
}

/// What a child may write into, gone afterwards.
class child_folder {
 public:
  explicit child_folder(const fs::path* kernels) : path_(fs::absolute("child")) {
    fs::remove_all(path_);
    fs::create_directories(path_ / "tmp");
    fs::create_directories(path_ / "cache");
    fs::permissions(path_ / "cache", fs::perms::owner_all);
    if (kernels) fs::copy(*kernels, path_ / "cache", fs::copy_options::recursive);
  }
  ~child_folder() {
    std::error_code left;
    fs::remove_all(path_, left);
  }
  child_folder(const child_folder&) = delete;
  child_folder& operator=(const child_folder&) = delete;
  fs::path cache() const { return path_ / "cache"; }
  fs::path scratch() const { return path_ / "tmp"; }
  fs::path errors() const { return path_ / "errors"; }

 private:
  fs::path path_;
};

/// Logs of failed compilations are meant to stay.
bool leaves_files(const fs::path& folder) {
  return std::any_of(fs::directory_iterator(folder), fs::directory_iterator(),
                     [](const fs::directory_entry& file) { return file.path().extension() != ".log"; });
}

/// Runs `body` in a child with that folder. Gives how it ended: "" for well.
std::string in_child(const child_folder& folder, const std::function<void()>& body) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork: " + std::string(std::strerror(errno)));
  if (child == 0) {
    setenv("SINTER_CACHE_DIR", folder.cache().c_str(), 1);
    setenv("TMPDIR", folder.scratch().c_str(), 1);
    const int errors = open(folder.errors().c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (errors < 0 || dup2(errors, STDERR_FILENO) < 0 || close(errors) != 0) _exit(3);
    body();
    std::exit(0);  // and not _exit: what happens at exit is a part of it
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return "";
  std::string how = WIFEXITED(status)             ? "it ended with status " + std::to_string(WEXITSTATUS(status))
                    : WTERMSIG(status) == SIGALRM ? "it hangs"
                                                  : std::string("it was killed: ") + strsignal(WTERMSIG(status));
  std::ifstream errors(folder.errors());
  for (std::string line; std::getline(errors, line);) how += "\n    " + line;
  return how;
}

// ---- groups ---------------------------------------------------------------------------------------------------------

/// All trials that begin alike: one sample in one state.
class group {
 public:
  group(const sample& s, state from, const fs::path* kernels) : sample_(s), from_(from), kernels_(kernels) {}

  /// What happens without a fault. `keep`: where the kernels that were compiled go.
  void measure_in_child(const fs::path* keep) {
    const child_folder folder(kernels_);
    struct numbers {
      int returned;
      long calls[kinds];
      levels third, fourth;
      std::size_t printed;
    };
    auto& page_numbers = *reinterpret_cast<numbers*>(page().what);
    char* const text = page().what + sizeof(numbers);
    const std::string bad = in_child(folder, [&] {
      try {
        if (from_ == state::warm) measure(sample_, 0);
        const reference r = measure(sample_, runs_before());
        page_numbers.returned = r.returned;
        std::copy(std::begin(r.calls), std::end(r.calls), page_numbers.calls);
        page_numbers.third = r.third;
        page_numbers.fourth = r.fourth;
        page_numbers.printed = r.printed.copy(text, sizeof page().what - sizeof(numbers));
      } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        std::_Exit(1);
      }
    });
    if (!bad.empty()) throw std::runtime_error(sample_.name() + " without a fault: " + bad);
    right_.returned = page_numbers.returned;
    std::copy(std::begin(page_numbers.calls), std::end(page_numbers.calls), right_.calls);
    right_.third = page_numbers.third;
    right_.fourth = page_numbers.fourth;
    right_.printed.assign(text, page_numbers.printed);
    if (const levels more = right_.fourth - right_.third; grows(more))  // a cache of plans may have fewer
      throw std::runtime_error(sample_.name() + " leaks without a fault, each time " + std::to_string(more.blocks) +
                               " blocks, " + std::to_string(more.mapped) + " bytes mapped, " +
                               std::to_string(more.files) + " files, " + std::to_string(more.device) +
                               " objects of the driver");
    if (from_ == state::cold && calls(kind::memory) == 0)
      throw std::runtime_error("the library's calls do not come here: something else stands in front of the C library");
    if (keep) fs::copy(folder.cache(), *keep, fs::copy_options::recursive);
  }

  long calls(kind k) const { return right_.calls[static_cast<int>(k)]; }

  /// Makes the trials; tells of each.
  void run(std::span<const plan> plans, const std::function<void(const plan&, const verdict&)>& tell) {
    const std::size_t together = from_ == state::warm ? batch : 1;
    while (!plans.empty()) {
      const std::vector<verdict> over = attempt(plans.first(std::min(together, plans.size())));
      for (verdict v : over) {
        // How much a driver keeps in reserve can depend on how fast it was; what leaks does so every time.
        for (int again = 0; again < 2 && v.leak; ++again) v = attempt(plans.first(1)).front();
        tell(plans.front(), v);
        plans = plans.subspan(1);
      }
    }
  }

 private:
  /// In one child. Gives those that are over: all, or as many as the child has lived through, with the one that ended it.
  std::vector<verdict> attempt(std::span<const plan> plans) {
    const child_folder folder(kernels_);
    const std::span<verdict> verdicts(page().verdicts, plans.size());
    for (verdict& v : verdicts) v = {};
    std::string bad = in_child(folder, [&] {
      if (from_ == state::warm) measure(sample_, 0);
      const levels growth = from_ == state::warm ? levels{} : right_.fourth;
      for (std::size_t i = 0; i < plans.size(); ++i) {
        alarm(patience);
        try_fault(sample_, runs_before(), plans[i], right_, growth, verdicts[i]);
        if (verdicts[i].lost) break;
      }
    });
    const auto unfinished = std::find_if(verdicts.begin(), verdicts.end(), [](const verdict& v) { return !v.over; });
    auto count = static_cast<std::size_t>(unfinished - verdicts.begin());
    if (bad.empty() && count == 0) bad = "it ended at once";
    if (bad.empty() && from_ != state::warm && leaves_files(folder.scratch()) && plans[0].which != kind::files)
      bad = "it leaves files in TMPDIR";
    if (!bad.empty()) {
      if (count < plans.size()) ++count;
      verdict& last = verdicts[count - 1];
      last.wrong = true;
      std::snprintf(last.problem, sizeof last.problem, "%s", bad.c_str());
    }
    return {verdicts.begin(), verdicts.begin() + static_cast<std::ptrdiff_t>(count)};
  }

  int runs_before() const { return from_ == state::warm ? until_prepared : 0; }

  const sample& sample_;
  state from_;
  const fs::path* kernels_;
  reference right_;
};

// ---- reports --------------------------------------------------------------------------------------------------------

/// Where a call came from, one frame a line, as `module+offset` or what addr2line makes of it.
void print_frames(const record& r) {
  for (int i = 0; i < r.depth; ++i) {
    Dl_info where{};
    if (!dladdr(r.frames[i], &where) || !where.dli_fname) continue;
    const auto offset = static_cast<char*>(r.frames[i]) - static_cast<char*>(where.dli_fbase) - 1;
    char command[1000];
    std::snprintf(command, sizeof command, "addr2line -Cfspe '%s' 0x%tx 2>/dev/null", where.dli_fname, offset);
    char line[600] = "";
    if (FILE* from = popen(command, "r")) {
      if (!std::fgets(line, sizeof line, from)) line[0] = '\0';
      pclose(from);
    }
    line[std::strcspn(line, "\n")] = '\0';
    std::printf("      %s+0x%tx %.200s\n", fs::path(where.dli_fname).filename().c_str(), offset, line);
  }
}

struct tally {
  long injected = 0, absorbed = 0, wrong = 0;
};

struct choices {
  bool all = false;
  bool tell = false;
  long each = 6, share = 0, shares = 1;
  std::optional<std::string> sample, state, kind, manner;
  std::optional<long> at;
};

bool wanted(const std::optional<std::string>& asked, const std::string& is) { return !asked || *asked == is; }

/// All indices, or some that are spread evenly.
std::vector<plan> plans_for(kind k, manner m, long calls, const choices& c) {
  std::vector<plan> plans;
  if (c.at) return {{k, m, *c.at}};
  const long count = c.all ? calls : std::min(calls, c.each);
  for (long i = c.share; i < count; i += c.shares)
    plans.push_back({k, m, count == calls ? i : (2 * i + 1) * calls / (2 * count)});
  return plans;
}

class campaign {
 public:
  explicit campaign(choices c) : choices_(std::move(c)) {}

  void run(const sample& s) {
    const fs::path kernels = fs::absolute("kernels");
    fs::remove_all(kernels);
    group cold(s, state::cold, nullptr), stored(s, state::stored, &kernels), warm(s, state::warm, &kernels);
    cold.measure_in_child(&kernels);
    for (group* g : {&cold, &stored, &warm}) {
      const state from = g == &cold ? state::cold : g == &stored ? state::stored : state::warm;
      if (!wanted(choices_.state, state_words[static_cast<int>(from)])) continue;
      if (from == state::stored && fs::is_empty(kernels)) continue;  // the interpreter keeps none
      if (g != &cold) g->measure_in_child(nullptr);
      run(s, from, *g);
    }
  }

  /// Did all go well, and was there anything?
  bool conclude() const {
    std::printf("\n%ld injections: %ld not noticed, %ld ended in an exception, %ld wrong\n", total_.injected,
                total_.absorbed, total_.injected - total_.absorbed - total_.wrong, total_.wrong);
    return total_.wrong == 0 && total_.injected > 0;
  }

 private:
  void run(const sample& s, state from, group& g) {
    for (const kind k : {kind::memory, kind::system_memory, kind::files, kind::driver})
      for (const manner m : {manner::once, manner::for_ever, manner::interrupted, manner::refused, manner::lost}) {
        if (m == manner::interrupted && k != kind::files) continue;
        if ((m == manner::refused || m == manner::lost) && k != kind::driver) continue;
        if (!wanted(choices_.kind, word(k)) || !wanted(choices_.manner, word(m))) continue;
        const std::vector<plan> plans = plans_for(k, m, g.calls(k), choices_);
        if (plans.empty()) continue;
        tally here;
        g.run(plans, [&](const plan& p, const verdict& v) { note(s, from, p, v, here); });
        std::printf("%-22s %-7s %-14s %-12s %6ld calls %6ld injected %6ld not noticed %6ld wrong\n", s.name().c_str(),
                    state_words[static_cast<int>(from)], word(k), word(m), g.calls(k), here.injected, here.absorbed,
                    here.wrong);
        total_.injected += here.injected;
        total_.absorbed += here.absorbed;
        total_.wrong += here.wrong;
      }
  }

  void note(const sample& s, state from, const plan& p, const verdict& v, tally& to) {
    const bool reached = v.faults.failed > 0 || !v.over;
    to.injected += reached;
    to.absorbed += reached && v.absorbed && !v.wrong;
    to.wrong += v.wrong;
    if (choices_.tell && !v.wrong)
      std::printf("  %s %ld %s: %s\n", word(p.how), p.at, v.faults.name, v.absorbed ? "not noticed" : v.said);
    if (!v.wrong && !choices_.at) return;
    if (++told_ > shown && !choices_.at) return;
    std::printf("%s: sinter_fault --sample %s --state %s --kind %s --manner %s --at %ld: %s\n  %s\n",
                v.wrong ? "WRONG" : "right", s.name().c_str(), state_words[static_cast<int>(from)], word(p.which),
                word(p.how), p.at, v.faults.name, v.problem);
    if (told_ <= traced || choices_.at) print_frames(v.faults);
  }

  choices choices_;
  tally total_;
  long told_ = 0;
};

/// As the ctest entries do it.
void choose_device(const std::string& name) {
  const bool softgpu = name == "softgpu";
  setenv("SINTER_DEVICE", softgpu ? "cuda" : name.c_str(), 1);
  if (!softgpu) return;
  for (const char* variable : {"SINTER_CUDA_DRIVER", "SINTER_NVRTC", "SINTER_CUBLAS", "SINTER_CUBLASLT", "SINTER_CUFFT",
                               "SINTER_CUSOLVER", "SINTER_CUDSS"})
    setenv(variable, SINTER_FAULT_SOFTGPU, 1);
}

/// "0/4": the first of four.
std::pair<long, long> parse_share(const std::string& word) {
  long share = -1, shares = 0;
  if (std::sscanf(word.c_str(), "%ld/%ld", &share, &shares) != 2 || share < 0 || share >= shares)
    throw std::runtime_error("a share is as 0/4, and not " + word);
  return {share, shares};
}

choices parse(int count, char** words) {
  choices c;
  const char* const environment = std::getenv("SINTER_FAULTS");
  c.all = environment && std::strcmp(environment, "all") == 0;
  for (int i = 1; i < count; ++i) {
    const std::string option = words[i];
    if (option == "--all") {
      c.all = true;
      continue;
    }
    if (option == "--tell") {
      c.tell = true;
      continue;
    }
    if (i + 1 == count) throw std::runtime_error(option + " needs a word after it");
    const std::string value = words[++i];
    if (option == "--sample") c.sample = value;
    else if (option == "--device") choose_device(value);
    else if (option == "--state") c.state = value;
    else if (option == "--kind") c.kind = value;
    else if (option == "--manner") c.manner = value;
    else if (option == "--at") c.at = std::stol(value);
    else if (option == "--each") c.each = std::stol(value);
    else if (option == "--share") std::tie(c.share, c.shares) = parse_share(value);
    else throw std::runtime_error("there is no option " + option);
  }
  return c;
}

/// Where everything is that the trials write, and from where the samples find their data. In memory where there is such a
/// place: a disk takes more time than all else.
void enter_work_folder() {
  const bool in_memory = access("/dev/shm", W_OK | X_OK) == 0;
  const fs::path work = fs::path(in_memory ? "/dev/shm" : SINTER_FAULT_WORK) /
                        ("sinter_fault-" + std::to_string(10'000'000 + getpid()));  // as long in every run
  fs::remove_all(work);
  fs::create_directories(work);
  fs::current_path(work);
  fs::create_directory_symlink(SINTER_SOURCE_DIR "/samples", "samples");
  fs::create_directories(fs::path(SINTER_FAULT_WORK) / "images");
  setenv("SINTER_TEST_IMAGES", SINTER_FAULT_WORK "/images", 0);  // ctest has one for all tests
  setenv("SINTER_CC", SINTER_FAULT_COMPILER "cc", 1);
  setenv("SOFTGPU_CXX", SINTER_FAULT_COMPILER "c++", 1);
  setenv("SINTER_NUM_THREADS", "1", 1);  // threads do not survive a fork
}

}  // namespace

// What a library makes of a host without memory while it is being loaded is not Sinter's: glibc's loader and OpenBLAS end the process.
void load_libraries() {
  for (const char* file : {"libopenblas.so.0", "libfftw3.so.3", "libfftw3f.so.3", "libhwy_contrib.so.1"})
    dlopen(file, RTLD_NOW | RTLD_LOCAL);
}

int main(int count, char** words) try {
  const choices c = parse(count, words);
  load_libraries();
  set_tested(reinterpret_cast<void*>(&sinter::synchronize));
  driver::open();
  enter_work_folder();
  campaign all(c);
  for (const sample& s : samples_in(SINTER_FAULT_SAMPLES))
    if (wanted(c.sample, s.name())) all.run(s);
  const bool good = all.conclude();
  const fs::path work = fs::current_path();
  fs::current_path("/");
  fs::remove_all(work);
  return good ? 0 : 1;
} catch (const std::exception& e) {
  std::cerr << "sinter_fault: " << e.what() << '\n';
  return 2;
}
