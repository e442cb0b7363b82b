// Libraries that are looked for: not there, there but no library, and there without a function.
#include "runtime/library/opened.hpp"

#include <cstdlib>
#include <fstream>

#include <doctest/doctest.h>

#include <sinter/error.hpp>

#include "test/codegen/scratch.hpp"

using namespace sinter::runtime;

namespace {

struct table {
  int (*compressed)() = nullptr;
  library_function all[1] = {{"compress", &compressed}};
};

}  // namespace

TEST_CASE("opened: what is not there is looked for under the next name, and the reason says all") {
  table t;
  std::string why;
  const library_place nowhere =
      usual_place("Nothing", "SINTER_TEST_NOTHING", {"libsinter_nothing.so.7", "/none/such.so"}, "no package");
  CHECK(open_library(nowhere, t.all, why) == search::in_vain);
  CHECK(why == "Nothing was not found; it is in no package; looked for libsinter_nothing.so.7 /none/such.so");
  CHECK(!t.compressed);
}

TEST_CASE("opened: a file that is there and no library is an error") {
  const sinter::test::scratch room;
  const std::string file = room / "broken.so";
  std::ofstream(file) << "no library";
  table t;
  std::string why;
  const library_place broken = usual_place("Nothing", "SINTER_TEST_NOTHING", {file.c_str()}, "no package");
  CHECK_THROWS_AS((void)open_library(broken, t.all, why), sinter::device_error);
}
