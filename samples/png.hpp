// Writes pictures: three planes of bytes become one PNG file. libpng's simplified interface does the work.
#pragma once

#include <png.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <sinter/sinter.hpp>

/// Red, green and blue, each of shape (height, width).
struct picture {
  sinter::array<std::uint8_t> red, green, blue;
};

inline void write_png(const std::string& path, const picture& p) {
  const auto red = p.red.get(), green = p.green.get(), blue = p.blue.get();
  std::vector<std::uint8_t> pixels;
  pixels.reserve(3 * red.size());
  for (std::size_t i = 0; i < red.size(); ++i) pixels.insert(pixels.end(), {red[i], green[i], blue[i]});

  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.format = PNG_FORMAT_RGB;
  image.height = static_cast<png_uint_32>(p.red.shape()[0]);
  image.width = static_cast<png_uint_32>(p.red.shape()[1]);
  if (!png_image_write_to_file(&image, path.c_str(), 0, pixels.data(), 0, nullptr))
    throw std::runtime_error(path + ": " + image.message);
}
