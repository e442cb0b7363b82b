// The element types that arrays have, as a list that code can run through when a type is known only at run time.
#pragma once

#include <boost/hana/tuple.hpp>
#include <boost/hana/type.hpp>
#include <cstdint>

namespace sinter::codegen {

inline constexpr auto elements =
    boost::hana::tuple_t<bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                         std::int64_t, std::uint64_t, float, double>;

}  // namespace sinter::codegen
