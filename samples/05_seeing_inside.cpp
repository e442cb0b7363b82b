// 5. Seeing inside. explain shows the tree of an expression and the kernels it becomes, dump their generated source; neither
// computes anything. counters say what the process has done. To keep every kernel of a run, set SINTER_DUMP to a folder.
#include <iostream>
#include <string>

#include <sinter/sinter.hpp>

namespace sn = sinter;
using sn::array;

int main() {
  array<float> x = sn::arange<float>(6).reshape({2, 3});
  auto row = sn::mean(x, {.axis = 1, .keepdims = true});
  auto e = sn::exp2(x - row) / 4;

  std::cout << sn::explain(e) << '\n';

  // The source in the C dialect; the CUDA one stands beside it in the same text.
  const std::string source = sn::dump(sn::sqrt(x * x + 1)).c_str();
  std::cout << source.substr(source.find("C ====") + 7) << '\n';

  // The tree as a picture: pipe it through `dot -Tsvg`.
  std::cout << sn::to_dot(x * 2 + 1) << '\n';

  const auto before = sn::counters();
  array<float> first = e;
  const auto between = sn::counters();
  array<float> second = e * 2;
  array<float> third = sn::exp2(second - sn::mean(second, {.axis = 1, .keepdims = true})) / 4;
  const auto after = sn::counters();
  std::cout << first << '\n';
  std::cout << "kernels started: " << between.launches - before.launches << ", then " << after.launches - between.launches << '\n';
}
