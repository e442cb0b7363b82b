// Sorting on a GPU, by kernels of Sinter's own: rows that a thread or a block has at hand in one launch, longer ones in one that
// counts digits and one for each digit.
#include "runtime/library/order.hpp"

#include <algorithm>

#include "codegen/function/sort.hpp"
#include "runtime/device/device.hpp"
#include "runtime/launch/form_kernels.hpp"
#include "runtime/launch/share.hpp"
#include "runtime/memory/storage.hpp"

namespace sinter::runtime {

namespace {

using codegen::sort_form;
using codegen::sort_step;

loaded_kernel kernel_of(const sort_form& f, device_impl& on) {
  static auto& all = *new form_kernels<sort_form>;
  return all.find(f, on, codegen::sort_text);
}

template <class A>
void launch_sort(const sort_form& f, std::int64_t blocks, const A& arguments, std::size_t size, stream_state& on) {
  geometry g;
  g.block[0] = static_cast<unsigned>(f.threads);
  g.grid[0] = static_cast<unsigned>(blocks);
  on.device.launch(kernel_of(f, on.device), g, &arguments, size, on);
}

void sort_short_rows(const order_shape& s, const std::byte* from, std::byte* to, stream_state& on) {
  constexpr std::int64_t threads_at_once = 2048;  // of a multiprocessor
  const sort_form f = codegen::form_of_row_sort(s.type, s.places, s.falling, s.length);
  const std::int64_t most = 8 * (threads_at_once / f.threads) * on.device.multiprocessors();
  const codegen::row_sort_arguments block{from, to, s.rows, s.length};
  const std::int64_t rows_at_once = f.step == sort_step::few ? f.threads : 1;
  launch_sort(f, std::min(divide_up(s.rows, rows_at_once), most), block, sizeof block, on);
}

// Blocks of memory that are taken together, each aligned.
class carved {
 public:
  std::size_t take(std::size_t bytes) {
    const std::size_t at = size_;
    size_ += (bytes + 255) / 256 * 256;
    return at;
  }
  std::size_t size() const { return size_; }

 private:
  std::size_t size_ = 0;
};

void sort_long_rows(const order_shape& s, const std::byte* from, std::byte* to, stream_state& on) {
  const sort_form count = codegen::form_of_sort(sort_step::count, s.type, s.places, s.falling, s.length);
  const sort_form pass = codegen::form_of_sort(sort_step::pass, s.type, s.places, s.falling, s.length);
  const int passes = codegen::sort_passes(s.type);
  const auto word = static_cast<std::size_t>(codegen::sort_word(pass));
  const auto all = static_cast<std::size_t>(s.rows * s.length);
  const std::int64_t tiles = divide_up(s.length, codegen::sort_tile(pass));
  const auto keys_size = all * static_cast<std::size_t>(itemsize(s.type));

  carved room;
  const std::size_t turns = room.take(static_cast<std::size_t>(passes) * sizeof(unsigned));
  const std::size_t counts = room.take(static_cast<std::size_t>(s.rows * passes * codegen::sort_digits) * word);
  const std::size_t state_size = static_cast<std::size_t>(s.rows * tiles * codegen::sort_digits) * word;
  const std::size_t states = room.take(state_size * static_cast<std::size_t>(passes));
  const std::size_t zeros = room.size();
  // Keys go to and fro; elements come to rest in the result.
  std::size_t keys[2] = {}, places[2] = {};
  const int key_rooms = s.places ? std::min(passes - 1, 2) : std::min(passes - 1, 1);
  for (int i = 0; i < key_rooms; ++i) keys[i] = room.take(keys_size);
  for (int i = 0; s.places && i < key_rooms; ++i) places[i] = room.take(all * word);

  storage_holder held(make_storage(room.size(), on));
  std::byte* const base = held.get()->data;
  on.device.zero(base, zeros, on);
  const codegen::sort_count_arguments counting{from, base + counts, s.rows, s.length};
  const std::int64_t chunks = s.rows * divide_up(s.length, codegen::sort_tile(count));
  launch_sort(count, std::min<std::int64_t>(chunks, 8 * on.device.multiprocessors()), counting, sizeof counting, on);

  const std::byte *keys_in = from, *places_in = nullptr;
  for (int p = 0; p < passes; ++p) {
    const bool is_last = p + 1 == passes;
    std::byte* const places_out = s.places && !is_last ? base + places[p % 2] : nullptr;
    std::byte* const keys_out = s.places           ? (is_last ? nullptr : base + keys[p % 2])
                                : (passes - p) % 2 ? to
                                                   : base + keys[0];
    const codegen::sort_pass_arguments block{keys_in,
                                             places_in,
                                             keys_out,
                                             places_out,
                                             s.places && is_last ? to : nullptr,
                                             base + counts,
                                             base + states + static_cast<std::size_t>(p) * state_size,
                                             reinterpret_cast<unsigned*>(base + turns) + p,
                                             s.length,
                                             tiles,
                                             p,
                                             is_last};
    launch_sort(pass, s.rows * tiles, block, sizeof block, on);
    keys_in = keys_out, places_in = places_out;
  }
}

}  // namespace

void order_on_gpu(const order_shape& s, const std::byte* from, std::byte* to, stream_state& on) {
  if (s.length <= codegen::largest_sort_tile(s.type)) sort_short_rows(s, from, to, on);
  else sort_long_rows(s, from, to, on);
}

}  // namespace sinter::runtime
