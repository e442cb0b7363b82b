// Tables of numbers in text, and elements as bytes.
#include <sinter/text.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>

#include <sinter/error.hpp>

#include "codegen/compile/file.hpp"
#include "runtime/frontend/files.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/nodes.hpp"
#include "runtime/frontend/terms.hpp"

namespace sinter::detail {

using runtime::typed;

namespace {

[[noreturn]] void refuse(const std::string& why) { throw io_error(("sinter: " + why).c_str()); }

// ---- numbers --------------------------------------------------------------------------------------------------------

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view spaces = " \t\r\n\f\v";
  const auto first = text.find_first_not_of(spaces);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(spaces) + 1 - first);
}

// Is `text` a number, all of it?
template <class T>
bool parse(std::string_view text, T& number) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end != text.data() + text.size()) return false;
  if constexpr (std::is_floating_point_v<T>)
    if (wrong == std::errc::result_out_of_range) {  // beyond the largest, or nearer to zero than the smallest
      number = std::strtod(std::string(text).c_str(), nullptr);
      return true;
    }
  return wrong == std::errc();
}

// Is an integer one of a dtype's? Bools are made of any.
template <class T>
bool fits(T number, dtype t) {
  if constexpr (std::is_floating_point_v<T>) {
    return true;
  } else {
    if (t == dtype::bool_ || itemsize(t) == 8) return true;
    const bool is_signed = facts(t).is_signed;
    const std::int64_t most = (std::int64_t{1} << (8 * itemsize(t) - is_signed)) - 1;
    return number <= static_cast<T>(most) && number >= static_cast<T>(is_signed ? -most - 1 : 0);
  }
}

// Calls f with a number of the type in which elements of a dtype are read.
template <class F>
node* with_number(dtype t, F f) {
  if (t == dtype::uint64) return f(std::uint64_t{});
  return kind_of(t) == kind::integer || t == dtype::bool_ ? f(std::int64_t{}) : f(double{});
}

// ---- tables ---------------------------------------------------------------------------------------------------------

// A line's fields: between delimiters, or without one what spaces stand around.
std::vector<std::string_view> fields_of(std::string_view line, const text_format& how) {
  if (how.comments && *how.comments)
    if (const auto at = line.find(how.comments); at != line.npos) line = line.substr(0, at);
  std::vector<std::string_view> all;
  if (trimmed(line).empty()) return all;
  if (how.delimiter && *how.delimiter) {
    const std::string_view between = how.delimiter;
    // Spaces around a line are none between numbers, but tabs may be.
    line.remove_prefix(line.find_first_not_of(' '));
    line.remove_suffix(line.size() - 1 - line.find_last_not_of(" \r"));
    for (std::size_t at = 0; at != line.npos;) {
      const auto end = line.find(between, at);
      all.push_back(trimmed(line.substr(at, end == line.npos ? end : end - at)));
      at = end == line.npos ? end : end + between.size();
    }
    return all;
  }
  for (line = trimmed(line); !line.empty();) {
    const auto end = line.find_first_of(" \t\r\f\v");
    all.push_back(line.substr(0, end));
    line = end == line.npos ? std::string_view() : trimmed(line.substr(end));
  }
  return all;
}

template <class T>
struct number_table {
  std::vector<T> numbers;
  std::int64_t rows = 0, columns = -1;
};

template <class T>
class table_reader {
 public:
  table_reader(const char* path, dtype t, const text_format& how, bool may_miss)
      : path_(path), type_(t), how_(how), may_miss_(may_miss) {}

  number_table<T> read() {
    std::ifstream file(path_);
    if (!file) refuse_file(function(), path_, errno);
    std::string line;
    while ((how_.max_rows < 0 || all_.rows < how_.max_rows) && std::getline(file, line)) {
      if (++line_ == 1 && line.starts_with(byte_order_mark)) line.erase(0, byte_order_mark.size());
      if (line_ <= how_.skiprows) continue;
      if (const auto fields = fields_of(line, how_); !fields.empty()) add_row(fields);
    }
    if (file.bad()) refuse_file(function(), path_, errno);
    return std::move(all_);
  }

 private:
  static constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  const char* function() const { return may_miss_ ? "genfromtxt" : "loadtxt"; }
  [[noreturn]] void bad(const std::string& what) const {
    refuse(message("%s: %s: line %lld %s", function(), path_, line_, what.c_str()));
  }

