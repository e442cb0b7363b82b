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

/// What a plain loop makes of a matrix in double: `step` over the elements up to each one along an axis.
template <class S>
std::vector<double> running(const matrix& m, int axis, S step) {
  std::vector<double> to(m.host.begin(), m.host.end());
  const auto back = static_cast<std::size_t>(axis == 0 ? m.columns : 1);
  for (std::size_t o = 0; o < to.size(); ++o) {
    const bool first = axis == 0 ? o < back : o % static_cast<std::size_t>(m.columns) == 0;
    if (!first) to[o] = step(to[o - back], to[o]);
  }
  return to;
}

double add(double total, double v) { return total + v; }

/// A row whose elements take `from` bytes and become R.
template <class R, class F>
void scan_row(bench::session& s, const std::string& name, const matrix& m, double from, F scan,
              const std::vector<double>& wanted) {
  const std::string bad =
      bench::disagreement(array<R>(scan()).get(), 1e-4, 1, [&](std::size_t o) { return wanted[o]; });
  const auto n = static_cast<double>(m.size());
  if (bad.empty()) s.measure(name, m.size(), from * n, sizeof(R) * n, [&] { array<R> made = scan(); });
  else s.wrong(name, m.size(), bad);
}

void sums(bench::session& s, std::int64_t rows, std::int64_t columns, int axis) {
  const std::string shape = (rows == 1 ? "" : std::to_string(rows) + "x") + std::to_string(columns);
  const std::string name = "cumsum " + shape + (rows == 1 ? "" : ", axis " + std::to_string(axis));
  if (!s.wants(name)) return;
  const matrix m{rows, columns};
  scan_row<float>(
      s, name, m, 4, [&] { return sn::cumsum(m.device, axis); }, running(m, axis, add));
}

void kinds(bench::session& s, const matrix& m) {
  const array<float>& a = m.device;
  const auto named = [&](const char* what) { return std::string(what) + " " + shape_of(m); };
  if (const std::string name = named("cummax"); s.wants(name))
    scan_row<float>(
        s, name, m, 4, [&] { return sn::cummax(a, 1); },
        running(m, 1, [](double t, double v) { return t > v ? t : v; }));
  if (const std::string name = named("logcumsumexp"); s.wants(name))
    scan_row<float>(
        s, name, m, 4, [&] { return sn::logcumsumexp(a, 1); },
        running(m, 1, [](double t, double v) { return std::max(t, v) + std::log1p(std::exp(-std::abs(t - v))); }));
  if (const std::string name = named("cumsum float64"); s.wants(name)) {
    const array<double> d = sn::astype<double>(a);
    scan_row<double>(
        s, name, m, 8, [&] { return sn::cumsum(d, 1); }, running(m, 1, add));
  }
  if (const std::string name = named("cumsum int8"); s.wants(name)) {
    const array<std::int8_t> bytes = sn::astype<std::int8_t>(a * 8.0f);
    matrix whole = m;
    for (float& v : whole.host) v = static_cast<float>(static_cast<std::int8_t>(v * 8.0f));
    scan_row<std::int64_t>(
        s, name, m, 1, [&] { return sn::cumsum(bytes, 1); }, running(whole, 1, add));
  }
}

/// With what a program would write before and after it.
void fused(bench::session& s, const matrix& m) {
  const std::string name = "cumsum(a*a)*2+1 " + shape_of(m);
  if (!s.wants(name)) return;
  const array<float>& a = m.device;
  const auto whole = [&] { return array<float>(sn::cumsum(a * a, 1) * 2.0f + 1.0f); };
  matrix squares = m;
  for (float& v : squares.host) v *= v;
  const std::vector<double> wanted = running(squares, 1, add);
  const std::string bad = bench::disagreement(whole().get(), 1e-4, 1, [&](std::size_t o) { return wanted[o] * 2 + 1; });
  if (!bad.empty()) return s.wrong(name, m.size(), bad);
  s.measure(name, m.size(), m.bytes(), m.bytes(), whole, [&] {
    array<float> squared = a * a, sums = sn::cumsum(squared, 1), twice = sums * 2.0f;
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
  kinds(s, {1, all});
  fused(s, {1, all});
  fused(s, {std::max<std::int64_t>(1, all / 4000), std::min<std::int64_t>(all, 4000)});
  return s.finish();
}
