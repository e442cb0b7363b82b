// Examples of what computes numbers of arrays.
#include <cmath>
#include <complex>

#include <sinter/bits.hpp>
#include <sinter/fft.hpp>
#include <sinter/histogram.hpp>
#include <sinter/polynomial.hpp>
#include <sinter/quantiles.hpp>
#include <sinter/sets.hpp>
#include <sinter/signal.hpp>
#include <sinter/vectors.hpp>

#include "docs/generate/examples.hpp"

#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"

namespace docs {
namespace {

void folds(std::vector<example>& all) {
  DOCS_OPERANDS
  EXAMPLE(sum, "np.sum(a, axis=1, keepdims=True)", sn::sum(a, {.axis = 1, .keepdims = true}));
  EXAMPLE(sum, "np.sum(a, where=a > 2)", sn::sum(a, {.where = a > 2}));
  EXAMPLE(prod, "np.prod(a, 0)", sn::prod(a, 0));
  EXAMPLE(min, "np.min(a, 0)", sn::min(a, 0));
  EXAMPLE(max, "np.max(a)", sn::max(a));
  EXAMPLE(any, "np.any(a > 5)", sn::any(a > 5));
  EXAMPLE(all, "np.all(a > 1, axis=0)", sn::all(a > 1, 0));
  EXAMPLE(argmin, "np.argmin(b)", sn::argmin(b));
  EXAMPLE(argmax, "np.argmax(b, 1)", sn::argmax(b, 1));
  EXAMPLE(count_nonzero, "np.count_nonzero(a > 2, axis=0)", sn::count_nonzero(a > 2, 0));
  EXAMPLE(ptp, "np.ptp(a, 1)", sn::ptp(a, 1));
  EXAMPLE(mean, "np.mean(i)", sn::mean(i));
  EXAMPLE(var, "np.var(a, ddof=1)", sn::var(a, {.ddof = 1}));
  EXAMPLE(stddev, "np.std(a, 0)", sn::stddev(a, 0));
  EXAMPLE(cumsum, "np.cumsum(a, 1)", sn::cumsum(a, 1));
  EXAMPLE(cumprod, "np.cumprod(f)", sn::cumprod(f));
  EXAMPLE(cummax, "np.maximum.accumulate(b, 1)", sn::cummax(b, 1));
  EXAMPLE(cummin, "np.minimum.accumulate(i)", sn::cummin(i));
  EXAMPLE(logcumsumexp, "np.logaddexp.accumulate(x)", sn::logcumsumexp(x));
  EXAMPLE(nansum, "np.nansum(n)", sn::nansum(n));
  EXAMPLE(nanprod, "np.nanprod(n)", sn::nanprod(n));
  EXAMPLE(nanmean, "np.nanmean(n)", sn::nanmean(n));
  EXAMPLE(nanvar, "np.nanvar(n)", sn::nanvar(n));
  EXAMPLE(nanstd, "np.nanstd(n, ddof=1)", sn::nanstd(n, {.ddof = 1}));
  EXAMPLE(nanmax, "np.nanmax(n)", sn::nanmax(n));
  EXAMPLE(nanmin, "np.nanmin(n)", sn::nanmin(n));
  EXAMPLE(nanargmax, "np.nanargmax(n)", sn::nanargmax(n));
  EXAMPLE(nanargmin, "np.nanargmin(n)", sn::nanargmin(n));
  EXAMPLE(nancumsum, "np.nancumsum(n)", sn::nancumsum(n));
  EXAMPLE(nancumprod, "np.nancumprod(n)", sn::nancumprod(n));
  EXAMPLE(average, "np.average(a, axis=1, weights=[1, 2, 1])", sn::average(a, array{1, 2, 1}, {.axis = 1}));
  EXAMPLE(cov, "np.cov(a)", sn::cov(a));
  EXAMPLE(corrcoef, "np.corrcoef(a, b)", sn::corrcoef(a, b));
  EXAMPLE(stats::zscore, "", sn::stats::zscore(a, 1));
  EXAMPLE(special::logsumexp, "np.log(np.sum(np.exp(a), 1))", sn::special::logsumexp(a, {.axis = 1}));
  EXAMPLE(special::softmax, "np.exp(x) / np.sum(np.exp(x))", sn::special::softmax(x, 0));
  EXAMPLE(special::log_softmax, "x - np.log(np.sum(np.exp(x)))", sn::special::log_softmax(x, 0));
}

void products(std::vector<example>& all) {
  DOCS_OPERANDS
  EXAMPLE(matmul, "np.matmul(a, b.T)", sn::matmul(a, b.T()));
  EXAMPLE(dot, "np.dot(a, x)", sn::dot(a, x));
  EXAMPLE(matvec, "np.matvec(a, x)", sn::matvec(a, x));
  EXAMPLE(vecmat, "np.vecmat(x, a.T)", sn::vecmat(x, a.T()));
  EXAMPLE(tensordot, "np.tensordot(a, b, ([1], [1]))", sn::tensordot(a, b, {1}, {1}));
  EXAMPLE(einsum, "np.einsum(\"ij,ij->i\", a, b)", sn::einsum("ij,ij->i", a, b));
  EXAMPLE(linalg::matrix_power, "np.linalg.matrix_power(np.array([[1.0, 1], [1, 0]]), 5)",
          sn::linalg::matrix_power(array<double>{{1, 1}, {1, 0}}, 5));
  EXAMPLE(linalg::multi_dot, "np.linalg.multi_dot([a, b.T, a])", sn::linalg::multi_dot(a, b.T(), a));
  EXAMPLE(vecdot, "np.vecdot(a, b)", sn::vecdot(a, b));
  EXAMPLE(vdot, "np.vdot(z, z)", sn::vdot(z, z));
  EXAMPLE(inner, "np.inner(a, b)", sn::inner(a, b));
  EXAMPLE(outer, "np.outer(f, f)", sn::outer(f, f));
  EXAMPLE(linalg::norm, "np.linalg.norm(a)", sn::linalg::norm(a));
  EXAMPLE(linalg::norm, "np.linalg.norm(a, 1, axis=0)", sn::linalg::norm(a, {.ord = 1, .axis = 0}));
  EXAMPLE(linalg::vector_norm, "np.linalg.vector_norm(a, axis=1)", sn::linalg::vector_norm(a, {.axis = 1}));
  EXAMPLE(linalg::matrix_norm, "np.linalg.matrix_norm(a, ord=np.inf)", sn::linalg::matrix_norm(a, {.ord = INFINITY}));
  EXAMPLE(linalg::trace, "np.linalg.trace(a)", sn::linalg::trace(a));
  EXAMPLE(cross, "np.cross(a, b)", sn::cross(a, b));
  EXAMPLE(kron, "np.kron(f, a)", sn::kron(f, a));
  EXAMPLE(linalg::cross, "np.linalg.cross(a, b)", sn::linalg::cross(a, b));
  EXAMPLE(linalg::toeplitz, "", sn::linalg::toeplitz(i, f));
  EXAMPLE(spatial::distance_matrix, "", sn::spatial::distance_matrix(a, b));
  EXAMPLE(diff, "np.diff(a, 2)", sn::diff(a, 2));
  EXAMPLE(diff, "np.diff(i, prepend=0)", sn::diff(i, {.prepend = 0}));
  EXAMPLE(ediff1d, "np.ediff1d(f, to_end=9)", sn::ediff1d(f, {.to_end = 9}));
  EXAMPLE(gradient, "np.gradient(a, 0.5, axis=1)", sn::gradient(a, 0.5, {.axis = 1}));
  EXAMPLE(gradients, "np.gradient(a)", sn::gradients(a));
  EXAMPLE(trapezoid, "np.trapezoid(a, dx=0.1, axis=0)", sn::trapezoid(a, {.dx = 0.1, .axis = 0}));
  EXAMPLE(unwrap, "np.unwrap(f, period=1.5)", sn::unwrap(f, {.period = 1.5}));
  EXAMPLE(cumulative_sum, "np.cumulative_sum(f, include_initial=True)",
          sn::cumulative_sum(f, {.include_initial = true}));
  EXAMPLE(cumulative_prod, "np.cumulative_prod(a, axis=1)", sn::cumulative_prod(a, {.axis = 1}));
}

void orders(std::vector<example>& all) {
  DOCS_OPERANDS
  EXAMPLE(sort, "np.sort(b)", sn::sort(b));
  EXAMPLE(argsort, "np.argsort(b, axis=0)", sn::argsort(b, 0));
  EXAMPLE(lexsort, "np.lexsort((i, k))", sn::lexsort({i, k}));
  EXAMPLE(partition, "np.partition(n, 1)[1]", sn::partition(n, 1)(1));
  EXAMPLE(top_k, "np.flip(np.sort(a), 1)[:, :2]", sn::top_k(a, 2).values);
  EXAMPLE(unique, "np.unique([3, 1, 3])", sn::unique(array{3, 1, 3}));
  EXAMPLE(unique_values, "np.unique_values(np.array([3.0, np.nan, 3, np.nan]))[1:]",
          sn::unique_values(array<double>{3, NAN, 3, NAN})(slice(1, _)));
  EXAMPLE(unique_all, "np.unique_all(np.array([3, 1, 3])).counts", sn::unique_all(array{3, 1, 3}).counts);
  EXAMPLE(unique_inverse, "np.unique_inverse(np.array([3, 1, 3])).inverse_indices",
          sn::unique_inverse(array{3, 1, 3}).inverse_indices);
  EXAMPLE(unique_counts, "np.unique_counts(np.array([3, 1, 3])).counts", sn::unique_counts(array{3, 1, 3}).counts);
  EXAMPLE(isin, "np.isin(a, [1, 5])", sn::isin(a, array{1, 5}));
  EXAMPLE(intersect1d, "np.intersect1d([1, 2, 3], [5, 3, 1])", sn::intersect1d(array{1, 2, 3}, array{5, 3, 1}));
  EXAMPLE(union1d, "np.union1d([1, 2], [3, 1])", sn::union1d(array{1, 2}, array{3, 1}));
  EXAMPLE(setdiff1d, "np.setdiff1d([1, 2, 3], [3, 1])", sn::setdiff1d(array{1, 2, 3}, array{3, 1}));
  EXAMPLE(setxor1d, "np.setxor1d([1, 2], [3, 1])", sn::setxor1d(array{1, 2}, array{3, 1}));
  EXAMPLE(median, "np.median(a, axis=0)", sn::median(a, 0));
  EXAMPLE(nanmedian, "np.nanmedian(n)", sn::nanmedian(n));
  EXAMPLE(quantile, "np.quantile(a, [0.25, 0.5], axis=1)", sn::quantile(a, {0.25, 0.5}, 1));
  EXAMPLE(percentile, "np.percentile(a, 40)", sn::percentile(a, 40));
  EXAMPLE(nanquantile, "np.nanquantile(n, 0.75)", sn::nanquantile(n, 0.75));
  EXAMPLE(nanpercentile, "np.nanpercentile(n, 25)", sn::nanpercentile(n, 25));
  EXAMPLE(argpartition, "np.argpartition(i, 0)[0]", sn::argpartition(i, 0)(0));
  EXAMPLE(searchsorted, "np.searchsorted(x, [0.7, 2.0])", sn::searchsorted(x, array{0.7, 2.0}));
  EXAMPLE(digitize, "np.digitize(a, x)", sn::digitize(a, x));
  EXAMPLE(interp, "np.interp([0.75, 5], x, [10, 20, 40])", sn::interp(array{0.75, 5.0}, x, array{10, 20, 40}));
}

void polynomials_and_transforms(std::vector<example>& all) {
  DOCS_OPERANDS
  EXAMPLE(convolve, "np.convolve(f, [1, 0, -1])", sn::convolve(f, array<float>{1, 0, -1}));
  EXAMPLE(correlate, "np.correlate(f, [1, 2])", sn::correlate(f, array<float>{1, 2}));
  EXAMPLE(signal::convolve, "", sn::signal::convolve(a, array<double>{{1, -1}}));
  EXAMPLE(signal::correlate, "", sn::signal::correlate(a, array<double>{{1, -1}}));
  EXAMPLE(polyval, "np.polyval(f, x)", sn::polyval(f, x));
  EXAMPLE(polyadd, "np.polyadd(f, [1, 1])", sn::polyadd(f, array<float>{1, 1}));
  EXAMPLE(polysub, "np.polysub(f, [1, 1])", sn::polysub(f, array<float>{1, 1}));
  EXAMPLE(polymul, "np.polymul(f, [1, 1])", sn::polymul(f, array<float>{1, 1}));
  EXAMPLE(poly, "np.poly([1.0, 2.0])", sn::poly(array{1.0, 2.0}));
  EXAMPLE(polydiv, "np.polydiv([3.0, 5.0, 2.0], [2.0, 1.0])", sn::polydiv(array{3.0, 5.0, 2.0}, array{2.0, 1.0}));
  EXAMPLE(polyder, "np.polyder(f)", sn::polyder(f));
  EXAMPLE(polyint, "np.polyint([6.0, 2.0, 1.0])", sn::polyint(array{6.0, 2.0, 1.0}));
  EXAMPLE(bincount, "np.bincount([0, 2, 2, 5])", sn::bincount(array{0, 2, 2, 5}));
  EXAMPLE(histogram, "np.histogram(a, 3)[0]", sn::histogram(a, 3).counts);
  EXAMPLE(histogram_bin_edges, "np.histogram_bin_edges(a, 2)", sn::histogram_bin_edges(a, 2));
  EXAMPLE(histogram2d, "np.histogram2d([0.0, 1, 1], [1.0, 2, 2], 2)[0]",
          sn::histogram2d(array<double>{0, 1, 1}, array<double>{1, 2, 2}, {2}).counts);
  EXAMPLE(histogramdd, "np.histogramdd(a, 2)[0].shape", sn::histogramdd(a, {2}).counts.shape());
  EXAMPLE(fft::fft, "np.round(np.abs(np.fft.fft(v)), 6)", sn::round(sn::abs(sn::fft::fft(sn::asarray(v))), 6));
  EXAMPLE(fft::ifft, "np.round(np.abs(np.fft.ifft(v)), 6)", sn::round(sn::abs(sn::fft::ifft(sn::asarray(v))), 6));
  EXAMPLE(fft::rfft, "np.round(np.abs(np.fft.rfft(v)), 6)", sn::round(sn::abs(sn::fft::rfft(sn::asarray(v))), 6));
  EXAMPLE(fft::irfft, "np.round(np.fft.irfft(v), 6) + 0", sn::round(sn::fft::irfft(sn::asarray(v)), 6) + 0);
  EXAMPLE(fft::hfft, "np.round(np.fft.hfft(v), 6) + 0", sn::round(sn::fft::hfft(sn::asarray(v)), 6) + 0);
  EXAMPLE(fft::ihfft, "np.round(np.abs(np.fft.ihfft(v)), 6)", sn::round(sn::abs(sn::fft::ihfft(sn::asarray(v))), 6));
  EXAMPLE(fft::fftn, "np.round(np.abs(np.fft.fftn(a)), 6)", sn::round(sn::abs(sn::fft::fftn(a)), 6));
  EXAMPLE(fft::fft2, "np.round(np.abs(np.fft.fft2(a)), 6)", sn::round(sn::abs(sn::fft::fft2(a)), 6));
  EXAMPLE(fft::fftfreq, "np.fft.fftfreq(4, 0.1)", sn::fft::fftfreq(4, 0.1));
  EXAMPLE(fft::rfftfreq, "np.fft.rfftfreq(4, 0.1)", sn::fft::rfftfreq(4, 0.1));
  EXAMPLE(fft::fftshift, "np.fft.fftshift(f)", sn::fft::fftshift(f));
  EXAMPLE(fft::ifftshift, "np.fft.ifftshift(f)", sn::fft::ifftshift(f));
}

void ufuncs(std::vector<example>& all) {
  DOCS_OPERANDS
  EXAMPLE(packbits, "np.packbits(a > 2, axis=1)", sn::packbits(a > 2, 1));
  EXAMPLE(unpackbits, "np.unpackbits(np.array([5, 255], np.uint8))", sn::unpackbits(array<std::uint8_t>{5, 255}));
  EXAMPLE(conj, "np.conj(z)", sn::conj(z));
  EXAMPLE(isreal, "np.isreal(z)", sn::isreal(z));
  EXAMPLE(angle, "np.round(np.angle(z, deg=True), 2)", sn::round(sn::angle(z, true), 2));
  EXAMPLE(iscomplexobj, "np.iscomplexobj(z)", sn::iscomplexobj(z));
  EXAMPLE(array::real, "z.real", z.real());
  EXAMPLE(isclose, "np.isclose(a, b, rtol=0.5)", sn::isclose(a, b, {.rtol = 0.5}));
  EXAMPLE(allclose, "np.allclose(a, a + 1e-9)", sn::allclose(a, a + 1e-9));
  EXAMPLE(array_equal, "np.array_equal(a, b)", sn::array_equal(a, b));
  EXAMPLE(array_equiv, "np.array_equiv(f, [[1, 2, 3]])", sn::array_equiv(f, array{{1, 2, 3}}));
  EXAMPLE(nan_to_num, "np.nan_to_num(n, nan=7)", sn::nan_to_num(n, {.nan = 7}));
  EXAMPLE(round, "np.round(x / 3, 2)", sn::round(x / 3, 2));
  EXAMPLE(around, "np.around(x * 25, -1)", sn::around(x * 25, -1));
  EXAMPLE(divmod, "np.divmod(i, 3)", sn::divmod(i, 3));
  EXAMPLE(modf, "np.modf(-x)", sn::modf(-x));
  EXAMPLE(frexp, "np.frexp(x)", sn::frexp(x));
  EXAMPLE(ldexp, "np.ldexp(x, 3)", sn::ldexp(x, 3));
  EXAMPLE(float_power, "np.float_power(f, 0.5)", sn::float_power(f, 0.5));
}

}  // namespace

void run_numbers(std::vector<example>& all) {
  folds(all);
  products(all);
  orders(all);
  polynomials_and_transforms(all);
  ufuncs(all);
}

}  // namespace docs
