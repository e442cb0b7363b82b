// The element types of real numbers, as a list that code can run through when a type is known only at run time.
#pragma once

#include <boost/hana/tuple.hpp>
#include <boost/hana/type.hpp>
#include <cstdint>

#include <sinter/dtype.hpp>

namespace sinter::codegen {

inline constexpr auto real_elements =
    boost::hana::tuple_t<bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                         std::int64_t, std::uint64_t, half, bfloat16, float, double>;

}  // namespace sinter::codegen
