#include "codegen/function/sort.hpp"

#include <algorithm>
#include <bit>

#include "codegen/function/sort_few.hpp"

namespace sinter::codegen {

namespace {

using detail::facts;

std::string key_text(dtype t) { return facts(detail::integer_of(facts(t).size, false)).text; }

const char* infinity_text(dtype t) {
  switch (t) {
    case dtype::float16: return "0x7c00";
    case dtype::bfloat16: return "0x7f80";
    case dtype::float32: return "0x7f800000u";
    default: return "0x7ff0000000000000ull";
  }
}

// Elements as keys. Where they are moved, every number of bits has a key of its own, with NaN of either sign behind plus infinity;
// for places, elements that compare equal have equal keys.
constexpr const char* floating_places_text = R"(
static __device__ __forceinline__ K key_of(K b) {
  if ((K)(b & (K)~sign) > (K)infinity) return (K)~(K)0 ^ turned;
  if (b == sign) b = 0;
  return (K)((b & sign) ? ~b : b | sign) ^ turned;
}
)";
constexpr const char* floating_elements_text = R"(
#define lowest ((K)~(K)(sign | infinity))
static __device__ __forceinline__ K key_of(const K b) {
  return (K)((K)((b & sign) ? ~b : b | sign) - lowest) ^ turned;
}
static __device__ __forceinline__ K element_of(const K k) {
  const K b = (K)((K)(k ^ turned) + lowest);
  return (K)((b & sign) ? b ^ sign : ~b);
}
)";
constexpr const char* integer_text = R"(
static __device__ __forceinline__ K key_of(const K b) { return b ^ flipped ^ turned; }
static __device__ __forceinline__ K element_of(const K k) { return k ^ flipped ^ turned; }
)";

std::string keys_text(const sort_form& f) {
  std::string text = "#define sign ((K)((K)1 << (8 * sizeof(K) - 1)))\n";
  text += std::string("#define turned ((K)") + (f.falling ? "~(K)0" : "0") + ")\n";
  if (detail::is_floating(f.type)) {
    text += std::string("#define infinity ") + infinity_text(f.type) + "\n";
    return text + (f.places ? floating_places_text : floating_elements_text);
  }
  const bool is_signed = detail::is_integer(f.type) && facts(f.type).is_signed;
  return text + std::string("#define flipped ((K)") + (is_signed ? "sign" : "0") + ")\n" + integer_text;
}

// The order of a tile by one digit. Warp w has the elements from w * 32 * items on, and of these lane l has number l, l + 32, ...
// First each warp counts its own: what a tile has of each value is known, and told to others, before anything is ranked. Then the
// counts become where the first element of each warp and value goes, and elements take places from there: lanes of one value find
// each other, and one of them takes places for all. No element waits for the one before it, since taking is atomic.
constexpr const char* ranking_text = R"(
#define warps (threads / 32)
#define tile (threads * items)
static __device__ __forceinline__ unsigned digit_of(const K key, const int shift) {
  return (unsigned)(key >> shift) & 255u;
}
static __device__ __forceinline__ void count_digits(unsigned* counts, const K (&key)[items], const int shift) {
  unsigned* const mine = counts + threadIdx.x / 32 * 256;
  for (int d = threadIdx.x % 32; d < 256; d += 32) mine[d] = 0;
  __syncwarp();
#pragma unroll
  for (int i = 0; i < items; ++i) atomicAdd(&mine[digit_of(key[i], shift)], 1u);
  __syncthreads();
}
static __device__ __forceinline__ unsigned total_of(const unsigned* counts, const int d) {
  unsigned sum = 0;
#pragma unroll
  for (int w = 0; w < warps; ++w) sum += counts[w * 256 + d];
  return sum;
}
static __device__ __forceinline__ void begin_places(unsigned* counts, const unsigned* starts) {
  for (int d = threadIdx.x; d < 256; d += threads) {
    unsigned next = starts[d];
#pragma unroll
    for (int w = 0; w < warps; ++w) {
      const unsigned n = counts[w * 256 + d];
      counts[w * 256 + d] = next;
      next += n;
    }
  }
  __syncthreads();
}
// The lanes whose digit is this lane's, by a vote on each bit: __match_any_sync takes the longer the more values there are.
static __device__ __forceinline__ unsigned peers_of(const unsigned digit) {
  unsigned peers = 0xffffffffu;
#pragma unroll
  for (int bit = 0; bit < 8; ++bit) {
    const bool is_set = digit >> bit & 1u;
    const unsigned vote = __ballot_sync(0xffffffffu, is_set);
    peers &= is_set ? vote : ~vote;
  }
  return peers;
}
static __device__ __forceinline__ void take_places(unsigned* counts, const K (&key)[items], const int shift,
                                                   unsigned (&rank)[items]) {
  const int lane = threadIdx.x % 32;
  unsigned* const mine = counts + threadIdx.x / 32 * 256;
#pragma unroll
  for (int i = 0; i < items; ++i) {
    const unsigned digit = digit_of(key[i], shift);
    const unsigned peers = peers_of(digit);
    const int first = __ffs((int)peers) - 1;
    unsigned place = 0;
    if (lane == first) place = atomicAdd(&mine[digit], (unsigned)__popc(peers));
    rank[i] = __shfl_sync(0xffffffffu, place, first) + (unsigned)__popc(peers & ((1u << lane) - 1u));
  }
  __syncthreads();
}
// What is before each of 256 counts, by one warp.
template <class T>
static __device__ __forceinline__ void sums_before(const T* counts, T* sums) {
  const int lane = threadIdx.x % 32;
  T mine[8], all = 0;
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    mine[j] = all;
    all += counts[lane * 8 + j];
  }
  T before = all;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const T other = __shfl_up_sync(0xffffffffu, before, step);
    if (lane >= step) before += other;
  }
  before -= all;
