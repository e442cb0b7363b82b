// array<T>: a value. Copies share storage and copy it on write; views by name are values too; storing goes through an index.
#pragma once

#include <initializer_list>
#include <iosfwd>

#include <sinter/detail/nested.hpp>
#include <sinter/device.hpp>
#include <sinter/expr.hpp>
#include <sinter/functions.hpp>
#include <sinter/reduce.hpp>
#include <sinter/scan.hpp>

namespace sinter {

template <element T>
class selection;
template <element T>
class array_ref;
template <element T>
class picked;
template <element T>
class masked;
template <element T, op Part>
class complex_part;

/// An n-dimensional array of T on a device. One pointer wide.
template <element T>
class array<T> : public detail::methods<array<T>, T> {
 public:
  using sinter_element = T;
  using value_type = T;

  /// An array of shape (0,).
  array() = default;
  array(const array&) = default;
  array(array&&) noexcept = default;
  // They rebind this name, also to the value of an expression, which the constructor below evaluates. Names only: assigning to
  // a temporary would store nothing.
  array& operator=(const array&) & = default;
  array& operator=(array&&) & noexcept = default;

  /// Evaluates an expression of element type T. Errors: `shape_error`, `out_of_memory`, `compile_error`, `device_error`.
  /// Stream behaviour: enqueued, does not wait.
  template <detail::expression E>
    requires(!std::same_as<std::remove_cvref_t<E>, array>)
  array(E&& e, detail::where at = detail::where::current()) : node_(evaluated(std::forward<E>(e), at)) {
    static_assert(std::is_same_v<detail::element_in<E>, T>,
                  "sinter: this expression has another element type than the array; write astype<T>(e)");
  }
  template <class V>
    requires(arithmetic<V> || (!detail::expression<V> && !std::convertible_to<V, array>))
  array& operator=(V&&) & {
    static_assert(detail::never<V>,
                  "sinter: a = e makes a new value of an array or an expression; a(ellipsis) = 0 stores a number");
    return *this;
  }
  template <class V>
  void operator=(V&&) && {
    static_assert(detail::never<V>,
                  "sinter: only a view of a named array that is not const can be stored into; a store has one index "
                  "list, a(0, _) = x, and what methods give is a value");
  }

  // What no array is made of.
  template <class V>
    requires(arithmetic<V> || std::same_as<V, sinter::shape>)
  array(const V&, detail::where = {}) {
    static_assert(detail::never<V>,
                  "sinter: an array is made of its elements, array{3.0}, or of a shape, zeros<T>({3}) or full({2, 3}, "
                  "3.0); one without "
                  "axes is full({}, 3.0)");
  }
  template <arithmetic V, arithmetic W, class... X>
  array(V, W, const X&...) {
    static_assert(
        detail::never<V>,
        "sinter: an array is made of its elements, array{3.0}, or of a shape, zeros<T>({3}) or full({2, 3}, 3.0)");
  }
  template <detail::host_range V>
  array(const V&, detail::where = {}) {
    static_assert(
        detail::never<V>,
        "sinter: asarray(v) makes an array of a vector or other contiguous memory; of several arrays, as split "
        "and nonzero give, take one: v[0]");
  }

  /// One axis of the values given, two from a list of rows, and so on. Errors: `shape_error` where lists beside each other
  /// differ in length; `dtype_error` for an integer that does not fit T.
  array(std::initializer_list<detail::nested<T>> values) : node_(detail::nested<T>::array_of(values)) {}

  /// Stores into every element; its storage stays unless another array holds it. `a(ellipsis) = e` is the other spelling.
  selection<T> operator()(detail::ellipsis_tag) & { return selection<T>(*this, share()); }

  /// Stores a number into every element. Source: numpy.ndarray.fill.
  template <detail::scalar_operand V>
  void fill(V value) & {
    (*this)(ellipsis) = value;
  }

