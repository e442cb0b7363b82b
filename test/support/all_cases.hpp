// Which of the stored cases of NumPy's a device takes. All of them take a compiled device, which compiles kernels for most of them, half an
// hour: in a run of all tests it takes some of each kind, and the interpreter takes all.
#pragma once

#include <cstdlib>

#include <sinter/device.hpp>

namespace sinter::test {

/// Does this run take every case? On a compiled device the environment asks for that: SINTER_ALL_CASES=1.
inline bool takes_all_cases() {
  const char* const asked = std::getenv("SINTER_ALL_CASES");
  return device::current() == device::interpreter() || (asked && *asked == '1');
}

/// A number of a case, one higher on a GPU: what goes by it in turn is another on a GPU than on the CPU.
inline unsigned turn_of(unsigned number) { return number + (device::current().type() == device::kind::cuda); }

/// Where each case takes kernels of its own and others like it stand beside: every second one, the CPU the others than a GPU.
inline bool takes_in_turn(unsigned number) { return takes_all_cases() || turn_of(number) % 2 == 0; }

}  // namespace sinter::test
