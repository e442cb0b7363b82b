// std::complex as a name. A program with complex numbers includes <complex>, which costs as much to compile as all of Sinter's
// headers; the others pay nothing. Only libstdc++ declares it in no inline namespace.
#pragma once

#include <cstddef>

#if defined(__GLIBCXX__) && !(defined(_GLIBCXX_INLINE_VERSION) && _GLIBCXX_INLINE_VERSION)
namespace std {
template <class>
class complex;
}
#else
#include <complex>
#endif
