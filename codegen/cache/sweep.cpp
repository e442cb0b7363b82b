// Eviction, below disk.cpp. The time of last use is the entry's mtime; files of any other name or place are never
// touched. Invariant: an entry that a process used or replaced since it was looked at is kept.
#include "codegen/cache/sweep.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/cache/gate.hpp"
#include "codegen/compile/file.hpp"

namespace sinter::codegen {
namespace {

constexpr const char* stamp_name = "swept";
constexpr std::time_t seconds_between_sweeps = 10 * 60;
// Far longer than any store takes; a writer that slept through it finds its file gone and gives up quietly.
constexpr std::time_t seconds_in_limbo = 60 * 60;
constexpr std::string_view digits = "0123456789abcdef";
constexpr std::size_t digits_in_name = 30;

struct file_record {
  std::string path;
  std::uint64_t size;
  ino_t inode;
  struct timespec used;
};

// Either way: a clock may be set back.
std::time_t seconds_apart(std::time_t a, std::time_t b) { return a < b ? b - a : a - b; }

bool older(const struct timespec& a, const struct timespec& b) {
  return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
}

// What was "used" in time to come was used before the clock was set back. It comes first, or it would stay while
// everything stored from now on is evicted.
struct timespec place_in_order(const struct timespec& used, std::time_t now) {
  return used.tv_sec > now + seconds_of_clock_skew ? timespec{} : used;
}

// Whether a process used or replaced an entry since it was looked at.
bool changed(const file_record& entry, const struct stat& now) {
  return now.st_ino != entry.inode || older(entry.used, now.st_mtim) || older(now.st_mtim, entry.used);
}

// Calls visit(name, status) for each regular file of a folder that is there.
template <class Visit>
void for_each_file(int cache, const std::string& folder, Visit visit) {
  unique_fd opened = open_below(cache, folder.c_str(), false);
  if (!opened) return;
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::fdopendir(opened.get()), ::closedir);
  if (!listing) return;
  const int fd = opened.release();  // closedir closes it from here on
  while (const dirent* item = ::readdir(listing.get())) {
    struct stat status;
    if (::fstatat(fd, item->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode)) continue;
    visit(std::string_view(item->d_name), status);
  }
}

bool is_entry_name(std::string_view name) {
  return name.size() == digits_in_name && name.find_first_not_of(digits) == std::string_view::npos;
}

std::vector<file_record> list_entries(int cache) {
  std::vector<file_record> result;
  for (const char first : digits) {
    for (const char second : digits) {
      const std::string folder{first, '/', second};
      for_each_file(cache, folder, [&](std::string_view name, const struct stat& status) {
        if (!is_entry_name(name)) return;
        result.push_back({folder + "/" + std::string(name), static_cast<std::uint64_t>(status.st_size), status.st_ino,
                          status.st_mtim});
      });
    }
  }
  return result;
}

void clear_limbo(int cache) {
  const std::time_t now = std::time(nullptr);
  for_each_file(cache, limbo, [&](std::string_view name, const struct stat& status) {
    if (seconds_apart(now, status.st_mtim.tv_sec) < seconds_in_limbo) return;
    ::unlinkat(cache, (std::string(limbo) + "/" + std::string(name)).c_str(), 0);
  });
}

}  // namespace

bool claim_sweep(int cache) {
  struct stat status;
  if (::fstatat(cache, stamp_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
      seconds_apart(std::time(nullptr), status.st_mtim.tv_sec) < seconds_between_sweeps) {
    return false;
  }
  const unique_fd stamp = open_file(cache, stamp_name, O_WRONLY | O_CREAT | O_NONBLOCK, 0600);
  return stamp && ::futimens(stamp.get(), nullptr) == 0;
}

void sweep(int cache, std::uint64_t limit, std::string_view spared) {
  clear_limbo(cache);
  std::vector<file_record> entries = list_entries(cache);
  std::uint64_t total = 0;
  for (const file_record& entry : entries) total += entry.size;
  if (total <= limit - limit / 8) return;
  std::sort(entries.begin(), entries.end(), [now = std::time(nullptr)](const file_record& a, const file_record& b) {
    return older(place_in_order(a.used, now), place_in_order(b.used, now));
  });
  const std::uint64_t wanted = limit - limit / 4;
  for (const file_record& entry : entries) {
    if (total <= wanted) return;
    if (entry.path == spared) continue;
    struct stat now;
    const bool there = ::fstatat(cache, entry.path.c_str(), &now, AT_SYMLINK_NOFOLLOW) == 0;
    if (there ? changed(entry, now) : errno != ENOENT) continue;
    if (there && ::unlinkat(cache, entry.path.c_str(), 0) != 0 && errno != ENOENT) continue;
    total -= entry.size;
  }
}

}  // namespace sinter::codegen
