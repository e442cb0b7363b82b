// A stand-in for cuBLASLt: products that add an array, or a row of it, on the way.
#include <cstddef>
#include <new>

#include "product_work.hpp"

namespace softgpu {
namespace {

struct description {
  int compute, type;
  int a_is = 0, b_is = 0;
  int ending = 1;  // CUBLASLT_EPILOGUE_DEFAULT
  const void* bias = nullptr;
};

struct layout {
  int type;
  std::uint64_t rows, columns;
  std::int64_t leading;
};

struct preference {
  std::uint64_t workspace = 0;
  std::uint32_t alignments[4] = {256, 256, 256, 256};
};

struct algorithm {
  std::uint64_t data[8];
};
struct choice {
  algorithm by;
  std::size_t workspace;
  int state;
  float waves;
  int reserved[4];
};
constexpr std::uint64_t chosen_here = 0x50f7;  // an algorithm that nobody chose is none
constexpr int adds_bias = 4;                   // CUBLASLT_EPILOGUE_BIAS
constexpr std::size_t wanted_workspace = 4096;

template <class T>
int make(const char* call, void** made, const T& as) {
  return blas_status(enter({call, needs::nothing, out_of_memory}, [&](call_context) -> result {
    *made = new (std::nothrow) T(as);
    return *made ? 0 : out_of_memory;
  }));
}

// Sets a number of the size that the attribute has.
template <class T>
bool set(T& to, const void* value, std::size_t size) {
  if (size != sizeof to) return false;
  std::memcpy(&to, value, size);
  return true;
}

bool fits(const description& d, const layout& a, const layout& b, const layout& c, const layout& to) {
  const std::uint64_t inner = d.a_is ? a.rows : a.columns;
  const auto has_room = [](const layout& l) { return l.leading >= static_cast<std::int64_t>(l.rows); };
  return (d.a_is ? a.columns : a.rows) == to.rows && (d.b_is ? b.rows : b.columns) == to.columns &&
         (d.b_is ? b.columns : b.rows) == inner && c.rows == to.rows && c.columns == to.columns && a.type == b.type &&
         b.type == c.type && c.type == to.type && has_room(a) && has_room(b) && has_room(c) && has_room(to) &&
         computes(a.type, d.compute) && (d.ending != adds_bias || d.bias);
}

}  // namespace

SOFTGPU_CUBLAS cublasLtMatmulDescCreate(void** made, int compute, int type) {
  return make("cublasLtMatmulDescCreate", made, description{compute, type});
}
SOFTGPU_CUBLAS cublasLtMatmulDescDestroy(void* d) {
  delete static_cast<description*>(d);
  return 0;
}
SOFTGPU_CUBLAS cublasLtMatmulDescSetAttribute(void* of, int attribute, const void* value, std::size_t size) {
  description& d = *static_cast<description*>(of);
  return blas_status(enter({"cublasLtMatmulDescSetAttribute", needs::nothing}, [&](call_context) -> result {
    const bool is_set = attribute == 3   ? set(d.a_is, value, size)
                        : attribute == 4 ? set(d.b_is, value, size)
                        : attribute == 7 ? set(d.ending, value, size)
                        : attribute == 8 ? set(d.bias, value, size)
                                         : false;
    return is_set ? 0 : invalid_value;
  }));
}

SOFTGPU_CUBLAS cublasLtMatrixLayoutCreate(void** made, int type, std::uint64_t rows, std::uint64_t columns,
                                          std::int64_t leading) {
  return make("cublasLtMatrixLayoutCreate", made, layout{type, rows, columns, leading});
}
SOFTGPU_CUBLAS cublasLtMatrixLayoutDestroy(void* l) {
  delete static_cast<layout*>(l);
  return 0;
}

SOFTGPU_CUBLAS cublasLtMatmulPreferenceCreate(void** made) {
  return make("cublasLtMatmulPreferenceCreate", made, preference{});
}
SOFTGPU_CUBLAS cublasLtMatmulPreferenceDestroy(void* p) {
  delete static_cast<preference*>(p);
  return 0;
}
SOFTGPU_CUBLAS cublasLtMatmulPreferenceSetAttribute(void* of, int attribute, const void* value, std::size_t size) {
  preference& p = *static_cast<preference*>(of);
  return blas_status(enter({"cublasLtMatmulPreferenceSetAttribute", needs::nothing}, [&](call_context) -> result {
    if (attribute == 1) return set(p.workspace, value, size) ? 0 : invalid_value;
    const bool is_alignment = attribute >= 5 && attribute <= 8;
    return is_alignment && set(p.alignments[attribute - 5], value, size) ? 0 : invalid_value;
  }));
}

// The alignments that were promised travel in the algorithm, and are held against the places that it is used for.
SOFTGPU_CUBLAS cublasLtMatmulAlgoGetHeuristic(blas_handle*, void* how, void* a, void* b, void* c, void* to,
                                              void* wishes, int wanted, choice* choices, int* found) {
  return blas_status(enter({"cublasLtMatmulAlgoGetHeuristic", needs::context}, [&](call_context) -> result {
    const preference& p = *static_cast<preference*>(wishes);
    const auto at = [](void* l) -> const layout& { return *static_cast<layout*>(l); };
    if (wanted < 1 || !fits(*static_cast<description*>(how), at(a), at(b), at(c), at(to))) return invalid_value;
    *found = p.workspace >= wanted_workspace;
    choices[0] = {{{chosen_here, p.alignments[0], p.alignments[1], p.alignments[2], p.alignments[3]}},
                  wanted_workspace,
                  0,
                  1,
                  {}};
    return 0;
  }));
}

SOFTGPU_CUBLAS cublasLtMatmul(blas_handle*, void* how, const void* alpha, const void* a, void* a_lies, const void* b,
                              void* b_lies, const void* beta, const void* c, void* c_lies, void* to, void* to_lies,
                              const algorithm* by, void* workspace, std::size_t bytes, cu_stream stream) {
  return blas_status(
      in_stream({"cublasLtMatmul", needs::context}, stream, [&](call_context x, softgpu::stream& s) -> result {
        const description& d = *static_cast<description*>(how);
        const auto at = [](void* l) -> const layout& { return *static_cast<layout*>(l); };
        const layout& result_lies = at(to_lies);
        if (!fits(d, at(a_lies), at(b_lies), at(c_lies), result_lies) || by->data[0] != chosen_here ||
            bytes < wanted_workspace || !x.on.memory.find(reinterpret_cast<address>(workspace)))
          return invalid_value;
        const void* const places[] = {a, b, c, to};
        for (int i = 0; i < 4; ++i)
          if (reinterpret_cast<address>(places[i]) % by->data[1 + i] != 0) return invalid_value;
        const auto lies = [](const void* m, int is, const layout& l) {
          return matrix{reinterpret_cast<address>(m), is != 0, is == 2, l.leading, 0};
        };
        const bool is_bias = d.ending == adds_bias;
        if (is_bias && real_factor(result_lies.type, beta) != 0) return invalid_value;
        const auto inner = static_cast<std::int64_t>(d.a_is ? at(a_lies).rows : at(a_lies).columns);
        product p{result_lies.type,
                  static_cast<std::int64_t>(result_lies.rows),
                  static_cast<std::int64_t>(result_lies.columns),
                  inner,
                  1,
                  lies(a, d.a_is, at(a_lies)),
                  lies(b, d.b_is, at(b_lies)),
                  is_bias ? matrix{reinterpret_cast<address>(d.bias), false, false, 0, 0} : lies(c, 0, at(c_lies)),
                  lies(to, 0, result_lies),
                  real_factor(result_lies.type, alpha),
                  is_bias ? 1 : real_factor(result_lies.type, beta)};
        return submit(x.on, s,
                      std::make_shared<product_work>("cublasLtMatmul", p, reinterpret_cast<address>(workspace)));
      }));
}

}  // namespace softgpu
