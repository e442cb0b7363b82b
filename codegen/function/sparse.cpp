#include "codegen/function/sparse.hpp"

namespace sinter::codegen {

namespace {

using detail::facts;

// ---- what both dialects have

// An element, what is added to a sum, and the sum of two sums. Integers wrap, for which they are computed without a sign and not
// narrower than C does.
std::string element_text(dtype t, const std::string& function) {
  const std::string name = facts(t).name, sum = function + "T plus(const T a, const T b) { return ",
                    term = function + "T term(const T sum, const T a, const T b) { return ";
  if (t == dtype::bool_)
    return "typedef unsigned char T;\n#define zero ((T)0)\n" + sum + "a | b; }\n" + term + "sum | (a & b); }\n";
  if (detail::is_complex(t)) {
    const std::string part = facts(detail::real_part_of(t)).text;
    return "typedef struct { " + part + " re, im; } T;\n" + function + "T number(const " + part + " re, const " + part +
           " im) {\n  T z;\n  z.re = re;\n  z.im = im;\n  return z;\n}\n#define zero number(0, 0)\n" + sum +
           "number(a.re + b.re, a.im + b.im); }\n" + term +
           "number(sum.re + (a.re * b.re - a.im * b.im), sum.im + (a.re * b.im + a.im * b.re)); }\n";
  }
  const std::string type = std::string("typedef ") + facts(t).text + " T;\n#define zero ((T)0)\n";
  if (detail::is_floating(t)) return type + sum + "a + b; }\n" + term + "sum + a * b; }\n";
  const std::string wide = facts(t).size == 8 ? "unsigned long long" : "unsigned int";
  return type + "typedef " + wide + " W;\n" + sum + "(T)((W)a + (W)b); }\n" + term + "(T)((W)sum + (W)a * (W)b); }\n";
}

std::string head(const sparse_form& f, const std::string& function) {
  const std::string title =
      std::string("// product of a sparse matrix of ") + facts(f.type).name + ", " + facts(f.index).name + " indices\n";
  return title + element_text(f.type, function) + "typedef " + facts(f.index).text + " I;\n" +
         (f.has_values ? "#define added(sum, k, e) term(sum, values[k], e)\n"
                       : "#define added(sum, k, e) plus(sum, e)\n");
}

// ---- C

constexpr const char* arguments_text = R"(
struct arguments {
  T* out;
  const T* values;
  const I *minor, *major;
  const T* x;
  T* carries;
  long long *carried, rows, columns, entries, tiles;
  int step;
};

// The first row of an item: it and what comes before it have `place` rows and entries, or more.
static inline long long row_at(const I* major, long long rows, long long place) {
  long long low = 0, high = rows;
  while (low < high) {
    const long long middle = (low + high) / 2;
    if ((long long)major[middle] + middle < place) low = middle + 1;
    else high = middle;
  }
  return low;
}

void sinter_kernel(const void* block, long long begin, long long end) {
  const struct arguments* const a = block;
  T* restrict const out = a->out;
  const T* const values = a->values;
  const I *const minor = a->minor, *const major = a->major;
  const T* const x = a->x;
  const long long columns = a->columns;
  const long long first = row_at(major, a->rows, begin * item), last = row_at(major, a->rows, end * item);
  for (long long row = first; row < last; ++row) {
    const long long from = major[row], to = major[row + 1];
)";

// Four sums are under way, so that no addition waits for the one before it.
constexpr const char* vector_text = R"(
    T sums[4] = {zero, zero, zero, zero};
    long long k = from;
    for (; k + 4 <= to; k += 4)
      for (int l = 0; l < 4; ++l) sums[l] = added(sums[l], k + l, x[minor[k + l]]);
    for (; k < to; ++k) sums[0] = added(sums[0], k, x[minor[k]]);
    out[row] = plus(plus(sums[0], sums[1]), plus(sums[2], sums[3]));
  }
}
)";

constexpr const char* matrix_text = R"(
    for (long long c = 0; c < columns; c += 16) {
      T sums[16];
      for (int j = 0; j < 16; ++j) sums[j] = zero;
      const int count = columns - c < 16 ? (int)(columns - c) : 16;
      if (count == 16)
        for (long long k = from; k < to; ++k) {
          const T* const at = x + minor[k] * columns + c;
          for (int j = 0; j < 16; ++j) sums[j] = added(sums[j], k, at[j]);
        }
      else
        for (long long k = from; k < to; ++k) {
          const T* const at = x + minor[k] * columns + c;
          for (int j = 0; j < count; ++j) sums[j] = added(sums[j], k, at[j]);
        }
      for (int j = 0; j < count; ++j) out[row * columns + c + j] = sums[j];
    }
  }
}
)";

