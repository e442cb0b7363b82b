// Elementwise expressions, the work the library exists for: how much of a launch, and of memory's bandwidth, is left
// over when they run as one kernel. The peers' text is expr_hypot, expr_long and bs of gpu_peers.py; MatX's example is
// its black_scholes.
#include "bench/forms.hpp"

namespace {

using bench::numbers;

const auto hypot = [](const auto& x, const auto& y) { return sqrt(x * x + y * y); };

const auto twelve_operators = [](const auto& x, const auto& y) {
  return sqrt(exp(-x * x) + sin(y) * sin(y)) * (x + 2.0 * y - 1.0) / (1.0 + x * x);
};

const auto normal_cdf = [](const auto& d) { return 0.5 * (1 + erf(d * 0.7071067811865476)); };

const auto black_scholes_3 = [](const auto& s, const auto& k, const auto& t) {
  const double r = 0.05, v = 0.2;
  auto vst = v * sqrt(t);
  auto d1 = (log(s / k) + (r + 0.5 * v * v) * t) / vst;
  auto d2 = d1 - vst;
  return s * normal_cdf(d1) - k * exp(-r * t) * normal_cdf(d2);
};

const auto black_scholes_5 = [](const auto& k, const auto& s, const auto& v, const auto& r, const auto& t) {
  auto vst = v * sqrt(t);
  auto d1 = (log(s / k) + (r + 0.5 * v * v) * t) / vst;
  auto d2 = d1 - vst;
  return s * normal_cdf(d1) - k * exp(-r * t) * normal_cdf(d2);
};

/// Powers and divisions by a scalar: those with a cheap form are to cost what a multiplication does.
void by_scalars(bench::session& s, std::int64_t n) {
  using bench::elementwise;
  const auto power = [&](const char* name, double exponent) {
    if (s.wants(name))
      elementwise<float>(
          s, name, [exponent](const auto& x) { return pow(x, exponent); }, 0, numbers<float>(n, 0.5, 2, 1));
  };
  power("pow(x, 2)", 2);
  power("pow(x, 3)", 3);
  power("pow(x, 0.5)", 0.5);
  power("pow(x, -1)", -1);
  power("pow(x, 2.5)", 2.5);
  if (s.wants("remainder by 7, int32"))
    elementwise<std::int32_t>(
        s, "remainder by 7, int32", [](const auto& k) { return remainder(k, 7); }, 0,
        numbers<std::int32_t>(n, -2e9, 2e9, 1));
  const auto quotient = [&]<class T>(const char* name, T, double low, double high) {
    if (s.wants(name))
      elementwise<T>(
          s, name, [](const auto& k) { return floor_divide(k, 7); }, 0, numbers<T>(n, low, high, 1));
  };
  quotient("floor_divide by 7, uint8", std::uint8_t{}, 0, 255);
  quotient("floor_divide by 7, uint32", std::uint32_t{}, 0, 4e9);
  quotient("floor_divide by 7, int64", std::int64_t{}, -2e9, 2e9);
  quotient("floor_divide by 7, uint64", std::uint64_t{}, 0, 4e9);
}

void rows_of(bench::session& s, std::int64_t n) {
  using bench::elementwise;
  if (s.wants("hypot"))
    elementwise<float>(s, "hypot", hypot, 0, numbers<float>(n, 0, 1, 1), numbers<float>(n, 0, 1, 2));
  if (s.wants("12 operators"))
    elementwise<float>(s, "12 operators", twelve_operators, 1, numbers<float>(n, 0, 1, 1), numbers<float>(n, 0, 1, 2));
  if (s.wants("Black-Scholes, 3 inputs"))
    elementwise<float>(s, "Black-Scholes, 3 inputs", black_scholes_3, 100, numbers<float>(n, 50, 100, 1),
                       numbers<float>(n, 50, 100, 2), numbers<float>(n, 0.5, 1.5, 3));
  if (s.wants("Black-Scholes, 5 inputs"))
    elementwise<float>(s, "Black-Scholes, 5 inputs", black_scholes_5, 100, numbers<float>(n, 50, 100, 1),
                       numbers<float>(n, 50, 100, 2), numbers<float>(n, 0.1, 0.5, 3), numbers<float>(n, 0.01, 0.1, 4),
                       numbers<float>(n, 0.5, 1.5, 5));
  by_scalars(s, n);
}

}  // namespace

int main(int argc, char** argv) {
  bench::session s(argc, argv, "Elementwise expressions, float32");
  for (const std::int64_t n : {100, 1'000, 10'000, 1'000'000, 10'000'000, 100'000'000})
    if (n <= s.largest()) rows_of(s, n);
  return s.finish();
}
