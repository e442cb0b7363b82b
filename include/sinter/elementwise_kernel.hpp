// Elementwise functions and reductions of the program's own, as text: CUDA C++ on a GPU, C on the CPU. Not in sinter.hpp.
#pragma once

#include <initializer_list>
#include <type_traits>
#include <utility>

#include <sinter/kernel.hpp>

namespace sinter {

namespace runtime {
class function_state;
}

/// A parameter whose elements the text indexes itself, in C order: `elementwise_kernel<float(raw<float>)>` has `x[i + 1]`.
template <element T>
struct raw {};

namespace detail {

template <class P>
struct parameter_of {
  using type = P;
  static constexpr bool is_raw = false;
};
template <class T>
struct parameter_of<raw<T>> {
  using type = T;
  static constexpr bool is_raw = true;
};

/// A parameter, and an argument for it: an array's node, or where that is null a scalar.
struct parameter_type {
  dtype type;
  bool is_raw;
};
struct function_argument {
  node* array;
  scalar_bits scalar;
};

/// What is given for a parameter, until the call: an array, an expression's value, or a number.
template <class P>
class operand_of {
  using T = typename parameter_of<P>::type;

 public:
  template <class A>
    requires(!std::same_as<std::remove_cvref_t<A>, operand_of>)
  operand_of(A&& a) {
    if constexpr (arithmetic<std::remove_cvref_t<A>> && !parameter_of<P>::is_raw) {
      number_ = true;
      scalar_ = to_bits(convert_scalar<T>(a));
    } else if constexpr (std::same_as<std::remove_cvref_t<A>, array<T>>) {
      value_ = std::forward<A>(a);
    } else {
      static_assert(expression<A>, "sinter: a kernel's argument is an array, an expression or a number");
      if constexpr (expression<A>) value_ = array<T>(astype<T>(std::forward<A>(a)));
    }
  }
  operator function_argument() const { return {number_ ? nullptr : value_.node(), scalar_}; }

 private:
  array<T> value_;
  scalar_bits scalar_ = {};
  bool number_ = false;
};

/// What a reduction has beside its function.
struct folding_text {
  const given_text& combine;
  const given_text& finish;
  scalar_bits identity;
};

SINTER_API runtime::function_state* make_function(const given_text& parameters, const given_text& body,
                                                  const given_text& name, dtype result, const parameter_type*,
                                                  int count, const folding_text* = nullptr);
SINTER_API runtime::function_state* retain(runtime::function_state*) noexcept;
SINTER_API void release(runtime::function_state*) noexcept;
SINTER_API node* call_function(runtime::function_state&, const function_argument*, const reduce_options&, const where&);

/// A counted handle.
class function_handle {
 public:
  explicit function_handle(runtime::function_state* owned) noexcept : state_(owned) {}
  function_handle(const function_handle& other) noexcept : state_(retain(other.state_)) {}
  function_handle& operator=(function_handle other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~function_handle() { release(state_); }
  runtime::function_state& operator*() const { return *state_; }

 private:
  runtime::function_state* state_;
};

template <class... P>
inline constexpr parameter_type types_of[] = {{dtype_of<typename parameter_of<P>::type>, parameter_of<P>::is_raw}...};

}  // namespace detail

template <class Signature>
class elementwise_kernel {
  static_assert(detail::never<Signature>,
                "sinter: an elementwise kernel has a signature: elementwise_kernel<float(float, float)>");
};

/// A function of elements, written as the body of a C function of parameters with these names:
/// `elementwise_kernel<float(float, float)> sqd("x, y", "return (x - y) * (x - y);");`. Beside its parameters it has `i`, the
/// place of the element in C order. On the CPU its text is C, with the functions of <math.h>, `min` and `max` for every type;
/// on a GPU CUDA C++. Copies are the same kernel. Any thread. Source: cupy.ElementwiseKernel.
template <class R, class... P>
class elementwise_kernel<R(P...)> {
 public:
  /// Compiles nothing. Errors: `error` for another number of names than of parameters.
  elementwise_kernel(const detail::given_text& parameters, const detail::given_text& body,
                     const detail::given_text& name = "elementwise_kernel")
      : function_(detail::make_function(parameters, body, name, dtype_of<R>, detail::types_of<P...>, sizeof...(P))) {}

  /// The function of every element, evaluated now, in one launch. Shapes: arguments broadcast, raw ones aside. Dtypes: arguments
  /// are converted to the parameters' as astype does, numbers have to fit. Errors: `shape_error`, also where no argument but
  /// raw ones and numbers gives a shape; `compile_error` at the first call; `device_error` on a device without a compiler.
  /// Stream behaviour: enqueued on the current stream, does not wait; can be captured. Source: ElementwiseKernel.__call__.
  array<R> operator()(detail::operand_of<P>... arguments) const {
    const detail::function_argument list[] = {arguments...};
    return array<R>(detail::call_function(*function_, list, {}, {}));
  }

 private:
  detail::function_handle function_;
};

template <class Signature>
class reduction_kernel {
  static_assert(detail::never<Signature>,
                "sinter: a reduction kernel has a signature: reduction_kernel<float(float, float)>");
};

/// A reduction written as four expressions: of an element (of the parameters), of two results (of `a` and `b`), of the last one
/// (of `a`), and what folding starts from:
/// `reduction_kernel<float(float, float)> l2("x, y", "(x - y) * (x - y)", "a + b", "sqrt(a)", 0);`. Results are R throughout.
/// `combine` is associative and commutative. The text is as an elementwise kernel's. Source: cupy.ReductionKernel.
template <class R, class... P>
class reduction_kernel<R(P...)> {
  static_assert(!(detail::parameter_of<P>::is_raw || ...), "sinter: a reduction kernel has no raw parameters");

 public:
  /// Compiles nothing. Errors: `error` for another number of names than of parameters.
  reduction_kernel(const detail::given_text& parameters, const detail::given_text& map,
                   const detail::given_text& combine, const detail::given_text& finish, R identity,
                   const detail::given_text& name = "reduction_kernel")
      : function_(make(parameters, map, name, {combine, finish, detail::to_bits(identity)})) {}

  /// Evaluated now, in one launch; on a GPU by a block for each result. Shapes, dtypes, errors and stream behaviour: as an
  /// elementwise kernel's; axes as sum's. Source: ReductionKernel.__call__.
  array<R> operator()(detail::operand_of<P>... arguments, const reduce_options& how = {}) const {
    const detail::function_argument list[] = {arguments...};
    return array<R>(detail::call_function(*function_, list, how, {}));
  }
  template <class X>
    requires detail::axis_number<X> array<R>
  operator()(detail::operand_of<P>... arguments, X axis) const {
    return (*this)(std::move(arguments)..., reduce_options{.axis = axis});
  }

 private:
  static runtime::function_state* make(const detail::given_text& parameters, const detail::given_text& map,
                                       const detail::given_text& name, const detail::folding_text& folding) {
    return detail::make_function(parameters, map, name, dtype_of<R>, detail::types_of<P...>, sizeof...(P), &folding);
  }

  detail::function_handle function_;
};

}  // namespace sinter
