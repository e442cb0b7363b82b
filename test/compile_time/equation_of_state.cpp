// The equation of state, a formula of some 300 operations under 82 names, instantiated and evaluated once.
#include "../../samples/equation_of_state.hpp"

sinter::array<double> evaluated(const sinter::array<double>& sa, const sinter::array<double>& ct,
                                const sinter::array<double>& p) {
  return dynamic_enthalpy_derivative(sa, ct, p);
}
