// Singular values, and eigenvalues of symmetric matrices, by cuSOLVER (decision 0040).
#pragma once

#include "runtime/library/cuda/cusolver_job.hpp"

namespace sinter::runtime {

class decomposition_job : cusolver_job {
 public:
  decomposition_job(const solver_work& w, stream_state& on) : cusolver_job(w, on) {}

  /// False: the library is not there, and `why` says so.
  bool run(std::string& why) {
    if (!begin(why)) return false;
    flags_ = take_zeros(), infos_ = take_zeros();
    if (p_.what == solver::eigh) eigh();
    else if (batch_ > 1 && std::max(m_, n_) <= largest_of_jacobi) small_svd();
    else svd();
    return true;
  }

 private:
  static constexpr int no_vectors = 0, with_vectors = 1;  // of cusolver_common.h
  static constexpr solver_size largest_of_jacobi = 32,    // gesvdjBatched takes no larger ones
      least_of_polar = 128;                               // below that the other ways take less time
  bool is_turned() const { return m_ <= n_; }
  int job() const { return p_.vectors ? with_vectors : no_vectors; }
  codegen::matrices_arguments finite_operand() const;
  void take_matrices();
  void svd();
  std::int64_t polar_svd();
  void iterated_svd(std::int64_t first);
  void small_svd();
  void eigh();

