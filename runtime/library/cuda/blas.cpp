// Products by cuBLAS. A stream has a handle of its own, and a workspace that graphs may keep; both are there for good.
#include "runtime/library/blas.hpp"

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include <sinter/error.hpp>

#include "codegen/compile/toolkit.hpp"
#include "runtime/device/device.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/library/opened.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/stream/capture.hpp"

namespace sinter::runtime {

namespace {

using blas_handle = struct cublas_handle_object*;

// Of cublas_api.h and library_types.h: statuses, operations, dtypes and computations are numbers.
constexpr int success = 0, not_transposed = 0, transposed = 1, default_algorithm = -1;
constexpr int compute_float = 68, compute_double = 70, compute_tf32 = 77;

#define SINTER_CUBLAS_CALLS(X)                                                                                        \
  X(cublasCreate_v2, (blas_handle * handle))                                                                          \
  X(cublasSetStream_v2, (blas_handle handle, void* stream))                                                           \
  X(cublasSetWorkspace_v2, (blas_handle handle, void* workspace, std::size_t bytes))                                  \
  X(cublasGemmStridedBatchedEx_64,                                                                                    \
    (blas_handle handle, int a_is, int b_is, std::int64_t m, std::int64_t n, std::int64_t k, const void* alpha,       \
     const void* a, int a_type, std::int64_t lda, long long a_step, const void* b, int b_type, std::int64_t ldb,      \
     long long b_step, const void* beta, void* c, int c_type, std::int64_t ldc, long long c_step, std::int64_t batch, \
     int compute, int algorithm))

struct cublas {
#define SINTER_CUBLAS_POINTER(name, parameters) int(*name) parameters = nullptr;
  SINTER_CUBLAS_CALLS(SINTER_CUBLAS_POINTER)
#undef SINTER_CUBLAS_POINTER
#define SINTER_CUBLAS_FUNCTION(name, parameters) {#name, &name},
  std::vector<library_function> functions() { return {SINTER_CUBLAS_CALLS(SINTER_CUBLAS_FUNCTION)}; }
#undef SINTER_CUBLAS_FUNCTION
};

opened<cublas>& the_cublas() {
  static auto& one = *new opened<cublas>(
      {"cuBLAS", "SINTER_CUBLAS", codegen::toolkit_files("SINTER_CUBLAS", {"libcublas.so.13", "libcublas.so.12"}),
       "the CUDA toolkit, and in nvidia-cublas (PyPI)"});
  return one;
}

void check(int status, const char* call) {
  constexpr int no_memory = 3;
  if (status == success) return;
  if (status == no_memory)
    throw out_of_memory(detail::message("sinter: %s found no memory on the device", call).c_str(), 0, 0, 0);
  throw device_error(detail::message("sinter: %s failed with status %d of cublasStatus_t", call, status).c_str());
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
  check(status, "cublasCreate");
  return true;
}

void point_to(const cublas& api, handle_of_stream& mine, void* native, std::byte* workspace) {
  mine.native = nullptr;
  check(api.cublasSetStream_v2(mine.handle, native), "cublasSetStream");
  // After the stream, which takes the workspace away.
  if (workspace) check(api.cublasSetWorkspace_v2(mine.handle, workspace, workspace_size), "cublasSetWorkspace");
}

int type_of(dtype t) {
  switch (t) {
    case dtype::float16: return 2;
    case dtype::bfloat16: return 14;
    case dtype::float32: return 0;
    case dtype::float64: return 1;
    case dtype::complex64: return 4;
    default: return 5;
  }
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

}  // namespace

// cuBLAS counts in columns: of matrices that are turned over, the product is b a.
bool multiply_on_gpu(const blas_product& p, stream_state& on, std::string& why) {
  if (!detail::is_inexact(p.type)) return why = "cuBLAS has no such product", false;
  const cublas* const library = the_cublas().get(why);
  if (!library) return false;
  const cublas& api = *library;
  handle_of_stream& mine = place_of(on);
  const std::lock_guard turn(mine.turns);
  on.device.use();
  if (!has_handle(api, mine)) return why = "cuBLAS does not work with this driver", false;
  storage_holder of_graph;
  if (capture_of(on)) {  // a graph may run beside the streams it was captured on, so it has a workspace of its own
    of_graph.reset(make_storage(workspace_size, on));
    point_to(api, mine, on.handle, of_graph.get()->data);
  } else if (!mine.native || mine.native != on.handle) {
    if (!mine.workspace) mine.workspace = on.device.memory(memory_kind::device).allocate(workspace_size);
    point_to(api, mine, on.handle, mine.workspace);
    mine.native = on.handle;
  }
  const bool is_double = p.type == dtype::float64 || p.type == dtype::complex128;
  const double one[] = {1, 0}, zero[] = {0, 0};
  const float ones[] = {1, 0}, zeros[] = {0, 0};
  const void* const alpha = is_double ? static_cast<const void*>(one) : ones;
  const void* const beta = is_double ? static_cast<const void*>(zero) : zeros;
  const auto is = [](const blas_matrix& m) { return m.transposed ? transposed : not_transposed; };
  const int type = type_of(p.type);
  check(api.cublasGemmStridedBatchedEx_64(mine.handle, is(p.b), is(p.a), p.columns, p.rows, p.inner, alpha, p.b.data,
                                          type, p.b.leading, p.b.step, p.a.data, type, p.a.leading, p.a.step, beta,
                                          p.to, type, p.columns, p.rows * p.columns, p.batch, computation(p.type),
                                          default_algorithm),
        "cublasGemmStridedBatchedEx");
  return true;
}

}  // namespace sinter::runtime
