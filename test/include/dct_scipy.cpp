// Cosine and sine transforms: SciPy's values, round trips, refusals, and how many kernels they take.
#include <doctest/doctest.h>

#include <sinter/dct.hpp>

#include "test/include/looking.hpp"
#include "test/include/signal_cases.hpp"
#include "test/support/all_cases.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using fft::norm;

/// The four transforms of scipy.fft, by their names there.
template <class T>
lazy<detail::cosine_element<array<T>>> made(const std::string& name, const array<T>& x,
                                            const fft::cosine_options& how) {
  if (name == "dct") return fft::dct(x, how);
  if (name == "idct") return fft::idct(x, how);
  if (name == "dst") return fft::dst(x, how);
  return fft::idst(x, how);
}

template <class T>
void check_norm(const char* text, norm n) {
  for (const std::string name : {"dct", "idct", "dst", "idst"})
    for (int type = 1; type <= 4; ++type)
      for (int points : {9, 12})
        if (takes_in_turn(static_cast<unsigned>(dtype_of<T>) + static_cast<unsigned>(type + points)))
          check_signal(name + " " + std::to_string(type) + " " + text + " " + std::to_string(points), dtype_of<T>,
                       made<T>(name, noise<T>({2, points}), {.type = type, .norm = n}));
}

}  // namespace

TEST_CASE_TEMPLATE("dct: every type along an axis", T, int, float, double, std::complex<double>) {
  check_norm<T>("backward", norm::backward);
}

TEST_CASE("dct: norms") {
  check_norm<double>("ortho", norm::ortho);
  check_norm<double>("forward", norm::forward);
}

TEST_CASE_TEMPLATE("dct: lengths and axes", T, int, float, double) {
  const auto check = [](const char* name, auto&& e) { check_signal(name, dtype_of<T>, e); };
  check("dct longer", fft::dct(noise<T>({5, 3}), {.type = 3, .n = 8, .axis = 0}));
  check("dct shorter", fft::dct(noise<T>({3, 11}), {.type = 4, .n = 6}));
  const array<T> x = noise<T>({4, 6, 5});
  check("dctn", fft::dctn(x, {.norm = norm::ortho}));
  check("idctn axes", fft::idctn(x, {.type = 3, .s = {5, 3}, .axes = {0, 2}}));
  check("dstn", fft::dstn(noise<T>({4, 6}), {.type = 1}));
  check("idstn", fft::idstn(noise<T>({4, 6}), {.type = 4, .norm = norm::forward}));
  if constexpr (std::is_floating_point_v<T>)
    for (const std::string name : {"dct", "idct", "dst", "idst"})
      check_signal(name + " 2 one", dtype_of<T>, made<T>(name, noise<T>({2, 1}), {}));
}

TEST_CASE("dct: there and back") {
  for (std::int64_t n : {1, 2, 5, 64, 97, 1000}) {
    const array<double> x = noise<double>({3, n});
    for (int type = 1; type <= 4; ++type) {
      if (type == 1 && n == 1) continue;
      for (norm scale : {norm::backward, norm::ortho, norm::forward}) {
        if (!takes_in_turn(static_cast<unsigned>(n + type) + static_cast<unsigned>(scale))) continue;
        const fft::cosine_options how{.type = type, .norm = scale};
        CHECK(max(abs(fft::idct(fft::dct(x, how), how) - x)).item() < 1e-13);
        CHECK(max(abs(fft::idst(fft::dst(x, how), how) - x)).item() < 1e-13);
      }
    }
  }
  CHECK(fft::dct(zeros({0, 4})).shape() == shape{0, 4});
  CHECK(fft::dct(zeros({0, 4}), {.n = 6}).shape() == shape{0, 6});
}

TEST_CASE("dct: of as many axes as there can be") {
  const array<double> x = sin(arange<double>(24)).reshape({2, 3, 4});
  const shape eight{1, 2, 1, 1, 1, 1, 3, 4};
  for (int type = 1; type <= 4; ++type) {
    CHECK(array_equal(fft::dct(x.reshape(eight), {.type = type}), fft::dct(x, {.type = type}).reshape(eight)));
    CHECK(array_equal(fft::dst(x.reshape(eight), {.type = type}), fft::dst(x, {.type = type}).reshape(eight)));
  }
}

TEST_CASE("dct: what is refused") {
  const array<double> x = noise<double>({4, 1});
  CHECK_THROWS_WITH(static_cast<void>(fft::dct(x, {.type = 1})),
                    "sinter: a cosine transform of type 1 has two points at least");
  CHECK_THROWS_WITH(static_cast<void>(fft::dst(x, {.type = 5})),
                    "sinter: a cosine or sine transform of type 5, not 1 to 4");
  CHECK_THROWS_AS(static_cast<void>(fft::dct(x, {.axis = 2})), error);
  CHECK_THROWS_AS(static_cast<void>(fft::dct(x, {.n = 0})), shape_error);
}

TEST_CASE("dct: one kernel, one transform, one kernel") {
  const array<double> x = noise<double>({16, 64});
  const counters_snapshot moved = moved_by([&] { const array<double> y = fft::dct(x * 2, {.norm = norm::ortho}) + 1; });
  if (moved.library_calls == 1) CHECK(moved.launches == 2);  // else there is no library, and the kernels are our own
}
