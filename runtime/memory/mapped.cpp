#include "runtime/memory/mapped.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <memory>
#include <system_error>

#include <sinter/error.hpp>

#include "runtime/device/device.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/nodes.hpp"
#include "runtime/memory/foreign.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/stream/current.hpp"

namespace sinter::runtime {
namespace {

struct mapping {
  void* begin;
  std::size_t size;
};
void unmap(void* held) noexcept {
  auto* const m = static_cast<mapping*>(held);
  ::munmap(m->begin, m->size);
  delete m;
}

}  // namespace

detail::node* map_file(int file, const char* path, std::uint64_t size, dtype type) {
  void* const begin = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file, 0);
  if (begin == MAP_FAILED)
    throw io_error(
        detail::message("sinter: load: %s: %s", path, std::generic_category().message(errno).c_str()).c_str());
  std::unique_ptr<mapping, void (*)(void*)> owner(new mapping{begin, static_cast<std::size_t>(size)}, unmap);
  const shape whole{size / static_cast<std::uint64_t>(itemsize(type))};
  stream_state& on = current_stream(current_device());
  storage_holder memory(make_foreign_storage(static_cast<std::byte*>(begin),
                                             static_cast<std::size_t>(whole.elements() * itemsize(type)),
                                             {&unmap, owner.get()}, on));
  owner.release();
  detail::node* const made = new_array(type, whole, memory.get());
  memory.take();
  return made;
}

}  // namespace sinter::runtime
