// Expressions over two-dimensional arrays: a transpose, a stencil of views, ten thousand statements over a small array, where nothing but the cost of a statement counts, and a factorisation that
// stores into what it reads.
#include "bench/matrix.hpp"

namespace {

namespace sn = sinter;
using bench::disagreement;
using bench::matrix;
using bench::matrix_row;
using sn::_;
using sn::array;
using sn::slice;

void transpose(bench::session& s, const matrix& m) {
  const std::string name = m.name("a + a.T");
  if (!s.wants(name)) return;
  const array<float>& a = m.device;
  matrix_row(
      s, name, m, 0, [&] { return array<float>(a + a.T()); },
      [&] {
        array<float> turned = a.T().copy();
        return array<float>(a + turned);
      },
      [&](std::size_t o) {
        const std::int64_t i = static_cast<std::int64_t>(o) / m.columns, j = static_cast<std::int64_t>(o) % m.columns;
        return m.at(i, j) + m.at(j, i);
      });
}

void stencil(bench::session& s, const matrix& m) {
  const std::string name = m.name("5-point stencil");
  if (!s.wants(name)) return;
  const array<float>& a = m.device;
  const auto inner = slice(1, -1), up = slice(2, _), down = slice(_, -2);
  matrix_row(
      s, name, m, 0,
      [&] { return array<float>(0.25 * (a(up, inner) + a(down, inner) + a(inner, up) + a(inner, down))); },
      [&] {
        array<float> two = a(up, inner) + a(down, inner), three = two + a(inner, up), four = three + a(inner, down);
        return array<float>(0.25 * four);
      },
      [&](std::size_t o) {
        const std::int64_t i = static_cast<std::int64_t>(o) / (m.columns - 2) + 1,
                           j = static_cast<std::int64_t>(o) % (m.columns - 2) + 1;
        return 0.25 * (m.at(i + 1, j) + m.at(i - 1, j) + m.at(i, j + 1) + m.at(i, j - 1));
      });
}

/// Microseconds for all of many statements.
void statements(bench::session& s) {
  const int count = s.quick() ? 100 : 10'000;
  const std::string name = std::string(s.quick() ? "100" : "10,000") + " x = x*2.5+1 on 100x100";
  if (!s.wants(name)) return;
  const matrix m{100, 100};
  const auto run = [&](int times) {
    array<float> x = m.device;
    for (int i = 0; i < times; ++i) x = x * 2.5 + 1;
    return x;
  };
  const std::string bad = disagreement(run(10).get(), 1e-5, 0, [&](std::size_t i) {
    double x = static_cast<double>(m.host[i]);
    for (int k = 0; k < 10; ++k) x = x * 2.5 + 1;
    return x;
  });
  if (!bad.empty()) return s.wrong(name, m.size(), bad);
  s.measure(
      name, m.size(), m.bytes(), m.bytes(), [&] { run(count); },
      [&] {
        array<float> x = m.device;
        for (int i = 0; i < count; ++i) {
          array<float> scaled = x * 2.5;
          x = scaled + 1;
        }
      },
      count);
}

/// Row by row, each element from the rows before it: a loop of stores, as one would write it in Python.
void cholesky(bench::session& s) {
  const int n = s.quick() ? 40 : 400;
  const std::string name = "Cholesky " + std::to_string(n) + "x" + std::to_string(n) + ", row by row";
  if (!s.wants(name)) return;
  array<double> b = sn::asarray(bench::numbers<double>(n * n, 0, 1, 6), {n, n});
  array<double> a = sn::sum(b(_, sn::newaxis, _) * b(sn::newaxis, _, _), 2) + n * sn::eye(n);
  const auto factor = [&] {
    array<double> l = sn::zeros({n, n});
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < i; ++j) l(i, j) = (a(i, j) - sn::sum(l(i, slice(0, j)) * l(j, slice(0, j)))) / l(j, j);
      l(i, i) = sqrt(a(i, i) - sn::sum(sn::square(l(i, slice(0, i)))));
    }
    return l;
  };
  const array<double> l = factor();
  const double error = sn::max(abs(sn::sum(l(_, sn::newaxis, _) * l(sn::newaxis, _, _), 2) - a)).item();
  if (!(error < 1e-9 * n)) return s.wrong(name, n * n, "the product of the factors is off by " + std::to_string(error));
  const double bytes = 8.0 * n * n;
  s.measure(
      name, n * n, bytes, bytes, [&] { factor(); },
      [&] {
        array<double> out = sn::zeros({n, n});
        for (int i = 0; i < n; ++i)
          for (int j = 0; j <= i; ++j) {
            array<double> product = out(i, slice(0, j)) * out(j, slice(0, j)), sum = sn::sum(product),
                          left = a(i, j) - sum;
            if (i == j) out(i, j) = sqrt(left);
            else out(i, j) = left / out(j, j);
          }
      },
      n * (n + 1) / 2);
}

}  // namespace

int main(int argc, char** argv) {
  bench::session s(argc, argv, "Two-dimensional arrays, float32");
  {
    const matrix wide{s.quick() ? 16 : s.on_cpu() ? 2048 : 8192, s.quick() ? 64 : 4096};
    stencil(s, wide);
  }
  {
    const std::int64_t side = s.quick() ? 64 : s.on_cpu() ? 2048 : 4096;
    transpose(s, {side, side});
  }
  statements(s);
  cholesky(s);
  return s.finish();
}
