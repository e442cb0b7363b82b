// What a problem has that cuSOLVER works on: its functions, a turn on the stream, and what it is called there.
#pragma once

#include <string>

#include "runtime/library/cuda/solver_memory.hpp"

namespace sinter::runtime {

// Of cusolver_common.h and cublas_api.h.
inline constexpr int lower_part = 0, upper_part = 1;

class cusolver_job : protected solver_memory {
 protected:
  cusolver_job(const solver_work& w, stream_state& on) : solver_memory(w, on) {}

  /// False: it is not there, and `why` says so.
  bool begin(std::string& why) {
    api_ = the_cusolver<cusolver>().get(why);
    if (!api_) return false;
    if (!turn_.begin(*api_, on_)) return why = "cuSOLVER does not work with this driver", false;
    return true;
  }
  int blas_batch() const { return static_cast<int>(batch_); }

  const int type_ = cuda_type_of(p_.type), letter_ = letter_of(p_.type);
  const cusolver* api_ = nullptr;
  cusolver_turn turn_;
};

}  // namespace sinter::runtime
