// Reports: that the page has what ran, with numbers that are known here, needs nothing from elsewhere, and that recording
// changes nothing and never fails a program. How the page looks and works in a browser is test/report.
#include <doctest/doctest.h>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <sinter/profiler.hpp>
#include <sinter/report.hpp>
#include <sinter/sinter.hpp>

#include "runtime/report/watch.hpp"
#include "test/include/json.hpp"
#include "test/include/looking.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;

/// A file that is gone in the end.
struct page_file {
  std::string path;
  explicit page_file(const std::string& name)
      : path((std::filesystem::temp_directory_path() / (name + std::to_string(getpid()) + ".html")).string()) {}
  ~page_file() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
  std::string text() const {
    std::ifstream in(path);
    std::ostringstream all;
    all << in.rdbuf();
    return all.str();
  }
  bool exists() const { return std::filesystem::exists(path); }
};

json_value data_in(const std::string& html) {
  const std::string begin = "<script type=\"application/json\" id=\"data\">";
  const std::size_t from = html.find(begin), to = html.find("</script>", from);
  REQUIRE(from != std::string::npos);
  REQUIRE(to != std::string::npos);
  return json_value::parse(html.substr(from + begin.size(), to - from - begin.size()));
}

/// The data of a report of some work.
template <class Work>
json_value reported(Work&& work) {
  const page_file page("sinter_report_");
  report(page.path.c_str());
  work();
  report(nullptr);
  return data_in(page.text());
}

const json_value& work_named(const json_value& d, const std::string& name) {
  for (const json_value& w : d["work"].items)
    if (w["name"].s == name) return w;
  std::string all;
  for (const json_value& w : d["work"].items) all += w["name"].s + "\n";
  FAIL("no work is called ", name, " among\n", all);
  return d;
}

device::kind here() { return device::current().type(); }

}  // namespace

TEST_CASE("report: a kernel's launches, bytes, operations, place, texts and graph") {
  constexpr std::int64_t n = 6'000;
  const array<float> x = full<float>({n}, 3), y = full<float>({n}, 4);
  unsigned line = 0;
  const json_value d = reported([&] {
    for (int i = 0; i < 5; ++i) {
      line = __LINE__ + 1;
      const array<float> r = sqrt(x * x + y * y);
      if (i == 0) CHECK(r(17).item() == 5);
    }
  });
  const json_value& w = work_named(d, "sqrt(x0 * x0 + x1 * x1)");
  CHECK(w["kind"].s == "kernel");
  CHECK(w["form"].s == "map");
  CHECK(w["over"].s == "(6000,)");
  CHECK(w["launches"].n == 5);
  CHECK(w["timed"].n == 5);
  CHECK(w["captured"].n == 0);
  CHECK(w["bytes"].n == 5.0 * 3 * 4 * n);
  CHECK(w["per_point"].n == 4);
  CHECK(w["operations"].n == 5.0 * 4 * n);
  CHECK(w["seconds"].n > 0);
  CHECK(w["least"].n <= w["seconds"].n / 5);
  CHECK(w["most"].n >= w["seconds"].n / 5);
  REQUIRE(w["places"].size() == 1);
  CHECK(w["places"][0][0].s.find("test/include/report.cpp") != std::string::npos);
  CHECK(w["places"][0][1].n == line);
  CHECK(w["places"][0][2].n == 5);
  CHECK(w["ran"].s == (here() == device::kind::cuda ? "CUDA C++" : here() == device::kind::cpu ? "C" : "interpreted"));
  CHECK(w["cuda"].s.find("__global__") != std::string::npos);
  CHECK(w["c"].s.find("void sinter_kernel") != std::string::npos);
  CHECK(w["c"].s.find("__global__") == std::string::npos);
  CHECK(w["ir"].s.find("sqrt v") != std::string::npos);
  CHECK(w["operands"].size() == 3);
  CHECK(w["operands"][1].s == "x1: float32 (6000,)");

  const json_value& g = d["programs"][static_cast<std::size_t>(w["program"].n)];
  std::multiset<std::string> labels;
  for (const json_value& v : g["vertices"].items) labels.insert(v["label"].s);
  CHECK(labels == std::multiset<std::string>{"x0", "x1", "multiply", "multiply", "add", "sqrt", "result"});
  CHECK(g["edges"].size() == 8);
  for (const json_value& e : g["edges"].items)
    for (const json_value& end : e.items) CHECK(end.n < static_cast<double>(g["vertices"].size()));
}

