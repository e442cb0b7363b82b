// What NumPy gives for named cases, as the golden files have them, and the arrays that those of golden_gathers.py are of.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <sinter/sinter.hpp>

#include "test/include/looking.hpp"
#include "test/numpy/golden.hpp"

namespace sinter::test {

struct numpy_case {
  bool refused = false;
  std::vector<std::int64_t> extents;
  std::vector<double> elements;
};

inline std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) all.push_back(part);
  return all;
}

/// The lines of a golden file by their names, which are the first fields; then come a shape and the elements, or `refused`.
inline std::map<std::string, numpy_case> read_numpy_cases(const char* name, std::size_t name_fields) {
  std::map<std::string, numpy_case> read;
  std::ifstream file(golden_path(name));
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> fields = parts_of(line, '|');
    std::string of = fields.at(0);
    for (std::size_t f = 1; f < name_fields; ++f) of += '|' + fields.at(f);
    numpy_case c;
    c.refused = fields.size() > name_fields && fields[name_fields] == "refused";
    if (!c.refused && fields.size() > name_fields)
      for (const std::string& n : parts_of(fields[name_fields], ',')) c.extents.push_back(std::atoll(n.c_str()));
    if (fields.size() > name_fields + 1)
      for (const std::string& x : parts_of(fields[name_fields + 1], ',')) c.elements.push_back(std::atof(x.c_str()));
    read.emplace(of, c);
  }
  return read;
}

/// The elements as the golden files have them, of complex ones both parts.
template <class R>
std::vector<double> parts_in_order(const lazy<R>& e) {
  std::vector<double> all;
  if constexpr (detail::complex_number<R>) {
    for (const auto& z : e.get()) all.push_back(z.real()), all.push_back(z.imag());
  } else {
    for (const auto& x : e.get()) all.push_back(static_cast<double>(x));
  }
  return all;
}

inline const std::map<std::string, numpy_case>& numpy_cases() {
  static const std::map<std::string, numpy_case> all = read_numpy_cases("gathers.txt", 1);
  return all;
}

/// Checks shape and elements of an expression, evaluated by itself and within a sum.
template <class E>
void check_case(const char* name, const E& e) {
  CAPTURE(std::string(name));
  const auto at = numpy_cases().find(name);
  REQUIRE(at != numpy_cases().end());
  const numpy_case& want = at->second;
  CHECK(e.shape() == shape(want.extents));
  const auto elements = [](const auto& of) {
    const auto all = of.get();
    return std::vector<double>(all.begin(), all.end());
  };
  CHECK(elements(e) == want.elements);
  using T = typename E::sinter_element;
  CHECK(elements(lazy<T>(e.share())) == want.elements);
  double total = 0;
  for (double x : want.elements) total += x;
  CHECK(sum<double>(lazy<T>(e.share())).item() == total);
}

/// How many launches a piece of work takes once what it needs is there.
template <class Work>
std::int64_t kept_launches_of(Work&& work) {
  work();
  return launches_of(work);
}

/// The arrays that the cases are of, by the names they have in golden_gathers.py.
namespace operands {

inline const array<int>& a() {
  static const array<int> of(arange<int>(24).reshape(2, 3, 4) * 3 % 23);
  return of;
}
inline const array<int>& m() {
  static const array<int> of = arange<int>(12).reshape(3, 4);
  return of;
}
inline const array<int>& v() {
  static const array<int> of{5, 1, 4, 2, 3};
  return of;
}
inline const array<int>& row() {
  static const array<int> of{1, 2, 3, 4};
  return of;
}
inline const array<int>& column() {
  static const array<int> of{{10}, {20}, {30}};
  return of;
}
inline const array<int>& six() {
  static const array<int> of(arange<int>(6));
  return of;
}
inline const array<std::int64_t>& i() {
  static const array<std::int64_t> of{1, 0, -1};
  return of;
}
inline const array<std::int64_t>& one() {
  static const array<std::int64_t> of{1};
  return of;
}
inline const array<std::int64_t>& j() {
  static const array<std::int64_t> of{{2, -3}, {0, 1}};
  return of;
}

}  // namespace operands

}  // namespace sinter::test
