// Truth as bits of bytes, and back. Lazy. Not in sinter.hpp.
#pragma once

#include <sinter/pad.hpp>
#include <sinter/reduce.hpp>
#include <sinter/views.hpp>

namespace sinter {

/// Which bit of a byte is the first of eight elements.
enum class bit_order : unsigned char { big, little };

namespace detail {

/// The shifts of the bits of a byte, in order.
inline lazy<std::uint8_t> bit_shifts(bit_order order) {
  const lazy<std::int64_t> i(make_iota(shape{8}, 0));
  return lazy<std::uint8_t>(astype<std::uint8_t>(order == bit_order::big ? lazy<std::int64_t>(7 - i) : i));
}
/// The last axis as so many groups of `each`, or two axes as one where that is 0.
template <class E>
auto regrouped(const E& e, std::int64_t each) {
  shape s = e.shape();
  const int last = s.size() - 1;
  if (each == 0) {
    s[last - 1] *= s[last];
    s.set_size(last);
  } else {
    s.set_size(last + 2);
    s[last] /= each;
    s[last + 1] = each;
  }
  return e.reshape(s);
}

}  // namespace detail

/// Eight elements as the bits of one byte, along an axis: what is not zero is a bit that is set, and what is missing of the last
/// eight is zero. Shapes: an eighth of the axis, rounded up. Dtypes: uint8. Errors: `shape_error`. Source: numpy.packbits.
template <detail::expression E>
lazy<std::uint8_t> packbits(const E& e, detail::integer axis, bit_order order = bit_order::big) {
  const lazy<bool> truth = moveaxis(lazy<bool>(e != 0), std::int64_t(axis), -1);
  shape widths = truth.shape();
  const int last = widths.size() - 1;
  pad_width at_end[max_rank] = {};
  at_end[last].after = (8 - widths[last] % 8) % 8;
  const lazy<bool> whole = pad(truth, pad_widths(std::vector<pad_width>(at_end, at_end + last + 1)), false);
  const auto bits = astype<std::uint8_t>(detail::regrouped(whole, 8)) << detail::bit_shifts(order);
  return moveaxis(lazy<std::uint8_t>(sum<std::uint8_t>(bits, {.axis = -1})), -1, std::int64_t(axis));
}
/// Of the flattened elements.
template <detail::expression E>
lazy<std::uint8_t> packbits(const E& e) {
  return packbits(ravel(e), 0);
}
template <detail::expression E>
lazy<std::uint8_t> packbits(const E& e, bit_order order) {
  return packbits(ravel(e), 0, order);
}
/// Every bit of bytes as an element that is 0 or 1, along an axis. Shapes: eight times the axis. Dtypes: uint8 to uint8. Errors:
/// `shape_error`. Source: numpy.unpackbits.
template <detail::expression E>
lazy<std::uint8_t> unpackbits(const E& e, detail::integer axis, bit_order order = bit_order::big) {
  static_assert(std::is_same_v<detail::element_in<E>, std::uint8_t>,
                "sinter: unpackbits takes an array of std::uint8_t");
  const lazy<std::uint8_t> bytes = moveaxis(lazy<std::uint8_t>(e.share()), std::int64_t(axis), -1);
  const lazy<std::uint8_t> bits((bytes(ellipsis, newaxis) >> detail::bit_shifts(order)) & 1);
  return moveaxis(lazy<std::uint8_t>(detail::regrouped(bits, 0)), -1, std::int64_t(axis));
}
/// Of the flattened elements.
template <detail::expression E>
lazy<std::uint8_t> unpackbits(const E& e) {
  return unpackbits(ravel(e), 0);
}
template <detail::expression E>
lazy<std::uint8_t> unpackbits(const E& e, bit_order order) {
  return unpackbits(ravel(e), 0, order);
}

}  // namespace sinter
