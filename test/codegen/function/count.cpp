// Which kernel counts positions.
#include "codegen/function/count.hpp"

#include <doctest/doctest.h>

using namespace sinter::codegen;
using sinter::dtype;

TEST_CASE("count: 32 bits tell elements from negative positions, where there are not too many of them") {
  constexpr std::int64_t many = std::int64_t{1} << 32;
  CHECK(form_of_count(dtype::int32, 100, many - 1).narrow);
  CHECK(!form_of_count(dtype::int32, 100, many).narrow);
  CHECK(!form_of_count(dtype::uint32, 100, many).narrow);
  CHECK(!form_of_count(dtype::int64, 100, 10).narrow);
  CHECK(count_text(form_of_count(dtype::uint32, 100, many - 1)).find("#define narrow 1") != std::string::npos);
  CHECK(count_text(form_of_count(dtype::uint32, 100, many)).find("#define narrow 0") != std::string::npos);
}
