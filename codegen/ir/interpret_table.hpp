// One dtype's row of interpreter loops, made from ops.def. Included by the interpret_ops_*.cpp only, which share the
// dtypes among them so that no translation unit takes long.
#pragma once

#include <array>

#include "codegen/ir/interpret_ops.hpp"
#include "codegen/ir/philox.hpp"
#include "codegen/ir/scalar.hpp"

namespace sinter::codegen {

using apply_row = std::array<apply_loop, detail::op_count>;

const apply_row& bool_loops();
const apply_row& signed_loops(dtype);
const apply_row& unsigned_loops(dtype);
const apply_row& real_loops(dtype);
const apply_row& complex_loops(dtype);
fold_step complex_fold(reduction, dtype);

/// Does an operation of this rule compute in T?
template <class T>
constexpr bool computes_in(detail::rule r) {
  constexpr dtype t = dtype_of<T>;
  return detail::accepts(r, t) && detail::compute_dtype(r, t) == t;
}

// An operation as a function of one element: `A` differs from `T` only for the truth value that chooses.
namespace element {
#define SINTER_OP(name, arity_, rule_, value_, ...)                                       \
  struct name {                                                                           \
    static constexpr int arity = arity_;                                                  \
    static constexpr detail::rule of = detail::rule::rule_;                               \
    template <class T, class A>                                                           \
    static auto value([[maybe_unused]] A a, [[maybe_unused]] T b, [[maybe_unused]] T c) { \
      return value_;                                                                      \
    }                                                                                     \
  };
#include <sinter/ops.def>
#undef SINTER_OP
}  // namespace element

template <class Op, class T>
void apply_all(const void* const args[3], void* out, int count) {
  constexpr bool chooses = Op::of == detail::rule::choice;
  using A = std::conditional_t<chooses, bool, T>;
  using R = typename detail::element_of<detail::result_dtype(Op::of, dtype_of<T>)>::type;
  const auto* a = static_cast<const A*>(args[0]);
  [[maybe_unused]] const auto* b = static_cast<const T*>(args[1]);
  [[maybe_unused]] const auto* c = static_cast<const T*>(args[2]);
  auto* r = static_cast<R*>(out);
  for (int k = 0; k < count; ++k) {
    if constexpr (Op::arity == 1) r[k] = static_cast<R>(Op::template value<T>(a[k], T(), T()));
    else if constexpr (Op::arity == 2) r[k] = static_cast<R>(Op::template value<T>(a[k], b[k], T()));
    else r[k] = static_cast<R>(Op::template value<T>(a[k], b[k], c[k]));
  }
}

template <class Op, class T>
constexpr apply_loop loop_or_null() {
  if constexpr (computes_in<T>(Op::of)) return &apply_all<Op, T>;
  else return nullptr;
}

template <class T>
inline constexpr apply_row row_of = {
#define SINTER_OP(name, ...) loop_or_null<element::name, T>(),
#include <sinter/ops.def>
#undef SINTER_OP
};

}  // namespace sinter::codegen
