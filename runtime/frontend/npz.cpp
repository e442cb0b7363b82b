// Archives of arrays: .npz files are ZIP archives whose entries are .npy files, stored as they are or packed (packing.hpp).
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sinter/error.hpp>
#include <sinter/io.hpp>

#include "runtime/frontend/files.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/npy.hpp"
#include "runtime/frontend/packing.hpp"

namespace sinter {
namespace {

constexpr std::uint32_t local_mark = 0x04034b50, central_mark = 0x02014b50, end_mark = 0x06054b50;
constexpr std::size_t local_size = 30, central_size = 46, end_size = 22;

// Numbers of a ZIP archive: the lowest byte first.
void put(std::string& to, int bytes, std::uint64_t number) {
  for (int i = 0; i < bytes; ++i) to += static_cast<char>(number >> 8 * i & 255);
}
std::uint64_t get(std::string_view from, std::size_t at, int bytes) {
  std::uint64_t number = 0;
  for (int i = bytes; i-- > 0;)
    number = number << 8 | static_cast<unsigned char>(from.at(at + static_cast<std::size_t>(i)));
  return number;
}

enum method : unsigned char { stored = 0, packed = 8 };

// What an entry has: a file, or what it was packed to.
struct contents {
  detail::npy_text file;
  std::string packed;
  std::size_t size;  // of the file
  std::uint32_t checksum;
  method how;

  std::vector<std::string_view> bytes() const {
    if (how == method::packed) return {packed};
    return {file.head, detail::bytes_of(file.elements)};
  }
  std::size_t stored_size() const { return how == method::packed ? packed.size() : size; }
};
contents contents_of(detail::npy_text file, bool packs) {
  const std::string_view elements = detail::bytes_of(file.elements);
  const std::uint32_t sum = runtime::checksum(elements, runtime::checksum(file.head));
  const std::size_t size = file.head.size() + elements.size();
  if (!packs) return {std::move(file), {}, size, sum, stored};
  return {{}, runtime::pack(file.head.append(elements)), size, sum, packed};
}

// What a local header and the directory say of an entry: version, flags (names are UTF-8), method, time, date, checksum, sizes and
// the lengths of the name and of what is beside it.
void put_facts(std::string& to, std::string_view name, const contents& of) {
  put(to, 2, 20);
  put(to, 2, 0x800);
  put(to, 2, of.how);
  put(to, 2, 0);
  put(to, 2, 0x21);  // the first of January 1980
  put(to, 4, of.checksum);
  put(to, 4, of.stored_size());
  put(to, 4, of.size);
  put(to, 2, name.size());
  put(to, 2, 0);
}

std::string local_header(const std::string& name, const contents& of) {
  std::string header;
  put(header, 4, local_mark);
  put_facts(header, name, of);
  return header + name;
}
// `at`: where the local header begins.
void put_directory_entry(std::string& to, const std::string& name, const contents& of, std::uint64_t at) {
  put(to, 4, central_mark);
  put(to, 2, 20);
  put_facts(to, name, of);
  put(to, 2, 0);
  put(to, 2, 0);
  put(to, 2, 0);
  put(to, 4, 0);
  put(to, 4, at);
  to += name;
}
// Behind the directory, whose size and beginning it says.
void put_end(std::string& to, std::size_t count, std::size_t size, std::uint64_t start) {
  put(to, 4, end_mark);
  put(to, 4, 0);
  put(to, 2, count);
  put(to, 2, count);
  put(to, 4, size);
  put(to, 4, start);
  put(to, 2, 0);
}

struct entry {
  std::uint64_t offset, packed_size, size;  // of the bytes
  std::uint32_t checksum;
  std::uint64_t how;
};

class archive {
 public:
  explicit archive(const char* path) : path_(path), file_(path, std::ios::binary | std::ios::ate) {
    if (!file_) detail::refuse_file("load", path, errno);
    size_ = static_cast<std::uint64_t>(file_.tellg());
  }

  // Where the elements of a name lie: of its entry with .npy behind it. Errors: `io_error`.
  entry find(std::string_view name) {
    const std::string directory = read_directory(), wanted = std::string(name) + ".npy";
    std::string names;
    for (std::size_t at = 0; at + central_size <= directory.size();) {
      if (get(directory, at, 4) != central_mark) break;
      const auto length = get(directory, at + 28, 2), extra = get(directory, at + 30, 2),
                 remark = get(directory, at + 32, 2);
      if (at + central_size + length + extra > directory.size()) break;
      const std::string_view called = std::string_view(directory).substr(at + central_size, length);
      if (called == wanted || called == name)
        return placed(std::string_view(directory).substr(at, central_size + length + extra), length);
      names += (names.empty() ? "" : ", ") + std::string(called.substr(0, called.rfind(".npy")));
      at += central_size + length + extra + remark;
    }
    detail::refuse_file("load", path_,
                        detail::message("it has no '%.60s'; it has %.200s", std::string(name).c_str(), names.c_str()));
  }

