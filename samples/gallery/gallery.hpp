// What the programs of the gallery share: the words of their command lines, and pictures of arrays, made as
// matplotlib's imsave makes them.
#pragma once

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <string>

#include "png.hpp"

namespace gallery {

namespace sn = sinter;

/// `sample_<name> [picture.png [size]]`: where the picture goes, and how large the computation is.
struct command {
  command(int argc, char** argv, const char* usual_picture, std::int64_t usual_size)
      : picture(argc > 1 ? argv[1] : usual_picture), size(argc > 2 ? std::atoll(argv[2]) : usual_size) {}
  std::string picture;
  std::int64_t size;
};

/// Colours that pass through some, evenly spaced: matplotlib's maps, to about a grade of brightness.
constexpr palette through(std::initializer_list<colour> some) {
  palette all{};
  const double gaps = static_cast<double>(some.size() - 1);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double at = static_cast<double>(i) * gaps / 255;
    const auto left = static_cast<std::size_t>(at < gaps ? at : gaps - 1);
    const colour &a = some.begin()[left], &b = some.begin()[left + 1];
    const auto mixed = [part = at - static_cast<double>(left)](std::uint8_t from, std::uint8_t to) {
      return static_cast<std::uint8_t>(from + part * (to - from) + 0.5);
    };
    all[i] = {mixed(a.red, b.red), mixed(a.green, b.green), mixed(a.blue, b.blue)};
  }
  return all;
}

/// From black to each of some colours in turn: `k + brightness` is a shade of colour k, with `vmin = 0, vmax = count`.
constexpr palette shades(std::initializer_list<colour> some) {
  palette all{};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double at = static_cast<double>(i * some.size()) / 256, part = at - static_cast<double>(static_cast<int>(at));
    const colour& c = some.begin()[static_cast<std::size_t>(at)];
    const auto dimmed = [part](std::uint8_t full) { return static_cast<std::uint8_t>(part * full + 0.5); };
    all[i] = {dimmed(c.red), dimmed(c.green), dimmed(c.blue)};
  }
  return all;
}

inline constexpr palette grey = through({{0, 0, 0}, {255, 255, 255}});
inline constexpr palette viridis = through({{68, 1, 84},
                                            {71, 44, 122},
                                            {59, 81, 139},
                                            {44, 113, 142},
                                            {33, 144, 141},
                                            {39, 173, 129},
                                            {92, 200, 99},
                                            {170, 220, 50},
                                            {253, 231, 37}});
inline constexpr palette inferno = through({{0, 0, 4},
                                            {31, 12, 72},
                                            {85, 15, 109},
                                            {136, 34, 106},
                                            {186, 54, 85},
                                            {227, 89, 51},
                                            {249, 140, 10},
                                            {249, 201, 50},
                                            {252, 255, 164}});
inline constexpr palette coolwarm =
    through({{59, 76, 192}, {141, 176, 254}, {221, 221, 221}, {244, 152, 122}, {180, 4, 38}});

/// The numbers that the first and the last colour stand for are the least and the greatest where not given.
struct colouring {
  palette cmap = viridis;
  double vmin = std::numeric_limits<double>::quiet_NaN();
  double vmax = std::numeric_limits<double>::quiet_NaN();
};

/// Writes an array of two axes of numbers, or an expression, as a picture: one pixel for each element, row 0 on top.
template <class E>
void imsave(const std::string& path, const E& e, const colouring& how = {}) {
  const sn::array<double> values = sn::astype<double>(e);
  const double low = std::isnan(how.vmin) ? sn::min(values).item() : how.vmin;
  const double high = std::isnan(how.vmax) ? sn::max(values).item() : how.vmax;
  if (const auto folder = std::filesystem::path(path).parent_path(); !folder.empty())
    std::filesystem::create_directories(folder);
  write_png(path, sn::astype<std::uint8_t>(sn::clip(256 * (values - low) / (high - low), 0, 255)), how.cmap);
}

}  // namespace gallery
