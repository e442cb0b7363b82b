// What is made of a product on the way to where it is stored: multiples, and arrays that are added. Each beside the same of a product
// that has a name, which is a kernel of its own. Small whole numbers: every result is exact.
#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <sinter/sinter.hpp>

#include "test/include/looking.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;

template <class T>
array<T> some(const shape& s, int seed = 0) {
  const array<std::int64_t> i = (arange(s.elements()) * 7 + seed * 3) % 7 - 3;
  if constexpr (detail::complex_number<T>)
    return astype<T>(make_complex(astype<double>(i), astype<double>((i * 3 + 2) % 5 - 2))).reshape(s);
  else return astype<T>(i).reshape(s);
}

bool interprets() { return device::current() == device::interpreter(); }
bool is_gpu() { return !interprets() && !(device::current() == device::cpu()); }
bool is_strict() {
  const char* const mode = std::getenv("SINTER_MATH");
  return mode && std::string(mode) == "strict";
}

template <class T>
void check(const array<T>& got, const array<T>& wanted) {
  CHECK(got.shape() == wanted.shape());
  CHECK(got.get() == wanted.get());
}

// Endings of m, the product of a and b, with an array that broadcasts to it.
template <class T>
void check_all(const array<T>& a, const array<T>& b, const array<T>& c) {
  std::ostringstream what;
  what << a.shape() << b.shape() << c.shape();
  CAPTURE(what.str());
  const array<T> m = matmul(a, b);
  const T two(2), three(3);
  check<T>(matmul(a, b) + c, m + c);
  check<T>(c + matmul(a, b), c + m);
  check<T>(matmul(a, b) - c, m - c);
  check<T>(c - matmul(a, b), c - m);
  check<T>(two * matmul(a, b), two * m);
  check<T>(-matmul(a, b), -m);
  check<T>(matmul(a, b) * three - two * c, m * three - two * c);
  check<T>(-(matmul(a, b) + c) * two, -(m + c) * two);
  array<T> to = some<T>(m.shape(), 5), by_hand = to;
  to += matmul(a, b);
  check<T>(to, by_hand + m);
  to(ellipsis) = to * two - matmul(a, b);
  check<T>(to, (by_hand + m) * two - m);
  to(ellipsis) = matmul(a, b) + c;
  check<T>(to, m + c);
}

}  // namespace

TEST_CASE_TEMPLATE("product endings: every dtype and layout", T, half, bfloat16, float, double, std::complex<float>,
                   std::complex<double>) {
  const array<T> a = some<T>({18, 13}), b = some<T>({13, 12}, 1), c = some<T>({18, 12}, 2);
  check_all<T>(a, b, c);
  check_all<T>(a, b, some<T>({12}, 3));
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, std::complex<double>>) {
    check_all<T>(b.T(), a.T(), c.T());
    check_all<T>(a, b, some<T>({18, 24})(_, slice(_, _, 2)));
    check_all<T>(a, b, some<T>({20, 30})(slice(1, 19), slice(3, 15)));
    check_all<T>(a, b, c(slice(_, _, -1)));
    check_all<T>(a, b, some<T>({13}, 3)(slice(1, _)));
    check_all<T>(a, b, some<T>({1, 12}, 3));
    check_all<T>(a, b, some<T>({18, 1}, 3));
    check_all<T>(a, b, some<T>({}, 3));
    check_all<T>(a, b, some<T>({1}, 3));
  }
}

TEST_CASE("product endings: batches") {
  const array<float> a = some<float>({3, 18, 13}), b = some<float>({13, 12}, 1), bs = some<float>({3, 13, 12}, 1);
  for (const shape& s :
       {shape{3, 18, 12}, shape{18, 12}, shape{12}, shape{3, 1, 12}, shape{3, 18, 1}, shape{1, 18, 12}}) {
    check_all<float>(a, b, some<float>(s, 2));
    check_all<float>(a, bs, some<float>(s, 2));
  }
  check_all<float>(some<float>({2, 1, 18, 13}), bs, some<float>({2, 3, 18, 12}, 2));
  check_all<float>(a.swapaxes(0, 1).swapaxes(0, 1), b, some<float>({18, 3, 12}, 2).swapaxes(0, 1));
}

TEST_CASE("product endings: no kernel is launched for them") {
  if (interprets() || is_strict()) return;
  const array<float> a = some<float>({64, 64}), b = some<float>({64, 64}, 1), c = some<float>({64, 64}, 2);
  const array<float> row = some<float>({64}, 3);
  array<float> to = some<float>({64, 64}, 4), made;
  const auto of = [](auto work) {
    const counters_snapshot moved = moved_by(work);
    CHECK(moved.library_calls == 1);
    return moved.launches;
  };
  CHECK(of([&] { made = matmul(a, b) * 2; }) == 0);
  CHECK(of([&] { to += matmul(a, b); }) == 0);
  CHECK(of([&] { to(ellipsis) = 2 * to - 3 * matmul(a, b); }) == 0);
  // A library of a CPU adds only to what is there.
  CHECK(of([&] { made = matmul(a, b) + c; }) == (is_gpu() ? 0 : 1));
  CHECK(of([&] { made = matmul(a, b) + row; }) == (is_gpu() ? 0 : 1));
  std::ostringstream text;
  text << explain(c - matmul(a, b) * 2);
  CHECK(times_in(text.str(), "kernels: 0, calls: 1") == 1);
  CHECK(times_in(text.str(), "which leaves -2 * product + x") == 1);
}

