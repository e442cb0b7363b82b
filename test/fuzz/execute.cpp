#include "test/fuzz/execute.hpp"

#include <sinter/edit.hpp>
#include <sinter/elementwise_kernel.hpp>
#include <sinter/nan_reductions.hpp>
#include <sinter/put.hpp>
#include <sinter/reduce.hpp>

#include "test/fuzz/calls.hpp"
#include "test/fuzz/moves.hpp"

namespace sinter::fuzz {

namespace {

// Written as a list, as a caller writes them.
template <std::size_t n = max_rank>
axes listed(const std::vector<int>& all) {
  if constexpr (n == 0) {
    return {};
  } else {
    if (all.size() != n) return listed<n - 1>(all);
    return [&]<std::size_t... i>(std::index_sequence<i...>) { return axes{std::int64_t{all[i]}...}; }
    (std::make_index_sequence<n>());
  }
}

std::vector<detail::node*> nodes_of(const std::vector<handle>& handles) {
  std::vector<detail::node*> nodes;
  for (const handle& h : handles) nodes.push_back(h.get());
  return nodes;
}

}  // namespace

handle machine::value(int step) {
  slot& s = at(step);
  if (!s.unnamed.empty()) s.node = s.unnamed.shared(), s.unnamed = {};
  return s.node;
}

// The node of an operand: a temporary keeps nothing back.
handle machine::taken(int step) {
  handle h = value(step);
  if (is_temporary(step)) at(step) = {};
  return h;
}

void machine::take_into(tree& t, const operand& o, dtype computed) {
  if (!o.is_step()) {
    const dtype type = o.scalar.strong ? o.scalar.type : computed;
    t.take(type, converted(o.scalar, type));
  } else if (tree& unnamed = at(o.step).unnamed; !unnamed.empty()) {
    t.take(std::move(unnamed));
  } else {
    t.take(taken(o.step));
  }
}

void machine::keep(int step, tree&& t) {
  if (how_ == manner::stepwise) return set(step, t.evaluated());
  if (is_temporary(step)) at(step).unnamed = std::move(t);
  else set(step, t.shared());
}
void machine::keep(int step, handle h) { set(step, how_ == manner::stepwise ? evaluated(h) : std::move(h)); }

handle machine::fold_of(const step& s, const handle& from) {
  using detail::reduction;
  reduce_options how;
  if (s.axes) how.axis = listed(*s.axes);
  how.keepdims = s.keepdims;
  how.ddof = s.ddof;
  if (s.initial) how.initial = *s.initial;
  if (s.operands.size() > 1) how.where = lazy<bool>(detail::retain(taken(s.operands[1].step).get()));
  const bool of_nan = s.skips_nan, root = s.folding == fold::stddev;
  if (of_nan && (s.folding == fold::min || s.folding == fold::max))
    return handle(detail::make_nan_extreme(from, static_cast<reduction>(s.folding), how));
  if (of_nan && s.folding > fold::mean) return handle(detail::make_nan_variance(from, s.type, how, root));
  if (of_nan) how = detail::without_nan(from.get(), how);
  switch (s.folding) {
    case fold::mean: return handle(detail::make_mean(from, s.type, how));
    case fold::var:
    case fold::stddev: return handle(detail::make_variance(from, s.type, how, root));
    default: return handle(detail::make_reduction(from, static_cast<reduction>(s.folding), s.type, how));
  }
}

void machine::run(int at_step) {
  const step& s = program_.steps[static_cast<std::size_t>(at_step)];
  const auto made = [&](detail::node* n) { keep(at_step, handle(n)); };
  const auto from = [&] { return taken(s.operands[0].step); };
  switch (s.what) {
    case form::input: return set(at_step, handle(detail::make_from_host(s.type, shape(s.extents), s.elements.data())));
    case form::index: return made(detail::make_iota(shape(s.extents), s.axes->front()));
    case form::apply:
    case form::cast: {
      tree t;
      dtype computed = s.type;
      if (s.what == form::apply) {
        const detail::outcome of = outcome_of(s.code, s.operands, outlines_);
        if (s.as_text && text_of(s.code, of.computed)) return keep(at_step, called(s, of));
        for (const operand& o : s.operands) take_into(t, o, of.computed);
        t.apply(s.code, of.result);
      } else {
        take_into(t, s.operands[0], computed);
        t.cast(s.type);
      }
      return keep(at_step, std::move(t));
    }
    case form::view: return made(detail::make_view(from().get(), s.items.data(), static_cast<int>(s.items.size())));
    case form::transpose: {
      const std::vector<int> axes = s.axes.value_or(std::vector<int>());
      const std::vector<std::int64_t> order(axes.begin(), axes.end());
      return made(detail::make_transpose(from().get(), order.data(), static_cast<int>(order.size())));
    }
    case form::reshape:
      return made(detail::make_reshape(from().get(), s.extents.data(), static_cast<int>(s.extents.size())));
    case form::broadcast: return made(detail::make_broadcast(from().get(), shape(s.extents)));
    case form::pick: {
      const handle of = value(s.operands[0].step);
      const std::vector<handle> indices = indices_of(s);
      taken(s.operands[0].step);
      return keep(at_step, picked_of(s, of, indices));
    }
    case form::reduce: return keep(at_step, fold_of(s, from()));
    case form::scan:
      return made(s.axes ? detail::make_scan(from().get(), s.scanning, s.type, s.axes->front())
                         : detail::make_flat_scan(from().get(), s.scanning, s.type));
    case form::move:
    case form::call: {
      std::vector<handle> operands;
      for (const operand& o : s.operands) operands.push_back(value(o.step));
      for (const operand& o : s.operands)
        if (is_temporary(o.step)) at(o.step) = {};
      const dtype result = outlines_[static_cast<std::size_t>(at_step)].type;
      return made(s.what == form::move ? run_move(s, operands, result) : row_of(s).run(s, operands, result));
    }
    case form::array: {
      tree& unnamed = at(s.operands[0].step).unnamed;
      return set(at_step, unnamed.empty() ? evaluated(from()) : std::exchange(unnamed, {}).evaluated());
    }
    case form::store:
      if (stores_under_mask(s.into)) return store_under_mask(s);
      if (s.into == storing::put) return store_put(s);
      return picks(s) ? store_picked(s) : run_store(s);
  }
}

// The operation as a function given as text.
handle machine::called(const step& s, const detail::outcome& of) {
  std::vector<handle> nodes;
  std::vector<detail::function_argument> arguments;
  std::vector<detail::parameter_type> types;
  for (const operand& o : s.operands) {
    const bool chooses = s.code == op::where && types.empty();
    types.push_back({chooses ? dtype::bool_ : of.computed, false});
    nodes.push_back(o.is_step() ? value(o.step) : handle());
    const dtype as = o.scalar.strong ? o.scalar.type : of.computed;
    if (o.is_step()) arguments.push_back({nodes.back().get(), {}});
    else arguments.push_back({nullptr, converted({as, true, converted(o.scalar, as)}, of.computed)});
  }
  for (const operand& o : s.operands)
    if (o.is_step() && is_temporary(o.step)) at(o.step) = {};
  static constexpr const char* names[] = {"a", "a, b", "a, b, c"};
  const detail::given_text parameters = names[types.size() - 1], none = "";
  const detail::parameter_type result{of.result, false};
  codegen::function_calls& f =
      detail::make_function(detail::facts(s.code).name, {parameters, types.data(), static_cast<int>(types.size())},
                            {none, &result, 1}, text_of(s.code, of.computed));
  detail::node* made;
  detail::make_calls(f, arguments.data(), &made, 1);
  return handle(made);
}

void machine::run_store(const step& s) {
  handle& target = at(s.operands[0].step).node;
  if (how_ == manner::stepwise) target = handle(detail::make_copy(target.get()));
  const bool whole = s.items.empty();
  handle view = target;
  if (!whole) view = handle(detail::make_view(target.get(), s.items.data(), static_cast<int>(s.items.size())));
  const dtype type = type_of(target);
  const tree t = whole && s.updates ? stored_value(s, std::move(view), type)  // `a += e` names no view
                                    : stored_value(s, view, type);
  t.seen([&](const detail::expression_view& e) { detail::store(target, view.get(), e, {}); });
}

tree machine::stored_value(const step& s, handle old, dtype target) {
  if (stores_parts(s.into)) return stored_parts(s, old, target);
  const operand& value = s.operands[1];
  tree t;
  if (s.updates) {
    const detail::outcome of = update_outcome(s, outlines_);
    t.take(std::move(old));
    take_into(t, value, of.computed);
    t.apply(s.code, of.result);
    if (of.result != target) t.cast(target);
  } else if (!value.is_step()) {
    t.take(target, converted(value.scalar, target));
  } else {
    const tree& unnamed = at(value.step).unnamed;
    const bool as_it_is = !unnamed.empty() && unnamed.type() == target;
    take_into(t, value, target);
    if (!as_it_is) t.cast(target);
  }
  return t;
}

// Complex numbers of new parts and the others, as `z.real() = x` has it.
tree machine::stored_parts(const step& s, const handle& old, dtype target) {
  const auto part = [&](op which) {
    tree t;
    t.take(old);
    t.apply(which, detail::real_part_of(target));
    return t;
  };
  const detail::outcome made = pair_outcome(s, outlines_);
  tree fresh, t;
  if (s.updates) {
    const detail::outcome of = update_outcome(s, outlines_);
    fresh.take(part(s.into == storing::real ? op::real : op::imag));
    take_into(fresh, s.operands[1], of.computed);
    fresh.apply(s.code, of.result);
  } else {
    take_into(fresh, s.operands[1], made.computed);
  }
  if (s.into == storing::imag) t.take(part(op::real));
  t.take(std::move(fresh));
  if (s.into == storing::real) t.take(part(op::imag));
  t.apply(op::make_complex, made.result);
  if (made.result != target) t.cast(target);
  return t;
}

std::vector<handle> machine::indices_of(const step& s) {
  const shape& from = outlines_[static_cast<std::size_t>(s.operands[0].step)].extents;
  std::vector<handle> all;
  std::size_t next = first_picked(s);
  for (std::int64_t length : lengths_picked(s, from)) all.push_back(index_into(value(s.operands[next++].step), length));
  for (std::size_t i = first_picked(s); i < s.operands.size(); ++i)
    if (is_temporary(s.operands[i].step)) at(s.operands[i].step) = {};
  return all;
}
handle machine::picked_of(const step& s, const handle& from, const std::vector<handle>& indices) const {
  const std::vector<detail::node*> nodes = nodes_of(indices);
  return handle(detail::make_picked(
      from.get(), {s.items.data(), static_cast<int>(s.items.size()), nodes.data(), static_cast<int>(nodes.size())}));
}

void machine::store_picked(const step& s) {
  handle& target = at(s.operands[0].step).node;
  if (how_ == manner::stepwise) target = handle(detail::make_copy(target.get()));
  const std::vector<handle> indices = indices_of(s);
  handle old;
  if (s.updates) old = picked_of(s, target, indices);
  const tree t = stored_value(s, std::move(old), type_of(target));
  const detail::combining how{s.into == storing::combine, s.code};
  const std::vector<detail::node*> nodes = nodes_of(indices);
  const detail::picking list{s.items.data(), static_cast<int>(s.items.size()), nodes.data(),
                             static_cast<int>(nodes.size())};
  t.seen([&](const detail::expression_view& e) { detail::store_at(target, {}, list, e, how, {}); });
}

// As `a(ellipsis) = where(mask, value, a)`.
void machine::store_under_mask(const step& s) {
  handle& target = at(s.operands[0].step).node;
  if (how_ == manner::stepwise) target = handle(detail::make_copy(target.get()));
  const handle mask = taken(s.operands[2].step);
  tree t;
  t.take(s.into == storing::mask ? handle(detail::make_mask(mask.get(), shape_of(target))) : mask);
  t.take(stored_value(s, target, type_of(target)));
  t.take(target);
  t.apply(op::where, type_of(target));
  const handle view = target;
  t.seen([&](const detail::expression_view& e) { detail::store(target, view.get(), e, {}); });
}

handle machine::put_places(const step& s, const handle& from) {
  const std::int64_t all = -1;
  const handle flat(detail::make_reshape(from.get(), &all, 1));
  return handle(
      detail::make_take(flat.get(), index_into(value(s.operands[2].step), shape_of(from).elements()).get(), 0));
}
handle machine::put_values(const step& s, dtype target, const shape& places) {
  const handle values = stored_value(s, {}, target).shared();
  return with_type(
      target, [&](auto t) { return handle(resize(lazy<decltype(t)>(detail::retain(values.get())), places).share()); });
}
void machine::store_put(const step& s) {
  handle& target = at(s.operands[0].step).node;
  if (how_ == manner::stepwise) target = handle(detail::make_copy(target.get()));
  const std::int64_t elements = shape_of(target).elements();
  const handle places = index_into(taken(s.operands[2].step), elements);
  const handle values = stored_value(s, {}, type_of(target)).shared();
  with_type(type_of(target), [&](auto t) {
    using T = decltype(t);
    array<T> a(target.take());
    put(a, lazy<std::int64_t>(detail::retain(places.get())), lazy<T>(detail::retain(values.get())));
    target = handle(detail::retain(a.node()));
  });
}

std::vector<handle> machine::results() {
  std::vector<handle> roots, all;
  std::vector<detail::node*> nodes;
  for (int r : program_.results) roots.push_back(value(r)), nodes.push_back(roots.back().get());
  std::vector<detail::node*> evaluated(nodes.size());
  if (nodes.empty()) return all;
  detail::evaluate_all(nodes.data(), evaluated.data(), static_cast<int>(nodes.size()), {});
  for (detail::node* n : evaluated) all.emplace_back(n);
  return all;
}

}  // namespace sinter::fuzz
