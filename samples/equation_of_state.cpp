// The equation of state of sea water: a real formula of some 340 operations (equation_of_state.hpp), written as a
// person writes it down, runs as a single kernel. What it should give comes from NumPy in 80-bit numbers
// (samples/data/make_eos_expected.py): its terms nearly cancel, so that any evaluation in double, NumPy's too, is good
// to about 1e-9.
#include <iostream>

#include "equation_of_state.hpp"

namespace sn = sinter;
using sn::_, sn::array;

int main(int argc, char** argv) try {
  const array<double> expected = sn::load<double>(argc > 1 ? argv[1] : "samples/data/eos_expected.npy");

  // Salinity and temperature everywhere in a box of sea; pressure by depth alone. Every number here is exact in binary.
  constexpr int across = 32, deep = 4;
  auto i = sn::arange(across * across * deep).reshape({across, across, deep});
  array<double> salinity = ((i * 7919) % 10230 + 11) / 1024;                                    // 0.01 to 10 g/kg
  array<double> temperature = (i * 6007) % 32769 / 1024 - 12;                                   // -12 to 20 degrees C
  array<double> pressure = sn::arange<double>(1, deep + 1)(sn::newaxis, sn::newaxis, _) * 250;  // to 1000 dbar

  auto derivative = dynamic_enthalpy_derivative(salinity, temperature, pressure);

  const auto before = sn::counters();
  array<double> result = derivative;
  const auto after = sn::counters();

  const double error = (sn::max(sn::abs(result - expected)) / sn::max(sn::abs(expected))).item();
  const bool good = error < 1e-8;
  std::cout << "shape      " << result.shape() << '\n'
            << "kernels    " << after.launches - before.launches << '\n'
            << "agreement  " << (good ? "within 1e-8 of the largest value" : "none") << '\n';
  if (!good) std::cout << "error      " << error << '\n';
  return good ? 0 : 1;
} catch (const sn::error& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
