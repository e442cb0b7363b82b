// Every operation of ops.def and every cast, as the interpreter computes it, against NumPy for every dtype it takes.
#include <doctest/doctest.h>

#include <set>
#include <string>
#include <utility>

#include "codegen/ir/scalar.hpp"
#include "test/codegen/ir/expectation.hpp"

namespace {

using sinter::dtype;
using namespace sinter::test;
namespace codegen = sinter::codegen;
namespace scalar = sinter::codegen::scalar;

/// The worst distance over a record's points, and where it was.
std::pair<double, int> worst_of(const golden_record& r, const std::vector<std::vector<std::byte>>& operands,
                                const std::vector<std::byte>& got) {
  std::pair<double, int> worst = {-1, 0};
  for (int n = 0; n < r.result->size(); ++n) worst = std::max(worst, {distance(r, operands, got.data(), n), n});
  return worst;
}

void check_operation(const golden_record& r) {
  const op_row& row = op_rows[row_of_record(r)];
  const dtype named = sinter::detail::compute_dtype(row.of, r.operand());
  REQUIRE(r.result->type == sinter::detail::result_dtype(row.of, named));
  const dtype computed = sinter::detail::computed_in(static_cast<sinter::op>(&row - op_rows), named);
  const auto operands = computed_operands(r, computed);
  const codegen::apply_loop loop = codegen::find_apply(static_cast<sinter::op>(&row - op_rows), computed);
  REQUIRE((loop != nullptr));
  const dtype given = sinter::detail::result_dtype(row.of, computed);
  std::vector<std::byte> wide(static_cast<std::size_t>(r.result->size()) * itemsize(given)),
      got(r.result->bytes.size());
  const void* const args[3] = {operands[0].data(), operands.size() > 1 ? operands[1].data() : nullptr,
                               operands.size() > 2 ? operands[2].data() : nullptr};
  loop(args, wide.data(), r.result->size());
  codegen::find_cast(r.result->type, given)(wide.data(), got.data(), r.result->size());
  const auto [worst, where] = worst_of(r, computed_operands(r, named), got);
  CAPTURE(r.name);
  CAPTURE(std::string(sinter::name(r.operand())));
  CAPTURE(operands_at(r, where));
  CHECK(worst <= bound_of(r));
}

}  // namespace

TEST_CASE("operations have NumPy's values") {
  for (const golden_record* r : all_golden())
    if (r->name != "cast") check_operation(*r);
}

TEST_CASE("casts have NumPy's values, and stop at the ends of integers") {
  for (const golden_record* each : all_golden()) {
    const golden_record& r = *each;
    if (r.name != "cast") continue;
    std::vector<std::byte> got(r.result->bytes.size());
    codegen::find_cast(r.result->type, r.operand())(r.inputs[0]->bytes.data(), got.data(), r.result->size());
    const auto [worst, where] = worst_of(r, {}, got);
    CAPTURE(std::string(sinter::name(r.result->type)));
    CAPTURE(std::string(sinter::name(r.operand())));
    CAPTURE(operands_at(r, where));
    CHECK(worst == 0);
  }
}

TEST_CASE("the golden values leave out no operation, no dtype and no cast") {
  std::set<std::pair<std::string, dtype>> seen;
  int casts = 0;
  for (const golden_record* r : all_golden()) {
    if (r->name == "cast") ++casts;
    else if (r->result->size() >= 2) seen.insert({r->name, r->operand()});
  }
  CHECK(casts == 15 * 15);
  for (const op_row& row : op_rows)
    for (int number = 0; number <= static_cast<int>(dtype::complex128); ++number) {
      const auto t = static_cast<dtype>(number);
      CAPTURE(row.name);
      CAPTURE(std::string(sinter::name(t)));
      if (sinter::detail::takes_words(row.of)) continue;  // random numbers, of which NumPy has none
      CHECK(seen.count({row.name, t}) == static_cast<std::size_t>(sinter::detail::accepts(row.of, t)));
    }
}

TEST_CASE("integers divide, shift and overflow without undefined behaviour") {
  constexpr std::int32_t lowest = std::numeric_limits<std::int32_t>::min();
  CHECK(scalar::floor_divide<std::int32_t>(lowest, -1) == lowest);
  CHECK(scalar::remainder<std::int32_t>(lowest, -1) == 0);
  CHECK(scalar::absolute<std::int32_t>(lowest) == lowest);
  CHECK(scalar::gcd<std::int8_t>(-128, 0) == -128);
  CHECK(scalar::wrap<std::uint16_t>(65535, 65535, std::multiplies<>{}) == 1);  // int would overflow
  static_assert(scalar::left_shift<std::int8_t>(-1, 7) == -128);
  static_assert(scalar::left_shift<std::int64_t>(1, 64) == 0);
  static_assert(scalar::right_shift<std::int64_t>(-5, -1) == -1);
  static_assert(scalar::gcd<std::int64_t>(std::numeric_limits<std::int64_t>::min(), 6) == 2);
}

TEST_CASE("integer powers") {
  CHECK(scalar::power<std::int32_t>(0, -1) == 0);
  CHECK(scalar::power<std::int32_t>(1, -7) == 1);
  CHECK(scalar::power<std::int32_t>(-1, -7) == -1);
  CHECK(scalar::power<std::int32_t>(-1, std::numeric_limits<std::int32_t>::min()) == 1);
  CHECK(scalar::power<std::int32_t>(2, -1) == 0);
  CHECK(scalar::power<std::uint8_t>(255, 255) == 255);
}

TEST_CASE("sinc keeps its digits at its zeros") {
  for (double n = 1; n < 1e15; n *= 10) CHECK(scalar::sinc(n) == 0);
  // Next to 1 the sine is pi times the distance, which NumPy's formula rounds away.
  CHECK(scalar::sinc(1.0 - 0x1p-53) == doctest::Approx(0x1p-53).epsilon(1e-12));
}
