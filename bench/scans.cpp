// Scans: along rows of many lengths, down columns, and with work before and after them. The floor reads every element once and
// writes it once.
#include "bench/matrix.hpp"

namespace {

namespace sn = sinter;
using bench::matrix;
using sn::array;

std::string shape_of(const matrix& m) {
  return m.rows == 1 ? std::to_string(m.columns) : std::to_string(m.rows) + "x" + std::to_string(m.columns);
}

/// A row of T to R, wanted: `step` over the elements up to each one along an axis, in double.
template <class R, class F, class S>
void scan_row(bench::session& s, const std::string& name, const matrix& m, int axis, double from_bytes, F scan,
              double start, S step, double scale) {
  if (!s.wants(name)) return;
  std::vector<double> totals(static_cast<std::size_t>(axis == 0 ? m.columns : m.rows), start);
  const std::string bad = bench::disagreement(array<R>(scan()).get(), 1e-4, scale, [&](std::size_t o) {
    const std::int64_t i = static_cast<std::int64_t>(o) / m.columns, j = static_cast<std::int64_t>(o) % m.columns;
    double& total = totals[static_cast<std::size_t>(axis == 0 ? j : i)];
    return total = step(total, m.at(i, j));
  });
  const auto n = static_cast<double>(m.size());
  if (bad.empty()) s.measure(name, m.size(), from_bytes * n, sizeof(R) * n, [&] { array<R> made = scan(); });
  else s.wrong(name, m.size(), bad);
}

double add(double total, double v) { return total + v; }

void sums(bench::session& s, std::int64_t rows, std::int64_t columns, int axis) {
  const std::string name =
      "cumsum " + (rows == 1 ? std::to_string(columns) : std::to_string(rows) + "x" + std::to_string(columns)) +
      ", axis " + std::to_string(axis);
  if (!s.wants(name)) return;
  const matrix m{rows, columns};
  scan_row<float>(
      s, name, m, axis, 4, [&] { return sn::cumsum(m.device, axis); }, 0, add, 1);
}

void kinds(bench::session& s, const matrix& m) {
  const auto named = [&](const char* what) { return std::string(what) + " " + shape_of(m); };
  const array<float>& a = m.device;
  const int axis = 1;
  scan_row<float>(
      s, named("cummax"), m, axis, 4, [&] { return sn::cummax(a, axis); }, -1,
      [](double t, double v) { return t > v ? t : v; }, 0);
  scan_row<float>(
      s, named("logcumsumexp"), m, axis, 4, [&] { return sn::logcumsumexp(a, axis); }, -INFINITY,
      [](double t, double v) { return std::isinf(t) ? v : std::max(t, v) + std::log1p(std::exp(-std::abs(t - v))); },
      1);
  const array<double> d = sn::astype<double>(a);
  scan_row<double>(
      s, named("cumsum float64"), m, axis, 8, [&] { return sn::cumsum(d, axis); }, 0, add, 1);
  const array<std::int8_t> bytes = sn::astype<std::int8_t>(a > 0.5f);
  scan_row<std::int64_t>(
      s, named("cumsum int8"), m, axis, 1, [&] { return sn::cumsum(bytes, axis); }, 0,
      [](double t, double v) { return t + (static_cast<float>(v) > 0.5f); }, 1);
}

/// What a program would write in several statements: a prologue, an epilogue, and both.
void fused(bench::session& s, const matrix& m) {
  const std::string name = "cumsum(a*a)*2+1 " + shape_of(m);
  if (!s.wants(name)) return;
  const array<float>& a = m.device;
  const auto whole = [&] { return array<float>(sn::cumsum(a * a, 1) * 2.0f + 1.0f); };
  double total = 0;
  const std::string bad = bench::disagreement(whole().get(), 1e-4, 1, [&](std::size_t o) {
    const std::int64_t j = static_cast<std::int64_t>(o) % m.columns;
    const double v = m.at(static_cast<std::int64_t>(o) / m.columns, j);
    total = (j == 0 ? 0 : total) + v * v;
    return total * 2 + 1;
  });
  if (!bad.empty()) return s.wrong(name, m.size(), bad);
  s.measure(name, m.size(), m.bytes(), m.bytes(), whole, [&] {
    array<float> squares = a * a, sums = sn::cumsum(squares, 1), twice = sums * 2.0f;
    return array<float>(twice + 1.0f);
  });
}

}  // namespace

int main(int argc, char** argv) {
  bench::session s(argc, argv, "Scans, float32");
  for (const std::int64_t n : {10'000, 100'000, 1'000'000, 10'000'000, 100'000'000})
    if (n <= s.largest()) sums(s, 1, n, 1);
  const std::int64_t all = s.largest() / 10;
  for (const std::int64_t columns : {3, 64, 1000, 8192, 100'000})
    if (columns <= all) sums(s, all / columns, columns, 1);
  for (const std::int64_t columns : {3, 100, 4096})
    if (columns <= all) sums(s, all / columns, columns, 0);
  const matrix one{1, all}, some{std::max<std::int64_t>(1, all / 4000), 4000};
  kinds(s, one);
  fused(s, one);
  fused(s, some);
  return s.finish();
}
