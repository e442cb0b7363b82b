// Products by cuBLAS. A stream has a handle of its own, and a workspace that graphs may keep; both are there for good.
#include "runtime/library/blas.hpp"

#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include <sinter/error.hpp>

#include "codegen/compile/toolkit.hpp"
#include "runtime/device/device.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/library/cuda/cublas.hpp"
#include "runtime/stream/capture.hpp"

namespace sinter::runtime {

namespace {

constexpr int success = 0, not_transposed = 0, transposed = 1, conjugate_transposed = 2, default_algorithm = -1;
constexpr int compute_float = 68, compute_double = 70, compute_tf32 = 77;

// Of cublasLt.h, whose handles are cuBLAS's. Descriptions are pointers to what the library allocates.
struct lt_algorithm {
  std::uint64_t data[8];
};
struct lt_choice {  // what cublasLtMatmulAlgoGetHeuristic writes
  lt_algorithm algorithm;
  std::size_t workspace;
  int state;
  float waves;
  int reserved[4];
};
constexpr int of_a = 3, of_b = 4, ending = 7, bias_at = 8;  // CUBLASLT_MATMUL_DESC_...
constexpr int most_workspace = 1, first_alignment = 5;      // CUBLASLT_MATMUL_PREF_..., of A; then B, C, D
constexpr int adds_bias = 4;                                // CUBLASLT_EPILOGUE_BIAS

#define SINTER_CUBLASLT_CALLS(X)                                                                                     \
  X(cublasLtMatmulDescCreate, (void** made, int compute, int scale_type))                                            \
  X(cublasLtMatmulDescDestroy, (void* description))                                                                  \
  X(cublasLtMatmulDescSetAttribute, (void* description, int attribute, const void* value, std::size_t size))         \
  X(cublasLtMatrixLayoutCreate, (void** made, int type, std::uint64_t rows, std::uint64_t columns, std::int64_t ld)) \
  X(cublasLtMatrixLayoutDestroy, (void* layout))                                                                     \
  X(cublasLtMatmulPreferenceCreate, (void** made))                                                                   \
  X(cublasLtMatmulPreferenceDestroy, (void* preference))                                                             \
  X(cublasLtMatmulPreferenceSetAttribute, (void* preference, int attribute, const void* value, std::size_t size))    \
  X(cublasLtMatmulAlgoGetHeuristic, (blas_handle handle, void* description, void* a, void* b, void* c, void* d,      \
                                     void* preference, int wanted, lt_choice* choices, int* found))                  \
  X(cublasLtMatmul, (blas_handle handle, void* description, const void* alpha, const void* a, void* a_lies,          \
                     const void* b, void* b_lies, const void* beta, const void* c, void* c_lies, void* d,            \
                     void* d_lies, const lt_algorithm* by, void* workspace, std::size_t bytes, void* stream))

struct cublas_lt {
#define SINTER_CUBLASLT_POINTER(name, parameters) int(*name) parameters = nullptr;
  SINTER_CUBLASLT_CALLS(SINTER_CUBLASLT_POINTER)
#undef SINTER_CUBLASLT_POINTER
#define SINTER_CUBLASLT_FUNCTION(name, parameters) {#name, &name},
  std::vector<library_function> functions() { return {SINTER_CUBLASLT_CALLS(SINTER_CUBLASLT_FUNCTION)}; }
#undef SINTER_CUBLASLT_FUNCTION
};

opened<cublas_lt>& the_cublas_lt() {
  static auto& one =
      *new opened<cublas_lt>({"cuBLASLt", "SINTER_CUBLASLT",
                              codegen::toolkit_files("SINTER_CUBLASLT", {"libcublasLt.so.13", "libcublasLt.so.12"}),
                              "the CUDA toolkit, and in nvidia-cublas (PyPI)"});
  return one;
}

opened<cublas>& the_cublas() {
  static auto& one = *new opened<cublas>(
      {"cuBLAS", "SINTER_CUBLAS", codegen::toolkit_files("SINTER_CUBLAS", {"libcublas.so.13", "libcublas.so.12"}),
       "the CUDA toolkit, and in nvidia-cublas (PyPI)"});
  return one;
}

struct handle_of_stream {
  std::mutex turns;  // of the threads that enqueue there
  blas_handle handle = nullptr;
  std::byte* workspace = nullptr;
  void* native = nullptr;  // the stream it enqueues on
};

handle_of_stream& place_of(const stream_state& on) {
  static auto& looking = *new std::mutex;
  static auto& all = *new std::map<const stream_state*, handle_of_stream>;
  const std::lock_guard hold(looking);
  return all[&on];
}

constexpr std::size_t workspace_size = 32 << 20;  // as much as cuBLAS itself takes on sm_90

// False: cuBLAS does not work with this driver.
bool has_handle(const cublas& api, handle_of_stream& mine) {
  constexpr int not_initialized = 1, mismatched = 8;
  if (mine.handle) return true;
  const int status = api.cublasCreate_v2(&mine.handle);
  if (status == not_initialized || status == mismatched) return false;
  check_cublas(status, "cublasCreate");
  return true;
}

void point_to(const cublas& api, handle_of_stream& mine, void* native, std::byte* workspace) {
  mine.native = nullptr;
  check_cublas(api.cublasSetStream_v2(mine.handle, native), "cublasSetStream");
  // After the stream, which takes the workspace away.
  if (workspace) check_cublas(api.cublasSetWorkspace_v2(mine.handle, workspace, workspace_size), "cublasSetWorkspace");
}

bool wants_tf32() {
  static const char* const set = std::getenv("SINTER_TF32");
  return set && std::strcmp(set, "1") == 0;
}

// TF32 is for operands of float32 alone; sums of numbers of 16 bits are of floats.
int computation(dtype t) {
  if (t == dtype::float64 || t == dtype::complex128) return compute_double;
  return wants_tf32() && !detail::is_short_floating(t) ? compute_tf32 : compute_float;
}

// A real number as cuBLAS takes it: in the dtype that it computes in.
class factor {
 public:
  factor(dtype t, double value)
      : is_double_(computation(t) == compute_double), wide_{value, 0}, narrow_{static_cast<float>(value), 0} {}
  const void* at() const { return is_double_ ? static_cast<const void*>(wide_) : narrow_; }

