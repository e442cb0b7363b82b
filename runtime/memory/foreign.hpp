// Memory that Sinter has not allocated: a resource that has one block, which goes back to its owner when the last storage over it has
// gone and every stream is done.
#pragma once

#include <cstddef>

#include "codegen/ir/node.hpp"

namespace sinter::runtime {

/// Who owns a block, and is told when it is no longer used.
struct foreign_owner {
  void (*done)(void*) noexcept;
  void* with;
};

/// A storage over a block of a stream's device, first used in its order. Errors: `out_of_memory`; the owner is not told then.
detail::storage* make_foreign_storage(std::byte* block, std::size_t size, foreign_owner, stream_state& on);

}  // namespace sinter::runtime
