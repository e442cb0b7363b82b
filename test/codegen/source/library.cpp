// The C library's functions are declared where a text calls them, and go by the type of their argument where it is written for both
// dialects.
#include "codegen/source/library.hpp"

#include <doctest/doctest.h>

using namespace sinter::codegen;

TEST_CASE("declarations: what is called, and nothing else") {
  CHECK(declarations("x = sinf(y) + sin;", false) ==
        "extern __attribute__((const)) float sinter_sinf(float) __asm__(\"sinf\");\n#define sinf sinter_sinf\n");
  CHECK(declarations("atan2(hypotf(a, b), floor(c))", true) ==
        "extern __attribute__((const, simd(\"notinbranch\"))) double sinter_atan2(double, double) __asm__(\"atan2\");\n"
        "#define atan2 sinter_atan2\n"
        "double floor(double);\n"
        "extern __attribute__((const, simd(\"notinbranch\"))) float sinter_hypotf(float, float) __asm__(\"hypotf\");\n"
        "#define hypotf sinter_hypotf\n");
  CHECK(declarations("lgammaf_r(a, &sign)", true) == "extern float lgammaf_r(float, int *);\n");
}

TEST_CASE("overloads: of what is named, and taken back") {
  CHECK(overloads_for("return x;", true).first == "#define true 1\n#define false 0\n");
  CHECK(overloads_for("return x;", true).last == "#undef true\n#undef false\n");
  const overloads some = overloads_for("fabs(x) + expf(y) + min(x, y)", false);
  CHECK(some.first ==
        "#define true 1\n#define false 0\n"
        "#define min(a, b) ((a) < (b) ? (a) : (b))\n"
        "extern __attribute__((const)) double sinter_exp(double) __asm__(\"exp\");\n"
        "extern __attribute__((const)) float sinter_expf(float) __asm__(\"expf\");\n"
        "#define exp(a) _Generic((a), float: sinter_expf, default: sinter_exp)(a)\n"
        "#define expf sinter_expf\n"
        "double fabs(double);\nfloat fabsf(float);\n"
        "#define fabs(a) _Generic((a), float: fabsf, default: fabs)(a)\n");
  CHECK(some.last == "#undef true\n#undef false\n#undef min\n#undef exp\n#undef expf\n#undef fabs\n");
}
