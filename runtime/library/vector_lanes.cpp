#include "runtime/library/vector_lanes.hpp"

#include <algorithm>
#include <utility>

#include "codegen/function/merge_exchange.hpp"
#include "runtime/library/run_merging.hpp"

namespace sinter::runtime {

namespace {

// What is compared and exchanged: keys, or keys with their places. Inlined, to be compiled for each kind of processor.
template <class K>
struct keys_alone {
  vector<K>* keys;
  [[gnu::always_inline]] void operator()(std::size_t i, std::size_t j) const {
    const vector<K> a = keys[i], b = keys[j];
    keys[i] = a < b ? a : b;
    keys[j] = a < b ? b : a;
  }
};
struct keys_and_places {
  vector<std::uint64_t>*keys, *places;
  [[gnu::always_inline]] void operator()(std::size_t i, std::size_t j) const {
    const vector<std::uint64_t> a = keys[i], b = keys[j], at = places[i], bt = places[j];
    // Each choice is by one comparison, which is what gcc has masks for.
    const vector<std::uint64_t> least = at < bt ? at : bt, most = at < bt ? bt : at;
    const vector<std::uint64_t> of_lower = a < b ? at : bt, of_higher = a < b ? bt : at;
    keys[i] = a < b ? a : b;
    keys[j] = a < b ? b : a;
    places[i] = a == b ? least : of_lower;
    places[j] = a == b ? most : of_higher;
  }
};

template <class K>
vector<K>* vectors(K* keys) {
  return reinterpret_cast<vector<K>*>(keys);
}

// Square matrices are turned in registers: the halves off the diagonal change places, then those of each half.
template <class K, std::size_t half, std::size_t... lane>
[[gnu::always_inline]] inline void exchange_halves(vector<K>& a, vector<K>& b, std::index_sequence<lane...>) {
  const vector<K> x = a, y = b;
  a = __builtin_shufflevector(x, y, (lane & half ? sizeof...(lane) + lane - half : lane)...);
  b = __builtin_shufflevector(x, y, (lane & half ? sizeof...(lane) + lane : lane + half)...);
}
template <class K, std::size_t half = lanes_of<K> / 2>
[[gnu::always_inline]] inline void turn(vector<K>* square) {
  if constexpr (half > 0) {
    for (std::size_t i = 0; i < lanes_of<K>; ++i)
      if (!(i & half)) exchange_halves<K, half>(square[i], square[i | half], std::make_index_sequence<lanes_of<K>>());
    turn<K, half / 2>(square);
  }
}

// As many rows as there are lanes; of fewer, the last one stands in the others, too.
template <class K>
[[gnu::always_inline]] inline void to_lanes(const K* from, std::size_t rows, std::size_t length, K* keys) {
  constexpr std::size_t lanes = lanes_of<K>;
  const auto row = [&](std::size_t lane) { return from + std::min(lane, rows - 1) * length; };
  std::size_t i = 0;
  for (; i + lanes <= length; i += lanes) {
    vector<K> square[lanes];
    for (std::size_t lane = 0; lane < lanes; ++lane) __builtin_memcpy(square + lane, row(lane) + i, lane_bytes);
    turn<K>(square);
    for (std::size_t k = 0; k < lanes; ++k) vectors(keys)[i + k] = square[k];
  }
  for (; i < length; ++i)
    for (std::size_t lane = 0; lane < lanes; ++lane) keys[i * lanes + lane] = row(lane)[i];
}
template <class K>
[[gnu::always_inline]] inline void from_lanes(K* keys, std::size_t rows, std::size_t length, K* to) {
  constexpr std::size_t lanes = lanes_of<K>;
  std::size_t i = 0;
  for (; i + lanes <= length; i += lanes) {
    vector<K> square[lanes];
    for (std::size_t k = 0; k < lanes; ++k) square[k] = vectors(keys)[i + k];
    turn<K>(square);
    const auto write = [&](std::size_t lane) { __builtin_memcpy(to + lane * length + i, square + lane, lane_bytes); };
    if (rows == lanes)
      for (std::size_t lane = 0; lane < lanes; ++lane) write(lane);
    else
      for (std::size_t lane = 0; lane < rows; ++lane) write(lane);
  }
  for (; i < length; ++i)
    for (std::size_t lane = 0; lane < rows; ++lane) to[lane * length + i] = keys[i * lanes + lane];
}

// What is done with lanes: keys that lie there already, or whole rows. Inlined, as above.
template <class K>
struct lanes_of_keys {
  K* keys;
  std::size_t length;
  [[gnu::always_inline]] void operator()() const { codegen::merge_exchange(keys_alone<K>{vectors(keys)}, length); }
};
template <class K>
struct rows_of_elements {
  const K* from;
  K* to;
  std::size_t rows, length;
  key_rule<K> rule;

  [[gnu::always_inline]] void operator()() const { length <= most_in_lanes ? sort_short() : sort_in_runs(); }

  [[gnu::always_inline]] void sort_short() const {
    alignas(lane_bytes) K keys[lanes_of<K> * most_in_lanes];
    const key_rule<K> r = rule;
    for (std::size_t row = 0; row < rows; row += lanes_of<K>) {
      const std::size_t some = std::min(rows - row, lanes_of<K>), count = length * lanes_of<K>;
      to_lanes(from + row * length, some, length, keys);
      for (std::size_t i = 0; i < count; ++i) keys[i] = r.key(keys[i]);
      codegen::merge_exchange(keys_alone<K>{vectors(keys)}, length);
      for (std::size_t i = 0; i < count; ++i) keys[i] = r.bits(keys[i]);
      from_lanes(keys, some, length, to + row * length);
    }
  }

