// What the disk cache makes of a failing disk, a folder that changes under it, damaged content and a clock set back. Every
// call it makes to the file system fails here once, at every place, and from every place on; and every such call is where
// the process is killed, or where another one comes in between. Linux's seccomp tells a second thread of each call.
#include <doctest/doctest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <functional>
#include <optional>
#include <random>
#include <thread>

#include "codegen/cache/disk.hpp"
#include "codegen/cache/entry.hpp"
#include "codegen/cache/gate.hpp"
#include "codegen/cache/images.hpp"
#include "codegen/cache/sweep.hpp"
#include "test/codegen/scratch.hpp"

namespace fs = std::filesystem;
using namespace sinter::codegen;
using namespace sinter::test;

namespace {

constexpr std::uint64_t roomy = 64 << 20;
constexpr const char* identity = "identity";

// ---- coming in between ---------------------------------------------------------------------------------------------

const std::vector<int> all_calls = {
#ifdef SYS_stat
    SYS_stat,       SYS_lstat,    SYS_mkdir,   SYS_rename,
#endif
#ifdef SYS_newfstatat
    SYS_newfstatat,
#endif
#ifdef SYS_renameat
    SYS_renameat,
#endif
    SYS_openat,     SYS_read,     SYS_write,   SYS_fsync,     SYS_fstat,      SYS_statx,
    SYS_renameat2,  SYS_unlinkat, SYS_mkdirat, SYS_utimensat, SYS_getdents64, SYS_getrandom};

#ifdef SYS_renameat
constexpr int renaming = SYS_renameat;
#else
constexpr int renaming = SYS_renameat2;
#endif

bool is_rename(int call) { return call == renaming || call == SYS_renameat2; }

/// Decides on a call to the file system: is told how many there were before and which this is, and gives the error it
/// fails with, or 0: it goes ahead. May do anything before it answers.
using decision = std::function<int(int, int)>;

/// From here on such calls of the calling thread are held until an answer comes through the descriptor this gives.
int hold(const std::vector<int>& calls) {
  struct seccomp_notif_sizes sizes;
  if (::syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) != 0) return -1;
  if (sizes.seccomp_notif > sizeof(seccomp_notif) || sizes.seccomp_notif_resp > sizeof(seccomp_notif_resp)) return -1;
  std::vector<sock_filter> program = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const int call : calls) {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 1));
    program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF));
  }
  program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return static_cast<int>(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &filter));
}

/// Waits for a call and answers it. False where there will be none: the thread has ended, or this does not work here.
bool answer_call(int listener, const std::function<int(const seccomp_data&)>& decide) {
  struct pollfd waiting {
    listener, POLLIN, 0
  };
  while (::poll(&waiting, 1, -1) < 0 && errno == EINTR) {
  }
  seccomp_notif call{};
  if (!(waiting.revents & POLLIN)) return false;
  if (::ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) return errno == EINTR;
  seccomp_notif_resp answer{};
  answer.id = call.id;
  answer.error = -decide(call.data);
  if (answer.error == 0) answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  return ::ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer) == 0;
}

/// Runs `work` in a second thread and decides on each of its calls in this one. Returns how many there were, or -1 where
/// the system does not have what this needs.
int watched(const decision& decide, const std::function<void()>& work, const std::vector<int>& calls = all_calls) {
  constexpr int none = -2;
  std::atomic<int> listener{none};
  std::atomic<bool> done{false};
  std::thread worker([&] {
    const int held = hold(calls);
    listener.store(held);
    listener.notify_one();
    if (held >= 0) work();
    done.store(held >= 0);
  });
  listener.wait(none);
  unique_fd held(std::max(-1, listener.load()));
  int seen = 0;
  const auto next = [&](const seccomp_data& call) {
    const bool warning = call.nr == SYS_write && call.args[0] == STDERR_FILENO;
    return done.load() || warning ? 0 : decide(seen++, call.nr);  // a sanitizer has calls of its own when a thread ends
  };
  while (held && answer_call(held.get(), next)) {
  }
  held.reset();
  worker.join();
  return done.load() ? seen : -1;
}

