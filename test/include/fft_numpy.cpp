// Fourier transforms of every kind and of arrays of every layout: NumPy's values, of single precision within its rounding.
#include <doctest/doctest.h>

#include <complex>
#include <map>
#include <string>

#include <sinter/fft.hpp>
#include <sinter/sinter.hpp>

#include "test/support/golden_numbers.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using complex = std::complex<double>;
using fft::norm;

template <class T>
operands_by_name<T> all_operands() {
  const auto n = [](const shape& s) { return golden_numbers<T>(s, 1); };
  operands_by_name<T> all = {
      {"matrix", n({6, 10})},
      {"batch", n({2, 3, 7})},
      {"strided", n({12, 9})(slice(_, _, 2), slice(_, _, -2))},
      {"transposed", n({9, 4}).T()},
      {"broadcast", broadcast_to(n({8}), {3, 8})},
      {"empty batch", n({0, 5})},
  };
  for (const int length : {1, 2, 3, 4, 7, 16, 30, 97}) all.emplace(std::to_string(length), n({length}));
  return all;
}

template <class T, class F>
void check(const std::string& name, const operands_by_name<T>& of, F f) {
  static const auto lines = read_numpy_cases("transforms.txt", 3);
  const bool is_single = sizeof(T) == (detail::complex_number<T> ? 8 : 4);
  int count = 0;
  unsigned number = static_cast<unsigned>(name.size());
  for (const auto& [operand, x] : of)
    if (takes_in_turn(number++)) count += check_golden_of(lines, name, operand, x, f, is_single ? 1e-6 : 1e-13);
  CHECK(count > 0);
}

}  // namespace

#define OF(...) [](const lazy<T>& a) { return __VA_ARGS__; }
#define CASES(...) TEST_CASE_TEMPLATE(__VA_ARGS__, T, float, double, std::complex<float>, complex)

CASES("fft: along one axis, as NumPy has it") {
  const operands_by_name<T> all = all_operands<T>();
  check("fft", all, OF(fft::fft(a)));
  check("ifft", all, OF(fft::ifft(a)));
  check("fft ortho", all, OF(fft::fft(a, {.norm = norm::ortho})));
  check("ifft forward", all, OF(fft::ifft(a, {.norm = norm::forward})));
  check("fft 5", all, OF(fft::fft(a, 5)));
  check("ifft 12", all, OF(fft::ifft(a, 12)));
  check("fft first", all, OF(fft::fft(a, {.axis = 0})));
}

CASES("fft: to real numbers, as NumPy has it") {
  const operands_by_name<T> all = all_operands<T>();
  check("hfft", all, OF(fft::hfft(a)));
  check("hfft 9 ortho", all, OF(fft::hfft(a, {.n = 9, .norm = norm::ortho})));
  check("irfft", all, OF(fft::irfft(a)));
  check("irfft 7", all, OF(fft::irfft(a, 7)));
  check("irfftn", all, OF(fft::irfftn(a)));
}

CASES("fft: along several axes and in another order, as NumPy has it") {
  const operands_by_name<T> all = all_operands<T>();
  check("fftn", all, OF(fft::fftn(a)));
  check("ifftn", all, OF(fft::ifftn(a)));
  check("fftshift", all, OF(fft::fftshift(a)));
  check("ifftshift", all, OF(fft::ifftshift(a)));
  check("fftshift last", all, OF(fft::fftshift(a, -1)));
  check("fft2", all, OF(fft::fft2(a)));
  check("ifft2 ortho", all, OF(fft::ifft2(a, {.norm = norm::ortho})));
  check("irfft2", all, OF(fft::irfft2(a)));
  check("fftn lengths", all, OF(fft::fftn(a, {.s = {4, 5}, .axes = {-1, -2}})));
  check("ifftn first", all, OF(fft::ifftn(a, {.axes = {0}})));
}

TEST_CASE_TEMPLATE("fft: of real numbers, as NumPy has it", T, float, double) {
  const operands_by_name<T> all = all_operands<T>();
  check("rfft", all, OF(fft::rfft(a)));
  check("rfft 6 forward", all, OF(fft::rfft(a, {.n = 6, .norm = norm::forward})));
  check("ihfft", all, OF(fft::ihfft(a)));
  check("ihfft ortho", all, OF(fft::ihfft(a, {.norm = norm::ortho})));
  check("rfftn", all, OF(fft::rfftn(a)));
  check("rfft2", all, OF(fft::rfft2(a)));
  check("rfftn lengths", all, OF(fft::rfftn(a, {.s = {3, 8}, .axes = {-1, -2}})));
}

TEST_CASE("fft: frequencies, as NumPy has them") {
  operands_by_name<double> all;
  for (const int n : {1, 2, 7, 10}) all.emplace(std::to_string(n), full<double>({}, n));
  check("fftfreq", all, [](const lazy<double>& n) { return fft::fftfreq(int(n), 0.5); });
  check("rfftfreq", all, [](const lazy<double>& n) { return fft::rfftfreq(int(n), 0.5); });
}
