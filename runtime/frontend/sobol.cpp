// Sobol sequences in the order of Gray's code: point i is the exclusive or of the directions of the bits of i ^ i / 2.
#include <bit>
#include <initializer_list>
#include <vector>

#include <sinter/create.hpp>
#include <sinter/error.hpp>
#include <sinter/quasi.hpp>

#include "runtime/frontend/message.hpp"
#include "runtime/frontend/terms.hpp"

namespace sinter::qmc {

using runtime::apply, runtime::choose, runtime::index_of, runtime::term;
using sinter::op;

namespace {

constexpr int bits = 30;
constexpr std::int64_t most_points = std::int64_t{1} << bits;

struct dimension {
  std::int64_t polynomial;
  std::int64_t m[11];
};
constexpr dimension dimensions[] = {
#define SINTER_SOBOL(polynomial, ...) {polynomial, {__VA_ARGS__}},
#include "runtime/frontend/sobol.def"
};
constexpr std::int64_t most_dimensions = std::size(dimensions) + 1;

using directions = std::vector<std::int64_t>;  // of one dimension, the highest bit first

directions directions_of(std::int64_t d) {
  directions v(bits);
  if (d == 0) {
    for (int k = 0; k < bits; ++k) v[static_cast<std::size_t>(k)] = std::int64_t{1} << (bits - 1 - k);
    return v;
  }
  const dimension& of = dimensions[d - 1];
  const int degree = std::bit_width(static_cast<std::uint64_t>(of.polynomial)) - 1;
  const auto at = [&](int k) -> std::int64_t& { return v[static_cast<std::size_t>(k)]; };
  for (int k = 0; k < bits; ++k) {
    if (k < degree) {
      at(k) = of.m[k] << (bits - 1 - k);
      continue;
    }
    at(k) = at(k - degree) ^ (at(k - degree) >> degree);
    for (int i = 1; i < degree; ++i)
      if (of.polynomial >> (degree - i) & 1) at(k) ^= at(k - i);
  }
  return v;
}

// Bit p of each, counted from the highest, becomes the parity of those that row p of a matrix picks: itself, and some above it.
void scramble(directions& v, const std::int64_t* rows) {
  for (std::int64_t& direction : v) {
    std::int64_t mixed = 0;
    for (int p = 0; p < bits; ++p) {
      const std::int64_t own = std::int64_t{1} << (bits - 1 - p);
      const std::int64_t above = rows[p] & (most_points - 1) & ~(2 * own - 1);
      if (std::popcount(static_cast<std::uint64_t>(direction & (above | own))) % 2) mixed |= own;
    }
    direction = mixed;
  }
}

void check_dimensions(std::int64_t d) {
  if (d < 1 || d > most_dimensions)
    throw error(sinter::detail::message("sinter: a Sobol sequence of %lld dimensions; there are 1 to %lld",
                                        static_cast<long long>(d), static_cast<long long>(most_dimensions))
                    .c_str());
}

array<std::int64_t> table_of(std::int64_t d, const std::vector<std::int64_t>& rows) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(bits * d));
  for (std::int64_t j = 0; j < d; ++j) {
    directions v = directions_of(j);
    if (!rows.empty()) scramble(v, &rows[static_cast<std::size_t>(j * bits)]);
    for (int k = 0; k < bits; ++k) all[static_cast<std::size_t>(k * d + j)] = v[static_cast<std::size_t>(k)];
  }
  return asarray(all).reshape({bits, d});
}

}  // namespace

sobol::sobol(sinter::detail::integer d) {
  check_dimensions(d);
  directions_ = table_of(d, {});
  shift_ = zeros<std::int64_t>({d});
}

sobol::sobol(sinter::detail::integer d, random::generator& by) {
  check_dimensions(d);
  const array<std::int64_t> rows = by.integers({d * bits}, most_points);
  shift_ = by.integers({d}, most_points);
  directions_ = table_of(d, rows.get());
}

lazy<double> sobol::random(sinter::detail::integer n) {
  const std::int64_t first = made_;
  fast_forward(n);
  const term index = index_of(shape{n, 1}, 0) + first, v = term::of(directions_.node());
  const term code = apply(op::bitwise_xor, {index, apply(op::right_shift, {index, 1})});
  term x = term::of(shift_.node()).broadcast_to(shape{n, v.extent(1)});
  for (int k = 0; k < static_cast<int>(std::bit_width(static_cast<std::uint64_t>(made_))) && k < bits; ++k) {
    const term has = apply(op::bitwise_and, {apply(op::right_shift, {code, k}), 1}) == 1;
    x = apply(op::bitwise_xor, {x, choose(has, v.at(0, k), 0)});
  }
  return lazy<double>((runtime::astype(x, dtype::float64) * (1.0 / static_cast<double>(most_points))).take());
}

sobol& sobol::fast_forward(sinter::detail::integer n) {
  if (n < 0 || n > most_points - made_)
    throw error(sinter::detail::message("sinter: %lld more points of a Sobol sequence of 2^%d, %lld of which were made",
                                        static_cast<long long>(n.value), bits, static_cast<long long>(made_))
                    .c_str());
  made_ += n;
  return *this;
}

}  // namespace sinter::qmc
