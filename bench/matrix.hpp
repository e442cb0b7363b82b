// What the benches of two-dimensional arrays share.
#pragma once

#include "bench/forms.hpp"

namespace bench {

/// A matrix on the device, and in the host's memory.
struct matrix {
  std::int64_t rows, columns;
  std::vector<float> host = numbers<float>(rows * columns, 0, 1, 6);
  sinter::array<float> device = sinter::asarray(host, {rows, columns});

  std::int64_t size() const { return rows * columns; }
  double bytes() const { return 4.0 * static_cast<double>(size()); }
  double at(std::int64_t i, std::int64_t j) const {
    return static_cast<double>(host[static_cast<std::size_t>(i * columns + j)]);
  }
  std::string name(const char* what) const {
    return std::string(what) + " " + std::to_string(rows) + "x" + std::to_string(columns);
  }
};

/// `scale`: the size below which errors count in absolute terms.
template <class F, class U, class W>
void matrix_row(session& s, const std::string& name, const matrix& m, double scale, F fused, U unfused, W want) {
  const std::string bad = disagreement(fused().get(), 1e-5, scale, want);
  if (bad.empty()) s.measure(name, m.size(), m.bytes(), m.bytes(), fused, unfused);
  else s.wrong(name, m.size(), bad);
}

}  // namespace bench
