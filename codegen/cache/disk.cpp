// Finds and publishes cached images: the only part of the cache the rest of codegen sees.
// Invariant: an entry's name only ever refers to a complete file, and no failure of a file system leaves this file as
// an exception. What is wrong with an entry's content is repaired; what is wrong with the disk is left alone.
#include "codegen/cache/disk.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>

#include "codegen/cache/entry.hpp"
#include "codegen/cache/gate.hpp"
#include "codegen/cache/notice.hpp"
#include "codegen/cache/sweep.hpp"
#include "codegen/compile/file.hpp"

namespace sinter::codegen {
namespace {

constexpr std::uint64_t default_limit = std::uint64_t{1} << 30;
constexpr std::time_t seconds_between_touches = 60 * 60;

// A privileged program must not load code from where its caller says.
std::optional<std::string> from_environment(const char* name) {
  const char* value = ::secure_getenv(name);
  if (!value) return std::nullopt;
  return std::string(value);
}

std::string folder_from_environment() {
  if (const auto chosen = from_environment("SINTER_CACHE_DIR")) return *chosen;
  const auto cache = from_environment("XDG_CACHE_HOME");
  if (cache && !cache->empty() && cache->front() == '/') return *cache + "/sinter";
  const auto home = from_environment("HOME");
  if (home && !home->empty() && home->front() == '/') return *home + "/.cache/sinter";
  warn_once(notice::no_folder,
            "compiled kernels are not kept on disk: HOME is not set; SINTER_CACHE_DIR can name a folder");
  return {};
}

std::uint64_t limit_from_environment() {
  const auto text = from_environment("SINTER_CACHE_LIMIT");
  if (!text || text->empty()) return default_limit;
  std::uint64_t number = 0;
  const char* end = text->data() + text->size();
  const auto [stop, failed] = std::from_chars(text->data(), end, number);
  const std::string suffix(stop, end);
  int shift = -1;
  if (suffix.empty()) shift = 0;
  if (suffix == "K" || suffix == "k") shift = 10;
  if (suffix == "M" || suffix == "m") shift = 20;
  if (suffix == "G" || suffix == "g") shift = 30;
  if (failed == std::errc() && shift >= 0 && number <= (UINT64_MAX >> shift)) return number << shift;
  warn_once(notice::bad_limit,
            "SINTER_CACHE_LIMIT is \"" + *text + "\", not a number of bytes such as 512M; 1G is used");
  return default_limit;
}

void warn_refused(const std::string& folder, const std::string& why) {
  warn_once(notice::refused_folder, "compiled kernels are not kept in " + folder + ": " + why);
}

void warn_unwritable(const std::string& folder, int error) {
  warn_once(notice::unwritable_cache, "cannot keep compiled kernels in " + folder + ": " + std::strerror(error));
}

std::uint64_t random_number() {
  std::uint64_t random = 0;
  if (::getrandom(&random, sizeof random, GRND_NONBLOCK) != sizeof random) {
    struct timespec now;
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    random = static_cast<std::uint64_t>(now.tv_nsec) ^ (static_cast<std::uint64_t>(now.tv_sec) << 32);
  }
  return random;
}

// O_EXCL keeps names apart; randomness only makes a second try rare.
std::string temporary_name() {
  char name[64];
  std::snprintf(name, sizeof name, "%s/%ld-%016llx", limbo, static_cast<long>(::getpid()),
                static_cast<unsigned long long>(random_number()));
  return name;
}

// A write beyond RLIMIT_FSIZE does not fail, it kills: a cache must not.
bool file_size_allowed(std::size_t size) {
  struct rlimit allowed;
  return ::getrlimit(RLIMIT_FSIZE, &allowed) != 0 || allowed.rlim_cur == RLIM_INFINITY || size <= allowed.rlim_cur;
}

bool is_file(int cache, const std::string& path, const struct stat& file) {
  struct stat now;
  return ::fstatat(cache, path.c_str(), &now, AT_SYMLINK_NOFOLLOW) == 0 && now.st_ino == file.st_ino &&
         now.st_dev == file.st_dev;
}

// Takes a damaged file out of the way; where that fails it stays, and the next store replaces it. Nothing can rename
// "if it is still this file", so a good entry that another process publishes right now may be taken instead: then it is
// put back. `damaged` is open, so its inode number is not used again.
void quarantine(int cache, const std::string& path, const struct stat& damaged) {
  if (!is_file(cache, path, damaged)) return;
  const unique_fd made = open_below(cache, limbo, true);
  const std::string aside = temporary_name() + ".bad";
  if (::renameat(cache, path.c_str(), cache, aside.c_str()) != 0) return;
  if (!is_file(cache, aside, damaged)) ::renameat(cache, aside.c_str(), cache, path.c_str());
}

// Keeps the least-recently-used order without a write per hit. A time still to come is one from before the clock was set
// back, which the order does not heed. Failing (a read-only disk) only makes the order coarser.
void touch(int file, const struct stat& status) {
  const std::time_t age = std::time(nullptr) - status.st_mtim.tv_sec;
  if (age >= seconds_between_touches || age < -seconds_of_clock_skew) ::futimens(file, nullptr);
}

// Names of things that are no entry (a symbolic link, a folder) are damage as well, but not ours to move.
unique_fd open_entry(int cache, const std::string& path, const std::string& folder) {
  unique_fd file = open_file(cache, path.c_str(), O_RDONLY | O_NONBLOCK);
  if (!file && errno != ENOENT && errno != ELOOP && errno != ENOTDIR && errno != ESTALE) {
    warn_once(notice::unreadable_cache, "cannot read compiled kernels in " + folder + ": " + std::strerror(errno));
  }
  return file;
}

bool synchronise(int file) {
  int done;
  do done = ::fsync(file);
  while (done != 0 && errno == EINTR);
  return done == 0;
}

bool publish(int cache, const std::string& key, const bytes& file) {
  const entry_place place = place_of(key);
  if (!open_below(cache, limbo, true) || !open_below(cache, place.folder.c_str(), true)) return false;
  for (int tries = 0; tries < 8; ++tries) {
    const std::string temporary = temporary_name();
    const unique_fd opened = open_file(cache, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (!opened && errno == EEXIST) continue;
    if (!opened) return false;
    // Synchronised before it gets its name: after a power loss the name may be missing, but never lead to an empty
    // file.
    if (write_all(opened.get(), file.data(), file.size()) && synchronise(opened.get()) &&
        ::renameat(cache, temporary.c_str(), cache, (place.folder + "/" + place.file).c_str()) == 0) {
      return true;
    }
    const int error = errno;
    ::unlinkat(cache, temporary.c_str(), 0);
    errno = error;
    return false;
  }
  return false;
}

}  // namespace

disk_cache::disk_cache(std::string folder, std::uint64_t limit) : limit_(limit) {
  if (folder.empty() || limit == 0) return;
  folder_ = normal_folder(std::move(folder));
  const gate_answer answer = make_trusted(folder_);
  usable_ = static_cast<bool>(answer.folder);
  if (!usable_) warn_refused(folder_, answer.refusal);
}

disk_cache& disk_cache::global() {
  // Owner of this state: this function. Never destroyed, since kernels may still be asked for while a program ends.
  static disk_cache& cache = *new disk_cache(folder_from_environment(), limit_from_environment());
  return cache;
}

std::optional<bytes> disk_cache::load(std::string_view identity, std::string_view source) {
  if (!usable_) return std::nullopt;
  const gate_answer cache = open_trusted(folder_);
  if (!cache.folder) {
    if (cache.error != ENOENT) warn_refused(folder_, cache.refusal);
    return std::nullopt;
  }
  const entry_place place = place_of(entry_key(identity, source));
  const std::string path = place.folder + "/" + place.file;
  const unique_fd file = open_entry(cache.folder.get(), path, folder_);
  struct stat status;
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  const std::uint64_t size = static_cast<std::uint64_t>(status.st_size);
  if (size < entry_overhead || size > largest_entry) {
    quarantine(cache.folder.get(), path, status);
    return std::nullopt;
  }
  bytes content(size);
  const std::ptrdiff_t got = read_upto(file.get(), content.data(), content.size());
  if (got < 0) {  // says nothing about the content, which may be fine on the next try
    warn_once(notice::unreadable_cache, "cannot read compiled kernels in " + folder_ + ": " + std::strerror(errno));
    return std::nullopt;
  }
  content.resize(static_cast<std::size_t>(got));
  decoded_entry entry = decode_entry(content, identity, source);
  if (entry.state == entry_state::damaged) quarantine(cache.folder.get(), path, status);
  if (entry.state != entry_state::whole) return std::nullopt;
  touch(file.get(), status);
  return std::move(entry.image);
}

void disk_cache::store(std::string_view identity, std::string_view source, const bytes& image) {
  const std::uint64_t size = entry_overhead + identity.size() + source.size() + image.size();
  if (!usable_ || size > largest_entry || size > limit_ / 2) return;
  if (!file_size_allowed(size)) return warn_unwritable(folder_, EFBIG);
  const std::string key = entry_key(identity, source);
  const bytes file = encode_entry(identity, source, image);
  gate_answer cache = make_trusted(folder_);  // the user may have removed it since
  bool published = cache.folder && publish(cache.folder.get(), key, file);
  if (cache.folder && !published && errno == ENOENT) {  // or removes it just now
    cache = make_trusted(folder_);
    published = cache.folder && publish(cache.folder.get(), key, file);
  }
  if (!cache.folder) return warn_refused(folder_, cache.refusal);
  if (!published) return warn_unwritable(folder_, errno);
  const bool claimed = claim_sweep(cache.folder.get());
  if (!sweep_is_due(size) && !claimed) return;
  stored_since_sweep_.store(0, std::memory_order_relaxed);
  swept_by_.store(::getpid(), std::memory_order_relaxed);
  const entry_place place = place_of(key);
  sweep(cache.folder.get(), limit_, place.folder + "/" + place.file);
}

// A process that stores much must not wait for the stamp, or the limit would mean nothing. Neither must many of which
// each stores little and ends, or is killed, before its own count says anything: until a process has swept, chance
// decides, so that all such processes together sweep once for every sixteenth of the limit that they store. A forked
// process is a new one.
bool disk_cache::sweep_is_due(std::uint64_t size) {
  const std::uint64_t share = limit_ / 16;
  const std::uint64_t stored = stored_since_sweep_.fetch_add(size, std::memory_order_relaxed) + size;
  if (stored >= share) return true;
  return swept_by_.load(std::memory_order_relaxed) != ::getpid() && random_number() % share < size;
}

}  // namespace sinter::codegen
