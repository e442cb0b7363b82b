#include "codegen/function/scatter.hpp"

namespace sinter::codegen {

std::string scatter_text(int element_size) {
  const std::string type = element_size == 1   ? "unsigned char"
                           : element_size == 2 ? "unsigned short"
                           : element_size == 4 ? "unsigned int"
                                               : "unsigned long long";
  return "// scatter: " + type +
         "\n"
         "extern \"C\" __global__ void __launch_bounds__(256) sinter_kernel(\n    " +
         type + "* out, const long long* __restrict__ at, const " + type +
         "* __restrict__ values, long long* winner,\n"
         "    const long long count, const int step) {\n"
         "  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  if (i >= count) return;\n"
         "  if (step == 0) atomicExch((unsigned long long*)(winner + at[i]), ~0ull);  // -1: put up\n"
         "  else if (step == 1) atomicMax(winner + at[i], i);\n"
         "  else if (winner[at[i]] == i) out[at[i]] = values[i];\n"
         "}\n";
}

}  // namespace sinter::codegen
