// The stream-ordered pools: memory that becomes valid and invalid at a place in the order of a stream.
#pragma once

#include "machine.hpp"

namespace softgpu {

result allocate_from(machine&, std::unique_lock<std::mutex>&, memory_pool&, stream&, std::size_t size, address* to);
result free_in(machine&, stream&, address);
/// The same while the stream is captured: the memory is the graph's, and begins and ends with every launch.
result allocate_captured(machine&, memory_pool&, stream&, std::size_t size, address* to);
result free_captured(machine&, stream&, address);
/// Gives back what is not in use beyond `least` bytes.
void trim(machine&, memory_pool&, std::uint64_t least);

}  // namespace softgpu
