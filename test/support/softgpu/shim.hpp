// The CUDA C++ that a kernel text may use, in terms of the host compiler: put in front of the text, after module.hpp.
// No header is included, since most of the time a kernel takes to compile would go into it. The functions that gcc's
// and clang's thread sanitizer calls are defined here: every load and store is told to the driver.
#pragma once

#define __host__
#define __device__
#define __global__
#define __constant__ static
#define __managed__ static
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __restrict__ __restrict
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(n) alignas(n)
#define __shared__ static __attribute__((section("softgpu_shared")))
#define SOFTGPU_UNCHECKED __attribute__((no_sanitize("thread")))
#define SOFTGPU_OWN extern "C" __attribute__((visibility("hidden")))

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef __UINTPTR_TYPE__ uintptr_t;
typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef long long int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef unsigned long long uint64_t;

// ---- where a thread is ----------------------------------------------------------------------------------------------
// Constants to the compiler, so that it need not report the reads; each thread's are set before it goes on.

using uint3 = softgpu::index3;
struct dim3 {
  unsigned x = 1, y = 1, z = 1;
};
SOFTGPU_OWN const uint3 threadIdx __asm__("softgpu_thread");
SOFTGPU_OWN const uint3 blockIdx __asm__("softgpu_block");
SOFTGPU_OWN const uint3 blockDim __asm__("softgpu_block_size");
SOFTGPU_OWN const uint3 gridDim __asm__("softgpu_grid_size");
SOFTGPU_OWN const softgpu::services softgpu_driver __asm__("softgpu_services");
constexpr int warpSize = 32;

extern "C" {
__attribute__((visibility("hidden"))) softgpu::index3 softgpu_thread, softgpu_block, softgpu_block_size,
    softgpu_grid_size;
__attribute__((visibility("hidden"))) softgpu::services softgpu_services;
extern __attribute__((visibility("hidden"), weak)) char __start_softgpu_shared[];
extern __attribute__((visibility("hidden"), weak)) char __stop_softgpu_shared[];
}

// ---- what the sanitizer's instrumentation calls ---------------------------------------------------------------------
// Each hands its address on to softgpu_services.access, the first of the driver's functions, with size, kind of access
// and whether the address has to be aligned. In assembly where that is known: compiling the twenty functions takes
// twice as long as compiling a kernel.

#if SOFTGPU_CHECK
#if defined(__x86_64__)
#define SOFTGPU_HOOK(name, size, how, aligned)                                      \
  __asm__(".text\n.hidden __tsan_" #name "\n.globl __tsan_" #name "\n__tsan_" #name \
          ":\n"                                                                     \
          "movl $" #size ", %esi\nmovl $" #how ", %edx\nmovl $" #aligned            \
          ", %ecx\n"                                                                \
          "jmp *softgpu_services(%rip)\n");
__asm__(
    ".text\n.hidden __tsan_init, __tsan_func_entry, __tsan_func_exit, __tsan_vptr_update, __tsan_vptr_read\n"
    ".globl __tsan_init, __tsan_func_entry, __tsan_func_exit, __tsan_vptr_update, __tsan_vptr_read\n"
    "__tsan_init:\n__tsan_func_entry:\n__tsan_func_exit:\n__tsan_vptr_update:\n__tsan_vptr_read:\nret\n"
    ".hidden __tsan_read_range, __tsan_write_range\n.globl __tsan_read_range, __tsan_write_range\n"
    "__tsan_read_range:\nxorl %edx, %edx\nxorl %ecx, %ecx\njmp *softgpu_services(%rip)\n"
    "__tsan_write_range:\nmovl $1, %edx\nxorl %ecx, %ecx\njmp *softgpu_services(%rip)\n");
#else
#define SOFTGPU_HOOK(name, size, how, aligned)                                       \
  SOFTGPU_OWN SOFTGPU_UNCHECKED void __tsan_##name(void* at) {                       \
    softgpu_driver.access(at, size, static_cast<softgpu::touch>(how), aligned != 0); \
  }
