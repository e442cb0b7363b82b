// Opening the CUDA driver and turning its results into exceptions. The table is filled once, by plain dlsym with the
// exported names, and read by every thread without a lock from then on.
#include "runtime/device/driver.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include <dlfcn.h>

#include <sinter/error.hpp>

namespace sinter::runtime {
namespace {

void say(std::string* why, std::string text) {
  if (why) *why = std::move(text);
}

std::string last_dl_error() {
  const char* text = dlerror();
  return text ? text : "unknown error";
}

/// "cuMemAlloc_v2" as people and NVIDIA's manual write it.
std::string plain_name(const char* call) {
  const std::string name = call;
  return name.ends_with("_v2") ? name.substr(0, name.size() - 3) : name;
}

/// What is returned is never destroyed: arrays with static storage may outlive any destructor.
const driver* open_for_process(std::string* why) {
  std::unique_ptr<driver> opened = open_driver(::secure_getenv("SINTER_CUDA_DRIVER"), why);
  if (!opened) return nullptr;
  if (const cu_result result = opened->cuInit(0); result != cu_success) {
    say(why, opened->file + " was opened, but cuInit(0) failed: " + describe(*opened, result));
    return nullptr;
  }
  watch_process();  // after the driver registered its exit handlers, so that ours run before them
  return opened.release();
}

}  // namespace

std::unique_ptr<driver> open_driver(const char* path, std::string* why) {
  const bool named = path && *path;
  std::string tried;
  for (const char* file : {named ? path : "libcuda.so.1", named ? static_cast<const char*>(nullptr) : "libcuda.so"}) {
    if (!file) break;
    void* library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      tried += (tried.empty() ? "" : "; ") + std::string(file) + " (" + last_dl_error() + ")";
      continue;
    }
    auto table = std::make_unique<driver>();
    table->file = file;
    std::string missing;
#define SINTER_DRIVER_LOOK_UP(name, parameters)                                                \
  if (void* symbol = dlsym(library, #name)) std::memcpy(&table->name, &symbol, sizeof symbol); \
  else missing += (missing.empty() ? "" : ", ") + std::string(#name);
    SINTER_DRIVER_CALLS(SINTER_DRIVER_LOOK_UP)
#undef SINTER_DRIVER_LOOK_UP
#define SINTER_DRIVER_LOOK_UP(name, parameters) \
  if (void* symbol = dlsym(library, #name)) std::memcpy(&table->name, &symbol, sizeof symbol);
    SINTER_DRIVER_OPTIONAL_CALLS(SINTER_DRIVER_LOOK_UP)
#undef SINTER_DRIVER_LOOK_UP
    if (missing.empty()) return table;
    tried += (tried.empty() ? "" : "; ") + std::string(file) + " (opened, but it lacks " + missing +
             ": a driver for CUDA 12 or newer is needed)";
  }
  say(why, "the CUDA driver was not found; looked for " + tried + (named ? ", which SINTER_CUDA_DRIVER names" : ""));
  return nullptr;
}

/// Only success is kept: what failed for want of memory or of a file handle may succeed the next time.
const driver* find_driver(std::string* why) {
  static constinit std::atomic<const driver*> found{nullptr};
  if (const driver* d = found.load(std::memory_order_acquire)) [[likely]]
    return d;
  static constinit std::mutex opening;
  const std::lock_guard hold(opening);
  if (!found.load(std::memory_order_relaxed)) found.store(open_for_process(why), std::memory_order_release);
  return found.load(std::memory_order_relaxed);
}

std::string describe(const driver& d, cu_result result) {
  const char* name = nullptr;
  const char* text = nullptr;
  if (d.cuGetErrorName(result, &name) != cu_success || !name) return "CUDA error " + std::to_string(result);
  if (d.cuGetErrorString(result, &text) != cu_success || !text) return name;
  return std::string(name) + ": " + text;
}

bool is_sticky(cu_result result) noexcept {
  static constexpr cu_result sticky[] = {
      cu_error_deinitialized,
      214,  // ECC_UNCORRECTABLE
      220,  // NVLINK_UNCORRECTABLE
      226,  // CONTAINED
      700,  // ILLEGAL_ADDRESS
      702,  // LAUNCH_TIMEOUT
      709,  // CONTEXT_IS_DESTROYED
      710,  // ASSERT
      714,  // HARDWARE_STACK_ERROR
      715,  // ILLEGAL_INSTRUCTION
      716,  // MISALIGNED_ADDRESS
      717,  // INVALID_ADDRESS_SPACE
      718,  // INVALID_PC
      719,  // LAUNCH_FAILED
      721,  // TENSOR_MEMORY_LEAK
      911,  // EXTERNAL_DEVICE
  };
  return std::binary_search(std::begin(sticky), std::end(sticky), result);
}

void fault_latch::latch(const std::string& cause) {
  std::lock_guard hold(first_);
  if (lost_.load(std::memory_order_relaxed)) return;
  cause_ = name_ + " is lost until the process is started anew. First cause: " + cause +
           ". Kernels run asynchronously, so an earlier one than the call named here may be at fault; SINTER_SYNC=1 "
           "waits after each";
  lost_.store(true, std::memory_order_release);
}

void fault_latch::fail(cu_result result, const char* call, const std::string& arguments) {
  raise_if_lost();  // what comes after the first cause is its echo
  const std::string message = plain_name(call) + "(" + arguments + ") failed: " + describe(driver_, result);
  if (is_sticky(result)) {
    latch(message);
    repeat();
  }
  if (result == cu_error_out_of_memory)
    throw out_of_memory(("out of memory on " + name_ + ": " + message).c_str(), 0, 0, 0);
  throw device_error((message + " (on " + name_ + ")").c_str());
}

void fault_latch::note(cu_result result, const char* call) noexcept {
  if (result != cu_success && is_sticky(result)) lose(result, call);
}

void fault_latch::lose(cu_result result, const char* call) noexcept {
  if (exiting()) return;
  try {
    latch(plain_name(call) + "(...) failed: " + describe(driver_, result));
  } catch (...) {
    // No memory for the words. The context keeps its error, so the next call meets it again.
  }
}

void fault_latch::repeat() const {
  if (exiting()) throw device_lost((name_ + " is gone: the process is ending").c_str());
  if (!lost_.load(std::memory_order_acquire))
    throw device_lost((name_ + " cannot be used in a forked process: CUDA stays with the parent, which had used it "
                               "before the fork. Fork first, or start a new program")
                          .c_str());
  throw device_lost(cause_.c_str());
}

}  // namespace sinter::runtime
