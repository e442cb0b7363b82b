// The cut. Boundaries of one domain are made by one kernel with several accumulators, if they need nothing of each other or,
// where rows are fused, only what the other folded of the same row. Work on
// reduced values alone (the division of a mean, the square root of a variance) moves into the kernel that makes them, so that a
// kernel which reads them back for every element does not repeat it.
#include "codegen/pass/cut.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include <sinter/error.hpp>

#include "codegen/ir/stages.hpp"
#include "codegen/ir/values.hpp"
#include "codegen/pass/simplify.hpp"

namespace sinter::codegen {

namespace {

constexpr int none = -1;
// Of one kernel: each takes registers, and shared memory where a block folds.
constexpr std::size_t most_accumulators = 16;
// Of one kernel, all of one dtype: each has registers for what a thread has of its row.
constexpr std::size_t most_transforms = 2;

// Boundaries made by one kernel.
struct group {
  unsigned domain;
  int level;
  std::vector<int> members;
  maker by;
  bool at_every_point() const { return by != maker::fold; }
};

// What a value needs of boundaries: nothing, exactly one group under plain broadcasting, or more than that.
struct need {
  enum { nothing, one_group, anything } what = nothing;
  int group = none;
  int rank = none;
  std::uint16_t result = 0;  // one of the results it reads: it gives the layout with which the value is read back
};

// Collects values of a program into one kernel.
class collector {
 public:
  collector(const program& p, step& into) : p_(p), s_(into), number_(p.values.size(), none) {}

  // Values that already have a number in the kernel, or are read from a temporary.
  std::function<int(std::uint16_t)> replaced = [](std::uint16_t) { return none; };
  bool of_result = false;

  // Operands first, in a loop: a program may be deeper than a thread's stack.
  std::uint16_t operator()(std::uint16_t root) {
    todo_.push_back(root);
    while (!todo_.empty()) {
      const std::uint16_t v = todo_.back();
      if (number_[v] == none) number_[v] = replaced(v);
      if (number_[v] == none && all_operands_taken(v)) number_[v] = copy(v);
      if (number_[v] != none) todo_.pop_back();
    }
    return static_cast<std::uint16_t>(number_[root]);
  }
  void forget() { std::fill(number_.begin(), number_.end(), none); }

  int read(const program::read& from, dtype type, int temporary) {
    for (std::size_t i = 0; i < s_.inputs.size(); ++i) {
      const step::read& r = s_.inputs[i];
      if (r.operand == from.operand && r.temporary == temporary && r.of_result == of_result) return input(i, type);
    }
    s_.inputs.push_back({from.operand, temporary, of_result});
    s_.kernel.inputs.push_back({type, from.iota, from.indexed});
    return input(s_.inputs.size() - 1, type);
  }

  int add(const value& v) {
    s_.kernel.values.push_back(v);
    return static_cast<int>(s_.kernel.values.size() - 1);
  }

 private:
  int input(std::size_t index, dtype type) {
    return add({value_kind::input, type, op::add, {}, static_cast<std::uint16_t>(index)});
  }

  // Puts the first operand that is not taken on the stack.
  bool all_operands_taken(std::uint16_t v) {
    const value& at = p_.values[v];
    for (int i = 0; i < arity(at); ++i)
      if (number_[at.args[i]] == none) return todo_.push_back(at.args[i]), false;
    return true;
  }

  int copy(std::uint16_t v) {
    value c = p_.values[v];
    for (int i = 0; i < arity(c); ++i) c.args[i] = static_cast<std::uint16_t>(number_[c.args[i]]);
    switch (c.kind) {
      case value_kind::input: return read(p_.reads[v], c.type, none);
      case value_kind::scalar:
        s_.scalars.push_back(c.index);
        s_.kernel.scalars.push_back(c.type);
        c.index = static_cast<std::uint16_t>(s_.scalars.size() - 1);
        return add(c);
      default: return add(c);
    }
  }