#pragma unroll
  for (int j = 0; j < 8; ++j) sums[lane * 8 + j] = before + mine[j];
}
)";

// What is beyond the row has the largest key and comes last, as it stands last.
constexpr const char* rows_text = R"(
extern "C" __global__ void __launch_bounds__(threads) sinter_kernel(
    const K* __restrict__ in, R* __restrict__ out, const long long rows, const long long length) {
  __shared__ union { unsigned counts[warps * 256]; K keys[tile]; unsigned places[tile]; } kept;
  __shared__ unsigned totals[256], starts[256];
  const int first = threadIdx.x / 32 * 32 * items + threadIdx.x % 32;
  for (long long row = blockIdx.x; row < rows; row += gridDim.x) {
    K key[items];
    unsigned place[items], rank[items];
#pragma unroll
    for (int i = 0; i < items; ++i) {
      place[i] = first + 32 * i;
      key[i] = place[i] < length ? key_of(in[row * length + place[i]]) : (K)~(K)0;
    }
    for (int shift = 0; shift < 8 * (int)sizeof(K); shift += 8) {
      count_digits(kept.counts, key, shift);
      for (int d = threadIdx.x; d < 256; d += threads) totals[d] = total_of(kept.counts, d);
      __syncthreads();
      if (threadIdx.x < 32) sums_before(totals, starts);
      __syncthreads();
      begin_places(kept.counts, starts);
      take_places(kept.counts, key, shift, rank);
#pragma unroll
      for (int i = 0; i < items; ++i) kept.keys[rank[i]] = key[i];
      __syncthreads();
#pragma unroll
      for (int i = 0; i < items; ++i) key[i] = kept.keys[first + 32 * i];
      __syncthreads();
#if made_of_places
#pragma unroll
      for (int i = 0; i < items; ++i) kept.places[rank[i]] = place[i];
      __syncthreads();
#pragma unroll
      for (int i = 0; i < items; ++i) place[i] = kept.places[first + 32 * i];
      __syncthreads();
#endif
    }
#pragma unroll
    for (int i = 0; i < items; ++i)
#if made_of_places
      if (first + 32 * i < length) out[row * length + first + 32 * i] = place[i];
#else
      if (first + 32 * i < length) out[row * length + first + 32 * i] = element_of(key[i]);
#endif
  }
}
)";

