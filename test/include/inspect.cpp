// explain, dump and to_dot show what would run, and neither run nor allocate it.
#include <doctest/doctest.h>

#include <complex>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "test/include/looking.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;

/// The generated texts that dump gives for a device, one after the other.
template <class E>
std::string texts_for(const E& e, const std::string& language) {
  const std::string all = dump(e).c_str(), title = ": " + language + " ====\n";
  std::string texts;
  for (std::size_t at = all.find(title); at != std::string::npos; at = all.find(title, at + 1)) {
    const std::size_t begin = at + title.size();
    texts += all.substr(begin, all.find("==== kernel", begin) - begin);
  }
  return texts;
}

}  // namespace

TEST_CASE("inspect: what has no element says so") {
  const array<float> nothing = zeros<float>({0, 3});
  const std::string e = explain(nothing * 2).c_str(), d = dump(nothing * 2).c_str();
  CHECK(e.find("not launched: its result has no element") != std::string::npos);
  CHECK(e.find("nan") == std::string::npos);
  CHECK(d.find("not launched: its result has no element") != std::string::npos);
  CHECK(d.find("multiply") != std::string::npos);  // the kernel before it is text
  CHECK(std::string(to_dot(nothing * 2).c_str()).find("multiply") != std::string::npos);
  const std::string sums = explain(sum(nothing, 0)).c_str();  // three results of nothing
  CHECK(sums.find("not launched") == std::string::npos);
  CHECK(sums.find("nan") == std::string::npos);
  CHECK(std::string(dump(sum(nothing, 0)).c_str()).find("sinter_kernel") != std::string::npos);
  CHECK(explain(array<float>() + 1).c_str() != nullptr);
  CHECK(dump(mean(nothing)).c_str() != nullptr);
}

namespace {

template <class E>
std::string told(const E& e) {
  return explain(e).c_str();
}

/// Does a line of what explain says begin with a name, and end in a formula?
template <class E>
bool has_line(const E& e, const std::string& name, const std::string& formula) {
  std::istringstream lines(told(e));
  for (std::string line; std::getline(lines, line);)
    if (line.rfind("  " + name + " ", 0) == 0 && line.size() > formula.size() &&
        line.compare(line.size() - formula.size() - 2, std::string::npos, "  " + formula) == 0)
      return true;
  return false;
}

}  // namespace

TEST_CASE("inspect: explain writes formulas as a person would") {
  const array<float> x = linspace<float>(0, 1, 12), y = ones<float>({12});
  CHECK(has_line(x * x + y * y, "y", "x0 * x0 + x1 * x1"));
  CHECK(has_line(x - (y - x), "y", "x0 - (x1 - x0)"));
  CHECK(has_line(x - y - x, "y", "x0 - x1 - x0"));
  CHECK(has_line(-(x + y) * 2, "y", "-(x0 + x1) * 2"));
  CHECK(has_line((x < 1) & (y > 0.5f), "y", "(x0 < 1) & (x1 > 0.5)"));
  CHECK(has_line(where(x > y, sqrt(x), 1e20f), "y", "where(x0 > x1, sqrt(x0), 1e+20)"));
  CHECK(has_line(x * 1000000, "y", "x0 * 1000000"));
  auto r = sqrt(x * x + y);
  CHECK(has_line(r / sum(r), "t0", "sqrt(x0 * x0 + x1)"));
  CHECK(has_line(r / sum(r), "y", "t0 / sum(t0)"));
  const array<float> m = x.reshape({3, 4});
  CHECK(has_line(sum(m * 2, 1), "y", "sum(x0 * 2, axis=1)"));
  CHECK(has_line(cumsum(m, 0), "y", "running sum(x0, axis=0)"));
  CHECK(has_line(m.T() + 1, "x0", "array, a view"));
  CHECK(has_line(m + 1, "x0", "array"));
  auto twice = m * 2;
  CHECK(has_line(twice(slice(1, _), slice(_, _, 2)) + 1, "y", "(x0 * 2)[1:, ::2] + 1"));
  CHECK(has_line(twice(0) + 1, "y", "(x0 * 2)[0, :] + 1"));
  CHECK(has_line(array<std::complex<float>>(ones<std::complex<float>>({2})) * std::complex<float>(1, -2), "y",
                 "x0 * (1 - 2i)"));
  CHECK(has_line(array<half>(ones<half>({2})) + half(0.5f), "y", "x0 + 0.5"));
  CHECK(has_line(array<std::uint64_t>(ones<std::uint64_t>({2})) + 18446744073709551615u, "y",
                 "x0 + 18446744073709551615"));
}

