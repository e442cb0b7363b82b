// One injection: a sample runs while a call fails as planned, then twice as if nothing had been. What it may do in the
// meantime, and what must be as before when it is over.
#pragma once

#include <string>

#include "faults.hpp"
#include "sample.hpp"

namespace fault {

/// What a process holds between two runs of a sample.
struct levels {
  long blocks = 0;  // of malloc
  long mapped = 0;  // bytes
  long files = 0;   // open descriptors
  long device = 0;  // allocations, streams, graphs, modules of the driver
  friend bool operator==(const levels&, const levels&) = default;
  friend levels operator-(const levels& a, const levels& b) {
    return {a.blocks - b.blocks, a.mapped - b.mapped, a.files - b.files, a.device - b.device};
  }
};

/// Is more held of anything?
bool grows(const levels& more) noexcept;

/// How a sample ends where no call fails, and by how much what the process holds has grown after the third and the
/// fourth time: what is kept of a work that was met before is there by then.
struct reference {
  int returned = 0;
  std::string printed;
  long calls[kinds] = {};
  levels third, fourth;
};

/// What came of one injection. Lies in memory that a child shares with the parent, so it owns nothing.
struct verdict {
  bool over = false;      // the trial came to its end
  bool absorbed = false;  // the sample did not notice
  bool lost = false;      // the device cannot be used in this process any more
  bool leak = false;      // what is wrong is that more is held than before
  bool wrong = false;
  record faults;
  char said[300] = "";  // the exception that came out, if one did
  char problem[800] = "";
};

/// Runs of a sample after which its thread has prepared what it evaluates.
inline constexpr int until_prepared = 2;

/// Runs the sample `before` times, and four times more without a fault. Errors: std::runtime_error where the runs differ.
reference measure(const sample&, int before);

/// Runs it `before` times, once with the plan, and then three times without. `growth`: how much more the process holds then if
/// nothing leaks.
void try_fault(const sample&, int before, const plan&, const reference&, const levels& growth, verdict&);

/// The words of reports and of the command line.
const char* word(kind) noexcept;
const char* word(manner) noexcept;

}  // namespace fault
