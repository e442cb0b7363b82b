// Making and dropping storages: the counted blocks of device memory behind arrays. Between eval, which makes one for
// every result, and the devices' pools. A storage's bytes belong to the pool of the device that made it.
#pragma once

#include <cstddef>

#include "codegen/ir/node.hpp"

namespace sinter::detail {

/// A storage of `bytes` bytes with one reference. Contents: undefined. Errors: `out_of_memory`, and then nothing has
/// changed. Units: bytes; 0 bytes gives a storage whose data is null. Any thread.
storage* make_storage(runtime::device_impl& device, std::size_t bytes);

/// Drops one reference; the last one gives the bytes back to the pool. Null is allowed. Any thread, also while the
/// process exits: nothing here asks a driver for anything.
void release(storage*) noexcept;

}  // namespace sinter::detail

namespace sinter::runtime {
using detail::make_storage;
}
