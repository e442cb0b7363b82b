// 2. Views and stores. a(...) takes NumPy's index list: numbers, slices, _ for the whole of an axis, newaxis, ellipsis.
// To the left of = it stores; anywhere else it is a value. Giving a name a new value never changes an array of another
// name.
#include <iostream>

#include <sinter/sinter.hpp>

namespace sn = sinter;
using sn::_, sn::slice, sn::array;
using sn::operator""_s;

int main() {
  array<int> a = sn::arange<int>(12).reshape({3, 4});
  std::cout << a << "\n\n";

  std::cout << "a[1]          " << a(1) << '\n';
  std::cout << "a[:, -1]      " << a(_, -1) << '\n';
  std::cout << "a[0, 1:3]     " << a(0, slice(1, 3)) << '\n';
  std::cout << "a[1, ::-1]    " << a(1, slice(_, _, -1)) << '\n';
  std::cout << "a[::2, ::3]\n" << a("::2"_s, "::3"_s) << '\n';  // the same slices as literals, checked by the compiler
  std::cout << "a.T\n" << a.T() << "\n\n";

  // A new axis makes a column of a row, and a column beside a row makes a table.
  array<int> n = sn::arange<int>(1, 6);
  std::cout << n(_, sn::newaxis) * n << "\n\n";

  // Stores change the elements an index names.
  a(0, _) = 0;
  a(_, 1) += 100;
  a(-1, slice(2, _)) = array<int>{-1, -2};
  std::cout << a << "\n\n";

  // What is read is read before anything is written, so an array may be shifted over itself.
  n(slice(1, _)) = n(slice(_, -1));
  std::cout << "shifted       " << n << '\n';
  n(sn::ellipsis) = n * n;  // all of it, in place: NumPy's out=
  std::cout << "squared       " << n << "\n\n";

  // Arrays are values. Copies share memory until one of them is written to.
  array<int> b = a;
  array<int> row = a(2);
  b += 1000;
  row(0) = 7;
  std::cout << "b             " << b(2) << '\n';
  std::cout << "row           " << row << '\n';
  std::cout << "a as it was   " << a(2) << '\n';
}
