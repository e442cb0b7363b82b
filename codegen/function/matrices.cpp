#include "codegen/function/matrices.hpp"

#include "codegen/function/matrix_numbers.hpp"
#include "codegen/ir/kernel.hpp"

namespace sinter::codegen {

namespace {

constexpr const char* arguments_text = R"(
struct C { R re, im; };
struct A {
  const void* from;
  void* to;
  int* flags;
  const void* infos;
  void* pivots;
  const long long* places;
  index_trouble* note;
  R* results[3];
  long long reals[3], rows, columns, count, from_down, from_across, to_down, to_across, to_step, extents[8], steps[8], limit;
  int axes, step, part, rest, conjugates, check, tiled, add, wide_from, forwards, fault, flag_fault;
};
#define first_thread ((long long)blockIdx.x * blockDim.x + threadIdx.x)
#define all_threads ((long long)gridDim.x * blockDim.x)

static __device__ __forceinline__ bool is_inside(const A& a, const long long r, const long long c) {
  return a.part == 0 || (a.part == 1 ? r >= c : r <= c);
}
static __device__ __forceinline__ T taken(const A& a, const T v, const long long b) {
  if (a.check == 1 ? !is_finite(v) : a.check == 2 && is_nan(v)) {
    atomicExch(a.flags + b, 1);
    if (a.check == 1) return ZERO;
  }
  return a.conjugates ? conjugate(v) : v;
}
)";

// Elements of small matrices in the order of the result: what is not beside each other in front is still in the cache. Larger
// ones in tiles, which both sides go through in their own order. Where all of a tile is one thing, nothing is asked of an element: with
// a dozen questions for each, copies waited for instructions and not for memory.
constexpr const char* copying_text = R"(
template <class I>
static __device__ __forceinline__ void copy_elements(const A& a) {
  const bool by_rows = a.to_across <= a.to_down;
  const I minor = (I)(by_rows ? a.columns : a.rows), each = (I)(a.rows * a.columns), all = (I)(each * a.count);
  for (I i = (I)first_thread; i < all; i += (I)all_threads) {
    const I b = i / each, at = i - b * each, major = at / minor, along = at - major * minor;
    const long long r = by_rows ? major : along, c = by_rows ? along : major;
    T* const to = (T*)a.to + b * a.to_step + r * a.to_down + c * a.to_across;
    if (!is_inside(a, r, c)) {
      if (a.rest == 0) *to = ZERO;
    } else if (a.from) {
      const long long row = a.places ? a.places[b * a.rows + r] : r;
      *to = taken(a, ((const T*)a.from)[begin_of(a, b) + row * a.from_down + c * a.from_across], b);
    }
  }
}
// One of a matrix's tiles. A thread has every fourth element of one of its rows, or of its columns.
struct tile {
  unsigned b, r0, c0;
  bool is_outside, is_whole;  // of the part; inside of the matrix, and all in the part or all outside
};
static __device__ __forceinline__ bool is_there(const A& a, const tile& t, const int r, const int c) {
  return t.is_whole || (t.r0 + r < a.rows && t.c0 + c < a.columns && is_inside(a, t.r0 + r, t.c0 + c));
}
template <class Row>
static __device__ __forceinline__ void load_tile(const A& a, T (&v)[8], const tile& t, const T* const from, const Row row) {
  const unsigned x = threadIdx.x % 32, y = threadIdx.x / 32, rows = (unsigned)a.rows, columns = (unsigned)a.columns;
  const bool down = a.from_down < a.from_across;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const unsigned r = min(t.r0 + (down ? x : y + 4 * i), rows - 1), c = min(t.c0 + (down ? y + 4 * i : x), columns - 1);
    v[i] = from[row(r) * a.from_down + c * a.from_across];
  }
}
static __device__ __forceinline__ void read_tile(const A& a, T (&kept)[32][33], const tile& t) {
  const int x = threadIdx.x % 32, y = threadIdx.x / 32;
  const bool down = a.from_down < a.from_across;
  const T* const from = (const T*)a.from + begin_of(a, t.b);
  T v[8];
  if (a.places) load_tile(a, v, t, from, [&](const unsigned r) { return a.places[t.b * a.rows + r]; });
  else load_tile(a, v, t, from, [](const unsigned r) { return (long long)r; });
  if (a.check != 0 || a.conjugates != 0)
#pragma unroll
    for (int i = 0; i < 8; ++i)
      if (is_there(a, t, down ? x : y + 4 * i, down ? y + 4 * i : x)) v[i] = taken(a, v[i], t.b);
#pragma unroll
  for (int i = 0; i < 8; ++i) kept[down ? x : y + 4 * i][down ? y + 4 * i : x] = v[i];
}
static __device__ __forceinline__ void write_tile(const A& a, const T (&kept)[32][33], const tile& t) {
  T* const to = (T*)a.to + t.b * a.to_step + t.r0 * a.to_down + t.c0 * a.to_across;
  const int x = threadIdx.x % 32, y = threadIdx.x / 32;
  const bool down = a.to_down < a.to_across;
  T v[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) v[i] = kept[down ? x : y + 4 * i][down ? y + 4 * i : x];
  if (t.is_whole) {
#pragma unroll
    for (int i = 0; i < 8; ++i) to[(down ? x : y + 4 * i) * a.to_down + (down ? y + 4 * i : x) * a.to_across] = v[i];
    return;
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int r = down ? x : y + 4 * i, c = down ? y + 4 * i : x;
    const bool is_in_part = is_there(a, t, r, c);
    if (t.r0 + r < a.rows && t.c0 + c < a.columns && (is_in_part ? a.from != 0 : a.rest == 0))
      to[r * a.to_down + c * a.to_across] = is_in_part ? v[i] : ZERO;
  }
}
static __device__ __forceinline__ void copy_tile(const A& a, tile t) {
  __shared__ T kept[32][33];
  t.is_outside = a.part == 1 ? t.r0 < t.c0 : a.part == 2 && t.r0 > t.c0;
  const bool is_within = !t.is_outside && (a.part == 0 || t.r0 != t.c0);
  if (t.is_outside ? a.rest != 0 : is_within && !a.from) return;
  t.is_whole = (t.is_outside || is_within) && t.r0 + 32 <= a.rows && t.c0 + 32 <= a.columns;
  if (t.is_outside)
    for (int k = threadIdx.x; k < 32 * 33; k += 128) kept[0][k] = ZERO;
  else if (a.from) read_tile(a, kept, t);
  __syncthreads();
  write_tile(a, kept, t);
  __syncthreads();
}
// Blocks follow one another as the result lies.
static __device__ __forceinline__ void copy_tiles(const A& a) {
  const bool by_columns = a.to_down < a.to_across;
  const unsigned majors = (unsigned)((by_columns ? a.columns : a.rows) + 31) / 32;
  for (unsigned b = blockIdx.z; b < a.count; b += gridDim.z)
    for (unsigned major = blockIdx.y; major < majors; major += gridDim.y)
      copy_tile(a, {b, (by_columns ? blockIdx.x : major) * 32, (by_columns ? major : blockIdx.x) * 32});
}
)";

