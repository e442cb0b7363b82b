// The file format of one cached image, its name and its place. Pure functions over bytes: nothing here touches a file.
//
//   magic "SINTERKI" | format | byte order | sizes of identity, source, image | key | identity | source | image |
//   checksum
//
// Invariant: the checksum covers every byte before it, so a whole entry is exactly what some process once encoded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "codegen/compile/compiler.hpp"

namespace sinter::codegen {

/// What an entry takes besides identity, source and image. Units: bytes.
inline constexpr std::size_t entry_overhead = 72;

/// No entry is larger: bounds what a damaged file can make a reader allocate. Units: bytes.
inline constexpr std::uint64_t largest_entry = std::uint64_t{256} << 20;

/// 32 hexadecimal digits from 128 bits over format, identity and source. Equal keys do not mean equal sources: compare.
std::string entry_key(std::string_view identity, std::string_view source);

/// Where an entry lies below the cache's folder: two levels of 16 folders, then the rest of the key.
struct entry_place {
  std::string folder;  ///< "3/f"
  std::string file;    ///< the other 30 digits
};
entry_place place_of(const std::string& key);

bytes encode_entry(std::string_view identity, std::string_view source, const bytes& image);

/// `foreign`: a whole entry of another identity or source with the same key. `damaged`: not what was written.
enum class entry_state { whole, foreign, damaged };

struct decoded_entry {
  entry_state state;
  bytes image;
};

decoded_entry decode_entry(std::span<const std::byte> file, std::string_view identity, std::string_view source);

}  // namespace sinter::codegen
