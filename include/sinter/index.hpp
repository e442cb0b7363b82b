// Index lists: `a(1, slice(2, 5), slice(_, _, -1), newaxis, ellipsis, 0)` is NumPy's `a[1, 2:5, ::-1, None, ..., 0]`.
#pragma once

#include <concepts>

#include <sinter/detail/refuse.hpp>
#include <sinter/detail/seam.hpp>

namespace sinter {

namespace detail {
struct all_tag {};
struct newaxis_tag {};
struct ellipsis_tag {};

template <class X>
concept slice_bound = std::same_as<X, all_tag> || std::integral<X>;

template <class X>
concept index_object = std::same_as<X, all_tag> || std::same_as<X, newaxis_tag> || std::same_as<X, ellipsis_tag> ||
    std::same_as<X, index_item>;

// `a[1, _]` would be C++'s comma operator and quietly mean `a[_]`.
template <class X, class Y>
  requires(index_object<std::remove_cvref_t<X>> || index_object<std::remove_cvref_t<Y>>)
all_tag operator,(X&&, Y&&) {
  static_assert(never<X>, "sinter: a[i, j] is a[j] in C++; write a(i, j)");
  return {};
}
}  // namespace detail

/// The whole of an axis (`:`), or a bound left out of a slice.
inline constexpr detail::all_tag _{};
/// A new axis of extent one (`None`).
inline constexpr detail::newaxis_tag newaxis{};
/// As many whole axes as are missing (`...`).
inline constexpr detail::ellipsis_tag ellipsis{};

/// `start:stop:step`, the stop excluded; negative bounds count from the end and are clipped as in Python. Errors: `index_error`
/// for a step of zero, when the index is used. Source: Python's slice.
template <detail::slice_bound A, detail::slice_bound B>
constexpr detail::index_item slice(A start, B stop, std::int64_t step = 1) {
  detail::index_item item{detail::index_item::range};
  if constexpr (std::integral<A>) item.has_start = true, item.start = static_cast<std::int64_t>(start);
  if constexpr (std::integral<B>) item.has_stop = true, item.stop = static_cast<std::int64_t>(stop);
  item.step = step;
  return item;
}
/// `:stop`.
constexpr detail::index_item slice(std::int64_t stop) { return slice(_, stop); }

namespace detail {

constexpr index_item to_index(all_tag) { return {index_item::all}; }
constexpr index_item to_index(newaxis_tag) { return {index_item::new_axis}; }
constexpr index_item to_index(ellipsis_tag) { return {index_item::rest}; }
constexpr index_item to_index(index_item item) { return item; }
template <std::integral Int>
constexpr index_item to_index(Int i) {
  index_item item{index_item::integer};
  item.start = static_cast<std::int64_t>(i);
  return item;
}
template <class X>
constexpr index_item to_index(X) {
  static_assert(never<X>, "sinter: an index is an integer, a slice, _, newaxis or ellipsis");
  return {};
}
template <class X>
concept index = requires(X x) {
  to_index(x);
};

/// A slice literal, read at compile time.
struct slice_literal {
  index_item item{index_item::range};
  enum { fine, letters, colons, no_colon } wrong = fine;

  template <std::size_t size>
  consteval slice_literal(const char (&text)[size]) {
    std::int64_t numbers[3] = {0, 0, 1};
    bool given[3] = {};
    int part = 0;
    bool negative = false;
    for (std::size_t i = 0; i + 1 < size; ++i) {
      const char c = text[i];
      if (c == ':') {
        if (part < 2) ++part;
        else wrong = colons;
        negative = false;
      } else if (c == '-') {
        negative = true;
      } else if (c >= '0' && c <= '9') {
        const std::int64_t before = given[part] ? numbers[part] : 0;
        numbers[part] = before * 10 + (negative ? '0' - c : c - '0');
        given[part] = true;
      } else if (c != ' ') {
        wrong = letters;
      }
    }
    if (part == 0 && wrong == fine) wrong = no_colon;
    item.has_start = given[0], item.start = numbers[0];
    item.has_stop = given[1], item.stop = numbers[1];
    item.step = numbers[2];
  }
};

}  // namespace detail

/// `"1:5:2"_s` is `slice(1, 5, 2)`, checked when the program is compiled.
template <detail::slice_literal read>
consteval detail::index_item operator""_s() {
  static_assert(read.wrong != read.letters, "sinter: a slice is numbers and colons, as in \"1:5:2\"_s");
  static_assert(read.wrong != read.colons, "sinter: a slice has at most two colons");
  static_assert(read.wrong != read.no_colon, "sinter: a slice has a colon; write an index as a number");
  return read.item;
}

}  // namespace sinter
