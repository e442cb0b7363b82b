#include "test/fuzz/execute.hpp"

#include <sinter/reduce.hpp>

#include "test/fuzz/moves.hpp"

namespace sinter::fuzz {

namespace {

detail::axis_list list_of(const std::optional<std::vector<int>>& axes) {
  detail::axis_list all;
  if (!axes) return all;
  all.count = 0;
  for (int a : *axes) all.axes[all.count++] = a;
  return all;
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

handle machine::fold_of(const step& s, const handle& from) const {
  using detail::reduction;
  const detail::axis_list axes = list_of(s.axes);
  switch (s.folding) {
    case fold::mean: return handle(detail::make_mean(from, s.type, axes, s.keepdims));
    case fold::var:
    case fold::stddev:
      return handle(detail::make_variance(from, s.type, axes, s.keepdims, s.ddof, s.folding == fold::stddev));
    default: return handle(detail::make_reduction(from, static_cast<reduction>(s.folding), s.type, axes, s.keepdims));
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
      const std::vector<int> order = s.axes.value_or(std::vector<int>());
      return made(detail::make_transpose(from().get(), order.data(), static_cast<int>(order.size())));
    }
    case form::reshape:
      return made(detail::make_reshape(from().get(), s.extents.data(), static_cast<int>(s.extents.size())));
    case form::broadcast: return made(detail::make_broadcast(from().get(), shape(s.extents)));
    case form::reduce: return keep(at_step, fold_of(s, from()));
    case form::move: {
      std::vector<handle> operands;
      for (const operand& o : s.operands) operands.push_back(value(o.step));
      for (const operand& o : s.operands)
        if (is_temporary(o.step)) at(o.step) = {};
      return made(run_move(s, operands, outlines_[static_cast<std::size_t>(at_step)].type));
    }
    case form::array: {
      tree& unnamed = at(s.operands[0].step).unnamed;
      return set(at_step, unnamed.empty() ? evaluated(from()) : std::exchange(unnamed, {}).evaluated());
    }
    case form::store: return run_store(s);
  }
}

void machine::run_store(const step& s) {
  handle& target = at(s.operands[0].step).node;
  if (how_ == manner::stepwise) target = handle(detail::make_copy(target.get()));
  const operand& value = s.operands[1];
  const bool whole = s.items.empty();
  handle view = target;
  if (!whole) view = handle(detail::make_view(target.get(), s.items.data(), static_cast<int>(s.items.size())));
  const dtype type = type_of(target);
  tree t;
  if (s.updates) {
    const detail::outcome of = outcome_of(s.code, s.operands, outlines_);
    t.take(view);
    if (whole) view = {};  // `a += e` names no view
    take_into(t, value, of.computed);
    t.apply(s.code, of.result);
    if (of.result != type) t.cast(type);
  } else if (!value.is_step()) {
    t.take(type, converted(value.scalar, type));
  } else {
    const tree& unnamed = at(value.step).unnamed;
    const bool as_it_is = !unnamed.empty() && unnamed.type() == type;
    take_into(t, value, type);
    if (!as_it_is) t.cast(type);
  }
  t.seen([&](const detail::expression_view& e) { detail::store(target, view.get(), e, {}); });
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
