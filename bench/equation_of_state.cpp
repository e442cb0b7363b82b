// The equation of state of sea water (samples/equation_of_state.hpp): some 300 operations in double over
// pyhpc-benchmarks' shapes, a box of salinities and temperatures over a row of pressures.
#include "samples/equation_of_state.hpp"
#include "bench/forms.hpp"

namespace {

namespace sn = sinter;
using bench::eager;
using bench::plain;
using sn::array;

const auto formula = [](const auto& sa, const auto& ct, const auto& p) {
  return dynamic_enthalpy_derivative(sa, ct, p);
};

void row(bench::session& s, std::int64_t across, std::int64_t deep) {
  const std::int64_t n = across * across * deep;
  const std::string name = "equation_of_state, float64";
  if (!s.wants(name)) return;
  const auto salinity = bench::numbers<double>(n, 0.01, 10, 1), temperature = bench::numbers<double>(n, -12, 20, 2),
             pressure = bench::numbers<double>(deep, 0, 1000, 3);
  const array<double> sa = sn::asarray(salinity, {across, across, deep}),
                      ct = sn::asarray(temperature, {across, across, deep}),
                      p = sn::asarray(pressure, {std::int64_t{1}, std::int64_t{1}, deep});
  // Its terms nearly cancel: 1e-8 of the largest value is what double is good to.
  const std::string bad = bench::disagreement(array<double>(formula(sa, ct, p)).get(), 1e-7, 0.03, [&](std::size_t i) {
    const plain depth{pressure[i % static_cast<std::size_t>(deep)]};
    return formula(plain{salinity[i]}, plain{temperature[i]}, depth).value;
  });
  if (!bad.empty()) return s.wrong(name, n, bad);
  const eager<double> each_sa{sa}, each_ct{ct}, each_p{p};
  const auto bytes = 8.0 * static_cast<double>(n);
  s.measure(
      name, n, 2 * bytes, bytes, [&] { array<double> z = formula(sa, ct, p); },
      [&] { eager<double> z = formula(each_sa, each_ct, each_p); });
}

}  // namespace

int main(int argc, char** argv) {
  bench::session s(argc, argv, "equation_of_state");
  row(s, 32, 4);  // 4,096
  if (!s.quick()) {
    row(s, 81, 11);   // 72,171
    row(s, 204, 26);  // 1.08 M
  }
  if (s.largest() >= 100'000'000) row(s, 323, 41);  // 4.28 M
  return s.finish();
}
