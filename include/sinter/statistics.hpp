// Weighted means, covariances and correlations.
#pragma once

#include <sinter/reduce.hpp>

namespace sinter {

/// How to take covariances: `cov(m, {.rowvar = false, .ddof = 0})`.
struct cov_options {
  detail::truth rowvar = true;  ///< variables are rows; else columns
  detail::integer ddof = 1;     ///< the divisor is n - ddof
};

namespace stats {

/// Which ranks equal elements have: the mean of those that they would have in any order, the least, the largest; `dense`: the least, and the
/// next element has the next one; `ordinal`: those that they have in the order in which they stand.
enum class rank_method : unsigned char { average, min, max, dense, ordinal };

}  // namespace stats

namespace detail {
SINTER_API node* make_average(handle of, handle weights, dtype, const reduce_options&);
SINTER_API node* make_covariance(handle of, handle more, dtype,
                                 const cov_options&);  // more: null where there is no more
SINTER_API node* make_correlation(handle of, handle more, dtype, bool rowvar);
SINTER_API node* make_ranks(handle, stats::rank_method);

/// A division's dtype.
template <class A, class B>
using quotient_of = typename made<op::divide, lazy<element_in<A>>, lazy<element_in<B>>>::sinter_element;
template <class E>
using at_least_double = result_type<double, element_in<E>>;
}  // namespace detail

/// The mean of what counts as much as weights say. Shapes: the weights have that of the elements, or that of the axes that
/// are folded, in the order in which these are named. Dtypes: what the two promote to, or double for integers. Errors: `shape_error`.
/// Source: numpy.average; its `returned` is `sum(weights)`.
template <detail::expression E, detail::expression W>
auto average(E&& e, W&& weights, const reduce_options& how = {}) {
  using R = detail::quotient_of<E, W>;
  detail::handle of(detail::take_node(std::forward<E>(e))), by(detail::take_node(std::forward<W>(weights)));
  return lazy<R>(detail::make_average(std::move(of), std::move(by), dtype_of<R>, how));
}
template <detail::expression E, detail::expression W, std::integral Axis>
auto average(E&& e, W&& weights, Axis axis) {
  return average(std::forward<E>(e), std::forward<W>(weights), reduce_options{.axis = axis});
}
/// With weights in a list, `average(a, {1, 2, 1}, {.axis = 1})`: doubles.
template <detail::expression E>
auto average(E&& e, std::initializer_list<double> weights, const reduce_options& how = {}) {
  const shape s(weights.size());
  return average(std::forward<E>(e), lazy<double>(detail::make_from_host(dtype::float64, s, weights.begin())), how);
}
/// The mean. Source: numpy.average without weights.
template <detail::expression E>
auto average(E&& e, const reduce_options& how = {}) {
  return mean(std::forward<E>(e), how);
}
template <detail::expression E, std::integral Axis>
auto average(E&& e, Axis axis) {
  return mean(std::forward<E>(e), axis);
}

/// The covariances of variables, each with each. Shapes: one axis, one variable, gives none; two give a square. Dtypes: double or
/// complex128. Errors: `shape_error`. Source: numpy.cov, without weights.
template <detail::expression M>
auto cov(M&& m, const cov_options& how = {}) {
  using R = detail::at_least_double<M>;
  return lazy<R>(detail::make_covariance(detail::handle(detail::take_node(std::forward<M>(m))), {}, dtype_of<R>, how));
}
/// With the variables of another array behind.
template <detail::expression M, detail::expression Y>
auto cov(M&& m, Y&& y, const cov_options& how = {}) {
  using R = result_type<detail::at_least_double<M>, detail::element_in<Y>>;
  detail::handle of(detail::take_node(std::forward<M>(m))), more(detail::take_node(std::forward<Y>(y)));
  return lazy<R>(detail::make_covariance(std::move(of), std::move(more), dtype_of<R>, how));
}
/// Covariances over the deviations of both. Shapes, dtypes and errors: as cov. Source: numpy.corrcoef.
template <detail::expression M>
auto corrcoef(M&& m, detail::truth rowvar = true) {
  using R = detail::at_least_double<M>;
  return lazy<R>(
      detail::make_correlation(detail::handle(detail::take_node(std::forward<M>(m))), {}, dtype_of<R>, rowvar));
}
template <detail::expression M, detail::expression Y>
auto corrcoef(M&& m, Y&& y, detail::truth rowvar = true) {
  using R = result_type<detail::at_least_double<M>, detail::element_in<Y>>;
  detail::handle of(detail::take_node(std::forward<M>(m))), more(detail::take_node(std::forward<Y>(y)));
  return lazy<R>(detail::make_correlation(std::move(of), std::move(more), dtype_of<R>, rowvar));
}

namespace stats {

/// Elements as distances from the mean in deviations; one kernel along rows. Shapes: that of the operand. Dtypes: as mean. Source:
/// scipy.stats.zscore, whose axis is 0 where none is named.
template <sinter::detail::expression E>
auto zscore(E&& e, reduce_options how) {
  const lazy<sinter::detail::element_in<E>> x(sinter::detail::take_node(std::forward<E>(e)));
  if (how.axis.list().count < 0) how.axis = 0;
  how.keepdims = true;
  return (x - mean(x, how)) / stddev(x, how);
}
template <sinter::detail::expression E>
auto zscore(E&& e, sinter::detail::integer axis = 0, int ddof = 0) {
  return zscore(std::forward<E>(e), reduce_options{.axis = static_cast<std::int64_t>(axis), .ddof = ddof});
}

/// The rank of each element among all, from 1 on: `rankdata(a, rank_method::min)`. With a NaN among them all are NaN. Shapes: one axis, of all
/// elements in C order. Dtypes: double; of real elements. Source: scipy.stats.rankdata without an axis.
template <sinter::detail::expression E>
auto rankdata(E&& e, rank_method method = rank_method::average) {
  using namespace sinter::detail;
  static_assert(!is_complex(dtype_of<element_in<E>>), "sinter: complex numbers have no order");
  return lazy<double>(make_ranks(handle(take_node(std::forward<E>(e))), method));
}

}  // namespace stats
}  // namespace sinter
