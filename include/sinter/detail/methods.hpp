// The methods ndarray has, for arrays and expressions alike. Each is one line over the free function of the same name or over
// the seam.
#pragma once

#include <array>
#include <initializer_list>
#include <vector>

#include <sinter/detail/refused_methods.hpp>
#include <sinter/detail/seam.hpp>
#include <sinter/index.hpp>
#include <sinter/options.hpp>

namespace sinter {

template <class T>
class array;
template <element T>
class lazy;

namespace detail {

/// Views of arrays are arrays, views of expressions stay lazy.
template <class Derived, class Element>
struct viewed {
  using type = lazy<Element>;
};
template <class Element>
struct viewed<array<Element>, Element> {
  using type = array<Element>;
};

template <class Derived, class Element>
class methods : public refused_methods {
 public:
  /// The shape, dtype, number of axes and of elements. Errors: `shape_error` where the operands do not broadcast.
  sinter::shape shape() const { return shape_of(shared().get()); }
  /// The extents of as many axes: `auto [rows, columns] = a.shape<2>();`. Errors: `shape_error` for another number of axes.
  template <std::size_t axes>
  std::array<std::int64_t, axes> shape() const {
    std::array<std::int64_t, axes> extents;
    copy_extents(shape(), extents.data(), axes);
    return extents;
  }
  int ndim() const { return shape().size(); }
  auto copy(where at = where::current()) const { return array<Element>(make_copy(shared().get(), at)); }
  std::int64_t size() const { return shape().elements(); }
  static constexpr sinter::dtype dtype() { return dtype_of<Element>; }
  /// The bytes of an element, and of all of them. Source: numpy.ndarray.itemsize, numpy.ndarray.nbytes.
  static constexpr std::int64_t itemsize() { return sinter::itemsize(dtype_of<Element>); }
  std::int64_t nbytes() const { return size() * itemsize(); }

  using refused_methods::item;
  /// The only element; evaluates. Errors: `shape_error` unless there is exactly one. Stream behaviour: waits.
  Element item(where at = where::current()) const {
    Element value;
    read_item(shared().get(), &value, at);
    return value;
  }
  /// The same as a number of the program's, converted as astype converts: `int(argmax(a))`.
  template <arithmetic U>
    requires(!complex_number<Element> || complex_number<U> || std::same_as<U, bool>)
  explicit operator U() const { return cast_element<U>(item(where{})); }

  /// The elements in C order; evaluates. Stream behaviour: waits. Source: cupy.ndarray.get.
  std::vector<Element> get(where at = where::current()) const {
    const handle all = shared();
    const auto count = static_cast<std::size_t>(shape_of(all.get()).elements());
    if constexpr (std::same_as<Element, bool>) {  // a vector of bool has no memory to copy into
      std::vector<unsigned char> raw(count);
      read_all(all.get(), raw.data(), count, {}, at);
      return {raw.begin(), raw.end()};
    } else {
      std::vector<Element> elements(count);
      read_all(all.get(), elements.data(), count, {}, at);
      return elements;
    }
  }
  /// The same into contiguous memory of the right size. Errors: `shape_error`.
  template <class Span>
    requires host_memory<Span, Element*>
  void get(Span&& to, transfer_options how = {}, where at = where::current()) const {
    read_all(shared().get(), to.data(), to.size(), how, at);
  }
  /// The same into host memory of any layout and of this shape. Errors: `shape_error`.
  void get(const strided_span<Element>& to, transfer_options how = {}, where at = where::current()) const {
    read_strided(shared().get(), to.layout(), how, at);
  }
  using refused_methods::get;
  /// The same value on another device; an array that is there already is itself. Stream behaviour: enqueued on that
  /// device's current stream where both are GPUs; else waits. Source: cupy.asarray under another device.
  array<Element> to(device d) const { return array<Element>(make_copy_on(shared().get(), d)); }

  using refused_indices::operator();
  using refused_indices::operator[];
  /// A view by index list; of an expression it is lazy and fused. Errors: `index_error`. Source: numpy indexing.
  template <index... Index>
  auto operator()(Index... i) const& {
    return view_of(shared(), i...);
  }
  template <index... Index>
  auto operator()(Index... i) && {
    return view_of(taken(), i...);
  }
  template <index Index>
  auto operator[](Index i) const& {
    return (*this)(i);
  }
  template <index Index>
  auto operator[](Index i) && {
    return view_of(taken(), i);
  }
  /// The elements that arrays or expressions of integers name, beside other indices: lazy and fused. Shapes: the arrays broadcast;
  /// what they make together stands in their place, or in front where other indices stand between them. Errors:
  /// `index_error`: at once for an axis without elements, at the next wait for an index that is out of range, which reads
  /// nothing. Source: numpy indexing.
  template <class... Index>
    requires picks<Index...> lazy<Element>
  operator()(Index&&... i) const& {
    return lazy<Element>(pick_list(std::forward<Index>(i)...).view_of(shared().get()));
  }
  template <class... Index>
    requires picks<Index...> lazy<Element>
  operator()(Index&&... i) && { return lazy<Element>(pick_list(std::forward<Index>(i)...).view_of(taken().get())); }
  template <index_array Index>
  lazy<Element> operator[](Index&& i) const& {
    return (*this)(std::forward<Index>(i));
  }
  template <index_array Index>
  lazy<Element> operator[](Index&& i) && {
    return lazy<Element>(pick_list(std::forward<Index>(i)).view_of(taken().get()));
  }

