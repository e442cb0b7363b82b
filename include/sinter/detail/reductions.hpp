// The reductions, numbered by their rows in reductions.def, and what a row says of one. The public functions, the passes and the
// code generator read it here.
#pragma once

#include <sinter/detail/rules.hpp>

namespace sinter::detail {

enum class reduction : std::uint8_t {
#define SINTER_REDUCTION(name, ...) name,
#include <sinter/reductions.def>
#undef SINTER_REDUCTION
};

/// The dtype a reduction gives. It folds values of that dtype, but for positions: there the elements keep theirs.
enum class folded_dtype : std::uint8_t {
  element,   // that of the elements
  sums,      // the same, but small integers and bool become 64 bits wide, as NumPy's sums do; a caller may choose
  truth,     // bool
  position,  // int64
};

/// What a member of a state is before anything is folded into it.
enum class start : std::uint8_t { zero, one, lowest, highest };

struct reduction_facts {
  const char* name;
  const char* choice;  // the helper that chooses between two states; null: an operation folds them
  op fold;             // that operation; of a choice, what folds elements without positions
  folded_dtype gives;
  start starts[2];             // by member of the state
  bool needs_element = false;  // an empty one has no value
  /// Positions of elements are folded too, and are what it gives.
  constexpr bool takes_position() const { return gives == folded_dtype::position; }
  /// Members of a state.
  constexpr int members() const { return takes_position() ? 2 : 1; }
};

inline constexpr reduction_facts reductions[] = {
#define SINTER_REDUCTION(name_, fold_, ...) {.name = #name_, .choice = nullptr, .fold = op::fold_, __VA_ARGS__},
#define SINTER_CHOICE(name_, choice_, ...) {.name = #name_, .choice = #choice_, __VA_ARGS__},
#include <sinter/reductions.def>
#undef SINTER_REDUCTION
};
inline constexpr int reduction_count = static_cast<int>(sizeof(reductions) / sizeof(reductions[0]));

constexpr const reduction_facts& facts(reduction what) { return reductions[static_cast<int>(what)]; }

/// The dtype a reduction of elements of dtype `t` gives where none is chosen.
constexpr dtype reduced_dtype(reduction what, dtype t) {
  switch (facts(what).gives) {
    case folded_dtype::element: return t;
    case folded_dtype::truth: return dtype::bool_;
    case folded_dtype::position: return dtype::int64;
    case folded_dtype::sums: break;
  }
  if (kind_of(t) == kind::boolean) return dtype::int64;
  return is_integer(t) ? integer_of(8, facts(t).is_signed) : t;
}

}  // namespace sinter::detail
