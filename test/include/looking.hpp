// What the tests of public behaviour look at: where an array's elements lie, what a piece of work did to the counters,
// what a fresh process with another environment does.
#pragma once

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <sinter/sinter.hpp>

#include "codegen/ir/node.hpp"
#include "runtime/memory/storage.hpp"

namespace sinter::test {

/// Where the first element of an array lies: equal before and after a write in place.
template <class T>
const void* place_of(const array<T>& a) {
  return static_cast<const detail::array_node*>(static_cast<const detail::typed_node*>(a.node()))->data();
}
/// How many arrays look at an array's storage.
template <class T>
int holders_of(const array<T>& a) {
  return static_cast<const detail::array_node*>(static_cast<const detail::typed_node*>(a.node()))->memory->references;
}

/// How far the counters moved while `work` ran.
template <class Work>
counters_snapshot moved_by(Work&& work) {
  const counters_snapshot before = counters();
  work();
  const counters_snapshot after = counters();
  return {after.launches - before.launches,
          after.compiles - before.compiles,
          after.memory_hits - before.memory_hits,
          after.disk_hits - before.disk_hits,
          after.bytes_allocated - before.bytes_allocated,
          after.bytes_copied - before.bytes_copied,
          after.library_calls - before.library_calls};
}
template <class Work>
std::int64_t launches_of(Work&& work) {
  return moved_by(std::forward<Work>(work)).launches;
}

/// How often `part` stands in `whole`.
inline int times_in(const std::string& whole, const std::string& part) {
  int n = 0;
  for (std::size_t at = whole.find(part); at != std::string::npos; at = whole.find(part, at + part.size())) ++n;
  return n;
}

/// Runs one test case of this program, marked doctest::skip(), in a process of its own: what the environment decides is
/// decided once, and a process may end in any way.
struct rerun {
  bool ok = false;     // it passed
  int status = -1;     // of exit; -1: by a signal
  std::string output;  // both streams
  explicit rerun(const std::string& test_case,
                 const std::vector<std::pair<std::string, std::string>>& environment = {}) {
    std::string command = "exec env";
    for (const auto& [name, value] : environment) command += " " + name + "='" + value + "'";
    char self[4096];
    const ssize_t length = ::readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    command += std::string(" '") + self + "' --no-skip --test-case='" + test_case + "' 2>&1";
    std::FILE* pipe = ::popen(command.c_str(), "r");
    if (!pipe) return;
    char some[4096];
    for (std::size_t n; (n = std::fread(some, 1, sizeof some, pipe)) > 0;) output.append(some, n);
    const int ended = ::pclose(pipe);
    if (WIFEXITED(ended)) status = WEXITSTATUS(ended);
    ok = status == 0 && output.find("1 passed | 0 failed") != std::string::npos;
  }
};

}  // namespace sinter::test

/// Vectors in the messages of failed checks.
namespace doctest {
template <class T>
struct StringMaker<std::vector<T>> {
  static String convert(const std::vector<T>& all) {
    std::ostringstream text;
    text << '{';
    for (std::size_t i = 0; i < all.size() && i < 24; ++i) text << (i ? ", " : "") << +T(all[i]);
    text << (all.size() > 24 ? ", ...}" : "}");
    return text.str().c_str();
  }
};
}  // namespace doctest
