// Keeps the disk cache under its limit, least recently used first.
#pragma once

#include <cstdint>

namespace sinter::codegen {

/// Whether no process has swept for some minutes. If so, the caller is the one to do it: the stamp is renewed at once.
bool claim_sweep(int cache);

/// Removes abandoned temporary files, and entries, oldest use first, until at most 3/4 of `limit` is left; nothing is
/// evicted below 7/8 of it. Any number of processes may sweep, load and store at the same time.
void sweep(int cache, std::uint64_t limit);

}  // namespace sinter::codegen
