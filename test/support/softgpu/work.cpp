// What the pieces of work do that are not kernels: work.hpp.
#include "work.hpp"

#include <cstring>

#include "machine.hpp"

namespace softgpu {
namespace {

/// May the work touch these bytes? Memory that the machine does not watch is the host's own.
bool check(execution& by, address at, std::size_t size, touch how) {
  arena* const where = by.on.memory.find(at);
  return !where || size == 0 || by.on.checker.access(by.self, *where, at, size, how);
}

}  // namespace

result copy_work::run(execution& by) {
  if (!check(by, from, size, touch::read) || !check(by, to, size, touch::write)) return illegal_address;
  std::memmove(pointer(to), pointer(from), size);
  return 0;
}

staged_copy::staged_copy(address to_, const void* from, std::size_t size)
    : work(work_kind::copy, "copy to the device"),
      to(to_),
      bytes(static_cast<const unsigned char*>(from), static_cast<const unsigned char*>(from) + size) {}

result staged_copy::run(execution& by) {
  if (!check(by, to, bytes.size(), touch::write)) return illegal_address;
  std::memcpy(pointer(to), bytes.data(), bytes.size());
  return 0;
}

result fill_work::run(execution& by) {
  if (!check(by, to, size, touch::write)) return illegal_address;
  std::memset(pointer(to), byte, size);
  return 0;
}

result begin_memory::run(execution& by) {
  arena* const where = by.on.memory.find(at);
  by.on.checker.begin(by.self, *where, at, size);
  std::memset(pointer(at), poison, size);
  return 0;
}

result end_memory::run(execution& by) {
  arena* const where = by.on.memory.find(at);
  if (!by.on.checker.end(by.self, *where, at, size)) return illegal_address;
  std::memset(pointer(at), poison, size);
  return 0;
}

}  // namespace softgpu
