// Truth as bits of bytes, and back. Lazy. Not in sinter.hpp.
#pragma once

#include <sinter/pad.hpp>
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
/// Zeros behind the last axis, up to a multiple of eight.
inline lazy<bool> with_whole_bytes(const lazy<bool>& e) {
  const shape s = e.shape();
  const int last = s.size() - 1;
  if (s[last] % 8 == 0) return e;
  std::vector<pad_width> widths(static_cast<std::size_t>(last) + 1);
  widths.back().after = 8 - s[last] % 8;
  return pad(e, pad_widths(widths), false);
}

}  // namespace detail

/// Eight elements as the bits of one byte, along an axis: what is not zero is a bit that is set, and what is missing of the last
/// eight is zero. Shapes: an eighth of the axis, rounded up. Dtypes: uint8. Errors: `shape_error`. Source: numpy.packbits.
template <detail::expression E>
lazy<std::uint8_t> packbits(const E& e, detail::integer axis, bit_order order = bit_order::big) {
  const lazy<bool> truth = moveaxis(lazy<bool>(astype<bool>(e)), std::int64_t(axis), -1);
  const lazy<bool> whole = detail::with_whole_bytes(truth);
  const bool is_big = order == bit_order::big;
  lazy<std::uint8_t> bytes = astype<std::uint8_t>(whole(ellipsis, slice(is_big ? 0 : 7, _, 8)));
  for (int i = 1; i < 8; ++i)  // eight views, as a fold of eight elements is slower
    bytes = bytes + bytes + astype<std::uint8_t>(whole(ellipsis, slice(is_big ? i : 7 - i, _, 8)));
  return moveaxis(bytes, -1, std::int64_t(axis));
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
  const lazy<std::uint8_t> bits((ravel(bytes)(_, newaxis) >> detail::bit_shifts(order)) & 1);
  shape s = bytes.shape();
  s[s.size() - 1] *= 8;
  return moveaxis(lazy<std::uint8_t>(bits.reshape(s)), -1, std::int64_t(axis));
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
