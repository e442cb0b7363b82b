// Reductions against plain loops: every reduction of every dtype over every choice of axes, and the public functions'
// options, dtypes and refusals.
#include <doctest/doctest.h>

#include <type_traits>

#include "test/include/looking.hpp"
#include "test/include/reference.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;

constexpr dtype all_dtypes[] = {dtype::bool_,  dtype::int8,  dtype::uint8,  dtype::int16,   dtype::uint16, dtype::int32,
                                dtype::uint32, dtype::int64, dtype::uint64, dtype::float32, dtype::float64};

/// Small whole numbers of a dtype: sums and products of a few are exact in every order.
handle whole_numbers(const shape& s, dtype t, int low = -3, int high = 4) {
  std::vector<double> elements(static_cast<std::size_t>(s.elements()));
  const bool has_sign = detail::is_floating(t) || detail::facts(t).is_signed;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const int x = low + static_cast<int>((i * 7919 + i / 5) % static_cast<unsigned>(high - low + 1));
    elements[i] = t == dtype::bool_ ? x > 0 : has_sign ? x : std::abs(x);
  }
  lazy<double> source(detail::make_from_host(dtype::float64, s, elements.data()));
  switch (t) {
    case dtype::bool_: return handle(array<bool>(astype<bool>(source)).share());
    case dtype::int8: return handle(array<std::int8_t>(astype<std::int8_t>(source)).share());
    case dtype::uint8: return handle(array<std::uint8_t>(astype<std::uint8_t>(source)).share());
    case dtype::int16: return handle(array<std::int16_t>(astype<std::int16_t>(source)).share());
    case dtype::uint16: return handle(array<std::uint16_t>(astype<std::uint16_t>(source)).share());
    case dtype::int32: return handle(array<std::int32_t>(astype<std::int32_t>(source)).share());
    case dtype::uint32: return handle(array<std::uint32_t>(astype<std::uint32_t>(source)).share());
    case dtype::int64: return handle(array<std::int64_t>(astype<std::int64_t>(source)).share());
    case dtype::uint64: return handle(array<std::uint64_t>(astype<std::uint64_t>(source)).share());
    case dtype::float32: return handle(array<float>(astype<float>(source)).share());
    default: return handle(array<double>(source).share());
  }
}

/// How far a reduction may be from the exact value: whole numbers add up exactly; the rest is rounded to the result.
double allowed(fold f, dtype result) {
  if (f < fold::mean) return 0;
  return result == dtype::float32 ? 1.2e-7 : 1e-13;
}

/// All reductions of one array over the same axes, evaluated together.
void check_together(const handle& a, unsigned mask, bool keepdims) {
  std::vector<handle> roots;
  std::vector<fold> made;
  for (fold f : folds)
    if (may_fold(f, mask, detail::shape_of(a.get()).size())) made.push_back(f);
  std::vector<detail::node*> nodes, results(made.size());
  for (fold f : made) {
    roots.push_back(reduced(a.get(), f, mask, keepdims));
    nodes.push_back(roots.back().get());
  }
  detail::evaluate_all(nodes.data(), results.data(), static_cast<int>(nodes.size()), {});
  const tensor input = value_of(a.get());
  for (std::size_t i = 0; i < made.size(); ++i) {
    const handle result(results[i]);
    INFO(name_of(made[i]), " of ", std::string(name(dtype_of_node(a.get()))), ", axes mask ", mask, ", keepdims ",
         keepdims);
    CHECK(worst(value_of(result.get()), reduced(input, made[i], mask, keepdims)) <=
          allowed(made[i], dtype_of_node(result.get())));
  }
}

template <class T, class E>
constexpr bool gives = std::is_same_v<typename std::remove_cvref_t<E>::sinter_element, T>;

}  // namespace

TEST_CASE("reductions: every reduction of every dtype, over rows, columns and both ends") {
  for (dtype t : all_dtypes) {
    const handle a = whole_numbers({4, 3, 6}, t);
    check_together(a, 0b111, false);
    check_together(a, 0b100, false);
    check_together(a, 0b001, true);
    check_together(a, 0b101, false);
  }
}