 private:
  bool is_double_;
  double wide_[2];
  float narrow_[2];
};

int operation_of(const blas_matrix& m) {
  return m.conjugated ? conjugate_transposed : m.transposed ? transposed : not_transposed;
}

}  // namespace

void check_cublas(int status, const char* call) {
  constexpr int no_memory = 3;
  if (status == success) return;
  if (status == no_memory)
    throw out_of_memory(detail::message("sinter: %s found no memory on the device", call).c_str(), 0, 0, 0);
  throw device_error(detail::message("sinter: %s failed with status %d of cublasStatus_t", call, status).c_str());
}

bool cublas_turn::begin(stream_state& on, std::string& why) {
  api_ = the_cublas().get(why);
  if (!api_) return false;
  handle_of_stream& mine = place_of(on);
  turn_ = std::unique_lock(mine.turns);
  on.device.use();
  if (!has_handle(*api_, mine)) return why = "cuBLAS does not work with this driver", false;
  handle_ = mine.handle;
  if (capture_of(on)) {
    of_graph_.reset(make_storage(workspace_size, on));
    point_to(*api_, mine, on.handle, of_graph_.get()->data);
    workspace_ = of_graph_.get()->data;
    return true;
  }
  if (!mine.native || mine.native != on.handle) {
    if (!mine.workspace) mine.workspace = on.device.memory(memory_kind::device).allocate(workspace_size);
    point_to(*api_, mine, on.handle, mine.workspace);
    mine.native = on.handle;
  }
  workspace_ = mine.workspace;
  return true;
}

// cuBLAS counts in columns: of matrices that are turned over, the product is b a.
bool multiply_on_gpu(const blas_product& p, stream_state& on, std::string& why) {
  if (!detail::is_inexact(p.type)) return why = "cuBLAS has no such product", false;
  cublas_turn turn;
  if (!turn.begin(on, why)) return false;
  const factor alpha(p.type, p.scale), beta(p.type, p.kept);
  const int type = cuda_type_of(p.type);
  check_cublas(turn.api().cublasGemmStridedBatchedEx_64(
                   turn.handle(), operation_of(p.b), operation_of(p.a), p.columns, p.rows, p.inner, alpha.at(),
                   p.b.data, type, p.b.leading, p.b.step, p.a.data, type, p.a.leading, p.a.step, beta.at(), p.to, type,
                   p.columns, p.rows * p.columns, p.batch, computation(p.type), default_algorithm),
               "cublasGemmStridedBatchedEx");
  return true;
}

namespace {

// A description that cuBLASLt allocates.
class described {
 public:
  explicit described(int (*destroy)(void*)) : destroy_(destroy) {}
  described(const described&) = delete;
  ~described() {
    if (at) destroy_(at);
  }
  void* at = nullptr;