bool can_watch() {
  struct stat root;
  if (watched([](int, int) { return 0; }, [&] { ::stat("/", &root); }) == 1) return true;
  MESSAGE("skipped: this system does not let a process watch its own calls (seccomp)");
  return false;
}

constexpr int something_wrong = 91;  // and stderr says what

/// Runs `work` in a child: it changes what a process warns about once, or does not survive. It returns what is wrong.
template <class Work>
child_report judged(Work work) {
  return in_child([&] {
    const std::string wrong = work();
    if (!wrong.empty()) std::fprintf(stderr, "wrong: %s\n", wrong.c_str());
    return wrong.empty() ? 0 : something_wrong;
  });
}

// ---- a cache to try it on ------------------------------------------------------------------------------------------

bytes image_of(const std::string& source) {
  std::seed_seq seed(source.begin(), source.end());
  std::minstd_rand random(seed);
  bytes image(2000 + random() % 4000);
  for (std::byte& b : image) b = static_cast<std::byte>(random() >> 8);
  return image;
}

void keep(disk_cache& cache, const std::string& source) { cache.store(identity, source, image_of(source)); }
bool finds(disk_cache& cache, const std::string& source) {
  const auto found = cache.load(identity, source);
  return found && *found == image_of(source);
}
/// Nothing, or the right image.
bool right(disk_cache& cache, const std::string& source) {
  const auto found = cache.load(identity, source);
  return !found || *found == image_of(source);
}

std::string entry_path(const std::string& folder, const std::string& source) {
  const entry_place place = place_of(entry_key(identity, source));
  return folder + "/" + place.folder + "/" + place.file;
}

std::string entry_text(const std::string& source) { return to_text(encode_entry(identity, source, image_of(source))); }

void flip_bit(const std::string& path, std::size_t bit) {
  std::string content = read_text(path);
  content.at(bit / 8) = static_cast<char>(content[bit / 8] ^ (1 << bit % 8));
  write_text(path, content);
}

void set_time(const std::string& path, std::time_t when) {
  const struct timespec both[2] = {{when, 0}, {when, 0}};
  REQUIRE(::utimensat(AT_FDCWD, path.c_str(), both, 0) == 0);
}

/// "old" and "other" are whole, "damaged" is not; one process swept lately, and one died long ago.
void prepare(const std::string& folder) {
  fs::remove_all(folder);
  fs::create_directories(folder + "/tmp");
  fs::permissions(folder, fs::perms(0700));
  write_text(folder + "/swept", "");
  write_text(folder + "/tmp/1-old", "what was written before a process died");
  set_time(folder + "/tmp/1-old", ::time(nullptr) - 7200);
  for (const std::string source : {"old", "other", "damaged"}) {
    fs::create_directories(fs::path(entry_path(folder, source)).parent_path());
    write_text(entry_path(folder, source), entry_text(source));
  }
  flip_bit(entry_path(folder, "damaged"), 8 * 1000);
}

/// What is wrong with the files of a cache, if anything.
std::string wrong_files(const std::string& folder, const std::vector<std::string>& sources) {
  std::string wrong;
  for (const auto& item : fs::recursive_directory_iterator(folder)) {
    const std::string path = item.path().string();
    if (item.is_directory() || item.path().parent_path() == folder + "/tmp" || path == folder + "/swept") continue;
    const bool whole = std::any_of(sources.begin(), sources.end(), [&](const std::string& source) {
      return path == entry_path(folder, source) && read_text(path) == entry_text(source);
    });
    if (!whole) wrong += path + " is no whole entry; ";
  }
  return wrong;
}

int open_descriptors() {
  int count = 0;
  for (int fd = 0; fd < 256; ++fd) count += ::fcntl(fd, F_GETFD) >= 0;
  return count;
}

std::string folder_in_memory() {
  return ::access("/dev/shm", R_OK | W_OK | X_OK) == 0 ? "/dev/shm" : fs::temp_directory_path().string();
}

/// All that a program does with a cache, while anything may go wrong.
std::string use(const std::string& folder) {
  disk_cache cache(folder, roomy);
  if (!right(cache, "old")) return "a torn image";
  if (cache.load(identity, "damaged")) return "a damaged image was believed";
  keep(cache, "fresh");
  if (!right(cache, "fresh")) return "a torn image of what was just stored";
  keep(cache, "old");
  if (!right(cache, "old")) return "a torn image of what was stored again";
  return {};
}

