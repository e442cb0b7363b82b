// Designed filters and their responses, filtering forth and back, smoothing: SciPy's values, refusals.
#include <doctest/doctest.h>

#include <sinter/filter_design.hpp>

#include "test/include/looking.hpp"
#include "test/include/signal_cases.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using signal::pass, signal::savgol_mode, signal::padtype;

template <class T>
constexpr bool is_real = !detail::is_complex(dtype_of<T>);

array<double> coefficients(std::initializer_list<double> of) { return asarray(std::vector<double>(of)); }
const auto numerator = [] { return coefficients({0.2, 0.3, 0.1}); };
const auto denominator = [] { return coefficients({2.0, -1.2, 0.6}); };
const auto long_numerator = [] { return array<double>((arange<double>(8) + 1) / 20); };
const auto long_denominator = [] {
  return array<double>(concatenate(tuple(ones({1}), power(0.8, arange<double>(6) + 1) * -0.2)));
};
const auto butterworth = [] { return signal::butter_sos(5, 0.3); };

void check_design(const std::string& name, const signal::transfer_function& made) {
  check_signal(name + " b", dtype::float64, made.b);
  check_signal(name + " a", dtype::float64, made.a);
}
void check_design(const std::string& name, const signal::transfer_function& made, const array<double>& sos) {
  check_design(name, made);
  check_signal(name + " sos", dtype::float64, sos);
  check_signal(name + " h", dtype::float64, signal::freqz_sos(sos, {.worN = 40}).h);
}

}  // namespace

TEST_CASE("filter design: Butterworth's and Chebyshev's filters") {
  using namespace signal;
  const iir_options high{.btype = pass::high}, band{.btype = pass::band}, stop{.btype = pass::stop};
  const iir_options fast{.btype = pass::high, .fs = 1000};
  check_design("butter", butter(4, 0.2), butter_sos(4, 0.2));
  check_design("butter high", butter(3, 100, fast), butter_sos(3, 100, fast));
  check_design("butter band", butter(3, {0.2, 0.45}, band), butter_sos(3, {0.2, 0.45}, band));
  CHECK(butter(3, {0.2, 0.45}, pass::band).a.get() == butter(3, {0.2, 0.45}, band).a.get());
  CHECK(cheby2_sos(3, 20, 0.3, pass::high).get() == cheby2_sos(3, 20, 0.3, {.btype = pass::high}).get());
  check_design("butter stop", butter(2, {0.3, 0.6}, stop), butter_sos(2, {0.3, 0.6}, stop));
  check_design("cheby1", cheby1(5, 1, 0.3), cheby1_sos(5, 1, 0.3));
  check_design("cheby1 even", cheby1(4, 0.5, {0.1, 0.25}, band), cheby1_sos(4, 0.5, {0.1, 0.25}, band));
  check_design("cheby2", cheby2(5, 40, 0.3, high), cheby2_sos(5, 40, 0.3, high));
  check_design("cheby2 even", cheby2(4, 30, {0.3, 0.65}, stop), cheby2_sos(4, 30, {0.3, 0.65}, stop));
  check_design("order 0", cheby1(0, 2, 0.5), cheby1_sos(0, 2, 0.5));
  check_design("iirnotch", iirnotch(60, 30, 1000));
  check_design("iirpeak", iirpeak(0.3, 5));
}

TEST_CASE("filter design: responses") {
  const auto [w, h] = signal::freqz(numerator(), denominator(), {.worN = 64, .fs = 100});
  check_signal("freqz w", dtype::float64, w);
  check_signal("freqz h", dtype::float64, h);
  const auto whole = signal::freqz(long_numerator(), {.worN = 30, .whole = true});
  check_signal("freqz whole w", dtype::float64, whole.w);
  check_signal("freqz whole h", dtype::float64, whole.h);
}

TEST_CASE_TEMPLATE("filter design: forth and back", T, int, float, double, std::complex<double>) {
  const auto check = [](const char* name, auto&& e) { check_signal(name, dtype_of<T>, e); };
  const array<double> b = numerator(), a = denominator(), sos = butterworth();
  check("filtfilt", signal::filtfilt(b, a, noise<T>({80})));
  check("filtfilt rows", signal::filtfilt(long_numerator(), long_denominator(), noise<T>({3, 60}),
                                          {.padtype = padtype::even, .padlen = 11}));
  check("sosfiltfilt", signal::sosfiltfilt(sos, noise<T>({2, 60})));
  if constexpr (is_real<T>) {
    check("filtfilt columns", signal::filtfilt(b, a, noise<T>({50, 2}), {.axis = 0, .padtype = padtype::constant}));
    check("filtfilt bare", signal::filtfilt(b, a, noise<T>({30}), {.padtype = padtype::none}));
    check("sosfiltfilt columns",
          signal::sosfiltfilt(sos, noise<T>({70, 2}), {.axis = 0, .padtype = padtype::even, .padlen = 20}));
  }
  if constexpr (std::is_same_v<T, double>) {
    check("lfilter_zi", signal::lfilter_zi(long_numerator(), long_denominator()));
    check("sosfilt_zi", signal::sosfilt_zi(sos));
  }
}

