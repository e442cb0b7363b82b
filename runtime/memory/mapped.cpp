#include "runtime/memory/mapped.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <system_error>

#include <sinter/error.hpp>
#include <sinter/memory.hpp>

#include "runtime/device/device.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/nodes.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/stream/current.hpp"

namespace sinter::runtime {
namespace {

/// Gives one block, its mapping, which lasts as long as it does: as long as the storage that has the block.
class mapping final : public memory_resource {
 public:
  mapping(void* begin, std::size_t size) noexcept : begin_(begin), size_(size) {}
  ~mapping() override { ::munmap(begin_, size_); }
  void* allocate(std::size_t, const stream&) override { return begin_; }
  void deallocate(void*, std::size_t, const stream&) noexcept override {}

 private:
  void* const begin_;
  const std::size_t size_;
};

}  // namespace

detail::node* map_file(int file, const char* path, std::uint64_t size, dtype type) {
  void* const begin = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file, 0);
  if (begin == MAP_FAILED)
    throw io_error(
        detail::message("sinter: load: %s: %s", path, std::generic_category().message(errno).c_str()).c_str());
  const allocator from = make_allocator<mapping>(begin, static_cast<std::size_t>(size));
  const using_allocator in(from);
  const shape whole{size / static_cast<std::uint64_t>(itemsize(type))};
  stream_state& on = current_stream(current_device());
  storage_holder memory(make_fresh_storage(static_cast<std::size_t>(whole.elements() * itemsize(type)), on, on));
  detail::node* const made = new_array(type, whole, memory.get());
  memory.take();
  return made;
}

}  // namespace sinter::runtime