/// What a process must find that comes after `use` met failures: everything that was whole before, and a cache that works.
std::string look_after_use(const std::string& folder) {
  disk_cache cache(folder, roomy);
  if (!cache.usable()) return "the folder is of no use any more";
  if (!finds(cache, "old") || !finds(cache, "other")) return "an entry was lost";
  if (!right(cache, "fresh")) return "an entry is torn";
  if (cache.load(identity, "damaged")) return "a damaged entry is believed";
  for (const std::string source : {"damaged", "fresh", "next"}) {
    keep(cache, source);
    if (!finds(cache, source)) return "nothing can be stored any more";
  }
  return wrong_files(folder, {"old", "other", "damaged", "fresh", "next"});
}

std::string described(int index, int error, bool for_ever, const std::string& what) {
  return "call " + std::to_string(index) + " fails with " + std::strerror(error) + (for_ever ? " for ever: " : ": ") +
         what;
}

struct failures {
  std::vector<int> errors;
  std::vector<int> calls = all_calls;
  int step = 1;  ///< every how many-th call fails
};

/// Runs `work` again and again, each time with another call that fails; and first without. `work` and `look` say what is
/// wrong.
template <class Prepare, class Work, class Look>
std::string fail_calls(const failures& plan, Prepare before, Work work, Look look) {
  int seen = 0;
  const auto run = [&](int index, int error, bool for_ever) {
    before();
    const int descriptors = open_descriptors();
    std::string wrong;
    const auto fails = [=](int now, int) { return now == index || (for_ever && now > index) ? error : 0; };
    seen = watched(
        fails, [&] { wrong = work(); }, plan.calls);
    if (!wrong.empty()) return wrong;
    return open_descriptors() != descriptors ? "a descriptor was left open" : look();
  };
  if (const std::string wrong = run(-1, 0, false); !wrong.empty()) return "without a failure: " + wrong;
  const int all = seen;
  if (all < 30) return "hardly any call was seen";
  for (const int error : plan.errors) {
    for (const bool for_ever : {false, true}) {
      if (for_ever && error == EINTR) continue;  // the cache tries an interrupted call again
      for (int index = 0; index < all; index += plan.step) {
        const std::string wrong = run(index, error, for_ever);
        if (!wrong.empty()) return described(index, error, for_ever, wrong);
      }
    }
  }
  return {};
}

/// Runs `work` once for each of its calls, with `disturb` coming in before that call; and first undisturbed. `look` says
/// what is wrong after it; it is told whether a file got its name after the disturbance.
template <class Prepare, class Disturb, class Work, class Look>
std::string disturb_every_call(Prepare before, Disturb disturb, Work work, Look look) {
  const auto run = [&](int index, int& seen) {
    before();
    bool named = false;
    const auto come_in = [&](int now, int call) {
      if (now == index) disturb();
      named = named || (index >= 0 && now > index && is_rename(call));
      return 0;
    };
    seen = watched(come_in, work);
    return look(named);
  };
  int all = 0, seen = 0;
  if (const std::string wrong = run(-1, all); !wrong.empty()) return "undisturbed: " + wrong;
  if (all < 8) return "hardly any call was seen";
  for (int index = 0; index < all; ++index) {
    const std::string wrong = run(index, seen);
    if (!wrong.empty()) return "before call " + std::to_string(index) + ": " + wrong;
  }
  return {};
}

// Counts, and compiles every source to its own image.
class counting_compiler final : public compiler {
 public:
  const std::string& identity() const override { return name_; }
  const char* extension() const override { return "c"; }
  bytes compile(std::string_view source) const override {
    ++compiled;
    return image_of(std::string(source));
  }

  mutable int compiled = 0;

 private:
  std::string name_ = ::identity;
};

}  // namespace

