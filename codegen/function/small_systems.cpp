#include "codegen/function/small_systems.hpp"

#include "codegen/function/matrix_numbers.hpp"

namespace sinter::codegen {

namespace {

constexpr const char* arguments_text = R"(
struct small_matrices {
  const T* data;
  long long down, across, extents[8], steps[8], axes;
};
struct A {
  small_matrices a, b;
  T* result;
  int* pivots;
  index_trouble* note;
  long long count, result_down, result_across;
  int rows, columns, right, apart, width, groups, is_checked, fault;
};
)";

// A group of threads has a matrix in shared memory, with its right sides behind the columns: thread r has row r. Groups of a warp go
// through all steps together, so that what is not for all of them is in front of a barrier, and not around it.
constexpr const char* group_text = R"(
#define all_lanes 0xffffffffu
constexpr int slack = 7;
struct group {
  T* m;
  int lane, first_lane, width, rows, columns, all, apart;
  bool is_there;
  __device__ __forceinline__ T& at(const int r, const int c) const { return m[r * apart + c]; }
  // True where a number is NaN. Divisions take longer than going on from place to place.
  __device__ __forceinline__ bool take(const small_matrices& from, const long long b, const int first, const int wide) const {
    const bool by_rows = from.across <= from.down;
    const int minor = by_rows ? wide : rows, down = by_rows ? apart : 1, across = by_rows ? 1 : apart;
    const long long major_step = by_rows ? from.down : from.across, minor_step = by_rows ? from.across : from.down;
    const T* at = from.data + begin_of(from, b) + lane * minor_step;
    T* to = m + first + lane * across;
    bool found = false;
#pragma unroll 4
    for (int i = lane, along = lane; i < rows * wide; i += width) {
      while (along >= minor) {
        along -= minor;
        at += major_step - minor * minor_step;
        to += down - minor * across;
      }
      const T v = *at;
      found |= is_nan(v);
      *to = v;
      along += width;
      at += width * minor_step;
      to += width * across;
    }
    return found;
  }
  // Where the largest number of a column is, from row k on; its size is 0 where all are 0. A NaN is not the largest of numbers.
  __device__ __forceinline__ int pivot(const int k, R& size) const {
    R mine = (R)-1;
    if (is_there && lane >= k && lane < rows) mine = size_of(at(lane, k));
    mine = mine == mine ? mine : (R)-1;
    size = mine;
    for (int d = width / 2; d > 0; d /= 2) {
      const R other = __shfl_xor_sync(all_lanes, size, d);
      size = other > size ? other : size;
    }
    const unsigned largest = __ballot_sync(all_lanes, mine == size) >> first_lane;
    return size < (R)0 ? k : __ffs(largest) - 1;
  }
  // Row r less `by` times row k. Several elements are asked for before the first is written; what lies between rows has room for those
  // that are none.
  template <int at_a_time>
  __device__ __forceinline__ void subtract(const int r, const T by, const int k, const int first) const {
    T* const from = m + r * apart;
    const T* const row = m + k * apart;
    for (int c = first; c < all; c += at_a_time) {
      T left[at_a_time];
#pragma unroll
      for (int i = 0; i < at_a_time; ++i) left[i] = less_product(from[c + i], by, row[c + i]);
#pragma unroll
      for (int i = 0; i < at_a_time; ++i) from[c + i] = left[i];
    }
  }
  // The first pivot that is 0, counted from 1, or 0.
  __device__ __forceinline__ int factor(int* const pivots) const {
    int info = 0;
    const int least = rows < columns ? rows : columns;
    for (int k = 0; k < least; ++k) {
      R size;
      const int p = pivot(k, size);
      const bool goes_on = is_there && size != (R)0;
      if (!goes_on && info == 0) info = k + 1;
      if (is_there && pivots && lane == 0) pivots[k] = p;
      __syncwarp();
      for (int c = lane; goes_on && p != k && c < all; c += width) {
        const T kept = at(k, c);
        at(k, c) = at(p, c), at(p, c) = kept;
      }
      __syncwarp();
      if (goes_on && lane > k && lane < rows) {
        const T by = quotient(at(lane, k), at(k, k));
        at(lane, k) = by;
        subtract<slack + 1>(lane, by, k, k + 1);
      }
      __syncwarp();
    }
    return info;
  }
  __device__ __forceinline__ void solve_upper() const {
    for (int k = rows - 1; k >= 0; --k) {
      for (int c = columns + lane; is_there && c < all; c += width) at(k, c) = quotient(at(k, c), at(k, k));
      __syncwarp();
      if (is_there && lane < k) {
        if (all == columns + 1) subtract<1>(lane, at(lane, k), k, columns);
        else subtract<slack + 1>(lane, at(lane, k), k, columns);
      }
      __syncwarp();
    }
  }
  __device__ __forceinline__ void give(const A& a, const long long b, const bool has_none) const {
    const int first = a.right > 0 ? columns : 0, wide = a.right > 0 ? a.right : columns;
    T none = ZERO;
    ((R*)&none)[0] = not_a_number();
    T* const to = a.result + b * rows * wide;
    const bool by_rows = a.result_across <= a.result_down;
    const int minor = by_rows ? wide : rows;
    for (int i = lane; i < rows * wide; i += width) {
      const int major = i / minor, along = i - major * minor, r = by_rows ? major : along, c = by_rows ? along : major;
      to[r * a.result_down + c * a.result_across] = has_none ? none : at(r, first + c);
    }
  }
};
)";