TEST_CASE("product endings: a product that has a name is computed once") {
  const array<double> a = some<double>({20, 30}), b = some<double>({30, 20}, 1), c = some<double>({20, 20}, 2);
  const array<double> m = matmul(a, b);
  const auto calls_of = [](auto work) { return moved_by(work).library_calls; };
  const auto named = matmul(a, b);
  const auto sum_of_both = matmul(a, b) + c;
  CHECK(calls_of([&] {
          check<double>(named + c, m + c);
          check<double>(named * 2, m * 2);
          check<double>(sum_of_both, m + c);
          check<double>(sum_of_both * 2, (m + c) * 2);
          check<double>(sum_of_both, m + c);
        }) == (interprets() ? 0 : 2));
  check<double>(matmul(a, b) + matmul(a, b), m + m);
  check<double>(matmul(a, b) - matmul(2 * a, b), -m);
  check<double>(matmul(matmul(a, b) + c, c) - c, array<double>(matmul(array<double>(m + c), c)) - c);
}

TEST_CASE("product endings: what is no number stays") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  array<double> a = some<double>({20, 30}), c = some<double>({20, 20}, 2);
  const array<double> b = some<double>({30, 20}, 1);
  c(3, 4) = nan;
  const array<double> added = matmul(a, b) + c * 0;
  CHECK(std::isnan(added(3, 4).item()));
  a(5, 6) = nan;
  const array<double> scaled = matmul(a, b) * 0;
  CHECK(all(isnan(scaled(5))).item());
  CHECK(!any(isnan(scaled(6))).item());
}

TEST_CASE("product endings: dtypes and shapes that the product has not") {
  const array<float> a = some<float>({20, 30}), b = some<float>({30, 20}, 1), m = matmul(a, b);
  const array<double> wide = some<double>({20, 20}, 2);
  check<double>(matmul(a, b) + wide, m + wide);
  check<float>(matmul(a, b) + some<float>({4, 20, 20}), m + some<float>({4, 20, 20}));
  check<float>(matmul(a, b) + 1, m + 1);
  check<float>(1 - matmul(a, b) / 2, 1 - m / 2);
  check<float>(maximum(matmul(a, b) + m, 0), maximum(m + m, 0));
  const array<int> whole = some<int>({20, 30});
  check<int>(matmul(whole, whole.T()) + 2 * matmul(whole, whole.T()), array<int>(matmul(whole, whole.T())) * 3);
}

TEST_CASE("product endings: stores that overlap what is added") {
  const array<double> a = some<double>({20, 30}), b = some<double>({30, 20}, 1), m = matmul(a, b);
  array<double> all = some<double>({41, 20}, 2);
  const array<double> before = all;
  all(slice(1, 21)) = matmul(a, b) + all(slice(0, 20));
  check<double>(all(slice(1, 21)), m + before(slice(0, 20)));
  check<double>(all(slice(21, _)), before(slice(21, _)));
  array<double> square = some<double>({20, 20}, 2);
  const array<double> was = square;
  square(ellipsis) = matmul(a, b) - square.T();
  check<double>(square, m - was.T());
  const auto later = square * 1;  // of the elements as they are now
  square -= matmul(a, b);
  check<double>(square, m - was.T() - m);
  check<double>(later, m - was.T());
}

TEST_CASE("product endings: in order with streams, and in graphs") {
  array<float> x = some<float>({40, 40}), out = zeros<float>({40, 40});
  const array<float> y = some<float>({40, 40}, 1), row = some<float>({40}, 2);
  const array<float> first = array<float>(matmul(x, y)) + row, second = array<float>(matmul(x + 1, y)) + row + first;
  array<float> total = zeros<float>({40, 40});
  const graph g = capture([&] {
    out(ellipsis) = matmul(x, y) + row;
    total += matmul(x, y);
    x += 1;
  });
  CHECK(!any(out != 0).item());
  g.launch();
  check<float>(out, first);
  g.launch();
  check<float>(total + row * 2, second);
  const stream other;
  array<float> there;
  {
    const stream_scope on(other);
    there = matmul(y, y) - first;
  }
  check<float>(there + 0, array<float>(matmul(y, y)) - first);
}

TEST_CASE("product endings: where there is no library" * doctest::skip()) {
  check_all<float>(some<float>({20, 30}), some<float>({30, 20}, 1), some<float>({20, 20}, 2));
  check_all<float>(some<float>({20, 30}), some<float>({30, 20}, 1), some<float>({20}, 2));
}

TEST_CASE("product endings: without the libraries they are kernels") {
  CHECK(rerun("product endings: where there is no library", {{"SINTER_CUBLASLT", ""}}).ok);
  CHECK(rerun("product endings: where there is no library", {{"SINTER_BLAS", ""}, {"SINTER_CUBLAS", ""}}).ok);
}