TEST_CASE("cache faults: any call of a load or store fails, once or for ever: no exception, no entry lost") {
  if (!can_watch()) return;
  const environment in_memory("TMPDIR", folder_in_memory().c_str());
  const scratch room;
  const std::string folder = room / "cache";
  const child_report report = judged([&] {
    return fail_calls(
        {.errors = {EIO, ENOSPC, EACCES, EMFILE, ENOENT, EINTR}}, [&] { prepare(folder); }, [&] { return use(folder); },
        [&] { return look_after_use(folder); });
  });
  CAPTURE(report.errors);
  CHECK(report.exit_code == 0);
  CHECK(report.lines() <= 4);  // one for each reason, whatever their number
}

TEST_CASE("cache faults: any call of an eviction fails, once or for ever: the next one goes through") {
  if (!can_watch()) return;
  const environment in_memory("TMPDIR", folder_in_memory().c_str());
  const scratch room;
  const std::string folder = room / "cache";
  constexpr std::uint64_t limit = 20'000;
  const std::vector<std::string> sources = {"a", "b", "c", "d", "e", "f", "g", "h"};
  const child_report report = judged([&] {
    const auto many = [&] {
      prepare(folder);
      fs::remove(entry_path(folder, "damaged"));
      for (const std::string& source : sources) {
        fs::create_directories(fs::path(entry_path(folder, source)).parent_path());
        write_text(entry_path(folder, source), entry_text(source));
      }
    };
    const auto evict = [&] {
      const gate_answer cache = open_trusted(folder);
      if (cache.folder) sweep(cache.folder.get(), limit);
      return std::string();
    };
    const auto look = [&]() -> std::string {
      std::vector<std::string> all = sources;
      all.insert(all.end(), {"old", "other"});
      if (std::string wrong = wrong_files(folder, all); !wrong.empty()) return wrong;
      evict();
      std::uint64_t total = 0, largest = 0;
      for (const std::string& source : all) {
        const std::string path = entry_path(folder, source);
        if (fs::exists(path)) total += fs::file_size(path);
        largest = std::max<std::uint64_t>(largest, entry_text(source).size());
      }
      if (total > limit) return "the limit does not hold";
      if (total + largest < limit * 3 / 4) return "more was evicted than had to be";
      return fs::is_empty(folder + "/tmp") ? "" : "what a dead process left is still there";
    };
    std::vector<int> others = all_calls;
    others.erase(std::find(others.begin(), others.end(), SYS_openat));
    std::string wrong = fail_calls({.errors = {EIO, EACCES}, .calls = others}, many, evict, look);
    // Most of the 256 folders are not there, and one is like the other.
    wrong += fail_calls({.errors = {EIO, EMFILE}, .calls = {SYS_openat}, .step = 7}, many, evict, look);
    return wrong;
  });
  CHECK(report.errors == "");
  CHECK(report.exit_code == 0);
}

TEST_CASE("cache faults: where nothing can be written, what is there is still found; where nothing can be read, kept") {
  if (!can_watch()) return;
  const scratch room;
  const std::string folder = room / "cache";
  const child_report report = judged([&]() -> std::string {
    prepare(folder);
    set_time(entry_path(folder, "other"), ::time(nullptr) - 7200);  // a hit would renew it
    disk_cache cache(folder, roomy);
    std::string wrong;
    const auto while_failing = [&](const std::vector<int>& calls, int error, const std::function<std::string()>& work) {
      const auto fails = [&](int, int call) { return std::count(calls.begin(), calls.end(), call) > 0 ? error : 0; };
      watched(fails, [&] { wrong += work(); });
    };
    const std::vector<int> all_writing = {SYS_write,    SYS_fsync,   renaming,     SYS_renameat2,
                                          SYS_unlinkat, SYS_mkdirat, SYS_utimensat};
    while_failing(all_writing, EROFS, [&]() -> std::string {
      keep(cache, "fresh");
      if (!finds(cache, "old") || !finds(cache, "other")) return "not found on a disk that cannot be written; ";
      return cache.load(identity, "fresh") || cache.load(identity, "damaged") ? "found what cannot be there; " : "";
    });
    while_failing({SYS_fsync}, EIO, [&] {
      keep(cache, "fresh");
      return cache.load(identity, "fresh") ? "published without having reached the disk; " : "";
    });
    while_failing({SYS_write}, ENOSPC, [&] {
      keep(cache, "old");
      return finds(cache, "old") ? "" : "a full disk cost the entry that was to be replaced; ";
    });
    while_failing({SYS_read}, EIO, [&] { return cache.load(identity, "old") ? "found without being read; " : ""; });
    if (!wrong.empty()) return wrong;
    if (!finds(cache, "old")) return "removed because it could not be read";
    if (read_text(entry_path(folder, "damaged")).empty()) return "removed though it could not be moved";
    keep(cache, "fresh");
    return finds(cache, "fresh") ? "" : "the disk recovered, the cache did not";
  });
  CAPTURE(report.errors);
  CHECK(report.exit_code == 0);
  CHECK(report.lines() == 2);  // cannot write; cannot read
  for (const auto& item : fs::directory_iterator(room / "cache/tmp")) {
    CHECK(item.path().filename().string().find('-') != std::string::npos);
  }
}

