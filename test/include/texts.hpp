// Texts of a program's own, in tests of them.
#pragma once

#include <sinter/elementwise_kernel.hpp>

#include "test/include/ordering.hpp"

namespace sinter::test {

/// Is there a C compiler? The interpreter has the CPU's compile a text.
inline bool runs_text() {
  static const bool runs = [] {
    const elementwise_kernel<int(int)> same("x", "return x;");
    return refusal<device_error>([&] { eval(same(ones<int>({1}))); }).empty();
  }();
  return runs;
}

}  // namespace sinter::test
