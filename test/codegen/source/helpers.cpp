// Text of operations: how it reads, and that gcc's reading of it has the values of scalar.hpp. One C file with a loop
// for every operation, cast and dtype is compiled with the options of real kernels and run over the golden inputs.
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include <sinter/error.hpp>

#include "codegen/compile/compiler.hpp"
#include "codegen/source/emit.hpp"
#include "codegen/source/helpers.hpp"
#include "codegen/source/library.hpp"
#include "test/codegen/ir/expectation.hpp"
#include "test/codegen/ir/small_kernel.hpp"
#include "test/codegen/scratch.hpp"

namespace {

using sinter::dtype;
using sinter::op;
using namespace sinter::codegen;
using namespace sinter::test;

std::string spelled(op code, dtype computed, helper_list& used, dialect d = dialect::c) {
  const std::string_view args[3] = {"x", "y", "z"};
  return spell(code, computed, d, args, used);
}

std::string spelled(op code, dtype computed) {
  helper_list used;
  return spelled(code, computed, used);
}

std::string listed(const helper_list& used) {
  std::string text;
  for (const helper_use& use : used)
    text += std::string(use.name) + "_" + sinter::detail::facts(use.type).short_name + " ";
  return text;
}

std::string text_of(dtype t) { return std::string(spelling(t)); }

std::string loop_name(const golden_record& r) {
  const std::string of = sinter::detail::facts(r.operand()).short_name;
  return r.name == "cast" ? std::string("to_") + sinter::detail::facts(r.result->type).short_name + "_from_" + of
                          : "all_" + r.name + "_" + of;
}

/// "void all_add_f32(const void *const *args, void *out, int count)" and its loop.
std::string loop_text(const golden_record& r, helper_list& used) {
  const bool cast = r.name == "cast";
  const int row = row_of_record(r);
  const dtype t = r.operand();
  std::string text = "void " + loop_name(r) + "(const void *const *args, void *out, int count) {\n";
  text += "  " + text_of(r.result->type) + " *restrict to = out;\n";
  for (std::size_t n = 0; n < r.inputs.size(); ++n) {
    const std::string type = "const " + text_of(r.inputs[n]->type);
    text += "  " + type + " *restrict from" + std::to_string(n) + " = args[" + std::to_string(n) + "];\n";
  }
  text += "  for (int k = 0; k < count; ++k) {\n";
  for (std::size_t n = 0; n < r.inputs.size(); ++n)
    text += "    const " + text_of(r.inputs[n]->type) + " " + "xyz"[n] + " = from" + std::to_string(n) + "[k];\n";
  const std::string value = cast ? spell_cast(r.result->type, t, "x", used) : spelled(static_cast<op>(row), t, used);
  return text + "    const " + text_of(r.result->type) + " r = " + value + ";\n    to[k] = r;\n  }\n}\n";
}

/// Does the record's operation compute in the dtype of its operands, so that it needs no cast first?
bool computes_directly(const golden_record& r) {
  if (r.name == "cast") return true;
  return sinter::detail::compute_dtype(op_rows[row_of_record(r)].of, r.operand()) == r.operand();
}

std::string whole_file() {
  helper_list used;
  std::string loops, definitions;
  for (const golden_record& r : golden().records())
    if (computes_directly(r)) loops += loop_text(r, used);
  for (const helper_use& use : used) definitions += helper_definition(use, dialect::c);
  const std::string head = type_definitions(definitions + loops, dialect::c) +
                           "typedef _Bool bool;\n#define INFINITY __builtin_inff()\n#define NAN __builtin_nanf(\"\")\n";
  return head + declarations(definitions + loops, target_here(dialect::c).has_vector_math) + definitions + loops;
}

using compiled_loop = void (*)(const void* const args[3], void* out, int count);

/// A record's results as a compiled loop gives them.
std::vector<std::byte> run(compiled_loop loop, const golden_record& r) {
  std::vector<std::byte> out(r.result->bytes.size());
  const void* args[3] = {};
  for (std::size_t n = 0; n < r.inputs.size(); ++n) args[n] = r.inputs[n]->bytes.data();
  loop(args, out.data(), r.result->size());
  return out;
}

void check_record(const golden_record& r, compiled_loop loop) {
  const std::vector<std::byte> got = run(loop, r);
  const double bound = r.name == "cast" ? 0 : op_rows[row_of_record(r)].ulp;
  const auto operands = computed_operands(r, r.operand());
  double worst = -1;
  int where = 0;
  for (int n = 0; n < r.result->size(); ++n)
    if (const double d = distance(r, operands, got.data(), n); d > worst) worst = d, where = n;
  CAPTURE(loop_name(r));
  CAPTURE(operands_at(r, where));
  CHECK(worst <= bound);
}

/// The text of a kernel whose operands are all consecutive.
std::string text(const kernel& k, dialect d) {
  variant v;
  v.operands.assign(k.inputs.size() + k.outputs.size(), access::unit);
  return emit(k, v, target_here(d));
}

bool contains(const std::string& whole, const char* part) { return whole.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("text of operations") {
  CHECK(spelled(op::add, dtype::float32) == "x + y");
  CHECK(spelled(op::add, dtype::int32) == "(unsigned int)x + (unsigned int)y");
  CHECK(spelled(op::add, dtype::uint32) == "x + y");
  CHECK(spelled(op::multiply, dtype::int16) == "(unsigned int)x * (unsigned int)y");
  CHECK(spelled(op::negative, dtype::int64) == "0 - (unsigned long long)x");
  CHECK(spelled(op::sin, dtype::float32) == "sinf(x)");
  CHECK(spelled(op::sin, dtype::float64) == "sin(x)");
  CHECK(spelled(op::where, dtype::float64) == "x ? y : z");
  CHECK(spelled(op::degrees, dtype::float32) == "x * 57.295779513082320877f");
  CHECK(spelled(op::clip, dtype::float64) == "minimum_f64(maximum_f64(x, y), z)");
  CHECK(spelled(op::invert, dtype::uint8) == "x ^ (unsigned char)-1");
}

TEST_CASE("the two dialects differ where a row says so") {
  helper_list used;
  CHECK(spelled(op::rsqrt, dtype::float32, used, dialect::cuda) == "rsqrtf(x)");
  CHECK(spelled(op::rsqrt, dtype::float32, used, dialect::c) == "1 / sqrtf(x)");
  CHECK(helper_definition({"maximum", dtype::float32}, dialect::cuda)
            .starts_with("static __device__ __forceinline__ float maximum_f32(float a, float b) {\n"));
  CHECK(helper_definition({"maximum", dtype::float32}, dialect::c)
            .starts_with("static inline float maximum_f32(float a, float b) {\n"));
}

TEST_CASE("a literal with a sign gets parentheses where it needs them") {
  helper_list used;
  const std::string_view args[3] = {"-2.0f", "-1.0f", "x"};
  CHECK(spell(op::subtract, dtype::float32, dialect::c, args, used) == "(-2.0f) - (-1.0f)");
  CHECK(spell(op::negative, dtype::float32, dialect::c, args, used) == "-(-2.0f)");
  CHECK(spell(op::arctan2, dtype::float32, dialect::c, args, used) == "atan2f(-2.0f, -1.0f)");
  CHECK(spell(op::positive, dtype::float32, dialect::c, args, used) == "-2.0f");
}

TEST_CASE("casts") {
  helper_list used;
  CHECK(spell_cast(dtype::float64, dtype::int32, "x", used) == "(double)x");
  CHECK(spell_cast(dtype::int8, dtype::uint64, "x", used) == "(signed char)x");
  CHECK(spell_cast(dtype::bool_, dtype::float32, "x", used) == "x != 0");
  CHECK(listed(used) == "");
  CHECK(spell_cast(dtype::int32, dtype::float64, "x", used) == "cast_i32_f64(x)");
  CHECK(listed(used) == "cast_i32_f64 ");
}

TEST_CASE("helpers are listed once and after those they call") {
  helper_list used;
  spelled(op::floor_divide, dtype::float64, used);
  spelled(op::remainder, dtype::float64, used);
  spelled(op::remainder, dtype::int32, used);
  spelled(op::remainder, dtype::int32, used);
  CHECK(listed(used) == "fmod_unless_f64 fmod_f64 floor_divide_f64 remainder_f64 remainder_i32 ");
}

TEST_CASE("what is not there is an internal error") {
  helper_list used;
  CHECK_THROWS_AS(spelled(op::gcd, dtype::float32, used), sinter::internal_error);
  CHECK_THROWS_AS(spelled(op::sin, dtype::int32, used), sinter::internal_error);
  CHECK(find_helper("no_such_helper") == nullptr);
}

TEST_CASE("compiled C has NumPy's values") {
  const auto compiler = make_cpu_compiler(math_mode::standard);
  if (!compiler) {
    MESSAGE("skipped: there is no C compiler");
    return;
  }
  const scratch folder;
  write_text(folder / "all.so", to_text(compiler->compile(whole_file())));
  void* const library = ::dlopen((folder / "all.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  REQUIRE_MESSAGE(library, ::dlerror());
  int checked = 0;
  for (const golden_record& r : golden().records()) {
    if (!computes_directly(r)) continue;
    void* const loop = ::dlsym(library, loop_name(r).c_str());
    REQUIRE(loop);
    check_record(r, reinterpret_cast<compiled_loop>(loop));
    ++checked;
  }
  ::dlclose(library);
  CHECK(checked > 600);
}

TEST_CASE(
    "text: a narrow result that may have wrapped stays in 32 bits until it is narrowed, on CUDA and if it is used") {
  kernel_builder used;
  const auto minus = used.apply(op::negative, used.input(dtype::int16));
  const kernel widened = used.gives({used.cast(minus, dtype::int64)});
  CHECK(contains(text(widened, dialect::cuda), "const short t0 = in_32_bits_i16(0 - (unsigned int)x0);"));
  CHECK_FALSE(contains(text(widened, dialect::c), "in_32_bits"));
  kernel_builder stored;
  const auto x = stored.input(dtype::int16);
  const kernel only_stored = stored.gives({stored.apply(op::floor_divide, stored.apply(op::bitwise_and, x, x), x)});
  CHECK_FALSE(contains(text(only_stored, dialect::cuda), "in_32_bits"));
}

TEST_CASE("text: a divisor is made of an integer scalar that is only divided by, in C") {
  kernel_builder only;
  const auto x = only.input(dtype::int32), s = only.scalar(dtype::int32);
  const kernel divides = only.gives({only.apply(op::floor_divide, x, s), only.apply(op::remainder, x, s)});
  CHECK(contains(text(divides, dialect::c), "point(int x0, struct divisor_i32 d0, int* y0, int* y1)"));
  CHECK(contains(text(divides, dialect::c), "const struct divisor_i32 d0 = divisor_i32(s0);"));
  CHECK(contains(text(divides, dialect::c), "const int t1 = remainder_by_i32(x0, d0);"));
  CHECK_FALSE(contains(text(divides, dialect::cuda), "divisor"));
  kernel_builder more;
  const auto y = more.input(dtype::int32), t = more.scalar(dtype::int32);
  const kernel adds = more.gives({more.apply(op::add, more.apply(op::floor_divide, y, t), t)});
  CHECK(contains(text(adds, dialect::c), "floor_divide_i32(x0, s0)"));
  kernel_builder real;
  const auto z = real.input(dtype::float32), r = real.scalar(dtype::float32);
  CHECK_FALSE(contains(text(real.gives({real.apply(op::floor_divide, z, r)}), dialect::c), "divisor"));
}
