// What random.hpp asks of the library: draws, their parameters, and the generator's place in its sequence.
#pragma once

#include <sinter/expr.hpp>
#include <sinter/functions.hpp>

namespace sinter::detail {

/// Any integer: those of int64 and of uint64 are one type.
struct whole_number {
  template <class V>
  constexpr whole_number(V value) : bits(static_cast<std::uint64_t>(integer_or_0(value))), negative(value < V()) {
    static_assert(std::is_integral_v<V>, "sinter: a seed and the bounds of integers are integers");
  }
  std::uint64_t bits;  // modulo 2^64
  bool negative;
};

template <expression E>
handle double_node(E&& e) {
  return handle(take_node(lazy<double>(astype<double>(std::forward<E>(e)))));
}

/// A parameter of a distribution: a number, or an array or an expression that broadcasts to the draw's shape.
class draw_parameter {
 public:
  template <class A>
    requires(!std::same_as<std::remove_cvref_t<A>, draw_parameter>)
  draw_parameter(A&& given) {
    if constexpr (scalar_operand<std::remove_cvref_t<A>>) number_ = stored_scalar<double>(given);
    else if constexpr (expression<A>) array_ = double_node(std::forward<A>(given));
    else static_assert(expression<A>, "sinter: a parameter of a distribution is a number, an array or an expression");
  }
  node* array() const { return array_.get(); }  ///< null: it is a number
  double number() const { return number_; }

 private:
  handle array_;
  double number_ = 0;
};

/// Which draw of which generator comes next. The seed is a node that the draws share, so that a kernel knows it for one number.
struct draw_counter {
  handle seed;
  std::uint64_t draw = 0;
};

/// The rows of runtime/frontend/distributions.def.
enum class distribution : std::uint8_t {
  beta,
  binomial,
  chisquare,
  f,
  gamma,
  geometric,
  gumbel,
  hypergeometric,
  laplace,
  logistic,
  lognormal,
  logseries,
  negative_binomial,
  noncentral_chisquare,
  noncentral_f,
  pareto,
  poisson,
  power,
  rayleigh,
  standard_cauchy,
  standard_t,
  triangular,
  vonmises,
  wald,
  weibull,
  zipf
};

// Each makes a draw and moves the counter on, unless it throws.
SINTER_API node* make_uniform(dtype, const shape&, draw_counter&, const draw_parameter& low,
                              const draw_parameter& high);
SINTER_API node* make_normal(dtype, const shape&, draw_counter&, const draw_parameter& loc,
                             const draw_parameter& scale);
SINTER_API node* make_exponential(dtype, const shape&, draw_counter&, const draw_parameter& scale);
SINTER_API node* make_integers(dtype, const shape&, draw_counter&, whole_number low, whole_number high, bool endpoint);
SINTER_API node* make_bernoulli(const shape&, draw_counter&, double p);
/// Along a last axis more, as long as that of `weights`: how many of n are of each kind.
SINTER_API node* make_multinomial(std::int64_t n, const shape&, handle weights, draw_counter&);
SINTER_API node* make_multivariate_hypergeometric(std::int64_t n, const shape&, handle colors, draw_counter&);
/// Of float64. Errors: `error` for numbers that are no parameters of it; `shape_error` where arrays do not broadcast to the shape.
SINTER_API node* make_draw(distribution, const shape&, draw_counter&, std::initializer_list<draw_parameter>);
/// The numbers from 0 to `count` in random order, int64.
SINTER_API node* make_permutation(std::int64_t count, draw_counter&);
SINTER_API node* make_weighted_choice(std::int64_t count, const shape&, const handle& weights, draw_counter&);
/// Without replacement.
SINTER_API node* make_weighted_sample(std::int64_t count, const shape&, const handle& weights, draw_counter&);
SINTER_API node* make_seed();
SINTER_API node* make_seed(whole_number);

template <class T>
concept real_element = std::same_as<T, float> || std::same_as<T, double>;
template <class T>
concept whole_element = element<T> && std::is_integral_v<T>;

}  // namespace sinter::detail
