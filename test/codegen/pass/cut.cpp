// The cut of a program into kernels: how many there are for a given DAG, what joins, what is hoisted, what is left in
// memory for later, and that every schedule is sound.
#include <doctest/doctest.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <sinter/sinter.hpp>

#include "codegen/ir/program.hpp"
#include "codegen/pass/cut.hpp"
#include "test/fuzz/execute.hpp"
#include "test/fuzz/generate.hpp"
#include "test/fuzz/print.hpp"

namespace {

using namespace sinter;
using codegen::schedule;
using codegen::step;
using codegen::value_kind;
using fuzz::handle;

/// Nothing for what is several programs: calls of libraries come between them.
std::optional<schedule> cut_if_one(const std::vector<handle>& roots) {
  std::vector<const detail::typed_node*> nodes;
  std::vector<const shape*> extents;
  for (const handle& h : roots) {
    nodes.push_back(static_cast<const detail::typed_node*>(h.get()));
    extents.push_back(&nodes.back()->extents);
  }
  codegen::resolution r;
  if (!codegen::resolve(nodes.data(), extents.data(), static_cast<int>(nodes.size()), r)) return std::nullopt;
  return codegen::cut(codegen::decode(r.words, codegen::math_mode::standard), false);
}
template <class... E>
schedule cut_of(const E&... e) {
  return cut_if_one({handle(e.share())...}).value();
}

/// What is wrong with a schedule; "" if nothing. Every root is written once, every temporary before it is read.
std::string unsound(const schedule& s, std::size_t roots) {
  std::vector<int> written(roots), made(s.temporaries.size());
  for (const step& at : s.steps) {
    codegen::verify(at.kernel);
    if (at.reason.empty()) return "a step without a reason";
    if (at.inputs.size() != at.kernel.inputs.size()) return "a step's inputs are not its kernel's";
    if (at.scalars.size() != at.kernel.scalars.size()) return "a step's scalars are not its kernel's";
    if (at.outputs.size() != at.kernel.outputs.size()) return "a step's outputs are not its kernel's";
    std::vector<bool> used(at.inputs.size());
    for (const codegen::value& v : at.kernel.values)
      if (v.kind == value_kind::input) used[v.index] = true;
    for (bool u : used)
      if (!u) return "an input that nothing reads";
    for (const step::read& r : at.inputs)
      if (r.temporary >= 0 && !made.at(static_cast<std::size_t>(r.temporary)))
        return "a temporary read before it is made";
    for (const step::write& w : at.outputs) {
      if ((w.root >= 0) == (w.temporary >= 0)) return "an output that is not one of a root and a temporary";
      if (w.root >= 0) ++written.at(static_cast<std::size_t>(w.root));
      else if (made.at(static_cast<std::size_t>(w.temporary))++) return "a temporary made twice";
    }
  }
  for (int w : written)
    if (w != 1) return "a root not written once";
  for (int m : made)
    if (!m) return "a temporary that no kernel makes";
  return "";
}

int applied(const step& s, op code) {
  int n = 0;
  for (const codegen::value& v : s.kernel.values) n += v.kind == value_kind::apply && v.code == code;
  return n;
}
int from_memory(const step& s) {
  int n = 0;
  for (const step::read& r : s.inputs) n += r.temporary >= 0;
  return n;
}

const reduce_options rows{.axis = 1, .keepdims = true};
array<float> table() { return arange<float>(12).reshape({3, 4}); }

}  // namespace

TEST_CASE("cut: anything elementwise is one kernel") {
  const array<float> x = table(), y = table(), row = x(0), column = x(_, slice(0, 1));
  auto t = exp(x);
  auto u = where(t > y, t * row, column) + astype<float>(astype<int>(x)).T().T();
  const schedule s = cut_of(u(slice(_, _, -1)) * 2);
  REQUIRE(s.steps.size() == 1);
  CHECK(unsound(s, 1) == "");
  CHECK_FALSE(s.steps[0].kernel.reduces());
  CHECK(applied(s.steps[0], op::exp) == 1);
  CHECK(s.temporaries.empty());
}

