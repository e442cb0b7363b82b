// Four calls of libraries inside expressions: a product of matrices, a Fourier transform, a sort and a dot product, each with work before
// or after it that is fused around the call. Without words it takes small arrays and says what came out; with `large` it takes a product of
// 4096 x 4096, 10 million samples to transform, as many to sort and a dot product of a million, and says how long each took.
#include <complex>
#include <iomanip>
#include <iostream>
#include <string>

#include <sinter/fft.hpp>
#include <sinter/order.hpp>
#include <sinter/products.hpp>
#include <sinter/profiler.hpp>
#include <sinter/random.hpp>

namespace sn = sinter;
using sn::_, sn::array, sn::slice;

template <class F>
void time_of(const char* what, F work) {
  std::cout << sn::benchmark(work, {.n_repeat = 10, .name = what}) << '\n';
}

int main(int argc, char** argv) {
  const bool large = argc > 1 && std::string(argv[1]) == "large";
  const std::int64_t side = large ? 4096 : 64, samples = large ? 10'000'000 : 1000, terms = large ? 1'000'000 : 1000;
  sn::random::generator numbers(2026);
  const array<float> a = numbers.random<float>({side, side}), b = numbers.random<float>({side, side});
  const array<float> u = numbers.random<float>({terms}), v = numbers.random<float>({terms});
  const array<float> x = numbers.random<float>({samples});
  const array<std::complex<float>> signal = sn::make_complex(x, 1 - x);

  if (large) {
    time_of("product of matrices", [&] { return array<float>(sn::matmul(a, b)); });
    time_of("Fourier transform", [&] { return array<std::complex<float>>(sn::fft::fft(signal)); });
    time_of("sort", [&] { return array<float>(sn::sort(x)); });
    time_of("dot product", [&] { return array<float>(sn::dot(u, v)); });
    return 0;
  }

  // (a b) c = a (b c): the sum of each row, in two ways.
  const array<float> product = sn::matmul(a, b);
  const auto difference = sn::sum(product, -1) - sn::matmul(a, sn::sum(b, -1));
  // The energy of a signal is that of its transform, over the number of samples.
  const auto energy = sn::sum(sn::square(sn::abs(signal)));
  const auto of_transform = sn::sum(sn::square(sn::abs(sn::fft::fft(signal)))) / static_cast<float>(samples);
  // No element is larger than the next one, and the middle one is near a half.
  const array<float> sorted = sn::sort(x);
  const auto rises = sn::all(sorted(slice(1, _)) >= sorted(slice(_, -1)));
  const auto angle = sn::dot(u, v) / sn::sqrt(sn::dot(u, u) * sn::dot(v, v));

  std::cout << std::boolalpha << std::fixed << std::setprecision(2) << "rows of a product            "
            << (sn::max(sn::abs(difference)).item() < 1e-2f) << '\n'
            << "energy of a signal           " << (sn::abs(of_transform / energy - 1).item() < 1e-5f) << '\n'
            << "sorted numbers rise          " << rises.item() << ", the middle one is " << sorted(samples / 2).item()
            << '\n'
            << "cosine between two vectors   " << angle.item() << '\n';
}
