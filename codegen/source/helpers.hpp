// Text of operations: what a row of ops.def says, with names, types and helper functions put in. The emitter calls
// spell() for every value and prints what the helper_list says before the kernel. Invariant: text of
// one dialect never depends on anything but the arguments here, so equal kernels have equal text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/ir/kernel.hpp"

namespace sinter::codegen {

/// One row of prelude.def, of complex.def, or of special.def (special_texts.hpp). An empty text: no such function for that kind
/// of type.
struct helper_text {
  std::string_view name;
  std::string_view parameters;
  std::string_view result;
  std::string_view real;
  std::string_view integer;
  std::string_view complex = {};
  std::string_view single = {};  // for float, where it is not `real`
};

/// The row of that name for such a type, or null.
const helper_text* find_helper(std::string_view name, dtype = dtype::float32);

/// A helper made for one dtype, as in `floor_divide_f32`.
struct helper_use {
  std::string_view name;
  dtype type;
  friend bool operator==(const helper_use&, const helper_use&) = default;
};

/// Helpers to define, each once and after those it calls.
using helper_list = std::vector<helper_use>;

/// The expression for an operation computed in `computed`. Arguments are identifiers or literals of that dtype (where:
/// the first is a bool). The text's value is to be converted to the dtype the operation gives, as initialising a
/// variable does. Errors: `internal_error` if the operation is not there for that dtype.
std::string spell(op, dtype computed, dialect, const std::string_view args[3], helper_list& used);

/// Is the text in C, for real numbers, no more than the call of a function of which there are vectors?
bool calls_vector_function(op);

/// Does the text divide faster by a scalar of which a divisor is made, `divisor_i32(s)`, before the first element?
bool has_divisor(op, dtype computed, dialect);

/// The function that makes a divisor of a scalar, and the struct that it makes.
inline std::string divisor_name(dtype t) { return std::string("divisor_") + detail::facts(t).short_name; }

/// The expression for such an operation, given the names of the dividend and of the divisor.
std::string spell_by(op, dtype computed, std::string_view dividend, std::string_view divisor, helper_list& used);

/// May the result of an integer operation have wrapped round? Then its text works in U.
bool may_wrap(op);

/// CUDA: an integer text, of a result of the narrow dtype that may have wrapped, as the 32 bits it was computed in. Without
/// this the compiler computes in 16 bits, and where the result is used as a wider number ptxas (13.0) does so as if it had
/// not wrapped: minus the int16 -32768 becomes 32768.
std::string in_32_bits(std::string_view text, dtype, helper_list& used);

/// Integers that C and CUDA promote to int wherever they are used.
constexpr bool is_narrow(dtype t) { return detail::is_integer(t) && itemsize(t) < 4; }

/// The name of a helper made for a dtype, which is used from now on.
std::string spell_helper(std::string_view name, dtype, helper_list& used);

/// `arg`, of dtype `from`, as a `to`.
std::string spell_cast(dtype to, dtype from, std::string_view arg, helper_list& used);

/// The definitions of the types of 16 bits and of the complex ones that a text names.
std::string type_definitions(std::string_view text, dialect);
/// CUDA: the shuffles that a text calls, for complex numbers.
std::string shuffle_definitions(std::string_view text, dtype);

/// Does a kernel divide integers of 64 bits more often than its text can have room for, in CUDA?
bool divides_often(const kernel&);

/// The definition of a helper for one dtype. `divides_often`: quotients are functions that are called.
std::string helper_definition(const helper_use&, dialect, bool divides_often = false);

/// CUDA: an element of a dtype that is zero.
inline std::string spell_zero(dtype t) {
  return detail::is_complex(t) ? std::string(detail::facts(t).text) + "{}" : "0";
}

/// How types are spelled in generated text: T of a dtype, and U, unsigned and at least as wide as int.
constexpr std::string_view spelling(dtype t) { return detail::facts(t).text; }
constexpr std::string_view modular_spelling(dtype t) {
  return itemsize(t) == 8 ? "unsigned long long" : "unsigned int";
}

}  // namespace sinter::codegen
