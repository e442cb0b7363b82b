#include "codegen/function/scatter.hpp"

#include <bit>

namespace sinter::codegen {

namespace {

using detail::facts;

constexpr int shared_bytes = 32 * 1024;  // in which a block may fold by itself

// What is only moved is moved as bits; a complex number is folded as two real ones.
std::string type_text(const scatter_form& f) {
  if (f.fold == scatter_fold::last && facts(f.type).size == 16) return "uint4";
  if (f.fold == scatter_fold::last) return facts(detail::integer_of(facts(f.type).size, false)).text;
  return f.type == dtype::bool_ ? "unsigned char" : facts(detail::real_part_of(f.type)).text;
}
std::string unsigned_text(int size) { return facts(detail::integer_of(size, false)).text; }

// What every kernel begins with: an element, its bits, how far apart elements are, and which part of the work a thread has.
std::string head(const scatter_form& f) {
  const std::string bits = unsigned_text(facts(detail::real_part_of(f.type)).size);
  return "typedef " + type_text(f) + " T;\ntypedef " + bits + " B;\n#define apart " + std::to_string(parts_of(f)) +
         "\n";
}
constexpr const char* parameters = R"(
extern "C" __global__ void __launch_bounds__(256) sinter_kernel(
    T* out, const long long* __restrict__ at, const T* __restrict__ values, unsigned long long* notes,
    const long long count, const long long elements, const int bits, const int by_element, const int step) {
  const long long first = (long long)blockIdx.x * blockDim.x + threadIdx.x, stride = (long long)gridDim.x * blockDim.x;
)";

// ---- last

constexpr const char* last_text = R"(
  long long* const winner = (long long*)notes;
  if (step == 0)
    for (long long i = first; i < count; i += stride) atomicExch((unsigned long long*)(winner + at[i]), ~0ull);  // -1
  else if (step == 1)
    for (long long i = first; i < count; i += stride) atomicMax(winner + at[i], i);
  else
    for (long long i = first; i < count; i += stride)
      if (winner[at[i]] == i) out[at[i]] = values[i];
}
)";

// ---- add, max, min

// Has the device an atomic operation for it? By the type that it takes.
std::string atomic_type(const scatter_form& f) {
  const dtype type = detail::real_part_of(f.type);
  const int size = facts(type).size;
  if (size < 4) return "";
  if (f.fold == scatter_fold::add) return detail::is_floating(type) ? facts(type).text : unsigned_text(size);
  return detail::is_floating(f.type) ? "" : facts(f.type).text;
}

// Two values as one. Of two zeros max takes the positive one and min the other, so that no order of folding shows.
std::string folded_text(const scatter_form& f) {
  if (f.fold == scatter_fold::add) return "(T)(a + b)";
  const std::string order = f.fold == scatter_fold::max ? ">" : "<";
  const std::string better = "a " + order + " b";
  if (!detail::is_floating(f.type)) return better + " ? a : b";
  const std::string zeros = f.fold == scatter_fold::max ? "&" : "|";
  return "a != a || " + better + " ? a : b != b || b " + order + " a ? b : of_bits(bits_of(a) " + zeros +
         " bits_of(b))";
}

// What changes nothing: it stands in a block's own elements before anything is folded in.
std::string identity_text(const scatter_form& f) {
  if (f.fold == scatter_fold::add) return "(T)0";
  const bool lowest = f.fold == scatter_fold::max, is_signed = facts(f.type).is_signed;
  if (f.type == dtype::float32) return lowest ? "of_bits(0xff800000u)" : "of_bits(0x7f800000u)";
  if (f.type == dtype::float64) return lowest ? "of_bits(0xfff0000000000000ull)" : "of_bits(0x7ff0000000000000ull)";
  if (f.type == dtype::bool_) return lowest ? "(T)0" : "(T)1";
  const std::string sign = "(B)((B)1 << (sizeof(B) * 8 - 1))";
  if (is_signed) return lowest ? "(T)" + sign : "(T)(B)~" + sign;
  return lowest ? "(T)0" : "(T)(B)~(B)0";
}

