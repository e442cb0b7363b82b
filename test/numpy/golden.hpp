// Reads what golden.py wrote: NumPy's results for every operation and cast, and its tables of dtypes. Tests of the
// interpreter, of generated C and of the public functions look their expected values up here. Invariant: arrays outlive
// every reference.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <sinter/dtype.hpp>

namespace sinter::test {

struct golden_array {
  dtype type;
  std::vector<std::byte> bytes;

  int size() const { return static_cast<int>(bytes.size()) / itemsize(type); }
  template <class T>
  T at(int n) const {
    T value;
    std::memcpy(&value, bytes.data() + n * sizeof(T), sizeof(T));
    return value;
  }
};

/// An operation of ops.def, or "cast". The inputs have the dtype of the operands, before they are promoted to what is
/// computed in (`where`: of the last two, the first is bool).
struct golden_record {
  std::string name;
  std::vector<const golden_array*> inputs;
  const golden_array* result;

  dtype operand() const { return inputs.back()->type; }
};

/// operations.golden. Little-endian: "sinter golden 1\n", two u32 counts, the arrays (u8 dtype as in enum dtype, u32
/// length, elements), the records (u8 length and name, u8 number of inputs, a u32 array number for each and for the
/// result).
class golden_file {
 public:
  explicit golden_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    data_.assign(std::istreambuf_iterator<char>(in), {});
    if (take_text(16) != "sinter golden 1\n") throw std::runtime_error("not a golden file: " + path);
    arrays_.resize(take<std::uint32_t>());
    records_.resize(take<std::uint32_t>());
    for (golden_array& a : arrays_) {
      a.type = static_cast<dtype>(take<std::uint8_t>());
      const std::string bytes = take_text(take<std::uint32_t>() * std::size_t(itemsize(a.type)));
      a.bytes.resize(bytes.size());
      std::memcpy(a.bytes.data(), bytes.data(), bytes.size());
    }
    for (golden_record& r : records_) {
      r.name = take_text(take<std::uint8_t>());
      for (int left = take<std::uint8_t>(); left > 0; --left) r.inputs.push_back(take_array());
      r.result = take_array();
    }
  }

  const std::vector<golden_record>& records() const { return records_; }

 private:
  std::string take_text(std::size_t count) {
    if (count > data_.size() - at_) throw std::runtime_error("a golden file ends too early");
    at_ += count;
    return data_.substr(at_ - count, count);
  }
  template <class T>
  T take() {
    const std::string bytes = take_text(sizeof(T));
    T value;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  const golden_array* take_array() { return &arrays_.at(take<std::uint32_t>()); }

  std::string data_;
  std::size_t at_ = 0;
  std::vector<golden_array> arrays_;
  std::vector<golden_record> records_;
};

inline std::string golden_path(const std::string& name) { return SINTER_SOURCE_DIR "/test/numpy/golden/" + name; }

inline const golden_file& golden() {
  static const golden_file file(golden_path("operations.golden"));
  return file;
}

/// The same of float16, bfloat16, complex64 and complex128, and of the casts to and from them.
inline const golden_file& golden_short_complex() {
  static const golden_file file(golden_path("short_complex.golden"));
  return file;
}

/// Reductions and scans of them, of arrays of shape (3, 4, 5): "sum.1" along axis 1, "sum.all" along all.
inline const golden_file& golden_short_complex_folds() {
  static const golden_file file(golden_path("short_complex_folds.golden"));
  return file;
}

/// The records of the operations of all dtypes.
inline std::vector<const golden_record*> all_golden() {
  std::vector<const golden_record*> all;
  for (const golden_file* file : {&golden(), &golden_short_complex()})
    for (const golden_record& r : file->records()) all.push_back(&r);
  return all;
}

/// Words of one line of dtypes.txt, as "promote int8 uint8 int16".
using words = std::vector<std::string>;
inline std::vector<words> golden_dtypes() {
  std::ifstream in(golden_path("dtypes.txt"));
  std::vector<words> lines;
  for (std::string word; in >> word;) {
    if (word == "promote" || word == "weak" || word == "operation") lines.emplace_back();
    lines.back().push_back(word);
  }
  return lines;
}

/// What the unit in the last place of a dtype's numbers is made of.
struct precision {
  int digits, min_exponent;
  double largest;
};
template <class T>
constexpr precision precision_of = {std::numeric_limits<T>::digits, std::numeric_limits<T>::min_exponent,
                                    static_cast<double>(std::numeric_limits<T>::max())};
template <>
inline constexpr precision precision_of<half> = {11, -13, 65504};
template <>
inline constexpr precision precision_of<bfloat16> = {8, -125, 0x1.fep127};

/// The unit in the last place of numbers of that size.
inline double unit_of(precision p, double size) {
  int exponent;
  std::frexp(size, &exponent);
  return std::ldexp(1.0, std::max(exponent, p.min_exponent) - p.digits);
}

/// How far two numbers are apart, in units in the last place of a number as large as `scale`, or as `wanted` if that is
/// larger. NaN and infinities are met exactly or not at all; at the end of the range a neighbour of infinity counts as
/// one unit away.
inline double units_apart(precision p, double got, double wanted, double scale) {
  const double never = std::numeric_limits<double>::infinity();
  if (std::isnan(got) || std::isnan(wanted)) return std::isnan(got) == std::isnan(wanted) ? 0 : never;
  if (got == wanted) return 0;
  if (std::isinf(got) || std::isinf(wanted)) {
    const double finite = std::isinf(got) ? wanted : got;
    return got * wanted > 0 && std::fabs(finite) > p.largest / 2 * (2 - std::ldexp(16.0, 1 - p.digits)) ? 1 : never;
  }
  const double unit = unit_of(p, std::max(std::fabs(wanted), std::isfinite(scale) ? std::fabs(scale) : 0.0));
  return unit > 0 ? std::fabs(got - wanted) / unit : never;
}
template <class T>
double ulps_apart(T got, T wanted, T scale = 0) {
  return units_apart(precision_of<T>, static_cast<double>(got), static_cast<double>(wanted),
                     static_cast<double>(scale));
}

/// The distance of two complex numbers in the plane, in units in the last place of their size; of parts that are not finite as
/// above, where the sign of an infinity or a zero beside NaN is anyone's.
template <class T>
double ulps_apart(std::complex<T> got, std::complex<T> wanted, bool whole_sizes = true) {
  const double never = std::numeric_limits<double>::infinity();
  const T have[] = {got.real(), got.imag()}, want[] = {wanted.real(), wanted.imag()};
  const bool undefined = std::isnan(want[0]) || std::isnan(want[1]);
  double apart[2] = {}, alone = 0;
  for (int part : {0, 1}) {
    const T h = undefined ? std::fabs(have[part]) : have[part], w = undefined ? std::fabs(want[part]) : want[part];
    if (h == 0 && w == 0 && std::signbit(h) != std::signbit(w)) return never;
    const double units = ulps_apart<T>(h, w);
    if (std::isfinite(want[0]) && std::isfinite(want[1]) && std::isfinite(h) && whole_sizes)
      apart[part] = std::fabs(double(h) - double(w));
    else alone = std::max(alone, units);
  }
  const double unit = unit_of(precision_of<T>, std::hypot(double(want[0]) / 2, double(want[1]) / 2)) * 2;
  return std::max(alone,
                  alone < never && unit > 0 && std::isfinite(unit) ? std::hypot(apart[0], apart[1]) / unit : 0.0);
}

}  // namespace sinter::test
