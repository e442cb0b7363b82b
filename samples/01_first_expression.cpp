// 1. The first expression. Arrays are made, operators say what is wanted, and nothing runs until the program needs the
// numbers: an array made from an expression, a printed line, an item(). Then the whole expression runs as one kernel.
#include <iostream>

#include <sinter/sinter.hpp>

namespace sn = sinter;
using sn::array;

int main() {
  array<float> x{3, 5, 8, 7};
  array<float> y{4, 12, 15, 24};

  auto r = sn::sqrt(x * x + y * y);  // an expression: it knows its shape and dtype, and has not run
  std::cout << "r is " << r.dtype() << " of shape " << r.shape() << '\n';

  array<float> length = r;  // evaluated here: one kernel computes squares, sum and root
  std::cout << "length        " << length << '\n';
  std::cout << "x / length    " << x / length << '\n';  // printing evaluates too
  std::cout << "length > 15   " << (length > 15) << '\n';

  // Arrays come from lists, from functions, or from memory you already have.
  array<double> table{{1, 2, 3}, {4, 5, 6}};
  std::vector<int> counts{10, 20, 30};
  std::cout << '\n' << table << '\n';
  std::cout << sn::zeros({2, 3}) << '\n';  // double unless you say otherwise: zeros<float>({2, 3})
  std::cout << sn::arange(5) << "  " << sn::linspace(0, 1, 5) << '\n';
  std::cout << sn::asarray(counts) << '\n';

  // Shapes broadcast as in NumPy, and dtypes meet as in NumPy 2: a number in the program gives its kind, not its size.
  std::cout << '\n' << table * sn::asarray(counts) << '\n';
  std::cout << "float  * 2.5    is " << (x * 2.5).dtype() << '\n';
  std::cout << "int32  / int32  is " << (sn::asarray(counts) / sn::asarray(counts)).dtype() << '\n';
  std::cout << "float  + double is " << (x + sn::ones({4})).dtype() << '\n';

  // One element, as a number of the program.
  float longest = sn::max(length).item();
  std::cout << "\nthe longest is " << longest << '\n';
}
