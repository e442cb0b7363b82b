// Index lists: `a(1, slice(2, 5), slice(_, _, -1), newaxis, ellipsis, 0)` is NumPy's `a[1, 2:5, ::-1, None, ..., 0]`.
#pragma once

#include <concepts>

#include <sinter/detail/operand.hpp>
#include <sinter/detail/refuse.hpp>
#include <sinter/detail/seam.hpp>

namespace sinter {

namespace detail {

/// What may stand in an index list beside integers.
struct index_entry {};
struct all_tag : index_entry {};
struct newaxis_tag : index_entry {};
struct ellipsis_tag : index_entry {};

template <class X>
concept index_object = std::derived_from<std::remove_cvref_t<X>, index_entry>;

// `a[1, _]` would be C++'s comma operator and quietly mean `a[_]`.
template <class X, class Y>
  requires(index_object<X> || index_object<Y>)
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

namespace detail {

/// An index as a number with a sign. No array is as long as what that has no room for.
template <class Int>
constexpr std::int64_t signed_index(Int i) {
  const std::int64_t number = integer_or_0(i);
  return i > Int() && number < 0 ? std::int64_t{0x7fffffffffffffff} : number;
}

}  // namespace detail

/// `start:stop:step`, the stop excluded; negative bounds count from the end and are clipped as in Python. Errors: `index_error`
/// for a step of zero, when the index is used. Source: Python's slice.
class slice : public detail::index_entry {
 public:
  /// An integer, or `_` where it is left out.
  class bound {
   public:
    constexpr bound(detail::all_tag) {}
    template <class Int>
    constexpr bound(Int at) : given_(true), at_(detail::signed_index(at)) {
      static_assert(std::is_integral_v<Int>, "sinter: a bound of a slice is an integer or _");
    }
    constexpr bool given() const { return given_; }
    constexpr std::int64_t value_or(std::int64_t otherwise) const { return given_ ? at_ : otherwise; }

   private:
    bool given_ = false;
    std::int64_t at_ = 0;
  };

  /// `:stop`.
  constexpr explicit slice(bound stop) : slice(_, stop) {}
  constexpr slice(bound start, bound stop, bound step = _)
      : item_{step.value_or(1) == 1 ? detail::index_item::range : detail::index_item::steps,
              start.given(),
              stop.given(),
              start.value_or(0),
              stop.value_or(detail::index_item::whole),
              step.value_or(1)} {}

  constexpr bound start() const { return item_.has_start ? bound(item_.start) : bound(_); }
  constexpr bound stop() const { return item_.has_stop ? bound(item_.stop) : bound(_); }
  constexpr std::int64_t step() const { return item_.step; }
  /// Library use.
  constexpr const detail::index_item& item() const { return item_; }

 private:
  detail::index_item item_;
};

namespace detail {

constexpr index_item index_of_kind(index_item::kind what) { return {what, false, false, 0, 0, 1}; }
constexpr index_item to_index(all_tag) { return index_of_kind(index_item::all); }
constexpr index_item to_index(newaxis_tag) { return index_of_kind(index_item::new_axis); }
constexpr index_item to_index(ellipsis_tag) { return index_of_kind(index_item::rest); }
constexpr const index_item& to_index(const slice& s) { return s.item(); }
template <std::integral Int>
constexpr index_item to_index(Int i) {
  return {index_item::integer, true, false, signed_index(i), 0, 1};
}
template <class X>
concept one_index = (std::integral<X> && !std::same_as<X, bool>) || index_object<X>;

}  // namespace detail

/// Any one index: an integer, a slice, `_`, newaxis or ellipsis. A list of them that is made at run time, such as a
/// `std::vector<any_index>`, is an index list: `a(list)`.
class any_index : public detail::index_entry {
 public:
  template <detail::one_index Index>
  constexpr any_index(const Index& i) : item_(detail::to_index(i)) {}
  /// Library use.
  constexpr const detail::index_item& item() const { return item_; }

 private:
  detail::index_item item_;
};

namespace detail {

constexpr const index_item& to_index(const any_index& i) { return i.item(); }

template <class X>
concept run_time_list = requires(const X& x) {
  { x.data() } -> std::convertible_to<const any_index*>;
  x.size();
};
template <class X>
concept index = one_index<X> || run_time_list<X>;

/// The entries of an index list. Only as many as there are have a value.
struct index_list {
  static constexpr int capacity = 2 * max_rank + 1;  // an index and a new axis for each axis, and an ellipsis
  int count = 0;
  index_item items[capacity];

  template <class... Index>
  explicit index_list(const Index&... index) {
    (append(index), ...);
  }
  index_list(const index_list& other) : count(other.count) {
    for (int i = 0; i < count; ++i) items[i] = other.items[i];
  }