TEST_CASE("reductions: every choice of axes, kept or not, of ranks 0 to 4") {
  for (const shape& s : {shape(std::initializer_list<int>{}), shape{7}, shape{5, 9}, shape{4, 3, 6}, shape{2, 1, 5},
                         shape{3, 2, 4, 5}}) {
    const handle a = whole_numbers(s, dtype::float32, -2, 2);
    for (unsigned mask = 0; mask < 1u << s.size(); ++mask)
      for (fold f : {fold::sum, fold::max, fold::argmax, fold::mean})
        for (bool keepdims : {false, true}) {
          if (!may_fold(f, mask, s.size())) continue;
          INFO(name_of(f), ", rank ", s.size(), ", axes mask ", mask, ", keepdims ", keepdims);
          CHECK(worst(value_of(reduced(a.get(), f, mask, keepdims).get()),
                      reduced(value_of(a.get()), f, mask, keepdims)) <= allowed(f, dtype::float32));
        }
  }
}

TEST_CASE("reductions: options, axes from the end, and methods") {
  const array<float> a = arange<float>(24).reshape({2, 3, 4});
  CHECK(sum(a).item() == 276);
  CHECK(sum(a).shape() == shape(std::initializer_list<int>{}));
  CHECK(sum(a, {.keepdims = true}).shape() == shape{1, 1, 1});
  CHECK(sum(a, 1).get() == std::vector<float>{12, 15, 18, 21, 48, 51, 54, 57});
  CHECK(sum(a, -1).get() == std::vector<float>{6, 22, 38, 54, 70, 86});
  CHECK(sum(a, {.axis = {0, 2}}).get() == std::vector<float>{60, 92, 124});
  CHECK(sum(a, {.axis = {-1, 0}}).get() == std::vector<float>{60, 92, 124});
  CHECK(sum(a, {.axis = 1, .keepdims = true}).shape() == shape{2, 1, 4});
  CHECK(a.sum(1).get() == sum(a, 1).get());
  CHECK(a.max().item() == 23);
  CHECK((a - 1).min(0).get() == min(a - 1, 0).get());
  CHECK(a.mean({.axis = {1, 2}}).get() == std::vector<float>{5.5f, 17.5f});
  CHECK(var(a, {.axis = 2}).get() == std::vector<float>(6, 1.25f));
  CHECK(var(a, {.axis = 2, .ddof = 1}).get()[0] == doctest::Approx(5.0 / 3));
  CHECK(a.stddev({.axis = 2, .ddof = 1}).get()[0] == doctest::Approx(std::sqrt(5.0 / 3)));
  CHECK((a > 22).any().item());
  CHECK_FALSE(all(a > 0).item());
  CHECK(all(a > 0, 2).get() == std::vector<bool>{false, true, true, true, true, true});
  CHECK(prod(a(0, 0, slice(1, _))).item() == 6);
}

TEST_CASE("reductions: result dtypes") {
  array<bool> b;
  array<std::int8_t> i8;
  array<std::uint8_t> u8;
  array<int> i32;
  array<std::uint64_t> u64;
  array<float> f;
  array<double> d;
  static_assert(gives<std::int64_t, decltype(sum(b))> && gives<std::int64_t, decltype(sum(i8))> &&
                gives<std::int64_t, decltype(prod(i32))>);
  static_assert(gives<std::uint64_t, decltype(sum(u8))> && gives<std::uint64_t, decltype(prod(u64))>);
  static_assert(gives<float, decltype(sum(f))> && gives<double, decltype(sum(d))> &&
                gives<double, decltype(sum<double>(f))>);
  static_assert(gives<int, decltype(sum<int>(i8, 0))> && gives<float, decltype(prod<float>(i32, {.axis = 0}))>);
  static_assert(gives<std::int8_t, decltype(max(i8))> && gives<bool, decltype(min(b))> &&
                gives<float, decltype(max(f * 2.0))>);
  static_assert(gives<double, decltype(mean(i8))> && gives<double, decltype(stddev(b))> &&
                gives<float, decltype(var(f))>);
  static_assert(gives<double, decltype(mean<double>(f))> && gives<float, decltype(mean<float>(i32))>);
  static_assert(gives<bool, decltype(any(f))> && gives<bool, decltype(all(i32 > 1))>);
  CHECK(sum(f).dtype() == dtype::float32);
}

