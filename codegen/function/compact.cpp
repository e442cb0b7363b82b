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
// Notes where the true ones of 8 are.
static __device__ __forceinline__ void note(unsigned short* kept, int& rank, const unsigned long long w, const int place) {
#pragma unroll
  for (int j = 0; j < 8; ++j)
    if (w >> (8 * j + 7) & 1) kept[rank++] = (unsigned short)(place + j);
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
  int found = 0;
#pragma unroll
  for (int v = 0; v < vectors; ++v) found += __popcll(mine[v].low) + __popcll(mine[v].high);
  int rank = found;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const int other = __shfl_up_sync(0xffffffffu, rank, step);
    if (lane >= step) rank += other;
  }
  if (lane == 31) warps[warp] = rank;
  rank -= found;
  __syncthreads();
  int here = 0;
#pragma unroll
  for (int w = 0; w < threads / 32; ++w) {
    if (w == warp) rank += here;
    here += warps[w];
  }
  if (threadIdx.x == 0) states[number] = (unsigned long long)here | (number == 0 ? known : own);
#pragma unroll
  for (int v = 0; v < vectors; ++v) {
    const int place = 16 * (int)(threadIdx.x * vectors + v);
    note(kept, rank, mine[v].low, place);
    note(kept, rank, mine[v].high, place + 8);
  }
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
