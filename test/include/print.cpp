// Arrays print as NumPy prints them: every case of test/numpy/golden/print.txt, and what printing does to streams,
// options and memory.
#include <doctest/doctest.h>

#include <algorithm>
#include <complex>
#include <cstring>
#include <fstream>
#include <iomanip>
#include <ios>
#include <sstream>
#include <string>
#include <vector>

#define FMT_HEADER_ONLY  // there is nothing to link then
#include <sinter/fmt.hpp>
#include <sinter/format.hpp>
#include <sinter/sinter.hpp>

namespace sn = sinter;

namespace {

/// One case of the golden file.
struct golden {
  std::string dtype, elements, text;
  std::vector<std::int64_t> extents;
  sn::print_options options;
};

std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> all;
  for (std::size_t at = 2; at <= line.size();) {
    const auto end = std::min(line.find(" | ", at), line.size());
    all.push_back(line.substr(at, end - at));
    at = end + 3;
  }
  return all;
}

std::vector<golden> read_golden(const std::string& path) {
  std::ifstream file(path);
  std::vector<golden> cases;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("# ")) {
      std::string& text = cases.back().text;
      text += (text.empty() ? "" : "\n") + line;
      continue;
    }
    const auto f = fields(line);
    golden g{f.at(0), f.at(3), "", {}, {}};
    std::istringstream extents(f.at(1)), options(f.at(2));
    for (std::int64_t e; extents >> e;) g.extents.push_back(e);
    sn::print_options& o = g.options;
    options >> o.precision >> o.threshold >> o.edgeitems >> o.linewidth >> o.suppress;
    cases.push_back(g);
  }
  return cases;
}

/// The elements: bit patterns in hexadecimal, of complex numbers two, or `ramp a b`, where element i is i * a / b.
template <class T>
std::vector<T> elements(const golden& g, std::int64_t count) {
  std::vector<T> all;
  std::istringstream in(g.elements);
  if constexpr (sn::detail::complex_number<T>) {
    const auto each = elements<typename T::value_type>(g, 2 * count);
    for (std::size_t i = 0; i + 1 < each.size(); i += 2) all.emplace_back(each[i], each[i + 1]);
  } else {
    if (g.elements.starts_with("ramp")) {
      std::string word;
      double a, b;
      in >> word >> a >> b;
      for (std::int64_t i = 0; i < count; ++i) all.push_back(static_cast<T>(static_cast<double>(i) * a / b));
    }
    for (std::uint64_t bits; all.size() < static_cast<std::size_t>(count) && in >> std::hex >> bits;) {
      T x;
      std::memcpy(static_cast<void*>(&x), &bits,
                  sizeof x);  // the low bytes come first on every machine that this runs on
      all.push_back(x);
    }
  }
  return all;
}

template <class E>
std::string text(const E& e) {
  std::ostringstream out;
  out << e;
  return out.str();
}

/// The three texts that a golden file may have.
struct printing {
  template <class E>
  std::string operator()(const E& e) const {
    return text(e);
  }
};
struct representing {
  template <class E>
  std::string operator()(const E& e) const {
    return sn::array_repr(e);
  }
};
struct with_separators {
  template <class E>
  std::string operator()(const E& e) const {
    return sn::array2string(e, {.separator = " ;", .prefix = "prefix", .suffix = "!!"});
  }
};

template <class T, class Text>
std::string printed(const golden& g, Text text_of) {
  const sn::shape s(g.extents.data(), static_cast<int>(g.extents.size()));
  if constexpr (std::is_same_v<T, bool>) {
    const auto bytes = elements<unsigned char>(g, s.elements());
    return text_of(sn::asarray(bytes, s) != 0);
  } else {
    return text_of(sn::asarray(elements<T>(g, s.elements()), s));
  }
}

template <class Text>
std::string printed_as(const golden& g, Text text_of) {
  if (g.dtype == "bool") return printed<bool>(g, text_of);
  if (g.dtype == "int8") return printed<std::int8_t>(g, text_of);
  if (g.dtype == "uint8") return printed<std::uint8_t>(g, text_of);
  if (g.dtype == "int16") return printed<std::int16_t>(g, text_of);
  if (g.dtype == "uint16") return printed<std::uint16_t>(g, text_of);
  if (g.dtype == "int32") return printed<std::int32_t>(g, text_of);
  if (g.dtype == "uint32") return printed<std::uint32_t>(g, text_of);
  if (g.dtype == "int64") return printed<std::int64_t>(g, text_of);
  if (g.dtype == "uint64") return printed<std::uint64_t>(g, text_of);
  if (g.dtype == "float16") return printed<sn::half>(g, text_of);
  if (g.dtype == "complex64") return printed<std::complex<float>>(g, text_of);
  if (g.dtype == "complex128") return printed<std::complex<double>>(g, text_of);
  if (g.dtype == "float32") return printed<float>(g, text_of);
  if (g.dtype == "float64") return printed<double>(g, text_of);
  return "a dtype this test does not know: " + g.dtype;
}

/// Puts the options back as they were.
struct options_restored {
  sn::print_options before = sn::get_printoptions();
  ~options_restored() { sn::set_printoptions(before); }
};

