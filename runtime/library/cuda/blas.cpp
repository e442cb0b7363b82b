// Products by cuBLAS. A stream has a handle of its own, and a workspace that graphs may keep; both are there for good.
#include "runtime/library/blas.hpp"

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include <sinter/error.hpp>

#include "codegen/compile/toolkit.hpp"
#include "runtime/device/device.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/library/cuda/cublas.hpp"
#include "runtime/stream/capture.hpp"

namespace sinter::runtime {

namespace {

constexpr int success = 0, not_transposed = 0, transposed = 1, default_algorithm = -1;
constexpr int compute_float = 68, compute_double = 70, compute_tf32 = 77;

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
  } else if (!mine.native || mine.native != on.handle) {
    if (!mine.workspace) mine.workspace = on.device.memory(memory_kind::device).allocate(workspace_size);
    point_to(*api_, mine, on.handle, mine.workspace);
    mine.native = on.handle;
  }
  return true;
}

// cuBLAS counts in columns: of matrices that are turned over, the product is b a.
bool multiply_on_gpu(const blas_product& p, stream_state& on, std::string& why) {
  if (!detail::is_inexact(p.type)) return why = "cuBLAS has no such product", false;
  cublas_turn turn;
  if (!turn.begin(on, why)) return false;
  const bool is_double = p.type == dtype::float64 || p.type == dtype::complex128;
  const double one[] = {1, 0}, zero[] = {0, 0};
  const float ones[] = {1, 0}, zeros[] = {0, 0};
  const void* const alpha = is_double ? static_cast<const void*>(one) : ones;
  const void* const beta = is_double ? static_cast<const void*>(zero) : zeros;
  const auto is = [](const blas_matrix& m) { return m.transposed ? transposed : not_transposed; };
  const int type = cuda_type_of(p.type);
  check_cublas(turn.api().cublasGemmStridedBatchedEx_64(
                   turn.handle(), is(p.b), is(p.a), p.columns, p.rows, p.inner, alpha, p.b.data, type, p.b.leading,
                   p.b.step, p.a.data, type, p.a.leading, p.a.step, beta, p.to, type, p.columns, p.rows * p.columns,
                   p.batch, computation(p.type), default_algorithm),
               "cublasGemmStridedBatchedEx");
  return true;
}

}  // namespace sinter::runtime
