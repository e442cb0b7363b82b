// Golden records on the device of the run: put together at run time from what the public functions are made of, so that a thousand of
// them cost no compile time.
#pragma once

#include <doctest/doctest.h>

#include <deque>
#include <map>
#include <tuple>
#include <vector>

#include <sinter/array.hpp>

#include "test/codegen/ir/expectation.hpp"
#include "test/include/made_at_run_time.hpp"

namespace sinter::test {

using detail::handle;
using detail::instruction;

/// A code table as an expression type has one. Its address is its identity, so it is never freed.
inline const detail::fragment& fragment_of(const golden_record& r) {
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

/// How a record's operands lie. `broadcast`: the last has two rows, which the others are stretched over; `alone` and `no_axes` have one
/// element of the record.
enum class layout { contiguous, strided, broadcast, empty, alone, no_axes };

inline shape shape_in(const golden_record& r, layout how) {
  const int n = r.result->size();
  switch (how) {
    case layout::broadcast: return shape({2, n});
    case layout::empty: return shape(0);
    case layout::alone: return shape(1);
    case layout::no_axes: return shape();
    default: return shape(n);
  }
}

/// The element of the record that element k of a result is.
inline int element_in(const golden_record& r, layout how, int k) {
  const int n = r.result->size();
  return how == layout::alone || how == layout::no_axes ? n / 3 : k % n;
}

/// Every second element backwards of an array with others between.
inline handle strided_on_device(const golden_array& a) {
  const auto size = static_cast<std::size_t>(itemsize(a.type));
  const auto n = static_cast<std::size_t>(a.size());
  std::vector<std::byte> spread(2 * n * size);
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t at : {2 * (n - 1 - k), 2 * (n - 1 - k) + 1})
      std::memcpy(&spread[at * size], &a.bytes[at % 2 == 1 ? k * size : 0], size);
  const handle all(detail::make_from_host(a.type, shape(2 * a.size()), spread.data()));
  const detail::index_item backwards{detail::index_item::steps, false, false, 0, 0, -2};
  return handle(detail::make_view(all.get(), &backwards, 1));
}

/// A golden array on the device.
inline handle on_device(const golden_record& r, std::size_t operand, layout how) {
  const golden_array& a = *r.inputs[operand];
  const auto made = [&](const shape& s, const std::byte* bytes) {
    return handle(detail::make_from_host(a.type, s, bytes));
  };
  static auto* all = new std::map<const golden_array*, handle>;
  switch (how) {
    case layout::contiguous: break;
    case layout::strided: return strided_on_device(a);
    case layout::broadcast: {
      if (operand + 1 < r.inputs.size()) break;  // stretched
      std::vector<std::byte> twice = a.bytes;
      twice.insert(twice.end(), a.bytes.begin(), a.bytes.end());
      return made(shape({2, a.size()}), twice.data());
    }
    default:
      return made(shape_in(r, how), &a.bytes[static_cast<std::size_t>(element_in(r, how, 0) * itemsize(a.type))]);
  }
  handle& h = (*all)[&a];
  if (!h) h = made(shape(a.size()), a.bytes.data());
  return h;
}

inline handle expression_of(const golden_record& r, layout how = layout::contiguous) {
  handle held[3];
  detail::node* operands[3] = {};
  for (std::size_t i = 0; i < r.inputs.size(); ++i) held[i] = on_device(r, i, how), operands[i] = held[i].get();
  return made_at_run_time({&fragment_of(r), operands, nullptr});
}

inline void check(const golden_record& r, detail::node* result, layout how = layout::contiguous) {
  const shape expected = shape_in(r, how);
  REQUIRE(detail::shape_of(result) == expected);
  const int count = how == layout::broadcast ? 2 * r.result->size()
                    : how == layout::empty   ? 0
                    : how >= layout::alone   ? 1
                                             : r.result->size();
  const auto size = static_cast<std::size_t>(itemsize(r.result->type));
  std::vector<std::byte> given(static_cast<std::size_t>(count) * size), got(r.result->bytes.size());
  detail::read_all(result, given.data(), static_cast<std::size_t>(count), {}, {});
  const int row = row_of_record(r);
  const bool cast = row == detail::op_count;
  const dtype computed = cast ? r.operand() : detail::compute_dtype(op_rows[row].of, r.operand());
  const auto operands = computed_operands(r, computed);
  double worst = -1;
  int at = 0;
  for (int k = 0; k < count; ++k) {
    const int n = element_in(r, how, k);
    std::memcpy(&got[static_cast<std::size_t>(n) * size], &given[static_cast<std::size_t>(k) * size], size);
    if (const double d = distance(r, operands, got.data(), n); d > worst) worst = d, at = n;
  }
  INFO(r.name, " of ", std::string(name(r.operand())), " gives ", std::string(name(r.result->type)), ", at ",
       operands_at(r, at), ", laid out by ", static_cast<int>(how));
  CHECK(worst <= bound_of(r));
}

/// Evaluates records together, which makes one kernel of those over arrays of one size.
inline void check_together(const std::vector<const golden_record*>& records, layout how = layout::contiguous) {
  std::vector<handle> roots;
  std::vector<detail::node*> nodes, results(records.size());
  for (const golden_record* r : records) {
    roots.push_back(expression_of(*r, how));
    nodes.push_back(roots.back().get());
  }
  detail::evaluate_all(nodes.data(), results.data(), static_cast<int>(nodes.size()), {});
  for (std::size_t i = 0; i < records.size(); ++i) {
    const handle result(results[i]);
    check(*records[i], result.get(), how);
  }
}

}  // namespace sinter::test
