// A plan: what a signature becomes. It is cut once, or where rows can be fused in two fusions; each of its steps gathers the
// compiled kernels of the variants met so far. Plans live as long as the process; look-ups on a hit take no lock.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "codegen/ir/stages.hpp"
#include "codegen/pass/cut.hpp"
#include "runtime/device/device.hpp"

namespace sinter::runtime {

/// A step's kernel for one variant on one device.
struct compiled_kernel {
  codegen::variant variant;
  const device_impl* device;
  codegen::dialect language;  // none: interpreted
  loaded_kernel code;
  std::vector<codegen::parameter> parameters;
  std::size_t block_size;  // bytes of the argument block
  double cost;             // estimated nanoseconds per point on one core
  const compiled_kernel* next = nullptr;
};

struct fusion;

/// A step and its kernels.
class compiled_step {
 public:
  explicit compiled_step(codegen::step s) : step(std::move(s)), form(form_of(step.kernel)) {}
  const codegen::step step;
  const codegen::form form;
  const unsigned number = ++made;  // what threads keep of a step lies under its number
  const fusion* of = nullptr;      // that it is a step of

  /// The kernel for a variant; makes it where it is not there yet (one thread at a time) and then sets `compiled`. Null:
  /// the device has given its compiler up, and this kernel has to be interpreted.
  const compiled_kernel* kernel_for(const codegen::variant&, device_impl&, codegen::dialect, bool& compiled);
  /// The same where it is there already; else null.
  const compiled_kernel* find(const codegen::variant&, const device_impl&, codegen::dialect) const;

 private:
  const compiled_kernel* build(const codegen::variant&, device_impl&, codegen::dialect) const;
  loaded_kernel compile(const codegen::variant&, const codegen::compiler&, device_impl&, codegen::dialect) const;

  static inline std::atomic<unsigned> made{0};
  std::atomic<const compiled_kernel*> kernels_{nullptr};
  std::mutex compiling_;
};

/// A step as the log names it: "map of sqrt(x0 * x0 + x1 * x1)".
std::string title_of(const compiled_step&);

/// A program cut into steps.
struct fusion {
  std::vector<std::unique_ptr<compiled_step>> steps;
  std::vector<codegen::temporary> temporaries;
};

struct plan {
  codegen::buffer<std::uint64_t> words;
  std::vector<fusion> fusions;  // the first has fewer steps: what folds rows and uses the results there is one
  std::uint64_t hash = 0;
  plan* next = nullptr;  // in the table's bucket
};

/// The plan of a signature, made where it is new. `hint`: the slot of the expression's type, read and written without order.
plan& plan_for(const codegen::buffer<std::uint64_t>& words, void** hint);

}  // namespace sinter::runtime
