// What a compiled module and the driver agree on: the functions a kernel calls in the driver and the record by which
// the driver finds the module's kernels. Compiled into the driver and, with the shim after it, in front of every kernel
// text; so it includes nothing.
#pragma once

namespace softgpu {

struct index3 {
  unsigned x, y, z;
};

enum class touch : unsigned char { read, write, atomic };

/// What a warp or a block does together. Every thread brings a value; `warp_exchange` gives each the one of the lane it
/// names, the rest give all of them one answer.
enum class collective : unsigned char { shuffle, all, any, ballot, match, sync };

/// The driver's functions, set when a module is loaded.
struct services {
  void (*access)(const volatile void* address, unsigned long size, touch how, bool aligned);
  void (*barrier)();
  int (*barrier_count)(int predicate);  // threads of the block whose predicate holds
  unsigned long long (*warp)(collective what, unsigned mask, unsigned long long value, unsigned from);
  unsigned (*active_mask)();
  unsigned lane_count;
  void (*trap)(const char* why) __attribute__((noreturn));
  char* (*dynamic_shared)();
  double (*erfinv)(double);
  double (*erfcinv)(double);
  double (*normcdfinv)(double);
  double (*cyl_bessel_i0)(double);
  double (*cyl_bessel_i1)(double);
};

struct parameter_record {
  unsigned short offset, size;
};

struct kernel_record {
  const char* name;                     // for launches; null where a name expression is a variable's
  const char* title;                    // of the text
  void (*call)(const char* arguments);  // one thread
  const parameter_record* parameters;
  unsigned parameter_count;
  unsigned argument_bytes;
  unsigned most_threads;  // of a block
};

/// A variable that a name expression names.
struct variable_record {
  const char* name;  // the expression, `&` and all; null where it is a kernel's
  const void* at;
  unsigned long bytes;
};

struct module_record {
  unsigned version;
  bool fibers;  // the text has barriers or warp operations
  const kernel_record* kernels;
  unsigned kernel_count;
  const variable_record* variables;
  unsigned variable_count;
  services* functions;
  index3 *thread, *block, *block_size, *grid_size;
  char *shared_begin, *shared_end;  // the __shared__ variables: null where there are none
};

inline constexpr unsigned module_version = 2;

}  // namespace softgpu
