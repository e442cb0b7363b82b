// What is compared in sparse arrays: their elements with numbers and with each other, and the largest and smallest ones. Read by
// sparse.hpp.
#pragma once

#include <limits>

#include <sinter/create.hpp>
#include <sinter/reduce.hpp>
#include <sinter/scatter.hpp>
#include <sinter/sparse.hpp>

namespace sinter::detail {

[[noreturn]] SINTER_API void refuse_dense_comparison(const char* symbol);
/// Errors: `shape_error` for a wrong axis, and for one without elements.
SINTER_API void check_sparse_extreme(const char* name, const shape&, std::int64_t axis);

template <class Sparse>
Sparse without_zeros(Sparse a) {
  a.eliminate_zeros();
  return a;
}
/// What `compare` makes of the elements.
template <class T, sparse::format F, class Compare>
auto compared(const sparse::sparse_array<T, F>& a, const char* symbol, Compare compare) {
  if (compare(T())) refuse_dense_comparison(symbol);
  return without_zeros(of_values(a, compare));
}
template <class A, class B, class Compare>
auto compared(const A& a, const B& b, Compare compare) {
  matched_parts m = match_sparse(a.parts(), b.parts(), false, "a comparison of");
  const auto values =
      compare(lazy<typename A::value_type>(m.left.take()), lazy<typename B::value_type>(m.right.take()));
  return without_zeros(
      sparse::sparse_array<bool, format_made_of(A::layout)>(computed_parts(std::move(m.structure), values)));
}

/// Extremes of elements: of bool as integers.
template <class T, bool Largest>
struct extreme {
  static_assert(!complex_number<T>, "sinter: complex numbers have no order");
  using ordered = std::conditional_t<std::same_as<T, bool>, std::uint8_t, T>;
  using limits = std::numeric_limits<ordered>;
  static constexpr const char* name = Largest ? "max" : "min";

  /// What every element replaces.
  static constexpr ordered first() {
    if constexpr (Largest) return limits::has_infinity ? -limits::infinity() : limits::lowest();
    else return limits::has_infinity ? limits::infinity() : limits::max();
  }
  static void put(array<ordered>& to, const lazy<std::int64_t>& at, const lazy<ordered>& values) {
    if constexpr (Largest) scatter_max(to, at, values);
    else scatter_min(to, at, values);
  }
  static auto with_zero(const array<ordered>& of) {
    if constexpr (Largest) return maximum(of, ordered());
    else return minimum(of, ordered());
  }
  static lazy<T> all(const lazy<T>& values, bool has_zero) {
    reduce_options how;
    if (has_zero) how.initial = T();
    if constexpr (Largest) return sinter::max(values, std::move(how));
    else return sinter::min(values, std::move(how));
  }
};

template <bool Largest, class T, sparse::format F>
lazy<T> extreme_of(sparse::sparse_array<T, F> a) {
  a.sum_duplicates();
  return extreme<T, Largest>::all(a.data(), a.nnz() < a.shape().elements());
}
template <bool Largest, class T, sparse::format F>
lazy<T> extreme_of(sparse::sparse_array<T, F> a, std::int64_t axis) {
  using of = extreme<T, Largest>;
  const shape s = a.shape();
  check_sparse_extreme(of::name, s, axis);
  a.sum_duplicates();
  const bool along_columns = axis == 1 || axis == -1;
  const lazy<std::int64_t> at = along_columns ? a.row() : a.col();
  const shape to{s[along_columns ? 0 : 1]};
  array<typename of::ordered> best = full<typename of::ordered>(to, of::first());
  array<std::int64_t> entries = zeros<std::int64_t>(to);
  of::put(best, at, sinter::astype<typename of::ordered>(a.data()));
  scatter_add(entries, at, 1);
  return lazy<T>(sinter::astype<T>(sinter::where(entries < s[along_columns ? 1 : 0], of::with_zero(best), best)));
}

}  // namespace sinter::detail

namespace sinter::sparse {

#define SINTER_EXTREME(name, largest)                            \
  template <element T, format F>                                 \
  lazy<T> sparse_array<T, F>::name() const {                     \
    return detail::extreme_of<largest>(*this);                   \
  }                                                              \
  template <element T, format F>                                 \
  lazy<T> sparse_array<T, F>::name(detail::integer axis) const { \
    return detail::extreme_of<largest>(*this, axis);             \
  }
SINTER_EXTREME(max, true)
SINTER_EXTREME(min, false)
#undef SINTER_EXTREME

// Comparisons with a number, and of two sparse arrays of one shape: sparse arrays of bool, in which what is false has no entry. Errors:
// `error` where zero compares true, as in `a > -1`, so that every element would have an entry; `shape_error`. Stream behaviour: waits.
// Source: scipy.sparse.csr_array.__gt__, ...
#define SINTER_COMPARISON(symbol, name)                                                                       \
  template <element T, format F, arithmetic S>                                                                \
  auto operator symbol(const sparse_array<T, F>& a, S number) {                                               \
    return sinter::detail::compared(a, #symbol, [number](const auto& x) { return sinter::name(x, number); }); \
  }                                                                                                           \
  template <arithmetic S, element T, format F>                                                                \
  auto operator symbol(S number, const sparse_array<T, F>& a) {                                               \
    return sinter::detail::compared(a, #symbol, [number](const auto& x) { return sinter::name(number, x); }); \
  }
#define SINTER_COMPARISON_OF_TWO(symbol, name)                                                              \
  template <element T, format F, element U, format G>                                                       \
  auto operator symbol(const sparse_array<T, F>& a, const sparse_array<U, G>& b) {                          \
    return sinter::detail::compared(a, b, [](const auto& x, const auto& y) { return sinter::name(x, y); }); \
  }
SINTER_COMPARISON(>, greater)
SINTER_COMPARISON(<, less)
SINTER_COMPARISON(>=, greater_equal)
SINTER_COMPARISON(<=, less_equal)
SINTER_COMPARISON(==, equal)
SINTER_COMPARISON(!=, not_equal)
SINTER_COMPARISON_OF_TWO(>, greater)
SINTER_COMPARISON_OF_TWO(<, less)
SINTER_COMPARISON_OF_TWO(!=, not_equal)
#undef SINTER_COMPARISON
#undef SINTER_COMPARISON_OF_TWO

}  // namespace sinter::sparse
