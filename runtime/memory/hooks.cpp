// Registering and calling memory hooks, and the three that come with Sinter: the printer, the counter and the profile
// by statement. All state of a registration is the thread's own, so nothing here locks but the hooks that may be
// shared.
#include "runtime/memory/hooks.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include <sinter/error.hpp>

#include "runtime/frontend/message.hpp"

namespace sinter {
namespace runtime {

struct hook_list {
  static void add(hook_scope& scope) {
    thread_memory& mine = memory_of_thread;
    const char* const name = scope.hook_.name();
    for (const hook_scope* s = mine.first_hook; s; s = s->after_)
      if (std::strcmp(s->hook_.name(), name) == 0)
        throw error(
            detail::message("sinter: a memory hook named %s is registered in this thread already", name).c_str());
    scope.before_ = mine.last_hook;
    scope.after_ = nullptr;
    (mine.last_hook ? mine.last_hook->after_ : mine.first_hook) = &scope;
    mine.last_hook = &scope;
  }

  static void remove(hook_scope& scope) noexcept {
    thread_memory& mine = memory_of_thread;
    (scope.before_ ? scope.before_->after_ : mine.first_hook) = scope.after_;
    (scope.after_ ? scope.after_->before_ : mine.last_hook) = scope.before_;
  }

  static void call(hooks::function f, const memory_event& e) noexcept {
    thread_memory& mine = memory_of_thread;
    if (mine.in_hook) return;
    mine.in_hook = true;
    for (hook_scope *s = mine.first_hook, *next; s; s = next) {
      next = s->after_;
      try {
        (s->hook_.*f)(e);
      } catch (const std::exception& thrown) {
        std::fprintf(stderr, "sinter: the memory hook %s threw an exception, which is ignored: %s\n", s->hook_.name(),
                     thrown.what());
      } catch (...) {
        std::fprintf(stderr, "sinter: the memory hook %s threw an exception, which is ignored\n", s->hook_.name());
      }
    }
    mine.in_hook = false;
  }
};

void hooks::call(function f, const memory_event& e) noexcept { hook_list::call(f, e); }

}  // namespace runtime

using runtime::hook_list;
using runtime::memory_of_thread;

memory_hook::~memory_hook() = default;

hook_scope::hook_scope(memory_hook& hook) : hook_(hook) { hook_list::add(*this); }
hook_scope::~hook_scope() { hook_list::remove(*this); }

allocation_label::allocation_label(const char* text) noexcept : text_(text), outer_(memory_of_thread.label) {
  memory_of_thread.label = this;
}
allocation_label::~allocation_label() { memory_of_thread.label = outer_; }

// ---- the printer

namespace {

/// One line, written in one go, so that lines of several threads do not mix.
void print(std::ostream& out, bool flush, const char* what, const memory_event& e, bool with_size, bool with_id) {
  char line[256];
  int n = std::snprintf(line, sizeof line, R"({"hook":"%s","device_id":%d)", what, e.device.ordinal());
  const auto add = [&](const char* format, auto value) {
    n += std::snprintf(line + n, sizeof line - static_cast<std::size_t>(n), format, value);
  };
  if (with_size) add(R"(,"size":%zu)", e.size);
  add(R"(,"mem_size":%zu)", e.mem_size);
  add(R"(,"mem_ptr":%llu)", static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(e.mem_ptr)));
  if (with_id)
    add(R"(,"pmem_id":"0x%llx")", static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(e.pmem_id)));
  add("%s", "}\n");
  static constinit std::mutex writing;  // of several threads, and of hooks that share a stream
  const std::lock_guard hold(writing);
  out.write(line, n);
  if (flush) out.flush();
}

}  // namespace

debug_print_hook::debug_print_hook() : debug_print_hook(std::cout) {}
debug_print_hook::debug_print_hook(std::ostream& out, bool flush) : out_(out), flush_(flush) {}
const char* debug_print_hook::name() const { return "debug_print_hook"; }
void debug_print_hook::alloc_postprocess(const memory_event& e) { print(out_, flush_, "alloc", e, false, false); }
void debug_print_hook::malloc_postprocess(const memory_event& e) { print(out_, flush_, "malloc", e, true, true); }
void debug_print_hook::free_postprocess(const memory_event& e) { print(out_, flush_, "free", e, false, true); }

// ---- the counter

struct memory_statistics_hook::state {
  std::mutex busy;
  memory_statistics seen;
};

