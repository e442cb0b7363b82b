#include "runtime/memory/holders.hpp"

namespace sinter::runtime {

void hold_among_threads(detail::array_node& a, detail::storage& memory) noexcept {
  holders_lock list(memory);
  enter(a, memory);
  ++list.count;
}

bool let_go_among_threads(detail::array_node& a, detail::storage& memory) noexcept {
  holders_lock list(memory);
  if (list.count == 1) return true;
  take_out(a, memory);
  --list.count;
  return false;
}

}  // namespace sinter::runtime
