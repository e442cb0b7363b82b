// NVRTC needs no GPU: the text of every operation, cast, reduction and variant of every dtype compiles for the
// architectures Sinter names. The C texts of the same kernels compile without a warning.
#include <doctest/doctest.h>

#include <chrono>
#include <cstdlib>
#include <memory>

#include <sinter/error.hpp>

#include "test/codegen/source/sweep.hpp"

#include "codegen/compile/compiler.hpp"
#include "codegen/function/sort.hpp"
#include "test/codegen/scratch.hpp"

namespace {

using namespace sinter::codegen;
using namespace sinter::test;

/// NVRTC for an architecture; null where it is not installed.
std::unique_ptr<compiler> nvrtc(int arch, math_mode mode = math_mode::standard) {
  try {
    return make_cuda_compiler(arch, mode);
  } catch (const sinter::device_error& missing) {
    MESSAGE("skipped: " << missing.what());
    return nullptr;
  }
}

/// What the compiler says against a text; "" where it makes an image of the kernel.
std::string complaint(const compiler& with, const std::string& text) {
  try {
    const bytes image = with.compile(text);
    return to_text(image).find("sinter_kernel") != std::string::npos ? "" : "an image without the kernel";
  } catch (const sinter::compile_error& e) {
    return e.what();
  }
}

}  // namespace

TEST_CASE("sweep: the kernels leave out no operation") {
  int operations = 0, expected = 0;
  for (sinter::dtype t : element_dtypes) {
    verify(every_operation(t, &operations));
    verify(every_reduction(t));
    verify(mixed_map(t));
    for (int i = 0; i < sinter::detail::op_count; ++i) expected += computes_in(static_cast<sinter::op>(i), t);
  }
  CHECK(operations == expected);
  CHECK(operations > 500);
}

TEST_CASE("nvrtc: every operation and cast compiles for sm_80, sm_90 and sm_100") {
  // Two dtypes for each architecture; the others, which differ from these in what they call, for one in turn.
  const std::unique_ptr<compiler> with[] = {nvrtc(80), nvrtc(90), nvrtc(100)};
  if (!with[0]) return;
  std::size_t n = 0;
  for (sinter::dtype t : element_dtypes) {
    const kernel k = every_operation(t);
    const std::string text = emit(k, map_variants(k, dialect::cuda)[0].v, target_here(dialect::cuda));
    const bool by_all = t == sinter::dtype::float32 || t == sinter::dtype::int64;
    for (std::size_t turn = n++; const auto& one : with) {
      if (turn++ % 3 != 0 && !by_all) continue;
      const std::string said = complaint(*one, text);
      INFO(std::string(sinter::name(t)), ": ", said);
      CHECK(said.empty());
    }
  }
}

TEST_CASE("nvrtc: every variant of maps and reductions compiles") {
  // Each for one architecture in turn: they differ in what a function becomes, not in what is accepted. And a dtype of
  // each size: of operations, which differ most by dtype, there is a sweep above.
  using sinter::dtype;
  const dtype some[] = {dtype::bool_, dtype::int16, dtype::float32, dtype::int64};
  const std::unique_ptr<compiler> with[] = {nvrtc(80), nvrtc(90), nvrtc(100)};
  if (!with[0]) return;
  std::size_t n = 0;
  each_text(dialect::cuda, some, [&](const std::string& text, const std::string& name) {
    if (name.starts_with("every operation")) return;
    const std::string said = complaint(*with[n++ % 3], text);
    INFO(name, ": ", said);
    CHECK(said.empty());
  });
  CHECK(n >= 4 * 26);
}

TEST_CASE("nvrtc: the texts of the other math modes") {
  for (math_mode mode : {math_mode::strict, math_mode::fast}) {
    const auto with = nvrtc(90, mode);
    if (!with) return;
    target goal = target_here(dialect::cuda);
    goal.math = mode;
    for (sinter::dtype t : {sinter::dtype::float32, sinter::dtype::float64, sinter::dtype::int64}) {
      const kernel k = every_operation(t);
      CHECK(complaint(*with, emit(k, map_variants(k, dialect::cuda)[0].v, goal)) == "");
    }
  }
}

TEST_CASE("nvrtc: in strict mode no function is made a number, though its argument is known") {
  using sinter::dtype;
  using sinter::op;
  kernel_builder b;
  const auto x = b.input(dtype::int32), one = b.cast(b.apply(op::equal, x, x), dtype::float32);
  b.k.outputs = {b.apply(op::tan, one)};
  for (math_mode mode : {math_mode::standard, math_mode::strict}) {
    const auto with = nvrtc(90, mode);
    if (!with) return;
    target goal = target_here(dialect::cuda);
    goal.math = mode;
    const std::string text = with->compile_to_read(emit(b.k, map_variants(b.k, dialect::cuda)[0].v, goal)).between;
    const bool turns = text.find("0f3F22F983") != text.npos;  // by 2 / pi, where a tangent is computed
    CHECK(turns == (mode == math_mode::strict));
  }
}

