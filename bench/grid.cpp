// The same work in Sinter, Eigen, xtensor, NumPy and numexpr on one thread of the CPU. All that have a row take turns in short
// rounds, each time in another order; a figure is the first quartile of the rounds, which a machine that others use disturbs least.
// Eigen and xtensor write into results that are there already.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>

#include "bench/forms.hpp"
#include "bench/grid/python.hpp"
#include "bench/grid/work.hpp"

namespace {

using namespace bench::grid;

using clock = std::chrono::steady_clock;

/// One that takes turns: `seconds` of so many calls.
struct contestant {
  std::string name;
  bool is_ours;  // else its sums may have lost digits
  std::function<double(int times)> seconds;
  std::function<std::optional<std::vector<double>>()> result;
  int calls = 1;
  std::vector<double> rounds = {};  // microseconds a call
  double best = INFINITY;

  bench::timing figure() {
    std::sort(rounds.begin(), rounds.end());
    const double low = rounds[rounds.size() / 4];
    return {low, (rounds[rounds.size() * 3 / 4] - low) / low, 1};
  }
};

contestant here(const std::string& name, const work& w, bool is_ours) {
  return {name, is_ours,
          [w](int times) {
            const auto start = clock::now();
            w.run(times);
            return std::chrono::duration<double>(clock::now() - start).count();
          },
          [w]() -> std::optional<std::vector<double>> { return w.result(); }};
}

/// The numbers that rows work on, as many as the largest needs.
class numbers {
 public:
  explicit numbers(std::int64_t most)
      : x_(bench::numbers<float>(most, 0, 1, 1)),
        y_(bench::numbers<float>(most, 0, 1, 2)),
        price_(bench::numbers<float>(most, 50, 100, 3)),
        strike_(bench::numbers<float>(most, 50, 100, 4)),
        time_(bench::numbers<float>(most, 0.5, 1.5, 5)),
        k_(bench::numbers<std::int32_t>(most, -1e6, 1e6, 6)),
        bytes_(bench::numbers<std::int8_t>(most, -128, 127, 7)) {}

  inputs of(const row_kind& row, std::int64_t side) const {
    inputs in{side * side,   side,           side,         x_.data(), y_.data(),
              price_.data(), strike_.data(), time_.data(), k_.data(), bytes_.data()};
    if (row.shape == row_kind::threes) in.columns = 3, in.rows = in.n / 3, in.n = 3 * in.rows;
    return in;
  }

 private:
  std::vector<float> x_, y_, price_, strike_, time_;
  std::vector<std::int32_t> k_;
  std::vector<std::int8_t> bytes_;
};

template <class Entry>
const Entry* find(std::span<const Entry> entries, const row_kind& row) {
  const auto at =
      std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return std::string(e.row) == row.name; });
  return at == entries.end() ? nullptr : &*at;
}

class grid {
 public:
  explicit grid(bench::session& s) : s_(s) {}

  void run(const row_kind& row, const inputs& in) {
    if (!s_.wants(row.name)) return;
    std::vector<contestant> all = contestants(row, in);
    const std::vector<double> want = row.plain(in);
    for (std::size_t i = 0; i < all.size();) {
      const std::optional<std::vector<double>> got = all[i].result();
      std::string bad;
      if (got && got->size() != want.size()) bad = "has " + std::to_string(got->size()) + " elements";
      else if (got)
        bad = bench::disagreement(*got, all[i].is_ours ? 2e-5 : 3e-2, 1e-1 + largest(want),
                                  [&](std::size_t e) { return want[e]; });
      if (!bad.empty()) s_.wrong(row.name, in.n, all[i].name + ": " + bad);
      if (got && bad.empty()) ++i;
      else all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
    }
    take_turns(all);
    add(row, in, all);
  }

 private:
  static double largest(const std::vector<double>& values) {
    double most = 0;
    for (const double v : values) most = std::max(most, std::abs(v));
    return most;
  }