// Where there is no atomic operation: the word that an element lies in is exchanged until nothing came between.
constexpr const char* exchanging_text = R"(
static __device__ __forceinline__ void fold(T* to, const T v) {
  typedef $W W;
  W* const word = (W*)((unsigned long long)to & ~(unsigned long long)(sizeof(W) - 1));
  const int shift = (int)((unsigned long long)to & (sizeof(W) - 1)) * 8;
  const W mask = (W)(B)~(B)0 << shift;
  for (W old = *(volatile W*)word;;) {
    const B before = (B)(old >> shift), after = bits_of(folded(of_bits(before), v));
    if (after == before) return;
    const W seen = atomicCAS(word, old, (old & ~mask) | ((W)after << shift));
    if (seen == old) return;
    old = seen;
  }
}
)";

constexpr const char* folding_text = R"(
  for (long long i = first; i < count; i += stride) fold(out + at[i] * apart, values[i * apart]);
}
)";
constexpr const char* folding_few_text = R"(
  alignas(8) __shared__ T kept[few];
  for (int e = threadIdx.x; e < (int)elements; e += blockDim.x) kept[e] = identity;
  __syncthreads();
  for (long long i = first; i < count; i += stride) fold(kept + at[i], values[i * apart]);
  __syncthreads();
  for (int e = threadIdx.x; e < (int)elements; e += blockDim.x)
    if (kept[e] != identity) fold(out + e * apart, kept[e]);
}
)";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

std::string fold_text(const scatter_form& f) {
  const std::string a = atomic_type(f);
  std::string text =
      "union pun { T value; B bits; };\n"
      "static __device__ __forceinline__ T of_bits(const B b) { pun p; p.bits = b; return p.value; }\n"
      "static __device__ __forceinline__ B bits_of(const T v) { pun p; p.value = v; return p.bits; }\n";
  if (a.empty()) {
    text += "static __device__ __forceinline__ T folded(const T a, const T b) { return " + folded_text(f) + "; }";
    text += replaced(exchanging_text, "$W", unsigned_text(facts(f.type).size == 8 ? 8 : 4));
  } else {
    const char* const name = f.fold == scatter_fold::add   ? "atomicAdd"
                             : f.fold == scatter_fold::max ? "atomicMax"
                                                           : "atomicMin";
    text += "static __device__ __forceinline__ void fold(T* to, const T v) { " + std::string(name) + "((" + a +
            "*)to, (" + a + ")v); }\n";
  }
  if (f.few == 0) return text + parameters + folding_text;
  return text + "#define few " + std::to_string(f.few) + "\n#define identity " + identity_text(f) + "\n" + parameters +
         folding_few_text;
}

// ---- sum

// A term is a multiple of a unit, so that adding them is adding integers, which no order changes. `top`: the biased exponent of
// the largest term of an element, plus 1; 0: there is none; from `unbounded` on: one of them is not finite, and which of the
// infinities there are.
constexpr const char* sum_text = R"(
typedef unsigned long long U;
#define unbounded (1 << 29)
static __device__ __forceinline__ int top_of(const double v, const int exponent) {
  if (exponent != $INFINITE) return exponent + 1;
  return v > 0 ? unbounded : v < 0 ? unbounded << 1 : unbounded | unbounded << 1;
}
static __device__ __forceinline__ int top_of(const float v) { return top_of(v, (int)(__float_as_uint(v) >> 23 & 0xff)); }
static __device__ __forceinline__ int top_of(const double v) {
  return top_of(v, (int)((U)__double_as_longlong(v) >> 52 & 0x7ff));
}
static __device__ __forceinline__ void raise(int* to, const int top) {
  if (top >= unbounded) atomicOr(to, top);
  else if (*(const volatile int*)to < top) atomicMax(to, top);  // most have a larger one before them
}
// x times 2 to the n.
static __device__ __forceinline__ double power(const int n) { return __longlong_as_double((long long)(n + 1023) << 52); }
static __device__ __forceinline__ double scaled(const double x, const int n) {
  return x * power(n / 2) * power(n - n / 2);
}
static __device__ __forceinline__ int unit_of(const int top, const int bits) { return top - $BIAS - bits; }