  const program& p_;
  step& s_;
  std::vector<int> number_;
  std::vector<std::uint16_t> todo_;
};

class cutter {
 public:
  cutter(const program& p, bool fuse_rows) : p_(p), fuse_rows_(fuse_rows) {}

  schedule run() {
    levels();
    groups();
    needs();
    home_.assign(p_.roots.size(), none);
    in_rows_.assign(p_.roots.size(), false);
    for (std::size_t i = 0; i < p_.roots.size(); ++i) {
      home_[i] = joined_group(p_.roots[i]);
      if (home_[i] != none) continue;
      home_[i] = row_group(p_.roots[i]);
      in_rows_[i] = home_[i] != none;
    }
    if (p_.compresses) join_compressed();
    wanted_.resize(groups_.size());
    temporary_of_.assign(p_.values.size(), none);
    result_in_.assign(p_.boundaries.size(), none);
    looked_at_.resize(groups_.size() + 1);
    for (std::size_t i = 0; i < p_.roots.size(); ++i) want(p_.roots[i].value, home_[i]);
    for (std::size_t i = p_.boundaries.size(); i-- > 0;) want(p_.boundaries[i].value, group_of_[i]);
    for (std::size_t g = 0; g < groups_.size(); ++g) emit_group(static_cast<int>(g));
    emit_roots();
    if (out_.steps.size() == 1) {
      kernel& only = out_.steps[0].kernel;
      if (p_.compresses && only.scans()) only.compresses = true;
      if (p_.counts && !only.reduces()) only.counts = p_.counts;
    }
    return std::move(out_);
  }

 private:
  // The level of a boundary: at least that of any boundary its value needs, and one more than that of any which another
  // kernel makes. Operands come before their users. Scans have every third one, and transforms: what else is folded of the same
  // rows is there when their users, which may join them, need it. A scan of a scan is another kernel.
  void levels() {
    for (const program::boundary& b : p_.boundaries) {
      const bool joins = b.by == maker::fold || b.by == maker::transform;
      int level = level_in(b.value, joins ? static_cast<int>(b.domain) : none, b.by);
      while (level % 3 != (b.by == maker::scan ? 1 : b.by == maker::transform ? 2 : 0)) ++level;
      level_.push_back(level);
    }
  }

  // Of what is computed in a kernel that folds, scans or transforms the rows of `domain`, if it is one.
  int level_in(std::uint16_t root, int domain, maker by) const {
    int level = 0;
    each_result(root, [&](const program::read& r) {
      level = std::max(level, level_[r.boundary] + (is_of_row_in(r, domain, by) ? 0 : 1));
    });
    return level;
  }

  // Is a result that is read the row's own, folded over a domain whose rows are fused, or the point's own of a scan or a transform?
  bool is_of_row_in(const program::read& r, int domain, maker by) const {
    const program::boundary& b = p_.boundaries[r.boundary];
    return (fuse_rows_ || by != maker::fold) && r.own_row && b.by == by && static_cast<int>(b.domain) == domain;
  }

  // Calls f for each result of a boundary that a value reads.
  template <class F>
  void each_result(std::uint16_t root, F f) const {
    std::vector<bool> seen;
    visit(root, seen, [&](std::uint16_t v) {
      if (p_.values[v].kind == value_kind::input && p_.reads[v].boundary >= 0) f(p_.reads[v]);
      return true;
    });
  }

  // By level, and in their order within one.
  void groups() {
    group_of_.assign(p_.boundaries.size(), none);
    std::vector<int> order(p_.boundaries.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [this](int x, int y) { return level_[x] < level_[y]; });
    std::map<std::tuple<int, unsigned, maker, dtype>, int> open;
    for (int b : order) {
      const maker by = p_.boundaries[b].by;
      const bool transforms = by == maker::transform;
      const dtype as = transforms ? p_.boundaries[b].type : dtype::bool_;
      const auto [at, fresh] = open.try_emplace({level_[b], p_.boundaries[b].domain, by, as}, groups_.size());
      if (fresh || groups_[at->second].members.size() == (transforms ? most_transforms : most_accumulators)) {
        at->second = static_cast<int>(groups_.size());
        groups_.push_back({p_.boundaries[b].domain, level_[b], {}, by});
      }
      group_of_[b] = at->second;
      groups_[at->second].members.push_back(b);
    }
  }

