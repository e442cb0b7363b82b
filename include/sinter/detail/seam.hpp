// The only seam between a user's translation unit and the library: non-template calls over nodes, tables and scalars.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <sinter/detail/node.hpp>
#include <sinter/detail/reductions.hpp>
#include <sinter/detail/where.hpp>
#include <sinter/device.hpp>
#include <sinter/shape.hpp>
#include <sinter/transfer.hpp>

namespace sinter::detail {

/// What an expression object holds, seen without its type.
struct expression_view {
  const fragment* code;
  node* const* nodes;
  const scalar_bits* scalars;
  bool is_named = false;  // it may be evaluated again
};

/// The node kept in a named expression, made on first use; from then on it owns the expression's operands. Returns an owned
/// reference; any number of threads may ask. Errors: `shape_error`.
SINTER_API node* share(node** slot, const expression_view&);
/// A node that takes over an expression's operands. Errors: `shape_error`; nothing is taken then.
SINTER_API node* make_expression(const expression_view&);

/// Evaluates into a new array. Errors: `shape_error`, `device_error`, `out_of_memory`, `compile_error`.
SINTER_API node* evaluate(const expression_view&, const where&);
SINTER_API node* evaluate(node*, const where&);
/// Evaluates several nodes together; results[i] is the array of roots[i].
SINTER_API void evaluate_all(node* const* roots, node** results, int count, const where&);

/// Stores into `view` (a view of `target`'s elements, or null for all of them). `target` is rebound where nodes that outlive the
/// statement would see the change; what only the expression refers to dies with the statement.
/// Errors: `shape_error`; nothing is changed then.
SINTER_API void store(handle& target, node* view, const expression_view&, const where&);

/// What becomes of several values for one element: the last one stays, or all are folded into what it has.
struct combining {
  bool folds = false;
  op with = op::add;          // or maximum, or minimum
  bool in_any_order = false;  // sums of floating elements may differ from run to run
};
SINTER_API const shape& shape_of(node*);
SINTER_API void copy_extents(const shape&, std::int64_t* to,
                             std::size_t axes);  // errors: shape_error for another number

/// Each node as a T, of which it becomes.
template <class T>
std::vector<T> each_as(std::vector<handle> nodes) {
  std::vector<T> all;
  for (handle& n : nodes) all.emplace_back(n.take());
  return all;
}
/// What there is for each axis of a shape that has so many. Errors: `shape_error`.
template <std::size_t axes, class T>
std::array<T, axes> each_of(const shape& s, std::vector<T> along) {
  std::int64_t extents[axes];
  copy_extents(s, extents, axes);
  return [&]<std::size_t... d>(std::index_sequence<d...>) { return std::array<T, axes>{std::move(along[d])...}; }
  (std::make_index_sequence<axes>());
}

SINTER_API void read_item(node*, void* to, const where&);  // evaluates; errors: shape_error unless one element
SINTER_API void read_all(node*, void* to, std::size_t count, transfer_options, const where&);
SINTER_API void write_all(handle& target, const void* from, std::size_t count, transfer_options, const where&);
/// The same from and to host memory of any layout.
SINTER_API void read_strided(node*, const host_layout& to, transfer_options, const where&);
SINTER_API void write_strided(handle& target, const host_layout& from, transfer_options, const where&);
/// The address of an array's first element, for the program's own work on the current stream of the array's device. To write:
/// `target` is rebound where other nodes hold its storage. Errors: as array::data.
SINTER_API const void* address_to_read(node*, const where&);
SINTER_API void* address_to_write(handle& target, const where&);
/// An array's strides in elements.
SINTER_API void copy_strides(node*, std::int64_t* to);
SINTER_API bool is_contiguous(node*);
/// A copy on another device.
SINTER_API node* make_copy_on(node*, device);

/// New arrays.
SINTER_API node* make_array(dtype, const shape&, const where& = {});  // uninitialised
SINTER_API node* make_zeros(dtype, const shape&, const where& = {});
SINTER_API node* make_from_host(dtype, const shape&, const void* elements, const where& = {});
[[gnu::cold, gnu::returns_nonnull]] SINTER_API node* empty_array(dtype);  // shape (0,), shared and never freed
[[noreturn]] SINTER_API void throw_ragged_lists();
SINTER_API node* make_iota(const shape&, int axis);
SINTER_API node* make_positions(const shape&);  // 0, 1, 2, ... in C order
/// A number as a node, of no axes, so that several expressions have the same one.
SINTER_API node* make_number(dtype, const scalar_bits&);
SINTER_API node* make_copy(node*, const where& = {});
SINTER_API node* make_reinterpreted(node* array, dtype);  // a view of its bytes
SINTER_API std::int64_t arange_length(std::int64_t start, std::int64_t stop, std::int64_t step);
SINTER_API std::int64_t arange_length(double start, double stop, double step);
SINTER_API void check_elements(const shape&, std::size_t count);
/// Takes a node and gives an array: itself, or its value.
SINTER_API node* as_array(node* owned, const where&);
SINTER_API device device_of(node*);

/// One entry of an index list. `range`: in steps of one, where a bound left out is 0 or `whole`; `steps`: any other slice.
struct index_item {
  enum kind : std::uint8_t { range, integer, all, steps, new_axis, rest, integers } what;
  bool has_start, has_stop;  // of a slice
  // Integers: `start` is which of the arrays of indices; of a mask, and has_stop, `stop` is the extent of the mask's axis.
  std::int64_t start, stop, step;

