// Sorting on the CPU. Elements become keys that unsigned integers order; for places, keys with the place behind. Many rows are
// shared out over threads, each of which sorts as many short ones at once as a vector has lanes; of few long ones each thread sorts
// a part, and then parts are merged two by two, each merge cut into pieces of one length. Where a few ranks of a row are wanted, its
// keys are taken apart around them instead, by one thread.
#include "runtime/library/order.hpp"

#include <algorithm>
#include <bit>
#include <type_traits>

#include <sinter/dtype.hpp>

#include "runtime/device/device.hpp"
#include "runtime/launch/share.hpp"
#include "runtime/library/key_rule.hpp"
#include "runtime/library/packed_places.hpp"
#include "runtime/library/vector_lanes.hpp"
#include "runtime/library/vector_select.hpp"
#include "runtime/library/vector_sort.hpp"
#include "runtime/memory/storage.hpp"

namespace sinter::runtime {

namespace {

// ---- what is sorted: how keys are made of a part of a row, and what they become

/// The elements themselves. U: the unsigned integer of their size.
template <class U>
struct elements_of {
  using key = U;
  using made = U;
  using bits = U;
  using rule_type = key_rule<U>;
  static void encode(const U* row, std::int64_t first, std::int64_t count, key* to, const rule_type& r) {
    const rule_type rule = r;
    for (std::int64_t i = 0; i < count; ++i) to[i] = rule.key(row[first + i]);
  }
  static made decode(key k, const rule_type& r) { return r.bits(k); }
};
/// The same of bytes, which no vector sorts.
struct bytes_of {
  using key = std::uint16_t;
  using made = std::uint8_t;
  using bits = std::uint8_t;
  using rule_type = key_rule<bits>;
  static void encode(const bits* row, std::int64_t first, std::int64_t count, key* to, const rule_type& r) {
    const rule_type rule = r;
    for (std::int64_t i = 0; i < count; ++i) to[i] = rule.key(row[first + i]);
  }
  static made decode(key k, const rule_type& r) { return r.bits(static_cast<bits>(k)); }
};
/// Places of elements of up to 32 bits in rows of fewer than 2^32.
template <class U>
struct places_of {
  using key = std::uint64_t;
  using made = std::int64_t;
  using bits = U;
  using rule_type = equal_rule<U>;
  static void encode(const U* row, std::int64_t first, std::int64_t count, key* to, const rule_type& r) {
    const rule_type rule = r;
    for (std::int64_t i = 0; i < count; ++i) to[i] = key{rule.key(row[first + i])} << 32 | static_cast<key>(first + i);
  }
  static made decode(key k, const rule_type&) { return static_cast<made>(k & 0xffffffff); }
};
/// Places of any others.
template <class U>
struct wide_places_of {
  using key = placed_key;
  using made = std::int64_t;
  using bits = U;
  using rule_type = equal_rule<U>;
  static void encode(const U* row, std::int64_t first, std::int64_t count, key* to, const rule_type& r) {
    const rule_type rule = r;
    for (std::int64_t i = 0; i < count; ++i) to[i] = {static_cast<std::uint64_t>(first + i), rule.key(row[first + i])};
  }
  static made decode(const key& k, const rule_type&) { return static_cast<made>(k.place); }
};

// ---- the work, shared out as kernels are

struct order_work {
  order_shape of;
  const std::byte* from;
  std::byte* to;
  std::byte *keys, *other;   // room for all keys, twice where parts are merged
  std::int64_t parts;        // of a row
  std::int64_t part_length;  // of all but the last; in a merge, of what two make together
  std::int64_t pieces;       // of a row, in a merge; groups of rows, where ranks are selected
  std::size_t room = 0;      // bytes of each of those groups
};

constexpr double nanoseconds_of_key = 8, nanoseconds_of_move = 2;  // to sort one, and to move, merge or select one

template <class Of>
auto* row_of(std::byte* rows, const order_work& w, std::int64_t row) {
  return reinterpret_cast<Of*>(rows) + row * w.of.length;
}

// Keys of rows beside each other, as vectors have them.
template <class K>
struct keys_beside {
  static constexpr auto lanes = static_cast<std::int64_t>(lanes_of<K>);
  void set(std::int64_t i, std::int64_t lane, K k) { keys[i * lanes + lane] = k; }
  K get(std::int64_t i, std::int64_t lane) const { return keys[i * lanes + lane]; }
  void sort(std::int64_t length) { sort_lanes(keys, static_cast<std::size_t>(length)); }

