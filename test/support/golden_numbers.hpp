// The operands of golden_linalg.py, golden_products.py and golden_transforms.py, and how a result is compared with a line of theirs.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "test/support/all_cases.hpp"
#include "test/support/numpy_cases.hpp"

namespace sinter::test {

/// `numbers` of golden_linalg.py.
template <class T>
array<T> golden_numbers(const shape& s, int seed) {
  const array<std::int64_t> i = arange(s.elements());
  const array<double> x = astype<double>((i * i * 13 + i * 29 + seed * 17) % 37 - 18) / 8;
  if constexpr (detail::complex_number<T>)
    return astype<T>(make_complex(x, astype<double>((i * i * 7 + i * 11 + seed * 3) % 23 - 11) / 8)).reshape(s);
  else return astype<T>(x).reshape(s);
}

/// Expressions by the names that the golden files have for them.
template <class T>
using operands_by_name = std::map<std::string, lazy<T>>;

/// Of a dtype: real or complex, of which less precise ones have the numbers of double.
template <class T>
constexpr const char* golden_kind = detail::complex_number<T> ? "complex" : "real";

/// Checks the shape, and elements but for so much of the largest one.
template <class E>
void check_golden(const numpy_case& want, const E& result, double tolerance) {
  using R = typename E::sinter_element;
  REQUIRE(result.shape() == shape(want.extents));
  const std::vector<double> parts = parts_in_order(lazy<R>(result));
  REQUIRE(parts.size() == want.elements.size());
  double largest = 1;
  for (const double w : want.elements)
    if (std::isfinite(w)) largest = std::max(largest, std::abs(w));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const double w = want.elements[i];
    CAPTURE(i);
    if (std::isfinite(w)) REQUIRE(std::abs(parts[i] - w) <= largest * tolerance);
    else REQUIRE(parts[i] == w);
  }
}

/// The same of one operand, an array without elements too: says whether NumPy has a value for it.
template <class T, class F>
bool check_golden_of(const std::map<std::string, numpy_case>& lines, const std::string& name,
                     const std::string& operand, const lazy<T>& x, F f, double tolerance) {
  const auto at = lines.find(name + '|' + golden_kind<T> + '|' + operand);
  if (at == lines.end()) return false;
  CAPTURE(name);
  CAPTURE(operand);
  check_golden(at->second, f(x), tolerance);
  return true;
}

}  // namespace sinter::test
