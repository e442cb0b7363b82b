// How far the computed indices of an operand move in it, and positions that were taken apart into digits, to be one index again.
#pragma once

#include <algorithm>
#include <vector>

#include "codegen/ir/resolve.hpp"

namespace sinter::codegen {

/// An index that is computed, and how far a step of it goes in an operand.
struct indexed_step {
  ref index;
  std::int64_t step;
};

/// An index that is part of a position; the one of the axis before it follows, if there is one.
struct digit_of {
  ref index, position;
  std::int64_t behind;
  bool has_above;
};

inline void add_step(std::vector<indexed_step>& steps, ref index, std::int64_t step) {
  if (step == 0) return;
  for (indexed_step& s : steps)
    if (s.index.bits == index.bits) return void(s.step += step);
  steps.push_back({index, step});
}

/// An operand whose elements lie one after the other where its axes do is read at the position, without digits of it.
inline void join_digits(const std::vector<digit_of>& digits, std::vector<indexed_step>& steps) {
  const auto step_of = [&](ref index) {
    return std::find_if(steps.begin(), steps.end(), [&](const indexed_step& s) { return s.index.bits == index.bits; });
  };
  for (std::size_t first = 0, end = 0; first < digits.size(); first = end + 1) {
    for (end = first; digits[end].has_above;) ++end;
    const auto last = step_of(digits[first].index);
    if (last == steps.end()) continue;
    const std::int64_t step = last->step;
    bool follow = true;
    for (std::size_t i = first; i <= end; ++i) {
      const auto at = step_of(digits[i].index);
      follow = follow && at != steps.end() && at->step == step * digits[i].behind;
    }
    for (std::size_t i = first; follow && i <= end; ++i) steps.erase(step_of(digits[i].index));
    if (follow) add_step(steps, digits[first].position, step);
  }
}

}  // namespace sinter::codegen
