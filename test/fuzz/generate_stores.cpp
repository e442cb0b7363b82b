// Stores: through views, arrays of indices and masks.
#include <algorithm>

#include <sinter/index.hpp>

#include "test/fuzz/author.hpp"

namespace sinter::fuzz {

namespace {

constexpr op updating[] = {op::add,         op::subtract,   op::multiply,    op::divide,     op::remainder,
                           op::bitwise_and, op::bitwise_or, op::bitwise_xor, op::left_shift, op::right_shift};
constexpr op updating_picked[] = {op::add, op::subtract, op::multiply, op::divide};
constexpr op combining[] = {op::add, op::add, op::maximum, op::minimum};
constexpr op updating_masked[] = {op::add, op::multiply};

}  // namespace

bool author::store() {
  std::vector<int> variables;
  for (int i = 0; i < count(); ++i)
    if (is_variable(p_, i)) variables.push_back(i);
  const int target = variables[pick(variables.size())];
  switch (pick(8)) {
    case 0: return masked_store(target);
    case 1:
    case 2: return picked_store(target);
    case 3:
      if (one_in(2)) return put_store(target);
      break;
    default: break;
  }
  step s;
  s.what = form::store;
  if (!one_in(5)) s.items = items_for(known(target).extents);
  s.updates = one_in(3);
  if (s.updates) s.code = one_of(updating);
  if (detail::is_complex(known(target).type) && one_in(3)) {
    s.into = one_in(2) ? storing::real : storing::imag;
    if (s.updates) s.code = one_of(updating_picked);
  }
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

// A value that fits, of a few that are tried, goes into a store whose other operands are known.
bool author::with_some_value(step s, bool may_be_step) {
  for (int tries = 0; tries < 8; ++tries) {
    operand& value = s.operands[1];
    value = {};
    if (may_be_step && !one_in(3)) value.step = any();
    else value.scalar = some_number();
    if (add(s)) return true;
  }
  return false;
}

bool author::picked_store(int target) {
  step s;
  s.what = form::store;
  s.operands = {{target}, {}};
  if (!pick_items_for(known(target).extents, s)) return false;
  s.updates = one_in(4);
  if (s.updates) s.code = one_of(updating_picked);
  else if (one_in(2)) s.into = storing::combine, s.code = one_of(combining);
  return with_some_value(std::move(s), true);
}

bool author::put_store(int target) {
  const int places = indices({});
  if (places < 0) return false;
  step s;
  s.what = form::store;
  s.into = storing::put;
  s.operands = {{target}, {}, {places}};
  return with_some_value(std::move(s), true);
}

// What a call makes of an array, or of a part of it, stored into that array, or into another part, as it fits.
bool author::called_store(int from) {
  step s;
  if (!is_variable(p_, from) && !add(form::array, from)) return false;
  const int target = is_variable(p_, from) ? from : count() - 1;
  s.what = form::store;
  const bool of_part = !one_in(3);
  if (!call(of_part && shifted(target, s.items) ? count() - 1 : target)) return false;
  if (one_in(4)) elementwise();
  const int value = count() - 1;
  s.operands = {{target}, {value}};
  if (add(s)) return true;
  for (int tries = 0; tries < 8; ++tries) {
    s.items = items_for(known(target).extents);
    if (add(s)) return true;
  }
  return true;
}

// Under a mask that is there, or that is made of the array itself.
bool author::masked_store(int target) {
  step s;
  s.what = form::store;
  s.into = one_in(2) ? storing::mask : storing::where;
  int mask = -1;
  for (int tries = 0; tries < 6; ++tries)
    if (const int at = any(); known(at).type == dtype::bool_) mask = at;
  if (mask < 0) {
    step made;
    made.what = form::apply;
    made.code = one_in(2) ? op::less : op::not_equal;
    made.operands = {{one_in(2) ? target : any()}, {-1, some_number()}};
    if (!add(std::move(made))) return false;
    mask = count() - 1;
  }
  s.operands = {{target}, {}, {mask}};
  s.updates = s.into == storing::mask && one_in(3);
  if (s.updates) s.code = one_of(updating_masked);
  return with_some_value(std::move(s), s.into == storing::where);
}

// A view of an array, or something made of one, and the items of another view of the same shape that overlaps it.
bool author::shifted(int target, std::vector<detail::index_item>& items) {
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
  on.code = one_of(exact_ops);
  for (int i = 0; i < detail::facts(on.code).arity; ++i)
    on.operands.push_back(i == 0 || one_in(2) ? operand{count() - 1} : operand{any()});
  add(std::move(on));
  return true;
}

}  // namespace sinter::fuzz
