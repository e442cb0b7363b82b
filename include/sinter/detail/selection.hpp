// What `a(_, 0)` is until the end of its statement: a view that can be stored into. Kept under a name it is a value like any
// other: its stores are for temporaries only.
#pragma once

#include <sinter/array.hpp>

namespace sinter {

namespace detail {

/// Elements of a named array that can be stored into.
template <class X>
inline constexpr bool is_selection = false;
template <element T>
inline constexpr bool is_selection<selection<T>> = true;
template <element T>
inline constexpr bool is_selection<array_ref<T>> = true;

/// What a store gives: nothing. `a(i) = value` gives the value, if it can be stored once more: `a(0) = a(-1) = 0`.
template <class T, class V>
using stored = std::conditional_t<operand<V>, void, refused<T, fault::stored>>;
template <class T, class V>
using stored_on = std::conditional_t<
    scalar_operand<V>, std::remove_cvref_t<V>,
    std::conditional_t<operand<V> && std::is_lvalue_reference_v<V>, const std::remove_reference_t<V>&, stored<T, V>>>;

/// A number as an expression that is stored into elements of type T.
template <class T>
class stored_number {
  static_assert(
      requires { sizeof(T); }, "sinter: complex elements beside a number need its header: #include <complex>");

 public:
  template <class X>
  explicit stored_number(const X& x) : bits_(to_bits(stored_scalar<T>(x))) {}
  expression_view borrow() const { return {&table, nullptr, &bits_}; }

 private:
  static constexpr instruction code[] = {{instruction::take_scalar, dtype_of<T>}};
  static inline void* last_plan = nullptr;
  static constexpr fragment table{code, 1, 0, 1, dtype_of<T>, &last_plan};
  scalar_bits bits_;
};

/// Stores a scalar or an expression, converted to T as NumPy's setitem converts, into a view of `target` (null: all of it).
template <class T, class V>
stored<T, V> store_value(handle& target, node* view, V&& value) {
  if constexpr (!operand<V>) {
    return {};
  } else if constexpr (scalar_operand<V>) {
    store(target, view, stored_number<T>(value).borrow(), where{});
  } else if constexpr (!std::is_lvalue_reference_v<V> && std::same_as<element_in<V>, T> &&
                       requires { value.borrow(); }) {
    // One that was named is owned by its node, which others may hold.
    if (value.shared_node) store(target, view, astype<T>(lazy<T>(std::move(value))).borrow(), where{});
    else store(target, view, value.borrow(), where{});
  } else {
    store(target, view, astype<T>(std::forward<V>(value)).borrow(), where{});
  }
}

/// NumPy's "same kind" casting: of two kinds the lower may become the higher, unsigned integers being a kind below signed ones.
constexpr bool same_kind(dtype from, dtype to) {
  if (is_integer(from) && is_integer(to)) return !facts(from).is_signed || facts(to).is_signed;
  return kind_of(from) <= kind_of(to);
}

/// What is wrong with `target = target op value` in place. Dtypes: the result must be of the target's kind or a lower one, as
/// NumPy's casting rule has it.
template <op O, class T, class V>
consteval fault update_fault() {
  const outcome of = outcome_for<O, lazy<T>, V>;
  if (of.why != fault::none) return of.why;
  return same_kind(of.result, dtype_of<T>) ? fault::none : fault::kind;
}
/// What that gives: `Done`, where nothing is wrong.
template <op O, class T, class V, class Done = void>
using updated = std::conditional_t<update_fault<O, T, V>() == fault::none, Done, refused<T, update_fault<O, T, V>()>>;

template <op O, class T, class Self, class V>
updated<O, T, V> update(handle& target, node* view, Self&& self, V&& value) {
  if constexpr (update_fault<O, T, V>() != fault::none) {
    return {};
  } else {
    auto e = apply<O>(std::forward<Self>(self), std::forward<V>(value));
    if constexpr (std::same_as<element_in<decltype(e)>, T>) store(target, view, e.borrow(), where{});
    else store(target, view, astype<T>(std::move(e)).borrow(), where{});
  }
}

}  // namespace detail

// The operators that update in place, and the operations they spell; scatter.hpp, which ends what is begun here, has a use for it.
#define SINTER_UPDATES(DO) \
  DO(+=, add)              \
  DO(-=, subtract)         \
  DO(*=, multiply)         \
  DO(/=, divide)           \
  DO(%=, remainder)        \
  DO(&=, bitwise_and)      \
  DO(|=, bitwise_or)       \
  DO(^=, bitwise_xor)      \
  DO(<<=, left_shift)      \
  DO(>>=, right_shift)

/// A view of a named array that can be stored into.
template <element T>
class [[nodiscard]] selection : public detail::methods<selection<T>, T> {
 public:
  using sinter_element = T;

