#include "test/fuzz/generate.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>

#include <sinter/reduce.hpp>

#include "codegen/ir/broadcast.hpp"

namespace sinter::fuzz {

namespace {

constexpr int all_ops = static_cast<int>(op::random_uint32);  // what random numbers are made of comes after them
constexpr op common[] = {op::add,     op::subtract, op::multiply, op::divide,       op::maximum,
                         op::minimum, op::less,     op::where,    op::negative,     op::absolute,
                         op::sqrt,    op::multiply, op::power,    op::floor_divide, op::greater,
                         op::add,     op::subtract, op::exp,      op::square};
constexpr op exact[] = {op::add,   op::subtract, op::multiply, op::maximum, op::minimum,      op::less,    op::where,
                        op::equal, op::negative, op::absolute, op::add,     op::floor_divide, op::greater, op::square};
constexpr op updating[] = {op::add,         op::subtract,   op::multiply,    op::divide,     op::remainder,
                           op::bitwise_and, op::bitwise_or, op::bitwise_xor, op::left_shift, op::right_shift};

class author {
 public:
  author(std::uint64_t seed, const generate_options& how) : random_(seed), how_(how) {
    if (one_in(50)) how_.most_elements *= 20;
  }

  program write() {
    choose_style();
    for (unsigned n = 1 + pick(4); n > 0; --n) input();
    const int wanted = how_.least_steps + static_cast<int>(pick(how_.most_steps - how_.least_steps + 1));
    for (int made = 0, tries = 0; made < wanted && tries < 40 * wanted; ++tries) made += statement();
    choose_results();
    choose_temporaries();
    return std::move(p_);
  }

 private:
  // mt19937_64 is the same everywhere; the standard's distributions are not.
  template <class Int>
  unsigned pick(Int n) {
    return static_cast<unsigned>(random_() % static_cast<std::uint64_t>(n));
  }
  bool one_in(unsigned n) { return pick(n) == 0; }
  template <class T, std::size_t n>
  T one_of(const T (&some)[n]) {
    return some[pick(n)];
  }

  // ---- what the whole program keeps to

  enum class values { whole, real, edges };

