#include "codegen/function/compact.hpp"

namespace sinter::codegen {

namespace {

constexpr const char* types_text = R"(
struct alignas(16) V { unsigned long long low, high; };
#define vectors (tile / (16 * threads))
#define each (tile / threads)
#define known (1ull << 63)
#define own (1ull << 62)
)";

// Bytes that are not 0, of 8 at a time, as their highest bits: no carry leaves a byte.
constexpr const char* truth_text = R"(
static __device__ __forceinline__ unsigned long long truth(const unsigned long long w) {
  return (((w & 0x7f7f7f7f7f7f7f7full) + 0x7f7f7f7f7f7f7f7full) | w) & 0x8080808080808080ull;
}
// 16 bytes of the mask, from a place on that may lie in front of its first or behind its last: there is nothing true there.
static __device__ __forceinline__ V truth_at(const unsigned char* __restrict__ mask, const long long at, const long long count) {
  V all = {0, 0};
  if (at >= 0 && at + 16 <= count) {
    all = *(const V*)(mask + at);
    all.low = truth(all.low), all.high = truth(all.high);
  } else if (at > -16 && at < count) {
    for (int j = 0; j < 16; ++j)
      if (at + j >= 0 && at + j < count && mask[at + j]) {
        if (j < 8) all.low |= 0x80ull << 8 * j;
        else all.high |= 0x80ull << 8 * (j - 8);
      }
  }
  return all;
}
// The highest bits of 8 bytes side by side: each goes to a bit of the highest byte where none but it comes.
static __device__ __forceinline__ unsigned side_by_side(const unsigned long long w) {
  return (unsigned)((w >> 7) * 0x0102040810204080ull >> 56);
}
// Notes where the true ones of a warp's bytes are, from a rank on. Each lane has the bits of 32 bytes; lanes take those of one after the
// other together, so that neighbours write side by side.
static __device__ __forceinline__ void note(unsigned short* kept, int rank, const unsigned bits, const int place) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int from = 0; from < 32; ++from) {
    const unsigned all = __shfl_sync(0xffffffffu, bits, from);
    if (all >> lane & 1) kept[rank + __popc(all & ((1u << lane) - 1))] = (unsigned short)(place + 32 * from + lane);
    rank += __popc(all);
  }
}
)";

// How many there are before a tile, by one warp. It looks at 32 words at once, from the nearest on, up to the first that says how
// many there are up to it; each thread's part of the sum. In front of the first tile there are none.
constexpr const char* looking_text = R"(
static __device__ __forceinline__ unsigned long long before_tile(const volatile unsigned long long* states, const long long number) {
  const int lane = threadIdx.x % 32;
  unsigned long long before = 0;
  for (long long at = number - 1 - lane;; at -= 32) {
    unsigned long long seen = known;
    if (at >= 0) {
      do seen = states[at];
      while (seen == 0);
    }
    const unsigned sums = __ballot_sync(0xffffffffu, (seen & known) != 0);
    const int last = sums ? __ffs((int)sums) - 1 : 31;
    if (lane <= last) before += seen & (own - 1);
    if (sums) break;
  }
#pragma unroll
  for (int step = 16; step > 0; step /= 2) before += __shfl_xor_sync(0xffffffffu, before, step);
  return before;
}
)";

// Tiles take turns in the order in which blocks start, so that those before one have started. They begin where the mask's bytes can be
// loaded 16 at a time. What is true in a tile is noted in shared memory first, so that neighbours write to neighbouring elements. Small ones
// are on their way while one warp looks at the tiles before.
constexpr const char* kernel_text = R"(
extern "C" __global__ void __launch_bounds__(threads) sinter_kernel(
    const unsigned char* __restrict__ mask, const T* __restrict__ in, T* __restrict__ out, volatile unsigned long long* states,
    unsigned* turn, const long long count, const long long wanted) {
  __shared__ unsigned short kept[tile];
  __shared__ int warps[threads / 32];
  __shared__ unsigned turn_taken;
  __shared__ unsigned long long first;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (threadIdx.x == 0) turn_taken = atomicAdd(turn, 1u);
  __syncthreads();
  const long long number = turn_taken, begin = number * tile - (long long)((unsigned long long)mask & 15);
  V mine[vectors];
#pragma unroll
  for (int v = 0; v < vectors; ++v) mine[v] = truth_at(mask, begin + 16 * (int)(threadIdx.x * vectors + v), count);
  unsigned bits = 0;
#pragma unroll
  for (int v = 0; v < vectors; ++v)
    bits |= (side_by_side(mine[v].low) | side_by_side(mine[v].high) << 8) << 16 * v;
  int found = __popc(bits);
#pragma unroll
  for (int step = 16; step > 0; step /= 2) found += __shfl_xor_sync(0xffffffffu, found, step);
  if (lane == 0) warps[warp] = found;
  __syncthreads();
  int here = 0, rank = 0;
#pragma unroll
  for (int w = 0; w < threads / 32; ++w) {
    if (w == warp) rank += here;
    here += warps[w];
  }
  if (threadIdx.x == 0) states[number] = (unsigned long long)here | (number == 0 ? known : own);
  note(kept, rank, bits, 1024 * warp);
#if ahead
  __syncthreads();
  T held[each];
#pragma unroll
  for (int k = 0; k < each; ++k) {
    const int i = k * threads + threadIdx.x;
    if (i < here) held[k] = element(begin + kept[i]);
  }
#endif
  if (warp == 0) {
    const unsigned long long before = number == 0 ? 0 : before_tile(states, number);
    if (lane == 0) {
      if (number > 0) states[number] = (before + here) | known;
      first = before;
    }
  }
  __syncthreads();
  const long long to = (long long)first, room = wanted - to;
  const int last = here < room ? here : (int)room;
#if ahead
#pragma unroll
  for (int k = 0; k < each; ++k) {
    const int i = k * threads + threadIdx.x;
    if (i < last) out[to + i] = held[k];
  }
#else
#pragma unroll 4
  for (int i = threadIdx.x; i < last; i += threads) out[to + i] = element(begin + kept[i]);
#endif
}
)";

const char* type_of(int size) {
  switch (size) {
    case 1: return "unsigned char";
    case 2: return "unsigned short";
    case 4: return "unsigned";
    case 16: return "V";
    default: return "unsigned long long";
  }
}

}  // namespace

std::string compact_text(int size) {
  static_assert(compact_tile == 32 * compact_threads);  // bits of a lane, in the kernel
  std::string text = "// compact: " + (size == 0 ? std::string("places") : std::to_string(size) + " bytes") + "\n";
  text +=
      "#define threads " + std::to_string(compact_threads) + "\n#define tile " + std::to_string(compact_tile) + "\n";
  constexpr int most_ahead = 8;  // bytes: of larger ones a block would have registers for few
  text += std::string("#define ahead ") + (size > 0 && size <= most_ahead ? "1" : "0") + "\n";
  text += types_text;
  text += std::string("typedef ") + (size == 0 ? "long long" : type_of(size)) + " T;\n";
  text += std::string("#define element(place) ") + (size == 0 ? "(T)(place)" : "in[place]") + "\n";
  return text + truth_text + looking_text + kernel_text;
}

}  // namespace sinter::codegen