  alignas(lane_bytes) K keys[lanes_of<K> * most_in_lanes];
};
template <class S>
constexpr bool is_packed = std::is_same_v<S, wide_places_of<std::uint64_t>>;

template <class S>
constexpr bool are_elements = std::is_same_v<S, elements_of<typename S::bits>>;

// Are there rows enough for the lanes, and are they short enough?
template <class S>
bool fills_lanes(std::size_t rows, std::size_t length) {
  using key = typename S::key;
  constexpr std::size_t lanes = lane_bytes / std::min(sizeof(key), sizeof(std::uint64_t));
  if (!has_lanes()) return false;
  if (length <= (is_packed<S> ? most_in_lanes_with_places : most_in_lanes)) return rows >= lanes / 4;
  return are_elements<S> && length <= longest_row<key>() && rows * runs_of_row(length) >= lanes / 2;
}

// As many rows at once as there are lanes; of fewer, the last one stands in the others, too.
template <class S>
void sort_in_lanes(const order_work& w, const typename S::rule_type& rule, std::int64_t begin, std::int64_t end) {
  const std::int64_t n = w.of.length;
  if constexpr (is_packed<S> || are_elements<S>) {
    const auto* const from = reinterpret_cast<const typename S::bits*>(w.from) + begin * n;
    auto* const to = row_of<typename S::made>(w.to, w, begin);
    sort_rows(from, to, static_cast<std::size_t>(end - begin), static_cast<std::size_t>(n), rule);
  } else {
    keys_beside<typename S::key> all;
    typename S::key one[most_in_lanes];
    for (std::int64_t row = begin; row < end; row += all.lanes) {
      const std::int64_t rows = std::min(all.lanes, end - row);
      for (std::int64_t lane = 0; lane < all.lanes; ++lane) {
        const auto* const from = reinterpret_cast<const typename S::bits*>(w.from) + (row + lane) * n;
        if (lane < rows) S::encode(from, 0, n, one, rule);
        for (std::int64_t i = 0; i < n; ++i) all.set(i, lane, one[i]);
      }
      all.sort(n);
      for (std::int64_t lane = 0; lane < rows; ++lane) {
        auto* const to = row_of<typename S::made>(w.to, w, row + lane);
        for (std::int64_t i = 0; i < n; ++i) to[i] = S::decode(all.get(i, lane), rule);
      }
    }
  }
}

// A part of a row as sorted keys.
template <class S>
void sort_part(const order_work& w, std::int64_t row, std::int64_t first, std::int64_t count, typename S::key* keys,
               const typename S::rule_type& rule) {
  const auto* const from = reinterpret_cast<const typename S::bits*>(w.from) + row * w.of.length;
  if constexpr (is_packed<S>)
    return packed_places(from + first, count, rule, keys).spread(static_cast<std::uint64_t>(first));
  S::encode(from, first, count, keys, rule);
  sort_keys(keys, static_cast<std::size_t>(count));
}

// Item: a part of a row.
template <class S>
void sort_parts(const void* with, long long begin, long long end) noexcept {
  const auto& w = *static_cast<const order_work*>(with);
  const typename S::rule_type rule(w.of.type, w.of.falling);
  if constexpr (is_packed<S> ||
                !std::is_same_v<typename S::key, placed_key>)  // others are of rows that are never short
    if (fills_lanes<S>(static_cast<std::size_t>(end - begin), static_cast<std::size_t>(w.of.length)))
      return sort_in_lanes<S>(w, rule, begin, end);
  for (std::int64_t item = begin; item < end; ++item) {
    const std::int64_t row = item / w.parts, first = item % w.parts * w.part_length;
    const std::int64_t count = std::min(w.part_length, w.of.length - first);
    if (count <= 0) continue;
    auto* const keys = row_of<typename S::key>(w.keys, w, row) + first;
    auto* const to = row_of<typename S::made>(w.to, w, row);
    if constexpr (is_packed<S>) {
      if (w.parts == 1) {
        packed_places(reinterpret_cast<const std::uint64_t*>(w.from) + row * count, count, rule, keys).write(to);
        continue;
      }
    }
    sort_part<S>(w, row, first, count, keys, rule);
    if (w.parts > 1) continue;
    for (std::int64_t i = 0; i < count; ++i) to[i] = S::decode(keys[i], rule);
  }
}

template <class S>
constexpr bool gives_places = !std::is_same_v<typename S::made, typename S::bits>;
/// What keys of a row are taken apart as, where ranks are selected: those of places have 32 bits at least.
template <class S>
using selected_key =
    std::conditional_t<gives_places<S> && sizeof(typename S::bits) < 4, std::uint32_t, typename S::bits>;

/// Bytes that a row needs for it.
template <class S>
std::size_t room_of_selection(std::size_t length) {
  return sizeof(selected_key<S>) * (gives_places<S> ? length + room_to_select_places(length) : room_to_select(length));
}

template <class S>
void select_in_row(const order_work& w, std::int64_t row, std::byte* room, const typename S::rule_type& rule) {
  using key = selected_key<S>;
  const auto* const from = reinterpret_cast<const typename S::bits*>(w.from) + row * w.of.length;
  auto* const to = row_of<typename S::made>(w.to, w, row);
  const auto count = static_cast<std::size_t>(w.of.length);
  const auto first = static_cast<std::size_t>(w.of.first), end = static_cast<std::size_t>(w.of.end);
  auto* const free = reinterpret_cast<key*>(room);
  if constexpr (gives_places<S> && sizeof(*from) == sizeof(key)) {
    select_places(from, count, first, end, rule, free, to);
  } else if constexpr (gives_places<S>) {
    const typename S::rule_type own = rule;
    key* const keys = free + room_to_select_places(count);
    for (std::size_t i = 0; i < count; ++i) keys[i] = own.key(from[i]);
    select_places(keys, count, first, end, equal_rule<key>(), free, to);
  } else {
    select_elements(from, to, count, first, end, rule, free);
  }
}

// Item: a group of rows, which has room of its own.
template <class S>
void select_in_rows(const void* with, long long begin, long long end) noexcept {
  const auto& w = *static_cast<const order_work*>(with);
  const typename S::rule_type rule(w.of.type, w.of.falling);
  const std::int64_t group = divide_up(w.of.rows, w.pieces);
  for (std::int64_t item = begin; item < end; ++item) {
    std::byte* const room = w.other + static_cast<std::size_t>(item) * w.room;
    for (std::int64_t row = item * group; row < std::min(w.of.rows, (item + 1) * group); ++row)
      select_in_row<S>(w, row, room, rule);
  }
}

// How many of the first `count` keys of two sorted runs together come from the first run, from which equal ones are taken first.
template <class K>
std::int64_t share_of_first(const K* a, std::int64_t a_count, const K* b, std::int64_t b_count, std::int64_t count) {
  std::int64_t low = std::max<std::int64_t>(0, count - b_count), high = std::min(count, a_count);
  while (low < high) {
    const std::int64_t taken = low + (high - low) / 2;
    if (b[count - taken - 1] < a[taken]) high = taken;
    else low = taken + 1;
  }
  return low;
}

// Item: a piece of a row, which lies in one or more pairs of runs.
template <class S>
void merge_pieces(const void* with, long long begin, long long end) noexcept {
  const auto& w = *static_cast<const order_work*>(with);
  using key = typename S::key;
  const std::int64_t length = w.of.length, piece = divide_up(length, w.pieces);
  for (std::int64_t item = begin; item < end; ++item) {
    const std::int64_t row = item / w.pieces, last = std::min(length, (item % w.pieces + 1) * piece);
    const key* const keys = row_of<key>(w.keys, w, row);
    key* const to = row_of<key>(w.other, w, row);
    for (std::int64_t at = item % w.pieces * piece; at < last;) {
      const std::int64_t start = at / w.part_length * w.part_length, stop = std::min(length, start + w.part_length);
      const std::int64_t middle = std::min(stop, start + w.part_length / 2), until = std::min(stop, last);
      const key *const a = keys + start, *const b = keys + middle;
      const std::int64_t a_count = middle - start, b_count = stop - middle;
      const std::int64_t from_a = share_of_first(a, a_count, b, b_count, at - start),
                         to_a = share_of_first(a, a_count, b, b_count, until - start);
      std::merge(a + from_a, a + to_a, b + (at - start - from_a), b + (until - start - to_a), to + at);
      at = until;
    }
  }
}

template <class S>
void decode_pieces(const void* with, long long begin, long long end) noexcept {
  const auto& w = *static_cast<const order_work*>(with);
  const typename S::rule_type rule(w.of.type, w.of.falling);
  const std::int64_t all = w.of.rows * w.of.length, piece = divide_up(all, w.pieces);
  const auto* const keys = reinterpret_cast<const typename S::key*>(w.keys);
  auto* const to = reinterpret_cast<typename S::made*>(w.to);
  for (std::int64_t i = begin * piece; i < std::min<std::int64_t>(all, end * piece); ++i)
    to[i] = S::decode(keys[i], rule);
}

using entry_point = void (*)(const void*, long long, long long) noexcept;

void share_out(entry_point entry, const order_work& w, std::int64_t items, double each, stream_state& on) {
  geometry g;
  g.items = items;
  g.work_per_item = each;
  on.device.launch({reinterpret_cast<void*>(entry)}, g, &w, sizeof w, on);
}

// A long row is sorted in parts where there are not enough rows for all threads.
std::int64_t parts_of(const order_shape& s, int threads) {
  constexpr std::int64_t least = 1 << 15;  // keys of a part
  if (threads == 1 || s.rows >= threads || s.length < 2 * least) return 1;
  const auto wanted = std::min(divide_up(threads, s.rows), s.length / least);
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(wanted)));
}

