// The disk cache at the size that users meet on a cluster's home folder: 64 processes, 2,000 look-ups each, eviction all
// the time, a quarter of the processes killed in the middle of it. What may not happen: an image that is torn or another
// kernel's, an entry lost without having been evicted, a folder that outgrows its limit or keeps what the dead left.
#include <dirent.h>
#include <doctest/doctest.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <ctime>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <thread>

#include "codegen/cache/disk.hpp"
#include "codegen/cache/entry.hpp"
#include "codegen/cache/gate.hpp"
#include "codegen/cache/sweep.hpp"
#include "test/codegen/scratch.hpp"

namespace fs = std::filesystem;
using namespace sinter::codegen;
using namespace sinter::test;

namespace {

constexpr int keys = 600;
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr int processes = 16;  // each of which then takes a hundred megabytes
constexpr int lookups = 400;
#else
constexpr int processes = 64;
constexpr int lookups = 2000;
#endif
constexpr int doomed = processes / 4;

constexpr std::uint64_t no_eviction = 64 << 20;
constexpr std::uint64_t tight = 6 << 20;  // well below half of all keys together

// ---- what is stored: a function of the key -------------------------------------------------------------------------

struct kernel {
  std::string identity, source;
  bytes image;
  std::string place;  // below the cache's folder
};

// Sizes from 100 bytes to 200 KB, as many of each magnitude; contents that no other key has at any offset.
kernel make_kernel(int key) {
  kernel made;
  made.identity = "identity " + std::to_string(key % 3);
  made.source = "source " + std::to_string(key);
  const double magnitude = static_cast<double>(key * 73 % keys) / (keys - 1);
  made.image.resize(static_cast<std::size_t>(std::lround(100 * std::pow(2000.0, magnitude))));
  std::minstd_rand random(static_cast<unsigned>(key) + 1);
  for (std::byte& b : made.image) b = static_cast<std::byte>(random() >> 8);
  const entry_place place = place_of(entry_key(made.identity, made.source));
  made.place = place.folder + "/" + place.file;
  return made;
}

// Made once, before any process starts: all of them share the pages.
const std::vector<kernel>& all_kernels() {
  static const std::vector<kernel> all = [] {
    std::vector<kernel> made;
    made.reserve(keys);
    for (int key = 0; key < keys; ++key) made.push_back(make_kernel(key));
    return made;
  }();
  return all;
}

// ---- where it is stored --------------------------------------------------------------------------------------------

// In memory where there is such a folder: a store then costs what Sinter makes it cost, and processes meet more often.
std::string folder_in_memory() {
  return ::access("/dev/shm", R_OK | W_OK | X_OK) == 0 ? "/dev/shm" : fs::temp_directory_path().string();
}

// What lies in a cache's folder. Everything else than these is wrong.
struct inventory {
  std::uint64_t entry_bytes = 0;
  std::vector<std::string> entries, temporaries;
  std::vector<std::string> wrong;  ///< neither whole entries of the kernels they are named for, nor the cache's own
};

inventory look_into(const std::string& folder) {
  std::map<std::string, const kernel*> places;
  for (const kernel& one : all_kernels()) places[folder + "/" + one.place] = &one;
  inventory all;
  for (const auto& item : fs::recursive_directory_iterator(folder)) {
    if (item.is_directory()) continue;
    const std::string path = item.path().string();
    const std::string content = item.is_regular_file() ? read_text(path) : "";
    if (const auto at = places.find(path); at != places.end()) {
      const kernel& one = *at->second;
      const bool whole = to_bytes(content) == encode_entry(one.identity, one.source, one.image);
      (whole ? all.entries : all.wrong).push_back(path);
      all.entry_bytes += content.size();
    } else if (item.path().parent_path() == folder + "/tmp") {
      all.temporaries.push_back(path);
    } else if (path != folder + "/swept") {
      all.wrong.push_back(path);
    }
  }
  return all;
}

int open_descriptors() {
  DIR* listing = ::opendir("/proc/self/fd");
  int count = 0;
  while (listing && ::readdir(listing)) ++count;
  if (listing) ::closedir(listing);
  return count;
}

// ---- the processes -------------------------------------------------------------------------------------------------

// What the processes tell each other outside the cache under test.
struct board {
  std::atomic<int> progress[processes];
  std::atomic<bool> stored[keys];  // some store of this key has returned
  std::atomic<int> hits, misses;
};

class shared_board {
 public:
  shared_board() : memory_(::mmap(nullptr, sizeof(board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    REQUIRE(memory_ != MAP_FAILED);
  }
  ~shared_board() { ::munmap(memory_, sizeof(board)); }
  shared_board(const shared_board&) = delete;
  shared_board& operator=(const shared_board&) = delete;

  board* operator->() const { return static_cast<board*>(memory_); }
  board& operator*() const { return *static_cast<board*>(memory_); }

 private:
  void* memory_;
};

enum verdict { fine, wrong_image, lost_entry, leaked_descriptor, exception_out };

struct storm {
  std::string folder;
  std::uint64_t limit;
  unsigned seed;

  bool evicts() const { return limit < no_eviction; }
};

// A few kernels are asked for most of the time, as in a program; the rest keep the eviction busy.
int any_key(std::minstd_rand& random) {
  const double u = std::uniform_real_distribution<double>()(random);
  return std::min(keys - 1, static_cast<int>(keys * u * u * u * u));
}

verdict look_up(disk_cache& cache, const storm& in, board& shared, int key, bool store_anyway) {
  const kernel& wanted = all_kernels()[static_cast<std::size_t>(key)];
  const bool expected = !in.evicts() && shared.stored[key].load();
  const std::optional<bytes> found = cache.load(wanted.identity, wanted.source);
  ++(found ? shared.hits : shared.misses);
  if (found && *found != wanted.image) return wrong_image;
  if (!found && expected) return lost_entry;
  if (!found || store_anyway) {
    cache.store(wanted.identity, wanted.source, wanted.image);
    shared.stored[key].store(true);
  }
  return fine;
}

// The doomed never finish by themselves, and store more than others do, to die in the middle of a store more often.
verdict work(const storm& in, board& shared, int self) {
  const bool is_doomed = self < doomed;
  disk_cache cache(in.folder, in.limit);
  std::minstd_rand random(in.seed * 1000 + static_cast<unsigned>(self));
  const int before = open_descriptors();
  for (int i = 0; is_doomed || i < lookups; ++i) {
    const int key = any_key(random);
    const verdict came = look_up(cache, in, shared, key, is_doomed && random() % 8 == 0);
    if (came != fine) return came;
    shared.progress[self].store(i + 1);
  }
  return open_descriptors() == before ? fine : leaked_descriptor;
}

struct outcome {
  std::map<int, int> verdicts;       ///< how many of those that ended by themselves ended how
  std::set<long> killed;             ///< process ids
  std::vector<inventory> snapshots;  ///< the folder while all processes stood still
  std::string complaints;            ///< what they wrote to stderr
};

class crowd {
 public:
  crowd(const storm& in, board& shared) : in_(in), shared_(shared), errors_(std::tmpfile()) {
    REQUIRE(errors_);
    all_kernels();
    int gate[2];
    REQUIRE(::pipe(gate) == 0);
    std::fflush(nullptr);
    for (int self = 0; self < processes; ++self) {
      const pid_t child = ::fork();
      if (child == 0) be_child(self, gate);
      REQUIRE(child > 0);
      children_[self] = child;
    }
    ::close(gate[0]);
    ::close(gate[1]);  // no process holds the other end any more: all start at once
  }
  ~crowd() { std::fclose(errors_); }
  crowd(const crowd&) = delete;
  crowd& operator=(const crowd&) = delete;

  // Kills each of the doomed when it has come as far as the seed says, wherever in its work that meets it.
  void kill_the_doomed() {
    std::minstd_rand random(in_.seed);
    int left[doomed];
    for (int& lives : left) lives = 1 + static_cast<int>(random() % (lookups * 9u / 10));
    for (int alive = doomed; alive > 0;) {
      std::this_thread::sleep_for(std::chrono::microseconds(500 + random() % 1000));
      for (int self = 0; self < doomed; ++self) {
        if (left[self] < 0 || shared_.progress[self].load() < left[self]) continue;
        ::kill(children_[self], SIGKILL);
        left[self] = -1;
        --alive;
        if (alive % 2 == 0) stand_still();
      }
    }
  }

  outcome wait_for_all() {
    for (const pid_t child : children_) {
      int status = 0;
      ::waitpid(child, &status, 0);
      if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
        result_.killed.insert(child);
      } else {
        ++result_.verdicts[WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status)];
      }
    }
    std::rewind(errors_);
    for (int c; (c = std::fgetc(errors_)) != EOF;) result_.complaints += static_cast<char>(c);
    return result_;
  }

