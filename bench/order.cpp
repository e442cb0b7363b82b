// Sorts, order statistics, selections by a mask and histograms. The floor reads what is given once, and writes the result once.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include <sinter/histogram.hpp>
#include <sinter/order.hpp>
#include <sinter/quantiles.hpp>
#include <sinter/sets.hpp>

#include "bench/forms.hpp"

namespace {

namespace sn = sinter;
using sn::array;

/// `make` gives the result, which has to be `want`, to within a millionth.
template <class F, class T>
void row(bench::session& s, const std::string& name, std::int64_t n, double read, F make, const std::vector<T>& want) {
  if (!s.wants(name)) return;
  const array<T> once = make();
  const std::vector<T> got = once.get();
  const std::string bad =
      got.size() != want.size()
          ? std::to_string(got.size()) + " elements, and not " + std::to_string(want.size())
          : bench::disagreement(got, 1e-6, 1, [&](std::size_t i) { return static_cast<double>(want[i]); });
  if (!bad.empty()) return s.wrong(name, n, bad);
  s.measure(name, n, read, sizeof(T) * static_cast<double>(want.size()), [&] { array<T> r = make(); });
}

template <class T>
void sorts(bench::session& s, const std::string& dtype, std::int64_t n) {
  const std::vector<T> host = bench::numbers<T>(n, 0, std::is_integral_v<T> ? 1e9 : 1.0, 1);
  const array<T> a = sn::asarray(host);
  const double bytes = sizeof(T) * static_cast<double>(n);
  std::vector<T> sorted = host;
  std::sort(sorted.begin(), sorted.end());
  row(
      s, "sort " + dtype, n, bytes, [&] { return sn::sort(a); }, sorted);
  // Which of two equal elements comes first is not given, so the elements are compared.
  if (const std::string name = "argsort " + dtype; s.wants(name)) {
    const array<T> in_order = sn::take(a, sn::argsort(a));
    const std::string bad =
        bench::disagreement(in_order.get(), 0, 1, [&](std::size_t i) { return static_cast<double>(sorted[i]); });
    if (!bad.empty()) s.wrong(name, n, bad);
    else s.measure(name, n, bytes, 8.0 * static_cast<double>(n), [&] { array<std::int64_t> r = sn::argsort(a); });
  }
  const std::int64_t middle = n / 2;
  if (const std::string name = "partition " + dtype; s.wants(name)) {
    const T got = sn::partition(a, middle)(middle).item();
    if (got != sorted[static_cast<std::size_t>(middle)]) s.wrong(name, n, "another element in the middle");
    else s.measure(name, n, bytes, bytes, [&] { array<T> r = sn::partition(a, middle); });
  }
  row(
      s, "ten largest " + dtype, n, bytes,
      [&] {
        const auto ten = sn::top_k(a, 10);
        auto [values, places] = sn::eval(ten.values, ten.indices);
        return values;
      },
      std::vector<T>(sorted.rbegin(), sorted.rbegin() + 10));
  if constexpr (std::is_floating_point_v<T>)
    row(
        s, "median " + dtype, n, bytes, [&] { return sn::median(a); },
        std::vector<T>{(sorted[sorted.size() / 2 - 1] + sorted[sorted.size() / 2]) / 2});
}

void sorts_of_rows(bench::session& s, std::int64_t rows, std::int64_t columns) {
  const std::int64_t n = rows * columns;
  std::vector<float> host = bench::numbers<float>(n, 0, 1, 2);
  const array<float> a = array<float>(sn::asarray(host)).reshape(rows, columns);
  for (auto at = host.begin(); at != host.end(); at += columns) std::sort(at, at + columns);
  row(
      s, "sort float32, " + std::to_string(rows) + "x" + std::to_string(columns), n, 4.0 * static_cast<double>(n),
      [&] { return sn::sort(a); }, host);
  row(
      s, "rows in order by argsort, " + std::to_string(rows) + "x" + std::to_string(columns), n,
      4.0 * static_cast<double>(n), [&] { return sn::take_along_axis(a, sn::argsort(a), 1); }, host);
}

void selections(bench::session& s, std::int64_t n) {
  const std::vector<float> host = bench::numbers<float>(n, 0, 1, 3);
  const array<float> v = sn::asarray(host);
  const double bytes = 4.0 * static_cast<double>(n);
  std::vector<float> above;
  for (const float x : host)
    if (x > 0.5f) above.push_back(x);
  row(
      s, "v(v > 0.5)", n, bytes, [&] { return array<float>(v(v > 0.5f)); }, above);
  std::vector<std::int64_t> bins(256), counts(1000);
  for (const float x : host) ++bins[static_cast<std::size_t>(x * 256)];
  row(
      s, "histogram, 256 bins", n, bytes,
      [&] {
        return sn::histogram(v, 256, {.range = {0, 1}}).counts;
      },
      bins);
  const std::vector<std::int32_t> few = bench::numbers<std::int32_t>(n, 0, 1000, 4);
  const array<std::int32_t> k = sn::asarray(few);
  for (const std::int32_t i : few) ++counts[static_cast<std::size_t>(i)];
  row(
      s, "bincount, 1000 values", n, bytes, [&] { return array<std::int64_t>(sn::bincount(k, 1000)); }, counts);
  std::vector<std::int32_t> values(1000);
  std::iota(values.begin(), values.end(), 0);
  if (n >= 100'000)
    row(
        s, "unique, 1000 values", n, bytes, [&] { return array<std::int32_t>(sn::unique(k)); }, values);
}

}  // namespace

int main(int argc, char** argv) {
  bench::session s(argc, argv, "Order, selections and histograms");
  const std::int64_t n = s.largest() / 10;
  sorts<float>(s, "float32", n);
  sorts<double>(s, "float64", n);
  sorts<std::int32_t>(s, "int32", n);
  for (const std::int64_t columns : {25, 64, 1000}) sorts_of_rows(s, n / columns, columns);
  selections(s, n);
  return s.finish();
}
