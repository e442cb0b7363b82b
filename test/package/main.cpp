// A user's first program, built outside the tree against an installed Sinter.
#include <cmath>
#include <iostream>
#include <string>

#include <sinter/sinter.hpp>

namespace sn = sinter;

int main() {
  sn::array<float> x = sn::linspace<float>(0, 1, 101);
  // The headers and the library are of one version, and say so in three ways.
  if (std::string(sn::version()) != SINTER_VERSION || sn::version_number() != SINTER_VERSION_NUMBER) return 2;
  const float mean = sn::mean(x * 2 + 1).item();
  std::cout << "sinter " << SINTER_VERSION << " on " << sn::device::current() << ": mean " << mean << '\n';
  return std::abs(mean - 2) < 1e-6F ? 0 : 1;
}
