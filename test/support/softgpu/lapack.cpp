#include "lapack.hpp"

#include <cstring>

#include <dlfcn.h>

namespace softgpu {

const sinter::runtime::lapack* host_lapack() {
  static const sinter::runtime::lapack* const found = []() -> const sinter::runtime::lapack* {
    void* const library = ::dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library) return nullptr;
    static auto& all = *new sinter::runtime::lapack;
    for (const sinter::runtime::library_function& f : all.functions()) {
      void* const symbol = ::dlsym(library, f.name);
      if (!symbol) return nullptr;
      std::memcpy(f.pointer, &symbol, sizeof symbol);
    }
    return &all;
  }();
  return found;
}

}  // namespace softgpu
