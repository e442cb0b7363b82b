// Filters with feedback on the host, a row after the other.
#include <algorithm>
#include <complex>

#include "codegen/ir/complex_scalar.hpp"
#include "runtime/launch/element_types.hpp"
#include "runtime/library/recurrences.hpp"
#include "runtime/stream/kept_call.hpp"

namespace sinter::runtime {

namespace {

// std::complex's product looks for infinities, in a call.
template <class T>
T times(T a, T b) {
  return a * b;
}
template <class T>
std::complex<T> times(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// The transposed direct form. `fixed`: the order where the compiler is to know it, so that a state stays in registers; else 0.
template <class T, int fixed>
void filter_row(const T* x, const T* b, const T* a, T* z, T* y, std::int64_t samples, int given) {
  const int order = fixed > 0 ? fixed : given;
  for (std::int64_t k = 0; k < samples; ++k) {
    const T in = x[k], out = times(b[0], in) + z[0];
    for (int i = 0; i + 1 < order; ++i) z[i] = times(b[i + 1], in) + z[i + 1] - times(a[i + 1], out);
    z[order - 1] = times(b[order], in) - times(a[order], out);
    y[k] = out;
  }
}

template <class T, int fixed>
void filter_rows(const recurrence& r) {
  const auto* const b = reinterpret_cast<const T*>(r.b);
  const auto* const a = reinterpret_cast<const T*>(r.a);
  for (std::int64_t row = 0; row < r.rows; ++row) {
    T* const end = reinterpret_cast<T*>(r.zf) + row * r.order;
    const T* const begin = reinterpret_cast<const T*>(r.zi) + row * r.order;
    T kept[fixed > 0 ? fixed : 1];
    T* const z = fixed > 0 ? kept : end;
    for (int i = 0; i < r.order; ++i) z[i] = r.zi ? begin[i] : T(0);
    const std::int64_t first = row * r.samples;
    filter_row<T, fixed>(reinterpret_cast<const T*>(r.x) + first, b, a, z, reinterpret_cast<T*>(r.y) + first, r.samples,
                         r.order);
    if (fixed > 0) std::copy_n(z, r.order, end);
  }
}

template <class T>
void filter_all(void* with) noexcept {
  const auto& r = *static_cast<const recurrence*>(with);
  switch (r.order) {
    case 1: return filter_rows<T, 1>(r);
    case 2: return filter_rows<T, 2>(r);
    case 3: return filter_rows<T, 3>(r);
    case 4: return filter_rows<T, 4>(r);
    default: return filter_rows<T, 0>(r);
  }
}

}  // namespace

void filter_on_cpu(const recurrence& r, stream_state& on) {
  with_inexact(r.type, [&](auto of) { call_with(&filter_all<typename decltype(of)::type>, r, on); });
}

}  // namespace sinter::runtime
