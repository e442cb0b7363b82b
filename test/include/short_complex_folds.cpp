// Reductions and scans of numbers of 16 bits and of complex ones, on the device of the run, against NumPy's results.
#include <doctest/doctest.h>

#include <sinter/sinter.hpp>

#include "test/codegen/ir/expectation.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
namespace sn = sinter;

/// The record's array as it lies, and for folds along the middle every second element of a transposed one with others between.
template <class T>
array<T> laid_out(const golden_record& r) {
  std::vector<T> elements;
  for (int n = 0; n < r.inputs[0]->size(); ++n) elements.push_back(r.inputs[0]->template at<T>(n));
  const array<T> plain = asarray(elements, {3, 4, 5});
  if (!r.name.ends_with(".1")) return plain;
  array<T> spread = zeros<T>({10, 4, 3});
  spread(slice(_, _, 2)) = transpose(plain);
  return transpose(spread(slice(_, _, 2)));
}

/// How far a fold may be from NumPy's value: whole numbers add up exactly, and what is divided or rooted is rounded.
double allowed(const std::string& fold, dtype result) {
  const bool exact = fold != "mean" && fold != "var" && fold != "std";
  return exact ? 0 : detail::is_short_floating(result) ? 1 : 4;
}

template <class R>
void check(const golden_record& r, const std::string& fold, const array<R>& got) {
  REQUIRE(dtype_of<R> == r.result->type);
  const std::vector<R> elements = got.get();
  REQUIRE(static_cast<int>(elements.size()) == r.result->size());
  for (int n = 0; n < r.result->size(); ++n) {
    const R want = r.result->at<R>(n), have = elements[static_cast<std::size_t>(n)];
    INFO(r.name, " of ", std::string(name(r.operand())), " at ", n);
    // Of several elements with NaN in them a device meets another one first.
    const bool any_nan = (fold == "min" || fold == "max") && want != want;
    if (any_nan) CHECK(have != have);
    else if constexpr (std::is_integral_v<R>) CHECK(have == want);
    // The order of complex products decides the signs of zeros.
    else if constexpr (detail::complex_number<R>)
      CHECK(ulps_apart(have + R(0), want + R(0)) <= allowed(fold, r.result->type));
    else CHECK(ulps_apart(have, want) <= allowed(fold, r.result->type));
  }
}

template <class T>
void check_fold(const golden_record& r, const array<T>& a) {
  const std::size_t dot = r.name.find('.');
  const std::string fold = r.name.substr(0, dot), along = r.name.substr(dot + 1);
#define TRY(called, function)                                              \
  if (fold == called) {                                                    \
    if (along == "all") check(r, fold, array(function(a)));                \
    else check(r, fold, array(function(a, std::int64_t{along[0] - '0'}))); \
    return;                                                                \
  }
  TRY("sum", sn::sum)
  TRY("prod", sn::prod)
  TRY("min", sn::min)
  TRY("max", sn::max)
  TRY("argmin", sn::argmin)
  TRY("argmax", sn::argmax)
  TRY("any", sn::any)
  TRY("all", sn::all)
  TRY("mean", sn::mean)
  TRY("var", sn::var)
  TRY("std", sn::stddev)
  TRY("count_nonzero", sn::count_nonzero)
  TRY("cumsum", sn::cumsum)
  TRY("cumprod", sn::cumprod)
#undef TRY
  FAIL("no such fold: " << fold);
}

template <class T>
void check_folds() {
  int checked = 0;
  for (const golden_record& r : golden_short_complex_folds().records()) {
    if (r.operand() != dtype_of<T>) continue;
    check_fold(r, laid_out<T>(r));
    ++checked;
  }
  CHECK(checked > 75);
}

/// Of nothing, of one element and of no axes.
template <class T>
void check_small() {
  const array<T> none = zeros<T>({0, 3}), one{T(2)}, scalar = full<T>(shape(), T(2));
  CHECK(array<T>(sum(none, 0)).get() == std::vector<T>(3, T(0)));
  CHECK(array<T>(prod(none, 0)).get() == std::vector<T>(3, T(1)));
  CHECK(any(none).item() == false);
  CHECK(all(none).item() == true);
  CHECK(count_nonzero(none).item() == 0);
  CHECK_THROWS_AS(static_cast<void>(max(none)), shape_error);
  CHECK(array<T>(cumsum(zeros<T>({0}))).size() == 0);
  CHECK(array<T>(sum(zeros<T>({3, 0}), 0)).size() == 0);
  for (const array<T>& a : {one, scalar}) {
    for (const T x : {sum(a).item(), prod(a).item(), max(a).item(), min(a).item(), mean(a).item()}) CHECK(x == T(2));
    CHECK(argmax(a).item() == 0);
    CHECK(count_nonzero(a).item() == 1);
  }
  // Stretched: of stride 0.
  CHECK(array<T>(sum(broadcast_to(one, {4, 3}), 0)).get() == std::vector<T>(3, T(8)));
  CHECK(argmin(broadcast_to(one, {4})).item() == 0);
}

// A core computes the squares once for both; the fold over no axes has one element each, of the same shape.
TEST_CASE("folds of halves: over no axes, beside what is computed once for another user") {
  const array<half> x = astype<half>(arange(15) % 4 + 1);
  const array<float> many = ones<float>({6, 6, 15});
  const auto squares = square(x);
  const auto [sums, products] = eval(sum<half>(squares, {.axis = {}}), many * squares);
  CHECK(array_equal(sums, square(x)));
  CHECK(array_equal(products, broadcast_to(astype<float>(x) * astype<float>(x), {6, 6, 15})));
  const auto [deviations, larger] = eval(stddev<half>(squares, {.axis = {}}), many > squares);
  CHECK(array_equal(deviations, zeros<half>({15})));
  CHECK(count_nonzero(larger).item() == 0);
}

}  // namespace

TEST_CASE("short and complex: folds of float16 have NumPy's values") { check_folds<half>(); }
TEST_CASE("short and complex: folds of bfloat16 are those of float, rounded once") { check_folds<bfloat16>(); }
TEST_CASE("short and complex: folds of complex64 have NumPy's values") { check_folds<std::complex<float>>(); }
TEST_CASE("short and complex: folds of complex128 have NumPy's values") { check_folds<std::complex<double>>(); }

TEST_CASE("short and complex: folds of nothing, of one element, of no axes and of stretched ones") {
  check_small<half>();
  check_small<bfloat16>();
  check_small<std::complex<float>>();
  check_small<std::complex<double>>();
}

TEST_CASE("short and complex: sums of 16 bits add up in float") {
  CHECK(float(sum(full<half>({4096}, half(1.0f))).item()) == 4096);          // halves stop at 2048
  CHECK(float(mean(full<half>({100'000}, half(3.0f))).item()) == 3);         // whose sum no half holds
  CHECK(float(sum(full<bfloat16>({1024}, bfloat16(1.0f))).item()) == 1024);  // these at 256
}
