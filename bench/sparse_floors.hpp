// Bare calls of cuDSS: the floors of sparse systems on a GPU. Of arrays that are there already, by its own kernels' order, as ours are.
#pragma once

#include <string>

#include <sinter/sinter.hpp>

#include "bench/linalg_floors.hpp"
#include "runtime/library/cuda/cudss.hpp"
#include "runtime/memory/storage.hpp"

namespace bench {

/// One matrix of doubles, row by row. Made for the whole run.
class bare_system {
 public:
  bare_system(const sn::array<int>& starts, const sn::array<int>& columns, const sn::array<double>& values,
              const sn::array<double>& b)
      : starts_(starts), columns_(columns), values_(values), b_(b), x_(sn::array<double>(b + 0.0)) {
    api_ = the_cudss().get(why_);
    if (!api_) return;
    const std::int64_t n = b.size();
    const int in_order = 1, type = cuda_type_of(sn::dtype::float64);
    stream_state& on = current_stream(*as_array_node(b_.node())->memory->device);
    api_->cudssCreate(&handle_);
    api_->cudssSetStream(handle_, on.handle);
    api_->cudssConfigCreate(&config_);
    api_->cudssConfigSet(config_, dss::deterministic_mode, &in_order, sizeof in_order);
    api_->cudssDataCreate(handle_, &data_);
    api_->cudssMatrixCreateCsr(&matrix_, n, n, values.size(), data_of(starts_), nullptr, data_of(columns_),
                               data_of(values_), dss::int32, dss::int32, type, dss::general, dss::whole,
                               dss::from_zero);
    api_->cudssMatrixCreateDn(&all_x_, n, 1, n, data_of(x_), type, dss::in_columns);
    api_->cudssMatrixCreateDn(&all_b_, n, 1, n, data_of(b_), type, dss::in_columns);
    for (const int phase : {dss::analysis, dss::factorization, dss::solution}) run(phase);
  }

  /// Of its places that have been analysed.
  bare_call factors() {
    return call([this] { run(dss::refactorization); });
  }
  bare_call solution() {
    return call([this] { run(dss::solution); });
  }

 private:
  void run(int phase) { api_->cudssExecute(handle_, phase, config_, data_, matrix_, all_x_, all_b_); }
  template <class F>
  bare_call call(F f) const {
    return api_ ? bare_call{f, {}} : bare_call{nullptr, why_};
  }

  const sn::array<int> starts_, columns_;
  const sn::array<double> values_, b_, x_;
  std::string why_;
  const cudss* api_ = nullptr;
  dss_handle handle_ = nullptr;
  dss_config config_ = nullptr;
  dss_data data_ = nullptr;
  dss_matrix matrix_ = nullptr, all_x_ = nullptr, all_b_ = nullptr;
};

}  // namespace bench
