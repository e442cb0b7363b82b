// Exponentials of small matrices, each by itself, in double: by the method of runtime/library/exponential.cpp, and with the diagonals of
// triangles as they are known to be (Al-Mohy and Higham 2009, code fragment 2.1). A matrix in C order is its transpose in columns, and
// so is its exponential.
#include "runtime/library/exponential.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

#include "codegen/ir/complex_scalar.hpp"
#include "runtime/launch/element_types.hpp"
#include "runtime/library/cpu/elimination.hpp"
#include "runtime/stream/kept_call.hpp"

namespace sinter::runtime {

namespace {

double times(double a, double b) { return a * b; }
std::complex<double> times(std::complex<double> a, std::complex<double> b) {
  return codegen::complex_scalar::multiply(a, b);
}

template <class T>
struct square {
  int n;
  T at[most_of_small_exponential * most_of_small_exponential];

  explicit square(int size) : n(size) { std::fill_n(at, n * n, T()); }
  T& operator()(int row, int column) { return at[column * n + row]; }
  const T& operator()(int row, int column) const { return at[column * n + row]; }
  void add(const square& other, double factor) {
    for (int i = 0; i < n * n; ++i) at[i] += other.at[i] * factor;
  }
  void scale(double by) {
    for (int i = 0; i < n * n; ++i) at[i] *= by;
  }
};

template <class T>
square<T> product(const square<T>& a, const square<T>& b) {
  square<T> c(a.n);
  for (int j = 0; j < a.n; ++j)
    for (int k = 0; k < a.n; ++k)
      for (int i = 0; i < a.n; ++i) c(i, j) += times(a(i, k), b(k, j));
  return c;
}

// The largest sum of a row: of the transpose, a column.
template <class T>
double norm_of(const square<T>& a) {
  double sums[most_of_small_exponential] = {}, largest = 0;
  for (int j = 0; j < a.n; ++j)
    for (int i = 0; i < a.n; ++i) sums[i] += std::abs(a(i, j));
  for (int i = 0; i < a.n; ++i) largest = sums[i] > largest || std::isnan(sums[i]) ? sums[i] : largest;
  return largest;
}

// What makes a of b becomes what makes the identity of it.
template <class T>
void solve(square<T>& a, square<T>& b) {
  int pivots[most_of_small_exponential];
  const int n = a.n;
  eliminate(columns_of<T>{a.at, n, n}, pivots);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) std::swap(b(i, j), b(pivots[i] - 1, j));
    for (int k = 0; k < n; ++k)
      for (int i = k + 1; i < n; ++i) b(i, j) -= times(a(i, k), b(k, j));
    for (int k = n - 1; k >= 0; --k) {
      b(k, j) /= a(k, k);
      for (int i = 0; i < k; ++i) b(i, j) -= times(a(i, k), b(k, j));
    }
  }
}

template <class T>
square<T> approximated(const square<T>& a) {
  constexpr const double* c = approximant;
  const square<T> a2 = product(a, a), a4 = product(a2, a2), a6 = product(a4, a2);
  const auto series = [&](double of_a6, double of_a4, double of_a2, double of_one) {
    square<T> s(a.n);
    s.add(a6, of_a6);
    s.add(a4, of_a4);
    s.add(a2, of_a2);
    for (int i = 0; i < a.n; ++i) s(i, i) += of_one;
    return s;
  };
  square<T> inner = product(a6, series(c[13], c[11], c[9], 0));
  inner.add(series(c[7], c[5], c[3], c[1]), 1);
  const square<T> odd = product(a, inner);
  square<T> even = product(a6, series(c[12], c[10], c[8], 0));
  even.add(series(c[6], c[4], c[2], c[0]), 1);
  square<T> under = even;
  under.add(odd, -1);
  even.add(odd, 1);
  solve(under, even);
  return even;
}

double above_0(double t) { return std::fmax(std::ceil(t), 0); }

