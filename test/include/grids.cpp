// Arrays that follow from shapes and bounds: NumPy's values.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include <sinter/sinter.hpp>

#include "test/support/layouts.hpp"

namespace sn = sinter;
using sn::_;
using sn::array;
using sn::newaxis;
using sn::slice;

namespace {

const array<float>& x() {
  static const array<float> of{1.5f, -2, 0.25f, 4};
  return of;
}
const array<std::int64_t>& y() {
  static const array<std::int64_t> of{3, 5, 9};
  return of;
}

/// Checks what is made: to the bit, or within so many units in the last place of a double.
template <class E>
void check_created(const char* name, const E& e, double ulps = 0) {
  CAPTURE(std::string(name));
  const sn::test::numpy_case& want = sn::test::line_of(name, "created");
  CHECK(e.shape() == sn::shape(want.extents));
  const std::vector<double> got = astype<double>(e).get();
  REQUIRE(got.size() == want.elements.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    CAPTURE(i);
    CAPTURE(got[i]);
    CHECK(std::abs(got[i] - want.elements[i]) <= ulps * 0x1p-52 * std::max(std::abs(want.elements[i]), 0.1));
  }
}

}  // namespace

TEST_CASE("grids: meshes and indices") {
  const auto [across, down] = sn::meshgrid(x(), y());
  static_assert(std::is_same_v<decltype(across), const sn::lazy<float>>);
  CHECK(sn::array_equal(sn::stack(sn::meshgrid(x(), y()), -1), sn::stack(sn::tuple(across, down), -1)));
  check_created("meshgrid x", across);
  check_created("meshgrid y", down);
  check_created("meshgrid ij", std::get<0>(sn::meshgrid({.indexing = sn::indexing::ij}, x(), y())));
  check_created("meshgrid sparse", std::get<1>(sn::meshgrid({.sparse = true}, x(), y())));
  check_created("meshgrid three", std::get<2>(sn::meshgrid(x(), y(), sn::full({}, 7))));
  check_created("meshgrid one", std::get<0>(sn::meshgrid(y() + 0)));
  check_created("meshgrid flat", std::get<0>(sn::meshgrid(y().reshape(3, 1), y())));
  check_created("meshgrid empty", std::get<1>(sn::meshgrid(y()(slice(0)), x())));
  const auto [i, j] = sn::mgrid(slice(0, 3), slice(5, 0, -2));
  static_assert(std::is_same_v<decltype(i), const sn::lazy<std::int64_t>>);
  check_created("mgrid", sn::stack(sn::tuple(i, j)));
  check_created("mgrid points", sn::stack(sn::mgrid(sn::points{0, 1, 5}, slice(2))));
  check_created("ogrid", sn::ogrid(slice(0, 3), slice(2, 5))[1]);
  CHECK_THROWS_AS((void)sn::mgrid(slice(0, _)), sn::shape_error);
  check_created("indices", sn::indices({2, 3}));
  check_created("indices none", sn::indices<float>(sn::shape()));
  check_created("indices empty", sn::indices({2, 0}));
  check_created("fromfunction", sn::fromfunction([](auto r, auto c) { return r * 10 + c / 2; }, {3, 4}));
}

TEST_CASE("grids: matrices and windows") {
  check_created("tri", sn::tri(3, 4, -1));
  check_created("tri int", sn::tri<int>(3));
  check_created("identity", sn::identity(3));
  check_created("full_like", sn::full_like(x(), 3));
  check_created("vander", sn::vander(y()));
  check_created("vander more", sn::vander(x(), 6, true), 4);
  check_created("vander none", sn::vander(y(), 0));
  check_created("bartlett", sn::bartlett(8));
  check_created("blackman", sn::blackman(9), 4);
  check_created("hamming", sn::hamming(8), 4);
  check_created("hanning", sn::hanning(7), 4);
  check_created("hanning 1", sn::hanning(1));
  check_created("hanning 0", sn::hanning(0));
  check_created("kaiser", sn::kaiser(9, 8.6), 64);
  check_created("kaiser 1", sn::kaiser(1, 14));
  check_created("kaiser flat", sn::kaiser(4, 0));
  CHECK_THROWS_AS((void)sn::vander(sn::zeros({2, 2})), sn::shape_error);
}