TEST_CASE("inspect: kernels have formulas, bytes that people read, and names that the program gave") {
  array<float> x = zeros<float>({1000, 1000}), y = zeros<float>({1000, 1000});
  const array<float>& same = named(x, "u");
  CHECK(&same == &x);
  named(y, "velocity");
  auto e = x * 2 + y;
  CHECK(has_line(e, "y", "u * 2 + velocity"));
  CHECK(told(e).find("\n     y = u * 2 + velocity\n") != std::string::npos);
  CHECK(told(e).find("2 inputs, 1 output, 2 operations a point, 12 MB in all, 0.17 operations a byte") !=
        std::string::npos);
  CHECK(std::string(to_dot(e).c_str()).find("label=\"velocity\\nfloat32 (1000, 1000)\"") != std::string::npos);
  x += 1;  // its elements stay where they are
  CHECK(has_line(x * 2, "y", "u * 2"));
  CHECK(has_line(x(0) + x(1), "y", "u + u_2"));  // two views of what has the name
  named(x, nullptr);
  CHECK(has_line(x * 2, "y", "x0 * 2"));
  CHECK(has_line(named(zeros<float>({3}), "w") + 1, "y", "w + 1"));
  y = array<float>();
  CHECK(has_line(zeros<float>({1000, 1000}) * 2, "y", "x0 * 2"));  // in memory that had a name, perhaps
  const std::string device_line = "     at least ";
  CHECK((told(e).find(device_line) != std::string::npos) == (device::current().type() == device::kind::cuda));
}

TEST_CASE("inspect: results of two calls have two names") {
  const array<double> x = zeros<double>({200, 200}), y = zeros<double>({200, 200});  // too large to be part of a kernel
  const std::string text = told(matmul(x, x + 1) * matmul(y, y + 2));
  CHECK(text.find("     y = m2 * m3\n") != std::string::npos);
}

TEST_CASE("inspect: explain says what the compiler made of a kernel that is compiled") {
  const array<float> x = zeros<float>({777});
  auto e = sqrt(x) * 0.25f;  // a tangent's large angles would spill
  const array<float> done = e;
  if (device::current().type() == device::kind::cuda)
    CHECK(told(e).find("registers a thread, none spilled, occupancy ") != std::string::npos);
  else CHECK(told(e).find("registers") == std::string::npos);
}

TEST_CASE("inspect: to_dot has a node for each operation and a cluster for each kernel") {
  const array<float> x = zeros<float>({1'000'000}), y = zeros<float>({1'000'000});
  auto r = sqrt(x * x + y * y);
  const std::string one = to_dot(r).c_str();
  CHECK(times_in(one, "subgraph cluster_") == 1);
  CHECK(times_in(one, "label=\"multiply\"") == 2);
  CHECK(times_in(one, "label=\"sqrt\"") == 1);
  CHECK(times_in(one, "label=\"x0\\nfloat32 (1000000,)\"") == 1);
  CHECK(times_in(one, " -> ") == 8);
  CHECK(times_in(one, "{") == times_in(one, "}"));
  const std::string two = to_dot(r - mean(r)).c_str();
  if (device::current().type() == device::kind::interpreter) return;  // which has one kernel for it
  CHECK(times_in(two, "subgraph cluster_") == 2);
  CHECK(times_in(two, "in memory") == 1);
  CHECK(times_in(two, "label=\"divide 1000000\"") == 1);
  const array<float> m = zeros<float>({30, 30});
  const std::string with_call = to_dot(sqrt(matmul(m + 1, m))).c_str();
  CHECK(times_in(with_call, "shape=component, label=\"product of float32 (30, 30) and (30, 30)\"") == 1);
  CHECK(times_in(with_call, "subgraph cluster_") == 3);
}

TEST_CASE("inspect: what the log shows" * doctest::skip()) {
  const array<float> x = zeros<float>({777});
  const array<float> done = sqrt(x * x + 1);
}

TEST_CASE("inspect: SINTER_LOG=2 names the expression, the kernel's form and the statement") {
  const rerun logged("inspect: what the log shows", {{"SINTER_LOG", "2"}});
  REQUIRE(logged.ok);
  CAPTURE(logged.output);
  CHECK(logged.output.find("launch: map of sqrt(x0 * x0 + s0); 777 points, ") != std::string::npos);
  CHECK(logged.output.find("test/include/inspect.cpp:") != std::string::npos);
  if (device::current().type() == device::kind::interpreter) return;  // which compiles nothing
  CHECK(logged.output.find(" ms: map of sqrt(x0 * x0 + s0)\n") != std::string::npos);
}