constexpr const char* count_text = R"(
#define passes ((int)sizeof(K))
#define chunk (threads * items)
extern "C" __global__ void __launch_bounds__(threads) sinter_kernel(
    const K* __restrict__ in, W* counts, const long long rows, const long long length) {
  __shared__ unsigned kept[passes * 256];
  const long long each = (length + chunk - 1) / chunk;
  for (long long c = blockIdx.x; c < rows * each; c += gridDim.x) {
    const long long row = c / each, begin = c % each * chunk;
    const long long end = begin + chunk < length ? begin + chunk : length;
    for (int d = threadIdx.x; d < passes * 256; d += threads) kept[d] = 0;
    __syncthreads();
#pragma unroll 4
    for (long long i = begin + threadIdx.x; i < end; i += threads) {
      const K key = key_of(in[row * length + i]);
#pragma unroll
      for (int p = 0; p < passes; ++p) atomicAdd(&kept[p * 256 + ((unsigned)(key >> (8 * p)) & 255u)], 1u);
    }
    __syncthreads();
    for (int d = threadIdx.x; d < passes * 256; d += threads)
      if (kept[d]) atomicAdd(&counts[row * passes * 256 + d], (W)kept[d]);
    __syncthreads();
  }
}
)";

// Tiles take turns in the order in which blocks start. Each leaves how many of each value it has, and looks back over the tiles before
// it in its row until one says how many there are up to it. What a word says is in the word.
constexpr const char* pass_text = R"(
#define passes ((int)sizeof(K))
#define known ((W)((W)1 << (8 * sizeof(W) - 1)))
#define own ((W)((W)1 << (8 * sizeof(W) - 2)))
union sorted_tile {
  unsigned counts[warps * 256];
  K keys[tile];
#if made_of_places
  W places[tile];
#endif
};
// How many of the thread's value there are in the tiles before, which those after this one are told, too.
static __device__ __forceinline__ W count_before(volatile W* states, const long long number, const W mine) {
  W before = 0;
  volatile W* at = states + number * 256 + threadIdx.x;
  for (W seen = 0; !(seen & known); before += seen & (W)(own - 1)) {
    at -= 256;
    do seen = *at;
    while (seen == 0);
  }
  states[number * 256 + threadIdx.x] = (before + mine) | known;
  return before;
}
#if made_of_places
// The places go where their keys went. `places`: of the row, null where they are where they begin; `to`: by the key's new place.
static __device__ __forceinline__ void move_places(sorted_tile& kept, const unsigned (&rank)[items], const W (&to)[items],
                                                   const W* places, W* moved, long long* out, const long long begin,
                                                   const int here) {
  const int first = threadIdx.x / 32 * 32 * items + threadIdx.x % 32;
  __syncthreads();
#pragma unroll
  for (int i = 0; i < items; ++i) {
    const int at = first + 32 * i;
    if (at < here) kept.places[rank[i]] = places ? places[begin + at] : (W)(begin + at);
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < items; ++i) {
    const int at = threadIdx.x + threads * i;
    if (at >= here) continue;
    if (out) out[to[i]] = (long long)kept.places[at];
    else moved[to[i]] = kept.places[at];
  }
}
#endif
extern "C" __global__ void __launch_bounds__(threads) sinter_kernel(
    const K* __restrict__ keys, const W* __restrict__ places, K* __restrict__ keys_out, W* __restrict__ places_out,
    long long* __restrict__ out, const W* __restrict__ counts, volatile W* states, unsigned* turn, const long long length,
    const long long tiles, const int pass, const int is_last) {
  __shared__ sorted_tile kept;
  __shared__ unsigned totals[256], starts[256], turn_taken;
  __shared__ W bases[256];
  if (threadIdx.x == 0) turn_taken = atomicAdd(turn, 1u);
  __syncthreads();
  const long long number = turn_taken, row = number / tiles, part = number % tiles, begin = part * tile;
  const int here = length - begin < tile ? (int)(length - begin) : tile;
  const int first = threadIdx.x / 32 * 32 * items + threadIdx.x % 32, shift = 8 * pass;
  keys += row * length + begin;
  K key[items];
  unsigned rank[items];
#pragma unroll
  for (int i = 0; i < items; ++i) {
    const int at = first + 32 * i;
    key[i] = at >= here ? (K)~(K)0 : pass == 0 ? key_of(keys[at]) : keys[at];
  }
  count_digits(kept.counts, key, shift);
  W mine = 0;
  if (threadIdx.x < 256) {
    const unsigned all = total_of(kept.counts, threadIdx.x);
    totals[threadIdx.x] = all;
    mine = all - (threadIdx.x == 255 ? (unsigned)(tile - here) : 0u);
    states[number * 256 + threadIdx.x] = mine | (part == 0 ? known : own);
  }
  __syncthreads();
  if (threadIdx.x < 32) sums_before(totals, starts);
  else if (threadIdx.x < 64) sums_before(counts + (row * passes + pass) * 256, bases);
  __syncthreads();
  begin_places(kept.counts, starts);
  take_places(kept.counts, key, shift, rank);
  if (threadIdx.x < 256) {
    const W before = part > 0 ? count_before(states, number, mine) : 0;
    bases[threadIdx.x] += before - starts[threadIdx.x];
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < items; ++i) kept.keys[rank[i]] = key[i];
  __syncthreads();
  W to[items];
#pragma unroll
  for (int i = 0; i < items; ++i) {
    const int at = threadIdx.x + threads * i;
    if (at >= here) continue;
    const K k = kept.keys[at];
    to[i] = bases[digit_of(k, shift)] + at;
#if made_of_places
    if (!is_last) keys_out[row * length + to[i]] = k;
#else
    keys_out[row * length + to[i]] = is_last ? element_of(k) : k;
#endif
  }
#if made_of_places
  move_places(kept, rank, to, pass == 0 ? (const W*)0 : places + row * length, places_out + row * length,
              is_last ? out + row * length : (long long*)0, begin, here);
#endif
}
)";

}  // namespace

