// Products of matrices as work on a stream, for the stand-ins of cuBLAS and cuBLASLt, which share their handles.
#pragma once

#include <array>
#include <complex>
#include <cstring>
#include <type_traits>

#include <sinter/dtype.hpp>

#include "cublas.hpp"
#include "graph.hpp"

namespace softgpu {

/// What the manual has of pairs of dtypes and computations, of those that are asked for.
inline bool computes(int type, int compute) {
  constexpr int as_float = 68, as_double = 70, as_tf32 = 77;
  if (type == 1 || type == 5) return compute == as_double;
  return compute == as_float || (compute == as_tf32 && (type == 0 || type == 4));
}

/// Factors are of the dtype that is computed in; those of complex products are real here.
inline double real_factor(int type, const void* at) {
  if (type == 1 || type == 5) return *static_cast<const double*>(at);
  return static_cast<double>(*static_cast<const float*>(at));
}

/// Where one matrix lies, in columns.
struct matrix {
  address at;
  bool transposed, conjugated;
  std::int64_t leading, step;  // leading 0: all columns are one
  std::int64_t place(std::int64_t row, std::int64_t column) const {
    return transposed ? row * leading + column : column * leading + row;
  }
};

/// to = scale * a b + kept * c, which may be the same place.
struct product {
  int type;
  std::int64_t rows, columns, inner, batch;
  matrix a, b, c, to;
  double scale = 1, kept = 0;
};

class product_work final : public work {
 public:
  product_work(const char* call, const product& p, address workspace)
      : work(work_kind::library, call), p_(p), workspace_(workspace) {}

  result run(execution& by) override {
    if (arena* const where = workspace_ ? by.on.memory.find(workspace_) : nullptr;
        where && !by.on.checker.access(by.self, *where, workspace_, 512, touch::write))
      return illegal_address;
    switch (p_.type) {
      case 0: return run_as<float, float>(by);
      case 1: return run_as<double, double>(by);
      case 2: return run_as<sinter::half, float>(by);
      case 14: return run_as<sinter::bfloat16, float>(by);
      case 4: return run_as<std::complex<float>, std::complex<float>>(by);
      default: return run_as<std::complex<double>, std::complex<double>>(by);
    }
  }

 private:
  template <class T>
  static bool check(execution& by, const matrix& m, std::int64_t i, std::int64_t rows, std::int64_t columns,
                    touch how) {
    const std::int64_t length = m.transposed ? columns : rows;
    const std::int64_t lines = m.leading == 0 ? 1 : m.transposed ? rows : columns;
    for (std::int64_t line = 0; line < lines; ++line) {
      const address at = m.at + static_cast<address>((i * m.step + line * m.leading) * std::int64_t{sizeof(T)});
      arena* const where = by.on.memory.find(at);
      if (!where || !by.on.checker.access(by.self, *where, at, static_cast<std::size_t>(length) * sizeof(T), how))
        return false;
    }
    return true;
  }

  template <class T, class Sum>
  result run_as(execution& by) {
    const auto [rows, columns, inner] = std::array{p_.rows, p_.columns, p_.inner};
    for (std::int64_t i = 0; i < p_.batch; ++i) {
      if (!check<T>(by, p_.a, i, rows, inner, touch::read) || !check<T>(by, p_.b, i, inner, columns, touch::read) ||
          (p_.kept != 0 && !check<T>(by, p_.c, i, rows, columns, touch::read)) ||
          !check<T>(by, p_.to, i, rows, columns, touch::write))
        return illegal_address;
      const auto in = [&](const matrix& m) { return static_cast<T*>(pointer(m.at)) + i * m.step; };
      const T *const a = in(p_.a), *const b = in(p_.b), *const c = in(p_.c);
      T* const to = in(p_.to);
      using real = typename real_of<Sum>::type;
      for (std::int64_t column = 0; column < columns; ++column)
        for (std::int64_t row = 0; row < rows; ++row) {
          Sum sum{};
          for (std::int64_t k = 0; k < inner; ++k)
            sum += element<Sum>(p_.a, a, row, k) * element<Sum>(p_.b, b, k, column);
          sum *= static_cast<real>(p_.scale);
          if (p_.kept != 0) sum += static_cast<real>(p_.kept) * static_cast<Sum>(c[p_.c.place(row, column)]);
          to[p_.to.place(row, column)] = static_cast<T>(sum);
        }
    }
    return 0;
  }

  template <class Sum, class T>
  static Sum element(const matrix& m, const T* from, std::int64_t row, std::int64_t column) {
    const auto x = static_cast<Sum>(from[m.place(row, column)]);
    if constexpr (std::is_same_v<Sum, typename real_of<Sum>::type>) return x;
    else return m.conjugated ? std::conj(x) : x;
  }

  template <class S>
  struct real_of {
    using type = S;
  };
  template <class R>
  struct real_of<std::complex<R>> {
    using type = R;
  };

  const product p_;
  const address workspace_;
};

}  // namespace softgpu