// Which row it was follows backwards from the last exchange on; where it went, forwards from the first. Each exchange waits for the one
// before, so that nothing else is done there: a block makes its matrix's pivots ready for all of its rows, but where they are few.
constexpr const char* pivots_text = R"(
static __device__ __forceinline__ long long limited(const A& a, const long long v) {
  return a.limit == 0 ? v : v < 0 ? 0 : v >= a.limit ? a.limit - 1 : v;
}
static __device__ __forceinline__ void copy_pivots(const A& a) {
  for (long long i = first_thread; i < a.count * a.columns; i += all_threads) {
    const long long b = i / a.columns, at = begin_of(a, b) + (i - b * a.columns) * a.from_down;
    const long long v = limited(a, a.wide_from ? ((const long long*)a.from)[at] : ((const int*)a.from)[at]) + a.add;
    ((int*)a.to)[i] = (int)v;
  }
}
static __device__ __forceinline__ int exchanged(const int at, const int k, const int p) {
  return at == k ? p : at == p ? k : at;
}
template <class P>
static __device__ __forceinline__ void permute_few(const A& a, const P* const pivots) {
  const int n = (int)a.columns, first = a.forwards ? 0 : n - 1, step = a.forwards ? 1 : -1;
  for (long long i = first_thread; i < a.count * a.rows; i += all_threads) {
    const long long b = i / a.rows;
    const P* const mine = pivots + begin_of(a, b);
    int at = (int)(i - b * a.rows);
    for (int j = 0; j < n; ++j) {
      const int k = first + step * j;
      at = exchanged(at, k, (int)limited(a, mine[k * a.from_down] + a.add));
    }
    ((long long*)a.to)[i] = at;
  }
}
template <class P>
static __device__ __forceinline__ void permute_many(const A& a, const P* const pivots) {
  alignas(16) __shared__ int with[1024];
  const int n = (int)a.columns, first = a.forwards ? 0 : n - 1, step = a.forwards ? 1 : -1;
  const long long parts = (a.rows + blockDim.x - 1) / blockDim.x;
  for (long long t = blockIdx.x; t < a.count * parts; t += gridDim.x) {
    const long long b = t / parts, row = (t - b * parts) * blockDim.x + threadIdx.x;
    const P* const mine = pivots + begin_of(a, b);
    int at = (int)row;
    for (int done = 0; done < n; done += 1024) {
      __syncthreads();
      for (int u = threadIdx.x; u < 1024; u += blockDim.x) {
        const int k = first + step * (done + u);
        with[u] = done + u < n ? (int)limited(a, mine[k * a.from_down] + a.add) : k;
      }
      __syncthreads();
      for (int j = 0; j < 1024 && done + j < n; j += 16) {
#pragma unroll
        for (int u = 0; u < 16; ++u) at = exchanged(at, first + step * (done + j + u), with[j + u]);
      }
    }
    if (row < a.rows) ((long long*)a.to)[b * a.rows + row] = at;
  }
}
template <class P>
static __device__ __forceinline__ void permute(const A& a, const P* const pivots) {
  if (a.columns <= 64) permute_few(a, pivots);
  else permute_many(a, pivots);
}
)";

