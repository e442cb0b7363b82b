// Kernels that together hold every operation, cast and reduction of every dtype, and the variants in which a kernel may
// be asked for: what the sweeps over generated text compile.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "codegen/compile/compiler.hpp"
#include "codegen/source/emit.hpp"
#include "codegen/source/geometry.hpp"
#include "test/codegen/ir/small_kernel.hpp"

namespace sinter::test {

inline constexpr dtype element_dtypes[] = {dtype::bool_,  dtype::int8,    dtype::uint8,  dtype::int16,
                                           dtype::uint16, dtype::int32,   dtype::uint32, dtype::int64,
                                           dtype::uint64, dtype::float32, dtype::float64};

/// Does an operation compute in this dtype, once its operands are promoted?
inline bool computes_in(op code, dtype t) {
  const detail::rule r = detail::facts(code).of;
  return detail::accepts(r, t) && detail::compute_dtype(r, t) == t;
}

/// A map with an output for every operation that computes in `t` and every cast from it.
inline codegen::kernel every_operation(dtype t, int* operations = nullptr) {
  kernel_builder b;
  const auto x = b.input(t), y = b.input(t), z = b.input(t), s = b.scalar(t), chosen = b.input(dtype::bool_);
  b.k.outputs.push_back(b.apply(op::equal, x, s));
  for (int i = 0; i < detail::op_count; ++i) {
    const op code = static_cast<op>(i);
    if (!computes_in(code, t)) continue;
    const bool chooses = detail::facts(code).of == detail::rule::choice;
    b.k.outputs.push_back(chooses ? b.apply(code, chosen, y, z) : b.apply(code, x, y, z));
    if (operations) ++*operations;
  }
  for (dtype to : element_dtypes)
    if (to != t) b.k.outputs.push_back(b.cast(x, to));
  return b.k;
}

/// A reduction with every accumulator that folds `t`, work before it, and work after it that reads an operand of its
/// own.
inline codegen::kernel every_reduction(dtype t) {
  kernel_builder b;
  const auto x = b.input(t), y = b.input(t), position = b.input(dtype::int64, true), after = b.input(t);
  const auto s = b.scalar(t);
  const auto before = b.apply(op::maximum, b.apply(op::multiply, x, y), s);
  const auto truth = t == dtype::bool_ ? before : b.cast(before, dtype::bool_);
  using detail::reduction;
  for (reduction what : {reduction::sum, reduction::prod, reduction::min, reduction::max})
    b.k.outputs.push_back(b.apply(op::add, b.reduce(what, before), after));
  b.k.outputs.push_back(b.reduce(reduction::any, truth));
  b.k.outputs.push_back(b.reduce(reduction::all, truth));
  for (reduction what : {reduction::argmin, reduction::argmax}) b.k.outputs.push_back(b.reduce(what, before, position));
  return b.k;
}

/// A small map: operands of four kinds and an index.
inline codegen::kernel mixed_map(dtype t) {
  kernel_builder b;
  const auto x = b.input(t), y = b.input(t), z = b.input(t), i = b.input(dtype::int64, true), s = b.scalar(t);
  const auto whole = t == dtype::int64 ? i : b.cast(i, t);
  return b.gives(
      {b.apply(op::add, b.apply(op::multiply, x, y), b.apply(op::maximum, z, s)), b.apply(op::less, whole, x)});
}

struct named_variant {
  std::string name;
  codegen::variant v;
};

/// Variants of a map, each of which is made here and then changed. What is given back holds until the next is made.
struct map_variant_list {
  explicit map_variant_list(const codegen::kernel& of)
      : k(of), inputs(of.inputs.size()), all(inputs + of.outputs.size()) {}

