// Law 7: in strict mode a fused program gives, bit for bit, what evaluating every step of it gives. SINTER_MATH is read
// once a process, so the programs run in one of their own. These are always the same ones; test/fuzz tries new ones.
#include <doctest/doctest.h>

#include "test/fuzz/check.hpp"
#include "test/fuzz/generate.hpp"
#include "test/fuzz/print.hpp"
#include "test/include/looking.hpp"

TEST_CASE("law 7: fused equals unfused in strict mode") {
  const sinter::test::rerun strict("strict process: random programs", {{"SINTER_MATH", "strict"}});
  INFO(strict.output);
  CHECK(strict.ok);
}

TEST_CASE("strict process: random programs" * doctest::skip()) {
  using namespace sinter;
  // Rows with bytes among their operands: the numbers are added up in the same order as where they are there already.
  for (const std::int64_t n : {17, 30, 72, 100, 511}) {
    const array<std::int8_t> bytes = astype<std::int8_t>(arange<int>(n) * 37 % 100 - 50);
    const array<double> scale = sin(arange<double>(n)), products = bytes * scale, halves = where(bytes > 0, scale, 0.5);
    CHECK(sum(bytes * scale).item() == sum(products).item());
    CHECK(sum(where(bytes > 0, scale, 0.5)).item() == sum(halves).item());
    CHECK(prod(1 + bytes * scale / 64).item() == prod(array<double>(1 + products / 64)).item());
  }
  // Compilers know what a number is that equals itself, but not what a function of it is where it is computed.
  const array<int> some = {3, 1, 4};
  const array<float> ones = astype<float>(some == some);
  const auto known = astype<float>(some == some);
  const auto same = [](const array<float>& fused, const array<float>& by_steps) {
    INFO(fused, " and ", by_steps);
    return all(fused == by_steps).item();
  };
  CHECK(same(tan(known), tan(ones)));
  CHECK(same(sin(known), sin(ones)));
  CHECK(same(exp(known), exp(ones)));
  CHECK(same(sinh(known), sinh(ones)));
  CHECK(same(power(known + 2, known / 3), power(array<float>(ones + 2), array<float>(ones / 3))));
  CHECK(same(arctan2(known, known + 1), arctan2(ones, array<float>(ones + 1))));
  const unsigned programs = device::current() == device::interpreter() ? 2000 : 20;
  for (unsigned seed = 0; seed < programs; ++seed) {
    const fuzz::program p = fuzz::generate(seed);
    const fuzz::verdict v = fuzz::check(p, fuzz::math::strict);
    INFO("seed ", seed, ", ", v.ways, ": ", v.what, "\n", fuzz::cpp_text(p));
    CHECK(v.fine());
  }
}
