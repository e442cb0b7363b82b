#include "codegen/function/sort_few.hpp"

#include "codegen/function/merge_exchange.hpp"

namespace sinter::codegen {

namespace {

// What a thread has of its row, and how two of them are put in order. Keys of up to 32 bits have their place behind them.
constexpr const char* keys_text = R"(
#define declare(n) C key[n]
#define exchange(i, j) { \
  const C a = key[i], b = key[j]; \
  key[i] = a < b ? a : b; \
  key[j] = a < b ? b : a; \
}
)";
constexpr const char* elements_text = R"(#define take(i, k) key[i] = k
#define given(i) element_of((K)key[i])
)";
constexpr const char* places_text = R"(#define take(i, k) key[i] = (C)(k) << 5 | i
#define given(i) (R)(key[i] & 31)
)";
constexpr const char* wide_places_text = R"(
#define declare(n) C key[n]; int place[n]
#define take(i, k) key[i] = k, place[i] = i
#define given(i) (R)place[i]
#define exchange(i, j) { \
  const C a = key[i], b = key[j]; \
  const int p = place[i], q = place[j]; \
  const bool in_order = a < b || (a == b && p < q); \
  key[i] = in_order ? a : b, key[j] = in_order ? b : a; \
  place[i] = in_order ? p : q, place[j] = in_order ? q : p; \
}
)";

// A block has as many rows as threads. They come and go through shared memory, so that neighbouring threads read and write side by
// side, and lie an odd number of elements apart there, so that no two threads meet in a bank.
constexpr const char* begin_text = R"(
#define stride (items | 1)
extern "C" __global__ void __launch_bounds__(threads) sinter_kernel(const K* in, R* out, const long long rows,
                                                                    const long long length) {
  __shared__ union { K elements[threads * stride]; R results[threads * stride]; } kept;
  for (long long first = (long long)blockIdx.x * threads; first < rows; first += (long long)gridDim.x * threads) {
    const int count = rows - first < threads ? (int)(rows - first) : threads, all = count * items;
    const bool has_row = threadIdx.x < count;
    declare(items);
    for (int i = threadIdx.x; i < all; i += threads)
      kept.elements[i / items * stride + i % items] = in[first * items + i];
    __syncthreads();
    if (has_row) {
#pragma unroll
      for (int i = 0; i < items; ++i) take(i, key_of(kept.elements[threadIdx.x * stride + i]));
)";
constexpr const char* end_text = R"(    }
    __syncthreads();
    if (has_row) {
#pragma unroll
      for (int i = 0; i < items; ++i) kept.results[threadIdx.x * stride + i] = given(i);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < all; i += threads)
      out[first * items + i] = kept.results[i / items * stride + i % items];
    __syncthreads();
  }
}
)";

}  // namespace

std::string sort_few_text(const sort_form& f) {
  static_assert(most_sorted_by_thread <= 1 << 5);  // places in the texts
  const int size = detail::facts(f.type).size;
  const bool is_wide = size == 8 || (f.places && size == 4);
  std::string text = std::string("typedef ") + (is_wide ? "unsigned long long" : "unsigned") + " C;\n";
  if (f.places && size == 8) text += wide_places_text;
  else text.append(keys_text).append(f.places ? places_text : elements_text);
  text += begin_text;
  merge_exchange(
      [&](std::size_t i, std::size_t j) {
        text += "      exchange(" + std::to_string(i) + ", " + std::to_string(j) + ")\n";
      },
      static_cast<std::size_t>(f.items));
  return text + end_text;
}

}  // namespace sinter::codegen
