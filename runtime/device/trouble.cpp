#include "runtime/device/trouble.hpp"

#include <new>
#include <string>

#include <sinter/error.hpp>

#include "runtime/device/device.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/library/solvers.hpp"

namespace sinter::runtime {

codegen::index_trouble* index_troubles::note() {
  if (codegen::index_trouble* made = note_.load(std::memory_order_acquire)) return made;
  const std::lock_guard hold(making_);
  if (codegen::index_trouble* made = note_.load(std::memory_order_relaxed)) return made;
  std::byte* const block = device_.memory(memory_kind::pinned).allocate(sizeof(codegen::index_trouble));
  if (!block)
    throw out_of_memory("sinter: there is no room to note indices that are out of range",
                        sizeof(codegen::index_trouble), 0, 0);
  auto* const made = new (block) codegen::index_trouble{};
  note_.store(made, std::memory_order_release);
  return made;
}

void index_troubles::close() noexcept {
  if (codegen::index_trouble* const made = note_.exchange(nullptr))
    device_.memory(memory_kind::pinned).release(reinterpret_cast<std::byte*>(made), sizeof *made);
}

namespace {

[[noreturn]] void raise_no_result(const codegen::index_trouble& found) {
  const std::string which = found.extent < 0 ? "a matrix" : "matrix " + std::to_string(found.extent) + " of a batch";
  const auto at = static_cast<long long>(found.index);
  const auto with_place = [&](const char* what) { return detail::message(what, at); };
  std::string what;
  switch (static_cast<solver_fault>(found.axis)) {
    case solver_fault::none: break;  // never noted
    case solver_fault::singular: what = with_place("is singular: pivot %lld of its LU factorisation is 0"); break;
    case solver_fault::not_positive:
      what = with_place("is not positive definite: its leading minor of order %lld is not positive");
      break;
    case solver_fault::singular_triangle: what = with_place("is singular: element %lld of its diagonal is 0"); break;
    case solver_fault::no_singular_values: what = "has no singular values that could be found"; break;
    case solver_fault::no_eigenvalues: what = "has no eigenvalues that could be found"; break;
    case solver_fault::not_finite: what = "has an infinity or a NaN in it, and so no eigenvalues"; break;
  }
  throw linalg_error(("sinter: " + which + " " + what + "; its results are NaN").c_str());
}

}  // namespace

void raise(codegen::index_trouble& noted) {
  const codegen::index_trouble found = noted;
  __atomic_store_n(&noted.noted, 0, __ATOMIC_RELEASE);
  if (found.noted == codegen::index_trouble::no_result) raise_no_result(found);
  throw index_error(
      detail::message("sinter: index %lld is out of range for axis %d, which has %lld element%s; nothing was "
                      "read or written there, and other values may be wrong",
                      static_cast<long long>(found.index), found.axis, static_cast<long long>(found.extent),
                      found.extent == 1 ? "" : "s")
          .c_str());
}

}  // namespace sinter::runtime
