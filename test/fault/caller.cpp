// Stacks are walked with the compiler's unwinder, which since glibc 2.35 takes no lock and no memory. Most calls need no walk:
// the caller itself is the library under test, or is not.
#include "caller.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unwind.h>

#include <cstdint>
#include <cstring>
#include <initializer_list>

namespace fault {
namespace {

enum class part : unsigned char { elsewhere, tested, in_front, cxx_library, c_library, loader };

struct range {
  std::uintptr_t begin, end;
  part what;
};

constexpr int most_ranges = 16;
range ranges[most_ranges];
int known = 0;
std::uintptr_t tested = 0;

part part_of_file(const char* path) {
  const char* slash = std::strrchr(path, '/');
  const char* name = slash ? slash + 1 : path;
  for (const char* cxx : {"libstdc++.so", "libgcc_s.so"})
    if (std::strncmp(name, cxx, std::strlen(cxx)) == 0) return part::cxx_library;
  for (const char* c : {"libc.so", "libm.so", "libmvec.so", "libdl.so", "libpthread.so"})
    if (std::strncmp(name, c, std::strlen(c)) == 0) return part::c_library;
  if (std::strncmp(name, "ld-linux", 8) == 0) return part::loader;
  return part::elsewhere;
}

int note_module(dl_phdr_info* module, std::size_t, void*) {
  std::uintptr_t begin = UINTPTR_MAX, end = 0;
  for (int i = 0; i < module->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = module->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X)) continue;
    const std::uintptr_t at = module->dlpi_addr + segment.p_vaddr;
    if (at < begin) begin = at;
    if (at + segment.p_memsz > end) end = at + segment.p_memsz;
  }
  const auto holds = [&](std::uintptr_t address) { return begin <= address && address < end; };
  const part what = holds(tested)                                           ? part::tested
                    : holds(reinterpret_cast<std::uintptr_t>(&note_module)) ? part::in_front
                                                                            : part_of_file(module->dlpi_name);
  if (what != part::elsewhere && known < most_ranges) ranges[known++] = {begin, end, what};
  return 0;
}

part part_at(void* address) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  for (int i = 0; i < known; ++i)
    if (ranges[i].begin <= at && at < ranges[i].end) return ranges[i].what;
  return part::elsewhere;
}

/// A walk outwards from where `start` is a return address.
struct walk {
  void* start;
  bool begun = false;
  bool c_library = false, loader = false;
  part decided = part::elsewhere;
  void** frames = nullptr;
  int most = 0, depth = 0;
};

_Unwind_Reason_Code look(_Unwind_Context* context, void* given) {
  walk& w = *static_cast<walk*>(given);
  void* const at = reinterpret_cast<void*>(_Unwind_GetIP(context));
  if (!w.begun && at != w.start) return _URC_NO_REASON;
  w.begun = true;
  if (w.frames) {
    w.frames[w.depth++] = at;
    return w.depth < w.most ? _URC_NO_REASON : _URC_NORMAL_STOP;
  }
  w.decided = part_at(at);
  w.c_library |= w.decided == part::c_library;
  w.loader |= w.decided == part::loader;
  const bool decides = w.decided == part::tested || w.decided == part::elsewhere;
  return decides ? _URC_NORMAL_STOP : _URC_NO_REASON;
}

}  // namespace

void set_tested(const void* inside) noexcept {
  tested = reinterpret_cast<std::uintptr_t>(inside);
  known = 0;
  dl_iterate_phdr(note_module, nullptr);
}

caller caller_of(void* address) noexcept {
  const part direct = part_at(address);
  if (direct == part::tested) return caller::library;
  if (direct == part::elsewhere) return caller::other;
  walk w{address};
  _Unwind_Backtrace(look, &w);
  if (w.decided != part::tested) return caller::other;
  return w.loader ? caller::through_loader : w.c_library ? caller::through_system : caller::library;
}

int stack_from(void* address, void** frames, int most) noexcept {
  walk w{address};
  w.frames = frames;
  w.most = most;
  _Unwind_Backtrace(look, &w);
  return w.depth;
}

bool is_program(void* address) noexcept { return part_at(address) == part::elsewhere; }

}  // namespace fault
