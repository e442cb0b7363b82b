// Function text in kernels compiles in both dialects for every dtype, and what is not a call of it is refused.
#include "codegen/source/called.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <memory>

#include <sinter/error.hpp>

#include "codegen/compile/compiler.hpp"
#include "codegen/ir/function.hpp"
#include "test/codegen/source/sweep.hpp"

namespace {

using namespace sinter::codegen;
using namespace sinter::test;
using sinter::dtype;
using sinter::op;

function_text two_results(dtype t) {
  return {.name = "every\nline",
          .parameters = {{"x", t}, {"y", dtype::float32, true}, {"z", dtype::bool_}},
          .results = {{"first", t}, {"second", dtype::float64}},
          .body = "first = z ? x : x + (sqrt(y[i]) < pow(y[0], 2.0f));\nsecond = max(exp((double)y[0]), 1.0);",
          .takes_position = true};
}

function_text complex_results(dtype t) {
  return {.name = "complex",
          .parameters = {{"x", t}, {"y", t, true}, {"r", dtype::float32}},
          .results = {{"first", t}, {"second", dtype::float64}},
          .body =
              "complex64 z = make_complex(0, r);\nz += x * r;\nz /= 2 - y[i];\n"
              "if (z == x) first = exp(conj(z));\nelse first = pow(z, 2) + polar(r, abs(x));\nsecond = arg(first) + "
              "norm(y[0]);",
          .takes_position = true};
}

function_text folds_complex(dtype t) {
  sinter::detail::scalar_bits one = {};
  if (t == dtype::complex64) one.as_float = 1;
  else one.as_double = 1;
  return {.name = "folds complex numbers",
          .parameters = {{"a", t}, {"b", t}},
          .results = {{"", t}},
          .body = "return a * b;",
          .start = literal(t, one)};
}

function_text folds(dtype t) {
  return {.name = "folds",
          .parameters = {{"a", t}, {"b", t}},
          .results = {{"", t}},
          .body = "return a < b ? b : a;",
          .start = "0"};
}

std::uint16_t call_of(kernel_builder& b, const function_text& f, int result,
                      std::initializer_list<std::uint16_t> args) {
  value v{value_kind::call, f.results[static_cast<std::size_t>(result)].type};
  v.index = static_cast<std::uint16_t>(result << number_shift);
  v.called = &f;
  if (args.size() > 3) v.args.more.resize(args.size() - 3);
  int a = 0;
  for (std::uint16_t at : args) v.args[a++] = at;
  return b.add(v);
}

kernel map_with(const function_text& f, dtype t) {
  kernel_builder b;
  const auto x = b.input(t), y = b.input(dtype::float32), z = b.scalar(dtype::bool_), i = b.input(dtype::int64, true);
  b.k.inputs[1].indexed = true;
  return b.gives({call_of(b, f, 0, {x, y, z, i}), call_of(b, f, 1, {x, y, z, i})});
}

kernel complex_map_with(const function_text& f, dtype t) {
  kernel_builder b;
  const auto x = b.input(t), y = b.input(t), r = b.scalar(dtype::float32), i = b.input(dtype::int64, true);
  b.k.inputs[1].indexed = true;
  return b.gives({call_of(b, f, 0, {x, y, r, i}), call_of(b, f, 1, {x, y, r, i})});
}

kernel fold_with(const function_text& f, dtype t) {
  kernel_builder b;
  const auto x = b.input(t), folded = b.reduce(sinter::detail::reduction::text, x);
  b.k.accumulators[0].called = &f;
  return b.gives({b.apply(op::equal, folded, b.input(t))});
}

std::string complaint(const compiler& with, const std::string& text) {
  try {
    with.compile(text);
    return "";
  } catch (const sinter::compile_error& e) {
    return e.what() + std::string(e.log());
  }
}

void each_dtype(dialect language, const compiler& with) {
  for (const dtype t : element_dtypes) {
    const function_text f = two_results(t), g = folds(t);
    const kernel map = map_with(f, t), fold = fold_with(g, t);
    verify(map);
    verify(fold);
    variant flat;
    flat.operands = {access::unit, access::fixed, access::unit, access::unit, access::unit};
    CHECK(complaint(with, emit(map, flat, target_here(language))) == "");
    for (unsigned turn = 0; const named_variant& n : reduction_variants(fold, language)) {
      // Each variant with a quarter of the dtypes, and each dtype with a quarter of the variants.
      if (turn++ % 4 != static_cast<unsigned>(t) % 4) continue;
      INFO(n.name);
      CHECK(complaint(with, emit(fold, n.v, target_here(language))) == "");
    }
    if (language != dialect::c) continue;
    CHECK(complaint(with, interpreted_text(f, target_here(dialect::c))) == "");
    CHECK(complaint(with, interpreted_text(g, target_here(dialect::c))) == "");
  }
}

void each_complex_dtype(dialect language, const compiler& with) {
  for (const dtype t : {dtype::complex64, dtype::complex128}) {
    const function_text f = complex_results(t), g = folds_complex(t);
    const kernel map = complex_map_with(f, t), fold = fold_with(g, t);
    variant flat;
    flat.operands = {access::unit, access::fixed, access::unit, access::unit, access::unit};
    CHECK(complaint(with, emit(map, flat, target_here(language))) == "");
    for (const named_variant& n : reduction_variants(fold, language)) {
      if (n.v.fold.apart && itemsize(t) == 16) continue;  // elements of a pack, of which this one has a single one
      INFO(n.name);
      CHECK(complaint(with, emit(fold, n.v, target_here(language))) == "");
    }
    if (language != dialect::c) continue;
    CHECK(complaint(with, interpreted_text(f, target_here(dialect::c))) == "");
    CHECK(complaint(with, interpreted_text(g, target_here(dialect::c))) == "");
  }
}

template <class Change>
std::string refused(Change change) {
  const function_text f = two_results(dtype::int32);
  kernel k = map_with(f, dtype::int32);
  change(k);
  try {
    verify(k);
  } catch (const sinter::internal_error& e) {
    const std::string said = e.what();
    return said.substr(0, said.find('\n'));
  }
  return "";
}

}  // namespace

