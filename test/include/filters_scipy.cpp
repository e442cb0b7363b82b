// Filters, convolutions by transforms, other rates and peaks: SciPy's values, refusals.
#include <doctest/doctest.h>

#include <sinter/filter_design.hpp>

#include "test/include/looking.hpp"
#include "test/include/signal_cases.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using signal::pass;

template <class T>
constexpr bool is_real = !detail::is_complex(dtype_of<T>);
constexpr auto same = convolve_mode::same, valid = convolve_mode::valid;

array<double> coefficients(std::initializer_list<double> of) { return asarray(std::vector<double>(of)); }
const auto numerator = [] { return coefficients({0.2, 0.3, 0.1}); };
const auto denominator = [] { return coefficients({2.0, -1.2, 0.6}); };
array<double> sections() {
  return array<double>{{0.1, 0.2, 0.1, 1, -1.1, 0.4}, {1, -1, 0.25, 1, 0.2, 0.3}, {0.5, 0.5, 0, 1, -0.5, 0}};
}

template <class T>
void check_filtered(const std::string& name, const signal::filtered<T>& made, dtype of) {
  check_signal(name + " 0", of, made.y);
  check_signal(name + " 1", of, made.zf);
}

template <class T>
void check_list(const std::string& name, const array<T>& list) {
  check_signal(name, dtype::float64, list);
}

}  // namespace

TEST_CASE_TEMPLATE("filters: convolutions by transforms", T, int, float, double, std::complex<double>) {
  const array<T> x = noise<T>({40}), m = noise<T>({9, 12}), row = noise<T>({3000});
  const auto check = [](const char* name, auto&& e) { check_signal(name, dtype_of<T>, e); };
  check("fftconvolve", signal::fftconvolve(x, x(slice(0, 7))));
  check("fftconvolve same", signal::fftconvolve(m, m(slice(0, 4), slice(2, 5)), same));
  check("oaconvolve", signal::oaconvolve(row, row(slice(0, 11)))(slice(_, _, 7)));
  if constexpr (is_real<T>) {
    check("fftconvolve valid", signal::fftconvolve(m(slice(0, 4), slice(2, 5)), m, valid));
    const array<T> rows = noise<T>({4, 12});
    check("fftconvolve axis", signal::fftconvolve(rows, rows(_, slice(0, 3)), convolve_mode::full, 1));
  }
  if constexpr (std::is_floating_point_v<T>) {
    const array<T> wide = noise<T>({3, 2000}), high = noise<T>({2000, 3});
    check("oaconvolve same", signal::oaconvolve(wide(slice(0, 2), slice(0, 9)), wide, same));
    check("oaconvolve valid", signal::oaconvolve(high, high(slice(0, 30), slice(0, 2)), valid)(slice(_, _, 9)));
  }
}

TEST_CASE_TEMPLATE("filters: other rates", T, int, float, double, std::complex<double>) {
  const auto check = [](const char* name, auto&& e) { check_signal(name, dtype_of<T>, e); };
  check("resample down", signal::resample(noise<T>({40, 2}), 16));
  check("resample up", signal::resample(noise<T>({16}), 41));
  check("resample even", signal::resample(noise<T>({15}), 28));
  check("resample to even", signal::resample(noise<T>({21}), 14));
  if constexpr (is_real<T>)
    check("resample window", signal::resample(noise<T>({2, 20}), 30, {.axis = 1, .window = "hamming"}));
}

TEST_CASE_TEMPLATE("filters: feedback", T, int, float, double, std::complex<double>) {
  const auto check = [](const char* name, auto&& e) { check_signal(name, dtype_of<T>, e); };
  using C = std::conditional_t<std::is_same_v<T, float>, float, double>;
  check("lfilter", signal::lfilter(astype<C>(numerator()), astype<C>(denominator()), noise<T>({60})));
  const array<double> b = (arange<double>(8) + 1) / 20;
  const array<double> a = concatenate(tuple(ones({1}), power(0.8, arange<double>(6) + 1) * -0.2));
  check("lfilter rows", signal::lfilter(b, a, noise<T>({3, 200})));
  check("lfilter fir", signal::lfilter(numerator(), coefficients({2}), noise<T>({2, 30})));
  const array<double> state{{0.5, -1.0}, {2.0, 0.25}};
  check_filtered("lfilter state", signal::lfilter(numerator(), denominator(), noise<T>({2, 30}), state), dtype_of<T>);
  check("sosfilt", signal::sosfilt(sections(), noise<T>({2, 60})));
  if constexpr (is_real<T>) {
    check("lfilter columns", signal::lfilter(ones({1}), coefficients({1, -0.5}), noise<T>({70, 2}), 0));
    const array<double> from = (arange<double>(12) / 4).reshape({3, 2, 2});
    check_filtered("sosfilt state", signal::sosfilt(sections(), noise<T>({40, 2}), from, 0), dtype_of<T>);
  }
  if constexpr (std::is_same_v<T, double>)
    check("lfilter long", signal::lfilter(numerator(), denominator(), noise<T>({5000}))(slice(_, _, 11)));
}

