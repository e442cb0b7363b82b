// NumPy's .npy files. A header is untrusted text: it is parsed strictly, and no byte of memory is asked for on its word
// alone before the file was seen to hold the elements. Elements are converted piece by piece on their way in.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <limits>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include <sinter/device.hpp>
#include <sinter/error.hpp>
#include <sinter/io.hpp>

#include "codegen/compile/file.hpp"
#include "codegen/ir/interpret_ops.hpp"
#include "codegen/ir/node.hpp"
#include "runtime/frontend/files.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/nodes.hpp"
#include "runtime/frontend/npy.hpp"
#include "runtime/memory/mapped.hpp"
#include "runtime/memory/storage.hpp"

namespace sinter {
namespace {

using bytes = std::vector<unsigned char>;
using detail::refuse_file;

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t longest_header = 1 << 20;  // the header of an array of 8 axes has less than 300 bytes
constexpr std::size_t piece = 1 << 20;           // bytes read at a time; a multiple of every element's size
constexpr bool little = std::endian::native == std::endian::little;

// ---- the header -----------------------------------------------------------------------------------------------------

struct header {
  dtype type = dtype::bool_;
  bool swapped = false;  // the other byte order
  bool fortran = false;
  shape extents;
};

/// Reads the header's text, which is a Python dictionary of three entries in any order.
class header_parser {
 public:
  header_parser(const char* path, std::string_view text) : path_(path), rest_(text) {}

  header parse() {
    header h;
    bool have_descr = false, have_order = false, have_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string_view key = quoted();
      expect(':');
      if (key == "descr" && !have_descr) have_descr = true, descr(h);
      else if (key == "fortran_order" && !have_order) have_order = true, h.fortran = truth();
      else if (key == "shape" && !have_shape) have_shape = true, h.extents = extents();
      else bad("an entry other than 'descr', 'fortran_order' and 'shape', once each");
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_spaces();
    if (!rest_.empty()) bad("more after its closing brace");
    if (!have_descr || !have_order || !have_shape) bad("no 'descr', 'fortran_order' or 'shape'");
    return h;
  }

 private:
  [[noreturn]] void bad(const char* what) const {
    refuse_file("load", path_, detail::message("its header has %s", what));
  }

