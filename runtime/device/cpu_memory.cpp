// Host memory by mmap and malloc. Large segments are mapped, not malloc'ed: what goes back really goes back, and a
// large array begins at a huge page, which takes hundreds of page faults out of its first use.
#include "runtime/device/cpu_memory.hpp"

#include <cstdint>
#include <cstdlib>

#include <sys/mman.h>
#include <unistd.h>

namespace sinter::runtime {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t alignment = 512;

std::size_t page() {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

std::size_t up_to(std::size_t size, std::size_t multiple) { return (size + multiple - 1) / multiple * multiple; }

std::byte* map(std::size_t size) {
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

}  // namespace

std::byte* host_memory::allocate(std::size_t size) {
  if (size > SIZE_MAX / 2) return nullptr;
  if (size < mapped_from) return static_cast<std::byte*>(std::aligned_alloc(alignment, up_to(size, alignment)));
  size = up_to(size, page());
  if (size < huge_page) return map(size);
  std::byte* memory = map(size + huge_page);
  if (!memory) return nullptr;
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const std::size_t before = up_to(address, huge_page) - address;
  if (before) munmap(memory, before);
  if (huge_page - before) munmap(memory + before + size, huge_page - before);
  madvise(memory + before, size, MADV_HUGEPAGE);  // where the kernel has none, small pages serve
  return memory + before;
}

void host_memory::release(std::byte* segment, std::size_t size) noexcept {
  if (size < mapped_from) std::free(segment);
  else munmap(segment, up_to(size, page()));
}

}  // namespace sinter::runtime
