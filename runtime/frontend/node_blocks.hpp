// Memory of nodes: free blocks of each thread, by size. An evaluation makes an array node and often a dozen expression nodes,
// and two mallocs each would cost more than the rest of it.
#pragma once

#include <cstddef>

namespace sinter::runtime {

/// The calling thread's free blocks. Trivial, so that using them costs no question whether they have been made, and so that
/// the thread's other destructors may still make nodes.
struct block_lists {
  static constexpr std::size_t step = 64, classes = 32, keep = 256;
  struct block {
    block* next;
  };
  struct list {
    block* first;
    std::size_t held;
  };
  list of[classes];
  bool keeps;  // given back to malloc when the thread ends
};
extern thread_local constinit block_lists free_blocks;

/// Where there is no free block. Errors: `out_of_memory`.
void* allocate_fresh_block(std::size_t size);
void free_surplus_block(void* block) noexcept;

/// Units: bytes.
inline void* allocate_block(std::size_t size) {
  const std::size_t c = (size - 1) / block_lists::step;
  if (c >= block_lists::classes) [[unlikely]]
    return allocate_fresh_block(size);
  block_lists::list& mine = free_blocks.of[c];
  block_lists::block* const b = mine.first;
  if (!b) [[unlikely]]
    return allocate_fresh_block(size);
  mine.first = b->next;
  --mine.held;
  return b;
}

inline void free_block(void* p, std::size_t size) noexcept {
  const std::size_t c = (size - 1) / block_lists::step;
  if (c >= block_lists::classes || !free_blocks.keeps) [[unlikely]]
    return free_surplus_block(p);
  block_lists::list& mine = free_blocks.of[c];
  if (mine.held >= block_lists::keep) [[unlikely]]
    return free_surplus_block(p);
  auto* const b = static_cast<block_lists::block*>(p);
  b->next = mine.first;
  mine.first = b;
  ++mine.held;
}

}  // namespace sinter::runtime
