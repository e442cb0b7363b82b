#include "runtime/frontend/overlap.hpp"
#include "runtime/memory/storage.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace {

using namespace sinter;
using detail::array_node;

array_node view(std::int64_t offset, const std::vector<std::int64_t>& extents,
                const std::vector<std::int64_t>& strides) {
  array_node a(dtype::float64, shape(extents.data(), static_cast<int>(extents.size())));
  a.offset = offset;
  std::copy(strides.begin(), strides.end(), a.strides);
  return a;
}

std::vector<std::int64_t> elements(const array_node& a) {
  std::vector<std::int64_t> all{a.offset};
  for (int d = 0; d < a.extents.size(); ++d) {
    std::vector<std::int64_t> next;
    for (std::int64_t at : all)
      for (std::int64_t i = 0; i < a.extents[d]; ++i) next.push_back(at + i * a.strides[d]);
    all = next;
  }
  std::sort(all.begin(), all.end());
  return all;
}

bool have_one_in_common(const array_node& a, const array_node& b) {
  const auto of_a = elements(a), of_b = elements(b);
  std::vector<std::int64_t> both;
  std::set_intersection(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(), std::back_inserter(both));
  return !both.empty();
}

}  // namespace

TEST_CASE("overlap: two views have an element in common exactly where a list of all says so") {
  std::mt19937 random(14);
  const auto below = [&](int n) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(n)); };
  int common = 0, interleaved = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const auto any = [&] {
      std::vector<std::int64_t> extents, strides;
      for (std::int64_t rank = below(4), d = 0; d < rank; ++d) {
        extents.push_back(below(6));
        strides.push_back(below(41) - 20);
      }
      return view(below(60), extents, strides);
    };
    const array_node a = any(), b = any();
    const bool expected = have_one_in_common(a, b);
    common += expected;
    const auto of_a = elements(a), of_b = elements(b);
    interleaved +=
        !expected && !of_a.empty() && !of_b.empty() && of_a.front() < of_b.back() && of_b.front() < of_a.back();
    INFO("trial ", trial);
    REQUIRE(runtime::overlap(a, b) == expected);
    REQUIRE(runtime::overlap(b, a) == expected);
  }
  CHECK(common > 2000);
  CHECK(interleaved > 2000);
}

TEST_CASE("overlap: layouts of programs are decided, however large") {
  const std::int64_t n = 1'000'000;
  const array_node left = view(0, {n}, {n}), right = view(n - 2, {n}, {n}), row = view(5 * n, {n}, {1});
  CHECK_FALSE(runtime::overlap(left, right));
  CHECK(runtime::overlap(left, row));
  CHECK_FALSE(runtime::overlap(view(0, {n / 2}, {2}), view(1, {n / 2}, {2})));                  // even and odd
  CHECK_FALSE(runtime::overlap(view(0, {100, n}, {2 * n, 1}), view(n, {100, n}, {2 * n, 1})));  // rows in turn
  CHECK(runtime::overlap(view(0, {n}, {999'983}), view(1, {n}, {n})));  // by Bezout: one in 10^12
  CHECK_FALSE(runtime::overlap(view(0, {1000}, {999'983}), view(1, {1000}, {n})));
  CHECK(runtime::same_elements(left, view(0, {n}, {n})));
  CHECK_FALSE(runtime::same_elements(left, right));
}
