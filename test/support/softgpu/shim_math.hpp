// The second half of the shim: CUDA's mathematics, conversions and vector types. Comes after shim.hpp.
#pragma once

// ---- mathematics: the C library's functions for double, with f for float, and CUDA's overloads -------------------------

// The formatter finds no end of moving these about.
// clang-format off
#define SOFTGPU_UNARY(X)                                                                                         \
  X(acos) X(acosh) X(asin) X(asinh) X(atan) X(atanh) X(cbrt) X(ceil) X(cos) X(cosh) X(erf) X(erfc) X(exp)        \
  X(exp10) X(exp2) X(expm1) X(fabs) X(floor) X(j0) X(j1) X(lgamma) X(log) X(log10) X(log1p) X(log2) X(logb)      \
  X(nearbyint) X(rint) X(round) X(sin) X(sinh) X(sqrt) X(tan) X(tanh) X(tgamma) X(trunc) X(y0) X(y1)
// clang-format on
#define SOFTGPU_BINARY(X) X(atan2) X(copysign) X(fdim) X(fmax) X(fmin) X(fmod) X(hypot) X(nextafter) X(pow) X(remainder)

extern "C" {
#define SOFTGPU_DECLARE(name)   \
  double name(double) noexcept; \
  float name##f(float) noexcept;
SOFTGPU_UNARY(SOFTGPU_DECLARE)
#undef SOFTGPU_DECLARE
#define SOFTGPU_DECLARE(name)           \
  double name(double, double) noexcept; \
  float name##f(float, float) noexcept;
SOFTGPU_BINARY(SOFTGPU_DECLARE)
#undef SOFTGPU_DECLARE
double fma(double, double, double) noexcept;
float fmaf(float, float, float) noexcept;
double ldexp(double, int) noexcept;
float ldexpf(float, int) noexcept;
double scalbn(double, int) noexcept;
float scalbnf(float, int) noexcept;
double frexp(double, int*) noexcept;
float frexpf(float, int*) noexcept;
double modf(double, double*) noexcept;
float modff(float, float*) noexcept;
double remquo(double, double, int*) noexcept;
float remquof(float, float, int*) noexcept;
int ilogb(double) noexcept;
int ilogbf(float) noexcept;
double jn(int, double) noexcept;
float jnf(int, float) noexcept;
double yn(int, double) noexcept;
float ynf(int, float) noexcept;
double lgamma_r(double, int*) noexcept;
float lgammaf_r(float, int*) noexcept;
long lrint(double) noexcept;
long lrintf(float) noexcept;
long long llrint(double) noexcept;
long long llrintf(float) noexcept;
long long llround(double) noexcept;
long long llroundf(float) noexcept;
int printf(const char*, ...);
int abs(int) noexcept;
long labs(long) noexcept;
long long llabs(long long) noexcept;
}

