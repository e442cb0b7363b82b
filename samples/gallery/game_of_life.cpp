// Conway's Game of Life, and Gosper's gun in it, which sends out a glider every 30 generations. The neighbours are
// counted by moving the whole board; the rule is one expression, so that each generation is one kernel.
#include <iostream>
#include <string_view>

#include "gallery.hpp"

namespace sn = sinter;
using sn::_, sn::slice, sn::array;

constexpr std::string_view gun =
    "........................O..........."
    "......................O.O..........."
    "............OO......OO............OO"
    "...........O...O....OO............OO"
    "OO........O.....O...OO.............."
    "OO........O...O.OO....O.O..........."
    "..........O.....O.......O..........."
    "...........O...O...................."
    "............OO......................";

/// The board a generation later: a cell lives that has three neighbours, or is alive and has two.
array<bool> next(const array<bool>& alive) {
  auto cells = sn::astype<std::int8_t>(alive);
  auto column = sn::roll(cells, 1, 0) + cells + sn::roll(cells, -1, 0);
  auto square = sn::roll(column, 1, 1) + column + sn::roll(column, -1, 1);  // the cell itself counts too
  return square == 3 || (alive && square == 4);
}

int main(int argc, char** argv) {
  const gallery::command ask(argc, argv, "out/game_of_life.png", 64);

  array<bool> alive = sn::zeros<bool>({ask.size, ask.size});
  alive(slice(1, 10), slice(1, 37)) = sn::frombuffer<std::int8_t>(gun).reshape(9, 36) == 'O';
  array<float> glow = sn::astype<float>(alive);  // cells fade after they die

  for (int generation = 0; generation < 3 * ask.size; ++generation) {
    if (generation % 30 == 0) std::cout << "generation " << generation << ": " << sn::sum(alive) << " cells\n";
    alive = next(alive);
    glow = sn::maximum(sn::astype<float>(alive), 0.9 * glow - 0.01);
  }
  gallery::imsave(ask.picture, sn::repeat(sn::repeat(glow, 4, 0), 4, 1), {.cmap = gallery::inferno, .vmin = 0});
}
