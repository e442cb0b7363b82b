// The type of an expression that has not run: its operation and its captured operands. An object is an array of counted nodes
// and an array of scalars; the type is a constant table made once.
#pragma once

#include <sinter/detail/methods.hpp>
#include <sinter/detail/operand.hpp>

namespace sinter {

template <op O, class T, class... A>
class expr;

namespace detail {

// Not inlined, but here to be seen: from it the compiler learns that nothing keeps `nodes`, and so that a temporary whose
// operands have moved on has nothing to do at its end. That is a sixth of the time it takes over a statement.
[[gnu::noinline]] inline void release_operands(node* const* nodes, int count, node* shared) noexcept {
  if (shared) return release_shared(shared);
  if (count == 1) return release(nodes[0]);
  constexpr int most = 16;  // a copy: what is called must not be taken for keeping `nodes`
  while (count > 0) {
    node* some[most];
    const int now = count < most ? count : most;
    for (int i = 0; i < now; ++i) some[i] = nodes[i];
    release_all(some, now);
    nodes += now;
    count -= now;
  }
}
[[gnu::noinline, gnu::cold]] inline void take_back(node* const* nodes, int count, node* shared) noexcept {
  for (int i = 0; i < count; ++i) retain(nodes[i]);
  release_shared(shared);
}

/// The numbers of an expression. Most have none, and give them no room.
template <int Count>
struct number_list {
  scalar_bits* begin() { return at; }
  const scalar_bits* begin() const { return at; }
  scalar_bits at[std::size_t{Count}];
};
template <>
struct number_list<0> {
  static constexpr scalar_bits* begin() { return nullptr; }
};

/// The operands of an expression, flattened. They are the object's own until its shared node is made, which then owns them
/// and is owned by the object. Moved-from objects hold no node, so destroying one costs a test.
template <int Nodes, int Scalars>
struct operands {
  node* nodes[std::size_t{Nodes}];
  [[no_unique_address]] number_list<Scalars> scalars;
  mutable node* shared_node = nullptr;

  operands() = default;
  operands(const operands&) = delete;
  operands& operator=(const operands&) = delete;
  operands(operands&& other) noexcept : shared_node(other.shared_node) {
    other.shared_node = nullptr;
    node** n = nodes;
    scalar_bits* s = scalars.begin();
    other.move_into(n, s);
  }
  ~operands() {
    if (nodes[0]) release_operands(nodes, Nodes, shared_node);
  }

  void move_into(node**& n, scalar_bits*& s) noexcept {
    if (shared_node) {
      take_back(nodes, Nodes, shared_node);
      shared_node = nullptr;
    }
    for (node*& mine : nodes) *n++ = mine;
    nodes[0] = nullptr;
    if constexpr (Scalars > 0)
      for (const scalar_bits& mine : scalars.at) *s++ = mine;
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
    E::append_code(end);
    return t;
  }
  static constexpr text code = make();
  static inline void* last_plan = nullptr;
  static constexpr fragment value{code.at,
                                  E::length,
                                  E::node_count,
                                  E::scalar_count,
                                  dtype_of<typename E::sinter_element>,
                                  &last_plan,
                                  count_scalar_powers(code.at, E::length)};
};

}  // namespace detail

/// An elementwise expression of element type T. Made by operators and functions, evaluated by `array`, `eval`, a store, `item`,
/// printing or `get`, and by nothing else. Expressions own what they refer to: returning one from a function is always right.
/// Errors: `error` for every use of one that was moved from; of a `lazy` too.
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
  static constexpr void append_code(detail::instruction*& at) {
    (A::append_code(at), ...);
    *at++ = {static_cast<std::uint8_t>(O), dtype_of<T>};
  }

  explicit expr(A&&... a) noexcept {
    detail::node** n = base::nodes;
    detail::scalar_bits* s = base::scalars.begin();
    (a.move_into(n, s), ...);
  }
  expr(expr&&) noexcept = default;
  expr(const expr&) : base(), detail::methods<expr, T>() {
    static_assert(detail::never<T>,
                  "sinter: an expression is moved, not copied; a lazy<T> is an expression that can be");
  }
  template <class V>
  void operator=(V&&) {
    static_assert(detail::never<V>,
                  "sinter: an expression keeps its meaning; a name that takes new values is an array<T>");
  }