#define SOFTGPU_OVERLOAD(name) \
  inline float name(float a) { return name##f(a); }
SOFTGPU_UNARY(SOFTGPU_OVERLOAD)
#undef SOFTGPU_OVERLOAD
#define SOFTGPU_OVERLOAD(name) \
  inline float name(float a, float b) { return name##f(a, b); }
SOFTGPU_BINARY(SOFTGPU_OVERLOAD)
#undef SOFTGPU_OVERLOAD
inline float fma(float a, float b, float c) { return fmaf(a, b, c); }
inline float ldexp(float a, int n) { return ldexpf(a, n); }
inline float frexp(float a, int* n) { return frexpf(a, n); }
inline float modf(float a, float* whole) { return modff(a, whole); }
inline float abs(float a) { return fabsf(a); }
inline double abs(double a) { return fabs(a); }
inline long abs(long a) { return labs(a); }
inline long long abs(long long a) { return llabs(a); }

// CUDA's own, by name, parameters and value: once for double, once with f for float.
#define SOFTGPU_CUDA_ONLY(X)                            \
  X(rsqrt, 1 / __builtin_sqrt(a))                       \
  X(rcbrt, 1 / ::cbrt(a))                               \
  X(sinpi, softgpu::sine_of_pi(a))                      \
  X(cospi, softgpu::sine_of_pi(0.5 - softgpu::turn(a))) \
  X(erfinv, softgpu_driver.erfinv(a))                   \
  X(erfcinv, softgpu_driver.erfcinv(a))                 \
  X(erfcx, ::exp(a* a) * ::erfc(a))                     \
  X(normcdf, 0.5 * ::erfc(a * -0.70710678118654752440)) \
  X(normcdfinv, softgpu_driver.normcdfinv(a))           \
  X(cyl_bessel_i0, softgpu_driver.cyl_bessel_i0(a))     \
  X(cyl_bessel_i1, softgpu_driver.cyl_bessel_i1(a))

namespace softgpu {

inline double turn(double a) { return __builtin_fabs(a - 2 * __builtin_rint(a * 0.5)); }  // its cosine is a's
inline double sine_of_pi(double a) {
  const double within = a - 2 * __builtin_rint(a * 0.5);
  const double size = __builtin_fabs(within);
  return __builtin_copysign(::sin(3.14159265358979323846 * (size > 0.5 ? 1 - size : size)), within);
}

}  // namespace softgpu

#define SOFTGPU_DEFINE(name, value)              \
  inline double name(double a) { return value; } \
  inline float name##f(float b) {                \
    const double a = b;                          \
    return static_cast<float>(value);            \
  }                                              \
  inline float name(float a) { return name##f(a); }
SOFTGPU_CUDA_ONLY(SOFTGPU_DEFINE)
#undef SOFTGPU_DEFINE

inline double rhypot(double a, double b) { return 1 / hypot(a, b); }
inline float rhypotf(float a, float b) { return 1 / hypotf(a, b); }
inline double norm3d(double a, double b, double c) { return hypot(hypot(a, b), c); }
inline float norm3df(float a, float b, float c) { return hypotf(hypotf(a, b), c); }
inline void sincos(double a, double* s, double* c) { *s = sin(a), *c = cos(a); }
inline void sincosf(float a, float* s, float* c) { *s = sinf(a), *c = cosf(a); }
inline void sincos(float a, float* s, float* c) { sincosf(a, s, c); }
inline void sincospi(double a, double* s, double* c) { *s = sinpi(a), *c = cospi(a); }
inline void sincospif(float a, float* s, float* c) { *s = sinpif(a), *c = cospif(a); }
inline float __saturatef(float a) { return a > 0 ? (a < 1 ? a : 1) : 0; }
inline float saturate(float a) { return __saturatef(a); }

#define SOFTGPU_FAST(name) \
  inline float __##name(float a) { return name(a); }
SOFTGPU_FAST(sinf)
SOFTGPU_FAST(cosf)
SOFTGPU_FAST(tanf)
SOFTGPU_FAST(expf)
SOFTGPU_FAST(exp10f)
SOFTGPU_FAST(logf)
SOFTGPU_FAST(log2f)
SOFTGPU_FAST(log10f)
#undef SOFTGPU_FAST
inline float __powf(float a, float b) { return powf(a, b); }
inline float __fdividef(float a, float b) { return a / b; }
inline float fdividef(float a, float b) { return a / b; }
inline float __frcp_rn(float a) { return 1 / a; }
inline float __fsqrt_rn(float a) { return sqrtf(a); }
inline float __frsqrt_rn(float a) { return rsqrtf(a); }

// Rounded as written: never joined with what stands beside them.
#define SOFTGPU_ROUNDED(name, type, value) \
  inline type name(type a, type b) { return value; }
SOFTGPU_ROUNDED(__fadd_rn, float, a + b)
SOFTGPU_ROUNDED(__fsub_rn, float, a - b)
SOFTGPU_ROUNDED(__fmul_rn, float, a* b)
SOFTGPU_ROUNDED(__fdiv_rn, float, a / b)
SOFTGPU_ROUNDED(__dadd_rn, double, a + b)
SOFTGPU_ROUNDED(__dsub_rn, double, a - b)
SOFTGPU_ROUNDED(__dmul_rn, double, a* b)
SOFTGPU_ROUNDED(__ddiv_rn, double, a / b)
#undef SOFTGPU_ROUNDED
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }

template <class T>
inline bool isnan(T a) {
  return a != a;
}
template <class T>
inline bool isinf(T a) {
  return __builtin_isinf(a);
}
template <class T>
inline bool isfinite(T a) {
  return __builtin_isfinite(a);
}
template <class T>
inline bool signbit(T a) {
  return __builtin_signbit(a);
}

// Conversions hold what does not fit at the ends, and give 0 for NaN.
namespace softgpu {

template <class To, class From>
inline To held(From a, From lowest, From above, To low, To high) {
  return a != a ? 0 : a <= lowest ? low : a >= above ? high : static_cast<To>(a);
}

template <class From>
inline int to_int(From a) {
  return held<int, From>(a, -2147483648.0, 2147483648.0, -2147483647 - 1, 2147483647);
}
template <class From>
inline long long to_long(From a) {
  return held<long long, From>(a, -9223372036854775808.0, 9223372036854775808.0, -9223372036854775807LL - 1,
                               9223372036854775807LL);
}
template <class From>
inline unsigned to_unsigned(From a) {
  return held<unsigned, From>(a, 0, 4294967296.0, 0, 4294967295u);
}

}  // namespace softgpu

inline int __float2int_rn(float a) { return softgpu::to_int(rintf(a)); }
inline int __float2int_rz(float a) { return softgpu::to_int(truncf(a)); }
inline int __float2int_rd(float a) { return softgpu::to_int(floorf(a)); }
inline int __float2int_ru(float a) { return softgpu::to_int(ceilf(a)); }
inline unsigned __float2uint_rn(float a) { return softgpu::to_unsigned(rintf(a)); }
inline unsigned __float2uint_rz(float a) { return softgpu::to_unsigned(truncf(a)); }
inline int __double2int_rn(double a) { return softgpu::to_int(rint(a)); }
inline int __double2int_rz(double a) { return softgpu::to_int(trunc(a)); }
inline long long __float2ll_rn(float a) { return softgpu::to_long(rintf(a)); }
inline long long __float2ll_rz(float a) { return softgpu::to_long(truncf(a)); }
inline long long __double2ll_rn(double a) { return softgpu::to_long(rint(a)); }
inline long long __double2ll_rz(double a) { return softgpu::to_long(trunc(a)); }
inline float __int2float_rn(int a) { return static_cast<float>(a); }
inline float __uint2float_rn(unsigned a) { return static_cast<float>(a); }
inline float __ll2float_rn(long long a) { return static_cast<float>(a); }
inline double __ll2double_rn(long long a) { return static_cast<double>(a); }
inline double __int2double_rn(int a) { return a; }
inline float __double2float_rn(double a) { return static_cast<float>(a); }

namespace softgpu {

template <class A, class B>
using common = decltype(true ? A() : B());

}  // namespace softgpu

template <class A, class B>
inline softgpu::common<A, B> min(A a, B b) {
  const softgpu::common<A, B> x = a, y = b;
  return y < x ? y : x;
}
template <class A, class B>
inline softgpu::common<A, B> max(A a, B b) {
  const softgpu::common<A, B> x = a, y = b;
  return x < y ? y : x;
}
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }
inline int __sad(int a, int b, unsigned c) {
  return static_cast<int>(c + static_cast<unsigned>(a > b ? a - b : b - a));
}
inline long long clock64() {
  static long long ticks = 0;
  return ++ticks;
}
inline long long clock() { return clock64(); }

