// Calling a thread's memory hooks, and telling them which statement is being evaluated. Used by the pools over devices
// and by the front end; a thread without hooks pays for a load.
#pragma once

#include <utility>

#include <sinter/memory_hooks.hpp>

#include "runtime/memory/resources.hpp"

namespace sinter::runtime::hooks {

using function = void (memory_hook::*)(const memory_event&);

/// Has the calling thread any, and is it not one of them that asks?
inline bool any() noexcept { return memory_of_thread.first_hook && !memory_of_thread.in_hook; }

/// Calls one function of each, in the order of registration. What they throw is reported on stderr.
void call(function, const memory_event&) noexcept;

/// Calls it at the end of a scope, also where that is left by an exception.
class at_end {
 public:
  at_end(function f, const memory_event& e) noexcept : function_(f), event_(e) {}
  at_end(const at_end&) = delete;
  at_end& operator=(const at_end&) = delete;
  ~at_end() { call(function_, event_); }

 private:
  const function function_;
  const memory_event& event_;
};

}  // namespace sinter::runtime::hooks

namespace sinter::runtime {

/// Says which statement the calling thread evaluates until the end of the scope, for line_profile_hook. Inner ones do
/// not count: the statement is the one that the program wrote.
class allocation_place {
 public:
  explicit allocation_place(const detail::where& at) noexcept {
    thread_memory& mine = memory_of_thread;
    if (!mine.first_hook || mine.place || at.line == 0) [[likely]]
      return;
    mine.place = &at;
    set_ = true;
  }
  allocation_place(const allocation_place&) = delete;
  allocation_place& operator=(const allocation_place&) = delete;
  ~allocation_place() {
    if (set_) [[unlikely]]
      memory_of_thread.place = nullptr;
  }

 private:
  bool set_ = false;
};

}  // namespace sinter::runtime