  /// The elements under a mask, which has all axes or the first ones. Shapes: those axes become one. As it depends on the mask's
  /// values, the mask is evaluated; the elements are read when the result is used. Errors: `index_error` where the mask has other
  /// axes. Stream behaviour: waits. Source: numpy indexing.
  template <mask_array Mask>
  lazy<Element> operator()(Mask&& m) const& {
    return lazy<Element>(make_masked(shared().get(), handle(take_node(std::forward<Mask>(m))).get()));
  }
  template <mask_array Mask>
  lazy<Element> operator()(Mask&& m) && {
    return lazy<Element>(make_masked(taken().get(), handle(take_node(std::forward<Mask>(m))).get()));
  }
  template <mask_array Mask>
  lazy<Element> operator[](Mask&& m) const& {
    return (*this)(std::forward<Mask>(m));
  }
  template <mask_array Mask>
  lazy<Element> operator[](Mask&& m) && {
    return std::move(*this)(std::forward<Mask>(m));
  }

  using refused_methods::astype;
  using refused_methods::reshape;
  using refused_methods::transpose;
  /// The same elements in C order under another shape; one extent may be -1. An array whose elements lie in another order is
  /// copied, here and now, as NumPy does. Errors: `shape_error`. Source: numpy.reshape.
  template <numbers_in_a_row Extents = std::initializer_list<std::int64_t>>
  auto reshape(const Extents& extents) const& {
    return reshaped(shared(), integers(extents));
  }
  template <numbers_in_a_row Extents = std::initializer_list<std::int64_t>>
  auto reshape(const Extents& extents) && {
    return reshaped(taken(), integers(extents));
  }
  auto reshape(const sinter::shape& s) const& { return reshaped(shared(), s); }
  auto reshape(const sinter::shape& s) && { return reshaped(taken(), s); }
  template <std::integral... Extent>
    requires(sizeof...(Extent) > 0)
  auto reshape(Extent... extents) const& { return reshape({static_cast<std::int64_t>(extents)...}); }
  template <std::integral... Extent>
    requires(sizeof...(Extent) > 0)
  auto reshape(Extent... extents) && {
    return reshaped(taken(), std::initializer_list<std::int64_t>{static_cast<std::int64_t>(extents)...});
  }
  /// One axis. Source: numpy.ravel.
  auto ravel() const& { return reshape({-1}); }
  auto ravel() && { return reshaped(taken(), std::initializer_list<std::int64_t>{-1}); }
  /// The same: NumPy's is a copy, as every value is here. Source: numpy.ndarray.flatten.
  auto flatten() const& { return ravel(); }
  auto flatten() && { return std::move(*this).ravel(); }
  /// The axes reversed, or in the order given. Errors: `shape_error`. Source: numpy.transpose.
  auto T() const& { return transposed(shared(), {}); }
  auto T() && { return transposed(taken(), {}); }
  template <numbers_in_a_row Order = std::initializer_list<std::int64_t>>
  auto transpose(const Order& order = {}) const& {
    return transposed(shared(), order);
  }
  template <numbers_in_a_row Order = std::initializer_list<std::int64_t>>
  auto transpose(const Order& order = {}) && {
    return transposed(taken(), order);
  }
  template <std::integral... Axis>
    requires(sizeof...(Axis) > 0)
  auto transpose(Axis... order) const& { return transposed(shared(), {static_cast<std::int64_t>(order)...}); }
  template <std::integral... Axis>
    requires(sizeof...(Axis) > 0)
  auto transpose(Axis... order) && { return transposed(taken(), {static_cast<std::int64_t>(order)...}); }
  /// The last two axes exchanged. Source: numpy.ndarray.mT.
  auto mT() const& { return swapaxes(-1, -2); }
  auto mT() && { return std::move(*this).swapaxes(-1, -2); }

// Folds over axes, one axis, what is none; and what follows an axis has a name. The first ones take the result's dtype. Of a
// temporary they take what it holds, as the views do.
#define SINTER_FOLD_CHOOSING(name)                                          \
  template <class R = void>                                                 \
  auto name(reduce_options how = {}) const&;                                \
  template <class R = void>                                                 \
  auto name(reduce_options how = {})&&;                                     \
  template <class R = void>                                                 \
  auto name(std::int64_t axis) const& {                                     \
    return name<R>(reduce_options{.axis = axis});                           \
  }                                                                         \
  template <class R = void>                                                 \
  auto name(std::int64_t axis)&& {                                          \
    return std::move(*this).template name<R>(reduce_options{.axis = axis}); \
  }                                                                         \
  template <class R = void>                                                 \
  auto name(const axes& over, reduce_options how) const {                   \
    how.axis = over;                                                        \
    return name<R>(std::move(how));                                         \
  }                                                                         \
  template <class R = void, not_axis X>                                     \
  no_axis<X> name(X) const&;                                                \
  template <class R = void, not_axis X>                                     \
  no_axis<X> name(X)&&;                                                     \
  lazy<double> name(anything, no_option) const;
#define SINTER_FOLD(name)                                                                        \
  auto name(reduce_options how = {}) const&;                                                     \
  auto name(reduce_options how = {})&&;                                                          \
  auto name(std::int64_t axis) const& { return name(reduce_options{.axis = axis}); }             \
  auto name(std::int64_t axis)&& { return std::move(*this).name(reduce_options{.axis = axis}); } \
  auto name(const axes& over, reduce_options how) const {                                        \
    how.axis = over;                                                                             \
    return name(std::move(how));                                                                 \
  }                                                                                              \
  template <not_axis X>                                                                          \
  no_axis<X> name(X) const&;                                                                     \
  template <not_axis X>                                                                          \
  no_axis<X> name(X)&&;                                                                          \
  lazy<double> name(anything, no_option) const;
  SINTER_FOLD_CHOOSING(sum)
  SINTER_FOLD_CHOOSING(prod)
  SINTER_FOLD_CHOOSING(mean)
  SINTER_FOLD_CHOOSING(var)
  SINTER_FOLD_CHOOSING(stddev)
  SINTER_FOLD(min)
  SINTER_FOLD(max)
  SINTER_FOLD(any)
  SINTER_FOLD(all)
  SINTER_FOLD(argmin)
  SINTER_FOLD(argmax)
#undef SINTER_FOLD
#undef SINTER_FOLD_CHOOSING
#define SINTER_SCAN(name)               \
  template <class R = void>             \
  auto name() const&;                   \
  template <class R = void>             \
  auto name()&&;                        \
  template <class R = void>             \
  auto name(std::int64_t axis) const&;  \
  template <class R = void>             \
  auto name(std::int64_t axis)&&;       \
  template <class R = void>             \
  auto name(axis_options how) const {   \
    return name<R>(axis_of(how));       \
  }                                     \
  template <class R = void, not_axis X> \
  no_axis<X> name(X) const&;            \
  template <class R = void, not_axis X> \
  no_axis<X> name(X)&&;
  SINTER_SCAN(cumsum)
  SINTER_SCAN(cumprod)
#undef SINTER_SCAN
  /// As the functions of these names, with what they take after the array.
#define SINTER_METHOD_OF(name) \
  template <class... X>        \
  auto name(X&&... x) const&;  \
  template <class... X>        \
  auto name(X&&... x)&&;
  SINTER_METHOD_OF(clip)
  SINTER_METHOD_OF(round)
  SINTER_METHOD_OF(squeeze)
  SINTER_METHOD_OF(swapaxes)
  SINTER_METHOD_OF(repeat)
  SINTER_METHOD_OF(diagonal)
  SINTER_METHOD_OF(take)
  SINTER_METHOD_OF(trace)
  SINTER_METHOD_OF(searchsorted)
  SINTER_METHOD_OF(argsort)
#undef SINTER_METHOD_OF
  auto real() const&;
  auto real() &&;
  auto imag() const&;
  auto imag() &&;
  auto conj() const&;
  auto conj() &&;
  auto conjugate() const& { return conj(); }
  auto conjugate() && { return std::move(*this).conj(); }
  template <element U>
  auto astype() const&;
  template <element U>
  auto astype() &&;
  template <not_element U>
  no_element<U> astype() const;

