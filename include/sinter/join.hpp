// Joins of arrays and expressions, lazy and fused: nothing is copied until the whole has a user, and then in its kernel. More than
// 32 parts are written into an array at once, one after the other.
#pragma once

#include <initializer_list>
#include <tuple>
#include <vector>

#include <sinter/views.hpp>

namespace sinter {

namespace detail {

/// The element type that several promote to.
template <class... E>
consteval dtype promoted_dtype() {
  const weight all[] = {weight_of<E>()...};
  return promote_all<sizeof...(E)>(all, sizeof...(E));
}
template <class... E>
using promoted = typename element_of<promoted_dtype<E...>()>::type;

}  // namespace detail

/// Arrays, expressions and numbers of any element types, for a join of them or a choice among them: `concatenate(tuple(a, b + 1, c),
/// 1)`, `select({a < 0, a > 9}, tuple(-a, 9))`. Dtypes: the one that they promote to.
template <element T, std::size_t count>
class tuple_of {
 public:
  using value_type = T;
  template <class... E>
  explicit tuple_of(E&&... e) : parts_{detail::part_of<T>(std::forward<E>(e))...} {}
  const detail::handle* data() const { return parts_; }
  detail::handle* data() { return parts_; }
  static constexpr std::size_t size() { return count; }
  const detail::handle* begin() const { return parts_; }
  const detail::handle* end() const { return parts_ + count; }

 private:
  detail::handle parts_[count];
};
template <detail::operand... E>
  requires(sizeof...(E) > 0)
auto tuple(E&&... e) { return tuple_of<detail::promoted<E...>, sizeof...(E)>(std::forward<E>(e)...); }
template <class... X>
tuple_of<double, 1> tuple(X&&...) {
  static_assert(detail::never<X...>, "sinter: a tuple is of arrays, expressions and numbers");
  __builtin_unreachable();
}

namespace detail {

/// Nodes that it owns, side by side as functions of the library take them.
class node_list {
 public:
  SINTER_API node_list();
  node_list(const node_list&) = delete;
  SINTER_API ~node_list();
  /// Takes over a node. Errors: `error` for none, as of an array that was moved from.
  SINTER_API void push_back(node*);
  /// Gives each at least so many axes.
  SINTER_API void at_least(int axes, bool as_column);
  node* const* data() const { return nodes_.data(); }
  std::size_t size() const { return nodes_.size(); }

 private:
  std::vector<node*> nodes_;
};

/// The parts of a join: nodes of one dtype.
template <element T>
class join_list {
 public:
  using value_type = T;
  /// Of what may be moved from, `Part*`, it takes what it holds.
  template <class Part>
  join_list(Part* parts, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      if constexpr (std::same_as<std::remove_const_t<Part>, handle>)
        nodes_.push_back(handle(std::move(parts[i])).take());
      else nodes_.push_back(parts[i].share());
    }
  }

  lazy<T> along(std::int64_t axis) const { return lazy<T>(make_joined(nodes_.data(), nodes_.size(), axis)); }
  lazy<T> stacked(std::int64_t axis) const { return lazy<T>(make_stacked(nodes_.data(), nodes_.size(), axis)); }
  /// Gives every part at least so many axes.
  join_list& at_least(int axes, bool as_column = false) {
    nodes_.at_least(axes, as_column);
    return *this;
  }
  node* const* nodes() const { return nodes_.data(); }
  std::size_t size() const { return nodes_.size(); }
  int first_rank() const { return size() == 0 ? 1 : shape_of(nodes()[0]).size(); }

 private:
  node_list nodes_;
};

/// An expression in a list of parts that become elements of T.
template <element T>
class part_as {
 public:
  template <expression E>
  part_as(E&& e) : part_(part_of<T>(std::forward<E>(e))) {}
  node* share() const { return retain(part_.get()); }

 private:
  handle part_;
};

/// Several of one type, made at run time: a `std::vector<array<float>>`.
template <class P>
concept part_range = requires(const P& p) {
  typename std::remove_cvref_t<decltype(*p.data())>::sinter_element;
  p.size();
};

template <element T, std::size_t count>
join_list<T> join_of(const tuple_of<T, count>& t) {
  return {t.data(), count};
}
template <element T, std::size_t count>
join_list<T> join_of(tuple_of<T, count>&& t) {
  return {t.data(), count};
}
template <part_range P>
auto join_of(const P& p) {
  return join_list<element_in<decltype(*p.data())>>(p.data(), p.size());
}
template <expression E>
join_list<element_in<E>> join_of(std::initializer_list<E> list) {
  return {list.begin(), list.size()};
}
template <element T>
join_list<T> join_of(std::initializer_list<part_as<T>> list) {
  return {list.begin(), list.size()};
}
template <expression... E>
auto join_of(const std::tuple<E...>& t) {
  return std::apply([](const E&... e) { return join_of(sinter::tuple(e...)); }, t);
}
template <class P>
concept parts = requires(P&& p) {
  join_of(std::forward<P>(p));
};

}  // namespace detail

