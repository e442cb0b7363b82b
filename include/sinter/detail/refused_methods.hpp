// What users of NumPy, of Eigen and of std::vector write of arrays, and what is written otherwise here.
#pragma once

#include <sinter/index.hpp>

namespace sinter::detail {

/// Methods that no array has, or not of these arguments. As a base without parameters they are read once, however many
/// expressions a program has.
struct refused_methods : refused_indices {
#define SINTER_NO_METHOD(name, why) \
  template <class... X>             \
  refused<double, fault::why, X...> name(const X&...) const;
  SINTER_NO_METHOD(abs, function)
  SINTER_NO_METHOD(sqrt, function)
  SINTER_NO_METHOD(exp, function)
  SINTER_NO_METHOD(log, function)
  SINTER_NO_METHOD(pow, function)
  SINTER_NO_METHOD(dot, function)
  SINTER_NO_METHOD(matmul, function)
  SINTER_NO_METHOD(sort, function)
  SINTER_NO_METHOD(nonzero, function)
  SINTER_NO_METHOD(ptp, function)
  SINTER_NO_METHOD(std, function)
  SINTER_NO_METHOD(norm, function)
  SINTER_NO_METHOD(inverse, function)
  SINTER_NO_METHOD(cwiseProduct, function)
  SINTER_NO_METHOD(rows, part)
  SINTER_NO_METHOD(cols, part)
  SINTER_NO_METHOD(row, part)
  SINTER_NO_METHOD(col, part)
  SINTER_NO_METHOD(block, part)
  SINTER_NO_METHOD(at, part)
  SINTER_NO_METHOD(resize, growth)
  SINTER_NO_METHOD(append, growth)
  SINTER_NO_METHOD(push_back, growth)
  SINTER_NO_METHOD(astype, cast)
#undef SINTER_NO_METHOD
  template <class X, class... More>
  refused<double, fault::part, X> item(const X&, const More&...) const;
  template <class U, class... X>
  refused<double, fault::bytes, U, X...> view(const X&...) const;
  template <class U, class... X>
  refused<double, fault::cast, U, X...> cast(const X&...) const;
  template <class... X>
  refused<double, fault::extents, X...> reshape(anything, const X&...) const;
  template <class... X>
  refused<double, fault::extents, X...> transpose(anything, const X&...) const;
  void get(no_memory, anything = 0) const {}
  // Deleted: libraries ask of any type whether it is a range, and must not get an error. A compiler shows the line.
  int* begin() const = delete;  // sinter: elements are visited on the host: for (double x : a.get())
  int* end() const;
};

}  // namespace sinter::detail
