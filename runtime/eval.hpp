// The conductor's interface: nodes in, arrays out.
#pragma once

#include "codegen/ir/node.hpp"

namespace sinter::runtime {

/// One thing to evaluate: a node, the shape it is wanted in (it broadcasts to it), and the array to write, or null for a new one.
struct request {
  const detail::typed_node* root = nullptr;
  const shape* extents = nullptr;
  detail::array_node* into = nullptr;
  void** hint = nullptr;  // the plan slot of the root's expression type
  bool made = false;      // the array to write is a new one
};

/// Evaluates requests together; fills in `into`. A failed call leaves no new array behind. Errors: `shape_error`,
/// `device_error`, `out_of_memory`, `compile_error`. Stream behaviour: enqueued, does not wait.
void evaluate(request* requests, int count);

/// Evaluates two requests over one axis in one kernel: of the first those elements are stored, at the front of its array, for which
/// the second is their place, and not negative; the second is a scan and what is made of it, and stored is what the scan comes to.
/// `total` makes the array for that. False where it is not one kernel of a GPU, or a new array has no room; then nothing has happened.
/// Errors, stream behaviour: as `evaluate`.
bool compress(request* requests, detail::array_node* (*total)(dtype, stream_state&));

/// Counts how often each number below `size` is an element of a request of int32 over one axis, in a new array of int64: `into`. No
/// element is another number. `room`: that of a kernel's counts, `size` at least. False where that is not one kernel of a GPU; then nothing
/// has happened. Errors, stream behaviour: as `evaluate`.
bool count(request&, int room, std::int64_t size);

/// Is the calling thread within an evaluation, in a user's function that it has called?
bool is_evaluating() noexcept;

}  // namespace sinter::runtime
