// Where the walk of resolve.cpp is, and what tells two such places, or two operands, apart.
#pragma once

#include <algorithm>

#include "codegen/ir/number_table.hpp"
#include "codegen/ir/resolve.hpp"

namespace sinter::codegen {

using detail::axis_map;

/// Where what is folded lies side by side: along a reduced axis, or across it.
enum class lie : std::uint8_t { any, along, across };

/// How the axes of the node being walked are driven by the axes of a space.
struct context {
  unsigned space;
  bool identity;            // axis d of the node is axis d of the space
  bool whole;               // in C order, the node's elements are the points of the space
  bool stored = false;      // the node is computed here for its uses elsewhere
  ref guard = ref::none();  // where it is false nothing is read
  sinter::shape extents;
  axis_map map[max_rank];
};

inline bool same(const axis_map& a, const axis_map& b) {
  return a.offset == b.offset && a.step == b.step && a.axis == b.axis && a.run == b.run;
}

inline bool same(const context& a, const context& b) {
  return a.space == b.space && a.identity == b.identity && a.whole == b.whole && a.stored == b.stored &&
         a.guard.bits == b.guard.bits && a.extents == b.extents &&
         (a.identity ||
          std::equal(a.map, a.map + a.extents.size(), b.map, [](auto& x, auto& y) { return same(x, y); }));
}

inline std::uint64_t hash_of(const context& c) {
  std::uint64_t h = mixed(c.space << 1 | unsigned{c.stored}, c.guard.bits);
  for (int d = 0; d < c.extents.size(); ++d)
    h = mixed(mixed(h, static_cast<std::uint64_t>(c.map[d].offset)),
              static_cast<std::uint64_t>(c.map[d].step) << 8 ^ static_cast<std::uint16_t>(c.map[d].axis));
  return h;
}

inline bool same(const operand& a, const operand& b) {
  return a.data == b.data && a.boundary == b.boundary && a.offset == b.offset && a.origin == b.origin &&
         a.space == b.space && a.type == b.type && a.iota == b.iota && a.indexed == b.indexed && a.flat == b.flat &&
         (a.flat || std::equal(a.strides, a.strides + max_rank, b.strides));
}

inline std::uint64_t hash_of(const detail::node* n, unsigned context) {
  return mixed(reinterpret_cast<std::uintptr_t>(n) >> 6, context);
}

inline std::uint64_t hash_of(const operand& o) {
  const auto place = reinterpret_cast<std::uintptr_t>(o.data) + static_cast<std::uint64_t>(o.offset + o.origin);
  return mixed(place, static_cast<std::uint64_t>(o.boundary) << 16 ^ static_cast<std::uint64_t>(o.space) << 8 ^
                          static_cast<std::uint64_t>(o.type));
}

}  // namespace sinter::codegen
