// What a program keeps to: its dtypes, shapes and kinds of numbers; and the numbers.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "test/fuzz/author.hpp"

namespace sinter::fuzz {

void author::choose_style() {
  const unsigned kinds = 1 + pick(3);
  for (unsigned i = 0; i < kinds; ++i) types_.push_back(element_types[pick(std::size(element_types))]);
  if (one_in(8)) {  // complex numbers and their parts
    const dtype complex = one_in(2) ? dtype::complex64 : dtype::complex128;
    types_ = {complex, detail::real_part_of(complex)};
  }
  style_ = how_.whole ? values::whole : static_cast<values>(pick(3));
  static constexpr std::int64_t some[] = {1, 2, 3, 4, 5, 7, 8, 16, 17, 33, 64, 100};
  static constexpr std::int64_t long_ones[] = {255, 257, 1000, 1025, 4099, 20'011};
  const int rank = static_cast<int>(pick(10) < 7 ? 1 + pick(3) : one_in(5) ? unsigned{max_rank} : pick(6));
  base_.set_size(rank);
  for (int d = 0; d < rank; ++d) base_[d] = one_of(some);
  if (rank > 0 && one_in(4)) base_[static_cast<int>(pick(rank))] = one_of(long_ones);
  if (rank > 1 && one_in(3)) base_[rank - 1] = base_[rank - 2];  // squares
  while (base_.elements() > how_.most_elements) {
    int longest = 0;
    for (int d = 1; d < rank; ++d)
      if (base_[d] > base_[longest]) longest = d;
    base_[longest] = std::max<std::int64_t>(base_[longest] / 3, 1);
  }
  if (rank > 0 && one_in(20)) base_[static_cast<int>(pick(rank))] = 0;
}

shape author::some_shape() {
  shape s;
  const int drop = one_in(3) ? static_cast<int>(pick(base_.size() + 1)) : 0;
  s.set_size(base_.size() - drop);
  for (int d = 0; d < s.size(); ++d) s[d] = one_in(5) ? 1 : base_[d + drop];
  return s;
}

template <class T>
T author::element() {
  using limits = std::numeric_limits<T>;
  if constexpr (detail::complex_number<T>) {
    const auto real = element<typename T::value_type>();
    return T(real, element<typename T::value_type>());
  } else if constexpr (std::is_same_v<T, bool>) {
    return pick(2);
  } else if constexpr (std::is_integral_v<T>) {
    const T ends[] = {limits::min(), limits::max(), T(limits::min() + 1), T(limits::max() - 1), T(0), T(1), T(-1)};
    if (style_ == values::edges && one_in(3)) return one_of(ends);
    if (style_ == values::real || one_in(8)) return static_cast<T>(random_());
    return static_cast<T>(static_cast<int>(pick(23)) - (std::is_signed_v<T> ? 11 : 0));
  } else {
    const T ends[] = {T(0),
                      T(-0.0),
                      limits::infinity(),
                      -limits::infinity(),
                      limits::quiet_NaN(),
                      limits::max(),
                      limits::lowest(),
                      limits::min(),
                      -limits::denorm_min(),
                      limits::epsilon(),
                      T(0.5),
                      T(-1),
                      T(2147483648.0),
                      T(9223372036854775808.0),
                      T(-128.5)};
    if (style_ == values::edges && one_in(3)) return one_of(ends);
    if (style_ == values::whole) return static_cast<T>(static_cast<int>(pick(23)) - 11);
    const T x = static_cast<T>(static_cast<int>(pick(200'001)) - 100'000) / T(16'384);
    return one_in(10) ? static_cast<T>(std::ldexp(x, static_cast<int>(pick(40)) - 20)) : x;
  }
}

number author::some_number() {
  if (one_in(3))
    return with_type(types_[pick(types_.size())], [&](auto t) { return number_of(element<decltype(t)>(), true); });
  const auto has_complex = [&] { return std::any_of(types_.begin(), types_.end(), detail::is_complex); };
  if (has_complex() && one_in(4)) return number_of(element<std::complex<double>>());
  switch (pick(8)) {
    case 0: return number_of(pick(2) == 0);
    case 1:
    case 2:
    case 3:
      return number_of(one_in(4) || how_.whole ? element<double>()
                                               : static_cast<double>(static_cast<int>(pick(33)) - 16) / 4);
    default: return number_of(one_in(6) ? element<std::int64_t>() : std::int64_t(pick(12)) - (one_in(2) ? 4 : 0));
  }
}

void author::input() {
  step s;
  s.type = types_[pick(types_.size())];
  const shape extents = some_shape();
  s.extents.assign(extents.begin(), extents.end());
  s.elements.resize(static_cast<std::size_t>(extents.elements() * itemsize(s.type)));
  with_type(s.type, [&](auto t) {
    using T = decltype(t);
    for (std::size_t at = 0; at < s.elements.size(); at += sizeof(T)) {
      const T x = element<T>();
      std::memcpy(s.elements.data() + at, &x, sizeof x);
    }
  });
  add(std::move(s));
}

// Integers that stand for elements: any of those there are, or a few new ones.
int author::indices(const shape& like) {
  for (int tries = 0; tries < 6; ++tries)
    if (const int at = any(); detail::is_integer(known(at).type) && known(at).extents.elements() <= 400) return at;
  step s;
  s.type = one_in(2) ? dtype::int64 : dtype::int32;
  for (unsigned n = one_in(8) ? 0 : 1 + pick(2); n > 0; --n) s.extents.push_back(one_in(20) ? 0 : 1 + pick(6));
  if (one_in(4)) s.extents.assign(like.begin(), like.end());
  s.elements.resize(static_cast<std::size_t>(shape(s.extents).elements() * itemsize(s.type)));
  with_type(s.type, [&](auto t) {
    using T = decltype(t);
    for (std::size_t at = 0; at < s.elements.size(); at += sizeof(T)) {
      const T x = static_cast<T>(static_cast<int>(pick(41)) - 20);
      std::memcpy(s.elements.data() + at, &x, sizeof x);
    }
  });
  return add(std::move(s)) ? count() - 1 : -1;
}

bool author::index() {
  step s;
  s.what = form::index;
  const shape extents = some_shape();
  if (extents.size() == 0) return false;
  s.extents.assign(extents.begin(), extents.end());
  s.axes = {static_cast<int>(pick(extents.size()))};
  return add(std::move(s));
}

}  // namespace sinter::fuzz
