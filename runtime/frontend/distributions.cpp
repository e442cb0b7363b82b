// Draws of distributions that take more than a function of one random number: texts of the library's own (decision 0028), each
// element of which has a sequence of random words of its own (decision 0020).
#include <atomic>
#include <iterator>
#include <limits>
#include <new>
#include <string>

#include <sinter/create.hpp>
#include <sinter/detail/draws.hpp>
#include <sinter/elementwise_kernel.hpp>
#include <sinter/error.hpp>
#include <sinter/random.hpp>

#include "codegen/ir/philox.hpp"
#include "runtime/frontend/draw.hpp"
#include "runtime/frontend/list.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/nodes.hpp"
#include "runtime/frontend/search.hpp"
#include "runtime/library/order.hpp"

namespace sinter::detail {

namespace {

struct distribution_row {
  const char* name;
  int parameters;
  bool (*valid)(double a, double b, double c);
  const char* text;
};

constexpr distribution_row rows[] = {
#define SINTER_DISTRIBUTION(name, parameters, valid, text) \
  {#name, parameters,                                      \
   [](double a [[maybe_unused]], double b [[maybe_unused]], double c [[maybe_unused]]) { return valid; }, text},
#include "runtime/frontend/distributions.def"
};

constexpr bool rows_are_in_order() {
  int next = 0;
#define SINTER_DISTRIBUTION(name, ...) \
  if (static_cast<int>(distribution::name) != next++) return false;
#include "runtime/frontend/distributions.def"
  return next == static_cast<int>(distribution::zipf) + 1;
}
static_assert(rows_are_in_order(), "the distributions of detail/draws.hpp are those of distributions.def");

// A generator's draw has a state, and each of its elements one of its own that is as far away as a hash takes it.
constexpr const char* before = R"(
#define TURNS 1000
#define BITS                                                                                                     \
  (sequence += 0x9E3779B97F4A7C15ull, word = (sequence ^ (sequence >> 30)) * 0xBF58476D1CE4E5B9ull,                \
   word = (word ^ (word >> 27)) * 0x94D049BB133111EBull, word ^ (word >> 31))
  unsigned long long sequence = seed + draw * 0x9FB21C651E98DF25ull, word = 0;
  sequence = BITS;
  sequence += (unsigned long long)place * 0xD1342543DE82EF95ull;
  sequence = BITS;
#define UNIFORM (((double)(long long)(BITS >> 11) + 0.5) * 0x1p-53)
#define EXPONENTIAL (-log(UNIFORM))
#define NORMAL(x)                                                                          \
  double x = 0;                                                                            \
  for (int tries_ = 0; tries_ < TURNS; ++tries_) {                                         \
    const double across_ = UNIFORM;                                                        \
    const double up_ = 1.7156 * (UNIFORM - 0.5);                                           \
    const double left_ = across_ - 0.449871, top_ = fabs(up_) + 0.386595;                  \
    const double q_ = left_ * left_ + top_ * (0.196 * top_ - 0.25472 * left_);             \
    x = up_ / across_;                                                                     \
    if (q_ < 0.27597) break;                                                               \
    if (q_ <= 0.27846 && up_ * up_ <= -4 * across_ * across_ * log(across_)) break;        \
  }
#define GAMMA(x, k)                                                                        \
  double x = 0;                                                                            \
  {                                                                                        \
    const double k_ = k, d_ = (k_ < 1 ? k_ + 1 : k_) - 1.0 / 3, c_ = 1 / sqrt(9 * d_);      \
    for (int turn_ = 0; turn_ < TURNS; ++turn_) {                                          \
      NORMAL(n_)                                                                           \
      const double t_ = 1 + c_ * n_, v_ = t_ * t_ * t_, u_ = UNIFORM, s_ = n_ * n_;        \
      x = d_ * v_;                                                                         \
      if (t_ > 0 && u_ < 1 - 0.0331 * s_ * s_) break;                                      \
      if (t_ > 0 && log(u_) < 0.5 * s_ + d_ - x + d_ * log(v_)) break;                     \
      x = 0;                                                                               \
    }                                                                                      \
    if (k_ < 1) x *= pow(UNIFORM, 1 / k_);                                                 \
  }
#define POISSON(x, m)                                                                      \
  double x = 0;                                                                            \
  {                                                                                        \
    const double m_ = m;                                                                   \
    if (m_ < 10) {                                                                         \
      const double end_ = exp(-m_);                                                        \
      for (double p_ = UNIFORM; p_ > end_ && x < TURNS; p_ *= UNIFORM) ++x;                \
    } else {                                                                               \
      const double b_ = 0.931 + 2.53 * sqrt(m_), a_ = -0.059 + 0.02483 * b_;               \
      const double i_ = 1.1239 + 1.1328 / (b_ - 3.4), r_ = 0.9277 - 3.6224 / (b_ - 2);     \
      for (int turn_ = 0; turn_ < TURNS; ++turn_) {                                        \
        const double u_ = UNIFORM - 0.5;                                                   \
        const double v_ = UNIFORM;                                                         \
        const double w_ = 0.5 - fabs(u_);                                                  \
        x = floor((2 * a_ / w_ + b_) * u_ + m_ + 0.43);                                    \
        if (w_ >= 0.07 && v_ <= r_) break;                                                 \
        if (x < 0 || (w_ < 0.013 && v_ > w_)) continue;                                    \
        if (log(v_ * i_ / (a_ / (w_ * w_) + b_)) <= x * log(m_) - m_ - lgamma(x + 1)) break; \
      }                                                                                    \
    }                                                                                      \
  }
#define BINOMIAL(x, n, p)                                                                  \
  double x = 0;                                                                            \
  {                                                                                        \
    const double n_ = n, p_ = p, q_ = p_ > 0.5 ? 1 - p_ : p_;                              \
    if (n_ * q_ < 10) {                                                                    \
      double u_ = UNIFORM, at_ = exp(n_ * log1p(-q_));                                     \
      for (x = 0; u_ > at_ && x < n_ && x < TURNS; ++x) {                                  \
        u_ -= at_;                                                                         \
        at_ *= (n_ - x) * q_ / ((x + 1) * (1 - q_));                                       \
      }                                                                                    \
    } else {                                                                               \
      const double s_ = sqrt(n_ * q_ * (1 - q_)), b_ = 1.15 + 2.53 * s_;                   \
      const double a_ = -0.0873 + 0.0248 * b_ + 0.01 * q_, r_ = 0.92 - 4.2 / b_;           \
      const double e_ = (2.83 + 5.1 / b_) * s_, l_ = log(q_ / (1 - q_)), m_ = floor((n_ + 1) * q_); \
      const double h_ = lgamma(m_ + 1) + lgamma(n_ - m_ + 1);                              \
      for (int turn_ = 0; turn_ < TURNS; ++turn_) {                                        \
        const double u_ = UNIFORM - 0.5;                                                   \
        const double v_ = UNIFORM;                                                         \
        const double w_ = 0.5 - fabs(u_);                                                  \
        x = floor((2 * a_ / w_ + b_) * u_ + n_ * q_ + 0.5);                                \
        if (x < 0 || x > n_) continue;                                                     \
        if (w_ >= 0.07 && v_ <= r_) break;                                                 \
        const double most_ = h_ - lgamma(x + 1) - lgamma(n_ - x + 1) + (x - m_) * l_;      \
        if (log(v_ * e_ / (a_ / (w_ * w_) + b_)) <= most_) break;                          \
      }                                                                                    \
    }                                                                                      \
    if (p_ > 0.5) x = n_ - x;                                                              \
  }
)";
constexpr const char* after =
    "\n#undef TURNS\n#undef BITS\n#undef UNIFORM\n#undef EXPONENTIAL\n#undef NORMAL\n#undef GAMMA\n#undef POISSON\n"
    "#undef BINOMIAL\n";

codegen::function_calls& make_function_of(const distribution_row& row) {
  static constexpr const char* names[] = {"seed, draw, place", "seed, draw, place, a", "seed, draw, place, a, b",
                                          "seed, draw, place, a, b, c"};
  static constexpr parameter_type types[] = {{dtype::uint64, false},  {dtype::uint64, false},  {dtype::int64, false},
                                             {dtype::float64, false}, {dtype::float64, false}, {dtype::float64, false}};
  static constexpr parameter_type result{dtype::float64, false};
  const given_text name = row.name, parameters = names[row.parameters], none = "";
  return make_function(name, {parameters, types, row.parameters + 3}, {none, &result, 1},
                       (std::string(before) + row.text + after).c_str());
}

// Made once: a text is found again by its content, and to read it through takes longer than to draw a few numbers.
codegen::function_calls& function_of(distribution of) {
  static std::atomic<codegen::function_calls*> made[std::size(rows)];
  std::atomic<codegen::function_calls*>& at = made[static_cast<int>(of)];
  if (codegen::function_calls* const known = at.load(std::memory_order_acquire)) return *known;
  codegen::function_calls& f = make_function_of(rows[static_cast<int>(of)]);
  at.store(&f, std::memory_order_release);
  return f;
}

void check(const distribution_row& row, std::initializer_list<draw_parameter> parameters) {
  double numbers[3] = {};
  int count = 0;
  for (const draw_parameter& p : parameters) {
    if (p.array()) return;
    numbers[count++] = p.number();
  }
  if (row.valid(numbers[0], numbers[1], numbers[2])) return;
  std::string all;
  for (int i = 0; i < count; ++i) all += message(i ? ", %g" : "%g", numbers[i]);
  throw error(
      message("sinter: %s numbers of parameters %s; there is no such distribution", row.name, all.c_str()).c_str());
}

}  // namespace

