// Filters with feedback as calls.
#pragma once

#include "runtime/frontend/terms.hpp"
#include "runtime/library/call.hpp"

namespace sinter::runtime {

/// What is filtered: rows of so many samples, in memory.
struct recurrence {
  dtype type;
  int order;
  std::int64_t rows, samples;
  const std::byte *x, *b, *a, *zi;  // zi: null for states of zeros
  std::byte *y, *zf;
};
void filter_on_cpu(const recurrence&,
                   stream_state& on);  // cpu/recurrence.cpp; wherever the host's memory is the device's
/// Errors: `compile_error`, `out_of_memory`.
void filter_on_gpu(const recurrence&, stream_state& on);  // cuda/recurrence.cpp

/// Nodes of what comes out, and of the states behind it. All are of one dtype, float or double or a complex one; x is filtered along its
/// last axis; b and a have order + 1 numbers each, a's first is 1; the states are `order` numbers for each row, or null.
result_handles make_recurrence(const term& x, const term& b, const term& a, const term* zi);

}  // namespace sinter::runtime
