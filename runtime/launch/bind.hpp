// A step meets its operands: their layouts in the step's domain are collapsed together and classified. What comes out is the
// kernel's variant and the numbers it takes as arguments.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/ir/resolve.hpp"
#include "codegen/pass/cut.hpp"

namespace sinter::runtime {

/// One operand of a launch. Strides in elements, by collapsed axis.
struct bound_operand {
  std::byte* data = nullptr;
  std::int64_t origin = 0;  // iota
  detail::storage* memory = nullptr;
  std::int64_t strides[max_rank] = {};
};

struct binding {
  codegen::variant variant;
  std::int64_t extents[max_rank] = {};
  std::vector<bound_operand> operands;  // inputs, then outputs
  std::int64_t kept = 1;                // outputs of a reduction, or elements of a map
  std::int64_t reduced = 1;             // elements folded into one
  bool flat = false;                    // all operands run over memory in the domain's order
  bool aliased = false;                 // an output lies in the storage of an input
  bool overlaps = false;  // a fold's results lie side by side, and what they fold is their neighbours', too
};

/// What decides how a kernel is bound and shared out besides its operands.
struct target {
  codegen::dialect language;
  int multiprocessors;
  /// Reductions fold in the order of the domain, so that a fused one equals an unfused one (strict mode).
  bool in_order;
  std::int64_t cache = 0;  // cuda: bytes of the cache that all multiprocessors share
};

/// Only a GPU tells packs of elements and narrow indices apart.
inline bool has_packs(codegen::dialect language) { return language == codegen::dialect::cuda; }
/// Where an address lies within the largest pack. Units: bytes.
inline unsigned place_in_pack(const std::byte* data) {
  return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(data) & 15);
}

/// Finds where a step's operands lie: the addresses of the binding, which are all that may differ between evaluations whose
/// layout_words are equal. False where no output has an element. `temporaries` by number; `outputs` one for each output of the
/// step.
bool locate(const codegen::step&, const codegen::resolution&, detail::array_node* const* temporaries,
            detail::array_node* const* outputs, binding& into);

/// Lays a located step's operands out in its domain.
void bind(const codegen::step&, const codegen::resolution&, detail::array_node* const* outputs, const target&,
          binding& into);

/// Can the operands that move by units be accessed in packs of so many elements, wherever one begins?
bool lies_in_packs(const codegen::kernel&, const binding&, int width);

/// Packs of positions, of `width` elements, begin at multiples of it, which the text says and the compiler makes use of. An
/// iota of which that is not true moves in steps that happen to be 1.
void classify_positions(const codegen::kernel&, binding&, int width);

/// Everything that `bind` looks at. Gives how many words it wrote, at most `room`; 0: there was not enough.
std::size_t layout_words(const codegen::step&, const codegen::resolution&, detail::array_node* const* outputs,
                         const target&, const binding& located, std::int64_t* words, std::size_t room);

}  // namespace sinter::runtime
