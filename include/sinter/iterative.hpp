// Systems of equations and eigenvalues by iteration: of a matrix that nobody has written down, but a function that multiplies by it.
// Not in sinter.hpp.
//
// An operator is a function of an array that gives an expression of the same shape and dtype, as `[&](const auto& v) { return 2 * v -
// roll(v, 1); }`, or a matrix, which multiplies vectors. Vectors may have any number of axes. The steps around the operator are fused
// with it; scalars stay on the device, but for the residual, which each step waits for.
#pragma once

#include <vector>

#include <sinter/detail/linalg.hpp>

namespace sinter::sparse::linalg {

/// When to stop: where the residual's norm is not above `rtol` times that of the right side, nor above `atol`; or after so many steps,
/// ten for each element unless said otherwise.
struct iteration_options {
  double rtol = 1e-5, atol = 0;
  std::int64_t maxiter = -1;
  std::vector<double>* residuals = nullptr;  ///< gets the norm after each step, the first before any
};
/// `restart`: vectors that are kept at most.
struct gmres_options {
  double rtol = 1e-5, atol = 0;
  std::int64_t maxiter = -1, restart = 20;
  std::vector<double>* residuals = nullptr;
};
struct lobpcg_options {
  double tol = -1;  ///< of the largest residual; negative: the root of the precision, times the rows
  std::int64_t maxiter = 20;
  sinter::detail::truth largest = true;
};

/// `info`: 0, or how many steps did not suffice; negative where there is no next step.
template <class T>
struct solution {
  array<T> x;
  std::int64_t info;
};
template <class T, class R>
struct eigen_pairs {
  array<R> eigenvalues;
  array<T> eigenvectors;
};

}  // namespace sinter::sparse::linalg

namespace sinter::detail {

/// Multiplies by a matrix.
class linear_map {
 public:
  /// Takes an array, gives an owned node of its shape.
  virtual node* apply(node* array) const = 0;

 protected:
  ~linear_map() = default;
};
template <class T, class F>
class map_by final : public linear_map {
 public:
  explicit map_by(const F& f) : f_(f) {}
  node* apply(node* x) const override {
    const array<T> of(retain(x));
    if constexpr (expression<F>) return make_matmul(node_in(f_), node_in(of));
    else {
      using result = decltype(f_(of));
      static_assert(expression<result> && std::is_same_v<element_in<result>, T>,
                    "sinter: an operator gives an expression of the elements that it is given");
      return take_node(f_(of));
    }
  }

 private:
  const F& f_;
};
/// By a sparse array, whose values are computed once for all steps.
template <class T, class F>
  requires(!expression<F> && !std::is_invocable_v<const F&, const array<T>&>)
class map_by<T, F> final : public linear_map {
 public:
  explicit map_by(const F& f) : f_(f.copy()) {}
  node* apply(node* x) const override { return take_node(sinter::astype<T>(matmul(f_, array<T>(retain(x))))); }

 private:
  const F f_;
};
/// That leaves vectors as they are.
struct no_map {};
template <class T>
class map_by<T, no_map> final : public linear_map {
 public:
  explicit map_by(const no_map&) {}
  node* apply(node* x) const override { return retain(x); }
};

struct iterated {
  handle x;
  std::int64_t info;
};
SINTER_API iterated iterate_cg(const linear_map& a, const linear_map& m, handle b, handle x0, dtype,
                               const sparse::linalg::iteration_options&);
SINTER_API iterated iterate_bicgstab(const linear_map& a, const linear_map& m, handle b, handle x0, dtype,
                                     const sparse::linalg::iteration_options&);
SINTER_API iterated iterate_gmres(const linear_map& a, const linear_map& m, handle b, handle x0, dtype,
                                  const sparse::linalg::gmres_options&);
SINTER_API void iterate_lobpcg(const linear_map& a, const linear_map& m, handle x, dtype,
                               const sparse::linalg::lobpcg_options&, handle* made);

}  // namespace sinter::detail

namespace sinter::sparse::linalg {

/// The x for which A x = b by conjugate gradients, of an operator that is symmetric, or Hermitian, and positive definite: `auto [x, info]
/// = cg(A, b, {.rtol = 1e-8});`. M is about the inverse of A,
/// x0 where to begin. Dtypes: float32, float64 and complex; others become double. Errors:
/// `shape_error`. Stream behaviour: waits for the residual of each step. Source: scipy.sparse.linalg.cg.
template <class A, sinter::detail::expression B, class M = sinter::detail::no_map>
auto cg(const A& a, B&& b, const iteration_options& how = {}, const M& m = {},
        sinter::detail::optional_expression x0 = {}) {
  using namespace sinter::detail;
  using T = solved<B>;
  iterated made =
      iterate_cg(map_by<T, A>(a), map_by<T, M>(m), node_in(std::forward<B>(b)), x0.take(), dtype_of<T>, how);
  return solution<T>{array<T>(made.x.take()), made.info};
}
/// Of any operator by stabilised biconjugate gradients. Source: scipy.sparse.linalg.bicgstab.
template <class A, sinter::detail::expression B, class M = sinter::detail::no_map>
auto bicgstab(const A& a, B&& b, const iteration_options& how = {}, const M& m = {},
              sinter::detail::optional_expression x0 = {}) {
  using namespace sinter::detail;
  using T = solved<B>;
  iterated made =
      iterate_bicgstab(map_by<T, A>(a), map_by<T, M>(m), node_in(std::forward<B>(b)), x0.take(), dtype_of<T>, how);
  return solution<T>{array<T>(made.x.take()), made.info};
}
/// Of any operator by generalised minimal residuals, which never grow; M is multiplied from the right. Source:
/// scipy.sparse.linalg.gmres.
template <class A, sinter::detail::expression B, class M = sinter::detail::no_map>
auto gmres(const A& a, B&& b, const gmres_options& how = {}, const M& m = {},
           sinter::detail::optional_expression x0 = {}) {
  using namespace sinter::detail;
  using T = solved<B>;
  iterated made =
      iterate_gmres(map_by<T, A>(a), map_by<T, M>(m), node_in(std::forward<B>(b)), x0.take(), dtype_of<T>, how);
  return solution<T>{array<T>(made.x.take()), made.info};
}
/// The largest or smallest eigenvalues of a symmetric or Hermitian operator on columns, and their vectors: `auto [w, v] = lobpcg(A, x,
/// {.largest = false});`. x: a first guess of them, as columns. Shapes: (n, k) gives (k,) and (n, k). Errors: `shape_error`,
/// `device_error` where there is no LAPACK or cuSOLVER. Stream behaviour: waits. Source: scipy.sparse.linalg.lobpcg.
template <class A, sinter::detail::expression X, class M = sinter::detail::no_map>
auto lobpcg(const A& a, X&& x, const lobpcg_options& how = {}, const M& m = {}) {
  using namespace sinter::detail;
  using T = solved<X>;
  handle made[2];
  iterate_lobpcg(map_by<T, A>(a), map_by<T, M>(m), node_in(std::forward<X>(x)), dtype_of<T>, how, made);
  return eigen_pairs<T, solved_real<X>>{array<solved_real<X>>(made[0].take()), array<T>(made[1].take())};
}

}  // namespace sinter::sparse::linalg