// Threads that sort a row together are as quick as one that selects from it, and so are lanes that sort short rows of 32 bits.
template <class S>
bool selects(const order_shape& s, std::int64_t parts, int threads) {
  constexpr std::int64_t least = gives_places<S> ? least_places_selected_from : least_selected_from, short_row = 1000;
  if (s.length < least || s.end - s.first >= s.length / 8 || parts > 4) return false;
  if constexpr (are_elements<S> && sizeof(typename S::bits) == 4)
    if (s.length < short_row)
      return !fills_lanes<S>(static_cast<std::size_t>(divide_up(s.rows, threads)), static_cast<std::size_t>(s.length));
  return true;
}

template <class S>
void select_as(const order_shape& s, const std::byte* from, std::byte* to, stream_state& on) {
  const std::int64_t groups = std::min<std::int64_t>(s.rows, 2 * on.device.multiprocessors());
  const std::size_t each = (room_of_selection<S>(static_cast<std::size_t>(s.length)) + 15) / 16 * 16;
  const storage_holder room(make_storage(static_cast<std::size_t>(groups) * each, on));
  const order_work w{s, from, to, nullptr, room.get()->data, 1, s.length, groups, each};
  const auto keys = static_cast<double>(s.length * divide_up(s.rows, groups));
  share_out(&select_in_rows<S>, w, groups, keys * nanoseconds_of_move, on);
}

