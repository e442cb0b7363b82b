// How far a value may be from the same computed in another order, through a program: calls of libraries round as they like, and what is
// made of their results is as far off as these, by the operation.
#include "test/fuzz/calls.hpp"
#include "test/fuzz/elements.hpp"

namespace sinter::fuzz {

namespace {

constexpr exact anything = std::numeric_limits<exact>::infinity();
/// Only the signs of zeros are open: what compares or counts does not see it.
constexpr exact signs_of_zero = std::numeric_limits<exact>::denorm_min();

bool asks_for_sign_of_nan(const step& s, const std::vector<snapshot>& operands) {
  if (s.what != form::apply) return false;
  // A function of a complex number takes signs of its parts.
  const bool looks = s.code == op::signbit || s.code == op::copysign;
  const detail::rule of = detail::facts(s.code).of;
  const bool function = of == detail::rule::analytic || s.code == op::power || s.code == op::sign;
  for (const snapshot& o : operands)
    for (std::int64_t i = 0; (detail::is_complex(o.type) ? function : looks) && i < o.extents.elements(); ++i)
      if (std::isnan(number_at(o, i))) return true;
  return false;
}

// Where products may be contracted, gcc makes one operation of a sum of them and its negation, of which a zero is positive.
bool may_lose_sign_of_zero(const step& s, const snapshot& result) {
  if (s.what != form::apply || s.code != op::negative) return false;
  for (const op which : {op::real, op::imag}) {
    const snapshot part = parts_of(result, which);
    for (std::int64_t i = 0; i < part.extents.elements(); ++i)
      if (number_at(part, i) == 0) return true;
  }
  return false;
}

// Numbers that differ in the signs of zeros are equal: which of them is the least or the largest is for the order to say. (Seen
// with gcc 12: the least of 0 and -0 was the one in a fused scan and the other in a scan of the stored products.)
bool takes_any_zero(const step& s, const snapshot& result) {
  if (s.what != form::reduce && s.what != form::scan) return false;
  const fold which = s.what == form::scan ? static_cast<fold>(s.scanning) : s.folding;
  return detail::is_inexact(result.type) && (which == fold::min || which == fold::max);
}

bool has_zero(const snapshot& result) {
  for (const op which : {op::real, op::imag}) {
    const snapshot part = parts_of(result, which);
    for (std::int64_t i = 0; i < part.extents.elements(); ++i)
      if (number_at(part, i) == 0) return true;
  }
  return false;
}
bool has_whole_elements(const snapshot& s) {
  for (const op which : {op::real, op::imag}) {
    const snapshot part = parts_of(s, which);
    for (std::int64_t i = 0; i < part.extents.elements(); ++i)
      if (number_at(part, i) != std::trunc(number_at(part, i))) return false;
  }
  return true;
}
exact unit_of(dtype type) {
  return with_type(detail::real_part_of(type), [](auto t) -> exact {
    if constexpr (detail::floating_number<decltype(t)>) return std::numeric_limits<decltype(t)>::epsilon();
    else return 0;
  });
}

// Of whole numbers so small that no sum of products is rounded only the signs of zeros are open.
exact slack_of_products(const step& s, const std::vector<snapshot>& operands, const snapshot& result) {
  std::vector<outline> outlines;
  for (const snapshot& o : operands) outlines.push_back({o.type, o.extents});
  const scale of = row_of(s).scaled(s, outlines);
  exact size = 2 * static_cast<exact>(of.size);
  bool whole = of.is_whole;
  for (const snapshot& o : operands) whole = whole && has_whole_elements(o), size *= largest_of(o);
  const bool exactly = whole && size * unit_of(result.type) < 1;
  return exactly ? signs_of_zero : bound_of_call(s, operands, result.type);
}

exact slack_of_call(const step& s, const std::vector<snapshot>& operands, const snapshot& result, bool strict) {
  if (!detail::is_inexact(result.type)) return 0;
  switch (row_of(s).close) {
    case closeness::exact: return 0;
    case closeness::ordered:
      if (!strict && detail::is_complex(result.type) && !std::isfinite(largest_of(result))) return anything;
      return strict || !has_zero(result) ? 0 : signs_of_zero;
    case closeness::products: return slack_of_products(s, operands, result);
    case closeness::tamed: return bound_of_call(s, operands, result.type);
    default: return strict ? 0 : anything;
  }
}

// Operands, with numbers among them, by their largest elements and by how far these may be off.
struct sized {
  exact largest = 0, slack = 0;
};
std::vector<sized> sizes_of(const step& s, const std::vector<snapshot>& operands, const std::vector<exact>& slack) {
  std::vector<sized> all;
  std::size_t next = 0;
  for (const operand& o : s.operands) {
    if (o.is_step()) {
      all.push_back({largest_of(operands[next]), slack[next]});
      ++next;
    } else {
      const auto z = value_of<std::complex<double>>({dtype::complex128, true, converted(o.scalar, dtype::complex128)});
      all.push_back({std::abs(std::complex<exact>(z)), 0});
    }
  }
  return all;
}

exact slack_applied(op code, const std::vector<sized>& of, const snapshot& result) {
  const auto sum = [&] {
    exact all = 0;
    for (const sized& o : of) all += o.slack;
    return all;
  };
  switch (code) {
    case op::add:
    case op::subtract:
    case op::negative:
    case op::conjugate:
    case op::real:
    case op::imag:
    case op::absolute:
    case op::make_complex: return sum();
    case op::multiply: return of[0].largest * of[1].slack + of[1].largest * of[0].slack + of[0].slack * of[1].slack;
    case op::square: return (2 * of[0].largest + of[0].slack) * of[0].slack;
    case op::maximum:
    case op::minimum: return detail::is_complex(result.type) ? anything : sum();
    case op::where: return of[0].slack == 0 ? of[1].slack + of[2].slack : anything;
    default: return anything;
  }
}

exact slack_called(const step& s, const std::vector<sized>& of, const std::vector<snapshot>& operands,
                   const snapshot& result) {
  const call_row& row = row_of(s);
  if (row.close == closeness::exact) return of.size() == 1 && !detail::is_complex(result.type) ? of[0].slack : anything;
  if (row.close == closeness::differences) return 2 * of[0].slack;
  if (row.close != closeness::products) return anything;
  std::vector<outline> outlines;
  for (const snapshot& o : operands) outlines.push_back({o.type, o.extents});
  exact largest = 1, farthest = 1;
  for (const sized& o : of) largest *= o.largest, farthest *= o.largest + o.slack;
  return static_cast<exact>(row.scaled(s, outlines).size) * (farthest - largest);
}

exact slack_folded(const step& s, const std::vector<sized>& of, const std::vector<snapshot>& operands,
                   const snapshot& result) {
  const exact n = static_cast<exact>(operands[0].extents.elements()) /
                  static_cast<exact>(std::max<std::int64_t>(result.extents.elements(), 1));
  if (s.folding == fold::min || s.folding == fold::max) return detail::is_complex(result.type) ? anything : of[0].slack;
  if (s.folding == fold::mean) return of[0].slack + n * unit_of(result.type) * of[0].largest;
  if (s.folding == fold::sum) return n * (of[0].slack + n * unit_of(result.type) * of[0].largest);
  return anything;
}

exact slack_of_step(const step& s, const std::vector<sized>& of, const std::vector<snapshot>& operands,
                    const snapshot& result) {
  switch (s.what) {
    case form::apply: return slack_applied(s.code, of, result);
    case form::call: return slack_called(s, of, operands, result);
    case form::reduce: return slack_folded(s, of, operands, result);
    case form::scan: return anything;
    case form::store:
      if (s.updates ? s.code != op::add && s.code != op::subtract : s.into == storing::combine) return anything;
      return s.updates ? of[0].slack + of[1].slack : std::max(of[0].slack, of[1].slack);
    default: break;
  }
  exact most = 0;
  for (const sized& o : of) most = std::max(most, o.slack);
  return most;
}

}  // namespace

long double own_slack(const step& s, const std::vector<snapshot>& operands, const snapshot& result, bool strict) {
  if (asks_for_sign_of_nan(s, operands)) return anything;
  if (s.what == form::call) return slack_of_call(s, operands, result, strict);
  if (strict) return 0;
  if (!is_exact(s, operands, result)) return anything;
  return may_lose_sign_of_zero(s, result) || takes_any_zero(s, result) ? signs_of_zero : 0;
}

long double slack_of(const step& s, const std::vector<snapshot>& operands, const std::vector<long double>& slack,
                     const snapshot& result, bool strict) {
  const exact most = slack.empty() ? 0 : *std::max_element(slack.begin(), slack.end());
  const exact own = own_slack(s, operands, result, strict);
  if (most == 0 || std::isinf(most)) return std::max(own, most);
  for (std::size_t i = 0; i < operands.size(); ++i)
    if (slack[i] > 0 && !detail::is_inexact(operands[i].type)) return anything;
  const bool sees_signs = s.what == form::apply && (s.code == op::signbit || s.code == op::copysign);
  if (!detail::is_inexact(result.type)) return most == signs_of_zero && !sees_signs ? 0 : anything;
  // What is not finite, or becomes so, may be anything a little farther on.
  if (!std::isfinite(largest_of(result))) return anything;
  const std::vector<sized> of = sizes_of(s, operands, slack);
  const exact passed = slack_of_step(s, of, operands, result);
  if (most == signs_of_zero && own == 0) return std::isinf(passed) ? anything : signs_of_zero;
  if (std::isinf(own) && s.what != form::apply && s.what != form::reduce && s.what != form::store) return anything;
  const bool rounds = s.what == form::apply || s.what == form::cast || s.what == form::reduce || s.what == form::store;
  return passed + (std::isinf(own) ? 0 : own) + (rounds ? 8 * unit_of(result.type) * largest_of(result) : 0);
}

}  // namespace sinter::fuzz
