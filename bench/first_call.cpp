// How long the first evaluation of an expression takes: with nothing compiled yet, and in a second process that finds
// the kernel in the disk cache. Starts itself with a cache folder of its own, five times over; the figures are medians.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "bench/harness.hpp"

#include <sinter/sinter.hpp>

namespace {

namespace sn = sinter;
using sn::array;
using clock = std::chrono::steady_clock;

struct stage {
  const char* name;
  const char* key;  // in the child's output
};
constexpr stage stages[] = {
    {"first array of the process", "start"},  {"first kernel of the process: x + 1", "first"},
    {"first call: sqrt(x*x + y*y)", "hypot"}, {"first call: 12 operators", "long"},
    {"first call: sum((x - y)^2)", "sum"},    {"second call: sqrt(x*x + y*y)", "again"},
};

/// Says how long something takes, until its result is there.
template <class F>
void report(const char* key, F f) {
  const auto start = clock::now();
  f();
  sn::synchronize();
  std::printf("%s %.1f\n", key, std::chrono::duration<double, std::micro>(clock::now() - start).count());
}

int child() {
  array<float> x, y;
  const std::vector<float> ones(10'000, 1.0f);
  report("start", [&] { x = sn::asarray(ones), y = sn::asarray(ones); });
  report("first", [&] { array<float> z = x + 1; });
  const auto hypot = [&] { array<float> z = sqrt(x * x + y * y); };
  report("hypot", hypot);
  report("long", [&] { array<float> z = sqrt(exp(-x * x) + sin(y) * sin(y)) * (x + 2.0 * y - 1.0) / (1.0 + x * x); });
  report("sum", [&] { array<float> z = sum(square(x - y)); });
  report("again", hypot);
  return 0;
}

/// One run of the child: microseconds by stage.
std::vector<double> run(const std::string& cache) {
  char self[PATH_MAX] = {};
  if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) return {};
  const std::string command = "SINTER_CACHE_DIR='" + cache + "' '" + self + "' --child";
  std::FILE* out = popen(command.c_str(), "r");
  if (!out) return {};
  std::vector<double> us(std::size(stages), bench::none);
  char key[64];
  for (double value; std::fscanf(out, "%63s %lf", key, &value) == 2;)
    for (std::size_t i = 0; i < us.size(); ++i)
      if (std::strcmp(key, stages[i].key) == 0) us[i] = value;
  if (pclose(out) != 0) us.clear();
  return us;
}

bench::timing median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  const std::size_t n = v.size();
  return {v[n / 2], (v[n * 3 / 4] - v[n / 4]) / v[n / 2]};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "--child") return child();
  bench::session s(argc, argv, "First calls");
  const auto wanted = [&](const stage& of) { return s.wants(std::string(of.name) + ", cold, disk cache"); };
  if (std::none_of(std::begin(stages), std::end(stages), wanted)) return s.finish();
  std::vector<std::vector<double>> cold(std::size(stages)), warm = cold;
  for (int i = 0; i < (s.quick() ? 1 : 5); ++i) {
    char folder[] = "/tmp/sinter-first-call-XXXXXX";
    if (!mkdtemp(folder)) return 1;
    const std::vector<double> without = run(folder), with = run(folder);
    std::filesystem::remove_all(folder);
    if (without.empty() || with.empty()) return std::fprintf(stderr, "bench: a run failed\n"), 1;
    for (std::size_t k = 0; k < cold.size(); ++k) cold[k].push_back(without[k]), warm[k].push_back(with[k]);
  }
  std::printf("%-38s %14s %14s\n", "microseconds, result awaited", "nothing cached", "disk cache");
  for (std::size_t k = 0; k < cold.size(); ++k) {
    if (!wanted(stages[k])) continue;
    const bench::timing c = median(cold[k]), w = median(warm[k]);
    std::printf("%-38s %14.0f %14.0f\n", stages[k].name, c.us, w.us);
    s.keep({std::string(stages[k].name) + ", cold", 10'000, c, {}, {bench::none, ""}});
    s.keep({std::string(stages[k].name) + ", disk cache", 10'000, w, {}, {bench::none, ""}});
  }
  return s.finish();
}
