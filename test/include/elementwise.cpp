// Every operation of ops.def and every cast, for every dtype, on the device of the run, against NumPy's results.
#include <doctest/doctest.h>

#include "codegen/compile/compiler.hpp"
#include "test/include/golden_records.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;

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

template <class T>
void check_cancellation() {
  const array<T> x = arange<T>(1, 1000) / T(7), y = sqrt(x), also_x = x.copy(), also_y = y.copy();
  const auto is_zero = [](const array<T>& differences) { CHECK(array<bool>(all(differences == 0)).item()); };
  is_zero(x * y - also_y * also_x);
  is_zero(x * x - square(also_x));
  is_zero(x * y + also_y * -also_x);
  is_zero((x + 1) * y - also_y * (also_x + 1));
  is_zero(array<T>(sum(abs(x * y - also_y * also_x))).reshape({1}));
}

TEST_CASE("elementwise: equal products cancel, though a product and a sum may be one operation") {
  if (codegen::math_mode_from_environment() == codegen::math_mode::fast) return;
  check_cancellation<float>();
  check_cancellation<double>();
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

TEST_CASE("elementwise: operations have these values in every layout") {
  // Where kernels are compiled, those of short_complex.cpp stand for all: what lies how does not depend on what is computed.
  if (device::current() != device::interpreter()) return;
  std::size_t checked = 0;
  for (const layout how : {layout::strided, layout::broadcast, layout::empty, layout::alone, layout::no_axes})
    for (const golden_record& r : golden().records()) {
      check_together({&r}, how);
      ++checked;
    }
  CHECK(checked > 8000);
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
