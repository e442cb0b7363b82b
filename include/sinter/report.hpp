// What a run did, launch by launch: a page of all of it, and the last ones as a list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <vector>

#include <sinter/detail/config.hpp>

namespace sinter {

/// Records what the process does from here on, and writes it as one HTML page, which needs nothing else to be looked at, to
/// `path` when the process ends; `%p` in it is the process's number. `report(nullptr)` ends the recording and writes the page at
/// once; so does another `report`, before it begins its own. The variable SINTER_REPORT records a whole run. What is recorded
/// takes longer on the host: some microseconds a launch. On a GPU kernels are timed by events around each, on the CPU and the
/// interpreter by the clock. A forked process is not recorded. Errors: `io_error` where no file can be written there. Stream
/// behaviour: does not wait; at its end a recording waits for what it has timed.
SINTER_API void report(const char* path);

/// One launch of a kernel, call of a library, launch of a graph or copy.
struct launch_record {
  const char* name;    ///< a generated kernel's formula; else what it is called
  const char* stream;  ///< the device, and which stream of it
  const char* file;    ///< of the statement that asked for it; empty where that is not known
  unsigned line;       ///< of that file; 0 where it is not known
  double began;        ///< on the device. Units: seconds since keep_history. NaN within a captured graph
  double seconds;      ///< that it took there. Units: seconds. NaN within a captured graph
  std::int64_t bytes;  ///< that it moved, if each element was moved once; 0 where that is not known
};

class launch_history;
SINTER_API launch_history history();

/// The last launches, oldest first. Prints as a table, in microseconds.
class SINTER_API launch_history {
 public:
  launch_history(launch_history&&) noexcept;
  launch_history& operator=(launch_history&&) = delete;
  ~launch_history();
  /// Its texts live as long as this.
  const std::vector<launch_record>& records() const;

 private:
  struct state;
  explicit launch_history(state*) noexcept;
  friend launch_history history();
  state* state_;
};
SINTER_API std::ostream& operator<<(std::ostream&, const launch_history&);

/// Has the last launches remembered from here on, of all threads, at most so many; 0: none any more. What was remembered before
/// is forgotten. A launch that is remembered takes longer on the host, as one of a report does. Stream behaviour: does not wait.
SINTER_API void keep_history(std::size_t last = 1000);

/// What is remembered now. Empty without `keep_history`. Errors: `device_lost`. Stream behaviour: waits for the launches that it
/// times.
SINTER_API launch_history history();

}  // namespace sinter
