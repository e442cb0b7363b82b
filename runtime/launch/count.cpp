#include "runtime/launch/count.hpp"

#include <algorithm>

#include "codegen/function/count.hpp"
#include "runtime/launch/element_types.hpp"
#include "runtime/launch/form_kernels.hpp"
#include "runtime/launch/share.hpp"

namespace sinter::runtime {

namespace {

loaded_kernel kernel_of(const codegen::count_form& f, device_impl& on) {
  static auto& all = *new form_kernels<codegen::count_form>;
  return all.find(f, on, codegen::count_text);
}

// As many blocks as are there at once, but not so many that they add their elements up more often than they count.
std::int64_t blocks_of(const position_counts& of, const codegen::count_form& f, const device_impl& on) {
  constexpr std::int64_t blocks_at_once = 8, positions_of_element = 4, bytes_of_vector = 16;
  const std::int64_t of_block = codegen::count_threads * codegen::count_batch * bytes_of_vector / itemsize(f.type);
  const std::int64_t least = f.few ? std::max(of_block, positions_of_element * of.elements) : of_block;
  return std::min(divide_up(of.count, least), blocks_at_once * on.multiprocessors());
}

void count_on_gpu(const position_counts& of, stream_state& on) {
  const codegen::count_form form = codegen::form_of_count(of.type, of.count, of.elements);
  geometry g;
  g.block[0] = codegen::count_threads;
  g.grid[0] = static_cast<unsigned>(blocks_of(of, form, on.device));
  const codegen::count_arguments block{of.at, of.out, of.count, of.elements};
  on.device.launch(kernel_of(form, on.device), g, &block, sizeof block, on);
}

// ---- on a core

// Of few elements a core has four counts each, for neighbours, so that an addition does not wait for the one before it to be
// stored.
constexpr std::int64_t few_elements = 1024, piece = 1 << 16;  // positions of an item, where there are few elements
constexpr int tables = 4;
// Fewer positions than elements are counted sooner than the tables are added up.
bool has_tables(const position_counts& of) { return of.elements <= few_elements && of.count > of.elements; }

// The element of a position, and behind all what is none.
template <class I>
std::size_t element_of(I position, std::int64_t elements) {
  return static_cast<std::size_t>(std::min(static_cast<std::uint64_t>(position), static_cast<std::uint64_t>(elements)));
}

template <class I>
void count_in_tables(const I* at, std::int64_t count, std::int64_t elements, std::int64_t* out) {
  std::uint32_t counts[few_elements + 1][tables];
  std::fill(counts[0], counts[elements + 1], 0u);
  std::int64_t i = 0;
  for (; i + tables <= count; i += tables) {
#pragma GCC unroll tables
    for (int t = 0; t < tables; ++t) ++counts[element_of(at[i + t], elements)][t];
  }
  for (; i < count; ++i) ++counts[element_of(at[i], elements)][0];
  for (std::int64_t e = 0; e < elements; ++e) {
    std::int64_t sum = 0;
    for (const std::uint32_t c : counts[e]) sum += c;
    __atomic_fetch_add(out + e, sum, __ATOMIC_RELAXED);  // threads have pieces of their own, and share these
  }
}

template <class I>
void count_pieces(const void* with, long long begin, long long end) noexcept {
  const auto& of = *static_cast<const position_counts*>(with);
  const auto* const at = static_cast<const I*>(of.at);
  if (!has_tables(of)) {
    for (std::int64_t i = 0; i < of.count; ++i)
      if (const std::size_t e = element_of(at[i], of.elements); e < static_cast<std::size_t>(of.elements)) ++of.out[e];
    return;
  }
  for (long long item = begin; item < end; ++item)
    count_in_tables(at + item * piece, std::min<std::int64_t>(piece, of.count - item * piece), of.elements, of.out);
}

void count_on_cpu(const position_counts& of, stream_state& on) {
  using entry_point = void (*)(const void*, long long, long long) noexcept;
  const entry_point entry =
      with_integer(of.type, [](auto i) -> entry_point { return &count_pieces<typename decltype(i)::type>; });
  geometry g;
  g.items = has_tables(of) ? divide_up(of.count, piece) : 1;
  g.work_per_item = static_cast<double>(has_tables(of) ? piece : of.count);  // nanoseconds
  on.device.launch({reinterpret_cast<void*>(entry)}, g, &of, sizeof of, on);
}

}  // namespace

void count_positions(const position_counts& of, stream_state& on) {
  on.device.dialect() == codegen::dialect::cuda ? count_on_gpu(of, on) : count_on_cpu(of, on);
}

}  // namespace sinter::runtime
