#include "runtime/library/interpolation.hpp"

#include <algorithm>

#include "codegen/ir/work.hpp"
#include "runtime/counters.hpp"
#include "runtime/device/device.hpp"
#include "runtime/launch/share.hpp"
#include "runtime/library/call.hpp"
#include "runtime/library/search_steps.hpp"
#include "runtime/memory/storage.hpp"

namespace sinter::runtime {

namespace {

using search = searching<double, true>;

struct interpolation {
  const double *places, *values;
  std::int64_t n;
  const double* x;
  std::int64_t count;
  double* out;
  std::optional<double> left, right;
};

// A line through the places beside a value.
struct line {
  line(const interpolation& w, std::int64_t before)
      : at(std::clamp<std::int64_t>(before - 1, 0, w.n - 2)),
        x0(w.places[at]),
        x1(w.places[at + 1]),
        y0(w.values[at]),
        y1(w.values[at + 1]),
        slope((y1 - y0) / (x1 - x0)) {}
  double from_left(double x) const { return slope * (x - x0) + y0; }
  double from_right(double x) const { return slope * (x - x1) + y1; }

  const std::int64_t at;
  const double x0, x1, y0, y1, slope;
};

// Of the values that NumPy has at one x; so many places are not behind it.
double value_at(const interpolation& w, double x, std::int64_t before, double left, double right) {
  const double *const xp = w.places, *const fp = w.values;
  const std::int64_t last = w.n - 1;
  if (x != x) return x;
  if (x < xp[0]) return left;
  if (x > xp[last]) return right;
  if (last == 0 || x == xp[last]) return fp[last];
  const line l(w, before);
  if (x == l.x0) return l.y0;
  const double from_left = l.from_left(x), from_right = l.from_right(x);
  if (from_left == from_left) return from_left;
  // An infinite value on one side has no slope: from the other side, and where both are one, that.
  return from_right != from_right && l.y0 == l.y1 ? l.y0 : from_right;
}

// The same of values that lie within the table and have a slope, which are nearly all: without a branch. Says whether all did.
bool fill_inside(const interpolation& w, const double* x, const std::int64_t* before, double* out) {
  const double low = w.places[0], high = w.places[w.n - 1];
  bool all = true;
  for (int k = 0; k < search::at_once; ++k) {
    const line l(w, before[k]);
    const double from_left = l.from_left(x[k]);
    out[k] = x[k] == l.x0 ? l.y0 : from_left;
    all &= (x[k] >= low) & (x[k] < high) & (from_left == from_left);
  }
  return all;
}

// Item: values that are searched for at once.
void interpolate_some(const void* with, long long begin, long long end) noexcept {
  const auto& w = *static_cast<const interpolation*>(with);
  const double left = w.left.value_or(w.values[0]), right = w.right.value_or(w.values[w.n - 1]);
  search steps(w.places, w.n);
  std::int64_t before[search::at_once];
  for (std::int64_t i = begin * search::at_once; i < std::min<std::int64_t>(w.count, end * search::at_once);
       i += search::at_once) {
    const std::int64_t some = std::min<std::int64_t>(search::at_once, w.count - i);
    if (some == search::at_once) {
      steps.find(w.x + i, before);
      if (w.n > 1 && fill_inside(w, w.x + i, before, w.out + i)) continue;
    } else {
      steps.find_each(w.x + i, before, some);
    }
    for (std::int64_t k = 0; k < some; ++k) w.out[i + k] = value_at(w, w.x[i + k], before[k], left, right);
  }
}

class interpolation_call final : public library_call {
 public:
  interpolation_call(const shape& x, std::optional<double> left, std::optional<double> right)
      : library_call(dtype::float64, x), left_(left), right_(right) {}

  std::string name() const override {
    return detail::message("interp of %s", detail::to_string(results[0].extents).c_str());
  }

  void enqueue(call_operands operands, call_results made, stream_state& on) const override {
    interpolation w{};
    w.count = results[0].extents.elements();
    if (w.count == 0) return;
    const auto numbers = [&](std::size_t i) { return reinterpret_cast<const double*>(operands[i]->data()); };
    w.x = numbers(0), w.places = numbers(1), w.values = numbers(2);
    w.n = operands[1]->extents.elements();
    w.out = reinterpret_cast<double*>(made[0]->data());
    w.left = left_, w.right = right_;
    geometry g;
    g.items = divide_up(w.count, search::at_once);
    g.work_per_item = search::at_once * 8.0;
    on.device.launch({reinterpret_cast<void*>(&interpolate_some)}, g, &w, sizeof w, on);
    bump(counter::library_calls);
  }

 private:
  const std::optional<double> left_, right_;
};

}  // namespace

detail::handle make_interpolation_call(const term& x, const term& places, const term& values,
                                       std::optional<double> left, std::optional<double> right) {
  return make_call<interpolation_call>({x.held(), places.held(), values.held()}, x.extents(), left, right);
}

}  // namespace sinter::runtime
