// On whose behalf a call is made: the rule by which calls to the C library count as the library's own.
#pragma once

namespace fault {

/// The library under test is the one this address is in.
void set_tested(const void* inside) noexcept;

enum class caller : unsigned char {
  other,           // the program, its samples, other libraries
  library,         // the library under test: itself, or what it makes the C++ library do
  through_system,  // the C library, at work for the library under test
  through_loader,  // the loader likewise
};

/// Who made the call that returns to `address`. The innermost frame of the stack that belongs neither to the C++ library,
/// to the C library nor to what stands in front of it decides.
caller caller_of(void* address) noexcept;

/// The stack from that frame outwards, as return addresses. Gives how many.
int stack_from(void* address, void** frames, int most) noexcept;

/// Is this a part of the program itself or of what it has loaded, and not of a system library or of the library under test?
bool is_program(void* address) noexcept;

}  // namespace fault
