#include "runtime/library/sparse_factors.hpp"

#include <complex>
#include <new>
#include <string>

#include <sinter/error.hpp>

#ifdef SINTER_HAVE_EIGEN
#include <Eigen/SparseLU>

#include "runtime/library/eigen_memory.hpp"
#endif

namespace sinter::runtime {

#ifdef SINTER_HAVE_EIGEN
namespace {

template <class T>
class eigen_factors final : public host_factors {
 public:
  explicit eigen_factors(const host_columns& a) {
    const auto entries = static_cast<Eigen::Index>(a.starts[a.size]);
    if (entries < a.size) is_singular();  // some column is empty; of very few entries Eigen makes no end
    const matrix whole =
        Eigen::Map<const matrix>(a.size, a.size, entries, a.starts, a.rows, static_cast<const T*>(a.values));
    lu_.compute(whole);
    const std::string why = lu_.lastErrorMessage();  // info() is set to nothing where memory runs out early
    if (why.empty()) return;
    if (why.starts_with("UNABLE")) throw std::bad_alloc();
    is_singular();
  }
  void solve(void* columns, std::int64_t count, linalg::transposition how) const override {
    Eigen::Map<dense> b(static_cast<T*>(columns), lu_.rows(), count);
    const dense given = b;
    // The views of the transpose only read, but Eigen's functions that make them are not const.
    auto& factors = const_cast<Eigen::SparseLU<matrix, order>&>(lu_);
    if (how == linalg::transposition::none) b = lu_.solve(given);
    else if (how == linalg::transposition::transposed) b = factors.transpose().solve(given);
    else b = factors.adjoint().solve(given);
  }

 private:
  using matrix = Eigen::SparseMatrix<T, Eigen::ColMajor, std::int64_t>;
  using order = Eigen::COLAMDOrdering<std::int64_t>;
  using dense = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

  [[noreturn]] static void is_singular() { throw linalg_error("sinter: splu: the matrix is singular"); }

  Eigen::SparseLU<matrix, order> lu_;
};

}  // namespace

std::unique_ptr<const host_factors> factor_on_cpu(const host_columns& a) {
  if (a.is_complex) return std::make_unique<eigen_factors<std::complex<double>>>(a);
  return std::make_unique<eigen_factors<double>>(a);
}
#else
std::unique_ptr<const host_factors> factor_on_cpu(const host_columns&) {
  throw device_error(
      "sinter: splu: Sinter was built without Eigen (libeigen3-dev, Debian), which factors sparse matrices");
}
#endif

}  // namespace sinter::runtime