TEST_CASE("nvrtc: a text that is wrong is a compile_error, so the sweep can fail") {
  const auto with = nvrtc(90);
  if (!with) return;
  const kernel k = mixed_map(sinter::dtype::float32);
  std::string text = emit(k, map_variants(k, dialect::cuda)[0].v, target_here(dialect::cuda));
  text.insert(text.rfind('}'), "undeclared = 1;");
  CHECK(complaint(*with, text).find("undeclared") != std::string::npos);
}

TEST_CASE("c: every text compiles without a warning") {
  if (std::system("gcc --version >/dev/null 2>&1") != 0) {
    MESSAGE("skipped: gcc, whose warnings these are, is not there");
    return;
  }
  const scratch room;
  int n = 0;
  each_text(dialect::c, element_dtypes, [&](const std::string& text, const std::string&) {
    write_text(room / (std::to_string(n++) + ".c"), text);
  });
  CHECK(n > 250);
  // What a kernel declares and does not use costs nothing, and a row's text is one for all dtypes; everything else is a
  // slip.
  const std::string flags =
      "-std=gnu17 -fsyntax-only -Wall -Wno-unused -Wno-unknown-pragmas -Wno-int-in-bool-context -Wno-bool-compare "
      "-Werror";
  const int status = std::system(("cd " + room.path() + " && gcc " + flags + " *.c >said 2>&1").c_str());
  INFO(read_text(room / "said").substr(0, 4000));
  CHECK(status == 0);
}

TEST_CASE("nvrtc: neighbours in a pack share their block of random words, which are permuted only where it helps") {
  const auto with = nvrtc(9999);  // PTX, for a GPU that is newer than any
  if (!with) return;
  const auto count = [](const std::string& text, const char* what) {
    int found = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
    return found;
  };
  for (const bool branches : {false, true}) {
    CAPTURE(branches);
    kernel_builder b;
    const auto i = b.cast(b.input(sinter::dtype::int64, true), sinter::dtype::uint64);
    const auto draw = b.scalar(sinter::dtype::uint64), seed = b.scalar(sinter::dtype::uint64);
    const auto word = b.apply(sinter::op::random_uint32, i, draw, seed);
    const auto number = b.cast(word, sinter::dtype::float64);
    const kernel k = b.gives({b.apply(branches ? sinter::op::cbrt : sinter::op::negative, number)});
    variant v;
    v.operands = {access::unit, access::unit};
    v.map.width = 4;
    v.map.ways = {way::each, way::packed};
    const std::string ptx = to_text(with->compile(emit(k, v, target_here(dialect::cuda))));
    // 18 wide products for the pack and 18 for what is left at the end, four times as many if they were not shared; 20 permutations.
    CHECK(count(ptx, "mul.wide.u32") >= 36);
    CHECK(count(ptx, "mul.wide.u32") < 50);
    CHECK(count(ptx, "prmt") == (branches ? 40 : 0));
  }
}

TEST_CASE("nvrtc: many divisions of 64 bits in a pack of sixteen compile in seconds") {
  const auto with = nvrtc(90);
  if (!with) return;
  for (const int pairs : {8, 120}) {
    CAPTURE(pairs);
    kernel_builder b;
    auto i = b.input(sinter::dtype::int64, true);
    for (int n = 0; n < pairs; ++n) {
      const auto by = b.scalar(sinter::dtype::int64);
      i = b.apply(sinter::op::add, b.apply(sinter::op::floor_divide, i, by), b.apply(sinter::op::remainder, i, by));
    }
    const kernel k = b.gives({b.apply(sinter::op::less, i, b.scalar(sinter::dtype::int64))});
    variant v;
    v.operands = {access::unit, access::unit};
    v.map.width = 16;
    v.map.ways = {way::each, way::packed};
    const auto start = std::chrono::steady_clock::now();
    CHECK(complaint(*with, emit(k, v, target_here(dialect::cuda))) == "");
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(30));
  }
}

TEST_CASE("nvrtc: passes over rows that no test is long enough for compile") {
  using sinter::dtype;
  const auto with = nvrtc(90);
  if (!with) return;
  for (const dtype t : {dtype::int8, dtype::float16, dtype::float32, dtype::int64})
    for (const bool places : {false, true}) {
      const std::string said =
          complaint(*with, sort_text(form_of_sort(sort_step::pass, t, places, false, std::int64_t{1} << 30)));
      INFO(std::string(sinter::name(t)), std::string(places ? ", places: " : ": "), said);
      CHECK(said.empty());
    }
}
