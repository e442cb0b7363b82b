#include "codegen/function/count.hpp"

#include <cstdint>
#include <limits>

namespace sinter::codegen {

namespace {

using detail::facts;

// Positions in vectors that lie where vectors do, so that the first one may begin in front of the first position. What a vector has
// outside of them is not counted, and neither are positions of no element.
constexpr const char* loading_text = R"(
typedef unsigned long long U;
// An element that a position names, or a number beyond all of them. Few of the machine's instructions are of 64 bits.
#if narrow
typedef unsigned E;
#define element(position) (unsigned)(int)(position)
#else
typedef U E;
#define element(position) (U)(position)
#endif
#define per ((int)(16 / sizeof(P)))
struct alignas(16) V { P of[per]; };
static __device__ __forceinline__ V vector_at(const P* __restrict__ at, const long long first, const long long count) {
  if (first >= 0 && first + per <= count) return *(const V*)(at + first);
  V some;
  for (int j = 0; j < per; ++j) some.of[j] = first + j >= 0 && first + j < count ? at[first + j] : (P)0;
  return some;
}
// Which of a vector's positions there are, a bit each.
static __device__ __forceinline__ unsigned places_inside(const long long first, const long long count) {
  unsigned inside = (1u << per) - 1;
  if (first < 0) inside &= inside << (int)-first;
  if (first + per > count) inside = first < count ? inside & (1u << (int)(count - first)) - 1 : 0;
  return inside;
}
)";

// Lanes of a warp that have the place of its first lane are counted by that one: memory of the device adds to one word one after the
// other, and most positions may be one.
constexpr const char* together_text = R"(
static __device__ __forceinline__ void count_one(U* out, const E place, const bool is_there) {
  const E first = __shfl_sync(0xffffffffu, place, 0);
  const bool with_first = is_there && place == first;
  const unsigned n = (unsigned)__popc(__ballot_sync(0xffffffffu, with_first));
  if (threadIdx.x % 32 == 0) {
    if (n) atomicAdd(out + place, (U)n);
  } else if (is_there && !with_first) {
    atomicAdd(out + place, 1ull);
  }
}
)";

// In shared memory the machine adds at once what several lanes add to one counter.
constexpr const char* by_block_text = R"(
static __device__ __forceinline__ void count_one(unsigned* kept, const E place, const bool is_there) {
  if (is_there) atomicAdd(kept + place, 1u);
}
)";

// Lanes of a warp go through the same number of vectors, so that they can ask each other.
constexpr const char* kernel_text = R"(
extern "C" __global__ void __launch_bounds__(threads) sinter_kernel(
    const P* __restrict__ at, U* out, const long long count, const long long elements) {
#if few
  __shared__ unsigned kept[few];
  for (int e = threadIdx.x; e < (int)elements; e += threads) kept[e] = 0;
  __syncthreads();
#else
  U* const kept = out;
#endif
  const long long skipped = (long long)((U)at % 16 / sizeof(P)), vectors = (skipped + count + per - 1) / per;
  const long long stride = (long long)gridDim.x * threads;
  const int lane = threadIdx.x % 32;
  for (long long v = (long long)blockIdx.x * threads + threadIdx.x; v - lane < vectors; v += batch * stride) {
    V some[batch];
#pragma unroll
    for (int b = 0; b < batch; ++b) some[b] = vector_at(at, (v + b * stride) * per - skipped, count);
#pragma unroll
    for (int b = 0; b < batch; ++b) {
      const long long first = (v + b * stride) * per - skipped;
      const unsigned inside = places_inside(first, count);
#pragma unroll
      for (int j = 0; j < per; ++j) {
        const E place = element(some[b].of[j]);
        count_one(kept, place, (inside >> j & 1) && place < (E)elements);
      }
    }
  }
#if few
  __syncthreads();
  for (int e = threadIdx.x; e < (int)elements; e += threads)
    if (kept[e]) atomicAdd(out + e, (U)kept[e]);
#endif
}
)";

}  // namespace

count_form form_of_count(dtype type, std::int64_t count, std::int64_t elements) {
  count_form f{type, 0, itemsize(type) <= 4 && elements <= std::numeric_limits<std::uint32_t>::max()};
  if (elements > count / 16) return f;
  for (int few : {1024, 8192})
    if (elements <= few) {
      f.few = few;
      break;
    }
  return f;
}

std::string count_text(const count_form& f) {
  std::string text = std::string("// count: ") + facts(f.type).name + "\ntypedef " + facts(f.type).text + " P;\n";
  text += "#define threads " + std::to_string(count_threads) + "\n#define batch " + std::to_string(count_batch) + "\n";
  text += "#define few " + std::to_string(f.few) + "\n";
  text += std::string("#define narrow ") + (f.narrow ? "1" : "0") + "\n";
  text += loading_text;
  return text + (f.few ? by_block_text : together_text) + kernel_text;
}

}  // namespace sinter::codegen
