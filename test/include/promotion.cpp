// Element types of results, as the compiler sees them: NumPy 2's promotion between arrays, weak scalars, strong
// scalars, and what each kind of operation gives. And scalars whose value does not fit.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "test/include/looking.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using i8 = std::int8_t;
using u8 = std::uint8_t;
using i16 = std::int16_t;
using u16 = std::uint16_t;
using i32 = std::int32_t;
using u32 = std::uint32_t;
using i64 = std::int64_t;
using u64 = std::uint64_t;
using f32 = float;
using f64 = double;

template <class T>
const array<T> a;  // of no elements: only its type is looked at

template <class E>
using type_of = typename std::remove_cvref_t<E>::sinter_element;
template <class T, class E>
constexpr bool gives = std::is_same_v<T, type_of<E>>;

// Arrays meet arrays: NumPy's table, row by row. The order does not matter.
template <class A, class B, class R>
constexpr bool meet =
    gives<R, decltype(a<A> + a<B>)>&& gives<R, decltype(a<B> * a<A>)>&& gives<R, decltype(maximum(a<A>, a<B>))>&&
        gives<R, decltype(where(a<bool>, a<A>, a<B>))>&& std::is_same_v<R, result_type<A, B>>;
static_assert(meet<bool, bool, bool> && meet<bool, i8, i8> && meet<bool, u64, u64> && meet<bool, f32, f32>);
static_assert(meet<i8, u8, i16> && meet<i8, i16, i16> && meet<i8, u16, i32> && meet<i8, u32, i64> &&
              meet<i8, u64, f64>);
static_assert(meet<u8, i16, i16> && meet<u8, u16, u16> && meet<u8, i64, i64> && meet<i16, u16, i32> &&
              meet<i32, u32, i64>);
static_assert(meet<i64, u64, f64> && meet<u32, i64, i64> && meet<u32, u64, u64> && meet<i32, i64, i64>);
static_assert(meet<i8, f32, f32> && meet<u16, f32, f32> && meet<i32, f32, f64> && meet<u64, f32, f64> &&
              meet<f32, f64, f64>);

// Scalars give their kind and not their size, on either side.
template <class A, class S, class R>
constexpr bool weak = gives<R, decltype(a<A> + std::declval<S>())>&& gives<R, decltype(std::declval<S>() * a<A>)>&&
    gives<R, decltype((a<A> + a<A>)*std::declval<S>())>;
static_assert(weak<f32, double, f32> && weak<f32, float, f32> && weak<f32, int, f32> && weak<f32, long long, f32> &&
              weak<f32, bool, f32>);
static_assert(weak<f64, float, f64> && weak<f64, int, f64>);
static_assert(weak<i8, int, i8> && weak<i8, long, i8> && weak<u8, int, u8> && weak<u64, int, u64> &&
              weak<i16, unsigned, i16>);
static_assert(weak<i8, float, f64> && weak<i32, double, f64> && weak<u64, float, f64>);
static_assert(weak<bool, int, i64> && weak<bool, double, f64> && weak<bool, bool, bool> && weak<i32, char, i32>);
static_assert(gives<f32, decltype(where(a<bool>, a<f32>, 1.0))> && gives<f64, decltype(where(a<bool>, 1, 2.0))>);
static_assert(gives<i64, decltype(where(a<bool>, 1, 2))> && gives<f32, decltype(where(a<i64>, a<f32>, 0))>);
static_assert(gives<f32, decltype(clip(a<f32>, 0, 1.0))> && gives<f64, decltype(clip(a<i32>, 0, 1.5))> &&
              gives<i8, decltype(clip(a<i8>, -1, 1))>);
static_assert(gives<f32, decltype(hypot(a<f32>, 3))> && gives<f32, decltype(pow(2.0, a<f32>))> &&
              gives<i32, decltype(a<i32> % 3)>);

// Three operands at once, as numpy.clip has them: the integers do not widen each other where there is a floating one.
static_assert(gives<f32, decltype(clip(a<i8>, a<u16>, a<f32>))> && gives<f32, decltype(clip(a<f32>, a<u16>, a<i8>))> &&
              gives<f32, decltype(clip(a<u16>, a<f32>, a<i8>))> && gives<f32, decltype(fma(a<i16>, a<u8>, a<f32>))> &&
              gives<f64, decltype(clip(a<i8>, a<u32>, a<f32>))> && gives<i32, decltype(clip(a<i8>, a<u8>, a<u16>))> &&
              gives<f64, decltype(clip(a<i8>, a<u64>, a<bool>))> && gives<f32, decltype(clip(a<bool>, 1, a<f32>))>);

// Strong scalars and 0-d arrays keep their type.
static_assert(gives<f64, decltype(a<f32> + strong(2.0))> && gives<f32, decltype(strong(2.f) * a<f32>)> &&
              gives<f64, decltype(a<i32> / strong(2.f))>);
