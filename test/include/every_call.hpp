// Every kind of call of a library, each as a function of one array, for tests that do the same with all of them: threads, graphs, faults.
#pragma once

#include <complex>
#include <functional>
#include <string>
#include <vector>

#include <sinter/dct.hpp>
#include <sinter/fft.hpp>
#include <sinter/filters.hpp>
#include <sinter/histogram.hpp>
#include <sinter/iterative.hpp>
#include <sinter/linalg.hpp>
#include <sinter/order.hpp>
#include <sinter/products.hpp>
#include <sinter/quantiles.hpp>
#include <sinter/sets.hpp>
#include <sinter/sinter.hpp>
#include <sinter/sparse.hpp>
#include <sinter/sparse_solve.hpp>
#include <sinter/spectral.hpp>

namespace sinter::test {

struct kind_of_call {
  std::string name;
  bool waits;  ///< how many elements there are, or what is to be done, depends on values: it cannot be captured
  std::function<array<double>(const array<double>&)> of;
};

/// A matrix for them, square, of numbers that come out of a seed; all have a condition that is small.
inline array<double> made_for_calls(std::int64_t n, int seed = 0) {
  const array<std::int64_t> i = arange(n).reshape(n, 1), j = arange(n);
  return astype<double>((i * (7 + seed) + j * j * 3 + i * j) % 23 - 11) / 8.0;
}

namespace every_call_of {

inline array<double> dominant(const array<double>& x) {
  return x / static_cast<double>(x.shape()[0]) + 4 * eye<double>(x.shape()[0]);
}
inline array<double> symmetric(const array<double>& x) { return dominant(x + x.T()); }
inline array<double> mostly_zeros(std::int64_t n) {
  const array<std::int64_t> i = arange(n).reshape(n, 1), j = arange(n);
  return where((i * 3 + j) % 7 == 0, astype<double>(i - j), zeros<double>({}));
}

inline std::vector<kind_of_call> products() {
  return {
      {"product", false, [](const auto& x) -> array<double> { return matmul(x + 1, x.T()) * 0.5; }},
      {"product, turned", false, [](const auto& x) -> array<double> { return matmul(x.T(), x(slice(_, _, -1))); }},
      {"products of a batch", false,
       [](const auto& x) -> array<double> { return matmul(stack(tuple(x, x + 1)), x(newaxis, _, slice(0, 5))); }},
      {"product of complex numbers", false,
       [](const auto& x) -> array<double> { return imag(matmul(make_complex(x, x + 1), make_complex(x, -x))); }},
      {"product of float16", false,
       [](const auto& x) -> array<double> { return astype<double>(matmul(astype<half>(x), astype<half>(x))); }},
      {"einsum", false, [](const auto& x) -> array<double> { return einsum("ij,kj,kl->il", x, x + 1, x); }},
      {"power of a matrix", false, [](const auto& x) -> array<double> { return linalg::matrix_power(dominant(x), 5); }},
      {"product of a sparse matrix", false,
       [a = sparse::csr_array<double>(mostly_zeros(12))](const auto& x) -> array<double> {
         return matmul(a, x(slice(_, 12), _) + 1);
       }},
      {"product of a sparse matrix by columns", false,
       [a = sparse::csc_array<double>(mostly_zeros(12))](const auto& x) -> array<double> {
         return matmul(a, x(slice(_, 12), 0)) * 2;
       }},
  };
}
inline std::vector<kind_of_call> signals() {
  return {
      {"transform", false, [](const auto& x) -> array<double> { return abs(fft::fft(x * 2)); }},
      {"transform and back", false,
       [](const auto& x) -> array<double> { return fft::irfft(fft::rfft(x, {.axis = 0}) * 2, {.axis = 0}); }},
      {"transform of two axes", false,
       [](const auto& x) -> array<double> { return real(fft::ifft2(fft::fft2(x) + 1)); }},
      {"convolution by transforms", false,
       [](const auto& x) -> array<double> { return signal::fftconvolve(x(0), x(1) + 1); }},
      {"convolution by pieces", false,
       [](const auto& x) -> array<double> { return signal::oaconvolve(x.ravel(), x(0, slice(5))); }},
      {"cosine transform", false, [](const auto& x) -> array<double> { return fft::dct(x + 1) * 2; }},
      {"spectra of segments", false,
       [](const auto& x) -> array<double> { return signal::welch(x.ravel(), {.nperseg = 64}).p; }},
      {"filter", false,
       [](const auto& x) -> array<double> {
         return signal::lfilter(array<double>{0.5, 0.25}, array<double>{1, -0.5}, x + 1) * 2;
       }},
      {"filter by sections", false,
       [](const auto& x) -> array<double> {
         return signal::sosfilt(array<double>{{0.5, 0.25, 0, 1, -0.5, 0}, {1, 0.5, 0, 1, 0.25, 0}}, x, 0);
       }},
  };
}
inline std::vector<kind_of_call> orders() {
  return {
      {"sort", false, [](const auto& x) -> array<double> { return sort(-x) + 1; }},
      {"sort, along the first axis and downwards", false,
       [](const auto& x) -> array<double> { return sort(x, {.axis = 0, .descending = true}); }},
      {"argsort", false, [](const auto& x) -> array<double> { return astype<double>(argsort(x * 2)); }},
      {"lexsort", false,
       [](const auto& x) -> array<double> { return astype<double>(lexsort(tuple(x(0), floor(x(1))))); }},
      {"partition", false, [](const auto& x) -> array<double> { return partition(x + 1, 5)(_, 5); }},
      {"top_k", false,
       [](const auto& x) -> array<double> {
         const auto [values, places] = top_k(x, 3);
         return values * 100 + places;
       }},
      {"median", false, [](const auto& x) -> array<double> { return median(x, 1); }},
      {"mode", false,
       [](const auto& x) -> array<double> {
         const auto [value, count] = stats::mode(x);
         return value * 10 + count;
       }},
      {"isin", false, [](const auto& x) -> array<double> { return astype<double>(isin(x, x(0))); }},
      {"unique", true,
       [](const auto& x) -> array<double> {
         const auto [values, counts] = unique_counts(x);
         return values * counts;
       }},
      {"under a mask", true, [](const auto& x) -> array<double> { return x(x > 0.5) * 2; }},
      {"counts", true,
       [](const auto& x) -> array<double> {
         return astype<double>(bincount(astype<std::int64_t>(abs(x.ravel()) * 8)));
       }},
      {"histogram", true, [](const auto& x) -> array<double> { return histogram<double>(x, 10).counts; }},
  };
}
inline std::vector<kind_of_call> systems() {
  return {
      {"solve", false, [](const auto& x) -> array<double> { return linalg::solve(dominant(x), x + 1); }},
      {"inverse", false, [](const auto& x) -> array<double> { return linalg::inv(dominant(x)) * 2; }},
      {"determinant", false,
       [](const auto& x) -> array<double> { return linalg::det(dominant(x)(slice(8), slice(8))); }},
      {"cholesky", false, [](const auto& x) -> array<double> { return linalg::cholesky(symmetric(x)); }},
      {"qr", false,
       [](const auto& x) -> array<double> {
         const auto [q, r] = linalg::qr(x);
         return matmul(q, r) * 2;  // the signs of both are the library's own
       }},
      {"svd", false,
       [](const auto& x) -> array<double> {
         const auto [u, s, vh] = linalg::svd(x(_, slice(8)), {.full_matrices = false});
         return matmul(u * s, vh);
       }},
      {"svd of a large matrix", false,  // another way on a GPU
       [](const auto& x) -> array<double> {
         const array<double> diagonal = 16.0 + arange<double>(130) / 8.0;
         const auto [u, s, vh] = linalg::svd(eye<double>(130) * diagonal + sum(x) / 1e4, {.full_matrices = false});
         return matmul(u * s, vh);
       }},
      {"eigenvalues", false, [](const auto& x) -> array<double> { return linalg::eigvalsh(symmetric(x)); }},
      {"eigenvectors", false,
       [](const auto& x) -> array<double> {
         const auto [w, v] = linalg::eigh(symmetric(x));
         return matmul(v * w, v.T());
       }},
      {"complex eigenvalues", false,
       [](const auto& x) -> array<double> { return sum(abs(linalg::eigvals(dominant(x)))); }},
      {"least squares", false,
       [](const auto& x) -> array<double> { return linalg::lstsq(dominant(x)(_, slice(8)), x(0)).x; }},
      {"pseudoinverse", false, [](const auto& x) -> array<double> { return linalg::pinv(dominant(x)(_, slice(8))); }},
      {"lu", false,
       [](const auto& x) -> array<double> {
         const auto [p, l, u] = linalg::lu(x);
         return matmul(matmul(p, l), u);
       }},
      {"solve, triangular", false,
       [](const auto& x) -> array<double> { return linalg::solve_triangular(dominant(x), x, {.lower = true}); }},
      {"singular values", false, [](const auto& x) -> array<double> { return linalg::svdvals(x(_, slice(8))); }},
      {"solve, banded", false,
       [](const auto& x) -> array<double> {
         return linalg::solve_banded({1, 1}, x(slice(3)) / 64 + array<double>{{0}, {4}, {0}}, x(3));
       }},
      {"solve, by a factor of Cholesky's", false,
       [](const auto& x) -> array<double> { return linalg::cho_solve(linalg::cho_factor(symmetric(x)), x); }},
      {"solve, by conjugate gradients", true,
       [](const auto& x) -> array<double> { return sparse::linalg::cg(symmetric(x), x(0), {.rtol = 1e-13}).x; }},
      {"exponential of a matrix", true, [](const auto& x) -> array<double> { return linalg::expm(x / 100); }},
      {"solve, sparse", true,
       [](const auto& x) -> array<double> {
         return sparse::linalg::spsolve(sparse::csc_array<double>(mostly_zeros(12) / 64 + 2 * eye<double>(12)),
                                        x(slice(_, 12), 0));
       }},
  };
}

}  // namespace every_call_of

/// Some hold sparse arrays, so that each caller makes the list anew; they are made where nothing is captured.
inline std::vector<kind_of_call> every_call() {
  std::vector<kind_of_call> all;
  for (const auto& some :
       {every_call_of::products(), every_call_of::signals(), every_call_of::orders(), every_call_of::systems()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

}  // namespace sinter::test
