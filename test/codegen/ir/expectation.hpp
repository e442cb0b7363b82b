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

template <class T>
double largest_term(const std::vector<std::vector<std::byte>>& operands, int n) {
  T largest = 1;
  for (const auto& o : operands) largest = std::max(largest, std::fabs(element<T>(o.data(), n)));
  return largest;
}

/// How far element n of `got` is from what the record expects: 0 is the same value (any NaN for a NaN, zeros with their
/// sign where the bound is 0), otherwise units in the last place; infinity if that makes no sense.
template <class T>
double distance(const golden_record& r, const std::vector<std::vector<std::byte>>& operands, const std::byte* got,
                int n) {
  const T have = element<T>(got, n), want = r.result->at<T>(n);
  if constexpr (!std::is_floating_point_v<T>) {
    return have == want ? 0 : std::numeric_limits<double>::infinity();
  } else {
    const int row = row_of_record(r);
    const bool exact = row == detail::op_count || op_rows[row].ulp == 0;
    if (exact && have == 0 && want == 0 && std::signbit(have) != std::signbit(want)) return 1;
    return ulps_apart<T>(have, want, cancels(r.name) ? static_cast<T>(largest_term<T>(operands, n)) : T(0));
  }
}

inline double distance(const golden_record& r, const std::vector<std::vector<std::byte>>& operands,
                       const std::byte* got, int n) {
  switch (r.result->type) {
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
    double shown = 0;
    codegen::find_cast(dtype::float64, in->type)(in->bytes.data() + n * itemsize(in->type), &shown, 1);
    char digits[40];
    std::snprintf(digits, sizeof digits, "%.17g", shown);
    text += (text.empty() ? "" : ", ") + std::string(digits);
  }
  return text;
}

}  // namespace sinter::test
