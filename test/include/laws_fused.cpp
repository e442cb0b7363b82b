// Law 7: in strict mode a fused program gives, bit for bit, what evaluating every step of it gives. SINTER_MATH is read
// once a process, so the programs run in one of their own.
#include <doctest/doctest.h>

#include "test/include/looking.hpp"
#include "test/include/programs.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;

template <class T>
int programs_that_differ(unsigned first, unsigned count) {
  int differ = 0;
  for (unsigned seed = first; seed < first + count; ++seed) {
    program_writer<T> fused(seed, true), stepwise(seed, false);
    const unsigned steps = 3 + seed % 12;
    for (unsigned i = 0; i < steps; ++i) fused.step(), stepwise.step();
    // The last two values together: several outputs are fused as well.
    detail::node* const roots[] = {fused.last(0).get(), fused.last(1).get()};
    detail::node* results[2];
    detail::evaluate_all(roots, results, 2, {});
    for (std::size_t i = 0; i < 2; ++i) {
      const handle result(results[i]);
      const bool same = same_bits<T>(bytes_of(result), bytes_of(stepwise.last(i)));
      INFO("seed ", seed, ", ", std::string(name(dtype_of<T>)), ", value ", i, " from the end of: ", fused.story);
      CHECK(same);
      differ += !same;
    }
  }
  return differ;
}

}  // namespace

TEST_CASE("law 7: fused equals unfused in strict mode") {
  const rerun strict("strict process: random programs", {{"SINTER_MATH", "strict"}});
  INFO(strict.output);
  CHECK(strict.ok);
}

TEST_CASE("strict process: random programs" * doctest::skip()) {
  CHECK(programs_that_differ<float>(0, 100) == 0);
  CHECK(programs_that_differ<double>(1000, 100) == 0);
}
