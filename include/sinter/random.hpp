// Random numbers. A draw is an expression as any other: element i of draw n of a generator with seed s is a function of
// (i, n, s) alone, Philox4x32-10, so that it can be computed where it is used, on any device, and as often as is handy.
// `random::generator rng(42); auto x = rng.normal<float>({2, 3});`
#pragma once

#include <sinter/expr.hpp>

namespace sinter {

namespace detail {

/// Any integer: those of int64 and of uint64 are one type.
struct whole_number {
  template <class V>
  constexpr whole_number(V value) : bits(static_cast<std::uint64_t>(value)), negative(value < V()) {
    static_assert(std::is_integral_v<V>, "sinter: a seed and the bounds of integers are integers");
  }
  std::uint64_t bits;  // modulo 2^64
  bool negative;
};

/// Which draw of which generator comes next. The seed is a node that the draws share, so that a kernel knows it for one number.
struct draw_counter {
  handle seed;
  std::uint64_t draw = 0;
};

// Each makes a draw and moves the counter on, unless it throws.
SINTER_API node* make_uniform(dtype, const shape&, draw_counter&, double low, double high);
SINTER_API node* make_normal(dtype, const shape&, draw_counter&, double loc, double scale);
SINTER_API node* make_exponential(dtype, const shape&, draw_counter&, double scale);
SINTER_API node* make_integers(dtype, const shape&, draw_counter&, whole_number low, whole_number high, bool endpoint);
SINTER_API node* make_bernoulli(const shape&, draw_counter&, double p);
SINTER_API node* make_seed();
SINTER_API node* make_seed(whole_number);

template <class T>
concept real_element = std::same_as<T, float> || std::same_as<T, double>;
template <class T>
concept whole_element = element<T> && std::is_integral_v<T>;

}  // namespace detail

namespace random {

/// How to draw integers: `rng.integers({2, 3}, 1, 6, {.endpoint = true})`.
struct integers_options {
  bool endpoint = false;  ///< the upper bound is among the numbers
};

/// A source of random numbers. Each draw is lazy and pure: it takes its place in the sequence where it is written, and is then
/// the same numbers however often, in whatever order, fused with whatever and on whichever device it is evaluated; in a graph
/// too, at each launch. `uniform`, `random`, `integers` and `bernoulli` have the same bits on every device; the others are
/// functions of such bits. Copies of a generator go on alike. Shapes: as given; without one a draw has no axis. Threads: one at a
/// time, as an int. Source: numpy.random.Generator.
class generator {
 public:
  /// Seeded by the operating system. Errors: `error` where it gives no random bits.
  generator() : next_{detail::handle(detail::make_seed())} {}
  /// The same seed gives the same numbers, in every version of Sinter. Errors: `error` for a negative seed. Source:
  /// numpy.random.default_rng.
  explicit generator(detail::whole_number seed) : next_{detail::handle(detail::make_seed(seed))} {}

