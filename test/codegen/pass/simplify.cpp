// Simplification: what it makes one, what it drops, what it must leave alone, and that it changes no bit of any result.
#include <doctest/doctest.h>

#include <cstring>
#include <random>
#include <string>

#include "codegen/ir/interpret.hpp"
#include "codegen/pass/simplify.hpp"
#include "test/codegen/ir/small_kernel.hpp"

namespace {

using namespace sinter::test;
using sinter::dtype;
using sinter::op;
namespace codegen = sinter::codegen;
namespace detail = sinter::detail;
using detail::reduction;

constexpr dtype f32 = dtype::float32, f64 = dtype::float64, i32 = dtype::int32, i64 = dtype::int64, u8 = dtype::uint8,
                b1 = dtype::bool_;

codegen::kernel simplified(codegen::kernel k) {
  codegen::simplify(k);
  codegen::verify(k);
  return k;
}
std::size_t size_of(const codegen::kernel& k) { return simplified(k).values.size(); }

/// x, after two operations that undo each other, is x.
template <class F>
bool vanishes(dtype t, F f) {
  kernel_builder b;
  const auto x = b.input(t);
  const codegen::kernel k = simplified(b.gives({f(b, x)}));
  return k.values.size() == 1 && k.outputs[0] == 0;
}

}  // namespace

TEST_CASE("simplify: equal values become one, in any order of making") {
  kernel_builder b;
  const auto x = b.input(f32), y = b.input(f32), s = b.scalar(f32);
  const auto one = b.apply(op::exp, b.apply(op::add, x, s)), two = b.apply(op::exp, b.apply(op::add, x, s));
  const codegen::kernel k = simplified(b.gives({b.apply(op::multiply, one, two), b.apply(op::add, two, y)}));
  CHECK(k.values.size() == 7);  // x y s add exp multiply add
  CHECK(k.outputs.size() == 2);
}

TEST_CASE("simplify: values that differ in anything stay apart") {
  kernel_builder b;
  const auto x = b.input(f32), y = b.input(f32), n = b.input(i32), s = b.scalar(f32), r = b.scalar(f32);
  const codegen::kernel k =
      b.gives({b.apply(op::add, x, y), b.apply(op::add, y, x), b.apply(op::subtract, x, y), b.apply(op::add, x, s),
               b.apply(op::add, x, r), b.cast(n, f32), b.cast(n, f64), b.cast(x, f64)});
  CHECK(size_of(k) == k.values.size());
}

TEST_CASE("simplify: what no output or accumulator needs is dropped") {
  kernel_builder b;
  const auto x = b.input(f32), y = b.input(f32);
  b.apply(op::sin, b.apply(op::multiply, x, y));
  const auto kept = b.apply(op::add, x, x);
  CHECK(size_of(b.gives({kept})) == 2);
  kernel_builder c;
  const auto z = c.input(f32);
  const auto total = c.reduce(reduction::sum, c.apply(op::exp, z));
  c.apply(op::cos, total);
  const codegen::kernel k = simplified(c.gives({total}));
  CHECK(k.values.size() == 3);
  CHECK(k.accumulators.size() == 1);
}

TEST_CASE("simplify: accumulators that turn out to fold the same are one, and so is what follows on them") {
  kernel_builder b;
  const auto x = b.input(f32), same = b.cast(b.cast(x, f64), f32);
  const auto total = b.reduce(reduction::sum, x), again = b.reduce(reduction::sum, same);
  const auto largest = b.reduce(reduction::max, same);
  const codegen::kernel k =
      simplified(b.gives({b.apply(op::sqrt, total), b.apply(op::sqrt, again), b.apply(op::add, again, largest)}));
  CHECK(k.accumulators.size() == 2);
  CHECK(k.outputs[0] == k.outputs[1]);
  // A later pass folds what follows on the earlier one.
  kernel_builder c;
  const auto y = c.input(f32), z = c.cast(c.cast(y, f64), f32);
  const auto distance = c.apply(op::subtract, y, c.reduce(reduction::sum, y)),
             other = c.apply(op::subtract, y, c.reduce(reduction::sum, z));
  CHECK(
      simplified(c.gives({c.reduce(reduction::max, distance), c.reduce(reduction::max, other)})).accumulators.size() ==
      2);
}

