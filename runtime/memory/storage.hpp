// Storages, the counted blocks of device memory behind arrays: what is known of one, making and dropping them. Between eval, which makes
// one for every result, and the resources that memory comes from: a block goes back once no stream uses it any more.
#pragma once

#include <cstddef>
#include <utility>

#include "codegen/ir/node.hpp"

namespace sinter::detail {

/// A stream that reads a storage which another one wrote.
struct reader {
  runtime::stream_state* on;
  std::uint64_t position;  // how much of its work may read it
  reader* next;
};

/// A block of a device's memory. The resource it came from owns the bytes; the count says how many arrays look at them, and
/// the list which (runtime/memory/holders.hpp). What streams did to it is written by a thread that is the only one to use it, but
/// for the list of readers, which grows.
struct storage {
  int references = 1;  // its sign bit: a thread is changing the list of holders
  int lives = 1;       // one for all references together, one for each graph that uses it
  runtime::device_impl* device;
  std::byte* data;
  std::size_t size;  // bytes asked for
  memory_resource* resource;
  runtime::stream_state* home;    // in whose order the block was handed out and goes back
  runtime::stream_state* stream;  // that wrote it last, or will
  std::uint64_t written;          // how much of that stream's work it takes
  reader* readers;                // other streams
  storage* next;                  // among those that are dead but still in use
  array_node* holders = nullptr;  // while there are any; the newest first
  bool lent = false;              // the program has its address, and may enqueue work of its own with it
  bool named = false;             // the program has given it a name (runtime/inspect/names.hpp)
};

inline std::byte* array_node::data() const { return memory->data + offset * itemsize(type); }

}  // namespace sinter::detail

namespace sinter::runtime {

/// A storage of `bytes` bytes with one reference, of the stream's device and first used in its order. Contents: undefined.
/// Errors: `out_of_memory`, after everything cached and everything about to be free has been tried; then nothing has changed.
/// Units: bytes; 0 bytes gives a storage whose data is null. Any thread.
detail::storage* make_storage(std::size_t bytes, stream_state& on);

/// The same from the arena of `home`, and nothing that a capture has dropped.
detail::storage* make_fresh_storage(std::size_t bytes, stream_state& home, stream_state& on);

/// Do storages come from where one can be shortened: from a pool, of whose blocks no hook of the thread keeps account?
bool can_shorten();
/// Leaves a storage that nothing but its owner knows its first `bytes` bytes, at least one, and nothing enqueued uses the rest but
/// work of its home stream. Only where it `can_shorten`. Errors: `out_of_memory`, where the host has no room.
void shorten(detail::storage&, std::size_t bytes);

/// Keeps the only reference of what is not a node's yet.
class storage_holder {
 public:
  explicit storage_holder(detail::storage* owned = nullptr) noexcept : held_(owned) {}
  storage_holder(const storage_holder&) = delete;
  storage_holder& operator=(const storage_holder&) = delete;
  ~storage_holder() { detail::release(held_); }
  void reset(detail::storage* owned) noexcept { detail::release(std::exchange(held_, owned)); }
  detail::storage* get() const noexcept { return held_; }
  detail::storage* take() noexcept { return std::exchange(held_, nullptr); }

 private:
  detail::storage* held_;
};

/// Waits for every dead storage of a device that a stream still uses, of all resources or of one, and gives it back. True:
/// there was one.
bool wait_for_pending_frees(device_impl&, const memory_resource* only = nullptr);
/// For memory that is not from a pool: waits for those, then has the pools give back what they only keep. False: there was
/// nothing.
bool make_room(device_impl&);

/// A block of a resource; where it has none, once more after dead storages have been waited for, all or those of one
/// resource. Errors: the resource's; `out_of_memory` where it gives null.
std::byte* allocate_from(memory_resource&, std::size_t bytes, stream_state& on, const memory_resource* only = nullptr);

/// A graph keeps a storage, also when all arrays have dropped it.
void pin(detail::storage&) noexcept;
void unpin(detail::storage&) noexcept;

}  // namespace sinter::runtime