  /// Stores: every element of the view takes the value, which broadcasts to it. Errors: `shape_error`; nothing is changed then.
  template <class V>
    requires(!std::same_as<std::remove_cvref_t<V>, selection>)
  detail::stored_on<T, V>
  operator=(V&& value) && {
    if constexpr (std::same_as<detail::stored_on<T, V>, detail::stored<T, V>>) {
      return detail::store_value<T>(target_->own(), node(), std::forward<V>(value));
    } else {
      detail::store_value<T>(target_->own(), node(), value);
      return value;
    }
  }
  void operator=(detail::no_list) &&;
  void operator=(selection&& other) && { detail::store_value<T>(target_->own(), node(), std::move(other)); }
  void operator=(const selection& other) && { detail::store_value<T>(target_->own(), node(), other); }
  template <class V>
  void operator=(V&&) & {
    static_assert(detail::never<V>, "sinter: a view under a name is a value; to store, write the index: a(i) = x");
  }

#define SINTER_UPDATE(symbol, name)                                                                       \
  template <class V>                                                                                      \
  detail::updated<op::name, T, V> operator symbol(V&& value)&& {                                          \
    return detail::update<op::name, T>(target_->own(), node(), lazy<T>(share()), std::forward<V>(value)); \
  }
  SINTER_UPDATES(SINTER_UPDATE)
#undef SINTER_UPDATE

  using detail::methods<selection<T>, T>::real;
  using detail::methods<selection<T>, T>::imag;
  complex_part<T, op::real> real() && requires(detail::complex_number<T>) {
    return complex_part<T, op::real>(std::move(*this));
  }
  complex_part<T, op::imag> imag() && requires(detail::complex_number<T>) {
    return complex_part<T, op::imag>(std::move(*this));
  }

  /// Stores a number into every element. Source: numpy.ndarray.fill.
  template <detail::scalar_operand V>
  void fill(V value) && {
    std::move(*this) = value;
  }

  selection(selection&&) noexcept = default;
  /// Library use. The whole of an array; what an index list names of a node: the array's, or an array_ref's.
  selection(array<T>& target, detail::node* owned_view) : target_(&target), view_(owned_view) {}
  template <class... Index>
  selection(array<T>& target, const array_ref<T>* of, detail::node* whole, const Index&... index)
      : target_(&target), of_(of), list_(index...), view_(detail::make_view(whole, list_.items, list_.count)) {}
  detail::node* share() const { return detail::retain(node()); }
  detail::node* release_node() {
    node();
    return view_.take();
  }

 private:
  friend array_ref<T>;

  detail::node* node() const {
    if (!view_) [[unlikely]]
      detail::throw_moved_from();
    return view_.get();
  }

  array<T>* target_;                  // alive: stores happen in the statement that named it
  const array_ref<T>* of_ = nullptr;  // what the list is for, where that is not the whole target
  detail::index_list list_;
  detail::handle view_;
};

/// Elements of a named array for a function that stores into them: `void relax(array_ref<double> v)` is called as
/// `relax(a(_, 0))` or `relax(a)`. It stands for those elements as they are at the time: `v(0) = v(1)`, `v += 1` and
/// `v(ellipsis) = 0` store into the array, and reading gives what it has then. Copies of the array keep their values, as
/// with every store. A parameter's type: it points at the array, which is alive while the call runs, and can be neither
/// copied nor moved to where it would outlive that; `f(v(ellipsis))` hands it on (docs/decisions/0009). Errors: of a store,
/// as those of `a(i) = x`; `index_error` where the array has been given a value that the index list does not fit.
template <element T>
class array_ref : public detail::methods<array_ref<T>, T> {
 public:
  using sinter_element = T;

