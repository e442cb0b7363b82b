// Which Sinter a program was compiled with, and which one it runs with. The macros are in detail/config.hpp: SINTER_VERSION,
// SINTER_VERSION_MAJOR, _MINOR and _PATCH, and SINTER_VERSION_NUMBER, which compares.
#pragma once

#include <sinter/detail/config.hpp>

namespace sinter {

/// The version of the library that the program runs with, such as "0.1.0". SINTER_VERSION is that of the headers that it was
/// compiled with.
SINTER_API const char* version();
/// The same as a number that compares: 10000 * major + 100 * minor + patch, as SINTER_VERSION_NUMBER.
SINTER_API int version_number();

}  // namespace sinter