TEST_CASE("cache faults: killed before any call: everything else is whole, and the next process goes on") {
  if (!can_watch()) return;
  const environment in_memory("TMPDIR", folder_in_memory().c_str());
  const scratch room;
  const std::string folder = room / "cache";
  bool killed = true;
  for (int index = 0; killed; ++index) {
    prepare(folder);
    const child_report report = judged([&] {
      std::string wrong;
      watched([index](int now, int) { return now == index ? ::kill(::getpid(), SIGKILL) : 0; },
              [&] { wrong = use(folder); });
      return wrong;
    });
    CAPTURE(index);
    killed = report.signal == SIGKILL;
    if (!killed) {
      CHECK(report.exit_code == 0);
      CHECK(index > 30);
    }
    CHECK(wrong_files(folder, {"old", "other", "fresh"}).find(entry_path(folder, "old")) == std::string::npos);
    CHECK(look_after_use(folder) == "");
    for (const auto& item : fs::directory_iterator(folder + "/tmp")) set_time(item.path(), ::time(nullptr) - 7200);
    const gate_answer cache = open_trusted(folder);
    REQUIRE(cache.folder);
    sweep(cache.folder.get(), roomy);
    CHECK(fs::is_empty(folder + "/tmp"));
  }
}

TEST_CASE("cache faults: a folder exchanged at any moment: nothing is read from the new one, nothing written there") {
  if (!can_watch()) return;
  const environment in_memory("TMPDIR", folder_in_memory().c_str());
  const scratch room;
  const std::string folder = room / "cache", theirs = room / "theirs", moved = room / "moved";
  const std::string their_entry = to_text(encode_entry(identity, "old", to_bytes("theirs")));
  for (const bool by_link : {true, false}) {
    CAPTURE(by_link);
    const auto before = [&] {
      for (const std::string& one : {folder, theirs, moved}) fs::remove_all(one);
      prepare(folder);
      fs::create_directories(fs::path(entry_path(theirs, "old")).parent_path());
      write_text(entry_path(theirs, "old"), their_entry);
      fs::permissions(theirs, by_link ? fs::perms(0700) : fs::perms(0777));
    };
    const auto exchange = [&] {
      fs::rename(folder, moved);
      by_link ? fs::create_directory_symlink(theirs, folder) : fs::rename(theirs, folder);
    };
    const child_report report = judged([&] {
      std::string wrong;
      const auto look = [&](bool) -> std::string {
        if (!wrong.empty()) return wrong;
        if (!by_link && fs::exists(moved)) fs::rename(folder, theirs);
        const bool untouched = read_text(entry_path(theirs, "old")) == their_entry &&
                               std::distance(fs::recursive_directory_iterator(theirs), {}) == 3;
        return untouched ? "" : "written into a folder that is not the cache's";
      };
      return disturb_every_call(
          before, exchange, [&] { wrong = use(folder); }, look);
    });
    CAPTURE(report.errors);
    CHECK(report.exit_code == 0);
  }
}