  // The file that a packed entry is.
  std::string unpacked(const entry& e) {
    std::string all = runtime::unpack(read(e.offset, e.packed_size), e.size);
    if (all.size() != e.size || runtime::checksum(all) != e.checksum)
      detail::refuse_file("load", path_, "an array in it is damaged");
    return all;
  }

 private:
  std::string read(std::uint64_t at, std::uint64_t count) {
    if (at > size_ || count > size_ - at) detail::refuse_file("load", path_, "this is no .npz file, or it is damaged");
    std::string bytes(count, '\0');
    file_.seekg(static_cast<std::streamoff>(at));
    if (!file_.read(bytes.data(), static_cast<std::streamsize>(count)))
      detail::refuse_file("load", path_, "it cannot be read");
    return bytes;
  }

  std::string read_directory() {
    const std::uint64_t tail_size = std::min<std::uint64_t>(size_, end_size + 65535);
    const std::string tail = read(size_ - tail_size, tail_size);
    for (std::size_t at = tail.size() < end_size ? 0 : tail.size() - end_size + 1; at-- > 0;)
      if (get(tail, at, 4) == end_mark) return read(get(tail, at + 16, 4), get(tail, at + 12, 4));
    detail::refuse_file("load", path_, "this is no .npz file");
  }

  // Sizes and the place of an entry, which are beside its name where 32 bits do not hold them.
  entry placed(std::string_view facts, std::size_t name_length) {
    const std::uint64_t how = get(facts, 10, 2);
    if (how == packed && !runtime::can_pack)
      detail::refuse_file("load", path_,
                          "it is compressed, and Sinter was built without zlib; numpy.savez does not compress");
    if (how != stored && how != packed)
      detail::refuse_file("load", path_, "it is compressed in a way that NumPy does not use");
    std::uint64_t size = get(facts, 24, 4), packed_size = get(facts, 20, 4), header = get(facts, 42, 4);
    const std::string_view extra = facts.substr(central_size + name_length);
    for (std::size_t at = 0; at + 4 <= extra.size(); at += 4 + get(extra, at + 2, 2)) {
      if (get(extra, at, 2) != 1) continue;
      const std::string_view wide = extra.substr(at + 4, get(extra, at + 2, 2));
      std::size_t next = 0;
      if (size == 0xffffffff && wide.size() >= next + 8) size = get(wide, next, 8), next += 8;
      if (packed_size == 0xffffffff && wide.size() >= next + 8) packed_size = get(wide, next, 8), next += 8;
      if (header == 0xffffffff && wide.size() >= next + 8) header = get(wide, next, 8);
    }
    const std::string local = read(header, local_size);
    if (get(local, 0, 4) != local_mark) detail::refuse_file("load", path_, "this is no .npz file, or it is damaged");
    const entry e{header + local_size + get(local, 26, 2) + get(local, 28, 2), packed_size, size,
                  static_cast<std::uint32_t>(get(facts, 16, 4)), how};
    if (e.offset > size_ || (how == packed ? e.packed_size : e.size) > size_ - e.offset)
      detail::refuse_file("load", path_, "the file ends within an array");
    return e;
  }

  const char* path_;
  std::ifstream file_;
  std::uint64_t size_ = 0;
};

}  // namespace

detail::node* detail::load_npz(const char* path, const char* name, dtype wanted) try {
  archive from(path);
  const entry at = from.find(name);
  if (at.how == packed) return load_npy_bytes(path, from.unpacked(at), wanted);
  return load_npy_part(path, at.offset, at.size, wanted);
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

void detail::save_npz(const char* path, const named_part* arrays, std::size_t count, bool compresses) try {
  if (compresses && !runtime::can_pack)
    detail::refuse_file("savez_compressed", path, "Sinter was built without zlib; savez does not compress");
  std::vector<contents> parts;
  std::vector<std::string> headers;
  std::string directory;
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = std::string(arrays[i].name) + ".npy";
    const contents& part = parts.emplace_back(contents_of(npy_text_of(arrays[i].of.get()), compresses));
    if (name.size() > 0xffff) detail::refuse_file("savez", path, "a name in it has more than 65535 bytes");
    headers.push_back(local_header(name, part));
    put_directory_entry(directory, name, part, at);
    at += headers.back().size() + part.stored_size();
    if (part.size > 0xffffffff || at + directory.size() > 0xffffffff || count > 0xffff)
      detail::refuse_file("savez", path, "it would have more than 4 GiB, or 65535 arrays; save them one by one");
  }
  put_end(directory, count, directory.size(), at);
  std::vector<std::string_view> pieces;
  for (std::size_t i = 0; i < count; ++i) {
    pieces.push_back(headers[i]);
    for (const std::string_view bytes : parts[i].bytes()) pieces.push_back(bytes);
  }
  pieces.push_back(directory);
  detail::write_whole("savez", path, pieces);
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

}  // namespace sinter
