// Fourier transforms: cut or filled to length, turned so that their axes are the last, called, and scaled.
#include "runtime/frontend/transforms.hpp"

#include <cmath>

#include <sinter/detail/rearrange.hpp>
#include <sinter/error.hpp>

#include "runtime/device/device.hpp"
#include "runtime/frontend/indices.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/library/transforms.hpp"

namespace sinter::runtime {

using namespace detail;

dtype complex_for(dtype t) {
  return widened(t) == dtype::float32 || t == dtype::complex64 ? dtype::complex64 : dtype::complex128;
}

term fitted(const term& x, int axis, std::int64_t length) {
  if (length == x.extent(axis)) return x;
  if (length < x.extent(axis)) return x.along(axis, slice(0, length));
  shape beyond = x.extents();
  beyond[axis] = length - x.extent(axis);
  return joined({x, number_node(0, x.type()).broadcast_to(beyond)}, axis);
}

transform_domain domain_of(const term& x, const fft::lengths& s, const detail::axis_list& over, bool to_real) {
  transform_domain d;
  const int given = static_cast<int>(s.size());
  d.count = over.count >= 0 ? over.count : given > 0 ? given : x.rank();
  if (given > 0 && given != d.count)
    throw shape_error("sinter: a Fourier transform of as many lengths as axes is wanted");
  if (d.count > x.rank()) throw shape_error("sinter: a Fourier transform over more axes than there are");
  for (int i = 0; i < d.count; ++i) {
    d.axes[i] = over.count >= 0 ? checked_axis(over.axes[i], x.rank(), "a Fourier transform") : x.rank() - d.count + i;
    for (int j = 0; j < i; ++j)
      if (d.axes[i] == d.axes[j]) throw shape_error("sinter: a Fourier transform names an axis twice");
    const bool halved = to_real && i + 1 == d.count;
    const std::int64_t mine = x.extent(d.axes[i]);
    const bool as_many = given > 0 && s[i] == -1;
    d.points[i] = as_many ? mine : given > 0 ? s[i] : halved ? 2 * (mine - 1) : mine;
    if (d.points[i] < 1)
      throw shape_error(
          message("sinter: a Fourier transform of %lld points", static_cast<long long>(d.points[i])).c_str());
  }
  return d;
}

}  // namespace sinter::runtime

namespace sinter::detail {

using runtime::apply, runtime::astype, runtime::complex_for, runtime::domain_of, runtime::fft_kind, runtime::fitted,
    runtime::joined, runtime::term, runtime::transform_domain;

namespace {

double scale_of(const transform_domain& d, fft::norm norm, bool inverse) {
  double points = 1;
  for (int i = 0; i < d.count; ++i) points *= static_cast<double>(d.points[i]);
  if (norm == fft::norm::ortho) return 1 / std::sqrt(points);
  return (norm == fft::norm::backward) == inverse ? 1 / points : 1;
}

// A transform over axes that are the last for it, three at a time at most.
term called(term x, fft_kind kind, const transform_domain& d, int first, int count, std::int64_t points = 0) {
  while (count > runtime::fft_shape::most_axes) {
    --count;
    x = called(x, kind, d, first + count, 1);
  }
  axis_list mine{count, {}}, last{count, {}};
  for (int i = 0; i < count; ++i) mine.axes[i] = d.axes[first + i], last.axes[i] = i - count;
  const term turned = term::made(make_moved(x.get(), mine, last));
  const handle made = runtime::make_transform_call(turned, kind, count, points);
  return term::made(make_moved(made.get(), last, mine));
}

term half_of_real(const term& x, const transform_domain& d) {
  const int last = d.count - 1;
  const term half = called(x, fft_kind::from_real, d, last, 1);
  return last == 0 ? half : called(half, fft_kind::forward, d, 0, last);
}

// All of a real array's transform: the other half mirrors this one along each axis, about its first place.
term with_mirrored_half(const term& half, const transform_domain& d) {
  const slice backwards(_, _, -1), first(0, 1), rest(1, _);
  const int last = d.axes[d.count - 1];
  const std::int64_t points = d.points[d.count - 1];
  if (points < 3) return half;
  term other = half.along(last, slice(1, (points + 1) / 2)).along(last, backwards);
  for (int i = 0; i + 1 < d.count; ++i) {
    const int axis = d.axes[i];
    if (d.points[i] > 2)
      other = joined({other.along(axis, first), other.along(axis, rest).along(axis, backwards)}, axis);
  }
  return joined({half, apply(op::conjugate, {other})}, last);
}

// On a host half of a real array's transform is half of the work, less what mirroring takes, about 2 ns for each element. That is more than
// short rows gain, and than transforms of floats do; and FFTW's transforms of real numbers are slower where their lengths are odd. A
// kernel of a GPU transforms what it has read as it is.
bool is_worth_halving(const term& x, const transform_domain& d) {
  const std::int64_t points = d.points[d.count - 1];
  const bool is_long = d.count == 1 ? points >= 200 : points >= 64 && x.extents().elements() >= 1 << 15;
  return is_long && points % 2 == 0 && complex_for(x.type()) == dtype::complex128 &&
         !runtime::current_device().asynchronous();
}

term transformed(const term& x, fft::transform what, const transform_domain& d) {
  const int last = d.count - 1;
  if (!is_complex(x.type()) && what != fft::transform::from_real) {
    const term all = with_mirrored_half(half_of_real(x, d), d);
    if (what == fft::transform::forward) return all;
    // The conjugate, but for the sign of zeros: they are the library's where it transforms all.
    return apply(op::make_complex, {apply(op::real, {all}), 0 - apply(op::imag, {all})});
  }
  switch (what) {
    case fft::transform::from_real: return half_of_real(x, d);
    case fft::transform::to_real: {
      const term first = last == 0 ? x : called(x, fft_kind::inverse, d, 0, last);
      return called(first, fft_kind::to_real, d, last, 1, d.points[last]);
    }
    default: return called(x, what == fft::transform::forward ? fft_kind::forward : fft_kind::inverse, d, 0, d.count);
  }
}

}  // namespace

node* make_transform(handle of, fft::transform what, const fft::transform_options& how) {
  term x(std::move(of));
  const bool from_real = what == fft::transform::from_real, to_real = what == fft::transform::to_real;
  if (from_real && is_complex(x.type())) throw dtype_error("sinter: a transform of real numbers takes no complex ones");
  const dtype complex = complex_for(x.type());
  const transform_domain d = domain_of(x, how.s, how.axes.list(), to_real);
  if (d.count == 0) return astype(x, to_real ? real_part_of(complex) : complex).take();
  for (int i = 0; i < d.count; ++i)
    x = fitted(x, d.axes[i], to_real && i + 1 == d.count ? d.points[i] / 2 + 1 : d.points[i]);
  const bool is_halved = !to_real && !is_complex(x.type()) && is_worth_halving(x, d);
  x = astype(x, from_real || is_halved ? real_part_of(complex) : complex);
  shape result = x.extents();
  if (from_real || to_real)
    result[d.axes[d.count - 1]] = from_real ? d.points[d.count - 1] / 2 + 1 : d.points[d.count - 1];
  if (result.elements() == 0)
    return runtime::number_node(0, to_real ? real_part_of(complex) : complex).broadcast_to(result).take();
  const term made = transformed(x, what, d);
  const double scale = scale_of(d, how.norm, what == fft::transform::inverse || to_real);
  return (scale == 1 ? made : made * astype(scale, real_part_of(complex))).take();
}

}  // namespace sinter::detail