  /// Numbers in [0, 1), all multiples of 2^-24 or 2^-53 alike likely. Dtypes: float or double. Source:
  /// numpy.random.Generator.random.
  template <detail::real_element T = double>
  lazy<T> random(const shape& s = {}) {
    return uniform<T>(s);
  }
  /// Numbers in [low, high). Dtypes: float or double, in which the bounds count. Errors: `error` for bounds that are not finite
  /// or the wrong way round. Source: numpy.random.Generator.uniform.
  template <detail::real_element T = double>
  lazy<T> uniform(const shape& s = {}, double low = 0, double high = 1) {
    return lazy<T>(detail::make_uniform(dtype_of<T>, s, next_, low, high));
  }
  /// The normal distribution of mean 0 and deviation 1 (Box and Muller's way). Dtypes: float, up to 6.7, or double, up to 9.5.
  /// Source: numpy.random.Generator.standard_normal.
  template <detail::real_element T = double>
  lazy<T> standard_normal(const shape& s = {}) {
    return normal<T>(s);
  }
  /// The normal distribution of mean `loc` and deviation `scale`. Dtypes: float or double. Errors: `error` for a negative scale.
  /// Source: numpy.random.Generator.normal.
  template <detail::real_element T = double>
  lazy<T> normal(const shape& s = {}, double loc = 0, double scale = 1) {
    return lazy<T>(detail::make_normal(dtype_of<T>, s, next_, loc, scale));
  }
  /// The exponential distribution of mean 1. Dtypes: float or double. Source: numpy.random.Generator.standard_exponential.
  template <detail::real_element T = double>
  lazy<T> standard_exponential(const shape& s = {}) {
    return exponential<T>(s);
  }
  /// The exponential distribution of mean `scale`. Dtypes: float or double. Errors: `error` for a negative scale. Source:
  /// numpy.random.Generator.exponential.
  template <detail::real_element T = double>
  lazy<T> exponential(const shape& s = {}, double scale = 1) {
    return lazy<T>(detail::make_exponential(dtype_of<T>, s, next_, scale));
  }
  /// Whole numbers from low up to, but without, high; `{.endpoint = true}` has high too. Dtypes: int64, or any integer or bool.
  /// None is likelier than another by more than 2^-32 of its probability. Errors: `error` where there is no number between the
  /// bounds; `dtype_error` where they do not fit. Source: numpy.random.Generator.integers.
  template <detail::whole_element T = std::int64_t>
  lazy<T> integers(const shape& s, detail::whole_number low, detail::whole_number high, integers_options how = {}) {
    return lazy<T>(detail::make_integers(dtype_of<T>, s, next_, low, high, how.endpoint));
  }
  /// The same from 0 up to high.
  template <detail::whole_element T = std::int64_t>
  lazy<T> integers(const shape& s, detail::whole_number high, integers_options how = {}) {
    return integers<T>(s, 0, high, how);
  }
  /// True with probability p, false otherwise. Errors: `error` for p outside [0, 1]. Source: numpy.random.Generator.binomial
  /// with n = 1.
  lazy<bool> bernoulli(const shape& s = {}, double p = 0.5) { return lazy<bool>(detail::make_bernoulli(s, next_, p)); }

  // Of other dtypes there is nothing but the sentence that says so.
#define SINTER_NOT_DRAWN(name, concept_, why)  \
  template <class T, class... None>            \
    requires(!concept_<T> && !sizeof...(None)) \
  detail::refused<double, detail::fault::why, T> name(const shape& = {}, detail::anything = 0, detail::anything = 0);
  SINTER_NOT_DRAWN(random, detail::real_element, real_draw)
  SINTER_NOT_DRAWN(uniform, detail::real_element, real_draw)
  SINTER_NOT_DRAWN(standard_normal, detail::real_element, real_draw)
  SINTER_NOT_DRAWN(normal, detail::real_element, real_draw)
  SINTER_NOT_DRAWN(standard_exponential, detail::real_element, real_draw)
  SINTER_NOT_DRAWN(exponential, detail::real_element, real_draw)
  SINTER_NOT_DRAWN(integers, detail::whole_element, whole_draw)
#undef SINTER_NOT_DRAWN
  // NumPy has the shape last: a number in front of something else is hardly ever meant for one.
#define SINTER_SHAPE_LAST(name)                                                                       \
  template <class T = void, arithmetic N, class... More>                                              \
    requires(sizeof...(More) > 0 || std::is_floating_point_v<N>)                                      \
  detail::refused<double, detail::fault::draw_shape, N> name(N, const More&...);                      \
  template <class T = void, arithmetic N>                                                             \
  detail::refused<double, detail::fault::draw_shape, N> name(N, std::initializer_list<std::int64_t>); \
  template <class T = void, arithmetic N, class M>                                                    \
  detail::refused<double, detail::fault::draw_shape, N> name(N, const M&, std::initializer_list<std::int64_t>);
  SINTER_SHAPE_LAST(random)
  SINTER_SHAPE_LAST(uniform)
  SINTER_SHAPE_LAST(standard_normal)
  SINTER_SHAPE_LAST(normal)
  SINTER_SHAPE_LAST(standard_exponential)
  SINTER_SHAPE_LAST(exponential)
  SINTER_SHAPE_LAST(integers)
  SINTER_SHAPE_LAST(bernoulli)
#undef SINTER_SHAPE_LAST
  template <class T = void, arithmetic N, class... None>
    requires(!sizeof...(None))
  detail::refused<double, detail::fault::draw_shape, N, None...> integers(N);
  template <class T = void, arithmetic N, class M>
  detail::refused<double, detail::fault::draw_shape, N> integers(N, const M&, integers_options);
  template <class T = void, arithmetic N, class L, class H>
  detail::refused<double, detail::fault::draw_shape, N> integers(N, const L&, const H&, integers_options);

 private:
  detail::draw_counter next_;
};

}  // namespace random
}  // namespace sinter
