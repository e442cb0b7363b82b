// Two flags and those who set them. The library also makes itself stay: code that has handed out exit handlers, threads and
// kernels cannot be unloaded, so a dlclose of it, or of a plugin that holds it or evaluates with it, only counts down.
#include "runtime/device/process.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <pthread.h>

#include "runtime/device/copies.hpp"

namespace sinter::runtime {
namespace {

constinit std::atomic<bool> exit_begun{false};
constinit std::atomic<bool> is_child{false};
constinit std::atomic<void (*)()> last_wish{nullptr};

void begin_exit() {
  if (auto* const wish = last_wish.exchange(nullptr)) wish();
  exit_begun.store(true, std::memory_order_relaxed);
}

}  // namespace

void keep_loaded(const void* address) noexcept {
  Dl_info where{};
  if (!dladdr(address, &where) || !where.dli_fname) return;
  static std::atomic<const void*> last{nullptr};  // the tables of one signature mostly lie in one place
  if (last.load(std::memory_order_relaxed) == where.dli_fbase) return;
  // Of a program itself there is no such file among the libraries, and nothing to do.
  if (void* library = dlopen(where.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE)) dlclose(library);
  last.store(where.dli_fbase, std::memory_order_relaxed);
}

void watch_process() {
  static const bool once = [] {
    keep_loaded(this_copy());
    pthread_atfork(nullptr, nullptr, [] { is_child.store(true, std::memory_order_relaxed); });
    return true;
  }();
  (void)once;
  // Each time: what has just been opened has exit handlers too, and the last one registered runs first.
  std::atexit(begin_exit);
}

void before_exit(void (*wish)()) noexcept {
  last_wish.store(wish);
  watch_process();
}

bool exiting() noexcept { return exit_begun.load(std::memory_order_relaxed); }
bool set_to_one(const char* variable) noexcept {
  const char* const text = std::getenv(variable);
  return text && std::strcmp(text, "1") == 0;
}
bool forked() noexcept { return is_child.load(std::memory_order_relaxed); }

}  // namespace sinter::runtime
