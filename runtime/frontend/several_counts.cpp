// Draws of several counts that sum to a number: each is a draw of one kind against all kinds behind it, of what is left.
#include <sinter/detail/draws.hpp>
#include <sinter/detail/rearrange.hpp>
#include <sinter/error.hpp>

#include "runtime/frontend/list.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/terms.hpp"

namespace sinter::detail {

using runtime::astype, runtime::choose, runtime::number_node, runtime::term;

namespace {

lazy<double> as_parameter(const term& t) { return lazy<double>(t.take()); }

// `one(kind, rest, left)` draws how many of `left` are of a kind, where `rest` is the weight of those behind it.
template <class Draw>
node* counts_of(const char* what, std::int64_t n, const shape& s, handle given, Draw one) {
  const term weights(std::move(given));
  const int last = weights.rank() - 1;
  if (last < 0 || weights.extent(last) == 0)
    throw shape_error(
        message("sinter: %s of an array of shape %s", what, to_string(weights.extents()).c_str()).c_str());
  if (n < 0) throw error(message("sinter: %s of %lld", what, static_cast<long long>(n)).c_str());
  const std::int64_t kinds = weights.extent(last);
  // Sums from behind, so that the last kind with a weight gets all that is left.
  const auto at = [&](std::int64_t k) { return weights.at(last, k).broadcast_to(s); };
  runtime::list<term> behind{number_node(0.0, dtype::float64).broadcast_to(s)};
  for (std::int64_t k = kinds - 1; k > 0; --k) behind.push_back(behind.back() + at(k));
  term left = number_node(static_cast<double>(n), dtype::float64).broadcast_to(s);
  runtime::list<term> counts;
  for (std::int64_t k = 0; k + 1 < kinds; ++k) {
    counts.push_back(one(at(k), behind[static_cast<std::size_t>(kinds - 1 - k)], left));
    left = left - counts.back();
  }
  counts.push_back(left);
  runtime::list<node*> parts;
  for (const term& c : counts) parts.push_back(c.get());
  const term all = term::made(make_stacked(parts.data(), parts.size(), -1));
  return astype(all, dtype::int64).take();
}

}  // namespace

node* make_multinomial(std::int64_t n, const shape& s, handle weights, draw_counter& next) {
  return counts_of("multinomial", n, s, std::move(weights), [&](const term& kind, const term& rest, const term& left) {
    const term share = choose(rest > 0.0, kind / (kind + rest), astype(kind > 0.0, dtype::float64));
    return term::made(make_draw(distribution::binomial, s, next, {as_parameter(left), as_parameter(share)}));
  });
}

node* make_multivariate_hypergeometric(std::int64_t n, const shape& s, handle colors, draw_counter& next) {
  return counts_of("multivariate_hypergeometric", n, s, std::move(colors),
                   [&](const term& kind, const term& rest, const term& left) {
                     return term::made(make_draw(distribution::hypergeometric, s, next,
                                                 {as_parameter(kind), as_parameter(rest), as_parameter(left)}));
                   });
}

}  // namespace sinter::detail