 private:
  [[noreturn]] void be_child(int self, const int (&gate)[2]) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // the doomed would outlive a test run that is cut off
    ::dup2(::fileno(errors_), STDERR_FILENO);
    ::close(gate[1]);
    char nothing;
    while (::read(gate[0], &nothing, 1) > 0) {
    }
    ::close(gate[0]);
    int code = exception_out;
    try {
      code = work(in_, shared_, self);
    } catch (...) {
    }
    ::_exit(code);
  }

  // Stops all processes amid what they do and looks at the folder, which must be as good as at any other time.
  void stand_still() {
    for (const pid_t child : children_) ::kill(child, SIGSTOP);
    for (const pid_t child : children_) {
      siginfo_t ignored;
      ::waitid(P_PID, static_cast<id_t>(child), &ignored, WSTOPPED | WEXITED | WNOWAIT);
    }
    result_.snapshots.push_back(look_into(in_.folder));
    for (const pid_t child : children_) ::kill(child, SIGCONT);
  }

  const storm& in_;
  board& shared_;
  std::FILE* errors_;
  pid_t children_[processes];
  outcome result_;
};

outcome run(const storm& in, board& shared) {
  crowd all(in, shared);
  all.kill_the_doomed();
  return all.wait_for_all();
}

// What holds after every storm, whichever processes died in it and wherever.
void check_outcome(const outcome& result, const storm& in, board& shared) {
  CHECK(result.verdicts == std::map<int, int>{{fine, processes - doomed}});
  CHECK(result.killed.size() == doomed);
  CHECK(result.complaints == "");
  CHECK(shared.hits + shared.misses >= (processes - doomed) * lookups);
  CHECK(shared.hits > shared.misses);
  std::vector<inventory> seen = result.snapshots;
  seen.push_back(look_into(in.folder));
  std::uint64_t all_bytes = 0;
  for (const inventory& now : seen) {
    CHECK(now.wrong == std::vector<std::string>{});
    all_bytes += now.entry_bytes;
  }
  // Processes that know nothing of each other go past the limit between two sweeps, but do not run away from it: all
  // kernels together take more than this.
  CHECK(all_bytes / seen.size() <= 2 * in.limit);
  for (const std::string& path : seen.back().temporaries) {
    CAPTURE(path);  // "<process>-<digits>", never ".bad": no process met damage
    const std::string name = fs::path(path).filename().string();
    CHECK(result.killed.count(std::atol(name.c_str())) == 1);
    CHECK(name.find('.') == std::string::npos);
  }
}