  // Runs are whole vectors, behind whose keys the greatest there are stand; all that fill the lanes are sorted at once.
  [[gnu::always_inline]] void sort_in_runs() const {
    alignas(lane_bytes) K keys[lanes_of<K> * most_in_lanes], other[lanes_of<K> * most_in_lanes];
    const std::size_t runs = runs_of_row(length), width = lanes_of<K>, at_once = width / runs;
    const std::size_t of_run = (length + runs * width - 1) / (runs * width) * width, of_row = runs * of_run;
    const key_rule<K> r = rule;
    for (std::size_t row = 0; row < rows; row += at_once) {
      const std::size_t some = std::min(rows - row, at_once);
      for (std::size_t k = 0; k < some; ++k) {
        for (std::size_t i = 0; i < length; ++i) keys[k * of_row + i] = r.key(from[(row + k) * length + i]);
        std::fill(keys + k * of_row + length, keys + (k + 1) * of_row, static_cast<K>(~K{0}));
      }
      to_lanes(keys, some * runs, of_run, other);
      codegen::merge_exchange(keys_alone<K>{vectors(other)}, of_run);
      from_lanes(other, some * runs, of_run, keys);
      const K* const sorted = merge_all(keys, some, runs, of_run, other);
      for (std::size_t k = 0; k < some; ++k)
        for (std::size_t i = 0; i < length; ++i) to[(row + k) * length + i] = r.bits(sorted[k * of_row + i]);
    }
  }
  // Gives where the rows are then.
  [[gnu::always_inline]] static const K* merge_all(K* keys, std::size_t some, std::size_t runs, std::size_t of_run,
                                                   K* other) {
    for (std::size_t merged = 1; merged < runs; merged *= 2, std::swap(keys, other))
      merge_runs(keys, some * runs / merged, merged * of_run, other);
    return keys;
  }
};
struct rows_of_places {
  const std::uint64_t* from;
  std::int64_t* to;
  std::size_t rows, length;
  equal_rule<std::uint64_t> rule;

  [[gnu::always_inline]] void operator()() const {
    constexpr std::size_t lanes = lanes_of<std::uint64_t>;
    alignas(lane_bytes) std::uint64_t keys[lanes * most_in_lanes_with_places],
        places[lanes * most_in_lanes_with_places];
    const equal_rule<std::uint64_t> r = rule;
    for (std::size_t row = 0; row < rows; row += lanes) {
      const std::size_t some = std::min(rows - row, lanes), count = length * lanes;
      to_lanes(from + row * length, some, length, keys);
      for (std::size_t i = 0; i < count; ++i) keys[i] = r.key(keys[i]);
      for (std::size_t i = 0; i < length; ++i) vectors(places)[i] = vector<std::uint64_t>{} + i;
      codegen::merge_exchange(keys_and_places{vectors(keys), vectors(places)}, length);
      from_lanes(places, some, length, reinterpret_cast<std::uint64_t*>(to) + row * length);
    }
  }
};

#ifdef __x86_64__

template <class Work>
[[gnu::target("avx512f,avx512bw,avx512dq,avx512vl")]] void run_512(const Work& work) {
  work();
}
template <class Work>
[[gnu::target("avx2")]] void run_256(const Work& work) {
  work();
}
bool has_512() {
  static const bool has =
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return has;
}
bool has_256() {
  static const bool has = __builtin_cpu_supports("avx2");
  return has;
}
template <class Work>
void run(const Work& work) {
  if (has_512()) run_512(work);
  else if (has_256()) run_256(work);
  else work();
}

#else

bool has_512() { return false; }
bool has_256() { return true; }
template <class Work>
void run(const Work& work) {
  work();
}

#endif

}  // namespace

bool has_lanes() { return has_256(); }
bool merges_runs() { return has_512(); }

void sort_lanes(std::uint16_t* keys, std::size_t length) noexcept { run(lanes_of_keys<std::uint16_t>{keys, length}); }
void sort_lanes(std::uint64_t* keys, std::size_t length) noexcept { run(lanes_of_keys<std::uint64_t>{keys, length}); }

void sort_rows(const std::uint16_t* from, std::uint16_t* to, std::size_t rows, std::size_t length,
               const key_rule<std::uint16_t>& rule) noexcept {
  run(rows_of_elements<std::uint16_t>{from, to, rows, length, rule});
}
void sort_rows(const std::uint32_t* from, std::uint32_t* to, std::size_t rows, std::size_t length,
               const key_rule<std::uint32_t>& rule) noexcept {
  run(rows_of_elements<std::uint32_t>{from, to, rows, length, rule});
}
void sort_rows(const std::uint64_t* from, std::uint64_t* to, std::size_t rows, std::size_t length,
               const key_rule<std::uint64_t>& rule) noexcept {
  run(rows_of_elements<std::uint64_t>{from, to, rows, length, rule});
}
void sort_rows(const std::uint64_t* from, std::int64_t* places, std::size_t rows, std::size_t length,
               const equal_rule<std::uint64_t>& rule) noexcept {
  run(rows_of_places{from, places, rows, length, rule});
}

}  // namespace sinter::runtime
