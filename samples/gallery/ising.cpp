// The Ising model, a magnet made of spins that are up or down, at three temperatures side by side: the arrays have an
// axis for them. Spins of one colour of a checkerboard do not see each other, so that half of them may turn at a time.
#include <iostream>

#include "gallery.hpp"

namespace sn = sinter;
using sn::_, sn::newaxis, sn::array;

int main(int argc, char** argv) {
  const gallery::command ask(argc, argv, "out/ising.png", 64);
  const auto n = ask.size;

  const array<float> temperature{1.5, 2.269, 4};  // below the critical one, at it, above it
  sn::random::generator rng(1);
  array<int> spins = 2 * rng.integers<int>({3, n, n}, 0, 2) - 1;
  auto [row, column] = sn::ogrid(sn::slice(0, n), sn::slice(0, n));
  const array<bool> black = (row + column) % 2 == 0;

  auto neighbours = [](const array<int>& s) {
    return sn::roll(s, 1, 1) + sn::roll(s, -1, 1) + sn::roll(s, 1, 2) + sn::roll(s, -1, 2);
  };
  auto turn = [&](const array<bool>& half) {
    auto cost = sn::astype<float>(2 * spins * neighbours(spins));
    auto likely = rng.random<float>(spins.shape()) < sn::exp(-cost / temperature(_, newaxis, newaxis));
    spins = sn::where(half && likely, -spins, spins);
  };
  for (int sweep = 0; sweep < 200; ++sweep) {
    turn(black);
    turn(!black);
  }

  auto energy = -0.5 * sn::mean(spins * neighbours(spins), {.axis = {1, 2}});
  std::cout << "temperature     " << temperature << '\n'
            << "magnetisation   " << sn::round(sn::abs(sn::mean(spins, {.axis = {1, 2}})), 2) << '\n'
            << "energy          " << sn::round(energy, 2) << '\n';
  gallery::imsave(ask.picture, sn::hstack({spins(0), spins(1), spins(2)}), {.cmap = gallery::viridis});
}