TEST_CASE("reductions: a chosen dtype is the one that is added up in") {
  const array<float> f{16'777'216.f, 1, 1, 1};
  CHECK(sum<double>(f).item() == 16'777'219.0);
  CHECK(mean<double>(f).item() == 4'194'304.75);
  const array<std::int8_t> small{100, 100, 100, -128};
  CHECK(sum(small).item() == 172);
  CHECK(sum<std::int8_t>(small).item() == static_cast<std::int8_t>(172));  // wraps
  CHECK(mean(small).item() == 43);
  CHECK(max(small).item() == 100);
  const array<std::int64_t> large{std::numeric_limits<std::int64_t>::max(), 1};
  CHECK(sum(large).item() == std::numeric_limits<std::int64_t>::min());
  CHECK(sum<double>(large).item() == 9223372036854775808.0);
  CHECK(mean(large).item() == 4611686018427387904.0);  // in double from the start, as NumPy's
  const array<std::uint64_t> top{~std::uint64_t{0}, 0};
  CHECK(max(top).item() == ~std::uint64_t{0});
  CHECK(prod(array<std::uint8_t>{200, 200}).item() == 40'000);
  CHECK(sum(array<bool>{true, true, false, true}).item() == 3);
  CHECK(mean(array<bool>{true, true, false, true}).item() == 0.75);
  CHECK(sum<bool>(array<int>{0, 2}).item());
  // A sum of truth values is one, and no number of them: also where something else is made of it in the same kernel.
  for (const std::int64_t n : {2, 17, 256, 1000}) {
    CHECK(sum<bool>(ones<bool>({n})).item());
    const array<std::int8_t> rows = ones<std::int8_t>({3, n}), columns = ones<std::int8_t>({n, 3});
    CHECK((rows + sum<bool>(rows, {.axis = 1, .keepdims = true})).get() ==
          full<std::int8_t>({3, n}, std::int8_t{2}).get());
    CHECK((sum<bool>(columns, 0) + 1).get() == std::vector<std::int64_t>{2, 2, 2});
    CHECK(astype<int>(sum<bool>(rows, 1)).get() == std::vector<int>{1, 1, 1});
  }
}

TEST_CASE("reductions: a long sum keeps what is small beside it, on every device") {
  constexpr std::int64_t many = (1 << 24) + 1000;
  const array<float> x = ones<float>({many});
  CHECK(sum(x).item() == float(many));
  CHECK(mean(x).item() == 1);
  CHECK(sum(broadcast_to(x, {2, many}), 1).get() == std::vector<float>(2, float(many)));
}

TEST_CASE("reductions: over nothing") {
  const array<float> none = zeros<float>({0, 3});
  CHECK(sum(none).item() == 0);
  CHECK(prod(none).item() == 1);
  CHECK(sum(none, 0).get() == std::vector<float>{0, 0, 0});
  CHECK(sum(none, 1).shape() == shape{0});
  CHECK(sum(none, 1).get().empty());
  CHECK((sum(none, 0) + 1).get() == std::vector<float>{1, 1, 1});
  CHECK_FALSE(any(none).item());
  CHECK(all(none).item());
  CHECK(std::isnan(mean(none).item()));
  CHECK(std::isnan(var(none).item()));
  CHECK_THROWS_AS(min(none), shape_error);
  CHECK_THROWS_AS(max(none, 0), shape_error);
  CHECK(max(none, 1).shape() == shape{0});
  CHECK(max(none, 1).get().empty());
  CHECK(sum(array<float>()).item() == 0);
  CHECK(sum(zeros<int>({2, 0, 2}), {.axis = {0, 1}}).get() == std::vector<std::int64_t>{0, 0});
}

TEST_CASE("reductions: NaN wins a minimum and a maximum wherever it is, and infinities are ordinary") {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  for (int n : {1, 2, 16, 17, 100, 40'000})
    for (int at : {0, n / 2, n - 1}) {
      CAPTURE(n);
      CAPTURE(at);
      array<float> a = arange<float>(n);
      a(at) = nan;
      CHECK(std::isnan(min(a).item()));
      CHECK(std::isnan(max(a).item()));
      CHECK(std::isnan(sum(a).item()));
      CHECK(any(isnan(a)).item());
      array<float> columns = array<float>(ones<float>({n, 3}) * 2);
      columns(at, 1) = nan;
      CHECK(value_of(max(columns, 0)).at[0] == 2);
      CHECK(std::isnan(value_of(max(columns, 0)).at[1]));
      CHECK(std::isnan(value_of(min(columns, 0)).at[1]));
    }
  CHECK(min(array<float>{inf, inf}).item() == inf);
  CHECK(max(array<float>{-inf, -inf}).item() == -inf);
  CHECK(max(array<float>{-inf, 3, inf}).item() == inf);
  CHECK(any(array<float>{0, -0.f, nan}).item());  // NaN is true
  CHECK_FALSE(any(array<float>{0, -0.f}).item());
}

TEST_CASE("reductions: a wrong axis is refused by name") {
  const array<float> a = zeros<float>({2, 3});
  const auto message = [](auto f) -> std::string {
    try {
      const auto made = f();
      return "made one of rank " + std::to_string(made.ndim());
    } catch (const shape_error& e) {
      return e.what();
    }
  };
  CHECK(message([&] { return sum(a, 2); }).find("axis 2 of an array of shape (2, 3)") != std::string::npos);
  CHECK(message([&] { return max(a, -3); }).find("axis -3 of an array of shape (2, 3)") != std::string::npos);
  CHECK(message([&] { return mean(a, {.axis = {0, -2}}); }).find("twice") != std::string::npos);
  CHECK(message([&] { return stddev(a, 7); }).find("(2, 3)") != std::string::npos);
  CHECK(message([&] { return min(zeros<float>({2, 0})); }).find("(2, 0)") != std::string::npos);
  CHECK(message([&] { return sum(a, 256); }).find("axis 256 of") != std::string::npos);
  CHECK(message([&] { return a.min(-300); }).find("axis -300 of") != std::string::npos);
  CHECK(message([&] { return sum(a, std::int64_t{1} << 32); }).find("axis 4294967296 of") != std::string::npos);
  CHECK(message([&] { return sum(a, {.axis = {0, 257}}); }).find("axis 257 of") != std::string::npos);
  CHECK(message([&] { return sum(sum(a), 1); }).find("axis 1 of an array of shape ()") != std::string::npos);
  CHECK(message([&] { return mean(sum(a), 0); }).find("axis 0 of an array of shape ()") != std::string::npos);
  CHECK(message([&] { return sum(a, {.axis = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1}}); }).find("twice") != std::string::npos);
}

TEST_CASE("reductions: an axis is any integer") {
  const array<float> a{{1, 2, 3}, {4, 5, 6}};
  const std::size_t first = 0;
  const std::int64_t last = -1;
  const short second = 1;
  CHECK(sum(a, first).get() == std::vector<float>{5, 7, 9});
  CHECK(a.sum(last).get() == std::vector<float>{6, 15});
  CHECK(max(a, second).get() == std::vector<float>{3, 6});
  CHECK(sum(a, {.axis = last}).get() == std::vector<float>{6, 15});
  CHECK(sum(a, {.axis = {0, last}}).item() == 21);
}

TEST_CASE("reductions: over no axes each element is alone") {
  const array<std::int8_t> a{{1, -2, 3}, {0, 5, 6}};
  const reduce_options none{.axis = {}};
  CHECK(sum(a, none).get() == std::vector<std::int64_t>{1, -2, 3, 0, 5, 6});
  CHECK(sum(a, none).shape() == shape{2, 3});
  CHECK(prod(a, {.axis = {}, .keepdims = true}).get() == std::vector<std::int64_t>{1, -2, 3, 0, 5, 6});
  CHECK(max(a, none).get() == a.get());
  CHECK(a.min({.axis = {}}).get() == a.get());
  CHECK(any(a, none).get() == std::vector<bool>{true, true, true, false, true, true});
  CHECK(mean(a, none).get() == std::vector<double>{1, -2, 3, 0, 5, 6});
  CHECK(var(a, none).get() == std::vector<double>(6));
  CHECK(sum(a.T() * 2, none).get() == std::vector<std::int64_t>{2, 0, -4, 10, 6, 12});
  CHECK((sum(a, none) - sum(a)).get() == std::vector<std::int64_t>{-12, -15, -10, -13, -8, -7});
  CHECK(max(zeros({0, 2}), none).shape() == shape{0, 2});
  CHECK(sum(a).item() == 13);
  CHECK(sum(a, {.keepdims = true}).shape() == shape{1, 1});
}

TEST_CASE("reductions: the first axis of what has none") {
  const array<float> a{1, 2};
  CHECK(sum(sum(a), -1).item() == 3);
  CHECK(max(sum(a), 0).item() == 3);
  CHECK(any(sum(a), {.axis = 0, .keepdims = true}).item());
  CHECK(sum(sum(a), -1).ndim() == 0);
  CHECK_THROWS_AS(sum(sum(a), -2), shape_error);
  CHECK_THROWS_AS(var(sum(a), 0), shape_error);  // as NumPy's
}
