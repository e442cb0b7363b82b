// Prepared evaluations. Each statement is evaluated many times over, while what is beneath it changes: what is prepared for one
// must not run for another, and what runs must read the elements and scalars of its own evaluation.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <set>

#include "runtime/frontend/nodes.hpp"
#include "runtime/launch/trace.hpp"
#include "test/include/looking.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using doubles = std::vector<double>;

/// Evaluates variants of one statement in turns, so that each is prepared while others are.
template <class Variant>
void in_turns(int count, Variant check) {
  for (int round = 0; round < 6; ++round)
    for (int i = 0; i < count; ++i) {
      CAPTURE(round);
      CAPTURE(i);
      check(round, i);
    }
  for (int i = 0; i < count; ++i)
    for (int round = 0; round < 6; ++round) {
      CAPTURE(round);
      CAPTURE(i);
      check(round, i);
    }
}

doubles made(int n, const std::function<double(int)>& f) {
  doubles all;
  for (int i = 0; i < n; ++i) all.push_back(f(i));
  return all;
}

array<double> matrix(double first) {
  return asarray(made(16, [&](int i) { return first + i * (i % 3); })).reshape({4, 4});
}

double at(const doubles& m, int row, int column) { return m[static_cast<std::size_t>(4 * row + column)]; }

/// Gives blocks that begin `shift` bytes into those of the default pool.
class shifted : public memory_resource {
 public:
  explicit shifted(std::size_t shift) : shift_(shift) {}
  void* allocate(std::size_t size, const stream& on) override {
    return static_cast<std::byte*>(default_memory_pool().resource().allocate(size + shift_, on)) + shift_;
  }
  void deallocate(void* block, std::size_t size, const stream& on) noexcept override {
    default_memory_pool().resource().deallocate(static_cast<std::byte*>(block) - shift_, size + shift_, on);
  }

 private:
  const std::size_t shift_;
};

}  // namespace

TEST_CASE("statements: scalars and arrays are those of the evaluation") {
  in_turns(3, [](int round, int i) {
    const double s = 1 + round, t = 10 * i;
    const array<double> x = matrix(s), y = matrix(t);
    auto named = x * s + y;
    array<double> r = named * named - t;
    const doubles a = x.get(), b = y.get();
    CHECK(r.get() == made(16, [&](int k) {
            const auto at = static_cast<std::size_t>(k);
            return (a[at] * s + b[at]) * (a[at] * s + b[at]) - t;
          }));
  });
}

TEST_CASE("statements: which node stands where") {
  const array<double> x = matrix(1), y = matrix(50);
  auto one = x + 1, two = y + 1;
  const lazy<double> nodes[] = {x, y, one, two};
  const std::vector<doubles> values{x.get(), y.get(), array<double>(one).get(), array<double>(two).get()};
  in_turns(64, [&](int, int i) {
    const auto a = static_cast<std::size_t>(i % 4), b = static_cast<std::size_t>(i / 4 % 4),
               c = static_cast<std::size_t>(i / 16);
    array<double> r = nodes[a] * 2 + nodes[b] * 3 - nodes[c];
    CHECK(r.get() == made(16, [&](int k) {
            const auto at = static_cast<std::size_t>(k);
            return values[a][at] * 2 + values[b][at] * 3 - values[c][at];
          }));
  });
}

TEST_CASE("statements: views of expressions, and elements that several nodes share") {
  const array<double> x = asarray(made(12, [](int i) { return i * i; }));
  const doubles v = x.get();
  auto more = x + 1;
  in_turns(64, [&](int, int i) {
    const int p = i % 8, q = i / 8;
    const auto of = [&](int from, int k) { return v[static_cast<std::size_t>(from + k)]; };
    array<double> viewed = more(slice(p, p + 4)) * more(slice(q, q + 4));
    CHECK(viewed.get() == made(4, [&](int k) { return (of(p, k) + 1) * (of(q, k) + 1); }));
    const int r = (p + q) % 3;
    array<double> shared = x(slice(p, p + 4)) * x(slice(q, q + 4)) - x(slice(r, r + 4));
    CHECK(shared.get() == made(4, [&](int k) { return of(p, k) * of(q, k) - of(r, k); }));
  });
}

