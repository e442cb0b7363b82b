// Laws 3 and 4: what has a name is computed once and keeps types small; evaluation happens at the listed places and
// nowhere else.
#include <doctest/doctest.h>

#include <cmath>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "test/include/looking.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using floats = std::vector<float>;

/// Lines of the printed kernels that apply an operation: "  v3: float32 = exp v1".
template <class E>
int applied(const E& e, const std::string& operation) {
  return times_in(dump(e).c_str(), "= " + operation + " ");
}
/// Calls in the generated text of one dialect: 0 is CUDA, 1 is C.
template <class E>
int called(const E& e, const std::string& function, int dialect) {
  const std::string all = dump(e).c_str();
  const std::size_t cuda = all.find("CUDA C++ ===="), c = all.find("C ====", cuda + 13);
  REQUIRE(cuda != std::string::npos);
  REQUIRE(c != std::string::npos);
  const std::string text = dialect == 0 ? all.substr(cuda, c - cuda) : all.substr(c);
  return times_in(text, "= " + function + "(");
}
template <class E>
int kernels_of(const E& e) {
  return times_in(dump(e).c_str(), ": IR ====");
}

}  // namespace

TEST_CASE("law 3: a named temporary used ten times is computed once") {
  const array<float> x{0, 1, 2};
  auto t = exp(x);
  auto u = t * t + t - t / (t + 1) + (t - 2) * t + t * 3 + t;
  CHECK(applied(u, "exp") == 1);
  CHECK(called(u, "expf", 0) == 1);
  CHECK(called(u, "expf", 1) == 1);
  CHECK(kernels_of(u) == 1);
  CHECK(launches_of([&] { array<float> r = u; }) == 1);
  const float e1 = std::exp(1.f);
  CHECK(u.get()[1] == doctest::Approx(e1 * e1 + e1 - e1 / (e1 + 1) + (e1 - 2) * e1 + e1 * 3 + e1).epsilon(1e-6));
}

TEST_CASE("law 3: sharing goes through names of names, erased types and several outputs") {
  const array<float> x{1, 2, 3};
  auto t = exp(x);
  const auto u = t + 1;
  const lazy<float> v = u * t;
  auto w = v * v + u + t;
  CHECK(applied(w, "exp") == 1);
  CHECK(applied(w, "multiply") == 2);
  CHECK(launches_of([&] {
          auto [p, q, r] = eval(t, u * 2, w);
          CHECK(p.get()[0] == doctest::Approx(std::exp(1.f)));
          CHECK(q.get()[0] == doctest::Approx(2 * (std::exp(1.f) + 1)));
        }) == 1);
  CHECK(applied(exp(x) * exp(x), "exp") == 1);  // equal temporaries become one too
  CHECK(applied(exp(x) * exp(x + 0), "exp") == 2);
}

TEST_CASE("law 3: equal leaves are one argument, and different ones are told apart under one type") {
  const array<float> x{1, 2, 3}, y{1, 2, 3};
  auto same = x * x;
  auto different = x * y;
  static_assert(std::is_same_v<decltype(same), decltype(different)>);
  CHECK(times_in(dump(same).c_str(), "  input ") == 1);
  CHECK(times_in(dump(different).c_str(), "  input ") == 2);
  const array<float> z{5, 6, 7};
  CHECK(array<float>(x * z).get() == floats{5, 12, 21});  // the plan of x * x would give squares
  CHECK(array<float>(z * z).get() == floats{25, 36, 49});
  CHECK(times_in(dump(x * x(_)).c_str(), "  input ") == 1);  // a view of everything is the same elements
  CHECK(times_in(dump(x * x(slice(_, _, -1))).c_str(), "  input ") == 2);
}

TEST_CASE("law 3: types grow with a statement and not with a program") {
  array<float> a{1, 2};
  auto t = a * 2 + 1;
  auto u = t * t + t;
  auto v = u * u + u;
  auto w = v * v + v;
  static_assert(decltype(t)::length == 5 && decltype(t)::node_count == 1 && decltype(t)::scalar_count == 2);
  static_assert(decltype(u)::length == 5 && decltype(u)::node_count == 3);
  static_assert(std::is_same_v<decltype(u), decltype(v)> && std::is_same_v<decltype(v), decltype(w)>);
  static_assert(std::is_same_v<decltype(t + a), decltype(w + u)>);
  static_assert(decltype(std::move(t) * 2)::length == 7);  // moved from, it is inlined
  static_assert(std::is_same_v<decltype(u * u + u), decltype(sum(u) * a + lazy<float>(t))>);
  CHECK(w.get()[0] == 24492.f);  // 3, 12, 156, 24492
  CHECK(kernels_of(w) == 1);
  CHECK(applied(w, "multiply") == 4);
}

