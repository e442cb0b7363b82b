// A sample for the trials alone: expressions of functions that the library composes of its own operations, which are made, not
// evaluated, for where they are made is where they ask for memory; and calls of libraries.
#include <iostream>

#include <sinter/fft.hpp>
#include <sinter/histogram.hpp>
#include <sinter/nan_reductions.hpp>
#include <sinter/polynomial.hpp>
#include <sinter/products.hpp>
#include <sinter/random.hpp>
#include <sinter/signal.hpp>
#include <sinter/sinter.hpp>
#include <sinter/softmax.hpp>
#include <sinter/special.hpp>
#include <sinter/statistics.hpp>
#include <sinter/vectors.hpp>

namespace sn = sinter;
using sn::_, sn::array, sn::lazy, sn::slice;

namespace {

template <class... E>
void made(const char* what, const E&... of) {
  std::cout << what << ' ';
  (std::cout << ... << of.shape().elements()) << '\n';
}

void shapes(const array<float>& x, const array<float>& m) {
  made("flip", sn::flip(m), sn::rot90(m), sn::roll(x, 2), sn::repeat(x, 2), sn::tile(x, {2, 2}));
  made("pad", sn::pad(m, {{1, 1}}, sn::pad_mode::reflect), sn::pad(x, {{2, 1}}, sn::pad_mode::linear_ramp),
       sn::pad(x, {{1, 2}}, sn::pad_mode::mean));
  made("join", sn::concatenate({x, x}), sn::stack({x, x}), sn::column_stack({x, x}));
  made("triangle", sn::tril(m), sn::diagonal(m), sn::diag(x));
  made("edit", sn::insert(x, {1}, 5.0f), sn::delete_(x, {1, 2}), sn::resize(x, {3, 3}));
  made("grids", sn::linspace(0, 1, 5), sn::linspace(x, x + 1, 3), sn::hanning(5), sn::vander(x, 3));
  made("windows", sn::sliding_window_view(x, {3}), sn::moveaxis(m, 0, 1), sn::expand_dims(x, {0}));
}

void sums(const array<float>& x, const array<float>& m) {
  made("means", sn::mean(m, 0), sn::var(m), sn::stddev(m, 1), sn::average(x, x * x));
  made("masked", sn::mean(x, {.where = x > 2}), sn::sum(x, {.initial = 2, .where = x > 2}));
  made("of numbers", sn::nansum(m), sn::nanmax(m, 0), sn::nanvar(m), sn::nanmean(m, 1));
  made("rows", sn::special::softmax(m, 1), sn::special::logsumexp(m, {.axis = 1}));
  made("cov", sn::cov(m), sn::corrcoef(m), sn::trace(m), sn::vdot(x, x), sn::linalg::norm(m));
  made("along", sn::cumsum(x), sn::diff(x), sn::gradient(x), sn::trapezoid(x), sn::interp(x, x, x));
  made("searches", sn::searchsorted(x, x), sn::digitize(x, x));
  made("vectors", sn::kron(x, x), sn::cross(m(_, slice(3)), m(_, slice(3))), sn::linalg::toeplitz(x, x),
       sn::kaiser(5, 2));
  made("signals", sn::convolve(x, x), sn::correlate(x, x), sn::polyval(x, m), sn::polyadd(x, x));
  made("special", sn::special::expi(x), sn::special::j0(x), sn::special::digamma(x));
}

void picks(const array<float>& x, const array<float>& m) {
  const array<std::int64_t> i = {1, 0};
  made("taken", sn::take(x, i), m(i), m(i, slice(_, 2)), sn::take_along_axis(m, sn::zeros<std::int64_t>({3, 1}), 1));
  made("selected", sn::select({x > 2, x > 1}, sn::tuple(x, x * 2), 0.0f), sn::choose(i, {x(slice(2)), x(slice(2))}));
  sn::random::generator rng(7);
  made("drawn", rng.normal({4}), rng.gamma({4}, 2), rng.poisson({4}, 3));
}

// What libraries compute is computed, of numbers whose sums are exact: without the library it is the same.
void calls() {
  const array<float> a = (sn::arange<float>(256) % 3).reshape({16, 16}), b = a.T();
  const auto product = sn::matmul(a + 1, b);
  std::cout << "product " << sn::sum(product) << ' ' << sn::max(product) << '\n';
  std::cout << "einsum " << sn::sum(sn::einsum("ij,jk,kl->il", a, b, a)) << '\n';
  std::cout << "transform " << sn::rint(sn::sum(sn::real(sn::fft::fft(a * 2)))) << '\n';
}

}  // namespace

int main() {
  const array<float> x = sn::arange<float>(6), m = sn::arange<float>(12).reshape({3, 4});
  shapes(x, m);
  sums(x, m);
  picks(x, m);
  calls();
}
