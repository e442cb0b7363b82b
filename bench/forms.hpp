// A formula is written once, as a template over its operands, and runs in three forms: on arrays it is fused, on
// `eager` every operation goes into an array of its own, and on `plain` it is a loop over doubles that says what the
// result should be.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include <sinter/sinter.hpp>

#include "bench/harness.hpp"

namespace bench {

/// An array whose operations are evaluated one by one, as NumPy and CuPy do.
template <class T>
struct eager {
  sinter::array<T> value;
};
/// A number. (Of double itself, `sqrt(x)` in a formula would find sinter's alone.)
struct plain {
  double value;
};

#define BENCH_OPERATOR(symbol)                                                        \
  template <class T>                                                                  \
  eager<T> operator symbol(const eager<T>& a, const eager<T>& b) {                    \
    return {a.value symbol b.value};                                                  \
  }                                                                                   \
  template <class T, sinter::arithmetic S>                                            \
  eager<T> operator symbol(const eager<T>& a, S b) {                                  \
    return {a.value symbol b};                                                        \
  }                                                                                   \
  template <class T, sinter::arithmetic S>                                            \
  eager<T> operator symbol(S a, const eager<T>& b) {                                  \
    return {a symbol b.value};                                                        \
  }                                                                                   \
  inline plain operator symbol(plain a, plain b) { return {a.value symbol b.value}; } \
  template <sinter::arithmetic S>                                                     \
  plain operator symbol(plain a, S b) {                                               \
    return {a.value symbol static_cast<double>(b)};                                   \
  }                                                                                   \
  template <sinter::arithmetic S>                                                     \
  plain operator symbol(S a, plain b) {                                               \
    return {static_cast<double>(a) symbol b.value};                                   \
  }
BENCH_OPERATOR(+)
BENCH_OPERATOR(-)
BENCH_OPERATOR(*)
BENCH_OPERATOR(/)
#undef BENCH_OPERATOR
template <class T>
eager<T> operator-(const eager<T>& a) {
  return {-a.value};
}
inline plain operator-(plain a) { return {-a.value}; }

#define BENCH_FUNCTION(name, of_double) \
  template <class T>                    \
  eager<T> name(const eager<T>& a) {    \
    return {sinter::name(a.value)};     \
  }                                     \
  inline plain name(plain a) { return {of_double}; }
BENCH_FUNCTION(sqrt, std::sqrt(a.value))
BENCH_FUNCTION(exp, std::exp(a.value))
BENCH_FUNCTION(log, std::log(a.value))
BENCH_FUNCTION(sin, std::sin(a.value))
BENCH_FUNCTION(erf, std::erf(a.value))
BENCH_FUNCTION(square, a.value* a.value)
#undef BENCH_FUNCTION

#define BENCH_FUNCTION_BY_SCALAR(name, of_doubles) \
  template <class T, sinter::arithmetic S>         \
  eager<T> name(const eager<T>& a, S b) {          \
    return {sinter::name(a.value, b)};             \
  }                                                \
  template <sinter::arithmetic S>                  \
  plain name(plain a, S b) {                       \
    return {of_doubles};                           \
  }
BENCH_FUNCTION_BY_SCALAR(pow, std::pow(a.value, static_cast<double>(b)))
BENCH_FUNCTION_BY_SCALAR(floor_divide, std::floor(a.value / static_cast<double>(b)))
BENCH_FUNCTION_BY_SCALAR(remainder, a.value - std::floor(a.value / static_cast<double>(b)) * static_cast<double>(b))
#undef BENCH_FUNCTION_BY_SCALAR

/// Numbers from low to high, the same in every run: splitmix64.
template <class T>
std::vector<T> numbers(std::int64_t n, double low, double high, std::uint64_t seed) {
  std::vector<T> v(static_cast<std::size_t>(n));
  const double step = (high - low) / 9007199254740992.0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    std::uint64_t z = (i + 1) * 0x9E3779B97F4A7C15ull + seed * 0xD1342543DE82EF95ull;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ z >> 27) * 0x94D049BB133111EBull;
    v[i] = static_cast<T>(low + static_cast<double>((z ^ z >> 31) >> 11) * step);
  }
  return v;
}

/// Empty where `got` is what `want(i)` says, to within tolerance * (scale + its size), at some 100,000 places.
template <class T, class Want>
std::string disagreement(const std::vector<T>& got, double tolerance, double scale, Want want) {
  const std::size_t step = got.size() / 100'000 | 1;
  for (std::size_t i = 0; i < got.size(); i += step) {
    const double w = want(i), g = static_cast<double>(got[i]);
    if (std::abs(g - w) <= tolerance * (scale + std::abs(w))) continue;
    char text[96];
    std::snprintf(text, sizeof text, "element %zu is %.9g, a plain loop gives %.9g", i, g, w);
    return text;
  }
  return got.empty() ? "there is no element" : "";
}

/// Is a result what `want(i)` says of each of its elements? One that is not is noted as a wrong row.
template <class T, class Want>
bool agrees(session& s, const std::string& name, const sinter::array<T>& result, Want want) {
  const std::string bad = disagreement(result.get(), 1e-5, 100, want);
  if (!bad.empty()) s.wrong(name, result.size(), bad);
  return bad.empty();
}

/// Other preferences of a schedule than the chosen ones, to be tried beside them.
template <class Preferences>
struct trial {
  const char* name;
  Preferences with;
};
/// A row, and on a GPU the same with other preferences, which `prefer` sets for the calling thread.
template <class F, class Preferences, std::size_t count>
void measure_trials(session& s, const std::string& name, std::int64_t n, double read, double written, F make,
                    const trial<Preferences> (&trials)[count], void (*prefer)(const Preferences&)) {
  s.measure(name, n, read, written, make);
  if (s.on_cpu() || s.quick()) return;
  for (const trial<Preferences>& t : trials)
    std::thread([&] {  // launches are kept by the thread
      prefer(t.with);
      s.measure("  " + std::string(t.name), n, read, written, make);
    })
        .join();
}

/// A row of an elementwise formula over one-dimensional inputs.
template <class T, class F, class... V>
void elementwise(session& s, const std::string& name, F formula, double scale, const V&... inputs) {
  const std::size_t sizes[] = {inputs.size()...};
  const auto n = static_cast<std::int64_t>(sizes[0]);
  [&](const auto&... a) {
    const std::string bad = disagreement(sinter::array<T>(formula(a...)).get(), 2e-6, scale, [&](std::size_t i) {
      return formula(plain{static_cast<double>(inputs[i])}...).value;
    });
    if (!bad.empty()) return s.wrong(name, n, bad);
    const auto fused = [&] { sinter::array<T> z = formula(a...); };
    const auto bytes = static_cast<double>(n) * sizeof(T);
    [&](const auto&... one_by_one) {
      s.measure(name, n, bytes * sizeof...(V), bytes, fused, [&] { eager<T> z = formula(one_by_one...); });
    }(eager<T>{a}...);
  }(sinter::asarray(inputs)...);
}

}  // namespace bench
