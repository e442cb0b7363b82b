#include "runtime/memory/foreign.hpp"

#include <sinter/memory.hpp>

#include "runtime/device/device.hpp"
#include "runtime/device/process.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/stream/order.hpp"
#include "runtime/stream/table.hpp"

namespace sinter::runtime {

namespace {

/// Lasts as long as the storage that has its block.
class foreign_block final : public memory_resource {
 public:
  foreign_block(std::byte* block, foreign_owner owner) noexcept : block_(block), owner_(owner) {}
  ~foreign_block() override {
    if (is_taken_ && owner_.done) owner_.done(owner_.with);
  }
  void* allocate(std::size_t, const stream&) override { return block_; }
  // The stream that it was first used on may still be at it; all others are done.
  void deallocate(void*, std::size_t, const stream& on) noexcept override {
    stream_state& s = on.state();
    if (!s.device.asynchronous() || exiting()) return;
    if (s.capture.load(std::memory_order_acquire)) return s.device.streams().settle();
    s.count_lent_work();
    wait_surely(s, s.position());
  }
  void take() noexcept { is_taken_ = true; }

 private:
  std::byte* const block_;
  const foreign_owner owner_;
  bool is_taken_ = false;  // else the owner still has it
};

}  // namespace

detail::storage* make_foreign_storage(std::byte* block, std::size_t size, foreign_owner owner, stream_state& on) {
  auto* const only = new foreign_block(block, owner);
  const allocator from(only);
  const using_allocator in(from);
  detail::storage* const made = make_fresh_storage(size, on, on);
  only->take();
  return made;
}

}  // namespace sinter::runtime