constexpr const char* finishing_text = R"(
static __device__ __forceinline__ void look_along_diagonal(const A& a) {
  __shared__ int least;
  for (long long b = blockIdx.x; b < a.count; b += gridDim.x) {
    const T* const from = (const T*)a.from + begin_of(a, b);
    if (threadIdx.x == 0) least = 0x7fffffff;
    __syncthreads();
    for (long long k = threadIdx.x; k < a.rows; k += blockDim.x)
      if (is_zero(from[k * (a.from_down + a.from_across)])) atomicMin(&least, (int)k);
    __syncthreads();
    if (threadIdx.x == 0) a.flags[b] = least == 0x7fffffff ? 0 : least + 1;
  }
}
// Few matrices have a flag or an info, so each thread looks at one, and the block goes through those that were found.
template <class F>
static __device__ __forceinline__ void with_found(const A& a, const F with) {
  __shared__ int found[256], many;
  for (long long first = blockIdx.x * 256ll; first < a.count; first += gridDim.x * 256ll) {
    const long long b = first + threadIdx.x;
    if (threadIdx.x == 0) many = 0;
    __syncthreads();
    const int flag = a.flags && b < a.count ? a.flags[b] : 0, info = a.infos && b < a.count ? ((const int*)a.infos)[b] : 0;
    if (flag || info) found[atomicAdd(&many, 1)] = threadIdx.x;
    __syncthreads();
    for (int i = 0; i < many; ++i) with(first + found[i]);
    __syncthreads();
  }
}
static __device__ __forceinline__ void finish(const A& a) {
  with_found(a, [&](const long long b) {
    const int flag = a.flags ? a.flags[b] : 0, info = a.infos ? ((const int*)a.infos)[b] : 0;
    const int fault = flag ? a.flag_fault : a.fault;
    if (threadIdx.x == 0 && fault >= 0 && atomicCAS_system(&a.note->noted, 0, 2) == 0) {
      a.note->axis = fault;
      a.note->index = flag ? flag : info;
      a.note->extent = a.count > 1 ? b : -1;
    }
#pragma unroll
    for (int k = 0; k < 3; ++k)
      for (long long i = threadIdx.x; i < a.reals[k]; i += blockDim.x) a.results[k][b * a.reals[k] + i] = not_a_number();
  });
}
)";

