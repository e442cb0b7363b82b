// The rows in Eigen 3: into results that are there already, and with a temporary where a user of it would have one.
#include <array>
#include <memory>

#include <Eigen/Core>
#include <unsupported/Eigen/SpecialFunctions>

#include "bench/grid/work.hpp"

namespace bench::grid {

namespace {

template <class T>
using line_of = Eigen::Array<T, Eigen::Dynamic, 1>;
using line = line_of<float>;
using across = Eigen::Array<float, 1, Eigen::Dynamic>;
using matrix = Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class T>
line_of<T> copied(const T* from, std::int64_t n) {
  return Eigen::Map<const line_of<T>>(from, n);
}

// What rows work on.
struct two {
  line x, y;
};
struct options {
  line s, k, t;
};
struct beside {
  matrix a;
  across row;
  line column;
};
constexpr auto one = [](const inputs& in) { return copied(in.x, in.n); };
constexpr auto pair = [](const inputs& in) { return two{copied(in.x, in.n), copied(in.y, in.n)}; };
constexpr auto three = [](const inputs& in) {
  return options{copied(in.price, in.n), copied(in.strike, in.n), copied(in.time, in.n)};
};
constexpr auto integers = [](const inputs& in) { return copied(in.k, in.n); };
constexpr auto bytes = [](const inputs& in) { return copied(in.bytes, in.n); };
constexpr auto grid = [](const inputs& in) {
  return beside{Eigen::Map<const matrix>(in.x, in.rows, in.columns), copied(in.y, in.columns).transpose(),
                copied(in.time, in.rows)};
};

template <class Z, class Load, class F>
constexpr entry into(const char* row, Load, F) {
  return {row, [](const inputs& in) -> work {
            struct all {
              decltype(Load{}(in)) data;
              Z z;
            };
            const auto state = std::make_shared<all>(all{Load{}(in), Z{}});
            F{}(state->data, state->z);
            return {[state](int times) {
                      for (; times > 0; --times) {
                        F{}(state->data, state->z);
                        is_read(state->z.data());
                      }
                    },
                    [state] { return std::vector<double>(state->z.data(), state->z.data() + state->z.size()); }};
          }};
}

template <class Load, class F>
constexpr entry numbers(const char* row, Load, F) {
  return {row, [](const inputs& in) -> work {
            const auto data = std::make_shared<decltype(Load{}(in))>(Load{}(in));
            return {[data](int times) {
                      for (; times > 0; --times) {
                        const auto z = F{}(*data);
                        is_read(&z);
                      }
                    },
                    [data] {
                      const auto z = F{}(*data);
                      return std::vector<double>(z.begin(), z.end());
                    }};
          }};
}
constexpr auto cdf = [](const auto& d) { return 0.5F * (1.0F + (d * 0.70710678F).erf()); };

const entry all[] = {
    numbers("sum of x", one, [](auto& x) { return std::array{x.sum()}; }),
    numbers("max of x", one, [](auto& x) { return std::array{x.maxCoeff()}; }),
    numbers("min and max of x", one,
            [](auto& x) {
              return std::array{x.minCoeff(), x.maxCoeff()};
            }),
    numbers("mean and var of x", one,
            [](auto& x) {
              const float mean = x.mean();
              return std::array{mean, (x - mean).square().mean()};
            }),
    numbers("sum of (x - y)^2", pair, [](auto& d) { return std::array{(d.x - d.y).square().sum()}; }),
    numbers("sum of int8", bytes, [](auto& k) { return std::array{k.template cast<int>().sum()}; }),
    into<line>("sums of rows", grid, [](auto& d, auto& z) { z = d.a.rowwise().sum(); }),
    into<line>("maxima of rows", grid, [](auto& d, auto& z) { z = d.a.rowwise().maxCoeff(); }),
    into<across>("sums of columns", grid, [](auto& d, auto& z) { z = d.a.colwise().sum(); }),
    into<across>("maxima of columns", grid, [](auto& d, auto& z) { z = d.a.colwise().maxCoeff(); }),
    into<line>("sums of rows of 3", grid, [](auto& d, auto& z) { z = d.a.rowwise().sum(); }),
    into<across>("sums of 3 columns", grid, [](auto& d, auto& z) { z = d.a.colwise().sum(); }),
    into<matrix>("softmax of rows", grid,
                 [](auto& d, auto& z) {
                   const line top = d.a.rowwise().maxCoeff();
                   z = (d.a.colwise() - top).exp();
                   const line total = z.rowwise().sum();
                   z.colwise() /= total;
                 }),
    into<matrix>("layer norm of rows", grid,
                 [](auto& d, auto& z) {
                   const line mean = d.a.rowwise().mean();
                   z = d.a.colwise() - mean;
                   const line deviation = (z.square().rowwise().mean() + 1e-5F).sqrt();
                   z.colwise() /= deviation;
                 }),
    into<matrix>("standardised columns", grid,
                 [](auto& d, auto& z) {
                   const across mean = d.a.colwise().mean();
                   z = d.a.rowwise() - mean;
                   const across deviation = z.square().colwise().mean().sqrt();
                   z.rowwise() /= deviation;
                 }),
    into<matrix>("rows of 3 over their norms", grid,
                 [](auto& d, auto& z) {
                   const line norm = d.a.square().rowwise().sum().sqrt();
                   z = d.a.colwise() / norm;
                 }),
    into<matrix>("rows of 3 times a row, plus 1", grid, [](auto& d, auto& z) { z = d.a.rowwise() * d.row + 1.0F; }),
    into<matrix>("a plus its transpose", grid, [](auto& d, auto& z) { z = d.a + d.a.transpose(); }),
    into<matrix>("stencil of 5 points", grid,
                 [](auto& d, auto& z) {
                   const auto& a = d.a;
                   const auto r = a.rows() - 2, c = a.cols() - 2;
                   z = 0.25F * (a.block(2, 1, r, c) + a.block(0, 1, r, c) + a.block(1, 2, r, c) + a.block(1, 0, r, c));
                 }),
    into<matrix>("both axes reversed, times 2", grid, [](auto& d, auto& z) { z = d.a.reverse() * 2.0F; }),
    into<matrix>("matrix times row plus column", grid,
                 [](auto& d, auto& z) { z = (d.a.rowwise() * d.row).colwise() + d.column; }),
    into<line>("every other element, times 2", one,
               [](auto& x, auto& z) {
                 z = Eigen::Map<const line, 0, Eigen::InnerStride<2>>(x.data(), (x.size() + 1) / 2) * 2.0F;
               }),
    into<line>("sqrt(x*x + y*y)", pair, [](auto& d, auto& z) { z = (d.x * d.x + d.y * d.y).sqrt(); }),
    into<line>("12 operators on x and y", pair,
               [](auto& d, auto& z) {
                 const auto &x = d.x, &y = d.y;
                 z = ((-x * x).exp() + y.sin() * y.sin()).sqrt() * (x + 2.0F * y - 1.0F) / (1.0F + x * x);
               }),
    into<line>("Black-Scholes of 3 arrays", three,
               [](auto& d, auto& z) {
                 const float r = 0.05F, v = 0.2F;
                 const line d1 = ((d.s / d.k).log() + (r + 0.5F * v * v) * d.t) / (v * d.t.sqrt());
                 z = d.s * cdf(d1) - d.k * (-r * d.t).exp() * cdf(d1 - v * d.t.sqrt());
               }),
    into<line>("where(x > 0.5, x, 0)", one, [](auto& x, auto& z) { z = (x > 0.5F).select(x, 0.0F); }),
    into<line_of<std::int32_t>>("int32 divided by 7, down", integers,
                                [](auto& k, auto& z) {
                                  z = k.unaryExpr([](std::int32_t v) {
                                    const std::int32_t q = v / 7;
                                    return q - (q * 7 > v);
                                  });
                                }),
};

}  // namespace

std::span<const entry> of_eigen() { return all; }

}  // namespace bench::grid
