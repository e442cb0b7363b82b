#include "runtime/frontend/short_rows.hpp"

#include "codegen/ir/broadcast.hpp"
#include "runtime/launch/launch.hpp"
#include "runtime/memory/holders.hpp"

namespace sinter::runtime {

using namespace detail;

std::int64_t row_behind(node* n, int axis) {
  constexpr std::int64_t longest = 64;  // bytes
  const array_node* const a = as_array_node(n);
  if (!a || !keeps_work(a->memory->device)) return 1;
  std::int64_t row = 1;
  for (int d = a->extents.size() - 1; d >= axis; --d) {
    if (a->strides[d] != row) return 1;
    if (d > axis) row *= a->extents[d];
  }
  return row > 0 && row * static_cast<std::int64_t>(itemsize(a->type)) <= longest ? row : 1;
}

handle with_rows_as_elements(node* n, int axis) {
  const array_node& a = *as_array_node(n);
  shape s(a.extents.begin(), axis + 1);
  for (int d = axis + 1; d < a.extents.size(); ++d) s[axis] *= a.extents[d];
  auto* const view = new_node<array_node>(a.type, s);
  view->offset = a.offset;
  view->contiguous = a.contiguous;
  for (int d = 0; d < axis; ++d) view->strides[d] = a.strides[d];
  view->strides[axis] = 1;
  hold(*view, *a.memory);
  return handle(view);
}

node* with_rows(const handle& made, const shape& s) { return make_reshape(made.get(), s.begin(), s.size()); }

}  // namespace sinter::runtime
