// The interpreter's conversions and folds. Invariant: a fold is in order and in its dtype, so its value is that of the
// plainest loop one could write.
#include <functional>
#include <limits>

#include "codegen/ir/interpret_ops.hpp"
#include "codegen/ir/scalar.hpp"

namespace sinter::codegen {
namespace {

/// Calls f with a null pointer of the dtype's element type: the one place where a dtype becomes a type here.
template <class F>
auto with_type(dtype t, F f) {
  switch (t) {
    case dtype::bool_: return f(static_cast<bool*>(nullptr));
    case dtype::int8: return f(static_cast<std::int8_t*>(nullptr));
    case dtype::uint8: return f(static_cast<std::uint8_t*>(nullptr));
    case dtype::int16: return f(static_cast<std::int16_t*>(nullptr));
    case dtype::uint16: return f(static_cast<std::uint16_t*>(nullptr));
    case dtype::int32: return f(static_cast<std::int32_t*>(nullptr));
    case dtype::uint32: return f(static_cast<std::uint32_t*>(nullptr));
    case dtype::int64: return f(static_cast<std::int64_t*>(nullptr));
    case dtype::uint64: return f(static_cast<std::uint64_t*>(nullptr));
    case dtype::float32: return f(static_cast<float*>(nullptr));
    case dtype::float64: return f(static_cast<double*>(nullptr));
    default: return decltype(f(static_cast<bool*>(nullptr))){};
  }
}

template <class To, class From>
void cast_all(const void* in, void* out, int count) {
  const auto* a = static_cast<const From*>(in);
  auto* r = static_cast<To*>(out);
  for (int k = 0; k < count; ++k) r[k] = scalar::cast_element<To>(a[k]);
}

template <reduction what, class T>
constexpr T identity() {
  using limits = std::numeric_limits<T>;
  switch (what) {
    case reduction::sum:
    case reduction::any: return T(0);
    case reduction::min: return limits::has_infinity ? limits::infinity() : limits::max();
    case reduction::max: return limits::has_infinity ? T(-limits::infinity()) : limits::lowest();
    default: return T(1);
  }
}

template <reduction what, class T>
constexpr T step(T total, T a) {
  switch (what) {
    case reduction::sum: return scalar::wrap<T>(total, a, std::plus<>{});
    case reduction::prod: return scalar::wrap<T>(total, a, std::multiplies<>{});
    case reduction::min: return scalar::minimum(total, a);
    case reduction::max: return scalar::maximum(total, a);
    case reduction::any: return static_cast<T>(total != T(0) || a != T(0));
    default: return static_cast<T>(total != T(0) && a != T(0));
  }
}

template <reduction what, class T>
constexpr fold_step fold_of = {[](void* total) { *static_cast<T*>(total) = identity<what, T>(); },
                               [](void* total, const void* in, int count) {
                                 T sum = *static_cast<T*>(total);
                                 for (int k = 0; k < count; ++k) sum = step<what>(sum, static_cast<const T*>(in)[k]);
                                 *static_cast<T*>(total) = sum;
                               }};

template <class T>
fold_step fold_for(reduction what) {
  switch (what) {
    case reduction::sum: return fold_of<reduction::sum, T>;
    case reduction::prod: return fold_of<reduction::prod, T>;
    case reduction::min: return fold_of<reduction::min, T>;
    case reduction::max: return fold_of<reduction::max, T>;
    case reduction::any: return fold_of<reduction::any, T>;
    case reduction::all: return fold_of<reduction::all, T>;
  }
  return {};
}

}  // namespace

cast_loop find_cast(dtype to, dtype from) {
  return with_type(to, [from]<class To>(To*) {
    return with_type(from, []<class From>(From*) -> cast_loop { return &cast_all<To, From>; });
  });
}

fold_step find_fold(reduction what, dtype t) {
  return with_type(t, [what]<class T>(T*) { return fold_for<T>(what); });
}

}  // namespace sinter::codegen
