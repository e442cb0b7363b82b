// What filters are made of, and signals beyond their ends.
#pragma once

#include "runtime/frontend/list.hpp"
#include "runtime/frontend/segments.hpp"

namespace sinter::runtime {

/// A signal with its axis at the end, in the dtype that a filter computes in.
struct along_last {
  term x;
  int axis;  // where it was

  /// Errors: `index_error`, as `checked_axis`.
  along_last(detail::handle, dtype, std::int64_t along, const char* what);
  std::int64_t samples() const { return x.extent(x.rank() - 1); }
  detail::node* back(const term& y) const { return axis_moved(y, -1, axis).take(); }
};

/// A numerator and a denominator.
struct coefficients {
  term over, under;

  /// Errors: `shape_error` unless both have one axis and an element.
  coefficients(detail::handle b, detail::handle a, dtype, const char* what);
  coefficients(term b, term a) : over(std::move(b)), under(std::move(a)) {}
  std::int64_t count() const { return std::max(over.extent(0), under.extent(0)); }
};

/// Sections of the second order, from (sections, 6). Errors: `shape_error`.
list<coefficients> sections_of(detail::handle sos, dtype, const char* what);

/// So many samples before a signal and behind it, along its last axis.
struct beyond {
  term before, behind;
};
/// Those within, from its ends inwards; the ends themselves are not among them.
beyond mirrored(const term& x, std::int64_t count);
/// The ends again and again.
beyond repeated(const term& x, std::int64_t count);

}  // namespace sinter::runtime
