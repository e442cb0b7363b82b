// The frequencies of Fourier transforms, and their order. Not in sinter.hpp.
#pragma once

#include <sinter/array.hpp>

namespace sinter::detail {
SINTER_API node* make_frequencies(std::int64_t n, double d, bool halved);
SINTER_API node* make_shifted_to_centre(handle, const axis_list&, bool back);
}  // namespace sinter::detail

namespace sinter::fft {

/// The frequencies of a transform of n samples that lie d apart: 0, the positive ones, the negative ones. Dtypes: double. Units:
/// cycles per unit of d. Errors: `shape_error` for n below 1. Source: numpy.fft.fftfreq.
inline lazy<double> fftfreq(sinter::detail::integer n, double d = 1) {
  return lazy<double>(sinter::detail::make_frequencies(n, d, false));
}
/// Those that are not negative. Source: numpy.fft.rfftfreq.
inline lazy<double> rfftfreq(sinter::detail::integer n, double d = 1) {
  return lazy<double>(sinter::detail::make_frequencies(n, d, true));
}
/// The frequency 0 in the middle of every axis, or of some. Shapes: that of the operand. Errors: `shape_error`. Source:
/// numpy.fft.fftshift.
template <sinter::detail::expression E>
auto fftshift(E&& e, const axes& of = axes::all()) {
  using namespace sinter::detail;
  return lazy<element_in<E>>(make_shifted_to_centre(handle(take_node(std::forward<E>(e))), of.list(), false));
}
/// Back at the beginning. Source: numpy.fft.ifftshift.
template <sinter::detail::expression E>
auto ifftshift(E&& e, const axes& of = axes::all()) {
  using namespace sinter::detail;
  return lazy<element_in<E>>(make_shifted_to_centre(handle(take_node(std::forward<E>(e))), of.list(), true));
}

}  // namespace sinter::fft