node* make_draw(distribution of, const shape& s, draw_counter& next,
                std::initializer_list<draw_parameter> parameters) try {
  const distribution_row& row = rows[static_cast<int>(of)];
  check(row, parameters);
  const handle places(make_positions(s));
  runtime::list<handle> arrays;
  runtime::list<function_argument> arguments{{next.seed.get(), {}}, {nullptr, to_bits(next.draw)}, {places.get(), {}}};
  for (const draw_parameter& p : parameters) {
    arrays.push_back(handle(p.array() ? make_broadcast(p.array(), s) : nullptr));
    arguments.push_back({arrays.back().get(), to_bits(p.number())});
  }
  node* made;
  make_calls(function_of(of), arguments.data(), &made, 1);
  ++next.draw;
  return made;
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

namespace {

// The number that stands at place i of 0 to count, which is written as a row and a column of about as many: in turn one of them moves
// on, round its end, by a hash of the other (a network of Feistel's; J. Black and P. Rogaway, Ciphers with arbitrary finite domains,
// 2002). The last row may be longer than what is there: again, until the number is one of them.
constexpr const char* sample_text = R"(
  const unsigned long long n = (unsigned long long)count;
  const unsigned long long rows = (unsigned long long)sqrt((double)n), columns = (n + rows - 1) / rows;
  unsigned long long x = (unsigned long long)place;
  do {
    unsigned long long row = x / columns, column = x - row * columns, key = state;
    for (int round = 0; round < 8; ++round) {
      key += 0x9E3779B97F4A7C15ull;
      const unsigned long long all = round % 2 ? columns : rows;
      unsigned long long word = ((round % 2 ? row : column) + key) * 0xD1342543DE82EF95ull;
      word = (word ^ word >> 32) * 0xBF58476D1CE4E5B9ull;
      const unsigned long long moved = (round % 2 ? column : row) + ((word >> 32) * all >> 32);
      const unsigned long long now = moved < all ? moved : moved - all;
      if (round % 2) column = now;
      else row = now;
    }
    x = row * columns + column;
  } while (x >= n);
  return (long long)x;
)";

}  // namespace

