// The Fourier transform of a row by threads that share it, as functions of CUDA text (Stockham's, which leaves results in order). A
// thread has every so many-th element in registers. A pass combines these, a few at a time, in butterflies; between two passes
// elements change hands through shared memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sinter/dtype.hpp>

#include "codegen/source/writer.hpp"

namespace sinter::codegen {

/// How a row is transformed. Text, launcher and those who choose between a kernel and a library's call agree on it.
struct fourier_plan {
  int points = 0;            // of a row; 0: it is too long for a block, or has large prime factors
  int held = 0;              // elements of a thread
  std::vector<int> radices;  // of each pass: elements that a butterfly combines, a divisor of `held`

  int threads() const { return points / held; }  // that share a row
};
/// The plan for rows of so many numbers of complex64 or complex128, which is made once.
const fourier_plan& plan_fourier(std::int64_t points, dtype);

/// Shared memory for the exchange between passes.
struct fourier_room {
  int line = 0;  // places of a row, some of which keep threads of a warp from meeting at a bank
  bool parts =
      false;      // a place is for a real or an imaginary part, one after the other: a block has no memory for both
  int bytes = 0;  // of all rows of a block
};
/// That of `lines` rows of a block.
fourier_room room_for(const fourier_plan&, dtype, int lines);

/// Writes `transform(v, room, t)`, by which thread `t` of those that share a row turns its elements into those of the result: `v[e]` is
/// element t + threads * e. `together`: the text by which threads of a row wait for each other. And `swapped(z)`, in front of which
/// and after which a transform is the inverse one, but for the number of points.
void write_fourier(writer&, const fourier_plan&, dtype, const fourier_room&, const std::string& together);

}  // namespace sinter::codegen