TEST_CASE("simplify: operations that undo themselves vanish") {
  CHECK(vanishes(f32, [](auto& b, auto x) { return b.apply(op::positive, x); }));
  CHECK(vanishes(f32, [](auto& b, auto x) { return b.apply(op::negative, b.apply(op::negative, x)); }));
  CHECK(vanishes(i32, [](auto& b, auto x) { return b.apply(op::invert, b.apply(op::invert, x)); }));
  CHECK(vanishes(b1, [](auto& b, auto x) { return b.apply(op::logical_not, b.apply(op::logical_not, x)); }));
  CHECK(vanishes(f32, [](auto& b, auto x) { return b.cast(x, f32); }));
  CHECK(vanishes(f32, [](auto& b, auto x) { return b.cast(b.cast(x, f64), f32); }));
  CHECK(vanishes(u8, [](auto& b, auto x) { return b.cast(b.cast(x, i64), u8); }));
  CHECK(vanishes(b1, [](auto& b, auto x) { return b.cast(b.cast(x, f32), b1); }));
  CHECK(vanishes(i32, [](auto& b, auto x) { return b.cast(b.cast(x, f64), i32); }));
  CHECK(vanishes(f32, [](auto& b, auto x) { return b.apply(op::maximum, x, x); }));
}

TEST_CASE("simplify: the sign of a number of 16 bits is turned where it is, unless it is computed with") {
  for (const dtype t : {dtype::float16, dtype::bfloat16})
    for (const op sign : {op::absolute, op::negative}) {
      kernel_builder b;
      const auto wide = b.apply(sign, b.cast(b.input(t), f32));
      CHECK(size_of(b.gives({b.cast(wide, t)})) == 2);
      kernel_builder more;
      const auto x = more.cast(more.input(t), f32);
      CHECK(size_of(more.gives({more.cast(more.apply(sign, more.apply(op::add, x, x)), t)})) == 5);
    }
}

TEST_CASE("simplify: what only looks as if it did nothing stays") {
  CHECK_FALSE(vanishes(f64, [](auto& b, auto x) { return b.cast(b.cast(x, f32), f64); }));  // digits go
  CHECK_FALSE(vanishes(i64, [](auto& b, auto x) { return b.cast(b.cast(x, f64), i64); }));
  CHECK_FALSE(vanishes(i32, [](auto& b, auto x) { return b.cast(b.cast(x, f32), i32); }));
  CHECK_FALSE(vanishes(i32, [](auto& b, auto x) { return b.cast(b.cast(x, u8), i32); }));
  CHECK_FALSE(vanishes(i32, [](auto& b, auto x) { return b.cast(b.cast(x, b1), i32); }));
  CHECK_FALSE(vanishes(f32, [](auto& b, auto x) { return b.apply(op::reciprocal, b.apply(op::reciprocal, x)); }));
  CHECK_FALSE(
      vanishes(f32, [](auto& b, auto x) { return b.apply(op::subtract, x, x); }));  // infinity less itself is NaN
  CHECK_FALSE(vanishes(f32, [](auto& b, auto x) { return b.apply(op::add, x, b.scalar(f32)); }));
}

TEST_CASE("simplify: twice is once") {
  kernel_builder b;
  const auto x = b.input(f32), y = b.apply(op::negative, b.apply(op::negative, b.apply(op::negative, x)));
  const codegen::kernel once = simplified(b.gives({b.apply(op::add, y, b.apply(op::negative, x))}));
  CHECK(simplified(once) == once);
  CHECK(once.values.size() == 3);
}

