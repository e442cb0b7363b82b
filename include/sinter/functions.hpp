// The elementwise functions, one from each row of ops.def, and the operators that spell some of them.
#pragma once

#include <sinter/detail/number.hpp>
#include <sinter/expr.hpp>

namespace sinter {

// `sinter::log1p(a)`, `sinter::hypot(a, 2)`, ...: the sentence, dtypes and error bound of each are in docs/operations.md, which
// is made from the same rows. Shapes: operands broadcast. Errors: at evaluation. The second overload of each is for
// numbers alone, and gives a number; the third says what is wrong with anything else.
// special.hpp uses these as well.
#define SINTER_FUNCTION_1(name, of)                                           \
  template <class A>                                                          \
    requires detail::any_expression<A> detail::made<op::of, A> name(A&& a) {  \
      return detail::apply<op::of>(std::forward<A>(a));                       \
    }                                                                         \
  template <class A, class... None>                                           \
  detail::number_made<op::of, detail::count<None...>, A> name(A a, None...) { \
    return detail::apply_to_numbers<op::of>(a);                               \
  }                                                                           \
  lazy<double> name(detail::no_operand);
#define SINTER_FUNCTION_2(name, of)                                                       \
  template <class A, class B>                                                             \
    requires detail::any_expression<A, B> detail::made<op::of, A, B> name(A&& a, B&& b) { \
      return detail::apply<op::of>(std::forward<A>(a), std::forward<B>(b));               \
    }                                                                                     \
  template <class A, class B, class... None>                                              \
  detail::number_made<op::of, detail::count<None...>, A, B> name(A a, B b, None...) {     \
    return detail::apply_to_numbers<op::of>(a, b);                                        \
  }                                                                                       \
  lazy<double> name(detail::no_operand, detail::anything);
#define SINTER_FUNCTION_3(name, of)                                                                    \
  template <class A, class B, class C>                                                                 \
    requires detail::any_expression<A, B, C> detail::made<op::of, A, B, C> name(A&& a, B&& b, C&& c) { \
      return detail::apply<op::of>(std::forward<A>(a), std::forward<B>(b), std::forward<C>(c));        \
    }                                                                                                  \
  template <class A, class B, class C, class... None>                                                  \
  detail::number_made<op::of, detail::count<None...>, A, B, C> name(A a, B b, C c, None...) {          \
    return detail::apply_to_numbers<op::of>(a, b, c);                                                  \
  }                                                                                                    \
  lazy<double> name(detail::no_operand, detail::anything, detail::anything);
#define SINTER_OP(name, arity, ...) SINTER_FUNCTION_##arity(name, name)
#define SINTER_DRAW(...)
#define SINTER_PART(...)
#define SINTER_SPECIAL_OP(...)
#include <sinter/ops.def>
#undef SINTER_OP
// NumPy and Python have one name for the larger of two and for the largest of all.
#define SINTER_OF_TWO(name)                                              \
  template <detail::expression A>                                        \
  detail::refused<double, detail::fault::one_operand, A> name(const A&); \
  template <class A, class B, class C, class... X>                       \
    requires(detail::any_expression<A, B, C>)                            \
  detail::refused<double, detail::fault::one_operand, A> name(const A&, const B&, const C&, const X&...);
SINTER_OF_TWO(maximum)
SINTER_OF_TWO(minimum)
#undef SINTER_OF_TWO

SINTER_FUNCTION_2(pow, power)     // numpy.power under C's name
SINTER_FUNCTION_1(abs, absolute)  // numpy.absolute under its short name
SINTER_FUNCTION_2(clip, maximum)  // numpy.clip with a lower bound alone
/// numpy.clip with None for a bound: `clip(a, 0, _)`, `clip(a, _, 1)`.
template <detail::expression A, detail::operand B>
auto clip(A&& a, B&& low, detail::all_tag) {
  return maximum(std::forward<A>(a), std::forward<B>(low));
}
template <detail::expression A, detail::operand B>
auto clip(A&& a, detail::all_tag, B&& high) {
  return minimum(std::forward<A>(a), std::forward<B>(high));
}

// Names of the array API, and NumPy's second ones.
SINTER_FUNCTION_2(mod, remainder)
SINTER_FUNCTION_2(true_divide, divide)
SINTER_FUNCTION_1(fix, trunc)
SINTER_FUNCTION_1(asin, arcsin)
SINTER_FUNCTION_1(acos, arccos)
SINTER_FUNCTION_1(atan, arctan)
SINTER_FUNCTION_2(atan2, arctan2)
SINTER_FUNCTION_1(asinh, arcsinh)
SINTER_FUNCTION_1(acosh, arccosh)
SINTER_FUNCTION_1(atanh, arctanh)
SINTER_FUNCTION_1(rad2deg, degrees)
SINTER_FUNCTION_1(deg2rad, radians)
SINTER_FUNCTION_1(bitwise_not, invert)
SINTER_FUNCTION_1(bitwise_invert, invert)
SINTER_FUNCTION_2(bitwise_left_shift, left_shift)
SINTER_FUNCTION_2(bitwise_right_shift, right_shift)

/// The elements, or a number, converted to another type. Float to integer saturates. Source: numpy.ndarray.astype.
template <element T, class A>
  requires detail::any_expression<A>
auto astype(A&& a) {
  constexpr op conversion = static_cast<op>(detail::instruction::cast);
  return expr<conversion, T, detail::captured<T, A>>(detail::capture<T>(std::forward<A>(a)));
}
template <element T, detail::scalar_operand A>
T astype(const A& a) {
  const auto value = detail::value_in(a);
  T result;
  detail::convert_number(dtype_of<T>, dtype_of<decltype(value)>, detail::to_bits(value), &result);
  return result;
}
template <detail::not_element T, class A>
detail::no_element<T> astype(A&&);

#define SINTER_OPERATOR(symbol, name)                                  \
  template <class A, class B>                                          \
    requires detail::any_expression<A, B> detail::made<op::name, A, B> \
  operator symbol(A&& a, B&& b) { return detail::apply<op::name>(std::forward<A>(a), std::forward<B>(b)); }
SINTER_OPERATOR(+, add)
SINTER_OPERATOR(-, subtract)
SINTER_OPERATOR(*, multiply)
SINTER_OPERATOR(/, divide)
SINTER_OPERATOR(%, remainder)
SINTER_OPERATOR(&, bitwise_and)
SINTER_OPERATOR(|, bitwise_or)
SINTER_OPERATOR(^, bitwise_xor)
SINTER_OPERATOR(>>, right_shift)
SINTER_OPERATOR(&&, logical_and)
SINTER_OPERATOR(||, logical_or)
SINTER_OPERATOR(==, equal)
SINTER_OPERATOR(!=, not_equal)
SINTER_OPERATOR(<, less)
SINTER_OPERATOR(<=, less_equal)
SINTER_OPERATOR(>, greater)
SINTER_OPERATOR(>=, greater_equal)
#undef SINTER_OPERATOR

// `<<` is also how a stream prints, so only an operand may stand on its left.
template <class A, class B>
  requires(detail::operand<A>&& detail::any_expression<A, B>)
detail::made<op::left_shift, A, B>
operator<<(A&& a, B&& b) { return detail::apply<op::left_shift>(std::forward<A>(a), std::forward<B>(b)); }

template <detail::expression A>
detail::made<op::negative, A> operator-(A&& a) {
  return detail::apply<op::negative>(std::forward<A>(a));
}
template <detail::expression A>
detail::made<op::positive, A> operator+(A&& a) {
  return detail::apply<op::positive>(std::forward<A>(a));
}
template <detail::expression A>
detail::made<op::logical_not, A> operator!(A&& a) {
  return detail::apply<op::logical_not>(std::forward<A>(a));
}
/// Every bit flipped; of bool, logical not.
template <detail::expression A>
auto operator~(A&& a) {
  using T = detail::element_in<A>;
  return detail::apply < std::same_as<T, bool> ? op::logical_not : op::invert > (std::forward<A>(a));
}

SINTER_METHOD_OF(clip)

}  // namespace sinter