  using detail::refused_indices::operator();
  using detail::refused_indices::operator[];
  /// A view. On a named array it can be stored into: `a(_, 0) = e`, `a(0, 1) += 2`. Errors: `index_error`.
  // By value: a constant of a class has no address.
  template <detail::index... Index>
  selection<T> operator()(Index... i) & {
    return selection<T>(*this, nullptr, node(), i...);
  }
  template <detail::index... Index>
  array operator()(Index... i) const& {
    const detail::index_list list(i...);
    return array(detail::handle(detail::make_view(node(), list.items, list.count)));
  }
  template <detail::index... Index>
  array operator()(Index... i) && {
    const array mine(std::move(*this));  // which may be stored into at the end of the statement: nothing of it stays
    return mine(i...);
  }
  template <detail::index Index>
  selection<T> operator[](Index i) & {
    return (*this)(i);
  }
  template <detail::index Index>
  array operator[](Index i) const& {
    return (*this)(i);
  }
  template <detail::index Index>
  array operator[](Index i) && {
    return std::move(*this)(i);
  }
  /// The elements that arrays of integers name, as of any expression. On a named array they can be stored into: `a(k) = e`.
  template <class... Index>
    requires detail::picks<Index...> lazy<T>
  operator()(Index&&... i) const& { return detail::methods<array, T>::operator()(std::forward<Index>(i)...); }
  template <class... Index>
    requires detail::picks<Index...> lazy<T>
  operator()(Index&&... i) && {
    return std::move(*this).detail::template methods<array, T>::operator()(std::forward<Index>(i)...);
  }
  template <class... Index>
    requires detail::picks<Index...> picked<T>
  operator()(Index&&... i) & { return picked<T>(*this, node(), {}, std::forward<Index>(i)...); }
  template <detail::index_array Index>
  lazy<T> operator[](Index&& i) const& {
    return (*this)(std::forward<Index>(i));
  }
  template <detail::index_array Index>
  lazy<T> operator[](Index&& i) && {
    return std::move(*this)(std::forward<Index>(i));
  }
  template <detail::index_array Index>
  picked<T> operator[](Index&& i) & {
    return (*this)(std::forward<Index>(i));
  }
  /// Elements under a mask, as of any expression. On a named array they can be stored into: `a(a < 0) = 0`.
  template <detail::mask_array Mask>
  lazy<T> operator()(Mask&& m) const& {
    return detail::methods<array, T>::operator()(std::forward<Mask>(m));
  }
  template <detail::mask_array Mask>
  lazy<T> operator()(Mask&& m) && {
    return std::move(*this).detail::template methods<array, T>::operator()(std::forward<Mask>(m));
  }
  template <detail::mask_array Mask>
  lazy<T> operator[](Mask&& m) const& {
    return (*this)(std::forward<Mask>(m));
  }
  template <detail::mask_array Mask>
  lazy<T> operator[](Mask&& m) && {
    return std::move(*this)(std::forward<Mask>(m));
  }
  template <detail::mask_array Mask>
  masked<T> operator()(Mask&& m) & {
    return masked<T>(*this, nullptr, detail::take_node(std::forward<Mask>(m)));
  }
  template <detail::mask_array Mask>
  masked<T> operator[](Mask&& m) & {
    return (*this)(std::forward<Mask>(m));
  }

  /// The real and the imaginary parts, to be stored into as well (complex.hpp).
  using detail::methods<array, T>::real;
  using detail::methods<array, T>::imag;
  complex_part<T, op::real> real() & requires(detail::complex_number<T>) {
    return complex_part<T, op::real>((*this)(ellipsis));
  }
  complex_part<T, op::imag> imag() & requires(detail::complex_number<T>) {
    return complex_part<T, op::imag>((*this)(ellipsis));
  }

  /// Copies contiguous host memory into every element. Errors: `shape_error` for another size. Source: cupy.ndarray.set.
  template <class Span>
    requires detail::host_memory<const Span&, const T*>
  void set(const Span& from, transfer_options how = {}, detail::where at = detail::where::current()) {
    detail::write_all(own(), from.data(), from.size(), how, at);
  }
  /// The same from host memory of any layout and of this shape.
  void set(const strided_span<const T>& from, transfer_options how = {}, detail::where at = detail::where::current()) {
    detail::write_strided(own(), from.layout(), how, at);
  }
  void set(const strided_span<T>& from, transfer_options how = {}, detail::where at = detail::where::current()) {
    detail::write_strided(own(), from.layout(), how, at);
  }

  // What nothing is copied from.
  void set(detail::no_memory, detail::anything = 0) {}

  /// The address of the first element, for libraries and kernels of the program's own. The const form is for reading. The
  /// other is for writing: where a copy, a view or an expression shares the elements, the array gets its own first, as at a
  /// store; what is made of the array after the call shares them again, so ask anew before writing again. Good until the array
  /// is stored into, assigned to or gone. Null where there are no elements. Shapes: `strides()` says where the others are.
  /// Errors: `out_of_memory`, `device_lost`. Stream behaviour: does not wait; what the program then enqueues on the calling
  /// thread's current stream of the array's device is in order like an operation of Sinter's that reads, or writes, the array.
  /// Source: cupy.ndarray.data.ptr.
  const T* data(detail::where at = detail::where::current()) const& {
    return static_cast<const T*>(detail::address_to_read(node(), at));
  }
  T* data(detail::where at = detail::where::current()) & {
    return static_cast<T*>(detail::address_to_write(own(), at));
  }
  // It would be gone at the end of the statement.
  const T* data(detail::where at = detail::where::current()) const&& = delete;
  /// How far apart neighbours along each axis lie. Units: elements; NumPy's are bytes. Source: numpy.ndarray.strides.
  std::vector<std::int64_t> strides() const {
    std::vector<std::int64_t> all(static_cast<std::size_t>(this->ndim()));
    detail::copy_strides(node(), all.data());
    return all;
  }
  /// Do the elements lie in C order without gaps? Source: numpy.ndarray.flags.c_contiguous.
  bool is_contiguous() const { return detail::is_contiguous(node()); }