// ---- CUDA's vector types ----------------------------------------------------------------------------------------------

#define SOFTGPU_VECTOR_TYPE(name, type, align2, align4)                       \
  struct name##1 {                                                            \
    type x;                                                                   \
  };                                                                          \
  struct alignas(align2) name##2 {                                            \
    type x, y;                                                                \
  };                                                                          \
  struct name##3 {                                                            \
    type x, y, z;                                                             \
  };                                                                          \
  struct alignas(align4) name##4 {                                            \
    type x, y, z, w;                                                          \
  };                                                                          \
  inline name##2 make_##name##2(type x, type y) { return {x, y}; }            \
  inline name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; } \
  inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
#define uint3 softgpu_uint3
SOFTGPU_VECTOR_TYPE(char, signed char, 2, 4)
SOFTGPU_VECTOR_TYPE(uchar, unsigned char, 2, 4)
SOFTGPU_VECTOR_TYPE(short, short, 4, 8)
SOFTGPU_VECTOR_TYPE(ushort, unsigned short, 4, 8)
SOFTGPU_VECTOR_TYPE(int, int, 8, 16)
SOFTGPU_VECTOR_TYPE(uint, unsigned, 8, 16)
SOFTGPU_VECTOR_TYPE(longlong, long long, 16, 16)
SOFTGPU_VECTOR_TYPE(ulonglong, unsigned long long, 16, 16)
SOFTGPU_VECTOR_TYPE(float, float, 8, 16)
SOFTGPU_VECTOR_TYPE(double, double, 16, 16)
#undef uint3
#undef SOFTGPU_VECTOR_TYPE
