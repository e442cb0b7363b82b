// Numbers in text and as bytes: what NumPy reads, and what it refuses.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cmath>
#include <list>
#include <string>
#include <vector>

#include <sinter/sinter.hpp>

#include "test/codegen/scratch.hpp"

namespace sn = sinter;
using namespace sinter::test;
using sn::array;

namespace {

std::string message_of(void (*f)(const std::string&), const std::string& path) {
  try {
    f(path);
  } catch (const sn::io_error& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("text: tables are read") {
  const scratch folder;
  const std::string path = folder / "table.txt";
  write_text(path, "# heights\n1 2.5\t-3e2\n\n  4 nan +inf # the last\n");
  const array<double> all = sn::loadtxt(path);
  CHECK(all.shape() == sn::shape{2, 3});
  CHECK(all(0).get() == std::vector<double>{1, 2.5, -300});
  CHECK(std::isnan(all(1, 1).item()));
  CHECK(std::isinf(all(1, 2).item()));
  CHECK(sn::loadtxt<float>(path, {.max_rows = 1}).shape() == sn::shape{3});
  CHECK(sn::loadtxt(path, {.usecols = {-1, 0}})(0).get() == std::vector<double>{-300, 1});
  write_text(path, "a;b\n1; 2\n3;4\n");
  CHECK(sn::loadtxt<int>(path, {.delimiter = ";", .skiprows = 1}).get() == std::vector<int>{1, 2, 3, 4});
  CHECK(sn::loadtxt<bool>(path, {.delimiter = ";", .skiprows = 1, .usecols = {0}}).shape() == sn::shape{2});
  write_text(path, "7\n");
  CHECK(sn::loadtxt<std::uint64_t>(path).shape() == sn::shape());
  write_text(path, "");
  CHECK(sn::loadtxt(path).shape() == sn::shape{0});
  write_text(path, "1e400 1e-400\n");
  CHECK(std::isinf(sn::loadtxt(path)(0).item()));
  CHECK(sn::loadtxt(path)(1).item() == 0);
}

TEST_CASE("text: what is no table is refused with its line") {
  const scratch folder;
  const std::string path = folder / "wrong.txt";
  const auto refused = [&](const char* text, const char* says, void (*f)(const std::string&)) {
    write_text(path, text);
    CHECK(message_of(f, path).find(says) != std::string::npos);
  };
  const auto of_double = [](const std::string& p) { (void)sn::loadtxt(p); };
  const auto of_int8 = [](const std::string& p) { (void)sn::loadtxt<std::int8_t>(p); };
  refused("1 2\n3\n", "line 2 has 1 fields, and those before it have 2", of_double);
  refused("1\n2 x\n", "line 2", of_double);
  refused("1\nx\n", "line 2 has 'x', which is no float64", of_double);
  refused("1.5\n", "'1.5', which is no int8", of_int8);
  refused("300\n", "'300', which is no int8", of_int8);
  refused("-129\n", "'-129', which is no int8", of_int8);
  refused("1 2\n", "has no column 5", [](const std::string& p) { (void)sn::loadtxt(p, {.usecols = {5}}); });
  CHECK_THROWS_AS((void)sn::loadtxt(folder / "none.txt"), sn::io_error);
  CHECK_THROWS_AS((void)sn::fromstring("1 two"), sn::io_error);
}

TEST_CASE("text: what is missing has another value") {
  const scratch folder;
  const std::string path = folder / "gaps.csv";
  write_text(path, "1,,3\nx,5,6\n");
  const array<double> d = sn::genfromtxt(path, {.delimiter = ","});
  CHECK(std::isnan(d(0, 1).item()));
  CHECK(std::isnan(d(1, 0).item()));
  CHECK(sn::genfromtxt<int>(path, {.delimiter = ","}).get() == std::vector<int>{1, -1, 3, -1, 5, 6});
  CHECK(sn::genfromtxt<int>(path, {.delimiter = ",", .filling_values = 9}).get() == std::vector<int>{1, 9, 3, 9, 5, 6});
  // Tabs that are named are not merged, nor are those in front left out.
  write_text(path, "1\t\t3\n\t5\t6 \r\n");
  CHECK(sn::genfromtxt<int>(path, {.delimiter = "\t"}).get() == std::vector<int>{1, -1, 3, -1, 5, 6});
  CHECK_THROWS_AS((void)sn::loadtxt(path, {.delimiter = "\t"}), sn::error);
  write_text(path,
             "\xef\xbb\xbf"
             "1,2\n3,4,5\n");
  CHECK(sn::genfromtxt<int>(path, {.delimiter = ",", .usecols = {0, -1}}).get() == std::vector<int>{1, 2, 3, 5});
}

TEST_CASE("text: tables are written as NumPy writes them") {
  const scratch folder;
  const std::string path = folder / "written.txt";
  sn::savetxt(path, array<double>{{0.1, -2}, {1e300, 4}});
  CHECK(read_text(path) ==
        "1.000000000000000056e-01 -2.000000000000000000e+00\n1.000000000000000053e+300 4.000000000000000000e+00\n");
  CHECK(sn::loadtxt(path).get() == std::vector<double>{0.1, -2, 1e300, 4});
  sn::savetxt(path, array<int>{1, 2} * 3, {.fmt = "<%3d>", .header = "two\nnumbers", .footer = "end"});
  CHECK(read_text(path) == "# two\n# numbers\n<  3>\n<  6>\n# end\n");
  sn::savetxt(path, array<float>{{1.5f, 2}}, {.fmt = "%.1f%%", .delimiter = ", "});
  CHECK(read_text(path) == "1.5%, 2.0%\n");
  for (const char* fmt : {"%s", "%n", "%", "none", "%d %d", "%*d", "%99999999999999d"}) {
    CAPTURE(std::string(fmt));
    CHECK_THROWS_AS(sn::savetxt(path, array<int>{1}, {.fmt = fmt}), sn::io_error);
  }
  CHECK_THROWS_AS(sn::savetxt(path, sn::zeros({1, 1, 1})), sn::shape_error);
  for (const double x : {double(NAN), double(INFINITY), 1e300, 0x1p63})
    CHECK_THROWS_AS(sn::savetxt(path, array<double>{x}, {.fmt = "%d"}), sn::io_error);
  sn::savetxt(path, array<double>{-2.9, -0x1p63}, {.fmt = "%d"});
  CHECK(read_text(path) == "-2\n-9223372036854775808\n");
  CHECK_THROWS_AS(sn::savetxt(folder / "no/such", sn::zeros({1})), sn::io_error);
}

TEST_CASE("text: numbers of a string, of bytes and of an iteration") {
  CHECK(sn::fromstring("1 2.5\n 3").get() == std::vector<double>{1, 2.5, 3});
  CHECK(sn::fromstring<int>("4, 5,6", ",").get() == std::vector<int>{4, 5, 6});
  CHECK(sn::fromstring("").shape() == sn::shape{0});
  const std::vector<float> v{1, 2, 3, 4};
  CHECK(sn::frombuffer<float>(v).get() == v);
  CHECK(sn::frombuffer<float>(v, 2, 4).get() == std::vector<float>{2, 3});
  CHECK(sn::frombuffer<std::uint8_t>(v).size() == 16);
  CHECK_THROWS_AS((void)sn::frombuffer<double>(v, -1, 4), sn::shape_error);
  CHECK_THROWS_AS((void)sn::frombuffer<float>(v, 4, 4), sn::shape_error);
  CHECK(sn::fromiter(std::list<int>{3, 1, 2}).get() == std::vector<int>{3, 1, 2});
  CHECK(sn::fromiter<bool>(std::list<int>{3, 0}).get() == std::vector<bool>{true, false});
  const scratch folder;
  const std::string path = folder / "raw";
  sn::tofile(path, array<std::int16_t>{{1, 2}, {3, 4}}.T());
  CHECK(sn::fromfile<std::int16_t>(path).get() == std::vector<std::int16_t>{1, 3, 2, 4});
  CHECK(sn::fromfile<std::int16_t>(path, 2, 2).get() == std::vector<std::int16_t>{3, 2});
  CHECK_THROWS_AS((void)sn::fromfile<std::int16_t>(path, 5), sn::io_error);
  CHECK_THROWS_AS((void)sn::fromfile<std::int16_t>(folder / "none"), sn::io_error);
  CHECK_THROWS_WITH_AS((void)sn::fromfile<int>("/"), "sinter: fromfile: /: Is a directory", sn::io_error);
  if (access("/dev/full", W_OK) == 0)
    CHECK_THROWS_WITH_AS(sn::tofile("/dev/full", array<int>{1}),
                         "sinter: tofile: /dev/full: No space left on device; the file is not complete", sn::io_error);
}
