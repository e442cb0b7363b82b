#include "runtime/library/order.hpp"

#include <algorithm>
#include <complex>
#include <cstring>
#include <numeric>

#include <sinter/error.hpp>

#include "runtime/counters.hpp"
#include "runtime/device/device.hpp"
#include "runtime/eval.hpp"
#include "runtime/frontend/indices.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/library/call.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/stream/kept_call.hpp"

namespace sinter::runtime {

using namespace detail;

namespace {

// ---- by comparing

template <class T>
auto number_of(T a) {
  if constexpr (short_number<T>) return static_cast<float>(a);
  else return a;
}
template <class R>
bool is_nan(R a) {
  return a != a;
}
template <class T>
bool is_less(T a, T b) {
  if constexpr (complex_number<T>) {
    const auto has_nan = [](T z) { return 2 * is_nan(z.real()) + is_nan(z.imag()); };
    if (has_nan(a) != has_nan(b)) return has_nan(a) < has_nan(b);
    if (a.real() < b.real() || b.real() < a.real()) return a.real() < b.real();
    return a.imag() < b.imag();
  } else if constexpr (floating_number<T>) {
    const auto x = number_of(a), y = number_of(b);
    return x < y || (is_nan(y) && !is_nan(x));
  } else {
    return a < b;
  }
}

template <class T>
void sort_row(const T* from, std::byte* to, const order_shape& s) {
  if (s.places) {
    auto* const at = reinterpret_cast<std::int64_t*>(to);
    std::iota(at, at + s.length, std::int64_t{0});
    if (s.falling) std::stable_sort(at, at + s.length, [=](auto a, auto b) { return is_less<T>(from[b], from[a]); });
    else std::stable_sort(at, at + s.length, [=](auto a, auto b) { return is_less<T>(from[a], from[b]); });
  } else {
    T* const row = reinterpret_cast<T*>(to);
    std::copy_n(from, s.length, row);
    if (s.falling) std::stable_sort(row, row + s.length, [](T a, T b) { return is_less<T>(b, a); });
    else std::stable_sort(row, row + s.length, is_less<T>);
  }
}

template <class T>
void sort_rows(const order_shape& s, const std::byte* from, std::byte* to, std::int64_t first, std::int64_t end) {
  const std::int64_t made = s.length * (s.places ? std::int64_t{sizeof(std::int64_t)} : std::int64_t{sizeof(T)});
  for (std::int64_t row = first; row < end; ++row)
    sort_row(reinterpret_cast<const T*>(from) + row * s.length, to + row * made, s);
}

}  // namespace

void sort_by_comparing(const order_shape& s, const std::byte* from, std::byte* to, std::int64_t first,
                       std::int64_t end) noexcept {
#define SINTER_SORT_ROWS(of) \
  case dtype::of: return sort_rows<element_of<dtype::of>::type>(s, from, to, first, end);
  switch (s.type) {
    SINTER_SORT_ROWS(bool_)
    SINTER_SORT_ROWS(int8)
    SINTER_SORT_ROWS(uint8)
    SINTER_SORT_ROWS(int16)
    SINTER_SORT_ROWS(uint16)
    SINTER_SORT_ROWS(int32)
    SINTER_SORT_ROWS(uint32)
    SINTER_SORT_ROWS(int64)
    SINTER_SORT_ROWS(uint64)
    SINTER_SORT_ROWS(float16)
    SINTER_SORT_ROWS(bfloat16)
    SINTER_SORT_ROWS(float32)
    SINTER_SORT_ROWS(float64)
    SINTER_SORT_ROWS(complex64)
    SINTER_SORT_ROWS(complex128)
  }
#undef SINTER_SORT_ROWS
}

namespace {

struct compared_rows {
  order_shape of;
  const std::byte* from;
  std::byte* to;
};
void compare_all(void* with) noexcept {
  const auto& [of, from, to] = *static_cast<const compared_rows*>(with);
  sort_by_comparing(of, from, to, 0, of.rows);
}

// ---- the call

class order_call final : public library_call {
 public:
  order_call(dtype of, const shape& s, bool places, bool falling, std::int64_t first, std::int64_t end)
      : library_call(places ? dtype::int64 : of, s),
        of_(of),
        places_(places),
        falling_(falling),
        first_(first),
        end_(end) {}

  std::string name() const override {
    const bool is_whole = first_ == 0 && end_ == length();
    return message("%s%s of %s %s%s", places_ ? "arg" : "", is_whole ? "sort" : "partition", sinter::name(of_),
                   to_string(results[0].extents).c_str(), falling_ ? ", falling" : "");
  }

  void enqueue(call_operands operands, call_results made, stream_state& on) const override {
    const array_node& from = *operands[0];
    array_node& to = *made[0];
    const shape& extents = from.extents;
    if (extents.elements() == 0) return;
    const order_shape s{of_, extents.elements() / length(), length(), places_, falling_, first_, end_};
    switch (on.device.dialect()) {
      case codegen::dialect::cuda:
        if (is_complex(of_)) return evaluate_into(by_parts(term::of(const_cast<array_node*>(&from))), to);
        order_on_gpu(s, from.data(), to.data(), on);
        break;
      case codegen::dialect::c: order_on_cpu(s, from.data(), to.data(), on); break;
      default: return call_with(&compare_all, compared_rows{s, from.data(), to.data()}, on);
    }
    bump(counter::library_calls);
  }

 private:
  std::int64_t length() const { return results[0].extents[results[0].extents.size() - 1]; }

  // Complex numbers: by what they have of NaN, then by the parts.
  term by_parts(const term& z) const {
    const term re = apply(op::real, {z}), im = apply(op::imag, {z});
    const term nans = astype(apply(op::isnan, {re}), dtype::uint8) * 2 + astype(apply(op::isnan, {im}), dtype::uint8);
    const term keys[] = {im, re, nans};
    const term places = places_by_keys(keys, falling_);
    return places_ ? places : taken_along(z, places);
  }

  const dtype of_;
  const bool places_, falling_;
  const std::int64_t first_, end_;
};

}  // namespace

handle make_partition_call(const term& x, bool places, bool falling, std::int64_t first, std::int64_t end) {
  return make_call<order_call>({x.held()}, x.type(), x.extents(), places, falling, first, end);
}
handle make_sort_call(const term& x, bool falling) {
  return make_partition_call(x, false, falling, 0, x.extent(x.rank() - 1));
}
handle make_argsort_call(const term& x, bool falling) {
  return make_partition_call(x, true, falling, 0, x.extent(x.rank() - 1));
}

term places_by_keys(std::span<const term> keys, bool falling) {
  term places(make_argsort_call(keys[0], falling));
  for (const term& key : keys.subspan(1)) {
    const term next(make_argsort_call(taken_along(key, places), falling));
    places = taken_along(places, next);
  }
  return places;
}

term taken_along(const term& of, const term& places) {
  const int rank = of.rank();
  view_maker v(of.get(), places.extents());
  for (int d = 0; d + 1 < rank; ++d) v.drive(d, 0, 1, d);
  v.compute(rank - 1, places.held(), false);
  return term::made(v.made());
}

}  // namespace sinter::runtime
