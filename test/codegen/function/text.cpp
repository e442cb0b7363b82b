// Kernels around function text compile as they are, for GPUs without one and with the system's C compiler.
#include "codegen/function/text.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>

#include <sinter/error.hpp>

#include "codegen/compile/compiler.hpp"

namespace {

using namespace sinter::codegen;
using sinter::dtype;

std::string complaint(const compiler& with, const std::string& text) {
  try {
    with.compile(text);
    return "";
  } catch (const sinter::compile_error& e) {
    return e.what();
  }
}

/// Every dtype beside a value and a raw parameter, as a map and as a fold.
void each_text(dialect language, const compiler& with) {
  for (const dtype t : {dtype::bool_, dtype::int8, dtype::uint8, dtype::int16, dtype::uint16, dtype::int32,
                        dtype::uint32, dtype::int64, dtype::uint64, dtype::float32, dtype::float64}) {
    function_text f{"every",
                    t,
                    {{"x", t, function_parameter::element},
                     {"y", dtype::float32, function_parameter::raw},
                     {"z", dtype::bool_, function_parameter::value}},
                    "return z ? x : x + (sqrt(y[i]) < pow(y[0], 2.0f));"};
    CHECK(complaint(with, function_kernel_text(f, language)) == "");
    f.body = "z ? x : x + (fmin(y[i], y[0]) < 1)";
    f.combine = "max(a, b)";
    f.finish = "a";
    CHECK(complaint(with, function_kernel_text(f, language)) == "");
  }
}

}  // namespace

TEST_CASE("function texts: CUDA C++ of every dtype compiles") {
  std::unique_ptr<compiler> with;
  try {
    with = make_cuda_compiler(90, math_mode::standard);
  } catch (const sinter::device_error& missing) {
    MESSAGE("skipped: " << missing.what());
    return;
  }
  each_text(dialect::cuda, *with);
}

TEST_CASE("function texts: C of every dtype compiles") {
  const std::unique_ptr<compiler> with = make_cpu_compiler(math_mode::standard);
  if (!with) return;
  each_text(dialect::c, *with);
}
