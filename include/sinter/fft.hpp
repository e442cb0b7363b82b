// Fourier transforms, their frequencies, and the order of these. Not in sinter.hpp.
#pragma once

#include <initializer_list>

#include <sinter/array.hpp>
#include <sinter/complex.hpp>
#include <sinter/functions.hpp>
#include <sinter/options.hpp>

namespace sinter::fft {

/// Which direction divides by the number of points: the inverse (NumPy's default), both by its root, or the forward one.
enum class norm : unsigned char { backward, ortho, forward };

/// Lengths along the axes of a transform, as a list, a shape or a vector; -1: that of the operand.
class lengths {
 public:
  constexpr lengths() = default;
  constexpr lengths(std::initializer_list<std::int64_t> of) : lengths(of.begin(), of.size()) {}
  lengths(const shape& of) : lengths(of.begin(), static_cast<std::size_t>(of.size())) {}
  template <sinter::detail::integer_range List>
  lengths(const List& of) : lengths(of.data(), of.size()) {}
  template <std::integral Int>
  constexpr lengths(const Int* of, std::size_t count) {
    for (std::size_t i = 0; i < count && i < max_rank; ++i) all_[i] = static_cast<std::int64_t>(of[i]);
    count_ = count;
  }
  /// As many as were given, of which `max_rank` are kept: no array has more axes.
  constexpr std::size_t size() const { return count_; }
  constexpr std::int64_t operator[](int i) const { return all_[i]; }

 private:
  std::size_t count_ = 0;
  std::int64_t all_[max_rank] = {};
};

/// How to transform along one axis: `fft(x, {.n = 1024, .axis = 0, .norm = fft::norm::ortho})`.
struct options {
  std::int64_t n = -1;  ///< points: more than there are are zeros, fewer leave out the last; -1: as many as there are
  std::int64_t axis = -1;
  fft::norm norm = fft::norm::backward;
};
/// The same along several axes, all of them unless said otherwise: `fftn(x, {.s = {64, 64}, .axes = {0, 1}})`.
struct transform_options {
  lengths s{};
  sinter::axes axes = sinter::axes::all();
  fft::norm norm = fft::norm::backward;
};
enum class transform : unsigned char { forward, inverse, from_real, to_real };

SINTER_OF_AN_ARRAY(fft)
SINTER_OF_AN_ARRAY(ifft)
SINTER_OF_AN_ARRAY(rfft)
SINTER_OF_AN_ARRAY(irfft)
SINTER_OF_AN_ARRAY(fftn)
SINTER_OF_AN_ARRAY(ifftn)
SINTER_OF_AN_ARRAY(rfftn)
SINTER_OF_AN_ARRAY(irfftn)
SINTER_OF_AN_ARRAY(fft2)
SINTER_OF_AN_ARRAY(ifft2)
SINTER_OF_AN_ARRAY(fftshift)
SINTER_OF_AN_ARRAY(ifftshift)
SINTER_WITHOUT_TEXT(fft)
SINTER_WITHOUT_TEXT(ifft)
SINTER_WITHOUT_TEXT(rfft)
SINTER_WITHOUT_TEXT(irfft)

}  // namespace sinter::fft

namespace sinter::detail {
SINTER_API node* make_transform(handle, fft::transform, const fft::transform_options&);

/// Of half, float and complex64 float, of all others double.
template <class E>
using transform_real =
    std::conditional_t<widened(real_part_of(dtype_of<element_in<E>>)) == dtype::float32, float, double>;
template <class E>
using transform_complex = std::complex<transform_real<E>>;

template <class R, class E>
lazy<R> transformed(E&& e, fft::transform what, const fft::transform_options& how) {
  return lazy<R>(make_transform(handle(take_node(std::forward<E>(e))), what, how));
}
inline fft::transform_options along(const fft::options& how) {
  return {how.n == -1 ? fft::lengths() : fft::lengths{how.n}, how.axis, how.norm};
}
inline fft::transform_options of_two(fft::transform_options how) {
  if (how.axes.list().count < 0) how.axes = {-2, -1};
  return how;
}
constexpr fft::norm turned(fft::norm n) {
  return n == fft::norm::backward ? fft::norm::forward : n == fft::norm::forward ? fft::norm::backward : n;
}

SINTER_API node* make_frequencies(std::int64_t n, double d, bool halved);
SINTER_API node* make_shifted_to_centre(handle, const axis_list&, bool back);
}  // namespace sinter::detail