TEST_CASE("inspect: the text for a CPU names steps of which the compiler makes vectors") {
  if (device::current().type() != device::kind::cpu) return;
  const auto names = [](const auto& x, int step) {
    const std::string text = dump(x(slice(_, _, step)) + 1).c_str();
    return times_in(text, " * " + std::to_string(step) + "]") == 1;
  };
  const array<std::int16_t> small = zeros<std::int16_t>({8000});
  const array<double> large = zeros<double>({8000});
  for (const int step : {2, 3, 4, 8}) CHECK(names(small, step));
  CHECK_FALSE(names(small, 5));
  for (const int step : {2, 3}) CHECK(names(large, step));
  for (const int step : {4, 8}) CHECK_FALSE(names(large, step));  // loads one by one are as quick
}

// What the sections hold is looked at in test/codegen/compile/disassemble.cpp; here, that each kernel has those asked for.
TEST_CASE("inspect: dump shows PTX and machine code on request, or says what is missing") {
  const array<float> x = zeros<float>({1'000'000}), y = zeros<float>({1'000'000});
  const auto e = sqrt(x * x + y);
  const std::string plain = dump(e).c_str();
  for (const char* section : {": PTX", ": SASS", ": assembly"}) CHECK(times_in(plain, section) == 0);
  std::string all;
  const counters_snapshot moved =
      moved_by([&] { all = dump(e, {.ptx = true, .sass = true, .assembly = true}).c_str(); });
  CHECK(moved.launches == 0);
  CHECK(moved.compiles == 0);  // which counts what evaluations compile
  const auto has_section = [&](const std::string& title, const std::string& content) {
    const std::size_t at = all.find(title), end = std::min(all.find("==== kernel", at + 1), all.size());
    REQUIRE(at != std::string::npos);
    const std::string section = all.substr(at, end - at);
    CAPTURE(section);
    CHECK((section.find(content) != std::string::npos || section.find("// no instructions: ") != std::string::npos));
  };
  const bool stand_in = std::getenv("SOFTGPU_FATAL") != nullptr;
  if (all.find(": PTX for sm_") != std::string::npos) {
    has_section(": PTX for sm_", stand_in ? "softgpu has no PTX" : ".entry sinter_kernel");
    if (all.find(": SASS for sm_") != std::string::npos)
      has_section(": SASS for sm_", stand_in ? "sinter_kernel" : "EXIT");
  }
  CHECK(times_in(all, ": PTX for sm_") == 1);
  has_section(": assembly", "<sinter_kernel>:");
  // The default sections are those of a plain dump.
  for (const char* language : {"CUDA C++", "C"}) {
    const std::string title = std::string(": ") + language + " ====\n",
                      text = plain.substr(plain.find(title) + title.size(), 200);
    CHECK(all.find(title + text) != std::string::npos);
  }
}

namespace {

// How the first kernel of an expression is shared out.
template <class E>
std::string line(const E& e) {
  const std::string all = explain(e).c_str(), begin = "shared out: ";
  const std::size_t at = all.find(begin) + begin.size();
  return all.substr(at, all.find('\n', at) - at);
}

/// A line without the item that ends so.
std::string without(std::string items, const std::string& end) {
  const std::size_t stop = items.find(end);
  if (stop == std::string::npos) return items;
  const std::size_t start = items.rfind(", ", stop);
  return items.erase(start, stop + end.size() - start);
}

}  // namespace