TEST_CASE("cut: roots of one shape share a kernel and what they have in common; others do not") {
  const array<float> x = table(), y = table();
  auto t = exp(x);
  const schedule one = cut_of(t + 1, t * y, t);
  REQUIRE(one.steps.size() == 1);
  CHECK(unsound(one, 3) == "");
  CHECK(one.steps[0].outputs.size() == 3);
  CHECK(applied(one.steps[0], op::exp) == 1);
  const schedule two = cut_of(t + 1, x(0) * 2, t * y);
  CHECK(two.steps.size() == 2);
  CHECK(unsound(two, 3) == "");
  const schedule same = cut_of(t + 1, t + 1);
  CHECK(same.steps.size() == 1);
  CHECK(unsound(same, 2) == "");
}

TEST_CASE("cut: equal leaves are one input under one type") {
  const array<float> x = table(), y = table();
  auto square = x * x, product = x * y;
  CHECK(cut_of(square).steps[0].inputs.size() == 1);
  CHECK(cut_of(product).steps[0].inputs.size() == 2);
  CHECK_FALSE(cut_of(square).steps[0].kernel == cut_of(product).steps[0].kernel);
  CHECK(cut_of(product).steps[0].kernel == cut_of(x * table()).steps[0].kernel);
}

TEST_CASE("cut: what nothing needs is not read") {
  const array<float> x = table(), y = table();
  const array<bool> c = x > 1;
  const schedule s = cut_of(where(c, x, x) + 0 * y);
  CHECK(unsound(s, 1) == "");
  CHECK(s.steps[0].inputs.size() == 2);  // the condition is gone, y is not: it may be infinite
}

TEST_CASE("cut: a reduction takes in what comes before it and what follows on its result") {
  const array<float> x = table(), y = table(), column{1, 2, 3};
  const schedule norm = cut_of(sqrt(sum(x * x + y, 1)) * 2 + column);
  REQUIRE(norm.steps.size() == 1);
  CHECK(unsound(norm, 1) == "");
  const step& s = norm.steps[0];
  CHECK(s.kernel.accumulators.size() == 1);
  REQUIRE(s.inputs.size() == 3);
  CHECK_FALSE(s.inputs[0].of_result);
  CHECK(s.inputs[2].of_result);  // the column is read once a row
  CHECK(cut_of(sum(x)).steps.size() == 1);
  CHECK(cut_of(1 / max(x, rows)).steps.size() == 1);
}

TEST_CASE("cut: reductions of one domain are one pass, and equal ones one accumulator") {
  const array<float> x = table();
  const schedule both = cut_of(mean(x), stddev(x));
  REQUIRE(both.steps.size() == 1);
  CHECK(unsound(both, 2) == "");
  CHECK(both.steps[0].kernel.accumulators.size() == 3);
  CHECK(applied(both.steps[0], op::sqrt) == 1);
  CHECK(cut_of(max(x, 0) - min(x, 0)).steps.size() == 1);
  const schedule equal = cut_of(sum(x, 1) / (sum(x, 1) + 1));
  REQUIRE(equal.steps.size() == 1);
  CHECK(equal.steps[0].kernel.accumulators.size() == 1);
  CHECK(cut_of(sum(x, 0), sum(x, 1)).steps.size() == 2);
  CHECK(unsound(cut_of(sum(x, 0), sum(x, 1), sum(x)), 3) == "");
  const schedule map_beside = cut_of(sum(x), x + 1);
  CHECK(map_beside.steps.size() == 2);
  CHECK(map_beside.temporaries.empty());
}

