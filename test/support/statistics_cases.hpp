// Operands of golden_statistics.py, and what NumPy gives of them: the lines of test/numpy/golden/statistics.txt.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "test/support/all_cases.hpp"
#include "test/support/numpy_cases.hpp"

namespace sinter::test {

template <class T>
inline constexpr bool is_real = !detail::complex_number<T>;
/// Has it room for what these cases add up?
template <class T>
inline constexpr bool is_wide = sizeof(T) >= 4;

/// `numbers` of that file.
template <class T>
array<T> some_numbers(const shape& s, bool with_nan) {
  const array<std::int64_t> i = arange(s.elements());
  const array<double> k = astype<double>(i * 7 % 19 - 9);
  if constexpr (std::is_integral_v<T>) return astype<T>(k).reshape(s);
  else {
    const double none = std::numeric_limits<double>::quiet_NaN();
    const array<double> x = where(with_nan && i % 5 == 3, none, k * 0.5);
    if constexpr (detail::complex_number<T>) return make_complex(x, astype<double>(i * 5 % 7 - 3) * 0.25).reshape(s);
    else return astype<T>(x).reshape(s);
  }
}

constexpr const char* statistics_layouts[] = {"contiguous", "strided", "transposed", "broadcast",     "empty",
                                              "0-d",        "one",     "vector",     "strided vector"};

template <class T>
lazy<T> statistics_operand(const std::string& layout, bool with_nan) {
  const auto n = [&](const shape& s) { return some_numbers<T>(s, with_nan); };
  if (layout == "contiguous") return n({4, 6});
  if (layout == "strided") return n({8, 12})(slice(_, _, 2), slice(_, _, -2));
  if (layout == "transposed") return n({6, 4}).T();
  if (layout == "broadcast") return broadcast_to(n({6}), {4, 6});
  if (layout == "empty") return n({0, 6});
  if (layout == "0-d") return n({1}).reshape(shape{});
  if (layout == "one") return n({1, 1});
  if (layout == "vector") return n({7});
  return n({14})(slice(_, _, -2));
}

/// The line that a case has. Null: it is not compared.
inline const numpy_case* statistics_line(const std::string& name, dtype t, const std::string& layout) {
  static const std::map<std::string, numpy_case> all = read_numpy_cases("statistics.txt", 3);
  const auto at = all.find(name + '|' + sinter::name(t) + '|' + layout);
  return at == all.end() ? nullptr : &at->second;
}

/// How far a result may be from NumPy's, which rounds in another order: for numbers of 16 bits at every operation.
template <class T>
double statistics_tolerance() {
  if constexpr (std::is_integral_v<T>) return 1e-13;
  else if constexpr (detail::short_number<T>) return 4e-2;
  else return sizeof(T) == 4 ? 1e-5 : 1e-12;
}
inline bool is_near(double got, double want, double scale, double tolerance) {
  if (std::isnan(want) || std::isinf(want)) return std::isnan(want) ? std::isnan(got) : got == want;
  return std::abs(got - want) <= tolerance * std::max(scale, std::abs(want));
}

template <class T, class R>
void check_statistics(const numpy_case& want, const lazy<R>& got) {
  CHECK(got.shape() == shape(want.extents));
  const std::vector<double> elements = parts_in_order(got);
  REQUIRE(elements.size() == want.elements.size());
  for (std::size_t i = 0; i < elements.size(); ++i)
    if (!is_near(elements[i], want.elements[i], 1, statistics_tolerance<T>())) {
      CAPTURE(i);
      CHECK(elements[i] == want.elements[i]);
    }
}

/// What of the cases is compared of a layout.
struct compared {
  bool alone, fused;
};

/// All of it where all cases are taken. Elsewhere kernels are compiled for each layout: there each function has, of each dtype, one of
/// what is below, in turn, and the CPU another one than a GPU; and what is empty, which has no kernel.
inline compared compared_here(const std::string& name, dtype t, const std::string& layout) {
  if (takes_all_cases()) return {true, layout == "contiguous" || layout == "vector"};
  if (layout == "empty") return {true, false};
  constexpr std::pair<const char*, bool> turns[] = {{"strided", false}, {"vector", false}, {"vector", true}};
  unsigned turn = turn_of(static_cast<unsigned>(t));
  for (const char c : name) turn += static_cast<unsigned char>(c);
  for (unsigned i = turn;; ++i) {
    const auto& [of, is_fused] = turns[i % 3];
    if (!statistics_line(name, t, of) && i < turn + 2) continue;  // a function may have only one of them
    return {layout == of && !is_fused, layout == of && is_fused};
  }
}

/// Checks what `f` gives of every layout: of an operand, and of an expression, with whose work it is fused.
template <class T, class F>
void check_layouts_of(const char* name, F f, bool with_nan = false) {
  using R = typename decltype(f(statistics_operand<T>("one", false)))::sinter_element;
  bool is_there = false;
  for (const char* layout : statistics_layouts) {
    CAPTURE(std::string(name));
    CAPTURE(std::string(layout));
    CAPTURE(std::string(sinter::name(dtype_of<T>)));
    const numpy_case* const want = statistics_line(name, dtype_of<T>, layout);
    if (!want) continue;
    is_there = true;
    const compared here = compared_here(name, dtype_of<T>, layout);
    if (!here.alone && !here.fused) continue;
    const lazy<T> x = statistics_operand<T>(layout, with_nan), same(astype<T>(x + T(0)));
    try {
      if (want->refused) {
        CHECK_THROWS_AS((void)lazy<R>(f(x)).get(), error);
      } else {
        if (here.alone) check_statistics<T>(*want, lazy<R>(f(x)));
        if (here.fused) check_statistics<T>(*want, lazy<R>(f(same)));
      }
    } catch (const error& e) {
      FAIL_CHECK(std::string(e.what()));
    }
  }
  CHECK_MESSAGE(is_there, std::string(name), " of ", std::string(sinter::name(dtype_of<T>)));
}

}  // namespace sinter::test
