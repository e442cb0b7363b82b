// Some values at once go through the same steps, so that none waits for another's loads; and through as few as the least and the largest of
// them leave: of values that rise, which most programs search for, next to none. Where those two are is found from where they were of the
// values before.
#include "runtime/library/search.hpp"

#include <algorithm>
#include <type_traits>

#include "codegen/ir/work.hpp"
#include "runtime/counters.hpp"
#include "runtime/device/device.hpp"
#include "runtime/launch/element_types.hpp"
#include "runtime/launch/share.hpp"
#include "runtime/library/call.hpp"
#include "runtime/library/search_table.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/stream/kept_call.hpp"

namespace sinter::runtime {

using namespace detail;

namespace {

/// `out[i]`: how many of `n` elements come before values[i].
struct search_work {
  dtype type;
  bool or_equal;
  const void* sorted;
  std::int64_t n;
  const void* values;
  std::int64_t count;
  std::int64_t* out;
  std::byte* table = nullptr;  // of integers, where it can be useful
};

constexpr int at_once = 64;  // values

template <class T, bool or_equal>
class searching {
 public:
  searching(const T* sorted, std::int64_t n) : sorted_(sorted), n_(n), numbers_(numbers()) {}

  void find(const T* values, std::int64_t* counts) {
    bool has_nan = false;
    T least = values[0], most = values[0];
    for (int i = 0; i < at_once; ++i) {
      least = values[i] < least ? values[i] : least;
      most = values[i] > most ? values[i] : most;
      has_nan |= is_nan(values[i]);
    }
    if (has_nan) return find_each(values, counts, at_once);
    least_ = from(least_, least);
    most_ = from(std::max(least_, most_), most);
    find_between(least_, most_, values, counts);
  }
  /// The same of fewer, or of some that are NaN.
  void find_each(const T* values, std::int64_t* counts, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      if (is_nan(values[i])) counts[i] = or_equal ? n_ : numbers_;
      else counts[i] = least_ = from(least_, values[i]);
    }
  }

 private:
  static bool is_nan(T x) {
    if constexpr (std::is_floating_point_v<T>) return x != x;
    return false;
  }
  static bool passes(T element, T value) { return or_equal ? !(value < element) : element < value; }

  // Those before the first NaN, which come last.
  std::int64_t numbers() const {
    if (n_ == 0 || !is_nan(sorted_[n_ - 1])) return n_;
    return std::partition_point(sorted_, sorted_ + n_, [](T x) { return !is_nan(x); }) - sorted_;
  }

  // A search that begins at a place, with steps that double.
  std::int64_t from(std::int64_t place, T value) const {
    std::int64_t low = 0, high = numbers_;
    if (place < numbers_ && passes(sorted_[place], value)) {
      low = place + 1;
      for (std::int64_t by = 1; low + by <= numbers_; by *= 2) {
        if (!passes(sorted_[low + by - 1], value)) {
          high = low + by - 1;
          break;
        }
        low += by;
      }
    } else {
      high = place;
      for (std::int64_t by = 1; by <= high; by *= 2) {
        if (passes(sorted_[high - by], value)) {
          low = high - by + 1;
          break;
        }
        high -= by;
      }
    }
    return std::partition_point(sorted_ + low, sorted_ + high, [&](T x) { return passes(x, value); }) - sorted_;
  }

  // All counts lie from `low` to `high`. No step depends on a comparison: that would be guessed wrong half of the time.
  void find_between(std::int64_t low, std::int64_t high, const T* values, std::int64_t* counts) const {
    std::fill_n(counts, at_once, low);
    if (low >= high) return;  // above it only where nothing is sorted
    for (std::int64_t left = high - low, half; left > 1; left -= half) {
      half = left / 2;
      const T* const at = sorted_ + half - 1;
      for (int i = 0; i < at_once; ++i) counts[i] += half & -std::int64_t{passes(at[counts[i]], values[i])};
    }
    for (int i = 0; i < at_once; ++i) counts[i] += passes(sorted_[counts[i]], values[i]);
  }

