// NumPy and numexpr take turns with the libraries in this process through a worker: bench/grid/worker.py.
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "bench/grid/work.hpp"

namespace bench::grid {

class python_worker {
 public:
  /// Starts $BENCH_PYTHON, or python3. What it cannot import is no peer.
  python_worker();
  ~python_worker();
  python_worker(const python_worker&) = delete;
  python_worker& operator=(const python_worker&) = delete;

  const std::vector<std::string>& peers() const { return peers_; }
  /// Rows from here on work on these.
  void take(const inputs&);
  /// Empty where the peer does not have the row.
  std::optional<std::vector<double>> result(const std::string& peer, const std::string& row);
  /// Seconds of so many calls.
  double seconds(const std::string& peer, const std::string& row, int times);

 private:
  std::string ask(const std::string& line);
  std::string file(const std::string& name) const { return folder_ + "/" + name; }

  std::string folder_;
  std::vector<std::string> peers_;
  std::FILE *to_ = nullptr, *from_ = nullptr;
  int process_ = 0;
};

}  // namespace bench::grid