static_assert(gives<i64, decltype(a<i8> + strong(i64{1}))> && gives<i16, decltype(strong(i8{1}) + a<u8>)>);
static_assert(gives<f64, decltype(a<f32> + sum(a<f64>))> && gives<f32, decltype(a<f32> - mean(a<f32>))> &&
              gives<f64, decltype(a<f32> - mean(a<i32>))>);

// What operations give.
static_assert(gives<f64, decltype(a<i8> / a<i8>)> && gives<f64, decltype(a<i64> / 2)> &&
              gives<f64, decltype(1 / a<u8>)>);
static_assert(gives<f32, decltype(a<f32> / 2)> && gives<f64, decltype(a<bool> / a<bool>)> &&
              gives<f32, decltype(a<f32> / a<i16>)>);
static_assert(gives<f32, decltype(sin(a<i8>))> && gives<f32, decltype(sqrt(a<u16>))> &&
              gives<f64, decltype(exp(a<i32>))> && gives<f32, decltype(log(a<bool>))>);
static_assert(gives<f64, decltype(arctan2(a<i32>, a<f32>))> && gives<f32, decltype(hypot(a<i8>, a<f32>))>);
static_assert(gives<i32, decltype(floor(a<i32>))> && gives<bool, decltype(trunc(a<bool>))> &&
              gives<f32, decltype(rint(a<f32>))>);
static_assert(gives<bool, decltype(a<f32> < a<i64>)> && gives<bool, decltype(2 == a<u8>)> &&
              gives<bool, decltype(a<bool> != a<f64>)>);
static_assert(gives<bool, decltype(a<f32> && a<i8>)> && gives<bool, decltype(!a<f64>)> &&
              gives<bool, decltype(1 || a<i32>)> && gives<bool, decltype(logical_xor(a<i8>, 0.5))>);
static_assert(gives<bool, decltype(a<bool> & a<bool>)> && gives<u8, decltype(a<u8> | 1)> &&
              gives<i32, decltype(a<i16> ^ a<u16>)> && gives<bool, decltype(~a<bool>)>);
static_assert(gives<i8, decltype(a<bool> << a<bool>)> && gives<i64, decltype(a<bool> >> 1)> &&
              gives<u16, decltype(a<u16> << 3)>);
static_assert(gives<bool, decltype(a<bool> + a<bool>)> && gives<bool, decltype(a<bool> * a<bool>)> &&
              gives<i8, decltype(square(a<bool>))>);
static_assert(gives<i8, decltype(power(a<bool>, a<bool>))> && gives<i8, decltype(floor_divide(a<bool>, a<bool>))> &&
              gives<i32, decltype(pow(a<i32>, 2))>);
static_assert(gives<f64, decltype(pow(a<i32>, 0.5))> && gives<f32, decltype(pow(a<f32>, a<i16>))>);
static_assert(gives<bool, decltype(isnan(a<f32>))> && gives<bool, decltype(signbit(a<i8>))> &&
              gives<u64, decltype(abs(a<u64>))>);
static_assert(gives<i16, decltype(astype<i16>(a<f64>))> && gives<f32, decltype((a<i32> + 1).astype<f32>())> &&
              gives<u32, decltype(gcd(a<u32>, a<u16>))>);

// Names of types: long long and long are one element type.
static_assert(std::is_same_v<element_type<long long>, element_type<long>> &&
              dtype_of<unsigned long long> == dtype::uint64 && dtype_of<char> != dtype::bool_);
static_assert(std::is_same_v<decltype(arange(5)), array<i64>> && std::is_same_v<decltype(zeros({2})), array<f64>> &&
              std::is_same_v<decltype(full({2}, 1)), array<i64>>);
static_assert(std::is_same_v<decltype(array{1.f, 2.f}), array<f32>> &&
              std::is_same_v<decltype(array{1, 2}), array<i32>>);
static_assert(std::is_same_v<decltype(array(a<f32> * 2)), array<f32>> &&
              std::is_same_v<decltype(linspace(0, 1)), array<f64>>);

