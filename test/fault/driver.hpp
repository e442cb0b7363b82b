// Calls of the CUDA driver and of NVRTC that fail on demand, where a stand-in for both is used that knows how to.
#pragma once

#include "faults.hpp"

namespace fault::driver {

/// Opens the stand-in that SINTER_CUDA_DRIVER names, in the process whose children use it. False: none is named.
bool open();

void start(const plan&) noexcept;
/// Adds what has happened to the record.
void stop(record&) noexcept;

/// Allocations, streams, graphs and modules that exist.
long objects() noexcept;
/// Events that exist: how many are kept to be used again depends on how far the device had come when one was asked for.
long events() noexcept;

}  // namespace fault::driver
