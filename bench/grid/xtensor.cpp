// The rows in xtensor with xsimd: into results that are there already.
#define XTENSOR_USE_XSIMD
#include <array>
#include <memory>

#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

#include "bench/grid/work.hpp"

namespace bench::grid {

namespace {

template <class T>
using line_of = xt::xtensor<T, 1>;
using line = line_of<float>;
using matrix = xt::xtensor<float, 2>;

template <class T>
line_of<T> copied(const T* from, std::int64_t n) {
  line_of<T> to(std::array{static_cast<std::size_t>(n)});
  std::copy(from, from + n, to.data());
  return to;
}
matrix copied(const float* from, std::int64_t rows, std::int64_t columns) {
  matrix to(std::array{static_cast<std::size_t>(rows), static_cast<std::size_t>(columns)});
  std::copy(from, from + rows * columns, to.data());
  return to;
}

// What rows work on.
struct two {
  line x, y;
};
struct options {
  line s, k, t;
};
struct beside {
  matrix a, row, column;
};
constexpr auto one = [](const inputs& in) { return copied(in.x, in.n); };
constexpr auto pair = [](const inputs& in) { return two{copied(in.x, in.n), copied(in.y, in.n)}; };
constexpr auto three = [](const inputs& in) {
  return options{copied(in.price, in.n), copied(in.strike, in.n), copied(in.time, in.n)};
};
constexpr auto integers = [](const inputs& in) { return copied(in.k, in.n); };
constexpr auto bytes = [](const inputs& in) { return copied(in.bytes, in.n); };
constexpr auto grid = [](const inputs& in) {
  return beside{copied(in.x, in.rows, in.columns), copied(in.y, 1, in.columns), copied(in.time, in.rows, 1)};
};

/// `f` gives an expression, or a result that it has made itself.
template <class Z, class Load, class F>
constexpr entry into(const char* row, Load, F) {
  return {row, [](const inputs& in) -> work {
            struct all {
              decltype(Load{}(in)) data;
              Z z;
            };
            const auto state = std::make_shared<all>(all{Load{}(in), Z{}});
            state->z = F{}(state->data);
            return {[state](int times) {
                      for (; times > 0; --times) {
                        xt::noalias(state->z) = F{}(state->data);
                        is_read(state->z.data());
                      }
                    },
                    [state] { return std::vector<double>(state->z.begin(), state->z.end()); }};
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

constexpr auto now = xt::evaluation_strategy::immediate;

const entry all[] = {
    numbers("sum of x", one, [](auto& x) { return std::array{xt::sum<float>(x, now)()}; }),
    numbers("max of x", one, [](auto& x) { return std::array{xt::amax(x, now)()}; }),
    numbers("min and max of x", one,
            [](auto& x) {
              return std::array{xt::amin(x, now)(), xt::amax(x, now)()};
            }),
    numbers("mean and var of x", one,
            [](auto& x) {
              const float n = static_cast<float>(x.size()), mean = xt::sum<float>(x, now)() / n;
              return std::array{mean, xt::sum<float>(xt::square(x - mean), now)() / n};
            }),
    numbers("sum of (x - y)^2", pair, [](auto& d) { return std::array{xt::sum<float>(xt::square(d.x - d.y), now)()}; }),
    numbers("sum of int8", bytes, [](auto& k) { return std::array{xt::sum<int>(k, now)()}; }),
    into<line>("sums of rows", grid, [](auto& d) { return xt::sum<float>(d.a, {1}, now); }),
    into<line>("maxima of rows", grid, [](auto& d) { return xt::amax(d.a, {1}, now); }),
    into<line>("sums of columns", grid, [](auto& d) { return xt::sum<float>(d.a, {0}, now); }),
    into<line>("maxima of columns", grid, [](auto& d) { return xt::amax(d.a, {0}, now); }),
    into<line>("sums of rows of 3", grid, [](auto& d) { return xt::sum<float>(d.a, {1}, now); }),
    into<line>("sums of 3 columns", grid, [](auto& d) { return xt::sum<float>(d.a, {0}, now); }),
    into<matrix>("softmax of rows", grid,
                 [](auto& d) {
                   const matrix top = xt::amax(d.a, {1}, xt::keep_dims | now);
                   matrix e = xt::exp(d.a - top);
                   const matrix total = xt::sum<float>(e, {1}, xt::keep_dims | now);
                   e /= total;
                   return e;
                 }),
    into<matrix>("layer norm of rows", grid,
                 [](auto& d) {
                   const float n = static_cast<float>(d.a.shape(1));
                   const matrix mean = xt::sum<float>(d.a, {1}, xt::keep_dims | now) / n;
                   matrix z = d.a - mean;
                   const matrix deviation =
                       xt::sqrt(xt::sum<float>(xt::square(z), {1}, xt::keep_dims | now) / n + 1e-5F);
                   z /= deviation;
                   return z;
                 }),
    into<matrix>("standardised columns", grid,
                 [](auto& d) {
                   const float n = static_cast<float>(d.a.shape(0));
                   const matrix mean = xt::sum<float>(d.a, {0}, xt::keep_dims | now) / n;
                   matrix z = d.a - mean;
                   const matrix deviation = xt::sqrt(xt::sum<float>(xt::square(z), {0}, xt::keep_dims | now) / n);
                   z /= deviation;
                   return z;
                 }),
    into<matrix>("rows of 3 over their norms", grid,
                 [](auto& d) {
                   const matrix norm = xt::sqrt(xt::sum<float>(xt::square(d.a), {1}, xt::keep_dims | now));
                   return matrix(d.a / norm);
                 }),
    into<matrix>("rows of 3 times a row, plus 1", grid, [](auto& d) { return d.a * d.row + 1.0F; }),
    into<matrix>("a plus its transpose", grid, [](auto& d) { return d.a + xt::transpose(d.a); }),
    into<matrix>("stencil of 5 points", grid,
                 [](auto& d) {
                   const auto& a = d.a;
                   const auto part = [&](std::ptrdiff_t down, std::ptrdiff_t right) {
                     const auto rows = static_cast<std::ptrdiff_t>(a.shape(0)) - 2;
                     const auto columns = static_cast<std::ptrdiff_t>(a.shape(1)) - 2;
                     return xt::view(a, xt::range(down, down + rows), xt::range(right, right + columns));
                   };
                   return 0.25F * (part(2, 1) + part(0, 1) + part(1, 2) + part(1, 0));
                 }),
    into<matrix>("both axes reversed, times 2", grid,
                 [](auto& d) {
                   using xt::placeholders::_;
                   return xt::view(d.a, xt::range(_, _, -1), xt::range(_, _, -1)) * 2.0F;
                 }),
    into<matrix>("matrix times row plus column", grid, [](auto& d) { return d.a * d.row + d.column; }),
    into<line>("every other element, times 2", one,
               [](auto& x) { return xt::view(x, xt::range(0, static_cast<std::ptrdiff_t>(x.size()), 2)) * 2.0F; }),
    into<line>("sqrt(x*x + y*y)", pair, [](auto& d) { return xt::sqrt(d.x * d.x + d.y * d.y); }),
    into<line>("12 operators on x and y", pair,
               [](auto& d) {
                 const auto &x = d.x, &y = d.y;
                 return xt::sqrt(xt::exp(-x * x) + xt::sin(y) * xt::sin(y)) * (x + 2.0F * y - 1.0F) / (1.0F + x * x);
               }),
    into<line>("Black-Scholes of 3 arrays", three,
               [](auto& d) {
                 const float r = 0.05F, v = 0.2F, half = 0.70710678F;
                 const line d1 = (xt::log(d.s / d.k) + (r + 0.5F * v * v) * d.t) / (v * xt::sqrt(d.t));
                 return line(d.s * (0.5F * (1.0F + xt::erf(d1 * half))) -
                             d.k * xt::exp(-r * d.t) * (0.5F * (1.0F + xt::erf((d1 - v * xt::sqrt(d.t)) * half))));
               }),
    into<line>("where(x > 0.5, x, 0)", one, [](auto& x) { return xt::where(x > 0.5F, x, 0.0F); }),
};

}  // namespace

std::span<const entry> of_xtensor() { return all; }

}  // namespace bench::grid