 private:
  int (*const destroy_)(void*);
};

// A product with an addend as cuBLASLt is told of it: a matrix of columns is a's, which is p's b.
class lt_product {
 public:
  lt_product(const cublas_lt& api, const blas_product& p, const blas_addend& c) : api_(api), p_(p), c_(c) {
    const int type = cuda_type_of(p.type), compute = computation(p.type);
    const bool is_wide = compute == compute_double;
    const int scale_type = detail::is_complex(p.type) ? type : is_wide ? 1 : 0;
    check_cublas(api.cublasLtMatmulDescCreate(&how_.at, compute, scale_type), "cublasLtMatmulDescCreate");
    say(of_a, operation_of(p.b));
    say(of_b, operation_of(p.a));
    if (is_bias()) say(ending, adds_bias), say(bias_at, c.data);
    lie(a_, type, p.columns, p.inner, p.b.transposed, p.b.leading);
    lie(b_, type, p.inner, p.rows, p.a.transposed, p.a.leading);
    lie(addend_, type, p.columns, p.rows, false, is_bias() ? p.columns : c.leading);
    lie(to_, type, p.columns, p.rows, false, p.columns);
  }

  // One row for all is what the library calls a bias; it has no factor.
  static bool knows(const blas_product& p, const blas_addend& c) {
    constexpr std::uintptr_t vector = 16;  // bytes that its kernels may read at once
    return c.leading != 0 || (p.kept == 1 && reinterpret_cast<std::uintptr_t>(c.data) % vector == 0);
  }

  lt_choice choose(blas_handle handle) {
    described wishes(api_.cublasLtMatmulPreferenceDestroy);
    check_cublas(api_.cublasLtMatmulPreferenceCreate(&wishes.at), "cublasLtMatmulPreferenceCreate");
    const auto wish = [&](int attribute, const auto& value) {
      check_cublas(api_.cublasLtMatmulPreferenceSetAttribute(wishes.at, attribute, &value, sizeof value),
                   "cublasLtMatmulPreferenceSetAttribute");
    };
    wish(most_workspace, std::uint64_t{workspace_size});
    int number = 0;
    for (const std::byte* at : places()) wish(first_alignment + number++, alignment_of(at));
    lt_choice best{};
    int found = 0;
    const int status = api_.cublasLtMatmulAlgoGetHeuristic(handle, how_.at, a_.at, b_.at, addend_.at, to_.at, wishes.at,
                                                           1, &best, &found);
    constexpr int not_supported = 15;
    if (status == not_supported || (status == success && found == 0)) best.state = not_supported;
    else check_cublas(status, "cublasLtMatmulAlgoGetHeuristic");
    return best;
  }