SOFTGPU_OWN SOFTGPU_UNCHECKED void __tsan_read_range(void* at, long size) {
  softgpu_driver.access(at, static_cast<unsigned long>(size), softgpu::touch::read, false);
}
SOFTGPU_OWN SOFTGPU_UNCHECKED void __tsan_write_range(void* at, long size) {
  softgpu_driver.access(at, static_cast<unsigned long>(size), softgpu::touch::write, false);
}
SOFTGPU_OWN SOFTGPU_UNCHECKED void __tsan_init() {}
SOFTGPU_OWN SOFTGPU_UNCHECKED void __tsan_func_entry(void*) {}
SOFTGPU_OWN SOFTGPU_UNCHECKED void __tsan_func_exit(void*) {}
SOFTGPU_OWN SOFTGPU_UNCHECKED void __tsan_vptr_update(void*, void*) {}
SOFTGPU_OWN SOFTGPU_UNCHECKED void __tsan_vptr_read(void*) {}
#endif
#define SOFTGPU_HOOKS(size)                      \
  SOFTGPU_HOOK(read##size, size, 0, 1)           \
  SOFTGPU_HOOK(write##size, size, 1, 1)          \
  SOFTGPU_HOOK(unaligned_read##size, size, 0, 0) \
  SOFTGPU_HOOK(unaligned_write##size, size, 1, 0)
SOFTGPU_HOOKS(1)
SOFTGPU_HOOKS(2)
SOFTGPU_HOOKS(4)
SOFTGPU_HOOKS(8)
SOFTGPU_HOOKS(16)
#endif

// ---- blocks and warps -----------------------------------------------------------------------------------------------

inline void __syncthreads() { softgpu_driver.barrier(); }
inline int __syncthreads_count(int holds) { return softgpu_driver.barrier_count(holds != 0); }
inline int __syncthreads_and(int holds) { return softgpu_driver.barrier_count(holds == 0) == 0; }
inline int __syncthreads_or(int holds) { return softgpu_driver.barrier_count(holds != 0) != 0; }
inline void __threadfence() { __asm__ volatile("" ::: "memory"); }
inline void __threadfence_block() { __asm__ volatile("" ::: "memory"); }
inline void __threadfence_system() { __asm__ volatile("" ::: "memory"); }
inline void __trap() { softgpu_driver.trap("trap"); }
inline void __nanosleep(unsigned) {}
#define assert(holds) ((holds) ? (void)0 : softgpu_driver.trap("assertion " #holds))

inline unsigned __activemask() { return softgpu_driver.active_mask(); }
inline void __syncwarp(unsigned mask = 0xffffffffu) { softgpu_driver.warp(softgpu::collective::sync, mask, 0, 0); }
inline int __all_sync(unsigned mask, int holds) {
  return static_cast<int>(softgpu_driver.warp(softgpu::collective::all, mask, holds != 0, 0));
}
inline int __any_sync(unsigned mask, int holds) {
  return static_cast<int>(softgpu_driver.warp(softgpu::collective::any, mask, holds != 0, 0));
}
inline unsigned __ballot_sync(unsigned mask, int holds) {
  return static_cast<unsigned>(softgpu_driver.warp(softgpu::collective::ballot, mask, holds != 0, 0));
}

namespace softgpu {

inline unsigned lane() { return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32; }

/// What CUDA shuffles: numbers, no structs.
template <class T>
using number = decltype(T() + T());

template <class T>
inline T shuffle(unsigned mask, T value, unsigned from) {
  static_assert(sizeof(T) <= 8, "a shuffle moves 8 bytes at most");
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  bits = softgpu_driver.warp(collective::shuffle, mask, bits, from);
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

template <class T>
inline unsigned match(unsigned mask, T value) {
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  return static_cast<unsigned>(softgpu_driver.warp(collective::match, mask, bits, 0));
}

}  // namespace softgpu

// Lanes of a group of `width` read within it; one that would read outside keeps its own.
template <class T, class = softgpu::number<T>>
inline T __shfl_sync(unsigned mask, T value, int from, int width = 32) {
  const unsigned lane = softgpu::lane(), first = lane & ~(width - 1u);
  return softgpu::shuffle(mask, value, first + (static_cast<unsigned>(from) & (width - 1u)));
}
template <class T, class = softgpu::number<T>>
inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  const unsigned lane = softgpu::lane(), within = lane & (width - 1u);
  return softgpu::shuffle(mask, value, within + delta < static_cast<unsigned>(width) ? lane + delta : lane);
}
template <class T, class = softgpu::number<T>>
inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  const unsigned lane = softgpu::lane(), within = lane & (width - 1u);
  return softgpu::shuffle(mask, value, within >= delta ? lane - delta : lane);
}
template <class T, class = softgpu::number<T>>
inline T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32) {
  const unsigned lane = softgpu::lane(), from = lane ^ static_cast<unsigned>(bits);
  return softgpu::shuffle(mask, value, from < (lane & ~(width - 1u)) + width ? from : lane);
}
template <class T>
inline unsigned __match_any_sync(unsigned mask, T value) {
  return softgpu::match(mask, value);
}

// ---- atomics: one kernel runs at a time and one thread of it, so that a plain update is one ---------------------------

namespace softgpu {

template <class T, class Update>
inline SOFTGPU_UNCHECKED T update(T* at, Update next) {
  softgpu_driver.access(at, sizeof(T), touch::atomic, true);
  const T old = *at;
  *at = next(old);
  return old;
}
template <class T>
struct same {
  using type = T;
};
template <class T>
using same_t = typename same<T>::type;

}  // namespace softgpu

template <class T>
inline T atomicAdd(T* at, softgpu::same_t<T> by) {
  return softgpu::update(at, [=](T old) SOFTGPU_UNCHECKED { return static_cast<T>(old + by); });
}
template <class T>
inline T atomicSub(T* at, softgpu::same_t<T> by) {
  return softgpu::update(at, [=](T old) SOFTGPU_UNCHECKED { return static_cast<T>(old - by); });
}
template <class T>
inline T atomicExch(T* at, softgpu::same_t<T> to) {
  return softgpu::update(at, [=](T) SOFTGPU_UNCHECKED { return to; });
}
template <class T>
inline T atomicMin(T* at, softgpu::same_t<T> with) {
  return softgpu::update(at, [=](T old) SOFTGPU_UNCHECKED { return with < old ? with : old; });
}
template <class T>
inline T atomicMax(T* at, softgpu::same_t<T> with) {
  return softgpu::update(at, [=](T old) SOFTGPU_UNCHECKED { return with > old ? with : old; });
}
template <class T>
inline T atomicAnd(T* at, softgpu::same_t<T> with) {
  return softgpu::update(at, [=](T old) SOFTGPU_UNCHECKED { return static_cast<T>(old & with); });
}
template <class T>
inline T atomicOr(T* at, softgpu::same_t<T> with) {
  return softgpu::update(at, [=](T old) SOFTGPU_UNCHECKED { return static_cast<T>(old | with); });
}
template <class T>
inline T atomicXor(T* at, softgpu::same_t<T> with) {
  return softgpu::update(at, [=](T old) SOFTGPU_UNCHECKED { return static_cast<T>(old ^ with); });
}
template <class T>
inline T atomicCAS(T* at, softgpu::same_t<T> expected, softgpu::same_t<T> to) {
  return softgpu::update(at, [=](T old) SOFTGPU_UNCHECKED { return old == expected ? to : old; });
}
// The host waits for a kernel's end, so that nothing is between the scopes.
template <class T>
SOFTGPU_UNCHECKED inline T atomicCAS_system(T* at, softgpu::same_t<T> expected, softgpu::same_t<T> to) {
  return atomicCAS(at, expected, to);
}
inline unsigned atomicInc(unsigned* at, unsigned last) {
  return softgpu::update(at, [=](unsigned old) SOFTGPU_UNCHECKED { return old >= last ? 0u : old + 1; });
}
inline unsigned atomicDec(unsigned* at, unsigned last) {
  return softgpu::update(at, [=](unsigned old) SOFTGPU_UNCHECKED { return old == 0 || old > last ? last : old - 1; });
}

template <class T>
inline T __ldg(const T* at) {
  return *at;
}
template <class T>
inline T __ldcg(const T* at) {
  return *at;
}
template <class T>
inline T __ldcs(const T* at) {
  return *at;
}
template <class T>
inline void __stcs(T* at, softgpu::same_t<T> value) {
  *at = value;
}

// ---- bits -----------------------------------------------------------------------------------------------------------

inline float __int_as_float(int a) { return __builtin_bit_cast(float, a); }
inline float __uint_as_float(unsigned a) { return __builtin_bit_cast(float, a); }
inline int __float_as_int(float a) { return __builtin_bit_cast(int, a); }
inline unsigned __float_as_uint(float a) { return __builtin_bit_cast(unsigned, a); }
inline double __longlong_as_double(long long a) { return __builtin_bit_cast(double, a); }
inline long long __double_as_longlong(double a) { return __builtin_bit_cast(long long, a); }
inline int __double2hiint(double a) { return static_cast<int>(__double_as_longlong(a) >> 32); }
inline int __double2loint(double a) { return static_cast<int>(__double_as_longlong(a)); }
inline double __hiloint2double(int high, int low) {
  return __longlong_as_double((static_cast<long long>(high) << 32) | static_cast<unsigned>(low));
}
inline int __popc(unsigned a) { return __builtin_popcount(a); }
inline int __popcll(unsigned long long a) { return __builtin_popcountll(a); }
inline int __clz(int a) { return a ? __builtin_clz(static_cast<unsigned>(a)) : 32; }
inline int __clzll(long long a) { return a ? __builtin_clzll(static_cast<unsigned long long>(a)) : 64; }
inline int __ffs(int a) { return __builtin_ffs(a); }
inline int __ffsll(long long a) { return __builtin_ffsll(a); }
inline int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 32; i += 8) c += static_cast<int8_t>(a >> i) * static_cast<int8_t>(b >> i);
  return c;
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 32; i += 8) c += (a >> i & 255) * (b >> i & 255);
  return c;
}
inline unsigned __brev(unsigned a) {
  unsigned out = 0;
  for (int i = 0; i < 32; ++i) out |= ((a >> i) & 1u) << (31 - i);
  return out;
}
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) * b) >> 32);
}
inline int __mulhi(int a, int b) { return static_cast<int>((static_cast<long long>(a) * b) >> 32); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>((static_cast<unsigned __int128>(a) * b) >> 64);
}
inline long long __mul64hi(long long a, long long b) {
  return static_cast<long long>((static_cast<__int128>(a) * b) >> 64);
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by) {
  return static_cast<unsigned>(((static_cast<unsigned long long>(high) << 32 | low) << (by & 31)) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by) {
  return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) >> (by & 31));
}
inline unsigned __byte_perm(unsigned a, unsigned b, unsigned select) {
  const unsigned long long both = static_cast<unsigned long long>(b) << 32 | a;
  unsigned out = 0;
  for (int i = 0; i < 4; ++i) out |= static_cast<unsigned>((both >> (8 * (select >> (4 * i) & 7))) & 255) << (8 * i);
  return out;
}
template <class T>
inline T __brevll(T a) {
  return static_cast<T>(__brev(static_cast<unsigned>(a))) << 32 | __brev(static_cast<unsigned>(a >> 32));
}

