// Messages of errors are put together here, printf-wise, so that every thrower says shapes and dtypes the same way.
#pragma once

#include <string>

#include <sinter/detail/where.hpp>
#include <sinter/dtype.hpp>
#include <sinter/shape.hpp>

namespace sinter::detail {

std::string to_string(const sinter::shape& s);

/// " (at file:line)", or nothing where the place is not known.
std::string at(const where& place);

/// For handlers of std::bad_alloc: whatever leaves a function that a program calls is an error of Sinter's own, and this is
/// the one for a host without memory. The three functions above and below throw it too, being called where errors are made.
[[noreturn, gnu::cold]] void throw_host_is_full();

/// Text put together printf-wise.
[[gnu::format(printf, 1, 2)]] std::string message(const char* format, ...);

}  // namespace sinter::detail
