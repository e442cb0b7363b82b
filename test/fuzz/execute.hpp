// Runs programs through the seam that expression types call, so that no program has to be compiled.
#pragma once

#include "test/fuzz/nodes.hpp"
#include "test/fuzz/program.hpp"

namespace sinter::fuzz {

/// The values of a program's steps on the current device.
class machine {
 public:
  enum class manner {
    lazy,     // as the C++ statements have it: names share, temporaries move, stores find what they find
    stepwise  // every step becomes an array before the next one, and a store has its array to itself
  };
  machine(const program& p, const std::vector<outline>& outlines, manner how)
      : program_(p), outlines_(outlines), how_(how), values_(p.steps.size()) {}

  /// Runs one step; those whose values it uses have run. Errors: whatever the library throws.
  void run(int step);
  /// The value of a step that is not a temporary, or of one that nothing has used.
  handle value(int step);
  void set(int step, handle h) { values_[static_cast<std::size_t>(step)].node = std::move(h); }
  /// A step's arrays of indices, of elements that are there; and what it picks by them.
  std::vector<handle> indices_of(const step&);
  handle picked_of(const step&, const handle& from, const std::vector<handle>& indices) const;
  /// The elements that a put names, of the array or what else has its shape; and the values, one for each.
  handle put_places(const step&, const handle& from);
  handle put_values(const step&, dtype target, const shape& places);
  /// What a store stores; `old`: what is there, which an update is of.
  tree stored_value(const step&, handle old, dtype target);
  /// The results, evaluated together.
  std::vector<handle> results();

 private:
  struct slot {
    handle node;
    tree unnamed;  // a temporary that has no node
  };
  slot& at(int step) { return values_[static_cast<std::size_t>(step)]; }
  bool is_temporary(int step) const {
    return how_ == manner::lazy && program_.steps[static_cast<std::size_t>(step)].temporary;
  }
  handle taken(int step);
  void take_into(tree&, const operand&, dtype computed);
  void keep(int step, tree&&);
  void keep(int step, handle);
  handle fold_of(const step&, const handle& from);
  handle called(const step&, const detail::outcome&);
  void run_store(const step&);
  void store_picked(const step&);
  void store_under_mask(const step&);
  void store_put(const step&);
  tree stored_parts(const step&, const handle& old, dtype target);

  const program& program_;
  const std::vector<outline>& outlines_;
  const manner how_;
  std::vector<slot> values_;
};

}  // namespace sinter::fuzz
