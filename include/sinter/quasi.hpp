// Quasi-random points, which fill a cube more evenly than random ones. Not in sinter.hpp.
#pragma once

#include <cstdint>

#include <sinter/array.hpp>
#include <sinter/options.hpp>
#include <sinter/random.hpp>

namespace sinter::qmc {

/// The points of a Sobol sequence, one after the other: `sobol(3).random(1024)`. Those of a power of two are the most even. A copy goes on
/// as its original does. Threads: one at a time. Source: scipy.stats.qmc.Sobol, of at most 256 dimensions and 30 bits.
class sobol {
 public:
  /// As the sequence is, from 0 on. Errors: `error` for fewer than one or more than 256 dimensions. Source: scipy.stats.qmc.Sobol of
  /// scramble=False.
  SINTER_API explicit sobol(detail::integer d);
  /// Scrambled by random matrices and a random shift, after Matousek: other points for each generator, as even. Stream behaviour: waits for
  /// the random numbers. Source: scipy.stats.qmc.Sobol.
  SINTER_API sobol(detail::integer d, random::generator&);

  /// The next n points. Lazy, and fused with what uses them. Shapes: (n, d). Dtypes: double, in [0, 1). Errors: `error` beyond 2^30
  /// points. Source: scipy.stats.qmc.Sobol.random.
  SINTER_API lazy<double> random(detail::integer n = 1);
  /// The next 2^m points. Source: scipy.stats.qmc.Sobol.random_base2.
  lazy<double> random_base2(detail::integer m) { return random(std::int64_t{1} << (m < 0 || m > 31 ? 31 : m.value)); }
  /// Leaves out n points, or begins again. Source: scipy.stats.qmc.Sobol.fast_forward, reset.
  SINTER_API sobol& fast_forward(detail::integer n);
  sobol& reset() {
    made_ = 0;
    return *this;
  }
  std::int64_t num_generated() const { return made_; }

 private:
  array<std::int64_t> directions_;  // (bits, d)
  array<std::int64_t> shift_;       // (d)
  std::int64_t made_ = 0;
};

}  // namespace sinter::qmc
