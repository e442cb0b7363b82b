// The tree as ranges are added to it, and as a table. A program has tens of names, so entries are looked for one by
// one.
#include "runtime/profiler/range_tree.hpp"

#include <algorithm>
#include <string_view>

#include "runtime/profiler/columns.hpp"

namespace sinter::runtime {
namespace {

constexpr std::size_t name_width = 32, count_width = 9, time_width = 15;

std::string right(std::string text, std::size_t width) {
  const std::size_t have = characters(text);
  if (have < width) text.insert(0, width - have, ' ');
  return text;
}

std::string column(double nanoseconds) { return fixed(1e-3 * nanoseconds, time_width); }

double nanoseconds(profiler_clock::duration d) { return std::chrono::duration<double, std::nano>(d).count(); }

}  // namespace

range_tree::entry& range_tree::find(std::vector<entry>& among, std::string_view name, bool is_mark) {
  const auto at =
      std::find_if(among.begin(), among.end(), [&](const entry& e) { return e.is_mark == is_mark && e.name == name; });
  if (at != among.end()) return *at;
  entry& made = among.emplace_back();
  made.name = name;
  made.is_mark = is_mark;
  return made;
}

std::vector<range_tree::entry>& range_tree::within(const open_range* outer) {
  if (!outer || outer->began < since_) return outermost_;
  return find(within(outer->outer), outer->name, false).inner;
}

void range_tree::add(const open_range& ended, profiler_clock::time_point at) {
  if (ended.began < since_) return;
  entry& e = find(within(ended.outer), ended.name, false);
  const profiler_clock::duration took = at - ended.began;
  ++e.count;
  e.total += took;
  e.least = std::min(e.least, took);
  e.most = std::max(e.most, took);
}

void range_tree::add_mark(const char* name, const open_range* in) { ++find(within(in), name, true).count; }

void range_tree::print(const entry& e, std::size_t level, std::string& out) {
  std::string line =
      left(std::string(2 * level, ' ') + e.name, name_width) + right(std::to_string(e.count), count_width);
  if (e.count > 0 && !e.is_mark) {
    const double total = nanoseconds(e.total);
    line += column(total) + column(total / static_cast<double>(e.count)) + column(nanoseconds(e.least)) +
            column(nanoseconds(e.most));
  }
  out += line + "\n";
  for (const entry& i : e.inner) print(i, level + 1, out);
}

std::string range_tree::report() const {
  std::string out = left("range", name_width) + right("calls", count_width);
  for (const char* heading : {"total us", "mean us", "min us", "max us"}) out += right(heading, time_width);
  out += "\n";
  for (const entry& e : outermost_) print(e, 0, out);
  return out;
}

}  // namespace sinter::runtime
