// Every operation of ops.def and every cast, for every dtype, on the device of the run, against NumPy's results.
// Expressions are put together at run time from what the public functions are made of, so that 900 of them cost no
// compile time here.
#include <doctest/doctest.h>

#include <deque>
#include <map>
#include <tuple>
#include <vector>

#include <sinter/array.hpp>

#include "test/codegen/ir/expectation.hpp"
#include "test/include/made_at_run_time.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using detail::handle;
using detail::instruction;

/// A code table as an expression type has one. Its address is its identity, so it is never freed.
const detail::fragment& fragment_of(const golden_record& r) {
  static auto* all = new std::deque<std::tuple<std::vector<instruction>, void*, detail::fragment>>;
  auto& [code, plan, made] = all->emplace_back();
  for (const golden_array* in : r.inputs) code.push_back({instruction::take_node, in->type});
  const int row = row_of_record(r);
  const bool cast = row == detail::op_count;
  code.push_back({static_cast<std::uint8_t>(cast ? int{instruction::cast} : row), r.result->type});
  plan = nullptr;
  made = {code.data(),
          static_cast<std::uint16_t>(code.size()),
          static_cast<std::uint16_t>(r.inputs.size()),
          0,
          r.result->type,
          &plan};
  return made;
}

/// A golden array on the device.
detail::node* on_device(const golden_array* a) {
  static auto* all = new std::map<const golden_array*, handle>;
  handle& h = (*all)[a];
  if (!h) h = handle(detail::make_from_host(a->type, shape(a->size()), a->bytes.data()));
  return h.get();
}

handle expression_of(const golden_record& r) {
  detail::node* operands[3] = {};
  for (std::size_t i = 0; i < r.inputs.size(); ++i) operands[i] = on_device(r.inputs[i]);
  return made_at_run_time({&fragment_of(r), operands, nullptr});
}

void check(const golden_record& r, detail::node* result) {
  REQUIRE(detail::shape_of(result) == shape(r.result->size()));
  std::vector<std::byte> got(r.result->bytes.size());
  detail::read_all(result, got.data(), static_cast<std::size_t>(r.result->size()), {}, {});
  const int row = row_of_record(r);
  const bool cast = row == detail::op_count;
  const double bound = cast ? 0 : op_rows[row].ulp;
  const dtype computed = cast ? r.operand() : detail::compute_dtype(op_rows[row].of, r.operand());
  const auto operands = computed_operands(r, computed);
  double worst = -1;
  int at = 0;
  for (int n = 0; n < r.result->size(); ++n)
    if (const double d = distance(r, operands, got.data(), n); d > worst) worst = d, at = n;
  INFO(r.name, " of ", std::string(name(r.operand())), " gives ", std::string(name(r.result->type)), ", at ",
       operands_at(r, at));
  CHECK(worst <= bound);
}

/// Evaluates records together, which makes one kernel of those over arrays of one size.
void check_together(const std::vector<const golden_record*>& records) {
  std::vector<handle> roots;
  std::vector<detail::node*> nodes, results(records.size());
  for (const golden_record* r : records) {
    roots.push_back(expression_of(*r));
    nodes.push_back(roots.back().get());
  }
  detail::evaluate_all(nodes.data(), results.data(), static_cast<int>(nodes.size()), {});
  for (std::size_t i = 0; i < records.size(); ++i) {
    const handle result(results[i]);
    check(*records[i], result.get());
  }
}

bool floating(const golden_record& r) { return detail::is_floating(r.operand()); }

}  // namespace

TEST_CASE("elementwise: floating operations have NumPy's values, each in a kernel of its own") {
  // Alone, because a compiler that vectorises one of them may not vectorise all in one loop, and the functions differ
  // then.
  int checked = 0;
  for (const golden_record& r : golden().records()) {
    if (r.name == "cast" || !floating(r)) continue;
    check_together({&r});
    ++checked;
  }
  CHECK(checked > 130);
}

TEST_CASE("elementwise: operations over bool and integers have NumPy's values") {
  std::map<std::pair<dtype, int>, std::vector<const golden_record*>> groups;
  std::size_t checked = 0;
  for (const golden_record& r : golden().records())
    if (r.name != "cast" && !floating(r)) groups[{r.operand(), r.result->size()}].push_back(&r);
  for (const auto& [key, records] : groups) {
    check_together(records);
    checked += records.size();
  }
  CHECK(checked > 550);
}

TEST_CASE("elementwise: casts have NumPy's values, and stop at the ends of integers") {
  std::map<dtype, std::vector<const golden_record*>> groups;
  for (const golden_record& r : golden().records())
    if (r.name == "cast") groups[r.operand()].push_back(&r);
  CHECK(groups.size() == 11);
  for (const auto& [from, records] : groups) {
    CHECK(records.size() == 11);
    check_together(records);
  }
}
