// Stores through arrays of indices and masks: NumPy's values, and the last of several for one element.
#include <doctest/doctest.h>

#include <vector>

#include <sinter/sinter.hpp>

namespace sn = sinter;
using sn::_;
using sn::array;
using sn::ellipsis;
using ints = std::vector<int>;

TEST_CASE("scatters: through indices") {
  array<int> a = sn::zeros<int>({6});
  a(array<int>{4, 1, -1}) = array<int>{7, 8, 9};
  CHECK(a.get() == ints{0, 8, 0, 0, 7, 9});
  a(array<int>{0, 2}) = 5;
  CHECK(a.get() == ints{5, 8, 5, 0, 7, 9});
  a(array<int>{0, 1}) += 10;
  CHECK(a.get() == ints{15, 18, 5, 0, 7, 9});
  a(array<int>{3, 4}) = a(array<int>{4, 3}) * 2;
  CHECK(a.get() == ints{15, 18, 5, 14, 0, 9});
  a(array<int>{1}) = array<double>{2.9};
  CHECK(a(1).item() == 2);
  a(sn::zeros<int>({0})) = 3;
  CHECK(a.get() == ints{15, 2, 5, 14, 0, 9});
}

TEST_CASE("scatters: mixed with other indices") {
  array<int> m = sn::zeros<int>({3, 4});
  m(_, array<int>{3, 0}) = array<int>{{1, 2}, {3, 4}, {5, 6}};
  CHECK(m.get() == ints{2, 0, 0, 1, 4, 0, 0, 3, 6, 0, 0, 5});
  m(array<int>{0, 2}, array<int>{1, 2}) = array<int>{8, 9};
  CHECK(m.get() == ints{2, 8, 0, 1, 4, 0, 0, 3, 6, 0, 9, 5});
  m(array<int>{1}) = sn::arange<int>(4);
  CHECK(m(1).get() == ints{0, 1, 2, 3});
  array<int> turned = m.T();
  turned(array<int>{0}) = 7;
  CHECK(turned.get() == ints{7, 7, 7, 8, 1, 0, 0, 2, 9, 1, 3, 5});
  CHECK(m(0, 0).item() == 2);
}

TEST_CASE("scatters: the last of several values for one element stays") {
  constexpr int count = 20'000;
  array<int> a = sn::full<int>({7}, -1);
  const array<int> at = sn::arange<int>(count) % 7;
  a(at) = sn::arange<int>(count);
  ints want(7);
  for (int i = 0; i < count; ++i) want[static_cast<std::size_t>(i % 7)] = i;
  CHECK(a.get() == want);
  for (const auto& size : {1, 2, 8}) {
    CAPTURE(size);
    if (size == 1) {
      array<std::uint8_t> b = sn::zeros<std::uint8_t>({3});
      b(array<int>{1, 1, 2}) = array<std::uint8_t>{1, 2, 3};
      CHECK(b.get() == std::vector<std::uint8_t>{0, 2, 3});
    } else if (size == 2) {
      array<std::int16_t> b = sn::zeros<std::int16_t>({3});
      b(array<int>{1, 1, 2}) = array<std::int16_t>{1, 2, 3};
      CHECK(b.get() == std::vector<std::int16_t>{0, 2, 3});
    } else {
      array<double> b = sn::zeros({3});
      b(array<int>{1, 1, 2}) = array<double>{1, 2, 3};
      CHECK(b.get() == std::vector<double>{0, 2, 3});
    }
  }
}

TEST_CASE("scatters: values and copies keep what they had") {
  array<int> a = sn::arange<int>(4);
  const array<int> copy = a;
  const auto before = a + 0;
  a(array<int>{0, 3}) = 9;
  CHECK(a.get() == ints{9, 1, 2, 9});
  CHECK(copy.get() == ints{0, 1, 2, 3});
  CHECK(array<int>(before).get() == ints{0, 1, 2, 3});
}

TEST_CASE("scatters: through masks") {
  array<int> a{1, -2, 3, -4};
  a(a < 0) = 0;
  CHECK(a.get() == ints{1, 0, 3, 0});
  a(a > 0) += 5;
  CHECK(a.get() == ints{6, 0, 8, 0});
  sn::store_where(a, a == 0, sn::arange<int>(4) * 10);
  CHECK(a.get() == ints{6, 10, 8, 30});
  sn::store_where(a, a > 8, 1);
  CHECK(a.get() == ints{6, 1, 8, 1});
  array<int> m = sn::arange<int>(6).reshape(3, 2);
  m(array<bool>{true, false, true}) = 7;
  CHECK(m.get() == ints{7, 7, 2, 3, 7, 7});
  CHECK_THROWS_AS(m(array<bool>{true, false}) = 7, sn::index_error);
}

TEST_CASE("scatters: what does not fit") {
  array<int> a = sn::arange<int>(4);
  CHECK_THROWS_AS(a(array<int>{0, 1}) = array<int>({1, 2, 3}), sn::shape_error);
  const auto beyond = [&] {
    a(array<int>{1, 4}) = 7;
    sn::synchronize();
  };
  CHECK_THROWS_AS(beyond(), sn::index_error);
}

TEST_CASE("scatters: a graph gathers and stores at every launch") {
  array<int> a = sn::zeros<int>({4}), from{1, 2, 3, 4};
  const array<int> k{3, 1, 3};
  a(k) = from(k) + a(k);  // what the capture needs is there
  a(ellipsis) = 0;
  const sn::graph g = sn::capture([&] { a(k) = from(k) + a(k); });
  for (int i = 0; i < 3; ++i) g.launch();
  CHECK(a.get() == ints{0, 6, 0, 12});
}