int largest_sort_tile(dtype t) { return itemsize(t) == 8 ? 4096 : 8192; }

int sort_passes(dtype t) { return itemsize(t); }

sort_form form_of_row_sort(dtype t, bool places, bool falling, std::int64_t length) {
  const bool is_narrow = !places && itemsize(t) <= 4;
  if (length <= (is_narrow ? most_narrow_sorted_by_thread : most_sorted_by_thread))
    return {sort_step::few, t, places, falling, false, 128, static_cast<int>(length)};
  const int most = largest_sort_tile(t) / 512;
  const auto each = static_cast<std::uint64_t>((length + 31) / 32);
  const int items = static_cast<int>(std::min<std::uint64_t>(std::bit_ceil(each), static_cast<std::uint64_t>(most)));
  const auto threads = static_cast<std::uint64_t>((length + items - 1) / items + 31) / 32 * 32;
  return {sort_step::rows, t, places, falling, false, static_cast<int>(std::bit_ceil(threads)), items};
}

sort_form form_of_sort(sort_step step, dtype t, bool places, bool falling, std::int64_t length) {
  const bool wide = length >= std::int64_t{1} << 30;
  if (step == sort_step::count) return {step, t, places, falling, wide, 256, 32};
  if (itemsize(t) == 8) return {step, t, places, falling, wide, 384, 10};  // 30 KiB of what is widest
  return {step, t, places, falling, wide, 512, places && wide ? 8 : 16};
}

std::string sort_text(const sort_form& f) {
  static constexpr const char* steps[] = {"of a row by one thread", "of a row by one block", "counts", "pass"};
  std::string text = std::string("// ") + (f.places ? "argsort" : "sort") + " of " + facts(f.type).name +
                     (f.falling ? ", falling: " : ": ") + steps[static_cast<int>(f.step)] + "\n";
  text += "typedef " + key_text(f.type) + " K;\n";
  text += std::string("typedef ") + (f.wide ? "unsigned long long" : "unsigned") + " W;\n";
  text += std::string("typedef ") + (f.places ? "long long" : "K") + " R;\n";
  text += "#define threads " + std::to_string(f.threads) + "\n#define items " + std::to_string(f.items) + "\n";
  text += std::string("#define made_of_places ") + (f.places ? "1" : "0") + "\n";
  text += keys_text(f);
  switch (f.step) {
    case sort_step::few: return text + sort_few_text(f);
    case sort_step::rows: return text + ranking_text + rows_text;
    case sort_step::count: return text + count_text;
    default: return text + ranking_text + pass_text;
  }
}

}  // namespace sinter::codegen
