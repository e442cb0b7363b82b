// Random programs over arrays of changing shapes - views, transposes, reshapes, broadcasts, reductions, indices, stores
// that overlap - left lazy and evaluated together at the end, against the same programs evaluated step by step. Whole
// numbers, so that the order of sums does not matter, in any mode.
#include <doctest/doctest.h>

#include "test/include/looking.hpp"
#include "test/include/programs.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using number = std::int64_t;

std::vector<number> numbers_of(const handle& h) {
  std::vector<number> all(static_cast<std::size_t>(shape_of(h).elements()));
  detail::read_all(h.get(), all.data(), all.size(), {}, {});
  return all;
}

class writer {
 public:
  writer(unsigned seed, bool lazily) : random_(seed), lazy_(lazily) {
    for (int i = 0; i < 3; ++i) {
      shape s;
      const int rank = static_cast<int>(pick(3)) + 1;
      s.set_size(rank);
      for (int d = 0; d < rank; ++d) s[d] = extent();
      std::vector<number> all(static_cast<std::size_t>(s.elements()));
      for (number& x : all) x = static_cast<number>(pick(19)) - 9;
      arrays_.emplace_back(detail::make_from_host(dtype::int64, s, all.data()));
      values_.push_back(arrays_.back());
    }
  }

  void step() {
    if (pick(8) == 0) return store();
    handle made = make();
    if (shape_of(made).elements() > 20'000) made = reduced(made);
    values_.push_back(lazy_ ? made : evaluated(made));
  }

  /// The last values, and the arrays that were stored into.
  std::vector<handle> results() const {
    std::vector<handle> all(values_.end() - 4, values_.end());
    all.insert(all.end(), arrays_.begin(), arrays_.end());
    return all;
  }
  std::string story;

 private:
  unsigned pick(unsigned n) { return static_cast<unsigned>(random_() % n); }
  std::int64_t extent() {
    static constexpr std::int64_t some[] = {1, 2, 3, 4, 5, 8, 17};
    return some[pick(7)];
  }
  handle any() {
    const auto n = static_cast<unsigned>(values_.size());
    return values_[pick(2) ? n - 1 - pick(n < 5 ? n : 5) : pick(n)];
  }
  handle settled(const handle& h) const { return lazy_ ? h : evaluated(h); }
  handle did(const std::string& what, const handle& h) {
    story += what + " ";
    return h;
  }

  handle make() {
    switch (pick(12)) {
      case 0: return did("view", view(any()));
      case 1: return did("transpose", transposed(any()));
      case 2: return did("reshape", reshaped(any()));
      case 3: return did("broadcast", broadcast(any()));
      case 4: return reduced(any());
      case 5: return did("index", index());
      case 6: return did("cast", converted(any()));
      case 7: return did("where", chosen());
      default: return binary();
    }
  }

  static handle viewed(const handle& h, const std::vector<any_index>& items) {
    const detail::index_list list(items);
    return handle(detail::make_view(h.get(), list.items, list.count));
  }
  handle view(const handle& h) { return viewed(h, items_for(h)); }
  std::vector<any_index> items_for(const handle& h) {
    std::vector<any_index> items;
    const shape s = shape_of(h);
    int rank = s.size();
    for (int d = 0; d < s.size(); ++d) {
      if (rank < 6 && pick(8) == 0) items.push_back(newaxis), ++rank;
      const auto n = static_cast<unsigned>(s[d]);
      switch (n ? pick(6) : 0) {
        case 0: items.push_back(_); break;
        case 1: items.push_back(slice(_, _, -1)); break;
        case 2: items.push_back(static_cast<int>(pick(n)) - (pick(2) ? static_cast<int>(n) : 0)); break;
        case 3: items.push_back(slice(static_cast<int>(pick(n)), _, 1 + static_cast<int>(pick(3)))); break;
        case 4: items.push_back(slice(static_cast<int>(pick(n)), _, -1 - static_cast<int>(pick(3)))); break;
        default: items.push_back(slice(0, 1 + static_cast<int>(pick(n)))); break;
      }
    }
    return items;
  }
  handle transposed(const handle& h) {
    const int rank = shape_of(h).size();
    int order[max_rank];
    for (int d = 0; d < rank; ++d) order[d] = d;
    for (int d = rank - 1; d > 0; --d) std::swap(order[d], order[pick(static_cast<unsigned>(d) + 1)]);
    return handle(detail::make_transpose(h.get(), order, rank));
  }
  handle reshaped(const handle& h) {
    std::int64_t rest = shape_of(h).elements();
    std::vector<std::int64_t> to;
    while (to.size() < 4 && rest > 1) {
      static constexpr std::int64_t factors[] = {2, 3, 4, 5, 17};
      const std::int64_t f = factors[pick(5)];
      if (rest % f == 0) to.push_back(f), rest /= f;
      else if (pick(3) == 0) break;
    }
    to.insert(to.begin() + pick(static_cast<unsigned>(to.size()) + 1), rest);
    return handle(detail::make_reshape(h.get(), to.data(), static_cast<int>(to.size())));
  }
  handle broadcast(const handle& h) {
    shape s = shape_of(h);
    for (int d = 0; d < s.size(); ++d)
      if (s[d] == 1 && pick(2)) s[d] = extent();
    if (s.size() < 4 && pick(2)) {
      shape more;
      more.set_size(s.size() + 1);
      more[0] = extent();
      for (int d = 0; d < s.size(); ++d) more[d + 1] = s[d];
      s = more;
    }
    return s.elements() > 20'000 ? h : handle(detail::make_broadcast(h.get(), s));
  }
  handle reduced(const handle& h) {
    static constexpr detail::reduction some[] = {detail::reduction::sum, detail::reduction::max,
                                                 detail::reduction::min, detail::reduction::sum,
                                                 detail::reduction::any, detail::reduction::all};
    const detail::reduction what = some[pick(6)];
    detail::axis_list axes;
    if (pick(4)) {
      axes.count = 0;
      for (int d = 0; d < shape_of(h).size(); ++d)
        if (pick(2)) axes.axes[axes.count++] = pick(2) ? d : d - shape_of(h).size();
    }
    const bool truth = what >= detail::reduction::any, keepdims = pick(2);
    const handle r(detail::make_reduction(h.get(), what, truth ? dtype::bool_ : dtype::int64, axes, keepdims));
    return did("reduction", truth ? cast(settled(r), dtype::int64) : r);
  }
  handle index() {
    shape s;
    const int rank = 1 + static_cast<int>(pick(3));
    s.set_size(rank);
    for (int d = 0; d < rank; ++d) s[d] = extent();
    return handle(detail::make_iota(s, static_cast<int>(pick(static_cast<unsigned>(rank)))));
  }
  handle converted(const handle& h) {
    static constexpr dtype some[] = {dtype::int32, dtype::uint8, dtype::bool_, dtype::int8, dtype::uint32};
    return cast(settled(cast(h, some[pick(5)])), dtype::int64);
  }

  bool fits(const handle& a, const handle& b) const {
    const shape &x = shape_of(a), &y = shape_of(b);
    std::int64_t elements = 1;
    for (int back = 1; back <= std::max(x.size(), y.size()); ++back) {
      const std::int64_t p = back <= x.size() ? x[x.size() - back] : 1, q = back <= y.size() ? y[y.size() - back] : 1;
      if (p != q && p != 1 && q != 1) return false;
      elements *= p == 1 ? q : p;
    }
    return elements <= 20'000;
  }
  handle partner(const handle& a) {
    for (int tries = 0; tries < 6; ++tries)
      if (const handle b = any(); fits(a, b)) return b;
    return a;
  }
  handle binary() {
    static constexpr op some[] = {op::add,         op::subtract, op::multiply,  op::maximum,    op::minimum,
                                  op::bitwise_xor, op::add,      op::remainder, op::bitwise_and};
    const op code = some[pick(9)];
    const handle a = any();
    if (pick(4) == 0) {
      const detail::scalar_bits s = detail::to_bits<number>(static_cast<number>(pick(15)) - 7);
      return did(detail::facts(code).name + std::string("_scalar"), apply(code, {a}, &s));
    }
    const handle b = partner(a);
    return did(detail::facts(code).name, apply(code, {a, b}));
  }
  handle chosen() {
    const handle a = any(), b = partner(a);
    const handle condition = settled(apply(op::less, {a, b}));
    const handle c = partner(condition);
    return apply(op::where, {condition, c, fits(condition, a) && fits(c, a) ? a : c});
  }

  // target[view] = value, where the value may be a view of the target itself. Checked on its own, too: both programs
  // would make the same mistake.
  void store() {
    handle& target = arrays_[pick(3)];
    const std::vector<any_index> items = pick(4) ? items_for(target) : std::vector<any_index>{ellipsis};
    handle to = viewed(target, items);
    const shape covered = shape_of(to);
    handle value;
    for (int tries = 0; tries < 6 && !value; ++tries) {
      const handle tried = pick(2) ? view(target) : any();
      if (shape_of(tried).elements() > 0 && broadcasts_to(shape_of(tried), covered)) value = tried;
    }
    const detail::scalar_bits s = detail::to_bits<number>(static_cast<number>(pick(15)) - 7);
    story += value ? "store " : "store_scalar ";

    const handle places = viewed(handle(detail::make_reshape(index_of_all(shape_of(target)).get(),
                                                             shape_of(target).begin(), shape_of(target).size())),
                                 items);
    std::vector<number> expected = numbers_of(target);
    const std::vector<number> at = numbers_of(places);
    const std::vector<number> written = value ? numbers_of(handle(detail::make_broadcast(value.get(), covered)))
                                              : std::vector<number>(at.size(), s.as_signed);
    for (std::size_t i = 0; i < at.size(); ++i) expected[static_cast<std::size_t>(at[i])] = written[i];

    if (value) {
      detail::node* const nodes[] = {value.get()};
      const detail::fragment& same =
          fragment_of(static_cast<std::uint8_t>(op::positive), {dtype::int64}, dtype::int64, false);
      detail::store(target, to.get(), {&same, nodes, nullptr}, {});
    } else {
      static constexpr instruction code[] = {{instruction::take_scalar, dtype::int64}};
      static void* plan = nullptr;
      static constexpr detail::fragment table{code, 1, 0, 1, dtype::int64, &plan};
      detail::store(target, to.get(), {&table, nullptr, &s}, {});
    }
    INFO(story);
    CHECK(numbers_of(target) == expected);
    // Where no other array shares the storage, the next store into it is in place.
    if (pick(2)) values_.push_back(target);
  }
  static handle index_of_all(const shape& s) { return handle(detail::make_iota(shape(s.elements()), 0)); }
  static bool broadcasts_to(const shape& from, const shape& to) {
    if (from.size() > to.size()) return false;
    for (int back = 1; back <= from.size(); ++back)
      if (from[from.size() - back] != 1 && from[from.size() - back] != to[to.size() - back]) return false;
    return true;
  }

  std::mt19937 random_;
  bool lazy_;
  std::vector<handle> arrays_, values_;
};

void check(unsigned seed) {
  writer fused(seed, true), stepwise(seed, false);
  const unsigned steps = 5 + seed % 14;
  for (unsigned i = 0; i < steps; ++i) fused.step(), stepwise.step();
  const std::vector<handle> roots = fused.results(), expected = stepwise.results();
  std::vector<detail::node*> nodes, results(roots.size());
  for (const handle& h : roots) nodes.push_back(h.get());
  detail::evaluate_all(nodes.data(), results.data(), static_cast<int>(nodes.size()), {});
  for (std::size_t i = 0; i < roots.size(); ++i) {
    const handle result(results[i]);
    INFO("seed ", seed, ", result ", i, ": ", fused.story);
    CHECK(shape_of(result) == shape_of(expected[i]));
    CHECK(numbers_of(result) == numbers_of(expected[i]));
  }
}

}  // namespace

TEST_CASE("programs: fused equals step by step, on the device") {
  for (unsigned seed = 0; seed < 60; ++seed) check(seed);
}

TEST_CASE("programs: fused equals step by step, many of them in the interpreter") {
  device_scope in(device::interpreter());
  for (unsigned seed = 1000; seed < 2500; ++seed) check(seed);
}
