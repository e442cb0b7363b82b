// Random numbers. A draw is an expression as any other: element i of draw n of a generator with seed s is a function of
// (i, n, s) alone, Philox4x32-10, so that it can be computed where it is used, on any device, and as often as is handy.
// `random::generator rng(42); auto x = rng.normal<float>({2, 3});`
#pragma once

#include <sinter/detail/draws.hpp>
#include <sinter/scatter.hpp>

namespace sinter {

namespace random {

/// How to draw integers: `rng.integers({2, 3}, 1, 6, {.endpoint = true})`.
struct integers_options {
  bool endpoint = false;  ///< the upper bound is among the numbers
};

/// How to choose: `rng.choice(a, {10}, {.replace = false})`.
struct choice_options {
  bool replace = true;  ///< one may be chosen again
};

/// A source of random numbers. Each draw is lazy and pure: it takes its place in the sequence where it is written, and is then
/// the same numbers however often, in whatever order, fused with whatever and on whichever device it is evaluated; in a graph
/// too, at each launch. `uniform`, `random`, `integers` and `bernoulli` have the same bits on every device; the others are
/// functions of such bits. Copies of a generator go on alike. Shapes: as given; without one a draw has no axis. Threads: one at a
/// time, as an int. Source: numpy.random.Generator.
class generator {
 public:
  using parameter = detail::draw_parameter;

  /// Seeded by the operating system, or by SINTER_SEED and how many generators were made before. Errors: `error` where there are
  /// no random bits.
  generator() : next_{detail::handle(detail::make_seed())} {}
  /// The same seed gives the same numbers: uniform ones and integers on every device and in every version of Sinter; how others and
  /// permutations are made of them may change with a version. Errors: `error` for a negative seed. Source: numpy.random.default_rng.
  explicit generator(detail::whole_number seed) : next_{detail::handle(detail::make_seed(seed))} {}

