// Law 2: nothing dangles. Expressions own what they are made of, so they may be returned, stored, moved and dropped in
// any order and at any depth.
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "test/include/looking.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using floats = std::vector<float>;

auto of_locals() {
  array<float> x{1, 2, 3}, y{10, 20, 30};
  const float s = 0.5f;
  auto t = x * s;
  auto u = t + y;
  return t * u - x;  // names, temporaries, a scalar and arrays, all of them local
}
lazy<float> erased_of_locals(int n) {
  array<float> x = arange<float>(n);
  if (n % 2) return x + 1;
  return sum(x * x, {.keepdims = true});
}
auto view_of_locals() {
  auto t = arange<float>(6) * 2;
  return t(slice(_, _, -2));
}
auto statistics_of_locals() {
  const array<float> x{1, 2, 3, 4};
  auto centred = x - mean(x);
  return centred / stddev(centred);
}

struct model {
  array<float> weights;
  lazy<float> score;
  explicit model(const array<float>& w) : weights(w), score(weights * 2 + 1) {}
};

template <class E>
struct holder {
  explicit holder(E e) : value(std::move(e)) {}
  E value;
};
template <class E>
holder(E) -> holder<E>;

lazy<float> chain(const array<float>& from, int depth) {
  lazy<float> x = from + 0;
  for (int i = 0; i < depth; ++i) x = x + from;
  return x;
}

}  // namespace

TEST_CASE("law 2: expressions returned from functions and lambdas own their parts") {
  CHECK(of_locals().get() == floats{4.25f, 19, 44.25f});
  auto e = of_locals();
  auto f = e + of_locals();
  CHECK(f.get() == floats{8.5f, 38, 88.5f});
  CHECK(erased_of_locals(3).get() == floats{1, 2, 3});
  CHECK(erased_of_locals(4).get() == floats{14});
  CHECK(view_of_locals().get() == floats{10, 6, 2});
  const floats standard = statistics_of_locals().get();
  CHECK(standard[0] == doctest::Approx(-1.3416408));
  const auto make = [](float by) { return [x = array<float>{1, 2}, by] { return x * by; }; };
  CHECK(make(3)().get() == floats{3, 6});
}

TEST_CASE("law 2: expressions stored in objects and containers own their parts") {
  auto m = std::make_unique<model>(array<float>{1, 2});
  model copy = *m;
  m->weights += 10;
  CHECK(m->score.get() == floats{3, 5});
  m.reset();
  CHECK(copy.score.get() == floats{3, 5});
  std::vector<lazy<float>> all;
  for (int i = 0; i < 100; ++i)
    all.push_back(i == 0 ? lazy<float>(array<float>{0, 1} + 0) : lazy<float>(all.back() + 1));
  lazy<float> last = all.back();
  all.clear();
  all.shrink_to_fit();
  CHECK(last.get() == floats{99, 100});
  auto owner = std::make_unique<holder<decltype(of_locals())>>(of_locals());
  auto shared = owner->value * 1;
  owner.reset();
  CHECK(shared.get() == floats{4.25f, 19, 44.25f});
}

TEST_CASE("law 2: a name that was moved from leaves what it was part of alone") {
  array<float> a{1, 2};
  auto e = a + 1;
  auto kept = e * 10;             // e is shared now
  auto taken = std::move(e) - 1;  // and its operands move on
  CHECK(kept.get() == floats{20, 30});
  CHECK(taken.get() == floats{1, 2});
  lazy<float> l = a * 2;
  lazy<float> m = std::move(l);
  auto n = std::move(m) + 1;
  CHECK(n.get() == floats{3, 5});
  l = a;  // assigned to again, a moved-from name is like any other
  CHECK(l.get() == floats{1, 2});
  array<float> b = std::move(a);
  CHECK(b.get() == floats{1, 2});
  CHECK(a.shape() == shape{0});  // moved from: an empty array
  a = b;
  CHECK(a.get() == floats{1, 2});
  auto& alias = b;
  b = std::move(alias);
  CHECK(b.get() == floats{1, 2});
}

TEST_CASE("law 2: what was never evaluated is dropped without a trace") {
  CHECK(launches_of([] {
          auto e = of_locals();
          auto f = e + sum(e, {.keepdims = true});
          lazy<float> g = f;
        }) == 0);
  array<float> a{1, 2, 3};
  { auto e = exp(a) + a(slice(_, _, -1)); }
  CHECK(holders_of(a) == 1);
  {
    const array<float> two{1, 2};
    auto wrong = a * 2 + two;
    CHECK_THROWS_AS(array<float>(wrong - a), shape_error);
    CHECK_THROWS_AS(wrong.get(), shape_error);
  }
  CHECK(holders_of(a) == 1);
}

TEST_CASE("law 2: expressions and arrays outlive the thread that made them") {
  std::vector<lazy<float>> made;
  std::vector<array<float>> arrays;
  for (int i = 0; i < 20; ++i)
    std::thread([&, i] {
      auto local = arange<float>(3) + static_cast<float>(i);
      made.push_back(local * 2);
      arrays.push_back(made.back() + 1);
      if (i % 3 == 0) arrays[0] += 1;  // and is written to by another
    }).join();
  for (std::size_t i = 0; i < 20; ++i) CHECK(made[i].get()[2] == 2 * (2 + static_cast<float>(i)));
  for (std::size_t i = 1; i < 20; ++i) CHECK(arrays[i](0).item() == 2 * static_cast<float>(i) + 1);
  CHECK(arrays[0].get() == floats{8, 10, 12});
  std::thread([&] { made.clear(); }).join();
  CHECK(holders_of(arrays[1]) == 1);
}

TEST_CASE("law 2: chains of 100,000 names are freed without recursion") {
  const array<float> a{1, 2};
  {
    lazy<float> x = chain(a, 100'000);
    lazy<float> branch = x * x + chain(a, 10);
    x = a;  // the branch still holds it
  }
  CHECK(holders_of(a) == 1);
  {
    lazy<float> views = a + 0, sums = views, shapes = views;
    for (int i = 0; i < 100'000; ++i) {
      views = views(slice(_, _, -1));
      sums = sum(sums, {.axis = 0, .keepdims = true});
      shapes = (shapes + 1).reshape({i % 2 ? 2 : 1, -1});
    }
  }
  CHECK(holders_of(a) == 1);
  std::thread([&] { lazy<float> elsewhere = chain(a, 100'000); }).join();
  CHECK(holders_of(a) == 1);
}
