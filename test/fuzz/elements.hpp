// Elements of values on the host, for what compares them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "test/fuzz/compare.hpp"

namespace sinter::fuzz {

using exact = long double;  // holds every element of every dtype

template <class T>
T element(const snapshot& s, std::int64_t i) {
  T x;
  std::memcpy(&x, s.elements.data() + static_cast<std::size_t>(i) * sizeof x, sizeof x);
  return x;
}

// The same bits, any NaN being any other.
template <class T>
bool same(T x, T y) {
  if constexpr (detail::complex_number<T>) return same(x.real(), y.real()) && same(x.imag(), y.imag());
  else if constexpr (!detail::floating_number<T>) return x == y;
  else return x == y ? std::signbit(x) == std::signbit(y) : x != x && y != y;
}

/// The i-th element, or the size of a complex one.
inline exact number_at(const snapshot& s, std::int64_t i) {
  return with_type(s.type, [&](auto t) -> exact {
    using T = decltype(t);
    if constexpr (detail::complex_number<T>) {
      const std::complex<exact> z(element<T>(s, i));
      return std::isnan(z.real()) || std::isnan(z.imag()) ? std::numeric_limits<exact>::quiet_NaN() : std::abs(z);
    } else return static_cast<exact>(element<T>(s, i));
  });
}

/// Real or imaginary parts as a value of their own.
snapshot parts_of(const snapshot& s, op which);

// The element of an operand that broadcasts to `extents`, for the i-th of those.
inline std::int64_t broadcast_place(const shape& operand, const shape& extents, std::int64_t i) {
  std::int64_t place = 0, step = 1;
  for (int back = 1; back <= extents.size(); ++back) {
    const std::int64_t n = extents[extents.size() - back], at = i % n;
    i /= n;
    if (back > operand.size()) continue;
    const std::int64_t mine = operand[operand.size() - back];
    if (mine != 1) place += at * step;
    step *= mine;
  }
  return place;
}

// What the elements that fold into one have between them, as numbers of the dtype they are folded in.
struct folded {
  exact size = 0;       // sum of the absolute values that are finite
  exact exponents = 0;  // sum of the absolute logarithms of these to base 2
  exact lowest = std::numeric_limits<exact>::infinity(), highest = -lowest;
  std::int64_t count = 0;
  bool finite = true;

  void add(exact x) {
    const exact of_it = std::isfinite(x) ? std::fabs(x) : 0;
    ++count;
    finite &= std::isfinite(x);
    size += of_it;
    if (of_it > 0) exponents += std::fabs(std::log2(of_it)) + 1;
    lowest = std::min(lowest, x), highest = std::max(highest, x);
  }
};

template <class T>
exact sum_bound(const folded& f) {
  return 2 * static_cast<exact>(f.count + 2) * std::numeric_limits<T>::epsilon() * f.size;
}

/// How many units in the last place a function of ops.def may be off.
double ulps_of(op code);
/// `step_differs` and `is_exact` where an operand or the result is complex.
std::string complex_step_differs(const step& s, const std::vector<snapshot>& operands, const snapshot& got,
                                 const snapshot& wanted, judge by);
bool is_exact_of_complex(const step& s, const std::vector<snapshot>& operands, const snapshot& result);
bool any_complex(const std::vector<snapshot>& operands, const snapshot& result);

/// `step_differs` of a call.
std::string call_differs(const step& s, const std::vector<snapshot>& operands, const snapshot& got,
                         const snapshot& wanted);
/// How far what a call gives may be from the same computed apart; infinitely where the order of roundings decides.
exact bound_of_call(const step& s, const std::vector<snapshot>& operands, dtype result);
/// The largest size of an element; infinite where one is not finite.
exact largest_of(const snapshot&);
/// Does a reduction fold the i-th element, or does a mask, or being no number, leave it out?
bool counts(const step& s, const std::vector<snapshot>& operands, std::int64_t i);

/// How an element differs, for messages; how outlines do, "" where they do not.
std::string difference(const snapshot& got, const snapshot& wanted, std::int64_t i, const std::string& how);
std::string outlines_differ(const snapshot& got, const snapshot& wanted);

}  // namespace sinter::fuzz
