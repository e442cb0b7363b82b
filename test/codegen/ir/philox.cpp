// Philox4x32-10 against the vectors that Random123 publishes for it (kat_vectors), and what elements take of its blocks.
#include <doctest/doctest.h>

#include "codegen/ir/philox.hpp"

namespace {

using namespace sinter::codegen::scalar;

static_assert(philox(0, 0, 0) == philox_block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
static_assert(philox(~0ull, ~0ull, ~0ull) == philox_block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
static_assert(philox(0x85a308d3243f6a88, 0x0370734413198a2e, 0x299f31d0a4093822) ==
              philox_block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});

TEST_CASE("philox: four neighbours have the words of a block, two its halves") {
  for (std::uint64_t block : {std::uint64_t{0}, std::uint64_t{5}, std::uint64_t{1} << 40}) {
    const philox_block w = philox(block, 7, 42);
    for (unsigned j = 0; j < 4; ++j) CHECK(random_uint32(4 * block + j, 7, 42) == w[j]);
    for (unsigned j = 0; j < 2; ++j)
      CHECK(random_uint64(2 * block + j, 7, 42) == (std::uint64_t{w[2 * j + 1]} << 32 | w[2 * j]));
  }
}

TEST_CASE("philox: the upper half of a product") {
  CHECK(multiply_high(~0ull, ~0ull) == ~0ull - 1);
  CHECK(multiply_high(std::uint64_t{1} << 63, 2) == 1);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const std::uint64_t a = random_uint64(i, 0, 1), b = random_uint64(i, 1, 1) >> i % 64;
    __extension__ using wide = unsigned __int128;
    CHECK(multiply_high(a, b) == static_cast<std::uint64_t>(wide{a} * b >> 64));
  }
}

}  // namespace