TEST_CASE("report: the timeline has each launch, on its stream, within the run") {
  const array<float> x = zeros<float>({3'000});
  const json_value d = reported([&] {
    const stream side;
    for (int i = 0; i < 4; ++i) {
      const array<float> a = x + 1;
      const stream_scope there(side);
      const array<float> b = x * 2;
    }
  });
  CHECK(d["left_out"].n == 0);
  CHECK(d["missed"].n == 0);
  int on_default = 0, aside = 0;
  for (const json_value& e : d["events"].items) {
    const json_value& lane = d["lanes"][static_cast<std::size_t>(e[0].n)];
    const std::string& name = d["work"][static_cast<std::size_t>(e[1].n)]["name"].s;
    CHECK(e[2].n >= 0);
    CHECK(e[3].n >= 0);
    CHECK(e[2].n + e[3].n <= d["seconds"].n + 1e-3);
    const bool is_side = lane["name"].s.find("stream") != std::string::npos;
    if (name == "x0 + s0") on_default += !is_side;
    if (name == "x0 * s0") aside += is_side;
  }
  CHECK(on_default == 4);
  CHECK(aside == 4);
  CHECK(d["devices"][0]["bandwidth"].n > 1e6);
  CHECK(d["devices"][0]["measured"].n == (here() != device::kind::cuda));
}

TEST_CASE("report: reductions, rows, several kernels and what is left in memory between them") {
  const array<float> x = linspace<float>(0, 1, 1'000'000);
  const array<float> m = x.reshape({10'000, 100});
  const json_value d = reported([&] {
    auto r = sqrt(x * x + x);
    const array<float> z = r - mean(r);
    auto e = exp(m - max(m, {.axis = 1, .keepdims = true}));
    const array<float> p = e / sum(e, {.axis = 1, .keepdims = true});
    const array<float> t = m.T() + 1;
    (void)z, (void)p, (void)t;
  });
  const json_value& rows = work_named(d, "t0 = exp(x0 - max(x0)); t0 / sum(t0)");
  CHECK(rows["form"].s == "rows");
  bool between = here() == device::kind::interpreter, view = false;
  if (!between) {  // which has no use for a second kernel
    const json_value& before = work_named(d, "sum(sqrt(x0 * x0 + x0)) / s0");
    CHECK(before["form"].s == "reduction");
    const json_value& after = work_named(d, "sqrt(x0 * x0 + x0) - x1");
    CHECK(after["program"].n == before["program"].n);
    CHECK(after["part"].n == 1);
  }
  for (const json_value& p : d["programs"].items)
    for (const json_value& v : p["vertices"].items) {
      between = between || v["kind"].s == "between";
      view = view || v["kind"].s == "view";
    }
  CHECK(between);
  CHECK(view);  // the transpose
}

TEST_CASE("report: memory, counters, compilations and ranges") {
  const json_value d = reported([&] {
    const time_range outer("a range of <the test>");
    const array<double> big = zeros<double>({1 << 20});
    const array<double> more = big * 3.5 - cos(big + 0.12345);
    CHECK(more(5).item() != 0);
  });
  REQUIRE(d["memory"].size() == 1);
  CHECK(d["memory"][0]["most"].n >= 2 * 8 * (1 << 20));
  const json_value& samples = d["memory"][0]["samples"];
  REQUIRE(samples.size() > 0);
  for (const json_value& s : samples.items) CHECK(s[1].n <= s[2].n);
  CHECK(d["counters"]["launches"].n >= 1);
  CHECK(d["counters"]["bytes_copied"].n == 8);
  CHECK(work_named(d, "to the host")["bytes"].n == 8);
  if (here() != device::kind::interpreter) {
    REQUIRE(d["compilations"].size() >= 1);
    CHECK(d["counters"]["compiles"].n + d["counters"]["disk_hits"].n == static_cast<double>(d["compilations"].size()));
    CHECK(d["compilations"][0]["seconds"].n > 0);
    CHECK(d["compilations"][0]["text"].n > 100);
  }
  REQUIRE(d["ranges"].size() >= 1);
  CHECK(d["ranges"][d["ranges"].size() - 1][1].s == "a range of <the test>");
  CHECK(d["ranges"][0][3].n > 0);
}

TEST_CASE("report: graphs are timed as a whole, and what is captured is counted") {
  const array<float> x = zeros<float>({2'000});
  array<float> y = zeros<float>({2'000});
  const json_value d = reported([&] {
    const graph g = capture([&] { y(ellipsis) = x + 7; });
    g.launch();
    g.launch();
    synchronize();
  });
  CHECK(y(3).item() == 7);
  CHECK(work_named(d, "graph")["timed"].n == 2);
  CHECK(work_named(d, "x0 + s0")["captured"].n == 1);
  CHECK(work_named(d, "x0 + s0")["timed"].n == 0);
}

TEST_CASE("report: a call of a library") {
  const array<float> a = ones<float>({120, 130}), b = ones<float>({130, 140});
  const json_value d = reported([&] {
    const array<float> c = matmul(a, b);
    CHECK(c(3, 4).item() == 130);
  });
  const bool called = std::any_of(d["work"].items.begin(), d["work"].items.end(),
                                  [](const json_value& w) { return w["kind"].s == "library" && w["timed"].n == 1; });
  if (here() == device::kind::cuda) CHECK(d["counters"]["library_calls"].n == 1);
  if (d["counters"]["library_calls"].n == 1) CHECK(called);
}

TEST_CASE("report: only what runs between its ends is in it, and evaluations are as before after it") {
  const array<float> x = zeros<float>({100});
  const auto once = [&] { const array<float> r = x * 2 - 1; };
  once(), once(), once();
  const json_value first = reported([&] { once(), once(); });
  once();
  const json_value second = reported([&] { once(); });
  CHECK(work_named(first, "x0 * s0 - s1")["launches"].n == 2);
  CHECK(work_named(second, "x0 * s0 - s1")["launches"].n == 1);
  CHECK(work_named(second, "x0 * s0 - s1")["cuda"].s.size() > 0);
  CHECK_FALSE(runtime::watched());
  report(nullptr);  // there is none: nothing happens
  const counters_snapshot moved = moved_by([&] { once(), once(); });
  CHECK(moved.launches == 2);
  CHECK(moved.memory_hits == 2);
  CHECK(moved.compiles == 0);
}

TEST_CASE("report: another one begins where one ends") {
  const page_file one("sinter_one_"), two("sinter_two_");
  const array<float> x = zeros<float>({100});
  report(one.path.c_str());
  const array<float> a = x + 1;
  report(two.path.c_str());
  CHECK(one.exists());
  CHECK_FALSE(two.exists());
  const array<float> b = x - 1;
  report(nullptr);
  CHECK(data_in(one.text())["work"][0]["name"].s == "x0 + s0");
  CHECK(data_in(two.text())["work"][0]["name"].s == "x0 - s0");
}

TEST_CASE("report: the page loads nothing, and no data ends its script") {
  const page_file page("sinter_alone_");
  const array<float> x = zeros<float>({100});
  report(page.path.c_str());
  const array<bool> r = (x < 1) & (x < 2);
  { const time_range evil("</script><script>alert(1)</script>"); }
  report(nullptr);
  const std::string html = page.text();
  CHECK(times_in(html, "<script") == 2);
  CHECK(times_in(html, "</script>") == 2);
  CHECK(html.find("alert(1)</script") == std::string::npos);
  CHECK(html.find("src=") == std::string::npos);
  CHECK(html.find("@import") == std::string::npos);
  CHECK(html.find("url(http") == std::string::npos);
  CHECK(times_in(html, "http://") == 1);  // the name of SVG
  CHECK(html.find("https://") == std::string::npos);
  CHECK(html.find("fetch(") == std::string::npos);
  CHECK(work_named(data_in(html), "(x0 < s0) & (x0 < s1)")["launches"].n == 1);
}

TEST_CASE("report: of a long run the sums are whole, and the timeline has what there is room for") {
  const array<float> x = zeros<float>({4});
  constexpr int launches = 40'100;
  const json_value d = reported([&] {
    for (int i = 0; i < launches; ++i) {
      const array<float> r = x + 1;
      if (i % 1000 == 0) synchronize();
    }
  });
  const json_value& w = work_named(d, "x0 + s0");
  CHECK(w["launches"].n == launches);
  CHECK(w["timed"].n == launches);
  CHECK(d["events"].size() == 40'000);
  CHECK(d["left_out"].n == launches - 40'000);
  CHECK(d["memory"][0]["samples"].size() <= 4096);
}

TEST_CASE("report: a path where nothing can be written is an error at once") {
  try {
    report("/nowhere/at/all/page.html");
    FAIL("nothing was thrown");
  } catch (const io_error& e) {
    CHECK(std::string(e.what()) ==
          "sinter: the report cannot be written to /nowhere/at/all/page.html: No such file or directory");
  }
  CHECK_THROWS_AS(report(""), io_error);
  CHECK_FALSE(runtime::recorded());
}

TEST_CASE("a run for SINTER_REPORT" * doctest::skip()) {
  const array<float> x = zeros<float>({100});
  const array<float> r = x + 1;
  const pid_t child = fork();  // which writes no page of its own over this one's
  if (child == 0) std::exit(0);
  int ended = 0;
  waitpid(child, &ended, 0);
  static const array<float> outlives = x + 2;
  CHECK(ended == 0);
}

TEST_CASE("report: SINTER_REPORT records a run, and writes its page at the end") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("sinter_reports_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const rerun whole("a run for SINTER_REPORT", {{"SINTER_REPORT", (folder / "run-%p.html").string()}});
  CHECK(whole.ok);
  std::vector<std::filesystem::path> written;
  for (const auto& file : std::filesystem::directory_iterator(folder)) written.push_back(file.path());
  REQUIRE(written.size() == 1);
  CHECK(written[0].filename().string().find('%') == std::string::npos);
  std::ifstream in(written[0]);
  std::ostringstream text;
  text << in.rdbuf();
  const json_value d = data_in(text.str());
  CHECK(work_named(d, "x0 + s0")["timed"].n == 2);
  CHECK(d["missed"].n == 0);
  std::filesystem::remove_all(folder);

  const rerun refused("a run for SINTER_REPORT", {{"SINTER_REPORT", "/nowhere/page.html"}});
  CHECK(refused.ok);
  CHECK(times_in(refused.output, "the report cannot be written to /nowhere/page.html: No such file or directory") == 1);
}

namespace {

void run_something() {
  const array<float> x = zeros<float>({100});
  for (int i = 0; i < 200; ++i) {
    const array<float> r = x * 2 + 1;
  }
}

}  // namespace

TEST_CASE("report: threads may record at once") {
  const json_value d = reported([] {
    std::vector<std::thread> all;
    for (int t = 0; t < 4; ++t) all.emplace_back(run_something);
    for (std::thread& t : all) t.join();
  });
  CHECK(work_named(d, "x0 * s0 + s1")["launches"].n == 800);
  CHECK(work_named(d, "x0 * s0 + s1")["timed"].n == 800);
}

/// For test/report/browser.sh: some of everything that a page shows.
TEST_CASE("a run to look at" * doctest::skip()) {
  const array<float> x = linspace<float>(0, 1, 400'000), y = linspace<float>(1, 0, 400'000);
  const array<float> m = x.reshape({1000, 400});
  const stream side;
  for (int i = 0; i < 6; ++i) {
    const time_range step("step");
    auto r = sqrt(x * x + y * y);
    const array<float> z = (r - mean(r)) / stddev(r);
    auto e = exp(m - max(m, {.axis = 1, .keepdims = true}));
    const array<float> p = e / sum(e, {.axis = 1, .keepdims = true});
    const stream_scope there(side);
    const time_range inner("on another stream");
    const array<float> t = m.T() * 2 + cumsum(m.T(), 1);
    const array<float> c = matmul(m, t);
    CHECK(c(0, 0).item() >= 0);
  }
}

TEST_CASE("history: the last launches with their times and places, oldest first") {
  const array<float> x = zeros<float>({5'000}), y = ones<float>({5'000});
  CHECK(history().records().empty());
  keep_history(4);
  unsigned line = 0;
  for (int i = 0; i < 3; ++i) {
    line = __LINE__ + 1;
    const array<float> a = x + y;
    const array<float> b = x * y - 2;
  }
  CHECK(array<float>(x + 7)(0).item() == 7);
  const launch_history now = history();
  const std::vector<launch_record>& all = now.records();
  REQUIRE(all.size() == 4);
  CHECK(std::string(all[0].name) == "x0 + x1");
  CHECK(std::string(all[1].name) == "x0 * x1 - s0");
  CHECK(std::string(all[2].name) == "x0 + s0");
  CHECK(std::string(all[3].name) == "to the host");
  CHECK(all[0].line == line);
  CHECK(all[1].line == line + 1);
  CHECK(std::string(all[0].file).find("report.cpp") != std::string::npos);
  CHECK(all[0].bytes == 3 * 4 * 5'000);
  CHECK(std::string(all[0].stream).find(here() == device::kind::cuda ? "cuda" : "") == 0);
  for (const launch_record& r : all) {
    CHECK(r.seconds >= 0);
    CHECK(r.began >= 0);
  }
  CHECK(all[0].began <= all[1].began);
  std::ostringstream printed;
  printed << now;
  CHECK(times_in(printed.str(), "\n") == 5);
  CHECK(printed.str().find("report.cpp:" + std::to_string(line) + "  x0 + x1\n") != std::string::npos);

  keep_history(2);
  CHECK(history().records().empty());
  keep_history(0);
  const array<float> after = x + y;
  CHECK(history().records().empty());
  CHECK_FALSE(runtime::watched());
}

TEST_CASE("history: beside a report, and of what is captured without times") {
  const array<float> x = zeros<float>({500});
  array<float> y = zeros<float>({500});
  keep_history();
  const json_value d = reported([&] {
    const graph g = capture([&] { y(ellipsis) = x + 3; });
    g.launch();
    const array<float> r = x * 5;
  });
  const launch_history now = history();
  keep_history(0);
  REQUIRE(now.records().size() == 3);
  CHECK(std::isnan(now.records()[0].seconds));
  CHECK(std::string(now.records()[1].name) == "graph");
  CHECK(now.records()[1].seconds >= 0);
  CHECK(std::string(now.records()[2].name) == "x0 * s0");
  CHECK(work_named(d, "x0 * s0")["timed"].n == 1);
}
