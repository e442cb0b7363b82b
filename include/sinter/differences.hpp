// Differences of neighbours, gradients, and integrals by trapezoids. All are lazy and fused.
#pragma once

#include <vector>

#include <sinter/scan.hpp>

namespace sinter {

namespace detail {

/// An array, an expression or a number, or nothing.
class optional_operand {
 public:
  optional_operand() = default;
  template <operand X>
  optional_operand(X&& x) {
    if constexpr (expression<X>) node_ = handle(take_node(std::forward<X>(x)));
    else number_ = optional_number(x);
  }
  explicit operator bool() const { return is_number() || node_; }
  bool is_number() const { return static_cast<bool>(number_); }
  const optional_number& number() const { return number_; }
  const handle& held() const { return node_; }

 private:
  handle node_;
  optional_number number_;
};

}  // namespace detail

/// How to take differences: `diff(a, {.n = 2, .axis = 0, .prepend = 0})`.
struct diff_options {
  detail::integer n = 1;
  detail::integer axis = -1;
  detail::optional_operand prepend{}, append{};  ///< become elements of the array's dtype
};
/// What stands around the differences of `ediff1d`.
struct ediff1d_options {
  detail::optional_operand to_end{}, to_begin{};
};
/// How to take a gradient. `edge_order`: 1 or 2, of the differences at both ends.
struct gradient_options {
  detail::integer axis = -1;
  detail::integer edge_order = 1;
};
/// How to integrate.
struct trapezoid_options {
  double dx = 1;
  detail::integer axis = -1;
};

namespace detail {

SINTER_API node* make_diff(handle, const diff_options&);
SINTER_API node* make_ediff1d(handle, const ediff1d_options&);
SINTER_API node* make_gradient(handle, const optional_operand& spacing, dtype, const gradient_options&);
SINTER_API node* make_trapezoid(handle, const optional_operand& x, dtype, const trapezoid_options&);

template <class E>
using floating_of = typename element_of<mean_dtype(dtype_of<element_in<E>>)>::type;

}  // namespace detail

/// Each element less the one before along an axis, n times. Shapes: n fewer along the axis. Dtypes: those of the elements, in which
/// integers wrap; of bool whether they differ. Errors: `shape_error`. Source: numpy.diff.
template <detail::expression E>
auto diff(E&& e, const diff_options& how = {}) {
  return lazy<detail::element_in<E>>(detail::make_diff(detail::handle(detail::take_node(std::forward<E>(e))), how));
}
template <detail::expression E>
auto diff(E&& e, std::int64_t n, std::int64_t axis = -1) {
  return diff(std::forward<E>(e), diff_options{.n = n, .axis = axis});
}
/// The differences of the flattened elements. Source: numpy.ediff1d.
template <detail::expression E>
auto ediff1d(E&& e, const ediff1d_options& how = {}) {
  return lazy<detail::element_in<E>>(detail::make_ediff1d(detail::handle(detail::take_node(std::forward<E>(e))), how));
}

/// The slope along one axis: of second order inside, of the chosen one at both ends. `spacing`: how far neighbours lie apart, or
/// where each lies. Shapes: that of the operand; places have one axis, or none. Dtypes: integers give double. Errors:
/// `shape_error` for fewer elements than the order needs. Source: numpy.gradient of one axis.
template <detail::expression E>
auto gradient(E&& e, const detail::optional_operand& spacing, const gradient_options& how = {}) {
  using R = detail::floating_of<E>;
  return lazy<R>(
      detail::make_gradient(detail::handle(detail::take_node(std::forward<E>(e))), spacing, dtype_of<R>, how));
}
template <detail::expression E>
auto gradient(E&& e, const gradient_options& how = {}) {
  return gradient(std::forward<E>(e), detail::optional_operand(1), how);
}
/// The slopes along every axis. Source: numpy.gradient.
template <detail::expression E>
auto gradients(E&& e, double spacing = 1, detail::integer edge_order = 1) {
  const lazy<detail::element_in<E>> of(detail::take_node(std::forward<E>(e)));
  std::vector<lazy<detail::floating_of<E>>> all;
  for (int axis = 0; axis < of.ndim(); ++axis)
    all.push_back(gradient(of, spacing, gradient_options{.axis = axis, .edge_order = edge_order}));
  return all;
}
/// Of so many axes: `auto [down, across] = gradients<2>(a);`. Errors: `shape_error` for an operand of others.
template <std::size_t axes, detail::expression E>
auto gradients(E&& e, double spacing = 1, detail::integer edge_order = 1) {
  const shape s = e.shape();
  return detail::each_of<axes>(s, gradients(std::forward<E>(e), spacing, edge_order));
}

/// The integral along an axis by the trapezoidal rule. Shapes: the axis goes. Dtypes: integers give double. Source:
/// numpy.trapezoid.
template <detail::expression E>
auto trapezoid(E&& e, const trapezoid_options& how = {}) {
  using R = detail::floating_of<E>;
  return lazy<R>(detail::make_trapezoid(detail::handle(detail::take_node(std::forward<E>(e))), {}, dtype_of<R>, how));
}
/// Of points at `x`, which has the shape of the operand, or one axis. Dtypes: what the two promote to.
template <detail::expression E, detail::expression X = array<detail::element_in<E>>>
auto trapezoid(E&& e, X&& x, const trapezoid_options& how = {}) {
  using R = result_type<detail::floating_of<E>, detail::element_in<X>>;
  return lazy<R>(detail::make_trapezoid(detail::handle(detail::take_node(std::forward<E>(e))), std::forward<X>(x),
                                        dtype_of<R>, how));
}

/// How to take jumps away: those of more than `discont`, or of half a period where that is more.
struct unwrap_options {
  detail::integer axis = -1;
  double period = 6.283185307179586;
  double discont = 0;
};
namespace detail {
SINTER_API node* make_unwrap(handle, dtype, const unwrap_options&);
}
/// Angles without jumps from one to the next along an axis: each is moved by as many periods as brings it nearest. Shapes: that of
/// the operand. Dtypes: integers give double; no complex ones. Units: radians, unless there is another period. Source:
/// numpy.unwrap.
template <detail::expression E>
auto unwrap(E&& e, const unwrap_options& how = {}) {
  using R = detail::floating_of<E>;
  return lazy<R>(detail::make_unwrap(detail::handle(detail::take_node(std::forward<E>(e))), dtype_of<R>, how));
}

/// How to take running sums and products.
struct cumulative_options {
  detail::integer axis = 0;
  detail::truth include_initial = false;  ///< one more result in front: what nothing comes to
};
namespace detail {
SINTER_API node* make_cumulative(handle, reduction, dtype, const cumulative_options&);
}
/// The running sums along an axis. Dtypes: as sum. Source: numpy.cumulative_sum.
template <detail::choice R = void, detail::expression E>
auto cumulative_sum(E&& e, const cumulative_options& how = {}) {
  using T = detail::total_of<R, E>;
  return lazy<T>(detail::make_cumulative(detail::handle(detail::take_node(std::forward<E>(e))), detail::reduction::sum,
                                         dtype_of<T>, how));
}
/// The running products. Source: numpy.cumulative_prod.
template <detail::choice R = void, detail::expression E>
auto cumulative_prod(E&& e, const cumulative_options& how = {}) {
  using T = detail::total_of<R, E>;
  return lazy<T>(detail::make_cumulative(detail::handle(detail::take_node(std::forward<E>(e))), detail::reduction::prod,
                                         dtype_of<T>, how));
}

}  // namespace sinter