namespace {

constexpr int points = 64;

/// A random kernel over operands of several dtypes, and the memory it is run over.
class random_kernel {
 public:
  explicit random_kernel(unsigned seed) : random_(seed) {
    for (dtype t : {f32, f32, i32, u8, b1, f64, i64}) known_.push_back(b_.input(t));
    for (dtype t : {f32, i32, f64}) known_.push_back(b_.scalar(t));
    const unsigned steps = 5 + seed % 40;
    for (unsigned i = 0; i < steps; ++i) add();
    for (int i = 0; i < 4; ++i) b_.k.outputs.push_back(known_[known_.size() - 1 - pick(6)]);
    const std::size_t before = memory_.size();
    memory_.resize(before + 7);
    for (auto& m : memory_) {
      m.resize(8 * points);
      for (auto& byte : m) byte = static_cast<std::byte>(random_());
    }
    for (auto& byte : memory_[4]) byte &= std::byte{1};  // truth values are 0 or 1
    for (int i = 0; i < points; i += 3)                  // and not all floats are wild
      for (int input : {0, 1}) {
        const float tame = static_cast<float>(static_cast<int>(pick(2000)) - 1000) / 8;
        std::memcpy(memory_[static_cast<std::size_t>(input)].data() + 4 * i, &tame, 4);
      }
  }
  const codegen::kernel& k() const { return b_.k; }

  std::vector<std::byte> run(const codegen::kernel& k) const {
    codegen::variant v;
    v.operands.assign(k.inputs.size() + k.outputs.size(), access::unit);
    std::vector<std::byte> out(8 * points * k.outputs.size());
    call c{k, v, {points}, {}};
    for (const auto& m : memory_) c.operands.push_back({m.data(), 0, {1}});
    for (std::size_t o = 0; o < k.outputs.size(); ++o) c.operands.push_back({out.data() + 8 * points * o, 0, {1}});
    c.with(1.5f).with(std::int32_t{-7}).with(0.25);
    codegen::interpret(k, v, c.block().data(), 0, points);
    return out;
  }

 private:
  unsigned pick(unsigned n) { return static_cast<unsigned>(random_() % n); }
  std::uint16_t any() { return known_[pick(static_cast<unsigned>(known_.size()))]; }
  std::uint16_t any(dtype t) {
    std::vector<std::uint16_t> fit;
    for (std::uint16_t v : known_)
      if (b_.k.values[v].type == t) fit.push_back(v);
    return fit[pick(static_cast<unsigned>(fit.size()))];
  }
  void add() {
    static constexpr dtype to[] = {f32, i32, u8, b1, f64, i64};
    static constexpr op undoing[] = {op::negative, op::positive, op::logical_not, op::invert, op::maximum, op::where};
    if (pick(4) == 0) return known_.push_back(b_.cast(any(), to[pick(6)]));
    const std::uint16_t x = any();
    const dtype t = b_.k.values[x].type;
    const op code = pick(3) ? static_cast<op>(pick(detail::op_count)) : undoing[pick(6)];
    const detail::rule r = detail::facts(code).of;
    if (!detail::accepts(r, t) || detail::compute_dtype(r, t) != t) return;
    const std::uint16_t y = pick(3) ? any(t) : x, z = pick(3) ? any(t) : y;
    known_.push_back(r == detail::rule::choice ? b_.apply(code, any(b1), y, z) : b_.apply(code, x, y, z));
  }

  std::mt19937 random_;
  kernel_builder b_;
  std::vector<std::uint16_t> known_;
  std::vector<std::vector<std::byte>> memory_;
};

}  // namespace

TEST_CASE("simplify: random kernels give the same bits before and after") {
  std::size_t dropped = 0;
  for (unsigned seed = 0; seed < 500; ++seed) {
    const random_kernel made(seed);
    codegen::verify(made.k());
    codegen::kernel smaller = made.k();
    codegen::simplify(smaller);
    CAPTURE(seed);
    codegen::verify(smaller);
    REQUIRE(smaller.outputs.size() == made.k().outputs.size());
    REQUIRE(smaller.values.size() <= made.k().values.size());
    dropped += made.k().values.size() - smaller.values.size();
    for (std::size_t o = 0; o < smaller.outputs.size(); ++o)
      CHECK(smaller.values[smaller.outputs[o]].type == made.k().values[made.k().outputs[o]].type);
    CHECK(made.run(smaller) == made.run(made.k()));
  }
  CHECK(dropped > 5000);
}
