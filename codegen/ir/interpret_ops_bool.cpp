// The interpreter's loops for bool, and the way from a dtype to its row of loops. Invariant: a dtype without elements
// has none.
#include "codegen/ir/interpret_table.hpp"

namespace sinter::codegen {

namespace {

template <int fraction>
void next_all(const void* const args[3], void* out, int count) {
  const auto *const a = static_cast<const std::uint16_t*>(args[0]), *const b =
                                                                        static_cast<const std::uint16_t*>(args[1]);
  for (int k = 0; k < count; ++k)
    static_cast<std::uint16_t*>(out)[k] = scalar::next_of_16_bits(a[k], b[k], 0x8000u - (1u << fraction));
}

template <class T>
void spacing_all(const void* const args[3], void* out, int count) {
  const auto* const a = static_cast<const T*>(args[0]);
  for (int k = 0; k < count; ++k) {
    const auto next = T::from_bits(static_cast<std::uint16_t>(a[k].bits + 1));
    const float apart =
        std::isfinite(float(a[k])) ? float(next) - float(a[k]) : std::numeric_limits<float>::quiet_NaN();
    static_cast<T*>(out)[k] = float(a[k]) == 0 ? T::from_bits(1) : T(apart);
  }
}

template <unsigned kept, unsigned turned>
void sign_all(const void* const args[3], void* out, int count) {
  const auto* const a = static_cast<const std::uint16_t*>(args[0]);
  for (int k = 0; k < count; ++k)
    static_cast<std::uint16_t*>(out)[k] = static_cast<std::uint16_t>((a[k] & kept) ^ turned);
}

apply_loop short_loop(op code, dtype computed) {
  if (code == op::where) return unsigned_loops(dtype::uint16)[static_cast<std::size_t>(code)];
  if (code == op::absolute) return &sign_all<0x7fff, 0>;
  if (code == op::negative) return &sign_all<0xffff, 0x8000>;
  if (code == op::spacing) return computed == dtype::float16 ? &spacing_all<half> : &spacing_all<bfloat16>;
  if (code != op::nextafter) return nullptr;
  return computed == dtype::float16 ? &next_all<10> : &next_all<7>;
}

}  // namespace

const apply_row& bool_loops() { return row_of<bool>; }

apply_loop find_apply(op code, dtype computed) {
  const auto at = static_cast<std::size_t>(code);
  if (detail::is_complex(computed)) return complex_loops(computed)[at];
  if (detail::is_short_floating(computed)) return short_loop(code, computed);
  if (computed == dtype::bool_) return bool_loops()[at];
  if (detail::is_floating(computed)) return real_loops(computed)[at];
  return (detail::facts(computed).is_signed ? signed_loops(computed) : unsigned_loops(computed))[at];
}

}  // namespace sinter::codegen