memory_statistics_hook::memory_statistics_hook() try : state_(new state) {
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}
memory_statistics_hook::~memory_statistics_hook() { delete state_; }
const char* memory_statistics_hook::name() const { return "memory_statistics_hook"; }

void memory_statistics_hook::alloc_postprocess(const memory_event& e) {
  if (!e.mem_ptr) return;
  const std::lock_guard hold(state_->busy);
  ++state_->seen.allocs;
  state_->seen.acquired_bytes += e.mem_size;
}

void memory_statistics_hook::malloc_postprocess(const memory_event& e) {
  const std::lock_guard hold(state_->busy);
  memory_statistics& s = state_->seen;
  if (!e.mem_ptr) {
    ++s.failures;
    return;
  }
  ++s.mallocs;
  s.requested_bytes += e.size;
  s.used_bytes += e.mem_size;
  s.live_bytes += static_cast<std::int64_t>(e.mem_size);
  s.peak_bytes = std::max(s.peak_bytes, s.live_bytes);
}

void memory_statistics_hook::free_postprocess(const memory_event& e) {
  const std::lock_guard hold(state_->busy);
  ++state_->seen.frees;
  state_->seen.live_bytes -= static_cast<std::int64_t>(e.mem_size);
}

memory_statistics memory_statistics_hook::statistics() const {
  const std::lock_guard hold(state_->busy);
  return state_->seen;
}

void memory_statistics_hook::reset() {
  const std::lock_guard hold(state_->busy);
  const std::int64_t live = state_->seen.live_bytes;
  state_->seen = {};
  state_->seen.live_bytes = live;
  state_->seen.peak_bytes = std::max<std::int64_t>(live, 0);
}

// ---- the profile

struct line_profile_hook::state {
  struct entry {
    std::uint64_t used = 0;
    std::uint64_t acquired = 0;
    std::uint64_t mallocs = 0;
    std::map<std::string, entry> within;
  };

  mutable std::mutex busy;
  entry root;

  /// Adds to every entry on the way from the root to where the calling thread is: its labels from the outermost on,
  /// then the statement.
  template <class F>
  void add(F to) {
    const std::lock_guard hold(busy);
    to(root);
    entry* at = &descend(root, memory_of_thread.label, to);
    const detail::where* const place = memory_of_thread.place;
    if (place) at = &at->within[std::string(place->file) + ":" + std::to_string(place->line)];
    else if (!memory_of_thread.label) at = &at->within["(no statement)"];
    else return;
    to(*at);
  }

  template <class F>
  static entry& descend(entry& from, const allocation_label* label, F& to) {
    if (!label) return from;
    entry& here = descend(from, label->outer(), to).within[label->text()];
    to(here);
    return here;
  }
};

namespace {

/// 4096 as "4.00KB".
std::string readable(std::uint64_t bytes) {
  static constexpr const char* units[] = {"B", "KB", "MB", "GB", "TB", "PB", "EB"};
  double value = static_cast<double>(bytes);
  int unit = 0;
  for (; value >= 1024 && unit < 6; ++unit) value /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, "%.2f%s", value, units[unit]);
  return text;
}

template <class Entry>
void print(std::ostream& out, const std::string& name, const Entry& e, int depth) {
  out << std::string(static_cast<std::size_t>(depth) * 2, ' ') << name << " (" << readable(e.used) << ", "
      << readable(e.acquired) << "), " << e.mallocs << '\n';
  for (const auto& [key, inner] : e.within) print(out, key, inner, depth + 1);
}

}  // namespace

line_profile_hook::line_profile_hook() try : state_(new state) {
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}
line_profile_hook::~line_profile_hook() { delete state_; }
const char* line_profile_hook::name() const { return "line_profile_hook"; }

void line_profile_hook::alloc_postprocess(const memory_event& e) {
  if (e.mem_ptr) state_->add([&](state::entry& at) { at.acquired += e.mem_size; });
}

void line_profile_hook::malloc_postprocess(const memory_event& e) {
  if (!e.mem_ptr) return;
  state_->add([&](state::entry& at) {
    at.used += e.mem_size;
    ++at.mallocs;
  });
}

void line_profile_hook::print_report(std::ostream& out) const try {
  const std::lock_guard hold(state_->busy);
  print(out, "_root", state_->root, 0);
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

void line_profile_hook::reset() {
  const std::lock_guard hold(state_->busy);
  state_->root = {};
}

}  // namespace sinter
