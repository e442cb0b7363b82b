// The disk cache's promises to one process and its users: whole entries or misses, no trust in folders others can
// write, and a program that goes on whatever the disk does. Several processes at once are in sharing.cpp.
#include "codegen/cache/disk.hpp"

#include <doctest/doctest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstring>

#include "codegen/cache/entry.hpp"
#include "test/codegen/scratch.hpp"

namespace fs = std::filesystem;
using namespace sinter::codegen;
using namespace sinter::test;

namespace {

constexpr std::uint64_t roomy = 64 << 20;

std::string entry_path(const std::string& folder, std::string_view identity, std::string_view source) {
  const entry_place place = place_of(entry_key(identity, source));
  return folder + "/" + place.folder + "/" + place.file;
}

std::size_t count_files(const std::string& folder) {
  std::size_t count = 0;
  if (!fs::exists(folder)) return 0;
  for (const auto& item : fs::recursive_directory_iterator(folder)) count += item.is_regular_file();
  return count;
}

std::uint64_t entry_bytes(const std::string& folder) {
  std::uint64_t total = 0;
  for (const auto& item : fs::recursive_directory_iterator(folder)) {
    if (item.is_regular_file() && item.path().filename().string().size() == 30) total += item.file_size();
  }
  return total;
}

void age(const std::string& path, long seconds) {
  const struct timespec when { ::time(nullptr) - seconds, 0 };
  const struct timespec both[2] = {when, when};
  REQUIRE(::utimensat(AT_FDCWD, path.c_str(), both, 0) == 0);
}

std::string pattern(std::size_t size, unsigned seed) {
  std::string result(size, '\0');
  for (char& c : result) c = static_cast<char>((seed = seed * 1664525u + 1013904223u) >> 24);
  return result;
}

}  // namespace

TEST_CASE("disk cache 6.2: what is stored comes back, for exactly its identity and source") {
  const scratch room;
  disk_cache cache(room / "cache", roomy);
  REQUIRE(cache.usable());
  for (const std::size_t size : {0, 1, 71, 4096, 300'000}) {
    const std::string identity("id\0x", 4), source = "source " + std::to_string(size);
    CHECK_FALSE(cache.load(identity, source));
    const bytes image = to_bytes(pattern(size, 7));
    cache.store(identity, source, image);
    const auto found = cache.load(identity, source);
    REQUIRE(found);
    CHECK(*found == image);
    CHECK_FALSE(cache.load("id", source));
    CHECK_FALSE(cache.load(identity, source + " "));
  }
  cache.store("ab", "c", to_bytes("1"));
  CHECK_FALSE(cache.load("a", "bc"));  // the same characters, divided elsewhere
  CHECK(entry_key("ab", "c") != entry_key("a", "bc"));
}

TEST_CASE("disk cache: another process finds what one stored; names carry no text of the user's") {
  const scratch room;
  const child_report stored = in_child([&] {
    disk_cache(room / "cache", roomy).store("identity", "../../source", to_bytes("image"));
    return 0;
  });
  CHECK(stored.exit_code == 0);
  CHECK(stored.errors == "");
  disk_cache cache(room / "cache", roomy);
  const auto found = cache.load("identity", "../../source");
  REQUIRE(found);
  CHECK(to_text(*found) == "image");
  struct stat status;
  REQUIRE(::stat(entry_path(room / "cache", "identity", "../../source").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
}

TEST_CASE("disk cache 6.3: an entry cut at any length, or longer than it was, is a miss and is replaced") {
  const scratch room;
  disk_cache cache(room / "cache", roomy);
  const bytes image = to_bytes("the image");
  cache.store("identity", "source", image);
  const std::string path = entry_path(room / "cache", "identity", "source");
  const std::string whole = read_text(path);
  REQUIRE(whole.size() == entry_overhead + 8 + 6 + 9);
  for (std::size_t size = 0; size <= whole.size() + 1; ++size) {
    CAPTURE(size);
    write_text(path, size <= whole.size() ? whole.substr(0, size) : whole + "x");
    const auto found = cache.load("identity", "source");
    CHECK(found.has_value() == (size == whole.size()));
    CHECK(fs::exists(path) == (size == whole.size()));  // the damaged file is out of the way
  }
  cache.store("identity", "source", image);
  REQUIRE(cache.load("identity", "source"));
  CHECK(*cache.load("identity", "source") == image);
}

TEST_CASE("disk cache 6.3: an entry with any one byte changed is a miss and is replaced") {
  const scratch room;
  disk_cache cache(room / "cache", roomy);
  const bytes image = to_bytes("the image");
  cache.store("identity", "source", image);
  const std::string path = entry_path(room / "cache", "identity", "source");
  const std::string whole = read_text(path);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int flip : {0x01, 0x80, 0xff}) {
      CAPTURE(at);
      CAPTURE(flip);
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ flip);
      write_text(path, changed);
      CHECK_FALSE(cache.load("identity", "source"));
      CHECK_FALSE(fs::exists(path));
    }
  }
  write_text(path, pattern(5000, 3));
  CHECK_FALSE(cache.load("identity", "source"));
  write_text(path, whole);
  fs::resize_file(path, std::uintmax_t{1} << 40);  // sparse; must be refused before the cache makes room for it
  CHECK_FALSE(cache.load("identity", "source"));
  cache.store("identity", "source", image);
  REQUIRE(cache.load("identity", "source"));
  CHECK(*cache.load("identity", "source") == image);
}

