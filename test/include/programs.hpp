// Random programs made of nodes at run time: the same steps either left lazy, so that they fuse, or evaluated one by
// one.
#pragma once

#include <cstring>
#include <deque>
#include <map>
#include <random>
#include <tuple>
#include <vector>

#include <sinter/array.hpp>

#include "codegen/ir/node.hpp"
#include "test/include/made_at_run_time.hpp"

namespace sinter::test {

using detail::handle;
using detail::instruction;

/// The table of an operation over operands of given dtypes; the last operand may be a scalar. One for each, never
/// freed.
inline const detail::fragment& fragment_of(std::uint8_t code, const std::vector<dtype>& operands, dtype result,
                                           bool scalar) {
  using key = std::tuple<std::uint8_t, std::vector<dtype>, dtype, bool>;
  struct made {
    std::vector<instruction> code;
    void* plan = nullptr;
    detail::fragment table;
  };
  static auto* all = new std::map<key, made>;
  const auto [at, fresh] = all->try_emplace(key{code, operands, result, scalar});
  made& m = at->second;
  if (fresh) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const bool last = scalar && i + 1 == operands.size();
      m.code.push_back({last ? instruction::take_scalar : instruction::take_node, operands[i]});
    }
    m.code.push_back({code, result});
    const auto nodes = static_cast<std::uint16_t>(operands.size() - (scalar ? 1 : 0));
    m.table = {m.code.data(), static_cast<std::uint16_t>(m.code.size()),
               nodes,         static_cast<std::uint16_t>(scalar),
               result,        &m.plan};
  }
  return m.table;
}

inline dtype type_of(const handle& h) { return static_cast<detail::typed_node*>(h.get())->type; }
inline const shape& shape_of(const handle& h) { return detail::shape_of(h.get()); }

/// The node of an operation over nodes, with an optional last scalar of the first operand's dtype.
inline handle apply(std::uint8_t code, dtype result, const std::vector<handle>& operands,
                    const detail::scalar_bits* scalar = nullptr) {
  std::vector<dtype> types;
  std::vector<detail::node*> nodes;
  for (const handle& h : operands) types.push_back(type_of(h)), nodes.push_back(h.get());
  if (scalar) types.push_back(types[0]);
  return made_at_run_time({&fragment_of(code, types, result, scalar != nullptr), nodes.data(), scalar});
}
inline handle apply(op code, const std::vector<handle>& operands, const detail::scalar_bits* scalar = nullptr) {
  const detail::rule r = detail::facts(code).of;
  return apply(static_cast<std::uint8_t>(code), detail::result_dtype(r, type_of(operands.back())), operands, scalar);
}
inline handle cast(const handle& h, dtype to) {
  return type_of(h) == to ? h : apply(static_cast<std::uint8_t>(instruction::cast), to, {h});
}
inline handle evaluated(const handle& h) { return handle(detail::evaluate(h.get(), {})); }

inline std::vector<std::byte> bytes_of(const handle& h) {
  const std::int64_t count = shape_of(h).elements();
  std::vector<std::byte> all(static_cast<std::size_t>(count * itemsize(type_of(h))));
  detail::read_all(h.get(), all.data(), static_cast<std::size_t>(count), {}, {});
  return all;
}

/// Bit for bit the same, but that any NaN is any other.
template <class T>
bool same_bits(const std::vector<std::byte>& x, const std::vector<std::byte>& y) {
  if (x.size() != y.size()) return false;
  for (std::size_t i = 0; i < x.size(); i += sizeof(T)) {
    T a, b;
    std::memcpy(&a, x.data() + i, sizeof a);
    std::memcpy(&b, y.data() + i, sizeof b);
    if (std::memcmp(&a, &b, sizeof a) != 0 && (a == a || b == b)) return false;
  }
  return true;
}

