// explain, dump and to_dot show what would run, and neither run nor allocate it.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
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
        std::string("tiles of 32 x 32 for in1") + (cuda ? ", in packs of 4" : ""));
  const array<float> square = x(slice(0, 10'000)).reshape({100, 100});
  CHECK(line(square + square.T()) == std::string(cuda
                                                     ? "tiles of 32 x 32 for in1, in packs of 4, mirror images together"
                                                     : "tiles of 32 x 32 for in1"));
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
