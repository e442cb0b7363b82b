#include <sinter/vectors.hpp>

#include <algorithm>

#include <sinter/error.hpp>

#include "runtime/frontend/indices.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/terms.hpp"

namespace sinter::detail {

using runtime::term;

namespace {

int vector_axis(const term& of, std::int64_t axis) {
  const int d = runtime::checked_axis(axis, of.rank(), "cross");
  if (of.extent(d) == 3) return d;
  throw shape_error(message("sinter: cross of an array of shape %s along axis %d; a vector has three elements",
                            to_string(of.extents()).c_str(), d)
                        .c_str());
}

}  // namespace

node* make_cross(handle first, handle second, const cross_options& how) {
  const term a(std::move(first)), b(std::move(second));
  const int of_a = vector_axis(a, how.axisa), of_b = vector_axis(b, how.axisb);
  const int rank = std::max(a.rank(), b.rank());
  const int axis = runtime::checked_axis(how.axisc, rank, "cross");
  const auto component = [&](int next, int after) {
    const term product = a.at(of_a, next) * b.at(of_b, after) - a.at(of_a, after) * b.at(of_b, next);
    return product.with_axis(axis);
  };
  return runtime::joined({component(1, 2), component(2, 0), component(0, 1)}, axis).take();
}

// Each element of one stands as often as the other has some along an axis; the other stands again and again.
node* make_kron(handle first, handle second) {
  term a(std::move(first)), b(std::move(second));
  const int rank = std::max(a.rank(), b.rank());
  while (a.rank() < rank) a = a.with_axis(0);
  while (b.rank() < rank) b = b.with_axis(0);
  shape times = a.extents();
  for (int d = 0; d < rank; ++d) a = term::made(make_repeat(a.get(), b.extent(d), d));
  return (a * term::made(make_tile(b.get(), &times[0], rank))).take();
}

}  // namespace sinter::detail
