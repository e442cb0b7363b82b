// What every factorisation by cuSOLVER and cuBLAS needs: memory from the pool, and matrices on their way to columns and back.
#pragma once

#include <algorithm>
#include <optional>

#include "runtime/device/device.hpp"
#include "runtime/library/cuda/cublas.hpp"
#include "runtime/library/cuda/cusolver_turn.hpp"
#include "runtime/library/matrices.hpp"
#include "runtime/library/pinned_room.hpp"
#include "runtime/memory/storage.hpp"

namespace sinter::runtime {

// What the library works in: one for the device, and one for the host, which it may read until the stream has come past the call.
struct solver_buffers {
  std::byte* data = nullptr;
  std::size_t size = 0;
  void* host = nullptr;
  std::size_t host_size = 0;
};

/// One problem's call. What it takes goes back in the order of the stream.
class solver_memory {
 protected:
  solver_memory(const solver_work& w, stream_state& on) : w_(w), on_(on) {}

  // ---- memory

  template <class V>
  V* take(std::int64_t count) {
    storage_holder& here = rooms_[rooms_taken_++];
    here.reset(make_storage(static_cast<std::size_t>(std::max<std::int64_t>(count, 1)) * sizeof(V), on_));
    return reinterpret_cast<V*>(here.get()->data);
  }
  std::byte* take_elements(std::int64_t count) { return take<std::byte>(count * size_); }
  int* take_zeros() {
    int* const all = take<int>(batch_);
    on_.device.zero(reinterpret_cast<std::byte*>(all), static_cast<std::size_t>(batch_) * sizeof(int), on_);
    return all;
  }
  /// `ask` says how much it has to be.
  template <class Ask>
  solver_buffers take_buffers(Ask ask, const char* call) {
    solver_buffers b;
    check_cusolver(ask(&b.size, &b.host_size), call);
    b.data = take<std::byte>(static_cast<std::int64_t>(b.size));
    if (b.host_size > 0) b.host = host_room_.emplace(b.host_size, on_).take(b.host_size);
    return b;
  }
  std::byte* result(int i) const { return w_.results[i].data; }
  std::byte* each(std::byte* first, std::int64_t i, std::int64_t elements) const {
    return first + i * elements * size_;
  }

  // ---- kernels

  codegen::matrices_arguments operand(int i) const { return reading(w_.operands[i], w_.batch); }
  /// Of what lies without gaps in columns.
  codegen::matrices_arguments columns_at(const std::byte* data, std::int64_t rows, std::int64_t columns) const {
    return reading(data, in_columns(rows, columns), w_.batch);
  }
  void copy(const codegen::matrices_arguments& from, std::int64_t rows, std::int64_t columns, std::byte* to,
            const matrix_layout& lies) {
    copy_matrices(p_.type, from, rows, columns, to, lies, on_);
  }
  /// An operand, turned over.
  std::byte* take_columns(codegen::matrices_arguments from, std::int64_t rows, std::int64_t columns) {
    std::byte* const to = take_elements(batch_ * rows * columns);
    copy(from, rows, columns, to, in_columns(rows, columns));
    return to;
  }
  void run_step(codegen::matrices_step step, codegen::matrices_arguments a) {
    a.step = step;
    run_matrices(p_.type, a, on_);
  }
  void** take_pointers(codegen::matrices_arguments to) {
    to.to = take<void*>(batch_);
    run_step(codegen::matrices_step::pointers, to);
    return static_cast<void**>(to.to);
  }
  void** take_pointers(std::byte* data, std::int64_t elements) {
    return take_pointers(reading(data, {0, 0, elements}, w_.batch));
  }
  /// A library's pivots, counted from 0.
  codegen::matrices_arguments pivots_at(const void* from, bool wide) const {
    codegen::matrices_arguments a = reading(static_cast<const std::byte*>(from), {1, 1, least_}, w_.batch);
    a.columns = least_, a.wide_from = wide, a.add = -1;
    return a;
  }
  /// To int32 from 0, as results have them.
  void write_pivots(const void* from, bool wide) {
    codegen::matrices_arguments a = pivots_at(from, wide);
    a.to = result(1);
    run_step(codegen::matrices_step::pivots, a);
  }
  /// Those that are given. A wrong one must not lead outside of the right side.
  codegen::matrices_arguments given_pivots() const {
    codegen::matrices_arguments a = operand(1);
    a.columns = n_, a.limit = n_;
    return a;
  }
  /// As cuBLAS wants them.
  int* take_pivots() {
    codegen::matrices_arguments a = given_pivots();
    int* const pivots = take<int>(batch_ * n_);
    a.add = 1, a.to = pivots;
    run_step(codegen::matrices_step::pivots, a);
    return pivots;
  }
  /// Which row each row of a permuted matrix was, or forwards where each row went. No pivot leads outside of it, whatever a library
  /// makes of a matrix of NaN.
  const void* take_places(codegen::matrices_arguments pivots, bool forwards) {
    pivots.rows = pivots.limit = n_, pivots.forwards = forwards;
    pivots.to = take<std::int64_t>(batch_ * n_);
    run_step(codegen::matrices_step::permutation, pivots);
    return pivots.to;
  }
  /// Floating results of what failed are NaN. `count` results, from the first on.
  void finish(solver_fault fault, const int* infos, solver_fault flag_fault, int* flags, int count) {
    codegen::matrices_arguments a;
    a.count = batch_;
    a.infos = infos, a.flags = flags;
    a.note = on_.device.index_note();
    a.fault = static_cast<std::int32_t>(fault), a.flag_fault = static_cast<std::int32_t>(flag_fault);
    const std::int64_t real = itemsize(detail::real_part_of(p_.type));
    for (int i = 0; i < count; ++i) {
      a.results[i] = result(i);
      a.reals[i] = static_cast<std::int64_t>(w_.results[i].size) / real / batch_;
    }
    run_step(codegen::matrices_step::finish, a);
  }

  const solver_work& w_;
  const solver_problem& p_ = w_.of;
  stream_state& on_;
  const std::int64_t batch_ = w_.batch.elements(), size_ = itemsize(p_.type);
  const std::int64_t real_size_ = itemsize(detail::real_part_of(p_.type));
  const solver_size m_ = p_.rows, n_ = p_.columns, right_ = p_.right, least_ = std::min(m_, n_);

 private:
  storage_holder rooms_[10];
  int rooms_taken_ = 0;
  std::optional<pinned_room> host_room_;
};

}  // namespace sinter::runtime
