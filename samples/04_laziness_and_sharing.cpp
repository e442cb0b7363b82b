// 4. Laziness and sharing. An expression keeps the value it had where it was written, owns all it needs, and computes
// once what has a name. Only the number of kernels shows that it is lazy.
#include <iostream>

#include <sinter/sinter.hpp>

namespace sn = sinter;
using sn::array;

/// The kernels that f starts.
template <class F>
auto kernels(F f) {
  const auto before = sn::counters().launches;
  f();
  return sn::counters().launches - before;
}

/// Functions can return expressions: what they refer to lives on in them.
auto distance(const array<float>& x, const array<float>& y) {
  auto dx = x - 3;
  auto dy = y - 4;
  return sn::sqrt(dx * dx + dy * dy);
}

int main() {
  array<float> a{1, 2, 3};
  auto e = a + 1;
  a += 5;
  std::cout << "a + 1, written before a += 5   " << e << '\n';
  std::cout << "a                              " << a << '\n';

  array<float> x{0, 3, 9}, y{0, 0, 12};
  auto d = distance(x, y);
  std::cout << "distance from (3, 4)           " << d << "\n\n";

  // However long it is, an elementwise expression is one kernel.
  std::cout << "building an expression         " << kernels([&] { auto f = sn::sqrt(x) + x * y - 2; }) << " kernels\n";
  std::cout << "array f = sqrt(x) + x * y - 2  " << kernels([&] { array f = sn::sqrt(x) + x * y - 2; }) << " kernel\n";
  std::cout << "the same, one step at a time   "
            << kernels([&] { array root = sn::sqrt(x), product = x * y, sum = root + product, f = sum - 2; })
            << " kernels\n\n";

  // An expression with a name is computed once in a kernel, however often that kernel uses it.
  auto t = sn::sqrt(array<float>{1, 4, 9});
  auto u = t * t + 3 * t;
  std::cout << "t * t + 3 * t                  " << u << '\n';

  // It is still an expression: every evaluation computes it again. Where that is not wanted, make it an array.
  std::cout << "t used by two arrays           " << kernels([&] { array v = t + 1, w = t + 2; }) << " kernels\n";
  std::cout << "both from one eval             " << kernels([&] { auto [v, w] = sn::eval(t + 1, t + 2); })
            << " kernel\n";
}