TEST_CASE("filters: orders and chunks") {
  // The impulse response of 1 / (1 - z^-n / 2) is a half more every n samples.
  for (int order : {1, 2, 5, 31, 33, 40}) {
    std::vector<double> a(static_cast<std::size_t>(order) + 1, 0.0);
    a.front() = 1, a.back() = -0.5;
    array<double> x = zeros<double>({3, 1000});
    x(_, 0) = arange<double>(3) + 1;
    const array<double> y = signal::lfilter(ones({1}), asarray(a), x);
    CAPTURE(order);
    const std::vector<double> values = y.get();
    for (int row = 0; row < 3; ++row)
      for (int i = 0; i < 1000; ++i) {
        const double wanted = i % order == 0 ? (row + 1) * std::pow(0.5, i / order) : 0.0;
        REQUIRE(values[static_cast<std::size_t>(row * 1000 + i)] == wanted);
      }
  }
  // What grows without bound stays 0 as long as nothing has come in.
  array<double> late = zeros<double>({4000});
  late(3990) = 1;
  const array<double> y = signal::lfilter(ones({1}), coefficients({1, -3}), late);
  CHECK(y.get()[3989] == 0);
  CHECK(y.get()[3999] == std::pow(3.0, 9));
}

TEST_CASE("filters: a signal in pieces, each from the state behind the one before") {
  const array<double> x = noise<double>({400});
  const array<double> whole = signal::lfilter(numerator(), denominator(), x);
  array<double> state = zeros<double>({2});
  std::vector<double> pieces;
  for (int i = 0; i < 4; ++i) {
    auto [y, zf] = eval(signal::lfilter(numerator(), denominator(), x(slice(100 * i, 100 * i + 100)), state).y,
                        signal::lfilter(numerator(), denominator(), x(slice(100 * i, 100 * i + 100)), state).zf);
    for (double v : y.get()) pieces.push_back(v);
    state = zf;
  }
  CHECK(array<double>(max(abs(asarray(pieces) - whole))).item() < 1e-14);
}

TEST_CASE("filters: a graph filters what its array has then") {
  array<float> x = noise<float>({2, 300});
  const array<float> b{0.5f, 0.25f}, a{1.0f, -0.5f};
  array<float> y;
  const graph g = capture([&] { y = signal::lfilter(b, a, x) * 2; });
  x(ellipsis) = x * 3;
  g.launch();
  const array<float> wanted = signal::lfilter(b, a, x) * 2;
  CHECK(y.get() == wanted.get());
}

TEST_CASE("filters: coefficients in a list are doubles") {
  const array<double> b{1, 0.5}, a{1, 0.3}, sections{{1, 0.5, 0.2, 1, 0.1, 0.05}};
  const array<float> x = astype<float>(sin(arange<double>(20)));
  CHECK(array_equal(signal::lfilter({1, 0.5}, {1, 0.3}, x), signal::lfilter(b, a, x)));
  CHECK(array_equal(signal::lfilter({1, 0.5}, a, x, -1), signal::lfilter(b, a, x)));
  CHECK(array_equal(signal::filtfilt({1, 0.5}, {1, 0.3}, x), signal::filtfilt(b, a, x)));
  CHECK(array_equal(signal::lfilter_zi({1, 0.5}, {1, 0.3}), signal::lfilter_zi(b, a)));
  CHECK(array_equal(signal::sosfilt({{1, 0.5, 0.2, 1, 0.1, 0.05}}, x), signal::sosfilt(sections, x)));
  CHECK(array_equal(signal::sosfiltfilt({{1, 0.5, 0.2, 1, 0.1, 0.05}}, x), signal::sosfiltfilt(sections, x)));
  CHECK(allclose(signal::fftconvolve(x, {1, 2, 1}), convolve(x, {1, 2, 1}), {.atol = 1e-5}));
}

TEST_CASE("filters: a denominator that is one number") {
  const array<float> taps{0.25f, 0.5f, 0.25f}, x = sin(arange<float>(40));
  const array<float> by_number = signal::lfilter(taps, 1, x), by_list = signal::lfilter(taps, array<float>{1}, x);
  CHECK(array_equal(by_number, by_list));
  CHECK(array_equal(signal::lfilter({1., 2.}, 2.0, x), signal::lfilter({1., 2.}, {2.}, x)));
  CHECK(array_equal(signal::filtfilt(taps, 1.0, x), signal::filtfilt(taps, array<float>{1}, x)));
  CHECK(array_equal(signal::freqz(taps, 1).h, signal::freqz(taps).h));
}

