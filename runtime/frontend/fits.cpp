#include <sinter/fit.hpp>

#include <cmath>
#include <complex>

#include <sinter/detail/rearrange.hpp>
#include <sinter/error.hpp>

#include "runtime/frontend/list.hpp"
#include "runtime/frontend/matrices.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/terms.hpp"

namespace sinter::detail {

using runtime::apply, runtime::astype, runtime::fold, runtime::list, runtime::number_node, runtime::one_axis,
    runtime::term;

namespace {

// Powers of the places, columns of length 1; both sides weighted.
struct equations {
  term left, right, scale;
  double rcond;
};

// The highest first: each is the one before it times x, or, where they are many, a power of its own.
term powers_of(const term& x, std::int64_t degree, dtype t) {
  constexpr std::int64_t most_products = 7;
  const term column = x.with_axis(1);
  if (degree > most_products) {
    const term power = degree - runtime::index_of(shape{1, degree + 1}, 1);
    return apply(op::power, {column, astype(power, real_part_of(t))});
  }
  list<term> all;
  list<node*> nodes(static_cast<std::size_t>(degree + 1));
  all.push_back(number_node(1, t).broadcast_to(column.extents()));
  while (all.size() < nodes.size()) all.push_back(all.size() == 1 ? column : all.back() * column);
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i] = all[nodes.size() - 1 - i].get();
  return term::made(make_joined(nodes.data(), nodes.size(), 1));
}

equations equations_of(handle at, handle to, std::int64_t degree, dtype t, polyfit_options& how) {
  if (degree < 0) throw error("sinter: polyfit takes a degree no less than 0");
  const term x = astype(term(std::move(at)), t), y = astype(term(std::move(to)), t);
  if (x.rank() != 1 || x.extent(0) == 0 || y.rank() < 1 || y.rank() > 2 || y.extent(0) != x.extent(0))
    throw shape_error(message("sinter: polyfit of points of shapes %s and %s", to_string(x.extents()).c_str(),
                              to_string(y.extents()).c_str())
                          .c_str());
  const std::int64_t points = x.extent(0);
  term left = powers_of(x, degree, t), right = y;
  if (handle weights = how.w.take()) {
    const term w = astype(term(std::move(weights)), t);
    if (w.rank() != 1 || w.extent(0) != points)
      throw shape_error(message("sinter: polyfit of %lld points with weights of shape %s",
                                static_cast<long long>(points), to_string(w.extents()).c_str())
                            .c_str());
    left = left * w.with_axis(1);
    right = right * (y.rank() == 2 ? w.with_axis(1) : w);
  }
  const term size = apply(op::absolute, {left});
  const term scale = apply(op::sqrt, {fold(reduction::sum, size * size, one_axis(0), false)});
  return {left / astype(scale, t), right, astype(scale, t),
          how.rcond < 0 ? static_cast<double>(points) * runtime::precision(t) : how.rcond};
}

term rescaled(const term& x, const term& scale) { return x / (x.rank() == 2 ? scale.with_axis(1) : scale); }

}  // namespace

double make_polyfit(handle at, handle to, std::int64_t degree, dtype t, polyfit_options how, node** made) {
  const equations e = equations_of(std::move(at), std::move(to), degree, t, how);
  make_least_squares(e.left.held(), e.right.held(), t, e.rcond, made);
  handle results[4];  // until nothing can fail
  for (int i = 0; i < 4; ++i) results[i] = handle(made[i]);
  results[0] = handle(rescaled(term(results[0]), e.scale).take());
  for (int i = 0; i < 4; ++i) made[i] = results[i].take();
  return e.rcond;
}

void make_polyfit_covariance(handle at, handle to, std::int64_t degree, dtype t, polyfit_options how, node** made) {
  const equations e = equations_of(std::move(at), std::move(to), degree, t, how);
  const std::int64_t points = e.left.extent(0), count = degree + 1;
  if (points <= count && !how.unscaled)
    throw shape_error(message("sinter: polyfit_cov of %lld points by %lld coefficients: there have to be more points",
                              static_cast<long long>(points), static_cast<long long>(count))
                          .c_str());
  node* all[4];
  make_least_squares(e.left.held(), e.right.held(), t, e.rcond, all);
  const term x = term::made(all[0]), residuals = term::made(all[1]), rank = term::made(all[2]), s = term::made(all[3]);
  const term turned = term::made(make_swapped(e.left.get(), 0, 1));
  const term base = term::made(make_inverse(handle(make_matmul(turned.held(), e.left.held())), t));
  term v = base / (e.scale.with_axis(0) * e.scale.with_axis(1));
  const bool is_vector = x.rank() == 1;
  if (!is_vector) v = v.with_axis(2);
  // Of one column the residuals are one number, along an axis of its own.
  if (!how.unscaled)
    v = v * astype((is_vector ? residuals.at(0, 0) : residuals) / static_cast<double>(points - count), t);
  made[0] = rescaled(x, e.scale).take();
  made[1] = v.take();
}

node* make_roots(handle of, dtype t) {
  using complex = std::complex<double>;
  const term p(std::move(of));
  if (p.rank() != 1)
    throw shape_error(message("sinter: roots of coefficients of shape %s", to_string(p.extents()).c_str()).c_str());
  list<complex> all(static_cast<std::size_t>(p.extent(0)));
  read_all(astype(p, dtype::complex128).get(), all.data(), all.size(), {}, {});
  const dtype result = real_part_of(t) == dtype::float32 ? dtype::complex64 : dtype::complex128;
  std::size_t first = 0, end = all.size();
  while (first < end && all[first] == 0.0) ++first;
  const bool is_nothing = first == end;
  while (end > first && all[end - 1] == 0.0) --end;
  const auto zeros = static_cast<std::int64_t>(all.size() - end), n = static_cast<std::int64_t>(end - first) - 1;
  const term none = runtime::number_node(0, result).broadcast_to(shape{is_nothing ? 0 : zeros});
  if (is_nothing || n < 1) return none.take();
  list<complex> companion(static_cast<std::size_t>(n * n));
  for (std::int64_t i = 0; i < n; ++i) {
    companion[static_cast<std::size_t>(i)] = -all[first + 1 + static_cast<std::size_t>(i)] / all[first];
    if (i > 0) companion[static_cast<std::size_t>(i * n + i - 1)] = 1;
  }
  term matrix = term::made(make_from_host(dtype::complex128, shape{n, n}, companion.data()));
  if (!is_complex(t)) matrix = apply(op::real, {matrix});
  node* made[1];
  make_eigen(astype(matrix, t).held(), t, false, made);
  return runtime::joined({term::made(made[0]), none}, 0).take();
}

}  // namespace sinter::detail
