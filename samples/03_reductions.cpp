// 3. Reductions. They take the axes to fold away, and are expressions themselves: the work before them and after them
// becomes part of the same kernels. eval computes several results together, in one pass over the data.
#include <iostream>

#include <sinter/sinter.hpp>

namespace sn = sinter;
using sn::array;

int main() {
  array<float> a{{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};

  std::cout << "sum of all        " << sn::sum(a) << '\n';
  std::cout << "of each column    " << sn::sum(a, 0) << '\n';
  std::cout << "of each row       " << sn::sum(a, -1) << '\n';
  std::cout << "as a method       " << a.sum(1) << "\n\n";

  // Options by name. A kept axis has extent one, so that the result broadcasts against what it came from.
  std::cout << a - sn::mean(a, {.axis = 1, .keepdims = true}) << "\n\n";
  array<float> cube = sn::arange<float>(24).reshape({2, 3, 4});
  std::cout << "over axes 0 and 2 " << sn::max(cube, {.axis = {0, 2}}) << "\n\n";

  // Dtypes are NumPy's: small integers add up in 64 bits, means of integers are double, and a template argument
  // chooses.
  array<std::int8_t> small{100, 100, 100};
  std::cout << "sum of int8       " << sn::sum(small) << ", " << sn::sum(small).dtype() << '\n';
  std::cout << "mean of int8      " << sn::mean(small) << ", " << sn::mean(small).dtype() << '\n';
  std::cout << "sum<double>       " << sn::sum<double>(a) << ", " << sn::sum<double>(a).dtype() << "\n\n";

  // A comparison is an array of bool: count with sum, ask with any and all.
  std::cout << "above 6           " << sn::sum(a > 6) << '\n';
  std::cout << "any above 12      " << sn::any(a > 12) << '\n';
  if (sn::all(a * 2 == a + a)) std::cout << "a * 2 is a + a\n\n";

  // Standardised, in one statement: the reductions see the expression, the expression sees the reductions.
  array<double> x{2, 4, 4, 4, 5, 5, 7, 9};
  std::cout << "standardised      " << (x - sn::mean(x)) / sn::stddev(x) << '\n';

  // Several results from one reading of x.
  auto [mean, deviation, low, high] = sn::eval(sn::mean(x), sn::stddev(x), sn::min(x), sn::max(x));
  std::cout << "mean " << mean << ", deviation " << deviation << ", from " << low << " to " << high << '\n';
}
