// The grid: the same work in several libraries, in one process, where they take turns. Each library has its rows in a file of its
// own, so that no other file pays for its headers.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace bench::grid {

/// What a row works on, the same for every library: n numbers in one line, or a matrix of as many.
struct inputs {
  std::int64_t n, rows, columns;
  const float *x, *y;                  // from 0 to 1; x is also the matrix, and y its row
  const float *price, *strike, *time;  // of options; time is also a column
  const std::int32_t* k;
  const std::int8_t* bytes;
};

/// A row as one library does it: `run` many times, into a result that is there already, which `result` gives.
struct work {
  std::function<void(int times)> run;
  std::function<std::vector<double>()> result;
};
using maker = work (*)(const inputs&);

struct entry {
  const char* row;
  maker make;
};
std::span<const entry> of_eigen();
std::span<const entry> of_xtensor();

/// Sinter's: the expression as one writes it, into a new array; stored into an array that is there, where there is more than a
/// number; and every operation into an array of its own, where there are several. Null: it has none.
struct our_entry {
  const char* row;
  maker fused, stored, unfused;
};
std::span<const our_entry> of_sinter();

/// A row: how its operands lie, what no way of doing it could save of memory, in bytes an element, and what a plain loop gives.
struct row_kind {
  const char* name;
  enum { line, matrix, threes } shape;
  double read, written;
  std::vector<double> (*plain)(const inputs&);
};
std::span<const row_kind> rows();

/// Tells the compiler that the program reads what `p` points to.
inline void is_read(const void* p) { asm volatile("" : : "r"(p) : "memory"); }

}  // namespace bench::grid
