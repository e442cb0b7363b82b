// Calls to the C library that fail on demand. The program that links this stands in front of the C library: what the library
// under test asks of it comes here first, is counted, and fails where a plan says so. All other calls go through.
#pragma once

#include <cstddef>

namespace fault {

/// Which calls are counted and made to fail.
enum class kind : unsigned char {
  memory,         // blocks and mappings that the library asks for, itself or through the C++ library
  system_memory,  // blocks that the C library and the loader ask for on its behalf
  files,          // files, folders, processes, libraries
  driver,         // the CUDA driver and NVRTC; driver.hpp makes these fail
};
inline constexpr int kinds = 4;

enum class manner : unsigned char {
  once,         // that one call fails
  for_ever,     // that one and all that follow
  interrupted,  // files: that one is cut short as by a signal, where it can be: EINTR, or fewer bytes than asked for
  refused,      // driver: that one finds no memory
  lost,         // driver: at that one the device's context is found dead, and stays dead
};

/// `at` counts calls of that kind from 0; below 0 none fails.
struct plan {
  kind which = kind::memory;
  manner how = manner::once;
  long at = -1;
};

/// What happens between start() and stop().
struct record {
  static constexpr int most_frames = 48;
  long calls[kinds] = {};
  long failed = 0;         // calls that were made to fail
  bool in_loader = false;  // the loader made one of them
  bool of_dlopen = false;  // one of them asked for a library
  char name[40] = "";      // the first of them, and who made it
  int depth = 0;
  void* frames[most_frames] = {};
};

/// From here on the library's calls are counted, and fail as planned; until stop(). Any thread's calls count. What happens is
/// written to `into` as it happens: a process that dies of it leaves it behind.
void start(const plan&, record& into) noexcept;
void stop() noexcept;

/// Blocks that were allocated for the library, by it or by the C library, and are not freed now.
long live_blocks() noexcept;
/// Bytes that the library has mapped and not unmapped.
long mapped_bytes() noexcept;

/// An exception as a handler saw it.
struct handled_exception {
  const char* type = nullptr;  // its dynamic type's name, mangled; null: there was none
  char text[300] = "";         // what() of the library's own
};
/// The first one that a handler of the program itself, or of what it loaded, has seen since forget_handled().
const handled_exception& first_handled() noexcept;
void forget_handled() noexcept;

}  // namespace fault
