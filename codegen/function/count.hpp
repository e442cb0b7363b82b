// A kernel that counts how often each position comes: a store of ones at computed positions that adds, of which there is nothing to
// read but the positions.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include <sinter/dtype.hpp>

namespace sinter::codegen {

struct count_form {
  dtype type;   // of positions: integers
  int few;      // blocks count by themselves first: so many elements, or more than there are; 0: they do not
  bool narrow;  // 32 bits tell every element from a negative position

  friend auto operator<=>(const count_form&, const count_form&) = default;
};

inline constexpr int count_threads = 256;  // of a block
inline constexpr int count_batch = 2;      // vectors of 16 bytes that a thread loads before it counts

/// The kernel's arguments, as the block has them.
struct count_arguments {
  const void* at;      // positions; those that are no element's count nowhere
  void* out;           // int64; counts are added
  std::int64_t count;  // of positions
  std::int64_t elements;
};

/// Which of several kernels so many positions among so many elements want.
count_form form_of_count(dtype, std::int64_t count, std::int64_t elements);
/// In CUDA C++.
std::string count_text(const count_form&);

}  // namespace sinter::codegen