template <class Text>
void check_golden(const char* file, Text text_of) {
  const options_restored after;
  const auto cases = read_golden(std::string(SINTER_SOURCE_DIR "/test/numpy/golden/") + file);
  CHECK(cases.size() > 150);
  for (const golden& g : cases) {
    CAPTURE(g.dtype);
    CAPTURE(g.elements);
    sn::set_printoptions(g.options);
    CHECK(printed_as(g, text_of) == g.text);
  }
}

}  // namespace

TEST_CASE("print: NumPy's text, character for character") { check_golden("print.txt", printing{}); }
TEST_CASE("print: NumPy's array_repr") { check_golden("print_repr.txt", representing{}); }
TEST_CASE("print: NumPy's array2string with a separator, a prefix and a suffix") {
  check_golden("print_string.txt", with_separators{});
}

TEST_CASE("print: the program's own text of elements, and options of one call") {
  const sn::array<double> a{{1, -2.25}, {1e-9, 3}};
  const auto own = [](double x) { return x < 0 ? "minus" : std::to_string(static_cast<int>(x)); };
  CHECK(sn::array2string(a, own) == "[[1 minus]\n [0 3]]");  // as NumPy: the words are not made equally wide
  CHECK(sn::array2string(a(0) * 2, own, {.separator = ", "}) == "[2, minus]");
  CHECK(sn::array2string(sn::arange(9000), [](std::int64_t i) { return std::to_string(i); }, {.edgeitems = 1}) ==
        "[0 ... 8999]");
  CHECK(sn::array2string(sn::array{1 / 3.0}, {.precision = 3}) == "[0.333]");
  CHECK(sn::array2string(sn::sum(a) / 3) == "0.58333333");
  CHECK(sn::array_str(sn::sum(a) / 3) == text(sn::sum(a) / 3));
  CHECK(sn::array_str(a) == text(a));
  CHECK(sn::array_repr(sn::astype<sn::bfloat16>(a(0))) == "array([ 1.  , -2.25], dtype=bfloat16)");
}

#if __has_include(<fmt/format.h>)
TEST_CASE("print: {fmt}") {
  const sn::array<double> a{{1, -2.25}, {1e-9, 3}};
  CHECK(fmt::format("{}", a) == text(a));
  CHECK(fmt::format("a = {:r};", a(0)) == "a = array([ 1.  , -2.25]);");
  CHECK(fmt::format("{::.1f} {}", a(0) + 1, 5) == "[2.0 -1.2] 5");
  CHECK(fmt::format("{::>4}", sn::array{1, 20}) == "[   1   20]");
  CHECK(fmt::format("{::.1f}", sn::astype<sn::half>(a(0))) == "[1.0 -2.2]");
  CHECK(fmt::format("{::.1f}", sn::make_complex(a(0), -a(0))) == "[1.0-1.0j -2.2+2.2j]");
  CHECK_THROWS_AS((void)fmt::format(fmt::runtime("{:x}"), a), fmt::format_error);
}
#endif
#ifdef __cpp_lib_format
TEST_CASE("print: std::format") {
  const sn::array<double> a{{1, -2.25}, {1e-9, 3}};
  CHECK(std::format("{}", a) == text(a));
  CHECK(std::format("a = {:r};", a(0)) == "a = array([ 1.  , -2.25]);");
  CHECK(std::format("{::.1f} {}", a(0) + 1, 5) == "[2.0 -1.2] 5");
}
#endif

TEST_CASE("print: expressions, views and reductions are evaluated") {
  sn::array<float> a{{1, 2}, {3, 4}};
  CHECK(text(a * 2 + 0.5f) == "[[2.5 4.5]\n [6.5 8.5]]");
  CHECK(text(a.T()) == "[[1. 3.]\n [2. 4.]]");
  CHECK(text(a(sn::_, sn::slice(sn::_, sn::_, -1))) == "[[2. 1.]\n [4. 3.]]");
  CHECK(text(sn::sum(a)) == "10.0");
  CHECK(text(a > 2) == "[[False False]\n [ True  True]]");
  CHECK(text(sn::array<double>()) == "[]");
}

TEST_CASE("print: only the corners of a large array leave the device") {
  const auto a = sn::arange<int>(1'000'000).reshape({1000, 1000});
  const std::int64_t before = sn::counters().bytes_copied;
  const std::string upside_down = text(a(sn::slice(sn::_, sn::_, -1)));
  CHECK(upside_down.starts_with("[[999000 999001 999002 ... 999997 999998 999999]\n [998000 "));
  CHECK(upside_down.ends_with("\n [     0      1      2 ...    997    998    999]]"));
  CHECK(sn::counters().bytes_copied - before < 10'000);
}

TEST_CASE("print: options are the process's, and out of range they mean the nearest sensible ones") {
  const options_restored after;
  sn::set_printoptions({.precision = 2, .edgeitems = 1});
  CHECK(sn::get_printoptions().precision == 2);
  CHECK(sn::get_printoptions().threshold == 1000);
  CHECK(text(sn::array{0.125, 1.0}) == "[0.12 1.  ]");
  sn::set_printoptions({.precision = -1, .threshold = -1, .edgeitems = -1, .linewidth = -1});
  CHECK(text(sn::array{1.25, 2.0, 3.0}) == "[...\n 3.]");
}

TEST_CASE("print: a stream's width and flags do not reach into the text") {
  std::ostringstream out;
  out << std::hex << std::showpos << std::setprecision(1) << sn::array{10, 11} << ' ' << 255;
  CHECK(out.str() == "[10 11] ff");
}