namespace sinter::fft {

/// The Fourier transform along an axis. What is here of one axis takes the points and the axis as numbers, too: `fft(x, 1024, 0)`.
/// Shapes: n points along the axis. Dtypes: complex64 of float16, bfloat16, float32 and
/// complex64, complex128 of all others. Errors: `shape_error`. Stream behaviour: a library, FFTW or cuFFT, between the kernels of what surrounds
/// it. Source: numpy.fft.fft.
template <sinter::detail::expression E>
auto fft(E&& e, const options& how = {}) {
  using namespace sinter::detail;
  return transformed<transform_complex<E>>(std::forward<E>(e), transform::forward, along(how));
}
/// Back: divided by n unless the norm says otherwise. Source: numpy.fft.ifft.
template <sinter::detail::expression E>
auto ifft(E&& e, const options& how = {}) {
  using namespace sinter::detail;
  return transformed<transform_complex<E>>(std::forward<E>(e), transform::inverse, along(how));
}
/// Of real numbers: the first n / 2 + 1 points, of which the others are conjugates. Errors: `dtype_error` for complex numbers too.
/// Source: numpy.fft.rfft.
template <sinter::detail::expression E>
auto rfft(E&& e, const options& how = {}) {
  using namespace sinter::detail;
  return transformed<transform_complex<E>>(std::forward<E>(e), transform::from_real, along(how));
}
/// From n / 2 + 1 points back to n real numbers; n is even, 2 (m - 1), unless given. Source: numpy.fft.irfft.
template <sinter::detail::expression E>
auto irfft(E&& e, const options& how = {}) {
  using namespace sinter::detail;
  return transformed<transform_real<E>>(std::forward<E>(e), transform::to_real, along(how));
}
/// Of a signal of which only half is given, as its other half are conjugates: real numbers. Source: numpy.fft.hfft.
template <sinter::detail::expression E>
auto hfft(E&& e, options how = {}) {
  how.norm = sinter::detail::turned(how.norm);
  return irfft(sinter::conj(std::forward<E>(e)), how);
}
/// Back. Source: numpy.fft.ihfft.
template <sinter::detail::expression E>
auto ihfft(E&& e, options how = {}) {
  how.norm = sinter::detail::turned(how.norm);
  return sinter::conj(rfft(std::forward<E>(e), how));
}

// The points and the axis as numbers.
#define SINTER_BY_NUMBERS(transform)                                                                \
  template <sinter::detail::expression E, std::integral N>                                          \
  auto transform(E&& e, N n, sinter::detail::integer axis = -1) {                                   \
    return transform(std::forward<E>(e), options{.n = static_cast<std::int64_t>(n), .axis = axis}); \
  }
SINTER_BY_NUMBERS(fft)
SINTER_BY_NUMBERS(ifft)
SINTER_BY_NUMBERS(rfft)
SINTER_BY_NUMBERS(irfft)
SINTER_BY_NUMBERS(hfft)
SINTER_BY_NUMBERS(ihfft)
#undef SINTER_BY_NUMBERS

/// Transforms along several axes, of which those with real numbers on one side have the last one halved. Source: numpy.fft.fftn.
template <sinter::detail::expression E>
auto fftn(E&& e, const transform_options& how = {}) {
  using namespace sinter::detail;
  return transformed<transform_complex<E>>(std::forward<E>(e), transform::forward, how);
}
template <sinter::detail::expression E>
auto ifftn(E&& e, const transform_options& how = {}) {
  using namespace sinter::detail;
  return transformed<transform_complex<E>>(std::forward<E>(e), transform::inverse, how);
}
template <sinter::detail::expression E>
auto rfftn(E&& e, const transform_options& how = {}) {
  using namespace sinter::detail;
  return transformed<transform_complex<E>>(std::forward<E>(e), transform::from_real, how);
}
template <sinter::detail::expression E>
auto irfftn(E&& e, const transform_options& how = {}) {
  using namespace sinter::detail;
  return transformed<transform_real<E>>(std::forward<E>(e), transform::to_real, how);
}
/// Over the last two axes unless others are named. Source: numpy.fft.fft2.
template <sinter::detail::expression E>
auto fft2(E&& e, const transform_options& how = {}) {
  return fftn(std::forward<E>(e), sinter::detail::of_two(how));
}
template <sinter::detail::expression E>
auto ifft2(E&& e, const transform_options& how = {}) {
  return ifftn(std::forward<E>(e), sinter::detail::of_two(how));
}
template <sinter::detail::expression E>
auto rfft2(E&& e, const transform_options& how = {}) {
  return rfftn(std::forward<E>(e), sinter::detail::of_two(how));
}
template <sinter::detail::expression E>
auto irfft2(E&& e, const transform_options& how = {}) {
  return irfftn(std::forward<E>(e), sinter::detail::of_two(how));
}

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
