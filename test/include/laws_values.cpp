// Law 1: an expression, a copy and a view have the value they had where they were written, whatever is written to
// later; writes go in place where no other name sees the elements, and where one does, one of the two gets other storage.
#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "test/include/looking.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using floats = std::vector<float>;

array<float> table() { return asarray(floats{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, {3, 4}); }
floats before() { return table().get(); }

/// A way to write to a table, and what it does to the elements.
struct mutation {
  std::string name;
  std::function<void(array<float>&)> write;
  std::function<float(int row, int column, float old)> expected;
  bool of_a_part = false;
};

const mutation mutations[] = {
    {"+= scalar", [](auto& a) { a += 5; }, [](int, int, float x) { return x + 5; }},
    {"-= of itself", [](auto& a) { a -= a; }, [](int, int, float) { return 0.f; }},
    {"*= expression", [](auto& a) { a *= a + 1; }, [](int, int, float x) { return x * (x + 1); }},
    {"one element", [](auto& a) { a(1, 2) = 100; }, [](int r, int c, float x) { return r == 1 && c == 2 ? 100 : x; },
     true},
    {"bracket", [](auto& a) { a[2] = -1; }, [](int r, int, float x) { return r == 2 ? -1 : x; }, true},
    {"a column", [](auto& a) { a(_, 1) = 7; }, [](int, int c, float x) { return c == 1 ? 7 : x; }, true},
    {"a column, in place", [](auto& a) { a(_, -1) += 7; }, [](int, int c, float x) { return c == 3 ? x + 7 : x; },
     true},
    {"a strided part", [](auto& a) { a(slice(_, _, 2), slice(3, _, -2)) = 50; },
     [](int r, int c, float x) { return r % 2 == 0 && c % 2 == 1 ? 50 : x; }, true},
    {"all of it", [](auto& a) { a(ellipsis) = a * 2; }, [](int, int, float x) { return 2 * x; }},
    {"all of it, a scalar", [](auto& a) { a(ellipsis) = 3; }, [](int, int, float) { return 3.f; }},
    {"a row of another", [](auto& a) { a(0) = a(2); }, [](int r, int c, float x) { return r == 0 ? 8.f + c : x; },
     true},
    {"set", [](auto& a) { a.set(floats(12, 9.f)); }, [](int, int, float) { return 9.f; }},
    {"rebinding", [](auto& a) { a = a + 1; }, [](int, int, float x) { return x + 1; }},
};

floats after(const mutation& m) {
  floats all = before();
  for (int i = 0; i < 12; ++i)
    all[static_cast<std::size_t>(i)] = m.expected(i / 4, i % 4, all[static_cast<std::size_t>(i)]);
  return all;
}

}  // namespace

TEST_CASE("law 1: writes show in the name written to") {
  for (const mutation& m : mutations) {
    INFO(m.name);
    array<float> a = table();
    m.write(a);
    CHECK(a.get() == after(m));
    CHECK(a.shape() == shape{3, 4});
  }
}

