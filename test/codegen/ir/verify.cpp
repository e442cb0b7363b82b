// Malformed kernels are refused with a sentence and the kernel's text, and how that text reads.
#include <doctest/doctest.h>

#include <string>

#include <sinter/error.hpp>

#include "test/codegen/ir/small_kernel.hpp"

namespace {

using namespace sinter::codegen;
using sinter::dtype;
using sinter::op;
using sinter::test::kernel_builder;

constexpr dtype f32 = dtype::float32, f64 = dtype::float64, i32 = dtype::int32;

/// (x + s) of f32, its sum, and the sum's square root.
kernel good() {
  kernel_builder b;
  const auto x = b.input(f32), s = b.scalar(f32);
  return b.gives({b.apply(op::sqrt, b.reduce(reduction::sum, b.apply(op::add, x, s)))});
}

/// What verify() says about `good()` after a change; "" if nothing.
template <class Change>
std::string complaint(Change change) {
  kernel k = good();
  change(k);
  try {
    verify(k);
  } catch (const sinter::internal_error& e) {
    const std::string text = e.what();
    CHECK(text.find(print(k)) != std::string::npos);
    return text.substr(0, text.find('\n'));
  }
  return "";
}

}  // namespace

TEST_CASE("a kernel as text") {
  CHECK(print(good()) ==
        "reduction\n"
        "  input 0: float32\n"
        "  scalar 0: float32\n"
        "  v0: float32 = input 0\n"
        "  v1: float32 = scalar 0\n"
        "  v2: float32 = add v0 v1\n"
        "  v3: float32 = reduced a0\n"
        "  v4: float32 = sqrt v3\n"
        "  a0: float32 = sum v2\n"
        "  output 0 = v4\n");
  kernel_builder b;
  CHECK(print(b.gives({b.cast(b.input(dtype::int64, true), f64)})) ==
        "map\n"
        "  input 0: int64 iota\n"
        "  v0: int64 = input 0\n"
        "  v1: float64 = cast v0\n"
        "  output 0 = v1\n");
}

TEST_CASE("a well-formed kernel passes") {
  CHECK(complaint([](kernel&) {}) == "");
}

TEST_CASE("numbers that lead nowhere") {
  CHECK(complaint([](kernel& k) { k.values[0].index = 1; }) == "malformed kernel: v0: there is no such input");
  CHECK(complaint([](kernel& k) { k.values[1].index = 1; }) == "malformed kernel: v1: there is no such scalar");
  CHECK(complaint([](kernel& k) { k.values[3].index = 1; }) == "malformed kernel: v3: there is no such accumulator");
  CHECK(complaint([](kernel& k) { k.accumulators[0].value = 9; }) == "malformed kernel: a0: there is no such value");
  CHECK(complaint([](kernel& k) { k.outputs[0] = 5; }) == "malformed kernel: output 0: there is no such value");
  CHECK(complaint([](kernel& k) { k.outputs.clear(); }) == "malformed kernel: the kernel: it has no output");
  CHECK(complaint([](kernel& k) { k.values[2].code = static_cast<op>(250); }) ==
        "malformed kernel: v2: there is no such operation");
}

TEST_CASE("values in the wrong order") {
  CHECK(complaint([](kernel& k) { k.values[2].args[1] = 2; }) ==
        "malformed kernel: v2: it comes before what it is made of");
  CHECK(complaint([](kernel& k) { k.values[2].args[0] = 4; }) ==
        "malformed kernel: v2: it comes before what it is made of");
  CHECK(complaint([](kernel& k) { k.accumulators[0].value = 4; }) ==
        "malformed kernel: a0: it folds what only itself or a later one gives");
}

TEST_CASE("dtypes that disagree with the rules") {
  CHECK(complaint([](kernel& k) { k.inputs[0].type = f64; }) == "malformed kernel: v0: its dtype is not the input's");
  CHECK(complaint([](kernel& k) { k.scalars[0] = i32; }) == "malformed kernel: v1: its dtype is not the scalar's");
  CHECK(complaint([](kernel& k) { k.inputs[0].iota = true; }) == "malformed kernel: input 0: positions are int64");
  CHECK(complaint([](kernel& k) { k.inputs[0].type = k.values[0].type = f64; }) ==
        "malformed kernel: v2: its arguments are not of the dtype it computes in");
  CHECK(complaint([](kernel& k) { k.values[2].type = f64; }) ==
        "malformed kernel: v2: its dtype is not what the operation gives");
  CHECK(complaint([](kernel& k) { k.values[2].code = op::bitwise_and; }) ==
        "malformed kernel: v2: the operation does not compute in that dtype");
  CHECK(complaint([](kernel& k) { k.accumulators[0].type = f64; }) ==
        "malformed kernel: v3: its dtype is not the accumulator's");
  CHECK(complaint([](kernel& k) { k.accumulators[0].what = reduction::any; }) ==
        "malformed kernel: a0: any and all fold bool");
  CHECK(complaint([](kernel& k) { k.accumulators[0].what = reduction::argmax; }) ==
        "malformed kernel: v3: its dtype is not the accumulator's");
  CHECK(complaint([](kernel& k) {
          k.accumulators[0].what = reduction::argmax;
          k.values[3].type = k.values[4].type = dtype::int64;
          k.values[4] = k.values[3];
        }) == "malformed kernel: a0: positions are int64");
  CHECK(complaint([](kernel& k) { k.scalars[0] = dtype::complex64; }) ==
        "malformed kernel: v1: its dtype is not the scalar's");
}

TEST_CASE("a function of real numbers takes no integers, and a choice takes a truth value") {
  kernel_builder b;
  const auto n = b.input(i32);
  b.add({value_kind::apply, i32, op::sin, {n}});
  CHECK_THROWS_AS(verify(b.gives({1})), sinter::internal_error);
  kernel_builder c;
  const auto x = c.input(f32);
  c.add({value_kind::apply, f32, op::where, {x, x, x}});
  CHECK_THROWS_AS(verify(c.gives({1})), sinter::internal_error);
}
