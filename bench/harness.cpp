// The rounds, the table and the JSON of harness.hpp. The schema of the JSON is that of numpy_peers.py and gpu_peers.py,
// so that plot.py draws ours and theirs together.
#include "bench/harness.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <thread>
#include <utility>

#include <sinter/detail/config.hpp>
#include <sinter/device.hpp>

#include "runtime/device/device.hpp"
#include "runtime/device/driver.hpp"

namespace bench {

namespace {

using clock = std::chrono::steady_clock;

double seconds(clock::duration d) { return std::chrono::duration<double>(d).count(); }

// The peers' numbers of calls, but a round lasts 5 ms at least (for the clock's sake) and 0.3 s at most (for yours).
int calls_in_a_round(std::int64_t n, double one, bool quick) {
  const int peers = n <= 10'000 ? 2000 : n <= 1'000'000 ? 300 : n <= 10'000'000 ? 40 : 10;
  const double shortest = (quick ? 1e-4 : 5e-3) / one, longest = (quick ? 5e-3 : 0.3) / one;
  return static_cast<int>(std::max(1.0, std::min(std::max<double>(quick ? 1 : peers, shortest), longest)));
}

double processor_seconds() {
  rusage used;
  getrusage(RUSAGE_SELF, &used);
  const auto in_seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return in_seconds(used.ru_utime) + in_seconds(used.ru_stime);
}

std::string escaped(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return out + '"';
}

std::string number(double x) {
  if (!std::isfinite(x)) return "null";
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", x);
  return text;
}

// Five columns wide enough for 10 ms in microseconds; short numbers keep their digits.
std::string cell(double us) {
  if (std::isnan(us)) return "-";
  char text[32];
  std::snprintf(text, sizeof text, us < 1 ? "%.3f" : us < 100 ? "%.2f" : us < 10'000 ? "%.1f" : "%.0f", us);
  return text;
}

std::string now() {
  const std::time_t t = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&t));
  return text;
}

std::string compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "g++ " __VERSION__;
#endif
}

// The device's own stream, and the one that raw launches go to.
void wait_for_all_streams() {
  sinter::synchronize();
  if (sinter::device::current().type() == sinter::device::kind::cuda)
    sinter::runtime::find_driver(nullptr)->cuCtxSynchronize();
}

[[noreturn]] void usage(const char* program, int status) {
  std::fprintf(status ? stderr : stdout,
               "%s [--json FILE] [--filter TEXT] [--quick] [--count]\n"
               "  --json FILE    write the rows to a file\n"
               "  --filter TEXT  only rows whose name has TEXT in it\n"
               "  --quick        few rounds and small sizes: does it run at all?\n"
               "  --count        how many rows there are, and nothing else\n"
               "SINTER_DEVICE chooses the device.\n",
               program);
  std::exit(status);
}

}  // namespace

std::string machine_text() {
  std::ifstream cpu("/proc/cpuinfo"), memory("/proc/meminfo");
  std::string model = "unknown CPU", word;
  for (std::string line; std::getline(cpu, line);)
    if (line.starts_with("model name")) {
      model = line.substr(line.find(": ") + 2);
      break;
    }
  double kib = 0;
  memory >> word >> kib;
  return model + ", " + std::to_string(std::thread::hardware_concurrency()) + " cores, " +
         std::to_string(std::lround(kib / 1048576)) + " GiB";
}

session::session(int argc, char** argv, const char* title) : title_(title) {
  for (int i = 0; i < argc; ++i) command_ += (i ? " " : "") + std::string(argv[i]);
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--quick") quick_ = true;
    else if (word == "--count") counts_ = true;
    else if (word == "--json" && i + 1 < argc) json_ = argv[++i];
    else if (word == "--filter" && i + 1 < argc) filter_ = argv[++i];
    else usage(argv[0], word != "--help");
  }
  on_cpu_ = sinter::device::current().type() != sinter::device::kind::cuda;
  if (counts_) return;
  floors_.measure(quick_);
  std::printf("%s\n%s\n%s\n", title, machine_text().c_str(), sinter::runtime::current_device().description().c_str());
  std::printf("floors: %s %.3f us, copy %.0f GB/s (read + write)\n\n", on_cpu_ ? "call" : "launch", floors_.launch_us(),
              floors_.gigabytes_per_second());
  std::fflush(stdout);
}

void session::print_header() {
  if (std::exchange(header_printed_, true)) return;
  std::printf("%-34s %11s %12s %12s %12s  %-8s %7s %6s%s\n", "case, us per call", "n", "fused", "unfused", "floor",
              "of what", "x floor", "noise", on_cpu_ ? "  cores" : "");
}

