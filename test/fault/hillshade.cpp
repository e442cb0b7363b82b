// The hill shading sample without its stop-watch: the same computations in both manners on a corner of the same grid, the
// picture, and everything it tells. What it measures would be other text in every run, and take seconds.
#define main hillshade_main
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wreturn-type"
#include "samples/hillshade.cpp"
#pragma GCC diagnostic pop
#undef main

int main() {
  const std::string grid = "samples/data/jacksboro.npy", target = "hillshade.png";
  const array<float> all = sn::load<float>(grid.c_str());
  const array<float> z = all(slice(0, 24), slice(0, 40));
  const terrain t{z, with_border(z), 74.6f, 92.5f};
  const picture p = fused::shaded(t), q = stepwise::shaded(t);
  const steepness s = fused::slopes(t), u = stepwise::slopes(t);
  write_png(target, p);
  tell(t, s, grid, target);
  std::cout << sn::sum(sn::astype<int>(p.red)) << ' ' << sn::sum(sn::astype<int>(q.blue)) << ' ' << u.deviation << '\n';
  show_kernel(t);
}
