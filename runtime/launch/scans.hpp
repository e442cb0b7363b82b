// How scans are shared out.
#pragma once

#include "runtime/launch/launch.hpp"

namespace sinter::runtime {

/// Chooses the schedule of a bound scan, which becomes a part of its variant, and its geometry: by shapes and the device alone,
/// as the order of folding follows from both.
layout share_out_scan(const codegen::kernel&, binding&, const target&);

/// What the tiles of a scan that splits leave for each other. Units: bytes.
std::size_t scan_words(const codegen::kernel&, const binding&, std::int64_t tiles, codegen::dialect);

}  // namespace sinter::runtime
