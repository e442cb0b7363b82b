// What an operation on a stream does to the storages it uses: the stream is made to wait for others as far as it must, and
// others can later be made to wait for it.
#pragma once

#include "codegen/ir/node.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/stream/current.hpp"
#include "runtime/stream/stream.hpp"

namespace sinter::runtime {

/// Says what one operation does to its storages. Construct, then call reads and writes, then enqueue the operation, then
/// done. Each stream is made to wait for the others' work as far as it must; where everything is on one stream that is a
/// comparison for each storage. A failed operation changes nothing.
class operation {
 public:
  explicit operation(stream_state& on) noexcept
      : on_(on), captured_(on.capture.load(std::memory_order_relaxed) != nullptr) {}

  /// Before the operation. Errors: `device_error`, `out_of_memory`.
  void reads(detail::storage* memory) {
    if (memory && (elsewhere(*memory) || captured_)) [[unlikely]]
      apart_ = true, read_elsewhere(*memory);
  }
  void writes(detail::storage* memory) {
    if (memory && (elsewhere(*memory) || load(memory->readers) || captured_)) [[unlikely]]
      written_elsewhere(*memory);
  }
  /// After it has been enqueued.
  void done() noexcept { position_ = on_.enqueued(); }
  /// Was there something else to read than what this stream wrote itself? If not, there is nothing to note of it.
  bool has_read_apart() const noexcept { return apart_; }
  void has_read(detail::storage* memory) noexcept {
    if (memory && elsewhere(*memory)) [[unlikely]]
      note_reader(*memory);
  }
  void has_written(detail::storage* memory) noexcept {
    if (!memory) return;
    if (elsewhere(*memory) || load(memory->readers) || captured_) [[unlikely]]
      return note_writer(*memory);
    __atomic_store_n(&memory->written, position_, __ATOMIC_RELAXED);
  }

 private:
  static detail::reader* load(detail::reader* const& list) noexcept { return __atomic_load_n(&list, __ATOMIC_ACQUIRE); }
  // Atomic, as on a device without streams several threads may write different elements of one storage.
  bool elsewhere(const detail::storage& memory) const noexcept {
    return __atomic_load_n(&memory.stream, __ATOMIC_RELAXED) != &on_;
  }
  void read_elsewhere(detail::storage&);
  void written_elsewhere(detail::storage&);
  void note_reader(detail::storage&) noexcept;
  void note_writer(detail::storage&) noexcept;

  stream_state& on_;
  const bool captured_;
  bool apart_ = false;
  std::uint64_t position_ = 0;
};

/// The program is given a storage's address for work of its own on a stream. Stream behaviour: that stream waits as for an
/// operation that reads the storage, or writes it; what the program enqueues there later is in order like an operation of
/// Sinter's. Errors: as an operation's.
void lend(detail::storage&, stream_state& on, bool to_write);

/// Counts what the program has enqueued itself on the streams of a storage that it has the address of.
void count_lent_work(detail::storage&) noexcept;

/// Empties a storage's list. For the owner of the only reference.
void forget_readers(detail::storage&) noexcept;

}  // namespace sinter::runtime