TEST_CASE("cache faults: a folder removed at any moment is made again, and what is then published is there") {
  if (!can_watch()) return;
  const environment in_memory("TMPDIR", folder_in_memory().c_str());
  const scratch room;
  const std::string folder = room / "cache";
  const child_report report = judged([&] {
    disk_cache cache(folder, roomy);
    const auto look = [&](bool named) -> std::string {
      if (named && !finds(cache, "fresh")) return "not stored";
      keep(cache, "next");
      return finds(cache, "next") ? "" : "no cache any more";
    };
    return disturb_every_call([&] { prepare(folder); }, [&] { fs::remove_all(folder); }, [&] { keep(cache, "fresh"); },
                              look);
  });
  CHECK(report.errors == "");
  CHECK(report.exit_code == 0);
}

TEST_CASE("cache faults: a good entry stored while the damaged one is removed stays, at whatever moment it comes") {
  if (!can_watch()) return;
  const environment in_memory("TMPDIR", folder_in_memory().c_str());
  const scratch room;
  const std::string folder = room / "cache";
  const child_report report = judged([&] {
    bool undisturbed = true, believed = false;
    disk_cache cache(folder, roomy);
    const auto store = [&] {
      undisturbed = false;
      keep(cache, "damaged");
    };
    const auto look = [&](bool) -> std::string {
      if (believed) return "a damaged image was believed";
      return finds(cache, "damaged") || undisturbed ? "" : "lost";
    };
    return disturb_every_call([&] { prepare(folder); }, store, [&] { believed = !right(cache, "damaged"); }, look);
  });
  CHECK(report.errors == "");
  CHECK(report.exit_code == 0);
}

TEST_CASE("cache faults: content that is not what was stored costs one compilation") {
  const scratch room;
  const std::string folder = room / "cache", path = entry_path(folder, "old");
  const std::string whole = entry_text("old");
  std::vector<std::string> damages = {"",
                                      "x",
                                      std::string(whole.size(), '\0'),
                                      whole + whole,
                                      entry_text("other"),
                                      to_text(encode_entry("another compiler", "old", image_of("old")))};
  std::minstd_rand random(1);
  for (int i = 0; i < 40; ++i) damages.push_back(whole.substr(0, random() % whole.size()));
  for (int i = 0; i < 40; ++i) {
    damages.push_back(whole);
    damages.back()[random() % whole.size()] ^= static_cast<char>(1 << random() % 8);
  }
  for (std::size_t i = 0; i < damages.size(); ++i) {
    CAPTURE(i);
    prepare(folder);
    write_text(path, damages[i]);
    disk_cache cache(folder, roomy);
    const counting_compiler with;
    image_origin from;
    for (const image_origin expected : {image_origin::compiled, image_origin::disk, image_origin::disk}) {
      CHECK(*image_for(cache, with, "old", &from) == image_of("old"));
      CHECK(from == expected);
    }
    CHECK(with.compiled == 1);
    CHECK(read_text(path) == whole);
    CHECK(finds(cache, "other"));
  }
}

TEST_CASE("cache faults: two entries that changed places are two misses, and come right") {
  const scratch room;
  const std::string folder = room / "cache";
  prepare(folder);
  fs::rename(entry_path(folder, "old"), room / "aside");
  fs::rename(entry_path(folder, "other"), entry_path(folder, "old"));
  fs::rename(room / "aside", entry_path(folder, "other"));
  disk_cache cache(folder, roomy);
  for (const std::string source : {"old", "other"}) CHECK_FALSE(cache.load(identity, source));
  for (const std::string source : {"old", "other"}) keep(cache, source);
  for (const std::string source : {"old", "other"}) CHECK(finds(cache, source));
}

TEST_CASE("cache faults: a file beyond the process's limit is neither begun nor fatal, signal heeded or ignored") {
  const scratch room;
  const std::string folder = room / "cache";
  for (const bool ignored : {false, true}) {
    prepare(folder);
    const child_report report = in_child([&] {
      if (ignored) ::signal(SIGXFSZ, SIG_IGN);
      disk_cache cache(folder, roomy);
      const rlim_t size = entry_text("fresh").size();
      const auto allow = [](rlim_t most) {
        const struct rlimit limit { most, RLIM_INFINITY };
        return ::setrlimit(RLIMIT_FSIZE, &limit) == 0;
      };
      if (!allow(size - 1)) return 1;
      keep(cache, "fresh");
      keep(cache, "fresh");
      if (cache.load(identity, "fresh") || !finds(cache, "other")) return 2;
      if (std::distance(fs::directory_iterator(folder + "/tmp"), {}) != 1) return 3;
      if (!allow(size)) return 4;
      keep(cache, "fresh");
      return finds(cache, "fresh") ? 0 : 5;
    });
    CHECK(report.signal == 0);
    CHECK(report.exit_code == 0);
    CHECK(report.lines() == 1);
    CHECK(report.errors.find("File too large") != std::string::npos);
  }
}

