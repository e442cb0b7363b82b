// What dtypes an operation takes, computes in and gives, as one constexpr function of its row's rule. The types of
// expressions and the explicit-casts pass both call it, so they cannot disagree.
#pragma once

#include <sinter/dtype.hpp>

namespace sinter {

/// The elementwise operations, numbered by their rows in ops.def.
enum class op : std::uint8_t {
#define SINTER_OP(name, ...) name,
#include <sinter/ops.def>
#undef SINTER_OP
};

namespace detail {

enum class rule : std::uint8_t {
  number,           // any dtype; computes in and gives the promoted one
  number_not_bool,  // the same, but bool is refused as NumPy refuses it
  step,             // the same, but bool counts as int8
  real_number,      // any dtype but complex ones; computes in and gives the promoted one
  integral_step,    // the same, but bool counts as int8
  quotient,         // floating and complex; integers give double
  real,             // floating; small integers give float (promote_to_floating)
  analytic,         // the same, and complex
  part,             // any dtype; a complex one gives that of its parts
  angle,            // floating as `real`, and complex, which gives the dtype of its parts
  pair,             // real; gives the complex dtype made of two such
  comparison,       // promoted operands, gives bool
  logic,            // operands as truth values, gives bool
  choice,           // first operand a truth value, gives the promoted dtype of the others
  bits,             // bool and integers
  integers,         // integers; bool counts as int8
  bit_count,        // the same, gives uint8
  test,             // any dtype, gives bool
  real_test,        // any dtype but complex ones, gives bool
  words_to_uint32,  // uint64 alone, gives uint32, and so on: random numbers
  words_to_uint64,
  words_to_float32,
  words_to_float64,
};

constexpr int op_count = 0
#define SINTER_OP(...) +1
#include <sinter/ops.def>
#undef SINTER_OP
    ;

struct op_facts {
  const char* name;
  std::uint8_t arity;
  rule of;
};

inline constexpr op_facts ops[] = {
#define SINTER_OP(name, arity, rule_, ...) {#name, arity, rule::rule_},
#include <sinter/ops.def>
#undef SINTER_OP
};

constexpr const op_facts& facts(op o) { return ops[static_cast<int>(o)]; }

/// Is it of what random numbers are made of?
constexpr bool takes_words(rule r) { return r >= rule::words_to_uint32; }

/// Is the promoted dtype of the operands one this rule takes?
constexpr bool accepts(rule r, dtype promoted) {
  if (takes_words(r)) return promoted == dtype::uint64;
  switch (r) {
    case rule::number_not_bool: return promoted != dtype::bool_;
    case rule::bits:
    case rule::integers:
    case rule::bit_count: return kind_of(promoted) <= kind::integer;
    case rule::real_number:
    case rule::integral_step:
    case rule::real:
    case rule::pair:
    case rule::real_test: return !is_complex(promoted);
    default: return true;
  }
}

/// The dtype an operation computes in, given the promoted dtype of its operands (for `choice`, of the last two).
constexpr dtype compute_dtype(rule r, dtype promoted) {
  switch (r) {
    case rule::quotient: return kind_of(promoted) <= kind::integer ? dtype::float64 : promoted;
    case rule::real:
    case rule::pair:
    case rule::analytic:
    case rule::angle: return promote_to_floating(promoted);
    case rule::logic: return dtype::bool_;
    case rule::step:
    case rule::integral_step:
    case rule::integers:
    case rule::bit_count: return promoted == dtype::bool_ ? dtype::int8 : promoted;
    default: return promoted;
  }
}

/// Is a number of 16 bits taken and given as the bits it is: by a choice, and by what knows its neighbours?
constexpr bool keeps_bits(op o) { return facts(o).of == rule::choice || o == op::nextafter || o == op::spacing; }

/// The dtype a kernel computes an operation in, given what it is by its rule: numbers of 16 bits are floats meanwhile.
constexpr dtype computed_in(op o, dtype computed) { return keeps_bits(o) ? computed : widened(computed); }

/// The dtype it gives, given the one it computes in.
constexpr dtype result_dtype(rule r, dtype computed) {
  switch (r) {
    case rule::comparison:
    case rule::logic:
    case rule::test:
    case rule::real_test: return dtype::bool_;
    case rule::part:
    case rule::angle: return real_part_of(computed);
    case rule::pair: return computed == dtype::float64 ? dtype::complex128 : dtype::complex64;
    case rule::bit_count: return dtype::uint8;
    case rule::words_to_uint32: return dtype::uint32;
    case rule::words_to_float32: return dtype::float32;
    case rule::words_to_float64: return dtype::float64;
    default: return computed;
  }
}

}  // namespace detail
}  // namespace sinter