  void skip_spaces() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n' || rest_[0] == '\t' || rest_[0] == '\r'))
      rest_.remove_prefix(1);
  }
  bool accept(char c) {
    skip_spaces();
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) bad(detail::message("no '%c' where one is due", c).c_str());
  }
  bool accept_word(std::string_view word) {
    skip_spaces();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  std::string_view quoted() {
    const char quote = accept('"') ? '"' : '\'';
    if (quote == '\'') expect('\'');
    const auto end = rest_.find(quote);
    if (end == rest_.npos) bad("a string without an end");
    const std::string_view inside = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return inside;
  }
  bool truth() {
    if (accept_word("True")) return true;
    if (!accept_word("False")) bad("a 'fortran_order' that is neither True nor False");
    return false;
  }

  /// A dtype as in '<f8': byte order, kind, bytes.
  void descr(header& h) {
    if (accept('[')) refuse_dtype("made of fields");
    const std::string_view whole = quoted();
    std::string_view code = whole;
    const char order = !code.empty() && std::string_view("<>|=").find(code[0]) != code.npos ? code[0] : '=';
    if (code.size() >= 3 && !(code[0] >= 'a' && code[0] <= 'z')) code.remove_prefix(1);
    h.swapped = order == (little ? '>' : '<');
    static constexpr struct {
      std::string_view code;
      dtype type;
    } known[] = {{"b1", dtype::bool_},     {"i1", dtype::int8},        {"u1", dtype::uint8},   {"i2", dtype::int16},
                 {"u2", dtype::uint16},    {"i4", dtype::int32},       {"u4", dtype::uint32},  {"i8", dtype::int64},
                 {"u8", dtype::uint64},    {"f2", dtype::float16},     {"f4", dtype::float32}, {"f8", dtype::float64},
                 {"c8", dtype::complex64}, {"c16", dtype::complex128}, {"V2", dtype::bfloat16}};
    for (const auto& k : known)
      if (code == k.code && whole.size() <= code.size() + 1) return void(h.type = k.type);
    refuse_dtype(detail::message("'%.*s'", static_cast<int>(std::min<std::size_t>(whole.size(), 64)), whole.data()));
  }
  [[noreturn]] void refuse_dtype(const std::string& which) const {
    const std::string text = detail::message(
        "sinter: load: %s: its dtype is %s; what can be read is bool, integers, "
        "floating point of 2, 4 and 8 bytes and complex numbers",
        path_, which.c_str());
    throw dtype_error(text.c_str());
  }

  shape extents() {
    std::int64_t list[max_rank];
    int rank = 0;
    bool comma = true;
    expect('(');
    while (!accept(')')) {
      if (!comma) bad("no ',' between two extents");
      if (rank == max_rank) bad(detail::message("more than %d axes", max_rank).c_str());
      list[rank++] = extent();
      comma = accept(',');
    }
    if (rank == 1 && !comma) bad("a 'shape' that is no tuple");
    try {
      return shape(list, rank);
    } catch (const shape_error&) {
      bad("a shape of more elements than any memory holds");
    }
  }
  std::int64_t extent() {
    skip_spaces();
    std::int64_t n = 0;
    std::size_t used = 0;
    for (; used < rest_.size() && rest_[used] >= '0' && rest_[used] <= '9'; ++used) {
      if (n > (std::numeric_limits<std::int64_t>::max() - 9) / 10) bad("an extent beyond 64 bits");
      n = n * 10 + (rest_[used] - '0');
    }
    if (used == 0) bad("an extent that is no number");
    rest_.remove_prefix(used);
    accept('L');  // Python 2 wrote its long integers so
    return n;
  }

  const char* path_;
  std::string_view rest_;
};

// ---- elements -------------------------------------------------------------------------------------------------------

void swap_bytes(unsigned char* at, std::size_t count, std::size_t size) {
  for (std::size_t i = 0; i < count; ++i) std::reverse(at + i * size, at + (i + 1) * size);
}

/// Converts elements as a file holds them. The bytes of `from` are changed on the way.
void convert(unsigned char* from, const header& h, std::size_t count, unsigned char* to, dtype wanted) {
  const auto size = static_cast<std::size_t>(itemsize(h.type)),
             part = static_cast<std::size_t>(itemsize(detail::real_part_of(h.type)));
  if (h.swapped) swap_bytes(from, count * (size / part), part);
  // A bool whose byte is neither 0 nor 1 is no value that C++ allows.
  if (h.type == dtype::bool_)
    for (std::size_t i = 0; i < count; ++i) from[i] = from[i] != 0;
  codegen::find_cast(wanted, h.type)(from, to, static_cast<int>(count));
}

// ---- files ----------------------------------------------------------------------------------------------------------

class source {
 public:
  explicit source(const char* path) : path_(path), fd_(codegen::open_path(path, O_RDONLY)) {
    if (!fd_) refuse_file("load", path, errno);
    struct stat s;
    if (::fstat(fd_.get(), &s) != 0) refuse_file("load", path, errno);
    if (S_ISREG(s.st_mode)) left_ = static_cast<std::uint64_t>(s.st_size);
  }

  /// A part of a file, as which an archive has others.
  source(const char* path, std::uint64_t offset, std::uint64_t size) : source(path) {
    if (::lseek(fd_.get(), static_cast<off_t>(offset), SEEK_SET) < 0) refuse_file("load", path, errno);
    left_ = size;
  }

  /// Bytes in memory. `path`: for messages.
  source(const char* path, std::string_view all) : path_(path), left_(all.size()), next_(all.data()) {}

  void read(void* to, std::size_t size, const char* what) {
    if (left_ != unknown && size > left_) refuse_file("load", path_, std::string("the file ends within its ") + what);
    const std::ptrdiff_t got = next_ ? copy(to, size) : codegen::read_upto(fd_.get(), to, size);
    if (got < 0) refuse_file("load", path_, errno);
    if (static_cast<std::size_t>(got) < size)
      refuse_file("load", path_, std::string("the file ends within its ") + what);
    left_ -= left_ == unknown ? 0 : std::min<std::uint64_t>(left_, size);
  }
  /// Bytes not read yet; `unknown` for what is no regular file.
  std::uint64_t left() const { return left_; }
  static constexpr std::uint64_t unknown = ~std::uint64_t{0};
  int file() const { return fd_.get(); }

 private:
  std::ptrdiff_t copy(void* to, std::size_t size) {
    std::memcpy(to, next_, size);
    next_ += size;
    return static_cast<std::ptrdiff_t>(size);
  }

