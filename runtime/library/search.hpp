// Searches in sorted arrays on a CPU, as calls. On a GPU a search is an expression (runtime/frontend/search): each thread takes its steps,
// in the kernel of what uses it.
#pragma once

#include "runtime/frontend/terms.hpp"

namespace sinter::runtime {

/// Does a core search for values of a dtype, on the device of the nodes?
bool has_search_call(const term& sorted, const term& values);
/// A node for how many elements of `sorted` come before each value, int64; of one dtype, without gaps where they lie. `or_equal`: or are
/// equal to it. NaN comes last.
detail::handle make_search_call(const term& sorted, const term& values, bool or_equal);

/// `out[i]`: how many of `n` elements come before values[i].
struct search_work {
  dtype type;
  bool or_equal;
  const void* sorted;
  std::int64_t n;
  const void* values;
  std::int64_t count;
  std::int64_t* out;
};
/// Errors: `out_of_memory`, `device_error`. Stream behaviour: enqueued, and part of a graph that is being made.
void search_on_cpu(const search_work&, stream_state& on);

}  // namespace sinter::runtime