  /// One whose inputs all lie alike.
  codegen::variant& add(std::string name, int rank, access of_inputs) {
    codegen::variant v;
    v.rank = static_cast<std::uint8_t>(rank);
    v.operands.assign(all, access::unit);
    for (std::size_t i = 0; i < inputs; ++i) v.operands[i] = of_inputs;
    made.push_back({std::move(name), v});
    return made.back().v;
  }
  /// The same with operands of every kind.
  codegen::variant& mixed(codegen::variant& v) const {
    const access kinds[] = {access::unit, access::still, access::fixed, access::strided};
    for (std::size_t i = 0; i < all; ++i)
      v.operands[i] = i < inputs ? kinds[i % 4] : i % 2 ? access::unit : access::strided;
    return v;
  }
  /// The same in packs, wherever an operand can be read or written in them.
  codegen::variant& packs(codegen::variant& v, int width, int turns, int rows) const {
    v.map.width = static_cast<std::uint8_t>(width), v.map.turns = static_cast<std::uint8_t>(turns);
    v.map.rows = static_cast<std::uint8_t>(rows);
    v.map.ways.assign(all, codegen::way::each);
    for (std::size_t i = 0; i < all; ++i)
      if (width > 1 && v.operands[i] == access::unit && (i >= inputs || !k.inputs[i].iota))
        v.map.ways[i] = codegen::way::packed;
    return v;
  }