// Shared memory has no addition of 64 bits: the carry is added by hand.
static __device__ __forceinline__ void add(U* to, const U x) {
#if few
  const unsigned low = (unsigned)x, before = atomicAdd((unsigned*)to, low);
  atomicAdd((unsigned*)to + 1, (unsigned)(x >> 32) + (before + low < before));
#else
  atomicAdd(to, x);
#endif
}

#if limbs == 1
static __device__ __forceinline__ void put(U* sums, const long long, const T v, const int unit) {
  add(sums, (U)__double2ll_rn(scaled(v, -unit)));
}
static __device__ __forceinline__ double total(const U* sums, const long long, const int unit) {
  return scaled((double)(long long)sums[0], unit);
}
#else
static __device__ __forceinline__ void put(U* sums, const long long limbs_apart, const T v, const int unit) {
  const double x = scaled(v, -unit), whole = floor(x);
  add(sums, (U)(long long)whole);
  add(sums + limbs_apart, (U)((x - whole) * 4294967296.0));
}
static __device__ __forceinline__ double total(const U* sums, const long long limbs_apart, const int unit) {
  const long long whole = (long long)(sums[0] + (sums[limbs_apart] >> 32));
  return scaled((double)whole + (double)(unsigned)sums[limbs_apart] * (1.0 / 4294967296.0), unit);
}
#endif
static __device__ __forceinline__ void finish(T* to, const U* sums, const long long limbs_apart, const int top, const int bits) {
  double all;
  if (top < unbounded) all = total(sums, limbs_apart, unit_of(top, bits));
  else if ((top & unbounded) && (top & unbounded << 1)) all = __longlong_as_double(0x7ff8000000000000ll);
  else all = __longlong_as_double((top & unbounded) ? 0x7ff0000000000000ll : (long long)0xfff0000000000000ull);
  *to = (T)((double)*to + all);
}
)";

constexpr const char* summing_text = R"(
  U* const sums = notes;
  int* const tops = (int*)(notes + limbs * elements);
  if (step == 0) {
    if (by_element)
      for (long long e = first; e < elements; e += stride) {
        tops[e] = 0;
        for (int l = 0; l < limbs; ++l) sums[e + l * elements] = 0;
      }
    else
      for (long long i = first; i < count; i += stride) {
        atomicExch(tops + at[i], 0);
        for (int l = 0; l < limbs; ++l) atomicExch(sums + at[i] + l * elements, 0ull);
      }
  } else if (step == 4) {
    $MEASURE
  } else if (step == 5) {
    $ADD
  } else if (by_element) {
    for (long long e = first; e < elements; e += stride)
      if (tops[e]) finish(out + e * apart, sums + e, elements, tops[e], bits);
  } else {
    for (long long i = first; i < count; i += stride) {
      const int top = atomicExch(tops + at[i], 0);  // the first of an element's positions finishes it
      if (top) finish(out + at[i] * apart, sums + at[i], elements, top, bits);
    }
  }
}
)";
constexpr const char* measure_text =
    R"(for (long long i = first; i < count; i += stride) raise(tops + at[i], top_of(values[i * apart]));)";
constexpr const char* measure_few_text = R"(__shared__ int kept[few];
    for (int e = threadIdx.x; e < (int)elements; e += blockDim.x) kept[e] = 0;
    __syncthreads();
    for (long long i = first; i < count; i += stride) raise(kept + at[i], top_of(values[i * apart]));
    __syncthreads();
    for (int e = threadIdx.x; e < (int)elements; e += blockDim.x)
      if (kept[e]) raise(tops + e, kept[e]);)";
