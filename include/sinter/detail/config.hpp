// Version and export macros, and the language asked for. Nothing here depends on a toolkit. Every header comes here before it
// says anything in C++20.
#pragma once

#if __cplusplus < 202002L
#error "sinter: the headers are C++20; compile with -std=c++20 or a later one"
#endif

#define SINTER_VERSION_MAJOR 0
#define SINTER_VERSION_MINOR 1
#define SINTER_VERSION_PATCH 0
#define SINTER_VERSION "0.1.0"
#define SINTER_VERSION_NUMBER (10000 * SINTER_VERSION_MAJOR + 100 * SINTER_VERSION_MINOR + SINTER_VERSION_PATCH)

// A static library's functions stay inside the program or library they are linked into: another's must not take their place.
#if defined(SINTER_STATIC_OBJECTS)
#define SINTER_API [[gnu::visibility("hidden")]]
#elif defined(__GNUC__)
#define SINTER_API [[gnu::visibility("default")]]
#else
#define SINTER_API
#endif
