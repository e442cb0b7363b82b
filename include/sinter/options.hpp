// How to reduce: axes, keepdims, ddof.
#pragma once

#include <initializer_list>
#include <type_traits>

#include <sinter/detail/seam.hpp>

namespace sinter {

/// The axes of a reduction: `1`, `-1`, `{0, 2}`, or none for all of them.
class axes {
 public:
  constexpr axes() = default;
  constexpr axes(int axis) : list_{1, {checked(axis)}} {}
  constexpr axes(std::initializer_list<int> several) {
    list_.count = 0;
    for (int a : several) {
      if (list_.count == max_rank) break;  // more axes than any array has: make_reduction reports the repeated one
      list_.axes[list_.count++] = checked(a);
    }
  }
  constexpr const detail::axis_list& list() const { return list_; }

 private:
  static constexpr std::int8_t checked(int a) { return static_cast<std::int8_t>(a < -128 ? -128 : a > 127 ? 127 : a); }
  detail::axis_list list_;
};

namespace detail {
/// A bool and nothing that converts to one, so that `sum(a, {0, 1})` is refused.
struct truth {
  template <class B>
  constexpr truth(B given) : value(given) {
    static_assert(std::is_same_v<B, bool>,
                  "sinter: keepdims is true or false; several axes are written {.axis = {0, 2}}");
  }
  constexpr operator bool() const { return value; }
  bool value;
};
}  // namespace detail

/// How to reduce. The order of the members is fixed: `sum(a, {.axis = 1, .keepdims = true})`.
struct reduce_options {
  axes axis = {};                  ///< all axes where not given
  detail::truth keepdims = false;  ///< reduced axes stay with extent one
  int ddof = 0;                    ///< var, stddev: the divisor is n - ddof
};

}  // namespace sinter
