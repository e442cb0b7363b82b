#include "test/fuzz/shrink.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include <sinter/index.hpp>

namespace sinter::fuzz {

namespace {

// Without the steps that no result and no store into a result needs, numbered anew.
program without_the_unused(const program& p) {
  const auto n = p.steps.size();
  std::vector<bool> used(n);
  for (int r : p.results) used[static_cast<std::size_t>(r)] = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = n; i-- > 0;) {
      const step& s = p.steps[i];
      if (s.what == form::store && used[static_cast<std::size_t>(s.operands[0].step)] && !used[i])
        used[i] = changed = true;
      if (!used[i]) continue;
      for (const operand& o : s.operands)
        if (o.is_step() && !used[static_cast<std::size_t>(o.step)])
          used[static_cast<std::size_t>(o.step)] = changed = true;
    }
  }
  program smaller;
  std::vector<int> number(n, -1);
  for (std::size_t i = 0; i < n; ++i) {
    if (!used[i]) continue;
    number[i] = static_cast<int>(smaller.steps.size());
    smaller.steps.push_back(p.steps[i]);
    for (operand& o : smaller.steps.back().operands)
      if (o.is_step()) o.step = number[static_cast<std::size_t>(o.step)];
  }
  for (int r : p.results) smaller.results.push_back(number[static_cast<std::size_t>(r)]);
  return smaller;
}

step plain_input(const outline& o) {
  step s;
  s.type = o.type;
  s.extents.assign(o.extents.begin(), o.extents.end());
  s.elements.resize(static_cast<std::size_t>(o.extents.elements() * itemsize(o.type)));
  with_type(o.type, [&](auto t) {
    using T = decltype(t);
    for (std::size_t i = 0; i * sizeof(T) < s.elements.size(); ++i) {
      const T x = static_cast<T>(i % 3 + 1);
      std::memcpy(s.elements.data() + i * sizeof x, &x, sizeof x);
    }
  });
  return s;
}

// An input's elements under another shape: the first ones, over and over.
void resize(step& s, const std::vector<std::int64_t>& extents) {
  const auto size = static_cast<std::size_t>(itemsize(s.type));
  const std::vector<std::byte> old = s.elements;
  s.extents = extents;
  s.elements.resize(static_cast<std::size_t>(shape(extents).elements()) * size);
  for (std::size_t i = 0; i < s.elements.size() && !old.empty(); ++i) s.elements[i] = old[i % old.size()];
}

class shrinker {
 public:
  shrinker(program p, const std::function<bool(const program&)>& fails, int tries)
      : best_(std::move(p)), fails_(fails), left_(tries) {}

  program run() {
    one_result();
    for (bool smaller = true; smaller && left_ > 0;) {
      smaller = fewer_results();
      smaller |= fewer_steps();
      smaller |= shorter_axes();
      smaller |= plainer_indices();
      smaller |= plainer_numbers();
      smaller |= plainer_statements();
    }
    return best_;
  }

 private:
  bool attempt(program p) {
    for (std::size_t i = 0; i < p.steps.size(); ++i)
      if (p.steps[i].temporary && !may_be_temporary(p, static_cast<int>(i))) p.steps[i].temporary = false;
    p = without_the_unused(p);
    if (p.results.empty() || left_ <= 0 || !outlines_of(p)) return false;
    --left_;
    if (!fails_(p)) return false;
    best_ = std::move(p);
    return true;
  }

  // The value of one step alone, the earliest that will do: it may be one that nothing uses.
  void one_result() {
    for (std::size_t i = 0; i < best_.steps.size(); ++i) {
      const step& s = best_.steps[i];
      program p = best_;
      p.results = {s.what == form::store ? s.operands[0].step : static_cast<int>(i)};
      if (attempt(p)) return;
    }
  }

  bool fewer_results() {
    bool any = false;
    for (std::size_t r = 0; r < best_.results.size() && best_.results.size() > 1;) {
      program p = best_;
      p.results.erase(p.results.begin() + static_cast<std::ptrdiff_t>(r));
      if (attempt(p)) any = true;
      else ++r;
    }
    return any;
  }

  // Asks for an earlier value instead, leaves a store out, or lets an operand or an input stand for a step.
  bool fewer_steps() {
    bool any = false;
    for (int i = static_cast<int>(best_.steps.size()) - 1; i >= 0; --i) {
      i = std::min(i, static_cast<int>(best_.steps.size()) - 1);
      any |= without_step(i);
    }
    return any;
  }
  bool without_step(int i) {
    const step& s = best_.steps[static_cast<std::size_t>(i)];
    if (s.what == form::input) return false;
    if (s.what == form::store) {
      program p = best_;
      for (step& later : p.steps)
        for (operand& o : later.operands) o.step -= o.step > i;
      for (int& r : p.results) r -= r > i;
      p.steps.erase(p.steps.begin() + i);
      return attempt(p) || of_what_is_stored(s);
    }
    for (const operand& o : s.operands)
      if (o.is_step()) {
        program p = best_;
        replace(p, i, o.step);
        if (attempt(p)) return true;
      }
    const std::optional<std::vector<outline>> known = outlines_of(best_);
    program p = best_;
    p.steps[static_cast<std::size_t>(i)] = plain_input((*known)[static_cast<std::size_t>(i)]);
    return attempt(p);
  }
  // A store's value instead of what it is stored into.
  bool of_what_is_stored(const step& store) {
    const operand& value = store.operands.back();
    if (!value.is_step()) return false;
    program p = best_;
    p.results = {value.step};
    return attempt(p);
  }
  static void replace(program& p, int old, int fresh) {
    for (step& s : p.steps)
      for (operand& o : s.operands)
        if (o.step == old) o.step = fresh;
    for (int& r : p.results)
      if (r == old) r = fresh;
  }