TEST_CASE_TEMPLATE("filter design: polynomials and medians of windows", T, int, float, double) {
  const auto check = [](const char* name, auto&& e) { check_signal(name, dtype_of<T>, e); };
  using signal::savgol_filter;
  check("savgol", savgol_filter(noise<T>({40}), 7, 3));
  check("savgol rows", savgol_filter(noise<T>({3, 30}), 5, 2, {.deriv = 1, .delta = 0.5}));
  check("savgol columns", savgol_filter(noise<T>({30, 2}), 9, 4, {.deriv = 2, .axis = 0}));
  check("savgol mirror", savgol_filter(noise<T>({2, 20}), 7, 2, {.mode = savgol_mode::mirror}));
  check("savgol nearest", savgol_filter(noise<T>({20}), 7, 2, {.mode = savgol_mode::nearest}));
  check("savgol wrap", savgol_filter(noise<T>({20}), 7, 2, {.mode = savgol_mode::wrap}));
  check("savgol constant", savgol_filter(noise<T>({20}), 7, 2, {.mode = savgol_mode::constant, .cval = 1.5}));
  check("medfilt", signal::medfilt(noise<T>({30}), 5));
  check("medfilt image", signal::medfilt(noise<T>({9, 12}), {3, 5}));
  if constexpr (std::is_same_v<T, double>)
    check("savgol_coeffs", signal::savgol_coeffs(11, 4, {.deriv = 1, .delta = 0.1}));
}

// A polynomial of the order that is fitted stays what it is, and so do its derivatives, up to the ends.
TEST_CASE("filter design: savgol_filter leaves polynomials alone") {
  const array<double> x = arange<double>(200) / 10, cubic = x * x * x - 4 * x, slope = 3 * x * x - 4;
  CHECK(allclose(signal::savgol_filter(cubic, 31, 3), cubic, {.atol = 1e-8}).item());
  CHECK(allclose(signal::savgol_filter(cubic, 31, 3, {.deriv = 1, .delta = 0.1}), slope, {.atol = 1e-8}).item());
  CHECK(max(abs(signal::savgol_filter(cubic, 31, 3, {.deriv = 4}))).item() < 1e-6);
}

TEST_CASE("filter design: what it refuses") {
  using namespace signal;
  CHECK_THROWS_WITH(static_cast<void>(butter(4, 1.0)),
                    "sinter: a filter with a cutoff that does not lie between 0 and half the rate");
  CHECK_THROWS_WITH(static_cast<void>(butter(4, 0.2, {.btype = pass::band})),
                    "sinter: a filter with one cutoff, where btype has two");
  CHECK_THROWS_WITH(static_cast<void>(butter(4, {0.2, 0.4})), "sinter: a filter with two cutoffs, where btype has one");
  CHECK_THROWS_WITH(static_cast<void>(butter(4, {0.4, 0.2}, {.btype = pass::stop})),
                    "sinter: a filter with cutoffs that do not rise");
  CHECK_THROWS_WITH(static_cast<void>(cheby1(4, 0, 0.2)),
                    "sinter: a filter with a ripple that is not above 0, or 1000 decibels");
  CHECK_THROWS_AS(static_cast<void>(butter(-1, 0.2)), error);
  CHECK_THROWS_AS(static_cast<void>(iirnotch(1.5, 30)), error);
  const array<double> x = noise<double>({9}), matrix = noise<double>({3, 3});
  CHECK_THROWS_WITH(static_cast<void>(filtfilt(numerator(), denominator(), x)),
                    "sinter: filtfilt of 9 samples, 9 of which are to go on at each end");
  CHECK_THROWS_AS(static_cast<void>(filtfilt(matrix, denominator(), x)), shape_error);
  CHECK_THROWS_AS(static_cast<void>(sosfiltfilt(matrix, x)), shape_error);
  CHECK_THROWS_AS(static_cast<void>(freqz_sos(matrix)), shape_error);
  CHECK_THROWS_AS(static_cast<void>(savgol_filter(x, 4, 2)), error);
  CHECK_THROWS_AS(static_cast<void>(savgol_filter(x, 5, 5)), error);
  CHECK_THROWS_AS(static_cast<void>(savgol_filter(x, 11, 2)), shape_error);
  CHECK_THROWS_AS(static_cast<void>(medfilt(x, 4)), error);
  CHECK_THROWS_AS(static_cast<void>(medfilt(x, {3, 3})), shape_error);
  CHECK(medfilt(zeros<double>({0}), 3).shape() == shape{0});
  CHECK_THROWS_AS(static_cast<void>(find_peaks(x, {.wlen = 1})), error);
  CHECK_THROWS_AS(static_cast<void>(find_peaks(x, {.rel_height = -0.5})), error);
  CHECK(find_peaks(x, {.distance = 1e300}).at.size() == 1);
}
