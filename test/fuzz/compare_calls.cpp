// Calls of compositions compared, and what a reduction folds where a mask or NaN leaves elements out.
#include "test/fuzz/calls.hpp"
#include "test/fuzz/elements.hpp"

namespace sinter::fuzz {

namespace {

std::vector<outline> outlines_of(const std::vector<snapshot>& all) {
  std::vector<outline> made;
  for (const snapshot& o : all) made.push_back({o.type, o.extents});
  return made;
}

// How far sums of products of the operands' elements may be apart; infinitely where they are not finite.
exact bound_of_all(const std::vector<snapshot>& operands, dtype result) {
  constexpr exact anything = std::numeric_limits<exact>::infinity();
  exact size = 1, terms = 8;
  for (const snapshot& o : operands) {
    exact largest = 1;
    for (std::int64_t i = 0; i < o.extents.elements(); ++i) {
      const exact x = number_at(o, i);
      if (!std::isfinite(x)) return anything;
      largest = std::max(largest, std::fabs(x));
    }
    size *= largest, terms += static_cast<exact>(o.extents.elements());
  }
  return with_type(detail::real_part_of(result), [&](auto t) -> exact {
    using T = decltype(t);
    using limits = std::numeric_limits<T>;
    if constexpr (!detail::floating_number<T>) return 0;
    else if (size * terms >= static_cast<exact>(limits::max()) / 4) return anything;
    else return 2 * terms * terms * static_cast<exact>(limits::epsilon()) * size;
  });
}

// How far sums of products of the operands' elements may be apart, or what is made of operands between -1 and 1.
exact bound_of_scale(const step& s, const std::vector<snapshot>& operands, dtype result) {
  const scale of = row_of(s).scaled(s, outlines_of(operands));
  exact size = static_cast<exact>(of.size);
  if (row_of(s).close == closeness::products)
    for (const snapshot& o : operands) size *= largest_of(o);
  return with_type(detail::real_part_of(result), [&](auto t) -> exact {
    using T = decltype(t);
    using limits = std::numeric_limits<T>;
    if constexpr (!detail::floating_number<T>) return 0;
    else if (!(size * static_cast<exact>(of.terms) < static_cast<exact>(limits::max()) / 4))
      return std::numeric_limits<exact>::infinity();
    else {
      // Numbers of 16 bits are added up in float, and rounded in the end.
      const exact unit = sizeof(T) == 2 ? 0x1p-23L : static_cast<exact>(limits::epsilon());
      return 4 * (static_cast<exact>(of.terms) + 8) * unit * size + 2 * static_cast<exact>(limits::epsilon()) * size +
             2 * static_cast<exact>(limits::denorm_min());
    }
  });
}

std::string apart(const snapshot& got, const snapshot& wanted, exact bound, exact units) {
  if (std::isinf(bound)) return "";
  if (detail::is_complex(wanted.type)) {
    for (op which : {op::real, op::imag})
      if (std::string d = apart(parts_of(got, which), parts_of(wanted, which), bound, units); !d.empty()) return d;
    return "";
  }
  for (std::int64_t i = 0; i < wanted.extents.elements(); ++i) {
    const exact x = number_at(got, i), y = number_at(wanted, i);
    if (x == y || (x != x && y != y) || std::fabs(x - y) <= bound + units * std::fabs(y)) continue;
    return difference(got, wanted, i, "they may be " + std::to_string(static_cast<double>(bound)) + " apart");
  }
  return "";
}

// Of equal elements either; of complex ones with a NaN any other.
std::string ordered_differs(const snapshot& got, const snapshot& wanted) {
  for (std::int64_t i = 0; i < wanted.extents.elements(); ++i)
    if (const bool same = with_type(wanted.type,
                                    [&](auto t) {
                                      using T = decltype(t);
                                      const T x = element<T>(got, i), y = element<T>(wanted, i);
                                      return x == y || (x != x && y != y);
                                    });
        !same)
      return difference(got, wanted, i, "");
  return "";
}

}  // namespace

exact largest_of(const snapshot& s) {
  exact largest = 0;
  for (std::int64_t i = 0; i < s.extents.elements(); ++i) {
    const exact x = number_at(s, i);
    if (!std::isfinite(x)) return std::numeric_limits<exact>::infinity();
    largest = std::max(largest, std::fabs(x));
  }
  return largest;
}

exact bound_of_call(const step& s, const std::vector<snapshot>& operands, dtype result) {
  return row_of(s).scaled ? bound_of_scale(s, operands, result) : bound_of_all(operands, result);
}

std::string differ_by_more(const snapshot& got, const snapshot& wanted, long double slack) {
  if (slack == 0) return bits_differ(got, wanted);
  if (std::string outline = outlines_differ(got, wanted); !outline.empty()) return outline;
  return apart(got, wanted, slack, 0);
}

std::string call_differs(const step& s, const std::vector<snapshot>& operands, const snapshot& got,
                         const snapshot& wanted) {
  if (std::string outline = outlines_differ(got, wanted); !outline.empty()) return outline;
  const closeness close = row_of(s).close;
  if (!detail::is_inexact(wanted.type) || close == closeness::exact || close == closeness::differences)
    return bits_differ(got, wanted);
  if (close == closeness::ordered) return ordered_differs(got, wanted);
  const exact unit = wanted.type == dtype::float32 ? 0x1p-23L : 0x1p-52L;
  if (close == closeness::drawn) return apart(got, wanted, 32 * unit, 32 * unit);
  return apart(got, wanted, bound_of_call(s, operands, wanted.type), 0);
}

bool counts(const step& s, const std::vector<snapshot>& operands, std::int64_t i) {
  const snapshot& of = operands[0];
  if (operands.size() > 1 && !element<bool>(operands[1], broadcast_place(operands[1].extents, of.extents, i)))
    return false;
  return !s.skips_nan || !std::isnan(number_at(of, i));
}

}  // namespace sinter::fuzz