/// Writes a program of values of dtype T, all of shapes that broadcast to (rows, columns): each call adds one value,
/// made of earlier ones by a step that the random numbers choose. Two writers with equal seeds write the same program.
template <class T>
class program_writer {
 public:
  /// `fused`: values stay lazy.
  program_writer(unsigned seed, bool fused) : random_(seed), fused_(fused) {
    static constexpr int sizes[] = {3, 17, 64, 1};
    rows_ = sizes[pick(3)];
    columns_ = sizes[pick(8) ? pick(3) : 3];
    for (const shape& s : {shape{rows_, columns_}, shape{rows_, columns_}, shape{columns_}, shape{rows_, 1}}) {
      std::vector<T> elements(static_cast<std::size_t>(s.elements()));
      for (T& x : elements)
        x = static_cast<T>(static_cast<int>(pick(20'001)) - 10'000) / static_cast<T>(1 + pick(5000));
      values_.emplace_back(detail::make_from_host(dtype_of<T>, s, elements.data()));
    }
  }

  void step() {
    handle made = make();
    values_.push_back(fused_ ? made : evaluated(made));
  }
  const handle& last(std::size_t back = 0) const { return values_[values_.size() - 1 - back]; }
  std::string story;  // what was done, for messages

 private:
  unsigned pick(unsigned n) { return static_cast<unsigned>(random_() % n); }
  handle any() {
    return values_[pick(3) ? values_.size() - 1 - pick(static_cast<unsigned>(values_.size() < 4 ? values_.size() : 4))
                           : pick(static_cast<unsigned>(values_.size()))];
  }
  handle settled(handle h) const { return fused_ ? h : evaluated(h); }
  handle did(const char* what, handle h) {
    story += std::string(what) + " ";
    return h;
  }
  detail::scalar_bits number() { return detail::to_bits<T>(static_cast<T>(static_cast<int>(pick(400)) - 200) / 16); }

  handle make() {
    switch (pick(10)) {
      case 0:
      case 1: return unary();
      case 2:
      case 3:
      case 4: return binary();
      case 5: return choice();
      case 6: return conversion();
      case 7: return view();
      default: return pick(2) ? with_scalar() : reduced();
    }
  }
  handle unary() {
    static constexpr op some[] = {op::exp,        op::sin,      op::cos,     op::tanh,     op::arctan,
                                  op::cbrt,       op::floor,    op::rint,    op::negative, op::square,
                                  op::reciprocal, op::absolute, op::erf,     op::exp2,     op::expm1,
                                  op::sign,       op::gammaln,  op::degrees, op::sinc};
    const op code = some[pick(std::size(some))];
    if (pick(4) == 0) return did("sqrt_abs", apply(op::sqrt, {settled(apply(op::absolute, {any()}))}));
    return did(detail::facts(code).name, apply(code, {any()}));
  }
  handle binary() {
    static constexpr op some[] = {op::add,      op::add,       op::subtract, op::subtract,  op::multiply,
                                  op::multiply, op::multiply,  op::divide,   op::maximum,   op::minimum,
                                  op::arctan2,  op::hypot,     op::copysign, op::remainder, op::floor_divide,
                                  op::power,    op::logaddexp, op::fdim,     op::heaviside};
    const op code = some[pick(std::size(some))];
    const handle a = any(), b = any();
    return did(detail::facts(code).name, apply(code, {a, b}));
  }
  handle with_scalar() {
    static constexpr op some[] = {op::add, op::subtract, op::multiply, op::divide, op::maximum, op::fmod};
    const op code = some[pick(std::size(some))];
    const detail::scalar_bits s = number();
    return did(detail::facts(code).name, apply(code, {any()}, &s));
  }
  handle choice() {
    if (pick(3) == 0) {
      const handle a = any(), b = any(), c = any();
      return did("fma", apply(op::fma, {a, b, c}));
    }
    const handle x = any(), y = any(), a = any(), b = any();
    return did("where", apply(op::where, {settled(apply(op::less, {x, y})), a, b}));
  }
  handle conversion() {
    static constexpr dtype some[] = {dtype::float32, dtype::float64, dtype::int32, dtype::uint8, dtype::bool_};
    const dtype to = some[pick(5)];
    return did(name(to), cast(settled(cast(any(), to)), dtype_of<T>));
  }
  handle view() {
    const handle from = any();
    std::vector<any_index> items;
    const int rank = shape_of(from).size();
    for (int d = 0; d < rank; ++d) items.push_back(pick(2) ? any_index(slice(_, _, -1)) : _);
    const detail::index_list list(items);
    return did("view", handle(detail::make_view(from.get(), list.items, list.count)));
  }
  handle reduced() {
    static constexpr detail::reduction some[] = {detail::reduction::sum, detail::reduction::max, detail::reduction::min,
                                                 detail::reduction::sum};
    const handle from = any();
    detail::axis_list axes;
    if (pick(3)) axes = {1, {-1}};
    const detail::reduction what = some[pick(4)];
    return did("reduced", handle(detail::make_reduction(from.get(), what, dtype_of<T>, axes, true)));
  }

  std::mt19937 random_;
  bool fused_;
  int rows_, columns_;
  std::vector<handle> values_;
};

}  // namespace sinter::test
