// The rows in Sinter. A formula is written once: `step` hands a value on as it is, or evaluates it into an array.
#include <tuple>

#include <sinter/sinter.hpp>

#include "bench/grid/work.hpp"

namespace bench::grid {

namespace {

namespace sn = sinter;
using sn::_;
using sn::array;
using sn::slice;

struct as_written {
  template <class E>
  auto operator()(E e) const {
    return e;
  }
};
struct step_by_step {
  template <class E>
  auto operator()(const E& e) const {
    return array(e);
  }
};

template <class T>
array<T> line(const T* from, std::int64_t n) {
  return sn::asarray(std::vector<T>(from, from + n));
}
array<float> matrix(const inputs& in) { return line(in.x, in.n).reshape({in.rows, in.columns}); }

// What rows work on.
constexpr auto one = [](const inputs& in) { return std::tuple(line(in.x, in.n)); };
constexpr auto two = [](const inputs& in) { return std::tuple(line(in.x, in.n), line(in.y, in.n)); };
constexpr auto options = [](const inputs& in) {
  return std::tuple(line(in.price, in.n), line(in.strike, in.n), line(in.time, in.n));
};
constexpr auto integers = [](const inputs& in) { return std::tuple(line(in.k, in.n)); };
constexpr auto bytes = [](const inputs& in) { return std::tuple(line(in.bytes, in.n)); };
constexpr auto a_matrix = [](const inputs& in) { return std::tuple(matrix(in)); };
constexpr auto with_row = [](const inputs& in) { return std::tuple(matrix(in), line(in.y, in.columns)); };
constexpr auto with_both = [](const inputs& in) {
  return std::tuple(matrix(in), line(in.y, in.columns), line(in.time, in.rows).reshape({in.rows, 1}));
};

template <class A>
std::vector<double> values(const A& a) {
  const auto host = a.get();
  return {host.begin(), host.end()};
}

template <class Step, class Load, class Formula>
work into_new_arrays(const inputs& in) {
  const auto evaluate = [data = Load{}(in)] {
    return std::apply([](const auto&... d) { return array(Formula{}(Step{}, d...)); }, data);
  };
  return {[evaluate](int times) {
            for (; times > 0; --times) evaluate();
          },
          [evaluate] { return values(evaluate()); }};
}

template <class Load, class Formula>
work into_an_array(const inputs& in) {
  const auto data = Load{}(in);
  const auto formula = [](const auto&... d) { return Formula{}(as_written{}, d...); };
  auto to = array(std::apply(formula, data));
  auto store = [data, formula, to]() mutable { to(sn::ellipsis) = std::apply(formula, data); };
  return {[store](int times) mutable {
            for (; times > 0; --times) store();
          },
          [store, to]() mutable {
            store();
            return values(to);
          }};
}

template <class Load, class Formula>
constexpr our_entry map(const char* row, Load, Formula) {
  return {row, into_new_arrays<as_written, Load, Formula>, into_an_array<Load, Formula>,
          into_new_arrays<step_by_step, Load, Formula>};
}
/// One operation is itself step by step.
template <class Load, class Formula>
constexpr our_entry single(const char* row, Load, Formula) {
  return {row, into_new_arrays<as_written, Load, Formula>, into_an_array<Load, Formula>, nullptr};
}

/// Numbers, as a program that wants them asks for them: `formula` gives a tuple.
template <class Step, class Load, class Formula>
work as_numbers(const inputs& in) {
  const auto fold = [data = Load{}(in)] {
    return std::apply([](const auto&... d) { return Formula{}(Step{}, d...); }, data);
  };
  return {
      [fold](int times) {
        for (; times > 0; --times) {
          const auto numbers = fold();
          is_read(&numbers);
        }
      },
      [fold] { return std::apply([](auto... v) { return std::vector<double>{static_cast<double>(v)...}; }, fold()); }};
}
template <class Load, class Formula>
constexpr our_entry folds(const char* row, Load, Formula) {
  return {row, as_numbers<as_written, Load, Formula>, nullptr, as_numbers<step_by_step, Load, Formula>};
}
template <class Load, class Formula>
constexpr our_entry fold(const char* row, Load, Formula) {
  return {row, as_numbers<as_written, Load, Formula>, nullptr, nullptr};
}

/// Two folds: of one reading, or each by itself.
template <class A, class B>
auto both(as_written, A a, B b) {
  const auto [first, second] = sn::eval(a, b);
  return std::tuple(first.item(), second.item());
}
template <class A, class B>
auto both(step_by_step, A a, B b) {
  return std::tuple(a.item(), b.item());
}

constexpr auto cdf = [](auto step, const auto& d) { return 0.5 * step(1 + step(erf(step(d * 0.70710678118654752)))); };
const sn::reduce_options of_rows{.axis = 1, .keepdims = true}, of_columns{.axis = 0, .keepdims = true};

const our_entry all[] = {
    fold("sum of x", one, [](auto, auto& x) { return std::tuple(sn::sum(x).item()); }),
    fold("max of x", one, [](auto, auto& x) { return std::tuple(sn::max(x).item()); }),
    folds("min and max of x", one, [](auto step, auto& x) { return both(step, sn::min(x), sn::max(x)); }),
    folds("mean and var of x", one, [](auto step, auto& x) { return both(step, sn::mean(x), sn::var(x)); }),
    folds("sum of (x - y)^2", two,
          [](auto step, auto& x, auto& y) { return std::tuple(sn::sum(step(square(step(x - y)))).item()); }),
    fold("sum of int8", bytes, [](auto, auto& k) { return std::tuple(sn::sum(k).item()); }),
    single("sums of rows", a_matrix, [](auto, auto& a) { return sn::sum(a, 1); }),
    single("maxima of rows", a_matrix, [](auto, auto& a) { return sn::max(a, 1); }),
    single("sums of columns", a_matrix, [](auto, auto& a) { return sn::sum(a, 0); }),
    single("maxima of columns", a_matrix, [](auto, auto& a) { return sn::max(a, 0); }),
    single("sums of rows of 3", a_matrix, [](auto, auto& a) { return sn::sum(a, 1); }),
    single("sums of 3 columns", a_matrix, [](auto, auto& a) { return sn::sum(a, 0); }),
    map("softmax of rows", a_matrix,
        [](auto step, auto& a) {
          auto e = step(exp(step(a - step(sn::max(a, of_rows)))));
          return e / step(sn::sum(e, of_rows));
        }),
    map("layer norm of rows", a_matrix,
        [](auto step, auto& a) {
          return step(a - step(sn::mean(a, of_rows))) / step(sqrt(step(step(sn::var(a, of_rows)) + 1e-5)));
        }),
    map("standardised columns", a_matrix,
        [](auto step, auto& a) { return step(a - step(sn::mean(a, of_columns))) / step(sn::stddev(a, of_columns)); }),
    map("rows of 3 over their norms", a_matrix,
        [](auto step, auto& a) { return a / step(sqrt(step(sn::sum(step(a * a), of_rows)))); }),
    map("rows of 3 times a row, plus 1", with_row, [](auto step, auto& a, auto& row) { return step(a * row) + 1; }),
    single("a plus its transpose", a_matrix, [](auto, auto& a) { return a + a.T(); }),
    map("stencil of 5 points", a_matrix,
        [](auto step, auto& a) {
          const slice in(1, -1), up(2, _), down(_, -2);
          return 0.25 * step(step(step(a(up, in) + a(down, in)) + a(in, up)) + a(in, down));
        }),
    single("both axes reversed, times 2", a_matrix,
           [](auto, auto& a) { return a(slice(_, _, -1), slice(_, _, -1)) * 2; }),
    map("matrix times row plus column", with_both,
        [](auto step, auto& a, auto& row, auto& column) { return step(a * row) + column; }),
    single("every other element, times 2", one, [](auto, auto& x) { return x(slice(_, _, 2)) * 2; }),
    map("sqrt(x*x + y*y)", two, [](auto step, auto& x, auto& y) { return sqrt(step(step(x * x) + step(y * y))); }),
    map("12 operators on x and y", two,
        [](auto step, auto& x, auto& y) {
          auto s = step(sin(y));
          return step(step(sqrt(step(step(exp(step(step(-x) * x))) + step(s * s)))) * step(step(x + step(2 * y)) - 1)) /
                 step(1 + step(x * x));
        }),
    map("Black-Scholes of 3 arrays", options,
        [](auto step, auto& s, auto& k, auto& t) {
          const double v = 0.2, r = 0.05;
          auto vst = step(v * step(sqrt(t)));
          auto d1 = step(step(step(log(step(s / k))) + step((r + 0.5 * v * v) * t)) / vst);
          return step(s * cdf(step, d1)) - step(step(k * step(exp(step(-r * t)))) * cdf(step, step(d1 - vst)));
        }),
    map("where(x > 0.5, x, 0)", one, [](auto step, auto& x) { return sn::where(step(x > 0.5F), x, 0); }),
    single("int32 divided by 7, down", integers, [](auto, auto& k) { return sn::floor_divide(k, 7); }),
};

}  // namespace

std::span<const our_entry> of_sinter() { return all; }

}  // namespace bench::grid