  // One extent after the other, wherever it stands.
  bool shorter_axes() {
    bool any = false;
    std::set<std::int64_t, std::greater<>> lengths;
    for (const step& s : best_.steps) lengths.insert(s.extents.begin(), s.extents.end());
    for (std::int64_t n : lengths)
      for (std::int64_t to : {std::int64_t(1), std::int64_t(2), std::int64_t(3), n / 4, n / 2, n - 1})
        if (to > 0 && to < n && attempt(with_extent(n, to))) {
          any = true;
          break;
        }
    // And an axis less.
    for (std::size_t i = 0; i < best_.steps.size(); ++i) {
      if (best_.steps[i].what != form::input || best_.steps[i].extents.empty()) continue;
      program p = best_;
      std::vector<std::int64_t> fewer(p.steps[i].extents.begin() + 1, p.steps[i].extents.end());
      resize(p.steps[i], fewer);
      any |= attempt(p);
    }
    return any;
  }
  program with_extent(std::int64_t old, std::int64_t fresh) const {
    program p = best_;
    for (step& s : p.steps) {
      std::vector<std::int64_t> extents = s.extents;
      std::replace(extents.begin(), extents.end(), old, fresh);
      if (s.what == form::input) resize(s, extents);
      else s.extents = extents;
    }
    return p;
  }

  bool plainer_indices() {
    bool any = false;
    for (std::size_t i = 0; i < best_.steps.size(); ++i)
      for (std::size_t k = 0; k < best_.steps[i].items.size(); ++k) {
        const detail::index_item& item = best_.steps[i].items[k];
        if (item.what == detail::index_item::all) continue;
        program p = best_;
        p.steps[i].items[k] = detail::to_index(_);
        if (attempt(p)) {
          any = true;
          continue;
        }
        if (item.what != detail::index_item::steps) continue;
        p = best_;
        p.steps[i].items[k].step = item.step < 0 ? -1 : 1;
        if (item.step != p.steps[i].items[k].step) any |= attempt(p);
      }
    return any;
  }

  bool plainer_numbers() {
    bool any = false;
    for (std::size_t i = 0; i < best_.steps.size(); ++i) {
      for (std::size_t k = 0; k < best_.steps[i].operands.size(); ++k) {
        const operand& o = best_.steps[i].operands[k];
        const number one{o.scalar.type, o.scalar.strong, converted(number_of(std::int64_t(1)), o.scalar.type)};
        const bool is_one = with_type(
            o.scalar.type, [&](auto t) { return value_of<decltype(t)>(one) == value_of<decltype(t)>(o.scalar); });
        if (o.is_step() || is_one) continue;
        program p = best_;
        p.steps[i].operands[k].scalar = one;
        any |= attempt(p);
      }
      if (best_.steps[i].what != form::input) continue;
      const step& s = best_.steps[i];
      const step plain = plain_input({s.type, shape(s.extents)});
      if (plain.elements == s.elements) continue;
      program p = best_;
      p.steps[i] = plain;
      if (attempt(p)) any = true;
      else any |= plainer_elements(i);
    }
    return any;
  }
  // One element of an input after the other.
  bool plainer_elements(std::size_t i) {
    bool any = false;
    const auto size = static_cast<std::size_t>(itemsize(best_.steps[i].type));
    const std::vector<std::byte> zero(size);
    for (std::size_t at = 0; at < best_.steps[i].elements.size() && at < 16 * size; at += size) {
      if (std::memcmp(best_.steps[i].elements.data() + at, zero.data(), size) == 0) continue;
      program p = best_;
      std::memcpy(p.steps[i].elements.data() + at, zero.data(), size);
      any |= attempt(p);
    }
    return any;
  }

  bool plainer_statements() {
    bool any = false;
    for (std::size_t i = 0; i < best_.steps.size(); ++i) {
      const auto change = [&](auto&& f) {
        program p = best_;
        f(p.steps[i]);
        any |= attempt(p);
      };
      if (best_.steps[i].temporary) change([](step& s) { s.temporary = false; });
      if (best_.steps[i].updates) change([](step& s) { s.updates = false; });
      if (best_.steps[i].ddof) change([](step& s) { s.ddof = 0; });
      if (best_.steps[i].keepdims) change([](step& s) { s.keepdims = false; });
      if (best_.steps[i].initial) change([](step& s) { s.initial.reset(); });
      if (best_.steps[i].skips_nan) change([](step& s) { s.skips_nan = false; });
      if (best_.steps[i].as_text) change([](step& s) { s.as_text = false; });
    }
    return any;
  }

  program best_;
  const std::function<bool(const program&)>& fails_;
  int left_;
};

}  // namespace

program shrink(program p, const std::function<bool(const program&)>& fails, int tries) {
  return shrinker(std::move(p), fails, tries).run();
}

}  // namespace sinter::fuzz
