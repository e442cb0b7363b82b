// The parts of complex numbers: what they are read as, and how they are stored into.
#pragma once

#include <sinter/array.hpp>
#include <sinter/constants.hpp>

namespace sinter {

/// The conjugates. Source: numpy.conj.
template <class A>
  requires detail::any_expression<A>
auto conj(A&& a) { return conjugate(std::forward<A>(a)); }

/// Is the imaginary part zero, or not? Source: numpy.isreal, numpy.iscomplex.
template <class A>
  requires detail::any_expression<A>
auto isreal(A&& a) { return imag(std::forward<A>(a)) == 0; }
template <class A>
  requires detail::any_expression<A>
auto iscomplex(A&& a) { return imag(std::forward<A>(a)) != 0; }

/// Are the elements complex numbers, whatever they are? Source: numpy.iscomplexobj, numpy.isrealobj.
template <detail::expression A>
constexpr bool iscomplexobj(const A&) {
  return detail::complex_number<detail::element_in<A>>;
}
template <detail::expression A>
constexpr bool isrealobj(const A&) {
  return !detail::complex_number<detail::element_in<A>>;
}
/// In degrees. Source: numpy.angle with deg.
template <detail::expression A, std::same_as<bool> Degrees>
auto angle(A&& a, Degrees deg) {
  return angle(std::forward<A>(a)) * (deg ? 180 / pi : 1.0);
}

/// The real or the imaginary parts of a named array, or of a view of it, as numbers that can be stored into: `z.real() = 0`,
/// `z(0).imag() += x`. Reading gives what the array has then. Errors: of a store, as those of `a(i) = x`. Source:
/// numpy.ndarray.real.
template <element T, op Part>
class [[nodiscard]] complex_part : public detail::methods<complex_part<T, Part>, typename T::value_type> {
 public:
  using sinter_element = typename T::value_type;

  explicit complex_part(selection<T>&& all) : all_(std::move(all)) {}

  template <class V>
  detail::stored<T, V> operator=(V&& value) && {
    const lazy<T> before(all_.share());
    if constexpr (Part == op::real) std::move(all_) = make_complex(std::forward<V>(value), imag(before));
    else std::move(all_) = make_complex(real(before), std::forward<V>(value));
  }
#define SINTER_UPDATE(symbol, name)                                                                    \
  template <class V>                                                                                   \
  detail::updated<op::name, sinter_element, V> operator symbol(V&& value)&& {                          \
    std::move(*this) = detail::apply<op::name>(lazy<sinter_element>(share()), std::forward<V>(value)); \
  }
  SINTER_UPDATE(+=, add)
  SINTER_UPDATE(-=, subtract)
  SINTER_UPDATE(*=, multiply)
  SINTER_UPDATE(/=, divide)
#undef SINTER_UPDATE

  /// Library use.
  detail::node* share() const {
    return lazy<sinter_element>(detail::apply<Part>(lazy<T>(all_.share()))).release_node();
  }
  detail::node* release_node() const { return share(); }

 private:
  selection<T> all_;
};

}  // namespace sinter
