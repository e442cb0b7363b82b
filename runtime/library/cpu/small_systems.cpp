// Small systems on the host: each lane of a vector has a matrix, and all go through the same steps. Rows are exchanged where a lane
// asks for it.
#include "runtime/library/small_systems.hpp"

#include <complex>
#include <limits>
#include <type_traits>

#include "runtime/library/cpu/columns.hpp"

namespace sinter::runtime {

namespace {

constexpr std::size_t vector_bytes = 64;  // whatever the processor's are

template <class R>
using lanes [[gnu::vector_size(vector_bytes)]] = R;
/// What comparisons give, and what rows are counted in: words as wide as the numbers.
template <class R>
using words [[gnu::vector_size(vector_bytes)]] = std::conditional_t<sizeof(R) == 4, std::int32_t, std::int64_t>;
template <class R>
constexpr int lanes_of = static_cast<int>(vector_bytes / sizeof(R));

// Arithmetic on a number of every lane's matrix. Inlined, to be compiled for each kind of processor.
template <class R>
struct real_lanes {
  using part = R;
  lanes<R> v;

  [[gnu::always_inline]] void size(lanes<R>& to) const { to = v < 0 ? -v : v; }
  [[gnu::always_inline]] void choose(const words<R>& where, const real_lanes& other) { v = where ? other.v : v; }
  [[gnu::always_inline]] void subtract_product(const real_lanes& x, const real_lanes& y) { v -= x.v * y.v; }
  [[gnu::always_inline]] void divide_by(const real_lanes& y) { v /= y.v; }
  [[gnu::always_inline]] void put(int lane, R x) { v[lane] = x; }
  [[gnu::always_inline]] R get(int lane) const { return v[lane]; }
};
template <class R>
struct complex_lanes {
  using part = R;
  lanes<R> re, im;

  [[gnu::always_inline]] void size(lanes<R>& to) const { to = (re < 0 ? -re : re) + (im < 0 ? -im : im); }
  [[gnu::always_inline]] void choose(const words<R>& where, const complex_lanes& other) {
    re = where ? other.re : re, im = where ? other.im : im;
  }
  [[gnu::always_inline]] void subtract_product(const complex_lanes& x, const complex_lanes& y) {
    const lanes<R> real = x.re * y.re - x.im * y.im, imag = x.re * y.im + x.im * y.re;
    re -= real, im -= imag;
  }
  // By the larger part of y, so that no square overflows. Source: R. L. Smith, Algorithm 116, CACM 1962.
  [[gnu::always_inline]] void divide_by(const complex_lanes& y) {
    const lanes<R> high = y.re < 0 ? -y.re : y.re, wide = y.im < 0 ? -y.im : y.im;
    const words<R> turned = high < wide;
    const lanes<R> large = turned ? y.im : y.re, small = turned ? y.re : y.im, ratio = small / large;
    const lanes<R> by = large + small * ratio;
    const lanes<R> real = turned ? re * ratio + im : re + im * ratio, imag = turned ? im * ratio - re : im - re * ratio;
    re = real / by, im = imag / by;
  }
  [[gnu::always_inline]] void put(int lane, std::complex<R> x) { re[lane] = x.real(), im[lane] = x.imag(); }
  [[gnu::always_inline]] std::complex<R> get(int lane) const { return {re[lane], im[lane]}; }
};

/// The matrices of all lanes, with their right sides behind the columns.
template <class N>
struct small_lanes {
  using R = typename N::part;
  static constexpr int count = lanes_of<R>;
  N* m;
  words<R>* pivots;
  std::int32_t* infos;
  int rows, columns, all;

  [[gnu::always_inline]] N& at(int r, int c) const { return m[r * all + c]; }

  // The row of the largest number of column k, from row k on. A NaN is not the largest of numbers. Gives which rows are exchanged with
  // row k in any lane, a bit each, and whether a lane has no pivot.
  [[gnu::always_inline]] std::uint32_t find_pivots(int k, words<R>& none, bool& any_none) const {
    lanes<R> size, here;
    at(k, k).size(size);
    size = size == size ? size : lanes<R>{} - 1;
    words<R> row = words<R>{} + k;
    for (int r = k + 1; r < rows; ++r) {
      at(r, k).size(here);
      const words<R> is_larger = here > size;
      size = is_larger ? here : size;
      row = is_larger ? words<R>{} + r : row;
    }
    pivots[k] = row;
    none = size == 0;
    std::uint32_t asked = 0;
    any_none = false;
    for (int i = 0; i < count; ++i) {
      asked |= std::uint32_t{1} << row[i];
      any_none |= none[i] != 0;
      if (none[i] != 0 && infos[i] == 0) infos[i] = k + 1;
    }
    return asked & ~(std::uint32_t{1} << k);
  }
  [[gnu::always_inline]] void exchange(int k, std::uint32_t asked) const {
    for (; asked != 0; asked &= asked - 1) {
      const int r = __builtin_ctz(asked);
      const words<R> where = pivots[k] == r;
      for (int c = 0; c < all; ++c) {
        const N kept = at(k, c);
        at(k, c).choose(where, at(r, c));
        at(r, c).choose(where, kept);
      }
    }
  }
  // A column without a pivot stays as it is.
  [[gnu::always_inline]] void factor() const {
    for (int k = 0; k < std::min(rows, columns); ++k) {
      words<R> none;
      bool any_none;
      exchange(k, find_pivots(k, none, any_none));
      const N pivot = at(k, k);
      for (int r = k + 1; r < rows; ++r) {
        const N before = at(r, k);
        N by = before;
        by.divide_by(pivot);
        if (any_none) by.choose(none, before);
        at(r, k) = by;
        for (int c = k + 1; c < all; ++c) {
          N left = at(r, c);
          left.subtract_product(by, at(k, c));
          if (any_none) left.choose(none, at(r, c));
          at(r, c) = left;
        }
      }
    }
  }
  [[gnu::always_inline]] void solve_upper() const {
    for (int k = rows - 1; k >= 0; --k) {
      const N pivot = at(k, k);
      for (int c = columns; c < all; ++c) at(k, c).divide_by(pivot);
      for (int r = 0; r < k; ++r) {
        const N by = at(r, k);
        for (int c = columns; c < all; ++c) at(r, c).subtract_product(by, at(k, c));
      }
    }
  }
  [[gnu::always_inline]] void run() const {
    factor();
    if (all > columns) solve_upper();
  }
};

#ifdef __x86_64__

template <class N>
[[gnu::target("avx512f,avx512dq,fma")]] void run_512(const small_lanes<N>& of) {
  of.run();
}
template <class N>
[[gnu::target("avx2,fma")]] void run_256(const small_lanes<N>& of) {
  of.run();
}
template <class N>
void run(const small_lanes<N>& of) {
  static const bool has_512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
  static const bool has_256 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (has_512) run_512(of);
  else if (has_256) run_256(of);
  else of.run();
}

#else

template <class N>
void run(const small_lanes<N>& of) {
  of.run();
}

#endif

/// Some matrices of a batch on their way to the lanes and back.
template <class N>
class small_job {
 public:
  using T = decltype(N().get(0));
  static constexpr int at_once = lanes_of<typename N::part>;

