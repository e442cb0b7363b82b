// Stores through arrays of indices and through masks: `a(indices) = e`, `a(_, k) += 1`, `a(a < 0) = 0`, `store_where`.
#pragma once

#include <sinter/array.hpp>

namespace sinter {

/// Elements of a named array that arrays of integers name. It reads like any expression, and can be stored into.
template <element T>
class [[nodiscard]] picked : public detail::methods<picked<T>, T> {
 public:
  using sinter_element = T;

  /// Stores: every element that is named takes its value; of several values for one element the last in C order stays. Shapes:
  /// the value broadcasts to that of `a(indices)`. Errors: `shape_error`; `index_error` as of reading, and then elements at
  /// index 0 may have been written. Source: numpy's setitem.
  template <class V>
    requires(detail::operand<V> && !std::same_as<std::remove_cvref_t<V>, picked>)
  void operator=(V&& value) && {
    if constexpr (detail::scalar_operand<V>) {
      static constexpr detail::instruction code[] = {{detail::instruction::take_scalar, dtype_of<T>}};
      static void* last_plan = nullptr;
      static constexpr detail::fragment table{code, 1, 0, 1, dtype_of<T>, &last_plan};
      const detail::scalar_bits bits = detail::to_bits(detail::stored_scalar<T>(value));
      store({&table, nullptr, &bits});
    } else {
      const auto e = astype<T>(std::forward<V>(value));
      store(e.view());
    }
  }
  void operator=(const picked& other) && { std::move(*this) = lazy<T>(other.share()); }

#define SINTER_UPDATE(symbol, name)                                                            \
  template <class V>                                                                           \
  detail::updated<op::name, T, V> operator symbol(V&& value)&& {                               \
    if constexpr (detail::update_fault<op::name, T, V>() != detail::fault::none) return {};    \
    else std::move(*this) = detail::apply<op::name>(lazy<T>(share()), std::forward<V>(value)); \
  }
  SINTER_UPDATE(+=, add)
  SINTER_UPDATE(-=, subtract)
  SINTER_UPDATE(*=, multiply)
  SINTER_UPDATE(/=, divide)
#undef SINTER_UPDATE

  /// Library use.
  template <class... Index>
  explicit picked(array<T>& target, const Index&... i) : target_(&target), indices_(i...) {
    const detail::handle whole(target.share());
    view_ = detail::handle(indices_.view_of(whole.get()));
  }
  detail::node* share() const { return detail::retain(view_.get()); }
  detail::node* release_node() { return view_.take(); }

 private:
  void store(const detail::expression_view& e) {
    view_ = {};
    const detail::handle all(detail::make_positions(target_->shape()));
    detail::store_at(target_->own(), detail::handle(indices_.view_of(all.get())), e, detail::where{});
  }

  array<T>* target_;  // alive: stores happen in the statement that named it
  detail::pick_list indices_;
  detail::handle view_;
};

/// Elements of a named array where a mask is true, to be stored into.
template <element T>
class [[nodiscard]] masked {
 public:
  /// A number takes the place of every element under the mask: one kernel. Errors: `index_error` where the mask's axes are not the
  /// array's first ones. Source: numpy's setitem.
  template <detail::scalar_operand V>
  void operator=(V value) && {
    (*target_)(ellipsis) = where(lazy<bool>(mask()), strong(detail::stored_scalar<T>(value)), *target_);
  }
  template <detail::expression V>
  void operator=(V&&) && {
    static_assert(
        detail::never<V>,
        "sinter: a(mask) = e of an array e takes as many elements as the mask has; store_where(a, mask, e) takes "
        "one for each of a");
  }
  template <class V>
    requires detail::scalar_operand<V>
  void operator+=(V value) && { (*target_)(ellipsis) = where(lazy<bool>(mask()), *target_ + value, *target_); }
  template <class V>
    requires detail::scalar_operand<V>
  void operator*=(V value) && { (*target_)(ellipsis) = where(lazy<bool>(mask()), *target_ * value, *target_); }
  template <class X>
    requires detail::expression<X>
  operator X() const {
    static_assert(detail::never<X>,
                  "sinter: the elements under a mask cannot be read; where(mask, a, 0) keeps their places");
    __builtin_unreachable();
  }

  /// Library use.
  masked(array<T>& target, detail::node* owned_mask) : target_(&target), mask_(owned_mask) {}
  masked(const masked&) = delete;

 private:
  detail::node* mask() const { return detail::make_mask(mask_.get(), target_->shape()); }

  array<T>* target_;
  detail::handle mask_;
};

/// Stores where a mask is true; the elements elsewhere stay. Shapes: mask and value broadcast to the array. Dtypes: the value
/// becomes the array's. Errors: `shape_error`. Source: numpy.copyto(a, e, where=mask), numpy.putmask.
template <element T, detail::expression M, detail::operand V>
  requires std::same_as < detail::element_in<M>,
bool > void store_where(array<T>& a, M&& mask, V&& value) {
  if constexpr (detail::scalar_operand<V>)
    a(ellipsis) = where(std::forward<M>(mask), strong(detail::stored_scalar<T>(value)), a);
  else a(ellipsis) = where(std::forward<M>(mask), astype<T>(std::forward<V>(value)), a);
}

}  // namespace sinter