std::string c_text(const sparse_form& f) {
  return head(f, "static inline ") + "#define item " + std::to_string(sparse_item) + "ll\n" + arguments_text +
         (f.is_matrix ? matrix_text : vector_text);
}

// ---- CUDA: by rows

constexpr const char* parameters_text = R"(
extern "C" __global__ void __launch_bounds__(256) sinter_kernel(
    T* out, const T* __restrict__ values, const I* __restrict__ minor, const I* __restrict__ major,
    const T* __restrict__ x, T* carries, long long* carried, const long long rows, const long long columns,
    const long long entries, const long long tiles, const int step) {
)";

// All threads of a block take part in every exchange: those behind the last row have no entries.
constexpr const char* rows_text = R"(
  const int lane = threadIdx.x % group, part = lane / lanes;
  const long long across = (long long)lanes * registers, each = 256 / group;
  for (long long base = blockIdx.x * each; base < rows; base += gridDim.x * each) {
    const long long row = base + threadIdx.x / group;
    const bool is_there = row < rows;
    const long long from = is_there ? (long long)major[row] : 0, to = is_there ? (long long)major[row + 1] : 0;
    for (long long c = blockIdx.y * across; c < columns; c += gridDim.y * across) {
      const long long mine = c + lane % lanes;
      T sums[registers];
      #pragma unroll
      for (int j = 0; j < registers; ++j) sums[j] = zero;
      #pragma unroll 4
      for (long long k = from + part; k < to; k += group / lanes) {
        const T* const at = x + (long long)minor[k] * columns + mine;
        #pragma unroll
        for (int j = 0; j < registers; ++j)
          if (mine + j * lanes < columns) sums[j] = added(sums[j], k, at[j * lanes]);
      }
      #pragma unroll
      for (int half = group / 2; half >= lanes; half /= 2)
        #pragma unroll
        for (int j = 0; j < registers; ++j) sums[j] = plus(sums[j], from_lane(sums[j], half));
      #pragma unroll
      for (int j = 0; j < registers; ++j)
        if (is_there && part == 0 && mine + j * lanes < columns) out[row * columns + mine + j * lanes] = sums[j];
    }
  }
}
)";

std::string exchange_text(dtype t) {
  const std::string open = "static __device__ __forceinline__ T from_lane(const T v, const int further) {\n  ";
  const std::string shuffled = "__shfl_down_sync(0xffffffff, ", rest = ", further, group)";
  if (detail::is_complex(t))
    return open + "return number(" + shuffled + "v.re" + rest + ", " + shuffled + "v.im" + rest + ");\n}\n";
  const bool is_narrow = facts(t).size < 4;
  return open + "return (T)" + shuffled + (is_narrow ? "(int)v" : "v") + rest + ";\n}\n";
}

std::string rows_kernel(const sparse_form& f) {
  return "#define group " + std::to_string(f.group) + "\n#define lanes " + std::to_string(f.lanes) +
         "\n#define registers " + std::to_string(f.registers) + "\n" + exchange_text(f.type) + parameters_text +
         rows_text;
}

// ---- CUDA: short rows

// Products go through shared memory, so that neighbouring threads read neighbouring entries however short the rows are. A thread
// adds up its row in the order of the entries.
constexpr const char* short_rows_text = R"(
  __shared__ T products[256 * each];
  const int t = threadIdx.x;
  for (long long base = (long long)blockIdx.x * 256; base < rows; base += (long long)gridDim.x * 256) {
    const long long row = base + t, behind = base + 256 < rows ? base + 256 : rows;
    const bool is_there = row < rows;
    const long long from = is_there ? (long long)major[row] : 0, to = is_there ? (long long)major[row + 1] : 0;
    const long long all = major[behind];
    T sum = zero;
    for (long long begin = major[base]; begin < all; begin += 256 * each) {
      // All loads of a thread are under way at a time. What is behind the last entry is read of it, and not used.
      long long place[each], column[each];
      T product[each];
      #pragma unroll
      for (int j = 0; j < each; ++j) place[j] = begin + t + 256 * j < all ? begin + t + 256 * j : all - 1;
      #pragma unroll
      for (int j = 0; j < each; ++j) column[j] = minor[place[j]];
      #pragma unroll
      for (int j = 0; j < each; ++j) product[j] = added(zero, place[j], x[column[j]]);
      #pragma unroll
      for (int j = 0; j < each; ++j) products[t + 256 * j] = product[j];
      __syncthreads();
      const int low = (int)((from > begin ? from : begin) - begin);
      const int high = (int)((to < begin + 256 * each ? to : begin + 256 * each) - begin);
      for (int k = low; k < high; ++k) sum = plus(sum, products[k]);
      __syncthreads();
    }
    if (is_there) out[row] = sum;
  }
}
)";

// ---- CUDA: by entries

