#include "test/fuzz/compare.hpp"

#include <sstream>

#include "test/codegen/ir/op_rows.hpp"
#include "test/fuzz/calls.hpp"
#include "test/fuzz/elements.hpp"
#include "test/numpy/golden.hpp"

namespace sinter::fuzz {

std::string difference(const snapshot& got, const snapshot& wanted, std::int64_t i, const std::string& how) {
  std::ostringstream text;
  text << "element " << i << " of shape " << wanted.extents << ": " << text_of(got, i) << " instead of "
       << text_of(wanted, i);
  if (!how.empty()) text << " (" << how << ')';
  return text.str();
}

std::string outlines_differ(const snapshot& got, const snapshot& wanted) {
  std::ostringstream text;
  if (got.type != wanted.type) text << "dtype " << got.type << " instead of " << wanted.type;
  else if (!(got.extents == wanted.extents)) text << "shape " << got.extents << " instead of " << wanted.extents;
  return text.str();
}

double ulps_of(op code) { return test::op_rows[static_cast<int>(code)].ulp; }

namespace {

// Their terms can cancel, so their unit is that of the largest of 1, the operands and the result.
bool cancels(op code) { return test::cancels(detail::facts(code).name); }

// Of two zeros they give either.
bool chooses_zero(op code) {
  return code == op::maximum || code == op::minimum || code == op::fmax || code == op::fmin || code == op::clip;
}

// ---- elementwise operations

template <class T>
std::string apply_differs(const step& s, const std::vector<snapshot>& operands, const snapshot& got,
                          const snapshot& wanted, judge by) {
  const double bound = ulps_of(s.code);
  // The interpreter's functions are right to one, NumPy's to four.
  const double allowed = bound == 0 ? 0 : bound + (by == judge::numpy ? 4 : 1);
  for (std::int64_t i = 0; i < wanted.extents.elements(); ++i) {
    const T x = element<T>(got, i), y = element<T>(wanted, i);
    if (same(x, y)) continue;
    if (allowed == 0 && !(x == y && chooses_zero(s.code) && by == judge::numpy))
      return difference(got, wanted, i, "they have to agree");
    exact scale = 0;
    if (cancels(s.code)) {
      scale = 1;
      for (const snapshot& o : operands)
        scale = std::max(scale, std::fabs(number_at(o, broadcast_place(o.extents, wanted.extents, i))));
    }
    const double apart = test::ulps_apart(x, y, static_cast<T>(static_cast<double>(scale)));
    if (apart > allowed)
      return difference(got, wanted, i, std::to_string(apart) + " ulp apart; " + std::to_string(allowed) + " allowed");
  }
  return "";
}

// ---- reductions

fold fold_of(detail::reduction scanning) {
  return scanning == detail::reduction::logaddexp ? fold::mean : static_cast<fold>(scanning);
}
int axis_of(const step& s, const shape& from) {
  const int given = s.axes->front();
  return given < 0 ? given + from.size() : given;
}
// The elements between one of a scan and the next.
std::int64_t inner_of(const step& s, const shape& from) {
  std::int64_t inner = 1;
  for (int d = s.axes ? axis_of(s, from) + 1 : from.size(); d < from.size(); ++d) inner *= from[d];
  return inner;
}

template <class T>
std::vector<folded> fold_all(const step& s, const std::vector<snapshot>& operands) {
  const snapshot& from = operands[0];
  const int rank = from.extents.size();
  unsigned mask = s.axes ? 0 : (1u << rank) - 1;
  if (s.axes)
    for (int a : *s.axes) mask |= 1u << (a < 0 ? a + rank : a);
  std::int64_t outputs = 1;
  for (int d = 0; d < rank; ++d) outputs *= mask >> d & 1 ? 1 : from.extents[d];
  std::vector<folded> all(static_cast<std::size_t>(outputs));
  for (std::int64_t i = 0; i < from.extents.elements(); ++i) {
    std::int64_t left = i, place = 0, step = 1;
    for (int d = rank - 1; d >= 0; --d) {
      const std::int64_t at = left % from.extents[d];
      left /= from.extents[d];
      if (!(mask >> d & 1)) place += at * step, step *= from.extents[d];
    }
    if (counts(s, operands, i))
      all[static_cast<std::size_t>(place)].add(static_cast<T>(static_cast<double>(number_at(from, i))));
  }
  if (s.initial)
    for (folded& f : all) f.add(static_cast<exact>(*s.initial));
  return all;
}

// How far two results of one fold may be apart; infinitely where the order of folding decides about an overflow.
template <class T>
exact fold_bound(const step& s, const folded& f, exact wanted) {
  using limits = std::numeric_limits<T>;
  const exact eps = limits::epsilon(), anything = std::numeric_limits<exact>::infinity();
  const exact rounding = 4 * eps * std::fabs(wanted) + limits::denorm_min();
  const auto n = static_cast<exact>(f.count);
  // The finite ones decide alone where the order of folding matters; with the others it does not.
  if (f.size >= limits::max() / 4 && (s.folding == fold::sum || s.folding == fold::mean)) return anything;
  if (f.exponents > limits::max_exponent - 8 && s.folding == fold::prod) return anything;
  if (!f.finite) return 0;
  switch (s.folding) {
    case fold::sum: return sum_bound<T>(f) + rounding;
    case fold::mean: return sum_bound<T>(f) / std::max(n, exact(1)) + rounding;
    case fold::prod: return n * eps * std::fabs(wanted) + rounding;
    case fold::var:
    case fold::stddev: {
      const exact width = f.highest - f.lowest;
      if (f.count == 0 || width > 1e150L || (width > 0 && width < 1e-150L)) return anything;
      const exact left = std::max(n - s.ddof, exact(0));
      if (left == 0) return 0;
      // One pass over distances from an element here, two passes in NumPy; all in double.
      const double e = std::numeric_limits<double>::epsilon();
      const exact of_mean = 4 * (n + 8) * e * std::max(std::fabs(f.highest), std::fabs(f.lowest));
      const exact variance = (16 * (n + 8) * e * n * width * width + n * of_mean * of_mean) / left;
      if (s.folding == fold::var) return variance + rounding;
      return wanted > 0 ? std::min(variance / wanted, std::sqrt(variance)) + rounding : std::sqrt(variance) + rounding;
    }
    default: return 0;
  }
}

// Each step of a running logarithm of sums is as far off as its row of ops.def says, in units of the largest of 1 and what it
// is of; what was off before stays so.
template <class T>
exact logarithm_bound(const folded& f, exact wanted) {
  const auto finite = [](exact x) { return std::isfinite(x) ? std::fabs(x) : 0; };
  const exact largest = std::max({exact(1), finite(f.lowest), finite(f.highest), finite(wanted)});
  if (!std::isfinite(wanted) && largest < std::numeric_limits<T>::max() / 2) return 0;
  return static_cast<exact>(f.count) * (ulps_of(op::logaddexp) + 4) * std::numeric_limits<T>::epsilon() * largest;
}

// A scan folds what is before each element, so that its bounds are those of the fold of these.
template <class T>
std::string scan_differs(const step& s, const snapshot& from, const snapshot& got, const snapshot& wanted) {
  step fold;
  fold.folding = fold_of(s.scanning);
  const std::int64_t inner = inner_of(s, from.extents);
  const std::int64_t length = s.axes ? from.extents[axis_of(s, from.extents)] : from.extents.elements();
  std::vector<folded> until(static_cast<std::size_t>(inner));
  for (std::int64_t i = 0; i < wanted.extents.elements(); ++i) {
    folded& f = until[static_cast<std::size_t>(i % inner)];
    if (i / inner % length == 0) f = {};
    f.add(static_cast<T>(static_cast<double>(number_at(from, i))));
    const T x = element<T>(got, i), y = element<T>(wanted, i);
    if (x == y || (x != x && y != y)) continue;
    const exact bound = s.scanning == detail::reduction::logaddexp ? logarithm_bound<T>(f, static_cast<exact>(y))
                                                                   : fold_bound<T>(fold, f, static_cast<exact>(y));
    if (std::isinf(bound) || std::fabs(static_cast<exact>(x) - static_cast<exact>(y)) <= bound) continue;
    return difference(got, wanted, i, "they may be " + std::to_string(static_cast<double>(bound)) + " apart");
  }
  return "";
}

template <class T>
std::string fold_differs(const step& s, const std::vector<snapshot>& operands, const snapshot& got,
                         const snapshot& wanted) {
  const bool in_double = s.folding >= fold::var;
  const std::vector<folded> all = in_double ? fold_all<double>(s, operands) : fold_all<T>(s, operands);
  for (std::int64_t i = 0; i < wanted.extents.elements(); ++i) {
    const T x = element<T>(got, i), y = element<T>(wanted, i);
    if (x == y || (x != x && y != y)) continue;
    const exact bound = fold_bound<T>(s, all[static_cast<std::size_t>(i)], static_cast<exact>(y));
    if (std::isinf(bound) || std::fabs(static_cast<exact>(x) - static_cast<exact>(y)) <= bound) continue;
    return difference(got, wanted, i, "they may be " + std::to_string(static_cast<double>(bound)) + " apart");
  }
  return "";
}

}  // namespace

std::string bits_differ(const snapshot& got, const snapshot& wanted) {
  if (std::string outline = outlines_differ(got, wanted); !outline.empty()) return outline;
  return with_type(got.type, [&](auto t) -> std::string {
    using T = decltype(t);
    for (std::int64_t i = 0; i < wanted.extents.elements(); ++i) {
      const T x = element<T>(got, i), y = element<T>(wanted, i);
      if (!same(x, y)) return difference(got, wanted, i, "");
    }
    return "";
  });
}

std::string step_differs(const step& s, const std::vector<snapshot>& operands, const snapshot& got,
                         const snapshot& wanted, judge by) {
  if (s.what == form::store) return store_differs(s, operands, got, wanted);
  if (s.what == form::call) return call_differs(s, operands, got, wanted);
  const bool computes = s.what == form::apply || s.what == form::reduce || s.what == form::scan;
  if (computes && any_complex(operands, wanted)) return complex_step_differs(s, operands, got, wanted, by);
  if (!computes || !detail::is_floating(wanted.type)) return bits_differ(got, wanted);
  if (std::string outline = outlines_differ(got, wanted); !outline.empty()) return outline;
  return with_type(wanted.type, [&](auto t) -> std::string {
    using T = decltype(t);
    if constexpr (!detail::floating_number<T>) return "";
    else if (s.what == form::apply) return apply_differs<T>(s, operands, got, wanted, by);
    else if (s.what == form::scan) return scan_differs<T>(s, operands[0], got, wanted);
    else return fold_differs<T>(s, operands, got, wanted);
  });
}

bool is_exact(const step& s, const std::vector<snapshot>& operands, const snapshot& result) {
  if (!detail::is_inexact(result.type)) return true;
  if (s.what == form::call) return row_of(s).close == closeness::exact;
  if (any_complex(operands, result)) return is_exact_of_complex(s, operands, result);
  if (s.what == form::store && s.into == storing::combine) return s.code != op::add;
  const bool elementwise = s.what == form::apply || (s.what == form::store && s.updates);
  if (elementwise && ulps_of(s.code) != 0) return false;
  const bool folds = s.what == form::reduce || s.what == form::scan;
  if (!elementwise && !folds) return true;
  const fold folding = s.what == form::scan ? fold_of(s.scanning) : s.folding;
  if (folds && folding != fold::sum && folding != fold::prod) return folding == fold::min || folding == fold::max;
  // Whole numbers, so small that no sum of them is rounded.
  const exact limit = with_type(
      result.type, [](auto t) -> exact { return std::ldexp(exact(1), std::numeric_limits<decltype(t)>::digits - 1); });
  const auto is_small = [&](const snapshot& v, exact most) {
    for (std::int64_t i = 0; i < v.extents.elements(); ++i) {
      const exact x = number_at(v, i);
      if (std::isfinite(x) && (x != std::trunc(x) || std::fabs(x) > most)) return false;
    }
    return true;
  };
  if (s.what == form::apply || s.what == form::store) {
    for (const snapshot& v : operands)
      if (!is_small(v, limit)) return false;
    return is_small(result, limit);
  }
  for (const folded& f : fold_all<double>(s, operands))
    if (folding == fold::prod ? f.exponents > 20 : f.size > limit) return false;
  return is_small(operands[0], limit);
}

std::string text_of(const snapshot& s, std::int64_t i) {
  return with_type(s.type, [&](auto t) {
    std::ostringstream text;
    text.precision(std::numeric_limits<decltype(t)>::max_digits10);
    text << +element<decltype(t)>(s, i);
    return text.str();
  });
}

}  // namespace sinter::fuzz
