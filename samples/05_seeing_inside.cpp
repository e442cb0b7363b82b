// 5. Seeing inside. explain shows the tree of an expression and the kernels it becomes, dump their generated source;
// neither computes anything. counters say what the process has done. To keep every kernel of a run, set SINTER_DUMP to
// a folder.
#include <iostream>
#include <string>

#include <sinter/sinter.hpp>

namespace sn = sinter;
using sn::array;

int main() {
  array<float> x = sn::arange<float>(6).reshape({2, 3});
  auto row = sn::mean(x, {.axis = 1, .keepdims = true});
  auto e = sn::exp2(x - row) / 4;

  // The last line says how the kernel is shared out, which depends on the device: it is left out here.
  const std::string told = sn::explain(e).c_str();
  std::cout << told.substr(0, told.find("     shared out")) << '\n';

  // Of the source only the part that computes one element, and of the two dialects the C one; print all of dump to see
  // the rest.
  const std::string source = sn::dump(sn::sqrt(x * x + 1)).c_str();
  const auto begin = source.rfind("static inline"), end = source.find("}\n", begin) + 2;
  std::cout << source.substr(begin, end - begin) << '\n';

  // The tree as a picture: pipe it through `dot -Tsvg`.
  std::cout << sn::to_dot(x * 2 + 1) << '\n';

  // As many kernels start as explain said. Nothing is compiled the second time, nor for other numbers or extents.
  const auto at_start = sn::counters();
  array<float> first = e;
  const auto between = sn::counters();
  array<float> second = e;
  const auto at_end = sn::counters();
  std::cout << second << '\n'
            << "kernels started     " << between.launches - at_start.launches << ", then "
            << at_end.launches - between.launches << '\n'
            << "compiled again      " << at_end.compiles - between.compiles << '\n';
}
