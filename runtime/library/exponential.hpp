// The exponential of a matrix as a call: how many products it takes is known once its norm is.
#pragma once

#include "runtime/frontend/terms.hpp"

namespace sinter::runtime {

/// Up to such a norm of a matrix, or such a root of the norm of a power of it, the approximant's error is below that of a double; and the
/// first term that the approximant lacks.
constexpr double furthest_by_norm = 5.371920351148152, furthest_by_powers = 4.25;
constexpr double first_lacking = 1 / 113250775606021113483283660800000000.0;
constexpr int lacking_power = 27;
/// The approximant's coefficients, over the first so that float has room for them.
constexpr double of_approximant(double coefficient) { return coefficient / 64764752532480000; }
constexpr double approximant[] = {1,
                                  of_approximant(32382376266240000),
                                  of_approximant(7771770303897600),
                                  of_approximant(1187353796428800),
                                  of_approximant(129060195264000),
                                  of_approximant(10559470521600),
                                  of_approximant(670442572800),
                                  of_approximant(33522128640),
                                  of_approximant(1323241920),
                                  of_approximant(40840800),
                                  of_approximant(960960),
                                  of_approximant(16380),
                                  of_approximant(182),
                                  of_approximant(1)};

/// Matrices in C order in the host's memory, one after the other.
struct host_exponentials {
  dtype type;  // one of LAPACK's
  shape extents;
  const std::byte* from;
  std::byte* to;
};
constexpr std::int64_t most_of_host_exponential = 512;  // rows
/// False: they are not small enough to do without LAPACK, which is not there. Errors: `out_of_memory`. Stream behaviour: in order on the
/// CPU's stream.
bool exponentials_on_host(const host_exponentials&, stream_state& on);

/// A node for the exponentials of square matrices in the last two axes, of one of LAPACK's dtypes.
term make_exponential_call(const term&);

}  // namespace sinter::runtime
