// Where a program begins: how far from the origin are random points of the unit square?
#include <iostream>

#include <sinter/sinter.hpp>

namespace sn = sinter;

int main() {
  sn::random::generator rng(42);
  sn::array<float> points = rng.random<float>({1000000, 2});
  sn::array<float> distance = sn::sqrt(sn::sum(points * points, 1));                  // one kernel
  std::cout << "on " << sn::device::current() << ": " << sn::mean(distance) << '\n';  // 0.765...
}
