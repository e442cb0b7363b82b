#include "runtime/library/packed_places.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace sinter::runtime {

namespace {

using rule_type = equal_rule<std::uint64_t>;

struct key_range {
  std::uint64_t least, most, differing;
};

// Loops that are compiled for each kind of processor. gcc makes vectors of each of the two here, and not of one that does both.
[[gnu::always_inline]] inline key_range encode_in(const std::uint64_t* elements, std::int64_t count, rule_type rule,
                                                  std::uint64_t* keys) {
  for (std::int64_t i = 0; i < count; ++i) keys[i] = rule.key(elements[i]);
  const std::uint64_t any = keys[0];
  std::uint64_t least = any, most = any, differing = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t k = keys[i];
    least = k < least ? k : least;
    most = k > most ? k : most;
    differing |= k ^ any;
  }
  return {least, most, differing};
}
struct packing {
  std::uint64_t least;
  int left_out, place_bits;
};
[[gnu::always_inline]] inline void pack_in(std::uint64_t* keys, std::int64_t count, packing by) {
  for (std::int64_t i = 0; i < count; ++i)
    keys[i] = (keys[i] - by.least) >> by.left_out << by.place_bits | static_cast<std::uint64_t>(i);
}
// Have two neighbours the same bits but those of their places?
[[gnu::always_inline]] inline bool has_equal_in(const std::uint64_t* packed, std::int64_t count, std::uint64_t places) {
  std::uint64_t least = ~std::uint64_t{0};
  for (std::int64_t i = 1; i < count; ++i) {
    const std::uint64_t differing = packed[i] ^ packed[i - 1];
    least = differing < least ? differing : least;
  }
  return least <= places;
}

#ifdef __x86_64__
#define SINTER_FOR_512 [[gnu::target("avx512f,avx512dq,avx512vl")]]
SINTER_FOR_512 key_range encode_512(const std::uint64_t* elements, std::int64_t count, rule_type rule,
                                    std::uint64_t* keys) {
  return encode_in(elements, count, rule, keys);
}
SINTER_FOR_512 void pack_512(std::uint64_t* keys, std::int64_t count, packing by) { pack_in(keys, count, by); }
SINTER_FOR_512 bool has_equal_512(const std::uint64_t* packed, std::int64_t count, std::uint64_t places) {
  return has_equal_in(packed, count, places);
}
#undef SINTER_FOR_512
bool has_512() {
  static const bool has =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return has;
}
#else
bool has_512() { return false; }
constexpr auto encode_512 = encode_in, pack_512 = pack_in, has_equal_512 = has_equal_in;
#endif

}  // namespace

packed_places::packed_places(const std::uint64_t* elements, std::int64_t count, const rule_type& rule,
                             placed_key* room) noexcept
    : elements_(elements), count_(count), rule_(rule), room_(room) {
  const key_range r = (has_512() ? encode_512 : encode_in)(elements, count, rule, packed());
  place_bits_ = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count)));
  const int same_bits = std::countr_zero(r.differing | std::uint64_t{1} << 63),
            key_bits = static_cast<int>(std::bit_width(r.most - r.least));
  least_ = r.least;
  left_out_ = std::max(same_bits, key_bits + place_bits_ - 64);
  is_whole_ = left_out_ == same_bits;
  is_rising_ = rises(packed(), static_cast<std::size_t>(count));
  if (is_rising_) return;
  (has_512() ? pack_512 : pack_in)(packed(), count, {least_, left_out_, place_bits_});
  sort_keys(packed(), static_cast<std::size_t>(count));
}

void packed_places::write(std::int64_t* to) noexcept {
  if (is_rising_) return std::iota(to, to + count_, std::int64_t{0});
  if (!is_whole_ && (has_512() ? has_equal_512 : has_equal_in)(packed(), count_, places())) {
    spread(0);
    for (std::int64_t i = 0; i < count_; ++i) to[i] = static_cast<std::int64_t>(room_[i].place);
    return;
  }
  for (std::int64_t i = 0; i < count_; ++i) to[i] = static_cast<std::int64_t>(packed()[i] & places());
}

void packed_places::spread(std::uint64_t first) noexcept {
  if (is_rising_) {
    for (std::int64_t i = 0; i < count_; ++i)
      room_[i] = {static_cast<std::uint64_t>(i) + first, rule_.key(elements_[i])};
    return;
  }
  // From the last one on, so that none is written over before it is read.
  for (std::int64_t i = count_; i-- > 0;) {
    const std::uint64_t place = packed()[i] & places(), high = packed()[i] >> place_bits_;
    room_[i] = {place, is_whole_ ? (high << left_out_) + least_ : rule_.key(elements_[place])};
  }
  const auto high_of = [&](std::int64_t i) { return (room_[i].key - least_) >> left_out_; };
  for (std::int64_t begin = 0, end = 1; !is_whole_ && begin < count_; begin = end++) {
    while (end < count_ && high_of(end) == high_of(begin)) ++end;
    if (end - begin > 1) sort_keys(room_ + begin, static_cast<std::size_t>(end - begin));
  }
  for (std::int64_t i = 0; i < count_; ++i) room_[i].place += first;
}

}  // namespace sinter::runtime
