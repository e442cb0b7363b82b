// Law 5: `=` on a name rebinds, on an index stores, and a view under a name is a value. Also stores whose operands
// overlap what they write: everything is read before anything is written.
#include <doctest/doctest.h>

#include <string>
#include <type_traits>
#include <vector>

#include "test/include/looking.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using ints = std::vector<int>;

array<int> numbers(int n) { return arange<int>(n); }
array<int> table() { return arange<int>(12).reshape({3, 4}); }

array<int> viewed_through_nothing() {
  array<int> local = numbers(3);
  auto v = local(ellipsis);
  return v + 0;
}
auto view_of_a_local() {
  array<int> local = numbers(4);
  return local(slice(1, _));
}
auto whole_of_a_local() {
  array<int> local = numbers(4) + 5;
  return local(ellipsis);
}

/// A function of the user's that stores.
void relax(array_ref<int> v) {
  v(slice(1, -1)) = (v(slice(_, -2)) + v(slice(2, _))) % 7;
  v(0) = v(1) + 10;
  v += 1;
}
void swap(array_ref<int> x, array_ref<int> y) {
  const array<int> was = x + 0;
  x(ellipsis) = y;
  y(ellipsis) = was;
}
void fill_both_ends(array_ref<int> v, int value) {
  const auto fill = [&](array_ref<int> end) { end(ellipsis) = value; };
  fill(v(0));
  fill(v[-1]);
}

}  // namespace

TEST_CASE("law 5: assigning to a name rebinds it") {
  array<int> a = numbers(4), b = a;
  const void* place = place_of(a);
  a = a * 10;
  CHECK(a.get() == ints{0, 10, 20, 30});
  CHECK(b.get() == ints{0, 1, 2, 3});
  CHECK(place_of(b) == place);
  a = numbers(2).reshape({2, 1}) + numbers(3);  // another shape is another value
  CHECK(a.shape() == shape{2, 3});
  a = b;
  CHECK(place_of(a) == place);
}

TEST_CASE("law 5: assigning through an index stores, and keeps the storage") {
  array<int> a = table();
  const void* place = place_of(a);
  a(_, 0) = array<int>{-1, -2, -3};
  a(1) = a(0) + 1;
  a(2, slice(1, 3)) = 99;
  CHECK(a.get() == ints{-1, 1, 2, 3, 0, 2, 3, 4, -3, 99, 99, 11});
  a(ellipsis) = a % 5;
  CHECK(a.get() == ints{4, 1, 2, 3, 0, 2, 3, 4, 2, 4, 4, 1});
  a(ellipsis, 0) = 0;
  a(newaxis, 0) = 6;  // a view with a new axis is a view
  CHECK(a.get() == ints{6, 6, 6, 6, 0, 2, 3, 4, 0, 4, 4, 1});
  CHECK(place_of(a) == place);
}

TEST_CASE("law 5: a stored value broadcasts to the view, and never the other way round") {
  array<int> a = table();
  a(ellipsis) = numbers(4);
  a(_, slice(2, _)) = numbers(3)(_, newaxis) * 100;
  CHECK(a.get() == ints{0, 1, 0, 0, 0, 1, 100, 100, 0, 1, 200, 200});
  CHECK_THROWS_AS(a(0) = table(), shape_error);
  CHECK_THROWS_AS(a(0) = table()(slice(0, 2), newaxis), shape_error);
  CHECK_THROWS_AS(a(_, 0) = numbers(4), shape_error);
  CHECK_THROWS_AS(a += numbers(12), shape_error);
  CHECK_THROWS_AS(a(0, 0) = numbers(2), shape_error);
  CHECK(a.get() == ints{0, 1, 0, 0, 0, 1, 100, 100, 0, 1, 200, 200});
}