TEST_CASE("law 4: building, naming, copying and looking at expressions evaluates nothing") {
  array<float> a{1, 2, 3};
  array<float> m = a.reshape({3, 1}) + a;
  const auto moved = moved_by([&] {
    auto e = exp(a) + 1;
    auto f = e * e;
    lazy<float> g = f;
    lazy<float> h = g;
    auto total = sum(f) + mean(e) / stddev(e);
    auto chosen = where(e > 1, f, 0);
    auto seen = f(slice(1, _));
    auto turned = (m * 2).T().reshape({9});
    auto wide = broadcast_to(e, {4, 3});
    auto row = m(1);
    auto back = m.T()(_, newaxis);
    array<float> b = a, c = std::move(b), d = m(0), r = m.reshape({9});
    b = c;
    CHECK(e.shape() == shape{3});
    CHECK(total.ndim() == 0);
    CHECK(turned.size() == 9);
    CHECK(chosen.dtype() == dtype::float32);
    explain(total);
    dump(chosen);
    to_dot(wide);
    eval(a, m);
  });
  CHECK(moved.launches == 0);
  CHECK(moved.compiles == 0);
}

TEST_CASE("law 4: evaluation happens at these places, one kernel each") {
  array<float> a{1, 2, 3};
  auto e = a * 2 + 1;
  auto s = sum(e);
  array<float> b;
  CHECK(launches_of([&] { array<float> c = e; }) == 1);
  CHECK(launches_of([&] { array<float> c(e); }) == 1);
  CHECK(launches_of([&] { array c = e; }) == 1);
  CHECK(launches_of([&] { b = e; }) == 1);
  CHECK(launches_of([&] { eval(e); }) == 1);
  CHECK(launches_of([&] { eval(e, e * 2, a - 1); }) == 1);
  CHECK(launches_of([&] { eval(s, max(e), mean(e)); }) == 1);
  CHECK(launches_of([&] { b(ellipsis) = e; }) == 1);
  CHECK(launches_of([&] { b(slice(0, 2)) = e(slice(1, _)); }) == 1);
  CHECK(launches_of([&] { b += e; }) == 1);
  CHECK(launches_of([&] { b(0) += 1; }) == 1);
  CHECK(launches_of([&] { s.item(); }) == 1);
  CHECK(launches_of([&] { static_cast<float>(s); }) == 1);
  CHECK(launches_of([&] {
          if (all(e > 0)) b = a;
        }) == 1);
  CHECK(launches_of([&] { e.get(); }) == 1);
  CHECK(launches_of([&] { std::ostringstream() << e; }) == 1);
  CHECK(launches_of([&] { b.set(floats{1, 2, 3}); }) == 0);
  CHECK(launches_of([&] {
          a.get();
          a(1).item();
        }) == 0);
}

TEST_CASE("law 4: a name that was evaluated is still an expression") {
  array<float> a{1, 2, 3};
  auto e = a + 1;
  array<float> first = e, second = e;
  CHECK(place_of(first) != place_of(second));
  CHECK(launches_of([&] { array<float> third = e * 2; }) == 1);
  first += 1;
  CHECK(second.get() == floats{2, 3, 4});
  CHECK(e.get() == floats{2, 3, 4});
}

TEST_CASE(
    "law 4: a statement met before takes the arrays it is given, whichever of them are one and wherever they lie") {
  const auto product = [](const array<float>& x, const array<float>& y) { return array<float>(x * y + 1).get(); };
  const array<float> a{1, 2, 3}, b{4, 5, 6}, c{7, 8, 9}, wide = arange<float>(6);
  for (int round = 0; round < 3; ++round) {  // twice until it goes straight to its launch
    CHECK(product(a, a) == floats{2, 5, 10});
    CHECK(product(a, b) == floats{5, 11, 19});
    CHECK(product(c, a) == floats{8, 17, 28});
    CHECK(product(b, b) == floats{17, 26, 37});
    CHECK(product(wide(slice(_, _, 2)), a) == floats{1, 5, 13});
    CHECK(product(wide(slice(3, _)), wide(slice(3, _))) == floats{10, 17, 26});
    CHECK(product(a(slice(0, 1)), b) == floats{5, 6, 7});
    CHECK(product(a(slice(0, 0)), a(slice(0, 0))) == floats{});
  }
  array<float> into{1, 2, 3};
  for (int round = 0; round < 3; ++round) {
    into(ellipsis) = a * b;        // apart
    into(ellipsis) = into * into;  // element for element over itself
  }
  CHECK(into.get() == floats{16, 100, 324});
}
