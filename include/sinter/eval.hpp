// Evaluating several expressions at once.
#pragma once

#include <tuple>

#include <sinter/array.hpp>

namespace sinter {

/// Evaluates expressions together: those of one shape share one kernel and compute what they have in common once. Gives a tuple
/// of arrays: `auto [m, s] = eval(mean(x), stddev(x));`, and of one expression that array: `auto y = eval(x + 1);`. Errors: as
/// evaluation. Stream behaviour: enqueued, does not wait.
template <detail::expression... E>
auto eval(E&&... e) {
  detail::handle roots[] = {detail::handle(detail::take_node(std::forward<E>(e)))...};
  detail::node* nodes[sizeof...(E)];
  detail::node* results[sizeof...(E)];
  for (std::size_t i = 0; i < sizeof...(E); ++i) nodes[i] = roots[i].get();
  detail::evaluate_all(nodes, results, sizeof...(E), detail::where{});
  return [&]<std::size_t... Which>(std::index_sequence<Which...>) {
    if constexpr (sizeof...(E) == 1) return array<detail::element_in<E>...>(results[0]);
    else return std::tuple{array<detail::element_in<E>>(results[Which])...};
  }
  (std::index_sequence_for<E...>{});
}

}  // namespace sinter
