// Writes pictures as PNG files: three planes of bytes, or one with a palette. libpng's simplified interface does the work.
#pragma once

#include <png.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <sinter/sinter.hpp>

/// Red, green and blue, each of shape (height, width).
struct picture {
  sinter::array<std::uint8_t> red, green, blue;
};

struct colour {
  std::uint8_t red, green, blue;
};
/// What colour each byte stands for.
using palette = std::array<colour, 256>;

namespace png {

inline void write(const std::string& path, png_uint_32 format, const sinter::shape& size,
                  const std::vector<std::uint8_t>& pixels, const palette* colours = nullptr) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.format = format;
  image.height = static_cast<png_uint_32>(size[0]);
  image.width = static_cast<png_uint_32>(size[1]);
  image.colormap_entries = colours ? static_cast<png_uint_32>(colours->size()) : 0;
  if (!png_image_write_to_file(&image, path.c_str(), 0, pixels.data(), 0, colours))
    throw std::runtime_error(path + ": " + image.message);
}

}  // namespace png

inline void write_png(const std::string& path, const picture& p) {
  const auto red = p.red.get(), green = p.green.get(), blue = p.blue.get();
  std::vector<std::uint8_t> pixels;
  pixels.reserve(3 * red.size());
  for (std::size_t i = 0; i < red.size(); ++i) pixels.insert(pixels.end(), {red[i], green[i], blue[i]});
  png::write(path, PNG_FORMAT_RGB, p.red.shape(), pixels);
}

inline void write_png(const std::string& path, const sinter::array<std::uint8_t>& bytes, const palette& colours) {
  png::write(path, PNG_FORMAT_RGB_COLORMAP, bytes.shape(), bytes.get(), &colours);
}