// Gauss's elimination of one matrix by one block: cuBLAS stops where a pivot is 0, LAPACK goes on.
constexpr const char* elimination_text = R"(
static __device__ __forceinline__ int pivot_row(const A& a, const T* m, const int k, bool& is_zero_column) {
  __shared__ R sizes[256];
  __shared__ int rows[256];
  const int me = threadIdx.x;
  R size = -1;
  int row = k;
  for (int r = k + me; r < a.rows; r += blockDim.x) {
    const R here = size_of(m[r * a.to_down + k * a.to_across]);
    if (here > size) size = here, row = r;
  }
  sizes[me] = size, rows[me] = row;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (me < half && (sizes[me + half] > sizes[me] || (sizes[me + half] == sizes[me] && rows[me + half] < rows[me])))
      sizes[me] = sizes[me + half], rows[me] = rows[me + half];
    __syncthreads();
  }
  is_zero_column = !(sizes[0] > 0);
  row = is_zero_column ? k : rows[0];
  __syncthreads();
  return row;
}
static __device__ __forceinline__ void eliminate(const A& a) {
  with_found(a, [&](const long long b) {
    T* const m = (T*)a.to + b * a.to_step;
    const T* const from = (const T*)a.from + begin_of(a, b);
    const int rows = (int)a.rows, n = (int)a.columns, least = rows < n ? rows : n, me = threadIdx.x, all = blockDim.x;
    const bool is_flagged = a.flags[b] != 0;
    T none = ZERO;
    ((R*)&none)[0] = not_a_number();
    const auto at = [&](const int r, const int c) -> T& { return m[r * a.to_down + c * a.to_across]; };
    for (long long i = me; i < (long long)rows * n; i += all) {
      const int r = (int)(i / n), c = (int)(i - (long long)r * n);
      at(r, c) = is_flagged ? none : from[r * a.from_down + c * a.from_across];
    }
    __syncthreads();
    for (int k = 0; k < least && !is_flagged; ++k) {
      bool is_zero_column;
      const int p = pivot_row(a, m, k, is_zero_column);
      if (me == 0) ((int*)a.pivots)[b * least + k] = p + 1;
      for (int c = me; c < n && p != k; c += all) {
        const T kept = at(k, c);
        at(k, c) = at(p, c), at(p, c) = kept;
      }
      __syncthreads();
      if (is_zero_column) continue;
      for (int r = k + 1 + me; r < rows; r += all) at(r, k) = quotient(at(r, k), at(k, k));
      __syncthreads();
      const int left = n - k - 1;
      for (long long i = me; i < (long long)left * (rows - k - 1); i += all) {
        const int down = (int)(i / left), r = k + 1 + down, c = k + 1 + (int)(i - (long long)down * left);
        at(r, c) = less_product(at(r, c), at(r, k), at(k, c));
      }
      __syncthreads();
    }
  });
}
)";

// Blocks that copy wait for memory: with no more registers than these, eight of a multiprocessor do so at once.
constexpr const char* copying_kernel_text = R"(
extern "C" __global__ void __launch_bounds__(128, 8) sinter_kernel(const A a) {
  if (a.tiled) copy_tiles(a);
  else if (a.rows * a.columns * a.count < (1ll << 31)) copy_elements<unsigned>(a);
  else copy_elements<long long>(a);
}
)";

constexpr const char* kernel_text = R"(
extern "C" __global__ void __launch_bounds__(256) sinter_kernel(const A a) {
  if (a.step == 1) for (long long b = first_thread; b < a.count; b += all_threads)
      ((const T**)a.to)[b] = (const T*)a.from + begin_of(a, b);
  else if (a.step == 2) copy_pivots(a);
  else if (a.step == 3 && a.wide_from) permute(a, (const long long*)a.from);
  else if (a.step == 3) permute(a, (const int*)a.from);
  else if (a.step == 4) look_along_diagonal(a);
  else if (a.step == 5) eliminate(a);
  else finish(a);
}
)";
static_assert(static_cast<int>(matrices_step::finish) == 6 && index_trouble::no_result == 2 && max_rank == 8 &&
              matrices_tile == 32 && matrix_copies_threads == 128 && matrices_threads == 256 && few_pivots == 64);

}  // namespace

std::string matrix_copies_text(dtype t) {
  return std::string("// copies of matrices: ") + name(t) + "\n" + matrix_numbers_text(t) + arguments_text +
         copying_text + copying_kernel_text;
}

std::string matrices_text(dtype t) {
  return std::string("// matrices: ") + name(t) + "\n" + matrix_numbers_text(t) + arguments_text + pivots_text +
         finishing_text + elimination_text + kernel_text;
}

}  // namespace sinter::codegen
