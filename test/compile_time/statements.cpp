// What the statements of statements.def cost: compiled with STATEMENTS defined, and without for the difference. Each stands in
// a function of its own and is evaluated.
#include <sinter/sinter.hpp>

using namespace sinter;

#ifdef STATEMENTS
#define JOIN(a, b) a##b
#define NAMED(line) JOIN(statement_, line)
#define STATEMENT(T, ...)                                                                                          \
  array<T> NAMED(__LINE__)([[maybe_unused]] const array<double>& a, [[maybe_unused]] const array<double>& b,       \
                           [[maybe_unused]] const array<double>& c, [[maybe_unused]] const array<float>& f,        \
                           [[maybe_unused]] const array<std::int64_t>& n, [[maybe_unused]] const array<bool>& m) { \
    return __VA_ARGS__;                                                                                            \
  }
#include "statements.def"
#endif
