// Which values of a kernel something is made of.
#pragma once

#include <algorithm>
#include <vector>

#include "codegen/ir/function.hpp"
#include "codegen/ir/kernel.hpp"

namespace sinter::codegen {

/// The operands of a value: how many of `args` count.
inline int arity(const value& v) {
  const int others = (v.index & with_offset ? 1 : 0) + (v.index & with_guard ? 1 : 0);
  switch (v.kind) {
    case value_kind::cast: return 1;
    case value_kind::apply: return detail::facts(v.code).arity;
    case value_kind::load: return 1 + others;
    case value_kind::check: return 2 + others;
    case value_kind::call: return v.called->arguments() + others;
    default: return 0;
  }
}

/// Of a load, a check or a call: the value that says where it is done, or null for everywhere.
inline const std::uint16_t* guard_of(const value& v) { return v.index & with_guard ? &v.args[arity(v) - 1] : nullptr; }
/// Of a check: the axis that the index is for. Of a call: which result it gives.
inline int number_of(const value& v) { return v.index >> number_shift; }

/// Does an operation take long, as functions of real numbers and random numbers do?
inline bool is_costly(op code) {
  const detail::rule r = detail::facts(code).of;
  using detail::rule;
  const bool heavy =
      r == rule::real || r == rule::analytic || r == rule::step || r == rule::integral_step || detail::takes_words(r);
  return heavy && code != op::sqrt && code != op::fma;
}
/// What a text of the program's does is not known: it counts as costly.
inline bool is_costly(const value& v) {
  return v.kind == value_kind::call || (v.kind == value_kind::apply && is_costly(v.code));
}

/// Is a kernel made of elements and numbers by arithmetic and functions alone, without positions, indices and random numbers?
inline bool is_plain(const kernel& k) {
  return std::all_of(k.values.begin(), k.values.end(), [&](const value& v) {
    if (v.kind == value_kind::input) return k.inputs[v.index].is_element();
    if (v.kind == value_kind::apply) return !detail::takes_words(detail::facts(v.code).of);
    return v.kind == value_kind::cast || v.kind == value_kind::scalar;
  });
}

/// Is a point computed without branches by NVRTC: by arithmetic, comparisons and random numbers alone?
inline bool is_straight(const kernel& k) {
  using detail::rule;
  const auto is_straight_op = [](op code) {
    switch (detail::facts(code).of) {
      case rule::number:
      case rule::number_not_bool:
      case rule::comparison:
      case rule::logic:
      case rule::choice:
      case rule::bits:
      case rule::test: return true;
      case rule::words_to_uint32:
      case rule::words_to_uint64:
      case rule::words_to_float32:
      case rule::words_to_float64: return true;
      default: return code == op::square || code == op::fma || code == op::absolute;
    }
  };
  return std::ranges::all_of(k.values, [&](const value& v) {
    if (v.kind == value_kind::apply) return !detail::is_complex(v.type) && is_straight_op(v.code);
    return v.kind != value_kind::load && v.kind != value_kind::check && v.kind != value_kind::call;
  });
}

/// The values that `roots` are made of, by number. Reduced values are leaves, and so are those that are given.
inline std::vector<bool> made_of(const kernel& k, const std::vector<std::uint16_t>& roots,
                                 const std::vector<std::uint16_t>& given = {}) {
  std::vector<bool> needed(k.values.size()), leaf(k.values.size());
  for (std::uint16_t r : roots) needed[r] = true;
  for (std::uint16_t g : given) leaf[g] = true;
  for (std::size_t i = k.values.size(); i-- > 0;)
    if (needed[i] && !leaf[i])
      for (int a = 0; a < arity(k.values[i]); ++a) needed[k.values[i].args[a]] = true;
  return needed;
}

/// The values that are needed at every point: those that accumulators fold, and outputs written there.
inline std::vector<std::uint16_t> point_values(const kernel& k) {
  if (!k.reduces()) return k.outputs;
  std::vector<std::uint16_t> roots(k.outputs.begin(), k.outputs.begin() + k.everywhere);
  for (const accumulator& a : k.accumulators)
    for (int m = 0; m < a.members(); ++m) roots.push_back(a.folded(m));
  return roots;
}

inline constexpr int bent = 1 << 15;  // by one step between borders, which is found where they are
inline constexpr int unsteady = 1 << 16;
inline bool is_steady(int step) { return step < bent && step > -bent; }

/// Does a value compare two positions whose distance changes from point to point by the same? It changes once along a row then.
inline bool is_border(const kernel& k, const value& at, const std::vector<int>& steps) {
  const bool compares = at.kind == value_kind::apply && (at.code == op::less || at.code == op::less_equal ||
                                                         at.code == op::greater || at.code == op::greater_equal);
  if (!compares || k.values[at.args[0]].type != dtype::int64) return false;
  const int x = steps[at.args[0]], y = steps[at.args[1]];
  return is_steady(x) && is_steady(y) && x != y;
}

/// How far each value goes where inputs go `step_of` (an input's number): sums and differences of positions do as their parts, and so do
/// choices between two that go alike; what else moves is unsteady. `between_borders`: these stay as they are, and choices are bent.
template <class F>
std::vector<int> steps_of(const kernel& k, F step_of, bool between_borders = false) {
  std::vector<int> steps;
  for (const value& v : k.values) {
    bool moves = v.kind == value_kind::reduced || v.kind == value_kind::scanned;
    for (int a = 0; a < arity(v); ++a) moves = moves || steps[v.args[a]] != 0;
    int step = moves ? unsteady : 0;
    if (v.kind == value_kind::input) step = step_of(v.index);
    if (moves && v.kind == value_kind::apply && (v.code == op::add || v.code == op::subtract)) {
      const int x = steps[v.args[0]], y = steps[v.args[1]], sum = v.code == op::add ? x + y : x - y;
      if (is_steady(x) && is_steady(y) && is_steady(sum)) step = sum;
      else if (x != unsteady && y != unsteady) step = bent;
    }
    if (v.kind == value_kind::apply && v.code == op::where && steps[v.args[0]] == 0) {
      const int x = steps[v.args[1]], y = steps[v.args[2]];
      if (x == y) step = x;
      else if (between_borders && x != unsteady && y != unsteady) step = bent;
    }
    if (between_borders && is_border(k, v, steps)) step = 0;
    steps.push_back(step);
  }
  return steps;
}

/// Is an input read at every point (not only once a row is folded)?
inline bool is_read_at_points(const kernel& k, int input) {
  const std::vector<bool> needed = made_of(k, point_values(k));
  for (std::size_t i = 0; i < k.values.size(); ++i)
    if (needed[i] && k.values[i].kind == value_kind::input && k.values[i].index == input) return true;
  return false;
}

/// Does it change the sign alone? Of a number of 16 bits that is one of its bits.
constexpr bool is_of_sign(op o) { return o == op::absolute || o == op::negative; }

}  // namespace sinter::codegen
