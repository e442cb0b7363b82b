// The potential of charges in a square box whose walls are earthed, -laplace(u) = f, found in two ways: by sine transforms, in which the
// equation is a division, and by conjugate gradients on a sparse matrix.
#include <iostream>
#include <numbers>

#include <sinter/fft.hpp>
#include <sinter/products.hpp>
#include <sinter/sparse.hpp>

#include "gallery.hpp"

namespace sn = sinter;
using sn::_, sn::array, sn::newaxis, sn::slice;

/// The sums of x(k) sin(pi (j + 1) (k + 1) / (n + 1)) along the last axis, from the transform of x and its mirror image.
array<double> sines(const array<double>& x) {
  const auto wall = sn::zeros({x.shape()[0], 1});
  const auto odd = sn::concatenate(sn::tuple(wall, x, wall, -sn::flip(x, 1)), 1);
  return sn::imag(sn::fft::rfft(odd))(_, slice(1, x.shape()[1] + 1)) / -2;
}
array<double> sines_of_both(const array<double>& x) { return sines(sines(x).T().copy()).T(); }

array<double> by_transforms(const array<double>& f) {
  const auto n = static_cast<double>(f.shape()[0]);
  const array<double> k = sn::arange(1.0, n + 1) * (std::numbers::pi / (2 * (n + 1)));
  const array<double> along = 4 * sn::square(sn::sin(k));  // of the second differences
  return sines_of_both(sines_of_both(f) / (along + along(_, newaxis))) * sn::square(2 / (n + 1));
}

/// Minus the sums of second differences along both axes, of a grid of n x n points.
sn::sparse::csr_array<double> laplacian(std::int64_t n) {
  const array<std::int64_t> k = sn::arange(n * n).reshape(n, n);
  const auto here = sn::concatenate(sn::tuple(k(_, slice(1, _)).ravel(), k(slice(1, _)).ravel()));
  const auto there = sn::concatenate(sn::tuple(k(_, slice(_, -1)).ravel(), k(slice(_, -1)).ravel()));
  const array<std::int64_t> rows = sn::concatenate(sn::tuple(k.ravel(), here, there));
  const array<std::int64_t> columns = sn::concatenate(sn::tuple(k.ravel(), there, here));
  const array<double> values = sn::where(rows == columns, 4.0, -1.0);
  return sn::sparse::coo_array<double>(values, rows, columns, {n * n, n * n}).tocsr();
}

array<double> by_gradients(const sn::sparse::csr_array<double>& a, const array<double>& b, int& rounds) {
  array<double> x = sn::zeros_like(b), r = b, p = b, rest = sn::dot(r, r);
  const double enough = 1e-24 * rest.item();
  for (rounds = 0; rounds % 20 != 0 || rest.item() > enough; ++rounds) {
    const array<double> ap = sn::matmul(a, p), before = rest;
    const array<double> step = rest / sn::dot(p, ap);
    x += step * p;
    r -= step * ap;
    rest = sn::dot(r, r);
    p = r + rest / before * p;
  }
  return x;
}

int main(int argc, char** argv) {
  const gallery::command ask(argc, argv, "out/poisson.png", 48);
  const std::int64_t n = ask.size;

  // Two round charges of opposite signs, and a bar.
  auto [y, x] = sn::mgrid(sn::points{0, 1, n}, sn::points{0, 1, n});
  const auto disc = [&y = y, &x = x](double cy, double cx) { return sn::hypot(y - cy, x - cx) < 0.06; };
  const array<double> f = sn::astype<double>(disc(0.3, 0.25)) - sn::astype<double>(disc(0.6, 0.7)) +
                          sn::where((sn::abs(y - 0.85) < 0.02) & (sn::abs(x - 0.4) < 0.25), 0.5, 0.0);

  int rounds = 0;
  const array<double> u = by_transforms(f), v = by_gradients(laplacian(n), f.ravel(), rounds).reshape(n, n);
  const double scale = sn::max(sn::abs(u)).item();
  std::cout << n << " x " << n << " points, " << 5 * n * n - 4 * n << " entries\n"
            << "rounds of conjugate gradients   " << rounds << '\n'
            << "the two agree to 9 digits       " << std::boolalpha << (sn::max(sn::abs(u - v)).item() < 1e-9 * scale)
            << '\n'
            << "lowest and highest              " << sn::round(sn::min(u) / scale, 4) << ' '
            << sn::round(sn::max(u) / scale, 4) << '\n';
  // Every second band between lines of equal potential is darker.
  const auto bands = sn::floor(12 * u / scale);
  gallery::imsave(ask.picture, u / scale * 0.9 + sn::where(sn::remainder(bands, 2.0) == 0, 0.05, -0.05),
                  {.cmap = gallery::coolwarm, .vmin = -1, .vmax = 1});
}
