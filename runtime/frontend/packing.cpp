#include "runtime/frontend/packing.hpp"

#include <algorithm>

#include <sinter/error.hpp>

#ifdef SINTER_HAVE_ZLIB
#define ZLIB_CONST
#include <zlib.h>

namespace sinter::runtime {
namespace {

constexpr int no_header = -MAX_WBITS;  // an archive has its own
constexpr std::size_t piece = 1 << 20;

// zlib counts what it is given and what it has room for by 32 bits.
void give(z_stream& z, std::string_view& rest) {
  if (z.avail_in > 0) return;
  const std::string_view next = rest.substr(0, piece);
  z.next_in = reinterpret_cast<const Bytef*>(next.data());
  z.avail_in = static_cast<uInt>(next.size());
  rest.remove_prefix(next.size());
}

// Runs `step` until it gives another result than Z_OK, or `most` bytes are there.
template <class Step>
std::string run(z_stream& z, std::string_view from, std::size_t most, Step step) {
  std::string all;
  for (int result = Z_OK; result == Z_OK && all.size() < most;) {
    give(z, from);
    const std::size_t before = all.size(), room = std::min(piece, most - before);
    all.resize(before + room);
    z.next_out = reinterpret_cast<Bytef*>(&all[before]);
    z.avail_out = static_cast<uInt>(room);
    result = step(from.empty() ? Z_FINISH : Z_NO_FLUSH);
    all.resize(before + room - z.avail_out);
    if (result == Z_BUF_ERROR && z.avail_out == 0) result = Z_OK;
  }
  return all;
}

}  // namespace

const bool can_pack = true;

std::string pack(std::string_view bytes) {
  z_stream z{};
  if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, no_header, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
    throw error("sinter: zlib has no room to compress");
  struct at_end {
    z_stream& of;
    ~at_end() { deflateEnd(&of); }
  } const guard{z};
  return run(z, bytes, ~std::size_t{0}, [&](int flush) { return deflate(&z, flush); });
}

std::string unpack(std::string_view packed, std::size_t most) {
  z_stream z{};
  if (inflateInit2(&z, no_header) != Z_OK) throw error("sinter: zlib has no room to decompress");
  struct at_end {
    z_stream& of;
    ~at_end() { inflateEnd(&of); }
  } const guard{z};
  return run(z, packed, most, [&](int) { return inflate(&z, Z_NO_FLUSH); });
}

std::uint32_t checksum(std::string_view rest, std::uint32_t before) {
  uLong sum = before;
  for (; !rest.empty(); rest.remove_prefix(std::min(piece, rest.size())))
    sum = crc32(sum, reinterpret_cast<const Bytef*>(rest.data()), static_cast<uInt>(std::min(piece, rest.size())));
  return static_cast<std::uint32_t>(sum);
}

}  // namespace sinter::runtime

#else

#include <array>

namespace sinter::runtime {

const bool can_pack = false;
std::string pack(std::string_view) { throw internal_error("packing without zlib"); }
std::string unpack(std::string_view, std::size_t) { throw internal_error("unpacking without zlib"); }

std::uint32_t checksum(std::string_view bytes, std::uint32_t before) {
  static const std::array<std::uint32_t, 256> table = [] {
    std::array<std::uint32_t, 256> made{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t c = i;
      for (int k = 0; k < 8; ++k) c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
      made[i] = c;
    }
    return made;
  }();
  std::uint32_t sum = ~before;
  for (const char b : bytes) sum = table[(sum ^ static_cast<unsigned char>(b)) & 255] ^ sum >> 8;
  return ~sum;
}

}  // namespace sinter::runtime

#endif
