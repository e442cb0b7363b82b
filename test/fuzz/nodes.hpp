// Expressions made at run time, as the front end makes them from C++ types: postfix code over nodes and numbers, either
// still a temporary, which moves into what it is used in, or behind a node.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include <sinter/detail/seam.hpp>

#include "codegen/ir/node.hpp"
#include "test/include/made_at_run_time.hpp"

namespace sinter::fuzz {

using detail::handle;
using detail::instruction;

inline dtype type_of(const handle& h) { return static_cast<detail::typed_node*>(h.get())->type; }
inline const shape& shape_of(const handle& h) { return detail::shape_of(h.get()); }

/// The table of some code, as an expression type has one. One for each code, never freed.
inline const detail::fragment& fragment_of(const std::vector<instruction>& code) {
  struct made {
    std::vector<instruction> code;
    void* plan = nullptr;
    detail::fragment table;
  };
  static auto* all = new std::map<std::vector<std::pair<int, dtype>>, std::unique_ptr<made>>;
  std::vector<std::pair<int, dtype>> key;
  key.reserve(code.size());
  for (const instruction& i : code) key.emplace_back(i.code, i.type);
  std::unique_ptr<made>& m = (*all)[key];
  if (!m) {
    std::uint16_t nodes = 0, scalars = 0;
    for (const instruction& i : code)
      nodes += i.code == instruction::take_node, scalars += i.code == instruction::take_scalar;
    const auto length = static_cast<std::uint16_t>(code.size());
    m = std::make_unique<made>(made{code, nullptr, {}});
    m->table = {m->code.data(),
                length,
                nodes,
                scalars,
                code.back().type,
                &m->plan,
                detail::count_scalar_powers(m->code.data(), length)};
  }
  return m->table;
}

/// An expression that no node stands for yet.
class tree {
 public:
  void take(handle node) {
    code_.push_back({instruction::take_node, type_of(node)});
    nodes_.push_back(std::move(node));
  }
  void take(dtype type, detail::scalar_bits bits) {
    code_.push_back({instruction::take_scalar, type});
    scalars_.push_back(bits);
  }
  void take(tree&& other) {
    code_.insert(code_.end(), other.code_.begin(), other.code_.end());
    for (handle& h : other.nodes_) nodes_.push_back(std::move(h));
    scalars_.insert(scalars_.end(), other.scalars_.begin(), other.scalars_.end());
    other = {};
  }
  void apply(op code, dtype result) { code_.push_back({static_cast<std::uint8_t>(code), result}); }
  void cast(dtype to) { code_.push_back({instruction::cast, to}); }

  bool empty() const { return code_.empty(); }
  dtype type() const { return code_.back().type; }
  /// Calls f with what the seam takes.
  template <class F>
  auto seen(F&& f) const {
    std::vector<detail::node*> nodes;
    for (const handle& h : nodes_) nodes.push_back(h.get());
    return f(detail::expression_view{&fragment_of(code_), nodes.data(), scalars_.data()});
  }
  /// The node it becomes under a name.
  handle shared() const {
    return seen([](const detail::expression_view& e) { return test::made_at_run_time(e); });
  }
  handle evaluated() const {
    return handle(seen([](const detail::expression_view& e) { return detail::evaluate(e, {}); }));
  }

 private:
  std::vector<instruction> code_;
  std::vector<handle> nodes_;
  std::vector<detail::scalar_bits> scalars_;
};

/// The node of one operation over nodes.
inline handle apply(op code, const std::vector<handle>& operands) {
  tree t;
  for (const handle& h : operands) t.take(h);
  t.apply(code, detail::result_dtype(detail::facts(code).of, type_of(operands.back())));
  return t.shared();
}
inline handle cast(const handle& h, dtype to) {
  if (type_of(h) == to) return h;
  tree t;
  t.take(h);
  t.cast(to);
  return t.shared();
}
inline handle evaluated(const handle& h) { return handle(detail::evaluate(h.get(), {})); }

inline std::vector<std::byte> bytes_of(const handle& h) {
  const std::int64_t count = shape_of(h).elements();
  std::vector<std::byte> all(static_cast<std::size_t>(count * itemsize(type_of(h))));
  detail::read_all(h.get(), all.data(), static_cast<std::size_t>(count), {}, {});
  return all;
}

}  // namespace sinter::fuzz