TEST_CASE("cache faults: a clock set back: what is stored from then on stays, what is used is kept, the limit holds") {
  const scratch room;
  const std::string folder = room / "cache";
  constexpr std::uint64_t limit = 100'000;  // about two dozen entries
  const std::time_t tomorrow = ::time(nullptr) + 24 * 60 * 60;
  disk_cache cache(folder, limit);
  std::vector<std::string> early, late;
  for (int i = 0; i < 15; ++i) early.push_back("early " + std::to_string(i));
  for (int i = 0; i < 60; ++i) late.push_back("late " + std::to_string(i));
  const auto bytes_of = [&](const std::vector<std::string>& sources) {
    std::uint64_t total = 0;
    for (const std::string& source : sources) {
      if (fs::exists(entry_path(folder, source))) total += fs::file_size(entry_path(folder, source));
    }
    return total;
  };
  for (const std::string& source : early) {
    keep(cache, source);
    set_time(entry_path(folder, source), tomorrow);
  }
  REQUIRE(bytes_of(early) < limit * 7 / 8);
  set_time(folder + "/swept", tomorrow);
  write_text(folder + "/tmp/1-dead", "x");
  set_time(folder + "/tmp/1-dead", tomorrow);

  REQUIRE(finds(cache, early[3]));  // now in use, after the clock was set back
  struct stat status;
  REQUIRE(::stat(entry_path(folder, early[3]).c_str(), &status) == 0);
  CHECK(status.st_mtim.tv_sec <= ::time(nullptr));
  for (std::size_t i = 0; i < 10; ++i) keep(cache, late[i]);
  CHECK(bytes_of(early) + bytes_of({late.begin(), late.begin() + 10}) <= limit);
  for (std::size_t i = 0; i < 10; ++i) CHECK(finds(cache, late[i]));
  CHECK(finds(cache, early[3]));
  CHECK_FALSE(fs::exists(folder + "/tmp/1-dead"));
  for (std::size_t i = 10; i < late.size(); ++i) {
    keep(cache, late[i]);
    CHECK(finds(cache, late[i]));
    CHECK(bytes_of(early) + bytes_of(late) <= limit);
  }
  CHECK(bytes_of(early) == 0);
}

TEST_CASE("cache faults: clocks that differ by a minute do not upset the order of use") {
  const scratch room;
  const std::string folder = room / "cache";
  constexpr std::uint64_t limit = 60'000;
  disk_cache cache(folder, 1 << 30);
  const std::time_t now = ::time(nullptr);
  for (int i = 0; i < 20; ++i) {
    keep(cache, std::to_string(i));
    set_time(entry_path(folder, std::to_string(i)), i < 4 ? now + 60 : now - 600);  // four by a machine that is ahead
  }
  const gate_answer opened = open_trusted(folder);
  sweep(opened.folder.get(), limit);
  for (int i = 0; i < 4; ++i) CHECK(finds(cache, std::to_string(i)));
}

TEST_CASE("cache faults: an eviction spares what its process has just stored, whatever the clock says of it") {
  const scratch room;
  const std::string folder = room / "cache";
  disk_cache cache(folder, 1 << 30);
  for (int i = 0; i < 20; ++i) {
    keep(cache, std::to_string(i));
    set_time(entry_path(folder, std::to_string(i)), ::time(nullptr) - (i == 7 ? 600 : 60));
  }
  const gate_answer opened = open_trusted(folder);
  sweep(opened.folder.get(), 30'000, fs::relative(entry_path(folder, "7"), folder).string());
  CHECK(finds(cache, "7"));
  sweep(opened.folder.get(), 10'000);
  CHECK_FALSE(finds(cache, "7"));
}