  /// Numbers in [0, 1), all multiples of 2^-24 or 2^-53 alike likely. Dtypes: float or double. Source:
  /// numpy.random.Generator.random.
  template <detail::real_element T = double>
  lazy<T> random(const shape& s = {}) {
    return uniform<T>(s);
  }
  /// Numbers in [low, high), of arrays rounded to high at times. Dtypes: float or double, in which the bounds count. Errors: `error` where
  /// both bounds are numbers and not finite, or the wrong way round. Source: numpy.random.Generator.uniform.
  template <detail::real_element T = double>
  lazy<T> uniform(const shape& s = {}, const parameter& low = 0, const parameter& high = 1) {
    return lazy<T>(detail::make_uniform(dtype_of<T>, s, next_, low, high));
  }
  /// The normal distribution of mean 0 and deviation 1 (Box and Muller's way). Dtypes: float, up to 6.7, or double, up to 9.5.
  /// Source: numpy.random.Generator.standard_normal.
  template <detail::real_element T = double>
  lazy<T> standard_normal(const shape& s = {}) {
    return normal<T>(s);
  }
  /// The normal distribution of mean `loc` and deviation `scale`. Dtypes: float or double. Errors: `error` for a negative scale; of
  /// an array it gives NaN. Source: numpy.random.Generator.normal.
  template <detail::real_element T = double>
  lazy<T> normal(const shape& s = {}, const parameter& loc = 0, const parameter& scale = 1) {
    return lazy<T>(detail::make_normal(dtype_of<T>, s, next_, loc, scale));
  }
  /// The exponential distribution of mean 1. Dtypes: float or double. Source: numpy.random.Generator.standard_exponential.
  template <detail::real_element T = double>
  lazy<T> standard_exponential(const shape& s = {}) {
    return exponential<T>(s);
  }
  /// The exponential distribution of mean `scale`. Dtypes: float or double. Errors: as normal. Source:
  /// numpy.random.Generator.exponential.
  template <detail::real_element T = double>
  lazy<T> exponential(const shape& s = {}, const parameter& scale = 1) {
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

  /// Distributions whose parameters are numbers, or arrays and expressions that broadcast to the shape. Dtypes: double, or float as
  /// chosen; counts are int64. Errors: `error` for numbers that are no parameters of the distribution; of arrays such elements
  /// give NaN or 0; `shape_error`. Source: numpy.random.Generator.beta, binomial, chisquare, f, gamma, geometric, gumbel,
  /// hypergeometric, laplace, logistic, lognormal, logseries, negative_binomial, noncentral_chisquare, noncentral_f, pareto, poisson,
  /// power, rayleigh, standard_cauchy, standard_gamma, standard_t, triangular, vonmises, wald, weibull, zipf.
  template <detail::real_element T = double>
  lazy<T> beta(const shape& s, const parameter& a, const parameter& b) {
    return drawn<T>(detail::distribution::beta, s, {a, b});
  }
  template <detail::real_element T = double>
  lazy<T> chisquare(const shape& s, const parameter& df) {
    return drawn<T>(detail::distribution::chisquare, s, {df});
  }
  template <detail::real_element T = double>
  lazy<T> f(const shape& s, const parameter& dfnum, const parameter& dfden) {
    return drawn<T>(detail::distribution::f, s, {dfnum, dfden});
  }
  template <detail::real_element T = double>
  lazy<T> gamma(const shape& s, const parameter& shape_, const parameter& scale = 1) {
    return drawn<T>(detail::distribution::gamma, s, {shape_, scale});
  }
  template <detail::real_element T = double>
  lazy<T> gumbel(const shape& s = {}, const parameter& loc = 0, const parameter& scale = 1) {
    return drawn<T>(detail::distribution::gumbel, s, {loc, scale});
  }
  template <detail::real_element T = double>
  lazy<T> laplace(const shape& s = {}, const parameter& loc = 0, const parameter& scale = 1) {
    return drawn<T>(detail::distribution::laplace, s, {loc, scale});
  }
  template <detail::real_element T = double>
  lazy<T> logistic(const shape& s = {}, const parameter& loc = 0, const parameter& scale = 1) {
    return drawn<T>(detail::distribution::logistic, s, {loc, scale});
  }
  template <detail::real_element T = double>
  lazy<T> lognormal(const shape& s = {}, const parameter& mean = 0, const parameter& sigma = 1) {
    return drawn<T>(detail::distribution::lognormal, s, {mean, sigma});
  }
  template <detail::real_element T = double>
  lazy<T> noncentral_chisquare(const shape& s, const parameter& df, const parameter& nonc) {
    return drawn<T>(detail::distribution::noncentral_chisquare, s, {df, nonc});
  }
  template <detail::real_element T = double>
  lazy<T> noncentral_f(const shape& s, const parameter& dfnum, const parameter& dfden, const parameter& nonc) {
    return drawn<T>(detail::distribution::noncentral_f, s, {dfnum, dfden, nonc});
  }
  template <detail::real_element T = double>
  lazy<T> pareto(const shape& s, const parameter& a) {
    return drawn<T>(detail::distribution::pareto, s, {a});
  }
  template <detail::real_element T = double>
  lazy<T> power(const shape& s, const parameter& a) {
    return drawn<T>(detail::distribution::power, s, {a});
  }
  template <detail::real_element T = double>
  lazy<T> rayleigh(const shape& s = {}, const parameter& scale = 1) {
    return drawn<T>(detail::distribution::rayleigh, s, {scale});
  }
  template <detail::real_element T = double>
  lazy<T> standard_cauchy(const shape& s = {}) {
    return drawn<T>(detail::distribution::standard_cauchy, s, {});
  }
  template <detail::real_element T = double>
  lazy<T> standard_t(const shape& s, const parameter& df) {
    return drawn<T>(detail::distribution::standard_t, s, {df});
  }
  template <detail::real_element T = double>
  lazy<T> triangular(const shape& s, const parameter& left, const parameter& mode, const parameter& right) {
    return drawn<T>(detail::distribution::triangular, s, {left, mode, right});
  }
  template <detail::real_element T = double>
  lazy<T> vonmises(const shape& s, const parameter& mu, const parameter& kappa) {
    return drawn<T>(detail::distribution::vonmises, s, {mu, kappa});
  }
  template <detail::real_element T = double>
  lazy<T> wald(const shape& s, const parameter& mean, const parameter& scale) {
    return drawn<T>(detail::distribution::wald, s, {mean, scale});
  }
  template <detail::real_element T = double>
  lazy<T> weibull(const shape& s, const parameter& a) {
    return drawn<T>(detail::distribution::weibull, s, {a});
  }
  template <detail::real_element T = double>
  lazy<T> standard_gamma(const shape& s, const parameter& shape_) {
    return gamma<T>(s, shape_);
  }
  lazy<std::int64_t> binomial(const shape& s, const parameter& n, const parameter& p) {
    return counted(detail::distribution::binomial, s, {n, p});
  }
  lazy<std::int64_t> geometric(const shape& s, const parameter& p) {
    return counted(detail::distribution::geometric, s, {p});
  }
  lazy<std::int64_t> hypergeometric(const shape& s, const parameter& ngood, const parameter& nbad,
                                    const parameter& nsample) {
    return counted(detail::distribution::hypergeometric, s, {ngood, nbad, nsample});
  }
  lazy<std::int64_t> logseries(const shape& s, const parameter& p) {
    return counted(detail::distribution::logseries, s, {p});
  }
  lazy<std::int64_t> negative_binomial(const shape& s, const parameter& n, const parameter& p) {
    return counted(detail::distribution::negative_binomial, s, {n, p});
  }
  lazy<std::int64_t> poisson(const shape& s = {}, const parameter& lam = 1) {
    return counted(detail::distribution::poisson, s, {lam});
  }
  lazy<std::int64_t> zipf(const shape& s, const parameter& a) { return counted(detail::distribution::zipf, s, {a}); }

  /// Vectors whose elements are not negative and sum to 1. Shapes: one more axis than given, the length of `alpha`. Stream behaviour:
  /// what is drawn is enqueued at once. Source: numpy.random.Generator.dirichlet.
  template <detail::real_element T = double, detail::expression E>
  lazy<T> dirichlet(const shape& s, const E& alpha) {
    const shape whole = with_axis(s, alpha.size());
    // Gamma numbers of small shapes are below what a number can be; their logarithms are not: G(a) = G(a + 1) U^(1/a). Both are drawn
    // by themselves: no vectors are made of a loop whose turns are not known, nor of logarithms in rows as short as these.
    const array<T> drawn = gamma<T>(whole, alpha + 1);
    const array<T> logs = log(drawn) - standard_exponential<T>(whole) / astype<T>(alpha);
    const lazy<T> each = exp(logs - max(logs, {.axis = -1, .keepdims = true}));
    return lazy<T>(each / sum(each, {.axis = -1, .keepdims = true}));
  }
  /// Vectors of a normal distribution of this mean and of the covariance factor @ factor.T: for a covariance its Cholesky factor.
  /// Shapes: one more axis than given, that of `mean`; factor has as many rows. Source:
  /// numpy.random.Generator.multivariate_normal, which takes the covariance.
  template <detail::real_element T = double, detail::expression E, detail::expression F>
  lazy<T> multivariate_normal(const shape& s, const E& mean, const F& factor) {
    const array<T> independent = standard_normal<T>(with_axis(s, factor.shape()[1]));
    const lazy<T> mixed = sum(independent(ellipsis, newaxis, _) * astype<T>(factor), {.axis = -1});
    return lazy<T>(mixed + astype<T>(mean));
  }
  /// How often each of several outcomes comes up in n trials. Shapes: one more axis than given, the last one of `pvals`, whose other axes
  /// broadcast. Dtypes: int64. Units: `pvals` need not sum to 1. Errors: `error` for n below 0; `shape_error`. Source:
  /// numpy.random.Generator.multinomial.
  template <detail::expression P>
  lazy<std::int64_t> multinomial(const shape& s, std::int64_t n, P&& pvals) {
    return lazy<std::int64_t>(detail::make_multinomial(n, s, detail::double_node(std::forward<P>(pvals)), next_));
  }
  /// How many of each colour are among `nsample` balls, drawn without putting back from so many of each. Shapes, dtypes and errors: as
  /// multinomial. Source: numpy.random.Generator.multivariate_hypergeometric, of method marginals.
  template <detail::expression C>
  lazy<std::int64_t> multivariate_hypergeometric(const shape& s, C&& colors, std::int64_t nsample) {
    return lazy<std::int64_t>(
        detail::make_multivariate_hypergeometric(nsample, s, detail::double_node(std::forward<C>(colors)), next_));
  }
  /// The numbers below n in random order. Dtypes: int64. Source: numpy.random.Generator.permutation.
  lazy<std::int64_t> permutation(std::int64_t n) { return lazy<std::int64_t>(detail::make_permutation(n, next_)); }
  /// An array's parts along an axis in random order; lazy, as `take` is. Errors: `shape_error` for a wrong axis. Source:
  /// numpy.random.Generator.permutation.
  template <detail::expression E>
  auto permutation(E&& e, std::int64_t axis = 0) {
    const lazy<detail::element_in<E>> all(detail::take_node(std::forward<E>(e)));
    return take(all, permutation(detail::extent_along(all.shape(), axis, "a permutation")), axis);
  }
  /// Puts an array's parts along an axis in random order. Errors: as of permutation. Source: numpy.random.Generator.shuffle.
  template <detail::target A>
  void shuffle(A&& a, std::int64_t axis = 0) {
    auto&& to = detail::stored_into(std::forward<A>(a));
    to(ellipsis) = permutation(to, axis);
  }
  /// Numbers below n; without replacement for `{.replace = false}`. Dtypes: int64. Errors: `error` for more than there are.
  /// Source: numpy.random.Generator.choice.
  SINTER_API lazy<std::int64_t> choice(std::int64_t n, const shape& s = {}, choice_options how = {});
  /// Parts of an array along its first axis.
  template <detail::expression E>
  auto choice(E&& e, const shape& s = {}, choice_options how = {}) {
    const lazy<detail::element_in<E>> all(detail::take_node(std::forward<E>(e)));
    return take(all, choice(all.shape()[0], s, how), 0);
  }
  /// Numbers below n, each as likely as its weight in `p`, which need not sum to 1; without replacement for `{.replace = false}`:
  /// each as likely among those that are left. Evaluates the weights' running sums, or how many have one. Dtypes: int64. Errors:
  /// `shape_error` unless p has one axis of n; `error` for more than have a weight. Stream behaviour: without replacement it waits
  /// for the weights. Source: numpy.random.Generator.choice with p.
  template <detail::expression P>
  lazy<std::int64_t> choice(std::int64_t n, const shape& s, P&& p, choice_options how = {}) {
    const detail::handle weights(detail::take_node(std::forward<P>(p)));
    return lazy<std::int64_t>(how.replace ? detail::make_weighted_choice(n, s, weights, next_)
                                          : detail::make_weighted_sample(n, s, weights, next_));
  }
  /// Parts of an array along its first axis, as likely as their weights.
  template <detail::expression E, detail::expression P>
  auto choice(E&& e, const shape& s, P&& p, choice_options how = {}) {
    const lazy<detail::element_in<E>> all(detail::take_node(std::forward<E>(e)));
    return take(all, choice(all.shape()[0], s, std::forward<P>(p), how), 0);
  }
  /// Generators whose numbers have nothing to do with each other's or with this one's. Source: numpy.random.Generator.spawn.
  SINTER_API std::vector<generator> spawn(std::int64_t count);

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
  explicit generator(detail::handle seed) : next_{std::move(seed)} {}
  template <class T>
  lazy<T> drawn(detail::distribution of, const shape& s, std::initializer_list<parameter> parameters) {
    lazy<double> numbers(detail::make_draw(of, s, next_, parameters));
    if constexpr (std::same_as<T, double>) return numbers;
    else return lazy<T>(astype<T>(std::move(numbers)));
  }
  static shape with_axis(shape s, std::int64_t length) {
    s.set_size(s.size() + 1);
    s[s.size() - 1] = length;
    s.check();
    return s;
  }
  SINTER_API lazy<std::int64_t> counted(detail::distribution, const shape&, std::initializer_list<parameter>);

  detail::draw_counter next_;
};

/// A generator under NumPy's name: of a seed, or of none. Source: numpy.random.default_rng.
inline generator default_rng() { return generator(); }
inline generator default_rng(detail::whole_number seed) { return generator(seed); }

}  // namespace random
}  // namespace sinter
