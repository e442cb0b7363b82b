// An accumulator belongs to the first stage in which all that its value is made of is known.
#include "codegen/ir/stages.hpp"

#include <algorithm>

#include "codegen/ir/values.hpp"

namespace sinter::codegen {

namespace {

// By accumulator: how many stages come before the one that folds it.
std::vector<int> stages_before(const kernel& k) {
  std::vector<int> of_value(k.values.size(), 0), of_accumulator(k.accumulators.size(), -1);
  // An accumulator comes after those that its value is made of, but values come in any order with accumulators between.
  for (std::size_t a = 0; a < k.accumulators.size(); ++a) {
    for (std::size_t v = 0; v < k.values.size(); ++v) {
      const value& at = k.values[v];
      const bool of_earlier = at.kind == value_kind::reduced || at.kind == value_kind::scanned;
      of_value[v] = of_earlier ? of_accumulator[at.index] + 1 : 0;
      for (int i = 0; i < arity(at); ++i) of_value[v] = std::max(of_value[v], of_value[at.args[i]]);
    }
    of_accumulator[a] = 0;
    for (int m = 0; m < k.accumulators[a].members(); ++m)
      of_accumulator[a] = std::max(of_accumulator[a], of_value[k.accumulators[a].folded(m)]);
  }
  return of_accumulator;
}

void add(std::vector<std::uint16_t>& to, std::uint16_t v) {
  if (std::find(to.begin(), to.end(), v) == to.end()) to.push_back(v);
}

// What the stages compute, in their order: a value that an earlier one computed is taken from it, if it may be kept.
class sharing {
 public:
  sharing(const kernel& k, const keeper& may_keep)
      : k_(k), may_keep_(may_keep), made_in_(k.values.size(), -1), varies_(k.values.size(), form_of(k) != form::rows) {
    for (std::size_t v = 0; v < k.values.size(); ++v) {
      varies_[v] = varies_[v] || k.values[v].kind == value_kind::input;
      for (int i = 0; i < arity(k.values[v]); ++i) varies_[v] = varies_[v] || varies_[k.values[v].args[i]];
    }
  }

  void visit(std::vector<stage>& all, int at) {
    std::vector<bool> seen(k_.values.size());
    std::vector<std::uint16_t> todo = results_of(k_, all[static_cast<std::size_t>(at)]), made;
    while (!todo.empty()) {
      const std::uint16_t v = todo.back();
      todo.pop_back();
      if (seen[v]) continue;
      seen[v] = true;
      if (arity(k_.values[v]) != 0 && !varies_[v]) {
        if (made_in_[v] < 0) all[static_cast<std::size_t>(at)].once.push_back(v), made_in_[v] = at;
        add(all[static_cast<std::size_t>(at)].given, v);
        continue;
      }
      if (made_in_[v] >= 0 && may_keep_(v)) {
        add(all[static_cast<std::size_t>(at)].given, v);
        add(all[static_cast<std::size_t>(made_in_[v])].keeps, v);
        continue;
      }
      made.push_back(v);
      for (int i = 0; i < arity(k_.values[v]); ++i) todo.push_back(k_.values[v].args[i]);
    }
    for (std::uint16_t v : made)
      if (made_in_[v] < 0) made_in_[v] = at;
  }

 private:
  const kernel& k_;
  const keeper& may_keep_;
  std::vector<int> made_in_;  // by value: the stage that computes it first
  std::vector<bool> varies_;  // along a row; everything, where there is one pass
};

}  // namespace

form form_of(const kernel& k) {
  if (!k.reduces()) return form::map;
  if (k.transforms()) return form::transform;
  if (k.scans()) return form::scan;
  const std::vector<int> before = stages_before(k);
  const bool one = std::all_of(before.begin(), before.end(), [](int stages) { return stages == 0; });
  return one && k.everywhere == 0 ? form::fold : form::rows;
}

const char* name(form f) {
  constexpr const char* names[] = {"map", "reduction", "rows", "scan", "transform"};
  return names[static_cast<int>(f)];
}

std::vector<std::uint16_t> results_of(const kernel& k, const stage& s) {
  std::vector<std::uint16_t> roots;
  for (int i : s.accumulators) {
    const accumulator& a = k.accumulators[static_cast<std::size_t>(i)];
    for (int m = 0; m < a.members(); ++m) roots.push_back(a.folded(m));
  }
  for (int o : s.outputs) roots.push_back(k.outputs[static_cast<std::size_t>(o)]);
  roots.insert(roots.end(), s.keeps.begin(), s.keeps.end());
  return roots;
}

namespace {

// The stages of a map, which gives its outputs in one more.
std::vector<stage> with_outputs(const kernel& k, std::vector<stage> all, const keeper& may_keep) {
  all.emplace_back();
  for (std::size_t o = 0; o < k.outputs.size(); ++o) all.back().outputs.push_back(static_cast<int>(o));
  sharing between(k, may_keep);
  for (std::size_t s = 0; s < all.size(); ++s) between.visit(all, static_cast<int>(s));
  return all;
}

}  // namespace

std::vector<stage> stages_by_function(const kernel& k) {
  std::vector<stage> all;
  const std::vector<bool> needed = made_of(k, k.outputs);
  for (std::size_t v = 0; v < k.values.size(); ++v)
    if (needed[v] && k.values[v].kind == value_kind::apply && is_costly(k.values[v].code))
      all.emplace_back().keeps.push_back(static_cast<std::uint16_t>(v));
  return with_outputs(k, std::move(all), [&](std::uint16_t v) { return arity(k.values[v]) != 0; });
}

std::vector<stage> stages_after(const kernel& k, const std::vector<bool>& first) {
  std::vector<stage> all(1);
  for (std::size_t v = 0; v < k.values.size(); ++v)
    for (int i = 0; !first[v] && i < arity(k.values[v]); ++i)
      if (first[k.values[v].args[i]]) add(all[0].keeps, k.values[v].args[i]);
  for (std::uint16_t o : k.outputs)
    if (first[o]) add(all[0].keeps, o);
  return with_outputs(k, std::move(all), [&](std::uint16_t v) { return first[v]; });
}

std::vector<stage> stages_of(const kernel& k, const keeper& may_keep) {
  std::vector<stage> all;
  const std::vector<int> before = stages_before(k);
  for (std::size_t a = 0; a < before.size(); ++a) {
    const auto at = static_cast<std::size_t>(before[a]);
    if (all.size() <= at) all.resize(at + 1);
    all[at].accumulators.push_back(static_cast<int>(a));
  }
  const std::size_t everywhere = k.reduces() ? k.everywhere : k.outputs.size();
  if (everywhere != 0) all.emplace_back();
  for (std::size_t o = 0; o < everywhere; ++o) all.back().outputs.push_back(static_cast<int>(o));
  sharing between(k, may_keep);
  for (std::size_t s = 0; s < all.size(); ++s) between.visit(all, static_cast<int>(s));
  return all;
}

}  // namespace sinter::codegen
