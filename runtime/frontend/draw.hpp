// Random words for the elements of a draw.
#pragma once

#include <sinter/detail/draws.hpp>

namespace sinter::detail {

/// What the row O gives of each position in a draw.
template <op O>
auto draw(const shape& s, const draw_counter& next) {
  lazy<std::int64_t> position(make_positions(s));
  return apply<O>(astype<std::uint64_t>(std::move(position)), strong(next.draw),
                  lazy<std::uint64_t>(retain(next.seed.get())));
}

}  // namespace sinter::detail