// How often it is halved.
template <class T>
double halvings(const square<T>& a, double by_norm) {
  const square<T> a2 = product(a, a), a4 = product(a2, a2), a6 = product(a4, a2);
  const double d6 = std::pow(norm_of(a6), 1.0 / 6), d8 = std::pow(norm_of(product(a4, a4)), 1.0 / 8);
  const double d10 = std::pow(norm_of(product(a4, a6)), 1.0 / 10);
  const double reach = std::min(std::max(d6, d8), std::max(d8, d10));
  if (!std::isfinite(reach)) return by_norm;
  const double by_powers = reach > 0 ? above_0(std::log2(reach / furthest_by_powers)) : 0;
  square<double> positive(a.n);
  for (int i = 0; i < a.n * a.n; ++i) positive.at[i] = std::ldexp(std::abs(a.at[i]), static_cast<int>(-by_powers));
  double sums[most_of_small_exponential], next[most_of_small_exponential];
  std::fill_n(sums, a.n, 1.0);
  for (int power = 0; power < lacking_power; ++power) {
    std::fill_n(next, a.n, 0.0);
    for (int j = 0; j < a.n; ++j)
      for (int i = 0; i < a.n; ++i) next[i] += positive(i, j) * sums[j];
    std::copy_n(next, a.n, sums);
  }
  const double lacks = *std::max_element(sums, sums + a.n) / norm_of(positive) * first_lacking;
  if (!std::isfinite(lacks)) return by_norm;
  const double more = lacks > 0 ? above_0(std::log2(lacks / 0x1p-53) / (lacking_power - 1)) : 0;
  return std::min(by_powers + more, by_norm);
}

struct triangles {
  bool lower = false, upper = false;  // has one an element that is not 0?
};
template <class T>
triangles triangles_of(const square<T>& a) {
  triangles has;
  for (int j = 0; j < a.n; ++j)
    for (int i = 0; i < a.n; ++i) (i > j ? has.lower : has.upper) |= i != j && a(i, j) != T();
  return has;
}

// The diagonal of a triangle's exponential is known, and is all that squaring it often would lose by.
template <class T>
void put_diagonal(const square<T>& a, double factor, square<T>& x) {
  for (int i = 0; i < a.n; ++i) x(i, i) = std::exp(a(i, i) * factor);
}

template <class T>
square<T> exponential(const square<T>& a, bool is_triangle) {
  const double by_norm = above_0(std::log2(norm_of(a) / furthest_by_norm));
  const bool is_small = !std::isfinite(by_norm) || by_norm == 0;
  const int times = is_small ? 0 : static_cast<int>(halvings(a, by_norm));
  square<T> scaled = a;
  scaled.scale(std::ldexp(1.0, -times));
  square<T> x = approximated(scaled);
  for (int left = times; left >= 0; --left) {
    if (left < times) x = product(x, x);
    if (is_triangle) put_diagonal(a, std::ldexp(1.0, -left), x);
  }
  return x;
}

// Triangles stay what they are.
template <class T>
void keep_zeros(const triangles& of, square<T>& x) {
  for (int j = 0; j < x.n; ++j)
    for (int i = 0; i < x.n; ++i)
      if (i != j && !(i > j ? of.lower : of.upper)) x(i, j) = T();
}

void compute(void* with) noexcept {
  const auto& of = *static_cast<const small_exponentials*>(with);
  with_inexact(of.type, [&](auto element) {
    using E = typename decltype(element)::type;
    using T = std::conditional_t<std::is_floating_point_v<E>, double, std::complex<double>>;
    const auto n = static_cast<int>(of.extents[of.extents.size() - 1]);
    const auto* const from = reinterpret_cast<const E*>(of.from);
    auto* const to = reinterpret_cast<E*>(of.to);
    for (std::int64_t first = 0; first < of.extents.elements(); first += n * n) {
      square<T> a(n);
      std::copy_n(from + first, n * n, a.at);
      const triangles has = triangles_of(a);
      square<T> x = exponential(a, !has.lower || !has.upper);
      keep_zeros(has, x);
      for (int i = 0; i < n * n; ++i) to[first + i] = static_cast<E>(x.at[i]);
    }
  });
}

}  // namespace

void small_exponentials_on_host(const small_exponentials& of, stream_state& on) { call_with(&compute, of, on); }

}  // namespace sinter::runtime