TEST_CASE("filters: designs") {
  const auto check = [](const char* name, auto&& e) { check_signal(name, dtype::float64, e); };
  check("firwin", signal::firwin(21, 0.3));
  check("firwin high", signal::firwin(21, 0.3, {.window = {"kaiser", 4.0}, .pass_zero = pass::high}));
  check("firwin band", signal::firwin(20, {30, 60}, {.pass_zero = pass::band, .fs = 200}));
  check("firwin stop", signal::firwin(31, {0.2, 0.6}, {.pass_zero = pass::stop, .scale = false}));
  CHECK_THROWS_AS(static_cast<void>(signal::firwin(20, 0.3, {.pass_zero = pass::high})), error);
  CHECK_THROWS_AS(static_cast<void>(signal::firwin(21, {0.6, 0.2}, {.pass_zero = pass::band})), error);
  CHECK_THROWS_AS(static_cast<void>(signal::firwin(21, 1.5)), error);
  CHECK_THROWS_AS(static_cast<void>(signal::firwin(21, {0.2, 0.4})), error);
}

TEST_CASE("filters: refusals and nothing") {
  const array<double> x = ones({10}), none = zeros<double>({0});
  CHECK_THROWS_AS(static_cast<void>(signal::lfilter(none, numerator(), x)), shape_error);
  CHECK_THROWS_AS(static_cast<void>(signal::lfilter(numerator(), sections(), x)), shape_error);
  CHECK_THROWS_AS(static_cast<void>(signal::lfilter(numerator(), denominator(), x, ones({3}))), shape_error);
  CHECK_THROWS_AS(static_cast<void>(signal::sosfilt(ones({2, 5}), x)), shape_error);
  CHECK_THROWS_AS(static_cast<void>(signal::fftconvolve(x, sections())), shape_error);
  CHECK_THROWS_AS(static_cast<void>(signal::fftconvolve(x, none)), shape_error);
  CHECK_THROWS_AS(static_cast<void>(signal::resample(x, 0)), shape_error);
  CHECK(array<double>(signal::lfilter(numerator(), denominator(), none)).size() == 0);
  CHECK(array<double>(signal::lfilter(numerator(), denominator(), zeros<double>({0, 5}))).shape() == shape{0, 5});
}

TEST_CASE("filters: peaks") {
  const array<double> x = rint(noise<double>({200}) * 4) + sin(arange<double>(200) * 0.1) * 3;
  const array<double> tops{0, 1, 1, 1, 0, 2, 2, 0, 3, 0, 0, 1, 5, 5, 5, 5, 1, 0, 4, 0};
  const auto check = [](const std::string& name, const signal::peaks& p) {
    check_list(name, p.at);
    const auto if_there = [&](const char* key, const auto& list) {
      if (list.size() > 0) check_list(name + " " + key, list);
    };
    if_there("peak_heights", p.peak_heights);
    if_there("left_thresholds", p.left_thresholds);
    if_there("right_thresholds", p.right_thresholds);
    if_there("prominences", p.prominences);
    if_there("left_bases", p.left_bases);
    if_there("right_bases", p.right_bases);
    if_there("widths", p.widths);
    if_there("width_heights", p.width_heights);
    if_there("left_ips", p.left_ips);
    if_there("right_ips", p.right_ips);
    if_there("plateau_sizes", p.plateau_sizes);
    if_there("left_edges", p.left_edges);
    if_there("right_edges", p.right_edges);
  };
  check("peaks", signal::find_peaks(x));
  check("peaks height", signal::find_peaks(x, {.height = 1.5}));
  check("peaks heights", signal::find_peaks(x, {.height = {{0.5, 2.5}}}));
  check("peaks threshold", signal::find_peaks(x, {.threshold = {{0.5, 4}}}));
  check("peaks distance", signal::find_peaks(x, {.distance = 7.5}));
  check("peaks prominence", signal::find_peaks(x, {.prominence = 3, .wlen = 21}));
  check("peaks width", signal::find_peaks(x, {.width = {{1, 6}}, .rel_height = 0.7}));
  check("peaks plateau", signal::find_peaks(tops, {.plateau_size = {{2, 4}}}));
  check("peaks none", signal::find_peaks(arange<double>(5), {.height = 0}));
  const signal::peaks all =
      signal::find_peaks(x, {.height = 0, .threshold = 0.1, .distance = 3, .prominence = 1, .width = 1});
  check("peaks all", all);
  CHECK(all.right_ips.size() == all.at.size());
  CHECK(all.peak_heights.size() == all.at.size());
  CHECK(signal::find_peaks(zeros<double>({0})).at.size() == 0);
  CHECK_THROWS_AS(static_cast<void>(signal::find_peaks(sections())), shape_error);
  CHECK_THROWS_AS(static_cast<void>(signal::find_peaks(x, {.distance = 0})), error);
}
