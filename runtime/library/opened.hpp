// Shared libraries that are opened when the first call needs them. No header of theirs is included anywhere: declarations are our
// own, so that Sinter is built without them, and a program starts on a machine that lacks them.
#pragma once

#include <atomic>
#include <initializer_list>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sinter::runtime {

/// Where a library is looked for.
struct library_place {
  const char* name;                // in messages: "OpenBLAS"
  const char* variable;            // of the environment, that names a file; set to nothing: there is none
  std::vector<std::string> files;  // in order, or the one that the variable names
  const char* package;             // that has it
  void (*opened_first)(void* library) = nullptr;  // called with one that was not in the process before; or null
};

/// A function of a library, and where its address goes.
struct library_function {
  const char* name;
  void* pointer;             // to a pointer to a function
  bool may_be_none = false;  // which is null then
};

/// The place of a library whose files the loader finds, unless the variable names another.
library_place usual_place(const char* name, const char* variable, std::initializer_list<const char*> files,
                          const char* package, void (*opened_first)(void* library) = nullptr);

enum class search : unsigned char { pending, found, in_vain };

/// Opens the first file that is there, with all files that it needs, and has all functions, for the rest of the process. Else `why`
/// says what was looked for and which package has it. Errors: `device_error` for such a file, or one that the variable names, that cannot be
/// opened: that may succeed the next time.
search open_library(const library_place&, std::span<const library_function>, std::string& why);

/// A library's table of functions, filled when it is first asked for.
template <class Table>
class opened {
 public:
  explicit opened(library_place place) : place_(std::move(place)) {}

  /// Null: it is not there, and `why` says so. `again`: it is looked for each time until it is found, by calls that fail without it and
  /// are to change nothing. Errors: `device_error` where it is there and cannot be opened. Any thread.
  const Table* get(std::string& why, bool again = false) {
    if (state_.load(std::memory_order_acquire) == search::found) return &table_;
    const std::lock_guard hold(opening_);
    const search before = state_.load(std::memory_order_relaxed);
    if (before == search::pending || (again && before == search::in_vain))
      state_.store(open_library(place_, table_.functions(), why_), std::memory_order_release);
    if (state_.load(std::memory_order_relaxed) == search::found) return &table_;
    why = why_;
    return nullptr;
  }

 private:
  const library_place place_;
  std::mutex opening_;
  std::atomic<search> state_{search::pending};
  Table table_;
  std::string why_;
};

}  // namespace sinter::runtime
