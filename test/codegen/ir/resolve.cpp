// From nodes to a signature and its run-time facts: what is part of the signature and what is not, how operands are
// laid out through views and broadcasts, what is walked once, and what is refused.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include <sinter/sinter.hpp>

#include "codegen/ir/program.hpp"
#include "codegen/ir/resolve.hpp"
#include "runtime/device/device.hpp"
#include "runtime/memory/storage.hpp"

namespace {

using namespace sinter;
using codegen::operand;
using codegen::resolution;
using codegen::value_kind;
using detail::handle;
using strides = std::vector<std::int64_t>;

resolution resolved(const std::vector<handle>& roots) {
  std::vector<const detail::typed_node*> nodes;
  std::vector<const shape*> extents;
  for (const handle& h : roots) {
    nodes.push_back(static_cast<const detail::typed_node*>(h.get()));
    extents.push_back(&nodes.back()->extents);
  }
  resolution r;
  codegen::resolve(nodes.data(), extents.data(), static_cast<int>(nodes.size()), r);
  return r;
}
template <class... E>
resolution resolved(const E&... e) {
  return resolved({handle(e.share())...});
}

const std::byte* data_of(const array<float>& a) {
  return static_cast<const detail::array_node*>(static_cast<const detail::typed_node*>(a.node()))->data();
}

/// An operand's strides in its space, spelled out where it is flat.
strides strides_of(const resolution& r, const operand& o) {
  const shape& s = r.spaces[o.space].extents;
  strides all(static_cast<std::size_t>(s.size()));
  std::int64_t step = 1;
  for (int d = s.size() - 1; d >= 0; --d) {
    all[static_cast<std::size_t>(d)] = o.flat ? (s[d] == 1 ? 0 : step) : o.strides[d];
    step *= s[d];
  }
  return all;
}
/// Elements between the start of an array and an operand that lies in it.
std::int64_t start_in(const array<float>& a, const operand& o) { return (o.data - data_of(a)) / 4; }

array<float> numbers(const shape& s) { return arange<float>(s.elements()).reshape(s); }

}  // namespace

TEST_CASE("resolve: extents, strides of one kind and scalars are no part of the signature") {
  const array<float> x = numbers({3, 4}), y = numbers({3, 4}), p = numbers({50, 2}), q = numbers({50, 2});
  const resolution a = resolved(x * 2.f + y), b = resolved(p * 7.f + q);
  CHECK(a.words == b.words);
  CHECK(a.scalars[0].as_float == 2);
  CHECK(b.scalars[0].as_float == 7);
  CHECK(a.spaces[0].extents == shape{3, 4});
  CHECK(b.spaces[0].extents == shape{50, 2});
  CHECK(resolved(x.T() + y.T()).words == resolved(x + y).words);
  CHECK(resolved(sum(x * 2, 1)).words == resolved(sum(p * 3, 1)).words);
}

TEST_CASE("resolve: everything a kernel depends on is part of the signature") {
  const array<float> x = numbers({3, 3}), y = numbers({3, 3});
  const array<double> d = arange<double>(9).reshape({3, 3});
  const std::vector<codegen::buffer<std::uint64_t>> different = {
      resolved(x + y).words,
      resolved(x + x).words,      // equal leaves
      resolved(x - y).words,      // another operation
      resolved(x + 1.f).words,    // a scalar
      resolved(x + x.T()).words,  // one array, two layouts: two operands, as x + y
      resolved(x + d).words,      // another dtype
      resolved(sum(x)).words,
      resolved(sum(x, 0)).words,  // another result's rank
      resolved(prod(x)).words,
      resolved(sum(x, {.axis = 0, .keepdims = true})).words,
      resolved(x + y, x - y).words,  // two roots
      resolved(x - y, x + y).words,
      resolved(astype<int>(x)).words,
      resolved(astype<short>(x)).words,
      resolved(x - sum(x, 0)).words,
      resolved(x - sum(x, 0)(slice(_, _, -1))).words,
      resolved((x + y).reshape({9})).words,
  };
  for (std::size_t i = 0; i < different.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      CAPTURE(i);
      CAPTURE(j);
      CHECK((different[i] == different[j]) == (i == 4 && j == 0));
    }
}

