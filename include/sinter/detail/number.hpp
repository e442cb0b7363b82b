// Elementwise functions of plain numbers: computed when called, by the steps that the interpreter runs, so that a generic
// lambda serves arrays and numbers. Numbers combine as C++ combines them; what they are then computed in and give is what
// the row says of arrays of that type.
#pragma once

#include <sinter/expr.hpp>

namespace sinter::detail {

/// A number's type: its own, or that of a strong one's value.
template <class X>
struct number_type {
  using type = X;
};
template <class T>
struct number_type<strong_scalar<T>> {
  using type = T;
};
template <class X>
constexpr auto value_in(const X& x) {
  if constexpr (is_strong<X>::value) return x.value;
  else return x;
}

/// The type that numbers give together. What chooses between the others has no part in it.
template <op O, class A, class... More>
struct together {
  using type = std::common_type_t<typename number_type<A>::type, typename number_type<More>::type...>;
};
template <op O, class A, class... More>
  requires(facts(O).of == rule::choice)
struct together<O, A, More...> {
  using type = std::common_type_t<typename number_type<More>::type...>;
};

template <op O, int after, class... X>
struct number_making {};  // not numbers
template <op O, class... X>
  requires(scalar_operand<X>&&...)
struct number_making<O, 0, X...> {
  static constexpr weight each{dtype_of<typename together<O, X...>::type>, false};
  static constexpr outcome of = outcome_of(O, {(static_cast<void>(sizeof(X)), each)...});
  using computed = typename element_of<of.computed>::type;
  using type = std::conditional_t<of.why == fault::none, typename element_of<of.result>::type, refused<double, of.why>>;
};

/// What the operation O gives of numbers X... with nothing after them. A function that ends in a pack loses to one of the
/// same name without: where `using namespace sinter` is in force, <cmath> keeps its numbers.
template <op O, int after, class... X>
using number_made = typename number_making<O, after, X...>::type;
template <class... None>
inline constexpr int count = sizeof...(None);

/// Computes it. Errors: `dtype_error` for an integer that its C++ type together with the others cannot hold.
template <op O, class A, class... More>
number_made<O, 0, A, More...> apply_to_numbers(const A& a, const More&... more) {
  using making = number_making<O, 0, A, More...>;
  if constexpr (making::of.why != fault::none) {
    return {};
  } else {
    using W = typename making::computed;
    using First = std::conditional_t<facts(O).of == rule::choice, bool, W>;
    const scalar_bits operands[] = {to_bits(convert_scalar<First>(value_in(a))),
                                    to_bits(convert_scalar<W>(value_in(more)))...};
    typename making::type result;
    compute_numbers(O, dtype_of<W>, operands, sizeof...(More) + 1, &result);
    return result;
  }
}

}  // namespace sinter::detail
