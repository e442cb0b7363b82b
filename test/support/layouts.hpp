// Operands of every layout, and what NumPy gives of them: the lines of test/numpy/golden/shapes.txt.
#pragma once

#include <string_view>

#include "test/support/all_cases.hpp"
#include "test/support/numpy_cases.hpp"

namespace sinter::test {

/// The operand of golden_shapes.py of that name, of which a lazy holds the array where it is one.
template <class T>
lazy<T> operand(const std::string& layout) {
  const auto numbers = [](std::int64_t count, int by, int modulo) { return astype<T>(arange(count) * by % modulo); };
  const array<T> box = numbers(24, 5, 19).reshape(2, 3, 4);
  if (layout == "contiguous") return box;
  if (layout == "strided")
    return array<T>(numbers(108, 7, 23).reshape(4, 3, 9))(slice(_, _, 2), slice(_, _, -1), slice(1, _, 2));
  if (layout == "transposed") return box.T();
  if (layout == "broadcast") return broadcast_to(astype<T>(array<int>{7, 0, 3, 1}), {2, 3, 4});
  if (layout == "empty") return box(_, slice(0));
  if (layout == "0-d") return array<T>(full<T>({}, T(6)));
  if (layout == "one") return array<T>(full<T>({1, 1, 1}, T(9)));
  if (layout == "vector") return array<T>(astype<T>(array<int>{0, 3, 0, 5, 2, 0}));
  return array<T>(astype<T>(array<int>{{0, 0, 0, 0}, {0, 4, 0, 2}, {0, 0, 1, 0}}));
}

/// The line of the golden file that a case has for a layout or a dtype.
inline const numpy_case& line_of(const std::string& name, const std::string& layout) {
  static const std::map<std::string, numpy_case> all = read_numpy_cases("shapes.txt", 2);
  const auto at = all.find(name + '|' + layout);
  REQUIRE(at != all.end());
  return at->second;
}

template <class T>
std::vector<double> as_stored(const std::vector<double>& numbers) {
  std::vector<double> all;
  for (double x : numbers) all.push_back(static_cast<double>(static_cast<T>(x)));
  return all;
}

/// Checks what `f` gives of an operand: of an array, of an expression, with whose work it is fused, or of both.
template <class T, class F>
void check_operand(const char* name, const std::string& layout, const lazy<T>& x, F f, bool alone = true,
                   bool fused = true) {
  using R = typename decltype(f(x))::sinter_element;
  CAPTURE(std::string(name));
  CAPTURE(layout);
  CAPTURE(std::string(sinter::name(dtype_of<T>)));
  const numpy_case& want = line_of(name, layout);
  if (want.refused) {
    CHECK_THROWS_AS((void)lazy<R>(f(x)).get(), error);
    return;
  }
  const auto check = [&](const lazy<R>& got) {
    CHECK(got.shape() == shape(want.extents));
    CHECK(astype<double>(got).get() == as_stored<R>(want.elements));
  };
  try {
    if (alone) check(f(x));
    if (fused) check(f(lazy<T>(astype<T>(x + T(0)))));
  } catch (const error& e) {
    FAIL_CHECK(std::string(e.what()));
  }
}

/// The same of each operand. Where kernels are compiled, one dtype has every layout, alone on the CPU and fused on a GPU or the
/// other way round: what moves elements of one size or another is alike.
template <class T, class F>
void check_layouts(const char* name, F f) {
  unsigned number = static_cast<unsigned>(std::string_view(name).size());
  for (const char* layout :
       {"contiguous", "strided", "transposed", "broadcast", "empty", "0-d", "one", "vector", "matrix"}) {
    ++number;
    if (takes_all_cases() || std::same_as<T, std::int16_t> || std::string_view(layout) == "strided")
      check_operand<T>(name, layout, operand<T>(layout), f, takes_in_turn(number), takes_in_turn(number + 1));
  }
}

}  // namespace sinter::test