TEST_CASE("disk cache: a whole entry of something else under the same name is a miss, and no damage") {
  const scratch room;
  disk_cache cache(room / "cache", roomy);
  cache.store("identity", "source", to_bytes("ours"));
  const std::string path = entry_path(room / "cache", "identity", "source");
  for (const auto& [identity, source] :
       {std::pair{"identitY", "source"}, {"identity", "sourcE"}, {"identit", "ysource"}}) {
    const std::string other = to_text(encode_entry(identity, source, to_bytes("not ours")));
    write_text(path, other);
    CHECK_FALSE(cache.load("identity", "source"));
    CHECK(read_text(path) == other);
  }
  cache.store("identity", "source", to_bytes("ours"));
  REQUIRE(cache.load("identity", "source"));
  CHECK(to_text(*cache.load("identity", "source")) == "ours");
}

TEST_CASE("disk cache: a symbolic link or a folder in an entry's place is a miss") {
  const scratch room;
  disk_cache cache(room / "cache", roomy);
  cache.store("identity", "source", to_bytes("image"));
  const std::string path = entry_path(room / "cache", "identity", "source");
  fs::rename(path, room / "elsewhere");
  fs::create_symlink(room / "elsewhere", path);
  CHECK_FALSE(cache.load("identity", "source"));
  cache.store("identity", "source", to_bytes("image"));  // replaces the link, not what it leads to
  CHECK(fs::is_regular_file(fs::symlink_status(path)));
  CHECK(cache.load("identity", "source").has_value());
  fs::remove(path);
  fs::create_directory(path);
  CHECK_FALSE(cache.load("identity", "source"));
}