template <class S>
void sort_as(const order_shape& s, const std::byte* from, std::byte* to, std::int64_t parts, stream_state& on) {
  using key = typename S::key;
  order_work w{s, from, to, to, nullptr, parts, s.length, 1};
  const std::size_t all = static_cast<std::size_t>(s.rows * s.length);
  // Results have room for keys of their size.
  constexpr bool in_place = sizeof(key) == sizeof(typename S::made);
  const std::size_t own = in_place ? 0 : all, more = w.parts > 1 ? all : 0;
  storage_holder room;
  if (own + more > 0) {
    room.reset(make_storage((own + more) * sizeof(key), on));
    std::byte* const base = room.get()->data;
    w.other = base + own * sizeof(key);
    if (!in_place) w.keys = base;
  }
  const auto keys = static_cast<double>(s.length);
  if (w.parts == 1) return share_out(&sort_parts<S>, w, s.rows, keys * nanoseconds_of_key, on);
  w.part_length = divide_up(s.length, w.parts);
  share_out(&sort_parts<S>, w, s.rows * w.parts, keys / static_cast<double>(w.parts) * nanoseconds_of_key, on);
  w.pieces = 4 * w.parts;
  const double each = keys / static_cast<double>(w.pieces) * nanoseconds_of_move;
  for (std::int64_t runs = w.parts; runs > 1; runs /= 2) {
    w.part_length *= 2;
    share_out(&merge_pieces<S>, w, s.rows * w.pieces, each, on);
    std::swap(w.keys, w.other);
  }
  share_out(&decode_pieces<S>, w, w.pieces, each * static_cast<double>(s.rows), on);
}

