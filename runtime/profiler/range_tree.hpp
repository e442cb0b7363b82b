// What a profile adds up: the ranges that began and ended while it lived, by name and by what they are nested in.
// Filled by the ends of ranges, on any thread; a tree's owner sees to it that only one does at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::runtime {

using profiler_clock = std::chrono::steady_clock;

/// A range that has begun. A thread's are a list, the innermost first.
struct open_range {
  std::string name;
  profiler_clock::time_point began;
  open_range* outer;
};

class range_tree {
 public:
  /// Knows nothing of ranges that begin before `since`.
  explicit range_tree(profiler_clock::time_point since) : since_(since) {}

  /// A range has ended. Errors: std::bad_alloc; then it is not counted.
  void add(const open_range& ended, profiler_clock::time_point at);
  /// A mark in the range that is innermost on its thread, or in none.
  void add_mark(const char* name, const open_range* in);

  std::string report() const;

 private:
  struct entry {
    std::string name;
    bool is_mark = false;
    std::int64_t count = 0;
    profiler_clock::duration total{}, least = profiler_clock::duration::max(), most{};
    std::vector<entry> inner;
  };

  /// The entries in which those of a range stand.
  std::vector<entry>& within(const open_range* outer);
  static entry& find(std::vector<entry>& among, std::string_view name, bool is_mark);
  static void print(const entry&, std::size_t level, std::string& out);

  const profiler_clock::time_point since_;
  std::vector<entry> outermost_;
};

}  // namespace sinter::runtime
