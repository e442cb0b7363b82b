// Stores compared with the same done by hand, and with NumPy's.
#include "test/fuzz/elements.hpp"

namespace sinter::fuzz {

namespace {

// A value may have more axes than what it is stored into: of extent 1, in front.
shape without_first_axes(const shape& s, int rank) {
  const int more = std::max(s.size() - rank, 0);
  return {s.begin() + more, s.size() - more};
}

}  // namespace

snapshot stored_by_hand(const snapshot& target, const snapshot& places, const snapshot& value,
                        const std::optional<snapshot>& mask) {
  snapshot result = target;
  const auto size = static_cast<std::size_t>(itemsize(target.type));
  const shape from = without_first_axes(value.extents, places.extents.size());
  for (std::int64_t i = 0; i < places.extents.elements(); ++i) {
    if (mask && !element<bool>(*mask, broadcast_place(mask->extents, places.extents, i))) continue;
    const auto at = static_cast<std::size_t>(element<std::int64_t>(places, i));
    const auto of = static_cast<std::size_t>(broadcast_place(from, places.extents, i));
    std::memcpy(result.elements.data() + at * size, value.elements.data() + of * size, size);
  }
  return result;
}

namespace {

// As the library has it: of two zeros max takes the positive one, and min the other.
template <class T>
T folded_by_hand(T a, T b, op code) {
  if (code == op::add) {
    if constexpr (detail::floating_number<T> || detail::complex_number<T>) return a + b;
    else if constexpr (std::is_same_v<T, bool>) return a || b;
    else return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  }
  if constexpr (detail::complex_number<T>) {
    return a;  // which the library refuses
  } else {
    if (a != a || b != b) return a != a ? a : b;
    const bool a_first = a == b ? std::signbit(static_cast<exact>(a)) : a < b;
    return a_first == (code == op::minimum) ? a : b;
  }
}

// Of complex terms only the sizes are known, not which of the parts of one is finite.
template <class T>
exact part_bound(const folded& terms, bool are_complex) {
  const bool open = are_complex && !terms.finite;
  if (open || terms.size >= std::numeric_limits<T>::max() / 4) return std::numeric_limits<exact>::infinity();
  return terms.finite ? sum_bound<T>(terms) : 0;
}

// How far sums of the same terms may be apart.
exact bound_of(const folded& terms, dtype type) {
  return with_type(type, [&](auto t) -> exact {
    using T = decltype(t);
    if constexpr (detail::complex_number<T>) return part_bound<typename T::value_type>(terms, true);
    else if constexpr (detail::floating_number<T>) return part_bound<T>(terms, false);
    else return 0;
  });
}

std::string elements_differ(const snapshot& got, const snapshot& wanted, const std::vector<exact>& bounds) {
  if (std::string outline = outlines_differ(got, wanted); !outline.empty()) return outline;
  if (detail::is_complex(wanted.type)) {
    for (op which : {op::real, op::imag})
      if (std::string d = elements_differ(parts_of(got, which), parts_of(wanted, which), bounds); !d.empty()) return d;
    return "";
  }
  for (std::int64_t i = 0; i < got.extents.elements(); ++i) {
    const exact x = number_at(got, i), y = number_at(wanted, i), bound = bounds[static_cast<std::size_t>(i)];
    if (x == y || (x != x && y != y) || std::isinf(bound) || std::fabs(x - y) <= bound) continue;
    return difference(got, wanted, i, "they may be " + std::to_string(static_cast<double>(bound)) + " apart");
  }
  return "";
}

}  // namespace

hand_made combined_by_hand(const snapshot& target, const snapshot& places, const snapshot& value, op code) {
  hand_made made{target};
  std::vector<folded> terms(static_cast<std::size_t>(target.extents.elements()));
  for (std::size_t e = 0; e < terms.size(); ++e) terms[e].add(number_at(target, static_cast<std::int64_t>(e)));
  const shape from = without_first_axes(value.extents, places.extents.size());
  with_type(target.type, [&](auto t) {
    using T = decltype(t);
    for (std::int64_t i = 0; i < places.extents.elements(); ++i) {
      const std::int64_t at = element<std::int64_t>(places, i), of = broadcast_place(from, places.extents, i);
      const T now = folded_by_hand(element<T>(made.value, at), element<T>(value, of), code);
      std::memcpy(made.value.elements.data() + static_cast<std::size_t>(at) * sizeof now, &now, sizeof now);
      terms[static_cast<std::size_t>(at)].add(number_at(value, of));
    }
  });
  if (detail::is_inexact(target.type) && code == op::add)
    for (const folded& f : terms) made.bounds.push_back(bound_of(f, target.type));
  return made;
}

std::string store_differs(const snapshot& got, const hand_made& wanted) {
  return wanted.bounds.empty() ? bits_differ(got, wanted.value) : elements_differ(got, wanted.value, wanted.bounds);
}

std::string store_differs(const step& s, const std::vector<snapshot>& operands, const snapshot& got,
                          const snapshot& wanted) {
  if (s.into != storing::combine || !detail::is_inexact(wanted.type)) return bits_differ(got, wanted);
  std::vector<exact> bounds(static_cast<std::size_t>(wanted.extents.elements()));  // NumPy takes either of two zeros
  if (s.code != op::add) return elements_differ(got, wanted, bounds);
  // How often an element is named is at most the number of indices.
  folded terms;
  const bool has_value = s.operands[1].is_step();
  exact times = 1, largest = 0;
  const auto take = [&](exact x) { largest = std::isfinite(x) ? std::max(largest, std::fabs(x)) : largest; };
  if (!has_value)
    take(std::abs(
        value_of<std::complex<double>>({dtype::complex128, true, converted(s.operands[1].scalar, dtype::complex128)})));
  for (std::size_t o = 0; o < operands.size(); ++o) {
    const std::int64_t count = operands[o].extents.elements();
    if (o > (has_value ? 1 : 0)) times *= static_cast<exact>(count);
    else
      for (std::int64_t i = 0; i < count; ++i) take(number_at(operands[o], i));
  }
  terms.count = static_cast<std::int64_t>(std::min(times, exact(1e15)));
  terms.size = (times + 1) * largest;
  std::fill(bounds.begin(), bounds.end(), bound_of(terms, wanted.type));
  return elements_differ(got, wanted, bounds);
}

}  // namespace sinter::fuzz
