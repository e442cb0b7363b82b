// A plain reference for the tests: elements in C order as long double, which holds every element of every dtype
// exactly, and reductions as loops over them.
#pragma once

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <sinter/array.hpp>

#include "codegen/ir/node.hpp"

namespace sinter::test {

using detail::handle;
using exact = long double;

struct tensor {
  shape extents;
  std::vector<exact> at;
};

inline dtype dtype_of_node(detail::node* n) { return static_cast<detail::typed_node*>(n)->type; }

template <class T>
void append_as(std::vector<exact>& to, const std::byte* from, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    T x;
    std::memcpy(&x, from + i * static_cast<std::int64_t>(sizeof x), sizeof x);
    to.push_back(static_cast<exact>(x));
  }
}

/// The value of any node.
inline tensor value_of(detail::node* n) {
  tensor t{detail::shape_of(n), {}};
  const std::int64_t count = t.extents.elements();
  std::vector<std::byte> raw(static_cast<std::size_t>(count * itemsize(dtype_of_node(n))));
  detail::read_all(n, raw.data(), static_cast<std::size_t>(count), {}, {});
  switch (dtype_of_node(n)) {
    case dtype::bool_: append_as<bool>(t.at, raw.data(), count); break;
    case dtype::int8: append_as<std::int8_t>(t.at, raw.data(), count); break;
    case dtype::uint8: append_as<std::uint8_t>(t.at, raw.data(), count); break;
    case dtype::int16: append_as<std::int16_t>(t.at, raw.data(), count); break;
    case dtype::uint16: append_as<std::uint16_t>(t.at, raw.data(), count); break;
    case dtype::int32: append_as<std::int32_t>(t.at, raw.data(), count); break;
    case dtype::uint32: append_as<std::uint32_t>(t.at, raw.data(), count); break;
    case dtype::int64: append_as<std::int64_t>(t.at, raw.data(), count); break;
    case dtype::uint64: append_as<std::uint64_t>(t.at, raw.data(), count); break;
    case dtype::float32: append_as<float>(t.at, raw.data(), count); break;
    default: append_as<double>(t.at, raw.data(), count);
  }
  return t;
}
template <detail::expression E>
tensor value_of(const E& e) {
  return value_of(handle(e.share()).get());
}

/// The reductions by name, in the order of `reductions`.
enum class fold { sum, prod, min, max, any, all, argmin, argmax, mean, var, stddev };
inline constexpr fold folds[] = {fold::sum,    fold::prod,   fold::min,  fold::max, fold::any,   fold::all,
                                 fold::argmin, fold::argmax, fold::mean, fold::var, fold::stddev};
inline constexpr const char* fold_names[] = {"sum",    "prod",   "min",  "max", "any",   "all",
                                             "argmin", "argmax", "mean", "var", "stddev"};
/// Positions are counted along one axis, or over all.
inline bool may_fold(fold f, unsigned mask, int rank) {
  const bool one_or_all = (mask & (mask - 1)) == 0 ? mask != 0 : mask == (1u << rank) - 1;
  return (f != fold::argmin && f != fold::argmax) || one_or_all;
}
inline std::string name_of(fold f) { return fold_names[static_cast<int>(f)]; }

/// The node that a reduction function of the library makes, over the axes whose bits are set.
inline handle reduced(detail::node* n, fold f, unsigned mask, bool keepdims = false) {
  detail::axis_list axes;
  axes.count = 0;
  for (int d = 0; d < detail::shape_of(n).size(); ++d)
    if (mask >> d & 1) axes.axes[axes.count++] = d;
  const dtype t = dtype_of_node(n), floating = detail::mean_dtype(t);
  const handle of(detail::retain(n));
  switch (f) {
    case fold::sum:
    case fold::prod:
      return handle(detail::make_reduction(of, static_cast<detail::reduction>(f),
                                           detail::reduced_dtype(detail::reduction::sum, t), axes, keepdims));
    case fold::min:
    case fold::max: return handle(detail::make_reduction(of, static_cast<detail::reduction>(f), t, axes, keepdims));
    case fold::argmin:
    case fold::argmax:
      if (axes.count > 1) axes.count = -1;
      return handle(detail::make_reduction(of, static_cast<detail::reduction>(f), dtype::int64, axes, keepdims));
    case fold::any:
    case fold::all:
      return handle(detail::make_reduction(of, static_cast<detail::reduction>(f), dtype::bool_, axes, keepdims));
    case fold::mean: return handle(detail::make_mean(of, floating, axes, keepdims));
    default: return handle(detail::make_variance(of, floating, axes, keepdims, 0, f == fold::stddev));
  }
}

/// One reduction of a list of elements.
inline exact folded(const std::vector<exact>& list, fold f) {
  const exact n = static_cast<exact>(list.size());
  exact sum = 0, product = 1, low = std::numeric_limits<exact>::infinity(), high = -low, squares = 0;
  std::size_t lowest = 0, highest = 0;
  bool any = false, all = true;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const exact x = list[i], least = list[lowest], most = list[highest];
    if (x < least || (x != x && least == least)) lowest = i;
    if (x > most || (x != x && most == most)) highest = i;
  }
  for (exact x : list) {
    sum += x;
    product *= x;
    low = x < low || x != x ? x : low;
    high = x > high || x != x ? x : high;
    any = any || x != 0;
    all = all && x != 0;
  }
  for (exact x : list) squares += (x - sum / n) * (x - sum / n);
  switch (f) {
    case fold::sum: return sum;
    case fold::prod: return product;
    case fold::min: return low;
    case fold::max: return high;
    case fold::any: return any;
    case fold::all: return all;
    case fold::argmin: return static_cast<exact>(lowest);
    case fold::argmax: return static_cast<exact>(highest);
    case fold::mean: return sum / n;
    case fold::var: return squares / n;
    default: return std::sqrt(squares / n);
  }
}

/// The reference for `reduced`.
inline tensor reduced(const tensor& from, fold f, unsigned mask, bool keepdims = false) {
  const int rank = from.extents.size();
  tensor to;
  int kept = 0;
  for (int d = 0; d < rank; ++d) {
    if ((mask >> d & 1) && !keepdims) continue;
    to.extents.set_size(kept + 1);
    to.extents[kept++] = mask >> d & 1 ? 1 : from.extents[d];
  }
  std::vector<std::vector<exact>> lists(static_cast<std::size_t>(to.extents.elements()));
  for (std::size_t i = 0; i < from.at.size(); ++i) {
    std::size_t rest = i, into = 0, step = 1;
    for (int d = rank - 1; d >= 0; --d) {
      const auto extent = static_cast<std::size_t>(from.extents[d]);
      if (!(mask >> d & 1)) into += rest % extent * step, step *= extent;
      rest /= extent;
    }
    lists[into].push_back(from.at[i]);
  }
  for (const auto& list : lists) to.at.push_back(folded(list, f));
  return to;
}

/// The largest difference, relative to the larger of the wanted value and `floor`; infinity where shapes or NaNs
/// differ.
inline double worst(const tensor& got, const tensor& wanted, exact floor = 1) {
  const double never = std::numeric_limits<double>::infinity();
  if (!(got.extents == wanted.extents) || got.at.size() != wanted.at.size()) return never;
  double largest = 0;
  for (std::size_t i = 0; i < got.at.size(); ++i) {
    const exact g = got.at[i], w = wanted.at[i];
    if (g == w || (g != g && w != w)) continue;
    const double d = static_cast<double>(std::fabs(g - w) / std::fmax(std::fabs(w), floor));
    if (!(d <= largest)) largest = d == d ? d : never;
  }
  return largest;
}

}  // namespace sinter::test