  /// Library use: this expression without its type, and its shared node.
  detail::expression_view borrow() const { return {&detail::table<expr>::value, base::nodes, base::scalars.begin()}; }
  detail::node* share() const { return detail::share(&this->shared_node, borrow()); }
  /// Library use: the node of an object at its end.
  detail::node* hand_over() {
    detail::node* const made = this->shared_node ? share() : detail::make_expression(borrow());
    if (this->shared_node) detail::release_shared(std::exchange(this->shared_node, nullptr));
    base::nodes[0] = nullptr;
    return made;
  }
};

/// An expression behind one pointer: what reductions, views and functions of run-time structure return.
template <element T>
class [[nodiscard]] lazy : public detail::methods<lazy<T>, T> {
 public:
  using sinter_element = T;
  /// Any expression of this element type.
  template <detail::expression E>
    requires(std::same_as<typename std::remove_cvref_t<E>::sinter_element, T> &&
             !std::same_as<std::remove_cvref_t<E>, lazy>)
  lazy(E&& e) : node_(detail::take_node(std::forward<E>(e))) {}
  explicit lazy(detail::node* owned) noexcept : node_(owned) {}
  lazy(const lazy&) = default;
  lazy(lazy&&) noexcept = default;
  // Names only: `a(0)(1) = 3` would assign to a temporary and store nothing.
  lazy& operator=(const lazy&) & = default;
  lazy& operator=(lazy&&) & noexcept = default;
  template <class V>
  void operator=(V&&) && {
    static_assert(detail::never<V>,
                  "sinter: only a view of a named array that is not const can be stored into, by one index list: "
                  "a(0, 1) = x, not a(0)(1) = x or a name for a(0)");
  }

  detail::node* share() const { return detail::retain(node()); }
  detail::node* release_node() {
    node();
    return node_.take();
  }

 private:
  detail::node* node() const {
    if (!node_) [[unlikely]]
      detail::throw_moved_from();
    return node_.get();
  }

  detail::handle node_;
};

namespace detail {

/// A number where an array may stand: without axes, of NumPy's dtype for it.
template <arithmetic V>
auto number_array(V value) {
  constexpr dtype type = default_of(kind_of(dtype_of<V>));
  using T = typename element_of<type>::type;
  return lazy<T>(make_number(type, to_bits(convert_scalar<T>(value))));
}

/// An expression, or a number in its place.
template <class X>
concept expression_or_number = expression<X> || arithmetic<X>;
/// Itself; a number as an array without axes.
template <expression_or_number X>
decltype(auto) as_expression(X&& x) {
  if constexpr (expression<X>) return std::forward<X>(x);
  else return number_array(x);
}
template <class X>
using element_as_expression = element_in<decltype(as_expression(std::declval<X>()))>;

/// The element type of the first expression among X....
template <class... X>
struct first_element {
  using type = double;
};
template <class X, class... More>
struct first_element<X, More...> : first_element<More...> {};
template <expression X, class... More>
struct first_element<X, More...> {
  using type = element_in<X>;
};

template <op O, class... X>
struct making {
  using type = refused<typename first_element<X...>::type, outcome_for<O, X...>.why>;
};
template <op O, class... X>
  requires(outcome_for<O, X...>.why == fault::none)
struct making<O, X...> {
  using computed = typename element_of<outcome_for<O, X...>.computed>::type;
  using type = expr<O, typename element_of<outcome_for<O, X...>.result>::type, captured<computed, X>...>;
};

/// The expression O over operands X....
template <op O, class... X>
using made = typename making<O, X...>::type;

template <class W, class A, class B, class C, class Made>
Made make_clip(A&& a, B&& low, C&& high) {
  return Made(capture<W>(std::forward<A>(a)), capture_bound<W>(std::forward<B>(low), true),
              capture_bound<W>(std::forward<C>(high), false));
}

/// Makes it; every operator and elementwise function comes here.
template <op O, class... X>
made<O, X...> apply(X&&... x) {
  if constexpr (outcome_for<O, X...>.why != fault::none) {
    return {};
  } else {
    if constexpr (sizeof...(X) > 1)
      if (moved_twice(std::forward<X>(x)...)) [[unlikely]]
        throw_moved_from();
    using W = typename making<O, X...>::computed;
    if constexpr (O == op::clip) return make_clip<W, X..., made<O, X...>>(std::forward<X>(x)...);
    else return made<O, X...>(capture<W>(std::forward<X>(x))...);
  }
}

template <class... X>
concept any_expression = (expression<X> || ...);

}  // namespace detail
}  // namespace sinter
