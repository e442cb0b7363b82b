// Binding. Most launches are of flat operands, which need no strides at all; the general way lays every operand out in the
// domain, orders and merges axes, and reads the classes off.
#include "runtime/launch/bind.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "codegen/ir/broadcast.hpp"
#include "codegen/ir/stages.hpp"
#include "codegen/ir/values.hpp"
#include "codegen/source/geometry.hpp"
#include "runtime/memory/storage.hpp"

namespace sinter::runtime {

using codegen::access;
using codegen::operand;
using codegen::resolution;
using codegen::step;

namespace {

// Narrow kernels count in int, and a thread's first position may lie a block's packs past the end.
constexpr std::int64_t narrow_limit = (std::int64_t{1} << 31) - (std::int64_t{1} << 16);

// All operands run over memory in the domain's order: one axis.
void bind_flat(const step& s, const resolution& r, std::int64_t elements, binding& b) {
  b.extents[0] = elements;
  b.variant.rank = 1;
  for (std::size_t i = 0; i < b.operands.size(); ++i) {
    const bool fixed = i < s.inputs.size() && r.operands[s.inputs[i].operand].fixed;
    b.operands[i].strides[0] = fixed ? 0 : 1;
    b.variant.operands[i] = fixed ? access::fixed : access::unit;
  }
}

// The axes of a domain while they are ordered and merged. Strides live in the bound operands.
struct axes {
  int count = 0;
  std::int64_t extents[max_rank];
  bool reduced[max_rank];
};

// Gives the strides of something of shape `extents` (in the space of a reduction's result) along the kept axes of the domain.
// Both have the same axes longer than one, in the same order, but for those that are cut into several in the domain.
void lay_result(const sinter::shape& extents, const std::int64_t* strides, const codegen::space& domain,
                std::int64_t* into) {
  int from = extents.size();
  std::int64_t left = 1, stride = 0;  // of the axis at hand: what of it is not laid out yet
  for (int d = domain.extents.size() - 1; d >= 0; --d) {
    const std::int64_t n = domain.extents[d];
    into[d] = 0;
    if ((domain.reduced >> d & 1) || n == 1) continue;
    while (left == 1 && from > 0) left = extents[--from], stride = strides[from];
    into[d] = stride;
    stride *= n;
    left = n == 0 ? 1 : left / n;
  }
}

void lay_out(const step& s, const resolution& r, detail::array_node* const* outputs, binding& b) {
  const codegen::space& domain = r.spaces[s.domain];
  std::int64_t flat[max_rank];
  codegen::c_strides(domain.extents, flat);
  const std::size_t inputs = s.inputs.size();
  for (std::size_t i = 0; i < b.operands.size(); ++i) {
    std::int64_t* into = b.operands[i].strides;
    std::fill(into, into + max_rank, 0);
    if (i >= inputs) {
      const detail::array_node* a = outputs[i - inputs];
      if (!codegen::is_everywhere(s.kernel, i - inputs)) lay_result(a->extents, a->strides, domain, into);
      else if (a->extents == domain.extents) std::copy(a->strides, a->strides + a->extents.size(), into);
      else lay_result(a->extents, a->strides, {domain.extents}, into);
      continue;
    }
    const operand& o = r.operands[s.inputs[i].operand];
    if (s.inputs[i].of_result) {
      const sinter::shape& result = r.spaces[o.space].extents;
      std::int64_t c[max_rank];
      codegen::c_strides(result, c);
      lay_result(result, o.flat ? c : o.strides, domain, into);
    } else {
      const std::int64_t* from = o.flat ? flat : o.strides;
      std::copy(from, from + domain.extents.size(), into);
    }
    for (int d = 0; d < domain.extents.size(); ++d)
      if (domain.extents[d] == 1) into[d] = 0;
  }
}

void swap_axes(axes& a, binding& b, int x, int y) {
  std::swap(a.extents[x], a.extents[y]);
  std::swap(a.reduced[x], a.reduced[y]);
  for (bound_operand& o : b.operands) std::swap(o.strides[x], o.strides[y]);
}

// Drops axes of extent one.
void squeeze(axes& a, binding& b) {
  int to = 0;
  for (int d = 0; d < a.count; ++d) {
    if (a.extents[d] == 1) continue;
    if (to != d) swap_axes(a, b, to, d);
    ++to;
  }
  a.count = to;
}

// The operand whose order in memory matters most: what a map writes, what a reduction reads most of.
std::size_t leader(const step& s, const binding& b, const axes& a) {
  if (!s.kernel.reduces()) return s.inputs.size();
  std::size_t best = 0;
  int most = -1;
  for (std::size_t i = 0; i < s.inputs.size(); ++i) {
    int moving = 0;
    for (int d = 0; d < a.count; ++d) moving += b.operands[i].strides[d] != 0;
    if (moving > most && !s.kernel.inputs[i].iota) most = moving, best = i;
  }
  return best;
}

// Do all loads of a fold go side by side along an axis, as those of a convolution do along its results?
bool loads_go_along(const step& s, const binding& b, int axis) {
  const std::vector<int> steps = codegen::steps_of(s.kernel, [&](int input) {
    if (b.operands[static_cast<std::size_t>(input)].strides[axis] == 0) return 0;
    return s.kernel.inputs[static_cast<std::size_t>(input)].iota ? 1 : codegen::unsteady;
  });
  bool any = false;
  for (const codegen::value& v : s.kernel.values) {
    if (v.kind != codegen::value_kind::load) continue;
    if (steps[v.args[0]] != 0 || !(v.index & codegen::with_offset) || std::abs(steps[v.args[1]]) != 1) return false;
    any = true;
  }
  return any;
}

// Are operands windows that overlap: as far apart along an axis of results as along one that is folded? All others have to lie along
// the results, or be the same for them.
bool overlap_along(const step& s, const axes& a, const binding& b, const std::int64_t* leading, int axis) {
  bool both = false;
  for (int d = 0; d < a.count; ++d) both = both || (a.reduced[d] && leading[d] == leading[axis]);
  for (std::size_t i = 0; i < s.inputs.size(); ++i) both = both && std::abs(b.operands[i].strides[axis]) <= 1;
  return both && leading[axis] != 0;
}

// Do results that lie side by side fold the same elements, each from another one on? What a fold reads at its points is the same for
// all of them, and the loads go along, or its windows overlap.
bool results_share(const step& s, const axes& a, const binding& b, const std::int64_t* leading) {
  constexpr std::int64_t many = 256;
  if (codegen::form_of(s.kernel) != codegen::form::fold) return false;
  const std::int64_t* const written = b.operands[s.inputs.size()].strides;
  std::int64_t results = 1;
  int fastest = -1;
  bool moves = false;
  for (int d = 0; d < a.count; ++d) {
    if (a.reduced[d]) continue;
    moves = moves || leading[d] != 0;
    results *= a.extents[d];
    if (fastest < 0 || written[d] < written[fastest]) fastest = d;
  }
  if (results < many) return false;
  return moves ? overlap_along(s, a, b, leading, fastest) : loads_go_along(s, b, fastest);
}

// Do loads from an operand go along an axis by their positions, from element to element, as those of a roll along the axis that is rolled?
// An index that is multiplied goes in steps of its own, which nothing is known of here.
bool goes_by_position(const step& s, const binding& b, std::size_t operand, int axis) {
  const auto step_of = [&](int input) {
    const bool moves = b.operands[static_cast<std::size_t>(input)].strides[axis] != 0;
    return s.kernel.inputs[static_cast<std::size_t>(input)].iota && moves ? 1 : 0;
  };
  const std::vector<codegen::value>& all = s.kernel.values;
  const std::vector<int> steps = codegen::steps_of(s.kernel, step_of, true);
  std::vector<bool> multiplied(all.size());
  bool any = false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const codegen::value& v = all[i];
    for (int a = 0; a < codegen::arity(v); ++a) {
      const bool by_step = v.kind == codegen::value_kind::apply && v.code == op::multiply && steps[v.args[a]] != 0;
      multiplied[i] = multiplied[i] || multiplied[v.args[a]] || by_step;
    }
    if (v.kind != codegen::value_kind::load || !(v.index & codegen::with_offset)) continue;
    const codegen::value& from = all[v.args[0]];
    if (from.kind != codegen::value_kind::input || from.index != operand || steps[v.args[1]] == 0) continue;
    if (multiplied[v.args[1]]) return false;
    any = true;
  }
  return any;
}

// The strides that axes are sorted by: the leader's, or in order those of the domain itself. An axis along which its loads go by position
// counts as one of neighbours. Notes whether results share what they fold.
void steps_to_order_by(const step& s, const axes& a, binding& b, bool in_order, std::int64_t* by) {
  std::int64_t step_size = 1;
  for (int d = a.count - 1; in_order && d >= 0; --d) by[d] = step_size, step_size *= 2;
  if (in_order) return;
  const std::size_t leading = leader(s, b, a);
  std::copy_n(b.operands[leading].strides, a.count, by);
  b.overlaps = results_share(s, a, b, by);
  if (b.overlaps || leading >= s.inputs.size() || !s.kernel.inputs[leading].indexed) return;
  for (int d = 0; d < a.count; ++d)
    if (by[d] == 0 && goes_by_position(s, b, leading, d)) by[d] = 1;
}

// Sorts axes by falling stride of the leader (in order: of the domain itself), kept ones before reduced ones. Gives whether a
// kept axis is the fastest.
bool order(const step& s, axes& a, binding& b, bool in_order) {
  if (b.operands.empty()) return false;
  std::int64_t by[max_rank];
  b.overlaps = false;
  steps_to_order_by(s, a, b, in_order, by);
  for (int d = 0; b.overlaps && d < a.count; ++d)
    if (!a.reduced[d]) by[d] = b.operands[s.inputs.size()].strides[d];
  const auto size = [&](int d) { return std::llabs(by[d]); };
  int fastest = -1;
  for (int d = 0; d < a.count; ++d)
    if (size(d) != 0 && (fastest < 0 || size(d) <= size(fastest))) fastest = d;
  const bool columns = b.overlaps || (s.kernel.reduces() && fastest >= 0 && !a.reduced[fastest]);
  // Few columns of one element each are no columns to go along.
  constexpr std::int64_t few = 8;
  const auto is_spread = [&](int d) { return columns && size(d) == 0 && !a.reduced[d] && a.extents[d] <= few; };
  const auto before = [&](int x, int y) {
    if (a.reduced[x] != a.reduced[y]) return a.reduced[y];
    if (codegen::form_of(s.kernel) == codegen::form::fold && is_spread(x) != is_spread(y)) return is_spread(x);
    return size(x) != 0 && size(y) != 0 && size(x) > size(y);
  };
  for (int i = 1; i < a.count; ++i)
    for (int j = i; j > 0 && before(j, j - 1); --j) swap_axes(a, b, j, j - 1), std::swap(by[j], by[j - 1]);
  return columns;
}

// Merges neighbours that every operand steps through as one.
void merge(axes& a, binding& b) {
  for (int d = a.count - 2; d >= 0; --d) {
    bool one = a.reduced[d] == a.reduced[d + 1];
    for (const bound_operand& o : b.operands) one = one && o.strides[d] == o.strides[d + 1] * a.extents[d + 1];
    if (!one) continue;
    a.extents[d] *= a.extents[d + 1];
    for (bound_operand& o : b.operands) o.strides[d] = o.strides[d + 1];
    for (int e = d + 1; e + 1 < a.count; ++e) swap_axes(a, b, e, e + 1);
    --a.count;
  }
}

void append_axis(axes& a, binding& b, bool reduced) {
  a.extents[a.count] = 1;
  a.reduced[a.count] = reduced;
  for (bound_operand& o : b.operands) o.strides[a.count] = 0;
  ++a.count;
}

void classify(const step& s, const target& to, binding& b) {
  codegen::variant& v = b.variant;
  const int f = codegen::fastest_axis(v);
  const codegen::form form = codegen::form_of(s.kernel);
  const bool keeps =
      form == codegen::form::rows || (form == codegen::form::fold && to.language == codegen::dialect::cuda);
  const bool by_columns = v.columns && keeps;
  for (std::size_t i = 0; i < b.operands.size(); ++i) {
    const std::int64_t* strides = b.operands[i].strides;
    const bool moves = std::any_of(strides, strides + v.rank, [](std::int64_t x) { return x != 0; });
    v.operands[i] = !moves            ? access::fixed
                    : strides[f] == 1 ? access::unit
                    : strides[f] == 0 ? access::still
                                      : access::strided;
    const bool along_column = std::any_of(strides + f + 1, strides + v.rank, [](std::int64_t x) { return x != 0; });
    if (by_columns && i < s.inputs.size() && v.operands[i] == access::unit && !along_column)
      v.operands[i] = access::column;
    // A reduction's outputs are pointers even where there is one element.
    if (i >= s.inputs.size() && !moves) v.operands[i] = access::still;
  }
}

/// A grid has no more blocks than this along its first axis; a row takes less than one block, a tile of columns takes one.
bool too_many_columns(const binding& b) {
  constexpr std::int64_t most_blocks = 2'147'483'647, tile = 32;
  const int f = codegen::fastest_axis(b.variant);
  std::int64_t groups = (b.extents[f] + tile - 1) / tile;
  for (int d = 0; d < f; ++d) groups *= b.extents[d];
  return groups > most_blocks;
}

// Short rows go side by side on a CPU: each would leave most of a vector empty, and where positions are looked for, cost a search.
bool are_short(const step& s, const binding& b, const target& to) {
  constexpr std::int64_t many = 64;
  const std::int64_t shorter = codegen::has_choice(s.kernel) ? 48 : 16;
  const codegen::form form = codegen::form_of(s.kernel);
  return to.language == codegen::dialect::c && (form == codegen::form::rows || form == codegen::form::fold) &&
         b.reduced < shorter && b.kept >= many;
}

// Of few columns a core looks for an extreme's place in one after the other.
bool are_searched_alone(const step& s, const binding& b, const target& to) {
  constexpr std::int64_t few = 8;
  return to.language == codegen::dialect::c && codegen::form_of(s.kernel) == codegen::form::fold && b.kept < few &&
         s.kernel.accumulators.size() == 1 && codegen::has_choice(s.kernel);
}

void bind_general(const step& s, const resolution& r, detail::array_node* const* outputs, const target& to,
                  binding& b) {
  const codegen::space& domain = r.spaces[s.domain];
  lay_out(s, r, outputs, b);
  axes a;
  a.count = domain.extents.size();
  for (int d = 0; d < a.count; ++d) a.extents[d] = domain.extents[d], a.reduced[d] = domain.reduced >> d & 1;
  squeeze(a, b);
  const bool columns = order(s, a, b, b.variant.in_order) || are_short(s, b, to);
  merge(a, b);
  int reduced = 0;
  for (int d = 0; d < a.count; ++d) reduced += a.reduced[d];
  if (s.kernel.reduces() && reduced == 0) append_axis(a, b, true), reduced = 1;
  if (a.count == 0) append_axis(a, b, false);
  b.variant.rank = static_cast<std::uint8_t>(a.count);
  b.variant.reduced = static_cast<std::uint8_t>(reduced);
  b.variant.columns = columns;
  std::copy(a.extents, a.extents + a.count, b.extents);
  if (columns && (too_many_columns(b) || are_searched_alone(s, b, to))) b.variant.columns = false;
  classify(s, to, b);
}

bool needs_wide(const binding& b) {
  std::int64_t elements = 1;
  for (int d = 0; d < b.variant.rank; ++d) elements *= b.extents[d];
  if (elements >= narrow_limit) return true;
  for (const bound_operand& o : b.operands) {
    std::int64_t reach = 0;
    for (int d = 0; d < b.variant.rank; ++d) reach += std::llabs(o.strides[d]) * (b.extents[d] - 1);
    if (reach >= narrow_limit) return true;
  }
  return false;
}

bool shares_storage(const step& s, const binding& b) {
  for (std::size_t o = s.inputs.size(); o < b.operands.size(); ++o)
    for (std::size_t i = 0; i < s.inputs.size(); ++i)
      if (b.operands[i].memory && b.operands[i].memory == b.operands[o].memory) return true;
  return false;
}

// Words with an end.
class word_writer {
 public:
  word_writer(std::int64_t* words, std::size_t room) : begin_(words), at_(words), end_(words + room) {}
  void add(std::int64_t w) {
    if (at_ < end_) *at_ = w;
    ++at_;
  }
  void add(const std::int64_t* words, int count) {
    for (int i = 0; i < count; ++i) add(words[i]);
  }
  void add(const sinter::shape& s) {
    add(s.size());
    add(s.begin(), s.size());
  }
  std::size_t written() const { return at_ <= end_ ? static_cast<std::size_t>(at_ - begin_) : 0; }

