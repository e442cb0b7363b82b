// Tickets: counters with which the blocks of a reduction find out which of them is last, and behind them words in which they leave
// parts for it. Zero before and after every launch. Words: what the tiles of a scan leave for each other.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sinter::runtime {

class stream_state;

/// A stream's own: kernels of one stream run one after the other. Made at first use, zeroed once. Errors: `out_of_memory`.
std::byte* tickets(stream_state&);

/// Words in which the tiles of a scan leave what they fold, each with the mark of its launch. Zero when they are made; from
/// then on kernels see to it that nothing in them is taken for what a later launch leaves (codegen/source/cuda_scan.cpp).
struct counted_words {
  std::byte* data = nullptr;
  std::uint64_t room = 0;  // words
};

/// A stream's own, of at least so many bytes. Errors: `out_of_memory`.
counted_words words(stream_state&, std::size_t least);

}  // namespace sinter::runtime
