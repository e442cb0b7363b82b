// What the rows of the tables of calls are written with: axes, outlines, nodes and texts.
#pragma once

#include <algorithm>

#include <sinter/detail/rearrange.hpp>
#include <sinter/expr.hpp>

#include "codegen/ir/broadcast.hpp"
#include "test/fuzz/calls.hpp"
#include "test/fuzz/moves.hpp"

namespace sinter::fuzz::call_rows {

using maybe = std::optional<outline>;
using outlines = std::vector<outline>;
using handles = std::vector<handle>;
using texts = std::vector<std::string>;

inline int axis_of(const step& s) { return s.axes && !s.axes->empty() ? s.axes->front() : 0; }
inline std::int64_t small(const step& s, std::size_t i) { return s.extents[i]; }
inline std::string text(std::int64_t n) { return std::to_string(n); }
inline std::string axis_text(const step& s) { return text(axis_of(s)); }
inline std::string type_text(dtype t) { return std::string("np.") + name(t); }
inline detail::axis_list one_axis(const step& s) { return {1, {axis_of(s)}}; }
inline bool has_axis(const step& s, const outline& of) { return axis_of(s) < of.extents.size(); }

/// The same with another extent along the axis of the step.
inline maybe along(const step& s, const outline& of, dtype type, std::int64_t extent) {
  if (!has_axis(s, of) || extent < 0) return {};
  outline to{type, of.extents};
  to.extents[axis_of(s)] = extent;
  return to;
}
inline maybe flat(dtype type, std::int64_t extent) { return outline{type, shape(std::vector<std::int64_t>{extent})}; }
inline maybe together(const outlines& all, std::size_t first_part) {
  shape to;
  std::vector<dtype> types;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!codegen::broadcast(to, all[i].extents)) return {};
    if (i >= first_part) types.push_back(all[i].type);
  }
  return outline{detail::promote(types.data(), static_cast<int>(types.size())), to};
}
inline dtype mean_of(const outline& of) { return detail::mean_dtype(of.type); }
inline outline without_axis(const step& s, const outline& of, dtype type) {
  outline to{type, {}};
  for (int d = 0; d < of.extents.size(); ++d)
    if (d != axis_of(s)) to.extents.set_size(to.extents.size() + 1), to.extents[to.extents.size() - 1] = of.extents[d];
  return to;
}
inline handle raveled(const handle& h) {
  const std::int64_t all = -1;
  return handle(detail::make_reshape(h.get(), &all, 1));
}
inline std::string cast_text(const std::string& of, dtype to) { return "sn.astype(" + of + ", " + type_text(to) + ")"; }
inline std::string cpp_call(const char* name, const texts& o, const std::string& more = "") {
  std::string all;
  for (const std::string& each : o) all += (all.empty() ? "" : ", ") + each;
  return std::string(name) + "(" + all + more + ")";
}

/// One of a few, by a small number of the step.
template <class T, std::size_t n>
const T& chosen(const T (&some)[n], std::int64_t by) {
  return some[static_cast<std::size_t>(by) % n];
}
inline dtype promoted(const outlines& all) {
  std::vector<dtype> types;
  for (const outline& o : all) types.push_back(o.type);
  return detail::promote(types.data(), static_cast<int>(types.size()));
}
inline double elements_of(const outline& o) { return static_cast<double>(o.extents.elements()); }
inline std::int64_t last(const outline& o, int back = 1) { return o.extents[o.extents.size() - back]; }
inline shape listed(const std::vector<std::int64_t>& extents) { return shape(extents); }

template <class T>
lazy<T> typed(const handle& h) {
  return lazy<T>(detail::retain(h.get()));
}
/// The last two axes exchanged.
inline handle turned(const handle& h) {
  const int rank = shape_of(h).size();
  std::vector<std::int64_t> order;
  for (int d = 0; d < rank; ++d) order.push_back(d);
  std::swap(order.end()[-1], order.end()[-2]);
  return handle(detail::make_transpose(h.get(), order.data(), rank));
}
inline outline turned(outline o) {
  std::swap(o.extents[o.extents.size() - 1], o.extents[o.extents.size() - 2]);
  return o;
}
/// Both behind one another, as one axis.
inline handle joined(const handle& a, const handle& b) {
  const handle parts[] = {raveled(a), raveled(b)};
  detail::node* const both[] = {parts[0].get(), parts[1].get()};
  return handle(detail::make_joined(both, 2, 0));
}
inline handle number_node(dtype type, std::int64_t n) {
  return handle(detail::make_number(type, converted(number_of(n), type)));
}

/// Elements of another dtype between -1 and 1: x / (1 + abs(x)), and 0 for what is not finite, or so large that its size may not be.
inline handle tamed(const handle& h, dtype type) {
  const handle x = cast(h, type), zero = number_node(type, 0);
  const handle y = apply(op::where, {apply(op::isfinite, {apply(op::add, {x, x})}), x, zero});
  const handle size = cast(apply(op::absolute, {y}), type);
  return apply(op::divide, {y, apply(op::add, {number_node(type, 1), size})});
}
inline std::string cpp_tamed(const std::string& of, dtype type) {
  static constexpr const char* names[] = {"float", "double", "std::complex<float>", "std::complex<double>"};
  const std::string T = names[(detail::is_complex(type) ? 2 : 0) + (detail::real_part_of(type) == dtype::float64)];
  const std::string same = "astype<" + T + ">(" + of + ")", doubled = same + " + " + same;
  return "[](array<" + T + "> x) -> lazy<" + T + "> { return x / (1 + abs(x)); }(where(isfinite(" + doubled + "), " +
         same + ", " + T + "(0)))";
}
inline std::string python_tamed(const std::string& of, dtype type) {
  return "fz.tamed(" + of + ", " + type_text(type) + ")";
}

}  // namespace sinter::fuzz::call_rows
