// OpenBLAS works with kernels of the processor that is there, however much newer it is than OpenBLAS.
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include <dlfcn.h>

#include "test/include/looking.hpp"

using namespace sinter;

TEST_CASE("openblas: where there is AVX2, its kernels have it") {
  bool has_vectors = false;
#if defined(__x86_64__)
  has_vectors = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
  if (!has_vectors || std::getenv("OPENBLAS_CORETYPE") || std::getenv("SINTER_BLAS")) return;
  device_scope on(device::cpu());
  const array<double> a = ones<double>({200, 200});
  CHECK(array<double>(matmul(a, a))(199, 199).item() == 200);
  void* const library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_NOLOAD);
  if (!library) return;  // a machine without it
  const auto name = reinterpret_cast<char* (*)()>(dlsym(library, "openblas_get_corename"));
  const bool is_named = name != nullptr;
  REQUIRE(is_named);
  CHECK(std::string(name()) != "Prescott");
  CHECK(std::getenv("OPENBLAS_CORETYPE") == nullptr);
  dlclose(library);
}
