// Expressions whose dtypes are known at run time. Functions that are made of the library's own operations are written in these:
// they are compiled once, in the library, and a program's compiler sees one call.
#pragma once

#include <initializer_list>
#include <span>
#include <utility>

#include <sinter/detail/operand.hpp>
#include <sinter/index.hpp>

#include "runtime/frontend/nodes.hpp"

namespace sinter::runtime {

/// An operand: a node, or a number, which is weak as a C++ number is. Operations promote as the types of expressions do, and
/// give what those give; each is an expression node, so it is fused with its users. Errors: `dtype_error`, `shape_error`.
class term {
 public:
  term(detail::handle node) : node_(std::move(node)), type_(typed(node_.get())->type) {}
  /// Takes a node over.
  static term made(detail::node* owned) { return term(detail::handle(owned)); }
  /// Of a node that the caller keeps.
  static term of(detail::node* shared) { return term(detail::handle(detail::retain(shared))); }
  template <class V, class = std::enable_if_t<arithmetic<V>>>
  term(V number) : type_(dtype_of<V>), bits_(detail::to_bits(static_cast<element_type<V>>(number))) {}

  /// A number of a dtype that has it.
  static term of_bits(dtype t, const detail::scalar_bits& bits) {
    term number(false);
    number.type_ = t;
    number.bits_ = bits;
    return number;
  }

  dtype type() const { return type_; }
  bool is_number() const { return !node_; }
  const shape& extents() const { return typed(node_.get())->extents; }
  int rank() const { return extents().size(); }
  std::int64_t extent(int axis) const { return extents()[axis]; }
  detail::node* get() const { return node_.get(); }
  detail::node* take() const { return detail::retain(get()); }
  const detail::handle& held() const { return node_; }
  detail::weight weight() const { return {type_, is_number()}; }
  /// A number as one of a dtype.
  detail::scalar_bits bits_as(dtype) const;

  /// A slice of one axis, and the whole of the others.
  term along(int axis, const slice&) const;
  /// One index of it; the axis is gone.
  term at(int axis, std::int64_t index) const;
  term with_axis(int before) const;
  term broadcast_to(const shape& s) const { return made(detail::make_broadcast(get(), s)); }
  term reshaped(std::initializer_list<std::int64_t> extents) const {
    return made(detail::make_reshape(get(), extents.begin(), static_cast<int>(extents.size())));
  }
  term flat() const { return rank() == 1 ? *this : reshaped({-1}); }

 private:
  detail::handle node_;
  dtype type_;
  detail::scalar_bits bits_ = {};  // of a number
};

/// An operation of ops.def. Of numbers alone it is of the dtype that C++ numbers have by default.
term apply(op, std::initializer_list<term> operands);
term astype(const term&, dtype);
/// A number as a node without axes.
term number_node(const term& number, dtype);
/// A fold over axes. `sums` of small integers are as the reduction's row says where no dtype is given.
term fold(detail::reduction, const term&, const detail::axis_list&, bool keepdims);
term fold(detail::reduction, const term&, const detail::axis_list&, bool keepdims, dtype);
inline detail::axis_list one_axis(std::int64_t axis) { return {1, {axis}}; }
/// The array that a value is, evaluated at once.
term evaluated(const term&);
/// Where an array is, or else the current device, which is where an expression will most likely be computed.
device device_beside(const term&);
/// Evaluates into an array of its shape and dtype.
void evaluate_into(const term&, detail::array_node& to);
/// A value that is computed once before its users, as what is folded is: a fold over one element each. Of
/// complex numbers -0 becomes 0.
term computed(const term&);
/// The index along an axis of a shape, which broadcasts to it.
term index_of(const shape&, int axis);
/// Is one no longer than another, of as many axes, along each?
bool fits(const term& small, const term& large);
term joined(std::span<const term> parts, int axis);
inline term joined(std::initializer_list<term> parts, int axis) {
  return joined(std::span(parts.begin(), parts.size()), axis);
}
/// The elements of an array of one axis that indices name, which are known to be in range.
term taken(const term&, const term& indices);

#define SINTER_TERM_OPERATOR(symbol, name) \
  inline term operator symbol(const term& a, const term& b) { return apply(op::name, {a, b}); }
SINTER_TERM_OPERATOR(+, add)
SINTER_TERM_OPERATOR(-, subtract)
SINTER_TERM_OPERATOR(*, multiply)
SINTER_TERM_OPERATOR(/, divide)
SINTER_TERM_OPERATOR(%, remainder)
SINTER_TERM_OPERATOR(<, less)
SINTER_TERM_OPERATOR(<=, less_equal)
SINTER_TERM_OPERATOR(>, greater)
SINTER_TERM_OPERATOR(>=, greater_equal)
SINTER_TERM_OPERATOR(==, equal)
SINTER_TERM_OPERATOR(!=, not_equal)
SINTER_TERM_OPERATOR(&, logical_and)
SINTER_TERM_OPERATOR(|, logical_or)
#undef SINTER_TERM_OPERATOR
inline term operator!(const term& a) { return apply(op::logical_not, {a}); }
inline term operator-(const term& a) { return apply(op::negative, {a}); }
inline term choose(const term& condition, const term& a, const term& b) { return apply(op::where, {condition, a, b}); }

}  // namespace sinter::runtime
