// The short way of most evaluations: requests that look as they did before. It goes from the nodes straight to the launches;
// what it repeats was found out by resolve, plan_for and launch the first times.
#pragma once

#include <memory>
#include <vector>

#include "runtime/launch/launch.hpp"
#include "runtime/launch/trace.hpp"

namespace sinter::runtime {

/// One launch of a statement: where each argument comes from.
struct prepared_part {
  struct argument {
    std::uint16_t at;         // in the block
    std::uint16_t from;       // the number of a node of the trace, or of an array that the statement makes
    std::uint16_t index = 0;  // of a scalar, among the node's
    std::uint8_t size = 8;
    std::int64_t distance = 0;  // from an array's first element, in bytes
  };
  static constexpr std::uint16_t nowhere = 0xffff;

  loaded_kernel code;
  geometry how;
  std::size_t scratch = 0, size = 0;
  std::vector<std::uint64_t> block;
  std::vector<argument> leaves, temporaries, outputs, scalars;
  std::uint16_t partials = nowhere, tickets = nowhere;
  bool aliased = false;
};

/// The launches of an evaluation, and the trace it has.
struct prepared_statement {
  struct array {
    dtype type;
    shape extents;   // of a temporary
    unsigned place;  // within a pack
  };
  struct relation {
    std::uint16_t node, as;
    std::int64_t distance;
  };

  std::uint64_t hash;
  bool found = false;  // since it was kept
  trace looks;
  bool anywhere = false;           // no array says on which device
  std::vector<array> arrays;       // results, then temporaries
  std::vector<relation> the_same;  // operands that are read once for several nodes
  /// A kernel makes the calls among these, of which nobody but the statement may ask for any.
  std::vector<std::uint16_t> asked_once;
  std::vector<prepared_part> parts;
};

/// The statements that a thread has prepared: what it met twice. Two that have one place alternate.
class prepared_statements {
 public:
  /// Evaluates requests, where they are prepared. Errors: `out_of_memory`, `device_error`.
  bool evaluate(request*, int count);
  /// Keeps what an evaluation has just launched.
  void keep(const request*, int count, const codegen::resolution&, const fusion&,
            detail::array_node* const* temporaries, prepared_launches&) noexcept;

 private:
  struct place {
    std::uint64_t met[2] = {};  // hashes of what came here once
    std::unique_ptr<prepared_statement> kept[2];
    unsigned newest = 0;
    unsigned in_vain = 0;  // how many in a row were kept and not found again
    bool meet(std::uint64_t hash);
    bool takes_another();
  };
  bool run(prepared_statement&, request*, int count);
  static constexpr std::size_t places = 512;  // a constant: a division is no small part of a short statement
  place& of(std::uint64_t hash) { return at_[hash % places]; }

  std::vector<place> at_ = std::vector<place>(places);
  std::vector<const detail::typed_node*> nodes_;
  std::vector<detail::array_node*> arrays_;
};

}  // namespace sinter::runtime
