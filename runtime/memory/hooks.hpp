// Calling a thread's memory hooks. Used by the pools over devices; a thread without hooks pays for a load.
#pragma once

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
