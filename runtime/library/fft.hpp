// Fourier transforms in memory, as their libraries have them: FFTW on the CPU, cuFFT on a GPU.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>

namespace sinter::runtime {

class stream_state;

enum class fft_kind : std::uint8_t { forward, inverse, from_real, to_real };

/// Transforms over the last axes of an array without gaps, none of which is empty; nothing is divided by the number of points. Of real
/// numbers half of the result, n / 2 + 1 points, and from as many back to n.
struct fft_shape {
  static constexpr int most_axes = 3;
  fft_kind kind;
  bool is_double;
  int rank;                   // 1 with real numbers on one side
  std::int64_t n[most_axes];  // points along each
  std::int64_t batch;
  auto operator<=>(const fft_shape&) const = default;

  bool has_real() const { return kind == fft_kind::from_real || kind == fft_kind::to_real; }
};

// Each is false where the library is not there: `why` then says what was looked for. `from` is not written to. Errors: `device_error`,
// `out_of_memory`.

/// Stream behaviour: in order on the CPU's stream, and part of a graph that is being made.
bool transform_on_cpu(const fft_shape&, const std::byte* from, std::byte* to, stream_state& on, std::string& why);
/// Stream behaviour: enqueued.
bool transform_on_gpu(const fft_shape&, const std::byte* from, std::byte* to, stream_state& on, std::string& why);

}  // namespace sinter::runtime