constexpr const char* kernel_text = R"(
extern "C" __global__ void __launch_bounds__(256) sinter_kernel(const A a) {
  __shared__ struct __align__(16) { unsigned char bytes[49152]; } room;
  const int width = a.width, mine = threadIdx.x / width, all = a.columns + a.right;
  if (mine >= a.groups) return;  // all of a warp
  group g;
  g.lane = threadIdx.x % width, g.first_lane = threadIdx.x % 32 - g.lane, g.width = width;
  const unsigned of_group = (width == 32 ? all_lanes : (1u << width) - 1) << g.first_lane;
  g.rows = a.rows, g.columns = a.columns, g.all = all, g.apart = a.apart;
  g.m = (T*)room.bytes + mine * a.rows * g.apart;
  const int least = a.rows < a.columns ? a.rows : a.columns;
  for (long long first = (long long)blockIdx.x * a.groups; first < a.count; first += (long long)gridDim.x * a.groups) {
    const long long b = first + mine;
    g.is_there = b < a.count;
    bool found = false;
    if (g.is_there) {
      found = g.take(a.a, b, 0, a.columns);
      if (a.right > 0) g.take(a.b, b, a.columns, a.right);
    }
    const bool is_flagged = (__ballot_sync(all_lanes, found) & of_group) != 0;
    __syncwarp();
    const int info = g.factor(a.pivots ? a.pivots + b * least : nullptr);
    if (a.right > 0) g.solve_upper();
    const bool fails = a.is_checked && info != 0 && !is_flagged;
    if (g.is_there) g.give(a, b, is_flagged || fails);
    if (g.is_there && fails && g.lane == 0 && atomicCAS_system(&a.note->noted, 0, 2) == 0) {
      a.note->axis = a.fault;
      a.note->index = info;
      a.note->extent = a.count > 1 ? b : -1;
    }
    __syncwarp();
  }
}
)";
static_assert(max_rank == 8 && small_systems_slack == 7 && small_systems_threads == 256 && small_systems_room == 49152);

}  // namespace

std::string small_systems_text(dtype t) {
  return std::string("// small systems: ") + name(t) + "\n" + matrix_numbers_text(t) + arguments_text + group_text +
         kernel_text;
}

}  // namespace sinter::codegen
