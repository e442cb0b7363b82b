// Exponentials of a few matrices, each by itself, in double: by the method of runtime/library/exponential.cpp, with approximants
// of lower degrees where the norm is small (Higham 2005, table 2.3), and with the diagonals of triangles as they are known to be
// (Al-Mohy and Higham 2009, code fragment 2.1). A matrix in C order is its transpose in columns, and so is its exponential.
#include "runtime/library/exponential.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <optional>

#include "codegen/ir/complex_scalar.hpp"
#include "runtime/launch/element_types.hpp"
#include "runtime/library/cpu/elimination.hpp"
#include "runtime/library/cpu/lapack.hpp"
#include "runtime/library/cpu/unshared_calls.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/stream/kept_call.hpp"

namespace sinter::runtime {

namespace {

constexpr std::int64_t most_without_library = 16;  // rows; a library's calls take longer than such products
constexpr std::int64_t most_by_one_thread = 256;   // a library's threads take longer to meet

double times(double a, double b) { return a * b; }
std::complex<double> times(std::complex<double> a, std::complex<double> b) {
  return codegen::complex_scalar::multiply(a, b);
}

struct approximation {
  double furthest;  // norm
  int degree;
  double coefficients[10];
};
constexpr approximation lower_ones[] = {
    {1.495585217958292e-2, 3, {120, 60, 12, 1}},
    {2.539398330063230e-1, 5, {30240, 15120, 3360, 420, 30, 1}},
    {9.504178996162932e-1, 7, {17297280, 8648640, 1995840, 277200, 25200, 1512, 56, 1}},
    {2.097847961257068, 9, {17643225600, 8821612800, 2075673600, 302702400, 30270240, 2162160, 110880, 3960, 90, 1}},
};

struct triangles {
  bool lower = false, upper = false;  // has one an element that is not 0?
};

/// The exponential of one matrix after the other, in the same memory.
template <class T>
class exponential_job {
  using square = columns_of<T>;

 public:
  /// `by` may be null for small ones.
  exponential_job(const lapack_of<T>* by, std::byte* scratch, std::int64_t n)
      : by_(by),
        n_(n),
        room_(scratch),
        given_(take()),
        result_(take()),
        a_(take()),
        a2_(take()),
        a4_(take()),
        a6_(take()),
        series_(take()),
        odd_(take()),
        other_(take()),
        sums_(room_.template take<double>(n)),
        next_(room_.template take<double>(n)),
        pivots_(room_.template take<int>(n)) {}
  std::size_t size() const { return room_.used(); }

  /// The matrix, which the caller writes, and its exponential.
  const square& given() const { return given_; }
  const square& run();

 private:
  square take() { return runtime::take<T>(room_, n_, n_); }
  std::int64_t count() const { return n_ * n_; }
  void product(const square& a, const square& b, const square& to) const;
  void add(const square& to, const square& other, double factor) const {
    for (std::int64_t i = 0; i < count(); ++i) to.at[i] += other.at[i] * factor;
  }
  void set_one(const square& to, double factor) const {
    std::fill_n(to.at, count(), T());
    for (std::int64_t i = 0; i < n_; ++i) to(i, i) = factor;
  }
  void take_powers() const { product(a_, a_, a2_), product(a2_, a2_, a4_), product(a4_, a2_, a6_); }
  void scale(const square& to, int exponent) const {
    const double factor = std::ldexp(1.0, exponent);
    for (std::int64_t i = 0; exponent != 0 && i < count(); ++i) to.at[i] *= factor;
  }
  void copy(const square& from, const square& to) const { std::copy_n(from.at, count(), to.at); }
  double norm_of(const square& a) const;
  void solve();
  void approximate_lower(const approximation& by);
  void approximate();
  double halvings(double by_norm);
  triangles triangles_of_given() const;
  void put_diagonal(double factor) const {
    for (std::int64_t i = 0; i < n_; ++i) result_(i, i) = std::exp(given_(i, i) * factor);
  }

