#include "codegen/source/pragmas.hpp"

#include <algorithm>

#include "codegen/ir/stages.hpp"
#include "codegen/ir/values.hpp"
#include "codegen/source/loads.hpp"

namespace sinter::codegen {

namespace {

// Is a floating number made of an integer that was made of one?
bool casts_there_and_back(const kernel& k) {
  const auto from = [&](const value& v) -> const value& { return k.values[v.args[0]]; };
  const auto casts_to_integer = [](const value& v) { return v.kind == value_kind::cast && detail::is_integer(v.type); };
  return std::ranges::any_of(k.values, [&](const value& v) {
    if (v.kind != value_kind::cast || !detail::is_floating(v.type)) return false;
    const value* whole = &from(v);
    while (casts_to_integer(*whole) && casts_to_integer(from(*whole))) whole = &from(*whole);
    return casts_to_integer(*whole) && detail::is_floating(from(*whole).type);
  });
}

// A product that is added up may become one operation with the addition, which rounds once, where a loop's form suits that; in
// the loop for another layout it may not. Sums must not depend on that, nor what a text folds.
bool adds_products(const kernel& k, math_mode math) {
  return form_of(k) == form::fold && math == math_mode::standard &&
         std::any_of(k.accumulators.begin(), k.accumulators.end(), [&](const accumulator& a) {
           const value& at = k.values[a.value];
           const bool may = at.kind == value_kind::call || (at.kind == value_kind::apply && !is_costly(at));
           return detail::is_floating(a.type) && (a.called || (a.what == reduction::sum && may));
         });
}

// Where gcc has registers of 512 bits it uses half of each. Divisions by scalars are arithmetic enough to be a quarter faster
// with the whole, but for unsigned ones of 32 bits, whose products gcc makes of 64-bit ones then; and so are folds of elements that
// become twice as wide or more, and functions, which are long chains of arithmetic, and conversions of elements of 16 bits.
bool wants_whole_registers(const kernel& k, const helper_list& used) {
  for (const helper_use& h : used)
    if (h.name == "divisor" && h.type != dtype::uint32) return true;
  const auto computes_long = [](const value& v) {
    return (v.kind == value_kind::apply && is_costly(v.code)) || detail::is_short_floating(v.type);
  };
  if (std::ranges::any_of(k.values, computes_long)) return true;
  const auto widens = [&](const accumulator& a) {
    const value& from = k.values[a.value];
    return form_of(k) == form::fold && a.what == reduction::sum && itemsize(a.type) == 8 &&
           (from.kind == value_kind::cast || a.type == dtype::float64);
  };
  return std::any_of(k.accumulators.begin(), k.accumulators.end(), widens);
}

bool is_product(const value& v) {
  return v.kind == value_kind::apply && (v.code == op::multiply || v.code == op::square) &&
         (v.type == dtype::float32 || v.type == dtype::float64);
}

}  // namespace

std::vector<bool> products_side_by_side(const kernel& k, math_mode math) {
  std::vector<bool> all(k.values.size());
  if (math != math_mode::standard) return all;
  for (const value& v : k.values) {
    if (v.kind != value_kind::apply || (v.code != op::add && v.code != op::subtract)) continue;
    if (is_product(k.values[v.args[0]]) && is_product(k.values[v.args[1]])) all[v.args[0]] = all[v.args[1]] = true;
  }
  return all;
}

std::string compiler_pragmas(const kernel& k, const variant& v, math_mode math, const helper_list& used) {
  const auto optimize = [](const char* how) { return std::string("#pragma GCC optimize(\"") + how + "\")\n"; };
  const std::vector<bool> products = products_side_by_side(k, math);
  std::string out;
  // Without traps gcc makes a truncation of float to integer to float, and that keeps the sign of a zero.
  if (casts_there_and_back(k)) out += optimize("trapping-math");
  if (adds_products(k, math) || std::ranges::count(products, true) > 0) out += optimize("fp-contract=off");
  if (loads_one_by_one(k, v)) out += optimize("no-tree-vectorize");
  // What is computed on one side of a choice alone gcc moves there, behind a branch, and then sees no vectors.
  if (is_search(k)) out += optimize("no-tree-pre");
  if (wants_whole_registers(k, used))
    out += "#ifdef __AVX512BW__\n#pragma GCC target(\"prefer-vector-width=512\")\n#endif\n";
  return out;
}

}  // namespace sinter::codegen
