// A signature read back. The order of words is the order in which resolve.cpp walked.
#include <sinter/error.hpp>

#include "codegen/ir/exponent.hpp"
#include "codegen/ir/program.hpp"
#include "codegen/ir/values.hpp"
#include "codegen/pass/casts.hpp"
#include "codegen/pass/powers.hpp"

namespace sinter::codegen {

using namespace detail;

std::uint16_t program::add(const value& v, const read& r) {
  if (values.size() == 0xffff) throw error("sinter: an expression of over 65,535 operations; evaluate parts of it");
  values.push_back(v);
  reads.push_back(r);
  return static_cast<std::uint16_t>(values.size() - 1);
}

namespace {

class reader {
 public:
  reader(const buffer<std::uint64_t>& words, math_mode math) : words_(words) {
    p_.rounds_each = math == math_mode::strict;
  }

  program run() {
    while (at_ < words_.size()) {
      const std::uint64_t w = words_[at_++];
      const std::uint64_t mark = w & 0xff;
      if (mark == boundary_word::mark) boundary(boundary_word{w});
      else if (mark == root_word::mark) p_.roots.push_back({root_word{w}.space(), next()});
      else if (mark == compress_word::mark) p_.compresses = true;
      else if (mark == count_word::mark) p_.counts = count_word{w}.room();
      else if (mark == load_word::mark) numbered_.push_back(load(load_word{w}));
      else if (mark == check_word::mark) numbered_.push_back(check(check_word{w}));
      else if (mark == same_scalars_word::mark) same_scalar_ = same_scalars_word{w}.first();
      else if (mark == both_word::mark) numbered_.push_back(both());
      else if (mark == digit_word::mark) numbered_.push_back(digit(digit_word{w}));
      else expression(*reinterpret_cast<const fragment*>(static_cast<std::uintptr_t>(w)));
    }
    return std::move(p_);
  }

 private:
  std::uint16_t next() {
    const ref r{words_[at_++]};
    if (r.what() == ref::value) return numbered_[r.index()];
    const bool result = r.what() == ref::result;
    const program::read from{r.index(),
                             result ? static_cast<int>(r.boundary()) : -1,
                             result && r.plain(),
                             result && r.own_row(),
                             r.what() == ref::iota,
                             r.place()};
    if (inputs_.size() <= from.operand) inputs_.resize(from.operand + 1, -1);
    int& input = inputs_[from.operand];
    if (input < 0)
      input = p_.add({value_kind::input, r.type(), op::add, {}, static_cast<std::uint16_t>(r.index())}, from);
    return static_cast<std::uint16_t>(input);
  }

  std::uint16_t applied(op code, std::uint16_t a, std::uint16_t b) {
    const std::uint16_t operands[] = {a, b};
    return apply(p_, code, operands, 2);
  }

  std::uint16_t next_scalar(dtype t) {
    if (same_scalar_ >= 0) return scalars_[static_cast<std::size_t>(same_scalar_++)];
    p_.scalars.push_back(t);
    scalars_.push_back(p_.add({value_kind::scalar, t, op::add, {}, static_cast<std::uint16_t>(scalars_.size())}));
    return scalars_.back();
  }

  std::uint16_t both() {
    const std::uint16_t first = next();
    return applied(op::logical_and, first, next());
  }

  // The place moved by the sum of its indices, each times its step.
  std::uint16_t load(load_word w) {
    const std::uint16_t place = next();
    std::vector<std::uint16_t> indices;
    for (int i = 0; i < w.indices(); ++i) indices.push_back(cast_to(p_, next(), dtype::int64));
    const std::uint16_t guard = w.guarded() ? next() : 0;
    for (int i = 0; i < w.indices(); ++i) {
      std::uint16_t& moved = indices[static_cast<std::size_t>(i)];
      if (!w.is_single(i)) moved = applied(op::multiply, moved, next_scalar(dtype::int64));
      if (i > 0) indices[0] = applied(op::add, indices[0], moved);
    }
    if (p_.reads[place].iota) return applied(op::add, place, indices[0]);
    value v{value_kind::load, p_.values[place].type, op::add, {place}, 0};
    if (w.indices() != 0) v.index |= with_offset, v.args[1] = indices[0];
    if (w.guarded()) v.args[arity(v)] = guard, v.index |= with_guard;
    return p_.add(v);
  }

