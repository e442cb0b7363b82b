// What a plugin does that was written without a thought of being unloaded: static arrays, a stream for each thread,
// work that is still under way when the host takes it away.
#include <sinter/sinter.hpp>

#ifdef PRIVATE_COPY
#include <sinter/private_copy.hpp>
SINTER_PRIVATE_COPY;
#endif

namespace {

namespace sn = sinter;

sn::array<double>& kept() {
  static sn::array<double> all = sn::zeros({4096});
  return all;
}

thread_local sn::array<double> mine;

}  // namespace

/// How often this copy of the plugin has been called before.
extern "C" double plugin_run() {
  const thread_local sn::stream own;
  const sn::stream_scope in(own);
  mine = kept() + 1;
  const double before = sn::max(kept()).item();
  kept()(sn::ellipsis) = mine * 1;
  return before + sn::sum(mine).item() / 4096 - sn::max(mine).item();
}
