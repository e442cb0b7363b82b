// The interpreter's conversions and folds. Invariant: a fold is in order and in its dtype, so its value is that of the
// plainest loop one could write.
#include <complex>
#include <limits>
#include <type_traits>

#include "codegen/ir/interpret_table.hpp"
#include "codegen/ir/scalar.hpp"

namespace sinter::codegen {
namespace {

/// Calls f with a null pointer of the dtype's element type: the one place where a dtype becomes a type here.
template <class F>
auto with_type(dtype t, F f) {
  switch (t) {
    default:
    case dtype::bool_: return f(static_cast<bool*>(nullptr));
    case dtype::int8: return f(static_cast<std::int8_t*>(nullptr));
    case dtype::uint8: return f(static_cast<std::uint8_t*>(nullptr));
    case dtype::int16: return f(static_cast<std::int16_t*>(nullptr));
    case dtype::uint16: return f(static_cast<std::uint16_t*>(nullptr));
    case dtype::int32: return f(static_cast<std::int32_t*>(nullptr));
    case dtype::uint32: return f(static_cast<std::uint32_t*>(nullptr));
    case dtype::int64: return f(static_cast<std::int64_t*>(nullptr));
    case dtype::uint64: return f(static_cast<std::uint64_t*>(nullptr));
    case dtype::float16: return f(static_cast<half*>(nullptr));
    case dtype::bfloat16: return f(static_cast<bfloat16*>(nullptr));
    case dtype::float32: return f(static_cast<float*>(nullptr));
    case dtype::float64: return f(static_cast<double*>(nullptr));
    case dtype::complex64: return f(static_cast<std::complex<float>*>(nullptr));
    case dtype::complex128: return f(static_cast<std::complex<double>*>(nullptr));
  }
}

template <class To, class From>
void cast_all(const void* in, void* out, int count) {
  const auto* a = static_cast<const From*>(in);
  auto* r = static_cast<To*>(out);
  for (int k = 0; k < count; ++k) r[k] = scalar::cast_element<To>(a[k]);
}

template <class T>
constexpr T value_of(detail::start from) {
  using limits = std::numeric_limits<T>;
  switch (from) {
    case detail::start::zero: return T(0);
    case detail::start::one: return T(1);
    case detail::start::highest: return limits::has_infinity ? limits::infinity() : limits::max();
    default: return limits::has_infinity ? T(-limits::infinity()) : limits::lowest();
  }
}

template <class T, class Op>
void fold_by(void* const total[2], const void* const in[2], int count) {
  T x = *static_cast<T*>(total[0]);
  const auto* const y = static_cast<const T*>(in[0]);
  for (int k = 0; k < count; ++k) x = static_cast<T>(Op::template value<T>(x, y[k], T()));
  *static_cast<T*>(total[0]) = x;
}

template <class T, class Op>
void scan_by(void* total, const void* in, void* out, int count, bool first) {
  T x = *static_cast<T*>(total);
  const auto* const y = static_cast<const T*>(in);
  for (int k = 0; k < count; ++k, first = false)
    static_cast<T*>(out)[k] = x = first ? y[k] : static_cast<T>(Op::template value<T>(x, y[k], T()));
  *static_cast<T*>(total) = x;
}

template <class T>
using choice = bool (*)(T a, std::int64_t i, T b, std::int64_t j);

template <class T, choice<T> takes>
void choose_by(void* const total[2], const void* const in[2], int count) {
  auto& x = *static_cast<T*>(total[0]);
  auto& at = *static_cast<std::int64_t*>(total[1]);
  const auto* const y = static_cast<const T*>(in[0]);
  const auto* const positions = static_cast<const std::int64_t*>(in[1]);
  for (int k = 0; k < count; ++k)
    if (takes(y[k], positions[k], x, at)) x = y[k], at = positions[k];
}

template <class T, reduction what>
void start_of(void* const total[2]) {
  constexpr const detail::reduction_facts& row = detail::facts(what);
  *static_cast<T*>(total[0]) = value_of<T>(row.starts[0]);
  if constexpr (row.members() > 1) *static_cast<std::int64_t*>(total[1]) = value_of<std::int64_t>(row.starts[1]);
}

template <class T, reduction what, class Op>
constexpr fold_step step_of() {
  if constexpr (Op::of == detail::rule::real && !std::is_floating_point_v<T>)
    return {};  // verify() lets none come here
  else return {&start_of<T, what>, &fold_by<T, Op>, &scan_by<T, Op>};
}

template <class T>
fold_step fold_for(reduction what) {
  static constexpr fold_step rows[] = {
#define SINTER_REDUCTION(name, fold, ...) step_of<T, reduction::name, element::fold>(),
#define SINTER_CHOICE(name, choice, ...) {&start_of<T, reduction::name>, &choose_by<T, &scalar::choice<T>>, nullptr},
#include <sinter/reductions.def>
#undef SINTER_REDUCTION
  };
  return rows[static_cast<int>(what)];
}

}  // namespace

cast_loop find_cast(dtype to, dtype from) {
  return with_type(to, [from]<class To>(To*) {
    return with_type(from, []<class From>(From*) -> cast_loop { return &cast_all<To, From>; });
  });
}

fold_step find_fold(reduction what, dtype t) {
  if (detail::is_complex(t)) return complex_fold(what, t);
  return with_type(t, [what]<class T>(T*) -> fold_step {
    if constexpr (std::is_arithmetic_v<T>) return fold_for<T>(what);
    else return {};  // numbers of 16 bits are folded as floats
  });
}

}  // namespace sinter::codegen