  void add_row(const std::vector<std::string_view>& fields) {
    const auto count = static_cast<std::int64_t>(fields.size());
    if (all_.columns >= 0 && count != fields_ && how_.usecols.empty())
      bad(message("has %lld fields, and those before it have %lld", static_cast<long long>(count),
                  static_cast<long long>(fields_)));
    fields_ = count;
    ++all_.rows;
    all_.columns = how_.usecols.empty() ? count : static_cast<std::int64_t>(how_.usecols.size());
    if (how_.usecols.empty()) {
      for (const std::string_view& f : fields) add(f);
      return;
    }
    for (std::int64_t c : how_.usecols) {
      if (c < -count || c >= count) bad(message("has no column %lld", static_cast<long long>(c)));
      add(fields[static_cast<std::size_t>(c < 0 ? c + count : c)]);
    }
  }

  void add(std::string_view field) {
    T number{};
    if (parse(field, number) && fits(number, type_)) return all_.numbers.push_back(number);
    if (!may_miss_)
      bad(message("has '%.*s', which is no %s", static_cast<int>(std::min<std::size_t>(field.size(), 40)), field.data(),
                  name(type_)));
    const double filling = how_.filling_values;
    const bool is_default = std::is_integral_v<T> && std::isnan(filling);
    all_.numbers.push_back(is_default ? static_cast<T>(type_ == dtype::bool_ ? 0 : -1) : static_cast<T>(filling));
  }

  const char* path_;
  dtype type_;
  const text_format& how_;
  bool may_miss_;
  long long line_ = 0;
  std::int64_t fields_ = 0;
  number_table<T> all_;
};

}  // namespace

