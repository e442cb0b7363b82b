// The interpreter's loops for complex numbers. Invariant: what is not here is what no rule of ops.def computes in them.
#include "codegen/ir/complex_scalar.hpp"
#include "codegen/ir/interpret_table.hpp"

namespace sinter::codegen {

namespace {

template <class C, auto f>
void apply_one(const void* const args[3], void* out, int count) {
  const auto* const a = static_cast<const C*>(args[0]);
  for (int k = 0; k < count; ++k) static_cast<decltype(f(C()))*>(out)[k] = f(a[k]);
}
template <class C, auto f>
void apply_two(const void* const args[3], void* out, int count) {
  const auto *const a = static_cast<const C*>(args[0]), *const b = static_cast<const C*>(args[1]);
  for (int k = 0; k < count; ++k) static_cast<decltype(f(C(), C()))*>(out)[k] = f(a[k], b[k]);
}
template <class C, auto f>
void apply_three(const void* const args[3], void* out, int count) {
  const auto *const a = static_cast<const C*>(args[0]), *const b = static_cast<const C*>(args[1]),
                    *const c = static_cast<const C*>(args[2]);
  for (int k = 0; k < count; ++k) static_cast<C*>(out)[k] = f(a[k], b[k], c[k]);
}
template <class C>
void choose(const void* const args[3], void* out, int count) {
  const auto* const first = static_cast<const bool*>(args[0]);
  const auto *const b = static_cast<const C*>(args[1]), *const c = static_cast<const C*>(args[2]);
  for (int k = 0; k < count; ++k) static_cast<C*>(out)[k] = first[k] ? b[k] : c[k];
}

#define SINTER_LOOP(how, name) \
  all[static_cast<std::size_t>(op::name)] = &how<C, [](auto... a) { return complex_scalar::name(a...); }>

template <class C>
apply_row make_row() {
  apply_row all{};
  SINTER_LOOP(apply_two, add);
  SINTER_LOOP(apply_two, subtract);
  SINTER_LOOP(apply_two, multiply);
  SINTER_LOOP(apply_two, divide);
  SINTER_LOOP(apply_one, negative);
  SINTER_LOOP(apply_one, positive);
  SINTER_LOOP(apply_one, absolute);
  SINTER_LOOP(apply_one, real);
  SINTER_LOOP(apply_one, imag);
  SINTER_LOOP(apply_one, conjugate);
  SINTER_LOOP(apply_one, angle);
  SINTER_LOOP(apply_one, square);
  SINTER_LOOP(apply_one, reciprocal);
  SINTER_LOOP(apply_one, sign);
  SINTER_LOOP(apply_two, maximum);
  SINTER_LOOP(apply_two, minimum);
  SINTER_LOOP(apply_two, fmax);
  SINTER_LOOP(apply_two, fmin);
  SINTER_LOOP(apply_three, clip);
  SINTER_LOOP(apply_two, equal);
  SINTER_LOOP(apply_two, not_equal);
  SINTER_LOOP(apply_two, less);
  SINTER_LOOP(apply_two, less_equal);
  SINTER_LOOP(apply_two, greater);
  SINTER_LOOP(apply_two, greater_equal);
  SINTER_LOOP(apply_one, isnan);
  SINTER_LOOP(apply_one, isinf);
  SINTER_LOOP(apply_one, isfinite);
  SINTER_LOOP(apply_one, rint);
  SINTER_LOOP(apply_one, exp);
  SINTER_LOOP(apply_one, exp2);
  SINTER_LOOP(apply_one, expm1);
  SINTER_LOOP(apply_one, log);
  SINTER_LOOP(apply_one, log2);
  SINTER_LOOP(apply_one, log10);
  SINTER_LOOP(apply_one, log1p);
  SINTER_LOOP(apply_one, sqrt);
  SINTER_LOOP(apply_one, sin);
  SINTER_LOOP(apply_one, cos);
  SINTER_LOOP(apply_one, tan);
  SINTER_LOOP(apply_one, arcsin);
  SINTER_LOOP(apply_one, arccos);
  SINTER_LOOP(apply_one, arctan);
  SINTER_LOOP(apply_one, sinh);
  SINTER_LOOP(apply_one, cosh);
  SINTER_LOOP(apply_one, tanh);
  SINTER_LOOP(apply_one, arcsinh);
  SINTER_LOOP(apply_one, arccosh);
  SINTER_LOOP(apply_one, arctanh);
  SINTER_LOOP(apply_one, sinc);
  SINTER_LOOP(apply_two, power);
  all[static_cast<std::size_t>(op::where)] = &choose<C>;
  return all;
}

template <class C, auto f>
void fold_all(void* const total[2], const void* const in[2], int count) {
  C& x = *static_cast<C*>(total[0]);
  for (int k = 0; k < count; ++k) x = f(x, static_cast<const C*>(in[0])[k]);
}
template <class C, auto f>
void scan_all(void* total, const void* in, void* out, int count, bool first) {
  C& x = *static_cast<C*>(total);
  const auto* const y = static_cast<const C*>(in);
  for (int k = 0; k < count; ++k, first = false) static_cast<C*>(out)[k] = x = first ? y[k] : f(x, y[k]);
}
template <class C, auto f>
void choose_all(void* const total[2], const void* const in[2], int count) {
  C& x = *static_cast<C*>(total[0]);
  auto& at = *static_cast<std::int64_t*>(total[1]);
  for (int k = 0; k < count; ++k) {
    const C y = static_cast<const C*>(in[0])[k];
    const std::int64_t position = static_cast<const std::int64_t*>(in[1])[k];
    if (f(y, position, x, at)) x = y, at = position;
  }
}

template <class C>
void start_at(void* const total[2], detail::start from) {
  using R = typename C::value_type;
  constexpr R beyond = std::numeric_limits<R>::infinity();
  const bool highest = from == detail::start::highest;
  C& x = *static_cast<C*>(total[0]);
  if (from == detail::start::zero) x = C(0);
  else if (from == detail::start::one) x = C(1);
  else x = highest ? C(beyond, beyond) : C(-beyond, -beyond);
}
template <class C, reduction what>
void start_of(void* const total[2]) {
  start_at<C>(total, detail::facts(what).starts[0]);
  if (detail::facts(what).members() > 1)
    *static_cast<std::int64_t*>(total[1]) = std::numeric_limits<std::int64_t>::max();
}

#define SINTER_FOLD(name, with)                                               \
  case reduction::name: {                                                     \
    constexpr auto f = [](C a, C b) { return complex_scalar::with(a, b); };   \
    return {&start_of<C, reduction::name>, &fold_all<C, f>, &scan_all<C, f>}; \
  }
#define SINTER_CHOOSE(name, with)                                                                                 \
  case reduction::name: {                                                                                         \
    constexpr auto f = [](C a, std::int64_t i, C b, std::int64_t j) { return complex_scalar::with(a, i, b, j); }; \
    return {&start_of<C, reduction::name>, &choose_all<C, f>, nullptr};                                           \
  }

template <class C>
fold_step fold_for(reduction what) {
  switch (what) {
    SINTER_FOLD(sum, add)
    SINTER_FOLD(prod, multiply)
    SINTER_FOLD(min, minimum)
    SINTER_FOLD(max, maximum)
    SINTER_CHOOSE(argmin, is_first_smallest)
    SINTER_CHOOSE(argmax, is_first_largest)
    default: return {};  // verify() lets none come here
  }
}

}  // namespace

const apply_row& complex_loops(dtype t) {
  static const apply_row single = make_row<std::complex<float>>(), twice = make_row<std::complex<double>>();
  return t == dtype::complex64 ? single : twice;
}

fold_step complex_fold(reduction what, dtype t) {
  return t == dtype::complex64 ? fold_for<std::complex<float>>(what) : fold_for<std::complex<double>>(what);
}

}  // namespace sinter::codegen
