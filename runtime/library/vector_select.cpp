#include "runtime/library/vector_select.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
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

// Where elements are, once they have been taken apart: those below the bracket in front, those above it before an end, and the keys
// of those within.
template <class K>
struct parts {
  K *front, *inside, *end;
  std::size_t below = 0, within = 0, above = 0;
};

// Each element is written to all three, and stays in one: no processor has to guess.
template <class K>
void take_apart(const K* elements, std::size_t from, std::size_t count, const key_rule<K>& rule, const bracket<K>& by,
                parts<K>& to) {
  for (std::size_t i = from; i < count; ++i) {
    const K e = elements[i], k = rule.key(e);
    const bool is_below = k < by.low, is_above = by.high < k;
    to.front[to.below] = e, to.below += is_below;
    *(to.end - to.above - 1) = e, to.above += is_above;
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
void split_key(K k, std::size_t i, const bracket<K>& by, split<K>& to) {
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
  SINTER_AVX512 void store(key* to, mask of, __m512i v) { _mm512_mask_storeu_epi32(to, of, v); }
  SINTER_AVX512 __m512i all(key k) { return _mm512_set1_epi32(static_cast<int>(k)); }
  SINTER_AVX512 __m512i chosen(__mmask16 of, __m512i a, __m512i b) { return _mm512_mask_blend_epi32(of, b, a); }
  SINTER_AVX512 __mmask16 is_below(__m512i a, __m512i b) { return _mm512_cmplt_epu32_mask(a, b); }
  SINTER_AVX512 __mmask16 is_equal(__m512i a, __m512i b) { return _mm512_cmpeq_epi32_mask(a, b); }
  SINTER_AVX512 __m512i packed(__mmask16 of, __m512i k) { return _mm512_maskz_compress_epi32(of, k); }
  // All bits of negative ones. Of gcc 12 the form without a mask is warned of.
  SINTER_AVX512 __m512i negative(__m512i bits) {
    return _mm512_maskz_srai_epi32(static_cast<__mmask16>(~0u), bits, 31);
  }
  SINTER_AVX512 __m512i difference(__m512i a, __m512i b) { return _mm512_sub_epi32(a, b); }
};
struct lanes_64 {
  using key = std::uint64_t;
  using mask = __mmask8;
  SINTER_AVX512 void store(key* to, mask of, __m512i v) { _mm512_mask_storeu_epi64(to, of, v); }
  SINTER_AVX512 __m512i all(key k) { return _mm512_set1_epi64(static_cast<long long>(k)); }
  SINTER_AVX512 __m512i chosen(__mmask8 of, __m512i a, __m512i b) { return _mm512_mask_blend_epi64(of, b, a); }
  SINTER_AVX512 __mmask8 is_below(__m512i a, __m512i b) { return _mm512_cmplt_epu64_mask(a, b); }
  SINTER_AVX512 __mmask8 is_equal(__m512i a, __m512i b) { return _mm512_cmpeq_epi64_mask(a, b); }
  SINTER_AVX512 __m512i packed(__mmask8 of, __m512i k) { return _mm512_maskz_compress_epi64(of, k); }
  SINTER_AVX512 __m512i negative(__m512i bits) { return _mm512_maskz_srai_epi64(static_cast<__mmask8>(~0u), bits, 63); }
  SINTER_AVX512 __m512i difference(__m512i a, __m512i b) { return _mm512_sub_epi64(a, b); }
};

template <class K>
using lanes_of_keys = std::conditional_t<sizeof(K) == 4, lanes_32, lanes_64>;

// The rules, for vectors.
template <class K>
struct rule_of_lanes {
  using lanes = lanes_of_keys<K>;
  __m512i of_negative, of_all, lowest, at_last;
  [[gnu::target("avx512f"), gnu::always_inline]] explicit rule_of_lanes(const key_rule<K>& r)
      : of_negative(lanes::all(r.of_negative)),
        of_all(lanes::all(r.of_all)),
        lowest(lanes::all(r.lowest)),
        at_last(lanes::all(r.at_last)) {}
  [[gnu::target("avx512f"), gnu::always_inline]] __m512i key(__m512i bits) const {
    const __m512i turned = _mm512_or_si512(_mm512_and_si512(lanes::negative(bits), of_negative), of_all);
    return _mm512_xor_si512(lanes::difference(_mm512_xor_si512(bits, turned), lowest), at_last);
  }
};
template <class K>
struct equal_rule_of_lanes {
  using lanes = lanes_of_keys<K>;
  rule_of_lanes<K> whole;
  __m512i minus_zero, most, magnitude, of_nan;
  [[gnu::target("avx512f"), gnu::always_inline]] explicit equal_rule_of_lanes(const equal_rule<K>& r)
      : whole(r.whole),
        minus_zero(lanes::all(r.minus_zero)),
        most(lanes::all(r.most)),
        magnitude(lanes::all(static_cast<K>(~r.whole.sign))),
        of_nan(lanes::all(static_cast<K>(~r.whole.at_last))) {}
  [[gnu::target("avx512f"), gnu::always_inline]] __m512i key(__m512i bits) const {
    const auto is_zero = lanes::is_equal(bits, minus_zero);
    const auto is_nan = lanes::is_below(most, _mm512_and_si512(bits, magnitude));
    const __m512i k = whole.key(lanes::chosen(is_zero, _mm512_setzero_si512(), bits));
    return lanes::chosen(is_nan, of_nan, k);
  }
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
template <class Lanes>
constexpr typename Lanes::mask first_of(std::size_t count) {
  return static_cast<typename Lanes::mask>((std::uint64_t{1} << count) - 1);
}

// Vectors are compressed in registers, as processors are slow that compress into memory. In front whole ones are stored: behind what
// is kept lies what the next store overwrites. Gives how many elements it has taken.
template <class K>
[[gnu::target("avx512f")]] std::size_t take_vectors_apart(const K* elements, std::size_t count, const key_rule<K>& rule,
                                                          const bracket<K>& by, parts<K>& to) {
  using lanes = lanes_of_keys<K>;
  constexpr std::size_t width = sizeof(__m512i) / sizeof(K);
  const __m512i low = lanes::all(by.low), high = lanes::all(by.high);
  const rule_of_lanes<K> of_lanes(rule);
  std::size_t i = 0;
  for (; i + width <= count; i += width) {
    const __m512i e = _mm512_loadu_si512(elements + i), k = of_lanes.key(e);
    const sides<lanes> of(k, low, high);
    _mm512_storeu_si512(to.front + to.below, lanes::packed(of.below, e));
    to.above += count_of(of.above);
    lanes::store(to.end - to.above, first_of<lanes>(count_of(of.above)), lanes::packed(of.above, e));
    _mm512_storeu_si512(to.inside + to.within, lanes::packed(of.within, k));
    to.below += count_of(of.below);
    to.within += count_of(of.within);
  }
  return i;
}

// The same of elements of 16 bits, which a later set of instructions compresses.
#define SINTER_AVX512_OF_16 gnu::target("avx512f,avx512bw,avx512vbmi2")
[[SINTER_AVX512_OF_16, gnu::always_inline]] inline __m512i all_of_16(std::uint16_t k) {
  return _mm512_set1_epi16(static_cast<short>(k));
}
[[SINTER_AVX512_OF_16]] std::size_t take_vectors_apart(const std::uint16_t* elements, std::size_t count,
                                                       const key_rule<std::uint16_t>& rule,
                                                       const bracket<std::uint16_t>& by, parts<std::uint16_t>& to) {
  constexpr std::size_t width = 32;
  const __m512i low = all_of_16(by.low), high = all_of_16(by.high);
  const __m512i lowest = all_of_16(rule.lowest), at_last = all_of_16(rule.at_last);
  const __m512i of_negative = all_of_16(rule.of_negative), of_all = all_of_16(rule.of_all);
  std::size_t i = 0;
  for (; i + width <= count; i += width) {
    const __m512i e = _mm512_loadu_si512(elements + i);
    const __m512i turned = _mm512_or_si512(_mm512_and_si512(_mm512_srai_epi16(e, 15), of_negative), of_all);
    const __m512i k = _mm512_xor_si512(_mm512_sub_epi16(_mm512_xor_si512(e, turned), lowest), at_last);
    const __mmask32 below = _mm512_cmplt_epu16_mask(k, low), above = _mm512_cmplt_epu16_mask(high, k);
    const __mmask32 within = ~(below | above);
    _mm512_storeu_si512(to.front + to.below, _mm512_maskz_compress_epi16(below, e));
    to.above += count_of(above);
    _mm512_mask_storeu_epi16(to.end - to.above, static_cast<__mmask32>((std::uint64_t{1} << count_of(above)) - 1),
                             _mm512_maskz_compress_epi16(above, e));
    _mm512_storeu_si512(to.inside + to.within, _mm512_maskz_compress_epi16(within, k));
    to.below += count_of(below);
    to.within += count_of(within);
  }
  return i;
}
#undef SINTER_AVX512_OF_16

// Keys within a bracket, and how many are below it. Gives how many elements it has gone through.
template <class K>
[[gnu::target("avx512f")]] std::size_t gather_vectors(const K* elements, std::size_t count, const equal_rule<K>& rule,
                                                      const bracket<K>& by, gathered<K>& to) {
  using lanes = lanes_of_keys<K>;
  constexpr std::size_t width = sizeof(__m512i) / sizeof(K);
  const __m512i low = lanes::all(by.low), high = lanes::all(by.high);
  const equal_rule_of_lanes<K> of_lanes(rule);
  std::size_t i = 0;
  for (; i + width <= count; i += width) {
    const __m512i k = of_lanes.key(_mm512_loadu_si512(elements + i));
    const sides<lanes> of(k, low, high);
    _mm512_storeu_si512(to.inside + to.within, lanes::packed(of.within, k));
    to.below += count_of(of.below);
    to.within += count_of(of.within);
  }
  return i;
}

// Stores no more than what is kept: behind it lies what is there to stay.
[[gnu::target("avx512f"), gnu::always_inline]] inline void append(std::int64_t* to, std::size_t& at, __mmask8 of,
                                                                  __m512i places) {
  const std::size_t count = count_of(of);
  lanes_64::store(reinterpret_cast<std::uint64_t*>(to + at), first_of<lanes_64>(count), lanes_64::packed(of, places));
  at += count;
}

// Vectors without a key at the ends of what is wanted, up to the first with one. Gives how many elements it has gone through.
template <class K>
[[gnu::target("avx512f")]] std::size_t split_vectors(const K* elements, std::size_t from, std::size_t count,
                                                     const equal_rule<K>& rule, const bracket<K>& by, split<K>& to) {
  using lanes = lanes_of_keys<K>;
  constexpr std::size_t width = sizeof(__m512i) / sizeof(K);
  const __m512i low = lanes::all(by.low), high = lanes::all(by.high);
  const __m512i steps = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
  const equal_rule_of_lanes<K> of_lanes(rule);
  std::size_t i = from;
  for (; i + width <= count; i += width) {
    const __m512i k = of_lanes.key(_mm512_loadu_si512(elements + i));
    const sides<lanes> of(k, low, high);
    if (static_cast<unsigned>(lanes::is_equal(k, low) | lanes::is_equal(k, high)) != 0) break;
    for (std::size_t half = 0; half < width; half += 8) {
      const __m512i places = _mm512_add_epi64(_mm512_set1_epi64(static_cast<long long>(i + half)), steps);
      append(to.places, to.below, static_cast<__mmask8>(of.below >> half), places);
      append(to.places, to.above, static_cast<__mmask8>(of.above >> half), places);
    }
    for (unsigned within = of.within; within != 0; within &= within - 1) {
      const std::size_t at = i + static_cast<std::size_t>(__builtin_ctz(within));
      to.inside[to.within++] = {at, rule.key(elements[at])};
    }
  }
  return i;
}
#undef SINTER_AVX512

template <class K>
bool has_vectors() {
  static const bool has = sizeof(K) > 2 ? __builtin_cpu_supports("avx512f")
                                        : __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi2");
  return has;
}

#else

template <class K>
std::size_t take_vectors_apart(const K*, std::size_t, const key_rule<K>&, const bracket<K>&, parts<K>&) {
  return 0;
}
template <class K>
std::size_t gather_vectors(const K*, std::size_t, const equal_rule<K>&, const bracket<K>&, gathered<K>&) {
  return 0;
}
template <class K>
std::size_t split_vectors(const K*, std::size_t from, std::size_t, const equal_rule<K>&, const bracket<K>&, split<K>&) {
  return from;
}
template <class K>
bool has_vectors() {
  return false;
}

#endif

// How many keys are looked at first, and how many of them further out than the wanted ranks the bracket ends.
struct sampling {
  std::size_t size;
  double further;
};
/// Wanted ranks lie within three standard deviations.
sampling surely(std::size_t count) {
  const std::size_t size = std::clamp<std::size_t>(count / 16, 128, 2048);
  return {size, 1.5 * std::sqrt(static_cast<double>(size)) + 1};
}
/// Of few keys a sample that is quickly in order; where the wanted ranks lie elsewhere, that side is gone on with.
sampling quickly(std::size_t count) {
  constexpr std::size_t few = 1 << 15;
  return count < few ? sampling{most_counted, 2} : surely(count);
}

// Places of a sample are those of a fixed sequence with no period that data have.
template <class K, class Rule>
bracket<K> bracket_of(const K* elements, std::size_t count, std::size_t first, std::size_t end, const Rule& rule,
                      const sampling& by_sample, K* sample) {
  const auto [size, further] = by_sample;
  std::uint64_t state = count;
  for (std::size_t i = 0; i < size; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    sample[i] = rule.key(elements[(state >> 32) * count >> 32]);
  }
  sort_keys(sample, size);
  const double scale = static_cast<double>(size) / static_cast<double>(count);
  const double low = static_cast<double>(first) * scale - further, high = static_cast<double>(end) * scale + further;
  bracket<K> by{0, std::numeric_limits<K>::max()};
  if (low >= 0) by.low = sample[static_cast<std::size_t>(low)];
  if (high < static_cast<double>(size)) by.high = sample[static_cast<std::size_t>(high)];
  return by;
}

bool can_sample(std::size_t count, std::size_t first, std::size_t end) {
  constexpr std::size_t least = 64;  // fewer are sooner sorted
  return count >= least && count <= std::uint32_t{0xffffffff} && end - first < count / 8;
}

template <class K>
void sort_elements(const K* from, K* to, std::size_t count, const key_rule<K>& rule) {
  for (std::size_t i = 0; i < count; ++i) to[i] = rule.key(from[i]);
  sort_keys(to, count);
  for (std::size_t i = 0; i < count; ++i) to[i] = rule.bits(to[i]);
}

// `from` may be `to`.
template <class K>
void select_by_sample(const K* from, K* to, std::size_t count, std::size_t first, std::size_t end,
                      const key_rule<K>& rule, K* room) {
  if (!can_sample(count, first, end)) return sort_elements(from, to, count, rule);
  const bracket<K> by = bracket_of(from, count, first, end, rule, quickly(count), room);
  // Where elements are read that lie there already, those above wait.
  const bool is_in_place = from == to;
  parts<K> of{to, room, is_in_place ? room + 2 * count : to + count};
  const std::size_t done = has_vectors<K>() ? take_vectors_apart(from, count, rule, by, of) : 0;
  take_apart(from, done, count, rule, by, of);
  K *const middle = to + of.below, *const behind = middle + of.within;
  if (is_in_place) std::copy_n(of.end - of.above, of.above, behind);
  const bool is_one_key = by.low == by.high, lies_within = of.below <= first && end <= of.below + of.within;
  if (lies_within && !is_one_key && of.within <= count / 2)
    select_by_sample(of.inside, of.inside, of.within, first - of.below, end - of.below, key_rule<K>(), room + count);
  for (std::size_t i = 0; i < of.within; ++i) middle[i] = rule.bits(of.inside[i]);
  if (lies_within && (is_one_key || of.within <= count / 2)) return;
  // A side that is hardly less than all is sooner sorted, and so are all if several parts have wanted ranks, or most keys are equal.
  const std::size_t most = count - count / 8;
  if (end <= of.below && of.below <= most) return select_by_sample(to, to, of.below, first, end, rule, room);
  const std::size_t before = of.below + of.within;
  if (first >= before && of.above <= most)
    return select_by_sample(behind, behind, of.above, first - before, end - before, rule, room);
  sort_elements(to, to, count, rule);
}

// Keys among which the wanted ranks are: those within a bracket, or all.
template <class K>
gathered<K> gather_wanted(const K* elements, std::size_t count, std::size_t first, std::size_t end,
                          const equal_rule<K>& rule, K* room) {
  if (count >= least_places_selected_from && can_sample(count, first, end)) {
    gathered<K> to{room};
    const bracket<K> by = bracket_of(elements, count, first, end, rule, surely(count), room);
    const std::size_t done = has_vectors<K>() ? gather_vectors(elements, count, rule, by, to) : 0;
    for (std::size_t i = done; i < count; ++i) {
      const K k = rule.key(elements[i]);
      const bool is_below = k < by.low, is_above = by.high < k;
      to.inside[to.within] = k, to.within += !(is_below | is_above);
      to.below += is_below;
    }
    if (to.below <= first && end <= to.below + to.within) return to;
  }
  for (std::size_t i = 0; i < count; ++i) room[i] = rule.key(elements[i]);
  return {room, 0, count};
}

// First which keys the wanted ranks have, and then, in the order of places, which elements have them.
template <class K>
void select_and_split(const K* elements, std::size_t count, std::size_t first, std::size_t end,
                      const equal_rule<K>& rule, K* room, std::int64_t* places) {
  const gathered<K> some = gather_wanted(elements, count, first, end, rule, room);
  K* const more = room + in_fours(count);
  select_by_sample(some.inside, some.inside, some.within, first - some.below, end - some.below, key_rule<K>(), more);
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
    if (has_vectors<K>()) i = split_vectors(elements, i, count, rule, by, to);
    // A vector that has one at an end, and what is no whole vector.
    for (const std::size_t until = std::min(count, i + 64 / sizeof(K)); i < until; ++i)
      split_key(rule.key(elements[i]), i, by, to);
  }
  sort_keys(inside, to.within);
  for (std::size_t i = 0; i < to.within; ++i) places[first + i] = static_cast<std::int64_t>(inside[i].place);
}

}  // namespace

void select_elements(const std::uint16_t* from, std::uint16_t* to, std::size_t count, std::size_t first,
                     std::size_t end, const key_rule<std::uint16_t>& rule, std::uint16_t* room) noexcept {
  select_by_sample(from, to, count, first, end, rule, room);
}
void select_elements(const std::uint32_t* from, std::uint32_t* to, std::size_t count, std::size_t first,
                     std::size_t end, const key_rule<std::uint32_t>& rule, std::uint32_t* room) noexcept {
  select_by_sample(from, to, count, first, end, rule, room);
}
void select_elements(const std::uint64_t* from, std::uint64_t* to, std::size_t count, std::size_t first,
                     std::size_t end, const key_rule<std::uint64_t>& rule, std::uint64_t* room) noexcept {
  select_by_sample(from, to, count, first, end, rule, room);
}
void select_places(const std::uint32_t* from, std::size_t count, std::size_t first, std::size_t end,
                   const equal_rule<std::uint32_t>& rule, std::uint32_t* room, std::int64_t* places) noexcept {
  select_and_split(from, count, first, end, rule, room, places);
}
void select_places(const std::uint64_t* from, std::size_t count, std::size_t first, std::size_t end,
                   const equal_rule<std::uint64_t>& rule, std::uint64_t* room, std::int64_t* places) noexcept {
  select_and_split(from, count, first, end, rule, room, places);
}

}  // namespace sinter::runtime
