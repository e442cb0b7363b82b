// One Sinter to a process.
#pragma once

namespace sinter::runtime {

/// An address in this copy of the library. Asking for it makes sure that the check in copies.cpp is linked in.
const void* this_copy() noexcept;

}  // namespace sinter::runtime