TEST_CASE("texts: CUDA C++ of every dtype compiles") {
  std::unique_ptr<compiler> with;
  try {
    with = make_cuda_compiler(90, math_mode::standard);
  } catch (const sinter::device_error& missing) {
    MESSAGE("skipped: " << missing.what());
    return;
  }
  each_dtype(dialect::cuda, *with);
  each_complex_dtype(dialect::cuda, *with);
}

TEST_CASE("texts: C of every dtype compiles") {
  const std::unique_ptr<compiler> with = make_cpu_compiler(math_mode::standard);
  if (!with) return;
  each_dtype(dialect::c, *with);
  each_complex_dtype(dialect::c, *with);
}

TEST_CASE("texts: calls that are none are refused") {
  CHECK(refused([](kernel&) {}) == "");
  CHECK(refused([](kernel& k) { k.values[4].args[0] = 3; }) ==
        "malformed kernel: v4: its arguments are not of the parameters' dtypes");
  CHECK(refused([](kernel& k) { k.inputs[1].indexed = false; }) == "malformed kernel: v4: a raw argument is a place");
  CHECK(refused([](kernel& k) { k.inputs[0].indexed = true; }) == "malformed kernel: v4: it computes with a place");
  CHECK(refused([](kernel& k) { k.values[4].index = 2 << number_shift; }) ==
        "malformed kernel: v4: the function has no such result");
  CHECK(refused([](kernel& k) { k.values[4].type = dtype::int64; }) ==
        "malformed kernel: v4: its dtype is not that of the function's result");
  CHECK(refused([](kernel& k) { k.values[4].args[3] = 9; }) ==
        "malformed kernel: v4: it comes before what it is made of");
}

TEST_CASE("texts: one of equal content is the same, and one that differs in anything is not") {
  const function_text f = two_results(dtype::float32);
  function_calls& first = function_calls::of(f);
  CHECK(&function_calls::of(f) == &first);
  const auto differs = [&](auto change) {
    function_text other = f;
    change(other);
    return &function_calls::of(other) != &first;
  };
  CHECK(differs([](function_text& o) { o.body += " "; }));
  CHECK(differs([](function_text& o) { o.name = "other"; }));
  CHECK(differs([](function_text& o) { o.parameters[0].type = dtype::float64; }));
  CHECK(differs([](function_text& o) { o.parameters[1].is_raw = false; }));
  CHECK(differs([](function_text& o) { o.results[1].name = "third"; }));
  CHECK(differs([](function_text& o) { o.start = "0"; }));
  CHECK(differs([](function_text& o) { o.preamble = "float f(float);"; }));
  CHECK(&first.table({false, false, true}, 0) == &first.table({false, false, true}, 0));
  CHECK(&first.table({false, false, true}, 0) != &first.table({false, false, true}, 1));
  CHECK(&first.table({false, false, true}, 0) != &first.table({false, false, false}, 0));
}

TEST_CASE("texts: a preamble stands once before what shares it, and takes its qualifiers back") {
  function_text f = two_results(dtype::float32), g = folds(dtype::float32);
  f.preamble = g.preamble = "__device__ int shared(void) { return 1; }";
  for (const dialect to : {dialect::c, dialect::cuda}) {
    const std::string text = definitions({&f, &g}, to, false);
    CHECK(text.find("int shared(void)") < text.find("called0("));
    CHECK(text.find("int shared(void)") == text.rfind("int shared(void)"));
    for (const std::string word : {"__device__", "__host__", "__forceinline__"}) {
      CHECK((text.find("#define " + word) != std::string::npos) == (to == dialect::c));
      CHECK((text.find("#undef " + word) != std::string::npos) == (to == dialect::c));
    }
  }
}

TEST_CASE("texts: constants") {
  sinter::detail::scalar_bits bits{};
  bits.as_double = 0.1;
  CHECK(literal(dtype::float64, bits) == "(0x1.999999999999ap-4)");
  bits.as_double = -std::numeric_limits<double>::infinity();
  CHECK(literal(dtype::float64, bits) == "(-INFINITY)");
  bits.as_float = 2;
  CHECK(literal(dtype::float32, bits) == "(0x1p+1f)");
  bits.as_signed = INT64_MIN;
  CHECK(literal(dtype::int64, bits) == "(-9223372036854775807ll - 1)");
  bits.as_unsigned = UINT64_MAX;
  CHECK(literal(dtype::uint64, bits) == "18446744073709551615ull");
}

TEST_CASE("texts: the place of the element is taken where it is named") {
  CHECK(names_position("return x[i + 1];", {"x"}));
  CHECK_FALSE(names_position("return i;", {"i"}));
  CHECK_FALSE(names_position("return x.i0 + _i + fi(x);", {"x"}));
}