template <class S>
void order_as(const order_shape& s, const std::byte* from, std::byte* to, stream_state& on) {
  const std::int64_t parts = parts_of(s, on.device.multiprocessors());
  if constexpr (sizeof(typename S::bits) > 1)
    if (selects<S>(s, parts, on.device.multiprocessors())) return select_as<S>(s, from, to, on);
  sort_as<S>(s, from, to, parts, on);
}

// ---- elements of one byte are counted, and many of two, but for rows in which counts would be most of the work

constexpr std::int64_t least_counted = 64, least_counted_of_two_bytes = 1 << 16;

template <class U>
constexpr std::size_t number_of_keys = std::size_t{1} << (8 * sizeof(U));

// From so many elements of one byte on it pays to look keys up, and to count in several tables.
template <class U>
bool has_tables(const order_work& w) {
  return sizeof(U) == 1 && w.of.length >= 2048;
}

// How many elements have each of 256 values. Counts of one value wait for each other, so that neighbours have tables of their own.
void count_values(const std::uint8_t* from, std::int64_t length, std::int64_t (&counts)[256]) {
  constexpr int tables = 4;
  std::int64_t some[tables][256] = {}, i = 0;
  for (; i + tables <= length; i += tables)
    for (int t = 0; t < tables; ++t) ++some[t][from[i + t]];
  for (; i < length; ++i) ++some[0][from[i]];
  for (int value = 0; value < 256; ++value)
    counts[value] = some[0][value] + some[1][value] + some[2][value] + some[3][value];
}

// `starts`: room for a number of each key, and one more.
template <class U, class Rule>
const U* count_keys(const order_work& w, std::int64_t row, const Rule& rule, std::int64_t* starts) {
  const auto* const from = reinterpret_cast<const U*>(w.from) + row * w.of.length;
  std::fill_n(starts, number_of_keys<U> + 1, std::int64_t{0});
  if (has_tables<U>(w)) {
    std::int64_t counts[256];
    count_values(reinterpret_cast<const std::uint8_t*>(from), w.of.length, counts);
    for (std::size_t value = 0; value < 256; ++value) starts[rule.key(static_cast<U>(value)) + 1] += counts[value];
  } else {
    for (std::int64_t i = 0; i < w.of.length; ++i) ++starts[rule.key(from[i]) + 1];
  }
  return from;
}
template <class U>
void count_elements(const order_work& w, std::int64_t row, std::int64_t* starts) {
  const key_rule<U> rule(w.of.type, w.of.falling);
  count_keys<U>(w, row, rule, starts);
  auto* to = row_of<U>(w.to, w, row);
  for (std::size_t k = 0; k < number_of_keys<U>; ++k) to = std::fill_n(to, starts[k + 1], rule.bits(static_cast<U>(k)));
}
template <class U>
void count_places(const order_work& w, std::int64_t row, std::int64_t* starts) {
  const equal_rule<U> rule(w.of.type, w.of.falling);
  const U* const from = count_keys<U>(w, row, rule, starts);
  for (std::size_t k = 1; k <= number_of_keys<U>; ++k) starts[k] += starts[k - 1];
  auto* const to = row_of<std::int64_t>(w.to, w, row);
  if (has_tables<U>(w)) {
    U keys[256];
    for (std::size_t value = 0; value < 256; ++value) keys[value] = rule.key(static_cast<U>(value));
    for (std::int64_t i = 0; i < w.of.length; ++i) to[starts[keys[from[i]]]++] = i;
  } else {
    for (std::int64_t i = 0; i < w.of.length; ++i) to[starts[rule.key(from[i])]++] = i;
  }
}
template <class U>
void count_row(const order_work& w, std::int64_t row, std::int64_t* starts) {
  (w.of.places ? count_places<U> : count_elements<U>)(w, row, starts);
}

