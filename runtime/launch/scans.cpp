// Scans: who has which elements of a row or a column.
#include "runtime/launch/scans.hpp"

#include "codegen/ir/values.hpp"
#include "runtime/launch/rows.hpp"
#include "runtime/launch/share.hpp"

namespace sinter::runtime {

namespace {

using codegen::access;

constexpr int held_by_thread = 16;  // elements: enough loads under way, and registers left to work with
constexpr unsigned most_threads = codegen::scan_tile / held_by_thread;

// What is kept besides the scan's own elements has to find room in registers.
constexpr int most_kept = 8;  // bytes an element

// A row has as many threads as hold it, of which each takes packs of four whatever the dtypes are: those of other values that
// are scanned in the same kernel must not change the order of folding.
layout cuda_rows(const codegen::kernel& k, binding& b) {
  layout l;
  codegen::scan_schedule& s = b.variant.scan;
  const unsigned across = power_of_two(divide_up(b.reduced, held_by_thread), most_threads);
  s.width = 4;
  s.held = static_cast<std::uint16_t>(std::max(power_of_two(divide_up(b.reduced, across), held_by_thread), 4u));
  s.across = static_cast<std::uint16_t>(across);
  s.threads = static_cast<std::uint16_t>(std::max<unsigned>(across, codegen::block_threads));
  l.splits = divide_up(b.reduced, codegen::scan_tile);
  if (l.splits > 1) s.threads = s.across;
  b.variant.scan.packed = lies_in_packs(k, b, s.width);
  l.how.grid[0] = static_cast<unsigned>(divide_up(b.kept, s.threads / s.across) * l.splits);
  return l;
}

// Neighbouring columns make whole sectors of memory; a column has as many threads as hold it.
layout cuda_columns(binding& b) {
  layout l;
  codegen::scan_schedule& s = b.variant.scan;
  const unsigned least = power_of_two(b.kept, 32);
  const unsigned along = power_of_two(divide_up(b.reduced, held_by_thread), most_threads / least);
  s.held = static_cast<std::uint16_t>(power_of_two(divide_up(b.reduced, along), held_by_thread));
  s.across = static_cast<std::uint16_t>(power_of_two(b.kept, most_threads / along));
  s.threads = static_cast<std::uint16_t>(std::max(s.across * along, 32u));
  s.across = static_cast<std::uint16_t>(s.threads / along);
  l.splits = divide_up(b.reduced, std::int64_t{along} * s.held);
  l.how.grid[0] = static_cast<unsigned>(divide_up(b.kept, s.across) * l.splits);
  return l;
}

// Of a multiprocessor: the more wait for memory, and for each other, the better, as long as their elements have registers.
int resident_threads(const codegen::kernel& k, int kept) {
  int bytes = kept;
  for (const codegen::accumulator& a : k.accumulators) bytes += itemsize(a.type);
  return bytes <= 4 ? 1536 : bytes <= 8 ? 1024 : 512;
}

// Is what is folded little work, and all of it there to be read again?
bool is_light(const codegen::kernel& k) {
  std::vector<std::uint16_t> folded;
  for (const codegen::accumulator& a : k.accumulators) {
    if (codegen::is_costly(detail::facts(a.what).fold)) return false;
    folded.push_back(a.value);
  }
  const std::vector<bool> needed = codegen::made_of(k, folded);
  for (std::size_t i = 0; i < k.values.size(); ++i) {
    const codegen::value& v = k.values[i];
    const bool looks_up = v.kind == codegen::value_kind::load || v.kind == codegen::value_kind::check;
    if (needed[i] && (looks_up || codegen::is_costly(v))) return false;
  }
  return true;
}

// Blocks by which others run ahead: as many as are at work at a time, if what they read and write meanwhile is still in the cache
// then; 0 where that is not worth it. It changes nothing about the order of folding.
std::int64_t blocks_ahead(const codegen::kernel& k, const binding& b, const layout& l, const target& to) {
  const codegen::scan_schedule& s = b.variant.scan;
  if (b.variant.columns || l.splits == 1 || !is_light(k)) return 0;
  std::int64_t bytes = 0;
  for (std::size_t o = 0; o < b.operands.size(); ++o)
    if (b.variant.operands[o] != access::fixed) bytes += itemsize(codegen::operand_type(k, static_cast<int>(o)));
  const std::int64_t at_work = std::int64_t{s.resident / s.threads} * to.multiprocessors;
  const std::int64_t blocks = std::min(at_work, to.cache / 2 / (bytes * codegen::scan_tile));
  return blocks >= to.multiprocessors && l.how.grid[0] >= 2 * blocks ? blocks : 0;
}

layout cuda_scan(const codegen::kernel& k, binding& b, const target& to) {
  layout l = b.variant.columns ? cuda_columns(b) : cuda_rows(k, b);
  codegen::scan_schedule& s = b.variant.scan;
  s.keeps = true;
  const int kept = bytes_kept(k, b.variant, codegen::dialect::cuda);
  s.keeps = kept <= most_kept;
  s.resident = static_cast<std::uint16_t>(resident_threads(k, s.keeps ? kept : 0));
  const std::int64_t ahead = blocks_ahead(k, b, l, to);
  s.ahead = ahead != 0;
  l.how.grid[0] += static_cast<unsigned>(ahead);
  l.how.block[0] = s.threads;
  return l;
}

layout cpu_scan(const codegen::kernel& k, binding& b, int threads) {
  layout l;
  if (b.variant.columns) {
    b.variant.scan.across = cpu_columns(b, threads, 4096);
    const int f = codegen::fastest_axis(b.variant);
    l.how.items = divide_up(b.extents[f], b.variant.scan.across) * extent(b, 0, f);
    return l;
  }
  l.how.items = b.kept;
  if (b.kept >= 64 || b.reduced < 2 * codegen::scan_chunk) return l;
  l.splits = divide_up(b.reduced, codegen::scan_chunk);
  if (!is_light(k)) b.variant.scan.held = codegen::scan_chunk;
  l.how.finish_items = b.kept * l.splits;
  l.how.items = 1;  // which makes the words ready
  return l;
}

}  // namespace

layout share_out_scan(const codegen::kernel& k, binding& b, const target& to) {
  b.variant.scan = {};
  const layout l = to.language == codegen::dialect::c ? cpu_scan(k, b, to.multiprocessors) : cuda_scan(k, b, to);
  b.variant.scan.split = l.splits > 1;
  return l;
}

std::size_t scan_words(const codegen::kernel& k, const binding& b, std::int64_t tiles, codegen::dialect to) {
  const std::int64_t accumulators = codegen::state_words(k) * static_cast<std::int64_t>(k.accumulators.size());
  const std::int64_t each =
      to == codegen::dialect::c ? tiles * (1 + accumulators) : 2 * codegen::scan_places(tiles) * accumulators;
  return static_cast<std::size_t>(1 + each * b.kept) * sizeof(std::uint64_t);
}

}  // namespace sinter::runtime