TEST_CASE("disk cache: missing folders are made, for this user only") {
  const scratch room;
  CHECK(disk_cache(room / "a/b/c/", roomy).usable());
  for (const char* part : {"a", "a/b", "a/b/c"}) {
    struct stat status;
    REQUIRE(::lstat((room / part).c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0700);
  }
}

TEST_CASE("disk cache: folders that others could write are refused with one warning, and left alone") {
  const scratch room;
  const auto refused = [&](const std::string& folder, const char* reason) {
    CAPTURE(folder);
    const std::size_t before = count_files(room.path());
    const child_report report = in_child([&] {
      disk_cache cache(folder, roomy);
      cache.store("identity", "source", to_bytes("image"));
      disk_cache again(folder, roomy);
      return cache.usable() || again.usable() || cache.load("identity", "source") ? 1 : 0;
    });
    CHECK(report.exit_code == 0);
    CHECK(report.lines() == 1);
    CHECK(report.errors.find(reason) != std::string::npos);
    CHECK(count_files(room.path()) == before);
  };
  for (const fs::perms mode : {fs::perms(0777), fs::perms(0770), fs::perms(0702), fs::perms(0755), fs::perms(01777)}) {
    fs::create_directory(room / "open");
    fs::permissions(room / "open", mode);
    refused(room / "open", "other users can enter it");
  }
  fs::create_directory(room / "real");
  fs::permissions(room / "real", fs::perms(0700));
  fs::create_directory_symlink(room / "real", room / "link");
  for (const char* name : {"link", "link/", "link//", "link/.", "link/./"})
    refused(room / name, "it is a symbolic link");
  write_text(room / "file", "");
  refused(room / "file", "Not a directory");
  refused(room / "file/below", "Not a directory");
  fs::permissions(room.path(), fs::perms(01777));  // the folder's own mode is what counts, as under /tmp
  CHECK(disk_cache(room / "real", roomy).usable());
}

TEST_CASE("disk cache: a folder of another user is refused") {
  if (::geteuid() != 0) {
    MESSAGE("skipped: only root can give a folder away");
    return;
  }
  const scratch room;
  fs::create_directory(room / "theirs");
  fs::permissions(room / "theirs", fs::perms(0700));
  REQUIRE(::chown((room / "theirs").c_str(), 65534, 65534) == 0);
  const child_report report = in_child([&] { return disk_cache(room / "theirs", roomy).usable() ? 1 : 0; });
  CHECK(report.exit_code == 0);
  CHECK(report.errors.find("belongs to another user") != std::string::npos);
}

TEST_CASE("disk cache: a folder swapped or opened up after it was accepted is not used") {
  const scratch room;
  const child_report report = in_child([&] {
    disk_cache cache(room / "cache", roomy);
    cache.store("identity", "source", to_bytes("image"));
    if (!cache.load("identity", "source")) return 1;
    fs::permissions(room / "cache", fs::perms(0770));
    if (cache.load("identity", "source")) return 2;
    fs::permissions(room / "cache", fs::perms(0700));
    if (!cache.load("identity", "source")) return 3;
    fs::rename(room / "cache", room / "moved");
    fs::create_directory_symlink(room / "moved", room / "cache");
    if (cache.load("identity", "source")) return 4;
    fs::remove(room / "cache");
    if (cache.load("identity", "source")) return 5;
    cache.store("identity", "source", to_bytes("image"));  // removed by its user: made again
    return cache.load("identity", "source") ? 0 : 6;
  });
  CHECK(report.exit_code == 0);
  CHECK(report.lines() == 1);
}

TEST_CASE("disk cache: a read-only folder still answers, and says once that it keeps nothing") {
  const scratch room;
  fs::permissions(room.path(), fs::perms(0777));
  const child_report report = in_child([&] {
    if (!become_nobody()) return 90;
    disk_cache cache(room / "cache", roomy);
    cache.store("identity", "source", to_bytes("image"));
    for (const auto& item : fs::recursive_directory_iterator(room / "cache")) {
      if (item.is_directory()) fs::permissions(item.path(), fs::perms(0500));
    }
    fs::permissions(room / "cache", fs::perms(0500));
    for (const char* source : {"second", "third", "fourth"}) {
      cache.store("identity", source, to_bytes("image"));
      if (cache.load("identity", source)) return 91;
    }
    disk_cache again(room / "cache", roomy);
    const bool answers = again.usable() && again.load("identity", "source");
    fs::permissions(room / "cache", fs::perms(0000));
    const bool closed = !again.load("identity", "source") && !disk_cache(room / "cache", roomy).usable();
    fs::permissions(room / "cache", fs::perms(0700));
    for (const auto& item : fs::recursive_directory_iterator(room / "cache")) {
      if (item.is_directory()) fs::permissions(item.path(), fs::perms(0700));
    }
    return answers && closed ? 0 : 1;
  });
  CHECK(report.exit_code == 0);
  CHECK(report.errors.find("cannot keep compiled kernels") != std::string::npos);
  CHECK(report.lines() == 2);  // keeps nothing; cannot be opened
}

TEST_CASE("disk cache: an entry that cannot be read is never removed") {
  const scratch room;
  fs::permissions(room.path(), fs::perms(0777));
  const std::string path = entry_path(room / "cache", "identity", "source");
  const child_report report = in_child([&] {
    if (!become_nobody()) return 90;
    disk_cache cache(room / "cache", roomy);
    cache.store("identity", "source", to_bytes("image"));
    fs::permissions(path, fs::perms(0000));
    if (cache.load("identity", "source") || cache.load("identity", "source")) return 1;
    if (!fs::exists(path)) return 2;
    fs::permissions(path, fs::perms(0600));
    return cache.load("identity", "source") ? 0 : 3;
  });
  CHECK(report.exit_code == 0);
  CHECK(report.lines() == 1);
  CHECK(report.errors.find("cannot read") != std::string::npos);
}

TEST_CASE("disk cache 6.1: the process's own folder comes from the environment") {
  const scratch room;
  const auto global_folder = [&](std::vector<std::pair<const char*, std::string>> variables, bool usable) {
    return in_child([&] {
      for (const char* name : {"SINTER_CACHE_DIR", "XDG_CACHE_HOME", "HOME", "SINTER_CACHE_LIMIT"}) ::unsetenv(name);
      std::string wanted = usable ? variables.back().second : "";
      for (const auto& [name, value] : variables) {
        if (std::string(name) == "expected") continue;
        ::setenv(name, value.c_str(), 1);
      }
      disk_cache& cache = disk_cache::global();
      return cache.usable() == usable && cache.folder() == wanted ? 0 : 1;
    });
  };
  const std::string& home = room.path();
  const auto quiet = [](const child_report& report) { return report.exit_code == 0 && report.errors.empty(); };
  CHECK(quiet(global_folder({{"HOME", home}, {"expected", home + "/.cache/sinter"}}, true)));
  CHECK(quiet(global_folder({{"HOME", "/"}, {"XDG_CACHE_HOME", home + "/x"}, {"expected", home + "/x/sinter"}}, true)));
  CHECK(quiet(global_folder({{"HOME", home}, {"XDG_CACHE_HOME", "x"}, {"expected", home + "/.cache/sinter"}}, true)));
  CHECK(quiet(global_folder({{"XDG_CACHE_HOME", home}, {"SINTER_CACHE_DIR", home + "/own"}}, true)));
  CHECK(quiet(global_folder({{"HOME", home}, {"SINTER_CACHE_DIR", ""}}, false)));
  CHECK(quiet(global_folder({{"HOME", home}, {"SINTER_CACHE_LIMIT", "0"}}, false)));

  const child_report homeless = global_folder({}, false);
  CHECK(homeless.exit_code == 0);
  CHECK(homeless.lines() == 1);
  CHECK(homeless.errors.find("HOME is not set") != std::string::npos);
}

TEST_CASE("disk cache: SINTER_CACHE_LIMIT takes bytes, K, M and G, and nothing else") {
  const auto keeps = [](const char* limit, std::size_t size) {
    const scratch room;
    return in_child([&] {
      ::setenv("SINTER_CACHE_DIR", (room / "cache").c_str(), 1);
      ::setenv("SINTER_CACHE_LIMIT", limit, 1);
      disk_cache::global().store("identity", "source", bytes(size));
      return disk_cache::global().load("identity", "source") ? 1 : 0;
    });
  };
  const auto answer = [](const child_report& report, bool kept, int lines) {
    return report.exit_code == kept && report.lines() == lines;
  };
  CHECK(answer(keeps("4096", 1500), true, 0));
  CHECK(answer(keeps("4096", 2500), false, 0));
  CHECK(answer(keeps("4K", 1500), true, 0));
  CHECK(answer(keeps("4k", 2500), false, 0));
  CHECK(answer(keeps("1M", 400'000), true, 0));
  CHECK(answer(keeps("1M", 600'000), false, 0));
  CHECK(answer(keeps("1G", 600'000), true, 0));
  for (const char* bad : {"4KB", "x", "-1", "99999999999999999999", "99999999999G", " 4", "1.5G"}) {
    CAPTURE(bad);
    CHECK(answer(keeps(bad, 600'000), true, 1));
  }
}

TEST_CASE("disk cache: the limit holds after every store, and what was used lately stays") {
  const scratch room;
  constexpr std::uint64_t limit = 200'000;
  disk_cache cache(room / "cache", limit);
  const bytes image = to_bytes(pattern(5'000, 1));
  const auto source = [](int i) { return "source " + std::to_string(i); };
  for (int i = 0; i < 30; ++i) {
    cache.store("identity", source(i), image);
    age(entry_path(room / "cache", "identity", source(i)), 7200 - i);
  }
  for (int i = 0; i < 30; i += 10) CHECK(cache.load("identity", source(i)).has_value());  // 0, 10, 20: oldest no more
  for (int i = 30; i < 60; ++i) {
    cache.store("identity", source(i), image);
    CHECK(entry_bytes(room / "cache") <= limit);
    CHECK(cache.load("identity", source(i)).has_value());
  }
  for (int i = 0; i < 30; ++i) {
    CAPTURE(i);
    const bool kept = fs::exists(entry_path(room / "cache", "identity", source(i)));
    if (i % 10 == 0) CHECK(kept);
    if (i % 10 != 0 && i < 25) CHECK_FALSE(kept);  // the last few may still fit
  }
  CHECK(entry_bytes(room / "cache") > limit / 2);  // it evicts what it must, not all there is
  const std::uint64_t before = entry_bytes(room / "cache");
  cache.store("identity", "too large", bytes(limit / 2));
  CHECK_FALSE(cache.load("identity", "too large"));
  CHECK(entry_bytes(room / "cache") == before);
}

TEST_CASE("disk cache: a hit renews the time of use, at most once an hour") {
  const scratch room;
  disk_cache cache(room / "cache", roomy);
  cache.store("identity", "source", to_bytes("image"));
  const std::string path = entry_path(room / "cache", "identity", "source");
  const auto seconds_old = [&] {
    struct stat status;
    REQUIRE(::stat(path.c_str(), &status) == 0);
    return ::time(nullptr) - status.st_mtim.tv_sec;
  };
  age(path, 1800);
  CHECK(cache.load("identity", "source").has_value());
  CHECK(seconds_old() >= 1800);
  age(path, 4000);
  CHECK(cache.load("identity", "source").has_value());
  CHECK(seconds_old() < 60);
}

TEST_CASE("disk cache: files that dead processes left are swept, young ones and the user's own are not") {
  const scratch room;
  disk_cache cache(room / "cache", 100'000);
  cache.store("identity", "source", bytes(1'000));
  const std::vector<std::string> kept = {"tmp/1-young", "notes.txt", "0/0/not-an-entry", "0/0/0123"};
  fs::create_directories(room / "cache/0/0");
  for (const std::string& name : kept) write_text(room / ("cache/" + name), std::string(50'000, 'x'));
  for (std::size_t i = 1; i < kept.size(); ++i) age(room / ("cache/" + kept[i]), 100'000);
  write_text(room / "cache/tmp/1-old", "x");
  age(room / "cache/tmp/1-old", 4000);
  for (int i = 0; i < 40; ++i) cache.store("identity", std::to_string(i), bytes(5'000));
  CHECK_FALSE(fs::exists(room / "cache/tmp/1-old"));
  for (const std::string& name : kept) CHECK(fs::exists(room / ("cache/" + name)));
}

TEST_CASE("disk cache: a limit on file sizes does not kill the program") {
  const scratch room;
  const child_report report = in_child([&] {
    disk_cache cache(room / "cache", roomy);
    const struct rlimit small { 1000, 1000 };
    ::setrlimit(RLIMIT_FSIZE, &small);
    cache.store("identity", "large", bytes(5'000));
    cache.store("identity", "small", bytes(100));
    return !cache.load("identity", "large") && cache.load("identity", "small") ? 0 : 1;
  });
  CHECK(report.signal == 0);
  CHECK(report.exit_code == 0);
}

TEST_CASE("disk cache: a full or read-only disk costs a warning and no entry") {
  const scratch room;
  fs::create_directory(room / "disk");
  const std::string disk = room / "disk";
  constexpr int no_mount = 90;
  const child_report report = in_child([&] {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=128k,mode=700") != 0) {
      return no_mount;
    }
    disk_cache cache(disk + "/cache", roomy);
    cache.store("identity", "first", bytes(20'000));
    for (int i = 0; i < 5; ++i) cache.store("identity", "large" + std::to_string(i), bytes(100'000));
    if (!cache.load("identity", "first")) return 1;
    for (const auto& item : fs::directory_iterator(disk + "/cache/tmp")) return item.exists() ? 2 : 3;
    cache.store("identity", "second", bytes(100));
    if (!cache.load("identity", "second")) return 4;
    if (::mount(nullptr, disk.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) != 0) return 5;
    cache.store("identity", "third", bytes(100));
    if (!cache.load("identity", "first") || cache.load("identity", "third")) return 6;
    return disk_cache(disk + "/other", roomy).usable() ? 7 : 0;
  });
  if (report.exit_code == no_mount) {
    MESSAGE("skipped: this system does not let the test mount a small disk");
    return;
  }
  CHECK(report.exit_code == 0);
  CHECK(report.lines() == 2);  // cannot keep; cannot make the other folder
  CHECK(report.errors.find("No space left") != std::string::npos);
}