TEST_CASE("statements: layouts of one shape") {
  const array<double> x = matrix(1), y = matrix(7);
  const array<double> turned = x.T(), backwards = x(slice(_, _, -1)), row = broadcast_to(x(1), {4, 4});
  const array<double> all[] = {x, turned, backwards, row, y};
  in_turns(25, [&](int, int i) {
    const array<double>&a = all[static_cast<std::size_t>(i % 5)], &b = all[static_cast<std::size_t>(i / 5)];
    const doubles va = a.get(), vb = b.get();
    array<double> r = a * 2 - b;
    CHECK(r.get() ==
          made(16, [&](int k) { return va[static_cast<std::size_t>(k)] * 2 - vb[static_cast<std::size_t>(k)]; }));
    array<double> into = zeros({4, 4});
    into(slice(_, _, -1)) = a * 2 - b;
    CHECK(array<double>(into(slice(_, _, -1))).get() == r.get());
  });
}

TEST_CASE("statements: reductions of one shape") {
  const array<double> x = matrix(3);
  const doubles v = x.get();
  in_turns(8, [&](int, int i) {
    const std::int64_t axis = i % 2;
    const bool largest = i / 2 % 2, keep = i / 4;
    const lazy<double> folded = largest ? lazy<double>(max(x, {.axis = axis, .keepdims = keep}))
                                        : lazy<double>(sum(x, {.axis = axis, .keepdims = keep}));
    array<double> r = x - folded;
    CHECK(r.get() == made(16, [&](int k) {
            const int row = k / 4, column = k % 4, at_other = axis == 0 || !keep ? column : row;
            double f = largest ? -1e300 : 0;
            for (int j = 0; j < 4; ++j) {
              const double e = axis == 0 ? at(v, j, at_other) : at(v, at_other, j);
              f = largest ? std::max(f, e) : f + e;
            }
            return v[static_cast<std::size_t>(k)] - f;
          }));
  });
}

// As a factorisation row by row has them: results of one shape, of folds whose lengths differ.
TEST_CASE("statements: folds of every length, inside of what is around them") {
  constexpr int n = 40;
  const array<double> m = asarray(made(n * n, [](int i) { return i % 7 - 3; })).reshape({n, n});
  const auto statement = [&](int i, int j) {
    return (m(i, j) - sum(m(i, slice(0, j)) * m(j, slice(0, j)))) / (m(j, j) + 10);
  };
  const auto number = [&](int i, int j) { return m(i, j).item(); };
  in_turns(n, [&](int round, int j) {
    const int i = (7 * round + j) % n;
    double wanted = number(i, j);
    for (int k = 0; k < j; ++k) wanted -= number(i, k) * number(j, k);
    CHECK(statement(i, j).item() == wanted / (number(j, j) + 10));
  });
  std::set<std::uint64_t> hashes;
  for (int j = 1; j < n; ++j) {
    const detail::handle node(detail::take_node(statement(3, j)));
    const runtime::request asked{runtime::typed(node.get()), &runtime::typed(node.get())->extents, nullptr};
    hashes.insert(runtime::trace_hash(&asked, 1));
  }
  CHECK(hashes.size() == n - 1);
}

TEST_CASE("statements: scalar exponents of every class") {
  const array<double> x = asarray(doubles{1, 2, 4, 16});
  const doubles exponents{2, 3, -1, 0.5, 4, 1, 0, 2.5};
  in_turns(8, [&](int, int i) {
    const double p = exponents[static_cast<std::size_t>(i)];
    array<double> r = pow(x + 0, p) * 2;
    const doubles got = r.get(), base = x.get();
    for (std::size_t k = 0; k < 4; ++k) CHECK(got[k] == doctest::Approx(2 * std::pow(base[k], p)).epsilon(1e-14));
  });
}

