// Copies between the host and storages and between storages, each on the calling thread's current stream of the device and
// ordered after what other streams do to the storage.
#pragma once

#include <cstddef>

#include <sinter/detail/where.hpp>
#include <sinter/transfer.hpp>

#include "codegen/ir/node.hpp"

namespace sinter::runtime {

class capture_state;
class stream_state;

/// `at`: in the storage. Size 0 is nothing to do.
void copy_in(detail::storage& to, std::byte* at, const void* from_host, std::size_t size, transfer_options);
/// Errors: `device_error` while the stream is captured, unless the memory is pinned and the copy need not be waited for.
void copy_out(void* to_host, detail::storage& from, const std::byte* at, std::size_t size, transfer_options,
              const detail::where&);
/// What the host reads of its own memory as it lies: where `at` is in `from`, of a device that works there. Errors: those of what was enqueued
/// before; `device_error` while the current stream is captured. Stream behaviour: waits.
const std::byte* read_in_place(detail::storage& from, const std::byte* at, const detail::where& place);

/// Also from one device to another.
void copy(detail::storage& to, std::byte* at, detail::storage& from, const std::byte* from_at, std::size_t size);
void zero(detail::storage&, std::size_t size);

/// What is enqueued on a stream so far uses pinned memory, which is not handed out again before that is over. Does
/// nothing for memory that is not Sinter's. Stream behaviour: waits where the host has no room to note it.
void keep_pinned(const void* memory, stream_state& on);
/// A copy that is being captured uses pinned memory, which is the graph's as long as that lives.
void keep_for_graph(capture_state&, const void* memory);
/// Pinned memory of the graph's own. Errors: `out_of_memory`.
std::byte* pinned_for_graph(capture_state&, std::size_t size, stream_state& on);

}  // namespace sinter::runtime
