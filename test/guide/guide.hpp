// What the blocks of README.md and docs/guide are compiled with: docs/generate/guide.py makes functions of them, and main.cpp calls these.
#pragma once

#include <cmath>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include <sinter/sinter.hpp>

// As the first page says that all of them begin.
namespace sn = sinter;
using sn::array, sn::_, sn::slice, sn::newaxis, sn::ellipsis;

namespace guide {

/// A block begins here. What the one before has printed has to have been told by then.
void at(const char* page, int line);
/// A page says here what has been printed.
void printed(const char* page, int line, const char* text);

/// The blocks of a section, which main calls.
struct section {
  explicit section(void (*run)());
};

}  // namespace guide
