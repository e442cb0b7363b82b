// A program that shares Sinter with a library of its own: what one of them sets, the other finds.
#include <iostream>

#include "user.hpp"

namespace sn = sinter;

namespace {

int wrong = 0;

void expect(bool right, const char* what) {
  if (right) return;
  std::cout << "wrong: " << what << '\n';
  ++wrong;
}

}  // namespace

int main() {
  expect(current_in_library() == sn::device::current(), "the default device");
  {
    const sn::device_scope scope(sn::device::interpreter());
    expect(current_in_library() == sn::device::interpreter(), "a device_scope of the program's, in the library");
  }
  sn::default_memory_pool().set_limit({.bytes = std::size_t{1} << 30});
  expect(limit_in_library() == std::size_t{1} << 30, "a limit of the program's, in the library");
  const auto before = launches_in_library();
  sn::array<double> a = sn::arange(5.0);
  a = doubled_in_library(a) + 1;
  expect(a(4).item() == 9, "an array that went to the library and back");
  expect(launches_in_library() == sn::counters().launches && launches_in_library() > before, "the counters");
  try {
    throw_in_library();
    expect(false, "no exception came");
  } catch (const sn::shape_error&) {
  }
  std::cout << wrong << " wrong\n";
  return wrong != 0;
}
