// Deflated bytes, as ZIP archives have them: zlib's work, where the library was built with it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sinter::runtime {

/// Was Sinter built with zlib? Else neither function may be called.
extern const bool can_pack;

/// Errors: `error`.
std::string pack(std::string_view);
/// At most so many bytes; fewer where the packed ones end early or are damaged. Memory is asked for as they come, since nothing
/// says that a file's claim is true.
std::string unpack(std::string_view packed, std::size_t most);

}  // namespace sinter::runtime
