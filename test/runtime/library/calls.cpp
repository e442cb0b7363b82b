// Calls of libraries with several results, of a call that is made here: floor_divide and remainder.
#include <doctest/doctest.h>

#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "runtime/eval.hpp"
#include "runtime/frontend/terms.hpp"
#include "runtime/library/call.hpp"
#include "runtime/memory/storage.hpp"
#include "test/include/looking.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using runtime::term;
using doubles = std::vector<double>;

int made = 0;             // calls
bool is_refused = false;  // the next ones

class divmod_call final : public runtime::library_call {
 public:
  explicit divmod_call(const shape& s) : library_call({{dtype::float64, s}, {dtype::float64, s}}) {}
  std::string name() const override { return "division with remainder"; }
  void enqueue(runtime::call_operands operands, runtime::call_results to, runtime::stream_state&) const override {
    if (is_refused) throw device_error("refused");
    ++made;
    const auto shared = [](const detail::array_node* a) { return term::of(const_cast<detail::array_node*>(a)); };
    const term a = shared(operands[0]), b = shared(operands[1]);
    store(runtime::apply(op::floor_divide, {a, b}), *to[0]);
    store(runtime::apply(op::remainder, {a, b}), *to[1]);
  }

 private:
  static void store(const term& value, detail::array_node& to) {
    runtime::request r{runtime::typed(value.get()), &to.extents, &to};
    runtime::evaluate(&r, 1);
  }
};

struct quotient_and_rest {
  lazy<double> quotient, rest;
};
quotient_and_rest divided(const array<double>& a, const array<double>& b) {
  const detail::handle of_a(detail::retain(a.node())), of_b(detail::retain(b.node()));
  runtime::result_handles all = runtime::make_calls<divmod_call>({of_a, of_b}, a.shape());
  return {lazy<double>(all[0].take()), lazy<double>(all[1].take())};
}

// Made when asked for: a process whose memory limit makes no sense has to come as far as main.
array<double> seven() { return {7, 8, 9}; }
array<double> three() { return {3, 3, 3}; }

}  // namespace

TEST_CASE("calls: all results come of one call") {
  made = 0;
  const auto [q, r] = divided(seven(), three());
  CHECK(array<double>(q * 10 + r).get() == doubles{21, 22, 30});
  CHECK(made == 1);
  CHECK(array<double>(q).get() == doubles{2, 2, 3});
  CHECK(array<double>(r + 1).get() == doubles{2, 3, 1});
  CHECK(made == 1);
}

TEST_CASE("calls: several results in one evaluation, one after the other, and one alone") {
  made = 0;
  {
    auto all = divided(seven(), three());
    const auto [q, r] = eval(all.quotient, all.rest);
    CHECK(q.get() == doubles{2, 2, 3});
    CHECK(r.get() == doubles{1, 2, 0});
    CHECK(made == 1);
  }
  array<double> into = zeros<double>({3});
  into(ellipsis) = divided(seven(), three()).rest;
  CHECK(into.get() == doubles{1, 2, 0});
  CHECK(made == 2);
  CHECK(array<double>(divided(seven(), three()).quotient).get() == doubles{2, 2, 3});
}

TEST_CASE("calls: a result that is an operand of another call") {
  made = 0;
  const auto first = divided(seven(), three());
  const auto second = divided(array<double>(first.quotient * 4), array<double>(first.rest + 2));
  CHECK(array<double>(second.quotient + second.rest).get() == doubles{4, 2, 6});
  CHECK(made == 2);
  // Both operands are results of one call that was not made before.
  const auto third = divided(seven(), three());
  runtime::result_handles fourth =
      runtime::make_calls<divmod_call>({detail::handle(detail::retain(array<double>(third.quotient).node())),
                                        detail::handle(detail::retain(three().node()))},
                                       shape{3});
  CHECK(array<double>(lazy<double>(fourth[1].take())).get() == doubles{2, 2, 0});
  CHECK(made == 4);
}

TEST_CASE("calls: what is lazy under a call is computed once for it") {
  made = 0;
  const array<double> x = seven();
  const detail::handle sum = term(detail::handle(detail::retain(x.node()))).held();
  const term more = term(sum) + 1.0;
  runtime::result_handles all = runtime::make_calls<divmod_call>({more.held(), more.held()}, shape{3});
  CHECK(array<double>(lazy<double>(all[0].take())).get() == doubles{1, 1, 1});
  CHECK(made == 1);
}

TEST_CASE("calls: a refusal leaves nothing, and the next attempt is a call") {
  made = 0;
  const auto [q, r] = divided(seven(), three());
  is_refused = true;
  CHECK_THROWS_WITH_AS(static_cast<void>(array<double>(q + r)), "refused", device_error);
  is_refused = false;
  CHECK(made == 0);
  CHECK(array<double>(q + r).get() == doubles{3, 4, 3});
  CHECK(made == 1);
}

TEST_CASE("calls: explain names the result and counts one call") {
  const auto [q, r] = divided(seven(), three());
  std::ostringstream text;
  text << explain(q + r);
  CHECK(times_in(text.str(), "kernels: 1, calls: 1") == 1);
  CHECK(times_in(text.str(), "result 0 of division with remainder") == 1);
  CHECK(times_in(text.str(), "result 1 of division with remainder") == 1);
  CHECK(times_in(text.str(), "call of a library: division with remainder") == 1);
}

TEST_CASE("calls: a graph makes the call once a launch for all of its results") {
  made = 0;
  array<double> x = seven();
  const auto [q, r] = divided(x, three());
  array<double> out;
  const graph g = capture([&] { out = q * 10 + r; });
  CHECK(made == 1);
  g.launch();
  CHECK(out.get() == doubles{21, 22, 30});
  // The graph's results are no values of the nodes.
  CHECK(array<double>(q).get() == doubles{2, 2, 3});
  CHECK(made == 2);
}

TEST_CASE("calls: the last of the results' owners frees what the call held") {
  array<double> x = seven().copy();
  CHECK(holders_of(x) == 1);
  {
    auto all = divided(x, three());
    const array<double> r = all.rest;
    { const lazy<double> gone = std::move(all.quotient); }
    CHECK(r.get() == doubles{1, 2, 0});
    CHECK(array<double>(all.rest + 1).get() == doubles{2, 3, 1});
  }
  x += 1;
  CHECK(holders_of(x) == 1);
}