  void enqueue(blas_handle handle, const lt_choice& by, std::byte* workspace, void* stream) {
    const factor alpha(p_.type, p_.scale), beta(p_.type, is_bias() ? 0 : p_.kept);
    check_cublas(
        api_.cublasLtMatmul(handle, how_.at, alpha.at(), p_.b.data, a_.at, p_.a.data, b_.at, beta.at(), places()[2],
                            addend_.at, p_.to, to_.at, &by.algorithm, workspace, workspace_size, stream),
        "cublasLtMatmul");
  }

  // All that a choice depends on.
  std::vector<std::int64_t> key() const {
    std::vector<std::int64_t> k{static_cast<int>(p_.type), p_.rows,      p_.columns,   p_.inner,  operation_of(p_.a),
                                operation_of(p_.b),        p_.a.leading, p_.b.leading, c_.leading};
    for (const std::byte* at : places()) k.push_back(alignment_of(at));
    return k;
  }

 private:
  bool is_bias() const { return c_.leading == 0; }
  std::array<const std::byte*, 4> places() const { return {p_.b.data, p_.a.data, is_bias() ? p_.to : c_.data, p_.to}; }
  static std::uint32_t alignment_of(const std::byte* at) {
    constexpr std::uintptr_t most = 256;
    const auto place = reinterpret_cast<std::uintptr_t>(at) | most;
    return static_cast<std::uint32_t>(place & (~place + 1));
  }
  template <class V>
  void say(int attribute, const V& value) {
    check_cublas(api_.cublasLtMatmulDescSetAttribute(how_.at, attribute, &value, sizeof value),
                 "cublasLtMatmulDescSetAttribute");
  }
  void lie(described& m, int type, std::int64_t rows, std::int64_t columns, bool turned, std::int64_t leading) {
    if (turned) std::swap(rows, columns);
    check_cublas(api_.cublasLtMatrixLayoutCreate(&m.at, type, static_cast<std::uint64_t>(rows),
                                                 static_cast<std::uint64_t>(columns), leading),
                 "cublasLtMatrixLayoutCreate");
  }

  const cublas_lt& api_;
  const blas_product& p_;
  const blas_addend& c_;
  described how_{api_.cublasLtMatmulDescDestroy};
  described a_{api_.cublasLtMatrixLayoutDestroy}, b_{api_.cublasLtMatrixLayoutDestroy};
  described addend_{api_.cublasLtMatrixLayoutDestroy}, to_{api_.cublasLtMatrixLayoutDestroy};
};

// Of a product on a device: the library takes some 20 us to choose.
lt_choice choice_for(lt_product& product, const device_impl& on, blas_handle handle) {
  static auto& looking = *new std::mutex;
  static auto& all = *new std::map<std::pair<const device_impl*, std::vector<std::int64_t>>, lt_choice>;
  const std::lock_guard hold(looking);
  std::pair key{&on, product.key()};
  if (const auto at = all.find(key); at != all.end()) return at->second;
  return all.emplace(std::move(key), product.choose(handle)).first->second;
}

}  // namespace

bool multiply_and_add_on_gpu(const blas_product& p, const blas_addend& c, stream_state& on, std::string& why) {
  if (!lt_product::knows(p, c)) return why = "cuBLASLt has no such product", false;
  const cublas_lt* const library = the_cublas_lt().get(why);
  cublas_turn turn;
  if (!library || !turn.begin(on, why)) return false;
  lt_product product(*library, p, c);
  const lt_choice choice = choice_for(product, on.device, turn.handle());
  if (choice.state != success) return why = "cuBLASLt has no such product", false;
  product.enqueue(turn.handle(), choice, turn.workspace(), on.handle);
  return true;
}

}  // namespace sinter::runtime
