// Functions of arrays, called with what is none: a sentence for them, where compilers would list every overload.
#pragma once

#include <sinter/detail/refuse.hpp>
#include <sinter/expr.hpp>

namespace sinter {

SINTER_OF_AN_ARRAY(argsort)
SINTER_OF_AN_ARRAY(diag)
SINTER_OF_AN_ARRAY(diff)
SINTER_OF_AN_ARRAY(eval)
SINTER_OF_AN_ARRAY(explain)
SINTER_OF_AN_ARRAY(flip)
SINTER_OF_AN_ARRAY(gradient)
SINTER_OF_AN_ARRAY(nan_to_num)
SINTER_OF_AN_ARRAY(pad)
SINTER_OF_AN_ARRAY(ravel)
SINTER_OF_AN_ARRAY(repeat)
SINTER_OF_AN_ARRAY(roll)
SINTER_OF_AN_ARRAY(sort)
SINTER_OF_AN_ARRAY(take)
SINTER_OF_AN_ARRAY(trace)
SINTER_OF_AN_ARRAY(transpose)
SINTER_OF_AN_ARRAY(tril)
SINTER_OF_AN_ARRAY(triu)
lazy<double> reshape(detail::no_expression, const shape&);
template <element T, class... X>
lazy<T> astype(detail::no_expression, const X&...);

SINTER_OF_TWO_ARRAYS(dot)
SINTER_OF_TWO_ARRAYS(inner)
SINTER_OF_TWO_ARRAYS(matmul)
SINTER_OF_TWO_ARRAYS(outer)
SINTER_OF_TWO_ARRAYS(searchsorted)
SINTER_OF_TWO_ARRAYS(vdot)

// Behind an array.
SINTER_WITHOUT_TEXT(argsort)
SINTER_WITHOUT_TEXT(sort)

// Of other arguments.
template <class... None>
  requires(sizeof...(None) == 0)
detail::refused<bool, detail::fault::whole_axis, None...> all(None...);
void scatter_add(detail::anything, detail::no_scatter, detail::anything);
void scatter_max(detail::anything, detail::no_scatter, detail::anything);
void scatter_min(detail::anything, detail::no_scatter, detail::anything);
void put(detail::anything, detail::no_scatter, detail::anything);
lazy<double> where(detail::anything, detail::no_value);

}  // namespace sinter