 private:
  std::int64_t *begin_, *at_, *end_;
};

}  // namespace

bool lies_in_packs(const codegen::kernel& k, const binding& b, int width) {
  const codegen::variant& v = b.variant;
  const int f = codegen::fastest_axis(v);
  if (width <= 1) return false;
  for (std::size_t i = 0; i < b.operands.size(); ++i) {
    if (v.operands[i] != access::unit || (i < k.inputs.size() && !k.inputs[i].is_element())) continue;
    const int size = itemsize(codegen::operand_type(k, static_cast<int>(i)));
    if ((reinterpret_cast<std::uintptr_t>(b.operands[i].data) & static_cast<std::uintptr_t>(width * size - 1)) != 0)
      return false;
    for (int d = 0; d < v.rank; ++d)
      if (d != f && (b.operands[i].strides[d] & (width - 1)) != 0) return false;
  }
  return true;
}

void classify_positions(const codegen::kernel& k, binding& b, int width) {
  codegen::variant& v = b.variant;
  const int f = codegen::fastest_axis(v);
  for (std::size_t i = 0; i < k.inputs.size(); ++i) {
    if (!k.inputs[i].iota || v.operands[i] != access::unit) continue;
    std::int64_t places = b.operands[i].origin;
    for (int d = 0; d < v.rank; ++d)
      if (d != f) places |= b.operands[i].strides[d];
    if ((places & (width - 1)) != 0) v.operands[i] = access::strided;
  }
}

