#include "test/fuzz/program.hpp"

#include <algorithm>

#include <sinter/detail/selection.hpp>

#include "codegen/ir/broadcast.hpp"
#include "test/fuzz/calls.hpp"
#include "test/fuzz/moves.hpp"

namespace sinter::fuzz {

namespace {

using maybe = std::optional<outline>;

shape shape_from(const std::vector<std::int64_t>& extents) { return shape(extents); }

std::int64_t length_of(const detail::index_item& r, std::int64_t extent) {
  // Python's slice.indices, without its arithmetic: which of 0, 1, ... are met.
  const bool forward = r.step > 0;
  const auto clip = [&](std::int64_t i) {
    if (i < 0) i += extent;
    return std::clamp(i, forward ? std::int64_t(0) : std::int64_t(-1), forward ? extent : extent - 1);
  };
  const std::int64_t start = r.has_start ? clip(r.start) : forward ? 0 : extent - 1;
  const std::int64_t stop = r.has_stop ? clip(r.stop) : forward ? extent : -1;
  std::int64_t length = 0;
  for (std::int64_t i = start; forward ? i < stop : i > stop; i += r.step) ++length;
  return length;
}

// What an index list names. Arrays of integers broadcast together; integers beside them count as arrays. The axes that they have
// together stand in their place, or in front of all where anything else stands between two of them.
std::optional<shape> viewed(const shape& from, const step& s, const std::vector<outline>& known) {
  using item = detail::index_item;
  const std::vector<item>& items = s.items;
  const bool has_arrays = picks(s);
  shape together;
  int arrays = 0;
  int consumed = 0, rests = 0;
  for (const item& i : items)
    consumed += i.what != item::new_axis && i.what != item::rest, rests += i.what == item::rest;
  if (rests > 1 || consumed > from.size() || static_cast<int>(items.size()) > detail::index_list::capacity) return {};
  std::vector<std::int64_t> to;
  int axis = 0, place = 0;
  enum { before, among, behind, apart } at = before;
  const auto whole = [&](int axes) {
    for (int i = 0; i < axes; ++i) to.push_back(from[axis++]);
  };
  for (const item& i : items) {
    if (i.what == item::integers || i.what == item::integer) {
      if (at == before) place = static_cast<int>(to.size());
      at = at == behind || at == apart ? apart : among;
    } else if (at == among) {
      at = behind;
    }
    switch (i.what) {
      case item::new_axis: to.push_back(1); break;
      case item::rest: whole(from.size() - consumed); break;
      case item::all: whole(1); break;
      case item::integer:
        if (i.start < -from[axis] || i.start >= from[axis]) return {};
        ++axis;
        break;
      case item::range:
      case item::steps:
        if (i.step == 0) return {};
        to.push_back(length_of(i, from[axis++]));
        break;
      case item::integers: {
        const std::size_t which = first_picked(s) + static_cast<std::size_t>(i.start);
        if (which >= s.operands.size() || !s.operands[which].is_step() || ++arrays > max_rank) return {};
        const outline& index = known[static_cast<std::size_t>(s.operands[which].step)];
        if (!detail::is_integer(index.type) || from[axis++] == 0) return {};
        if (!codegen::broadcast(together, index.extents)) return {};
        break;
      }
    }
  }
  if (rests == 0) whole(from.size() - axis);
  if (has_arrays) to.insert(to.begin() + (at == apart ? 0 : place), together.begin(), together.end());
  if (static_cast<int>(to.size()) > max_rank) return {};
  return shape_from(to);
}

std::optional<shape> transposed(const shape& from, const std::optional<std::vector<int>>& axes) {
  std::vector<std::int64_t> to(from.begin(), from.end());
  std::reverse(to.begin(), to.end());
  if (!axes) return shape_from(to);
  if (static_cast<int>(axes->size()) != from.size() || axes->empty()) return {};
  unsigned seen = 0;
  for (std::size_t d = 0; d < axes->size(); ++d) {
    const int axis = (*axes)[d] < 0 ? (*axes)[d] + from.size() : (*axes)[d];
    if (axis < 0 || axis >= from.size() || (seen >> axis & 1)) return {};
    seen |= 1u << axis;
    to[d] = from[axis];
  }
  return shape_from(to);
}

std::optional<shape> reshaped(const shape& from, std::vector<std::int64_t> to) {
  const auto open = std::find(to.begin(), to.end(), -1);
  if (open == to.end()) {
    const shape all = shape_from(to);
    return all.elements() == from.elements() ? std::optional(all) : std::nullopt;
  }
  *open = 1;
  const std::int64_t known = shape_from(to).elements();
  if (known == 0 || from.elements() % known != 0) return {};
  *open = from.elements() / known;
  return shape_from(to);
}

maybe reduced(const step& s, const outline& from) {
  const int rank = from.extents.size();
  unsigned mask = s.axes ? 0 : (1u << rank) - 1;
  if (s.axes)
    for (int given : *s.axes) {
      const int axis = given < 0 ? given + rank : given;
      if (axis < 0 || axis >= rank || (mask >> axis & 1)) return {};
      mask |= 1u << axis;
    }
  std::vector<std::int64_t> to;
  const detail::reduction_facts* const facts = facts_of(s.folding);
  const bool needs_one = facts && facts->needs_element && !s.initial;
  if (s.operands.size() > 1 && (!takes_mask(s.folding) || needs_one || s.skips_nan)) return {};
  if ((s.initial && !takes_initial(s.folding)) || (s.skips_nan && !skips_nan(s.folding))) return {};
  if (facts && facts->takes_position() && s.axes && s.axes->size() != 1) return {};
  for (int d = 0; d < rank; ++d) {
    const bool gone = mask >> d & 1;
    if (gone && needs_one && from.extents[d] == 0) return {};
    if (gone && s.keepdims) to.push_back(1);
    else if (!gone) to.push_back(from.extents[d]);
  }
  const bool of_complex = detail::is_complex(from.type);  // whose mean is complex, and whose variance is not
  if (!facts && !detail::is_inexact(s.type)) return {};
  if (!facts && detail::is_complex(s.type) != (of_complex && s.folding == fold::mean)) return {};
  const bool chosen = chooses_dtype(s.folding);
  if (!chosen && s.type != detail::reduced_dtype(static_cast<detail::reduction>(s.folding), from.type)) return {};
  return outline{s.type, shape_from(to)};
}

// Is the mask of a reduction one, that broadcasts to the elements?
bool has_mask(const step& s, const std::vector<outline>& known) {
  if (s.operands.size() < 2) return true;
  const outline &of = known[static_cast<std::size_t>(s.operands[0].step)],
                &mask = known[static_cast<std::size_t>(s.operands[1].step)];
  shape to = of.extents;
  return mask.type == dtype::bool_ && codegen::broadcast(to, mask.extents) && to == of.extents;
}

maybe called(const step& s, const std::vector<outline>& known) {
  std::vector<outline> operands;
  for (const operand& o : s.operands) {
    if (!o.is_step()) return {};
    operands.push_back(known[static_cast<std::size_t>(o.step)]);
  }
  const call_row& row = row_of(s);
  if (operands.size() != row.operands) return {};
  const maybe o = row.gives(s, operands);
  return o && o->extents.size() <= max_rank ? o : maybe();
}

maybe scanned(const step& s, const outline& from) {
  const int rank = from.extents.size();
  const detail::reduction_facts& facts = detail::facts(s.scanning);
  const bool chosen = facts.gives == detail::folded_dtype::sums;
  if (s.scanning == detail::reduction::logaddexp ? !detail::is_floating(s.type) || detail::is_complex(from.type)
                                                 : !chosen && s.type != detail::reduced_dtype(s.scanning, from.type))
    return {};
  if (!s.axes) return outline{s.type, shape(std::vector<std::int64_t>{from.extents.elements()})};
  const int axis = s.axes->front();
  return axis >= -rank && axis < rank ? maybe({s.type, from.extents}) : maybe();
}

maybe applied(const step& s, const std::vector<outline>& known) {
  const detail::outcome of = outcome_of(s.code, s.operands, known);
  if (of.why != detail::fault::none || static_cast<int>(s.operands.size()) != detail::facts(s.code).arity) return {};
  shape to;
  bool any = false;
  for (const operand& o : s.operands) {
    if (!o.is_step()) {
      if (!o.scalar.strong && !fits(o.scalar, of.computed)) return {};
      continue;
    }
    any = true;
    if (!codegen::broadcast(to, known[static_cast<std::size_t>(o.step)].extents)) return {};
  }
  return any ? maybe({of.result, to}) : maybe();
}

// What a store stores: elements, or parts of them.
dtype stored_dtype(const step& s, dtype target) { return stores_parts(s.into) ? detail::real_part_of(target) : target; }

// Has the mask of a store the first axes of the array, or does it broadcast to it?
bool may_mask(const step& s, const std::vector<outline>& known) {
  const shape& target = known[static_cast<std::size_t>(s.operands[0].step)].extents;
  const outline& mask = known[static_cast<std::size_t>(s.operands.at(2).step)];
  if (mask.type != dtype::bool_ || !s.items.empty()) return false;
  if (s.into == storing::mask)
    return !s.operands[1].is_step() && mask.extents.size() <= target.size() &&
           std::equal(mask.extents.begin(), mask.extents.end(), target.begin());
  shape to = target;
  if (s.updates || !codegen::broadcast(to, mask.extents) || !(to == target)) return false;
  return !s.operands[1].is_step() ||
         (codegen::broadcast(to, known[static_cast<std::size_t>(s.operands[1].step)].extents) && to == target);
}

// Is there a value, or more, for places that are whole numbers?
bool may_put(const step& s, const std::vector<outline>& known) {
  const outline& target = known[static_cast<std::size_t>(s.operands[0].step)];
  const outline& places = known[static_cast<std::size_t>(s.operands.at(2).step)];
  const operand& value = s.operands[1];
  if (s.updates || !s.items.empty() || target.extents.elements() == 0 || !detail::is_integer(places.type)) return false;
  if (!value.is_step()) return value.scalar.strong || fits(value.scalar, target.type);
  return known[static_cast<std::size_t>(value.step)].extents.elements() > 0;
}

maybe stored(const step& s, const std::vector<outline>& known) {
  const outline& target = known[static_cast<std::size_t>(s.operands[0].step)];
  if (s.into == storing::put) return may_put(s, known) ? maybe(target) : maybe();
  const std::optional<shape> to = viewed(target.extents, s, known);
  const operand& value = s.operands[1];
  if (!to || (stores_under_mask(s.into) && !may_mask(s, known))) return {};
  if (s.into == storing::combine) {
    const detail::outcome of = update_outcome(s, known);
    if (!picks(s) || of.why != detail::fault::none || !detail::same_kind(of.result, target.type)) return {};
    if (detail::is_complex(target.type) && s.code != op::add) return {};
  }
  if (stores_parts(s.into) && (picks(s) || !detail::is_complex(target.type))) return {};
  if (value.is_step()) {
    const shape& from = known[static_cast<std::size_t>(value.step)].extents;
    // NumPy takes more axes than there are in `=` alone, and not into one element.
    if (!codegen::can_be_stored(from, *to)) return {};
    const bool operates = s.updates || s.into == storing::combine || stores_parts(s.into);
    if ((operates || to->size() == 0) && from.size() > to->size()) return {};
  }
  const auto takes = [&](dtype computed) {
    return value.is_step() || value.scalar.strong || fits(value.scalar, computed) ? maybe(target) : maybe();
  };
  if (stores_parts(s.into)) {
    const detail::outcome made = pair_outcome(s, known);
    if (made.why != detail::fault::none) return {};
    if (!s.updates) return takes(made.computed);
  }
  if (!s.updates) return takes(target.type);
  const detail::outcome of = update_outcome(s, known);
  if (of.why != detail::fault::none || !detail::same_kind(of.result, stored_dtype(s, target.type))) return {};
  return takes(of.computed);
}

int users_of(const program& p, int step) {
  int n = 0;
  for (const fuzz::step& s : p.steps)
    for (const operand& o : s.operands) n += o.step == step;
  for (int r : p.results) n += r == step;
  return n;
}

}  // namespace

detail::weight weight_of(const operand& o, const std::vector<outline>& known) {
  if (o.is_step()) return {known[static_cast<std::size_t>(o.step)].type, false};
  return {o.scalar.type, !o.scalar.strong};
}

detail::outcome outcome_of(op code, const std::vector<operand>& all, const std::vector<outline>& known) {
  const auto w = [&](std::size_t i) { return weight_of(all[i], known); };
  switch (all.size()) {
    case 1: return detail::outcome_of(code, {w(0)});
    case 2: return detail::outcome_of(code, {w(0), w(1)});
    default: return detail::outcome_of(code, {w(0), w(1), w(2)});
  }
}

const char* text_of(op code, dtype computed) {
  if (detail::is_short_floating(computed) || detail::is_complex(computed)) return nullptr;
  // Of integers C promises less.
  const bool real = detail::is_floating(computed);
  switch (code) {
    case op::add: return real ? "return a + b;" : nullptr;
    case op::subtract: return real ? "return a - b;" : nullptr;
    case op::multiply: return real ? "return a * b;" : nullptr;
    case op::divide: return "return a / b;";
    case op::negative: return real ? "return -a;" : nullptr;
    case op::less: return "return a < b;";
    case op::equal: return "return a == b;";
    case op::where: return "return a ? b : c;";
    case op::bitwise_xor: return "return a ^ b;";
    case op::sqrt: return "return sqrt(a);";
    default: return nullptr;
  }
}

detail::outcome update_outcome(const step& s, const std::vector<outline>& known) {
  const dtype target = known[static_cast<std::size_t>(s.operands[0].step)].type;
  return detail::outcome_of(s.code, {{stored_dtype(s, target), false}, weight_of(s.operands[1], known)});
}

detail::outcome pair_outcome(const step& s, const std::vector<outline>& known) {
  const dtype target = known[static_cast<std::size_t>(s.operands[0].step)].type;
  detail::weight fresh = weight_of(s.operands[1], known);
  if (s.updates) fresh = {update_outcome(s, known).result, false};
  return detail::outcome_of(op::make_complex, {fresh, {detail::real_part_of(target), false}});
}

bool fits(const number& n, dtype type) {
  if (!detail::is_integer(n.type) || !detail::is_integer(type)) return true;
  return with_type(n.type, [&](auto s) {
    using S = decltype(s);
    return with_type(type, [&](auto t) {
      using W = decltype(t);
      if constexpr (std::is_integral_v<S> && std::is_integral_v<W> && !std::same_as<S, bool> && !std::same_as<W, bool>)
        return std::in_range<W>(value_of<S>(n));
      else return true;
    });
  });
}

detail::scalar_bits converted(const number& n, dtype to) {
  return with_type(n.type, [&](auto s) {
    using S = decltype(s);
    return with_type(to, [&](auto t) {
      using W = decltype(t);
      return detail::to_bits(detail::cast_element<W>(value_of<S>(n)));
    });
  });
}

maybe outline_of(const step& s, const std::vector<outline>& known) {
  for (const operand& o : s.operands)
    if (o.is_step() && static_cast<std::size_t>(o.step) >= known.size()) return {};
  const auto extents_or_none = [&](const std::optional<shape>& to, dtype type) {
    return to && to->size() <= max_rank ? maybe({type, *to}) : maybe();
  };
  const auto from = [&]() -> const outline& { return known[static_cast<std::size_t>(s.operands[0].step)]; };
  if (s.what != form::input && s.what != form::index && s.what != form::apply &&
      (s.operands.empty() || !s.operands[0].is_step()))
    return {};
  switch (s.what) {
    case form::input: return outline{s.type, shape_from(s.extents)};
    case form::index:
      if (s.axes->front() >= static_cast<int>(s.extents.size())) return {};
      return outline{dtype::int64, shape_from(s.extents)};
    case form::apply: return applied(s, known);
    case form::cast: return outline{s.type, from().extents};
    case form::view:
    case form::pick: return extents_or_none(viewed(from().extents, s, known), from().type);
    case form::transpose: return extents_or_none(transposed(from().extents, s.axes), from().type);
    case form::reshape: return extents_or_none(reshaped(from().extents, s.extents), from().type);
    case form::broadcast: {
      shape to = shape_from(s.extents);
      const bool fine = codegen::broadcast(to, from().extents) && to == shape_from(s.extents);
      return fine ? maybe({from().type, to}) : maybe();
    }
    case form::call: return called(s, known);
    case form::reduce: return has_mask(s, known) ? reduced(s, from()) : maybe();
    case form::scan: return scanned(s, from());
    case form::move: return moved(s, known);
    case form::array: return from();
    default: return stored(s, known);
  }
}

bool picks(const step& s) {
  return std::any_of(s.items.begin(), s.items.end(), [](auto& i) { return i.what == detail::index_item::integers; });
}

std::vector<std::int64_t> lengths_picked(const step& s, const shape& from) {
  using item = detail::index_item;
  const auto consumes = [](const item& i) { return i.what != item::new_axis && i.what != item::rest; };
  const auto rest = from.size() - static_cast<int>(std::count_if(s.items.begin(), s.items.end(), consumes));
  std::vector<std::int64_t> lengths;
  int axis = 0;
  for (const item& i : s.items) {
    if (i.what == item::integers) lengths.push_back(from[axis]);
    axis += i.what == item::rest ? rest : consumes(i);
  }
  return lengths;
}

bool is_variable(const program& p, int at) {
  const step& s = p.steps[static_cast<std::size_t>(at)];
  return (s.what == form::input || s.what == form::array) && !s.temporary;
}

bool may_be_temporary(const program& p, int at) {
  const step& s = p.steps[static_cast<std::size_t>(at)];
  if (s.what == form::input || s.what == form::store || users_of(p, at) != 1) return false;
  for (std::size_t i = static_cast<std::size_t>(at) + 1; i < p.steps.size(); ++i) {
    const step& later = p.steps[i];
    for (std::size_t k = 0; k < later.operands.size(); ++k)
      if (later.operands[k].step == at) return later.what != form::store || k > 0;
    if (later.what == form::store) return false;
  }
  return true;  // a result
}

std::optional<std::vector<outline>> outlines_of(const program& p) {
  std::vector<outline> known;
  for (std::size_t i = 0; i < p.steps.size(); ++i) {
    const step& s = p.steps[i];
    const maybe o = outline_of(s, known);
    if (!o) return {};
    if (s.temporary && !may_be_temporary(p, static_cast<int>(i))) return {};
    for (const operand& x : s.operands)
      if (x.is_step() && p.steps[static_cast<std::size_t>(x.step)].what == form::store) return {};
    if (s.what == form::store && !is_variable(p, s.operands[0].step)) return {};
    known.push_back(*o);
  }
  return known;
}

}  // namespace sinter::fuzz