  std::vector<contestant> contestants(const row_kind& row, const inputs& in) {
    std::vector<contestant> all;
    const our_entry& ours = *find(of_sinter(), row);
    all.push_back(here("sinter", ours.fused(in), true));
    if (ours.stored) all.push_back(here("stored", ours.stored(in), true));
    if (ours.unfused) all.push_back(here("unfused", ours.unfused(in), true));
#ifdef BENCH_EIGEN
    if (const entry* e = find(of_eigen(), row)) all.push_back(here("eigen", e->make(in), false));
#endif
#ifdef BENCH_XTENSOR
    if (const entry* e = find(of_xtensor(), row)) all.push_back(here("xtensor", e->make(in), false));
#endif
    python_.take(in);
    for (const std::string& peer : python_.peers())
      all.push_back({peer, false, [this, peer, row](int times) { return python_.seconds(peer, row.name, times); },
                     [this, peer, row] { return python_.result(peer, row.name); }});
    return all;
  }

  // A round lasts two milliseconds, so that no library has the caches, or the machine, for long; one call if it takes longer.
  void take_turns(std::vector<contestant>& all) const {
    const double round = s_.quick() ? 1e-4 : 2e-3;
    for (contestant& c : all) {
      c.seconds(1);
      while (c.calls < 1'000'000) {
        const double took = c.seconds(c.calls);
        if (took > round / 4) {
          c.calls = std::max(1, static_cast<int>(c.calls * round / took));
          break;
        }
        c.calls *= 4;
      }
    }
    const int count = s_.quick() ? 3 : 41;
    const auto start = clock::now();
    std::mt19937 shuffled(1);  // nobody always follows the same other one
    std::vector<contestant*> order;
    for (contestant& c : all) order.push_back(&c);
    for (int r = 0; r < count; ++r) {
      std::shuffle(order.begin(), order.end(), shuffled);
      double least = INFINITY;
      for (const contestant& c : all) least = std::min(least, c.best);
      for (contestant* c : order) {
        if (r >= 5 && c->best > 4 * least) continue;  // it is not the best peer, whatever comes
        c->seconds(1);                                // what the others left in the caches is theirs to pay for
        c->rounds.push_back(c->seconds(c->calls) / c->calls * 1e6);
        c->best = std::min(c->best, c->rounds.back());
      }
      if (r >= 10 && clock::now() - start > std::chrono::seconds(3)) break;
    }
  }

  void add(const row_kind& row, const inputs& in, std::vector<contestant>& all) {
    const auto n = static_cast<double>(in.n);
    bench::row ours{row.name, in.n, {}, {}, s_.floor().of(row.read * n, row.written * n)};
    double best = INFINITY;
    std::string others;
    for (contestant& c : all) {
      const bench::timing t = c.figure();
      char text[64];
      std::snprintf(text, sizeof text, t.us < 10 ? "  %s %.2f" : "  %s %.1f", c.name.c_str(), t.us);
      others += text;
      if (c.name == "sinter") ours.fused = t;
      else if (c.name == "unfused") ours.unfused = t;
      else if (c.name == "stored") ours.stored = t;
      else s_.keep({row.name, in.n, t, {}, {}, {}, c.name}), best = std::min(best, t.us);
    }
    std::printf("%-34s %11lld  %5.2f of the best peer: %s\n", row.name, static_cast<long long>(in.n),
                ours.fused.us / best, others.c_str());
    std::fflush(stdout);
    s_.keep(ours);
  }

  bench::session& s_;
  python_worker python_;
};

}  // namespace

int main(int argc, char** argv) {
  ::setenv("SINTER_DEVICE", "cpu", 1);
  ::setenv("SINTER_NUM_THREADS", "1", 1);
  bench::session s(argc, argv, "Sinter beside Eigen, xtensor, NumPy and numexpr, one thread");
  std::vector<std::int64_t> sides{100};
  if (!s.quick()) sides.insert(sides.end(), {1000, 3200});
  const numbers of(sides.back() * sides.back());
  grid all(s);
  for (const row_kind& row : rows())
    for (const std::int64_t side : sides) all.run(row, of.of(row, side));
  return s.finish();
}