bool locate(const step& s, const resolution& r, detail::array_node* const* temporaries,
            detail::array_node* const* outputs, binding& b) {
  const std::size_t inputs = s.inputs.size(), count = inputs + s.outputs.size();
  b.operands.resize(count);
  b.flat = !s.kernel.reduces();
  for (std::size_t i = 0; i < inputs; ++i) {
    const operand& o = r.operands[s.inputs[i].operand];
    bound_operand& to = b.operands[i];
    to.memory = o.memory;
    to.data = o.data;
    to.origin = o.origin;
    if (s.inputs[i].temporary >= 0) {
      const detail::array_node* made = temporaries[s.inputs[i].temporary];
      to.memory = made->memory;
      to.data = made->data() + o.offset * itemsize(made->type);
    }
    b.flat = b.flat && (o.flat || (o.fixed && !o.iota));
  }
  for (std::size_t i = inputs; i < count; ++i) {
    const detail::array_node* a = outputs[i - inputs];
    b.operands[i].memory = a->memory;
    b.operands[i].data = a->data();
    b.flat = b.flat && a->contiguous;
  }
  b.aliased = shares_storage(s, b);
  b.kept = b.reduced = 1;
  const codegen::space& domain = r.spaces[s.domain];
  for (int d = 0; d < domain.extents.size(); ++d) (domain.reduced >> d & 1 ? b.reduced : b.kept) *= domain.extents[d];
  return b.kept != 0 && (b.reduced != 0 || !s.kernel.scans());
}

