// All of Sinter. A user's program includes this and says `namespace sn = sinter;`. What the rest is built on comes first:
// every header on the way to one is a line more in each of a compiler's messages about it.
#pragma once

#include <sinter/detail/config.hpp>

#if __cplusplus >= 202002L  // else config.hpp has said what is wrong, once

#include <sinter/detail/refuse.hpp>
#include <sinter/dtype.hpp>
#include <sinter/index.hpp>
#include <sinter/options.hpp>

#include <sinter/expr.hpp>
#include <sinter/functions.hpp>
#include <sinter/reduce.hpp>

#include <sinter/array.hpp>
#include <sinter/constants.hpp>
#include <sinter/create.hpp>
#include <sinter/device.hpp>
#include <sinter/differences.hpp>
#include <sinter/edit.hpp>
#include <sinter/error.hpp>
#include <sinter/eval.hpp>
#include <sinter/gather.hpp>
#include <sinter/graph.hpp>
#include <sinter/grids.hpp>
#include <sinter/inspect.hpp>
#include <sinter/io.hpp>
#include <sinter/join.hpp>
#include <sinter/memory.hpp>
#include <sinter/memory_hooks.hpp>
#include <sinter/nan_reductions.hpp>
#include <sinter/order.hpp>
#include <sinter/pad.hpp>
#include <sinter/products.hpp>
#include <sinter/profiler.hpp>
#include <sinter/put.hpp>
#include <sinter/random.hpp>
#include <sinter/rearrange.hpp>
#include <sinter/report.hpp>
#include <sinter/scan.hpp>
#include <sinter/search.hpp>
#include <sinter/select.hpp>
#include <sinter/softmax.hpp>
#include <sinter/special.hpp>
#include <sinter/statistics.hpp>
#include <sinter/stream.hpp>
#include <sinter/text.hpp>
#include <sinter/transfer.hpp>
#include <sinter/ufuncs.hpp>
#include <sinter/version.hpp>
#include <sinter/views.hpp>

#include <sinter/detail/refused_calls.hpp>

#endif
