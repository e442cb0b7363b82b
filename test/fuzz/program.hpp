// A program as data: steps over the values of earlier steps, in the words of Sinter's public surface. What a step gives is
// inferred here, without the library; the other files make programs, run them, print them and make them smaller.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include <sinter/detail/operand.hpp>
#include <sinter/options.hpp>

namespace sinter::fuzz {

/// A number in a program: a C++ literal, or a `strong` one.
struct number {
  dtype type = dtype::int64;
  bool strong = false;
  detail::scalar_bits bits{};
};

/// A step's value, by the number of the step, or a number.
struct operand {
  int step = -1;
  number scalar{};
  bool is_step() const { return step >= 0; }
};

enum class form : std::uint8_t {
  input,
  index,
  apply,
  cast,
  view,
  pick,
  transpose,
  reshape,
  broadcast,
  reduce,
  scan,
  move,
  call,
  array,
  store
};
/// How a step moves elements.
enum class motion : std::uint8_t { take, along, flip, tile, roll, repeat, pad, triangle, diagonal, concatenate, stack };
inline constexpr int motion_count = 11;
/// Which elements a store names: those of an index list, or parts of those, `z(i).real() = x`; those under a mask, `a(mask) = x` or
/// `store_where(a, mask, x)`; flattened ones, `put(a, k, x)`. And one that combines, by `code`: `scatter_add(a(k), x)` and its kin.
enum class storing : std::uint8_t { items, real, imag, combine, mask, where, put };
constexpr bool stores_parts(storing s) { return s == storing::real || s == storing::imag; }
constexpr bool stores_under_mask(storing s) { return s == storing::mask || s == storing::where; }
/// The library's reductions as it numbers them, then those that are made of them.
enum class fold : std::uint8_t {
#define SINTER_REDUCTION(name, ...) name,
#define SINTER_SCANNED(...)
#define SINTER_TEXT(...)
#include <sinter/reductions.def>
#undef SINTER_REDUCTION
  mean,
  var,
  stddev
};
inline constexpr const char* fold_names[] = {
#define SINTER_REDUCTION(name, ...) #name,
#define SINTER_SCANNED(...)
#define SINTER_TEXT(...)
#include <sinter/reductions.def>
#undef SINTER_REDUCTION
    "mean", "var", "stddev"};
constexpr const char* name(fold f) { return fold_names[static_cast<int>(f)]; }
/// What the library says of a fold; null: it is made of others.
constexpr const detail::reduction_facts* facts_of(fold f) {
  return f < fold::mean ? &detail::facts(static_cast<detail::reduction>(f)) : nullptr;
}
/// Does it take a mask, a first value, leave NaN out?
constexpr bool takes_mask(fold f) { return f != fold::argmin && f != fold::argmax; }
constexpr bool takes_initial(fold f) { return f == fold::sum || f == fold::prod || f == fold::min || f == fold::max; }
constexpr bool skips_nan(fold f) { return takes_mask(f) && f != fold::any && f != fold::all; }

/// May a caller choose the dtype that it folds in?
constexpr bool chooses_dtype(fold f) { return f >= fold::mean || facts_of(f)->gives == detail::folded_dtype::sums; }

/// One statement, or a part of one.
struct step {
  form what = form::input;
  bool temporary = false;                 // written inside the one statement that uses it, not under a name
  bool updates = false;                   // store: `+=` and its kin, by `code`, and not `=`
  bool keepdims = false;                  // reduce; triangle: the lower one
  bool as_text = false;                   // apply: by a function given as text
  bool skips_nan = false;                 // reduce: nansum and its kin
  op code = op::add;                      // apply, store
  fold folding = fold::sum;               // reduce
  detail::reduction scanning{};           // scan
  storing into = storing::items;          // store
  dtype type = dtype::float32;            // input, cast, reduce, scan
  int ddof = 0;                           // reduce; pad: which mode
  motion moving = motion::take;           // move
  int calling = 0;                        // call: which row of calls.cpp
  std::optional<std::int64_t> initial{};  // reduce: a first value
  std::vector<operand>
      operands{};  // store: the array that is stored into, the value, a mask, or of a put the places; then, and of a pick,
                   // the arrays of indices; reduce: of what, under which mask
  std::vector<detail::index_item> items{};  // view, pick; store: none is all of the array
  std::vector<std::int64_t> extents{};      // input, index, reshape, broadcast; move, call: numbers it takes
  std::optional<std::vector<int>> axes{};   // index, move, call: one; transpose, reduce, scan: none is all of them
  std::vector<std::byte> elements{};        // input
};

/// Steps in order, and those whose values are asked for, together, at the end.
struct program {
  std::vector<step> steps{};
  std::vector<int> results{};
};

/// What a step gives; a store gives the array that was stored into.
struct outline {
  dtype type;
  shape extents;
};

/// The outline of one more step behind those known; none where the library would refuse it.
std::optional<outline> outline_of(const step&, const std::vector<outline>& known);
/// The outlines of all steps; none where one is wrong, or where more than one statement or none uses a temporary.
std::optional<std::vector<outline>> outlines_of(const program&);

/// Are there arrays of integers in its index list?
bool picks(const step&);
/// Which of a step's operands is the first of these.
constexpr std::size_t first_picked(const step& s) { return s.what == form::store ? 2 : 1; }
/// The lengths of the axes that they pick from, in their order. Any integers become indices of an axis by their remainder.
std::vector<std::int64_t> lengths_picked(const step&, const shape& from);

/// Can `temporary` be said of this step of the program? It has one user, and no store stands between the two.
bool may_be_temporary(const program&, int at);
/// Can it be stored into? It is an array under a name.
bool is_variable(const program&, int at);

/// The dtypes of operands as promotion sees them.
detail::weight weight_of(const operand&, const std::vector<outline>& known);
/// What an elementwise operation makes of them.
detail::outcome outcome_of(op, const std::vector<operand>&, const std::vector<outline>& known);
/// The body of a function of a, b and c that does the same as an operation computed in a dtype, in C and in CUDA C++; null: there is
/// none.
const char* text_of(op, dtype computed);
/// Of a store that updates: the operation on the elements, or parts of them, and the value.
detail::outcome update_outcome(const step&, const std::vector<outline>& known);
/// Of a store into parts: what makes complex numbers of the new parts and the others.
detail::outcome pair_outcome(const step&, const std::vector<outline>& known);
/// Is a number of a kind and size that C++ takes where `type` is computed in?
bool fits(const number&, dtype type);

template <class T, class... More, class F>
auto with_one_of(dtype t, F&& f) {
  if constexpr (sizeof...(More) > 0)
    if (t != dtype_of<T>) return with_one_of<More...>(t, f);
  return f(T());
}
/// Calls f(T()) for the element type T of a dtype.
template <class F>
auto with_type(dtype t, F&& f) {
  return with_one_of<bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                     std::int64_t, std::uint64_t, half, bfloat16, float, double, std::complex<float>,
                     std::complex<double>>(t, f);
}
inline constexpr dtype element_types[] = {dtype::bool_,   dtype::int8,      dtype::uint8,     dtype::int16,
                                          dtype::uint16,  dtype::int32,     dtype::uint32,    dtype::int64,
                                          dtype::uint64,  dtype::float16,   dtype::bfloat16,  dtype::float32,
                                          dtype::float64, dtype::complex64, dtype::complex128};

/// The value of a number, as the C++ type it has.
template <class T>
T value_of(const number& n) {
  if constexpr (std::is_same_v<T, bool>) return n.bits.as_bool;
  else if constexpr (std::is_same_v<T, float>) return n.bits.as_float;
  else if constexpr (std::is_same_v<T, double>) return n.bits.as_double;
  else if constexpr (detail::short_number<T>) return T::from_bits(static_cast<std::uint16_t>(n.bits.as_unsigned));
  else if constexpr (detail::complex_number<T>) {
    T value;
    std::memcpy(&value, n.bits.bytes, sizeof value);
    return value;
  } else return static_cast<T>(n.bits.as_signed);
}
template <class T>
number number_of(T value, bool strong = false) {
  return {dtype_of<T>, strong, detail::to_bits(value)};
}
/// The same as an operand of dtype `to`, cast as the front end does.
detail::scalar_bits converted(const number&, dtype to);

}  // namespace sinter::fuzz
