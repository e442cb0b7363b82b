// ndarray.view: the bytes of elements as elements of another dtype.
#include <doctest/doctest.h>

#include <bit>
#include <complex>
#include <cstdint>
#include <cstring>
#include <vector>

#include <sinter/sinter.hpp>

namespace sn = sinter;
using sn::array, sn::_, sn::slice;

namespace {

// What the bytes of host elements are.
template <class U, class T>
std::vector<U> bytes_as(const std::vector<T>& from) {
  std::vector<U> to(from.size() * sizeof(T) / sizeof(U));
  std::memcpy(static_cast<void*>(to.data()), from.data(), to.size() * sizeof(U));
  return to;
}

template <class U, class T>
void check_view(const array<T>& a, const sn::shape& expected) {
  const array<U> v = a.template view<U>();
  CHECK(v.shape() == expected);
  CHECK(v.get() == bytes_as<U>(a.get()));
  CHECK(array<U>(v + U(1)).shape() == expected);
  CHECK(v.template view<T>().get() == a.get());
}

array<float> floats() { return sn::linspace<float>(-3, 5, 48).reshape(4, 12); }

}  // namespace

TEST_CASE("views of bytes: elements of the same size keep every layout") {
  const array<float> a = floats();
  check_view<std::int32_t>(a, {4, 12});
  check_view<std::uint32_t>(array<float>(a(slice(_, _, 2), slice(_, _, -3))), {2, 4});
  check_view<std::int32_t>(array<float>(a.T()), {12, 4});
  check_view<std::int32_t>(array<float>(a(0, 0)), {});
  check_view<std::int32_t>(array<float>(sn::zeros<float>({0, 3})), {0, 3});
  check_view<std::uint16_t>(array<sn::half>(sn::astype<sn::half>(a).T()), {12, 4});
  check_view<double>(array<std::complex<float>>(sn::make_complex(a, -a)), {4, 12});
  CHECK(array{1.0f}.view<std::uint32_t>().item() == 0x3f800000);
  CHECK(array<float>(sn::broadcast_to(array{1.0f}, {3})).view<std::int32_t>().get() ==
        std::vector<std::int32_t>(3, 0x3f800000));
}

TEST_CASE("views of bytes: the last axis grows or shrinks") {
  const array<float> a = floats();
  check_view<std::uint8_t>(a, {4, 48});
  check_view<std::int16_t>(array<float>(a(slice(1, 4, 2), slice(3, 9))), {2, 12});
  check_view<double>(a, {4, 6});
  check_view<double>(array<float>(a(_, slice(2, 8))), {4, 3});
  check_view<double>(array<float>(a(_, slice(1, 7))), {4, 3});     // begins within a double: it is copied
  check_view<double>(array<float>(a(_, slice(_, _, 2))), {4, 3});  // lies apart: it is copied
  check_view<std::complex<float>>(array<float>(a(slice(_, _, -1))), {4, 6});
  check_view<float>(array<std::complex<float>>(sn::make_complex(a, a + 1)), {4, 24});
  CHECK_THROWS_AS((void)array<float>(a(_, slice(0, 5))).view<double>(), sn::shape_error);
  CHECK_THROWS_AS((void)array<float>(a(0, 0)).view<double>(), sn::shape_error);
}

TEST_CASE("views of bytes: each name is a value") {
  array<float> a = floats();
  const std::vector<float> before = a.get();
  const array<std::int32_t> same = a.view<std::int32_t>();
  const array<std::int16_t> halves = a.view<std::int16_t>();
  a(1) = 0;
  CHECK(same.get() == bytes_as<std::int32_t>(before));
  CHECK(halves.get() == bytes_as<std::int16_t>(before));
  array<std::int32_t> v = a.view<std::int32_t>();
  v(_, 3) = -1;
  CHECK(a(0, 3).item() == before[3]);
  CHECK(v(2, 3).item() == -1);
  CHECK(v(1, 0).item() == 0);
}

TEST_CASE("views of bytes: a statement may read what it stores into") {
  array<float> a = floats();
  std::vector<float> expected = a.get();
  for (float& x : expected) x = static_cast<float>(std::bit_cast<std::int32_t>(x) >> 20);
  a(sn::ellipsis) = sn::astype<float>(a.view<std::int32_t>() >> 20);
  CHECK(a.get() == expected);
  array<std::uint16_t> words = sn::arange<std::uint16_t>(16);
  const std::vector<std::uint32_t> pairs = bytes_as<std::uint32_t>(words.get());
  words(slice(0, 8)) = sn::astype<std::uint16_t>(words.view<std::uint32_t>() >> 16);
  for (int i = 0; i < 8; ++i) CHECK(words(i).item() == pairs[static_cast<std::size_t>(i)] >> 16);
}
