// Dtypes against NumPy's own tables: promotion of every pair, arrays with scalars, and what every operation gives.
#include <doctest/doctest.h>

#include <map>
#include <string>

#include <sinter/detail/rules.hpp>

#include "test/numpy/golden.hpp"

namespace {

using sinter::dtype;
using namespace sinter::detail;
using sinter::test::words;

dtype dtype_named(const std::string& name) {
  for (int t = 0; t <= static_cast<int>(dtype::complex128); ++t)
    if (name == sinter::name(static_cast<dtype>(t))) return static_cast<dtype>(t);
  FAIL("no dtype is called " << name);
  return {};
}

kind kind_named(const std::string& name) {
  const std::map<std::string, kind> kinds = {
      {"boolean", kind::boolean}, {"integer", kind::integer}, {"floating", kind::floating}, {"complex", kind::complex}};
  return kinds.at(name);
}

sinter::op op_named(const std::string& name) {
  for (int row = 0; row < op_count; ++row)
    if (name == ops[row].name) return static_cast<sinter::op>(row);
  FAIL("no operation is called " << name);
  return {};
}

std::vector<words> lines_about(const std::string& subject) {
  std::vector<words> found;
  for (const words& line : sinter::test::golden_dtypes())
    if (line[0] == subject) found.push_back(line);
  return found;
}

/// What Sinter gives for operands of dtype t, or "refused".
std::string given(sinter::op code, dtype t) {
  const rule r = facts(code).of;
  return accepts(r, t) ? name(result_dtype(r, compute_dtype(r, t))) : "refused";
}

/// Where Sinter means to differ: functions of real numbers give float of small integers (NumPy: float16 of 8 bits, and
/// double where the function is not a ufunc of NumPy's own), SciPy's give float16 of float16 and take no complex numbers, and bool
/// counts as int8 for what only integers have.
bool differs_on_purpose(sinter::op code, dtype t) {
  const rule r = facts(code).of;
  const bool floats = r == rule::real || r == rule::analytic || r == rule::angle;
  if (floats && kind_of(t) <= kind::integer && itemsize(t) <= 2) return given(code, t) == "float32";
  if (r == rule::real && t == dtype::float16) return given(code, t) == "float16";
  if (r == rule::real && is_complex(t)) return given(code, t) == "refused";
  return r == rule::integers && t == dtype::bool_ && given(code, t) == "int8";
}

}  // namespace

TEST_CASE("two dtypes promote as in NumPy") {
  const auto lines = lines_about("promote");
  REQUIRE(lines.size() == 14 * 14);  // all but bfloat16, which NumPy has not
  for (const words& line : lines) {
    CAPTURE(line[1]);
    CAPTURE(line[2]);
    CHECK(std::string(name(promote(dtype_named(line[1]), dtype_named(line[2])))) == line[3]);
  }
}

TEST_CASE("a scalar gives its kind and not its size") {
  const auto lines = lines_about("weak");
  REQUIRE(lines.size() == 14 * 4);
  for (const words& line : lines) {
    CAPTURE(line[1]);
    CAPTURE(line[2]);
    CHECK(std::string(name(promote_weak(dtype_named(line[1]), kind_named(line[2])))) == line[3]);
  }
}

TEST_CASE("operations give NumPy's dtypes") {
  const auto lines = lines_about("operation");
  REQUIRE(lines.size() > 800);
  for (const words& line : lines) {
    const sinter::op code = op_named(line[1]);
    const dtype t = dtype_named(line[2]);
    if (differs_on_purpose(code, t)) continue;
    CAPTURE(line[1]);
    CAPTURE(line[2]);
    CHECK(given(code, t) == line[3]);
  }
}

TEST_CASE("bfloat16 meets the other 16-bit type in float") {
  CHECK(promote(dtype::bfloat16, dtype::float16) == dtype::float32);
  CHECK(promote(dtype::bfloat16, dtype::float32) == dtype::float32);
  for (const dtype small : {dtype::int8, dtype::uint8, dtype::bool_}) {
    CHECK(promote(dtype::bfloat16, small) == dtype::bfloat16);
    CHECK(promote(small, dtype::bfloat16) == dtype::bfloat16);
  }
  CHECK(promote(dtype::bfloat16, dtype::int16) == dtype::float32);
  CHECK(promote(dtype::bfloat16, dtype::int32) == dtype::float64);
  CHECK(promote_weak(dtype::bfloat16, kind::floating) == dtype::bfloat16);
}