  template <class X>
  void append(const X& x) {
    if constexpr (run_time_list<X>) {
      for (std::size_t i = 0; i < x.size(); ++i) append(x.data()[i]);
    } else {
      if (count == capacity) throw_too_many_indices();
      if constexpr (std::same_as<X, index_item>) items[count++] = x;
      else items[count++] = to_index(x);
    }
  }
};

/// Stands where an index list was wanted and a list in braces is given.
struct no_braces {
  template <class... X>
  no_braces(const X&...) {
    static_assert(never<X...>,
                  "sinter: an index list stands in the parentheses alone: a(1, 2); what picks elements is an array: "
                  "a(array{0, 2})");
  }
};
/// Stands where one index was wanted and a list in braces is given.
struct no_list_of_indices {
  template <class X>
  no_list_of_indices(std::initializer_list<X>) {
    static_assert(never<X>, "sinter: a list of indices among others is an array: a(_, array{0, 2})");
  }
};

/// An array or an expression of integers, which stands for the elements that it names.
template <class X>
concept index_array = requires {
  requires std::integral<typename std::remove_cvref_t<X>::sinter_element>;
  requires !std::same_as<typename std::remove_cvref_t<X>::sinter_element, bool>;
};
/// An array or an expression of truth values.
template <class X>
concept mask_array = std::same_as < typename std::remove_cvref_t<X>::sinter_element,
bool > ;
template <class X>
concept index_or_mask = index_array<X> || mask_array<X>;
/// Several arrays of integers, one for each axis: what `nonzero`, `ix_` or `unravel_index` give.
template <class X>
concept index_arrays = !index_array<X> && requires(const X& x) {
  requires index_array<decltype(*x.data())>;
  x.size();
};
template <class X>
concept picking_index = index_or_mask<X> || index_arrays<X>;
/// A mask alone.
template <class... X>
inline constexpr bool one_mask = false;
template <mask_array X>
inline constexpr bool one_mask<X> = true;
/// An index list with such arrays in it. A mask among others stands for the places where it is true.
template <class... X>
concept picks = ((index<std::remove_cvref_t<X>> || picking_index<X>)&&...) && (picking_index<X> || ...) &&
                !one_mask<X...>;

/// The entries of such a list, and the arrays. Of temporaries it takes what they hold.
class pick_list {
 public:
  template <class... X>
    requires picks<X...>
  explicit pick_list(X&&... x) { (append(std::forward<X>(x)), ...); }
  picking list() const { return {list_.items, list_.count, nodes_, arrays_}; }
  void let_go() {
    for (handle& h : held_) h = {};
  }
  node* view_of(node* n) const { return make_picked(n, list()); }

 private:
  template <class X>
  void append(X&& x) {
    if constexpr (index_array<X>) {
      take(handle(take_node(std::forward<X>(x))));
    } else if constexpr (index_arrays<X>) {
      for (std::size_t i = 0; i < x.size(); ++i) append(x.data()[i]);
    } else if constexpr (mask_array<X>) {
      take_mask(handle(take_node(std::forward<X>(x))));
    } else {
      list_.append(x);
    }
  }
  void take(handle indices, std::int64_t mask_extent = -1) {
    if (arrays_ == max_rank) throw_too_many_indices();
    list_.append(index_item{index_item::integers, false, mask_extent >= 0, arrays_, mask_extent, 1});
    held_[arrays_] = std::move(indices);
    nodes_[arrays_] = held_[arrays_].get();
    ++arrays_;
  }
  void take_mask(const handle& mask) {
    int axis = 0;
    for (handle& places : make_nonzero(mask.get())) take(std::move(places), shape_of(mask.get())[axis++]);
  }

  index_list list_;
  handle held_[max_rank];
  node* nodes_[max_rank];  // of them
  int arrays_ = 0;
};

/// What stands in a list with X... that are no indices.
template <class... X>
inline constexpr fault index_fault = (requires { typename X::sinter_element; } || ...) ? fault::mask
                                     : (holds_integers<X> || ...)                      ? fault::memory
                                                                                       : fault::index;
template <class... X>
using refused_index = refused<double, index_fault<X...>>;

/// What is no index, of whatever takes one.
struct refused_indices {
  template <class... X>
    requires(!(index<std::remove_cvref_t<X>> && ...) && !picks<X...> && !one_mask<X...>)
  refused_index<std::remove_cvref_t<X>...>
  operator()(X&&...) const;
  template <class X>
    requires(!index<std::remove_cvref_t<X>> && !picks<X> && !one_mask<X>)
  refused_index<std::remove_cvref_t<X>>
  operator[](X&&) const;
  lazy<double> operator()(no_braces) const;
  lazy<double> operator()(anything, no_list_of_indices) const;
  lazy<double> operator()(no_list_of_indices, anything) const;
};

/// A slice literal, read at compile time.
struct slice_literal {
  // Each number n as 2n + 1, and 2 where none is given: none is 0, which g++ 12 leaves out of the names of what differs by such
  // arrays alone, so that "2:" would be ":2".
  std::int64_t numbers[3] = {2, 2, 2};
  enum { fine, letters, colons, no_colon } wrong = fine;

  template <std::size_t size>
  consteval slice_literal(const char (&text)[size]) {
    int part = 0;
    bool negative = false;
    std::int64_t number = 0;
    for (std::size_t i = 0; i + 1 < size; ++i) {
      const char c = text[i];
      if (c == ':') {
        if (part < 2) ++part;
        else wrong = colons;
        negative = false, number = 0;
      } else if (c == '-') {
        negative = true;
      } else if (c >= '0' && c <= '9') {
        number = number * 10 + (negative ? '0' - c : c - '0');
        numbers[part] = 2 * number + 1;
      } else if (c != ' ') {
        wrong = letters;
      }
    }
    if (part == 0 && wrong == fine) wrong = no_colon;
  }
  consteval slice::bound bound(int part) const {
    return numbers[part] % 2 == 0 ? slice::bound(_) : slice::bound((numbers[part] - 1) / 2);
  }
};

}  // namespace detail

/// `"1:5:2"_s` is `slice(1, 5, 2)`, checked when the program is compiled.
template <detail::slice_literal read>
consteval slice operator""_s() {
  static_assert(read.wrong != read.letters, "sinter: a slice is numbers and colons, as in \"1:5:2\"_s");
  static_assert(read.wrong != read.colons, "sinter: a slice has at most two colons");
  static_assert(read.wrong != read.no_colon, "sinter: a slice has a colon; write an index as a number");
  return {read.bound(0), read.bound(1), read.bound(2)};
}

}  // namespace sinter
