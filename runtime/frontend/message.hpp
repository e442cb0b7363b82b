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

/// Text put together printf-wise.
[[gnu::format(printf, 1, 2)]] std::string message(const char* format, ...);

}  // namespace sinter::detail
