// Products of matrices in memory, as BLAS libraries have them: OpenBLAS on the CPU, cuBLAS on a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <sinter/dtype.hpp>

namespace sinter::runtime {

class stream_state;

/// A matrix as it lies: its rows, or its columns where it is `transposed`, are `leading` elements apart and without gaps.
struct blas_matrix {
  const std::byte* data;
  bool transposed;
  std::int64_t leading;
  std::int64_t step;        // elements from one matrix of a batch to the next; 0: all are the same
  bool conjugated = false;  // of one that is transposed
};

/// `to` = scale * a b + kept * `to`, of `rows` x `inner` and `inner` x `columns`, none of which is 0. Results are in C order, one after
/// the other. What is kept times 0 is not read.
struct blas_product {
  dtype type;
  std::int64_t rows, columns, inner, batch;
  blas_matrix a, b;
  std::byte* to;
  double scale = 1, kept = 0;
};

/// An array as large as a result, whose rows are `leading` elements apart and without gaps; 0: all rows are the same one.
struct blas_addend {
  const std::byte* data;
  std::int64_t leading;
};

// Each is false where the library is not there, or has no such dtype: `why` then says what was looked for. Errors: `device_error`.

/// float32, float64 and complex. Stream behaviour: in order on the CPU's stream, and part of a graph that is being made.
bool multiply_on_cpu(const blas_product&, stream_state& on, std::string& why);
/// These, float16 and bfloat16. Sums of short numbers are of floats. Stream behaviour: enqueued.
bool multiply_on_gpu(const blas_product&, stream_state& on, std::string& why);
/// `to` = scale * a b + kept * addend, of one matrix. False also where the library knows no way for these. Stream behaviour: enqueued.
bool multiply_and_add_on_gpu(const blas_product&, const blas_addend&, stream_state& on, std::string& why);

}  // namespace sinter::runtime
