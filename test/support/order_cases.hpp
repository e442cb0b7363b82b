// Operands of golden_order.py, and what NumPy gives of them: the lines of test/numpy/golden/order.txt.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "test/support/all_cases.hpp"
#include "test/support/numpy_cases.hpp"

namespace sinter::test {

/// `numbers` of that file.
template <class T>
array<T> unordered_numbers(const shape& s) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  static constexpr double signed_ones[] = {3, -1, 0, 7, 7, -128, 127, 3, 2, -5, 1, 0, -1, 64, -64, 5};
  static constexpr double unsigned_ones[] = {3, 1, 0, 7, 7, 255, 128, 3, 2, 250, 1, 0, 127, 64, 192, 5};
  static constexpr double real[] = {1.5, -0.0, 0.0,  nan,    inf, -2.5, -inf, 1.5,
                                    0.0, 3.25, -0.0, 0.0625, nan, -2.5, 100,  -1};
  static constexpr double imaginary[] = {0, 2, -1, 1, nan, 0.5, 2, -3, 2, -0.0, nan, 0.5};
  std::vector<T> all;
  if constexpr (std::is_same_v<T, bool>) {
    std::vector<std::uint8_t> truth;
    for (std::int64_t i = 0; i < s.elements(); ++i) truth.push_back(i * 7 % 23 % 16 % 3 == 0);
    return array<bool>(astype<bool>(asarray(truth, s)));
  } else {
    for (std::int64_t i = 0; i < s.elements(); ++i) {
      const auto k = static_cast<std::size_t>(i * 7 % 23 % 16);
      if constexpr (detail::complex_number<T>)
        all.push_back({static_cast<typename T::value_type>(real[k]),
                       static_cast<typename T::value_type>(imaginary[static_cast<std::size_t>(i * 5 % 12)])});
      else if constexpr (!std::is_integral_v<T>) all.push_back(static_cast<T>(real[k]));
      else all.push_back(static_cast<T>(std::is_signed_v<T> ? signed_ones[k] : unsigned_ones[k]));
    }
    return asarray(all, s);
  }
}

constexpr const char* order_layouts[] = {"contiguous", "strided", "transposed", "broadcast", "three axes",    "empty",
                                         "no columns", "0-d",     "one",        "vector",    "strided vector"};

template <class T>
lazy<T> order_operand(const std::string& layout) {
  const auto n = [](const shape& s) { return unordered_numbers<T>(s); };
  if (layout == "contiguous") return n({4, 6});
  if (layout == "strided") return n({8, 12})(slice(_, _, 2), slice(_, _, -2));
  if (layout == "transposed") return n({6, 4}).T();
  if (layout == "broadcast") return broadcast_to(n({6}), {4, 6});
  if (layout == "three axes") return n({2, 17, 3});
  if (layout == "empty") return n({0, 6});
  if (layout == "no columns") return n({6, 0});
  if (layout == "0-d") return n({1}).reshape(shape{});
  if (layout == "one") return n({1, 1});
  if (layout == "vector") return n({40});
  return n({14})(slice(_, _, -2));
}

/// The line that a case has. Null: it is not compared.
inline const numpy_case* order_line(const std::string& name, dtype t, const std::string& layout) {
  static const std::map<std::string, numpy_case> all = read_numpy_cases("order.txt", 3);
  const auto at = all.find(name + '|' + sinter::name(t) + '|' + layout);
  return at == all.end() ? nullptr : &at->second;
}

/// Kernels are compiled for each layout, but on the interpreter: elsewhere a function of each dtype has some, in turn.
inline bool is_ordered_here(const std::string& name, dtype t, const std::string& layout) {
  if (takes_all_cases() || layout == "no columns") return true;
  const auto number = static_cast<unsigned>(name.size()) + static_cast<unsigned>(t);
  if (layout == "vector") return takes_in_turn(number);
  return (layout == "strided" && takes_in_turn(number)) || (layout == "three axes" && takes_in_turn(number + 1));
}

/// Checks what `f` gives of every layout. `tolerance`: how far it may be from NumPy's, of 1 or the larger number.
template <class T, class F>
void check_order_of(const char* name, F f, double tolerance = 0) {
  using R = typename decltype(f(order_operand<T>("one")))::sinter_element;
  bool is_there = false;
  for (const char* layout : order_layouts) {
    CAPTURE(std::string(name));
    CAPTURE(std::string(layout));
    CAPTURE(std::string(sinter::name(dtype_of<T>)));
    const numpy_case* const want = order_line(name, dtype_of<T>, layout);
    if (!want) continue;
    is_there = true;
    if (!is_ordered_here(name, dtype_of<T>, layout)) continue;
    const lazy<T> x = order_operand<T>(layout);
    try {
      if (want->refused) {
        CHECK_THROWS_AS((void)lazy<R>(f(x)).get(), error);
        continue;
      }
      const lazy<R> got(f(x));
      CHECK(got.shape() == shape(want->extents));
      const std::vector<double> elements = parts_in_order(got);
      REQUIRE(elements.size() == want->elements.size());
      for (std::size_t i = 0; i < elements.size(); ++i) {
        const double g = elements[i], w = want->elements[i];
        CAPTURE(i);
        if (std::isnan(w)) CHECK(std::isnan(g));
        else if (tolerance == 0 || std::isinf(w)) CHECK(g == w);
        else CHECK(std::abs(g - w) <= tolerance * std::max(1.0, std::abs(w)));
      }
    } catch (const error& e) {
      FAIL_CHECK(std::string(e.what()));
    }
  }
  CHECK_MESSAGE(is_there, std::string(name), " of ", std::string(sinter::name(dtype_of<T>)));
}

}  // namespace sinter::test
