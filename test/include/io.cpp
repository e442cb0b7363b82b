// Reading and writing .npy files: what NumPy wrote, what Sinter writes, and what no program should have written. A
// damaged file is an error with a reason, never a crash and never memory asked for on a header's word.
#include <doctest/doctest.h>

#include <complex>

#include <sys/stat.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <sinter/sinter.hpp>

#include "test/codegen/scratch.hpp"

namespace sn = sinter;
using namespace sinter::test;

namespace {

std::string golden(const std::string& name) { return SINTER_SOURCE_DIR "/test/numpy/golden/npy/" + name + ".npy"; }

template <class T>
std::vector<T> loaded(const std::string& path) {
  return sn::load<T>(path.c_str()).get();
}

/// 0, 1, 2, ...
template <class T>
std::vector<T> counted(std::size_t count) {
  std::vector<T> all(count);
  std::iota(all.begin(), all.end(), T(0));
  return all;
}

/// Calls f and gives the message of the Error it throws.
template <class Error, class F>
std::string refusal(F f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  } catch (const std::exception& e) {
    return std::string("another exception: ") + e.what();
  }
  return "no exception";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

/// A file of version 1.0 with this header, and elements of zero.
std::string file_of(const std::string& header, std::size_t elements = 64) {
  std::string all = "\x93NUMPY";
  all.append({1, 0, static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)});
  return all + header + std::string(elements, '\0');
}

/// Writes a new file. Writing over an old one costs milliseconds where file systems flush what replaces a truncated
/// file.
void write_anew(const std::string& path, const std::string& bytes) {
  std::filesystem::remove(path);
  write_text(path, bytes);
}

/// What loading a file of these bytes says.
std::string refused(const scratch& folder, const std::string& bytes) {
  const std::string path = folder / "refused.npy";
  write_anew(path, bytes);
  return refusal<sn::io_error>([&] { sn::load<double>(path.c_str()); });
}

template <class T>
void check_round_trip(const char* code) {
  CAPTURE(code);
  const scratch folder;
  const std::string path = folder / "written.npy";
  const auto a = sn::load<T>(golden(code).c_str());
  CHECK(a.shape() == sn::shape{2, 3});
  sn::save(path.c_str(), a);
  CHECK(read_text(path) == read_text(golden(code)));  // to the byte, padding and all
  CHECK(loaded<T>(path) == a.get());
  if constexpr (!sn::detail::complex_number<T>)
    CHECK(loaded<double>(path) ==
          (std::is_same_v<T, bool> ? std::vector<double>{0, 1, 0, 1, 0, 0} : std::vector<double>{0, 1, 2, 3, 4, 100}));
}

}  // namespace

TEST_CASE("npy: every dtype there and back, with the bytes NumPy writes") {
  check_round_trip<bool>("b1");
  check_round_trip<std::int8_t>("i1");
  check_round_trip<std::int16_t>("i2");
  check_round_trip<std::int32_t>("i4");
  check_round_trip<std::int64_t>("i8");
  check_round_trip<std::uint8_t>("u1");
  check_round_trip<std::uint16_t>("u2");
  check_round_trip<std::uint32_t>("u4");
  check_round_trip<std::uint64_t>("u8");
  check_round_trip<float>("f4");
  check_round_trip<double>("f8");
  check_round_trip<sn::half>("f2");
  check_round_trip<std::complex<float>>("c8");
  check_round_trip<std::complex<double>>("c16");
}

TEST_CASE("npy: byte orders, versions, Fortran order, any number of axes") {
  const std::vector<float> numbers{0, 1, 2, 3, 4, 100};
  for (const char* name :
       {"i2_big", "u4_big", "i8_big", "f2_big", "f4_big", "f8_big", "f2", "i4_version2", "i4_version3"}) {
    CAPTURE(name);
    CHECK(loaded<float>(golden(name)) == numbers);
  }
  const auto fortran = sn::load<double>(golden("f8_fortran").c_str());
  CHECK(fortran.shape() == sn::shape{2, 3, 4});
  CHECK(fortran.get() == counted<double>(24));
  CHECK(loaded<int>(golden("i2_fortran_vector")) == std::vector<int>{0, 1, 2, 3});

  CHECK(sn::load<double>(golden("f8_no_axes").c_str()).shape() == sn::shape());
  CHECK(sn::load<double>(golden("f8_no_axes").c_str()).item() == 2.5);
  CHECK(sn::load<float>(golden("f4_empty").c_str()).shape() == sn::shape{2, 0, 3});
  CHECK(sn::load<int>(golden("u1_eight_axes").c_str()).shape() == sn::shape{1, 2, 1, 1, 2, 1, 1, 1});
}

