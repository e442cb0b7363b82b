// Complex results, and real ones of complex numbers, compared: functions by their distance in the plane, sums part by part.
#include "test/codegen/ir/expectation.hpp"
#include "test/fuzz/elements.hpp"

namespace sinter::fuzz {

snapshot parts_of(const snapshot& s, op which) {
  if (!detail::is_complex(s.type)) return s;
  snapshot parts{detail::real_part_of(s.type), s.extents, std::vector<std::byte>(s.elements.size() / 2)};
  const auto size = static_cast<std::size_t>(itemsize(parts.type));
  for (std::size_t at = 0; at < parts.elements.size(); at += size)
    std::memcpy(&parts.elements[at], &s.elements[2 * at + (which == op::imag ? size : 0)], size);
  return parts;
}

bool any_complex(const std::vector<snapshot>& operands, const snapshot& result) {
  return detail::is_complex(result.type) ||
         std::any_of(operands.begin(), operands.end(), [](const snapshot& o) { return detail::is_complex(o.type); });
}

namespace {

using number_of_two = std::complex<double>;

number_of_two complex_at(const snapshot& s, std::int64_t i) {
  return with_type(s.type, [&](auto t) { return detail::cast_element<number_of_two>(element<decltype(t)>(s, i)); });
}
number_of_two operand_at(const step& s, std::size_t which, const std::vector<snapshot>& operands, const shape& extents,
                         std::int64_t i) {
  std::size_t steps = 0;
  for (std::size_t o = 0; o < which; ++o) steps += s.operands[o].is_step();
  const operand& of = s.operands[which];
  if (!of.is_step()) return value_of<number_of_two>({dtype::complex128, true, converted(of.scalar, dtype::complex128)});
  return complex_at(operands[steps], broadcast_place(operands[steps].extents, extents, i));
}

// By how much an error of a power's exponent grows: as much as the exponent is long. Of exp2 the angle's does.
double growth(const step& s, const std::vector<snapshot>& operands, const shape& extents, std::int64_t i) {
  if (s.code != op::power && s.code != op::exp2) return 1;
  const number_of_two a = operand_at(s, 0, operands, extents, i);
  if (s.code == op::exp2) return std::isfinite(a.imag()) ? 1 + std::fabs(a.imag()) : 1;
  const double length = std::abs(operand_at(s, 1, operands, extents, i)) * (1 + std::abs(std::log(a)));
  return std::isfinite(length) ? 1 + length : 1;
}

// Far out an exponential of two parts has no direction left; an infinite part of a power, or of sinc, decides by the order of products, and once
// one part has left the range the other is not as near as its own digits are.
bool is_open(const step& s, const std::vector<snapshot>& operands, const snapshot& wanted, std::int64_t i) {
  if (s.code != op::power && s.code != op::exp2 && s.code != op::sinc) return false;
  for (std::size_t o = 0; o < s.operands.size() && s.code != op::exp2; ++o)
    if (!std::isfinite(std::abs(operand_at(s, o, operands, wanted.extents, i)))) return true;
  if (s.code != op::exp2 && !std::isfinite(number_at(wanted, i))) return true;
  return growth(s, operands, wanted.extents, i) > 1e4;
}

// What rounds once, or by the same formula everywhere.
bool has_to_agree(op code) {
  return code == op::multiply || code == op::divide || code == op::square || code == op::reciprocal ||
         test::is_exact_of_complex(code);
}

// Sums and products of terms that vanish leave zeros of either sign.
bool has_any_zero(op code) { return code == op::expm1 || code == op::sinc || code == op::power; }

template <class T>
std::string apply_differs(const step& s, const std::vector<snapshot>& operands, const snapshot& got,
                          const snapshot& wanted, judge by) {
  const double allowed = (ulps_of(s.code) == 0 ? 4 : 8) + (by == judge::numpy ? 4 : 1);
  for (std::int64_t i = 0; i < wanted.extents.elements(); ++i) {
    const T x = element<T>(got, i), y = element<T>(wanted, i);
    if (same(x, y)) continue;
    if (has_to_agree(s.code)) return difference(got, wanted, i, "they have to agree");
    if (is_open(s, operands, wanted, i)) continue;
    const T zero = detail::cast_element<T>(has_any_zero(s.code) ? number_of_two() : number_of_two(-0.0, -0.0));
    const double apart = test::ulps_apart(x + zero, y + zero) / growth(s, operands, wanted.extents, i);
    if (apart > allowed)
      return difference(got, wanted, i, std::to_string(apart) + " ulp apart; " + std::to_string(allowed) + " allowed");
  }
  return "";
}

fold fold_of(const step& s) { return s.what == form::scan ? static_cast<fold>(s.scanning) : s.folding; }

// The same element, or any of those that have a part that is no number.
template <class T>
std::string chosen_differs(const snapshot& got, const snapshot& wanted) {
  for (std::int64_t i = 0; i < wanted.extents.elements(); ++i) {
    const T x = element<T>(got, i), y = element<T>(wanted, i);
    const bool undefined = (x != x) && (y != y);
    if (x != y && !undefined) return difference(got, wanted, i, "");
  }
  return "";
}

// Products by the sizes of their factors. Which of the parts become infinite, or no number, is decided by the order.
template <class T>
std::string products_differ(const step& s, const std::vector<snapshot>& operands, const snapshot& got,
                            const snapshot& wanted) {
  const snapshot& from = operands[0];
  using R = typename T::value_type;
  using limits = std::numeric_limits<R>;
  exact exponents = 0;
  for (std::int64_t i = 0; i < from.extents.elements(); ++i) {
    if (!counts(s, operands, i)) continue;
    const exact size = std::fabs(number_at(from, i));
    if (!std::isfinite(size)) return "";
    exponents += size > 0 ? std::fabs(std::log2(size)) + 1 : 0;
  }
  if (exponents > limits::max_exponent - 8) return "";
  const exact each = 8 * static_cast<exact>(from.extents.elements() + 1) * limits::epsilon();
  for (std::int64_t i = 0; i < wanted.extents.elements(); ++i) {
    const std::complex<exact> x(element<T>(got, i)), y(element<T>(wanted, i));
    if ((x != x && y != y) || std::abs(x - y) <= each * std::abs(y) + limits::denorm_min()) continue;
    return difference(got, wanted, i, "products of " + std::string(name(fold_of(s))));
  }
  return "";
}

// Each part's variance is off by itself.
std::string variance_differs(const step& s, const std::vector<snapshot>& operands, const snapshot& got,
                             const snapshot& wanted) {
  const snapshot& from = operands[0];
  exact largest = 0;
  for (std::int64_t i = 0; i < from.extents.elements(); ++i) {
    if (!counts(s, operands, i)) continue;
    const exact size = number_at(from, i);
    if (!std::isfinite(size)) return "";
    largest = std::max(largest, size);
  }
  if (largest > 1e150L) return "";
  const auto n = static_cast<exact>(from.extents.elements() + 8);
  const exact of_sums = 64 * n * n * std::numeric_limits<double>::epsilon() * largest * largest;
  return with_type(wanted.type, [&](auto t) -> std::string {
    using T = decltype(t);
    if constexpr (!detail::floating_number<T>) return "";
    else
      for (std::int64_t i = 0; i < wanted.extents.elements(); ++i) {
        const T x = element<T>(got, i), y = element<T>(wanted, i);
        if (x == y || (x != x && y != y)) continue;
        const exact rounding = 4 * exact(std::numeric_limits<T>::epsilon()) * std::fabs(number_at(wanted, i));
        const exact bound = rounding + (s.folding == fold::var ? of_sums : std::sqrt(of_sums));
        if (std::fabs(number_at(got, i) - number_at(wanted, i)) > bound)
          return difference(got, wanted, i, "they may be " + std::to_string(static_cast<double>(bound)) + " apart");
      }
    return "";
  });
}

// Of a number whose other part is NaN neither counts.
void leave_out_with(const snapshot& from, snapshot& parts) {
  with_type(parts.type, [&](auto t) {
    using T = decltype(t);
    if constexpr (detail::floating_number<T>)
      for (std::int64_t i = 0; i < from.extents.elements(); ++i)
        if (std::isnan(number_at(from, i))) {
          const T nan = std::numeric_limits<T>::quiet_NaN();
          std::memcpy(&parts.elements[static_cast<std::size_t>(i) * sizeof nan], &nan, sizeof nan);
        }
  });
}

// A mean is divided as complex numbers are: where one part of a sum leaves the range, the other is no number. Whether it does may be up to
// the order of folding, which that part's own comparison knows: the other has what is wanted then.
snapshot where_both_stay(snapshot got, const snapshot& wanted, const snapshot& other_got,
                         const snapshot& other_wanted) {
  const std::size_t size = static_cast<std::size_t>(itemsize(got.type));
  for (std::int64_t i = 0; i < got.extents.elements(); ++i) {
    if (std::isfinite(number_at(other_got, i)) == std::isfinite(number_at(other_wanted, i))) continue;
    const std::size_t at = static_cast<std::size_t>(i) * size;
    std::memcpy(&got.elements[at], &wanted.elements[at], size);
  }
  return got;
}

template <class T>
std::string fold_differs(const step& s, std::vector<snapshot> operands, const snapshot& got, const snapshot& wanted,
                         judge by) {
  switch (fold_of(s)) {
    case fold::min:
    case fold::max: return chosen_differs<T>(got, wanted);
    case fold::prod: return products_differ<T>(s, operands, got, wanted);
    default: break;
  }
  // Sums, and means, of the parts.
  step of_parts = s;
  of_parts.type = detail::real_part_of(wanted.type);
  const snapshot from = operands[0];
  for (op which : {op::real, op::imag}) {
    operands[0] = parts_of(from, which);
    if (s.skips_nan) leave_out_with(from, operands[0]);
    const op other = which == op::real ? op::imag : op::real;
    const snapshot wanted_part = parts_of(wanted, which);
    const snapshot part = fold_of(s) == fold::mean ? where_both_stay(parts_of(got, which), wanted_part,
                                                                     parts_of(got, other), parts_of(wanted, other))
                                                   : parts_of(got, which);
    const std::string d = step_differs(of_parts, operands, part, wanted_part, by);
    if (!d.empty()) return std::string(which == op::real ? "real" : "imaginary") + " parts: " + d;
  }
  return "";
}

}  // namespace

std::string complex_step_differs(const step& s, const std::vector<snapshot>& operands, const snapshot& got,
                                 const snapshot& wanted, judge by) {
  if (std::string outline = outlines_differ(got, wanted); !outline.empty()) return outline;
  if (!detail::is_inexact(wanted.type)) return bits_differ(got, wanted);
  if (s.what == form::reduce && s.folding > fold::mean) return variance_differs(s, operands, got, wanted);
  return with_type(wanted.type, [&](auto t) -> std::string {
    using T = decltype(t);
    if constexpr (detail::complex_number<T>) {
      if (s.what != form::apply) return fold_differs<T>(s, operands, got, wanted, by);
      return apply_differs<T>(s, operands, got, wanted, by);
    } else if constexpr (detail::floating_number<T>) {
      // Of complex elements, cast before they are folded; or their sizes, angles and parts.
      if (s.what != form::apply) {
        std::vector<snapshot> real = operands;
        real[0] = parts_of(real[0], op::real);
        return step_differs(s, real, got, wanted, by);
      }
      return apply_differs<T>(s, operands, got, wanted, by);
    } else {
      return "";
    }
  });
}

bool is_exact_of_complex(const step& s, const std::vector<snapshot>& operands, const snapshot& result) {
  if (s.what == form::store) {
    if (s.into == storing::combine) return false;
    if (!s.updates) return true;
  }
  const bool folds = s.what == form::reduce || s.what == form::scan;
  if (folds) {
    const fold of = fold_of(s);
    if (of == fold::min || of == fold::max) return true;
    if (of != fold::sum && of != fold::prod) return false;
    step part = s;
    part.type = detail::real_part_of(s.type);
    const auto exact_part = [&](op which) {
      std::vector<snapshot> of_parts = operands;
      of_parts[0] = parts_of(operands[0], which);
      return is_exact(part, of_parts, parts_of(result, which));
    };
    return of == fold::sum && exact_part(op::real) && exact_part(op::imag);
  }
  if (s.what != form::apply && s.what != form::store) return true;
  if (s.code != op::multiply && s.code != op::square) return s.code != op::divide && test::is_exact_of_complex(s.code);
  // Whole numbers, so small that no sum of two products is rounded.
  const exact limit = detail::real_part_of(result.type) == dtype::float32 ? 0x1p11L : 0x1p25L;
  for (const snapshot& v : operands)
    for (op which : {op::real, op::imag}) {
      const snapshot parts = parts_of(v, which);
      for (std::int64_t i = 0; i < parts.extents.elements(); ++i) {
        const exact x = number_at(parts, i);
        if (x != std::trunc(x) || !(std::fabs(x) < limit)) return false;
      }
    }
  return true;
}

}  // namespace sinter::fuzz
