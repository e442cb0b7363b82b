// What user.cpp shows to both.cpp.
#pragma once

#include <sinter/sinter.hpp>

sinter::device current_in_library();
std::size_t limit_in_library();
std::uint64_t launches_in_library();
sinter::array<double> doubled_in_library(const sinter::array<double>&);
void throw_in_library();