void bind(const step& s, const resolution& r, detail::array_node* const* outputs, const target& to, binding& b) {
  codegen::variant& v = b.variant;
  v = codegen::variant{};
  v.operands.resize(b.operands.size());
  v.in_order = to.in_order && s.kernel.reduces();
  b.overlaps = false;
  if (b.flat) bind_flat(s, r, b.kept, b);
  else bind_general(s, r, outputs, to, b);
  v.aliased = b.aliased;
  v.wide = !has_packs(to.language) || needs_wide(b);
}

std::size_t layout_words(const step& s, const resolution& r, detail::array_node* const* outputs, const target& to,
                         const binding& b, std::int64_t* words, std::size_t room) {
  word_writer w(words, room);
  const codegen::space& domain = r.spaces[s.domain];
  w.add(domain.reduced << 2 | static_cast<std::uint32_t>(b.flat) << 1 | static_cast<std::uint32_t>(b.aliased));
  w.add(domain.extents);
  const std::size_t inputs = s.inputs.size();
  for (std::size_t i = 0; i < b.operands.size(); ++i) {
    const std::int64_t place = has_packs(to.language) ? place_in_pack(b.operands[i].data) : 0;
    if (i >= inputs) {
      const detail::array_node* a = outputs[i - inputs];
      w.add(place);
      if (b.flat) continue;
      w.add(a->extents);
      w.add(a->strides, a->extents.size());
      continue;
    }
    const operand& o = r.operands[s.inputs[i].operand];
    w.add((o.iota ? o.origin & 15 : place) << 2 | static_cast<std::int64_t>(o.flat) << 1 |
          static_cast<std::int64_t>(o.fixed));
    if (s.inputs[i].of_result) w.add(r.spaces[o.space].extents);
    if (!o.flat && !b.flat) w.add(o.strides, r.spaces[o.space].extents.size());
  }
  return w.written();
}

}  // namespace sinter::runtime