TEST_CASE("law 5: a stored value may have more axes of extent 1 in front") {
  array<int> a = table();
  a(0) = table()(slice(1, 2), newaxis);
  a(1) = (table()(slice(1, 2)) * 10)(newaxis);
  a(slice(2, _), _) = numbers(4)(newaxis, newaxis, newaxis) + 1;
  CHECK(a.get() == ints{4, 5, 6, 7, 40, 50, 60, 70, 1, 2, 3, 4});
  a(0, 0) = ones<int>({1, 1});
  a(_, 3) = sum<int>(table(), {.axis = {0, 1}, .keepdims = true});
  a(_, 1) = sum<int>(table(), {.axis = 1, .keepdims = true}).T()(newaxis) - a(_, 2);
  CHECK(a.get() == ints{1, 0, 6, 66, 40, -38, 60, 66, 1, 35, 3, 66});
  array<int> b = numbers(4);
  b(slice(1, _)) = b(slice(_, -1))(newaxis, newaxis);  // overlapping
  CHECK(b.get() == ints{0, 0, 1, 2});
  const array<int> held = b;
  b(slice(_, 2)) = ones<int>({1, 1, 2}) * 7;
  b(slice(2, _)) = arange<int>(2).reshape({1, 2, 1})(_, _, 0);
  CHECK(b.get() == ints{7, 7, 0, 1});
  CHECK(held.get() == ints{0, 0, 1, 2});
}

TEST_CASE("law 5: a view under a name is a value") {
  array<int> a = table();
  auto row = a(1);
  auto column = a[_](_, 2);
  auto all = a(ellipsis);
  auto element = a(2, 3);
  auto same = a(_);
  const auto sum_of_view = a(0) + all;
  a += 100;
  a(1) = 0;
  CHECK(row.get() == ints{4, 5, 6, 7});
  CHECK(column.get() == ints{2, 6, 10});
  CHECK(element.item() == 11);
  CHECK(same.get() == table().get());
  CHECK(all.get() == table().get());
  CHECK(sum_of_view.get() == (table()(0) + table()).get());
  array<int> taken = row;
  taken(0) = -1;
  CHECK(row.get() == ints{4, 5, 6, 7});
  CHECK(a(0).get() == ints{100, 101, 102, 103});
}

TEST_CASE("law 5: a view outlives the name it was taken from") {
  CHECK(view_of_a_local().get() == ints{1, 2, 3});
  CHECK(whole_of_a_local().get() == ints{5, 6, 7, 8});
  CHECK(viewed_through_nothing().get() == ints{0, 1, 2});
  array<int> row = table()(2);  // of a temporary
  CHECK(row.get() == ints{8, 9, 10, 11});
  static_assert(std::is_same_v<decltype(table()(2)), array<int>>);
  static_assert(std::is_same_v<decltype(std::declval<const array<int>&>()(2)), array<int>>);
}

TEST_CASE("law 5: a function stores into the part of a named array that it is given") {
  array<int> a = table();
  const void* place = place_of(a);
  const std::int64_t copied = moved_by([&] { relax(a(_, 1)); }).bytes_copied;
  CHECK(copied == 0);
  CHECK(a.get() == ints{0, 14, 2, 3, 4, 4, 6, 7, 8, 10, 10, 11});
  fill_both_ends(a, -1);  // of the whole of it: rows 0 and 2
  CHECK(a.get() == ints{-1, -1, -1, -1, 4, 4, 6, 7, -1, -1, -1, -1});
  fill_both_ends(a(slice(1, _), slice(_, _, -1)), 9);
  CHECK(a(1).get() == ints{9, 9, 9, 9});
  fill_both_ends(a[1], 3);
  CHECK(a(1).get() == ints{3, 9, 9, 3});
  CHECK(place_of(a) == place);
}

TEST_CASE("law 5: two parts of one array are stored into in turn, and who else holds it keeps its value") {
  array<int> a = table();
  const void* place = place_of(a);
  CHECK(moved_by([&] { swap(a(0), a(2)); }).bytes_copied == 0);
  CHECK(a.get() == ints{8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3});
  CHECK(place_of(a) == place);
  const array<int> held = a;
  swap(a(0), a(2));
  CHECK(a.get() == table().get());
  CHECK(held(0).get() == ints{8, 9, 10, 11});
  array<int> b = a.T();  // another order in memory
  const array<int> kept = b;
  swap(b(0), b(1));
  fill_both_ends(b, 0);
  CHECK(b.get() == ints{0, 0, 0, 0, 4, 8, 2, 6, 10, 0, 0, 0});
  CHECK(kept.get() == array<int>(table().T()).get());
}

TEST_CASE("law 5: what a part is read as is its value then; expressions keep it") {
  array<int> a = table();
  [&](array_ref<int> v) {
    const auto before = v * 2;
    const array<int> copy = v;
    v(ellipsis) = 7;
    v(_, 0) -= v(0, 1);
    CHECK(before.get() == ints{0, 2, 8, 10});
    CHECK(copy.get() == ints{0, 1, 4, 5});
    CHECK(v.get() == ints{0, 7, 0, 7});
    CHECK(sum(v).item() == 14);
    CHECK(v.shape() == shape{2, 2});
    a = zeros<int>({5});  // the name has another value, which has no such part
    CHECK_THROWS_AS(v(0) = 1, index_error);
    CHECK_THROWS_AS(v.get(), index_error);
  }(a(slice(2), slice(2)));
  CHECK(a.get() == ints(5));
}

