// Orders as calls: rows sorted along the last axis, and the places that sort them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/frontend/terms.hpp"

namespace sinter::runtime {

class stream_state;

/// Rows without gaps that are to be put in order, NumPy's: NaN is behind all numbers, -0 equals 0, and complex numbers go by their real
/// parts, then their imaginary ones, those with a NaN last.
struct order_shape {
  dtype type;
  std::int64_t rows, length;
  bool places;   // the result is where each element comes from, int64, equal ones as they come; else the elements
  bool falling;  // the largest first, NaN before them
  std::int64_t first = 0,
               end = length;  // only these ranks need be in order, those below before them and those above behind
};

/// A node for the elements along the last axis in order. Equal elements are as alike as -0 and 0, and change places.
detail::handle make_sort_call(const term&, bool falling);
/// A node for their places, int64. Equal elements stay as they come.
detail::handle make_argsort_call(const term&, bool falling);
/// The same where only the ranks from `first` to before `end` are looked at: the others are on their side of them, in any order.
detail::handle make_partition_call(const term&, bool places, bool falling, std::int64_t first, std::int64_t end);
/// The places along the last axis that sort by several keys of one shape, the last of which counts most.
term places_by_keys(std::span<const term> keys, bool falling);
/// The elements at places along the last axis, which are known to be in range.
term taken_along(const term& of, const term& places);

/// Host code on rows of any dtype: stable, by comparing elements.
void sort_by_comparing(const order_shape&, const std::byte* from, std::byte* to, std::int64_t first_row,
                       std::int64_t end_row) noexcept;

/// Stream behaviour: in order on the CPU's stream, and part of a graph that is being made.
void order_on_cpu(const order_shape&, const std::byte* from, std::byte* to, stream_state& on);
/// Of real numbers. Stream behaviour: enqueued. Errors: `compile_error`, `out_of_memory`.
void order_on_gpu(const order_shape&, const std::byte* from, std::byte* to, stream_state& on);

}  // namespace sinter::runtime