  array_ref(array<T>& whole) : target_(&whole) {}
  array_ref(selection<T>&& part) : target_(part.target_), of_(part.of_), list_(part.list_) {
    part.view_ = {};  // the selection lives until the call is over, and would count as a holder of the elements
  }
  array_ref(const array_ref&) = delete;
  template <class X>
  array_ref(X&&) {
    static_assert(
        detail::never<X>,
        "sinter: an array_ref<T> is made of a named array<T> that is not const, or of a(i); v(ellipsis) of another");
  }

  using detail::refused_indices::operator();
  using detail::refused_indices::operator[];
  /// A part of them, to read or to store into. Errors: `index_error`.
  template <detail::index... Index>
  selection<T> operator()(Index... i) const {
    const detail::handle whole(share());
    return selection<T>(*target_, this, whole.get(), i...);
  }
  template <detail::index Index>
  selection<T> operator[](Index i) const {
    return (*this)(i);
  }
  /// Those that arrays of integers name, or that are under a mask, as of a named array.
  template <class... Index>
    requires detail::picks<Index...> picked<T>
  operator()(Index&&... i) const {
    return picked<T>(*target_, target_->node(), detail::handle(share()), std::forward<Index>(i)...);
  }
  template <detail::index_array Index>
  picked<T> operator[](Index&& i) const {
    return (*this)(std::forward<Index>(i));
  }
  template <detail::mask_array Mask>
  masked<T> operator()(Mask&& m) const {
    return masked<T>(*target_, this, detail::take_node(std::forward<Mask>(m)));
  }
  template <detail::mask_array Mask>
  masked<T> operator[](Mask&& m) const {
    return (*this)(std::forward<Mask>(m));
  }

#define SINTER_UPDATE(symbol, name)                                  \
  template <class V>                                                 \
  detail::updated<op::name, T, V> operator symbol(V&& value) const { \
    return (*this)(ellipsis)symbol std::forward<V>(value);           \
  }
  SINTER_UPDATES(SINTER_UPDATE)
#undef SINTER_UPDATE
  template <class V>
  void operator=(V&&) {
    static_assert(detail::never<V>,
                  "sinter: an array_ref is not made to stand for something else; v(ellipsis) = x stores");
  }

  /// Stores a number into every element. Source: numpy.ndarray.fill.
  template <detail::scalar_operand V>
  void fill(V value) const {
    (*this)(ellipsis) = value;
  }

  /// Library use. What a view of these elements shows, to store into; their node.
  selection<T> through(detail::node* owned_view) const { return selection<T>(*target_, owned_view); }
  detail::node* share() const {
    const detail::handle whole(of_ ? of_->share() : target_->share());
    return detail::make_view(whole.get(), list_.items, list_.count);
  }
  detail::node* release_node() const { return share(); }

 private:
  array<T>* target_;
  const array_ref* of_ = nullptr;  // a caller's, which lives longer
  detail::index_list list_;
};

#define SINTER_UPDATE(symbol, name)                                                    \
  template <element T, class V>                                                        \
  detail::updated<op::name, T, V, array<T>&> operator symbol(array<T>& a, V&& value) { \
    detail::update<op::name, T>(a.own(), nullptr, a, std::forward<V>(value));          \
    return a;                                                                          \
  }
SINTER_UPDATES(SINTER_UPDATE)
#undef SINTER_UPDATE

// What nothing can be stored into.
#define SINTER_UPDATE(symbol)     \
  template <detail::expression E> \
  void operator symbol(const E&, detail::no_change);
SINTER_UPDATE(+=)
SINTER_UPDATE(-=)
SINTER_UPDATE(*=)
SINTER_UPDATE(/=)
SINTER_UPDATE(%=)
SINTER_UPDATE(&=)
SINTER_UPDATE(|=)
SINTER_UPDATE(^=)
SINTER_UPDATE(<<=)
SINTER_UPDATE(>>=)
#undef SINTER_UPDATE

}  // namespace sinter

#include <sinter/complex.hpp>
#include <sinter/detail/method_definitions.hpp>
#include <sinter/scatter.hpp>
