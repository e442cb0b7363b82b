// Lists of entries on the host, of which sparse arrays are put together: where each goes, and which of some values it has. Values stay
// expressions.
#pragma once

#include <utility>

#include "runtime/frontend/sparse_entries.hpp"

namespace sinter::runtime {

inline const sparse_entries& entries_of(const detail::sparse_parts& p) { return *structure_of(p.structure).entries; }

/// Entries in any order.
struct entry_list {
  place_list major, minor, from;
  void add(std::int64_t to_major, std::int64_t to_minor, std::int64_t value) {
    major.push_back(to_major);
    minor.push_back(to_minor);
    from.push_back(value);
  }
};
/// The same row by row.
struct row_list {
  place_list starts{0}, minor, from;
  bool is_sorted = true, is_canonical = true;

  void reserve(std::int64_t rows, std::int64_t entries) {
    starts.reserve(at(rows) + 1);
    minor.reserve(at(entries));
    from.reserve(at(entries));
  }
  void add(std::int64_t to_minor, std::int64_t value) {
    minor.push_back(to_minor);
    from.push_back(value);
  }
  void end_row() { starts.push_back(size_of(minor)); }
};

/// A sparse array of a format and a shape. `like`: the device and dtype of the indices. Errors: `out_of_memory`.
detail::sparse_parts assembled(const entry_list&, sparse::format, const shape&, const term& values,
                               const sparse_entries& like);
detail::sparse_parts assembled(const row_list&, sparse::format, const shape&, const term& values,
                               const sparse_entries& like);

/// Of a diagonal, the k-th above the main one: 0 where it lies beside the array.
inline std::int64_t length_of_diagonal(const shape& s, std::int64_t k) {
  if (k > s[1] || k < -s[0]) return 0;
  return std::max<std::int64_t>(0, std::min(s[0] + std::min<std::int64_t>(k, 0), s[1] - std::max<std::int64_t>(k, 0)));
}

}  // namespace sinter::runtime
