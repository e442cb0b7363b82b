// Deflated bytes and checksums, as ZIP archives have them: zlib's work, where the library was built with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sinter::runtime {

/// Was Sinter built with zlib? Else neither function of these two may be called.
extern const bool can_pack;

/// Errors: `error`.
std::string pack(std::string_view);
/// At most so many bytes; fewer where the packed ones end early or are damaged. Memory is asked for as they come, since nothing
/// says that a file's claim is true.
std::string unpack(std::string_view packed, std::size_t most);

/// The CRC-32 of an archive's bytes, behind those whose CRC-32 is `before`; without zlib, too.
std::uint32_t checksum(std::string_view, std::uint32_t before = 0);

}  // namespace sinter::runtime
