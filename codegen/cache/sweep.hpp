// Keeps the disk cache under its limit, least recently used first.
#pragma once

#include <cstdint>
#include <ctime>
#include <string_view>

namespace sinter::codegen {

/// By how much clocks that share a folder may differ. A file from further in the future was written before the clock was
/// set back.
inline constexpr std::time_t seconds_of_clock_skew = 5 * 60;

/// Whether no process has swept for some minutes. If so, the caller is the one to do it: the stamp is renewed at once.
bool claim_sweep(int cache);

/// Removes abandoned temporary files, and entries, oldest use first, until at most 3/4 of `limit` is left; nothing is
/// evicted below 7/8 of it, and `spared` ("3/f/..." below the cache) never. Any number of processes may sweep, load and
/// store at the same time.
void sweep(int cache, std::uint64_t limit, std::string_view spared = {});

}  // namespace sinter::codegen
