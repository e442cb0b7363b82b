// Operands of golden_sparse.py and golden_sparse_algebra.py, and what SciPy gives of them: the lines of test/numpy/golden/sparse.txt
// and sparse_algebra.txt.
#pragma once

#include <sinter/sparse.hpp>

#include "test/support/all_cases.hpp"
#include "test/support/statistics_cases.hpp"

namespace sinter::test {

/// `typed` of that file.
template <class T>
array<T> sparse_values(const lazy<std::int64_t>& k, const lazy<std::int64_t>& imaginary) {
  if constexpr (std::is_same_v<T, bool>) return k > 0;
  else if constexpr (std::is_unsigned_v<T>) return astype<T>(abs(k));
  else if constexpr (std::is_integral_v<T>) return astype<T>(k);
  else if constexpr (detail::complex_number<T>)
    return astype<T>(make_complex(astype<double>(k) * 0.5, astype<double>(imaginary) * 0.25));
  else return astype<T>(astype<double>(k) * 0.5);
}

inline const std::pair<const char*, shape> sparse_shapes[] = {
    {"general", {5, 7}},    {"tall", {9, 4}}, {"square", {6, 6}}, {"no rows", {0, 4}},
    {"no columns", {3, 0}}, {"zero", {3, 4}}, {"one", {1, 1}}};

template <class T>
array<T> sparse_matrix_named(const std::string& name, const shape& s) {
  const array<std::int64_t> i = arange(s[0]).reshape(s[0], 1), j = arange(s[1]);
  const auto stored = (i * 5 + j * 3) % 4 == 0 && i != 2 && name != "zero";
  const array<T> all = sparse_values<T>((i * 7 + j * 11) % 13 - 6, (i + 2 * j) % 5 - 2);
  return where(stored, all, zeros<T>({}));
}

template <class T>
array<T> dense_operand(const shape& s) {
  const array<std::int64_t> n = arange(s.elements()).reshape(s);
  return sparse_values<T>(n * 3 % 7 - 3, n % 3 - 1);
}

/// Of a test: what SciPy's results are compared with.
class sparse_comparison {
 public:
  sparse_comparison(dtype t, std::string of, const char* file = "sparse.txt")
      : type_(t), of_(std::move(of)), file_(file) {}

  template <class E>
  void operator()(const std::string& name, const E& e) const {
    using R = typename E::sinter_element;
    static std::map<std::string, std::map<std::string, numpy_case>> files;
    std::map<std::string, numpy_case>& all = files[file_];
    if (all.empty()) all = read_numpy_cases(file_, 3);
    CAPTURE(name);
    CAPTURE(of_);
    CAPTURE(std::string(sinter::name(type_)));
    const auto at = all.find(name + '|' + sinter::name(type_) + '|' + of_);
    REQUIRE(at != all.end());
    const numpy_case& want = at->second;
    CHECK(e.shape() == shape(want.extents));
    const std::vector<double> got = parts_in_order(lazy<R>(e));
    REQUIRE(got.size() == want.elements.size());
    const double tolerance = type_ == dtype::float32 || type_ == dtype::complex64 ? 1e-5 : 1e-12;
    for (std::size_t i = 0; i < got.size(); ++i)
      if (!is_near(got[i], want.elements[i], 1, tolerance)) {
        CAPTURE(i);
        CHECK(got[i] == want.elements[i]);
      }
  }

 private:
  dtype type_;
  std::string of_;
  const char* file_;
};

/// Kernels take time to compile, but on the interpreter: elsewhere each function has some shapes and dtypes.
inline bool is_sparse_case_here(const std::string& name) { return takes_all_cases() || name == "general"; }
template <class T>
bool is_sparse_dtype_here() {
  return takes_all_cases() || std::is_same_v<T, bool> || std::is_same_v<T, double> ||
         std::is_same_v<T, std::complex<float>>;
}
/// Of products, which have a kernel for each dtype: those that differ in more than their names.
template <class T>
bool is_product_here() {
  return is_sparse_dtype_here<T>() || std::is_same_v<T, std::int8_t> || std::is_same_v<T, std::uint32_t> ||
         std::is_same_v<T, std::int64_t> || std::is_same_v<T, float> || std::is_same_v<T, std::complex<double>>;
}

}  // namespace sinter::test
