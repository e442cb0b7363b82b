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

}  // namespace softgpu