// How many parts there are depends on the device, and on that how many packs a thread asks for at a time.
TEST_CASE("inspect: explain says how rows, folds and scans are shared out") {
  const bool cuda = device::current().type() == device::kind::cuda;
  const array<float> a = zeros<float>({100, 128}), many = zeros<float>({200'000, 4}), flat = many.reshape({800'000});
  const auto of = [](std::int64_t axis) { return reduce_options{.axis = axis, .keepdims = true}; };
  const auto says = [&](const auto& e, const char* on_cuda, const char* on_cpu) {
    const std::string told = without(line(e), " at a time"), wanted = cuda ? on_cuda : on_cpu;
    CAPTURE(told);
    CAPTURE(wanted);
    CHECK(told.starts_with(wanted));
  };
  auto e = exp(a - max(a, of(1)));
  says(a / sum(a, of(1)), "rows, 4 elements kept by a thread, in packs of 4", "rows, gone along again by each stage");
  says(e / sum(e, of(1)), "rows, 4 elements kept by a thread, in packs of 4", "rows, kept by a core");
  says(a / sum(a, of(0)), "columns, 8 elements kept by a thread", "columns, gone along again by each stage");
  says(sum(a, 1), "rows, in packs of 4", "rows");
  says(sum(flat), "rows, in packs of 4, in parts", "rows, in parts");
  says(sum(a, 0), "columns, in packs of 4", "columns");
  says(sum(many, 0), "columns as one stream, in packs of 4, in parts", "columns as one stream, in parts");
  if (cuda) CHECK(line(sum(zeros<float>({10, 2'048}), 1)) == "rows, in packs of 4, 2 at a time");
  says(cumsum(a, 1), "rows, 16 elements kept by a thread, in packs of 4", "rows");
  says(cumsum(flat), "rows, 16 elements kept by a thread, in packs of 4, in tiles", "rows, in chunks");
}

TEST_CASE("inspect: explain says how a map is shared out") {
  const bool cuda = device::current().type() == device::kind::cuda;
  const array<float> x = zeros<float>({12'000}), a = x.reshape({100, 120});
  CHECK(line(x + 1) == (cuda ? "packs of 4" : "element by element"));
  CHECK(line(x(slice(1, _)) - x(slice(_, -1))) == (cuda ? "packs of 4, in0 element by element" : "element by element"));
  CHECK(line(a(slice(1, -1), slice(1, -1)) * 2) ==
        (cuda ? "packs of 2, 2 to a thread, blocks over several rows, in0 element by element" : "element by element"));
  CHECK(line(a(slice(0, 100), slice(0, 100)) + a(_, slice(20, _)).T()) ==
        (cuda ? "tiles of 32 x 32 for in1, in packs of 4" : "tiles of 64 x 64 for in1"));
  const array<float> square = x(slice(0, 10'000)).reshape({100, 100});
  CHECK(line(square + square.T()) ==
        (cuda ? "tiles of 32 x 32 for in1, in packs of 4, mirror images together" : "tiles of 64 x 64 for in1"));
  CHECK(line(x.reshape({4000, 3}) * x(slice(0, 3))) ==
        (cuda ? "element by element, 4 to a thread, blocks over several rows" : "rows of 3 without a loop"));
  CHECK(line(zeros<float>({2, 20'001})(_, slice(_, _, 2)) + 1) ==
        (cuda ? "element by element, 4 to a thread" : "rows in pieces"));
}

TEST_CASE("inspect: looking allocates nothing, launches nothing and compiles nothing") {
  const array<float> x = zeros<float>({1'000'003});
  const auto e = (x - mean(x)) / stddev(x);
  const counters_snapshot moved = moved_by([&] {
    explain(e);
    dump(e);
    to_dot(e);
  });
  CHECK(moved.bytes_allocated == 0);
  CHECK(moved.launches == 0);
  CHECK(moved.compiles == 0);
}

TEST_CASE("inspect: dump shows the very text that runs") {
  // A process of its own, which leaves what it ran in files.
  if (device::current().type() == device::kind::interpreter) return;
  const bool cuda = device::current().type() == device::kind::cuda;
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("sinter_inspect_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  CHECK(rerun("dumped: sums of many elements and of few", {{"SINTER_DUMP", folder.string()}}).ok);
  std::string made;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != (cuda ? ".cu" : ".c")) continue;
    std::ifstream in(entry.path());
    made.append(std::istreambuf_iterator<char>(in), {});
  }
  std::filesystem::remove_all(folder);
  const array<float> many = zeros<float>({3'000'000}), few = zeros<float>({40, 3});
  const std::string language = cuda ? "CUDA C++" : "C";
  for (const std::string& text : {texts_for(sum(many), language), texts_for(sum(few, 0), language)}) {
    REQUIRE(text.find("sinter_kernel") != std::string::npos);
    CHECK(made.find(text) != std::string::npos);
  }
}

TEST_CASE("dumped: sums of many elements and of few" * doctest::skip()) {
  const array<float> many = zeros<float>({3'000'000}), few = zeros<float>({40, 3});
  CHECK(sum(many).item() == 0);
  CHECK(sum(few, 0)(0).item() == 0);
}
