// Arrays and expressions with elements put around them: lazy, in the kernel of what uses them.
#pragma once

#include <sinter/views.hpp>

namespace sinter {

/// What pad puts around an array. `constant`: a number; `empty`: no matter what, zeros here; `edge`: the outermost element; `wrap`:
/// what lies at the other end; `reflect` and `symmetric`: what lies inside the edge, seen in a mirror that stands on the last
/// element or behind it; `linear_ramp`: steps from the edge to a number; `maximum`, `mean`, `median`, `minimum`: of the elements along the
/// axis.
enum class pad_mode : unsigned char {
  edge,
  wrap,
  reflect,
  symmetric,
  constant,
  empty,
  linear_ramp,
  maximum,
  mean,
  median,
  minimum
};
/// Do the modes reflect and symmetric repeat what is in the mirror, or go on as far beyond the edge as that is before it?
enum class reflect_type : unsigned char { even, odd };

/// Something for the elements before an axis, and for those after it.
template <class Number>
struct pad_pair {
  Number before, after;
};
using pad_width = pad_pair<std::int64_t>;

/// The same everywhere, `{before, after}` for every axis, or one such for each.
template <class Number>
class pad_pairs {
 public:
  template <class X>
    requires(!std::same_as<X, pad_pair<Number>> && !detail::host_range<X>)
  constexpr pad_pairs(X everywhere) : count_(1) {
    if constexpr (std::same_as<Number, std::int64_t>) pairs_[0].before = detail::integer(everywhere);
    else pairs_[0].before = everywhere;
    pairs_[0].after = pairs_[0].before;
  }
  template <class X, class Y>
    requires std::convertible_to<X, Number> && std::convertible_to<Y, Number>
  constexpr pad_pairs(X before, Y after)
      : count_(1), pairs_{{static_cast<Number>(before), static_cast<Number>(after)}} {}
  constexpr pad_pairs(pad_pair<Number> each) : count_(1), pairs_{each} {}
  constexpr pad_pairs(std::initializer_list<pad_pair<Number>> each) : pad_pairs(each.begin(), each.size()) {}
  /// A list made at run time: a `std::vector<pad_width>`.
  template <detail::host_memory<const pad_pair<Number>*> List>
  constexpr pad_pairs(const List& each) : pad_pairs(each.data(), each.size()) {}
  constexpr int size() const { return count_; }
  /// Of an axis.
  constexpr const pad_pair<Number>& operator[](int axis) const { return pairs_[count_ == 1 ? 0 : axis]; }

 private:
  constexpr pad_pairs(const pad_pair<Number>* each, std::size_t count) : count_(static_cast<int>(count)) {
    for (int d = 0; d < count_ && d < max_rank; ++d) pairs_[d] = each[d];
  }

  int count_;
  pad_pair<Number> pairs_[max_rank] = {};
};
/// How many elements pad puts around: as many everywhere, `{before, after}` for every axis, or one such for each.
using pad_widths = pad_pairs<std::int64_t>;

/// What modes of pad need to know beside the widths.
struct pad_options {
  pad_pairs<double> constant_values = 0;  ///< of mode constant
  pad_pairs<double> end_values = 0;       ///< of mode linear_ramp: what the outermost elements are
  pad_widths stat_length = -1;  ///< of maximum, mean, median and minimum: of so many elements from the edge; -1: of all
  sinter::reflect_type reflect_type = sinter::reflect_type::even;  ///< of reflect and symmetric
};

namespace detail {
SINTER_API node* make_padded(node*, const pad_widths&, scalar_bits around);
SINTER_API node* make_padded(node*, const pad_widths&, pad_mode, const pad_options&);
}  // namespace detail

/// With a number around it. Dtypes: the number becomes one of the array's, as at a store. Errors: `shape_error`. Source:
/// numpy.pad of mode constant.
template <detail::expression E, detail::scalar_operand V = int>
auto pad(E&& e, const pad_widths& widths, V around = 0) {
  using T = detail::element_in<E>;
  return lazy<T>(detail::make_padded(detail::node_of(std::forward<E>(e)).get(), widths,
                                     detail::to_bits(detail::stored_scalar<T>(around))));
}
/// With elements of its own around it, or numbers that differ from side to side: `pad(a, 2, pad_mode::maximum, {.stat_length = 3})`.
/// Dtypes: the array's; what is computed is converted as NumPy does it. Errors: `shape_error` for a width or a length that is
/// negative, and for an axis without elements to go by. Source: numpy.pad.
template <detail::expression E>
auto pad(E&& e, const pad_widths& widths, pad_mode mode, const pad_options& how = {}) {
  return lazy<detail::element_in<E>>(detail::make_padded(detail::node_of(std::forward<E>(e)).get(), widths, mode, how));
}
template <detail::expression E, class T>
  requires detail::is_quoted<T> detail::refused<double, detail::fault::text, E> pad(E&&, const pad_widths&, const T&);

}  // namespace sinter
