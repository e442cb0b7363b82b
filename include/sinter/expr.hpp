// The type of an expression that has not run: its operation and its captured operands. An object is an array of counted nodes
// and an array of scalars; the type is a constant table made once.
#pragma once

#include <sinter/detail/methods.hpp>
#include <sinter/detail/operand.hpp>

namespace sinter {

template <op O, class T, class... A>
class expr;

namespace detail {

/// The operands of an expression, flattened. Moved-from objects hold no node, so destroying one costs a test.
template <int Nodes, int Scalars>
struct operands {
  node* nodes[Nodes];
  scalar_bits scalars[Scalars > 0 ? Scalars : 1];
  mutable node* shared_node = nullptr;

  operands() = default;
  operands(const operands&) = delete;
  operands& operator=(const operands&) = delete;
  operands(operands&& other) noexcept : shared_node(other.shared_node) {
    node** n = nodes;
    scalar_bits* s = scalars;
    other.move_into(n, s);
    other.shared_node = nullptr;
  }
  ~operands() {
    if (nodes[0]) release_all(nodes, Nodes);
    if (shared_node) release(shared_node);
  }

  void move_into(node**& n, scalar_bits*& s) noexcept {
    for (node*& mine : nodes) *n++ = mine;
    nodes[0] = nullptr;
    for (int i = 0; i < Scalars; ++i) *s++ = scalars[i];
  }
};

/// The constant table of an expression type.
template <class E>
struct table {
  struct text {
    instruction at[E::length];
  };
  static constexpr text make() {
    text t{};
    instruction* end = t.at;
    E::emit(end);
    return t;
  }
  static constexpr text code = make();
  static inline void* last_plan = nullptr;
  static constexpr fragment value{code.at, E::length, E::node_count, E::scalar_count, dtype_of<typename E::sinter_element>,
                                  &last_plan};
};

}  // namespace detail

/// An elementwise expression of element type T. Made by operators and functions, evaluated by `array`, `eval`, a store, `item`,
/// printing or `get`, and by nothing else. Expressions own what they refer to: returning one from a function is always right.
template <op O, class T, class... A>
class [[nodiscard]] expr : public detail::operands<(A::node_count + ...), (A::scalar_count + ...)>,
                           public detail::methods<expr<O, T, A...>, T> {
  using base = detail::operands<(A::node_count + ...), (A::scalar_count + ...)>;

 public:
  using sinter_element = T;
  static constexpr op operation = O;
  static constexpr int node_count = (A::node_count + ...);
  static constexpr int scalar_count = (A::scalar_count + ...);
  static constexpr int length = 1 + (A::length + ...);
  static constexpr void emit(detail::instruction*& at) {
    (A::emit(at), ...);
    *at++ = {static_cast<std::uint8_t>(O), dtype_of<T>};
  }

  explicit expr(A&&... a) noexcept {
    detail::node** n = base::nodes;
    detail::scalar_bits* s = base::scalars;
    (a.move_into(n, s), ...);
  }
  expr(expr&&) noexcept = default;

  /// Library use: this expression without its type, and its shared node.
  detail::expression_view view() const { return {&detail::table<expr>::value, base::nodes, base::scalars}; }
  detail::node* share() const { return detail::share(&this->shared_node, view()); }
};

/// An expression behind one pointer: what reductions, views and functions of run-time structure return.
template <element T>
class [[nodiscard]] lazy : public detail::methods<lazy<T>, T> {
 public:
  using sinter_element = T;
  /// Any expression of this element type.
  template <detail::expression E>
    requires(std::same_as<typename std::remove_cvref_t<E>::sinter_element, T> && !std::same_as<std::remove_cvref_t<E>, lazy>)
  lazy(E&& e) : node_(e.share()) {}
  explicit lazy(detail::node* owned) noexcept : node_(owned) {}

  detail::node* share() const noexcept { return detail::retain(node_.get()); }
  detail::node* release_node() noexcept { return node_.take(); }

 private:
  detail::handle node_;
};

namespace detail {

/// Stands for the result of a call that was refused, so that the refusal is the only error.
struct refused {};

template <class X>
inline constexpr bool is_ordering = false;
template <op O, class T, class... A>
inline constexpr bool is_ordering<expr<O, T, A...>> =
    O == op::less || O == op::less_equal || O == op::greater || O == op::greater_equal;

/// Builds the expression O over operands; every operator and elementwise function comes here.
template <op O, class... X>
auto apply(X&&... x) {
  if constexpr (!(operand<X> && ...)) {
    static_assert((operand<X> && ...), "sinter: an operand must be an array, an expression or an arithmetic scalar");
    return refused{};
  } else {
    constexpr dtype promoted = promoted_dtype<O, X...>();
    constexpr rule r = facts(O).of;
    if constexpr (!accepts(r, promoted)) {
      static_assert(accepts(r, promoted), "sinter: this operation does not take operands of this dtype");
      return refused{};
    } else {
      constexpr dtype computed = compute_dtype(r, promoted);
      using W = typename element_of<computed>::type;
      using R = typename element_of<result_dtype(r, computed)>::type;
      return expr<O, R, captured<W, X>...>(capture<W>(std::forward<X>(x))...);
    }
  }
}

/// Ordering comparisons refuse `0 < a < 1`, which C++ would take for `(0 < a) < 1`.
template <op O, class X, class Y>
auto compare(X&& x, Y&& y) {
  if constexpr (is_ordering<std::remove_cvref_t<X>>) {
    static_assert(!is_ordering<std::remove_cvref_t<X>>, "sinter: write (0 < a) && (a < 1) for 0 < a < 1");
    return refused{};
  } else {
    return apply<O>(std::forward<X>(x), std::forward<Y>(y));
  }
}

template <class... X>
concept any_expression = (expression<X> || ...);

}  // namespace detail
}  // namespace sinter
