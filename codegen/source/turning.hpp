// Tiles of a CPU's maps: rows that become columns, by vectors.
#pragma once

#include "codegen/source/writer.hpp"

namespace sinter::codegen {

/// C: the function `turn<bytes>`, for elements of 4 or 8 bytes and tiles of `side` rows and columns.
void turning_function(writer&, int bytes, int side);

}  // namespace sinter::codegen