  const char* path_;
  codegen::unique_fd fd_;
  std::uint64_t left_ = unknown;
  const char* next_ = nullptr;  // of bytes in memory
};

header read_header(source& file, const char* path) {
  unsigned char start[8];
  file.read(start, sizeof start, "first 8 bytes");
  if (std::memcmp(start, magic.data(), magic.size()) != 0) refuse_file("load", path, "this is no .npy file");
  const int major = start[6], minor = start[7];
  if (major < 1 || major > 3 || minor != 0)
    refuse_file("load", path,
                detail::message("version %d.%d of the format is not known; 1.0, 2.0 and 3.0 are", major, minor));
  const std::size_t digits = major == 1 ? 2 : 4;
  unsigned char count[4];
  file.read(count, digits, "header's length");
  std::size_t length = 0;
  for (std::size_t i = 0; i < digits; ++i) length |= static_cast<std::size_t>(count[i]) << 8 * i;
  if (length > longest_header)
    refuse_file("load", path, detail::message("its header claims to have %zu bytes", length));
  std::string text(length, '\0');
  file.read(text.data(), length, "header");
  return header_parser(path, text).parse();
}

/// Are the elements in a file those that are wanted, byte by byte? A bool in one may have another byte than 0 and 1.
bool is_same(const header& h, dtype wanted) { return h.type == wanted && !h.swapped && wanted != dtype::bool_; }

void check_size(const source& file, const char* path, const header& h) {
  const auto size = static_cast<std::uint64_t>(h.extents.elements()) * static_cast<std::uint64_t>(itemsize(h.type));
  if (file.left() >= size) return;
  refuse_file("load", path,
              detail::message("the file ends within its elements: shape %s of %s has %llu bytes, and %llu are there",
                              detail::to_string(h.extents).c_str(), name(h.type), 0ull + size, 0ull + file.left()));
}

/// The next elements, converted.
void read_elements(source& file, const header& h, std::uint64_t count, unsigned char* to, dtype wanted) {
  const auto size = static_cast<std::uint64_t>(itemsize(h.type));
  if (is_same(h, wanted)) return file.read(to, count * size, "elements");
  bytes raw(std::min<std::uint64_t>(piece, count * size));
  for (std::uint64_t done = 0; done < count;) {
    const auto now = std::min<std::uint64_t>(piece / size, count - done);
    file.read(raw.data(), now * size, "elements");
    convert(raw.data(), h, now, to + done * static_cast<std::uint64_t>(itemsize(wanted)), wanted);
    done += now;
  }
}

/// All of them. Memory is asked for once the file was seen to hold them or, from a pipe, as they come.
bytes read_all_elements(source& file, const char* path, const header& h, dtype wanted) {
  const auto count = static_cast<std::uint64_t>(h.extents.elements());
  const auto wanted_size = static_cast<std::uint64_t>(itemsize(wanted));
  const std::uint64_t most = file.left() == source::unknown ? piece : std::max<std::uint64_t>(count, 1);
  try {
    bytes elements;
    for (std::uint64_t done = 0; done < count;) {
      const auto now = std::min(most, count - done);
      elements.resize((done + now) * wanted_size);
      read_elements(file, h, now, elements.data() + done * wanted_size, wanted);
      done += now;
    }
    return elements;
  } catch (const std::bad_alloc&) {
    const std::string text =
        detail::message("sinter: load: %s: the host has no room for %llu bytes", path, 0ull + count * wanted_size);
    throw out_of_memory(text.c_str(), count * wanted_size, 0, 0);
  }
}

/// The bytes before the elements, as NumPy writes them: room for the first extent to grow, and 64-byte alignment.
std::string made_header(dtype type, const shape& extents) {
  const char order = itemsize(type) == 1 ? '|' : little ? '<' : '>';
  const char whole = detail::facts(type).is_signed ? 'i' : 'u';
  // NumPy has no name for bfloat16; ml_dtypes writes two bytes without a meaning.
  const char kind = type == dtype::bool_        ? 'b'
                    : type == dtype::bfloat16   ? 'V'
                    : detail::is_floating(type) ? 'f'
                    : detail::is_complex(type)  ? 'c'
                                                : whole;
  std::string text = detail::message("{'descr': '%c%c%d', 'fortran_order': False, 'shape': %s, }", order, kind,
                                     itemsize(type), detail::to_string(extents).c_str());
  if (extents.size() > 0) text.append(21 - std::to_string(extents[0]).size(), ' ');
  const std::size_t before = magic.size() + 4;
  text.append(63 - (before + text.size()) % 64, ' ').append(1, '\n');
  std::string all(magic);
  all.append({1, 0, static_cast<char>(text.size() & 255), static_cast<char>(text.size() >> 8)});
  return all + text;
}

}  // namespace

