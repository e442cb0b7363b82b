// Files mapped into memory: the values that a file has, whatever its layout; and what is stored never reaches it.
#include <doctest/doctest.h>

#include <complex>
#include <cstdio>
#include <string>
#include <vector>

#include <sinter/sinter.hpp>

#include "test/codegen/scratch.hpp"

namespace sn = sinter;
using namespace sinter::test;
using sn::array, sn::_, sn::slice;

namespace {

const std::string golden = SINTER_SOURCE_DIR "/test/numpy/golden/npy/";

template <class T>
void check_mapped(const char* name) {
  CAPTURE(std::string(name));
  const array<T> read = sn::load<T>(golden + name), mapped = sn::load<T>(golden + name, sn::mmap_mode::r);
  CHECK(mapped.shape() == read.shape());
  CHECK(mapped.get() == read.get());
  CHECK(array<T>(mapped + T(1)).get() == array<T>(read + T(1)).get());
}

std::int64_t host_address_of(const array<double>& a) { return reinterpret_cast<std::int64_t>(a.data()); }

}  // namespace

TEST_CASE("mapped: files of every layout have the values that reading gives") {
  check_mapped<double>("f8.npy");
  check_mapped<double>("f8_fortran.npy");
  check_mapped<double>("f8_no_axes.npy");
  check_mapped<double>("f8_big.npy");  // these are converted, and so read
  check_mapped<double>("i4.npy");
  check_mapped<float>("f4_empty.npy");
  check_mapped<std::int32_t>("i4_version2.npy");
  check_mapped<std::int32_t>("i4_version3.npy");
  check_mapped<std::uint8_t>("u1_eight_axes.npy");
  check_mapped<std::complex<double>>("c16.npy");
  CHECK(sn::load<bool>(golden + "b1.npy", sn::mmap_mode::c).get() == sn::load<bool>(golden + "b1.npy").get());
}

TEST_CASE("mapped: a store changes the array and not the file, nor another array of it") {
  const scratch folder;
  const std::string path = folder / "a.npy";
  const array<double> written = sn::arange(0.0, 5000).reshape(50, 100);
  sn::save(path, written);
  array<double> a = sn::load<double>(path, sn::mmap_mode::c);
  const array<double> b = sn::load<double>(path, sn::mmap_mode::c), row = a(3);
  a(3) = -1;
  a(_, 7) += 0.5;
  a(a > 4990) = 0;
  CHECK(a(3, 0).item() == -1);
  CHECK(a(0, 7).item() == 7.5);
  CHECK(a(49, 99).item() == 0);
  CHECK(sn::all(row == written(3)).item());
  CHECK(sn::all(b == written).item());
  CHECK(sn::all(sn::load<double>(path) == written).item());
  CHECK(sn::sum(sn::load<double>(path, sn::mmap_mode::c)(slice(_, _, 7), slice(_, _, -3))).item() ==
        sn::sum(written(slice(_, _, 7), slice(_, _, -3))).item());
}

TEST_CASE("mapped: on a CPU the elements are the file's pages, which outlive its name") {
  const scratch folder;
  const std::string path = folder / "a.npy";
  sn::save(path, sn::arange(0.0, 10000));
  const std::int64_t before = sn::counters().bytes_copied;
  const array<double> a = sn::load<double>(path, sn::mmap_mode::c);
  if (sn::device::current().type() != sn::device::kind::cuda) {
    CHECK(sn::counters().bytes_copied == before);
    CHECK(host_address_of(a) % 4096 == 128);  // behind the header
  }
  REQUIRE(std::remove(path.c_str()) == 0);
  CHECK(sn::sum(a * 2).item() == 9999.0 * 10000);
}

TEST_CASE("mapped: what is no array is refused") {
  const scratch folder;
  CHECK_THROWS_AS((void)sn::load<double>(folder / "none.npy", sn::mmap_mode::r), sn::io_error);
  const std::string path = folder / "a.npy";
  sn::save(path, sn::ones({100}));
  const std::string whole = read_text(path);
  for (std::size_t length = 0; length < whole.size(); length += 13) {
    CAPTURE(length);
    write_text(path, whole.substr(0, length));
    CHECK_THROWS_AS((void)sn::load<double>(path, sn::mmap_mode::r), sn::io_error);
  }
}