 private:
  template <class Node>
  static auto result(Node* made) {
    return typename viewed<Derived, Element>::type(made);
  }
  const Derived& self() const& { return static_cast<const Derived&>(*this); }
  Derived&& self() && { return static_cast<Derived&&>(*this); }
  handle shared() const { return handle(self().share()); }
  // A temporary keeps nothing back: what it looks at may be stored into at the end of its statement.
  handle taken() { return handle(take_node(std::move(*this).self())); }

  template <class... Index>
  static auto view_of(const handle& n, const Index&... i) {
    const index_list list(i...);
    return result(make_view(n.get(), list.items, list.count));
  }
  template <class Extents>
  static auto reshaped(const handle& n, const Extents& extents) {
    return result(make_reshape(n.get(), extents.begin(), static_cast<int>(extents.size())));
  }
  static auto transposed(const handle& n, const integers& order) {
    return result(make_transpose(n.get(), order.begin(), static_cast<int>(order.size())));
  }
};

}  // namespace detail
}  // namespace sinter

/// Where a function is: the method of its name.
#define SINTER_METHOD_OF(name)                                           \
  template <class Derived, class Element>                                \
  template <class... X>                                                  \
  auto detail::methods<Derived, Element>::name(X&&... x) const& {        \
    return sinter::name(self(), std::forward<X>(x)...);                  \
  }                                                                      \
  template <class Derived, class Element>                                \
  template <class... X>                                                  \
  auto detail::methods<Derived, Element>::name(X&&... x)&& {             \
    return sinter::name(std::move(*this).self(), std::forward<X>(x)...); \
  }