node* load_text(const char* path, dtype t, const text_format& how, bool may_miss) try {
  return with_number(t, [&](auto number) {
    using T = decltype(number);
    const number_table<T> read = table_reader<T>(path, t, how, may_miss).read();
    shape s;
    for (std::int64_t extent : {read.rows, std::max<std::int64_t>(read.columns, 1)}) {
      if (extent == 1) continue;
      s.set_size(s.size() + 1);
      s[s.size() - 1] = extent;
    }
    return make_from_host(dtype_of<T>, s, read.numbers.data());
  });
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

node* parse_text(const char* text, const char* separator, dtype t) try {
  const bool is_space = !separator || trimmed(separator).empty();
  const text_format how{.delimiter = is_space ? nullptr : separator, .comments = nullptr};
  std::string line(text);
  for (char& c : line)
    if (c == '\n') c = ' ';
  return with_number(t, [&](auto number) {
    std::vector<decltype(number)> all;
    for (const std::string_view& f : fields_of(line, how)) {
      if (!parse(f, number) || !fits(number, t))
        refuse(message("fromstring: '%.*s' is no %s", static_cast<int>(std::min<std::size_t>(f.size(), 40)), f.data(),
                       name(t)));
      all.push_back(number);
    }
    return make_from_host(dtype_of<decltype(number)>, shape{all.size()}, all.data());
  });
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

// ---- writing --------------------------------------------------------------------------------------------------------

namespace {

// A format of one number, checked, since printf trusts it.
class number_format {
 public:
  explicit number_format(const char* fmt) {
    const auto wrong = [&] { refuse(message("savetxt: '%.60s' is no format of a number", fmt)); };
    bool has_number = false;
    for (const char* at = fmt; *at; ++at) {
      text_ += *at;
      if (*at != '%') continue;
      if (at[1] == '%') {
        text_ += *++at;
        continue;
      }
      if (has_number) wrong();
      has_number = true;
      const std::size_t options = std::strspn(++at, "-+ #0123456789.");
      text_.append(at, options);
      at += options;
      if (*at == '\0' || !std::strchr("dieEfFgG", *at) || options > 12) wrong();
      is_whole_ = *at == 'd' || *at == 'i';
      if (is_whole_) text_ += "ll";
      text_ += *at;
    }
    if (!has_number) wrong();
  }

  template <class T>
  std::string of(T number) const {
    if (!is_whole_) return message(text_.c_str(), static_cast<double>(number));
    if constexpr (std::is_floating_point_v<T>) {
      if (!(number >= -0x1p63 && number < 0x1p63))
        refuse(message("savetxt: %g is no integer of 64 bits", static_cast<double>(number)));
    }
    return message(text_.c_str(), static_cast<long long>(number));
  }

 private:
  std::string text_;
  bool is_whole_ = false;
};

// Lines of a header or a footer, each behind what says so.
void add_remarks(std::string& to, const char* text, const text_layout& how) {
  if (*text == '\0') return;
  to += how.comments;
  for (; *text; ++text) {
    to += *text;
    if (*text == '\n') to += how.comments;
  }
  to += how.newline;
}

}  // namespace

void save_text(const char* path, node* n, const text_layout& how) try {
  const shape& s = typed(n)->extents;
  if (s.size() != 1 && s.size() != 2)
    throw shape_error(
        message("sinter: savetxt of an array of shape %s; it has one or two axes", to_string(s).c_str()).c_str());
  const number_format each(how.fmt);
  const dtype t = typed(n)->type;
  if (is_complex(t)) throw dtype_error("sinter: savetxt of complex numbers; write real(a) and imag(a)");
  std::string text;
  add_remarks(text, how.header, how);
  const std::int64_t columns = s.size() == 2 ? s[1] : 1;
  with_number(t, [&](auto number) -> node* {
    using T = decltype(number);
    std::vector<T> numbers(static_cast<std::size_t>(s.elements()));
    const runtime::term all = astype(runtime::term::of(n), dtype_of<T>);
    read_all(all.get(), numbers.data(), numbers.size(), {}, where{});
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      text += each.of(numbers[i]);
      const bool ends = (static_cast<std::int64_t>(i) + 1) % columns == 0;
      text += ends ? how.newline : how.delimiter;
    }
    return nullptr;
  });
  add_remarks(text, how.footer, how);
  write_whole("savetxt", path, text);
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

// ---- bytes ----------------------------------------------------------------------------------------------------------

std::int64_t elements_in(std::size_t bytes, dtype t, std::int64_t count, std::int64_t offset) {
  const std::int64_t left = static_cast<std::int64_t>(bytes) - offset;
  if (offset < 0 || left < 0)
    throw shape_error(
        message("sinter: elements behind %lld bytes of %zu", static_cast<long long>(offset), bytes).c_str());
  if (count < 0 && left % itemsize(t) == 0) return left / itemsize(t);
  if (count < 0 || count > left / itemsize(t))
    throw shape_error(message("sinter: %lld bytes are not %s of %s", static_cast<long long>(left),
                              count < 0 ? "a number of elements" : std::to_string(count).c_str(), name(t))
                          .c_str());
  return count;
}

node* load_raw(const char* path, dtype t, std::int64_t count, std::int64_t offset) try {
  const codegen::unique_fd file = codegen::open_path(path, O_RDONLY);
  struct stat status;
  if (!file || ::fstat(file.get(), &status) != 0) refuse_file("fromfile", path, errno);
  if (!S_ISREG(status.st_mode)) refuse_file("fromfile", path, S_ISDIR(status.st_mode) ? EISDIR : ESPIPE);
  const auto size = static_cast<std::int64_t>(status.st_size);
  if (offset < 0 || offset > size) refuse(message("fromfile: %s has %lld bytes", path, static_cast<long long>(size)));
  const std::int64_t there = (size - offset) / itemsize(t), wanted = count < 0 ? there : count;
  if (wanted > there)
    refuse(message("fromfile: %s has %lld elements of %s, not %lld", path, static_cast<long long>(there), name(t),
                   static_cast<long long>(wanted)));
  std::vector<char> bytes(static_cast<std::size_t>(wanted * itemsize(t)));
  if (::lseek(file.get(), offset, SEEK_SET) < 0) refuse_file("fromfile", path, errno);
  const std::ptrdiff_t got = codegen::read_upto(file.get(), bytes.data(), bytes.size());
  if (got < 0) refuse_file("fromfile", path, errno);
  if (static_cast<std::size_t>(got) < bytes.size()) refuse_file("fromfile", path, "it has become shorter");
  if (t == dtype::bool_)
    for (char& b : bytes) b = b != 0;  // another byte is no value of a bool
  return make_from_host(t, shape{wanted}, bytes.data());
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

void save_raw(const char* path, node* n) try {
  const auto count = static_cast<std::size_t>(typed(n)->extents.elements());
  std::vector<char> bytes(count * static_cast<std::size_t>(itemsize(typed(n)->type)));
  read_all(n, bytes.data(), count, {}, where{});
  write_whole("tofile", path, bytes_of(bytes));
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

}  // namespace sinter::detail
