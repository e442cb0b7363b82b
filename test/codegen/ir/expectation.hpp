// What a golden record expects, judged: shared by the tests that compute it with the interpreter's loops and with
// compiled C.
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "codegen/ir/interpret_ops.hpp"
#include "test/codegen/ir/op_rows.hpp"
#include "test/numpy/golden.hpp"

namespace sinter::test {

/// The number of the row, or op_count for "cast".
inline int row_of_record(const golden_record& r) {
  return static_cast<int>(
      std::find_if(std::begin(op_rows), std::end(op_rows), [&](auto& o) { return r.name == o.name; }) -
      std::begin(op_rows));
}

/// Is the value of a row exact of complex numbers too? Of these a product or a quotient is several operations, which a device may
/// round together, and a square root a function.
inline bool is_exact_of_complex(sinter::op code) {
  for (const sinter::op rounds :
       {op::multiply, op::divide, op::square, op::reciprocal, op::sqrt, op::absolute, op::sign})
    if (code == rounds) return false;
  return op_rows[static_cast<int>(code)].ulp == 0;
}

/// How far a result may be from what a record expects. A number of 16 bits is rounded once from what float gives, and a complex
/// one's distance is in the plane.
inline double bound_of(const golden_record& r) {
  const int row = row_of_record(r);
  if (row == detail::op_count) return 0;
  const double ulp = op_rows[row].ulp;
  if (detail::is_complex(r.operand())) return is_exact_of_complex(static_cast<op>(row)) ? 0 : ulp == 0 ? 4 : 8;
  return detail::is_short_floating(r.operand()) ? std::min(ulp, 1.0) : ulp;
}

/// A record's operands as the dtype its operation computes in, each padded to the same number of elements.
inline std::vector<std::vector<std::byte>> computed_operands(const golden_record& r, dtype computed) {
  std::vector<std::vector<std::byte>> all;
  for (const golden_array* in : r.inputs) {
    const bool chooses = r.inputs.size() == 3 && in == r.inputs[0] && in->type == dtype::bool_ && r.name == "where";
    const dtype to = chooses ? dtype::bool_ : computed;
    std::vector<std::byte> out(static_cast<std::size_t>(in->size()) * itemsize(to));
    codegen::find_cast(to, in->type)(in->bytes.data(), out.data(), in->size());
    all.push_back(std::move(out));
  }
  return all;
}

template <class T>
T element(const std::byte* data, int n) {
  T value;
  std::memcpy(&value, data + n * sizeof(T), sizeof(T));
  return value;
}

/// Is it the same value, NaN for NaN and zeros with their sign?
template <class T>
bool same_bits(std::complex<T> a, std::complex<T> b) {
  const auto same = [](T x, T y) { return x == y ? std::signbit(x) == std::signbit(y) : x != x && y != y; };
  return same(a.real(), b.real()) && same(a.imag(), b.imag());
}

template <class T>
double largest_term(const std::vector<std::vector<std::byte>>& operands, int n) {
  T largest = 1;
  for (const auto& o : operands) {
    const T size = static_cast<T>(std::fabs(element<T>(o.data(), n)));
    if (largest < size) largest = size;
  }
  return largest;
}

/// By how much an error of a power's exponent grows: as much as the exponent is long.
template <class T>
double growth(const golden_record& r, int n) {
  if (r.name != "power") return 1;
  const auto a = r.inputs[0]->at<std::complex<T>>(n), b = r.inputs[1]->at<std::complex<T>>(n);
  const double length = std::abs(b) * (1 + std::abs(std::log(a)));
  return std::isfinite(length) ? 1 + length : 1;
}

/// How far element n of `got` is from what the record expects: 0 is the same value (any NaN for a NaN, zeros with their
/// sign where the bound is 0), otherwise units in the last place; infinity if that makes no sense.
template <class T>
double distance(const golden_record& r, const std::vector<std::vector<std::byte>>& operands, const std::byte* got,
                int n) {
  const T have = element<T>(got, n), want = r.result->at<T>(n);
  if constexpr (detail::complex_number<T>) {
    const bool undefined = have != have && want != want;
    if (bound_of(r) == 0 && !undefined) return same_bits(have, want) ? 0 : std::numeric_limits<double>::infinity();
    // Sums that underflow have either sign.
    const T zero = r.name == "expm1" || r.name == "sinc" ? T(0) : T(-0.0, -0.0);
    return ulps_apart(have + zero, want + zero) / growth<typename T::value_type>(r, n);
  } else if constexpr (std::is_integral_v<T>) {
    return have == want ? 0 : std::numeric_limits<double>::infinity();
  } else {
    if (bound_of(r) == 0 && have == 0 && want == 0 && std::signbit(float(have)) != std::signbit(float(want))) return 1;
    return ulps_apart<T>(have, want, cancels(r.name) ? static_cast<T>(largest_term<T>(operands, n)) : T(0));
  }
}

inline double distance(const golden_record& r, const std::vector<std::vector<std::byte>>& operands,
                       const std::byte* got, int n) {
  switch (r.result->type) {
    case dtype::float16: return distance<half>(r, operands, got, n);
    case dtype::bfloat16: return distance<bfloat16>(r, operands, got, n);
    case dtype::complex64: return distance<std::complex<float>>(r, operands, got, n);
    case dtype::complex128: return distance<std::complex<double>>(r, operands, got, n);
    case dtype::float32: return distance<float>(r, operands, got, n);
    case dtype::float64: return distance<double>(r, operands, got, n);
    default: break;
  }
  const int size = itemsize(r.result->type);
  const bool same = std::memcmp(got + n * size, r.result->bytes.data() + n * size, size) == 0;
  return same ? 0 : std::numeric_limits<double>::infinity();
}

/// "3.5, nan": the operands of a point, for messages.
inline std::string operands_at(const golden_record& r, int n) {
  std::string text;
  for (const golden_array* in : r.inputs) {
    std::complex<double> shown;
    codegen::find_cast(dtype::complex128, in->type)(in->bytes.data() + n * itemsize(in->type), &shown, 1);
    char digits[80];
    if (detail::is_complex(in->type))
      std::snprintf(digits, sizeof digits, "(%.17g, %.17g)", shown.real(), shown.imag());
    else std::snprintf(digits, sizeof digits, "%.17g", shown.real());
    text += (text.empty() ? "" : ", ") + std::string(digits);
  }
  return text;
}

}  // namespace sinter::test