TEST_CASE("npy: halves become the floats they stand for") {
  const auto x = loaded<float>(golden("f2_special"));
  const std::vector<float> known{0, 0, 1.5f, -2, 65504, 0x1p-14f, 0x1p-24f, 0x3ffp-24f};
  REQUIRE(x.size() == 11);
  CHECK(std::vector<float>(x.begin(), x.begin() + 8) == known);
  CHECK(std::signbit(x[1]));
  CHECK(x[8] == std::numeric_limits<float>::infinity());
  CHECK(x[9] == -std::numeric_limits<float>::infinity());
  CHECK(std::isnan(x[10]));
}

TEST_CASE(
    "npy: complex numbers of either order of bytes, with parts that are not finite, of no axes and of no elements") {
  for (const std::string code : {"c8", "c16"}) {
    const auto parts = loaded<std::complex<double>>(golden(code + "_special"));
    REQUIRE(parts.size() == 6);
    CHECK(parts[0] == std::complex(0.0, std::numeric_limits<double>::infinity()));
    CHECK(std::signbit(parts[1].real()));
    CHECK(std::isnan(parts[1].imag()));
    CHECK(parts[2] == std::complex(1.5, -2.0));
    CHECK(std::isnan(parts[4].real()));
    CHECK(loaded<std::complex<float>>(golden(code + "_big")) == loaded<std::complex<float>>(golden(code)));
    const scratch folder;
    const std::string path = folder / "again.npy";
    sn::save(path.c_str(), sn::load<std::complex<double>>(golden("c16_special").c_str()));
    CHECK(read_text(path) == read_text(golden("c16_special")));
  }
  CHECK(sn::load<std::complex<double>>(golden("c16_no_axes").c_str()).item() == std::complex(2.5, -1.0));
  CHECK(sn::load<std::complex<float>>(golden("c8_empty").c_str()).shape() == sn::shape{2, 0});
}

TEST_CASE("npy: bfloat16 there and back, as two bytes without a name") {
  const scratch folder;
  const std::string path = folder / "short.npy";
  const sn::array<sn::bfloat16> a{sn::bfloat16(1.5f), sn::bfloat16(-0.0f), sn::bfloat16(3e38f)};
  sn::save(path.c_str(), a);
  CHECK(contains(read_text(path), "V2'"));
  const auto again = sn::load<sn::bfloat16>(path.c_str()).get();
  REQUIRE(again.size() == 3);
  for (std::size_t k = 0; k < 3; ++k) CHECK(again[k].bits == a.get()[k].bits);
}

TEST_CASE("npy: complex numbers do not become real") {
  const scratch room;
  const std::string file = room / "complex.npy";
  sn::save(file, sn::array<std::complex<double>>{{1, 2}, {3, 4}});
  CHECK(contains(refusal<sn::dtype_error>([&] { (void)sn::load<double>(file); }), "are complex, and no float64"));
  CHECK(sn::load<std::complex<float>>(file)(0, 1).item() == std::complex<float>(2));
}

TEST_CASE("npy: floats become integers by saturation, NaN becomes 0") {
  // nan, inf, -inf, 1e300, -1e300, 255.9, -0.9, 0.5, 2^63
  const auto wide = golden("f8_wide");
  constexpr auto most = std::numeric_limits<std::int64_t>::max(), least = std::numeric_limits<std::int64_t>::min();
  CHECK(loaded<std::uint8_t>(wide) == std::vector<std::uint8_t>{0, 255, 0, 255, 0, 255, 0, 0, 255});
  CHECK(loaded<std::int64_t>(wide) == std::vector<std::int64_t>{0, most, least, most, least, 255, 0, 0, most});
  CHECK(loaded<bool>(wide) == std::vector<bool>{true, true, true, true, true, true, true, true, true});
  CHECK(loaded<std::int8_t>(golden("u8")) == std::vector<std::int8_t>{0, 1, 2, 3, 4, 100});
}