  small_job(const solver_work& w, std::byte* scratch, std::int64_t first, std::int64_t count, std::int32_t* infos)
      : w_(w), first_(first), count_(static_cast<int>(count)), scratch_(scratch) {
    all_.rows = static_cast<int>(w.of.rows), all_.columns = static_cast<int>(w.of.columns);
    all_.all = all_.columns + right();
    all_.m = scratch_.template take<N>(all_.rows * all_.all);
    all_.pivots = scratch_.template take<words<typename N::part>>(least());
    all_.infos = infos;
  }
  std::size_t used() const { return scratch_.used(); }

  void solve() const {
    std::fill_n(all_.infos, at_once, 0);
    take(w_.operands[0], 0, all_.columns, w_.of.transposed);
    if (right() > 0) take(w_.operands[1], all_.columns, right(), false);
    run(all_);
    if (right() > 0) return give(all_.columns, right(), false);
    give(0, all_.columns, w_.of.transposed);
    std::int32_t* begins[at_once];
    find_begins(w_.results[1], begins);
    for (int i = 0; i < count_; ++i)
      for (int k = 0; k < least(); ++k)
        begins[i][k * w_.results[1].down] = static_cast<std::int32_t>(all_.pivots[k][i]);
  }

 private:
  int right() const { return w_.of.what == solver::solve ? static_cast<int>(w_.of.right) : 0; }
  int least() const { return std::min(all_.rows, all_.columns); }

  // Where each lane's matrix begins. Lanes without one have the last one, too.
  template <class V>
  void find_begins(const solver_array& of, V** begins) const {
    for (int i = 0; i < at_once; ++i) begins[i] = place<V>(of, w_.batch, first_ + std::min(i, count_ - 1));
  }
  void take(const solver_array& from, int first, int columns, bool turned) const {
    const std::int64_t down = turned ? from.across : from.down, across = turned ? from.down : from.across;
    const T* begins[at_once];
    find_begins(from, begins);
    for (int r = 0; r < all_.rows; ++r)
      for (int c = 0; c < columns; ++c) {
        N& to = all_.at(r, first + c);
        for (int i = 0; i < at_once; ++i) to.put(i, begins[i][r * down + c * across]);
      }
  }
  void give(int first, int columns, bool turned) const {
    const solver_array& to = w_.results[0];
    const std::int64_t down = turned ? to.across : to.down, across = turned ? to.down : to.across;
    constexpr auto none = std::numeric_limits<typename N::part>::quiet_NaN();
    T* begins[at_once];
    find_begins(to, begins);
    for (int i = 0; i < count_; ++i) {
      const bool has_none = w_.of.checked && all_.infos[i] != 0;
      for (int r = 0; r < all_.rows; ++r)
        for (int c = 0; c < columns; ++c)
          begins[i][r * down + c * across] = has_none ? T(none) : all_.at(r, first + c).get(i);
    }
  }

  const solver_work& w_;
  const std::int64_t first_;
  const int count_;
  arena scratch_;
  small_lanes<N> all_;
};

template <class F>
auto with_lanes(dtype t, F call) {
  switch (t) {
    case dtype::float32: return call(std::type_identity<real_lanes<float>>{});
    case dtype::float64: return call(std::type_identity<real_lanes<double>>{});
    case dtype::complex64: return call(std::type_identity<complex_lanes<float>>{});
    default: return call(std::type_identity<complex_lanes<double>>{});
  }
}

}  // namespace

int small_systems_at_once(dtype t) {
  return with_lanes(t, [](auto of) { return small_job<typename decltype(of)::type>::at_once; });
}

std::size_t small_systems_scratch(const solver_problem& p) {
  return with_lanes(p.type, [&](auto of) {
    const solver_work w{p, {}, {}, {}, nullptr};
    return small_job<typename decltype(of)::type>(w, nullptr, 0, 0, nullptr).used();
  });
}

void solve_small_on_host(const solver_work& w, std::byte* scratch, std::int64_t first, std::int64_t count,
                         std::int32_t* infos) noexcept {
  with_lanes(w.of.type,
             [&](auto of) { small_job<typename decltype(of)::type>(w, scratch, first, count, infos).solve(); });
}

}  // namespace sinter::runtime
