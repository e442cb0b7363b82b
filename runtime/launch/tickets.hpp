// Tickets: counters with which the blocks of a reduction find out which of them is last. Zero before and after every launch.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sinter::runtime {

class stream_state;

inline constexpr std::int64_t most_tickets = 1 << 16;

/// A stream's own: kernels of one stream run one after the other. Made at first use, zeroed once. Errors: `out_of_memory`.
std::byte* tickets(stream_state&);

}  // namespace sinter::runtime
