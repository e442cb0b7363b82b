// How to reduce: axes, keepdims, ddof, a first value, a mask.
#pragma once

#include <initializer_list>
#include <type_traits>
#include <vector>

#include <sinter/detail/operand.hpp>

namespace sinter {

namespace detail {
// No concept, which compilers would explain at length.
template <class X>
inline constexpr bool axis_number = std::is_integral_v<X> && !std::is_same_v<X, bool>;
}  // namespace detail

namespace detail {
/// An integer: an axis, a count, a distance. Nothing that merely converts to one.
struct integer {
  template <class Int>
  constexpr integer(Int given) : value(integer_or_0(given)) {
    static_assert(axis_number<Int>, "sinter: an axis, a count or an offset is an integer");
  }
  constexpr operator std::int64_t() const { return value; }
  std::int64_t value;
};
}  // namespace detail

/// An axis by its name: `take(a, k, {.axis = 1})`, as `take(a, k, 1)`.
struct axis_options {
  detail::integer axis;
};

namespace detail {
/// Of what a function takes for its axis, which in braces is one by its name.
constexpr std::int64_t axis_of(const axis_options& how) { return how.axis; }
constexpr std::int64_t axis_of(const integer& axis) { return axis; }
}  // namespace detail

namespace detail {
/// Several integers that are known at run time; or what a template argument is where nothing else is known of it: a list in braces.
template <class X>
concept numbers_in_a_row = integer_range<X> || std::is_same_v<X, std::initializer_list<std::int64_t>>;

/// One integer, or several: `3`, `{1, 0, 2}`, a shape, a vector or a span, to which it refers where its integers are `std::int64_t`.
class integers {
 public:
  template <class Int>
    requires(!host_range<Int>)
  integers(Int one) : one_(integer(one)) {}
  integers(std::initializer_list<std::int64_t> several) : integers(several.begin(), several.size()) {}
  integers(const shape& s) : integers(s.begin(), static_cast<std::size_t>(s.size())) {}
  template <host_range List>
  integers(const List& several) : integers(nullptr, several.size()) {
    static_assert(holds_integers<List>, "sinter: an axis, a count or an offset is an integer");
    if constexpr (std::is_convertible_v<decltype(several.data()), const std::int64_t*>) several_ = several.data();
    else if constexpr (holds_integers<List>) converted_.assign(several.data(), several.data() + several.size());
  }

  bool listed() const { return listed_; }
  const std::int64_t* begin() const { return !listed_ ? &one_ : several_ ? several_ : converted_.data(); }
  std::size_t size() const { return count_; }

 private:
  integers(const std::int64_t* at, std::size_t count) : several_(at), count_(count), listed_(true) {}

  std::int64_t one_ = 0;
  const std::int64_t* several_ = nullptr;
  std::vector<std::int64_t> converted_;  // those of another type
  std::size_t count_ = 1;
  bool listed_ = false;
};
}  // namespace detail

/// The axes of a reduction: `1`, `-1`, `{0, 2}`, or `{}` for none, which reduces nothing; or those of a vector or a span of
/// integers.
class axes {
 public:
  constexpr axes() { list_.count = 0; }
  template <class X>
    requires(!detail::host_range<X>)
  constexpr axes(X axis) : list_{1, {detail::integer_or_0(axis)}} {
    static_assert(detail::axis_number<X>, "sinter: an axis is an integer; several are written {.axis = {0, 2}}");
  }
  constexpr axes(std::initializer_list<std::int64_t> several) : axes() { append(several.begin(), several.size()); }
  template <detail::host_range Several>
  constexpr axes(const Several& several) : axes() {
    static_assert(detail::holds_integers<Several>,
                  "sinter: an axis is an integer; several are written {.axis = {0, 2}}");
    if constexpr (detail::holds_integers<Several>) append(several.data(), several.size());
  }
  constexpr explicit axes(const detail::axis_list& several) : list_(several) {}
  static constexpr axes all() {
    axes every;
    every.list_.count = -1;
    return every;
  }
  constexpr const detail::axis_list& list() const { return list_; }

 private:
  template <class Int>
  constexpr void append(const Int* several, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      if (list_.count == max_rank) break;  // more axes than any array has: make_reduction reports the repeated one
      list_.axes[list_.count++] = static_cast<std::int64_t>(several[i]);
    }
  }

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

namespace detail {
/// A number, or nothing.
struct optional_number {
  constexpr optional_number() = default;
  template <arithmetic V>
  optional_number(V number) : bits(to_bits(static_cast<element_type<V>>(number))), type(dtype_of<V>), is_given(true) {}
  template <class V>
    requires(!arithmetic<V>)
  optional_number(const V&) { static_assert(never<V>, "sinter: a first value is a number"); }
  constexpr explicit operator bool() const { return is_given; }
  scalar_bits bits = {};
  dtype type = dtype::bool_;
  bool is_given = false;
};

/// An array or an expression of bool, or nothing.
class optional_mask {
 public:
  constexpr optional_mask() = default;
  template <expression M>
  optional_mask(M&& mask) : node_(take_node(std::forward<M>(mask))) {
    static_assert(std::is_same_v<element_in<M>, bool>, "sinter: a mask is an array or an expression of bool: a > 0");
  }
  template <class V>
    requires(!expression<V> && !std::is_same_v<std::remove_cvref_t<V>, optional_mask>)
  constexpr optional_mask(V&&) {
    static_assert(never<V>, "sinter: a mask is an array or an expression of bool: a > 0");
  }
  constexpr optional_mask(const optional_mask& other) : node_(other.node_ ? retain(other.node_) : nullptr) {}
  constexpr optional_mask(optional_mask&& other) noexcept : node_(other.node_) { other.node_ = nullptr; }
  constexpr optional_mask& operator=(optional_mask other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  constexpr ~optional_mask() {
    if (node_) release(node_);
  }
  constexpr explicit operator bool() const { return node_ != nullptr; }
  constexpr node* get() const { return node_; }

 private:
  node* node_ = nullptr;
};
}  // namespace detail

/// How to reduce. The order of the members is fixed: `sum(a, {.axis = 1, .keepdims = true})`, `max(a, {.initial = 0, .where = a > b})`.
struct reduce_options {
  sinter::axes axis = sinter::axes::all();  ///< all axes where not given; none where given as `{}`
  detail::truth keepdims = false;           ///< reduced axes stay with extent one
  int ddof = 0;                             ///< var, stddev: the divisor is n - ddof
  detail::optional_number initial{};  ///< sum, prod, min, max: folded into every result; one of an empty min or max
  detail::optional_mask where{};      ///< elements elsewhere do not count; broadcasts to the elements
  // What NumPy has among these, and what is written otherwise.
  [[no_unique_address]] detail::no_dtype dtype{};
  [[no_unique_address]] detail::no_out out{};
  [[no_unique_address]] detail::no_axes axes{};
  [[no_unique_address]] detail::no_keep_dims keep_dims{};
};

namespace detail {
/// What stands where an axis does, and is none.
template <class X>
concept not_axis = !axis_number<X> && !std::is_same_v<X, reduce_options>;
}  // namespace detail

}  // namespace sinter
