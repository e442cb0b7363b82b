#include "runtime/library/openblas_core.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include <dlfcn.h>

namespace sinter::runtime {

namespace {

// The best of OpenBLAS's names for kernels that this processor runs; null: it has none that are fast.
const char* best_core() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return "SkylakeX";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "Haswell";
#endif
  return nullptr;
}

template <class F>
F* symbol(void* library, const char* name) {
  return reinterpret_cast<F*>(dlsym(library, name));
}

}  // namespace

void choose_openblas_core(void* library) {
  constexpr const char* variable = "OPENBLAS_CORETYPE";
  // Without AVX2, and what is taken where a processor is none that OpenBLAS knows.
  constexpr std::string_view slow[] = {"Prescott",  "Core2",     "Nehalem", "Sandybridge",
                                       "Barcelona", "Bulldozer", "Generic"};
  const auto name = symbol<char*()>(library, "openblas_get_corename");
  const auto choose = symbol<void()>(library, "gotoblas_dynamic_init");
  const auto forget = symbol<void()>(library, "gotoblas_dynamic_quit");
  const char* const best = best_core();
  if (!name || !choose || !forget || !best || std::getenv(variable)) return;
  if (std::find(std::begin(slow), std::end(slow), std::string_view(name())) == std::end(slow)) return;
  // It asks the environment alone.
  if (setenv(variable, best, 1) != 0) return;
  forget();
  choose();
  unsetenv(variable);
}

}  // namespace sinter::runtime
