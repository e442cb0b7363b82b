// A stream's handle of cuSOLVER. It is there for good, with what no call changes.
#pragma once

#include <map>
#include <mutex>

#include <sinter/error.hpp>

#include "codegen/compile/toolkit.hpp"
#include "runtime/device/device.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/library/cuda/cusolver.hpp"

namespace sinter::runtime {

/// cuSOLVER's functions, or those that earlier versions lack.
template <class Table>
opened<Table>& the_cusolver() {
  static auto& one =
      *new opened<Table>({"cuSOLVER", "SINTER_CUSOLVER",
                          codegen::toolkit_files("SINTER_CUSOLVER", {"libcusolver.so.12", "libcusolver.so.11"}),
                          "the CUDA toolkit, and in nvidia-cusolver (PyPI)"});
  return one;
}

/// Errors: `device_error`, `out_of_memory` for a status that is none of success.
inline void check_cusolver(int status, const char* call) {
  constexpr int no_memory = 2;
  if (status == 0) return;
  if (status == no_memory)
    throw out_of_memory(detail::message("sinter: %s found no memory on the device", call).c_str(), 0, 0, 0);
  throw device_error(detail::message("sinter: %s failed with status %d of cusolverStatus_t", call, status).c_str());
}

struct cusolver_handle {
  std::mutex turns;  // of the threads that enqueue there
  solver_handle handle = nullptr;
  solver_params params = nullptr;
  jacobi_params jacobi = nullptr;
  void* native = nullptr;  // the stream it enqueues on
};

inline cusolver_handle& cusolver_handle_of(const stream_state& on) {
  static auto& looking = *new std::mutex;
  static auto& all = *new std::map<const stream_state*, cusolver_handle>;
  const std::lock_guard hold(looking);
  return all[&on];
}

/// A stream's handle, while a thread enqueues there.
class cusolver_turn {
 public:
  /// False: it does not work with this driver.
  bool begin(const cusolver& api, const stream_state& on) {
    constexpr int not_initialized = 1, mismatched = 4;
    cusolver_handle& mine = cusolver_handle_of(on);
    turn_ = std::unique_lock(mine.turns);
    on.device.use();
    if (!mine.handle) {
      const int status = api.cusolverDnCreate(&mine.handle);
      if (status == not_initialized || status == mismatched) return false;
      check_cusolver(status, "cusolverDnCreate");
    }
    if (!mine.params) check_cusolver(api.cusolverDnCreateParams(&mine.params), "cusolverDnCreateParams");
    if (!mine.jacobi) check_cusolver(api.cusolverDnCreateGesvdjInfo(&mine.jacobi), "cusolverDnCreateGesvdjInfo");
    if (!mine.native || mine.native != on.handle) {
      check_cusolver(api.cusolverDnSetStream(mine.handle, on.handle), "cusolverDnSetStream");
      mine.native = on.handle;
    }
    handle = mine.handle, params = mine.params, jacobi = mine.jacobi;
    return true;
  }
  solver_handle handle = nullptr;
  solver_params params = nullptr;
  jacobi_params jacobi = nullptr;

 private:
  std::unique_lock<std::mutex> turn_;
};

}  // namespace sinter::runtime