  const T* const sorted_;
  const std::int64_t n_, numbers_;
  std::int64_t least_ = 0, most_ = 0;
};

template <class T>
bool look_up(const search_work& w, std::int64_t begin, std::int64_t end) {
  if constexpr (!std::is_integral_v<T>) return false;
  else {
    if (!w.table) return false;
    const search_table<T> all(w.table);
    if (!all.is_made()) return false;
    const auto* const values = static_cast<const T*>(w.values);
    for (std::int64_t i = begin; i < end; ++i) w.out[i] = all.before(values[i], w.n);
    return true;
  }
}

template <class T, bool or_equal>
void search(const search_work& w, std::int64_t begin, std::int64_t end) {
  const auto* const values = static_cast<const T*>(w.values);
  searching<T, or_equal> s(static_cast<const T*>(w.sorted), w.n);
  for (std::int64_t i = begin * at_once; i < std::min(w.count, end * at_once); i += at_once) {
    if (i + at_once <= w.count) s.find(values + i, w.out + i);
    else s.find_each(values + i, w.out + i, w.count - i);
  }
}

// Item: values that are searched for at once.
template <class T>
void search_some(const void* with, long long begin, long long end) noexcept {
  const auto& w = *static_cast<const search_work*>(with);
  if (look_up<T>(w, begin * at_once, std::min(w.count, std::int64_t{end} * at_once))) return;
  (w.or_equal ? search<T, true> : search<T, false>)(w, begin, end);
}

using entry_point = void (*)(const void*, long long, long long) noexcept;

entry_point entry_for(dtype t) {
  return with_real(t, [](auto of) -> entry_point { return &search_some<typename decltype(of)::type>; });
}

// The memory of a table is made before anything is known of the elements, which may not have been computed yet.
std::size_t table_bytes(dtype t, std::int64_t values) {
  return with_integer(t, [&](auto of) { return search_table<typename decltype(of)::type>::bytes(values); });
}

void fill_table(void* with) noexcept {
  const auto& w = *static_cast<const search_work*>(with);
  with_integer(w.type, [&](auto of) {
    using T = typename decltype(of)::type;
    search_table<T>(w.table).fill(static_cast<const T*>(w.sorted), w.n, w.count, w.or_equal);
  });
}

void share_out(const search_work& w, stream_state& on) {
  geometry g;
  g.items = divide_up(w.count, at_once);
  g.work_per_item = at_once * 6.0;
  on.device.launch({reinterpret_cast<void*>(entry_for(w.type))}, g, &w, sizeof w, on);
}

class search_call final : public library_call {
 public:
  search_call(dtype of, const shape& values, bool or_equal)
      : library_call(dtype::int64, values), of_(of), or_equal_(or_equal) {}

  std::string name() const override {
    return message("search for %s %s", sinter::name(of_), to_string(results[0].extents).c_str());
  }

  void enqueue(call_operands operands, call_results made, stream_state& on) const override {
    const std::int64_t count = results[0].extents.elements();
    if (count == 0) return;
    const std::int64_t n = operands[0]->extents.elements();
    search_work w{of_,
                  or_equal_,
                  operands[0]->data(),
                  n,
                  operands[1]->data(),
                  count,
                  reinterpret_cast<std::int64_t*>(made[0]->data())};
    const bool has_table = !is_inexact(of_) && search_table<std::uint8_t>::is_useful(n, count);
    const storage_holder table(has_table ? make_storage(table_bytes(of_, count), on) : nullptr);
    if (has_table) {
      w.table = table.get()->data;
      call_with(&fill_table, w, on);
    }
    share_out(w, on);
    bump(counter::library_calls);
  }

 private:
  const dtype of_;
  const bool or_equal_;
};

}  // namespace

bool has_search_call(const term& sorted, const term& values) {
  const dtype of = promote(sorted.type(), values.type());
  if (is_complex(of) || is_short_floating(of)) return false;
  const device_impl* const on = codegen::device_below(typed(sorted.get()));
  return keeps_work(on ? on : codegen::device_below(typed(values.get())));
}

handle make_search_call(const term& sorted, const term& values, bool or_equal) {
  return make_call<search_call>({sorted.held(), values.held()}, values.type(), values.extents(), or_equal);
}

}  // namespace sinter::runtime
