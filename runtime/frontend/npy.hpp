// NumPy's .npy format as a part of a file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <sinter/detail/seam.hpp>

namespace sinter::detail {

/// What a .npy file of an array has; evaluates, and waits.
struct npy_text {
  std::string head;
  std::vector<unsigned char> elements;
};
npy_text npy_text_of(node*);

/// As load_npy, of the bytes from `offset` on. Errors: `io_error`, also where they end too early.
node* load_npy_part(const char* path, std::uint64_t offset, std::uint64_t size, dtype);
/// As load_npy, of what a file has unpacked. `path`: for messages.
node* load_npy_bytes(const char* path, std::string_view file, dtype);

}  // namespace sinter::detail
