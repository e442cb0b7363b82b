#include <sinter/fft.hpp>

#include <sinter/detail/rearrange.hpp>
#include <sinter/error.hpp>

#include "runtime/frontend/message.hpp"
#include "runtime/frontend/terms.hpp"

namespace sinter::detail {

using runtime::choose, runtime::index_of, runtime::term;

node* make_frequencies(std::int64_t n, double d, bool halved) {
  if (n < 1) throw shape_error(message("sinter: frequencies of %lld samples", static_cast<long long>(n)).c_str());
  const double step = 1.0 / (static_cast<double>(n) * d);
  const term i = index_of(shape{halved ? n / 2 + 1 : n}, 0);
  return ((halved ? i : choose(i < (n + 1) / 2, i, i - n)) * step).take();
}

node* make_shifted_to_centre(handle of, const axis_list& axes, bool back) {
  handle now = std::move(of);
  const shape s = shape_of(now.get());
  const auto shift = [&](std::int64_t axis) {
    const std::int64_t d = axis < 0 ? axis + s.size() : axis;
    const std::int64_t half = d >= 0 && d < s.size() ? s[static_cast<int>(d)] / 2 : 0;  // else roll refuses the axis
    now = handle(make_roll(now.get(), back ? -half : half, axis));
  };
  for (int d = 0; axes.count < 0 && d < s.size(); ++d) shift(d);
  for (int i = 0; i < axes.count; ++i) shift(axes.axes[i]);
  return now.take();
}

}  // namespace sinter::detail