TEST_CASE("npy: a bool is a bool, whatever its byte") {
  const scratch folder;
  std::string bytes = read_text(golden("b1"));
  bytes.back() = 7;
  write_text(folder / "odd.npy", bytes);
  CHECK(loaded<int>(folder / "odd.npy") == std::vector<int>{0, 1, 0, 1, 0, 1});
  CHECK(loaded<bool>(folder / "odd.npy").back());
}

TEST_CASE("npy: expressions are evaluated and views written in C order") {
  const scratch folder;
  const std::string path = folder / "a.npy";
  sn::array<float> a{{1, 2, 3}, {4, 5, 6}};
  sn::save(path.c_str(), a.T() * 2);
  CHECK(sn::load<float>(path.c_str()).shape() == sn::shape{3, 2});
  CHECK(loaded<float>(path) == std::vector<float>{2, 8, 4, 10, 6, 12});
  sn::save(path, a(0, sn::slice(sn::_, sn::_, -1)));  // a std::string, a std::filesystem::path
  CHECK(loaded<float>(path) == std::vector<float>{3, 2, 1});
  CHECK(sn::load<float>(std::filesystem::path(path)).get() == sn::load<float>(path).get());
}

TEST_CASE("npy: larger than the pieces it is read in") {
  const scratch folder;
  const std::string path = folder / "large.npy";
  sn::save(path.c_str(), sn::asarray(counted<double>(700'001)));
  CHECK(loaded<double>(path) == counted<double>(700'001));
  CHECK(loaded<std::int32_t>(path) == counted<std::int32_t>(700'001));
}

TEST_CASE("npy: from a pipe") {
  const scratch folder;
  const std::string path = folder / "pipe";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  const auto through_pipe = [&](const std::string& bytes, auto read) {
    std::thread writer([&] { write_text(path, bytes); });
    read();
    writer.join();
  };
  through_pipe(read_text(golden("f8_fortran")), [&] { CHECK(loaded<double>(path) == counted<double>(24)); });
  const auto boast = file_of("{'descr': '<f8', 'fortran_order': False, 'shape': (100000000000000000,), }");
  through_pipe(boast, [&] {
    CHECK(contains(refusal<sn::io_error>([&] { sn::load<double>(path.c_str()); }), "ends within its elements"));
  });
}

TEST_CASE("npy: dtypes that Sinter does not have") {
  for (const auto& [name, says] : {std::pair{"fields", "made of fields"}, {"object", "'|O'"}, {"text", "'<U3'"}}) {
    const auto path = golden(name);
    const auto message = refusal<sn::dtype_error>([&] { sn::load<double>(path.c_str()); });
    CAPTURE(message);
    CHECK(contains(message, path));
    CHECK(contains(message, says));
  }
}

TEST_CASE("npy: a file cut short anywhere is an io_error") {
  const scratch folder;
  for (const char* name : {"i2", "f8_fortran", "i4_version2"}) {
    const std::string whole = read_text(golden(name));
    for (std::size_t size = 0; size < whole.size(); ++size) {
      CAPTURE(size);
      CHECK(contains(refused(folder, whole.substr(0, size)), "refused.npy: the file ends within its"));
    }
  }
}

TEST_CASE("npy: headers that lie are refused with a reason") {
  const scratch folder;
  const auto says = [&](const std::string& header, const char* reason) {
    const std::string message = refused(folder, file_of(header));
    CAPTURE(header);
    CAPTURE(message);
    CHECK(contains(message, reason));
  };
  const auto shape_says = [&](const std::string& shape, const char* reason) {
    says("{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + ", }", reason);
  };
  shape_says("(9,)", "shape (9,) of float64 has 72 bytes, and 64 are there");
  shape_says("(4294967296, 4294967296)", "more elements than any memory holds");
  shape_says("(0, 4294967296, 4294967296)", "more elements than any memory holds");
  shape_says("(1152921504606846976,)", "more elements than any memory holds");
  shape_says("(99999999999999999999,)", "an extent beyond 64 bits");
  shape_says("(18446744073709551617,)", "an extent beyond 64 bits");
  shape_says("(-1,)", "an extent that is no number");
  shape_says("(1, 1, 1, 1, 1, 1, 1, 1, 1)", "more than 8 axes");
  shape_says("(3)", "a 'shape' that is no tuple");
  shape_says("3", "no '('");
  shape_says("(1 2)", "no ',' between two extents");
  shape_says("(1, 2", "no number");
  says("", "no '{'");
  says("{}", "no 'descr', 'fortran_order' or 'shape'");
  says("{'descr': '<f8', 'shape': (1,)}", "no 'descr', 'fortran_order' or 'shape'");
  says("{'descr': '<f8', 'descr': '<f8'}", "once each");
  says("{'descr': '<f8', 'fortran_order': 1, 'shape': (1,)}", "neither True nor False");
  says("{'descr': '<f8', 'fortran_order': False, 'shape': (1,)} x", "more after its closing brace");
  says("{'descr': '<f8', 'fortran_order': False, 'shape': (1,)", "no '}'");
  says("{'descr': '<f8", "a string without an end");
  says("{'descr': f8}", "no '''");

  const std::string good = "{\"shape\":(2,3L,) ,\n'fortran_order':False,'descr':'f4'}\n\n";
  write_text(folder / "good.npy", file_of(good));
  CHECK(sn::load<float>((folder / "good.npy").c_str()).shape() == sn::shape{2, 3});

  CHECK(contains(refused(folder, "PK\x03\x04 an archive, not an array"), "no .npy file"));
  CHECK(contains(refused(folder, std::string("\x93NUMPY\x04\x00", 8)), "version 4.0"));
  CHECK(contains(refused(folder, std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12)), "4294967295 bytes"));
}

TEST_CASE("npy: whatever the header's bytes, an array or an error comes of them") {
  const scratch folder;
  const std::string path = folder / "fuzzed.npy", whole = read_text(golden("i2"));
  std::mt19937 random(42);
  int arrays = 0, errors = 0;
  const auto attempt = [&](const std::string& bytes) {
    write_anew(path, bytes);
    try {
      const auto a = sn::load<float>(path.c_str());
      CHECK(a.get().size() <= bytes.size());
      ++arrays;
    } catch (const sn::error&) {
      ++errors;
    }
  };
  const std::string telling = "{}()'\",:<>|=TFbiuf0189-L \n\xff";
  for (std::size_t at = 0; at < 70; ++at)  // beyond there is padding only
    for (std::size_t k = 0; k <= telling.size(); ++k) {
      std::string bytes = whole;
      bytes[at] = telling.c_str()[k];
      attempt(bytes);
    }
  for (int i = 0; i < 1000; ++i) {
    std::string bytes = whole;
    for (int changes = 1 + static_cast<int>(random() % 3); changes > 0; --changes) {
      const std::size_t at = 6 + random() % 62;
      if (random() % 2) bytes[at] = telling[random() % telling.size()];
      else bytes.erase(at, random() % 4);
    }
    attempt(bytes);
  }
  CHECK(arrays > 20);
  CHECK(errors > 1000);
}

TEST_CASE("npy: files that cannot be read or written say why") {
  const scratch folder;
  const sn::array<float> a{1, 2, 3};
  const auto missing = folder / "missing/a.npy";
  CHECK(refusal<sn::io_error>([&] { sn::load<float>(missing.c_str()); }) ==
        "sinter: load: " + missing + ": No such file or directory");
  CHECK(refusal<sn::io_error>([&] { sn::save(missing.c_str(), a); }) ==
        "sinter: save: " + missing + ": No such file or directory");
  CHECK(contains(refusal<sn::io_error>([&] { sn::load<float>(folder.path().c_str()); }), "Is a directory"));
  if (std::filesystem::exists("/dev/full")) {
    CHECK(contains(refusal<sn::io_error>([&] { sn::save("/dev/full", a); }),
                   "No space left on device; the file is not complete"));
  }
}

TEST_CASE("npy: an expression that cannot be evaluated leaves the file alone") {
  const scratch folder;
  const std::string path = folder / "kept.npy";
  const sn::array<float> a{1, 2, 3}, b{1, 2};
  sn::save(path.c_str(), a);
  CHECK_THROWS_AS(sn::save(path.c_str(), a + b), sn::shape_error);
  CHECK(loaded<float>(path) == a.get());
}
