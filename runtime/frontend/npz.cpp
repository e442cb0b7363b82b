// Archives of arrays: .npz files are ZIP archives whose entries are .npy files. They are written, and read, without compression.
#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <sinter/error.hpp>
#include <sinter/io.hpp>

#include "codegen/compile/file.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/npy.hpp"

namespace sinter {
namespace {

constexpr std::uint32_t local_mark = 0x04034b50, central_mark = 0x02014b50, end_mark = 0x06054b50;
constexpr std::size_t local_size = 30, central_size = 46, end_size = 22;

[[noreturn]] void refuse(const char* verb, const char* path, const std::string& why) {
  throw io_error(detail::message("sinter: %s: %s: %s", verb, path, why.c_str()).c_str());
}

std::uint32_t checksum(std::string_view bytes) {
  static const std::array<std::uint32_t, 256> table = [] {
    std::array<std::uint32_t, 256> made{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t c = i;
      for (int k = 0; k < 8; ++k) c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
      made[i] = c;
    }
    return made;
  }();
  std::uint32_t sum = ~0u;
  for (char b : bytes) sum = table[(sum ^ static_cast<unsigned char>(b)) & 255] ^ sum >> 8;
  return ~sum;
}

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

// What a local header and the directory say of an entry: version, flags (names are UTF-8), method, time, date, checksum, sizes and
// the lengths of the name and of what is beside it.
void put_facts(std::string& to, std::string_view name, std::string_view bytes) {
  put(to, 2, 20);
  put(to, 2, 0x800);
  put(to, 2, 0);
  put(to, 2, 0);
  put(to, 2, 0x21);  // the first of January 1980
  put(to, 4, checksum(bytes));
  put(to, 4, bytes.size());
  put(to, 4, bytes.size());
  put(to, 2, name.size());
  put(to, 2, 0);
}

struct entry {
  std::uint64_t offset, size;  // of the bytes
};

class archive {
 public:
  explicit archive(const char* path) : path_(path), file_(path, std::ios::binary | std::ios::ate) {
    if (!file_) refuse("load", path, std::generic_category().message(errno));
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
    refuse("load", path_,
           detail::message("it has no '%.60s'; it has %.200s", std::string(name).c_str(), names.c_str()));
  }

 private:
  std::string read(std::uint64_t at, std::uint64_t count) {
    if (at > size_ || count > size_ - at) refuse("load", path_, "this is no .npz file, or it is damaged");
    std::string bytes(count, '\0');
    file_.seekg(static_cast<std::streamoff>(at));
    if (!file_.read(bytes.data(), static_cast<std::streamsize>(count))) refuse("load", path_, "it cannot be read");
    return bytes;
  }

  std::string read_directory() {
    const std::uint64_t tail_size = std::min<std::uint64_t>(size_, end_size + 65535);
    const std::string tail = read(size_ - tail_size, tail_size);
    for (std::size_t at = tail.size() < end_size ? 0 : tail.size() - end_size + 1; at-- > 0;)
      if (get(tail, at, 4) == end_mark) return read(get(tail, at + 16, 4), get(tail, at + 12, 4));
    refuse("load", path_, "this is no .npz file");
  }

  // Sizes and the place of an entry, which are beside its name where 32 bits do not hold them.
  entry placed(std::string_view facts, std::size_t name_length) {
    if (get(facts, 10, 2) != 0)
      refuse("load", path_,
             "it is compressed; numpy.savez writes what can be read here, numpy.savez_compressed does not");
    std::uint64_t size = get(facts, 24, 4), header = get(facts, 42, 4);
    const std::string_view extra = facts.substr(central_size + name_length);
    for (std::size_t at = 0; at + 4 <= extra.size(); at += 4 + get(extra, at + 2, 2)) {
      if (get(extra, at, 2) != 1) continue;
      const std::string_view wide = extra.substr(at + 4, get(extra, at + 2, 2));
      std::size_t next = 0;
      if (size == 0xffffffff && wide.size() >= next + 8) size = get(wide, next, 8), next += 8;
      if (get(facts, 20, 4) == 0xffffffff) next += 8;
      if (header == 0xffffffff && wide.size() >= next + 8) header = get(wide, next, 8);
    }
    const std::string local = read(header, local_size);
    if (get(local, 0, 4) != local_mark) refuse("load", path_, "this is no .npz file, or it is damaged");
    const entry e{header + local_size + get(local, 26, 2) + get(local, 28, 2), size};
    if (e.offset > size_ || e.size > size_ - e.offset) refuse("load", path_, "the file ends within an array");
    return e;
  }

  const char* path_;
  std::ifstream file_;
  std::uint64_t size_ = 0;
};

}  // namespace

detail::node* detail::load_npz(const char* path, const char* name, dtype wanted) try {
  const entry at = archive(path).find(name);
  return load_npy_part(path, at.offset, at.size, wanted);
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

void detail::save_npz(const char* path, const named_part* arrays, std::size_t count) try {
  std::string all, directory;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = std::string(arrays[i].name) + ".npy";
    auto [bytes, elements] = npy_text_of(arrays[i].of.get());
    bytes.append(elements.begin(), elements.end());
    const std::uint64_t at = all.size();
    put(all, 4, local_mark);
    put_facts(all, name, bytes);
    all += name + bytes;
    put(directory, 4, central_mark);
    put(directory, 2, 20);
    put_facts(directory, name, bytes);
    put(directory, 2, 0);
    put(directory, 2, 0);
    put(directory, 2, 0);
    put(directory, 4, 0);
    put(directory, 4, at);
    directory += name;
    if (all.size() + directory.size() > 0xffffffff || count > 0xffff)
      refuse("savez", path, "it would have more than 4 GiB, or 65535 arrays; save them one by one");
  }
  const std::uint64_t start = all.size();
  all += directory;
  put(all, 4, end_mark);
  put(all, 4, 0);
  put(all, 2, count);
  put(all, 2, count);
  put(all, 4, directory.size());
  put(all, 4, start);
  put(all, 2, 0);
  codegen::unique_fd file = codegen::open_path(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (!file || !codegen::write_all(file.get(), all.data(), all.size()))
    refuse("savez", path, std::generic_category().message(errno));
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

}  // namespace sinter
