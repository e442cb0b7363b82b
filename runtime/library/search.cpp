#include "runtime/library/search.hpp"

#include <algorithm>

#include "codegen/ir/work.hpp"
#include "runtime/counters.hpp"
#include "runtime/device/device.hpp"
#include "runtime/launch/element_types.hpp"
#include "runtime/launch/share.hpp"
#include "runtime/library/call.hpp"
#include "runtime/library/search_steps.hpp"
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

constexpr int at_once = searching<double, false>::at_once;  // values

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