// A process that was not there before finds everything it should, can store the rest, and is stopped by nothing that the
// dead have left.
void check_fresh_process(const storm& in, board& shared) {
  const child_report report = in_child([&] {
    disk_cache cache(in.folder, in.limit);
    for (int key = 0; key < keys; ++key) {
      const kernel& one = all_kernels()[static_cast<std::size_t>(key)];
      const bool must_be_there = fs::exists(in.folder + "/" + one.place) || (!in.evicts() && shared.stored[key].load());
      std::optional<bytes> found = cache.load(one.identity, one.source);
      if (!found && must_be_there) return static_cast<int>(lost_entry);
      if (!found) {
        cache.store(one.identity, one.source, one.image);
        found = cache.load(one.identity, one.source);
      }
      if (!found) return static_cast<int>(lost_entry);
      if (*found != one.image) return static_cast<int>(wrong_image);
    }
    return static_cast<int>(fine);
  });
  CHECK(report.exit_code == fine);
  CHECK(report.errors == "");
}

// The dead's temporary files go as soon as they are old enough to have no owner.
void check_final_sweep(const storm& in) {
  for (const std::string& path : look_into(in.folder).temporaries) {
    const struct timespec hours_ago { ::time(nullptr) - 2 * 60 * 60, 0 };
    const struct timespec both[2] = {hours_ago, hours_ago};
    REQUIRE(::utimensat(AT_FDCWD, path.c_str(), both, 0) == 0);
  }
  const gate_answer cache = open_trusted(in.folder);
  REQUIRE(cache.folder);
  sweep(cache.folder.get(), in.limit);
  const inventory now = look_into(in.folder);
  CHECK(now.temporaries == std::vector<std::string>{});
  CHECK(now.wrong == std::vector<std::string>{});
  CHECK(now.entry_bytes <= in.limit / 8 * 7);
  CHECK(now.entries.size() > 0);
}

}  // namespace

