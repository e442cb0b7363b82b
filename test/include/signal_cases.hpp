// Cases of test/numpy/golden/signal.txt: SciPy's values of functions of signals, by name and dtype.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <sinter/sinter.hpp>

namespace sinter::test {

struct signal_record {
  shape extents;
  std::vector<double> values;  // of complex numbers both parts
};

inline const signal_record& signal_record_of(const std::string& name, dtype type) {
  static const auto* const all = [] {
    auto* const records = new std::map<std::string, signal_record>;
    std::ifstream file(SINTER_SOURCE_DIR "/test/numpy/golden/signal.txt");
    for (std::string line; std::getline(file, line);) {
      std::istringstream parts(line);
      std::string name_of, dtype_of, extents, values, one;
      std::getline(parts, name_of, '|');
      std::getline(parts, dtype_of, '|');
      std::getline(parts, extents, '|');
      std::getline(parts, values);
      signal_record r;
      std::istringstream each_extent(extents), each_value(values);
      int rank = 0;
      std::int64_t sizes[max_rank];
      while (std::getline(each_extent, one, ',')) sizes[rank++] = std::stoll(one);
      r.extents.set_size(rank);
      for (int d = 0; d < rank; ++d) r.extents[d] = sizes[d];
      while (std::getline(each_value, one, ',')) r.values.push_back(std::stod(one));
      records->emplace(name_of + "|" + dtype_of, r);
    }
    return records;
  }();
  const auto at = all->find(name + "|" + sinter::name(type));
  REQUIRE_MESSAGE(at != all->end(), name, " of ", sinter::name(type));
  return at->second;
}

/// As the golden file has it, up to rounding: of the largest of all values, as transforms round.
template <class E>
void check_signal(const std::string& name, dtype type, E&& e) {
  const signal_record& wanted = signal_record_of(name, type);
  using R = detail::element_in<E>;
  const array<R> got = std::forward<E>(e);
  CAPTURE(name);
  CAPTURE(sinter::name(type));
  CHECK(got.shape() == wanted.extents);
  const std::vector<R> elements = got.get();
  std::vector<double> values;
  for (const R& v : elements) {
    if constexpr (detail::is_complex(dtype_of<R>)) values.push_back(v.real()), values.push_back(v.imag());
    else values.push_back(static_cast<double>(v));
  }
  REQUIRE(values.size() == wanted.values.size());
  double largest = 0, error = 0;
  for (double v : wanted.values) largest = std::max(largest, std::abs(v));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double distance = std::abs(values[i] - wanted.values[i]);
    error = std::isnan(distance) ? distance : std::max(error, distance);
  }
  const bool is_float = detail::real_part_of(dtype_of<R>) == dtype::float32;
  CHECK(error <= largest * (is_float ? 1e-5 : 2e-11) + 1e-16);
}

/// The golden file's noise.
template <class T>
array<T> noise(const shape& s) {
  std::vector<T> values;
  for (std::int64_t i = 0; i < s.elements(); ++i) {
    const std::int64_t k = i * i * 31 + i * 7919 + 13;
    const double real = static_cast<double>(k % 1009) / 504.5 - 1;
    if constexpr (std::is_integral_v<T>) values.push_back(static_cast<T>(k % 19 - 9));
    else if constexpr (detail::is_complex(dtype_of<T>))
      values.push_back(T(real, static_cast<double>((k * 3 + i) % 499) / 249.5 - 1));
    else values.push_back(static_cast<T>(real));
  }
  return asarray(values).reshape(s);
}

}  // namespace sinter::test