  /// The bytes of the elements as elements of U, a value that shares them until one of the two is stored into. Shapes: where U is
  /// smaller or larger, the last axis is so much longer or shorter. Dtypes: all but bool, whose bytes are 0 and 1 only. Errors:
  /// `shape_error` where the last axis does not come out even, or there is none. Stream behaviour: what does not lie together is
  /// copied first. Source: numpy.ndarray.view.
  template <element U>
  array<U> view() const {
    static_assert(!std::is_same_v<U, bool> || std::is_same_v<T, bool>,
                  "sinter: a byte that is neither 0 nor 1 is no bool: a.view<std::uint8_t>() != 0");
    return array<U>(detail::make_reinterpreted(node(), dtype_of<U>));
  }
  /// The device this array lives on.
  sinter::device device() const { return detail::device_of(node()); }
  /// A copy with storage of its own, also of parts and expressions. Source: numpy.ndarray.copy.
  using detail::methods<array<T>, T>::copy;

  /// Library use. An owned node; one that is no array is evaluated.
  explicit array(detail::node* owned, detail::where at = detail::where::current())
      : node_(detail::as_array(owned, at)) {}
  detail::node* node() const { return node_ ? node_.get() : detail::empty_array(dtype_of<T>); }
  detail::handle& own() {
    if (!node_) node_ = detail::handle(detail::retain(node()));
    return node_;
  }
  detail::node* share() const { return detail::retain(node()); }
  detail::node* release_node() { return node_ ? node_.take() : share(); }

 private:
  // A view that an index list makes of an array has its elements for itself, as the array does: there is nothing to evaluate.
  explicit array(detail::handle view) noexcept : node_(std::move(view)) {}

  template <class E>
  static detail::node* evaluated(E&& e, const detail::where& at) {
    if constexpr (requires { e.borrow(); }) {
      detail::expression_view seen = e.borrow();
      seen.is_named = std::is_lvalue_reference_v<E>;
      return detail::evaluate(seen, at);
    } else if constexpr (std::is_same_v<E, lazy<T>>) {  // a temporary: nothing else asks for what it is made of
      return detail::evaluate(detail::handle(e.release_node()).get(), at);
    } else {
      return detail::evaluate(detail::handle(e.share()).get(), at);
    }
  }

  detail::handle node_;
};

/// What is not an array, because T is no element type.
template <class T>
class array : public detail::no_element<T> {
 public:
  using detail::no_element<T>::no_element;
  array() {}
  template <class X>
  array(std::initializer_list<X>) {}
};

array()->array<detail::no_elements>;
template <class T>
array(std::initializer_list<T>) -> array<T>;
template <class T>
array(std::initializer_list<std::initializer_list<T>>) -> array<T>;
template <class T>
array(std::initializer_list<std::initializer_list<std::initializer_list<T>>>) -> array<T>;
template <class T>
array(std::initializer_list<std::initializer_list<std::initializer_list<std::initializer_list<T>>>>) -> array<T>;
// Numbers of several types, as in `array{1, -0.8}`, are of the type that C++ computes in with all of them.
template <arithmetic T, arithmetic... U>
  requires(sizeof...(U) > 0 && !(std::same_as<T, U> && ...))
array(T, U...)
->array<std::common_type_t<T, U...>>;
// In rows of such numbers double is.
array(std::initializer_list<std::initializer_list<detail::plain_number>>)->array<double>;
array(std::initializer_list<std::initializer_list<std::initializer_list<detail::plain_number>>>)->array<double>;
template <class V>
  requires(arithmetic<V> || detail::host_range<V> || std::same_as<V, shape>)
array(const V&)
->array<double>;
template <class V>
  requires((std::is_aggregate_v<V> || requires { std::tuple_size<V>::value; }) && !detail::expression<V> &&
           !detail::host_range<V> && !std::same_as<V, shape>)
array(const V&)
->array<detail::several_arrays>;
template <detail::expression E>
array(E&&) -> array<typename std::remove_cvref_t<E>::sinter_element>;
template <detail::expression E>
array(E&&, detail::where) -> array<typename std::remove_cvref_t<E>::sinter_element>;

}  // namespace sinter

#include <sinter/detail/selection.hpp>
