// What no program on this device can beat: a launch through the driver with nothing in between, and memory's bandwidth.
// Both are measured when a bench starts, so that a figure and its floor come from the same machine in the same minute.
#pragma once

#include <map>
#include <string>
#include <utility>

namespace bench {

/// The least time something can take, and why; and the bytes that it cannot do without, if they are known.
struct bound {
  double us = 0;
  std::string what;
  double bytes = 0;
};

class floors {
 public:
  /// Measures the current device. `quick`: roughly.
  void measure(bool quick);

  /// For work that reads and writes so many bytes in so many launches: the larger of the launches' cost and the bytes'
  /// time.
  bound of(double read, double written, int launches = 1);

  /// For work on so many random words: Philox's blocks of four by hand, added up and written nowhere, one after the other on
  /// each core of a CPU.
  bound of_words(double words);

  double launch_us() const { return launch_us_; }             // cuda: an empty kernel; cpu: a call through a pointer
  double gigabytes_per_second() const { return bandwidth_; }  // of a large copy, read and written bytes counted

 private:
  double host_copy_us(double read, double written);

  bool cuda_ = false, quick_ = false;
  double launch_us_ = 0, bandwidth_ = 0;
  double words_per_us_ = 0;  // measured when first asked for
  std::map<std::pair<double, double>, double>
      copies_;  // cpu: by bytes read and written, since caches make it no straight line
};

}  // namespace bench
