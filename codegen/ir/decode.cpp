// A signature read back. The order of words is the order in which resolve.cpp walked.
#include <sinter/error.hpp>

#include "codegen/ir/exponent.hpp"
#include "codegen/ir/program.hpp"
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
  explicit reader(const buffer<std::uint64_t>& words) : words_(words) {}

  program run() {
    while (at_ < words_.size()) {
      const std::uint64_t w = words_[at_++];
      if ((w & 0xff) == boundary_word::mark) boundary(boundary_word{w});
      else if ((w & 0xff) == root_word::mark) p_.roots.push_back({root_word{w}.space(), next()});
      else expression(*reinterpret_cast<const fragment*>(static_cast<std::uintptr_t>(w)));
    }
    return std::move(p_);
  }

 private:
  std::uint16_t next() {
    const ref r{words_[at_++]};
    if (r.what() == ref::value) return numbered_[r.index()];
    const bool result = r.what() == ref::result;
    const program::read from{r.index(), result ? static_cast<int>(r.boundary()) : -1, result && r.plain(),
                             result && r.own_row(), r.what() == ref::iota};
    if (inputs_.size() <= from.operand) inputs_.resize(from.operand + 1, -1);
    int& input = inputs_[from.operand];
    if (input < 0)
      input = p_.add({value_kind::input, r.type(), op::add, {}, static_cast<std::uint16_t>(r.index())}, from);
    return static_cast<std::uint16_t>(input);
  }

  void boundary(boundary_word w) {
    std::uint16_t v = next();
    std::uint16_t position = 0;
    if (w.takes_position()) position = next();
    // Otherwise a reduction folds values of the dtype it gives; truth reductions fold truth values.
    else if (w.what() != 0) v = cast_to(p_, v, w.type());
    p_.boundaries.push_back({w.what(), w.type(), w.domain(), w.rank(), w.joinable(), w.running(), v, position});
  }

  void expression(const fragment& f) {
    stack_.clear();
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
        p_.scalars.push_back(in.type);
        const auto index = static_cast<std::uint16_t>(p_.scalars.size() - 1);
        stack_.push_back(p_.add({value_kind::scalar, in.type, op::add, {}, index}));
      } else if (in.code == instruction::cast) {
        stack_.back() = cast_to(p_, stack_.back(), in.type);
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
    at_ = first_ref + f.nodes + static_cast<std::size_t>(exponent_words::count(f));
    numbered_.push_back(stack_.back());
  }

  const buffer<std::uint64_t>& words_;
  std::size_t at_ = 0;
  program p_;
  std::vector<std::uint16_t> stack_, numbered_;
  std::vector<int> inputs_;  // by operand: its value, or -1
};

}  // namespace

program decode(const buffer<std::uint64_t>& words) { return reader(words).run(); }

}  // namespace sinter::codegen