template <class F>
std::string refusal(F f) {
  try {
    f();
  } catch (const dtype_error& e) {
    return e.what();
  }
  return "";
}
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("promotion: values go through the promoted type") {
  const array<i8> small{-100, 100};
  const array<u8> large{200, 250};
  CHECK((small + large).get() == std::vector<i16>{100, 350});
  CHECK((small * small).get() == std::vector<i8>{16, 16});  // wraps in its own type
  CHECK((small / 0).get()[0] == -std::numeric_limits<double>::infinity());
  const array<i64> big{9'007'199'254'740'993};
  CHECK((big + array<u64>{0}).item() == 9'007'199'254'740'992.0);
  CHECK((big + 0).item() == 9'007'199'254'740'993);
  CHECK((array<f32>{16'777'216} + array<i32>{1}).item() == 16'777'217.0);
  CHECK((array<f32>{16'777'216} + 1).item() == 16'777'216.f);
  CHECK((array<f32>{0.1f} + strong(0.0)).item() == static_cast<double>(0.1f));
  CHECK((array<f32>{1} * 0.1).item() == 0.1f);
  CHECK(where(array<bool>{true, false}, array<i8>{-1, -1}, array<u8>{255, 255}).get() == std::vector<i16>{-1, 255});
  CHECK(clip(array<i8>{-100, 100}, array<u16>{7}, array<f32>{50.5f}).get() == std::vector<f32>{7, 50.5f});
  CHECK((array<f32>{0.5f} == 0.5).item());
  CHECK((array<f32>{0.1f} == 0.1).item());  // the scalar becomes a float, as in NumPy 2
  CHECK_FALSE((array<f32>{0.1f} == strong(0.1)).item());
  CHECK((array<f32>{0.1f} == array<f64>{static_cast<double>(0.1f)}).item());
}

TEST_CASE("promotion: casts") {
  CHECK(astype<i32>(array<f64>{2.9, -2.9, 1e300, -1e300, NAN}).get() ==
        std::vector<i32>{2, -2, 2147483647, -2147483647 - 1, 0});
  CHECK(astype<u8>(array<f32>{-1, 255.9f, 300}).get() == std::vector<u8>{0, 255, 255});
  CHECK(astype<i8>(array<i32>{200, -129}).get() == std::vector<i8>{-56, 127});
  CHECK(astype<bool>(array<f32>{0, -0.f, 0.1f, NAN}).get() == std::vector<bool>{false, false, true, true});
  CHECK(astype<f32>(array<bool>{true, false}).get() == std::vector<f32>{1, 0});
  CHECK(astype<f32>(astype<f64>(array<f32>{0.1f})).item() == 0.1f);
  // There and back: the sign of a zero that has been an integer is plus.
  const std::vector<f32> back = astype<f32>(astype<i32>(array<f32>{-0.5f, -0.f, 0.5f, -1.5f})).get();
  CHECK(back == std::vector<f32>{0, 0, 0, -1});
  CHECK_FALSE(std::signbit(back[0]));
  CHECK_FALSE(std::signbit(back[1]));
  CHECK_FALSE(std::signbit(astype<f64>(astype<i64>(array<f64>{-0.25})).item()));
  CHECK_FALSE(std::signbit(trunc(astype<f64>(astype<i32>(array<f64>{-0.25}))).item()));
}

TEST_CASE("promotion: an integer scalar that does not fit is refused, with its value and the type") {
  const array<i8> s{1};
  const array<u8> u{1};
  const array<i32> n{1};
  CHECK(has(refusal([&] { return (s + 128).ndim(); }), "128 does not fit int8"));
  CHECK(has(refusal([&] { return (-1 * u).ndim(); }), "-1 does not fit uint8"));
  CHECK(has(refusal([&] { return (n + 3'000'000'000).ndim(); }), "3000000000 does not fit int32"));
  CHECK(has(refusal([&] { return (array<i64>{1} + ~std::uint64_t{0}).ndim(); }),
            "18446744073709551615 does not fit int64"));
  CHECK(has(refusal([&] { return (array<u64>{1} - -1).ndim(); }), "-1 does not fit uint64"));
  CHECK(has(refusal([&] { return where(s > 0, s, 1000).ndim(); }), "1000 does not fit int8"));
  CHECK(has(refusal([&] { return clip(u, -5, -1).ndim(); }), "-1 does not fit uint8"));
  array<i8> stored{1, 2};
  CHECK(has(refusal([&] { stored(0) = 200; }), "200 does not fit int8"));
  CHECK(has(refusal([&] { stored += 1000; }), "1000 does not fit int8"));
  CHECK(has(refusal([&] { stored(ellipsis) = std::int64_t{1} << 40; }), "1099511627776 does not fit int8"));
  CHECK(stored.get() == std::vector<i8>{1, 2});
  // In comparisons too, where NumPy answers: docs/numpy.md has the reason. A strong scalar compares.
  CHECK(has(refusal([&] { return (u == 300).ndim(); }), "300 does not fit uint8"));
  CHECK(has(refusal([&] { return (-1 < u).ndim(); }), "-1 does not fit uint8"));
  CHECK_FALSE((u == strong(300)).item());
  CHECK((u < strong(300)).item());
  CHECK((strong(-1) < u).item());
  CHECK(refusal([&] { return (s + 127).item(); }) == "");
  CHECK(refusal([&] { return (s + -128).item(); }) == "");
  CHECK(refusal([&] { return (s + 128.0).item(); }) == "");  // of another kind: double
  CHECK(refusal([&] { return (s + strong(1000)).item(); }) == "");
  CHECK((s + strong(1000)).item() == 1001);
}
