// Encodes and decodes cached images, below disk.cpp.
// Invariant: decoding reads no byte before its bounds are known, and trusts no length before the sum of all has been
// checked.
#include "codegen/cache/entry.hpp"

#include <xxhash.h>

#include <cstring>
#include <memory>
#include <new>

namespace sinter::codegen {
namespace {

constexpr std::uint32_t format = 1;
constexpr std::uint32_t byte_order = 0x01020304;  // a folder shared between machines may meet both orders

struct entry_header {
  char magic[8];
  std::uint32_t format;
  std::uint32_t byte_order;
  std::uint64_t identity_size;
  std::uint64_t source_size;
  std::uint64_t image_size;
  XXH128_canonical_t key;
};

static_assert(sizeof(entry_header) == 56, "the header must have no padding: its bytes are written as they lie");
static_assert(sizeof(entry_header) + sizeof(XXH128_canonical_t) == entry_overhead);

constexpr char magic[8] = {'S', 'I', 'N', 'T', 'E', 'R', 'K', 'I'};

// The lengths go in too, or moving a byte from the identity to the source would keep the key.
XXH128_canonical_t hash_key(std::string_view identity, std::string_view source) {
  const std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state(XXH3_createState(), XXH3_freeState);
  if (!state) throw std::bad_alloc();
  const std::uint64_t sizes[3] = {format, identity.size(), source.size()};
  XXH3_128bits_reset(state.get());
  XXH3_128bits_update(state.get(), sizes, sizeof sizes);
  XXH3_128bits_update(state.get(), identity.data(), identity.size());
  XXH3_128bits_update(state.get(), source.data(), source.size());
  XXH128_canonical_t result;
  XXH128_canonicalFromHash(&result, XXH3_128bits_digest(state.get()));
  return result;
}

XXH128_canonical_t checksum(const void* data, std::size_t size) {
  XXH128_canonical_t result;
  XXH128_canonicalFromHash(&result, XXH3_128bits(data, size));
  return result;
}

bool equal(std::span<const std::byte> bytes, std::string_view text) {
  return bytes.size() == text.size() && (text.empty() || std::memcmp(bytes.data(), text.data(), text.size()) == 0);
}

}  // namespace

std::string entry_key(std::string_view identity, std::string_view source) {
  constexpr char digits[] = "0123456789abcdef";
  std::string result;
  for (const unsigned char byte : hash_key(identity, source).digest) {
    result += digits[byte >> 4];
    result += digits[byte & 15];
  }
  return result;
}

entry_place place_of(const std::string& key) { return {{key[0], '/', key[1]}, key.substr(2)}; }

bytes encode_entry(std::string_view identity, std::string_view source, const bytes& image) {
  entry_header header{};
  std::memcpy(header.magic, magic, sizeof magic);
  header.format = format;
  header.byte_order = byte_order;
  header.identity_size = identity.size();
  header.source_size = source.size();
  header.image_size = image.size();
  header.key = hash_key(identity, source);

  bytes file;
  file.reserve(entry_overhead + identity.size() + source.size() + image.size());
  const auto append = [&file](const void* data, std::size_t size) {
    const std::byte* from = static_cast<const std::byte*>(data);
    file.insert(file.end(), from, from + size);
  };
  append(&header, sizeof header);
  append(identity.data(), identity.size());
  append(source.data(), source.size());
  append(image.data(), image.size());
  const XXH128_canonical_t sum = checksum(file.data(), file.size());
  append(&sum, sizeof sum);
  return file;
}

decoded_entry decode_entry(std::span<const std::byte> file, std::string_view identity, std::string_view source) {
  if (file.size() < entry_overhead || file.size() > largest_entry) return {entry_state::damaged, {}};
  entry_header header;
  std::memcpy(&header, file.data(), sizeof header);
  if (std::memcmp(header.magic, magic, sizeof magic) != 0 || header.format != format ||
      header.byte_order != byte_order) {
    return {entry_state::damaged, {}};
  }
  const std::uint64_t content = file.size() - entry_overhead;
  // Each size is bounded before they are added, so the sum cannot wrap around.
  if (header.identity_size > content || header.source_size > content || header.image_size > content ||
      header.identity_size + header.source_size + header.image_size != content) {
    return {entry_state::damaged, {}};
  }
  const XXH128_canonical_t sum = checksum(file.data(), file.size() - sizeof sum);
  if (std::memcmp(&sum, file.data() + file.size() - sizeof sum, sizeof sum) != 0) return {entry_state::damaged, {}};

  const auto stored_identity = file.subspan(sizeof header, header.identity_size);
  const auto stored_source = file.subspan(sizeof header + header.identity_size, header.source_size);
  const auto image = file.subspan(sizeof header + header.identity_size + header.source_size, header.image_size);
  if (!equal(stored_identity, identity) || !equal(stored_source, source)) return {entry_state::foreign, {}};
  return {entry_state::whole, bytes(image.begin(), image.end())};
}

}  // namespace sinter::codegen