// By random keys. Equal ones stay in order, so keys are as wide as makes them rare: not one pair in two permutations. Up to some two
// millions a number lies in its key's lower bits, and goes where that goes.
node* make_permutation(std::int64_t count, draw_counter& next) {
  if (count < 0) throw error(message("sinter: a permutation of %lld numbers", static_cast<long long>(count)).c_str());
  if (count < 2) return make_iota(shape{count}, 0);
  constexpr int few = 16, some = 21;  // bits
  const draw_counter of = next;
  ++next.draw;
  if (count <= 1 << few) {
    lazy<std::uint32_t> keys(draw<op::random_uint32>(shape{count}, of));
    return runtime::make_argsort_call(runtime::term(handle(keys.release_node())), false).take();
  }
  lazy<std::uint64_t> keys(draw<op::random_uint64>(shape{count}, of));
  if (count > 1 << some) return runtime::make_argsort_call(runtime::term(handle(keys.release_node())), false).take();
  const lazy<std::int64_t> numbers(make_positions(shape{count}));
  lazy<std::uint64_t> with_numbers((keys >> some << some) | astype<std::uint64_t>(numbers));
  const lazy<std::uint64_t> sorted(
      runtime::make_sort_call(runtime::term(handle(with_numbers.release_node())), false).take());
  return lazy<std::int64_t>(astype<std::int64_t>(sorted & ((std::uint64_t{1} << some) - 1))).release_node();
}

