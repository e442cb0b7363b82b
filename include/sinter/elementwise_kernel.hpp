// Elementwise functions of the program's own, as text: CUDA C++ on a GPU, C on the CPU. Not in sinter.hpp.
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

/// Keeps an argument's value until the call.
template <class T>
struct held_argument {
  array<T> value;
  operator function_argument() const { return {value.node(), {}}; }
};

template <class P, class A>
auto function_argument_of(A&& a) {
  using T = typename parameter_of<P>::type;
  if constexpr (arithmetic<std::remove_cvref_t<A>> && !parameter_of<P>::is_raw) {
    return function_argument{nullptr, to_bits(convert_scalar<T>(a))};
  } else if constexpr (std::same_as<std::remove_cvref_t<A>, array<T>>) {
    return held_argument<T>{std::forward<A>(a)};
  } else {
    static_assert(expression<A>, "sinter: an argument of an elementwise kernel is an array, an expression or a number");
    return held_argument<T>{array<T>(astype<T>(std::forward<A>(a)))};
  }
}

SINTER_API runtime::function_state* make_function(const given_text& parameters, const given_text& body,
                                                  const given_text& name, dtype result, const parameter_type*,
                                                  int count);
SINTER_API runtime::function_state* retain(runtime::function_state*) noexcept;
SINTER_API void release(runtime::function_state*) noexcept;
SINTER_API node* call_function(runtime::function_state&, const function_argument*, const where&);

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
                     const detail::given_text& name = "elementwise_kernel") {
    const detail::parameter_type types[] = {
        {dtype_of<typename detail::parameter_of<P>::type>, detail::parameter_of<P>::is_raw}...};
    state_ = detail::make_function(parameters, body, name, dtype_of<R>, types, static_cast<int>(sizeof...(P)));
  }
  elementwise_kernel(const elementwise_kernel& other) noexcept : state_(detail::retain(other.state_)) {}
  elementwise_kernel& operator=(elementwise_kernel other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~elementwise_kernel() { detail::release(state_); }

  /// The function of every element, evaluated now, in one launch. Shapes: arguments broadcast, raw ones aside. Dtypes: arguments
  /// are converted to the parameters' as astype does, numbers have to fit. Errors: `shape_error`, also where no argument but
  /// raw ones and numbers gives a shape; `compile_error` at the first call; `device_error` on a device without a compiler.
  /// Stream behaviour: enqueued on the current stream, does not wait; can be captured. Source: ElementwiseKernel.__call__.
  template <class... A>
  array<R> operator()(A&&... arguments) const {
    static_assert(sizeof...(A) == sizeof...(P), "sinter: a kernel takes as many arguments as its signature has");
    return call({detail::function_argument_of<P>(std::forward<A>(arguments))...});
  }

 private:
  array<R> call(std::initializer_list<detail::function_argument> list) const {
    return array<R>(detail::call_function(*state_, list.begin(), {}));
  }

  runtime::function_state* state_;
};

}  // namespace sinter
