// A file's bytes as memory of the CPU.
#pragma once

#include <cstdint>

#include <sinter/dtype.hpp>

namespace sinter::detail {
struct node;
}

namespace sinter::runtime {

/// An array of one axis of all the whole elements in the `size` bytes of an open file, on the current device, which is the CPU.
/// Pages are read when they are touched; what is written stays in this process. The file may be closed. `path`: for messages.
/// Errors: `io_error`.
detail::node* map_file(int file, const char* path, std::uint64_t size, dtype);

}  // namespace sinter::runtime