namespace detail {
namespace {

/// What `make` gives of the extents in C order, as an array of those that a header says.
template <class Make>
node* in_order(const header& h, Make make) {
  if (!h.fortran || h.extents.size() < 2) return make(h.extents);
  shape reversed = h.extents;
  std::reverse(&reversed[0], &reversed[0] + reversed.size());
  const handle columns(make(reversed));
  return make_transpose(columns.get(), nullptr, 0);
}

bool is_host() { return device::current().type() != device::kind::cuda; }

node* load_from(source& file, const char* path, dtype wanted) try {
  const header h = read_header(file, path);
  if (is_complex(h.type) && !is_complex(wanted) && wanted != dtype::bool_)
    throw dtype_error(message("sinter: load: %s: its numbers are complex, and no %s", path, name(wanted)).c_str());
  check_size(file, path, h);
  if (!is_host() || file.left() == source::unknown) {
    const bytes elements = read_all_elements(file, path, h, wanted);
    return in_order(h, [&](const shape& s) { return make_from_host(wanted, s, elements.data()); });
  }
  return in_order(h, [&](const shape& s) {
    handle made(make_array(wanted, s));
    auto* const to = reinterpret_cast<unsigned char*>(runtime::as_array_node(made.get())->data());
    read_elements(file, h, static_cast<std::uint64_t>(s.elements()), to, wanted);
    return made.take();
  });
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

/// Can a device work with the bytes of a file as they are, which begin so far into it?
bool maps(const header& h, dtype wanted, std::uint64_t start) {
  return is_host() && is_same(h, wanted) && start % static_cast<std::uint64_t>(itemsize(wanted)) == 0 &&
         h.extents.elements() > 0;
}

}  // namespace

node* load_npy(const char* path, dtype wanted) {
  source file(path);
  return load_from(file, path, wanted);
}

node* load_npy_part(const char* path, std::uint64_t offset, std::uint64_t size, dtype wanted) {
  source file(path, offset, size);
  return load_from(file, path, wanted);
}

node* load_npy_bytes(const char* path, std::string_view all, dtype wanted) {
  source file(path, all);
  return load_from(file, path, wanted);
}

node* map_npy(const char* path, dtype wanted) try {
  source file(path);
  const std::uint64_t size = file.left();
  if (size == source::unknown) return load_from(file, path, wanted);
  const header h = read_header(file, path);
  const std::uint64_t start = size - file.left(), count = static_cast<std::uint64_t>(h.extents.elements());
  if (!maps(h, wanted, start) || count > file.left() / static_cast<std::uint64_t>(itemsize(wanted)))
    return load_npy(path, wanted);  // which says what is wrong with a file that is too short
  const handle whole(runtime::map_file(file.file(), path, size, wanted));
  const auto first = static_cast<std::int64_t>(start) / itemsize(wanted);
  const index_item elements = to_index(slice(first, first + h.extents.elements()));
  const handle part(make_view(whole.get(), &elements, 1));
  return in_order(h, [&](const shape& s) { return make_reshape(part.get(), s.begin(), s.size()); });
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

npy_text npy_text_of(node* n) {
  const handle array(as_array(retain(n), where{}));
  const dtype type = static_cast<const typed_node*>(array.get())->type;
  const shape& extents = shape_of(array.get());
  const auto count = static_cast<std::size_t>(extents.elements());
  npy_text text{made_header(type, extents), bytes(count * static_cast<std::size_t>(itemsize(type)))};
  read_all(array.get(), text.elements.data(), count, {}, where{});
  return text;
}

void save_npy(const char* path, node* n) try {
  // Evaluated before the file is opened: an expression that fails leaves the old file alone.
  const auto [head, elements] = npy_text_of(n);
  write_whole("save", path, std::array<std::string_view, 2>{head, bytes_of(elements)});
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

}  // namespace detail
}  // namespace sinter
