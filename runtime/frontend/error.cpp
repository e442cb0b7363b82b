// The exceptions' constructors and the text that shapes and dtypes have in messages.
#include <sinter/detail/seam.hpp>
#include <sinter/error.hpp>
#include <sinter/index.hpp>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <ostream>

#include "runtime/frontend/message.hpp"

namespace sinter {

// One counted block: the characters follow the counts, each text with its zero.
struct error::text {
  int references;
  int count;
  char characters[1];
};

error::error(const char* message) : error(&message, 1) {}

error::error(const char* const* texts, int count) {
  std::size_t size = sizeof(text);
  for (int i = 0; i < count; ++i) size += std::strlen(texts[i]) + 1;
  text_ = static_cast<text*>(std::malloc(size));
  if (!text_) return;
  text_->references = 1;
  text_->count = count;
  char* at = text_->characters;
  for (int i = 0; i < count; ++i) at = ::stpcpy(at, texts[i]) + 1;
}

const char* error::text_number(int i) const noexcept {
  if (!text_ || i >= text_->count) return "";
  const char* at = text_->characters;
  while (i-- > 0) at += std::strlen(at) + 1;
  return at;
}

error::error(const error& other) noexcept : std::exception(other), text_(other.text_) {
  if (text_) __atomic_fetch_add(&text_->references, 1, __ATOMIC_RELAXED);
}

error& error::operator=(const error& other) noexcept {
  error copy(other);
  std::swap(text_, copy.text_);
  return *this;
}

error::~error() {
  if (text_ && __atomic_fetch_sub(&text_->references, 1, __ATOMIC_ACQ_REL) == 1) std::free(text_);
}

const char* error::what() const noexcept { return text_ ? text_->characters : "sinter: out of memory"; }

out_of_memory::out_of_memory(const char* message, std::size_t asked_, std::size_t in_use_, std::size_t limit_,
                             std::size_t largest_free_)
    : error(message), asked(asked_), in_use(in_use_), limit(limit_), largest_free(largest_free_) {}

namespace {

struct three_texts {
  const char* all[3];
};

}  // namespace

compile_error::compile_error(const char* message, const char* log, const char* source)
    : error(three_texts{{message, log, source}}.all, 3) {}
const char* compile_error::log() const noexcept { return text_number(1); }
const char* compile_error::source() const noexcept { return text_number(2); }

// Here so that each class has one key function and its type information one home.
shape_error::~shape_error() = default;
dtype_error::~dtype_error() = default;
index_error::~index_error() = default;
linalg_error::~linalg_error() = default;
out_of_memory::~out_of_memory() = default;
compile_error::~compile_error() = default;
device_error::~device_error() = default;
device_lost::~device_lost() = default;
io_error::~io_error() = default;
internal_error::~internal_error() = default;

std::ostream& operator<<(std::ostream& out, dtype t) { return out << name(t); }
std::ostream& operator<<(std::ostream& out, const shape& s) { return out << detail::to_string(s); }

void shape::check_rank(int count) {
  if (count <= max_rank) return;
  throw shape_error(detail::message("sinter: %d axes asked for; arrays have at most %d", count, max_rank).c_str());
}

// The library's one product of extents that may not fit. Extents beside one of 0 count as well, as NumPy has it: strides and
// the shapes of views are made of them.
void shape::check() const {
  std::int64_t bytes = itemsize(dtype::complex128);  // the widest element
  for (const std::int64_t extent : *this) {
    if (extent < 0) {
      const auto given = static_cast<long long>(extent);
      throw shape_error(detail::message("sinter: an extent of %lld; extents are not negative", given).c_str());
    }
    if (extent == 0 || !__builtin_mul_overflow(bytes, extent, &bytes)) continue;
    const std::string text = detail::to_string(*this);
    throw shape_error(detail::message("sinter: shape %s has more elements than can be counted", text.c_str()).c_str());
  }
}

namespace detail {

void throw_host_is_full() { throw out_of_memory("sinter: the host has no memory left", 0, 0, 0); }

std::string message(const char* format, ...) try {
  std::va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, format, arguments);
  va_end(arguments);
  std::string text(static_cast<std::size_t>(length < 0 ? 0 : length), '\0');
  std::vsnprintf(text.data(), text.size() + 1, format, again);
  va_end(again);
  return text;
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

std::string to_string(const sinter::shape& s) try {
  std::string out = "(";
  for (int d = 0; d < s.size(); ++d) out += (d ? ", " : "") + std::to_string(s[d]);
  return out + (s.size() == 1 ? ",)" : ")");
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

std::string at(const where& place) {
  if (place.line == 0) return "";
  return message(" (at %s:%u)", place.file, place.line);
}

void throw_scalar_does_not_fit(dtype t, std::int64_t value) {
  throw dtype_error(message("sinter: the scalar %lld does not fit %s; use strong(x) or astype",
                            static_cast<long long>(value), name(t))
                        .c_str());
}
void throw_scalar_does_not_fit(dtype t, std::uint64_t value) {
  throw dtype_error(message("sinter: the scalar %llu does not fit %s; use strong(x) or astype",
                            static_cast<unsigned long long>(value), name(t))
                        .c_str());
}
void throw_ragged_lists() {
  throw shape_error("sinter: the lists inside an initialiser list differ in length or depth");
}
void throw_moved_from() { throw error("sinter: this expression was moved from, and has no value"); }
void throw_too_many_indices() {
  throw index_error(message("sinter: an index list of more than %d entries", index_list::capacity).c_str());
}

}  // namespace detail
}  // namespace sinter
