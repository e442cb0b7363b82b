// Version and export macros. Nothing here depends on a toolkit.
#pragma once

#define SINTER_VERSION_MAJOR 0
#define SINTER_VERSION_MINOR 1
#define SINTER_VERSION_PATCH 0
#define SINTER_VERSION "0.1.0"

// A static library's functions stay inside the program or library they are linked into: another's must not take their place.
#if defined(SINTER_STATIC_OBJECTS)
#define SINTER_API [[gnu::visibility("hidden")]]
#elif defined(__GNUC__)
#define SINTER_API [[gnu::visibility("default")]]
#else
#define SINTER_API
#endif
