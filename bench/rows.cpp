// Rows and columns that are folded and then changed by what that gave: softmax, norms, standardised columns. The floor reads
// every element once and writes it once. Columns are measured again in one kernel and in two, whatever was chosen.
#include <thread>

#include "bench/matrix.hpp"
#include "runtime/launch/rows.hpp"

namespace {

namespace sn = sinter;
using bench::matrix;
using bench::matrix_row;
using sn::array;

constexpr sn::reduce_options of_rows{.axis = -1, .keepdims = true}, of_columns{.axis = 0, .keepdims = true};

/// Folds row `i` in double, for the plain loops.
template <class F>
double fold(const matrix& m, std::int64_t i, double start, F f) {
  for (std::int64_t j = 0; j < m.columns; ++j) start = f(start, m.at(i, j));
  return start;
}

void layer_norm(bench::session& s, const matrix& m) {
  const std::string name = m.name("layer norm");
  if (!s.wants(name)) return;
  const array<float>& a = m.device;
  const auto width = static_cast<double>(m.columns);
  matrix_row(
      s, name, m, 0.1, [&] { return array<float>((a - sn::mean(a, of_rows)) / sqrt(sn::var(a, of_rows) + 1e-5)); },
      [&] {
        array<float> mean = sn::mean(a, of_rows), centred = a - mean, var = sn::var(a, of_rows), shifted = var + 1e-5,
                     deviation = sqrt(shifted);
        return array<float>(centred / deviation);
      },
      [&, known = std::int64_t{-1}, mean = 0.0, var = 0.0](std::size_t o) mutable {
        const std::int64_t i = static_cast<std::int64_t>(o) / m.columns, j = static_cast<std::int64_t>(o) % m.columns;
        if (known != i) {
          known = i;
          mean = fold(m, i, 0, [](double t, double v) { return t + v; }) / width;
          var = fold(m, i, 0, [&](double t, double v) { return t + (v - mean) * (v - mean); }) / width;
        }
        return (m.at(i, j) - mean) / std::sqrt(var + 1e-5);
      });
}

void softmax(bench::session& s, const matrix& m) {
  const std::string name = m.name("softmax");
  if (!s.wants(name)) return;
  const array<float>& a = m.device;
  matrix_row(
      s, name, m, 0,
      [&] {
        auto e = exp(a - sn::max(a, of_rows));
        return array<float>(e / sn::sum(e, of_rows));
      },
      [&] {
        array<float> top = sn::max(a, of_rows), below = a - top, e = exp(below), total = sn::sum(e, of_rows);
        return array<float>(e / total);
      },
      [&, known = std::int64_t{-1}, total = 0.0](std::size_t o) mutable {
        const std::int64_t i = static_cast<std::int64_t>(o) / m.columns, j = static_cast<std::int64_t>(o) % m.columns;
        if (known != i) known = i, total = fold(m, i, 0, [](double t, double v) { return t + std::exp(v); });
        return std::exp(m.at(i, j)) / total;
      });
}

void over_norms(bench::session& s, const matrix& m) {
  const std::string name = m.name("a / norm of its row");
  if (!s.wants(name)) return;
  const array<float>& a = m.device;
  matrix_row(
      s, name, m, 0.1, [&] { return array<float>(a / sqrt(sn::sum(a * a, of_rows))); },
      [&] {
        array<float> squares = a * a, sums = sn::sum(squares, of_rows), norms = sqrt(sums);
        return array<float>(a / norms);
      },
      [&](std::size_t o) {
        const std::int64_t i = static_cast<std::int64_t>(o) / m.columns, j = static_cast<std::int64_t>(o) % m.columns;
        return m.at(i, j) / std::sqrt(fold(m, i, 0, [](double t, double v) { return t + v * v; }));
      });
}

void standardise(bench::session& s, const matrix& m) {
  const std::string name = m.name("standardised columns");
  if (!s.wants(name)) return;
  const array<float>& a = m.device;
  std::vector<double> means(static_cast<std::size_t>(m.columns)), deviations(means.size());
  for (std::int64_t j = 0; j < m.columns; ++j) {
    double t = 0, q = 0;
    for (std::int64_t i = 0; i < m.rows; ++i) t += m.at(i, j);
    t /= static_cast<double>(m.rows);
    for (std::int64_t i = 0; i < m.rows; ++i) q += (m.at(i, j) - t) * (m.at(i, j) - t);
    means[static_cast<std::size_t>(j)] = t;
    deviations[static_cast<std::size_t>(j)] = std::sqrt(q / static_cast<double>(m.rows));
  }
  const auto fused = [&] { return array<float>((a - sn::mean(a, of_columns)) / sn::stddev(a, of_columns)); };
  matrix_row(  // what is near the mean has the rounding of a mean of a million
      s, name, m, 0.3, fused,
      [&] {
        array<float> mean = sn::mean(a, of_columns), centred = a - mean, deviation = sn::stddev(a, of_columns);
        return array<float>(centred / deviation);
      },
      [&](std::size_t o) {
        const auto j = o % means.size();
        return (m.at(static_cast<std::int64_t>(o / means.size()), static_cast<std::int64_t>(j)) - means[j]) /
               deviations[j];
      });
  if (s.on_cpu() || s.quick()) return;
  for (const auto& [what, longest] : {std::pair{"  one kernel", m.rows}, std::pair{"  two kernels", std::int64_t{0}}})
    std::thread([&, longest = longest, what = what] {  // launches are kept by the thread
      sn::runtime::fusing.column = longest;
      s.measure(what, m.size(), m.bytes(), m.bytes(), fused);
    })
        .join();
}

}  // namespace

int main(int argc, char** argv) {
  bench::session s(argc, argv, "Rows folded and then used, float32");
  const std::int64_t few = s.quick() ? 16 : s.on_cpu() ? 1000 : 8192;
  {
    const matrix wide{few, s.quick() ? 64 : s.on_cpu() ? 1000 : 4096};
    layer_norm(s, wide);
    softmax(s, wide);
  }
  for (const std::int64_t columns :
       {std::int64_t{64}, std::int64_t{1000}, std::int64_t{16'384}, std::int64_t{131'072}}) {
    const matrix other{std::max<std::int64_t>(1, s.largest() / 3 / columns), columns};
    softmax(s, other);
  }
  over_norms(s, {s.largest() / 10, 3});
  const std::int64_t side = s.quick() ? 64 : s.on_cpu() ? 1000 : 4096;
  for (const std::int64_t rows : {side, side / 2, side / 4, side / 8}) standardise(s, {rows, side * side / rows});
  standardise(s, {s.largest() / 100, 100});
  return s.finish();
}
