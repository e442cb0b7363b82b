// Cosine and sine transforms: the Fourier transforms of signals that are even or odd beyond their ends. Not in sinter.hpp.
#pragma once

#include <sinter/fft.hpp>

namespace sinter::fft {

/// How to transform along one axis: `dct(x, {.type = 4, .norm = fft::norm::ortho})`.
struct cosine_options {
  int type = 2;         ///< 1 to 4: at which points the signal is even, or odd, and how
  std::int64_t n = -1;  ///< points: more than there are are zeros, fewer leave out the last; -1: as many as there are
  std::int64_t axis = -1;
  fft::norm norm = fft::norm::backward;  ///< `ortho`: the inverse is the transpose
};
/// The same along several axes, all of them unless said otherwise.
struct cosines_options {
  int type = 2;
  lengths s{};
  sinter::axes axes = sinter::axes::all();
  fft::norm norm = fft::norm::backward;
};

}  // namespace sinter::fft

namespace sinter::detail {
enum class parity : unsigned char { cosines, sines };
SINTER_API node* make_cosine_transform(handle, parity, bool inverse, const fft::cosines_options&);

/// Of half, float and complex64 float, of all others double; complex where the elements are.
template <class E>
using cosine_element = std::conditional_t<is_complex(dtype_of<element_in<E>>), transform_complex<E>, transform_real<E>>;

template <class E>
lazy<cosine_element<E>> cosine_transformed(E&& e, parity p, bool inverse, const fft::cosines_options& how) {
  return lazy<cosine_element<E>>(make_cosine_transform(handle(take_node(std::forward<E>(e))), p, inverse, how));
}
inline fft::cosines_options along(const fft::cosine_options& how) {
  return {how.type, how.n == -1 ? fft::lengths() : fft::lengths{how.n}, how.axis, how.norm};
}
}  // namespace sinter::detail

namespace sinter::fft {

/// The cosine transform along an axis. Shapes: n points along the axis. Dtypes: float of float16 and float32, double of all other
/// real ones; of complex ones their parts, each by itself. Errors: `shape_error` for fewer than one point, or than two of type 1;
/// `error` for another type than 1 to 4. Stream behaviour: as `fft`, of which it is one of n / 2 complex points or about as many; what
/// is done before and after is fused with the surroundings. Source: scipy.fft.dct; J. Makhoul, A fast cosine transform in one and two
/// dimensions, 1980.
template <sinter::detail::expression E>
auto dct(E&& e, const cosine_options& how = {}) {
  using namespace sinter::detail;
  return cosine_transformed(std::forward<E>(e), parity::cosines, false, along(how));
}
/// Back from the transform of that type. Source: scipy.fft.idct.
template <sinter::detail::expression E>
auto idct(E&& e, const cosine_options& how = {}) {
  using namespace sinter::detail;
  return cosine_transformed(std::forward<E>(e), parity::cosines, true, along(how));
}
/// The sine transform along an axis. Errors: `shape_error` for fewer than one point; `error` for another type than 1 to 4. The rest as
/// `dct`. Source: scipy.fft.dst.
template <sinter::detail::expression E>
auto dst(E&& e, const cosine_options& how = {}) {
  using namespace sinter::detail;
  return cosine_transformed(std::forward<E>(e), parity::sines, false, along(how));
}
/// Back from the transform of that type. Source: scipy.fft.idst.
template <sinter::detail::expression E>
auto idst(E&& e, const cosine_options& how = {}) {
  using namespace sinter::detail;
  return cosine_transformed(std::forward<E>(e), parity::sines, true, along(how));
}

/// Cosine transforms along several axes, one after the other. Source: scipy.fft.dctn.
template <sinter::detail::expression E>
auto dctn(E&& e, const cosines_options& how = {}) {
  using namespace sinter::detail;
  return cosine_transformed(std::forward<E>(e), parity::cosines, false, how);
}
/// Back. Source: scipy.fft.idctn.
template <sinter::detail::expression E>
auto idctn(E&& e, const cosines_options& how = {}) {
  using namespace sinter::detail;
  return cosine_transformed(std::forward<E>(e), parity::cosines, true, how);
}
/// Sine transforms along several axes. Source: scipy.fft.dstn.
template <sinter::detail::expression E>
auto dstn(E&& e, const cosines_options& how = {}) {
  using namespace sinter::detail;
  return cosine_transformed(std::forward<E>(e), parity::sines, false, how);
}
/// Back. Source: scipy.fft.idstn.
template <sinter::detail::expression E>
auto idstn(E&& e, const cosines_options& how = {}) {
  using namespace sinter::detail;
  return cosine_transformed(std::forward<E>(e), parity::sines, true, how);
}

}  // namespace sinter::fft