TEST_CASE("law 1: writes show in no expression, copy or view made before") {
  for (const mutation& m : mutations) {
    INFO(m.name);
    array<float> a = table();
    const auto e = a + 1;
    const auto nested = e * a;
    const lazy<float> erased = a * 2;
    const auto total = sum(a, 0);
    const auto view_of_expression = (a + 1)(1, _);
    const array<float> copy = a;
    const array<float> row = a(1);
    const auto column = a(_, 1);
    const auto transposed = a.T();
    const auto reshaped = a.reshape({12});
    const auto stretched = broadcast_to(a(newaxis), {2, 3, 4});
    m.write(a);
    CHECK(a.get() == after(m));
    CHECK(e.get() == floats{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
    CHECK(nested.get()[11] == 12 * 11);
    CHECK(erased.get()[5] == 10);
    CHECK(total.get() == floats{12, 15, 18, 21});
    CHECK(view_of_expression.get() == floats{5, 6, 7, 8});
    CHECK(copy.get() == before());
    CHECK(row.get() == floats{4, 5, 6, 7});
    CHECK(column.get() == floats{1, 5, 9});
    CHECK(transposed.get() == floats{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11});
    CHECK(reshaped.get() == before());
    CHECK(stretched.get()[12 + 7] == 7);
  }
}

TEST_CASE("law 1: writes to a copy, a view or a reshape do not show in what it was made from") {
  for (const mutation& m : mutations) {
    INFO(m.name);
    array<float> a = table(), copy = a;
    m.write(copy);
    CHECK(a.get() == before());
    CHECK(copy.get() == after(m));
    array<float> whole = a(slice(0, 3)), same = a.reshape({3, 4}), twice = a.T().T();
    m.write(whole);
    m.write(same);
    m.write(twice);
    CHECK(a.get() == before());
    CHECK(whole.get() == after(m));
    CHECK(same.get() == after(m));
    CHECK(twice.get() == after(m));
    // Neither a part of something larger, nor elements in another order in memory.
    array<float> larger = zeros<float>({5, 6});
    larger(slice(1, 4), slice(2, _)) = a;
    array<float> part = larger(slice(1, 4), slice(2, _));
    m.write(part);
    CHECK(part.get() == after(m));
    CHECK(larger(slice(1, 4), slice(2, _)).get() == before());
    array<float> turned = array<float>(a.T()).copy().T();
    m.write(turned);
    CHECK(turned.get() == after(m));
  }
}

TEST_CASE("law 1: an argument by value is the callee's own") {
  const auto callee = [](array<float> x) {
    x += 1;
    x(0, 0) = -5;
    return x;
  };
  array<float> a = table();
  CHECK(callee(a)(0, 0).item() == -5);
  CHECK(a.get() == before());
}

TEST_CASE("law 1: writes to storage of a sole holder are in place, and allocate nothing") {
  for (const mutation& m : mutations) {
    if (m.name == "rebinding") continue;
    INFO(m.name);
    array<float> a = table();
    m.write(a);  // the first may compile
    a = table();
    const void* place = place_of(a);
    const auto moved = moved_by([&] { m.write(a); });
    CHECK(place_of(a) == place);
    CHECK(moved.bytes_allocated == 0);
    CHECK(holders_of(a) == 1);
  }
}

TEST_CASE(
    "law 1: writes to storage that others hold are not seen by them; once they let go, all writes are in place again") {
  for (const mutation& m : mutations) {
    INFO(m.name);
    array<float> a = table();
    const void* place = place_of(a);
    {
      const auto e = a + 1;
      m.write(a);
      CHECK(place_of(a) != place);
    }
    a = table();
    place = place_of(a);
    {
      const array<float> row = a(1);
      m.write(a);
      CHECK((place_of(a) == place) == m.of_a_part);  // a row is little to keep, and often not even written to
      CHECK(row.get() == floats{4, 5, 6, 7});
    }
    if (m.name == "rebinding") continue;
    place = place_of(a);
    a(0) = 0;
    CHECK(place_of(a) == place);
    array<float> moved = std::move(a);
    moved += 1;
    CHECK(place_of(moved) == place);
  }
}

TEST_CASE("law 1: who holds storage may be deep inside an expression") {
  array<float> a = table();
  const void* place = place_of(a);
  auto t = sqrt(a * a);
  a(ellipsis) = t * 2;  // t has a name and may be asked again
  CHECK(place_of(a) != place);
  CHECK(a.get()[11] == 22);
  CHECK(t.get()[11] == 11);
  a = table();
  place = place_of(a);
  a(ellipsis) = a * 2 + a(slice(_, _, 1)) * a;  // everything here dies with the statement
  CHECK(place_of(a) == place);
  CHECK(a.get()[3] == 6 + 9);
}

TEST_CASE("law 1: an array seen through a broadcast has elements of its own") {
  array<float> b = broadcast_to(array<float>{1, 2, 3}, {2, 3});
  b(0, 0) = 7;
  CHECK(b.get() == floats{7, 2, 3, 1, 2, 3});
  array<float> c = broadcast_to(array<float>{1, 2, 3}, {2, 3});
  c += 1;
  CHECK(c.get() == floats{2, 3, 4, 2, 3, 4});
  array<float> d = broadcast_to(array<float>{1, 2, 3}, {2, 3});
  d(ellipsis) = table()(slice(1, _), slice(_, 3));
  CHECK(d.get() == floats{4, 5, 6, 8, 9, 10});
  const array<float> source{1, 2, 3};
  array<float> e = broadcast_to(source, {2, 3});
  e(1) = 0;
  CHECK(e.get() == floats{1, 2, 3, 0, 0, 0});
  CHECK(source.get() == floats{1, 2, 3});
  array<float> f = broadcast_to(array<float>{1, 2, 3}, {2, 3});
  f.set(floats{1, 2, 3, 4, 5, 6});
  CHECK(f.get() == floats{1, 2, 3, 4, 5, 6});
}
