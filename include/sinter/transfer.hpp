// Moving elements between host memory and arrays: how, and host memory that is not contiguous.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include <sinter/shape.hpp>

namespace sinter {

/// How a copy between the host and an array waits.
struct transfer_options {
  /// Where true, the host memory may be used when the call returns. Where false and the host memory is pinned, the call
  /// only enqueues the copy: the program leaves the memory alone until the stream has come past it. Memory that is not
  /// pinned is always copied before the call returns. A captured copy uses pinned memory at every launch. All of it holds
  /// for strided memory too. Source: cupy.ndarray.get.
  bool blocking = true;
};

namespace detail {

/// Contiguous host memory with an address of type Address. That of an array is not the host's.
template <class Span, class Address>
concept host_memory = requires(Span&& s) {
  { s.data() } -> std::convertible_to<Address>;
  s.size();
  requires !requires { typename std::remove_cvref_t<Span>::sinter_element; };
};

/// Host memory seen without its type. Units: strides in bytes.
struct host_layout {
  void* data;
  sinter::shape extents;
  std::int64_t strides[max_rank];
};

[[noreturn]] SINTER_API void throw_stride_count(const shape&, std::size_t strides);

}  // namespace detail

/// Host memory of any layout: a pointer, a shape, and how many elements lie between neighbours along each axis.
template <class T>
class strided_span {
 public:
  using element_type = T;
  using value_type = std::remove_const_t<T>;

  /// Errors: `shape_error` where there is not one stride for each axis. Units: elements.
  strided_span(T* data, const sinter::shape& s, std::initializer_list<std::int64_t> strides)
      : strided_span(data, s, strides.begin(), strides.size()) {}
  /// The same for strides that are counted at run time.
  strided_span(T* data, const sinter::shape& s, const std::int64_t* strides, std::size_t count)
      : data_(data), shape_(s) {
    if (count != static_cast<std::size_t>(s.size())) detail::throw_stride_count(s, count);
    for (std::size_t d = 0; d < count; ++d) strides_[d] = strides[d];
  }
  T* data() const { return data_; }
  const sinter::shape& shape() const { return shape_; }
  std::int64_t stride(int axis) const { return strides_[axis]; }

  /// Library use.
  detail::host_layout layout() const {
    detail::host_layout l{const_cast<value_type*>(data_), shape_, {}};
    for (int d = 0; d < shape_.size(); ++d) l.strides[d] = strides_[d] * std::int64_t{sizeof(T)};
    return l;
  }

 private:
  T* data_;
  sinter::shape shape_;
  std::int64_t strides_[max_rank] = {};
};

}  // namespace sinter