// Of a list in braces of expressions of one type, as arrays or parts of them, or of any types for one that is named, of a tuple of
// any, or of a vector; and of nothing else.
#define SINTER_JOIN(name, types, parameters, ...)                         \
  template <detail::parts P types>                                        \
  auto name(P&& parts parameters) {                                       \
    auto join = detail::join_of(std::forward<P>(parts));                  \
    return __VA_ARGS__;                                                   \
  }                                                                       \
  template <detail::expression E types>                                   \
  auto name(std::initializer_list<E> parts parameters) {                  \
    auto join = detail::join_of(parts);                                   \
    return __VA_ARGS__;                                                   \
  }                                                                       \
  template <element T types>                                              \
  auto name(std::initializer_list<detail::part_as<T>> parts parameters) { \
    auto join = detail::join_of(parts);                                   \
    return __VA_ARGS__;                                                   \
  }                                                                       \
  lazy<double> name(detail::no_parts, detail::anything = 0, detail::anything = 0);
// The axis is 0 where none is given.
#define SINTER_AXIS_TYPE , class Axis = axis_options
#define SINTER_AXIS , Axis axis = {0}

/// One after the other along an axis that they have. Shapes: equal but for that axis. Errors: `shape_error`. Source:
/// numpy.concatenate.
SINTER_JOIN(concatenate, SINTER_AXIS_TYPE, SINTER_AXIS, join.along(detail::axis_of(axis)))
/// Beside each other along a new axis. Shapes: equal. Errors: `shape_error`. Source: numpy.stack.
SINTER_JOIN(stack, SINTER_AXIS_TYPE, SINTER_AXIS, join.stacked(detail::axis_of(axis)))
/// Side by side: along the second axis, of one axis along that. Source: numpy.hstack.
SINTER_JOIN(hstack, , , join.at_least(1).along(join.first_rank() == 1 ? 0 : 1))
/// Below each other: along the first axis, of one axis each as a row. Source: numpy.vstack.
SINTER_JOIN(vstack, , , join.at_least(2).along(0))
/// Side by side, of one axis each as a column. Source: numpy.column_stack.
SINTER_JOIN(column_stack, , , join.at_least(2, true).along(1))
/// Behind each other: along the third axis, of fewer axes as `atleast_3d` adds them. Source: numpy.dstack.
SINTER_JOIN(dstack, , , join.at_least(3).along(2))
/// concatenate under the array API's name. Source: numpy.concat.
SINTER_JOIN(concat, SINTER_AXIS_TYPE, SINTER_AXIS, join.along(detail::axis_of(axis)))

#undef SINTER_AXIS
#undef SINTER_AXIS_TYPE
#undef SINTER_JOIN

/// Rows of arrays, joined along the last axis each, and then below each other along the one before: `block({{a, b}, {c, d}})`; or a
/// single row. Missing axes come in front. Errors: `shape_error`. Source: numpy.block.
template <detail::expression E>
auto block(std::initializer_list<std::initializer_list<E>> rows) {
  detail::node_list parts;
  std::vector<std::size_t> lengths;
  for (const auto& row : rows) {
    lengths.push_back(row.size());
    for (const E& part : row) parts.push_back(part.share());
  }
  return lazy<detail::element_in<E>>(detail::make_block(parts.data(), lengths.data(), lengths.size(), 2));
}
/// Of any expressions, a tuple for each row: `block(tuple(a, b + 1), tuple(c, d))`. A single tuple is a single row. Dtypes: the one
/// that all of them promote to.
template <element... T, std::size_t... count>
auto block(const tuple_of<T, count>&... rows) {
  using R = detail::promoted<lazy<T>...>;
  detail::node_list parts;
  const auto take_row = [&](const auto& row) {
    using of = typename std::remove_cvref_t<decltype(row)>::value_type;
    for (const detail::handle& part : row)
      parts.push_back(detail::part_of<R>(lazy<of>(detail::retain(part.get()))).take());
  };
  (take_row(rows), ...);
  const std::size_t lengths[] = {count...};
  return lazy<R>(detail::make_block(parts.data(), lengths, sizeof...(count), sizeof...(count) == 1 ? 1 : 2));
}

/// One expression behind another, both flattened, or along an axis. Source: numpy.append.
template <detail::expression A, detail::expression B = array<detail::element_in<A>>>
auto append(A&& a, B&& b) {
  return concatenate(tuple(std::forward<A>(a).ravel(), std::forward<B>(b).ravel()));
}
template <detail::expression A, detail::expression B = array<detail::element_in<A>>, class Axis = axis_options>
auto append(A&& a, B&& b, Axis axis) {
  return concatenate(tuple(std::forward<A>(a), std::forward<B>(b)), axis);
}
/// A number behind the flattened elements. Dtypes: as of `a + value`. Errors: `dtype_error` for an integer that does not fit.
template <detail::expression A, detail::scalar_operand V>
auto append(A&& a, V value) {
  constexpr detail::weight both[] = {detail::weight_of<A>(), detail::weight_of<V>()};
  using T = typename detail::element_of<detail::promote_all(both, 2)>::type;
  const detail::handle parts[] = {detail::part_of<T>(std::forward<A>(a).ravel()), detail::part_of<T>(value)};
  return detail::join_list<T>(parts, 2).at_least(1).along(0);
}
template <detail::expression A, class X>
  requires(!detail::operand<X>)
lazy<double> append(A&&, const X& x, detail::anything = 0) {
  static_cast<void>(detail::no_expression(x));
  return lazy<double>(nullptr);
}

}  // namespace sinter