TEST_CASE("grids: numbers that are evenly spaced") {
  check_created("linspace", sn::linspace(0.1, 3, 7));
  check_created("linspace open", sn::linspace(0.1, 3, 7, {.endpoint = false}));
  check_created("linspace one", sn::linspace(2, 5, 1));
  check_created("linspace one open", sn::linspace(2, 5, 1, {.endpoint = false}));
  check_created("linspace none", sn::linspace(2, 5, 0));
  check_created("linspace tiny", sn::linspace(0, 5e-324, 7));
  check_created("linspace int", sn::linspace<int>(-3, 4, 6));
  check_created("linspace arrays", sn::linspace(x(), sn::flip(x()) * 3, 4));
  check_created("linspace axis", sn::linspace(y(), 2, 3, {.endpoint = false, .axis = -1}));
  check_created("linspace broadcast", sn::linspace(y(), x()(_, newaxis), 2, {.axis = 1}));
  static_assert(std::is_same_v<decltype(sn::linspace(x(), 2.0)), sn::lazy<float>>);
  check_created("logspace", sn::logspace(0, 3, 4), 4);
  check_created("logspace 2", sn::logspace(0, 4, 5, {.base = 2}), 4);
  check_created("geomspace", sn::geomspace(1, 1000, 4), 8);
  check_created("geomspace open", sn::geomspace(-2, -64, 5, {.endpoint = false}), 8);
  CHECK(sn::geomspace(3, 7, 5)(0).item() == 3);
  CHECK(sn::geomspace(3, 7, 5)(-1).item() == 7);
  CHECK_THROWS_AS((void)sn::geomspace(0, 7), sn::error);
  CHECK_THROWS_AS((void)sn::geomspace(-1, 7), sn::error);
  CHECK_THROWS_AS((void)sn::linspace(x(), 1, -1), sn::shape_error);
}

TEST_CASE("grids: they are one launch with their user") {
  const array<double> v = sn::linspace(0, 1, 64);
  const auto is_one_launch = [](auto f) { CHECK(sn::test::kept_launches_of(f) == 1); };
  is_one_launch([&] {
    const auto [a, b] = sn::meshgrid(v, v * 2);
    array<double> r = sn::sqrt(a * a + b * b);
  });
  is_one_launch([&] { array<double> r = v * sn::hanning(64); });
  is_one_launch([&] { array<double> r = v * sn::tri(64, 64); });
  is_one_launch([&] { array<double> r = sn::linspace(v, v + 1, 5) * 2; });
  is_one_launch([&] { array<double> r = sn::fromfunction([](auto i, auto j) { return i * j; }, {64, 64}) * v; });
}

TEST_CASE("grids: indices as a list") {
  const auto [row, column] = sn::indices<2>({2, 3});
  CHECK(sn::array_equal(sn::stack(sn::tuple(row, column)), sn::indices({2, 3})).item());
  CHECK_THROWS_AS((void)sn::indices<3>({2, 3}), sn::shape_error);
  const auto open = sn::indices({2, 3}, {.sparse = true});
  CHECK(open.size() == 2);
  CHECK(open[0].shape() == sn::shape{2, 1});
  CHECK(open[1].shape() == sn::shape{1, 3});
  CHECK(sn::array_equal(open[0] * 10 + open[1], array<std::int64_t>{{0, 1, 2}, {10, 11, 12}}).item());
  CHECK(sn::array_equal(sn::stack(sn::indices({2, 3}, {})), sn::indices({2, 3})).item());
}
