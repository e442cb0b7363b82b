// Broadcasting of shapes, and the strides an array has when it is seen through a broadcast.
#pragma once

#include <cstring>

#include "codegen/ir/node.hpp"

namespace sinter::codegen {

/// Are two shapes the same? In most cases it says yes, and in no other: of more than four axes, and where there is something
/// behind the last one, it does not look.
inline bool are_the_same(const sinter::shape& a, const sinter::shape& b) {
  constexpr int most = 4;  // all of which are compared at once
  return a.size() == b.size() && a.size() <= most && std::memcmp(a.begin(), b.begin(), most * sizeof *a.begin()) == 0;
}

/// Does `from` broadcast to just `to`?
inline bool broadcasts_to(const sinter::shape& from, const sinter::shape& to) {
  const int shift = to.size() - from.size();
  if (shift < 0) return false;
  for (int d = 0; d < from.size(); ++d)
    if (from[d] != to[d + shift] && from[d] != 1) return false;
  return true;
}

/// Broadcasts `with` into `into`. False where they do not broadcast; `into` is then unchanged. Errors: `shape_error` where both
/// grow, to more elements than can be counted.
inline bool broadcast(sinter::shape& into, const sinter::shape& with) {
  if (into == with) return true;
  const int before = into.size(), rank = before > with.size() ? before : with.size();
  sinter::shape result;
  result.set_size(rank);
  for (int back = 1; back <= rank; ++back) {
    const std::int64_t a = back <= before ? into[before - back] : 1;
    const std::int64_t b = back <= with.size() ? with[with.size() - back] : 1;
    if (a != b && a != 1 && b != 1) return false;
    result[rank - back] = a == 1 ? b : a;
  }
  if (!(result == into) && !(result == with)) result.check();
  into = result;
  return true;
}

/// Can a value of shape `from` be stored into `to`? It broadcasts, and may have more leading axes if their extents are 1.
inline bool can_be_stored(const sinter::shape& from, const sinter::shape& to) {
  const int more = from.size() - to.size();
  for (int d = 0; d < from.size(); ++d)
    if (from[d] != 1 && (d < more || from[d] != to[d - more])) return false;
  return true;
}

/// C-order strides, in elements.
inline void c_strides(const sinter::shape& s, std::int64_t* strides) {
  std::int64_t step = 1;
  for (int d = s.size() - 1; d >= 0; --d) {
    strides[d] = step;
    step *= s[d];
  }
}

inline bool is_contiguous(const sinter::shape& s, const std::int64_t* strides) {
  std::int64_t step = 1;
  for (int d = s.size() - 1; d >= 0; --d) {
    if (s[d] != 1 && strides[d] != step) return false;
    step *= s[d];
  }
  return true;
}

}  // namespace sinter::codegen
