#include "codegen/ir/refine.hpp"

#include <algorithm>

namespace sinter::codegen {

using detail::axis_map;

namespace {

// The axes of a shape one after the other, but those of one element; `left` is what of an axis is still to be matched.
struct walker {
  const sinter::shape& s;
  int axis, last;
  std::int64_t left = 1;

  walker(const sinter::shape& of, axis_range over) : s(of), axis(over.first - 1), last(over.last) {}
  // False: there are no more.
  bool refill() {
    while (left == 1 && axis + 1 < last) left = s[++axis];
    return left != 1;
  }
};

}  // namespace

regroupings regroup(const sinter::shape& from, const sinter::shape& to) {
  regroupings all;
  int i = 0, j = 0;
  for (;;) {
    while (i < from.size() && from[i] == 1) ++i;
    while (j < to.size() && to[j] == 1) ++j;
    if (i == from.size() || j == to.size()) return all;
    regrouping g{{i, i + 1}, {j, j + 1}};
    std::int64_t a = from[i++], b = to[j++];
    while (a != b) a < b ? a *= from[i++] : b *= to[j++];
    g.from.last = i;
    g.to.last = j;
    all.groups[all.count++] = g;
  }
}

std::optional<axis_range> consecutive(const sinter::shape& space, const sinter::shape& s, const axis_map* maps,
                                      axis_range of) {
  axis_range all{-1, -1};
  for (int d = of.first; d < of.last; ++d) {
    if (s[d] == 1) continue;
    const axis_map& m = maps[d];
    if (m.axis < 0 || m.step != 1 || m.offset != 0) return {};
    if (all.first < 0) all = {m.axis, m.axis};
    for (; all.last < m.axis; ++all.last)
      if (space[all.last] != 1) return {};
    if (all.last != m.axis) return {};
    std::int64_t points = 1;
    for (; all.last < m.axis + m.run; ++all.last) points *= space[all.last];
    if (points != s[d]) return {};
  }
  return all;
}

bool cuts::add(int axis, std::int64_t outer) {
  if (count_ == max_rank) return false;
  at_[count_++] = {axis, outer};
  return true;
}

sinter::shape cuts::applied(const sinter::shape& s, std::int8_t* begins) const {
  sinter::shape parts;
  parts.set_size(s.size() + count_);
  int to = 0, next = 0;
  for (int d = 0; d < s.size(); ++d) {
    begins[d] = static_cast<std::int8_t>(to);
    std::int64_t left = s[d];
    for (; next < count_ && at_[next].axis == d; ++next) {
      parts[to++] = at_[next].outer;
      left /= at_[next].outer;
    }
    parts[to++] = left;
  }
  begins[s.size()] = static_cast<std::int8_t>(to);
  return parts;
}

bool common_cuts(const sinter::shape& space, axis_range parts, const sinter::shape& s, axis_range of, cuts& where) {
  walker have(space, parts), want(s, of);
  while (have.refill() && want.refill()) {
    if (have.left > want.left) {
      if (have.left % want.left != 0 || !where.add(have.axis, want.left)) return false;
      have.left /= want.left;
      want.left = 1;
    } else {
      if (want.left % have.left != 0) return false;
      want.left /= have.left;
      have.left = 1;
    }
  }
  return true;
}

void assign_runs(const sinter::shape& space, axis_range parts, axis_range of, const sinter::shape& s, axis_map* maps) {
  int next = parts.first;
  for (int d = of.first; d < of.last; ++d) {
    if (s[d] == 1) continue;
    while (space[next] == 1) ++next;
    const int first = next;
    for (std::int64_t points = 1; points != s[d];) points *= space[next++];
    maps[d] = {0, 1, static_cast<std::int16_t>(first), static_cast<std::int16_t>(next - first)};
  }
}

axis_map refinement::map_of(int d) const {
  return {0, 1, begins[d], static_cast<std::int16_t>(begins[d + 1] - begins[d])};
}

std::uint32_t refinement::spread(std::uint32_t mask) const {
  std::uint32_t all = 0;
  for (int d = 0; d < of.size(); ++d)
    for (int part = begins[d]; (mask >> d & 1) && part < begins[d + 1]; ++part) all |= 1u << part;
  return all;
}

const refinement* find_refinement(const refinements& all, const sinter::shape& of) {
  const auto at = std::find_if(all.begin(), all.end(), [&](const refinement& r) { return r.of == of; });
  return at == all.end() ? nullptr : &*at;
}

void refine(refinements& all, const sinter::shape& of, const sinter::shape& now, const cuts& where) {
  std::int8_t begins[max_rank + 1];
  const sinter::shape parts = where.applied(now, begins);
  auto at = std::find_if(all.begin(), all.end(), [&](const refinement& r) { return r.of == of; });
  if (at == all.end()) {
    all.push_back({of, now, {}});
    at = all.end() - 1;
    for (int d = 0; d <= of.size(); ++d) at->begins[d] = static_cast<std::int8_t>(d);
  }
  at->axes = parts;
  for (int d = 0; d <= of.size(); ++d) at->begins[d] = begins[at->begins[d]];
}

bool forget_refinement(refinements& all, const sinter::shape& of) {
  return std::erase_if(all, [&](const refinement& r) { return r.of == of; }) != 0;
}

}  // namespace sinter::codegen
