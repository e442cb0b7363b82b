// The one set of counters. Constant-initialised and never destroyed, so that it may be bumped before main and after it.
#include "runtime/counters.hpp"

namespace sinter::runtime {

constinit live_counters counters_now;

}  // namespace sinter::runtime