  const codegen::kernel& k;
  const std::size_t inputs, all;
  std::vector<named_variant> made;
};

inline constexpr int full_pack = 2;  // elements: of every dtype at most 16 bytes

/// What a CPU's schedules have: pieces of rows, tiles, short rows.
inline void add_cpu_schedules(map_variant_list& l) {
  l.add("pieces of rows", 2, access::unit).map.pieces = true;
  l.add("tiles", 3, access::strided).map.tile = 32;
  codegen::variant& shorts = l.mixed(l.add("short rows", 3, access::strided));
  shorts.map.short_row = 3;
  shorts.map.ways.assign(l.all, codegen::way::each);
  shorts.map.ways[0] = codegen::way::dense;
}

/// What a GPU's have, but for tiles: packs and turns.
inline void add_gpu_schedules(map_variant_list& l) {
  using codegen::way;
  l.packs(l.add("flat packs", 1, access::unit), full_pack, 1, 0);
  l.packs(l.add("flat packs in place", 1, access::unit), full_pack, 1, 0).aliased = true;
  l.packs(l.add("flat packs, an odd offset", 1, access::unit), full_pack, 2, 0).map.ways[0] = way::each;
  l.packs(l.add("flat, wide, turns", 1, access::unit), 1, 4, 0).wide = true;
  l.packs(l.add("fixed inputs, wide packs", 1, access::fixed), full_pack, 1, 0).wide = true;
  l.packs(l.add("strided, turns", 1, access::strided), 1, 4, 0);
  l.packs(l.add("rows of packs", 2, access::unit), full_pack, 1, 1);
  l.packs(l.add("rows of packs, turns over rows", 3, access::unit), full_pack, 2, 1).map.ways[0] = way::each;
  l.packs(l.mixed(l.add("four axes, turns over rows", 4, access::strided)), 1, 4, 1);
  l.packs(l.mixed(l.add("four axes, turns over all rows", 4, access::strided)), 1, 4, 3);
  l.packs(l.mixed(l.add("four axes, turns along rows", 4, access::strided)), 1, 4, 0);
}

/// A GPU's tiles, by the element and in packs; those of four axes with their mirror images.
inline void add_gpu_tiles(map_variant_list& l, int rank) {
  using codegen::way;
  const codegen::kernel& k = l.k;
  const std::string name = "tiles of " + std::to_string(rank) + " axes";
  codegen::variant& tiles = l.mixed(l.add(name, rank, access::strided));
  tiles.map.tile = 32;
  tiles.map.mirrored = rank == 4;
  tiles.map.ways.assign(l.all, way::each);
  for (std::size_t i = 0; i < l.inputs; ++i)
    if (i % 4 == 3 && !k.inputs[i].iota) tiles.map.ways[i] = way::tiled;
  tiles.operands[0] = access::strided, tiles.map.ways[0] = way::tiled;
  codegen::variant packed = tiles;
  packed.map.width = full_pack;
  for (std::size_t i = 1; i < l.all; ++i) {
    const bool moves = packed.operands[i] == access::unit && !(i < l.inputs && k.inputs[i].iota);
    if (moves && packed.map.mirrored && i < l.inputs && k.inputs[i] == k.inputs[0]) packed.map.ways[i] = way::image;
    else if (moves) packed.map.ways[i] = way::packed;
  }
  l.made.push_back({name + " in packs", packed});
}

/// Every way a map of n operands may lie and be shared out: flat, in packs, over rows, in turns, in tiles, strided, broadcast,
/// wide, in place. `to`: the dialect whose schedules are wanted.
inline std::vector<named_variant> map_variants(const codegen::kernel& k, codegen::dialect to) {
  map_variant_list l(k);
  l.add("flat", 1, access::unit);
  l.mixed(l.add("four axes, mixed", 4, access::strided));
  l.add("eight axes, wide", 8, access::strided).wide = true;
  l.add("rows, still", 2, access::still);
  if (to == codegen::dialect::c) {
    add_cpu_schedules(l);
  } else {
    add_gpu_schedules(l);
    for (int rank : {2, 4}) add_gpu_tiles(l, rank);
  }
  return std::move(l.made);
}

/// Every way a reduction may go: rows and columns, of one and more axes, in packs, as a stream, in parts, wide.
inline std::vector<named_variant> reduction_variants(const codegen::kernel& k, codegen::dialect to) {
  const std::size_t inputs = k.inputs.size(), all = inputs + k.outputs.size();
  std::vector<named_variant> made;
  for (bool columns : {false, true})
    for (bool split : {false, true})
      for (int form = 0; form < (columns ? 7 : 4); ++form) {
        // form 0: everything (rows) or one kept axis, 1: packs, 2: several axes of both kinds, 3: the same strided and
        // wide, 4: a stream in packs, 5: a stream of several axes, 6: columns that lie apart
        if (form == 6 && (split || to == codegen::dialect::c)) continue;
        const bool one = form < 2 || form == 4 || form == 6;
        codegen::variant v;
        v.columns = columns;
        v.reduced = one ? 1 : 2;
        v.rank = static_cast<std::uint8_t>(v.reduced + (one ? (columns ? 1 : form) : 2));
        v.wide = form == 3;
        v.operands.assign(all, form == 3 ? access::strided : access::unit);
        for (std::size_t i = 1; i < inputs && (form == 2 || form == 5); ++i)
          v.operands[i] = i % 2 ? access::still : access::fixed;
        // What is read once the result is known, and what is written, has one element for each output.
        for (std::size_t i = inputs - 1; i < all; ++i)
          v.operands[i] = columns ? (form == 3 ? access::strided : access::unit) : access::still;
        if (v.rank == v.reduced) v.operands[inputs - 1] = access::fixed;
        v.fold.split = split;
        v.fold.marked = split && !columns && to == codegen::dialect::cuda;
        v.fold.once = v.fold.marked && form == 1;
        v.fold.resident = v.fold.once ? codegen::fold_blocks : 0;
        v.fold.packed = form == 1 || form == 4;
        v.fold.stream = form == 4 || form == 5;
        v.fold.apart = form == 6;
        v.fold.turns = form == 3 ? 1 : 4;
        const int width = codegen::vector_width(k, v);
        v.fold.width =
            static_cast<std::uint8_t>(!columns || v.fold.packed || v.fold.stream || v.fold.apart ? width : 1);
        made.push_back({std::string(columns ? "columns" : "rows") + (split ? " in parts, form " : ", form ") +
                            std::to_string(form),
                        v});
      }
  return made;
}

/// Calls f(text, name) with the text of every operation, cast, reduction and variant, for each of some dtypes.
template <class F>
void each_text(codegen::dialect to, std::span<const dtype> dtypes, F f) {
  for (dtype t : dtypes) {
    const std::string of = std::string(" of ") + name(t);
    const codegen::kernel operations = every_operation(t), reductions = every_reduction(t), mixed = mixed_map(t);
    f(codegen::emit(operations, map_variants(operations, to)[0].v, codegen::target_here(to)), "every operation" + of);
    for (const named_variant& n : map_variants(mixed, to))
      f(codegen::emit(mixed, n.v, codegen::target_here(to)), "map, " + n.name + of);
    for (const named_variant& n : reduction_variants(reductions, to))
      f(codegen::emit(reductions, n.v, codegen::target_here(to)), "reduction, " + n.name + of);
  }
}

}  // namespace sinter::test
