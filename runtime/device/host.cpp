// Host memory for the CPU and interpreter devices: raw segments by mmap, copies by memmove.
#include "runtime/device/host.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include <sys/mman.h>
#include <unistd.h>

#include "runtime/counters.hpp"

namespace sinter::runtime {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

std::size_t page() {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

std::size_t up_to(std::size_t size, std::size_t multiple) { return (size + multiple - 1) / multiple * multiple; }

std::byte* map(std::size_t size) {
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

std::size_t physical_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  return pages > 0 ? static_cast<std::size_t>(pages) * page() : 0;
}

pool_options options(const char* name) {
  pool_options o;
  o.name = name;
  o.limit = parse_memory_limit(std::getenv("SINTER_MEMORY_LIMIT"), physical_memory());
  return o;
}

void move_bytes(void* to, const void* from, std::size_t size) {
  if (size == 0) return;  // the pointers may be null then
  std::memmove(to, from, size);
  bump(counters_now.bytes_copied, size);
}

}  // namespace

// Mapped, not malloc'ed: what goes back really goes back, and a large array begins at a huge page, which takes hundreds
// of page faults out of its first use.
std::byte* host_memory::allocate(std::size_t size) {
  if (size > SIZE_MAX / 2) return nullptr;
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

void host_memory::release(std::byte* segment, std::size_t size) noexcept { munmap(segment, up_to(size, page())); }

host_device::host_device(device which, const char* name) : pool_(memory_, options(name)) { id = which; }

void host_device::copy_in(std::byte* to, const void* from_host, std::size_t size) { move_bytes(to, from_host, size); }

void host_device::copy_out(void* to_host, const std::byte* from, std::size_t size) { move_bytes(to_host, from, size); }

void host_device::copy(std::byte* to, const std::byte* from, std::size_t size) { move_bytes(to, from, size); }

void host_device::zero(std::byte* block, std::size_t size) {
  if (size) std::memset(block, 0, size);
}

}  // namespace sinter::runtime