TEST_CASE("statements: stores over what they read, and beside it") {
  in_turns(9, [](int round, int i) {
    const int to = i % 3, from = i / 3;
    array<double> x = matrix(round);
    const doubles before = x.get();
    x(to) = x(from) * 2 + x(1);
    x(_, to) = x(_, from) + 1;
    doubles wanted = before;
    for (int k = 0; k < 4; ++k)
      wanted[static_cast<std::size_t>(4 * to + k)] = at(before, from, k) * 2 + at(before, 1, k);
    const doubles between = wanted;
    for (int k = 0; k < 4; ++k) wanted[static_cast<std::size_t>(4 * k + to)] = at(between, k, from) + 1;
    CHECK(x.get() == wanted);
  });
}

TEST_CASE("statements: several results, temporaries between kernels, and results that are arrays already") {
  in_turns(2, [](int round, int i) {
    const array<double> x = matrix(round), y = matrix(20 * i + 1);
    auto [a, b, same, known] = eval(mean(x), sum(y, 0), mean(x), y);
    const doubles v = x.get(), w = y.get();
    double total = 0;
    for (double e : v) total += e;
    CHECK(a.item() == doctest::Approx(total / 16));
    CHECK(same.item() == a.item());
    CHECK(b.get() == made(4, [&](int k) { return at(w, 0, k) + at(w, 1, k) + at(w, 2, k) + at(w, 3, k); }));
    CHECK(known.get() == w);
    array<double> rest = (x - mean(x)) / (1 + max(y));
    const double largest = *std::max_element(w.begin(), w.end());
    const doubles got = rest.get();
    for (std::size_t k = 0; k < 16; ++k) CHECK(got[k] == doctest::Approx((v[k] - total / 16) / (1 + largest)));
  });
}

TEST_CASE("statements: results and temporaries wherever an allocator puts them") {
  const std::vector<std::size_t> shifts{0, 8, 4, 0};
  in_turns(4, [&](int, int i) {
    const allocator from = make_allocator<shifted>(shifts[static_cast<std::size_t>(i)]);
    const array<float> x = arange<float>(1000);
    const using_allocator scope(from);
    array<float> r = (x - max(x)) * 2;
    array<float> s = r + x;
    const std::vector<float> got = s.get();
    CHECK(got[0] == -1998);
    CHECK(got[999] == 999);
  });
}

TEST_CASE("statements: what reads no array runs on the current device") {
  const std::vector<device> devices{device::current(), device::interpreter()};
  in_turns(2, [&](int, int i) {
    const device on = devices[static_cast<std::size_t>(i)];
    const device_scope scope(on);
    array<std::int64_t> r = arange(10) * 3;
    CHECK(r.device() == on);
    CHECK(r(9).item() == 27);
  });
}

TEST_CASE("statements: an evaluation that finds no memory leaves nothing behind") {
  const array<double> x = matrix(1);
  const auto statement = [&] { return eval((x - mean(x)) * 2, sum(x, 0), x + 1); };
  for (int i = 0; i < 3; ++i) statement();
  int room = 0, alive = 0;
  class limited : public memory_resource {
   public:
    limited(int& room, int& alive) : room_(room), alive_(alive) {}
    void* allocate(std::size_t size, const stream& on) override {
      if (alive_ == room_) throw out_of_memory("full", size, 0, 0);
      ++alive_;
      return default_memory_pool().resource().allocate(size, on);
    }
    void deallocate(void* block, std::size_t size, const stream& on) noexcept override {
      --alive_;
      default_memory_pool().resource().deallocate(block, size, on);
    }

   private:
    int &room_, &alive_;
  };
  bool enough = false;
  for (; !enough && room < 10; ++room) {
    const using_allocator scope(make_allocator<limited>(room, alive));
    try {
      const auto [a, b, c] = statement();
      enough = a.size() == 16 && b.size() == 4 && c.size() == 16;
    } catch (const out_of_memory&) {
    }
    CHECK(alive == 0);
    CHECK(holders_of(x) == 1);
  }
  CHECK(enough);
  CHECK(room > 2);
}
