// Reductions: how near reading the operands once they come, over everything and over each axis of a cube, with work
// before and after them, and two of them from one reading.
#include "bench/forms.hpp"

namespace {

namespace sn = sinter;
using bench::disagreement;
using sn::array;

double bytes(std::int64_t n) { return 4.0 * static_cast<double>(n); }

void sums(bench::session& s, std::int64_t n) {
  const auto hx = bench::numbers<float>(n, 0, 1, 1), hy = bench::numbers<float>(n, 0, 1, 2);
  const array<float> x = sn::asarray(hx), y = sn::asarray(hy);
  double plain_sum = 0, plain_squares = 0;
  for (std::size_t i = 0; i < hx.size(); ++i) {
    const double difference = static_cast<double>(hx[i]) - static_cast<double>(hy[i]);
    plain_sum += static_cast<double>(hx[i]), plain_squares += difference * difference;
  }
  const auto row = [&](const char* name, double want, double read, auto fused, auto unfused) {
    if (!s.wants(name)) return;
    const std::string bad =
        disagreement(std::vector<float>{fused().item()}, 1e-5, 0, [&](std::size_t) { return want; });
    if (bad.empty()) s.measure(name, n, read, 4, fused, unfused);
    else s.wrong(name, n, bad);
  };
  const auto sum = [&] { return array<float>(sn::sum(x)); };
  row("sum(x)", plain_sum, bytes(n), sum, sum);
  const auto largest = [&] { return array<float>(sn::max(x)); };
  row("max(x)", static_cast<double>(*std::max_element(hx.begin(), hx.end())), bytes(n), largest, largest);
  row(
      "sum((x-y)^2)", plain_squares, 2 * bytes(n), [&] { return array<float>(sn::sum(square(x - y))); },
      [&] {
        array<float> difference = x - y, squares = square(difference);
        return array<float>(sn::sum(squares));
      });
}

/// Sums of a cube: everything, and each axis, which lie differently in memory.
void cube(bench::session& s, std::int64_t side) {
  const std::int64_t n = side * side * side;
  const auto h = bench::numbers<float>(n, 0, 1, 3);
  const array<float> a = sn::asarray(h, {side, side, side});
  const auto at = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    return static_cast<double>(h[static_cast<std::size_t>((i * side + j) * side + k)]);
  };
  for (int axis = -1; axis < 3; ++axis) {
    const std::string name =
        "sum " + std::to_string(side) + "^3" + (axis < 0 ? ", all" : ", axis " + std::to_string(axis));
    if (!s.wants(name)) continue;
    const auto sum = [&] { return array<float>(axis < 0 ? sn::sum(a) : sn::sum(a, axis)); };
    const std::string bad = disagreement(sum().get(), 1e-5, 0, [&](std::size_t o) {
      double total = 0;
      if (axis < 0) {
        for (const float v : h) total += static_cast<double>(v);
        return total;
      }
      const std::int64_t r = static_cast<std::int64_t>(o) / side, c = static_cast<std::int64_t>(o) % side;
      for (std::int64_t k = 0; k < side; ++k) total += axis == 0 ? at(k, r, c) : axis == 1 ? at(r, k, c) : at(r, c, k);
      return total;
    });
    if (bad.empty()) s.measure(name, n, bytes(n), axis < 0 ? 4 : bytes(side * side), sum);
    else s.wrong(name, n, bad);
  }
}

