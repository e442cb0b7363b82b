// Matrices for the tests of linear algebra: numbers without a pattern, the same on every device.
#pragma once

#include <sinter/sinter.hpp>

namespace sinter::test {

template <class T>
array<T> some(const shape& s, int seed = 0) {
  const array<std::int64_t> i = arange(s.elements());
  const array<double> x = astype<double>((i * i * 13 + i * 29 + seed * 17) % 37 - 18) / 8;
  if constexpr (detail::complex_number<T>)
    return astype<T>(make_complex(x, astype<double>((i * i * 7 + i * 11 + seed) % 23 - 11) / 8)).reshape(s);
  else return astype<T>(x).reshape(s);
}

}  // namespace sinter::test
