// A row of the result is a vector: the sum of the small matrix' rows times the row's elements. Eight rows are under way at once.
#include "runtime/library/thin_products.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "runtime/device/device.hpp"
#include "runtime/launch/share.hpp"

namespace sinter::runtime {

namespace {

constexpr std::int64_t most_inner = 64;
constexpr std::int64_t least_columns = 4;
constexpr std::size_t widest = 64;  // bytes of a row of the result: a register
constexpr int rows_at_once = 8;

// A vector with a row's elements, and what there is behind them.
template <class T, int width>
using row [[gnu::vector_size(width * sizeof(T)), gnu::may_alias, gnu::aligned(alignof(T))]] = T;

/// The matrix on the left with its steps from row to row and from column to column, and the rows of the other one: as they lie, where
/// each fills a vector, or side by side with zeros behind up to its width.
template <class T>
struct thin_work {
  const T* a;
  std::int64_t by_row, by_column;
  T* to;
  std::int64_t columns, inner;
  T scale;
  const T* b;
  std::int64_t by_row_of_b;
  alignas(64) T copied[most_inner * widest / sizeof(T)];

  /// Of one product of a batch.
  thin_work(const blas_product& p, std::int64_t number)
      : a(reinterpret_cast<const T*>(p.a.data) + number * p.a.step),
        by_row(p.a.transposed ? 1 : p.a.leading),
        by_column(p.a.transposed ? p.a.leading : 1),
        to(reinterpret_cast<T*>(p.to) + number * p.rows * p.columns),
        columns(p.columns),
        inner(p.inner),
        scale(static_cast<T>(p.scale)),
        b(reinterpret_cast<const T*>(p.b.data) + number * p.b.step),
        by_row_of_b(p.b.leading) {
    const auto width = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(columns)));
    // Up to a whole vector of the last row is read: of the matrix that lies behind it, where there is one.
    const bool is_followed = number + 1 < p.batch && p.b.step >= (inner - 1) * p.b.leading + columns;
    if (p.b.transposed || (columns != width && !is_followed)) copy(p.b, width);
  }

 private:
  void copy(const blas_matrix& of, std::int64_t width) {
    const std::int64_t down = of.transposed ? 1 : of.leading, across = of.transposed ? of.leading : 1;
    for (std::int64_t k = 0; k < inner; ++k) {
      T* const row = copied + k * width;
      for (std::int64_t j = 0; j < columns; ++j) row[j] = b[k * down + j * across];
      std::fill(row + columns, row + width, T());
    }
    b = copied;
    by_row_of_b = width;
  }
};

template <class T, int width>
[[gnu::always_inline]] inline void multiply_rows(const thin_work<T>& w, std::int64_t begin, std::int64_t end) {
  using vector = row<T, width>;
  const T* a = w.a + begin * w.by_row;
  T* to = w.to + begin * w.columns;
  const T* const last = w.to + end * w.columns - width;  // where a whole vector still is in this part
  const auto store = [&](const vector& sum) __attribute__((always_inline)) {
    const vector scaled = sum * w.scale;
    // What is behind a row's elements lies where those of the next row come.
    if (to <= last) std::memcpy(to, &scaled, sizeof scaled);
    else std::memcpy(to, &scaled, static_cast<std::size_t>(w.columns) * sizeof(T));
    to += w.columns;
  };
  std::int64_t r = begin;
  for (; r + rows_at_once <= end; r += rows_at_once, a += rows_at_once * w.by_row) {
    vector sum[rows_at_once] = {};
    for (std::int64_t k = 0; k < w.inner; ++k) {
      const vector row_of_b = *reinterpret_cast<const vector*>(w.b + k * w.by_row_of_b);
#pragma GCC unroll 8
      for (int i = 0; i < rows_at_once; ++i) sum[i] += a[i * w.by_row + k * w.by_column] * row_of_b;
    }
#pragma GCC unroll 8
    for (int i = 0; i < rows_at_once; ++i) store(sum[i]);
  }
  for (; r < end; ++r, a += w.by_row) {
    vector sum = {};
    for (std::int64_t k = 0; k < w.inner; ++k)
      sum += a[k * w.by_column] * *reinterpret_cast<const vector*>(w.b + k * w.by_row_of_b);
    store(sum);
  }
}

template <class T>
[[gnu::always_inline]] inline void multiply_part(const thin_work<T>& w, std::int64_t begin, std::int64_t end) {
  if (w.columns <= 4) return multiply_rows<T, 4>(w, begin, end);
  if (w.columns <= 8) return multiply_rows<T, 8>(w, begin, end);
  if constexpr (16 * sizeof(T) <= widest) multiply_rows<T, 16>(w, begin, end);
}

#ifdef __x86_64__

template <class T>
[[gnu::target("avx512f")]] void multiply_part_512(const thin_work<T>& w, std::int64_t begin, std::int64_t end) {
  multiply_part(w, begin, end);
}
template <class T>
[[gnu::target("avx2,fma")]] void multiply_part_256(const thin_work<T>& w, std::int64_t begin, std::int64_t end) {
  multiply_part(w, begin, end);
}

template <class T>
void multiply_any(const thin_work<T>& w, std::int64_t begin, std::int64_t end) {
  static const bool is_wide = __builtin_cpu_supports("avx512f");
  return is_wide ? multiply_part_512(w, begin, end) : multiply_part_256(w, begin, end);
}
bool has_vectors() {
  static const bool has =
      __builtin_cpu_supports("avx512f") || (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
  return has;
}

#else

template <class T>
void multiply_any(const thin_work<T>& w, std::int64_t begin, std::int64_t end) {
  multiply_part(w, begin, end);
}
bool has_vectors() { return false; }

#endif

// Item: a piece of the rows of one product of a batch.
constexpr std::int64_t piece = 1024;

template <class T>
void multiply_pieces(const void* with, long long begin, long long end) noexcept {
  const auto& p = *static_cast<const blas_product*>(with);
  const std::int64_t pieces = divide_up(p.rows, piece);
  for (std::int64_t item = begin; item < end;) {
    const std::int64_t number = item / pieces, stop = std::min<std::int64_t>(end, (number + 1) * pieces),
                       first = number * pieces;
    multiply_any(thin_work<T>(p, number), (item - first) * piece,
                 std::min<std::int64_t>(p.rows, (stop - first) * piece));
    item = stop;
  }
}

}  // namespace

bool is_thin(const blas_product& p) {
  const bool is_real = p.type == dtype::float32 || p.type == dtype::float64;
  return is_real && p.kept == 0 && p.rows * p.batch >= least_rows && p.rows >= least_of_small_matrix &&
         p.inner <= most_inner && p.columns >= least_columns &&
         static_cast<std::size_t>(p.columns) <= widest / static_cast<std::size_t>(itemsize(p.type)) && has_vectors();
}

void multiply_thin(const blas_product& p, stream_state& on) {
  const auto entry = p.type == dtype::float32 ? &multiply_pieces<float> : &multiply_pieces<double>;
  geometry g;
  g.items = p.batch * divide_up(p.rows, piece);
  g.work_per_item = static_cast<double>(std::min(p.rows, piece) * (1 + p.inner));  // nanoseconds
  on.device.launch({reinterpret_cast<void*>(entry)}, g, &p, sizeof p, on);
}

}  // namespace sinter::runtime
