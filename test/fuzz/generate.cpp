#include "test/fuzz/author.hpp"

#include <algorithm>

namespace sinter::fuzz {

namespace {

constexpr int all_ops = static_cast<int>(op::random_uint32);  // what random numbers are made of comes after them
constexpr int plain_ops = static_cast<int>(op::xlogy);        // and namespace special before them
constexpr op common[] = {op::add,     op::subtract, op::multiply, op::divide,       op::maximum,
                         op::minimum, op::less,     op::where,    op::negative,     op::absolute,
                         op::sqrt,    op::multiply, op::power,    op::floor_divide, op::greater,
                         op::add,     op::subtract, op::exp,      op::square};

}  // namespace

author::author(std::uint64_t seed, const generate_options& how) : random_(seed), how_(how) {
  if (one_in(50)) how_.most_elements *= 20;
}

program author::write() {
  choose_style();
  for (unsigned n = 1 + pick(4); n > 0; --n) input();
  const int wanted = how_.least_steps + static_cast<int>(pick(how_.most_steps - how_.least_steps + 1));
  for (int made = 0, tries = 0; made < wanted && tries < 40 * wanted; ++tries) made += statement();
  choose_results();
  choose_temporaries();
  return std::move(p_);
}

bool author::add(step s) {
  const std::optional<outline> o = outline_of(s, known_);
  if (!o || o->extents.elements() > how_.most_elements) return false;
  p_.steps.push_back(std::move(s));
  known_.push_back(*o);
  return true;
}
bool author::add(form what, int from) {
  step s;
  s.what = what;
  s.operands = {{from}};
  return add(std::move(s));
}
void author::drop_last() { p_.steps.pop_back(), known_.pop_back(); }

// A value: rather one of the last.
int author::any() {
  for (;;) {
    const unsigned n = static_cast<unsigned>(count());
    const int at = static_cast<int>(pick(3) ? n - 1 - pick(std::min(n, 4u)) : pick(n));
    if (p_.steps[static_cast<std::size_t>(at)].what != form::store) return at;
  }
}

bool author::statement() {
  switch (pick(25)) {
    case 20:
    case 21:
    case 22:
    case 23: return call(any());
    case 24: return called_store(any());
    case 19: return picked(any());
    case 18: return scan(any());
    case 16:
    case 17: return move(any());
    case 0: return view(any());
    case 1: return transpose(any());
    case 2: return reshape(any());
    case 3: return broadcast(any());
    case 4:
    case 5: return one_in(3) ? one_in(3) ? softmax(any()) : rows(any()) : one_in(8) ? spread(any()) : reduce(any());
    case 6: return one_in(2) ? add(form::array, any()) : one_in(2) && index();
    case 7:
    case 8: return store();
    case 9: return cast(any());
    default: return elementwise();
  }
}

// Real and imaginary parts, sizes and angles, and numbers made of two parts.
bool author::parts(int from) {
  static constexpr op taking[] = {op::real, op::imag, op::conjugate, op::absolute, op::angle};
  step s;
  s.what = form::apply;
  const bool of_complex = detail::is_complex(known(from).type);
  s.code = of_complex ? one_of(taking) : op::make_complex;
  s.operands = {{from}};
  if (!of_complex)
    s.operands.insert(s.operands.begin() + pick(2), one_in(4) ? operand{-1, some_number()} : operand{any()});
  return add(std::move(s));
}

op author::some_op(bool of_all) {
  if (of_all && one_in(2)) return static_cast<op>(pick(how_.special ? all_ops : plain_ops));
  return how_.whole ? one_of(exact_ops) : one_of(common);
}

bool author::elementwise() {
  if (one_in(12)) return parts(any());
  step s;
  s.what = form::apply;
  s.code = some_op(true);
  const int arity = detail::facts(s.code).arity;
  const int keep = static_cast<int>(pick(arity));  // this operand is no number
  for (int i = 0; i < arity; ++i) {
    const bool chooses = s.code == op::where && i == 0;
    if (i != keep && !chooses && one_in(4)) s.operands.push_back({-1, some_number()});
    else s.operands.push_back({any()});
  }
  s.as_text = one_in(4);
  return add(std::move(s));
}

bool author::cast(int from) {
  step s;
  s.what = form::cast;
  s.type = one_in(2) ? element_types[pick(std::size(element_types))] : types_[pick(types_.size())];
  const step& before = p_.steps[static_cast<std::size_t>(from)];
  if (before.what == form::cast && one_in(2)) s.type = known(before.operands[0].step).type;  // there and back
  s.operands = {{from}};
  return add(std::move(s));
}

void author::choose_results() {
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
void author::choose_temporaries() {
  const unsigned rarely = 1 + pick(3);
  for (int i = count() - 1; i >= 0; --i)
    p_.steps[static_cast<std::size_t>(i)].temporary = one_in(rarely) && may_be_temporary(p_, i) && !is_target(i);
}
bool author::is_target(int at) const {
  return std::any_of(p_.steps.begin(), p_.steps.end(),
                     [&](const step& s) { return s.what == form::store && s.operands[0].step == at; });
}

program generate(std::uint64_t seed, const generate_options& how) { return author(seed, how).write(); }

}  // namespace sinter::fuzz
