// Factorisations and solutions by cuSOLVER and cuBLAS, which count in columns. Where mathematics allows, a matrix in C order
// is read as its transpose in columns; else it is turned over on the way in and out (decision 0040).
#include "runtime/library/solvers.hpp"

#include <initializer_list>
#include <limits>

#include "runtime/library/cuda/decomposition_job.hpp"
#include "runtime/library/small_systems.hpp"
#include "runtime/log.hpp"
#include "runtime/stream/capture.hpp"

namespace sinter::runtime {

namespace {

// Of cublas_api.h.
constexpr int left = 0, right_side = 1, not_unit = 0, unit = 1, as_it_is = 0, transposed = 1, adjoint = 2;

class gpu_job : cusolver_job {
 public:
  gpu_job(const solver_work& w, stream_state& on) : cusolver_job(w, on) {}

  /// False: a library is not there, and `why` says so.
  bool run(std::string& why);

 private:
  bool lu(std::string& why);
  bool lu_solve(std::string& why);
  bool solve(std::string& why);
  /// Factors what lies there and gives the pivots, int64 by cuSOLVER and int32 by cuBLAS. Null: cuBLAS is not there.
  void* take_factors(std::byte* a, int* infos, std::string& why);
  codegen::matrices_arguments flagging_nan(int* flags) const;
  void complete(std::byte* a, const matrix_layout& lies, const void* pivots, const int* infos, int* flags);
  bool solve_by(std::byte* a, const int* pivots, int trans, int right_operand, std::string& why);
  bool solve_by_triangles(std::byte* a, const codegen::matrices_arguments& pivots, int trans, int right_operand,
                          std::string& why);
  void permutation();
  void cholesky();
  bool cholesky_solve(std::string& why);
  bool triangular_solve(std::string& why);
  bool qr(std::string& why);
  void orthogonal();
  struct triangle {
    int side, part, operation, diagonal;
    solver_size rows, columns;  // of x
  };
  void trsm(const cublas_turn&, const triangle&, const std::byte* a, std::byte* x);
  bool by_triangles(std::initializer_list<int> operations, int part, int diagonal, std::string& why);
  bool needs_cusolver() const;
  bool is_together() const;
  int trans() const { return p_.transposed ? (p_.conjugated ? adjoint : transposed) : as_it_is; }
  const void* one() const {
    static constexpr double wide[] = {1, 0};
    static constexpr float narrow[] = {1, 0};
    return detail::real_part_of(p_.type) == dtype::float64 ? static_cast<const void*>(wide) : narrow;
  }
};

// ---- LU

void* gpu_job::take_factors(std::byte* a, int* infos, std::string& why) {
  if (!needs_cusolver()) {
    void** const all = take_pointers(a, n_ * n_);
    int* const pivots = take<int>(batch_ * n_);
    cublas_turn turn;
    if (!turn.begin(on_, why)) return nullptr;
    check_cublas(turn.api().getrfBatched[letter_](turn.handle(), static_cast<int>(n_), all, static_cast<int>(n_),
                                                  pivots, infos, blas_batch()),
                 "cublas getrfBatched");
    return pivots;
  }
  auto* const pivots = take<std::int64_t>(batch_ * least_);
  const solver_buffers b = take_buffers(
      [&](auto* size, auto* host) {
        return api_->cusolverDnXgetrf_bufferSize(turn_.handle, turn_.params, m_, n_, type_, a, m_, type_, size, host);
      },
      "cusolverDnXgetrf_bufferSize");
  for (std::int64_t i = 0; i < batch_; ++i)
    check_cusolver(api_->cusolverDnXgetrf(turn_.handle, turn_.params, m_, n_, type_, each(a, i, m_ * n_), m_,
                                          pivots + i * least_, type_, b.data, b.size, b.host, b.host_size, infos + i),
                   "cusolverDnXgetrf");
  return pivots;
}

bool gpu_job::solve_by(std::byte* a, const int* pivots, int trans, int right_operand, std::string& why) {
  const bool is_in_place = right_ == 1;
  std::byte* const x = is_in_place ? result(0) : take_elements(batch_ * n_ * right_);
  copy(operand(right_operand), n_, right_, x, in_columns(n_, right_));
  void **const all = take_pointers(a, n_ * n_), **const all_x = take_pointers(x, n_ * right_);
  cublas_turn turn;
  if (!turn.begin(on_, why)) return false;
  int info = 0;
  const auto n = static_cast<int>(n_);
  check_cublas(turn.api().getrsBatched[letter_](turn.handle(), trans, n, static_cast<int>(right_), all, n, pivots,
                                                all_x, n, &info, blas_batch()),
               "cublas getrsBatched");
  if (!is_in_place) copy(columns_at(x, n_, right_), n_, right_, result(0), in_rows(n_, right_));
  return true;
}

// One matrix, by cuBLAS's triangles: cuSOLVER's own solution takes one and a half to three times as long (decision 0040). Rows
// are exchanged on the way in; where the transpose is solved, on the way out.
bool gpu_job::solve_by_triangles(std::byte* a, const codegen::matrices_arguments& pivots, int trans, int right_operand,
                                 std::string& why) {
  const bool is_plain = trans == as_it_is, is_in_place = right_ == 1 && is_plain;
  const void* const places = take_places(pivots, !is_plain);
  std::byte* const x = is_in_place ? result(0) : take_elements(n_ * right_);
  codegen::matrices_arguments b = operand(right_operand), made = columns_at(x, n_, right_);
  (is_plain ? b : made).places = places;
  copy(b, n_, right_, x, in_columns(n_, right_));
  cublas_turn turn;
  if (!turn.begin(on_, why)) return false;
  for (const bool is_first : {true, false}) {
    const bool is_lower = is_plain == is_first;
    trsm(turn, {left, is_lower ? lower_part : upper_part, trans, is_lower ? unit : not_unit, n_, right_}, a, x);
  }
  if (!is_in_place) copy(made, n_, right_, result(0), in_rows(n_, right_));
  return true;
}

void gpu_job::trsm(const cublas_turn& turn, const triangle& t, const std::byte* a, std::byte* x) {
  check_cublas(turn.api().trsm_v2_64[letter_](turn.handle(), t.side, t.part, t.operation, t.diagonal, t.rows, t.columns,
                                              one(), a, n_, x, t.rows),
               "cublas trsm");
}

// cuSOLVER's factors of a matrix with a NaN in it are numbers; those of LAPACK are NaN.
codegen::matrices_arguments gpu_job::flagging_nan(int* flags) const {
  codegen::matrices_arguments from = operand(0);
  from.check = codegen::matrix_check::not_a_number, from.flags = flags;
  return from;
}
// Where nothing is an error, factors of singular matrices are wanted, too. cuSOLVER goes on where a pivot is 0.
void gpu_job::complete(std::byte* a, const matrix_layout& lies, const void* pivots, const int* infos, int* flags) {
  codegen::matrices_arguments from = operand(0);
  from.rows = m_, from.columns = n_;
  from.to = a;
  from.to_down = lies.down, from.to_across = lies.across, from.to_step = lies.step;
  from.pivots = const_cast<void*>(pivots);
  from.flags = flags, from.infos = needs_cusolver() ? nullptr : infos;
  run_step(codegen::matrices_step::eliminate, from);
}

bool gpu_job::lu(std::string& why) {
  const matrix_layout lies = p_.transposed ? in_rows(m_, n_) : in_columns(m_, n_);
  std::byte* const a = take_elements(batch_ * m_ * n_);
  int* const flags = take_zeros();
  copy(flagging_nan(flags), m_, n_, a, lies);
  int* const infos = take_zeros();
  const void* const pivots = take_factors(a, infos, why);
  if (!pivots) return false;
  if (!p_.checked) complete(a, lies, pivots, infos, flags);
  write_pivots(pivots, needs_cusolver());
  copy(reading(a, lies, w_.batch), m_, n_, result(0), in_rows(m_, n_));
  if (p_.checked) finish(solver_fault::singular, infos, solver_fault::none, flags, 1);
  return true;
}

bool gpu_job::lu_solve(std::string& why) {
  std::byte* const a = take_columns(operand(0), n_, n_);
  return is_together() ? solve_by(a, take_pivots(), trans(), 2, why)
                       : solve_by_triangles(a, given_pivots(), trans(), 2, why);
}

// The library wants a copy to write over anyway, and solves by factors of what lies in columns sooner than by their transpose.
bool gpu_job::solve(std::string& why) {
  std::byte* const a = take_elements(batch_ * n_ * n_);
  int* const flags = take_zeros();
  copy(flagging_nan(flags), n_, n_, a, in_columns(n_, n_));
  int* const infos = take_zeros();
  const void* const pivots = take_factors(a, infos, why);
  if (!pivots || !(is_together() ? solve_by(a, static_cast<const int*>(pivots), as_it_is, 1, why)
                                 : solve_by_triangles(a, pivots_at(pivots, true), as_it_is, 1, why)))
    return false;
  finish(solver_fault::singular, p_.checked ? infos : nullptr, solver_fault::none, flags, 1);
  return true;
}

void gpu_job::permutation() {
  codegen::matrices_arguments a = operand(0);
  a.rows = m_, a.columns = least_, a.limit = m_;
  a.to = result(0);
  run_step(codegen::matrices_step::permutation, a);
}

// ---- Cholesky, and triangles

// A lower factor takes the library less than half as long as an upper one. An upper triangle in C order is, in columns, the lower
// one of the conjugate matrix, whose factor is the transpose of the one wanted; a lower triangle is turned over on the way in and
// out. Of one matrix the library leaves the other triangle alone, and so do the copies, until the end; of a batch it works there.
void gpu_job::cholesky() {
  std::byte* const a = p_.lower ? take_elements(batch_ * n_ * n_) : result(0);
  codegen::matrices_arguments given = operand(0);
  given.part = p_.lower ? codegen::matrix_part::lower : codegen::matrix_part::upper;
  if (batch_ == 1) given.rest = codegen::matrix_rest::left_alone;
  copy(given, n_, n_, a, p_.lower ? in_columns(n_, n_) : in_rows(n_, n_));
  int* const infos = take_zeros();
  if (batch_ > 1) {
    void** const all = take_pointers(a, n_ * n_);
    const auto n = static_cast<int>(n_);
    check_cusolver(api_->potrfBatched[letter_](turn_.handle, lower_part, n, all, n, infos, blas_batch()),
                   "cusolverDn potrfBatched");
  } else {
    const solver_buffers b = take_buffers(
        [&](auto* size, auto* host) {
          return api_->cusolverDnXpotrf_bufferSize(turn_.handle, turn_.params, lower_part, n_, type_, a, n_, type_,
                                                   size, host);
        },
        "cusolverDnXpotrf_bufferSize");
    check_cusolver(api_->cusolverDnXpotrf(turn_.handle, turn_.params, lower_part, n_, type_, a, n_, type_, b.data,
                                          b.size, b.host, b.host_size, infos),
                   "cusolverDnXpotrf");
  }
  codegen::matrices_arguments factor = p_.lower ? columns_at(a, n_, n_) : reading(nullptr, in_rows(n_, n_), w_.batch);
  factor.part = given.part;
  copy(factor, n_, n_, result(0), in_rows(n_, n_));
  finish(solver_fault::not_positive, infos, solver_fault::not_positive, nullptr, 1);
}

// x^T op(a)^T = b^T: right sides in C order are b^T in columns, a triangle in C order is a^T, so that nothing is turned over.
bool gpu_job::by_triangles(std::initializer_list<int> operations, int part, int diagonal, std::string& why) {
  std::byte* const x = result(0);
  copy(operand(1), n_, right_, x, in_rows(n_, right_));
  void **a = nullptr, **all_x = nullptr;
  if (batch_ > 1) {
    a = take_pointers(operand(0));
    all_x = take_pointers(x, n_ * right_);
  }
  cublas_turn turn;
  if (!turn.begin(on_, why)) return false;
  for (const int operation : operations) {
    // A vector is in columns as it is: a x = b, and a is the transpose of what lies there.
    const bool is_left = right_ == 1 && operation != adjoint;
    const int side = is_left ? left : right_side, as = is_left ? transposed - operation : operation;
    const solver_size rows = is_left ? n_ : right_, columns = is_left ? right_ : n_;
    if (batch_ > 1)
      check_cublas(turn.api().trsmBatched_64[letter_](turn.handle(), side, part, as, diagonal, rows, columns, one(), a,
                                                      n_, all_x, rows, batch_),
                   "cublas trsmBatched");
    else trsm(turn, {side, part, as, diagonal, rows, columns}, w_.operands[0].data, x);
  }
  return true;
}

// In columns there is u, where a = u^T conj(u): a^T = u^H u.
bool gpu_job::cholesky_solve(std::string& why) {
  const int part = p_.lower ? upper_part : lower_part;
  const int back = detail::is_complex(p_.type) ? adjoint : transposed;
  return p_.lower ? by_triangles({as_it_is, back}, part, 0, why) : by_triangles({back, as_it_is}, part, 0, why);
}

bool gpu_job::triangular_solve(std::string& why) {
  int* flags = nullptr;
  if (!p_.unit_diagonal) {
    codegen::matrices_arguments a = operand(0);
    a.rows = n_;
    a.flags = flags = take<int>(batch_);
    run_step(codegen::matrices_step::diagonal, a);
  }
  const int as = p_.conjugated && !detail::is_complex(p_.type) ? transposed : trans();
  if (!by_triangles({as}, p_.lower ? upper_part : lower_part, p_.unit_diagonal, why)) return false;
  if (flags) finish(solver_fault::singular_triangle, nullptr, solver_fault::singular_triangle, flags, 1);
  return true;
}

// ---- QR

bool gpu_job::qr(std::string& why) {
  std::byte *const a = result(0), *const tau = result(1);
  copy(operand(0), m_, n_, a, in_columns(m_, n_));
  if (needs_cusolver()) {
    const solver_buffers b = take_buffers(
        [&](auto* size, auto* host) {
          return api_->cusolverDnXgeqrf_bufferSize(turn_.handle, turn_.params, m_, n_, type_, a, m_, type_, tau, type_,
                                                   size, host);
        },
        "cusolverDnXgeqrf_bufferSize");
    int* const infos = take<int>(batch_);  // of the call's arguments
    for (std::int64_t i = 0; i < batch_; ++i)
      check_cusolver(
          api_->cusolverDnXgeqrf(turn_.handle, turn_.params, m_, n_, type_, each(a, i, m_ * n_), m_, type_,
                                 each(tau, i, least_), type_, b.data, b.size, b.host, b.host_size, infos + i),
          "cusolverDnXgeqrf");
  } else {
    void **const all = take_pointers(a, m_ * n_), **const all_tau = take_pointers(tau, least_);
    cublas_turn turn;
    if (!turn.begin(on_, why)) return false;
    int info = 0;
    const auto m = static_cast<int>(m_);
    check_cublas(
        turn.api().geqrfBatched[letter_](turn.handle(), m, static_cast<int>(n_), all, m, all_tau, &info, blas_batch()),
        "cublas geqrfBatched");
  }
  return true;
}

void gpu_job::orthogonal() {
  std::byte* const q = take_elements(batch_ * m_ * right_);
  codegen::matrices_arguments reflections = operand(0);
  std::swap(reflections.from_down, reflections.from_across);
  copy(reflections, m_, std::min(n_, right_), q, in_columns(m_, right_));
  std::byte* const tau = take_columns(operand(1), least_, 1);
  const auto m = static_cast<int>(m_), columns = static_cast<int>(right_), k = static_cast<int>(least_);
  int count = 0;
  check_cusolver(api_->orgqr_bufferSize[letter_](turn_.handle, m, columns, k, q, m, tau, &count),
                 "cusolverDn orgqr_bufferSize");
  std::byte* const work = take_elements(count);
  int* const info = take<int>(1);  // of the call's arguments
  for (std::int64_t i = 0; i < batch_; ++i)
    check_cusolver(api_->orgqr[letter_](turn_.handle, m, columns, k, each(q, i, m_ * right_), m, each(tau, i, least_),
                                        work, count, info),
                   "cusolverDn orgqr");
  copy(columns_at(q, m_, right_), m_, right_, result(0), in_rows(m_, right_));
}

// ---- which way

bool gpu_job::is_together() const { return w_.batch.elements() > 1 || capture_of(on_); }

bool gpu_job::needs_cusolver() const {
  switch (p_.what) {
    case solver::lu: return m_ != n_ || !is_together();
    case solver::solve:
    case solver::qr: return !is_together();
    case solver::lu_solve:
    case solver::permutation:
    case solver::cholesky_solve:
    case solver::triangular_solve: return false;
    default: return true;
  }
}

bool gpu_job::run(std::string& why) {
  if (needs_cusolver() && !begin(why)) return false;
  switch (p_.what) {
    case solver::lu: return lu(why);
    case solver::lu_solve: return lu_solve(why);
    case solver::solve: return solve(why);
    case solver::permutation: permutation(); break;
    case solver::cholesky: cholesky(); break;
    case solver::cholesky_solve: return cholesky_solve(why);
    case solver::triangular_solve: return triangular_solve(why);
    case solver::qr: return qr(why);
    default: orthogonal();
  }
  return true;
}

// cuSOLVER has no call that may be captured; cuBLAS has.
bool may_be_captured(const solver_problem& p) {
  switch (p.what) {
    case solver::lu:
    case solver::qr:
    case solver::lu_solve:
    case solver::solve: return p.rows == p.columns && p.columns <= most_rows_captured;
    case solver::permutation:
    case solver::cholesky_solve:
    case solver::triangular_solve: return true;
    default: return false;
  }
}

bool is_for_library(const solver_work& w, const stream_state& on) {
  // cuSOLVER's eigenvalues of other matrices keep the calling thread until they are there, and threads that asked for some beside other
  // work were seen to lose the device.
  if (w.of.what == solver::banded_solve || w.of.what == solver::eig) return false;
  if (std::min(w.of.rows, w.of.columns) == 0) return false;
  if (std::max({w.of.rows, w.of.columns, w.of.right}) > std::numeric_limits<int>::max()) return false;
  return !capture_of(on) || may_be_captured(w.of);
}

}  // namespace

bool solve_on_gpu(const solver_work& w, stream_state& on, std::string& why) {
  if (is_small_system(w.of)) return solve_small_on_gpu(w, on), true;
  if (is_for_library(w, on)) {
    const bool is_decomposition = w.of.what == solver::svd || w.of.what == solver::eigh;
    if (is_decomposition ? decomposition_job(w, on).run(why) : gpu_job(w, on).run(why)) return true;
    if (log_level() >= 1) log(1, "%s; through the host's memory", why.c_str());
  }
  std::string of_host;
  if (solve_through_host(w, on, of_host)) return true;
  why = of_host + (why.empty() ? "" : "; " + why);
  return false;
}

}  // namespace sinter::runtime
