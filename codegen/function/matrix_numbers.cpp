#include "codegen/function/matrix_numbers.hpp"

#include "codegen/ir/kernel.hpp"

namespace sinter::codegen {

namespace {

constexpr const char* complex_text = R"(struct T { R re, im; };
static __device__ __forceinline__ bool is_finite(const T v) { return v.re - v.re == 0 && v.im - v.im == 0; }
static __device__ __forceinline__ bool is_nan(const T v) { return v.re != v.re || v.im != v.im; }
static __device__ __forceinline__ bool is_zero(const T v) { return v.re == 0 && v.im == 0; }
static __device__ __forceinline__ T conjugate(const T v) { return {v.re, -v.im}; }
static __device__ __forceinline__ R size_of(const T v) { return (v.re < 0 ? -v.re : v.re) + (v.im < 0 ? -v.im : v.im); }
static __device__ __forceinline__ T less_product(const T v, const T x, const T y) {
  return {v.re - (x.re * y.re - x.im * y.im), v.im - (x.re * y.im + x.im * y.re)};
}
static __device__ __forceinline__ T quotient(const T x, const T y) {
  const bool turned = (y.re < 0 ? -y.re : y.re) < (y.im < 0 ? -y.im : y.im);
  const R ratio = turned ? y.re / y.im : y.im / y.re, by = turned ? y.re * ratio + y.im : y.re + y.im * ratio;
  return turned ? T{(x.re * ratio + x.im) / by, (x.im * ratio - x.re) / by} : T{(x.re + x.im * ratio) / by, (x.im - x.re * ratio) / by};
}
#define ZERO T{0, 0}
)";
constexpr const char* real_text = R"(typedef R T;
static __device__ __forceinline__ bool is_finite(const T v) { return v - v == 0; }
static __device__ __forceinline__ bool is_nan(const T v) { return v != v; }
static __device__ __forceinline__ bool is_zero(const T v) { return v == 0; }
static __device__ __forceinline__ T conjugate(const T v) { return v; }
static __device__ __forceinline__ R size_of(const T v) { return v < 0 ? -v : v; }
static __device__ __forceinline__ T less_product(const T v, const T x, const T y) { return v - x * y; }
static __device__ __forceinline__ T quotient(const T x, const T y) { return x / y; }
#define ZERO (T)0
)";

constexpr const char* shared_text = R"(
static __device__ __forceinline__ R not_a_number() { return (R)__longlong_as_double(0x7ff8000000000000ll); }
// How far matrix `b` of a batch is from the first, by what has its axes, extents and steps.
template <class M>
static __device__ __forceinline__ long long begin_of(const M& m, long long b) {
  if (m.axes <= 1) return b * m.steps[0];
  long long at = 0;
#pragma unroll 1
  for (int d = m.axes - 1; d >= 0; --d) {
    const long long next = b / m.extents[d];
    at += (b - next * m.extents[d]) * m.steps[d];
    b = next;
  }
  return at;
}
struct index_trouble {
  int noted, axis;
  long long index, extent;
};
)";
static_assert(index_trouble::no_result == 2 && max_rank == 8);

}  // namespace

std::string matrix_numbers_text(dtype t) {
  return std::string("typedef ") + detail::facts(detail::real_part_of(t)).text + " R;\n" +
         (detail::is_complex(t) ? complex_text : real_text) + shared_text;
}

}  // namespace sinter::codegen