TEST_CASE("cut: a result that is broadcast back is left in memory, with the work on it done") {
  const array<double> x = arange<double>(12).reshape({3, 4});
  const schedule centred = cut_of(x - mean(x, rows));
  REQUIRE(centred.steps.size() == 2);
  CHECK(unsound(centred, 1) == "");
  CHECK(centred.temporaries.size() == 1);
  CHECK(applied(centred.steps[0], op::divide) == 1);  // the mean, not the sum
  CHECK(applied(centred.steps[1], op::divide) == 0);
  const schedule standard = cut_of((x - mean(x, rows)) / stddev(x, rows));
  REQUIRE(standard.steps.size() == 2);
  CHECK(unsound(standard, 1) == "");
  CHECK(standard.temporaries.size() == 2);
  CHECK(applied(standard.steps[0], op::sqrt) == 1);
  CHECK(applied(standard.steps[1], op::sqrt) == 0);
  CHECK(from_memory(standard.steps[1]) == 2);
  // Work on a result read in two ways is no work on the result.
  const array<double> square = arange<double>(9).reshape({3, 3});
  const schedule mirrored = cut_of(square + sum(square, 0)(slice(_, _, -1)) * sum(square, 0));
  CHECK(unsound(mirrored, 1) == "");
  CHECK(applied(mirrored.steps.back(), op::multiply) == 1);
  const schedule shared = cut_of(x - mean(x, rows), mean(x, rows));  // one root is the temporary's own value
  CHECK(unsound(shared, 2) == "");
  CHECK(shared.steps.size() <= 3);
}

TEST_CASE("cut: passes that need each other stand in order") {
  const array<float> x = table();
  auto e = exp(x - max(x, rows));
  const schedule softmax = cut_of(e / sum(e, rows));
  CHECK(softmax.steps.size() == 3);
  CHECK(unsound(softmax, 1) == "");
  const schedule nested = cut_of(max(sum(x, 1)));
  CHECK(nested.steps.size() == 2);
  CHECK(unsound(nested, 1) == "");
  const schedule deep = cut_of(var(x - mean(x, rows), 0) + sum(x, 0));
  CHECK(unsound(deep, 1) == "");
  CHECK(deep.steps.size() >= 2);
}

TEST_CASE("cut: a result seen through a view, or against another axis, is not joined") {
  const array<float> x = arange<float>(9).reshape({3, 3});
  for (const schedule& s :
       {cut_of(sum(x, 1)(slice(_, _, -1)) - sum(x, 1)), cut_of(sum(x, 0)(_, newaxis) + sum(x, 1)),
        cut_of(sum(x, 0) + sum(x, 1)), cut_of(x + sum(x, 0)), cut_of(sum(x, 1)(slice(_, _, -1)) * 2)}) {
    CHECK(s.steps.size() >= 2);
    CHECK(unsound(s, 1) == "");
  }
}

TEST_CASE("cut: reshapes take no kernel of their own") {
  const array<float> x = table();
  CHECK(cut_of(x.reshape({4, 3}) + 1).steps.size() == 1);  // a view
  const schedule turned = cut_of((x + 1).T().reshape({12}) - 1);
  REQUIRE(turned.steps.size() == 1);
  CHECK(unsound(turned, 1) == "");
  CHECK(turned.temporaries.empty());
  CHECK(unsound(cut_of(sum((x * 2).reshape({2, 6}), 1).reshape({2, 1}) + x(0)), 1) == "");
}

TEST_CASE("cut: random programs have sound schedules") {
  const device_scope in(device::interpreter());  // what is evaluated on the way need not be compiled
  int looked_at = 0;
  for (unsigned seed = 0; seed < 540; ++seed) {
    const fuzz::program p = fuzz::generate(seed, {.most_steps = 25});
    const std::vector<fuzz::outline> outlines = *fuzz::outlines_of(p);
    fuzz::machine lazily(p, outlines, fuzz::machine::manner::lazy);
    std::vector<handle> roots;
    for (int i = 0; i < static_cast<int>(p.steps.size()); ++i) lazily.run(i);
    for (int r : p.results) {
      const handle h = lazily.value(r);
      const bool is_new = std::none_of(roots.begin(), roots.end(), [&](const handle& o) { return o.get() == h.get(); });
      if (is_new && static_cast<detail::typed_node*>(h.get())->kind != detail::node_kind::array) roots.push_back(h);
    }
    INFO(fuzz::cpp_text(p));
    if (roots.empty()) continue;
    const std::optional<schedule> cut = cut_if_one(roots);
    if (!cut) continue;
    CHECK(unsound(*cut, roots.size()) == "");
    ++looked_at;
  }
  CHECK(looked_at > 300);
}
