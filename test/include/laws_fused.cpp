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
  const unsigned programs = device::current() == device::interpreter() ? 2000 : 20;
  for (unsigned seed = 0; seed < programs; ++seed) {
    const fuzz::program p = fuzz::generate(seed);
    const fuzz::verdict v = fuzz::check(p, fuzz::math::strict);
    INFO("seed ", seed, ", ", v.ways, ": ", v.what, "\n", fuzz::cpp_text(p));
    CHECK(v.fine());
  }
}