namespace {

// Few of many, each computed by itself.
node* make_sample(std::int64_t wanted, std::int64_t count, draw_counter& next) {
  static constexpr parameter_type types[] = {{dtype::uint64, false}, {dtype::int64, false}, {dtype::int64, false}};
  static constexpr parameter_type result{dtype::int64, false};
  const given_text name = "sampled", parameters = "state, place, count", none = "";
  static codegen::function_calls& f = make_function(name, {parameters, types, 3}, {none, &result, 1}, sample_text);
  const handle state(lazy<std::uint64_t>(draw<op::random_uint64>(shape(), next)).release_node());
  const handle places(make_iota(shape{wanted}, 0));
  const function_argument arguments[] = {{state.get(), {}}, {places.get(), {}}, {nullptr, to_bits(count)}};
  node* made;
  make_calls(f, arguments, &made, 1);
  ++next.draw;
  return made;
}

[[noreturn]] void throw_too_many_chosen(std::int64_t wanted, std::int64_t among) {
  throw error(message("sinter: a choice of %lld among %lld without replacement", static_cast<long long>(wanted),
                      static_cast<long long>(among))
                  .c_str());
}

runtime::term weights_of(std::int64_t count, const handle& given) {
  if (shape_of(given.get()) != shape{count})
    throw shape_error(message("sinter: a choice among %lld with probabilities of shape %s",
                              static_cast<long long>(count), to_string(shape_of(given.get())).c_str())
                          .c_str());
  return runtime::astype(runtime::term(given), dtype::float64);
}

}  // namespace

node* make_weighted_choice(std::int64_t count, const shape& s, const handle& weights, draw_counter& next) {
  const runtime::term each = weights_of(count, weights);
  // Made an array, or every step of every search would add them up again.
  const runtime::term below(handle(as_array(make_scan(each.get(), reduction::sum, dtype::float64, 0), where{})));
  const runtime::term places = runtime::term::made(make_uniform(dtype::float64, s, next, 0, 1));
  // Of weights that are all 0 each place is behind the last.
  const runtime::term found = runtime::count_before(below, places * below.at(0, -1), true);
  return runtime::apply(op::minimum, {found, runtime::term(count - 1)}).take();
}

// The waiting times of events as frequent as their weights: what comes first has been chosen among all, and so on. Source: Efraimidis
// and Spirakis, Weighted random sampling with a reservoir, 2006.
node* make_weighted_sample(std::int64_t count, const shape& s, const handle& weights, draw_counter& next) {
  const runtime::term each = weights_of(count, weights);
  const runtime::term have_one =
      runtime::fold(reduction::sum, runtime::astype(each > 0, dtype::int64), axis_list{}, false);
  std::int64_t most = 0;
  read_item(have_one.get(), &most, where{});
  if (s.elements() > most) throw_too_many_chosen(s.elements(), most);
  const runtime::term waited = runtime::term::made(make_exponential(dtype::float64, shape{count}, next, 1));
  // By their logarithms, as a time divided by the least weights may be infinite; without a weight it never comes.
  const runtime::term times = runtime::apply(op::log, {waited}) - runtime::apply(op::log, {each});
  const runtime::term order(
      runtime::make_argsort_call(runtime::choose(each > 0, times, std::numeric_limits<double>::infinity()), false));
  return make_reshape(order.along(0, slice(0, s.elements())).get(), s.begin(), s.size());
}

}  // namespace sinter::detail

namespace sinter::random {

lazy<std::int64_t> generator::choice(std::int64_t n, const shape& s, choice_options how) {
  if (how.replace) return integers(s, 0, n);
  if (s.elements() > n) detail::throw_too_many_chosen(s.elements(), n);
  constexpr std::int64_t few = 4096, share = 4;  // all of few, or a larger part of many, are sooner put in order
  if (n > few && s.elements() <= n / share)
    return lazy<std::int64_t>(detail::make_sample(s.elements(), n, next_)).reshape(s);
  return permutation(n)(slice(0, s.elements())).reshape(s);
}

lazy<std::int64_t> generator::counted(detail::distribution of, const shape& s,
                                      std::initializer_list<parameter> parameters) {
  return lazy<std::int64_t>(astype<std::int64_t>(lazy<double>(detail::make_draw(of, s, next_, parameters))));
}

std::vector<generator> generator::spawn(std::int64_t count) try {
  std::uint64_t seed;
  detail::read_item(next_.seed.get(), &seed, detail::where{});
  std::vector<generator> all;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t child = codegen::scalar::random_uint64(static_cast<std::uint64_t>(i), next_.draw, seed);
    all.push_back(generator(detail::handle(detail::make_seed(child))));
  }
  ++next_.draw;
  return all;
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

}  // namespace sinter::random
