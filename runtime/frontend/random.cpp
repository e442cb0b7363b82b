// Making draws: positions and a draw's number through the rows at the end of ops.def, with Sinter's own operators around them.
// Invariant: what a draw is made of never depends on a device.
#include <sinter/random.hpp>

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include <sinter/error.hpp>
#include <sinter/functions.hpp>

#include <boost/hana/for_each.hpp>

#include "codegen/ir/elements.hpp"
#include "codegen/ir/philox.hpp"
#include "runtime/frontend/draw.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/nodes.hpp"
#include "runtime/frontend/terms.hpp"

namespace sinter::detail {

namespace {

/// Of a generator's own numbers draws, the other half is for those that take two.
draw_counter second(const draw_counter& next) { return {next.seed, next.draw | std::uint64_t{1} << 63}; }

template <class E>
node* drawn(E&& e, draw_counter& next) {
  node* const n = lazy<element_in<E>>(std::forward<E>(e)).release_node();
  ++next.draw;
  return n;
}

// A parameter for each number of a draw.
template <class T>
lazy<T> each_of(const draw_parameter& p, const shape& s) {
  node* const all = p.array() ? make_broadcast(p.array(), s)
                              : runtime::number_node(p.number(), dtype::float64).broadcast_to(s).take();
  return lazy<T>(astype<T>(lazy<double>(all)));
}
// A scale that is negative has no numbers.
template <class T>
lazy<T> scale_of(const draw_parameter& p, const shape& s) {
  const lazy<T> given = each_of<T>(p, s);
  return lazy<T>(sinter::where(given >= T(0), given, std::numeric_limits<T>::quiet_NaN()));
}

template <class T, op O>
node* uniform(const shape& s, draw_counter& next, const draw_parameter& lows, const draw_parameter& highs) {
  if (lows.array() || highs.array()) {
    const lazy<T> from = each_of<T>(lows, s);
    return drawn(fma(draw<O>(s, next), each_of<T>(highs, s) - from, from), next);
  }
  const double low = lows.number(), high = highs.number();
  const T from = cast_element<T>(low), to = cast_element<T>(high), span = to - from;
  if (!(from <= to) || !std::isfinite(span))
    throw error(message("sinter: uniform numbers from %g to %g; the bounds are finite, and so is their distance in %s, "
                        "and low is not above high",
                        low, high, name(dtype_of<T>))
                    .c_str());
  if (from == 0 && to == 1) return drawn(draw<O>(s, next), next);
  // Rounded once on every device; what that brings up to `high` stays below it.
  return drawn(minimum(fma(draw<O>(s, next), strong(span), strong(from)), strong(std::nextafter(to, from))), next);
}

template <class T, op O>
node* normal(const shape& s, draw_counter& next, const draw_parameter& loc, const draw_parameter& scale) {
  if (loc.array() || scale.array())
    return drawn(fma(draw<O>(s, next), scale_of<T>(scale, s), each_of<T>(loc, s)), next);
  if (loc.number() == 0 && scale.number() == 1) return drawn(draw<O>(s, next), next);
  return drawn(fma(draw<O>(s, next), scale.number(), loc.number()), next);
}

template <class T, op O>
node* exponential(const shape& s, draw_counter& next, const draw_parameter& scale) {
  auto standard = -log1p(-draw<O>(s, next));
  if (scale.array()) return drawn(std::move(standard) * scale_of<T>(scale, s), next);
  if (scale.number() == 1) return drawn(std::move(standard), next);
  return drawn(std::move(standard) * scale.number(), next);
}

void check_scale(const draw_parameter& scale, const char* what) {
  if (scale.array() || scale.number() >= 0) return;
  throw error(message("sinter: %s numbers of scale %g; a scale is not negative", what, scale.number()).c_str());
}

bool less(const whole_number& a, const whole_number& b) {
  return a.negative != b.negative ? a.negative : a.bits < b.bits;
}

bool fits(const whole_number& w, dtype t) {
  if (t == dtype::bool_) return !w.negative && w.bits <= 1;
  const int bits = 8 * itemsize(t) - facts(t).is_signed;
  const std::uint64_t highest = ~std::uint64_t{0} >> (64 - bits);
  return w.negative ? facts(t).is_signed && ~w.bits <= highest : w.bits <= highest;
}

std::string to_string(const whole_number& w) {
  return w.negative ? "-" + std::to_string(0 - w.bits) : std::to_string(w.bits);
}

/// Numbers of `bound` ones from 0 on, as words. Up to 2^32 of them take 64 random bits, and no number's probability is off
/// by more than 2^-32 of it; of more than that 128, and 2^-64.
lazy<std::uint64_t> below(std::uint64_t bound, const shape& s, const draw_counter& next) {
  auto bits = draw<op::random_uint64>(s, next);
  if (bound == 0) return bits;  // 2^64
  if (bound <= std::uint64_t{1} << 32) return apply<op::multiply_high>(std::move(bits), strong(bound));
  const lazy<std::uint64_t> high(std::move(bits));
  const lazy<std::uint64_t> carried(apply<op::multiply_high>(draw<op::random_uint64>(s, second(next)), strong(bound)));
  auto carry = high * strong(bound) + carried < carried;
  return apply<op::multiply_high>(high, strong(bound)) + astype<std::uint64_t>(std::move(carry));
}

template <class T>
node* shifted(lazy<std::uint64_t> words, std::uint64_t low) {
  return lazy<T>(astype<T>(std::move(words) + strong(low))).release_node();
}

}  // namespace

node* make_uniform(dtype t, const shape& s, draw_counter& next, const draw_parameter& low, const draw_parameter& high) {
  if (t == dtype::float32) return uniform<float, op::random_float32>(s, next, low, high);
  return uniform<double, op::random_float64>(s, next, low, high);
}

node* make_normal(dtype t, const shape& s, draw_counter& next, const draw_parameter& loc, const draw_parameter& scale) {
  check_scale(scale, "normal");
  if (t == dtype::float32) return normal<float, op::normal_float32>(s, next, loc, scale);
  return normal<double, op::normal_float64>(s, next, loc, scale);
}

node* make_exponential(dtype t, const shape& s, draw_counter& next, const draw_parameter& scale) {
  check_scale(scale, "exponential");
  if (t == dtype::float32) return exponential<float, op::random_float32>(s, next, scale);
  return exponential<double, op::random_float64>(s, next, scale);
}

node* make_integers(dtype t, const shape& s, draw_counter& next, whole_number low, whole_number high, bool endpoint) {
  if (endpoint ? less(high, low) : !less(low, high))
    throw error(message("sinter: integers from %s to %s, %s the latter: there are none", to_string(low).c_str(),
                        to_string(high).c_str(), endpoint ? "with" : "without")
                    .c_str());
  whole_number last = high;
  if (!endpoint) --last.bits, last.negative = high.negative || high.bits == 0;
  for (const whole_number& bound : {low, last})
    if (!fits(bound, t))
      throw dtype_error(message("sinter: integers from %s to %s: %s does not hold %s", to_string(low).c_str(),
                                to_string(high).c_str(), name(t), to_string(bound).c_str())
                            .c_str());
  const lazy<std::uint64_t> words = below(last.bits - low.bits + 1, s, next);
  node* n = nullptr;
  boost::hana::for_each(codegen::real_elements, [&](auto type) {
    using T = typename decltype(type)::type;
    if (dtype_of<T> == t) n = shifted<T>(words, low.bits);
  });
  ++next.draw;
  return n;
}

node* make_bernoulli(const shape& s, draw_counter& next, double p) {
  if (!(p >= 0 && p <= 1)) throw error(message("sinter: a probability of %g; it is from 0 to 1", p).c_str());
  auto bits = draw<op::random_uint64>(s, next);
  if (p == 1) return drawn(std::move(bits) >= strong(std::uint64_t{0}), next);
  return drawn(std::move(bits) < strong(static_cast<std::uint64_t>(std::ldexp(p, 64))), next);
}

node* make_seed(whole_number seed) {
  if (seed.negative)
    throw error(message("sinter: a seed of %s; a seed is not negative", to_string(seed).c_str()).c_str());
  return make_number(dtype::uint64, to_bits(seed.bits));
}

// With SINTER_SEED every run of a program has the same generators, each with a seed of its own.
node* make_seed() {
  static std::atomic<std::uint64_t> generators{0};
  std::uint64_t seed = 0;
  if (const char* const chosen = std::getenv("SINTER_SEED")) {
    char* end;
    seed = std::strtoull(chosen, &end, 10);
    if (*chosen < '0' || *chosen > '9' || *end != 0)
      throw error(message("sinter: SINTER_SEED=%s is no seed: a number that is not negative", chosen).c_str());
    return make_seed(codegen::scalar::random_uint64(generators++, 0, seed));
  }
  if (::getentropy(&seed, sizeof seed) == 0) return make_seed(seed);
  throw error(
      message("sinter: the operating system gives no seed (%s); choose one: generator(42)", std::strerror(errno))
          .c_str());
}

}  // namespace sinter::detail