// ---- calling a kernel: its arguments lie one after the other, each at its natural alignment ----------------------------

namespace softgpu {

template <class, int... I>
struct numbers {};
#if __has_builtin(__make_integer_seq)
template <class T, T... I>
using numbers_upto = numbers<T, I...>;
template <int n>
using first = __make_integer_seq<numbers_upto, int, n>;
#else
template <int n>
using first = numbers<int, __integer_pack(n)...>;
#endif

template <class... A>
struct layout {
  parameter_record at[sizeof...(A) + 1] = {};
  unsigned bytes = 0;
  constexpr layout() {
    const unsigned sizes[] = {static_cast<unsigned>(sizeof(A))..., 0u};
    const unsigned aligns[] = {static_cast<unsigned>(alignof(A))..., 1u};
    for (unsigned i = 0; i < sizeof...(A); ++i) {
      bytes = (bytes + aligns[i] - 1) / aligns[i] * aligns[i];
      at[i] = {static_cast<unsigned short>(bytes), static_cast<unsigned short>(sizes[i])};
      bytes += sizes[i];
    }
  }
};

template <class T>
inline SOFTGPU_UNCHECKED T argument(const char* from) {
  T value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}

template <class F, F* f>
struct kernel;

template <class... A, void (*f)(A...)>
struct kernel<void(A...), f> {
  static constexpr layout<A...> where{};
  static constexpr unsigned count = sizeof...(A);
  template <int... I>
  static SOFTGPU_UNCHECKED void call_with(const char* from, numbers<int, I...>) {
    f(argument<A>(from + where.at[I].offset)...);
  }
  static SOFTGPU_UNCHECKED void call(const char* from) { call_with(from, first<sizeof...(A)>{}); }
};

/// What a name expression names: a kernel or a variable. The other record says nothing.
template <auto* p>
struct named {
  static constexpr kernel_record kernel_of(const char*, const char*, unsigned) { return {}; }
  static constexpr variable_record variable_of(const char* name) { return {name, p, sizeof *p}; }
};

template <class... A, void (*f)(A...)>
struct named<f> {
  using made = softgpu::kernel<void(A...), f>;
  static constexpr kernel_record kernel_of(const char* name, const char* title, unsigned most_threads) {
    return {name, title, &made::call, made::where.at, made::count, made::where.bytes, most_threads};
  }
  static constexpr variable_record variable_of(const char*) { return {}; }
};

}  // namespace softgpu
