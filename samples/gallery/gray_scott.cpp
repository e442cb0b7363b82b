// The reaction and diffusion of Gray and Scott: a substance that feeds on another grows like a coral from random seeds.
// Both are updated in one pass, by one eval.
#include <iostream>
#include <tuple>

#include "gallery.hpp"

namespace sn = sinter;
using sn::array;

/// How much more there is around each point than at it; the edges meet.
auto laplacian(const array<float>& a) {
  return sn::roll(a, 1, 0) + sn::roll(a, -1, 0) + sn::roll(a, 1, 1) + sn::roll(a, -1, 1) - 4 * a;
}

int main(int argc, char** argv) {
  const gallery::command ask(argc, argv, "out/gray_scott.png", 80);
  const auto n = ask.size;
  constexpr float feed = 0.0545f, kill = 0.062f;

  sn::random::generator rng(5);
  array<bool> seeds = sn::repeat(sn::repeat(rng.bernoulli({n / 8, n / 8}, 0.08), 8, 0), 8, 1);
  array<float> u = sn::where(seeds, sn::strong(0.5f), 1), v = sn::where(seeds, sn::strong(0.25f), 0);

  const auto steps = 12 * n;
  for (std::int64_t step = 0; step <= steps; ++step) {
    if (step % (4 * n) == 0)
      std::cout << "step " << step << ": " << sn::round(100 * sn::mean(v), 1) << " % of the second substance\n";
    auto eaten = u * v * v;
    std::tie(u, v) =
        sn::eval(u + 0.16 * laplacian(u) - eaten + feed * (1 - u), v + 0.08 * laplacian(v) + eaten - (feed + kill) * v);
  }
  gallery::imsave(ask.picture, v);
}
