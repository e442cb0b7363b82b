// Shapes: a small fixed container of extents that prints as NumPy prints one.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <type_traits>
#include <utility>

#include <sinter/detail/config.hpp>

namespace sinter {

/// Arrays have at most this many axes.
inline constexpr int max_rank = 8;

namespace detail {
/// Contiguous memory of the host, as std::vector and std::span have it. An array's elements may be elsewhere.
template <class X>
concept host_range = requires(const X& x) {
  x.data();
  x.size();
}
&&!requires { typename X::sinter_element; };
/// Are they integers, and no characters? No concept, which compilers would explain at length.
template <class X>
inline constexpr bool holds_integers = false;
template <host_range X>
inline constexpr bool holds_integers<X> =
    std::is_integral_v<std::remove_cvref_t<decltype(*std::declval<const X&>().data())>> &&
    sizeof(*std::declval<const X&>().data()) > 1;
/// A vector, a span or a `std::array` of any integer type.
template <class X>
concept integer_range = holds_integers<X>;
}  // namespace detail

/// The extents of an array. Prints as `(2, 3)`. Invariant: the elements can be counted, and their bytes too; a shape of more is
/// not made, and extents that were written are checked where the library takes them. So every product of extents is a plain one.
class shape {
 public:
  constexpr shape() = default;
  /// Errors: `shape_error` for more than `max_rank` axes, a negative extent, or more elements than can be counted.
  template <class Int>
  shape(std::initializer_list<Int> extents) : shape(extents.begin(), static_cast<int>(extents.size())) {}
  template <class Int>
  shape(const Int* extents, int count) {
    check_rank(count);
    for (int d = 0; d < count; ++d) extents_[d] = static_cast<std::int64_t>(extents[d]);
    rank_ = static_cast<std::int8_t>(count);
    check();
  }
  /// Extents of several integer types: `{a.size(), 3}`.
  shape(std::initializer_list<std::int64_t> extents) : shape(extents.begin(), static_cast<int>(extents.size())) {}
  /// One axis, as NumPy takes a number for a shape.
  shape(int extent) : shape{static_cast<std::int64_t>(extent)} {}
  shape(std::int64_t extent) : shape{extent} {}
  shape(std::size_t extent) : shape{static_cast<std::int64_t>(extent)} {}

  /// What none is made of.
  template <class X>
    requires(std::is_floating_point_v<X> || requires { typename X::sinter_element; })
  shape(const X&) {
    static_assert(!std::is_floating_point_v<X>, "sinter: a shape is made of integers");
    static_assert(std::is_floating_point_v<X>,
                  "sinter: an array is no shape; a.shape() and zeros_like(a) have that of a");
  }

  /// Extents that are known at run time: a `std::vector<int>`, a span.
  template <detail::host_range Extents>
  shape(const Extents& extents) : shape(extents.data(), static_cast<int>(extents.size())) {
    static_assert(detail::holds_integers<Extents>, "sinter: a shape is made of integers");
  }

  constexpr int size() const { return rank_; }
  /// The extent of an axis; a negative one counts from the last.
  constexpr std::int64_t operator[](int axis) const { return extents_[axis < 0 ? axis + rank_ : axis]; }
  constexpr const std::int64_t* begin() const { return extents_; }
  constexpr const std::int64_t* end() const { return extents_ + rank_; }

  /// The number of elements: the product of the extents.
  constexpr std::int64_t elements() const {
    std::int64_t n = 1;
    for (std::int64_t e : *this) n *= e;
    return n;
  }

  friend constexpr bool operator==(const shape& a, const shape& b) {
    if (a.rank_ != b.rank_) return false;
    for (const std::int64_t *x = a.begin(), *y = b.begin(); x != a.end(); ++x, ++y)
      if (*x != *y) return false;
    return true;
  }

  /// Library use: writable extents; `set_size` sets the rank. `check` is for extents that may have grown. Errors: `shape_error`.
  constexpr std::int64_t& operator[](int axis) { return extents_[axis < 0 ? axis + rank_ : axis]; }
  constexpr void set_size(int rank) {
    if (rank > max_rank) check_rank(rank);
    rank_ = static_cast<std::int8_t>(rank);
  }
  SINTER_API void check() const;

 private:
  SINTER_API static void check_rank(int count);

  std::int64_t extents_[max_rank] = {};
  std::int8_t rank_ = 0;
};

SINTER_API std::ostream& operator<<(std::ostream&, const shape&);

}  // namespace sinter
