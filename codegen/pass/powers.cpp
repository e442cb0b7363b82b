// Powers by multiplication, square root and division. Each step rounds once, so by repeated squaring the fifth power is
// within four units in the last place, and an intermediate overflows or underflows only where the result does too.
#include "codegen/pass/powers.hpp"

#include <cstdlib>

#include "codegen/pass/casts.hpp"

namespace sinter::codegen {

using namespace detail;

namespace {

class raising {
 public:
  raising(program& p, std::uint16_t base) : p_(p), x_(base) {}

  // To the power 0 everything is 1, also NaN.
  std::uint16_t zeroth(std::uint16_t exponent) {
    const std::uint16_t truth = make(op::equal, exponent, exponent), one = cast_to(p_, truth, p_.values[x_].type);
    const std::uint16_t chosen[] = {truth, one, x_};
    return apply(p_, op::where, chosen, 3);
  }

  std::uint16_t whole(int n) {
    std::uint16_t factor = n < 0 ? make(op::reciprocal, x_) : x_;
    std::uint16_t result = factor;
    bool started = false;
    for (unsigned rest = static_cast<unsigned>(n < 0 ? -n : n);; factor = make(op::multiply, factor, factor)) {
      if (rest & 1) result = started ? make(op::multiply, result, factor) : factor, started = true;
      if ((rest >>= 1) == 0) return result;
    }
  }

  // A whole power and a root. Negative ones are those of 1/x, as a power of x may leave the range that 1 over it is in.
  std::uint16_t halves(int twice) {
    const bool is_inverse = twice < 0;
    const std::uint16_t factor = is_inverse ? make(op::reciprocal, x_) : x_;
    const std::uint16_t by = is_inverse ? make(op::reciprocal, root()) : root();
    switch (std::abs(twice)) {
      case 1: return by;
      case 3: return make(op::multiply, make(op::absolute, factor), by);
      default: return make(op::multiply, make(op::multiply, factor, factor), by);
    }
  }

 private:
  // The power 1/2 of minus infinity is infinity and that of -0 is 0, unlike square roots.
  std::uint16_t root() {
    const std::uint16_t chosen[] = {make(op::isneginf, x_), make(op::absolute, x_),
                                    make(op::absolute, make(op::sqrt, x_))};
    return apply(p_, op::where, chosen, 3);
  }
  std::uint16_t make(op code, std::uint16_t a) { return apply(p_, code, &a, 1); }
  std::uint16_t make(op code, std::uint16_t a, std::uint16_t b) {
    const std::uint16_t both[] = {a, b};
    return apply(p_, code, both, 2);
  }

  program& p_;
  const std::uint16_t x_;
};

}  // namespace

std::uint16_t raise(program& p, const std::uint16_t* operands, exponent_class exponent) {
  const dtype promoted = promote(p.values[operands[0]].type, p.values[operands[1]].type);
  const dtype computed = compute_dtype(facts(op::power).of, promoted);
  const int twice = exponent.twice;
  // Of integers any number of multiplications is exact, and a negative power is no division.
  const bool cheap = is_floating(computed)  ? twice <= 10
                     : is_complex(computed) ? twice % 2 == 0 && twice <= 10
                                            : twice % 2 == 0 && twice >= 0 && twice <= exponent_class::highest;
  if (!cheap) return apply(p, op::power, operands, 2);
  raising x(p, cast_to(p, operands[0], computed));
  if (twice == 0) return x.zeroth(operands[1]);
  return twice % 2 == 0 ? x.whole(twice / 2) : x.halves(twice);
}

}  // namespace sinter::codegen
