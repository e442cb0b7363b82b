// Where the entries of sparse arrays are: found on the host, by indices alone. Values follow as expressions.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include <sinter/detail/sparse.hpp>

#include "runtime/frontend/list.hpp"
#include "runtime/frontend/terms.hpp"

namespace sinter::runtime {

using place_list = list<std::int64_t>;
inline std::int64_t size_of(const place_list& l) { return static_cast<std::int64_t>(l.size()); }
/// An index that is known not to be negative.
inline std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

class gpu_factors;
struct gpu_factors_kind;
struct sparse_entries;

/// Entries in another order. `order`: which of the entries before comes at each place; null: as they were. `segments`: where those
/// begin that become one; null: each stays one.
struct arrangement {
  std::shared_ptr<const sparse_entries> to;
  detail::handle order, segments;
  std::int64_t before = 0, longest = 0;  // how many there were, and how many of them become one at most

  /// Values in this order: lazy.
  term values(const term& before) const;
};

/// What is made of two arrays: the entries of either, those that both have, those of the product of matrices.
enum class pair_kind : std::uint8_t { either, both, product };
/// Which entry of each array a place has, by index; of a product each multiplication, and where those of a place begin.
struct pairing {
  std::shared_ptr<const sparse_entries> to;
  detail::handle left, right, segments;
  bool has_gaps = false;  // where one has no entry its index is -1
  std::int64_t products = 0, longest = 0;
};
using pairing_ref = std::shared_ptr<const pairing>;

/// Entries along a major axis, and their places on the other one: rows and columns of csr, columns and rows of csc.
struct sparse_places {
  bool is_compressed;           // else `major` has one index for each entry
  std::int64_t majors, minors;  // extents
  std::int64_t count, longest;  // entries of all, and of the longest row
  bool is_sorted, is_canonical;
  detail::handle major, minor;  // arrays in C order, both of int32 or both of int64
};
struct sparse_entries : sparse_places {
  explicit sparse_entries(sparse_places p) : sparse_places(std::move(p)) {}

  dtype index() const { return codegen_type(minor); }
  sinter::device device() const { return detail::device_of(minor.get()); }
  /// Are they compressed, and may the host look at them without waiting for a GPU?
  bool is_read_at_once() const;

  /// Sorted along the major axis, or along the minor one: entries of one place become one, unless they were compressed before. Found
  /// once. Errors: `out_of_memory`, `device_error`. Stream behaviour: waits.
  const arrangement& along_major() const { return found(by_major_, true); }
  const arrangement& along_minor() const { return found(by_minor_, false); }

  /// The major index of each entry, of compressed ones on a CPU: found once, which waits. Null while a graph is captured, and on a GPU.
  detail::handle expanded_majors() const;

  /// The last pairing of each kind is kept while the other entries live, as programs multiply new values at the same places; or null.
  pairing_ref kept_pairing(const std::shared_ptr<const sparse_entries>& other, pair_kind) const;
  void keep(const std::shared_ptr<const sparse_entries>& other, pair_kind, pairing_ref) const;

  /// The last two factors of values at these places are kept, as a program has one of them while it makes the next. One that nothing
  /// else uses any more, to factor other values: what was found of the places serves again; or null. The caller keeps it again.
  std::shared_ptr<gpu_factors> take_factors(const gpu_factors_kind&) const;
  void keep(std::shared_ptr<gpu_factors>) const;

 private:
  static dtype codegen_type(const detail::handle& n) { return typed(n.get())->type; }
  const arrangement& found(std::unique_ptr<arrangement>&, bool by_major) const;

  mutable std::mutex finding_;
  mutable std::unique_ptr<arrangement> by_major_, by_minor_;
  mutable detail::handle expanded_;
  struct kept_pair {
    std::weak_ptr<const sparse_entries> other;
    pairing_ref found;
  };
  mutable kept_pair pairs_[3];
  mutable std::shared_ptr<gpu_factors> factors_[2];  // the later one first
};
using entries_ref = std::shared_ptr<const sparse_entries>;

/// What a structure_handle holds.
struct sparse_structure final : detail::sparse_structure {
  sparse_structure(sparse::format f, entries_ref e) : format(f), entries(std::move(e)) {}
  const sparse::format format;
  const entries_ref entries;

  std::int64_t rows() const { return format == sparse::format::csc ? entries->minors : entries->majors; }
  std::int64_t columns() const { return format == sparse::format::csc ? entries->majors : entries->minors; }
  shape extents() const { return {rows(), columns()}; }
};
inline const sparse_structure& structure_of(const detail::structure_handle& h) {
  return *static_cast<const sparse_structure*>(h.get());
}
detail::structure_handle make_structure(sparse::format, entries_ref);
/// Of what is made of an array.
inline sparse::format made_format(const detail::sparse_parts& p) {
  return detail::format_made_of(structure_of(p.structure).format);
}

/// Compressed entries of lists. `like`: the device and dtype of the indices.
entries_ref make_compressed(const place_list& starts, const place_list& minor, std::int64_t minors, bool is_canonical,
                            bool is_sorted, const sparse_entries& like);
/// The same arranged anew: each row's entries sorted, those of one place added up or not.
arrangement sorted(const sparse_entries&, bool merges);

/// Entries that lists name, in any order, as rows in order, and which of the lists' each of them is.
struct placed_entries {
  entries_ref entries;
  place_list order;
};
placed_entries put_in_place(const place_list& major, const place_list& minor, std::int64_t majors, std::int64_t minors,
                            const sparse_entries& like);
/// The entries of the longest row.
std::int64_t longest_of(const place_list& starts);
/// The row of each entry.
place_list read_majors(const sparse_entries&);
/// The values of entries, as an array of indices names them; where there may be gaps, of -1 it is zero: lazy.
term values_at(const term&, const detail::handle& entries, bool has_gaps);
term values_at(const term&, const place_list& entries);

/// Indices as the host sees them. Stream behaviour: waits.
place_list read_places(const detail::handle&);
/// An array of int32 or int64.
detail::handle make_index_array(const place_list&, dtype);
inline detail::handle make_index_array(const list<std::int32_t>& places) {
  return detail::handle(
      detail::make_from_host(dtype::int32, shape{static_cast<std::int64_t>(places.size())}, places.data()));
}
inline detail::handle make_index_array(const place_list& places) { return make_index_array(places, dtype::int64); }
/// int32 where extents and entries fit.
dtype index_for(std::int64_t majors, std::int64_t minors, std::int64_t count);

}  // namespace sinter::runtime
