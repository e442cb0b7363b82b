#include "runtime/library/vector_select.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace sinter::runtime {

namespace {

/// Two keys between which, with themselves, the wanted ranks are likely to lie.
template <class K>
struct bracket {
  K low, high;
};

// Where keys are, once they have been taken apart: those below the bracket stay in front.
template <class K>
struct parts {
  std::size_t below = 0, within = 0, above = 0;
  K *inside, *behind;
};

// Each key is written to all three, and stays in one: no processor has to guess.
template <class K>
void take_apart(K* keys, std::size_t from, std::size_t count, const bracket<K>& by, parts<K>& to) {
  for (std::size_t i = from; i < count; ++i) {
    const K k = keys[i];
    const bool is_below = k < by.low, is_above = by.high < k;
    keys[to.below] = k, to.below += is_below;
    to.behind[to.above] = k, to.above += is_above;
    to.inside[to.within] = k, to.within += !(is_below | is_above);
  }
}

/// Keys within a bracket, of all that are to stay where they are.
template <class K>
struct gathered {
  K* inside;
  std::size_t below = 0, within = 0;
};

/// Places of keys below the wanted ranks, within them, and above. What is at either end has several keys that are equal, of which the
/// first ones go to the lower side.
template <class K>
struct split {
  std::int64_t* places;      // of all ranks
  std::size_t below, above;  // where the next one comes
  placed_key* inside;
  std::size_t within;
  std::size_t low_below, high_within;  // how many that are as the lowest wanted key go below; as the highest, within
};

template <class K>
void split_equal(K k, std::size_t i, const bracket<K>& by, split<K>& to) {
  const auto place = static_cast<std::int64_t>(i);
  if (k == by.low && to.low_below > 0) to.places[to.below++] = place, --to.low_below;
  else if (k != by.high) to.inside[to.within++] = {i, k};
  else if (to.high_within > 0) to.inside[to.within++] = {i, k}, --to.high_within;
  else to.places[to.above++] = place;
}

template <class K>
void split_key(const K* keys, std::size_t i, const bracket<K>& by, split<K>& to) {
  const K k = keys[i];
  if (k == by.low || k == by.high) [[unlikely]]
    return split_equal(k, i, by, to);
  // By arithmetic, as a branch at either end alone would be guessed wrong half of the time.
  if (k - by.low < by.high - by.low) [[unlikely]] {
    to.inside[to.within++] = {i, k};
    return;
  }
  const std::size_t is_below = k < by.low, side = -is_below;
  to.places[(to.below & side) | (to.above & ~side)] = static_cast<std::int64_t>(i);
  to.below += is_below, to.above += 1 - is_below;
}

#ifdef __x86_64__

#define SINTER_AVX512 [[gnu::target("avx512f"), gnu::always_inline]] static inline

// What a vector does with keys of 32 and of 64 bits.
struct lanes_32 {
  using key = std::uint32_t;
  using mask = __mmask16;
  SINTER_AVX512 __m512i all(key k) { return _mm512_set1_epi32(static_cast<int>(k)); }
  SINTER_AVX512 __mmask16 is_below(__m512i a, __m512i b) { return _mm512_cmplt_epu32_mask(a, b); }
  SINTER_AVX512 __mmask16 is_equal(__m512i a, __m512i b) { return _mm512_cmpeq_epi32_mask(a, b); }
  SINTER_AVX512 __m512i packed(__mmask16 of, __m512i k) { return _mm512_maskz_compress_epi32(of, k); }
};
struct lanes_64 {
  using key = std::uint64_t;
  using mask = __mmask8;
  SINTER_AVX512 __m512i all(key k) { return _mm512_set1_epi64(static_cast<long long>(k)); }
  SINTER_AVX512 __mmask8 is_below(__m512i a, __m512i b) { return _mm512_cmplt_epu64_mask(a, b); }
  SINTER_AVX512 __mmask8 is_equal(__m512i a, __m512i b) { return _mm512_cmpeq_epi64_mask(a, b); }
  SINTER_AVX512 __m512i packed(__mmask8 of, __m512i k) { return _mm512_maskz_compress_epi64(of, k); }
};

// Which keys of a vector are on which side of a bracket.
template <class Lanes>
struct sides {
  typename Lanes::mask below, above, within;
  [[gnu::target("avx512f"), gnu::always_inline]] sides(__m512i k, __m512i low, __m512i high)
      : below(Lanes::is_below(k, low)),
        above(Lanes::is_below(high, k)),
        within(static_cast<typename Lanes::mask>(~(below | above))) {}
};
std::size_t count_of(unsigned mask) { return static_cast<std::size_t>(__builtin_popcount(mask)); }

// Whole vectors are stored, as processors that compress slowly into memory are quick in registers: behind what is kept lies what the
// next store overwrites. Gives how many keys it has taken.
template <class Lanes, class K = typename Lanes::key>
[[gnu::target("avx512f")]] std::size_t take_lanes_apart(K* keys, std::size_t count, const bracket<K>& by,
                                                        parts<K>& to) {
  constexpr std::size_t width = sizeof(__m512i) / sizeof(K);
  const __m512i low = Lanes::all(by.low), high = Lanes::all(by.high);
  std::size_t i = 0;
  for (; i + width <= count; i += width) {
    const __m512i k = _mm512_loadu_si512(keys + i);
    const sides<Lanes> of(k, low, high);
    _mm512_storeu_si512(keys + to.below, Lanes::packed(of.below, k));
    _mm512_storeu_si512(to.behind + to.above, Lanes::packed(of.above, k));
    _mm512_storeu_si512(to.inside + to.within, Lanes::packed(of.within, k));
    to.below += count_of(of.below);
    to.above += count_of(of.above);
    to.within += count_of(of.within);
  }
  return i;
}

// Keys within a bracket, and how many are below it. Gives how many keys it has gone through.
template <class Lanes, class K = typename Lanes::key>
[[gnu::target("avx512f")]] std::size_t gather_lanes(const K* keys, std::size_t count, const bracket<K>& by,
                                                    gathered<K>& to) {
  constexpr std::size_t width = sizeof(__m512i) / sizeof(K);
  const __m512i low = Lanes::all(by.low), high = Lanes::all(by.high);
  std::size_t i = 0;
  for (; i + width <= count; i += width) {
    const __m512i k = _mm512_loadu_si512(keys + i);
    const sides<Lanes> of(k, low, high);
    _mm512_storeu_si512(to.inside + to.within, Lanes::packed(of.within, k));
    to.below += count_of(of.below);
    to.within += count_of(of.within);
  }
  return i;
}
std::size_t gather_vectors(const std::uint32_t* keys, std::size_t count, const bracket<std::uint32_t>& by,
                           gathered<std::uint32_t>& to) {
  return gather_lanes<lanes_32>(keys, count, by, to);
}
std::size_t gather_vectors(const std::uint64_t* keys, std::size_t count, const bracket<std::uint64_t>& by,
                           gathered<std::uint64_t>& to) {
  return gather_lanes<lanes_64>(keys, count, by, to);
}

// Stores no more than what is kept: behind it lies what is there to stay.
[[gnu::target("avx512f"), gnu::always_inline]] inline void append(std::int64_t* to, std::size_t& at, __mmask8 of,
                                                                  __m512i places) {
  const std::size_t count = count_of(of);
  const auto kept = static_cast<__mmask8>((1u << count) - 1);
  _mm512_mask_storeu_epi64(to + at, kept, _mm512_maskz_compress_epi64(of, places));
  at += count;
}

// Vectors without a key at the ends of what is wanted, up to the first with one. Gives how many keys it has gone through.
template <class Lanes, class K = typename Lanes::key>
[[gnu::target("avx512f")]] std::size_t split_lanes(const K* keys, std::size_t from, std::size_t count,
                                                   const bracket<K>& by, split<K>& to) {
  constexpr std::size_t width = sizeof(__m512i) / sizeof(K);
  const __m512i low = Lanes::all(by.low), high = Lanes::all(by.high);
  const __m512i steps = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
  std::size_t i = from;
  for (; i + width <= count; i += width) {
    const __m512i k = _mm512_loadu_si512(keys + i);
    const sides<Lanes> of(k, low, high);
    if (static_cast<unsigned>(Lanes::is_equal(k, low) | Lanes::is_equal(k, high)) != 0) break;
    for (std::size_t half = 0; half < width; half += 8) {
      const __m512i places = _mm512_add_epi64(_mm512_set1_epi64(static_cast<long long>(i + half)), steps);
      append(to.places, to.below, static_cast<__mmask8>(of.below >> half), places);
      append(to.places, to.above, static_cast<__mmask8>(of.above >> half), places);
    }
    for (unsigned within = of.within; within != 0; within &= within - 1) {
      const std::size_t at = i + static_cast<std::size_t>(__builtin_ctz(within));
      to.inside[to.within++] = {at, keys[at]};
    }
  }
  return i;
}
#undef SINTER_AVX512

std::size_t split_vectors(const std::uint32_t* keys, std::size_t from, std::size_t count,
                          const bracket<std::uint32_t>& by, split<std::uint32_t>& to) {
  return split_lanes<lanes_32>(keys, from, count, by, to);
}
std::size_t split_vectors(const std::uint64_t* keys, std::size_t from, std::size_t count,
                          const bracket<std::uint64_t>& by, split<std::uint64_t>& to) {
  return split_lanes<lanes_64>(keys, from, count, by, to);
}
std::size_t take_vectors_apart(std::uint32_t* keys, std::size_t count, const bracket<std::uint32_t>& by,
                               parts<std::uint32_t>& to) {
  return take_lanes_apart<lanes_32>(keys, count, by, to);
}
std::size_t take_vectors_apart(std::uint64_t* keys, std::size_t count, const bracket<std::uint64_t>& by,
                               parts<std::uint64_t>& to) {
  return take_lanes_apart<lanes_64>(keys, count, by, to);
}

bool has_vectors() {
  static const bool has = __builtin_cpu_supports("avx512f");
  return has;
}

#else

template <class K>
std::size_t take_vectors_apart(K*, std::size_t, const bracket<K>&, parts<K>&) {
  return 0;
}
template <class K>
std::size_t gather_vectors(const K*, std::size_t, const bracket<K>&, gathered<K>&) {
  return 0;
}
template <class K>
std::size_t split_vectors(const K*, std::size_t from, std::size_t, const bracket<K>&, split<K>&) {
  return from;
}
bool has_vectors() { return false; }

#endif

// By a sample: the wanted ranks lie between keys of it that are three standard deviations further out. Places are those of a fixed
// sequence with no period that data have.
template <class K>
bracket<K> bracket_of(const K* keys, std::size_t count, std::size_t first, std::size_t end, K* sample) {
  const std::size_t size = std::clamp<std::size_t>(count / 16, 128, 2048);
  std::uint64_t state = count;
  for (std::size_t i = 0; i < size; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    sample[i] = keys[(state >> 32) * count >> 32];
  }
  sort_keys(sample, size);
  const double scale = static_cast<double>(size) / static_cast<double>(count);
  const double further = 1.5 * std::sqrt(static_cast<double>(size)) + 1;
  const double low = static_cast<double>(first) * scale - further, high = static_cast<double>(end) * scale + further;
  bracket<K> by{0, std::numeric_limits<K>::max()};
  if (low >= 0) by.low = sample[static_cast<std::size_t>(low)];
  if (high < static_cast<double>(size)) by.high = sample[static_cast<std::size_t>(high)];
  return by;
}

bool can_sample(std::size_t count, std::size_t first, std::size_t end) {
  return count >= least_selected_from && count <= std::uint32_t{0xffffffff} && end - first < count / 8;
}

template <class K>
void select_by_sample(K* keys, std::size_t count, std::size_t first, std::size_t end, K* room) {
  while (can_sample(count, first, end)) {
    const bracket<K> by = bracket_of(keys, count, first, end, room);
    parts<K> to{0, 0, 0, room, room + count};
    const std::size_t done = has_vectors() ? take_vectors_apart(keys, count, by, to) : 0;
    take_apart(keys, done, count, by, to);
    std::copy_n(to.inside, to.within, keys + to.below);
    std::copy_n(to.behind, to.above, keys + to.below + to.within);
    // Out of luck, or most keys are equal.
    if (first < to.below || end > to.below + to.within || to.within > count / 2) break;
    keys += to.below, first -= to.below, end -= to.below, count = to.within;
  }
  sort_keys(keys, count);
}

// Keys among which the wanted ranks are: those within a bracket, or all.
template <class K>
gathered<K> gather_wanted(const K* keys, std::size_t count, std::size_t first, std::size_t end, K* room) {
  gathered<K> to{room};
  if (can_sample(count, first, end)) {
    const bracket<K> by = bracket_of(keys, count, first, end, room);
    const std::size_t done = has_vectors() ? gather_vectors(keys, count, by, to) : 0;
    for (std::size_t i = done; i < count; ++i) {
      const bool is_below = keys[i] < by.low, is_above = by.high < keys[i];
      to.inside[to.within] = keys[i], to.within += !(is_below | is_above);
      to.below += is_below;
    }
    if (to.below <= first && end <= to.below + to.within) return to;
  }
  std::copy_n(keys, count, room);
  return {room, 0, count};
}

// First which keys the wanted ranks have, and then, in the order of places, which those are.
template <class K>
void select_and_split(const K* keys, std::size_t count, std::size_t first, std::size_t end, K* room,
                      std::int64_t* places) {
  const gathered<K> some = gather_wanted(keys, count, first, end, room);
  K* const more = room + in_fours(count);
  select_by_sample(some.inside, some.within, first - some.below, end - some.below, more);
  const K *const begin = some.inside + (first - some.below), *const stop = some.inside + (end - some.below);
  const bracket<K> by{*begin, stop[-1]};
  auto* const inside = reinterpret_cast<placed_key*>(more);
  split<K> to{places,
              0,
              end,
              inside,
              0,
              static_cast<std::size_t>(std::count<const K*>(some.inside, begin, by.low)),
              static_cast<std::size_t>(std::count(begin, stop, by.high))};
  for (std::size_t i = 0; i < count;) {
    if (has_vectors()) i = split_vectors(keys, i, count, by, to);
    // A vector that has one at an end, and what is no whole vector.
    for (const std::size_t until = std::min(count, i + 64 / sizeof(K)); i < until; ++i) split_key(keys, i, by, to);
  }
  sort_keys(inside, to.within);
  for (std::size_t i = 0; i < to.within; ++i) places[first + i] = static_cast<std::int64_t>(inside[i].place);
}

}  // namespace

void select_keys(std::uint32_t* keys, std::size_t count, std::size_t first, std::size_t end,
                 std::uint32_t* room) noexcept {
  select_by_sample(keys, count, first, end, room);
}
void select_keys(std::uint64_t* keys, std::size_t count, std::size_t first, std::size_t end,
                 std::uint64_t* room) noexcept {
  select_by_sample(keys, count, first, end, room);
}
void select_places(const std::uint32_t* keys, std::size_t count, std::size_t first, std::size_t end,
                   std::uint32_t* room, std::int64_t* places) noexcept {
  select_and_split(keys, count, first, end, room, places);
}
void select_places(const std::uint64_t* keys, std::size_t count, std::size_t first, std::size_t end,
                   std::uint64_t* room, std::int64_t* places) noexcept {
  select_and_split(keys, count, first, end, room, places);
}

}  // namespace sinter::runtime
