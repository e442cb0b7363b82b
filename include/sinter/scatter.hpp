// Stores through arrays of indices and through masks: `a(indices) = e`, `a(_, k) += 1`, `scatter_add(a, k, e)`, `a(a < 0) = 0`,
// `store_where`.
#pragma once

#include <sinter/array.hpp>

namespace sinter {

namespace detail {
/// What elements can be stored into: a named array, an array_ref, or a part that an index list makes of one: `a(0)`. As the type of
/// a parameter that is forwarded.
template <class A>
concept named_target = std::same_as < A,
        array<element_in<A>>
& > || std::same_as<std::remove_cvref_t<A>, array_ref<element_in<A>>>;
template <class A>
concept target = named_target<A> || std::same_as<A, selection<element_in<A>>>;
/// Itself; of a part an array_ref, which can be used more than once.
template <named_target A>
A&& stored_into(A&& a) {
  return std::forward<A>(a);
}
template <element T>
array_ref<T> stored_into(selection<T>&& part) {
  return array_ref<T>(std::move(part));
}
}  // namespace detail

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
  void operator=(V&& value) && { combine(std::forward<V>(value), {}); }
  template <class V>
    requires(!detail::operand<V>)
  detail::stored<T, V>
  operator=(V&&) &&;
  void operator=(detail::no_list) &&;
  void operator=(const picked& other) && { std::move(*this) = lazy<T>(other.share()); }
  void operator=(picked&& other) && { std::move(*this) = lazy<T>(other.release_node()); }

#define SINTER_UPDATE(symbol, name)                                                            \
  template <class V>                                                                           \
  detail::updated<op::name, T, V> operator symbol(V&& value)&& {                               \
    if constexpr (detail::update_fault<op::name, T, V>() != detail::fault::none) return {};    \
    else std::move(*this) = detail::apply<op::name>(lazy<T>(share()), std::forward<V>(value)); \
  }
  SINTER_UPDATES(SINTER_UPDATE)
#undef SINTER_UPDATE

  /// Library use. A store in which several values for one element combine.
  template <class V>
  void combine(V&& value, detail::combining how) {
    if constexpr (detail::scalar_operand<V>) {
      store(detail::stored_number<T>(value).borrow(), how);
    } else {
      const auto e = astype<T>(std::forward<V>(value));
      store(e.borrow(), how);
    }
  }
  /// Library use. Of an array, whose node `whole` is; of an array_ref, whose elements are `part`.
  template <class... Index>
  picked(array<T>& target, detail::node* whole, detail::handle part, Index&&... i)
      : target_(&target),
        of_(whole),
        part_(std::move(part)),
        indices_(std::forward<Index>(i)...),
        view_(indices_.view_of(part_ ? part_.get() : whole)) {}
  detail::node* share() const { return detail::retain(node()); }
  detail::node* release_node() {
    node();
    part_ = {};
    indices_.let_go();
    return view_.take();
  }

 private:
  detail::node* node() const {
    if (!view_) [[unlikely]]
      detail::throw_moved_from();
    return view_.get();
  }
  void store(const detail::expression_view& e, detail::combining how) {
    if (target_->node() != of_) [[unlikely]]
      detail::throw_rebound();
    view_ = {};
    detail::store_at(target_->own(), std::move(part_), indices_.list(), e, how, detail::where{});
  }

  array<T>* target_;                  // alive: stores happen in the statement that named it
  const detail::node* of_ = nullptr;  // what it was then
  detail::handle part_;               // its elements that the indices are for; null: all
  detail::pick_list indices_;
  detail::handle view_;
};

/// How scatter_add combines.
struct scatter_options {
  bool atomic =
      false;  ///< floating elements: in the order that a GPU comes to them, so that the last bits differ from run to run
};

namespace detail {
template <op O, class T, class V>
updated<O, T, V> scatter(picked<T>&& at, V&& value, bool in_any_order = false) {
  if constexpr (update_fault<O, T, V>() != fault::none) return {};
  else at.combine(std::forward<V>(value), {.folds = true, .with = O, .in_any_order = in_any_order});
}
}  // namespace detail

/// Adds values to the elements that `a(k, ...)` names: each as often as it is named. Shapes: the value broadcasts to that of
/// `a(k, ...)`. Dtypes: the value becomes the array's, as in `a += e`. The result does not depend on the order in which a GPU comes
/// to the values, unless that is chosen (docs/decisions/0027). Errors: as of `a(k) = e`. Source: numpy.add.at,
/// cupyx.scatter_add.
template <element T, detail::operand V>
detail::updated<op::add, T, V> scatter_add(picked<T>&& at, V&& value, scatter_options how = {}) {
  return detail::scatter<op::add>(std::move(at), std::forward<V>(value), how.atomic);
}
/// To `a(k)`.
template <detail::target A, detail::index_array K, detail::operand V>
detail::updated<op::add, detail::element_in<A>, V> scatter_add(A&& a, K&& k, V&& value, scatter_options how = {}) {
  auto&& to = detail::stored_into(std::forward<A>(a));
  return detail::scatter<op::add>(to(std::forward<K>(k)), std::forward<V>(value), how.atomic);
}
/// Each element that is named becomes the largest of itself and the values for it; NaN wins, and of two zeros the positive one.
/// Shapes, dtypes and errors: as scatter_add. Source: numpy.maximum.at, cupyx.scatter_max.
template <element T, detail::operand V>
detail::updated<op::maximum, T, V> scatter_max(picked<T>&& at, V&& value) {
  return detail::scatter<op::maximum>(std::move(at), std::forward<V>(value));
}
template <detail::target A, detail::index_array K, detail::operand V>
detail::updated<op::maximum, detail::element_in<A>, V> scatter_max(A&& a, K&& k, V&& value) {
  auto&& to = detail::stored_into(std::forward<A>(a));
  return detail::scatter<op::maximum>(to(std::forward<K>(k)), std::forward<V>(value));
}
/// The smallest; NaN wins, and of two zeros the negative one. Source: numpy.minimum.at, cupyx.scatter_min.
template <element T, detail::operand V>
detail::updated<op::minimum, T, V> scatter_min(picked<T>&& at, V&& value) {
  return detail::scatter<op::minimum>(std::move(at), std::forward<V>(value));
}
template <detail::target A, detail::index_array K, detail::operand V>
detail::updated<op::minimum, detail::element_in<A>, V> scatter_min(A&& a, K&& k, V&& value) {
  auto&& to = detail::stored_into(std::forward<A>(a));
  return detail::scatter<op::minimum>(to(std::forward<K>(k)), std::forward<V>(value));
}

