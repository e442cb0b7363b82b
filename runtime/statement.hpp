// Which statement of the program the calling thread is in, as far as the program's call could say: for line_profile_hook, and
// for errors of a capture whose own call cannot say where it stands.
#pragma once

#include <string>

#include <sinter/detail/where.hpp>

#include "runtime/memory/resources.hpp"
#include "runtime/report/watch.hpp"
#include "runtime/stream/capture.hpp"
#include "runtime/stream/current.hpp"

namespace sinter::runtime {

/// Lasts until the end of the scope. Inner ones do not count: the statement is the one that the program wrote.
class statement {
 public:
  explicit statement(const detail::where& at) noexcept {
    if (at.line == 0) return;
    if (chosen.capture) [[unlikely]]
      chosen.capture->last_statement = at;
    thread_memory& mine = memory_of_thread;
    if ((!mine.first_hook && !watched()) || mine.place) [[likely]]
      return;
    mine.place = &at;
    set_ = true;
  }
  statement(const statement&) = delete;
  statement& operator=(const statement&) = delete;
  ~statement() {
    if (set_) [[unlikely]]
      memory_of_thread.place = nullptr;
  }

 private:
  bool set_ = false;
};

/// Where the statement stands, as the log says it: "; for main.cpp:12". Empty where that is not known.
inline std::string for_statement() {
  const detail::where* const at = memory_of_thread.place;
  return at ? "; for " + std::string(at->file) + ":" + std::to_string(at->line) : "";
}

}  // namespace sinter::runtime
