// A run as a page: every kernel with its times, its source and its graph, streams over time, memory, compilations.
#pragma once

#include <sinter/detail/config.hpp>

namespace sinter {

/// Records what the process does from here on, and writes it as one HTML page, which needs nothing else to be looked at, to
/// `path` when the process ends; `%p` in it is the process's number. `report(nullptr)` ends the recording and writes the page at
/// once; so does another `report`, before it begins its own. The variable SINTER_REPORT records a whole run. What is recorded
/// takes longer on the host: some microseconds a launch. On a GPU kernels are timed by events around each, on the CPU and the
/// interpreter by the clock. A forked process is not recorded. Errors: `io_error` where no file can be written there. Stream
/// behaviour: does not wait; at its end a recording waits for what it has timed.
SINTER_API void report(const char* path);

}  // namespace sinter
