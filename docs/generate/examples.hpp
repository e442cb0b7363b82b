// How examples are written and run: EXAMPLE(name, "NumPy's spelling", Sinter's) is compiled, evaluated and printed.
#pragma once

#include <array>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <sinter/sinter.hpp>

#include "docs/generate/pages.hpp"

namespace docs {

namespace sn = sinter;
using sn::array, sn::_, sn::slice;

/// What an expression prints; of several each on lines of its own.
template <class T>
std::string shown(const T& e);
template <class... T>
std::string shown(const std::tuple<T...>& several);
template <class A, class B>
std::string shown(const std::pair<A, B>& two);
template <class T, std::size_t n>
std::string shown(const std::array<T, n>& several);
template <class T>
std::string shown(const std::vector<T>& several);
inline std::string shown(bool truth) { return truth ? "True" : "False"; }
inline std::string shown(const std::string& text) { return text; }

template <class T>
std::string shown(const T& e) {
  std::ostringstream out;
  out << e;
  return out.str();
}
template <class Range>
std::string shown_each(const Range& several) {
  std::string all;
  for (const auto& e : several) all += (all.empty() ? "" : "\n") + shown(e);
  return all;
}
template <class... T>
std::string shown(const std::tuple<T...>& several) {
  std::string all;
  std::apply([&](const T&... e) { ((all += (all.empty() ? "" : "\n") + shown(e)), ...); }, several);
  return all;
}
template <class A, class B>
std::string shown(const std::pair<A, B>& two) {
  return shown(two.first) + '\n' + shown(two.second);
}
template <class T, std::size_t n>
std::string shown(const std::array<T, n>& several) {
  return shown_each(several);
}
template <class T>
std::string shown(const std::vector<T>& several) {
  return shown_each(several);
}

// What the examples are of, as code and as the text of the index.
#define DOCS_OPERANDS                                                                   \
  array<double> a{{1, 2, 3}, {4, 5, 6}}, b{{6, 5, 4}, {3, 2, 1}};                       \
  array<double> x{0.5, 1, 2}, n{1, NAN, 3};                                             \
  array<float> f{1, 2, 3};                                                              \
  array<std::int64_t> i{7, -7, 5}, k{1, 0, -1};                                         \
  array<bool> m{true, false, true};                                                     \
  array<std::complex<double>> z = sn::make_complex(array{3.0, -0.0}, array{4.0, -1.0}); \
  std::vector<double> v{1, 2, 3, 4};

#define EXAMPLE(name, numpy, ...) all.push_back({#name, numpy, #__VA_ARGS__, shown(__VA_ARGS__)})
// A statement, and what `target` is then.
#define EXAMPLE_STORE(name, numpy, target, ...)                                       \
  all.push_back({#name, numpy, #__VA_ARGS__ ";  // then " #target, [&](auto target) { \
                   __VA_ARGS__;                                                       \
                   return shown(target);                                              \
                 }(target)})

// A statement, and what an expression is then.
#define EXAMPLE_THEN(name, numpy, then, ...)                           \
  all.push_back({#name, numpy, #__VA_ARGS__ ";  // then " #then, [&] { \
                   __VA_ARGS__;                                        \
                   return shown(then);                                 \
                 }()})

void run_shapes(std::vector<example>& all);
void run_numbers(std::vector<example>& all);
void run_choices(std::vector<example>& all);
void run_signals(std::vector<example>& all);
void run_matrices(std::vector<example>& all);

}  // namespace docs
