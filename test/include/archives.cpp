// Archives of arrays: what NumPy writes, what Sinter writes, and what is none.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <sinter/sinter.hpp>

#include "test/codegen/scratch.hpp"

namespace sn = sinter;
using namespace sinter::test;
using sn::array;

namespace {

const std::string golden = SINTER_SOURCE_DIR "/test/numpy/golden/npy/";

std::string refusal(const std::string& path, const char* name) {
  try {
    (void)sn::load<double>(path, name);
  } catch (const sn::io_error& e) {
    return e.what();
  }
  return "";
}
bool contains(const std::string& text, const char* part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("archives: NumPy's are read") {
  CHECK(sn::load<double>(golden + "two.npz", "x").get() == std::vector<double>{0, 1, 2, 3, 4, 100});
  CHECK(sn::load<float>(golden + "two.npz", "x").shape() == sn::shape{2, 3});
  CHECK(sn::load<bool>(golden + "two.npz", "y.npy").get() == std::vector<bool>{false, false, true, true});
  CHECK(contains(refusal(golden + "two.npz", "z"), "it has no 'z'; it has x, y"));
  CHECK(contains(refusal(golden + "f8.npy", "x"), "this is no .npz file"));
  CHECK(contains(refusal(golden + "none.npz", "x"), "No such file"));
}

namespace {

// Reads what is there, refuses what is cut off, and of what is damaged gives an array or an error.
void check_written(const std::string& path) {
  CHECK(sn::load<int>(path, "a").get() == std::vector<int>{1, 2, 3, 4});
  CHECK(sn::load<double>(path, "twice").get() == std::vector<double>{2.5, 7.5, 5, 10});
  CHECK(sn::load<bool>(path, "none").shape() == sn::shape{0, 3});
  const std::string whole = read_text(path);
  for (std::size_t length = 0; length < whole.size(); length += 7) {
    CAPTURE(length);
    write_text(path, whole.substr(0, length));
    CHECK_THROWS_AS((void)sn::load<int>(path, "a"), sn::io_error);
  }
  std::string wrong = whole;
  for (std::size_t at = 0; at < whole.size(); at += 5) {  // no byte is trusted
    wrong[at] = static_cast<char>(wrong[at] ^ 0x5a);
    write_text(path, wrong);
    try {
      (void)sn::load<int>(path, "a");
    } catch (const sn::error&) {
    }
    wrong[at] = whole[at];
  }
}

}  // namespace

TEST_CASE("archives: what is written is read again, and what is cut off is refused") {
  const scratch folder;
  const std::string path = folder / "a.npz";
  const array<int> a{{1, 2}, {3, 4}};
  sn::savez(path, {{"a", a}, {"twice", a.T() * 2.5}, {"none", sn::zeros<bool>({0, 3})}});
  check_written(path);
  const std::string longest(65'532, 'n');  // with .npy behind it, one more than the archive has room for
  CHECK_THROWS_WITH_AS(sn::savez(path, {{longest.c_str(), a}}),
                       ("sinter: savez: " + path + ": a name in it has more than 65535 bytes").c_str(), sn::io_error);
  sn::savez(path, {});
  CHECK(contains(refusal(path, "a"), "it has no 'a'"));
}

#ifdef SINTER_HAVE_ZLIB
TEST_CASE("archives: compressed ones are read and written") {
  CHECK(sn::load<double>(golden + "compressed.npz", "x").get() == std::vector<double>{0, 1, 2, 3, 4, 100});
  const scratch folder;
  const std::string path = folder / "a.npz";
  const array<int> a{{1, 2}, {3, 4}};
  sn::savez_compressed(path, {{"a", a}, {"twice", a.T() * 2.5}, {"none", sn::zeros<bool>({0, 3})}});
  check_written(path);
  const array<double> many = sn::arange(0.0, 400000) % 1000;  // several pieces of zlib's
  sn::savez_compressed(path, {{"many", many}});
  CHECK(read_text(path).size() < 400000);
  CHECK(sn::all(sn::load<double>(path, "many") == many).item());
  std::string damaged = read_text(path);
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 1);
  write_text(path, damaged);
  CHECK(contains(refusal(path, "many"), "damaged"));
}
#else
TEST_CASE("archives: compressed ones are refused by a library without zlib") {
  CHECK(contains(refusal(golden + "compressed.npz", "x"), "Sinter was built without zlib"));
  const scratch folder;
  CHECK_THROWS_AS(sn::savez_compressed(folder / "a.npz", {{"a", sn::ones({2})}}), sn::io_error);
}
#endif
