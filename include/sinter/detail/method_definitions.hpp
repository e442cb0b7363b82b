// The methods whose options need the free functions: of a name, and of a temporary.
#pragma once

#include <sinter/array.hpp>

namespace sinter {

namespace detail {
#define SINTER_METHODS(METHOD, ...)   \
  METHOD(__VA_ARGS__, const&, self()) \
  METHOD(__VA_ARGS__, &&, std::move(*this).self())
#define SINTER_METHOD(name, qualifier, me)                             \
  template <class Derived, class Element>                              \
  template <class R>                                                   \
  auto methods<Derived, Element>::name(reduce_options how) qualifier { \
    return sinter::name<R>(me, how);                                   \
  }
SINTER_METHODS(SINTER_METHOD, sum)
SINTER_METHODS(SINTER_METHOD, prod)
SINTER_METHODS(SINTER_METHOD, mean)
SINTER_METHODS(SINTER_METHOD, var)
SINTER_METHODS(SINTER_METHOD, stddev)
#undef SINTER_METHOD
#define SINTER_METHOD(name, qualifier, me)                             \
  template <class Derived, class Element>                              \
  auto methods<Derived, Element>::name(reduce_options how) qualifier { \
    return sinter::name(me, how);                                      \
  }
SINTER_METHODS(SINTER_METHOD, min)
SINTER_METHODS(SINTER_METHOD, max)
SINTER_METHODS(SINTER_METHOD, any)
SINTER_METHODS(SINTER_METHOD, all)
SINTER_METHODS(SINTER_METHOD, argmin)
SINTER_METHODS(SINTER_METHOD, argmax)
#undef SINTER_METHOD
#define SINTER_METHOD(name, qualifier, me)                            \
  template <class Derived, class Element>                             \
  template <class R>                                                  \
  auto methods<Derived, Element>::name() qualifier {                  \
    return sinter::name<R>(me);                                       \
  }                                                                   \
  template <class Derived, class Element>                             \
  template <class R>                                                  \
  auto methods<Derived, Element>::name(std::int64_t axis) qualifier { \
    return sinter::name<R>(me, axis);                                 \
  }
SINTER_METHODS(SINTER_METHOD, cumsum)
SINTER_METHODS(SINTER_METHOD, cumprod)
#undef SINTER_METHOD
#define SINTER_METHOD(name, qualifier, me)           \
  template <class Derived, class Element>            \
  template <element U>                               \
  auto methods<Derived, Element>::name() qualifier { \
    return sinter::name<U>(me);                      \
  }
SINTER_METHODS(SINTER_METHOD, astype)
#undef SINTER_METHOD
#define SINTER_METHOD(name, qualifier, me, of)       \
  template <class Derived, class Element>            \
  auto methods<Derived, Element>::name() qualifier { \
    return sinter::of(me);                           \
  }
#undef SINTER_METHODS
#define SINTER_METHODS(METHOD, name, of) \
  METHOD(name, const&, self(), of)       \
  METHOD(name, &&, std::move(*this).self(), of)
SINTER_METHODS(SINTER_METHOD, real, real)
SINTER_METHODS(SINTER_METHOD, imag, imag)
SINTER_METHODS(SINTER_METHOD, conj, conjugate)
#undef SINTER_METHOD
#undef SINTER_METHODS
}  // namespace detail

}  // namespace sinter