// Item: a row.
void count_bytes(const void* with, long long begin, long long end) noexcept {
  std::int64_t starts[number_of_keys<std::uint8_t> + 1];
  for (std::int64_t row = begin; row < end; ++row)
    count_row<std::uint8_t>(*static_cast<const order_work*>(with), row, starts);
}

// Item: a group of rows, which has room of its own.
void count_two_bytes(const void* with, long long begin, long long end) noexcept {
  const auto& w = *static_cast<const order_work*>(with);
  const std::int64_t group = divide_up(w.of.rows, w.pieces);
  for (std::int64_t item = begin; item < end; ++item) {
    auto* const starts = reinterpret_cast<std::int64_t*>(w.other + static_cast<std::size_t>(item) * w.room);
    for (std::int64_t row = item * group; row < std::min(w.of.rows, (item + 1) * group); ++row)
      count_row<std::uint16_t>(w, row, starts);
  }
}

// Is that quicker than to sort or to select them? Threads sort parts of a row, and count whole ones.
bool counts_two_bytes(const order_shape& s, stream_state& on) {
  const int threads = on.device.multiprocessors();
  const std::int64_t parts = parts_of(s, threads);
  return s.length >= least_counted_of_two_bytes && parts <= 2 &&
         !selects<elements_of<std::uint16_t>>(s, parts, threads);
}

void count_two_bytes_of(const order_shape& s, const std::byte* from, std::byte* to, stream_state& on) {
  const std::int64_t groups = std::min<std::int64_t>(s.rows, 2 * on.device.multiprocessors());
  const std::size_t each = (number_of_keys<std::uint16_t> + 2) * sizeof(std::int64_t);
  const storage_holder room(make_storage(static_cast<std::size_t>(groups) * each, on));
  const order_work w{s, from, to, nullptr, room.get()->data, 1, s.length, groups, each};
  const auto keys = static_cast<double>(s.length * divide_up(s.rows, groups));
  share_out(&count_two_bytes, w, groups, keys * nanoseconds_of_move, on);
}

void compare_rows(const void* with, long long begin, long long end) noexcept {
  const auto& w = *static_cast<const order_work*>(with);
  sort_by_comparing(w.of, w.from, w.to, begin, end);
}

}  // namespace

void order_on_cpu(const order_shape& s, const std::byte* from, std::byte* to, stream_state& on) {
  find_vector_sort();
  const bool is_long = s.length > std::int64_t{0xffffffff};
  const order_work alone{s, from, to, nullptr, nullptr, 1, s.length, 1};
  const auto keys = static_cast<double>(s.length);
  if (detail::is_complex(s.type)) return share_out(&compare_rows, alone, s.rows, keys * 10 * nanoseconds_of_key, on);
  switch (itemsize(s.type)) {
    case 1:
      if (s.length >= least_counted) return share_out(&count_bytes, alone, s.rows, keys * nanoseconds_of_move, on);
      if (!s.places) return order_as<bytes_of>(s, from, to, on);
      return order_as<places_of<std::uint8_t>>(s, from, to, on);
    case 2:
      if (counts_two_bytes(s, on)) return count_two_bytes_of(s, from, to, on);
      if (!s.places) return order_as<elements_of<std::uint16_t>>(s, from, to, on);
      if (is_long) return order_as<wide_places_of<std::uint16_t>>(s, from, to, on);
      return order_as<places_of<std::uint16_t>>(s, from, to, on);
    case 4:
      if (!s.places) return order_as<elements_of<std::uint32_t>>(s, from, to, on);
      if (is_long) return order_as<wide_places_of<std::uint32_t>>(s, from, to, on);
      return order_as<places_of<std::uint32_t>>(s, from, to, on);
    default:
      if (!s.places) return order_as<elements_of<std::uint64_t>>(s, from, to, on);
      return order_as<wide_places_of<std::uint64_t>>(s, from, to, on);
  }
}

}  // namespace sinter::runtime
