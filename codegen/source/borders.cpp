#include "codegen/source/borders.hpp"

#include "codegen/ir/values.hpp"

namespace sinter::codegen {

namespace {

// How far each value goes along the fastest axis where there is no border.
std::vector<int> steps_between(const kernel& k, const variant& v) {
  const auto step_of = [&](int input) {
    const access lies = v.operands[static_cast<std::size_t>(input)];
    if (lies == access::fixed || lies == access::still) return 0;
    return lies == access::unit && !k.inputs[static_cast<std::size_t>(input)].is_element() ? 1 : unsteady;
  };
  return steps_of(k, step_of, true);
}

}  // namespace

stretches stretches_of(const kernel& k, const variant& v) {
  const std::vector<int> steps = steps_between(k, v);
  stretches all;
  for (std::size_t i = 0; i < k.values.size(); ++i) {
    const value& at = k.values[i];
    if (is_border(k, at, steps)) all.borders.push_back(static_cast<std::uint16_t>(i));
    if (at.kind != value_kind::load || k.values[at.args[0]].kind != value_kind::input) continue;
    if (guard_of(at) && steps[*guard_of(at)] != 0) continue;
    using goes = settled_load::goes;
    const auto input = static_cast<std::size_t>(k.values[at.args[0]].index);
    const bool has_stride = v.operands[input] == access::strided && !k.inputs[input].is_element();
    const int place = steps[at.args[0]], offset = at.index & with_offset ? steps[at.args[1]] : 0;
    const bool steady = is_steady(place) && is_steady(offset);
    if (steady && (place + offset == 0 || place + offset == 1))
      all.loads.push_back({static_cast<std::uint16_t>(i), place + offset == 1 ? goes::by_one : goes::nowhere});
    else if (has_stride && offset == 0) all.loads.push_back({static_cast<std::uint16_t>(i), goes::by_stride});
    else if (offset == bent && place == 0) all.loads.push_back({static_cast<std::uint16_t>(i), goes::by_a_step});
  }
  return all;
}

}  // namespace sinter::codegen