  void needs() {
    need_.resize(p_.values.size());
    pure_.assign(p_.values.size(), true);
    for (std::size_t v = 0; v < p_.values.size(); ++v) {
      need& n = need_[v];
      const value& at = p_.values[v];
      if (at.kind == value_kind::input) {
        const program::read& r = p_.reads[v];
        pure_[v] = r.boundary >= 0 && r.plain;
        if (r.boundary >= 0)
          n = {need::one_group, group_of_[r.boundary], p_.boundaries[r.boundary].rank, static_cast<std::uint16_t>(v)};
      }
      for (int i = 0; i < arity(at); ++i) {
        merge(n, need_[at.args[i]]);
        pure_[v] = pure_[v] && pure_[at.args[i]];
      }
      if (n.what == need::anything) pure_[v] = false;
    }
  }

  static void merge(need& into, const need& n) {
    if (n.what == need::nothing || into.what == need::anything) return;
    if (into.what == need::nothing) into = n;
    else if (n.what == need::anything || n.group != into.group || n.rank != into.rank) into.what = need::anything;
  }

  // The group whose kernel can also do a root's work, or none.
  int joined_group(const program::root& r) const {
    int g = none;
    bool joins = true;
    each_result(r.value, [&](const program::read& read) {
      const program::boundary& b = p_.boundaries[read.boundary];
      joins = joins && b.joinable && read.plain && (g == none || g == group_of_[read.boundary]);
      g = group_of_[read.boundary];
    });
    return joins ? g : none;
  }

  // The group whose rows a root runs along: it reads what they fold or scan, and otherwise only what is there before.
  int row_group(const program::root& r) const {
    int found = none;
    each_result(r.value, [&](const program::read& read) {
      const int domain = static_cast<int>(p_.boundaries[read.boundary].domain);
      const maker by = p_.boundaries[read.boundary].by;
      const int level = level_in(r.value, domain, by);
      if (!is_of_row_in(read, domain, by) || level_[read.boundary] != level) return;
      bool runs_along = true;
      each_result(r.value, [&](const program::read& other) {
        const bool own = group_of_[other.boundary] == group_of_[read.boundary] && is_of_row_in(other, domain, by);
        runs_along = runs_along && (own || level_[other.boundary] < level);
      });
      if (runs_along) found = group_of_[read.boundary];
    });
    return found;
  }

  // What is kept is computed where its place is, unless it is there only later.
  void join_compressed() {
    const int g = home_[1];
    if (home_[0] != none || g == none || !in_rows_[1]) return;
    if (level_in(p_.roots[0].value, none, maker::scan) > groups_[g].level) return;
    home_[0] = g;
    in_rows_[0] = true;
  }

  template <class F>
  void visit(std::uint16_t root, std::vector<bool>& seen, F&& f) const {
    seen.resize(p_.values.size());
    std::vector<std::uint16_t> todo{root};
    while (!todo.empty()) {
      const std::uint16_t v = todo.back();
      todo.pop_back();
      if (seen[v]) continue;
      seen[v] = true;
      if (!f(v)) continue;
      for (int i = 0; i < arity(p_.values[v]); ++i) todo.push_back(p_.values[v].args[i]);
    }
  }

  // Is v made of one group's results and scalars alone, so that the group's kernel can make it?
  bool movable(std::uint16_t v) const { return pure_[v] && need_[v].what == need::one_group; }

