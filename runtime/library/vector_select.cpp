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

#ifdef __x86_64__

#define SINTER_AVX512 [[gnu::target("avx512f"), gnu::always_inline]] static inline

// What a vector does with keys of 32 and of 64 bits.
struct lanes_32 {
  using key = std::uint32_t;
  SINTER_AVX512 __m512i all(key k) { return _mm512_set1_epi32(static_cast<int>(k)); }
  SINTER_AVX512 __mmask16 is_below(__m512i a, __m512i b) { return _mm512_cmplt_epu32_mask(a, b); }
  SINTER_AVX512 __m512i packed(__mmask16 of, __m512i k) { return _mm512_maskz_compress_epi32(of, k); }
};
struct lanes_64 {
  using key = std::uint64_t;
  SINTER_AVX512 __m512i all(key k) { return _mm512_set1_epi64(static_cast<long long>(k)); }
  SINTER_AVX512 __mmask8 is_below(__m512i a, __m512i b) { return _mm512_cmplt_epu64_mask(a, b); }
  SINTER_AVX512 __m512i packed(__mmask8 of, __m512i k) { return _mm512_maskz_compress_epi64(of, k); }
};

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
    const auto below = Lanes::is_below(k, low), above = Lanes::is_below(high, k);
    const auto within = static_cast<decltype(below)>(~(below | above));
    _mm512_storeu_si512(keys + to.below, Lanes::packed(below, k));
    _mm512_storeu_si512(to.behind + to.above, Lanes::packed(above, k));
    _mm512_storeu_si512(to.inside + to.within, Lanes::packed(within, k));
    to.below += static_cast<std::size_t>(__builtin_popcount(below));
    to.above += static_cast<std::size_t>(__builtin_popcount(above));
    to.within += static_cast<std::size_t>(__builtin_popcount(within));
  }
  return i;
}
#undef SINTER_AVX512

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
bool has_vectors() { return false; }

#endif

std::size_t take_vectors_apart(placed_key*, std::size_t, const bracket<placed_key>&, parts<placed_key>&) { return 0; }

template <class K>
constexpr bracket<K> everything() {
  using word = std::numeric_limits<std::uint64_t>;
  if constexpr (std::is_same_v<K, placed_key>) return {{0, 0}, {word::max(), word::max()}};
  else return {0, std::numeric_limits<K>::max()};
}

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
  bracket<K> by = everything<K>();
  if (low >= 0) by.low = sample[static_cast<std::size_t>(low)];
  if (high < static_cast<double>(size)) by.high = sample[static_cast<std::size_t>(high)];
  return by;
}

template <class K>
void select_by_sample(K* keys, std::size_t count, std::size_t first, std::size_t end, K* room) {
  while (count >= least_selected_from && count <= std::uint32_t{0xffffffff} && end - first < count / 8) {
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

}  // namespace

void select_keys(std::uint32_t* keys, std::size_t count, std::size_t first, std::size_t end,
                 std::uint32_t* room) noexcept {
  select_by_sample(keys, count, first, end, room);
}
void select_keys(std::uint64_t* keys, std::size_t count, std::size_t first, std::size_t end,
                 std::uint64_t* room) noexcept {
  select_by_sample(keys, count, first, end, room);
}
void select_keys(placed_key* keys, std::size_t count, std::size_t first, std::size_t end, placed_key* room) noexcept {
  select_by_sample(keys, count, first, end, room);
}

}  // namespace sinter::runtime
