// A user's first program, built outside the tree against an installed Sinter.
#include <cmath>
#include <iostream>

#include <sinter/sinter.hpp>

namespace sn = sinter;

int main() {
  sn::array<float> x = sn::linspace<float>(0, 1, 101);
  const float mean = sn::mean(x * 2 + 1).item();
  std::cout << "sinter " << SINTER_VERSION << " on " << sn::device::current() << ": mean " << mean << '\n';
  return std::abs(mean - 2) < 1e-6F ? 0 : 1;
}
