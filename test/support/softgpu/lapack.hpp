// What the stand-ins for cuBLAS and cuSOLVER compute with, and on: OpenBLAS, and matrices in columns whose every access is checked.
#pragma once

#include <complex>
#include <functional>

#include "graph.hpp"
#include "machine.hpp"
#include "runtime/library/cpu/lapack.hpp"

namespace softgpu {

using sinter::runtime::is_complex_number;
using sinter::runtime::real_of;

/// Null: it is not there.
const sinter::runtime::lapack* host_lapack();

/// Work of a library's, by a function that checks what it touches. Any result but 0 ends the context.
class library_work final : public work {
 public:
  library_work(const char* name, std::function<result(execution&)> body)
      : work(work_kind::library, name), body_(std::move(body)) {}
  result run(execution& by) override { return body_(by); }

 private:
  const std::function<result(execution&)> body_;
};

inline bool touches(execution& by, address at, std::size_t size, touch how) {
  if (size == 0) return true;
  arena* const where = by.on.memory.find(at);
  return where && by.on.checker.access(by.self, *where, at, size, how);
}
template <class T>
bool touches(execution& by, const T* at, std::int64_t count, touch how) {
  return touches(by, reinterpret_cast<address>(at), static_cast<std::size_t>(count) * sizeof(T), how);
}

/// A matrix in columns.
template <class T>
struct matrix_of {
  T* at;
  std::int64_t rows, columns, leading;
  T& operator()(std::int64_t row, std::int64_t column) const { return at[column * leading + row]; }
  bool touched(execution& by, touch how) const {
    for (std::int64_t c = 0; c < columns; ++c)
      if (!touches(by, at + c * leading, rows, how)) return false;
    return true;
  }
  /// It is written after it has been read.
  bool changed(execution& by) const { return touched(by, touch::read) && touched(by, touch::write); }
};

inline bool is_aligned(const void* at, std::size_t size) { return reinterpret_cast<address>(at) % size == 0; }

/// Calls with an element of a type as the libraries number it. False: they have no such one.
template <class F>
bool with_type(int type, F call) {
  switch (type) {
    case 0: return call(float{}), true;
    case 1: return call(double{}), true;
    case 4: return call(std::complex<float>{}), true;
    case 5: return call(std::complex<double>{}), true;
    default: return false;
  }
}

template <class T>
T conjugate(const T& x) {
  if constexpr (is_complex_number<T>) return std::conj(x);
  else return x;
}

// ---- LAPACK, with workspaces of its own; each gives its info

template <class T>
const sinter::runtime::lapack_of<T>& lapack_for() {
  return host_lapack()->of<T>();
}

template <class T>
int factor_lu(const matrix_of<T>& a, std::vector<int>& pivots) {
  const int m = static_cast<int>(a.rows), n = static_cast<int>(a.columns), lda = static_cast<int>(a.leading);
  int info = 0;
  pivots.resize(static_cast<std::size_t>(std::min(m, n)));
  lapack_for<T>().getrf(&m, &n, a.at, &lda, pivots.data(), &info);
  return info;
}
template <class T>
int solve_lu(int trans, const matrix_of<T>& a, const std::vector<int>& pivots, const matrix_of<T>& b) {
  const int n = static_cast<int>(a.rows), right = static_cast<int>(b.columns);
  const int lda = static_cast<int>(a.leading), ldb = static_cast<int>(b.leading);
  int info = 0;
  const char* const as = trans == 0 ? "N" : trans == 1 ? "T" : "C";
  lapack_for<T>().getrs(as, &n, &right, a.at, &lda, pivots.data(), b.at, &ldb, &info, 1);
  return info;
}
template <class T>
int factor_cholesky(bool lower, const matrix_of<T>& a) {
  const int n = static_cast<int>(a.rows), lda = static_cast<int>(a.leading);
  int info = 0;
  lapack_for<T>().potrf(lower ? "L" : "U", &n, a.at, &lda, &info, 1);
  return info;
}
template <class T>
int factor_qr(const matrix_of<T>& a, T* tau) {
  const int m = static_cast<int>(a.rows), n = static_cast<int>(a.columns), lda = static_cast<int>(a.leading);
  int info = 0;
  const int room = 64 * std::max(n, 1);
  std::vector<T> work(static_cast<std::size_t>(room));
  lapack_for<T>().geqrf(&m, &n, a.at, &lda, tau, work.data(), &room, &info);
  return info;
}
template <class T>
int make_orthogonal(const matrix_of<T>& q, int reflections, const T* tau) {
  const int m = static_cast<int>(q.rows), n = static_cast<int>(q.columns), lda = static_cast<int>(q.leading);
  int info = 0;
  const int room = 64 * std::max(n, 1);
  std::vector<T> work(static_cast<std::size_t>(room));
  lapack_for<T>().gqr(&m, &n, &reflections, q.at, &lda, tau, work.data(), &room, &info);
  return info;
}
template <class T>
int find_singular(char job, const matrix_of<T>& a, real_of<T>* s, const matrix_of<T>& u, const matrix_of<T>& v) {
  const int m = static_cast<int>(a.rows), n = static_cast<int>(a.columns), lda = static_cast<int>(a.leading);
  const int ldu = static_cast<int>(u.leading), ldv = static_cast<int>(v.leading), small = std::min(m, n);
  const auto k = static_cast<std::size_t>(small), large = static_cast<std::size_t>(std::max(m, n));
  const int room = static_cast<int>(8 * k * k + 70 * (large + k) + 8);
  std::vector<T> work(static_cast<std::size_t>(room));
  std::vector<int> integers(8 * k);
  int info = 0;
  if constexpr (is_complex_number<T>) {
    std::vector<real_of<T>> reals(k * std::max(5 * k + 7, 2 * large + 2 * k + 1) + 8);
    lapack_for<T>().gesdd(&job, &m, &n, a.at, &lda, s, u.at, &ldu, v.at, &ldv, work.data(), &room, reals.data(),
                          integers.data(), &info, 1);
  } else {
    lapack_for<T>().gesdd(&job, &m, &n, a.at, &lda, s, u.at, &ldu, v.at, &ldv, work.data(), &room, integers.data(),
                          &info, 1);
  }
  return info;
}
template <class T>
int find_symmetric(bool vectors, bool lower, const matrix_of<T>& a, real_of<T>* w) {
  const int n = static_cast<int>(a.rows), lda = static_cast<int>(a.leading);
  const auto size = static_cast<std::size_t>(n);
  const int room = static_cast<int>(2 * size * size + 70 * size + 8), reals_room = room + static_cast<int>(5 * size),
            integers_room = static_cast<int>(5 * size + 8);
  std::vector<T> work(static_cast<std::size_t>(room));
  std::vector<int> integers(static_cast<std::size_t>(integers_room));
  const char *const job = vectors ? "V" : "N", *const part = lower ? "L" : "U";
  int info = 0;
  if constexpr (is_complex_number<T>) {
    std::vector<real_of<T>> reals(static_cast<std::size_t>(reals_room));
    lapack_for<T>().evd(job, part, &n, a.at, &lda, w, work.data(), &room, reals.data(), &reals_room, integers.data(),
                        &integers_room, &info, 1, 1);
  } else {
    lapack_for<T>().evd(job, part, &n, a.at, &lda, w, work.data(), &room, integers.data(), &integers_room, &info, 1, 1);
  }
  return info;
}

}  // namespace softgpu