TEST_CASE("resolve: a signature is read back as the program it was written from") {
  const array<float> x = numbers({3, 4}), row = numbers({4});
  const array<int> n = arange<int>(4);
  const codegen::program p =
      codegen::decode(resolved(where(x > 1, sqrt(x) * n, 0.5f) + row).words, codegen::math_mode::standard);
  REQUIRE(p.roots.size() == 1);
  int inputs = 0, scalars = 0, casts = 0, roots = 0;
  for (const codegen::value& v : p.values) {
    inputs += v.kind == value_kind::input;
    scalars += v.kind == value_kind::scalar;
    casts += v.kind == value_kind::cast;
    roots += v.kind == value_kind::apply && v.code == op::sqrt;
  }
  CHECK(inputs == 3);
  CHECK(scalars == 2);
  CHECK(casts >= 2);  // float and int32 meet in double
  CHECK(roots == 1);
  CHECK(p.values[p.roots[0].value].type == dtype::float64);
  CHECK(p.values[p.roots[0].value].code == op::add);
}

TEST_CASE("resolve: a name used often is walked once, where it is seen in one way") {
  const array<float> x = numbers({3, 3});
  auto t = exp(x);
  const auto applied = [](const resolution& r) {
    int n = 0;
    for (const codegen::value& v : codegen::decode(r.words, codegen::math_mode::standard).values)
      n += v.kind == value_kind::apply && v.code == op::exp;
    return n;
  };
  CHECK(applied(resolved(t * t + t * 2 - t)) == 1);
  CHECK(applied(resolved(t + 1, t - 1)) == 1);
  CHECK(applied(resolved(t + t.T())) == 2);  // elsewhere it is another value
  lazy<float> doubling = x;
  for (int i = 0; i < 60; ++i) doubling = doubling + doubling;  // a tree of 2^60 leaves
  const resolution r = resolved(doubling * 1);
  CHECK(r.operands.size() == 1);
  CHECK(r.words.size() < 400);
}

TEST_CASE("resolve: arrays and views of arrays are laid out in the domain") {
  const array<float> x = numbers({4, 6}), row = numbers({6}), column = numbers({4, 1}), one = numbers({1});
  const resolution r = resolved(x + row + column + one + x(2, 3) + x(slice(_, _, -1), slice(_, _, -1)) +
                                numbers({6, 4}).T() * 0 + x(newaxis)(0) + x(_, slice(5, 6)));
  REQUIRE(r.operands.size() == 8);  // x(newaxis)(0) is x
  CHECK(r.spaces.size() == 1);
  CHECK(r.operands[0].flat);
  CHECK(strides_of(r, r.operands[0]) == strides{6, 1});
  CHECK(strides_of(r, r.operands[1]) == strides{0, 1});
  CHECK(strides_of(r, r.operands[2]) == strides{1, 0});
  CHECK(strides_of(r, r.operands[3]) == strides{0, 0});
  CHECK(r.operands[3].fixed);
  CHECK(r.operands[4].fixed);
  CHECK(start_in(x, r.operands[4]) == 15);
  CHECK(strides_of(r, r.operands[5]) == strides{-6, -1});
  CHECK(start_in(x, r.operands[5]) == 23);
  CHECK(strides_of(r, r.operands[6]) == strides{1, 4});
  CHECK(strides_of(r, r.operands[7]) == strides{6, 0});
  CHECK(start_in(x, r.operands[7]) == 5);
}

TEST_CASE("resolve: operands that start at one place or step alike are still different") {
  const array<float> x = numbers({4, 6}), corner = x(slice(0, 2), slice(0, 2));
  CHECK(resolved(corner + corner.T()).operands.size() == 2);
  CHECK(resolved(corner + x(slice(2, 4), slice(0, 2))).operands.size() == 2);
  CHECK(resolved(corner + x(slice(0, 2), slice(_, 2))).operands.size() == 1);
  const lazy<std::int64_t> i(detail::make_iota(shape{6}, 0));
  CHECK(resolved(i(slice(0, 3)) + i(slice(1, 4))).operands.size() == 2);
  CHECK(resolved(i(slice(0, 3)) + i(slice(_, 3))).operands.size() == 1);
}