constexpr const char* add_text = R"(for (long long i = first; i < count; i += stride) {
      const int top = tops[at[i]];
      if (top < unbounded) put(sums + at[i], elements, values[i * apart], unit_of(top, bits));
    })";
constexpr const char* add_few_text = R"(__shared__ U kept[limbs * few];
    __shared__ int units[few];
    for (int e = threadIdx.x; e < (int)elements; e += blockDim.x) {
      units[e] = tops[e] < unbounded ? unit_of(tops[e], bits) : unbounded;
      for (int l = 0; l < limbs; ++l) kept[e + l * few] = 0;
    }
    __syncthreads();
    for (long long i = first; i < count; i += stride) {
      const int unit = units[at[i]];
      if (unit != unbounded) put(kept + at[i], few, values[i * apart], unit);
    }
    __syncthreads();
    for (int e = threadIdx.x; e < (int)elements; e += blockDim.x)
      for (int l = 0; l < limbs; ++l)
        if (kept[e + l * few]) atomicAdd(sums + e + l * elements, kept[e + l * few]);)";

int limbs_of(dtype t) { return detail::real_part_of(t) == dtype::float64 ? 2 : 1; }

std::string sum_kernel(const scatter_form& f) {
  const bool wide = detail::real_part_of(f.type) == dtype::float64;
  std::string text = replaced(sum_text, "$INFINITE", wide ? "0x7ff" : "0xff");
  text = replaced(text, "$BIAS", wide ? "1023" : "127");
  std::string work = replaced(summing_text, "$MEASURE", f.few ? measure_few_text : measure_text);
  work = replaced(work, "$ADD", f.few ? add_few_text : add_text);
  return "#define limbs " + std::to_string(limbs_of(f.type)) + "\n#define few " + std::to_string(f.few) + "\n" + text +
         parameters + work;
}

// What a block keeps of an element.
int kept_size(scatter_fold fold, dtype type) {
  return fold == scatter_fold::sum ? 8 * limbs_of(type) + 4 : facts(detail::real_part_of(type)).size;
}

}  // namespace

scatter_form form_of_scatter(scatter_fold fold, dtype type, std::int64_t count, std::int64_t elements) {
  scatter_form f{fold, type};
  if (fold == scatter_fold::last || elements > count / 16) return f;
  const int most = static_cast<int>(std::bit_floor(static_cast<unsigned>(shared_bytes / kept_size(fold, type))));
  for (int few : {256, most})
    if (elements <= few) {
      f.few = few;
      break;
    }
  return f;
}

std::vector<scatter_step> steps_of(const scatter_form& f) {
  using enum scatter_step;
  if (f.fold == scatter_fold::last) return {clear, bid, write};
  if (f.fold == scatter_fold::sum) return {clear, measure, add, finish};
  return {fold};
}

int note_size(const scatter_form& f) {
  if (f.fold == scatter_fold::last) return 8;
  return f.fold == scatter_fold::sum ? 8 * limbs_of(f.type) + 4 : 0;
}

int parts_of(const scatter_form& f) { return detail::is_complex(f.type) && f.fold != scatter_fold::last ? 2 : 1; }

int term_bits(std::int64_t count) { return 62 - std::bit_width(static_cast<std::uint64_t>(count)); }

std::string scatter_text(const scatter_form& f) {
  static constexpr const char* names[] = {"last", "add", "max", "min", "sum"};
  const std::string title =
      std::string("// scatter: ") + names[static_cast<int>(f.fold)] + " of " + facts(f.type).name + "\n";
  switch (f.fold) {
    case scatter_fold::last: return title + head(f) + parameters + last_text;
    case scatter_fold::sum: return title + head(f) + sum_kernel(f);
    default: return title + head(f) + fold_text(f);
  }
}

}  // namespace sinter::codegen