  void choose_style() {
    const unsigned kinds = 1 + pick(3);
    for (unsigned i = 0; i < kinds; ++i) types_.push_back(element_types[pick(std::size(element_types))]);
    style_ = how_.whole ? values::whole : static_cast<values>(pick(3));
    static constexpr std::int64_t some[] = {1, 2, 3, 4, 5, 7, 8, 16, 17, 33, 64, 100};
    static constexpr std::int64_t long_ones[] = {255, 257, 1000, 1025, 4099, 20'011};
    const int rank = static_cast<int>(pick(10) < 7 ? 1 + pick(3) : pick(6));
    base_.set_size(rank);
    for (int d = 0; d < rank; ++d) base_[d] = one_of(some);
    if (rank > 0 && one_in(4)) base_[static_cast<int>(pick(rank))] = one_of(long_ones);
    while (base_.elements() > how_.most_elements) {
      int longest = 0;
      for (int d = 1; d < rank; ++d)
        if (base_[d] > base_[longest]) longest = d;
      base_[longest] = std::max<std::int64_t>(base_[longest] / 3, 1);
    }
    if (rank > 0 && one_in(20)) base_[static_cast<int>(pick(rank))] = 0;
  }

  shape some_shape() {
    shape s;
    const int drop = one_in(3) ? static_cast<int>(pick(base_.size() + 1)) : 0;
    s.set_size(base_.size() - drop);
    for (int d = 0; d < s.size(); ++d) s[d] = one_in(5) ? 1 : base_[d + drop];
    return s;
  }

  // ---- elements and numbers

  template <class T>
  T element() {
    using limits = std::numeric_limits<T>;
    if constexpr (std::is_same_v<T, bool>) {
      return pick(2);
    } else if constexpr (std::is_integral_v<T>) {
      const T ends[] = {limits::min(), limits::max(), T(limits::min() + 1), T(limits::max() - 1), T(0), T(1), T(-1)};
      if (style_ == values::edges && one_in(3)) return one_of(ends);
      if (style_ == values::real || one_in(8)) return static_cast<T>(random_());
      return static_cast<T>(static_cast<int>(pick(23)) - (std::is_signed_v<T> ? 11 : 0));
    } else {
      const T ends[] = {T(0),
                        T(-0.0),
                        limits::infinity(),
                        -limits::infinity(),
                        limits::quiet_NaN(),
                        limits::max(),
                        limits::lowest(),
                        limits::min(),
                        -limits::denorm_min(),
                        limits::epsilon(),
                        T(0.5),
                        T(-1),
                        T(2147483648.0),
                        T(9223372036854775808.0),
                        T(-128.5)};
      if (style_ == values::edges && one_in(3)) return one_of(ends);
      if (style_ == values::whole) return static_cast<T>(static_cast<int>(pick(23)) - 11);
      const T x = static_cast<T>(static_cast<int>(pick(200'001)) - 100'000) / T(16'384);
      return one_in(10) ? static_cast<T>(std::ldexp(x, static_cast<int>(pick(40)) - 20)) : x;
    }
  }

  number some_number() {
    if (one_in(3))
      return with_type(types_[pick(types_.size())], [&](auto t) { return number_of(element<decltype(t)>(), true); });
    switch (pick(8)) {
      case 0: return number_of(pick(2) == 0);
      case 1:
      case 2:
      case 3:
        return number_of(one_in(4) || how_.whole ? element<double>()
                                                 : static_cast<double>(static_cast<int>(pick(33)) - 16) / 4);
      default: return number_of(one_in(6) ? element<std::int64_t>() : std::int64_t(pick(12)) - (one_in(2) ? 4 : 0));
    }
  }

  // ---- steps

  int count() const { return static_cast<int>(p_.steps.size()); }
  const outline& known(int step) const { return known_[static_cast<std::size_t>(step)]; }

  bool add(step s) {
    const std::optional<outline> o = outline_of(s, known_);
    if (!o || o->extents.elements() > how_.most_elements) return false;
    p_.steps.push_back(std::move(s));
    known_.push_back(*o);
    return true;
  }
  bool add(form what, int from) {
    step s;
    s.what = what;
    s.operands = {{from}};
    return add(std::move(s));
  }

  void input() {
    step s;
    s.type = types_[pick(types_.size())];
    const shape extents = some_shape();
    s.extents.assign(extents.begin(), extents.end());
    s.elements.resize(static_cast<std::size_t>(extents.elements() * itemsize(s.type)));
    with_type(s.type, [&](auto t) {
      using T = decltype(t);
      for (std::size_t at = 0; at < s.elements.size(); at += sizeof(T)) {
        const T x = element<T>();
        std::memcpy(s.elements.data() + at, &x, sizeof x);
      }
    });
    add(std::move(s));
  }

  bool index() {
    step s;
    s.what = form::index;
    const shape extents = some_shape();
    if (extents.size() == 0) return false;
    s.extents.assign(extents.begin(), extents.end());
    s.axes = {static_cast<int>(pick(extents.size()))};
    return add(std::move(s));
  }

  // A value: rather one of the last.
  int any() {
    for (;;) {
      const unsigned n = static_cast<unsigned>(count());
      const int at = static_cast<int>(pick(3) ? n - 1 - pick(std::min(n, 4u)) : pick(n));
      if (p_.steps[static_cast<std::size_t>(at)].what != form::store) return at;
    }
  }

  bool statement() {
    switch (pick(18)) {
      case 16:
      case 17: return move(any());
      case 0: return view(any());
      case 1: return transpose(any());
      case 2: return reshape(any());
      case 3: return broadcast(any());
      case 4:
      case 5: return one_in(3) ? rows(any()) : reduce(any());
      case 6: return one_in(2) ? add(form::array, any()) : one_in(2) && index();
      case 7:
      case 8: return store();
      case 9: return cast(any());
      default: return elementwise();
    }
  }

  bool elementwise() {
    step s;
    s.what = form::apply;
    if (one_in(2)) s.code = static_cast<op>(pick(all_ops));
    else s.code = how_.whole ? one_of(exact) : one_of(common);
    const int arity = detail::facts(s.code).arity;
    const int keep = static_cast<int>(pick(arity));  // this operand is no number
    for (int i = 0; i < arity; ++i) {
      const bool chooses = s.code == op::where && i == 0;
      if (i != keep && !chooses && one_in(4)) s.operands.push_back({-1, some_number()});
      else s.operands.push_back({any()});
    }
    return add(std::move(s));
  }

  bool cast(int from) {
    step s;
    s.what = form::cast;
    s.type = one_in(2) ? element_types[pick(std::size(element_types))] : types_[pick(types_.size())];
    const step& before = p_.steps[static_cast<std::size_t>(from)];
    if (before.what == form::cast && one_in(2)) s.type = known(before.operands[0].step).type;  // there and back
    s.operands = {{from}};
    return add(std::move(s));
  }

  std::vector<detail::index_item> items_for(const shape& from) {
    std::vector<detail::index_item> items;
    int axes = from.size();
    bool rest = false;
    for (int d = 0; d < from.size(); ++d) {
      if (axes < 6 && one_in(10)) items.push_back(detail::to_index(newaxis)), ++axes;
      if (!rest && one_in(12)) {
        rest = true;
        items.push_back(detail::to_index(ellipsis));
        d += static_cast<int>(pick(from.size() - d));
      }
      items.push_back(item_for(from[d]).item());
    }
    if (axes < 6 && one_in(10)) items.push_back(detail::to_index(newaxis));
    if (items.empty()) items.push_back(detail::to_index(ellipsis));
    return items;
  }
  any_index item_for(std::int64_t n) {
    const auto at = [&] { return static_cast<std::int64_t>(pick(n + 1)) - (one_in(2) ? n : 0); };
    const auto step = [&] { return std::int64_t(1 + pick(3)) * (one_in(2) ? -1 : 1); };
    switch (pick(7)) {
      case 0: return slice(_, _, -1);
      case 1: return n > 0 ? any_index(static_cast<std::int64_t>(pick(n)) - (one_in(2) ? n : 0)) : any_index(_);
      case 2: return slice(at(), _, step());
      case 3: return slice(_, at(), step());
      case 4: return slice(at(), at(), step());
      case 5: return one_in(2) ? any_index(slice(1, _)) : any_index(slice(_, -1));
      default: return _;
    }
  }
  bool view(int from) {
    step s;
    s.what = form::view;
    s.operands = {{from}};
    s.items = items_for(known(from).extents);
    return add(std::move(s));
  }

  bool transpose(int from) {
    step s;
    s.what = form::transpose;
    s.operands = {{from}};
    const int rank = known(from).extents.size();
    if (!one_in(3) && rank > 0) {
      std::vector<int> order(static_cast<std::size_t>(rank));
      std::iota(order.begin(), order.end(), 0);
      for (int d = rank - 1; d > 0; --d) std::swap(order[static_cast<std::size_t>(d)], order[pick(d + 1)]);
      for (int& axis : order) axis -= one_in(5) ? rank : 0;
      s.axes = order;
    }
    return add(std::move(s));
  }

  bool reshape(int from) {
    step s;
    s.what = form::reshape;
    s.operands = {{from}};
    std::int64_t rest = known(from).extents.elements();
    while (s.extents.size() < 5 && !one_in(3)) {
      static constexpr std::int64_t factors[] = {1, 2, 3, 4, 5, 7, 11, 17};
      const std::int64_t f = one_of(factors);
      if (rest % f == 0) s.extents.push_back(f), rest /= f;
    }
    if (rest != 1 || one_in(2))
      s.extents.insert(s.extents.begin() + pick(s.extents.size() + 1), rest > 0 && one_in(3) ? -1 : rest);
    return add(std::move(s));
  }

  bool broadcast(int from) {
    step s;
    s.what = form::broadcast;
    s.operands = {{from}};
    const shape& given = known(from).extents;
    shape to = some_shape();
    if (one_in(2) || !codegen::broadcast(to, given)) to = given;
    s.extents.assign(to.begin(), to.end());
    for (std::int64_t& extent : s.extents)
      if (extent == 1 && one_in(2)) extent = 1 + pick(5);
    if (s.extents.size() < 5 && one_in(3)) s.extents.insert(s.extents.begin(), 1 + pick(4));
    return add(std::move(s));
  }

  bool reduce(int from) {
    step s;
    s.what = form::reduce;
    s.operands = {{from}};
    s.folding = static_cast<fold>(pick(std::size(fold_names)));
    if (s.folding > fold::sum && one_in(3)) s.folding = fold::sum;
    const dtype given = known(from).type;
    if (!facts_of(s.folding)) s.type = one_in(6) ? dtype::float32 : detail::mean_dtype(given);
    else if (chooses_dtype(s.folding) && one_in(6)) s.type = types_[pick(types_.size())];
    else s.type = detail::reduced_dtype(static_cast<detail::reduction>(s.folding), given);
    s.keepdims = one_in(2);
    s.ddof = s.folding > fold::mean && one_in(3) ? 1 : 0;
    const int rank = known(from).extents.size();
    if (!one_in(4)) {
      s.axes.emplace();
      for (int d = 0; d < rank; ++d)
        if (one_in(2)) s.axes->push_back(one_in(4) ? d - rank : d);
    }
    if (s.axes && facts_of(s.folding) && facts_of(s.folding)->takes_position()) {
      if (rank == 0) s.axes.reset();
      else s.axes = {static_cast<int>(pick(rank))};
    }
    return add(std::move(s));
  }

  // What is folded of rows used along the same rows, as in a softmax: once or twice.
  bool rows(int from) {
    const int rank = known(from).extents.size();
    if (rank == 0) return false;
    const std::vector<int> axes = one_in(3) ? std::vector<int>() : std::vector<int>{static_cast<int>(pick(rank))};
    for (unsigned n = 1 + pick(2); n > 0; --n) {
      if (!reduce(from)) return false;
      step folded = p_.steps.back();
      p_.steps.pop_back(), known_.pop_back();
      folded.keepdims = true;
      if (axes.empty()) folded.axes.reset();
      else folded.axes = axes;
      if (!add(std::move(folded))) return false;
      step use;
      use.what = form::apply;
      use.code = how_.whole ? one_of(exact) : one_of(common);
      for (int i = 0; i < detail::facts(use.code).arity; ++i) use.operands.push_back({i == 0 ? from : count() - 1});
      if (!add(std::move(use))) return false;
      from = count() - 1;
    }
    return true;
  }

  // Elements in other places. A few of them, so that indices repeat and parts meet.
  bool move(int from) {
    step s;
    s.what = form::move;
    s.moving = static_cast<motion>(pick(motion_count));
    s.operands = {{from}};
    const shape& given = known(from).extents;
    const int rank = given.size();
    if (rank == 0 && s.moving != motion::stack) return false;
    s.axes = {rank == 0 ? 0 : static_cast<int>(pick(rank))};
    const auto some = [&] { return static_cast<std::int64_t>(pick(9)) - 4; };
    switch (s.moving) {
      case motion::take: s.operands.push_back({any()}); break;
      case motion::repeat: s.extents = {pick(4)}; break;
      case motion::pad:
        s.ddof = static_cast<int>(pick(5));
        for (int d = 0; d < rank; ++d) {
          s.extents.push_back(one_in(2) ? 0 : pick(4));
          s.extents.push_back(one_in(2) ? 0 : pick(one_in(4) ? 40 : 3));
        }
        break;
      case motion::concatenate:
      case motion::stack:
        for (unsigned more = 1 + pick(2), tries = 0; more > 0 && tries < 12; ++tries) {
          s.operands.push_back({tries < 9 ? any() : from});
          if (outline_of(s, known_)) --more;
          else s.operands.pop_back();
        }
        break;
      default: s.extents = {some()};
    }
    return add(std::move(s));
  }

  bool store() {
    std::vector<int> variables;
    for (int i = 0; i < count(); ++i)
      if (is_variable(p_, i)) variables.push_back(i);
    const int target = variables[pick(variables.size())];
    step s;
    s.what = form::store;
    if (!one_in(5)) s.items = items_for(known(target).extents);
    s.updates = one_in(3);
    if (s.updates) s.code = one_of(updating);
    // What is stored is a number, any value that fits, or another part of the same array.
    const unsigned of = pick(4);
    for (int tries = 0; tries < 8; ++tries) {
      operand value;
      const std::size_t before = p_.steps.size();
      if (of == 0) value.scalar = some_number();
      else if (of == 1) value.step = any();
      else if (one_in(4) ? view(any()) : shifted(target, s.items)) value.step = count() - 1;
      else continue;
      s.operands = {{target}, value};
      if (add(s)) return true;
      p_.steps.resize(before), known_.resize(before);
    }
    return false;
  }
  // A view of an array, or something made of one, and the items of another view of the same shape that overlaps it.
  bool shifted(int target, std::vector<detail::index_item>& items) {
    step s;
    s.what = form::view;
    s.operands = {{target}};
    items.clear();
    for (std::int64_t n : known(target).extents) {
      const std::int64_t by = n > 1 ? 1 + pick(std::min<std::int64_t>(n - 1, 9)) : 0;
      any_index here = _, there = _;
      switch (pick(5)) {
        case 0:
          here = slice(by, _);
          there = slice(_, n - by);
          break;
        case 1:
          here = slice(_, n - by);
          there = slice(by, _);
          break;
        case 2: there = slice(_, _, -1); break;
        case 3:
          here = slice(_, n / 2);
          there = slice(_, n - n % 2, 2);
          break;
        default: break;
      }
      items.push_back(here.item()), s.items.push_back(there.item());
    }
    if (items.empty() || !add(std::move(s))) return false;
    if (one_in(2)) return true;
    step on;
    on.what = form::apply;
    on.code = one_of(exact);
    for (int i = 0; i < detail::facts(on.code).arity; ++i)
      on.operands.push_back(i == 0 || one_in(2) ? operand{count() - 1} : operand{any()});
    add(std::move(on));
    return true;
  }

  // ---- the end

  void choose_results() {
    std::vector<int> unused;
    for (int i = 0; i < count(); ++i) {
      bool used = p_.steps[static_cast<std::size_t>(i)].what == form::store;
      for (const step& s : p_.steps)
        for (const operand& o : s.operands) used |= o.step == i && s.what != form::store;
      if (!used) unused.push_back(i);
    }
    for (const step& s : p_.steps)
      if (s.what == form::store) unused.push_back(s.operands[0].step);
    std::sort(unused.begin(), unused.end());
    unused.erase(std::unique(unused.begin(), unused.end()), unused.end());
    while (unused.size() > 5) unused.erase(unused.begin() + pick(unused.size()));
    if (unused.empty()) unused.push_back(any());
    if (one_in(5)) unused.push_back(any());
    p_.results = unused;
  }
  void choose_temporaries() {
    const unsigned rarely = 1 + pick(3);
    for (int i = count() - 1; i >= 0; --i)
      p_.steps[static_cast<std::size_t>(i)].temporary = one_in(rarely) && may_be_temporary(p_, i) && !is_target(i);
  }
  bool is_target(int at) const {
    return std::any_of(p_.steps.begin(), p_.steps.end(),
                       [&](const step& s) { return s.what == form::store && s.operands[0].step == at; });
  }

  std::mt19937_64 random_;
  generate_options how_;
  program p_;
  std::vector<outline> known_;
  std::vector<dtype> types_;
  values style_ = values::whole;
  shape base_;
};

}  // namespace

program generate(std::uint64_t seed, const generate_options& how) { return author(seed, how).write(); }

}  // namespace sinter::fuzz
