// Timing as the peers are timed (gpu_peers.py, numpy_peers.py): the median of nine rounds, a round being many calls
// back to back and one synchronisation, after two calls to warm up. Rows go to the terminal as a table and to a file as
// JSON.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "bench/floors.hpp"

namespace bench {

constexpr double none = std::numeric_limits<double>::quiet_NaN();  // a column that a row does not have

/// Something to call many times: the clock goes around `run`, so a call through a pointer is paid once a round.
struct repeated {
  void* what;
  void (*run)(void* what, int times);
};
template <class F>
repeated repeat(F& f) {
  return {const_cast<std::remove_const_t<F>*>(&f), [](void* what, int times) {
            for (int i = 0; i < times; ++i) (*static_cast<F*>(what))();
          }};
}

/// Microseconds a call: the median of the rounds, and the distance of their quartiles as a share of it. `cores`: the
/// processors this program had meanwhile, which tells whether others left it all of them.
struct timing {
  double us = none;
  double spread = 0;
  double cores = none;
};

struct row {
  std::string name;
  std::int64_t n;
  timing fused;    // ours, as the expression is written
  timing unfused;  // ours, every operation into an array of its own
  bound floor;
  timing stored = {};         // ours, into an array that is there already
  std::string by = "sinter";  // a peer's row has nothing but its figure
};

class session {
 public:
  /// Reads --json FILE, --filter TEXT (rows whose name has it), --quick, --count, --help; finds the device (SINTER_DEVICE) and
  /// its floors. Ends the program on a wrong argument.
  session(int argc, char** argv, const char* title);

  bool on_cpu() const { return on_cpu_; }
  bool quick() const { return quick_; }
  /// What a row's size is cut to: 1e8 elements on a GPU, 1e7 on the CPU, 1e4 for --quick.
  std::int64_t largest() const { return quick_ ? 10'000 : on_cpu_ ? 10'000'000 : 100'000'000; }
  /// Is there a row of this name to measure? Asked once for each row; where rows are only counted there is none.
  bool wants(const std::string& name) {
    const bool fits = name.find(filter_) != std::string::npos;
    counted_ += fits;
    return fits && !counts_;
  }
  floors& floor() { return floors_; }

  /// Times one piece of work over n elements.
  timing time(repeated work, std::int64_t n) const { return times({work}, n, true)[0]; }
  /// The host's part of several: the clock stops when the last call has returned, whether or not the device has
  /// finished. Their rounds take turns, so that what disturbs one disturbs all.
  std::vector<timing> host_times(const std::vector<repeated>& all, std::int64_t n) const {
    return times(all, n, false);
  }

  /// Measures and prints a row. `read` and `written`: the bytes that no way of computing it could save.
  template <class F, class U>
  void measure(const std::string& name, std::int64_t n, double read, double written, F fused, U unfused,
               int launches = 1) {
    add({name, n, time(repeat(fused), n), time(repeat(unfused), n), floors_.of(read, written, launches)});
  }
  template <class F>
  void measure(const std::string& name, std::int64_t n, double read, double written, F fused) {
    add({name, n, time(repeat(fused), n), {}, floors_.of(read, written)});
  }
  void add(row);
  /// Keeps a row for the JSON file; a program with a table of its own prints it there.
  void keep(row r) { rows_.push_back(std::move(r)); }
  /// A row that is wrong: printed, not timed, and the program's exit status.
  void wrong(const std::string& name, std::int64_t n, const std::string& what);

  /// Writes the JSON file. Returns the program's exit status.
  int finish();

 private:
  std::vector<timing> times(const std::vector<repeated>&, std::int64_t n, bool waits) const;
  void print_header();
  void write_json() const;

  std::string title_, command_, filter_, json_;
  bool quick_ = false, on_cpu_ = false, header_printed_ = false, counts_ = false;
  int failures_ = 0, counted_ = 0;
  std::vector<row> rows_;
  floors floors_;
};

/// "13th Gen Intel ..., 16 cores, 64 GiB".
std::string machine_text();

}  // namespace bench
