// The part of compiling that knows no device: which arithmetic the user asked for.
// Invariant: one answer for the life of a process, since it is part of every kernel's key.
#include "codegen/compile/compiler.hpp"

#include <cstdlib>
#if defined(__GLIBC__)
#include <gnu/libc-version.h>
#endif

#include <sinter/error.hpp>

namespace sinter::codegen {
namespace {

math_mode parse_math_mode(const char* word) {
  const std::string_view text = word ? word : "";
  if (text.empty() || text == "standard") return math_mode::standard;
  if (text == "strict") return math_mode::strict;
  if (text == "fast") return math_mode::fast;
  throw error(("SINTER_MATH is \"" + std::string(text) + "\"; it must be strict, standard or fast").c_str());
}

// Is this x86-64 with a glibc whose libmvec has every function that codegen/source/library.cpp says it has (2.35)?
bool has_vector_math() {
#if defined(__x86_64__) && defined(__GLIBC__)
  char* minor = nullptr;
  const long major = std::strtol(gnu_get_libc_version(), &minor, 10);
  return major > 2 || (major == 2 && *minor == '.' && std::strtol(minor + 1, nullptr, 10) >= 35);
#else
  return false;
#endif
}

}  // namespace

math_mode math_mode_from_environment() {
  // Owner of this state: this function. A throwing first call leaves it unset, so the next call reports again.
  static const math_mode mode = parse_math_mode(::getenv("SINTER_MATH"));
  return mode;
}

target target_here(dialect to) { return {to, math_mode_from_environment(), has_vector_math()}; }

}  // namespace sinter::codegen
