// Making reductions and scans. mean, var and stddev are expressions over sums, so they fuse with what surrounds them and share its work.
#include <sinter/error.hpp>
#include <sinter/functions.hpp>
#include <sinter/reduce.hpp>

#include <boost/hana/for_each.hpp>
#include <complex>
#include <optional>
#include <utility>

#include "codegen/ir/elements.hpp"

#include "runtime/frontend/indices.hpp"
#include "runtime/frontend/masked_reductions.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/nodes.hpp"

namespace sinter::detail {

using runtime::typed;

std::uint32_t axis_mask(const axis_list& list, const shape& s) {
  const int rank = s.size();
  if (list.count < 0) return (1u << rank) - 1;
  std::uint32_t mask = 0;
  for (int i = 0; i < list.count; ++i) {
    const std::int64_t given = list.axes[i], axis = given < 0 ? given + rank : given;
    if (axis < 0 || axis >= rank)
      throw shape_error(message("sinter: a reduction over axis %lld of an array of shape %s",
                                static_cast<long long>(given), to_string(s).c_str())
                            .c_str());
    const std::uint32_t bit = 1u << axis;
    if (mask & bit)
      throw shape_error(message("sinter: a reduction names axis %lld twice", static_cast<long long>(axis)).c_str());
    mask |= bit;
  }
  return mask;
}

shape reduced_shape(const shape& from, std::uint32_t mask, bool keepdims) {
  shape to;
  int rank = 0;
  for (int d = 0; d < from.size(); ++d) {
    const bool gone = mask >> d & 1;
    if (gone && !keepdims) continue;
    to.set_size(rank + 1);
    to[rank++] = gone ? 1 : from[d];
  }
  return to;
}

namespace {

// The elements of n that come first along the reduced axes: somewhere to measure distances from.
handle pivot_of(node* n, std::uint32_t mask) {
  index_item items[max_rank];
  const shape& s = typed(n)->extents;
  for (int d = 0; d < s.size(); ++d) {
    if (mask >> d & 1) items[d] = to_index(slice(0, 1));
    else items[d] = to_index(_);
  }
  return handle(make_view(n, items, s.size()));
}

template <class T>
lazy<double> as_double(node* owned) {
  if constexpr (std::same_as<T, double>) return lazy<double>(owned);
  else return lazy<double>(astype<double>(lazy<T>(owned)));
}

lazy<double> as_double(handle of) {
  std::optional<lazy<double>> converted;
  const dtype from = typed(of.get())->type;
  boost::hana::for_each(codegen::real_elements, [&](auto type) {
    using T = typename decltype(type)::type;
    if (dtype_of<T> == from) converted.emplace(as_double<T>(of.take()));
  });
  return std::move(*converted);
}

// A lazy double as an expression of a floating dtype: what var gives.
template <class E>
node* in_floating(E&& e, dtype to) {
  switch (to) {
    case dtype::float16: return astype<half>(std::forward<E>(e)).hand_over();
    case dtype::bfloat16: return astype<bfloat16>(std::forward<E>(e)).hand_over();
    case dtype::float32: return astype<float>(std::forward<E>(e)).hand_over();
    default: return lazy<double>(std::forward<E>(e)).release_node();
  }
}

void require_floating(dtype t, const char* what) {
  if (is_inexact(t)) return;
  throw dtype_error(message("sinter: %s in %s; choose float or double", what, name(t)).c_str());
}

}  // namespace

node* make_reduction(handle of, reduction what, dtype type, const axis_list& axes, bool keepdims) {
  const shape& from = typed(of.get())->extents;
  // NumPy lets the first axis of what has none pass, though not for mean and var.
  const bool of_scalar = from.size() == 0 && axes.count == 1 && (axes.axes[0] == 0 || axes.axes[0] == -1);
  const std::uint32_t mask = of_scalar ? 0 : axis_mask(axes, from);
  if (facts(what).takes_position() && axes.count >= 0 && axes.count != 1)
    throw shape_error(message("sinter: %s goes along one axis, or over all elements", facts(what).name).c_str());
  for (int d = 0; d < from.size(); ++d)
    if (facts(what).needs_element && (mask >> d & 1) && from[d] == 0)
      throw shape_error(message("sinter: %s over axis %d of shape %s, which has no element", facts(what).name, d,
                                to_string(from).c_str())
                            .c_str());
  auto* r = runtime::new_node<reduction_node>(type, reduced_shape(from, mask, keepdims));
  r->child = typed(of.take());
  r->what = what;
  r->axes = mask;
  return r;
}

node* make_reduction(handle of, reduction what, dtype type, const reduce_options& how) {
  if (how.where || how.initial) return runtime::make_chosen_reduction(std::move(of), what, type, how);
  return make_reduction(std::move(of), what, type, how.axis.list(), how.keepdims);
}

node* make_scan(node* n, reduction what, dtype type, std::int64_t axis) {
  const shape& s = typed(n)->extents;
  // As in NumPy, whose other scans refuse a number without axes.
  const bool lists = what == reduction::sum || what == reduction::prod;
  if (lists && s.size() == 0 && (axis == 0 || axis == -1)) return make_flat_scan(n, what, type);
  const int at = runtime::checked_axis(axis, s.size(), "a scan");
  auto* r = runtime::new_node<scan_node>(type, s);
  retain(n);
  r->child = typed(n);
  r->what = what;
  r->axis = at;
  return r;
}

node* make_flat_scan(node* n, reduction what, dtype type) {
  if (typed(n)->extents.size() == 1) return make_scan(n, what, type, 0);
  const std::int64_t all = typed(n)->extents.elements();
  const handle flat(make_reshape(n, &all, 1));
  return make_scan(flat.get(), what, type, 0);
}

std::int64_t reduced_count(node* n, const axis_list& axes) {
  const shape& s = typed(n)->extents;
  const std::uint32_t mask = axis_mask(axes, s);
  std::int64_t count = 1;
  for (int d = 0; d < s.size(); ++d)
    if (mask >> d & 1) count *= s[d];
  return count;
}

node* make_mean(handle of, dtype type, const axis_list& axes, bool keepdims) {
  require_floating(type, "mean");
  const auto count = static_cast<double>(reduced_count(of.get(), axes));
  handle total(make_reduction(std::move(of), reduction::sum, widened(type), axes, keepdims));
  const auto share_of = [&]<class T>(T*) { return lazy<T>(total.take()) / count; };
  switch (type) {
    case dtype::float16: return astype<half>(share_of(static_cast<float*>(nullptr))).hand_over();
    case dtype::bfloat16: return astype<bfloat16>(share_of(static_cast<float*>(nullptr))).hand_over();
    case dtype::float32: return share_of(static_cast<float*>(nullptr)).hand_over();
    case dtype::complex64: return share_of(static_cast<std::complex<float>*>(nullptr)).hand_over();
    case dtype::complex128: return share_of(static_cast<std::complex<double>*>(nullptr)).hand_over();
    default: return share_of(static_cast<double*>(nullptr)).hand_over();
  }
}

namespace {

// Of complex numbers the variances of both parts together.
node* complex_variance(handle of, dtype type, const axis_list& axes, bool keepdims, int ddof, bool root) {
  const auto sum_of = [&]<class T>(T*) -> node* {
    const lazy<T> z(of.take());
    const lazy<double> parts[] = {lazy<double>(astype<double>(real(z))), lazy<double>(astype<double>(imag(z)))};
    lazy<double> all[] = {
        lazy<double>(make_variance(handle(parts[0].share()), dtype::float64, axes, keepdims, ddof, false)),
        lazy<double>(make_variance(handle(parts[1].share()), dtype::float64, axes, keepdims, ddof, false))};
    auto both = std::move(all[0]) + std::move(all[1]);
    return root ? in_floating(sqrt(std::move(both)), type) : in_floating(std::move(both), type);
  };
  return typed(of.get())->type == dtype::complex64 ? sum_of(static_cast<std::complex<float>*>(nullptr))
                                                   : sum_of(static_cast<std::complex<double>*>(nullptr));
}

}  // namespace

node* make_variance(handle of, dtype type, const axis_list& axes, bool keepdims, int ddof, bool root) {
  require_floating(type, "variance");
  if (is_complex(typed(of.get())->type)) return complex_variance(std::move(of), type, axes, keepdims, ddof, root);
  const auto count = static_cast<double>(reduced_count(of.get(), axes));
  handle pivot = pivot_of(of.get(), axis_mask(axes, typed(of.get())->extents));
  // Distances from one of the elements rather than from zero, in double: docs/decisions/0005 has the error bound.
  const auto distance = as_double(std::move(of)) - as_double(std::move(pivot));
  handle squared((distance * distance).hand_over());
  const lazy<double> s1(make_reduction(handle(distance.share()), reduction::sum, dtype::float64, axes, keepdims));
  lazy<double> s2(make_reduction(std::move(squared), reduction::sum, dtype::float64, axes, keepdims));
  auto variance = maximum(std::move(s2) - s1 * s1 / count, 0.0) / (count > ddof ? count - ddof : 0.0);
  return root ? in_floating(sqrt(std::move(variance)), type) : in_floating(std::move(variance), type);
}

node* make_mean(handle of, dtype type, const reduce_options& how) {
  if (!how.where) return make_mean(std::move(of), type, how.axis.list(), how.keepdims);
  require_floating(type, "mean");
  return runtime::make_masked_mean(std::move(of), type, how);
}

node* make_variance(handle of, dtype type, const reduce_options& how, bool root) {
  if (!how.where) return make_variance(std::move(of), type, how.axis.list(), how.keepdims, how.ddof, root);
  require_floating(type, "variance");
  return runtime::make_masked_variance(std::move(of), type, how, root);
}

}  // namespace sinter::detail
