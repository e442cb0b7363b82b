#include "codegen/function/recurrence.hpp"

namespace sinter::codegen {

namespace {

using detail::facts;

constexpr const char* complex_text = R"(struct T { R re, im; };
__device__ inline T operator+(T a, T b) { return {a.re + b.re, a.im + b.im}; }
__device__ inline T operator-(T a, T b) { return {a.re - b.re, a.im - b.im}; }
__device__ inline T operator*(T a, T b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
__device__ inline bool is_zero(T a) { return a.re == 0 && a.im == 0; }
#define ZERO T{0, 0}
#define ONE T{1, 0}
)";
constexpr const char* real_text = R"(typedef R T;
__device__ inline bool is_zero(T a) { return a == 0; }
#define ZERO (T)0
#define ONE (T)1
)";

// The form of a filter that needs one state a power of z, transposed, as rounding is least in it.
constexpr const char* body_text = R"(
__device__ inline T filtered(const T x, T* z, const T* b, const T* a) {
  const T y = b[0] * x + z[0];
#pragma unroll
  for (int i = 0; i + 1 < N; ++i) z[i] = b[i + 1] * x + z[i + 1] - a[i + 1] * y;
  z[N - 1] = b[N] * x - a[N] * y;
  return y;
}
// z = powers z + add. What is 0 stays out of it: powers of a filter that grows may be infinite.
__device__ inline void advance(T* z, const T* powers, const T* add) {
  T next[N];
#pragma unroll
  for (int i = 0; i < N; ++i) next[i] = add[i];
#pragma unroll
  for (int j = 0; j < N; ++j)
    if (!is_zero(z[j]))
#pragma unroll
      for (int i = 0; i < N; ++i) next[i] = next[i] + powers[j * N + i] * z[j];
#pragma unroll
  for (int i = 0; i < N; ++i) z[i] = next[i];
}
__device__ inline void copy(T* to, const T* from) {
#pragma unroll
  for (int i = 0; i < N; ++i) to[i] = from[i];
}
__device__ inline void clear(T* z) {
#pragma unroll
  for (int i = 0; i < N; ++i) z[i] = ZERO;
}

#if THREADS > 0
__device__ void join(const T* zi, T* starts, const T* powers, const long long chunks);
#endif

extern "C" __global__ void __launch_bounds__(128) sinter_kernel(
    const T* x, const T* given_b, const T* given_a, const T* zi, T* y, T* zf, T* starts, T* powers,
    const long long rows, const long long samples, const long long chunk, const long long chunks, const int step) {
#if THREADS > 0
  if (step == 1) {
    const long long row = blockIdx.x;
    return join(zi ? zi + row * N : zi, starts + row * chunks * N, powers, chunks);
  }
#endif
  T b[N + 1], a[N + 1], z[N];
#pragma unroll
  for (int i = 0; i <= N; ++i) b[i] = given_b[i], a[i] = given_a[i];
  const long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (step == 0 && at < N) {
#pragma unroll
    for (int i = 0; i < N; ++i) z[i] = i == at ? ONE : ZERO;
    for (long long i = 0; i < chunk; ++i) filtered(ZERO, z, b, a);
    copy(powers + at * N, z);
  }
  if (at >= rows * chunks) return;
  const long long row = at / chunks, c = at - row * chunks, first = c * chunk;
  const long long count = first + chunk < samples ? chunk : samples - first;
  x += row * samples + first;
  if (step == 0) {
    clear(z);
    for (long long i = 0; i < count; ++i) filtered(x[i], z, b, a);
    copy(starts + at * N, z);
    return;
  }
  if (chunks > 1) copy(z, starts + at * N);
  else if (zi) copy(z, zi + row * N);
  else clear(z);
  y += row * samples + first;
  for (long long i = 0; i < count; ++i) y[i] = filtered(x[i], z, b, a);
  if (c == chunks - 1) copy(zf + row * N, z);
}
)";

constexpr const char* join_text = R"(
// Each thread joins a run of chunks, one thread the runs, and each thread again goes through its own, from the right state.
__device__ void join(const T* zi, T* starts, const T* powers, const long long chunks) {
  __shared__ T run_end[THREADS * N], run_powers[N * N];
  const int t = threadIdx.x;
  const long long run = (chunks + THREADS - 1) / THREADS, first = t * run;
  const long long end = first + run < chunks ? first + run : chunks;
  T z[N], zero[N];
  clear(z);
  clear(zero);
  for (long long c = first; c < end; ++c) advance(z, powers, starts + c * N);
  copy(run_end + t * N, z);
  for (int j = t; j < N; j += THREADS) {
#pragma unroll
    for (int i = 0; i < N; ++i) z[i] = i == j ? ONE : ZERO;
    for (long long c = 0; c < run; ++c) advance(z, powers, zero);
    copy(run_powers + j * N, z);
  }
  __syncthreads();
  if (t == 0) {
    if (zi) copy(z, zi);
    else clear(z);
    for (int r = 0; r < THREADS; ++r) {
      T add[N];
      copy(add, run_end + r * N);
      copy(run_end + r * N, z);
      advance(z, run_powers, add);
    }
  }
  __syncthreads();
  copy(z, run_end + t * N);
  for (long long c = first; c < end; ++c) {
    T add[N];
    copy(add, starts + c * N);
    copy(starts + c * N, z);
    advance(z, powers, add);
  }
}
)";

}  // namespace

int joining_threads(const recurrence_form& f) {
  constexpr int most = 128, highest_order = 32, shared_bytes = 40 * 1024;
  if (f.order > highest_order) return 0;
  int threads = most;
  while ((threads + f.order) * f.order * facts(f.type).size > shared_bytes) threads /= 2;
  return threads;
}

std::string recurrence_text(const recurrence_form& f) {
  const int threads = joining_threads(f);
  return "typedef " + std::string(facts(detail::real_part_of(f.type)).text) + " R;\n" +
         (detail::is_complex(f.type) ? complex_text : real_text) + "#define N " + std::to_string(f.order) +
         "\n#define THREADS " + std::to_string(threads) + body_text + (threads > 0 ? join_text : "");
}

}  // namespace sinter::codegen