  static constexpr std::int64_t whole = INT64_MAX;
};
[[noreturn]] SINTER_API void throw_too_many_indices();

/// Views of arrays are arrays; views of expressions are lazy. All errors name the shapes: `index_error`, `shape_error`.
SINTER_API node* make_view(node*, const index_item*, int count);
SINTER_API node* make_transpose(node*, const std::int64_t* axes, int count);      // count 0: reversed
SINTER_API shape reshaped(const shape&, const std::int64_t* extents, int count);  // one extent may be -1
SINTER_API node* make_reshape(node*, const std::int64_t* extents, int count);
SINTER_API node* make_broadcast(node*, const shape&);

/// An index list with arrays of integers in it.
struct picking {
  const index_item* items;
  int count;
  node* const* indices;
  int arrays;  // how many indices there are
};
/// The elements that it names: lazy.
SINTER_API node* make_picked(node*, const picking&);
/// Stores into the elements that it names of `part`, a view of the target, or of all where that is null; several values for one
/// element combine. Errors: `shape_error`; nothing is changed then.
SINTER_API void store_at(handle& target, handle part, const picking&, const expression_view&, combining, const where&);
/// A mask with an axis for each of an array: those it lacks follow. Errors: `index_error` where its own are not the first of it.
SINTER_API node* make_mask(node* mask, const shape& of);
/// Of the elements along the axes that a mask has, those under it; evaluates the mask. Errors: as make_mask.
SINTER_API node* make_masked(node*, node* mask);
/// The places of elements other than zero, in C order, along each axis: arrays of int64; evaluates.
SINTER_API std::vector<handle> make_nonzero(node*);
/// The extent along an axis; a negative one counts from the last. Errors: `shape_error`, of `what`.
SINTER_API std::int64_t extent_along(const shape&, std::int64_t axis, const char* what);
SINTER_API node* make_take(node*, node* indices, std::int64_t axis);
SINTER_API node* make_take_one(node*, std::int64_t index, std::int64_t axis);
SINTER_API node* make_take_along(node*, node* indices, std::int64_t axis);

/// The axes of a reduction; count -1: all.
struct axis_list {
  int count = -1;
  std::int64_t axes[max_rank] = {};
};
SINTER_API node* make_reduction(handle of, reduction, dtype, const axis_list&, bool keepdims);
/// What a reduction comes to at every element along an axis, and along all in C order. Errors: `shape_error`.
SINTER_API node* make_scan(node*, reduction, dtype, std::int64_t axis);
SINTER_API node* make_flat_scan(node*, reduction, dtype);
/// The number of elements that fold into one.
SINTER_API std::int64_t reduced_count(node*, const axis_list&);

/// For expressions and views that gave what they held to another one: they hold no node.
[[noreturn, gnu::cold]] SINTER_API void throw_moved_from();
/// For views under a name whose array has been given another value before they are stored into.
[[noreturn, gnu::cold]] SINTER_API void throw_rebound();

/// An operation on plain numbers, and the conversion of one, as the interpreter has them. `result` is of the dtype given.
SINTER_API void compute_numbers(op, dtype computed, const scalar_bits* operands, std::size_t count, void* result);
SINTER_API void convert_number(dtype to, dtype from, const scalar_bits&, void* result);

/// Drops what the calling thread keeps of evaluations that it has met. How much that is depends on addresses, so tests that count
/// what is left do so without it.
SINTER_API void forget_evaluations();

[[noreturn]] SINTER_API void throw_scalar_does_not_fit(dtype, std::int64_t);
[[noreturn]] SINTER_API void throw_scalar_does_not_fit(dtype, std::uint64_t);

}  // namespace sinter::detail
