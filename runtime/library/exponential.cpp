// A. Al-Mohy and N. Higham, A new scaling and squaring algorithm for the matrix exponential, 2009: the approximant of degree 13 of a
// matrix that was divided by a power of two, squared as often. Norms of its powers say how often, as one large element may be of no
// consequence: what is halved too often loses its digits. Each matrix of a batch has a power of its own.
#include "runtime/library/exponential.hpp"

#include <cmath>

#include <sinter/error.hpp>
#include <sinter/linalg.hpp>

#include "runtime/device/device.hpp"
#include "runtime/eval.hpp"
#include "runtime/frontend/matrices.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/library/call.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/stream/capture.hpp"

namespace sinter::runtime {

using namespace detail;

namespace {

term norm_of(const term& a) {
  return term::made(make_norm(a.held(), detail::norm_of::matrices, {.ord = 1, .axis = {-2, -1}, .keepdims = true}));
}
term above_0(const term& t) { return apply(op::maximum, {apply(op::ceil, {t}), 0.0}); }
term log2(const term& t) { return apply(op::log2, {t}); }

double largest_of(const term& all) {
  double largest = 0;
  read_item(astype(fold(reduction::max, all, {}, false), dtype::float64).get(), &largest, {});
  return largest;
}

term approximated(const term& a) {
  const auto c = [](int i) { return term(approximant[i]); };
  const term one = identity(a.extent(a.rank() - 1), a.type());
  const term a2 = matrix_product(a, a), a4 = matrix_product(a2, a2), a6 = matrix_product(a4, a2);
  const term high_odd = matrix_product(a6, a6 * c(13) + a4 * c(11) + a2 * c(9));
  const term odd = matrix_product(a, high_odd + a6 * c(7) + a4 * c(5) + a2 * c(3) + one * c(1));
  const term high_even = matrix_product(a6, a6 * c(12) + a4 * c(10) + a2 * c(8));
  const term even = high_even + a6 * c(6) + a4 * c(4) + a2 * c(2) + one;
  return term::made(make_solve((even - odd).held(), (even + odd).held(), a.type()));
}

term if_finite(const term& t, const term& otherwise) { return choose(apply(op::isfinite, {t}), t, otherwise); }
term times_power_of_2(const term& a, const term& power) {
  return a * astype(apply(op::exp2, {power}), real_part_of(a.type()));
}

// How often each matrix is halved: no oftener than its norm wants, and less where norms of its powers do.
term halvings(const term& a, const term& by_norm) {
  const auto root = [](const term& power, double degree) { return apply(op::power, {norm_of(power), 1 / degree}); };
  const term a2 = evaluated(matrix_product(a, a)), a4 = evaluated(matrix_product(a2, a2)),
             a6 = evaluated(matrix_product(a4, a2));
  const term d6 = root(a6, 6), d8 = root(matrix_product(a4, a4), 8), d10 = root(matrix_product(a4, a6), 10);
  const term reach = apply(op::minimum, {apply(op::maximum, {d6, d8}), apply(op::maximum, {d8, d10})});
  const term by_powers = if_finite(above_0(log2(reach / furthest_by_powers)), 0.0);
  // What the approximant lacks is a series in the matrix of absolute values.
  const term positive = evaluated(times_power_of_2(apply(op::absolute, {a}), 0.0 - by_powers));
  term row = fold(reduction::sum, positive, {1, {-2}}, true);
  for (int i = 1; i < lacking_power; ++i) row = evaluated(matrix_product(row, positive));
  const term lacks = fold(reduction::max, row, {2, {-2, -1}}, true) / norm_of(positive) * first_lacking;
  const term more = above_0(log2(lacks / 0x1p-53) / (lacking_power - 1));
  const term is_known = apply(op::isfinite, {reach}) & apply(op::isfinite, {lacks});
  return choose(is_known, apply(op::minimum, {by_powers + more, by_norm}), by_norm);
}

// Divided and squared, where a norm is too large for the approximant. Powers of a matrix with one large element leave the range of
// 32 bits.
term scaled_and_squared(const term& given, const term& by_norm) {
  const term a = evaluated(astype(given, is_complex(given.type()) ? dtype::complex128 : dtype::float64));
  const term times = evaluated(halvings(a, astype(by_norm, dtype::float64)));
  term x = approximated(times_power_of_2(a, 0.0 - times));
  const auto most = static_cast<int>(largest_of(times));
  for (int i = 0; i < most; ++i) {
    const term squared = matrix_product(x, x);
    x = a.rank() == 2 ? squared : choose(times > i, squared, x);
  }
  return x;
}

// Triangles stay what they are.
term with_zeros_of(const term& a, term x) {
  const std::int64_t n = a.extent(a.rank() - 1);
  const term rows = index_of({n, n}, 0), columns = index_of({n, n}, 1);
  for (const term& side : {rows > columns, columns > rows}) {
    const term is_used = fold(reduction::any, side & (a != 0), {2, {-2, -1}}, true);
    x = choose(side & !is_used, 0, x);
  }
  return x;
}

class exponential_call final : public library_call {
 public:
  exponential_call(dtype t, const shape& s) : library_call(t, s) {}

  std::string name() const override {
    return std::string("exponential of ") + sinter::name(results[0].type) + " " + to_string(results[0].extents);
  }

  void enqueue(call_operands operands, call_results made, stream_state& on) const override {
    if (results[0].extents.elements() == 0) return;
    refuse_while_capturing(on, "expm");
    if (is_of_few_small_ones() && on.device.dialect() == codegen::dialect::c &&
        exponentials_on_host({results[0].type, results[0].extents, operands[0]->data(), made[0]->data()}, on))
      return;
    const term given = term::of(const_cast<array_node*>(operands[0]));
    const term by_norm = evaluated(if_finite(above_0(log2(norm_of(given) / furthest_by_norm)), 0.0));
    term x = largest_of(by_norm) == 0 ? approximated(given) : scaled_and_squared(given, by_norm);
    x = astype(with_zeros_of(given, x), given.type());
    evaluate_into(x, *made[0]);
  }

 private:
  // What is said about them takes longer than computing them, or some part of it.
  bool is_of_few_small_ones() const {
    const shape& s = results[0].extents;
    constexpr std::int64_t few = 8;
    return s[s.size() - 1] <= most_of_host_exponential && s.elements() <= few * s[s.size() - 1] * s[s.size() - 1];
  }
};

}  // namespace

term make_exponential_call(const term& a) {
  return term(make_call<exponential_call>({a.held()}, a.type(), a.extents()));
}

}  // namespace sinter::runtime
