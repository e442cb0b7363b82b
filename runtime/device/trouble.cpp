#include "runtime/device/trouble.hpp"

#include <new>

#include <sinter/error.hpp>

#include "runtime/device/device.hpp"
#include "runtime/frontend/message.hpp"

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

void raise(codegen::index_trouble& noted) {
  const codegen::index_trouble found = noted;
  __atomic_store_n(&noted.noted, 0, __ATOMIC_RELEASE);
  throw index_error(
      detail::message("sinter: index %lld is out of range for axis %d, which has %lld element%s; nothing was "
                      "read there, and other values may be wrong",
                      static_cast<long long>(found.index), found.axis, static_cast<long long>(found.extent),
                      found.extent == 1 ? "" : "s")
          .c_str());
}

}  // namespace sinter::runtime
