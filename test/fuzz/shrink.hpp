// Makes a failing program as small as it stays failing.
#pragma once

#include <functional>

#include "test/fuzz/program.hpp"

namespace sinter::fuzz {

/// `fails` is asked of valid programs, at most `tries` times. Gives the smallest that failed.
program shrink(program, const std::function<bool(const program&)>& fails, int tries = 600);

}  // namespace sinter::fuzz
