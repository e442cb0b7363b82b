// One Sinter to a process. Where a program and a library that it loads were both linked with libsinter.a, there would be two
// sets of pools, limits, streams, devices and counters, with arrays and inline functions passing between them. So each copy
// leaves a note in the file that it is linked into and looks, when that is loaded, for the notes of others. The second one
// says where they are and ends the process: nothing has run with half of each. See docs/decisions/0016.
#include "runtime/device/copies.hpp"

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <sinter/private_copy.hpp>

namespace sinter::runtime {
namespace {

using detail::copy_note;

[[gnu::section(".note.sinter"), gnu::used, gnu::aligned(4)]] const copy_note note{.what = copy_note::here};

/// What the notes of one loaded file say.
struct file_notes {
  bool copy = false, is_private = false, mine = false;
};

void read(const std::byte* at, const std::byte* end, std::size_t alignment, file_notes& found) {
  const auto padded = [&](std::size_t size) { return (size + alignment - 1) / alignment * alignment; };
  ElfW(Nhdr) head;
  while (end - at >= static_cast<std::ptrdiff_t>(sizeof head)) {
    std::memcpy(&head, at, sizeof head);
    const std::byte* const name = at + sizeof head;
    if (end - name >= static_cast<std::ptrdiff_t>(sizeof note.name) && head.n_namesz == note.name_size &&
        std::memcmp(name, note.name, note.name_size) == 0) {
      found.copy |= head.n_type == copy_note::here;
      found.is_private |= head.n_type == copy_note::is_private;
      found.mine |= static_cast<const void*>(at) == &note;
    }
    at = name + padded(head.n_namesz) + padded(head.n_descsz);
  }
}

/// The copies among the loaded files: this one, and another that it must not run beside.
struct survey {
  file_notes here;
  char mine[4096] = "", other[4096] = "";
};

void name_file(char (&to)[4096], const char* name) {
  if (*name) std::snprintf(to, sizeof to, "%s", name);
  else if (readlink("/proc/self/exe", to, sizeof to - 1) < 0) std::snprintf(to, sizeof to, "the program");
}

int look_at(dl_phdr_info* file, std::size_t, void* with) {
  auto& all = *static_cast<survey*>(with);
  file_notes found;
  for (int i = 0; i < file->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = file->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const auto* const start = reinterpret_cast<const std::byte*>(file->dlpi_addr + segment.p_vaddr);
    read(start, start + segment.p_memsz, segment.p_align == 8 ? 8 : 4, found);
  }
  if (found.mine) {
    all.here = found;
    name_file(all.mine, file->dlpi_name);
  } else if (found.copy && !found.is_private) {
    name_file(all.other, file->dlpi_name);
  }
  return 0;
}

/// Can other files take this file's inline functions for theirs? The macro's symbol is shown where those are.
bool shows_symbols() {
  Dl_info mine{}, shown{};
  if (!dladdr(&note, &mine)) return false;
  void* const library = dlopen(mine.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  void* const symbol = dlsym(library ? library : RTLD_DEFAULT, "sinter_private_shows");
  const bool shows = symbol && dladdr(symbol, &shown) && shown.dli_fbase == mine.dli_fbase;
  if (library) dlclose(library);
  return shows;
}

/// Before the file's other initialisers, which may use arrays.
[[gnu::constructor(101)]] void refuse_a_second_copy() {
  survey all;
  dl_iterate_phdr(look_at, &all);
  if (all.here.is_private) {
    if (!shows_symbols()) return;
    std::fprintf(
        stderr,
        "sinter: %s says SINTER_PRIVATE_COPY and shows its symbols all the same; link it with a version script "
        "that makes them local\n",
        all.mine);
    std::abort();
  }
  if (!*all.other) return;
  std::fprintf(stderr,
               "sinter: this process holds two copies of Sinter, in %s and in %s; neither would know of the other's "
               "limits, streams and devices. Link both with the shared library (BUILD_SHARED_LIBS=ON)\n",
               all.other, all.mine);
  std::abort();
}

}  // namespace

const void* this_copy() noexcept { return &note; }

}  // namespace sinter::runtime
