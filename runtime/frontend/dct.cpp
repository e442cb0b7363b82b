// Cosine and sine transforms by Fourier transforms of half as many complex points, or as many where types 1 and an odd type 4 want
// that. Twiddles are computed in double. All formulas are of a signal along its last axis.
#include <sinter/dct.hpp>

#include <cmath>
#include <numbers>

#include <sinter/detail/rearrange.hpp>
#include <sinter/error.hpp>

#include "runtime/frontend/indices.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/segments.hpp"
#include "runtime/frontend/transforms.hpp"
#include "runtime/library/transforms.hpp"

namespace sinter::detail {

using runtime::apply, runtime::astype, runtime::axis_moved, runtime::choose, runtime::complex_for, runtime::computed,
    runtime::domain_of, runtime::fitted, runtime::index_of, runtime::joined, runtime::last, runtime::number_node,
    runtime::root_of_unity, runtime::term, runtime::transform_domain;

namespace {

const slice backwards(_, _, -1);

std::int64_t length(const term& x) { return x.extent(x.rank() - 1); }
term real(const term& z) { return apply(op::real, {z}); }
term imag(const term& z) { return apply(op::imag, {z}); }
term times(const term& x, double number) { return x * astype(number, real_part_of(x.type())); }
term joined_parts(const term& re, const term& im) { return apply(op::make_complex, {re, im}); }

// 0, 1, 2, ... count - 1.
term count_to(std::int64_t count) { return index_of(shape{count}, 0); }
// exp(-2 pi i turns / n) for elements like those of x. Of many rows they are computed once, by a kernel of their own.
term twiddle(const term& turns, std::int64_t n, const term& x) {
  constexpr std::int64_t few = 4, many = 1 << 16;
  const term all = astype(root_of_unity(turns, n, -1), complex_for(x.type()));
  const std::int64_t elements = x.extents().elements();
  return elements >= many && elements >= few * length(x) ? computed(all) : all;
}
term conjugate(const term& z) { return apply(op::conjugate, {z}); }

term zeros_beside(const term& x, std::int64_t count) {
  shape s = x.extents();
  s[x.rank() - 1] = count;
  return number_node(0, x.type()).broadcast_to(s);
}

// Without a scale in either direction.
term fourier(const term& x, fft::transform what, std::int64_t points = -1) {
  const bool is_back = what == fft::transform::to_real || what == fft::transform::inverse;
  fft::transform_options how{{}, -1, is_back ? fft::norm::forward : fft::norm::backward};
  if (points > 0) how.s = fft::lengths{points};
  return term::made(make_transform(x.held(), what, how));
}

// a0, b0, a1, b1, ...: as many as wanted.
term interleaved(const term& a, const term& b, std::int64_t count) {
  const bool has_room = a.rank() < max_rank;  // for an axis more; else all elements are one
  const int axis = has_room ? a.rank() : 1;
  const term both =
      joined({(has_room ? a : a.flat()).with_axis(axis), (has_room ? b : b.flat()).with_axis(axis)}, axis);
  shape flat = a.extents();
  flat[a.rank() - 1] *= 2;
  return last(term::made(make_reshape(both.get(), flat.begin(), flat.size())), slice(0, count));
}

// x0, -x1, x2, ...
term alternating(const term& x) {
  const term odd = count_to(length(x)) % 2 == 1;
  return choose(odd, -x, x);
}

term cosines_1(const term& x) {
  const std::int64_t n = length(x);
  return real(fourier(joined({x, last(last(x, slice(1, n - 1)), backwards)}, x.rank() - 1), fft::transform::from_real));
}

// The even places, then the odd ones from the last: whose transform, turned, has the results as its real parts. The second half of it
// mirrors the first.
term cosines_2(const term& x) {
  const std::int64_t n = length(x);
  const term v = joined({last(x, slice(_, _, 2)), last(last(x, slice(1, _, 2)), backwards)}, x.rank() - 1);
  const term half = fourier(v, fft::transform::from_real);
  const term all = joined({half, conjugate(last(last(half, slice(1, (n + 1) / 2)), backwards))}, x.rank() - 1);
  return times(real(all * twiddle(count_to(n), 4 * n, x)), 2);
}

term cosines_3(const term& x) {
  const std::int64_t n = length(x), half = n / 2 + 1;
  if (n == 1) return x;
  const term other = joined({zeros_beside(x, 1), last(last(x, backwards), slice(0, n / 2))}, x.rank() - 1);
  const term v = joined_parts(last(x, slice(0, half)), -other) * conjugate(twiddle(count_to(half), 4 * n, x));
  const term y = fourier(v, fft::transform::to_real, n);
  const slice front(0, (n + 1) / 2);
  return interleaved(last(y, front), last(last(y, backwards), front), n);
}

term cosines_4(const term& x) {
  const std::int64_t n = length(x);
  if (n % 2 != 0) {
    const term at = count_to(n);
    const term z = fourier(x * twiddle(at, 4 * n, x), fft::transform::forward, 2 * n);
    return times(real(last(z, slice(0, n)) * twiddle(at * 2 + 1, 8 * n, x)), 2);
  }
  const term at = count_to(n / 2);
  const term z = joined_parts(last(x, slice(_, _, 2)), last(last(x, backwards), slice(_, _, 2)));
  const term t = fourier(z * twiddle(at, 2 * n, x), fft::transform::forward) * twiddle(at * 4 + 1, 8 * n, x);
  return interleaved(times(real(t), 2), last(times(imag(t), -2), backwards), n);
}

term cosines(const term& x, int type) {
  switch (type) {
    case 1: return cosines_1(x);
    case 2: return cosines_2(x);
    case 3: return cosines_3(x);
    default: return cosines_4(x);
  }
}

term sines(const term& x, int type) {
  if (type == 2) return last(cosines_2(alternating(x)), backwards);
  if (type != 1) return alternating(cosines(last(x, backwards), type));
  const term zero = zeros_beside(x, 1);
  const term odd = joined({zero, x, zero, -last(x, backwards)}, x.rank() - 1);
  return -imag(last(fourier(odd, fft::transform::from_real), slice(1, length(x) + 1)));
}

// The ends that an orthonormal transform weighs apart: the first and the last one of type 1 of cosines; else the one whose basis is
// constant, or alternates.
term with_ends(const term& x, parity p, int type, double factor) {
  const term at = count_to(length(x));
  const term first = at == 0, final = at == length(x) - 1;
  const term is_end = type == 1 ? first | final : p == parity::cosines ? first : final;
  return choose(is_end, times(x, factor), x);
}

// Along the last axis, of real numbers.
term transformed(term x, parity p, int type, bool inverse, fft::norm norm) {
  constexpr int type_back[] = {1, 3, 2, 4};
  if (inverse) type = type_back[type - 1];
  const std::int64_t beyond = type != 1 ? 0 : p == parity::cosines ? -1 : 1;
  const auto period = static_cast<double>(2 * (length(x) + beyond));
  const bool ortho = norm == fft::norm::ortho, has_ends = type == 1 && p == parity::cosines;
  if (ortho && (type == 3 || has_ends)) x = with_ends(x, p, type, std::numbers::sqrt2);
  term y = p == parity::cosines ? cosines(x, type) : sines(x, type);
  if (ortho && (type == 2 || has_ends)) y = with_ends(y, p, type, 1 / std::numbers::sqrt2);
  if (ortho) return times(y, 1 / std::sqrt(period));
  return (norm == fft::norm::backward) == inverse ? times(y, 1 / period) : y;
}

term along_all(term x, parity p, bool inverse, const fft::cosines_options& how, const transform_domain& d) {
  for (int i = 0; i < d.count; ++i) {
    const term turned = axis_moved(fitted(x, d.axes[i], d.points[i]), d.axes[i], -1);
    x = axis_moved(transformed(turned, p, how.type, inverse, how.norm), -1, d.axes[i]);
  }
  return x;
}

}  // namespace

node* make_cosine_transform(handle of, parity p, bool inverse, const fft::cosines_options& how) {
  if (how.type < 1 || how.type > 4)
    throw error(message("sinter: a cosine or sine transform of type %d, not 1 to 4", how.type).c_str());
  const term x = runtime::transformable(term(std::move(of)));
  const transform_domain d = domain_of(x, how.s, how.axes.list(), false);
  for (int i = 0; i < d.count; ++i)
    if (p == parity::cosines && how.type == 1 && d.points[i] < 2)
      throw shape_error("sinter: a cosine transform of type 1 has two points at least");
  if (x.extents().elements() == 0) {
    shape s = x.extents();
    for (int i = 0; i < d.count; ++i) s[d.axes[i]] = d.points[i];
    return number_node(0, x.type()).broadcast_to(s).take();
  }
  if (!is_complex(x.type())) return along_all(x, p, inverse, how, d).take();
  return joined_parts(along_all(real(x), p, inverse, how, d), along_all(imag(x), p, inverse, how, d)).take();
}

}  // namespace sinter::detail