/// Sums and maxima along both axes of a matrix.
void matrix(bench::session& s, std::int64_t rows, std::int64_t columns) {
  const std::int64_t n = rows * columns;
  const std::string of = std::to_string(rows) + "x" + std::to_string(columns) + ", axis ";
  const auto h = bench::numbers<float>(n, 0, 1, 4);
  const array<float> a = sn::asarray(h, {rows, columns});
  for (const bool largest : {false, true})
    for (const int axis : {0, 1}) {
      const std::string name = (largest ? "max " : "sum ") + of + (axis == 0 ? "0" : "1");
      if (!s.wants(name)) continue;
      const auto fold = [&] { return array<float>(largest ? sn::max(a, axis) : sn::sum(a, axis)); };
      const std::string bad = disagreement(fold().get(), 1e-5, 0, [&](std::size_t o) {
        const auto at = static_cast<std::int64_t>(o), length = axis == 0 ? rows : columns;
        double total = 0;
        for (std::int64_t k = 0; k < length; ++k) {
          const auto v =
              static_cast<double>(h[static_cast<std::size_t>(axis == 0 ? k * columns + at : at * columns + k)]);
          total = largest ? std::max(total, v) : total + v;
        }
        return total;
      });
      if (bad.empty()) s.measure(name, n, bytes(n), bytes(axis == 0 ? columns : rows), fold);
      else s.wrong(name, n, bad);
    }
}

void norms(bench::session& s, std::int64_t rows, std::int64_t columns) {
  const std::string name = "sqrt(sum(a*a, -1)) " + std::to_string(rows) + "x" + std::to_string(columns);
  if (!s.wants(name)) return;
  const auto h = bench::numbers<float>(rows * columns, 0, 1, 4);
  const array<float> a = sn::asarray(h, {rows, columns});
  const auto fused = [&] { return array<float>(sqrt(sn::sum(a * a, -1))); };
  const std::string bad = disagreement(fused().get(), 1e-5, 0, [&](std::size_t r) {
    double total = 0;
    for (std::size_t k = r * static_cast<std::size_t>(columns); k < (r + 1) * static_cast<std::size_t>(columns); ++k)
      total += static_cast<double>(h[k]) * static_cast<double>(h[k]);
    return std::sqrt(total);
  });
  if (!bad.empty()) return s.wrong(name, rows * columns, bad);
  s.measure(name, rows * columns, bytes(rows * columns), bytes(rows), fused, [&] {
    array<float> squares = a * a, total = sn::sum(squares, -1);
    return array<float>(sqrt(total));
  });
}

void moments(bench::session& s, std::int64_t n) {
  const std::string name = "mean and var, one eval", ends = "min and max, one eval";
  if (!s.wants(name) && !s.wants(ends)) return;
  const auto h = bench::numbers<float>(n, 0, 1, 5);
  const array<float> x = sn::asarray(h);
  if (s.wants(ends)) s.measure(ends, n, bytes(n), 8, [&] { return sn::eval(sn::min(x), sn::max(x)); });
  if (!s.wants(name)) return;
  double total = 0, squares = 0;
  for (const float v : h) total += static_cast<double>(v);
  const double mean = total / static_cast<double>(n);
  for (const float v : h) squares += (static_cast<double>(v) - mean) * (static_cast<double>(v) - mean);
  const auto fused = [&] { return sn::eval(sn::mean(x), sn::var(x)); };
  auto [m, v] = fused();
  const double want[] = {mean, squares / static_cast<double>(n)};
  const std::string bad =
      disagreement(std::vector<float>{m.item(), v.item()}, 1e-5, 0, [&](std::size_t i) { return want[i]; });
  if (!bad.empty()) return s.wrong(name, n, bad);
  s.measure(name, n, bytes(n), 8, fused, [&] {
    array<float> one = sn::mean(x);
    array<float> other = sn::var(x);
  });
}

}  // namespace

int main(int argc, char** argv) {
  bench::session s(argc, argv, "Reductions, float32");
  for (const std::int64_t n : {10'000, 1'000'000, 10'000'000, 100'000'000})
    if (n <= s.largest() && (s.wants("sum(x)") || s.wants("max(x)") || s.wants("sum((x-y)^2)"))) sums(s, n);
  cube(s, s.quick() ? 20 : s.on_cpu() ? 200 : 256);
  norms(s, 256, s.quick() ? 32 : 1024);
  for (const std::int64_t columns : {3, 30, 1000}) matrix(s, s.largest() / 10 / columns, columns);
  for (const std::int64_t n : {10'000, 1'000'000})
    if (n < s.largest()) moments(s, n);
  moments(s, s.largest());
  return s.finish();
}
