// Elementwise functions and reductions of the program's own, as text: CUDA C++ on a GPU, C on the CPU. They fuse with what is
// around them. Not in sinter.hpp.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include <sinter/kernel.hpp>

namespace sinter {

namespace codegen {
class function_calls;
}

/// A parameter whose elements the text indexes itself, in C order: `elementwise_kernel<float(raw<float>)>` has `x[i + 1]`.
template <element T>
struct raw {};

namespace detail {

/// What a text computes in: elements of 16 bits are floats there.
template <class T>
struct number_in_text {
  using type = T;
};
template <class T>
  requires(is_short_floating(dtype_of<T>))
struct number_in_text<T> {
  using type = float;
};
template <class P>
struct parameter_of {
  using type = typename number_in_text<P>::type;
  static constexpr bool is_raw = false;
};
template <class T>
struct parameter_of<raw<T>> {
  using type = typename number_in_text<T>::type;
  static constexpr bool is_raw = true;
};
/// A result of a text's own as elements of R.
template <class R>
lazy<R> result_as(node* made) {
  lazy<typename number_in_text<R>::type> result(made);
  if constexpr (std::same_as<R, typename number_in_text<R>::type>) return result;
  else return lazy<R>(astype<R>(std::move(result)));
}

/// Names, each with a dtype.
struct parameter_type {
  dtype type;
  bool is_raw;
};
struct parameter_list {
  const given_text& names;
  const parameter_type* types;
  int count;
};
template <class... P>
inline constexpr parameter_type types_of[] = {{dtype_of<typename parameter_of<P>::type>, parameter_of<P>::is_raw}...};
template <class... P>
parameter_list list_of(const given_text& names) {
  static_assert(sizeof...(P) > 0, "sinter: a kernel has a parameter at least, which gives it a shape");
  return {names, types_of<P...>, static_cast<int>(sizeof...(P))};
}

/// An argument: a node, or where that is null a scalar.
struct function_argument {
  node* array;
  scalar_bits scalar;
};

/// What is given for a parameter, until the call has a reference of its own: an array, an expression, or a number.
template <class P>
class operand_of {
  using T = typename parameter_of<P>::type;

 public:
  template <class A>
    requires(!std::same_as<std::remove_cvref_t<A>, operand_of>)
  operand_of(A&& a) {
    if constexpr (arithmetic<std::remove_cvref_t<A>> && !parameter_of<P>::is_raw) {
      scalar_ = to_bits(convert_scalar<T>(a));
    } else {
      static_assert(expression<A>, "sinter: a kernel's argument is an array, an expression or a number");
      if constexpr (!expression<A>) return;
      else if constexpr (!parameter_of<P>::is_raw || std::same_as<std::remove_cvref_t<A>, array<T>>)
        value_ = handle(take_node(std::forward<A>(a)));
      else value_ = handle(take_node(array<T>(astype<T>(std::forward<A>(a)))));
    }
  }
  operator function_argument() const { return {value_.get(), scalar_}; }

 private:
  handle value_;
  scalar_bits scalar_ = {};
};

/// The text of a function; `results` have names where there are several. It is found again by its content, and is never freed.
SINTER_API codegen::function_calls& make_function(const given_text& name, const parameter_list& parameters,
                                                  const parameter_list& results, const given_text& body,
                                                  const given_text& preamble = "");
/// Nodes of as many results, which broadcast what is no raw argument, and have the shape `over` where it is given. Errors:
/// `shape_error`.
SINTER_API void make_calls(codegen::function_calls&, const function_argument*, node** results, int count,
                           const shape* over = nullptr);

/// What a reduction is made of. `finish`: null where there is nothing to do.
struct reduction_functions {
  codegen::function_calls *map, *combine, *finish;
};
SINTER_API reduction_functions make_reduction_functions(const given_text& name, const parameter_list& parameters,
                                                        const given_text& map, const given_text& combine,
                                                        const given_text& finish, dtype, scalar_bits identity,
                                                        const given_text& preamble);
SINTER_API node* make_reduction(const reduction_functions&, const function_argument*, const reduce_options&);

}  // namespace detail

template <class Signature>
class elementwise_kernel {
  static_assert(detail::never<Signature>,
                "sinter: an elementwise kernel has a signature: elementwise_kernel<float(float, float)>");
};

/// A function of elements, written as the body of a C function of parameters with these names:
/// `elementwise_kernel<float(float, float)> sqd("x, y", "return (x - y) * (x - y);");`. Beside its parameters it has `i`, the
/// place of the element in C order. Elements of 16 bits are floats there. On the CPU its text is C, with the functions of <math.h>,
/// `min` and `max` for every type; on a GPU CUDA C++. In both, complex numbers are `complex64` and `complex128`, with operators,
/// `make_complex(x, y)`, `polar`, `real`, `imag`, `conj`, `abs`, `arg`, `norm` and those functions of mathematics that take them. It
/// has to be pure: what it gives depends on its arguments alone, and it writes nothing, since it is computed where and as often as what
/// it is fused with needs. Copies are the same kernel. Any thread.
/// Source: cupy.ElementwiseKernel.
template <class R, class... P>
class elementwise_kernel<R(P...)> {
 public:
  /// `preamble`: functions that the text calls, declared `__device__` as CUDA has them. Compiles nothing. Errors: `error` for
  /// another number of names than of parameters.
  elementwise_kernel(const detail::given_text& parameters, const detail::given_text& body,
                     const detail::given_text& name = "elementwise_kernel", const detail::given_text& preamble = "")
      : function_(
            &detail::make_function(name, detail::list_of<P...>(parameters), detail::list_of<R>(""), body, preamble)) {}