  // Marks what a consumer in group `by` reads from memory.
  void want(std::uint16_t root, int by) {
    visit(root, looked_at_[by + 1], [&](std::uint16_t v) {
      if (movable(v) && need_[v].group != by) return remember(v), false;
      const int b = p_.values[v].kind == value_kind::input ? p_.reads[v].boundary : none;
      if (b != none && group_of_[b] != by) remember(v);
      return true;
    });
  }

  // Gives v a temporary, made by the group it needs. Results that are read through several views have one.
  void remember(std::uint16_t v) {
    if (temporary_of_[v] != none) return;
    if (p_.values[v].kind == value_kind::input) {
      int& made = result_in_[p_.reads[v].boundary];
      if (made != none) return void(temporary_of_[v] = made);
      made = static_cast<int>(out_.temporaries.size());
    }
    temporary_of_[v] = static_cast<int>(out_.temporaries.size());
    out_.temporaries.push_back({static_cast<unsigned>(p_.reads[need_[v].result].boundary), p_.values[v].type});
    wanted_[need_[v].group].push_back(v);
  }

  std::function<int(std::uint16_t)> from_memory(collector& take) const {
    return [this, &take](std::uint16_t v) {
      if (temporary_of_[v] == none) return none;
      return take.read(p_.reads[need_[v].result], p_.values[v].type, temporary_of_[v]);
    };
  }

  void emit_group(int g) {
    const group& of = groups_[g];
    const std::vector<std::size_t> points = roots_of(g, true), results = roots_of(g, false);
    if (points.empty() && results.empty() && wanted_[g].empty()) return;

    step s;
    s.domain = of.domain;
    collector take(p_, s);
    std::map<int, std::uint16_t> made;  // by boundary: its accumulator, or the value itself
    take.replaced = [&](std::uint16_t v) {
      const int b = p_.values[v].kind == value_kind::input ? p_.reads[v].boundary : none;
      if (b == none && movable(v) && need_[v].group == g) return none;  // it is made here
      if (b == none || group_of_[b] != g) return from_memory(take)(v);
      if (of.by == maker::map) return int{made.at(b)};
      const value_kind kind = of.by == maker::fold ? value_kind::reduced : value_kind::scanned;
      const auto result = static_cast<std::uint16_t>(
          take.add({kind, s.kernel.accumulators[made.at(b)].result_type(), op::add, {}, made.at(b)}));
      const dtype given = p_.boundaries[b].type;  // of 16 bits where the accumulator is a float
      if (s.kernel.values[result].type == given) return int{result};
      return take.add({value_kind::cast, given, op::add, {result}});
    };
    for (int b : of.members) {
      const program::boundary& at = p_.boundaries[b];
      const std::uint16_t v = take(at.value);
      if (of.by == maker::map) {
        made[b] = v;
        continue;
      }
      accumulator a{at.what, p_.values[at.value].type, v};
      a.running = of.at_every_point();
      a.transform = at.transform;
      a.called = at.called;
      if (a.members() > 1) a.position = take(at.position);
      made[b] = static_cast<std::uint16_t>(s.kernel.accumulators.size());
      s.kernel.accumulators.push_back(a);
    }
    for (std::size_t i : points) write_root(take, s, i);
    s.kernel.everywhere = static_cast<std::uint16_t>(points.size());
    if (!of.at_every_point()) take.forget(), take.of_result = true;
    for (std::uint16_t v : wanted_[g]) {
      s.kernel.outputs.push_back(take(v));
      s.outputs.push_back({none, temporary_of_[v]});
    }
    for (std::size_t i : results) write_root(take, s, i);
    if (s.kernel.scans()) s.kernel.everywhere = static_cast<std::uint16_t>(s.kernel.outputs.size());
    s.reason = reason_of(s.kernel, of.by, wanted_[g].empty());
    finish(std::move(s));
  }

  void write_root(collector& take, step& s, std::size_t root) const {
    s.kernel.outputs.push_back(take(p_.roots[root].value));
    s.outputs.push_back({static_cast<int>(root), none});
  }

