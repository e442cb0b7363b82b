// What ops.def says of each operation, as tests and measurements need it.
#pragma once

#include <string_view>

#include <sinter/detail/rules.hpp>

#include "codegen/source/op_texts.hpp"

namespace sinter::test {

struct op_row {
  const char* name;
  detail::rule of;
  int arity;
  double ulp;
};

inline constexpr op_row op_rows[] = {
#define SINTER_OP(name, arity, rule_, value, ...) \
  {#name, detail::rule::rule_, arity, codegen::op_texts{__VA_ARGS__}.ulp},
#include <sinter/ops.def>
#undef SINTER_OP
};

/// Are the terms of this operation ones that can cancel, so that its bound is in units of the largest of them?
inline bool cancels(std::string_view name) {
  for (const char* one :
       {"logaddexp", "logaddexp2", "gammaln", "digamma", "betainc", "betaln", "j0", "j1", "jn", "y0", "y1", "yn"})
    if (name == one) return true;
  return false;
}

}  // namespace sinter::test
