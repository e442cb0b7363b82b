// N. Higham, The scaling and squaring method for the matrix exponential revisited, 2005: the approximant of degree 13 of a matrix that
// was divided by a power of two, squared as often. Each matrix of a batch has a power of its own.
#include "runtime/library/exponential.hpp"

#include <cmath>

#include <sinter/error.hpp>
#include <sinter/linalg.hpp>

#include "runtime/device/device.hpp"
#include "runtime/eval.hpp"
#include "runtime/frontend/matrices.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/library/call.hpp"
#include "runtime/stream/capture.hpp"

namespace sinter::runtime {

using namespace detail;

namespace {

term product(const term& a, const term& b) { return term::made(make_matmul(a.held(), b.held())); }

// Up to a norm of `furthest` its error is below that of a double.
constexpr double furthest = 5.371920351148152;

term approximated(const term& a) {
  constexpr double b[] = {64764752532480000,
                          32382376266240000,
                          7771770303897600,
                          1187353796428800,
                          129060195264000,
                          10559470521600,
                          670442572800,
                          33522128640,
                          1323241920,
                          40840800,
                          960960,
                          16380,
                          182,
                          1};
  const auto c = [&](int i) { return term(b[i] / b[0]); };  // so that float has room for them
  const term one = identity(a.extent(a.rank() - 1), a.type());
  const term a2 = product(a, a), a4 = product(a2, a2), a6 = product(a4, a2);
  const term high_odd = product(a6, a6 * c(13) + a4 * c(11) + a2 * c(9));
  const term odd = product(a, high_odd + a6 * c(7) + a4 * c(5) + a2 * c(3) + one * c(1));
  const term high_even = product(a6, a6 * c(12) + a4 * c(10) + a2 * c(8));
  const term even = high_even + a6 * c(6) + a4 * c(4) + a2 * c(2) + one;
  return term::made(make_solve((even - odd).held(), (even + odd).held(), a.type()));
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
    const term a = term::of(const_cast<array_node*>(operands[0]));
    const dtype real = real_part_of(a.type());
    const term norms =
        term::made(make_norm(a.held(), norm_of::matrices, {.ord = 1, .axis = {-2, -1}, .keepdims = true}));
    const term halvings = apply(op::maximum, {apply(op::ceil, {apply(op::log2, {norms / furthest})}), 0.0});
    double most = 0;
    read_item(astype(fold(reduction::max, halvings, {}, false), dtype::float64).get(), &most, {});
    // Of what is not finite the result is NaN however often it is squared.
    if (!std::isfinite(most)) most = 0;
    const term times = choose(apply(op::isfinite, {halvings}), halvings, 0.0);
    term x = approximated(a / astype(apply(op::exp2, {times}), real));
    for (int i = 0; i < static_cast<int>(most); ++i) {
      const term squared = product(x, x);
      x = operands[0]->extents.size() == 2 ? squared : choose(times > i, squared, x);
    }
    request r{typed(x.get()), &made[0]->extents, made[0]};
    evaluate(&r, 1);
  }
};

}  // namespace

term make_exponential_call(const term& a) {
  return term(make_call<exponential_call>({a.held()}, a.type(), a.extents()));
}

}  // namespace sinter::runtime