TEST_CASE("disk cache: 64 processes evict each other's entries, 16 are killed: no torn or wrong entry, limit kept") {
  const environment in_memory("TMPDIR", folder_in_memory().c_str());
  const scratch room;
  const shared_board shared;
  const storm in{room / "cache", tight, 1};
  const outcome result = run(in, *shared);
  check_outcome(result, in, *shared);
  const auto stored =
      std::count_if(std::begin(shared->stored), std::end(shared->stored), [](const auto& is) { return is.load(); });
  CHECK(look_into(in.folder).entries.size() < static_cast<std::size_t>(stored));  // there was eviction
  check_fresh_process(in, *shared);
  check_final_sweep(in);
}

TEST_CASE("disk cache: 64 processes without eviction, 16 are killed: nothing that was stored is lost") {
  const scratch room;  // on the disk, where a store takes its time
  const shared_board shared;
  const storm in{room / "cache", no_eviction, 2};
  const outcome result = run(in, *shared);
  check_outcome(result, in, *shared);
  for (const inventory& snapshot : result.snapshots) {
    for (const std::string& path : snapshot.entries) CHECK(fs::exists(path));
  }
  check_fresh_process(in, *shared);
  const std::size_t before = look_into(in.folder).entries.size();
  CHECK(before == keys);
  check_final_sweep(in);
  CHECK(look_into(in.folder).entries.size() == before);
}

TEST_CASE("disk cache: the limit is one for all processes, however little each of them stores") {
  const environment in_memory("TMPDIR", folder_in_memory().c_str());
  const scratch room;
  constexpr std::uint64_t limit = 200'000;
  constexpr int short_lives = 120;
  for (int life = 0; life < short_lives; ++life) {
    const child_report report = in_child([&] {
      disk_cache(room / "cache", limit).store("identity", std::to_string(life), bytes(limit / 20));
      return 0;
    });
    CHECK(report.exit_code == 0);
  }
  std::uint64_t total = 0;
  for (const auto& item : fs::recursive_directory_iterator(room / "cache")) {
    if (item.is_regular_file()) total += item.file_size();
  }
  // Together six times the limit. Each of them sweeps with a chance of four in five; that fifteen in a row do not happens
  // once in three hundred million runs.
  CHECK(total <= limit + limit * 3 / 4);
  CHECK(total > limit / 2);
}