  // The roots that a group's kernel writes: at every point of its rows, or once for each.
  std::vector<std::size_t> roots_of(int g, bool in_rows) const {
    std::vector<std::size_t> roots;
    for (std::size_t i = 0; i < p_.roots.size(); ++i)
      if (home_[i] == g && in_rows_[i] == in_rows) roots.push_back(i);
    return roots;
  }

  static const char* reason_of(const kernel& k, maker by, bool last) {
    if (by == maker::map)
      return std::ranges::any_of(k.values, [](const value& v) { return is_costly(v); })
                 ? "work that takes long, done once for all that use it"
                 : "elements moved to where they are folded as they lie";
    if (by == maker::transform)
      return "a transform of rows, with what comes before it and what follows at each of its points";
    if (by == maker::scan) return "a scan, with what comes before it and what follows at each of its points";
    if (form_of(k) == form::rows) return "rows, folded and then used where they lie";
    return last ? "the reduction, what comes before it and what follows on its result"
                : "a reduction whose result every element of a later kernel needs";
  }

  void emit_roots() {
    std::vector<bool> done(p_.roots.size());
    for (std::size_t i = 0; i < p_.roots.size(); ++i) {
      if (done[i] || home_[i] != none) continue;
      step s;
      s.domain = p_.roots[i].space;
      collector take(p_, s);
      take.replaced = from_memory(take);
      for (std::size_t j = i; j < p_.roots.size(); ++j) {
        if (home_[j] != none || p_.roots[j].space != s.domain) continue;
        write_root(take, s, j);
        done[j] = true;
      }
      s.reason = groups_.empty() ? "elementwise throughout: one kernel"
                                 : "elementwise, reading what the kernels before it left";
      finish(std::move(s));
    }
  }

  void finish(step s) {
    simplify(s.kernel);
#ifndef NDEBUG
    verify(s.kernel);
#endif
    drop_unused(s);
    out_.steps.push_back(std::move(s));
  }

  // Simplification may have left inputs and scalars that nothing reads.
  static void drop_unused(step& s) {
    kernel& k = s.kernel;
    std::vector<int> input_at(k.inputs.size(), none), scalar_at(k.scalars.size(), none);
    kernel used = k;
    used.inputs.clear(), used.scalars.clear();
    std::vector<step::read> inputs;
    std::vector<unsigned> scalars;
    for (value& v : used.values) {
      if (v.kind == value_kind::input) {
        if (input_at[v.index] == none) {
          input_at[v.index] = static_cast<int>(inputs.size());
          inputs.push_back(s.inputs[v.index]);
          used.inputs.push_back(k.inputs[v.index]);
        }
        v.index = static_cast<std::uint16_t>(input_at[v.index]);
      } else if (v.kind == value_kind::scalar) {
        if (scalar_at[v.index] == none) {
          scalar_at[v.index] = static_cast<int>(scalars.size());
          scalars.push_back(s.scalars[v.index]);
          used.scalars.push_back(k.scalars[v.index]);
        }
        v.index = static_cast<std::uint16_t>(scalar_at[v.index]);
      }
    }
    k = std::move(used);
    s.inputs = std::move(inputs);
    s.scalars = std::move(scalars);
  }

  const program& p_;
  const bool fuse_rows_;
  schedule out_;
  std::vector<int> level_, group_of_, home_;
  std::vector<bool> in_rows_;  // by root: written at every point of its home's rows
  std::vector<group> groups_;
  std::vector<need> need_;
  std::vector<bool> pure_;
  std::vector<std::vector<std::uint16_t>> wanted_;  // by group: values it leaves in memory
  std::vector<int> temporary_of_;                   // by value: what it is read back from
  std::vector<int> result_in_;                      // by boundary: the temporary that is its result as it is
  std::vector<std::vector<bool>> looked_at_;        // by consumer, the roots and each group: what has been asked of it
};

}  // namespace

schedule cut(const program& p, bool fuse_rows) { return cutter(p, fuse_rows).run(); }

}  // namespace sinter::codegen
