// A sample for the trials alone: every kind of call of a library, alone, with a name, with several results, stored over what it was made
// of, and in a graph; and the cache of plans. What is printed is rounded, for without a library the roundings are others.
#include <cmath>
#include <iostream>

#include <sinter/fft_plans.hpp>
#include <sinter/graph.hpp>
#include <sinter/join.hpp>
#include <sinter/sparse_construct.hpp>
#include <sinter/sparse_solve.hpp>

#include "test/include/every_call.hpp"

namespace sn = sinter;
using sn::_, sn::array;

namespace {

constexpr std::int64_t rows = 12;

double rounded(double x) { return std::round(x * 1e4) / 1e4 + 0.0; }
double total(const array<double>& a) { return rounded(sn::sum(sn::abs(a)).item()); }

void each(const array<double>& x) {
  for (const auto& k : sn::test::every_call()) std::cout << k.name << ' ' << total(k.of(x)) << '\n';
}

// A failed call changes nothing, also where it stores over its own operands.
void stores(const array<double>& x) {
  array<double> a = x / 64, b = a;
  const auto named = sn::matmul(a, a);
  a(sn::ellipsis) = sn::matmul(a, a);
  a(_, 0) = sn::sort(a)(_, 1);
  b(0) = sn::abs(sn::fft::fft(b(1)));
  std::cout << "stored " << total(a) << ' ' << total(b) << ' ' << total(named) << '\n';
}

void together(const array<double>& x) {
  const auto [u, s, vh] = sn::linalg::svd(x(_, sn::slice(4)), {.full_matrices = false});
  const auto [values, again, order] = sn::eval(s + 1, sn::matmul(u * s, vh), sn::argsort(s));
  std::cout << "together " << total(values) << ' ' << total(again) << ' ' << sn::sum(order).item() << '\n';
}

void graphs(const array<double>& x) {
  array<double> a = x + 0.0, out, other;
  const sn::graph g = sn::capture([&] {
    out = sn::matmul(a, a) + sn::sort(a);
    other = sn::real(sn::fft::fft(a)) + sn::linalg::inv(sn::test::every_call_of::dominant(a));
    a *= 0.5;
  });
  g.launch();
  g.launch();
  std::cout << "graph " << total(out) << ' ' << total(other) << '\n';
}

// Large enough for factors of a GPU: made, made again of other values while the first are there, and in a graph.
void factors(const array<double>& x) {
  namespace sp = sn::sparse;
  constexpr std::int64_t n = 300;
  const array<double> side = x(0) + 0.0;
  const auto a = sp::diags_array<double>({{4, 0}, {-1, 1}, {-1, -1}, {1, 20}}, {n, n});
  const array<double> b = sn::concatenate(sn::tuple(side, sn::ones({n - side.size()})));
  const auto lu = sp::linalg::splu(a), again = sp::linalg::splu(a * 2);
  array<double> out = lu.solve(sn::stack(sn::tuple(b, b * 2), 1)),
                other = again.solve(b, sn::linalg::transposition::transposed);
  std::cout << "factors " << total(out) << ' ' << total(other) << '\n';
  out = b + 0.0;
  if (sn::device::current().type() == sn::device::kind::cuda) {
    const sn::graph g = sn::capture([&] { out(sn::ellipsis) = lu.solve(out); });
    g.launch();
  } else {
    out = lu.solve(out);
  }
  std::cout << "factors in a graph " << total(out) << '\n';
}

void plans(const array<double>& x) {
  sn::fft::plan_cache cache = sn::fft::config::get_plan_cache();
  const auto before = cache.get_size();
  const struct usual {
    sn::fft::plan_cache& of;
    decltype(before) size;
    ~usual() { of.set_size(size); }
  } back{cache, before};
  cache.set_size(1);
  for (std::int64_t n : {8, 9, 8}) std::cout << "plan " << total(sn::abs(sn::fft::fft(x, {.n = n}))) << '\n';
}

}  // namespace

int main() {
  const array<double> x = sn::test::made_for_calls(rows);
  each(x);
  stores(x);
  together(x);
  graphs(x);
  factors(x);
  plans(x);
}
