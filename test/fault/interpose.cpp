// The functions that stand in front of the C library's. Each asks whether this call is to fail, and else passes it on. What is
// wrapped is what the library under test calls of the C library and of the C++ library's file system, and can fail.
#include <cxxabi.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <typeinfo>

#include "blocks.hpp"
#include "caller.hpp"
#include "faults.hpp"

extern "C" {
// glibc's own names for what is wrapped here: dlsym would need memory itself.
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
}

namespace fault {
namespace {

std::atomic<bool> active{false};
plan planned;
record unseen;
record* seen = &unseen;
constinit block_set blocks;
std::atomic<long> mapped{0};
handled_exception handled;

/// Walking a stack may ask for memory, and some calls end the process when they get none: no faults there.
[[gnu::tls_model("initial-exec")]] thread_local constinit int paused = 0;

class pause {
 public:
  pause() { ++paused; }
  ~pause() { --paused; }
  pause(const pause&) = delete;
  pause& operator=(const pause&) = delete;
};

/// Counts a call. True: it is to fail. `interruptible`: there is a way for a signal to cut it short.
bool fails(kind which, const char* name, void* from, bool interruptible = false) noexcept {
  if (!active.load(std::memory_order_relaxed) || paused) [[likely]]
    return false;
  const pause here;
  const int saved = errno;
  const caller who = caller_of(from);
  errno = saved;
  if (who == caller::other) return false;
  if (who != caller::library) {
    if (which == kind::files) return false;  // a part of a call that has been counted
    which = kind::system_memory;
  }
  if (planned.how == manner::interrupted && !interruptible) return false;
  const long index = seen->calls[static_cast<int>(which)]++;
  if (which != planned.which || planned.at < 0) return false;
  if (planned.how == manner::for_ever ? index < planned.at : index != planned.at) return false;
  seen->in_loader |= who == caller::through_loader;
  if (seen->failed++ == 0) {
    std::strncpy(seen->name, name, sizeof seen->name - 1);
    seen->depth = stack_from(from, seen->frames, record::most_frames);
    errno = saved;
  }
  return true;
}

/// A call to the file system that fails with `error`, or with EINTR where it is to be interrupted.
bool fails(const char* name, int error, void* from, bool interruptible = false) noexcept {
  if (!fails(kind::files, name, from, interruptible)) return false;
  errno = planned.how == manner::interrupted ? EINTR : error;
  return true;
}

bool is_for_library(void* from) noexcept {
  if (paused) return false;
  const pause here;
  const int saved = errno;
  const caller who = caller_of(from);
  errno = saved;
  return who != caller::other;
}

void* entered(void* block, void* from) noexcept {
  if (block && is_for_library(from)) blocks.add(block);
  return block;
}

void* no_memory() noexcept {
  errno = ENOMEM;
  return nullptr;
}

template <class Function>
Function* next(const char* name) noexcept {
  const pause here;
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

/// How much of a transfer that a signal cuts short has been done.
std::size_t cut_short(std::size_t size) { return size / 2 + size % 2; }

}  // namespace

void start(const plan& p, record& into) noexcept {
  planned = p;
  seen = &into;
  *seen = {};
  active.store(true);
}

void stop() noexcept { active.store(false); }

long live_blocks() noexcept { return blocks.count(); }
long mapped_bytes() noexcept { return mapped.load(); }
const handled_exception& first_handled() noexcept { return handled; }
void forget_handled() noexcept { handled = {}; }

}  // namespace fault

using fault::fails;
using fault::kind;
using fault::next;

extern "C" {

// ---- memory -------------------------------------------------------------------------------------------------------------

void* malloc(std::size_t size) noexcept {
  if (fails(kind::memory, "malloc", __builtin_return_address(0))) return fault::no_memory();
  return fault::entered(__libc_malloc(size), __builtin_return_address(0));
}

void* calloc(std::size_t count, std::size_t size) noexcept {
  if (fails(kind::memory, "calloc", __builtin_return_address(0))) return fault::no_memory();
  return fault::entered(__libc_calloc(count, size), __builtin_return_address(0));
}

void* realloc(void* block, std::size_t size) noexcept {
  if (fails(kind::memory, "realloc", __builtin_return_address(0))) return fault::no_memory();
  // Not entered while it moves: the old address may be another block's before this is back.
  const bool known = block && fault::blocks.remove(block);
  void* const moved = __libc_realloc(block, size);
  if (!block) return fault::entered(moved, __builtin_return_address(0));
  if (known && (moved || size > 0)) fault::blocks.add(moved ? moved : block);
  return moved;
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  if (fails(kind::memory, "aligned_alloc", __builtin_return_address(0))) return fault::no_memory();
  return fault::entered(__libc_memalign(alignment, size), __builtin_return_address(0));
}

void* memalign(std::size_t alignment, std::size_t size) noexcept {
  if (fails(kind::memory, "memalign", __builtin_return_address(0))) return fault::no_memory();
  return fault::entered(__libc_memalign(alignment, size), __builtin_return_address(0));
}

int posix_memalign(void** to, std::size_t alignment, std::size_t size) noexcept {
  if (fails(kind::memory, "posix_memalign", __builtin_return_address(0))) return ENOMEM;
  *to = fault::entered(__libc_memalign(alignment, size), __builtin_return_address(0));
  return *to ? 0 : ENOMEM;
}

void free(void* block) noexcept {
  if (block) fault::blocks.remove(block);
  __libc_free(block);
}

void* mmap(void* at, std::size_t size, int protection, int flags, int file, off_t offset) noexcept {
  static const auto real = next<void*(void*, std::size_t, int, int, int, off_t)>("mmap");
  if (fails(kind::memory, "mmap", __builtin_return_address(0))) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  void* const memory = real(at, size, protection, flags, file, offset);
  if (memory != MAP_FAILED && fault::is_for_library(__builtin_return_address(0)))
    fault::mapped.fetch_add(static_cast<long>(size), std::memory_order_relaxed);
  return memory;
}

int munmap(void* at, std::size_t size) noexcept {
  static const auto real = next<int(void*, std::size_t)>("munmap");
  if (fault::is_for_library(__builtin_return_address(0)))
    fault::mapped.fetch_sub(static_cast<long>(size), std::memory_order_relaxed);
  return real(at, size);
}

// The C library ends the process where these find no memory: no caller can handle that.

int __cxa_thread_atexit_impl(void (*call)(void*), void* with, void* library) {
  static const auto real = next<int(void (*)(void*), void*, void*)>("__cxa_thread_atexit_impl");
  const fault::pause here;
  return real(call, with, library);
}

// ---- files --------------------------------------------------------------------------------------------------------------

int open(const char* path, int flags, ...) {
  static const auto real = next<int(const char*, int, ...)>("open");
  std::va_list more;
  va_start(more, flags);
  const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
  va_end(more);
  if (fails("open", EMFILE, __builtin_return_address(0), true)) return -1;
  return real(path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...) {
  static const auto real = next<int(int, const char*, int, ...)>("openat");
  std::va_list more;
  va_start(more, flags);
  const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
  va_end(more);
  if (fails("openat", EMFILE, __builtin_return_address(0), true)) return -1;
  return real(folder, path, flags, mode);
}

FILE* fopen64(const char* path, const char* how) {
  static const auto real = next<FILE*(const char*, const char*)>("fopen64");
  if (fails("fopen64", EMFILE, __builtin_return_address(0))) return nullptr;
  return real(path, how);
}

ssize_t read(int file, void* to, std::size_t size) {
  static const auto real = next<ssize_t(int, void*, std::size_t)>("read");
  if (!fails("read", EIO, __builtin_return_address(0), true)) return real(file, to, size);
  const bool part = errno == EINTR && size > 1 && fault::seen->calls[static_cast<int>(kind::files)] % 2;
  return part ? real(file, to, fault::cut_short(size)) : -1;
}

ssize_t write(int file, const void* from, std::size_t size) {
  static const auto real = next<ssize_t(int, const void*, std::size_t)>("write");
  if (!fails("write", ENOSPC, __builtin_return_address(0), true)) return real(file, from, size);
  const bool part = errno == EINTR && size > 1 && fault::seen->calls[static_cast<int>(kind::files)] % 2;
  return part ? real(file, from, fault::cut_short(size)) : -1;
}

/// Nothing here tests a loss of power, and a disk that is really waited for would take most of the time.
int fsync(int) { return fails("fsync", EIO, __builtin_return_address(0), true) ? -1 : 0; }

/// Closes in any case, as Linux does.
int close(int file) {
  static const auto real = next<int(int)>("close");
  const bool failing = fails("close", EIO, __builtin_return_address(0), true);
  const int error = errno;
  const int result = real(file);
  if (failing) errno = error;
  return failing ? -1 : result;
}

int memfd_create(const char* name, unsigned flags) noexcept {
  static const auto real = next<int(const char*, unsigned)>("memfd_create");
  return fails("memfd_create", EMFILE, __builtin_return_address(0)) ? -1 : real(name, flags);
}

int fcntl(int file, int what, ...) {
  static const auto real = next<int(int, int, ...)>("fcntl");
  std::va_list more;
  va_start(more, what);
  void* const with = va_arg(more, void*);  // an int is passed in the same place
  va_end(more);
  return fails("fcntl", EINVAL, __builtin_return_address(0)) ? -1 : real(file, what, with);
}

int stat(const char* path, struct stat* to) noexcept {
  static const auto real = next<int(const char*, struct stat*)>("stat");
  return fails("stat", EIO, __builtin_return_address(0)) ? -1 : real(path, to);
}

int lstat(const char* path, struct stat* to) noexcept {
  static const auto real = next<int(const char*, struct stat*)>("lstat");
  return fails("lstat", EIO, __builtin_return_address(0)) ? -1 : real(path, to);
}

int fstat(int file, struct stat* to) noexcept {
  static const auto real = next<int(int, struct stat*)>("fstat");
  return fails("fstat", EIO, __builtin_return_address(0)) ? -1 : real(file, to);
}

int fstatat(int folder, const char* path, struct stat* to, int flags) noexcept {
  static const auto real = next<int(int, const char*, struct stat*, int)>("fstatat");
  return fails("fstatat", EIO, __builtin_return_address(0)) ? -1 : real(folder, path, to, flags);
}

int access(const char* path, int how) noexcept {
  static const auto real = next<int(const char*, int)>("access");
  return fails("access", EIO, __builtin_return_address(0)) ? -1 : real(path, how);
}

int mkdir(const char* path, mode_t mode) noexcept {
  static const auto real = next<int(const char*, mode_t)>("mkdir");
  return fails("mkdir", ENOSPC, __builtin_return_address(0)) ? -1 : real(path, mode);
}

int mkdirat(int folder, const char* path, mode_t mode) noexcept {
  static const auto real = next<int(int, const char*, mode_t)>("mkdirat");
  return fails("mkdirat", ENOSPC, __builtin_return_address(0)) ? -1 : real(folder, path, mode);
}

int rmdir(const char* path) noexcept {
  static const auto real = next<int(const char*)>("rmdir");
  return fails("rmdir", EIO, __builtin_return_address(0)) ? -1 : real(path);
}

char* mkdtemp(char* name) noexcept {
  static const auto real = next<char*(char*)>("mkdtemp");
  return fails("mkdtemp", ENOSPC, __builtin_return_address(0)) ? nullptr : real(name);
}

int renameat(int from, const char* path, int to, const char* name) noexcept {
  static const auto real = next<int(int, const char*, int, const char*)>("renameat");
  return fails("renameat", EIO, __builtin_return_address(0)) ? -1 : real(from, path, to, name);
}

int rename(const char* from, const char* to) noexcept {
  static const auto real = next<int(const char*, const char*)>("rename");
  return fails("rename", EIO, __builtin_return_address(0)) ? -1 : real(from, to);
}

int unlinkat(int folder, const char* path, int flags) noexcept {
  static const auto real = next<int(int, const char*, int)>("unlinkat");
  return fails("unlinkat", EIO, __builtin_return_address(0)) ? -1 : real(folder, path, flags);
}

int unlink(const char* path) noexcept {
  static const auto real = next<int(const char*)>("unlink");
  return fails("unlink", EIO, __builtin_return_address(0)) ? -1 : real(path);
}

DIR* fdopendir(int folder) {
  static const auto real = next<DIR*(int)>("fdopendir");
  return fails("fdopendir", ENFILE, __builtin_return_address(0)) ? nullptr : real(folder);
}

DIR* opendir(const char* path) {
  static const auto real = next<DIR*(const char*)>("opendir");
  return fails("opendir", ENFILE, __builtin_return_address(0)) ? nullptr : real(path);
}

dirent* readdir(DIR* folder) {
  static const auto real = next<dirent*(DIR*)>("readdir");
  return fails("readdir", EIO, __builtin_return_address(0)) ? nullptr : real(folder);
}

int futimens(int file, const struct timespec times[2]) noexcept {
  static const auto real = next<int(int, const struct timespec*)>("futimens");
  return fails("futimens", EROFS, __builtin_return_address(0)) ? -1 : real(file, times);
}

char* realpath(const char* path, char* to) noexcept {
  static const auto real = next<char*(const char*, char*)>("realpath");
  return fails("realpath", EIO, __builtin_return_address(0)) ? nullptr : real(path, to);
}

char* getcwd(char* to, std::size_t size) noexcept {
  static const auto real = next<char*(char*, std::size_t)>("getcwd");
  return fails("getcwd", ENOENT, __builtin_return_address(0)) ? nullptr : real(to, size);
}

ssize_t getrandom(void* to, std::size_t size, unsigned flags) {
  static const auto real = next<ssize_t(void*, std::size_t, unsigned)>("getrandom");
  return fails("getrandom", ENOSYS, __builtin_return_address(0), true) ? -1 : real(to, size, flags);
}

// ---- libraries and processes --------------------------------------------------------------------------------------------

/// What is wrong is then told by dlerror(): the loader is asked for a file that no system has.
void* dlopen(const char* path, int how) noexcept {
  static const auto real = next<void*(const char*, int)>("dlopen");
  const bool failing = fails(kind::files, "dlopen", __builtin_return_address(0));
  if (failing) fault::seen->of_dlopen = true;
  return real(failing ? "/the/library/that/a/test/made/fail" : path, how);
}

int posix_spawn(pid_t* child, const char* path, const posix_spawn_file_actions_t* actions,
                const posix_spawnattr_t* attributes, char* const arguments[], char* const environment[]) noexcept {
  static const auto real = next<int(pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*,
                                    char* const*, char* const*)>("posix_spawn");
  if (fails("posix_spawn", EAGAIN, __builtin_return_address(0))) return errno;
  return real(child, path, actions, attributes, arguments, environment);
}

pid_t waitpid(pid_t child, int* status, int flags) {
  static const auto real = next<pid_t(pid_t, int*, int)>("waitpid");
  return fails("waitpid", ECHILD, __builtin_return_address(0), true) ? -1 : real(child, status, flags);
}

/// For calls that the C library has no function for, such as pidfd_open.
long syscall(long number, ...) noexcept {
  static const auto real = next<long(long, ...)>("syscall");
  long words[6];
  std::va_list more;
  va_start(more, number);
  for (long& word : words) word = va_arg(more, long);
  va_end(more);
  if (fails("syscall", ENOSYS, __builtin_return_address(0))) return -1;
  return real(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

int poll(pollfd* files, nfds_t count, int milliseconds) {
  static const auto real = next<int(pollfd*, nfds_t, int)>("poll");
  return fails("poll", ENOMEM, __builtin_return_address(0), true) ? -1 : real(files, count, milliseconds);
}

// ---- exceptions ---------------------------------------------------------------------------------------------------------

/// Samples handle exceptions themselves: this is where what they have caught can be seen->
void* __cxa_begin_catch(void* thrown) noexcept {
  static const auto real = next<void*(void*)>("__cxa_begin_catch");
  void* const object = real(thrown);
  if (!fault::handled.type && fault::is_program(__builtin_return_address(0))) {
    const std::type_info* const type = abi::__cxa_current_exception_type();
    fault::handled.type = type ? type->name() : "foreign";
    // These have std::exception as their first base and no virtual ones: whatever they are caught as, this is where it is.
    if (std::strncmp(fault::handled.type, "N6sinter", 8) == 0)
      std::strncpy(fault::handled.text, static_cast<std::exception*>(object)->what(), sizeof fault::handled.text - 1);
  }
  return object;
}

}  // extern "C"