  /// The function of every element, an expression: it is computed in the kernel of what it is part of. Raw arguments that are
  /// no arrays in C order are evaluated first. Shapes: arguments broadcast, raw ones aside. Dtypes: arguments are converted to
  /// the parameters' as astype does, numbers have to fit. Errors: `shape_error`, also where no argument but raw ones and numbers
  /// gives a shape; at evaluation `compile_error`, and `device_error` on a device without a compiler. Source:
  /// ElementwiseKernel.__call__.
  lazy<R> operator()(detail::operand_of<P>... arguments) const { return called(nullptr, arguments...); }
  /// Over a shape, to which arguments broadcast: raw ones and numbers alone need it. Source: the argument `size` of CuPy's.
  lazy<R> operator()(detail::operand_of<P>... arguments, const shape& over) const {
    return called(&over, arguments...);
  }

 private:
  lazy<R> called(const shape* over, const detail::operand_of<P>&... arguments) const {
    const detail::function_argument list[] = {arguments...};
    detail::node* made;
    detail::make_calls(*function_, list, &made, 1, over);
    return detail::result_as<R>(made);
  }

  codegen::function_calls* function_;
};

/// The same with several results, variables that the text sets:
/// `elementwise_kernel<std::tuple<float, float>(float, float)> polar("x, y", "r, phi", "r = hypot(x, y); phi = atan2(y, x);");`.
/// Those evaluated together, as in `auto [r, phi] = polar(x, y); eval(r, phi)`, are one launch.
template <class... R, class... P>
class elementwise_kernel<std::tuple<R...>(P...)> {
 public:
  /// Compiles nothing. Errors: `error` for another number of names than of parameters or results.
  elementwise_kernel(const detail::given_text& parameters, const detail::given_text& results,
                     const detail::given_text& body, const detail::given_text& name = "elementwise_kernel",
                     const detail::given_text& preamble = "")
      : function_(&detail::make_function(name, detail::list_of<P...>(parameters), detail::list_of<R...>(results), body,
                                         preamble)) {
    static_assert(sizeof...(R) > 1, "sinter: a kernel of one result returns it: elementwise_kernel<float(float)>");
  }

  /// An expression for each result. All else as of a kernel of one.
  std::tuple<lazy<R>...> operator()(detail::operand_of<P>... arguments) const { return called(nullptr, arguments...); }
  std::tuple<lazy<R>...> operator()(detail::operand_of<P>... arguments, const shape& over) const {
    return called(&over, arguments...);
  }

 private:
  std::tuple<lazy<R>...> called(const shape* over, const detail::operand_of<P>&... arguments) const {
    const detail::function_argument list[] = {arguments...};
    detail::node* made[sizeof...(R)];
    detail::make_calls(*function_, list, made, static_cast<int>(sizeof...(R)), over);
    return [&]<std::size_t... N>(std::index_sequence<N...>) {
      return std::tuple<lazy<R>...>(detail::result_as<R>(made[N])...);
    }
    (std::index_sequence_for<R...>());
  }

  codegen::function_calls* function_;
};

template <class Signature>
class reduction_kernel {
  static_assert(detail::never<Signature>,
                "sinter: a reduction kernel has a signature: reduction_kernel<float(float, float)>");
};

/// A reduction written as four expressions: of an element (of the parameters), of two results (of `a` and `b`), of the last one
/// (of `a`), and what changes nothing:
/// `reduction_kernel<float(float, float)> l2("x, y", "(x - y) * (x - y)", "a + b", "sqrt(a)", 0);`. Results are R throughout.
/// `combine` is associative and commutative. The text is as an elementwise kernel's. Source: cupy.ReductionKernel.
template <class R, class... P>
class reduction_kernel<R(P...)> {
  using number = typename detail::number_in_text<R>::type;

 public:
  /// Compiles nothing. Errors: `error` for another number of names than of parameters.
  reduction_kernel(const detail::given_text& parameters, const detail::given_text& map,
                   const detail::given_text& combine, const detail::given_text& finish, R identity,
                   const detail::given_text& name = "reduction_kernel", const detail::given_text& preamble = "")
      : functions_(detail::make_reduction_functions(name, detail::list_of<P...>(parameters), map, combine, finish,
                                                    dtype_of<number>, detail::to_bits(static_cast<number>(identity)),
                                                    preamble)) {}

  /// An expression, which fuses as sum does: with its arguments, with other reductions of the same elements, and with what
  /// follows. Shapes, dtypes and errors: as an elementwise kernel's; axes as sum's. Source: ReductionKernel.__call__.
  lazy<R> operator()(detail::operand_of<P>... arguments, const reduce_options& how = {}) const {
    const detail::function_argument list[] = {arguments...};
    return detail::result_as<R>(detail::make_reduction(functions_, list, how));
  }
  template <class X>
    requires detail::axis_number<X> lazy<R>
  operator()(detail::operand_of<P>... arguments, X axis) const {
    return (*this)(std::move(arguments)..., reduce_options{.axis = axis});
  }

 private:
  detail::reduction_functions functions_;
};

}  // namespace sinter