  const lapack_of<T>* by_;
  const std::int64_t n_;
  arena room_;
  const square given_;
  square result_, a_;
  const square a2_, a4_, a6_, series_, odd_;
  square other_;
  double *const sums_, *const next_;
  int* const pivots_;
};

template <class T>
void exponential_job<T>::product(const square& a, const square& b, const square& to) const {
  if (n_ > most_without_library) {
    const int n = static_cast<int>(n_);
    const T one = 1, none = 0;
    return by_->gemm("N", "N", &n, &n, &n, &one, a.at, &n, b.at, &n, &none, to.at, &n, 1, 1);
  }
  std::fill_n(to.at, count(), T());
  for (std::int64_t j = 0; j < n_; ++j)
    for (std::int64_t k = 0; k < n_; ++k)
      for (std::int64_t i = 0; i < n_; ++i) to(i, j) += times(a(i, k), b(k, j));
}

// The largest sum of a row: of the transpose, a column.
template <class T>
double exponential_job<T>::norm_of(const square& a) const {
  std::fill_n(next_, n_, 0.0);
  for (std::int64_t j = 0; j < n_; ++j)
    for (std::int64_t i = 0; i < n_; ++i) next_[i] += std::abs(a(i, j));
  double largest = 0;
  for (std::int64_t i = 0; i < n_; ++i) largest = next_[i] > largest || std::isnan(next_[i]) ? next_[i] : largest;
  return largest;
}

// What makes (even - odd) of the result becomes what makes even + odd of it; `result_` is the even part.
template <class T>
void exponential_job<T>::solve() {
  const square& under = a2_;
  for (std::int64_t i = 0; i < count(); ++i) under.at[i] = result_.at[i] - odd_.at[i];
  add(result_, odd_, 1);
  if (n_ > most_without_library) {
    const int n = static_cast<int>(n_);
    int info = 0;
    by_->getrf(&n, &n, under.at, &n, pivots_, &info);
    return by_->getrs("N", &n, &n, under.at, &n, pivots_, result_.at, &n, &info, 1);
  }
  eliminate(under, pivots_);
  for (std::int64_t j = 0; j < n_; ++j) {
    for (std::int64_t i = 0; i < n_; ++i) std::swap(result_(i, j), result_(pivots_[i] - 1, j));
    for (std::int64_t k = 0; k < n_; ++k)
      for (std::int64_t i = k + 1; i < n_; ++i) result_(i, j) -= times(under(i, k), result_(k, j));
    for (std::int64_t k = n_ - 1; k >= 0; --k) {
      result_(k, j) /= under(k, k);
      for (std::int64_t i = 0; i < k; ++i) result_(i, j) -= times(under(i, k), result_(k, j));
    }
  }
}

// Of `a_`.
template <class T>
void exponential_job<T>::approximate_lower(const approximation& by) {
  const double* const c = by.coefficients;
  product(a_, a_, a2_);
  set_one(result_, c[0]);
  set_one(series_, c[1]);
  square power = a2_, next = a4_;
  for (int k = 2; k < by.degree; k += 2) {
    add(result_, power, c[k]);
    add(series_, power, c[k + 1]);
    if (k + 2 > by.degree) break;
    product(power, a2_, next);
    power = next, next = next.at == a4_.at ? a6_ : a4_;
  }
  product(a_, series_, odd_);
  solve();
}

// The same by its even powers, which are there.
template <class T>
void exponential_job<T>::approximate() {
  constexpr const double* c = approximant;
  // a6 (high series) + low series
  const auto sum = [&](const square& to, int high, int low) {
    set_one(series_, 0);
    add(series_, a6_, c[high]), add(series_, a4_, c[high - 2]), add(series_, a2_, c[high - 4]);
    product(a6_, series_, to);
    add(to, a6_, c[low]), add(to, a4_, c[low - 2]), add(to, a2_, c[low - 4]);
    for (std::int64_t i = 0; i < n_; ++i) to(i, i) += c[low - 6];
  };
  sum(other_, 13, 7);
  product(a_, other_, odd_);
  sum(result_, 12, 6);
  solve();
}

double above_0(double t) { return std::fmax(std::ceil(t), 0); }

// How often the given one is halved, by its even powers.
template <class T>
double exponential_job<T>::halvings(double by_norm) {
  const double d6 = std::pow(norm_of(a6_), 1.0 / 6);
  product(a4_, a4_, series_);
  const double d8 = std::pow(norm_of(series_), 1.0 / 8);
  product(a4_, a6_, series_);
  const double d10 = std::pow(norm_of(series_), 1.0 / 10);
  const double reach = std::min(std::max(d6, d8), std::max(d8, d10));
  if (!std::isfinite(reach)) return by_norm;
  const double by_powers = reach > 0 ? above_0(std::log2(reach / furthest_by_powers)) : 0;
  const double factor = std::ldexp(1.0, static_cast<int>(-by_powers));
  for (std::int64_t i = 0; i < count(); ++i) series_.at[i] = std::abs(given_.at[i]) * factor;
  const double norm = norm_of(series_);
  std::fill_n(sums_, n_, 1.0);
  for (int power = 0; power < lacking_power; ++power) {
    std::fill_n(next_, n_, 0.0);
    for (std::int64_t j = 0; j < n_; ++j)
      for (std::int64_t i = 0; i < n_; ++i) next_[i] += std::real(series_(i, j)) * sums_[j];
    std::copy_n(next_, n_, sums_);
  }
  const double lacks = *std::max_element(sums_, sums_ + n_) / norm * first_lacking;
  if (!std::isfinite(lacks)) return by_norm;
  const double more = lacks > 0 ? above_0(std::log2(lacks / 0x1p-53) / (lacking_power - 1)) : 0;
  return std::min(by_powers + more, by_norm);
}

template <class T>
triangles exponential_job<T>::triangles_of_given() const {
  triangles has;
  for (std::int64_t j = 0; j < n_; ++j)
    for (std::int64_t i = 0; i < n_; ++i) (i > j ? has.lower : has.upper) |= i != j && given_(i, j) != T();
  return has;
}

// The diagonal of a triangle's exponential is known, and is all that squaring it often would lose by. Triangles stay what they are.
template <class T>
const columns_of<T>& exponential_job<T>::run() {
  const triangles has = triangles_of_given();
  const bool is_triangle = !has.lower || !has.upper;
  const double norm = norm_of(given_), by_norm = above_0(std::log2(norm / furthest_by_norm));
  const bool is_small = !std::isfinite(by_norm) || by_norm == 0;
  const auto* const lower = std::ranges::find_if(lower_ones, [&](const auto& by) { return norm <= by.furthest; });
  int halved = 0;
  copy(given_, a_);
  if (lower != std::end(lower_ones)) {
    approximate_lower(*lower);
  } else {
    take_powers();
    if (!is_small) halved = static_cast<int>(halvings(by_norm));
    scale(a_, -halved), scale(a2_, -2 * halved), scale(a4_, -4 * halved), scale(a6_, -6 * halved);
    if (!std::isfinite(norm_of(a6_))) take_powers();  // which had left the range
    approximate();
  }
  for (int left = halved; left >= 0; --left) {
    if (left < halved) product(result_, result_, other_), std::swap(result_, other_);
    if (is_triangle) put_diagonal(std::ldexp(1.0, -left));
  }
  for (std::int64_t j = 0; j < n_; ++j)
    for (std::int64_t i = 0; i < n_; ++i)
      if (i != j && !(i > j ? has.lower : has.upper)) result_(i, j) = T();
  return result_;
}

template <class E>
using number_for = std::conditional_t<std::is_floating_point_v<E>, double, std::complex<double>>;

struct work {
  host_exponentials of;
  const lapack* by;
  std::byte* scratch;
};

void compute(void* with) noexcept {
  const work& all = *static_cast<const work*>(with);
  const host_exponentials& of = all.of;
  const std::int64_t n = of.extents[of.extents.size() - 1];
  std::optional<unshared_calls> alone;
  if (all.by && n <= most_by_one_thread) alone.emplace(*all.by);
  with_inexact(of.type, [&, from = of.from, to = of.to](auto element) {
    using E = typename decltype(element)::type;
    using T = number_for<E>;
    exponential_job<T> job(all.by ? &all.by->of<T>() : nullptr, all.scratch, n);
    for (std::int64_t first = 0; first < of.extents.elements(); first += n * n) {
      std::copy_n(reinterpret_cast<const E*>(from) + first, n * n, job.given().at);
      const columns_of<T>& x = job.run();
      for (std::int64_t i = 0; i < n * n; ++i) reinterpret_cast<E*>(to)[first + i] = static_cast<E>(x.at[i]);
    }
  });
}

}  // namespace

bool exponentials_on_host(const host_exponentials& of, stream_state& on) {
  const std::int64_t n = of.extents[of.extents.size() - 1];
  std::string why;
  const lapack* const by = n > most_without_library ? find_lapack(why) : nullptr;
  if (n > most_without_library && !by) return false;
  std::size_t size = 0;
  with_inexact(of.type, [&](auto element) {
    size = exponential_job<number_for<typename decltype(element)::type>>(nullptr, nullptr, n).size();
  });
  const storage_holder scratch(make_storage(size, on));
  call_with(&compute, work{of, by, scratch.get()->data}, on);
  return true;
}

}  // namespace sinter::runtime