  const int real_type_ = cuda_type_of(detail::real_part_of(p_.type));
  const solver_size rows_ = std::max(m_, n_), columns_ = least_, wide_ = p_.full ? rows_ : columns_;
  int *flags_ = nullptr, *infos_ = nullptr;
  std::byte *matrices_ = nullptr, *u_ = nullptr, *v_ = nullptr;  // in columns, `v_` being v^H
};

inline codegen::matrices_arguments decomposition_job::finite_operand() const {
  codegen::matrices_arguments from = operand(0);
  from.check = codegen::matrix_check::finite, from.flags = flags_;
  return from;
}

// ---- singular values

inline void decomposition_job::take_matrices() {
  copy(finite_operand(), m_, n_, matrices_, is_turned() ? in_rows(m_, n_) : in_columns(m_, n_));
}

// Of a matrix that is not higher than wide the transpose is decomposed, which is what lies there in columns: a^T = u' s v'^H, and
// u, in C order, is v'^H in columns, as v^H is u'.
inline void decomposition_job::svd() {
  matrices_ = take_elements(batch_ * m_ * n_);
  take_matrices();
  if (p_.vectors) {
    u_ = is_turned() ? result(2) : take_elements(batch_ * rows_ * wide_);
    v_ = is_turned() ? result(1) : take_elements(batch_ * columns_ * columns_);
  }
  const bool is_for_polar = columns_ >= least_of_polar && wide_ == columns_;
  const std::int64_t done = is_for_polar ? polar_svd() : 0;
  if (is_for_polar && done < batch_) take_matrices();  // again: the last one is overwritten
  if (done < batch_) iterated_svd(done);
  if (p_.vectors && !is_turned()) {
    copy(columns_at(u_, rows_, wide_), rows_, wide_, result(1), in_rows(rows_, wide_));
    copy(columns_at(v_, columns_, columns_), columns_, columns_, result(2), in_rows(columns_, columns_));
  }
  finish(solver_fault::no_singular_values, infos_, solver_fault::no_singular_values, flags_, p_.vectors ? 3 : 1);
}

// A polar decomposition and the eigenvalues of its symmetric factor take a quarter of the iteration's time, and are no less
// exact. Where a singular value is near 0 the library decomposes another matrix, and says how far away that is. How many of the
// batch are done: those before the first such matrix. It keeps the calling thread, as the iteration does.
inline std::int64_t decomposition_job::polar_svd() {
  constexpr int economic = 1;
  const solver_size rows = rows_, columns = columns_;
  std::byte* const s = result(0);
  // It writes vectors that are not asked for, too.
  std::byte* const left = p_.vectors ? u_ : take_elements(rows * columns);
  std::byte* const right = take_elements(columns * columns);  // of one matrix, and not its adjoint
  const solver_buffers b = take_buffers(
      [&](auto* size, auto* host) {
        return api_->cusolverDnXgesvdp_bufferSize(turn_.handle, turn_.params, job(), economic, rows, columns, type_,
                                                  matrices_, rows, real_type_, s, type_, left, rows, type_, right,
                                                  columns, type_, size, host);
      },
      "cusolverDnXgesvdp_bufferSize");
  codegen::matrices_arguments adjoint = reading(right, in_columns(columns, columns), {});
  adjoint.conjugates = 1;
  for (std::int64_t i = 0; i < batch_; ++i) {
    double moved_by = 0;
    check_cusolver(
        api_->cusolverDnXgesvdp(turn_.handle, turn_.params, job(), economic, rows, columns, type_,
                                each(matrices_, i, rows * columns), rows, real_type_, s + i * least_ * real_size_,
                                type_, p_.vectors ? each(left, i, rows * columns) : left, rows, type_, right, columns,
                                type_, b.data, b.size, b.host, b.host_size, infos_ + i, &moved_by),
        "cusolverDnXgesvdp");
    if (moved_by != 0) return i;
    if (p_.vectors)
      copy_matrices(p_.type, adjoint, columns, columns, each(v_, i, columns * columns), in_rows(columns, columns), on_);
  }
  return batch_;
}

// Those from `first` on.
inline void decomposition_job::iterated_svd(std::int64_t first) {
  const auto job = static_cast<signed char>(!p_.vectors ? 'N' : p_.full ? 'A' : 'S');
  const solver_size rows = rows_, columns = columns_;
  std::byte* const s = result(0);
  const solver_buffers b = take_buffers(
      [&](auto* size, auto* host) {
        return api_->cusolverDnXgesvd_bufferSize(turn_.handle, turn_.params, job, job, rows, columns, type_, matrices_,
                                                 rows, real_type_, s, type_, u_, rows, type_, v_, columns, type_, size,
                                                 host);
      },
      "cusolverDnXgesvd_bufferSize");
  for (std::int64_t i = first; i < batch_; ++i)
    check_cusolver(api_->cusolverDnXgesvd(turn_.handle, turn_.params, job, job, rows, columns, type_,
                                          each(matrices_, i, rows * columns), rows, real_type_,
                                          s + i * least_ * real_size_, type_, u_ ? each(u_, i, rows * wide_) : u_, rows,
                                          type_, v_ ? each(v_, i, columns * columns) : v_, columns, type_, b.data,
                                          b.size, b.host, b.host_size, infos_ + i),
                   "cusolverDnXgesvd");
}

// Jacobi's method for many small matrices at once. It gives v in columns, which is v^T in C order.
inline void decomposition_job::small_svd() {
  std::byte *const a = take_columns(finite_operand(), m_, n_), *const s = result(0);
  std::byte *const u = take_elements(batch_ * m_ * m_), *const v = take_elements(batch_ * n_ * n_);
  const auto m = static_cast<int>(m_), n = static_cast<int>(n_);
  int count = 0;
  check_cusolver(api_->gesvdjBatched_bufferSize[letter_](turn_.handle, job(), m, n, a, m, s, u, m, v, n, &count,
                                                         turn_.jacobi, blas_batch()),
                 "cusolverDn gesvdjBatched_bufferSize");
  std::byte* const work = take_elements(count);
  check_cusolver(api_->gesvdjBatched[letter_](turn_.handle, job(), m, n, a, m, s, u, m, v, n, work, count, infos_,
                                              turn_.jacobi, blas_batch()),
                 "cusolverDn gesvdjBatched");
  if (p_.vectors) {
    const solver_size across = p_.full ? m_ : least_, down = p_.full ? n_ : least_;
    copy(columns_at(u, m_, m_), m_, across, result(1), in_rows(m_, across));
    codegen::matrices_arguments turned = reading(v, in_rows(n_, n_), w_.batch);
    turned.conjugates = 1;
    copy(turned, down, n_, result(2), in_rows(down, n_));
  }
  finish(solver_fault::no_singular_values, infos_, solver_fault::no_singular_values, flags_, p_.vectors ? 3 : 1);
}

// ---- eigenvalues

// What lies there in columns is the conjugate matrix, whose eigenvectors are conjugate.
inline void decomposition_job::eigh() {
  const int part = p_.lower ? upper_part : lower_part;
  std::string of_later;
  const cusolver_later* const later = the_cusolver<cusolver_later>().get(of_later);
  codegen::matrices_arguments from = finite_operand();
  from.part = p_.lower ? codegen::matrix_part::lower : codegen::matrix_part::upper;
  std::byte *const a = take_elements(batch_ * n_ * n_), *const values = result(0);
  copy(from, n_, n_, a, in_rows(n_, n_));
  // It refuses 65,536 matrices, and wants memory for each.
  constexpr std::int64_t most_together = 2048;
  const std::int64_t together = batch_ > 1 && later ? std::min(batch_, most_together) : 0;
  const solver_buffers b = take_buffers(
      [&](auto* size, auto* host) {
        return together
                   ? later->cusolverDnXsyevBatched_bufferSize(turn_.handle, turn_.params, job(), part, n_, type_, a, n_,
                                                              real_type_, values, type_, size, host, together)
                   : api_->cusolverDnXsyevd_bufferSize(turn_.handle, turn_.params, job(), part, n_, type_, a, n_,
                                                       real_type_, values, type_, size, host);
      },
      "cusolverDnXsyevd_bufferSize");
  for (std::int64_t i = 0; together && i < batch_; i += together)
    check_cusolver(
        later->cusolverDnXsyevBatched(turn_.handle, turn_.params, job(), part, n_, type_, each(a, i, n_ * n_), n_,
                                      real_type_, values + i * n_ * real_size_, type_, b.data, b.size, b.host,
                                      b.host_size, infos_ + i, std::min(together, batch_ - i)),
        "cusolverDnXsyevBatched");
  if (!together)
    for (std::int64_t i = 0; i < batch_; ++i)
      check_cusolver(api_->cusolverDnXsyevd(turn_.handle, turn_.params, job(), part, n_, type_, each(a, i, n_ * n_), n_,
                                            real_type_, values + i * n_ * real_size_, type_, b.data, b.size, b.host,
                                            b.host_size, infos_ + i),
                     "cusolverDnXsyevd");
  if (p_.vectors) {
    codegen::matrices_arguments turned = columns_at(a, n_, n_);
    turned.conjugates = 1;
    copy(turned, n_, n_, result(1), in_rows(n_, n_));
  }
  finish(solver_fault::no_eigenvalues, infos_, solver_fault::no_eigenvalues, flags_, p_.vectors ? 2 : 1);
}

}  // namespace sinter::runtime