TEST_CASE("law 5: overlapping stores read everything first") {
  struct overlap {
    std::string name;
    void (*write)(array<int>&);
    ints expected;
    bool in_place = true;
  };
  const overlap all[] = {
      {"shift up", [](auto& a) { a(slice(1, _)) = a(slice(_, -1)); }, {0, 0, 1, 2, 3, 4, 5, 6}},
      {"shift down", [](auto& a) { a(slice(_, -1)) = a(slice(1, _)); }, {1, 2, 3, 4, 5, 6, 7, 7}},
      {"reverse", [](auto& a) { a(ellipsis) = a(slice(_, _, -1)); }, {7, 6, 5, 4, 3, 2, 1, 0}},
      {"reverse a part", [](auto& a) { a(slice(1, 6)) = a(slice(5, 0, -1)); }, {0, 5, 4, 3, 2, 1, 6, 7}},
      {"add shifted", [](auto& a) { a(slice(1, _)) += a(slice(_, -1)); }, {0, 1, 3, 5, 7, 9, 11, 13}},
      {"spread", [](auto& a) { a(slice(_, _, 2)) = a(slice(_, 4)); }, {0, 1, 1, 3, 2, 5, 3, 7}},
      {"gather", [](auto& a) { a(slice(_, 4)) = a(slice(_, _, 2)) * 10; }, {0, 20, 40, 60, 4, 5, 6, 7}},
      {"first over all", [](auto& a) { a(ellipsis) = a + a(3); }, {3, 4, 5, 6, 7, 8, 9, 10}},
      {"total over all", [](auto& a) { a -= sum<int>(a); }, {-28, -27, -26, -25, -24, -23, -22, -21}, false},
      {"interleaved, apart", [](auto& a) { a(slice(_, _, 2)) = a(slice(1, _, 2)); }, {1, 1, 3, 3, 5, 5, 7, 7}},
      {"through a reshape",
       [](auto& a) {
         a(ellipsis) = array<int>(a.reshape({2, 4}).T()).reshape({8});
       },
       {0, 4, 1, 5, 2, 6, 3, 7},
       false},
      {"through an expression's reshape",
       [](auto& a) {
         a(ellipsis) = a.reshape({2, 4}).T().reshape({8});
       },
       {0, 4, 1, 5, 2, 6, 3, 7},
       false},
  };
  for (const overlap& o : all) {
    INFO(o.name);
    array<int> a = numbers(8);
    const void* place = place_of(a);
    o.write(a);
    CHECK(a.get() == o.expected);
    if (o.in_place) CHECK(place_of(a) == place);
  }
}

TEST_CASE("law 5: overlapping stores over two axes, and with another array holding the storage") {
  array<int> a = arange<int>(9).reshape({3, 3});
  const array<int> held = a;
  a(ellipsis) = a.T();
  CHECK(a.get() == ints{0, 3, 6, 1, 4, 7, 2, 5, 8});
  a = a.T();
  CHECK(a.get() == held.get());
  a += a.T();
  CHECK(a.get() == ints{0, 4, 8, 4, 8, 12, 8, 12, 16});
  a = held.copy();
  a(_, slice(1, _)) = a(_, slice(_, -1)) + a(slice(_, _, -1), slice(1, _));
  CHECK(a.get() == ints{0, 7, 9, 3, 7, 9, 6, 7, 9});
  a = held;
  a(slice(1, _)) = a(slice(_, -1));
  CHECK(a.get() == ints{0, 1, 2, 0, 1, 2, 3, 4, 5});
  CHECK(held.get() == arange<int>(9).get());
}

TEST_CASE("law 5: longer overlaps than a vector or a thread's share") {
  const int n = 300'000;
  array<int> a = numbers(n);
  a(slice(1, _)) = a(slice(_, -1));
  a(slice(_, _, -1)) = a;
  const ints got = a.get();
  bool right = true;
  for (int i = 0; i < n; ++i) {
    const int j = n - 1 - i;
    right = right && got[static_cast<std::size_t>(i)] == (j > 0 ? j - 1 : 0);
  }
  CHECK(right);
}
