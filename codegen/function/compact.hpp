// A kernel that keeps what a mask is true for (decision 0038): one pass over the mask, in which tiles learn from those before them
// where their own part of the result begins.
#pragma once

#include <cstdint>
#include <string>

namespace sinter::codegen {

inline constexpr int compact_threads = 256;  // of a block
inline constexpr int compact_vector = 16;    // bytes of the mask that a thread loads at once
inline constexpr int compact_tile = 2 * compact_threads * compact_vector;  // bytes of the mask that a block has

/// The kernel's arguments, as the block has them.
struct compact_arguments {
  const void* mask;     // whether each is true, in a byte
  const void* in;       // elements as bits; places are made without them
  void* out;            // elements, or places as int64
  void* states;         // a word of 8 bytes for each tile; 0 before
  unsigned* turn;       // 0 before
  std::int64_t count;   // of the mask
  std::int64_t wanted;  // as many as there is room for
};

/// In CUDA C++. `size`: bytes of an element, 1, 2, 4, 8 or 16; 0: places are made.
std::string compact_text(int size);

}  // namespace sinter::codegen
