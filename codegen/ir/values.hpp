// Which values of a kernel belong to which of its phases.
#pragma once

#include <vector>

#include "codegen/ir/kernel.hpp"

namespace sinter::codegen {

/// The operands of a value: how many of `args` count.
inline int arity(const value& v) {
  return v.kind == value_kind::cast ? 1 : v.kind == value_kind::apply ? detail::facts(v.code).arity : 0;
}

/// The values that `roots` are made of, by number. Reduced values are leaves.
inline std::vector<bool> made_of(const kernel& k, const std::vector<std::uint16_t>& roots) {
  std::vector<bool> needed(k.values.size());
  for (std::uint16_t r : roots) needed[r] = true;
  for (std::size_t i = k.values.size(); i-- > 0;)
    if (needed[i])
      for (int a = 0; a < arity(k.values[i]); ++a) needed[k.values[i].args[a]] = true;
  return needed;
}

/// The values folded by the accumulators; of a map, its outputs.
inline std::vector<std::uint16_t> first_phase(const kernel& k) {
  if (!k.reduces()) return k.outputs;
  std::vector<std::uint16_t> roots;
  for (const accumulator& a : k.accumulators) roots.push_back(a.value);
  return roots;
}

/// Is an input read at every point (not only once a result is known)?
inline bool read_before_reducing(const kernel& k, int input) {
  const std::vector<bool> needed = made_of(k, first_phase(k));
  for (std::size_t i = 0; i < k.values.size(); ++i)
    if (needed[i] && k.values[i].kind == value_kind::input && k.values[i].index == input) return true;
  return false;
}

}  // namespace sinter::codegen