  std::uint16_t check(check_word w) {
    value v{value_kind::check, dtype::int64, op::add, {cast_to(p_, next(), dtype::int64)}, 0};
    v.index = static_cast<std::uint16_t>(w.axis() << number_shift | (w.guarded() ? with_guard : 0));
    if (w.guarded()) v.args[2] = next();
    v.args[1] = next_scalar(dtype::int64);
    return p_.add(v);
  }

  std::uint16_t digit(digit_word w) {
    std::uint16_t v = next();
    if (w.divides()) v = applied(op::floor_divide, v, next_scalar(dtype::int64));
    return w.wraps() ? applied(op::remainder, v, next_scalar(dtype::int64)) : v;
  }

  void boundary(boundary_word w) {
    std::uint16_t v = next();
    std::uint16_t position = 0;
    if (w.takes_position()) position = next();
    // Otherwise a reduction folds values of the dtype it gives; truth reductions fold truth values.
    else v = cast_to(p_, v, w.type());
    if (w.by() != maker::map) v = cast_to(p_, v, widened(p_.values[v].type));  // numbers of 16 bits
    const function_text* called = nullptr;
    if (w.by_text()) called = reinterpret_cast<const function_text*>(static_cast<std::uintptr_t>(words_[at_++]));
    p_.boundaries.push_back(
        {w.what(), w.type(), w.domain(), w.rank(), w.joinable(), w.by(), v, position, called, w.transform()});
  }

  // A call's arguments are all that is on the stack. Its guard is the next word.
  std::uint16_t called(const text_call& c) {
    value v{value_kind::call, c.text.results[static_cast<std::size_t>(c.result)].type, op::add, {}, 0, &c.text};
    v.index = static_cast<std::uint16_t>(c.result << number_shift);
    if (!ref{words_[at_]}.is_none()) {
      v.index |= with_guard;
      stack_.push_back(next());
    }
    if (stack_.size() > 3) v.args.more.resize(stack_.size() - 3);
    for (int a = 0; a < static_cast<int>(stack_.size()); ++a) v.args[a] = stack_[static_cast<std::size_t>(a)];
    return p_.add(v);
  }

  void expression(const fragment& f) {
    stack_.clear();
    p_.unrounded.clear();
    p_.fragments.push_back(&f);
    const std::size_t first_ref = at_;
    const std::uint64_t* const exponents = words_.data() + first_ref + f.nodes;
    std::size_t node = first_ref;
    int power = 0;
    for (int i = 0; i < f.length; ++i) {
      const instruction in = f.code[i];
      if (in.code == instruction::take_node) {
        at_ = node++;
        stack_.push_back(next());
      } else if (in.code == instruction::take_scalar) {
        stack_.push_back(next_scalar(in.type));
      } else if (in.code == instruction::cast) {
        stack_.back() = cast_to(p_, stack_.back(), in.type);
        std::erase_if(p_.unrounded, [&](const auto& of) { return of.first == stack_.back(); });  // it is asked for
      } else if (in.code == instruction::call) {
        at_ = node;
        stack_ = {called(*f.called)};
      } else {
        const op code = static_cast<op>(in.code);
        const int arity = facts(code).arity;
        const std::uint16_t* const operands = stack_.data() + stack_.size() - arity;
        const bool scalar_power = f.scalar_powers != 0 && is_scalar_power(f.code, i);
        const std::uint16_t made = scalar_power ? raise(p_, operands, exponent_words::at(exponents, power++))
                                                : apply(p_, code, operands, arity);
        stack_.resize(stack_.size() - arity);
        stack_.push_back(made);
      }
    }
    at_ = first_ref + f.nodes + static_cast<std::size_t>(exponent_words::count(f)) + (f.called ? 1 : 0);
    numbered_.push_back(stack_.back());
    same_scalar_ = -1;
  }

  const buffer<std::uint64_t>& words_;
  std::size_t at_ = 0;
  program p_;
  std::vector<std::uint16_t> stack_, numbered_, scalars_;
  int same_scalar_ = -1;     // the next one of those that an expression took before
  std::vector<int> inputs_;  // by operand: its value, or -1
};

}  // namespace

program decode(const buffer<std::uint64_t>& words, math_mode math) { return reader(words, math).run(); }

}  // namespace sinter::codegen
