// Products with sparse matrices by a kernel in C. What it does is here in C++, too, for the interpreter and machines without a
// compiler: the same additions in the same order.
#include "runtime/library/sparse.hpp"

#include <algorithm>
#include <complex>
#include <cstddef>
#include <type_traits>

#include "runtime/launch/element_types.hpp"
#include "runtime/launch/share.hpp"
#include "runtime/stream/kept_call.hpp"

namespace sinter::runtime {

namespace {

// ---- in C++

template <class T>
T plus(T a, T b) {
  if constexpr (std::is_same_v<T, bool>) {
    return a || b;
  } else if constexpr (std::is_integral_v<T>) {
    using wide = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    return static_cast<T>(static_cast<wide>(a) + static_cast<wide>(b));
  } else {
    return a + b;
  }
}

template <class T>
T term(T sum, T a, T b) {
  if constexpr (std::is_same_v<T, bool>) {
    return sum || (a && b);
  } else if constexpr (std::is_integral_v<T>) {
    using wide = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    return static_cast<T>(static_cast<wide>(sum) + static_cast<wide>(a) * static_cast<wide>(b));
  } else if constexpr (std::is_floating_point_v<T>) {
    return sum + a * b;
  } else {
    return {sum.real() + (a.real() * b.real() - a.imag() * b.imag()),
            sum.imag() + (a.real() * b.imag() + a.imag() * b.real())};
  }
}

template <class T, class I>
void multiply_vector(const sparse_product& p) {
  const T *const values = static_cast<const T*>(p.values), *const x = static_cast<const T*>(p.x);
  const I *const minor = static_cast<const I*>(p.minor), *const major = static_cast<const I*>(p.major);
  const auto added = [&](T sum, std::int64_t k) {
    return values ? term(sum, values[k], x[minor[k]]) : plus(sum, x[minor[k]]);
  };
  for (std::int64_t row = 0; row < p.rows; ++row) {
    T sums[4] = {};
    std::int64_t k = major[row];
    for (; k + 4 <= major[row + 1]; k += 4)
      for (int l = 0; l < 4; ++l) sums[l] = added(sums[l], k + l);
    for (; k < major[row + 1]; ++k) sums[0] = added(sums[0], k);
    static_cast<T*>(p.out)[row] = plus(plus(sums[0], sums[1]), plus(sums[2], sums[3]));
  }
}

template <class T, class I>
void multiply_matrix(const sparse_product& p) {
  const T *const values = static_cast<const T*>(p.values), *const x = static_cast<const T*>(p.x);
  const I *const minor = static_cast<const I*>(p.minor), *const major = static_cast<const I*>(p.major);
  for (std::int64_t row = 0; row < p.rows; ++row) {
    T* const to = static_cast<T*>(p.out) + row * p.columns;
    std::fill(to, to + p.columns, T());
    for (std::int64_t k = major[row]; k < major[row + 1]; ++k) {
      const T* const at = x + minor[k] * p.columns;
      for (std::int64_t c = 0; c < p.columns; ++c) to[c] = values ? term(to[c], values[k], at[c]) : plus(to[c], at[c]);
    }
  }
}

// Calls f with each entry, and with its column.
template <class I, class F>
void each_scattered(const scattered_product& p, F f) {
  const I* const column = static_cast<const I*>(p.column);
  if (!p.is_compressed)
    for (std::int64_t k = 0; k < p.entries; ++k) f(k, column[k]);
  for (std::int64_t m = 0; p.is_compressed && m < p.majors; ++m)
    for (std::int64_t k = column[m]; k < column[m + 1]; ++k) f(k, m);
}

template <class T, class I>
void add_products(const scattered_product& p) {
  const T *const values = static_cast<const T*>(p.values), *const x = static_cast<const T*>(p.x);
  const I* const row = static_cast<const I*>(p.row);
  T* const out = static_cast<T*>(p.out);
  const auto each = [&p](auto f) { each_scattered<I>(p, f); };
  if (!x) {
    each([&](std::int64_t k, std::int64_t) { out[row[k]] = plus(out[row[k]], values[k]); });
  } else if (p.columns == 1 && values) {
    each([&](std::int64_t k, std::int64_t from) { out[row[k]] = term(out[row[k]], values[k], x[from]); });
  } else {
    each([&](std::int64_t k, std::int64_t from) {
      T* const to = out + row[k] * p.columns;
      const T* const at = x + from * p.columns;
      for (std::int64_t c = 0; c < p.columns; ++c) to[c] = values ? term(to[c], values[k], at[c]) : plus(to[c], at[c]);
    });
  }
}

template <class T>
void add_elements(const scattered_product& p) {
  (p.index == dtype::int64 ? add_products<T, std::int64_t> : add_products<T, std::int32_t>)(p);
}

template <class T>
void multiply_elements(const sparse_product& p) {
  const bool is_wide = p.index == dtype::int64;
  if (p.is_matrix) return (is_wide ? multiply_matrix<T, std::int64_t> : multiply_matrix<T, std::int32_t>)(p);
  (is_wide ? multiply_vector<T, std::int64_t> : multiply_vector<T, std::int32_t>)(p);
}

// Calls f with a number of the dtype.
void multiply(void* with) noexcept {
  const auto& p = *static_cast<const sparse_product*>(with);
  with_number(p.type, [&](auto of) { multiply_elements<typename decltype(of)::type>(p); });
}
void add_all(void* with) noexcept {
  const auto& p = *static_cast<const scattered_product*>(with);
  with_number(p.type, [&](auto of) { add_elements<typename decltype(of)::type>(p); });
}

// ---- in C

// Null: nothing compiles it here.
loaded_kernel compiled(const sparse_product& p, device_impl& on) try {
  if (on.dialect() != codegen::dialect::c || !on.compiler()) return {};
  return kernel_of({.type = p.type, .index = p.index, .has_values = p.values != nullptr, .is_matrix = p.is_matrix}, on);
} catch (const codegen::compiler_hangs& why) {
  if (!on.do_without_compiler(why.what())) throw;
  return {};
}

}  // namespace

void add_products_on_cpu(const scattered_product& p, stream_state& on) { call_with(&add_all, p, on); }

void multiply_on_cpu(const sparse_product& p, stream_state& on) {
  const loaded_kernel code = compiled(p, on.device);
  if (!code.entry) return call_with(&multiply, p, on);
  geometry g;
  g.items = divide_up(p.rows + p.entries, codegen::sparse_item);
  g.work_per_item = codegen::sparse_item * (p.is_matrix ? 0.5 * static_cast<double>(p.columns) + 1 : 1.0);
  const codegen::sparse_arguments block{p.out,   p.values, p.minor,   p.major,   p.x,     nullptr,
                                        nullptr, p.rows,   p.columns, p.entries, g.items, 0};
  on.device.launch(code, g, &block, sizeof block, on);
}

}  // namespace sinter::runtime
