// Merging sorted runs a vector at a time, without a branch that depends on keys. Source: Chhugani et al., Efficient implementation of
// sorting on multi-core SIMD CPU architecture, 2008.
#pragma once

#include <cstddef>
#include <utility>

#include "runtime/library/vector_lanes.hpp"

namespace sinter::runtime {

template <class K>
using vector [[gnu::vector_size(lane_bytes), gnu::may_alias]] = K;

// All inlined, to be compiled for each kind of processor.

template <class K, std::size_t... lane>
[[gnu::always_inline]] inline void turn_round(vector<K>& v, std::index_sequence<lane...>) {
  v = __builtin_shufflevector(v, v, (sizeof...(lane) - 1 - lane)...);
}

/// Compares lanes that are `apart`: the lower one has the lesser key then.
template <class K, std::size_t apart, std::size_t... lane>
[[gnu::always_inline]] inline void exchange_lanes(vector<K>& v, std::index_sequence<lane...>) {
  const vector<K> other = __builtin_shufflevector(v, v, (lane ^ apart)...);
  const vector<K> least = v < other ? v : other, most = v < other ? other : v;
  v = __builtin_shufflevector(least, most, (lane & apart ? sizeof...(lane) + lane : lane)...);
}
/// Puts keys that rise and then fall in order.
template <class K, std::size_t apart = lanes_of<K> / 2>
[[gnu::always_inline]] inline void straighten(vector<K>& v) {
  if constexpr (apart > 0) {
    exchange_lanes<K, apart>(v, std::make_index_sequence<lanes_of<K>>());
    straighten<K, apart / 2>(v);
  }
}

/// Two runs of one length on their way to become one. The vector that is held has the greatest keys of those taken.
template <class K>
struct merging {
  const K *a, *b, *end_of_a, *end_of_b;
  K* to;
  vector<K> held;

  [[gnu::always_inline]] void begin(const K* runs, std::size_t length, K* result) {
    a = runs + lanes_of<K>, b = end_of_a = runs + length, end_of_b = b + length, to = result;
    __builtin_memcpy(&held, runs, lane_bytes);
  }
  // The run goes on whose next key is the lesser.
  [[gnu::always_inline]] void take() {
    const bool is_a = b == end_of_b || (a != end_of_a && *a <= *b);
    const K* const from = is_a ? a : b;
    a += is_a ? lanes_of<K> : 0, b += is_a ? 0 : lanes_of<K>;
    vector<K> next;
    __builtin_memcpy(&next, from, lane_bytes);
    turn_round<K>(next, std::make_index_sequence<lanes_of<K>>());
    vector<K> least = held < next ? held : next;
    held = held < next ? next : held;
    straighten<K>(least), straighten<K>(held);
    write(least);
  }
  [[gnu::always_inline]] void write(const vector<K>& v) { __builtin_memcpy(to, &v, lane_bytes), to += lanes_of<K>; }
};

/// Merges so many pairs of runs at once: what one waits for is the others' time.
template <class K, std::size_t pairs>
[[gnu::always_inline]] inline void merge_pairs(const K* runs, std::size_t length, K* to) {
  merging<K> each[pairs];
  for (std::size_t p = 0; p < pairs; ++p) each[p].begin(runs + 2 * p * length, length, to + 2 * p * length);
  for (std::size_t left = 2 * length / lanes_of<K> - 1; left > 0; --left)
    for (std::size_t p = 0; p < pairs; ++p) each[p].take();
  for (std::size_t p = 0; p < pairs; ++p) each[p].write(each[p].held);
}

/// `count` runs, an even number, of `length` keys that follow each other become half as many. Whole vectors.
template <class K>
[[gnu::always_inline]] inline void merge_runs(const K* runs, std::size_t count, std::size_t length, K* to) {
  std::size_t done = 0;
  for (; done + 4 <= count; done += 4) merge_pairs<K, 2>(runs + done * length, length, to + done * length);
  if (done < count) merge_pairs<K, 1>(runs + done * length, length, to + done * length);
}

}  // namespace sinter::runtime