/// Elements of a named array where a mask is true. It reads like any expression, for which the mask is evaluated, and can be stored
/// into.
template <element T>
class [[nodiscard]] masked : public detail::methods<masked<T>, T> {
 public:
  using sinter_element = T;

  /// A number takes the place of every element under the mask: one kernel. Errors: `index_error` where the mask's axes are not the
  /// array's first ones. Source: numpy's setitem.
  template <detail::scalar_operand V>
  void operator=(V value) && {
    lazy<bool> mask = taken_mask();
    all() = where(std::move(mask), strong(detail::stored_scalar<T>(value)), taken());
  }
  /// Each of them takes the value that stands at its place among them. Shapes: the value broadcasts to that of `a(mask)`. Errors:
  /// `shape_error`, `index_error`. Stream behaviour: waits, as the mask is evaluated; store_where does not.
  template <detail::expression V>
    requires(!std::same_as<std::remove_cvref_t<V>, masked>)
  void operator=(V&& value) && { through_indices() = std::forward<V>(value); }
  template <class V>
    requires(!detail::operand<V>)
  detail::stored<T, V>
  operator=(V&&) &&;
  void operator=(detail::no_list) &&;
  void operator=(const masked& other) && { std::move(*this) = lazy<T>(other.share()); }
  void operator=(masked&& other) && { std::move(*this) = lazy<T>(other.share()); }
#define SINTER_UPDATE(symbol, name)                                                \
  template <class V>                                                               \
  detail::updated<op::name, T, V> operator symbol(V&& value)&& {                   \
    if constexpr (detail::update_fault<op::name, T, V>() != detail::fault::none) { \
      return {};                                                                   \
    } else if constexpr (detail::expression<V>) {                                  \
      through_indices() symbol std::forward<V>(value);                             \
    } else {                                                                       \
      lazy<bool> mask = taken_mask();                                              \
      lazy<T> old = taken();                                                       \
      auto updated = detail::apply<op::name>(old, value);                          \
      all() = where(std::move(mask), std::move(updated), std::move(old));          \
    }                                                                              \
  }
  SINTER_UPDATES(SINTER_UPDATE)
#undef SINTER_UPDATE
  /// Library use.
  masked(array<T>& target, const array_ref<T>* of, detail::node* owned_mask)
      : target_(&target), of_(of), elements_(of ? of->share() : target.share()), mask_(owned_mask) {}
  masked(const masked&) = delete;
  detail::node* share() const { return detail::make_masked(elements_.get(), mask_.get()); }
  detail::node* release_node() { return share(); }

 private:
  // What the mask looks at is stored into: nothing of it stays, nor of the elements.
  lazy<bool> taken_mask() {
    const detail::handle mine(std::move(mask_));
    return lazy<bool>(detail::make_mask(mine.get(), detail::shape_of(elements_.get())));
  }
  lazy<T> taken() { return lazy<T>(elements_.take()); }
  selection<T> all() const { return of_ ? (*of_)(ellipsis) : (*target_)(ellipsis); }
  picked<T> through_indices() {
    const detail::handle fits(detail::make_mask(mask_.get(), detail::shape_of(elements_.get())));
    const auto places = detail::each_as<lazy<std::int64_t>>(detail::make_nonzero(mask_.get()));
    mask_ = elements_ = {};
    return of_ ? (*of_)(places) : (*target_)(places);
  }

  array<T>* target_;
  const array_ref<T>* of_;   // what of it, where that is not all
  detail::handle elements_;  // as they were when the mask was written
  detail::handle mask_;
};

/// Stores where a mask is true, also into a part, `store_where(a(0), mask, 1)`; the elements elsewhere stay. Shapes: mask and value
/// broadcast to the array. Dtypes: the value becomes the array's. Errors: `shape_error`. Source: numpy.copyto(a, e, where=mask),
/// numpy.putmask.
template <detail::target A, detail::mask_array M, detail::operand V>
void store_where(A&& a, M&& mask, V&& value) {
  using T = detail::element_in<A>;
  auto&& to = detail::stored_into(std::forward<A>(a));
  if constexpr (detail::scalar_operand<V>)
    to(ellipsis) = where(std::forward<M>(mask), strong(detail::stored_scalar<T>(value)), to);
  else to(ellipsis) = where(std::forward<M>(mask), astype<T>(std::forward<V>(value)), to);
}

namespace detail {
template <class A, class M, class V>
consteval fault store_where_fault() {
  if constexpr (!target<A>) return fault::target;
  else if constexpr (!mask_array<M>) return fault::no_mask;
  else return operand<V> ? fault::none : fault::stored;
}
}  // namespace detail
// What is wrong with any other.
template <class A, class M, class V>
  requires(detail::store_where_fault<A, M, V>() != detail::fault::none)
detail::refused < double, detail::store_where_fault<A, M, V>()
> store_where(A&&, M&&, V&&);

}  // namespace sinter

#undef SINTER_UPDATES
