// What row kernels and scans keep between their stages: the generated text and the launcher must agree on it.
#pragma once

#include "codegen/ir/stages.hpp"
#include "codegen/ir/values.hpp"

namespace sinter::codegen {

/// By value of a map: does it take long, and is it made of rows alone that all rows read?
inline std::vector<bool> same_for_all_rows(const kernel& k, const variant& v) {
  std::vector<bool> same(k.values.size()), moves(k.values.size()), result(k.values.size());
  for (std::size_t i = 0; i < k.values.size(); ++i) {
    const value& at = k.values[i];
    const bool again = at.kind == value_kind::input && v.map.of(at.index) == way::again;
    const bool fixed = at.kind == value_kind::input && v.operands[at.index] == access::fixed;
    const bool computed = at.kind == value_kind::apply || at.kind == value_kind::cast;
    same[i] = again || fixed || computed || at.kind == value_kind::scalar;
    moves[i] = again;
    for (int a = 0; a < arity(at); ++a) {
      same[i] = same[i] && same[at.args[a]];
      moves[i] = moves[i] || moves[at.args[a]];
      result[i] = result[i] || result[at.args[a]];
    }
    result[i] = same[i] && moves[i] && (result[i] || (at.kind == value_kind::apply && is_costly(at.code)));
  }
  return result;
}

/// What of a stage a later one need not compute again. On a GPU a thread has registers for it, and reads nothing twice; a CPU
/// core has a row of it, if it is work: an element itself is as near as that, and so is one in shared memory. An element that an
/// index has found is work everywhere, and a place is nothing to keep.
inline keeper keeper_for(const kernel& k, const variant& v, dialect to) {
  if (v.rows.held == 0 && !v.scan.keeps) return [](std::uint16_t) { return false; };
  std::vector<bool> moves(k.values.size()), worked(k.values.size());
  for (std::size_t i = 0; i < k.values.size(); ++i) {
    const value& at = k.values[i];
    const access lies = at.kind == value_kind::input ? v.operands[at.index] : access::fixed;
    moves[i] = lies == access::unit || lies == access::strided || lies == access::staged;
    for (int a = 0; a < arity(at); ++a) {
      moves[i] = moves[i] || moves[at.args[a]];
      worked[i] = worked[i] || worked[at.args[a]];
    }
    const bool is_place = at.kind == value_kind::input && k.inputs[at.index].indexed;
    if (is_place) continue;
    moves[i] = moves[i] || at.kind == value_kind::load;
    worked[i] =
        worked[i] || at.kind == value_kind::load || (to == dialect::cuda && lies != access::staged) || is_costly(at);
  }
  return [keeps = std::move(moves), worth = std::move(worked)](std::uint16_t at) { return keeps[at] && worth[at]; };
}

}  // namespace sinter::codegen