// The ends of rows and the entries are one sequence, in which row r ends behind its last entry, at place major[r + 1] + r. A tile is
// so many of them, and a thread so many of a tile's: what a row's length is does not matter. What a thread leaves over goes to the
// next one that ends a row, in the order of the threads; what a tile does, to a later tile.
constexpr const char* split_text = R"(
static __device__ __forceinline__ long long ended(const I* major, const long long rows, const long long place) {
  long long low = 0, high = rows;
  while (low < high) {
    const long long middle = (low + high) / 2;
    if ((long long)major[middle + 1] + middle < place) low = middle + 1;
    else high = middle;
  }
  return low;
}
)";

constexpr const char* entries_text = R"(
  __shared__ T products[256 * each];
  __shared__ T sums[256];
  __shared__ int ends[256 * each], has_ended[256];
  __shared__ long long bounds[2];
  const int t = threadIdx.x;
  if (step == 1) {
    for (long long i = (long long)blockIdx.x * 256 + t; i < tiles * columns; i += (long long)gridDim.x * 256) {
      long long tile = i / columns;
      const long long c = i % columns, row = carried[tile];
      if (row >= rows || (tile > 0 && carried[tile - 1] == row)) continue;
      T sum = carries[i];
      while (++tile < tiles && carried[tile] == row) sum = plus(sum, carries[tile * columns + c]);
      out[row * columns + c] = plus(sum, out[row * columns + c]);
    }
    return;
  }
  const long long begin = (long long)blockIdx.x * (256 * each), all = rows + entries;
  const long long end = begin + 256 * each < all ? begin + 256 * each : all;
  if (t < 2) bounds[t] = ended(major, rows, t == 0 ? begin : end);
  __syncthreads();
  const long long first = bounds[0], last = bounds[1], from = begin - first;
  const int row_count = (int)(last - first), entry_count = (int)(end - last - from);
  for (int i = t; i < row_count; i += 256) ends[i] = (int)((long long)major[first + i + 1] - from);
  if (blockIdx.y == 0 && t == 0) carried[blockIdx.x] = last;
  for (long long c = blockIdx.y; c < columns; c += gridDim.y) {
    for (int k = t; k < entry_count; k += 256)
      products[k] = added(zero, from + k, x[(long long)minor[from + k] * columns + c]);
    __syncthreads();
    const int place = t * each < row_count + entry_count ? t * each : row_count + entry_count;
    int low = 0, high = row_count;
    while (low < high) {
      const int middle = (low + high) / 2;
      if (ends[middle] + middle < place) low = middle + 1;
      else high = middle;
    }
    int row = low, k = place - low, head_row = -1;
    T sum = zero, head = zero;
    for (int n = 0; n < each && place + n < row_count + entry_count; ++n) {
      if (row < row_count && ends[row] <= k) {
        if (head_row < 0) {
          head_row = row;
          head = sum;
        } else {
          out[(first + row) * columns + c] = sum;
        }
        sum = zero;
        ++row;
      } else {
        sum = plus(sum, products[k++]);
      }
    }
    sums[t] = sum;
    has_ended[t] = head_row >= 0;
    __syncthreads();
    for (int by = 1; by < 256; by *= 2) {
      T before = zero;
      int had_ended = 0;
      if (t >= by) {
        before = sums[t - by];
        had_ended = has_ended[t - by];
      }
      __syncthreads();
      if (t >= by) {
        if (!has_ended[t]) sums[t] = plus(before, sums[t]);
        has_ended[t] |= had_ended;
      }
      __syncthreads();
    }
    if (head_row >= 0) out[(first + head_row) * columns + c] = t > 0 ? plus(sums[t - 1], head) : head;
    if (t == 255) carries[blockIdx.x * columns + c] = sums[t];
    __syncthreads();
  }
}
)";

int entries_of_thread(const sparse_form& f) { return facts(f.type).size == 16 ? 4 : 8; }

std::string short_rows_kernel(const sparse_form& f) {
  return "#define each " + std::to_string(entries_of_thread(f)) + "\n" + parameters_text + short_rows_text;
}

std::string entries_kernel(const sparse_form& f) {
  return "#define each " + std::to_string(entries_of_thread(f)) + "\n" + split_text + parameters_text + entries_text;
}

}  // namespace

int sparse_tile(const sparse_form& f) { return 256 * entries_of_thread(f); }

std::string sparse_text(const sparse_form& f, dialect d) {
  if (d == dialect::c) return c_text(f);
  const std::string text = head(f, "static __device__ __forceinline__ ");
  switch (f.share) {
    case sparse_share::by_rows: return text + rows_kernel(f);
    case sparse_share::short_rows: return text + short_rows_kernel(f);
    default: return text + entries_kernel(f);
  }
}

}  // namespace sinter::codegen
