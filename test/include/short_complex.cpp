// Numbers of 16 bits and complex ones: every operation of ops.def and every cast, in every layout, on the device of the run, against
// NumPy's results.
#include <doctest/doctest.h>

#include "test/include/golden_records.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;

using records = std::vector<const golden_record*>;

/// Checks records a few at a time: one kernel of those that have as many elements.
void check_some_together(const records& all, std::size_t at_a_time, layout how) {
  std::map<std::pair<dtype, int>, records> groups;
  for (const golden_record* r : all) groups[{r->operand(), r->result->size()}].push_back(r);
  for (const auto& [key, group] : groups)
    for (std::size_t first = 0; first < group.size(); first += at_a_time)
      check_together({group.begin() + static_cast<std::ptrdiff_t>(first),
                      group.begin() + static_cast<std::ptrdiff_t>(std::min(first + at_a_time, group.size()))},
                     how);
}

records operations_of(bool (*kind)(dtype)) {
  records found;
  for (const golden_record& r : golden_short_complex().records())
    if (r.name != "cast" && kind(r.operand())) found.push_back(&r);
  return found;
}

records every(std::size_t step, const records& all) {
  records some;
  for (std::size_t i = 0; i < all.size(); i += step) some.push_back(all[i]);
  return some;
}

}  // namespace

TEST_CASE("short and complex: operations of 16 bits have NumPy's values") {
  const records all = operations_of([](dtype t) { return detail::is_short_floating(t); });
  CHECK(all.size() > 120);
  check_some_together(all, 16, layout::contiguous);
}

TEST_CASE("short and complex: operations of complex numbers have NumPy's values, on both sides of every cut") {
  const records all = operations_of([](dtype t) { return detail::is_complex(t); });
  CHECK(all.size() > 100);
  check_some_together(all, 6, layout::contiguous);
}

TEST_CASE("short and complex: casts round once, drop imaginary parts, and call what is not zero true") {
  records all;
  for (const golden_record& r : golden_short_complex().records())
    if (r.name == "cast") all.push_back(&r);
  CHECK(all.size() == 15 * 15 - 11 * 11);
  check_some_together(all, 15, layout::contiguous);
}

TEST_CASE("short and complex: operations have these values in every layout") {
  // All of them where rows have strides; where there is one element, or none, some, as what computes it is the same text.
  for (const layout how : {layout::strided, layout::broadcast, layout::empty, layout::alone, layout::no_axes}) {
    CAPTURE(static_cast<int>(how));
    const std::size_t step = how == layout::strided ? 1 : 4;
    check_some_together(every(step, operations_of([](dtype t) { return detail::is_short_floating(t); })), 16, how);
    check_some_together(every(step, operations_of([](dtype t) { return detail::is_complex(t); })), 6, how);
  }
}
