// For a plugin that is linked with a static Sinter of its own. Not included by sinter.hpp.
#pragma once

#include <cstdint>

#include <sinter/detail/config.hpp>

namespace sinter::detail {

/// A note in the file that the linker makes. Loaded files keep their notes, stripped or not, so that every copy of the library
/// finds the others'.
struct copy_note {
  static constexpr std::uint32_t here = 1, is_private = 2;
  std::uint32_t name_size = 7, content_size = 0;
  std::uint32_t what;
  char name[8] = "Sinter";
};

}  // namespace sinter::detail

/// Stands once in a source file of a plugin: "the Sinter in this plugin is its own". A process may hold one shared Sinter, or one
/// that is not private, and any number of private ones; they share no pools, limits, streams, devices or counters. Nothing
/// of Sinter's may cross the plugin's boundary: no array, stream or exception, and no symbol. A version script that lists
/// what the plugin does show sees to the symbols; without one the plugin is refused when it is loaded.
#define SINTER_PRIVATE_COPY                                                       \
  [[gnu::section(".note.sinter"), gnu::used,                                      \
    gnu::aligned(4)]] static const sinter::detail::copy_note sinter_private_note{ \
      .what = sinter::detail::copy_note::is_private};                             \
  extern "C" [[gnu::used, gnu::visibility("default")]] const char sinter_private_shows = 0
