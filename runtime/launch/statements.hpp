// The short way of most evaluations: one statement over arrays, met before with these layouts. It goes from the arrays
// straight to the launch; what it repeats was found out by resolve, plan_for and launch the first time.
#pragma once

#include <memory>
#include <vector>

#include "runtime/eval.hpp"
#include "runtime/launch/launch.hpp"

namespace sinter::runtime {

/// A statement's launch, and the layouts it is for.
struct prepared_statement {
  struct layout {
    shape extents;
    std::int64_t strides[max_rank];
    unsigned place;  // within 16 bytes, where packs are told apart
    int read_as;     // the first node with the same elements: the kernel reads them once

    void set(const detail::array_node&, bool packs);
    bool is(const detail::array_node&, bool packs) const;
  };
  const detail::fragment* code = nullptr;
  device_impl* device = nullptr;
  bool packs = false, aliased = false;
  shape domain;
  layout result;
  std::vector<layout> operands;
  prepared_launch launch;  // its slots number the operands and the statement's scalars
};

/// The statements that a thread has prepared.
class prepared_statements {
 public:
  /// Evaluates a request, where it is a statement that is prepared. Errors: `out_of_memory`, `device_error`.
  bool evaluate(request&);
  /// Keeps what an evaluation has just launched, where that was one launch for one statement over arrays.
  void keep(const request&, const codegen::resolution&, const fusion&, prepared_launches&) noexcept;

 private:
  static constexpr std::size_t places = 512, most_operands = 32;
  std::vector<std::unique_ptr<prepared_statement>> at_ = std::vector<std::unique_ptr<prepared_statement>>(places);
};

}  // namespace sinter::runtime