TEST_CASE("resolve: views of expressions end as strides of their leaves") {
  const array<float> x = numbers({4, 6}), row = numbers({6});
  auto e = x * row;
  const resolution reversed = resolved(e(slice(_, _, -1), slice(1, _, 2)) + 0.f);
  REQUIRE(reversed.operands.size() == 2);
  CHECK(reversed.spaces[0].extents == shape{4, 3});
  CHECK(strides_of(reversed, reversed.operands[0]) == strides{-6, 2});
  CHECK(start_in(x, reversed.operands[0]) == 19);
  CHECK(strides_of(reversed, reversed.operands[1]) == strides{0, 2});
  CHECK(start_in(row, reversed.operands[1]) == 1);
  const resolution turned = resolved((e.T()(2, newaxis, slice(_, _, -2)) - 1)(0) + 0.f);
  REQUIRE(turned.operands.size() == 2);
  CHECK(turned.spaces[0].extents == shape{2});
  CHECK(strides_of(turned, turned.operands[0]) == strides{-12});
  CHECK(start_in(x, turned.operands[0]) == 20);
  CHECK(turned.operands[1].fixed);
  CHECK(start_in(row, turned.operands[1]) == 2);
  const resolution wide = resolved(broadcast_to(e(0), {5, 6}) + 0.f);
  CHECK(strides_of(wide, wide.operands[0]) == strides{0, 1});
}

TEST_CASE("resolve: an index is an operand with an origin") {
  const lazy<std::int64_t> i(detail::make_iota(shape{4, 6}, 1));
  const resolution r = resolved(i(_, slice(_, _, -2)) * 1);
  REQUIRE(r.operands.size() == 1);
  CHECK(r.operands[0].iota);
  CHECK(r.operands[0].origin == 5);
  CHECK(strides_of(r, r.operands[0]) == strides{0, -2});
}

TEST_CASE("resolve: a reduction is a boundary with a domain of its own") {
  const array<float> x = numbers({4, 6});
  const resolution r = resolved(x - sum(x * 2, {.axis = 1, .keepdims = true}));
  REQUIRE(r.boundaries.size() == 1);
  CHECK(r.boundaries[0].extents == shape{4, 1});
  CHECK(r.boundaries[0].type == dtype::float32);
  CHECK(r.spaces[r.boundaries[0].space].reduced == 0b10);
  CHECK(r.spaces[r.boundaries[0].space].extents == shape{4, 6});
  int results = 0;
  for (const operand& o : r.operands) {
    if (o.boundary < 0) continue;
    ++results;
    CHECK(strides_of(r, o) == strides{1, 0});
    CHECK(o.data == nullptr);
  }
  CHECK(results == 1);
  const codegen::program p = codegen::decode(r.words, codegen::math_mode::standard);
  REQUIRE(p.boundaries.size() == 1);
  CHECK_FALSE(p.boundaries[0].joinable);
  const codegen::program joined = codegen::decode(resolved(sqrt(sum(x, 1)) + 1).words, codegen::math_mode::standard);
  CHECK(joined.boundaries[0].joinable);
  CHECK(resolved(sum(x, 0), sum(x, 1)).spaces.size() >= 2);
}

TEST_CASE("resolve: operands on two devices are noticed, and refused by who evaluates") {
  const array<float> here = numbers({3});
  if (here.device() == device::interpreter()) return;
  device_scope in(device::interpreter());
  const array<float> there = numbers({3});
  const codegen::resolution both = resolved(here + there);
  CHECK(both.device->id == here.device());
  REQUIRE(both.other_device);
  CHECK(both.other_device->id == there.device());
  CHECK(resolved(here + 1).other_device == nullptr);
  CHECK_THROWS_AS(array<float>(here * 2 + sum(there)), device_error);
  CHECK(array<float>(there + 1).get()[2] == 3);
  CHECK(array<float>(here + 1).get()[2] == 3);
}