std::vector<timing> session::times(const std::vector<repeated>& all, std::int64_t n, bool waits) const {
  const auto round = [&](const repeated& work, int calls) {
    const auto start = clock::now();
    work.run(work.what, calls);
    if (waits) sinter::synchronize();
    const auto end = clock::now();
    if (!waits) wait_for_all_streams();
    return seconds(end - start) / calls;
  };
  const bool fills_stream = !waits && !on_cpu_;  // it holds about a thousand launches; then the host waits after all
  std::vector<int> calls;
  for (const repeated& work : all) {
    round(work, 1);
    const double one = std::max(std::min(round(work, 1), round(work, 1)), 1e-9);
    calls.push_back(std::min(calls_in_a_round(n, one, quick_), fills_stream ? 500 : 1'000'000'000));
  }
  const int count = quick_ ? 3 : waits ? 9 : 27;
  std::vector<std::vector<double>> rounds(all.size());
  const double before = processor_seconds();
  const auto start = clock::now();
  for (int r = 0; r < count; ++r)
    for (std::size_t i = 0; i < all.size(); ++i) rounds[i].push_back(round(all[i], calls[i]) * 1e6);
  const double cores = (processor_seconds() - before) / seconds(clock::now() - start);
  std::vector<timing> out;
  for (std::vector<double>& r : rounds) {
    std::sort(r.begin(), r.end());
    const double median = r[r.size() / 2];
    out.push_back({median, (r[r.size() * 3 / 4] - r[r.size() / 4]) / median, cores});
  }
  return out;
}

void session::add(row r) {
  print_header();
  std::printf("%-34s %11lld %12s %12s %12s  %-8s %7.2f %5.0f%%", r.name.c_str(), static_cast<long long>(r.n),
              cell(r.fused.us).c_str(), cell(r.unfused.us).c_str(), cell(r.floor.us).c_str(), r.floor.what.c_str(),
              r.fused.us / r.floor.us, 100 * r.fused.spread);
  if (on_cpu_) std::printf("  %5.2f", r.fused.cores);
  std::printf("\n");
  std::fflush(stdout);
  rows_.push_back(std::move(r));
}

void session::wrong(const std::string& name, std::int64_t n, const std::string& what) {
  print_header();
  std::printf("%-34s %11lld  WRONG: %s\n", name.c_str(), static_cast<long long>(n), what.c_str());
  std::fflush(stdout);
  ++failures_;
}

void session::write_json() const {
  std::ofstream out(json_);
  out << "{\n \"title\": " << escaped(title_) << ",\n \"machine\": " << escaped(machine_text())
      << ",\n \"device\": " << escaped(sinter::runtime::current_device().description())
      << ",\n \"date\": " << escaped(now()) << ",\n \"compiler\": " << escaped(compiler())
      << ",\n \"command\": " << escaped(command_)
      << ",\n \"library\": \"sinter " SINTER_VERSION "\",\n \"launch_us\": " << number(floors_.launch_us())
      << ",\n \"copy_gb_per_s\": " << number(floors_.gigabytes_per_second()) << ",\n \"rows\": [";
  const char* between = "\n";
  for (const row& r : rows_) {
    out << between << "  {\"case\": " << escaped(r.name) << ", \"n\": " << r.n << ", \"by\": " << escaped(r.by)
        << ", \"us\": " << number(r.fused.us) << ", \"unfused_us\": " << number(r.unfused.us)
        << ", \"stored_us\": " << number(r.stored.us) << ", \"bytes\": " << number(r.floor.bytes)
        << ", \"floor_us\": " << number(r.floor.us) << ", \"floor\": " << escaped(r.floor.what)
        << ", \"ratio\": " << number(r.fused.us / r.floor.us) << ", \"noise\": " << number(r.fused.spread)
        << ", \"cores\": " << number(r.fused.cores) << "}";
    between = ",\n";
  }
  out << "\n ]\n}\n";
  if (!out.flush()) std::fprintf(stderr, "bench: cannot write %s\n", json_.c_str());
}

int session::finish() {
  if (counts_) return std::printf("%d\n", counted_), 0;
  if (!json_.empty()) write_json();
  if (rows_.empty() && failures_ == 0) std::fprintf(stderr, "bench: no row has '%s' in its name\n", filter_.c_str());
  return failures_ > 0 || rows_.empty();
}

}  // namespace bench
