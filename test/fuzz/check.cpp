#include "test/fuzz/check.hpp"

#include <exception>
#include <optional>

#include <sinter/error.hpp>

#include "test/fuzz/execute.hpp"
#include "test/fuzz/print.hpp"

namespace sinter::fuzz {

namespace {

shape with_last_axes_of_one(shape s, int rank) {
  const int own = s.size();
  s.set_size(rank);
  for (int d = own; d < rank; ++d) s[d] = 1;
  return s;
}

snapshot snapshot_of(const handle& h) { return {type_of(h), shape_of(h), bytes_of(h)}; }

class checking {
 public:
  checking(const program& p, math how)
      : p_(p),
        outlines_(outlines_of(p).value()),
        strict_(how == math::strict),
        stepwise_(p, outlines_, machine::manner::stepwise) {}

  verdict run() {
    for (int i = 0; i < static_cast<int>(p_.steps.size()); ++i)
      if (verdict v = run_step(i); !v.fine()) return v;
    return run_lazily();
  }
  std::vector<snapshot> values;  // of the steps; of one that is stored into, as it is now
  std::vector<snapshot> history;

 private:
  const step& at(int i) const { return p_.steps[static_cast<std::size_t>(i)]; }
  std::string place(int i) const { return "step " + std::to_string(i) + ": "; }

  verdict run_step(int i) {
    const device_scope there(strict_ ? here_ : device::interpreter());
    const step& s = at(i);
    const int kept = s.what == form::store ? s.operands[0].step : i;
    const std::vector<snapshot> operands = operands_of(p_, i, values);
    std::optional<hand_made> by_hand;
    std::optional<snapshot> reference;
    try {
      if (s.what == form::store) by_hand = store_by_hand(s);
      if (strict_ && here_ != device::interpreter() &&
          (s.what == form::apply || s.what == form::cast || s.what == form::reduce || s.what == form::scan ||
           s.what == form::call))
        reference = interpreted(i);
      stepwise_.run(i);
      values.resize(static_cast<std::size_t>(i) + 1), slack_.resize(values.size());
      values[static_cast<std::size_t>(kept)] = snapshot_of(stepwise_.value(kept));
    } catch (const std::exception& e) {
      return {"a step and what it may do", place(i) + e.what()};
    }
    const snapshot& got = values[static_cast<std::size_t>(kept)];
    history.push_back(got);
    const outline& expected = outlines_[static_cast<std::size_t>(i)];
    if (got.type != expected.type || !(got.extents == expected.extents))
      return {"a step and its rules", place(i) + bits_differ(got, {expected.type, expected.extents})};
    if (by_hand)
      if (const std::string d = store_differs(got, *by_hand); !d.empty())
        return {"a store and one by hand", place(i) + d};
    if (reference)
      if (const std::string d = step_differs(s, operands, got, *reference, judge::device); !d.empty())
        return {"a step and the interpreter's", place(i) + d};
    note_slack(i, kept, operands, got);
    return {};
  }

  // The step with the same operands, on the interpreter.
  snapshot interpreted(int i) {
    const device_scope there(device::interpreter());
    machine reference(p_, outlines_, machine::manner::stepwise);
    for (const operand& o : at(i).operands)
      if (o.is_step())
        reference.set(o.step, handle(detail::make_copy_on(stepwise_.value(o.step).get(), device::interpreter())));
    reference.run(i);
    return snapshot_of(reference.value(i));
  }

  hand_made store_by_hand(const step& s) {
    const handle target = stepwise_.value(s.operands[0].step);
    const auto view_of = [&](const handle& h) {
      if (picks(s)) return stepwise_.picked_of(s, h, stepwise_.indices_of(s));
      return s.items.empty() ? h : handle(detail::make_view(h.get(), s.items.data(), static_cast<int>(s.items.size())));
    };
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(shape_of(target).elements()));
    for (std::size_t n = 0; n < numbers.size(); ++n) numbers[n] = static_cast<std::int64_t>(n);
    const handle all(detail::make_from_host(dtype::int64, shape_of(target), numbers.data()));

    if (s.into == storing::put) {
      const snapshot places = snapshot_of(stepwise_.put_places(s, all));
      return {stored_by_hand(snapshot_of(target), places,
                             snapshot_of(stepwise_.put_values(s, type_of(target), places.extents)))};
    }
    const tree value = stepwise_.stored_value(s, view_of(target), type_of(target));
    std::optional<snapshot> mask;
    if (s.into == storing::combine)
      return combined_by_hand(snapshot_of(target), snapshot_of(view_of(all)), snapshot_of(value.evaluated()), s.code);
    if (stores_under_mask(s.into)) mask = values[static_cast<std::size_t>(s.operands[2].step)];
    if (s.into == storing::mask) mask->extents = with_last_axes_of_one(mask->extents, shape_of(target).size());
    return {stored_by_hand(snapshot_of(target), snapshot_of(view_of(all)), snapshot_of(value.evaluated()), mask)};
  }

  void note_slack(int i, int kept, const std::vector<snapshot>& operands, const snapshot& got) {
    std::vector<long double> slack;
    for (const operand& o : at(i).operands)
      if (o.is_step()) slack.push_back(slack_[static_cast<std::size_t>(o.step)]);
    slack_[static_cast<std::size_t>(kept)] = slack_of(at(i), operands, slack, got, strict_);
  }

  verdict run_lazily() {
    std::vector<snapshot> results;
    try {
      machine lazily(p_, outlines_, machine::manner::lazy);
      for (int i = 0; i < static_cast<int>(p_.steps.size()); ++i) lazily.run(i);
      for (const handle& h : lazily.results()) results.push_back(snapshot_of(h));
    } catch (const std::exception& e) {
      return {"fused and what it may do", e.what()};
    }
    for (std::size_t r = 0; r < results.size(); ++r) {
      const auto of = static_cast<std::size_t>(p_.results[r]);
      if (const std::string d = differ_by_more(results[r], values[of], slack_[of]); !d.empty())
        return {"fused and step by step", "result " + std::to_string(r) + ", v" + std::to_string(of) + ": " + d};
    }
    return {};
  }

  const program& p_;
  const std::vector<outline> outlines_;
  const device here_ = device::current();
  const bool strict_;
  machine stepwise_;
  std::vector<long double> slack_;  // of the steps' values, as compare.hpp has it
};

}  // namespace

std::vector<snapshot> operands_of(const program& p, int step, const std::vector<snapshot>& values) {
  std::vector<snapshot> all;
  for (const operand& o : p.steps[static_cast<std::size_t>(step)].operands)
    if (o.is_step()) all.push_back(values[static_cast<std::size_t>(o.step)]);
  return all;
}

verdict check(const program& p, math how, std::vector<snapshot>* values) {
  checking c(p, how);
  verdict v = c.run();
  if (values) *values = std::move(c.history);
  return v;
}

}  // namespace sinter::fuzz
