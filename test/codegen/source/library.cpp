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

TEST_CASE("at run time: what is called and not exact goes by a name of its own") {
  CHECK(functions_at_run_time("floorf(x) + sqrt(y) + fmod(x, y) + sinf") == "");
  const std::string text = functions_at_run_time("tanf(x) + pow(x, y)");
  CHECK(text.find("#define tanf sinter_tanf\n") != text.npos);
  CHECK(text.find("#define pow sinter_pow\n") != text.npos);
  CHECK(text.find("#define tan ") == text.npos);
}

TEST_CASE("overloads: of what is named, and taken back") {
  const auto defined = [](const std::string& name, const std::string& rest) {
    return "#pragma push_macro(\"" + name + "\")\n#undef " + name + "\n#define " + name + rest + "\n";
  };
  const std::string always = defined("true", " 1") + defined("false", " 0");
  CHECK(overloads_for("return x;", true).first == always);
  CHECK(overloads_for("return x;", true).last == "#pragma pop_macro(\"true\")\n#pragma pop_macro(\"false\")\n");
  const overloads some = overloads_for("fabs(x) + expf(y) + min(x, y)", false);
  CHECK(some.first == always + defined("min", "(a, b) ((a) < (b) ? (a) : (b))") +
                          "extern __attribute__((const)) double sinter_exp(double) __asm__(\"exp\");\n"
                          "extern __attribute__((const)) float sinter_expf(float) __asm__(\"expf\");\n" +
                          defined("exp", "(a) _Generic((a), float: sinter_expf, default: sinter_exp)(a)") +
                          defined("expf", " sinter_expf") + "double fabs(double);\nfloat fabsf(float);\n" +
                          defined("fabs", "(a) _Generic((a), float: fabsf, default: fabs)(a)"));
  std::string last;
  for (const char* name : {"true", "false", "min", "exp", "expf", "fabs"})
    last += "#pragma pop_macro(\"" + std::string(name) + "\")\n";
  CHECK(some.last == last);
}

TEST_CASE("overloads: a choice by type has the branches of other types, where a function has any") {
  const auto branches = [](std::string_view f) { return f == "exp" ? std::string(", _Complex float: own_exp") : ""; };
  CHECK(overloads_for("exp(x)", false, branches)
            .first.find("_Generic((a), _Complex float: own_exp, float: sinter_expf,") != std::string::npos);
  CHECK(overloads_for("cbrt(x)", false, branches).first.find("_Generic((a), float: sinter_cbrtf,") !=
        std::string::npos);
}
