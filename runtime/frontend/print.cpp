// Printing: fetches as much of an array as its text shows and hands it to format.cpp. Of an array too large to show,
// only the corners leave the device.

#include <algorithm>
#include <mutex>
#include <new>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <sinter/detail/sparse.hpp>
#include <sinter/format.hpp>
#include <sinter/io.hpp>

#include "codegen/ir/node.hpp"
#include "runtime/frontend/format.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/terms.hpp"

namespace sinter {
namespace {

std::mutex options_mutex;
print_options options_now;

using bytes = std::vector<unsigned char>;

/// Copies a block of elements, both in C order, to where it begins in a larger one.
void paste(const bytes& block, const shape& extents, bytes& into, const shape& larger, const std::int64_t* begin,
           std::size_t itemsize) {
  const int rank = extents.size();
  const std::int64_t columns = extents[rank - 1], rows = extents.elements() / columns;
  for (std::int64_t row = 0; row < rows; ++row) {
    std::int64_t at = 0, scale = 1, rest = row;
    for (int d = rank - 1; d >= 0; --d) {
      const std::int64_t i = d == rank - 1 ? 0 : rest % extents[d];
      if (d != rank - 1) rest /= extents[d];
      at += (begin[d] + i) * scale;
      scale *= larger[d];
    }
    std::copy_n(block.begin() + row * columns * itemsize, columns * itemsize, into.begin() + at * itemsize);
  }
}

/// The elements that an array's edges leave: one copy for every corner, of which there are two for each axis that is
/// cut.
bytes fetch(detail::node* array, const shape& whole, const runtime::edges& edges, std::size_t itemsize) {
  const int rank = whole.size();
  bytes shown(static_cast<std::size_t>(edges.extents.elements()) * itemsize);
  std::vector<int> cut;
  for (int d = 0; d < rank; ++d)
    if (edges.after[d] > 0) cut.push_back(d);
  if (cut.empty()) {
    detail::read_all(array, shown.data(), static_cast<std::size_t>(whole.elements()), {}, detail::where{});
    return shown;
  }
  for (unsigned corner = 0; corner < 1u << cut.size(); ++corner) {
    detail::index_item items[max_rank];
    std::int64_t begin[max_rank] = {};
    shape extents = edges.extents;
    for (int d = 0; d < rank; ++d) items[d] = detail::to_index(_);
    for (std::size_t k = 0; k < cut.size(); ++k) {
      const int d = cut[k];
      const std::int64_t before = edges.extents[d] - edges.after[d];
      const bool last = corner >> k & 1;
      begin[d] = last ? before : 0;
      extents[d] = last ? edges.after[d] : before;
      items[d] = detail::to_index(last ? slice(whole[d] - edges.after[d], _) : slice(0, before));
    }
    if (extents.elements() == 0) continue;
    const detail::handle view(detail::make_view(array, items, rank));
    const auto count = static_cast<std::size_t>(extents.elements());
    bytes block(count * itemsize);
    detail::read_all(view.get(), block.data(), count, {}, detail::where{});
    paste(block, extents, shown, edges.extents, begin, itemsize);
  }
  return shown;
}

}  // namespace

void set_printoptions(const print_options& options) {
  const std::lock_guard lock(options_mutex);
  options_now = options;
}

print_options get_printoptions() {
  const std::lock_guard lock(options_mutex);
  return options_now;
}

namespace detail {
namespace {

// What a text shows of an array.
struct shown_part {
  shape extents;
  dtype type;
  bytes elements;
  std::size_t count() const { return elements.size() / static_cast<std::size_t>(itemsize(type)); }
};
shown_part part_of(node* n, const print_options& options) {
  const handle array(as_array(retain(n), where{}));
  const dtype type = static_cast<const typed_node*>(array.get())->type;
  const shape& extents = shape_of(array.get());
  return {extents, type, fetch(array.get(), extents, runtime::edges_of(extents, options), itemsize(type))};
}

// Is this what elements are when nothing else is said?
bool is_implied(dtype t) {
  return t == dtype::bool_ || t == dtype::int64 || t == dtype::float64 || t == dtype::complex128;
}

}  // namespace

std::string str_of(node* n, const print_options& options) try {
  const shown_part part = part_of(n, options);
  return runtime::format(part.elements.data(), part.type, part.extents, options);
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

void print(std::ostream& out, node* n) { out << str_of(n, get_printoptions()); }

std::string text_of(node* n, const print_options& options, const text_around& around, const element_text& own) try {
  const shown_part part = part_of(n, options);
  std::vector<std::string> words;
  if (own.of) {
    const auto size = static_cast<std::size_t>(itemsize(part.type));
    for (std::size_t i = 0; i < part.count(); ++i) words.push_back(own.of(own.by, &part.elements[i * size]));
  } else {
    words = runtime::words_of(part.elements.data(), part.type, part.count(), options);
  }
  const std::string_view before = around.prefix, behind = around.suffix;
  return runtime::lay_out(words, part.extents, options, {around.separator, before.size(), behind.size()});
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

std::string repr_of(node* n, const print_options& options) try {
  const handle array(as_array(retain(n), where{}));
  const shape& extents = shape_of(array.get());
  const dtype type = static_cast<const typed_node*>(array.get())->type;
  std::string text = "array(" + text_of(array.get(), options, {", ", "array(", ")"}, {}), more;
  const bool is_empty = extents.elements() == 0;
  if ((is_empty && extents.size() != 1) || extents.elements() > options.threshold) more = "shape=" + to_string(extents);
  if (!is_implied(type) || is_empty) more += (more.empty() ? "dtype=" : ", dtype=") + std::string(name(type));
  if (more.empty()) return text + ')';
  text += ',';
  const std::size_t last_line = text.size() - (text.rfind('\n') + 1);  // also where there is one line
  const bool fits = last_line + more.size() + 2 <= static_cast<std::size_t>(std::max(options.linewidth, 0));
  return text + (fits ? " " : "\n      ") + more + ')';
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

namespace {

constexpr const char* format_names[] = {"Compressed Sparse Row", "Compressed Sparse Column", "COOrdinate"};
constexpr std::int64_t most_entries = 50;  // that are printed

// The text of each element of an array of one axis, from one to another.
std::vector<std::string> texts_between(node* n, std::int64_t from, std::int64_t to) {
  const index_item part = to_index(slice(from, to));
  const handle view(make_view(n, &part, 1)), array(as_array(retain(view.get()), where{}));
  const dtype type = static_cast<const typed_node*>(array.get())->type;
  const auto size = static_cast<std::size_t>(itemsize(type));
  bytes elements(static_cast<std::size_t>(to - from) * size);
  read_all(array.get(), elements.data(), static_cast<std::size_t>(to - from), {}, where{});
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < elements.size(); at += size)
    texts.push_back(runtime::format(&elements[at], type, {}, get_printoptions()));
  return texts;
}

}  // namespace

void print(std::ostream& out, const sparse_parts& p) try {
  const sparse_facts f = sparse_facts_of(p.structure);
  const dtype type = static_cast<const typed_node*>(p.data.get())->type;
  // As Python's numbers, which are double.
  const dtype shown = is_complex(type) ? dtype::complex128 : is_floating(type) ? dtype::float64 : type;
  const handle numbers(runtime::astype(runtime::term(p.data), shown).take());
  out << '<' << format_names[static_cast<int>(f.format)] << " sparse array of dtype '" << name(type) << "'\n\twith "
      << f.entries << " stored elements and shape " << shape{f.rows, f.columns} << '>';
  if (f.entries == 0) return;
  out << "\n  Coords\tValues";
  const handle rows(make_entry_index(p.structure, false)), columns(make_entry_index(p.structure, true));
  const auto some = [&](std::int64_t from, std::int64_t to) {
    const auto i = texts_between(rows.get(), from, to), j = texts_between(columns.get(), from, to);
    const auto values = texts_between(numbers.get(), from, to);
    for (std::size_t k = 0; k < values.size(); ++k) out << "\n  (" << i[k] << ", " << j[k] << ")\t" << values[k];
  };
  if (f.entries <= most_entries) return some(0, f.entries);
  some(0, most_entries / 2);
  out << "\n  :\t:";
  some(f.entries - most_entries / 2, f.entries);
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

}  // namespace detail
}  // namespace sinter
