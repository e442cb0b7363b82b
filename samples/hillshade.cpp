// Hill shading: from a grid of elevations to a map lit from the north-west, and to how steep the land is. The formulas
// are written as in a textbook and run as a handful of kernels. The same computation one operation at a time, as a
// library without fusion runs it, stands below for comparison.
//
//   sample_hillshade [grid.npy [picture.png [metres between columns, metres between rows]]]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <numbers>
#include <sstream>
#include <vector>

#include "png.hpp"

namespace sn = sinter;
using sn::_, sn::slice, sn::array;

namespace {

constexpr float pi = std::numbers::pi_v<float>;
constexpr float azimuth = 315 * pi / 180;                  // where the light comes from, clockwise from north
constexpr float altitude = 45 * pi / 180;                  // its height above the horizon
constexpr float math_azimuth = 2 * pi - azimuth + pi / 2;  // counter-clockwise from east, as aspects are
const float up = std::sin(altitude), along = std::cos(altitude);

constexpr auto middle = slice(1, -1), next = slice(2, _), previous = slice(_, -2);  // in a grid with a border

/// Elevations in metres, row 0 in the north, with the distances between columns and rows.
struct terrain {
  array<float> z;
  array<float> bordered;  // z with one more cell all around
  float dx, dy;
};

/// How steep the land is, in degrees.
struct steepness {
  float mean, deviation, least, most;
  double above_15;
};

// ---- the computation ------------------------------------------------------------------------------------------------

/// The grid with one more cell all around, continued in a straight line: a central difference at the edge is then the
/// one-sided difference of the cells there are.
array<float> with_border(const array<float>& z) {
  array<float> b = sn::empty<float>({z.shape()[0] + 2, z.shape()[1] + 2});
  b(middle, middle) = z;
  b(0, middle) = 2 * b(1, middle) - b(2, middle);
  b(-1, middle) = 2 * b(-2, middle) - b(-3, middle);
  b(_, 0) = 2 * b(_, 1) - b(_, 2);
  b(_, -1) = 2 * b(_, -2) - b(_, -3);
  return b;
}

namespace fused {

/// The rise towards the east and towards the south, per metre: two expressions, nothing has run.
auto gradient(const terrain& t) {
  const array<float>& b = t.bordered;
  return std::pair((b(middle, next) - b(middle, previous)) / (2 * t.dx),
                   (b(next, middle) - b(previous, middle)) / (2 * t.dy));
}

/// The brightness of each cell, 0 to 1: the cosine of the angle between the light and the ground's normal.
auto brightness(const terrain& t) {
  auto [east, south] = gradient(t);
  auto slope = sn::arctan(sn::hypot(east, south));
  auto aspect = sn::arctan2(south, -east);
  return sn::maximum(up * sn::cos(slope) + along * sn::sin(slope) * sn::cos(math_azimuth - aspect), 0);
}

/// One channel of a ramp: its value at the lowest elevation, and what each third of the way up adds.
template <class Height, class Light>
auto channel(const Height& height, const Light& light, float lowest, float first, float second, float third) {
  auto value = lowest + first * sn::clip(height, 0, 1) + second * sn::clip(height - 1, 0, 1) +
               third * sn::clip(height - 2, 0, 1);
  return sn::astype<std::uint8_t>(sn::minimum(value * light, 255));
}

/// From valley green over straw and rock to white, dimmed by the shade.
picture shaded(const terrain& t) {
  auto [low, high] = sn::eval(sn::min(t.z), sn::max(t.z));
  auto height = 3 * (t.z - low) / (high - low);
  auto light = 0.25f + 0.9f * brightness(t);
  auto [red, green, blue] = sn::eval(channel(height, light, 92, 126, -42, 70), channel(height, light, 134, 70, -57, 97),
                                     channel(height, light, 84, 68, -28, 121));
  return {red, green, blue};
}

steepness slopes(const terrain& t) {
  auto [east, south] = gradient(t);
  auto s = sn::degrees(sn::arctan(sn::hypot(east, south)));
  auto [mean, deviation, least, most, above] =
      sn::eval(sn::mean(s), sn::stddev(s), sn::min(s), sn::max(s), sn::mean(s > 15));
  return {mean.item(), deviation.item(), least.item(), most.item(), above.item()};
}

}  // namespace fused

// ---- the same, one operation at a time ------------------------------------------------------------------------------

namespace stepwise {

std::pair<array<float>, array<float>> gradient(const terrain& t) {
  array east = t.bordered(middle, next) - t.bordered(middle, previous);
  array south = t.bordered(next, middle) - t.bordered(previous, middle);
  east = east / (2 * t.dx);
  south = south / (2 * t.dy);
  return {east, south};
}

array<float> slope(const array<float>& east, const array<float>& south) {
  array length = sn::hypot(east, south);
  return sn::arctan(length);
}

array<float> brightness(const terrain& t) {
  auto [east, south] = gradient(t);
  array s = slope(east, south);
  array west = -east;
  array turn = sn::arctan2(south, west);
  turn = math_azimuth - turn;
  turn = sn::cos(turn);
  array flat = sn::cos(s);
  flat = up * flat;
  array tilted = sn::sin(s);
  tilted = along * tilted;
  tilted = tilted * turn;
  array lit = flat + tilted;
  return sn::maximum(lit, 0);
}

array<std::uint8_t> channel(const array<float>& height, const array<float>& light, float lowest, float first,
                            float second, float third) {
  array part = sn::clip(height, 0, 1);
  part = first * part;
  array value = lowest + part;
  part = height - 1;
  part = sn::clip(part, 0, 1);
  part = second * part;
  value = value + part;
  part = height - 2;
  part = sn::clip(part, 0, 1);
  part = third * part;
  value = value + part;
  value = value * light;
  value = sn::minimum(value, 255);
  return sn::astype<std::uint8_t>(value);
}

picture shaded(const terrain& t) {
  array low = sn::min(t.z), high = sn::max(t.z), range = high - low;
  array height = t.z - low;
  height = 3 * height;
  height = height / range;
  array light = brightness(t);
  light = 0.9f * light;
  light = 0.25f + light;
  return {channel(height, light, 92, 126, -42, 70), channel(height, light, 134, 70, -57, 97),
          channel(height, light, 84, 68, -28, 121)};
}

steepness slopes(const terrain& t) {
  auto [east, south] = gradient(t);
  array s = slope(east, south);
  s = sn::degrees(s);
  array mean = sn::mean(s), deviation = sn::stddev(s), least = sn::min(s), most = sn::max(s);
  array above = s > 15;
  return {mean.item(), deviation.item(), least.item(), most.item(), sn::mean(above).item()};
}

}  // namespace stepwise

// ---- measuring and telling ------------------------------------------------------------------------------------------

/// The median time of a run, in milliseconds, when everything has been compiled.
template <class F>
double milliseconds(int runs, F f) {
  using clock = std::chrono::steady_clock;
  std::vector<double> times;
  for (int i = 0; i <= runs; ++i) {
    const auto start = clock::now();
    f();
    sn::synchronize();
    if (i > 0) times.push_back(std::chrono::duration<double, std::milli>(clock::now() - start).count());
  }
  std::nth_element(times.begin(), times.begin() + runs / 2, times.end());
  return times[runs / 2];
}

template <class F>
auto kernels(F f) {
  const auto before = sn::counters().launches;
  f();
  return sn::counters().launches - before;
}

/// The grid repeated to about 4000 x 4000: two new axes broadcast, then folded in.
terrain tiled(const terrain& t) {
  const auto rows = t.z.shape()[0], columns = t.z.shape()[1];
  const auto down = std::max<std::int64_t>(1, (4000 + rows / 2) / rows),
             across = std::max<std::int64_t>(1, (4000 + columns / 2) / columns);
  array<float> z = sn::broadcast_to(t.z(sn::newaxis, _, sn::newaxis, _), {down, rows, across, columns})
                       .reshape({down * rows, across * columns});
  return {z, with_border(z), t.dx, t.dy};
}

std::string size_of(const terrain& t) {
  return std::to_string(t.z.shape()[0]) + " x " + std::to_string(t.z.shape()[1]);
}

void compare(const terrain& t) {
  auto together = [](const terrain& on) { fused::shaded(on), fused::slopes(on); };
  auto single = [](const terrain& on) { stepwise::shaded(on), stepwise::slopes(on); };
  const bool slow = sn::device::current() == sn::device::interpreter();
  std::cout << "                          kernels   milliseconds\n" << std::setw(48) << size_of(t);
  const terrain large = slow ? t : tiled(t);
  if (!slow) std::cout << std::setw(16) << size_of(large);
  const auto row = [&](const char* name, auto run) {
    std::cout << '\n' << std::left << std::setw(25) << name << std::right << std::setw(8) << kernels([&] { run(t); });
    const double small_time = milliseconds(slow ? 3 : 31, [&] { run(t); });
    std::cout << std::setw(15) << small_time;
    const double large_time = slow ? 1 : milliseconds(3, [&] { run(large); });
    if (!slow) std::cout << std::setw(16) << large_time;
    return std::pair(small_time, large_time);
  };
  std::cout << std::fixed << std::setprecision(2);
  const auto [small_single, large_single] = row("one operation at a time", single);
  const auto [small_fused, large_fused] = row("fused", together);
  std::cout << std::setprecision(1) << "\ntimes faster" << std::setw(36) << small_single / small_fused;
  if (!slow) std::cout << std::setw(16) << large_single / large_fused;
  const picture a = fused::shaded(t), b = stepwise::shaded(t);
  auto difference = [](const auto& x, const auto& y) {
    return sn::max(sn::abs(sn::astype<int>(x) - sn::astype<int>(y))).item();
  };
  std::cout << "\nThe two pictures differ by at most "
            << std::max({difference(a.red, b.red), difference(a.green, b.green), difference(a.blue, b.blue)})
            << " of 255 in any channel.\n";
}

/// What was generated to compute one cell's brightness, in this device's language: out of the text that has all of it
/// in both.
void show_kernel(const terrain& t) {
  const bool cuda = sn::device::current().type() == sn::device::kind::cuda;
  const std::string all = sn::dump(fused::brightness(t)).c_str();
  const std::size_t section = all.find(cuda ? "CUDA C++ ====" : "C ====");
  const std::size_t function = std::min(all.find(" point(", section), all.find(" stage0(", section));
  if (function == std::string::npos) throw std::runtime_error("the text of the kernel has no function of a point");
  const std::size_t begin = all.rfind('\n', function) + 1;
  const std::size_t behind = std::min(all.find("\nstruct ", function), all.find("\nextern ", function));
  std::cout
      << "\nThe heart of the kernel that brightness() became (SINTER_DUMP=<folder> keeps all of every kernel):\n\n"
      << all.substr(begin, all.rfind("\n}\n", behind) + 3 - begin);
}

void tell(const terrain& t, const steepness& s, const std::string& grid, const std::string& target) {
  std::cout << std::fixed << std::setprecision(1) << "terrain   " << grid << ", " << size_of(t) << ", "
            << static_cast<int>(sn::min(t.z).item()) << " to " << static_cast<int>(sn::max(t.z).item()) << " m\n"
            << "slope     " << s.mean << " degrees in the mean, deviation " << s.deviation << ", from " << s.least
            << " to " << s.most << "; " << 100 * s.above_15 << " % is steeper than 15\n"
            << "picture   " << target << ", light from the north-west, 45 degrees high\n"
            << "device    " << sn::device::current() << "\n\n";
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string grid = argc > 1 ? argv[1] : "samples/data/jacksboro.npy";
  const std::string target = argc > 2 ? argv[2] : "out/hillshade.png";
  const float dx = argc > 3 ? std::strtof(argv[3], nullptr) : 74.6f;  // those of jacksboro.npy: samples/data/README.md
  const float dy = argc > 4 ? std::strtof(argv[4], nullptr) : 92.5f;

  const array<float> z = sn::load<float>(grid.c_str());
  if (z.ndim() != 2 || z.shape()[0] < 3 || z.shape()[1] < 3)
    throw std::runtime_error(grid + ": not a grid of 3 x 3 cells or more");
  const terrain t{z, with_border(z), dx, dy};
  const picture p = fused::shaded(t);
  const steepness s = fused::slopes(t);

  if (const auto folder = std::filesystem::path(target).parent_path(); !folder.empty())
    std::filesystem::create_directories(folder);
  write_png(target, p);
  tell(t, s, grid, target);
  compare(t);
  show_kernel(t);
} catch (const std::exception& e) {
  std::cerr << "hillshade: " << e.what() << '\n';
  return 1;
}
