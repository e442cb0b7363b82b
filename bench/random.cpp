// Random numbers: how near the arithmetic of Philox's words they come, fused into what uses them and written to memory.
#include <numbers>

#include "bench/forms.hpp"

namespace {

namespace sn = sinter;
using sn::array;

/// Whichever of two takes longer.
bench::bound larger(const bench::bound& a, const bench::bound& b) { return a.us < b.us ? b : a; }

/// Checks that the mean of what `fused` gives lies within `off` of `want`, and measures it.
template <class F>
void row(bench::session& s, const char* name, std::int64_t n, const bench::bound& floor, double want, double off,
         F fused) {
  const double mean = sn::mean<double>(fused()).item();
  if (std::abs(mean - want) > off) return s.wrong(name, n, "its mean is " + std::to_string(mean));
  s.add({name, n, s.time(bench::repeat(fused), n), {}, floor});
}

/// Pi, from how many of n points in a square are in the circle: 2n numbers that are written nowhere.
void circle(bench::session& s, std::int64_t n) {
  const char* name = "Monte Carlo pi";
  if (!s.wants(name)) return;
  sn::random::generator rng(42);
  const auto fused = [&, n] {
    auto x = rng.uniform<float>({n}), y = rng.uniform<float>({n});
    return array<std::int64_t>(sn::sum(x * x + y * y < 1));
  };
  const auto points = static_cast<double>(n);
  row(s, name, n, larger(s.floor().of(0, 8), s.floor().of_words(2 * points)), points * std::numbers::pi / 4,
      2 * std::sqrt(points), fused);
}

/// n numbers into memory, each of which takes so many words.
template <class T, class F>
void numbers(bench::session& s, const char* name, std::int64_t n, double words, double mean, F draw) {
  if (!s.wants(name)) return;
  const auto count = static_cast<double>(n);
  const auto fused = [&] { return array<T>(draw()); };
  row(s, name, n, larger(s.floor().of(0, sizeof(T) * count), s.floor().of_words(words * count)), mean,
      100 / std::sqrt(count), fused);
}

}  // namespace

int main(int argc, char** argv) {
  bench::session s(argc, argv, "Random numbers");
  sn::random::generator rng(42);
  for (const std::int64_t n : {1'000'000, 100'000'000}) circle(s, std::min(n, s.largest()));
  const std::int64_t n = s.largest();
  numbers<float>(s, "uniform<float>", n, 1, 0.5, [&] { return rng.uniform<float>({n}); });
  numbers<double>(s, "uniform<double>", n, 2, 0.5, [&] { return rng.uniform({n}); });
  numbers<float>(s, "normal<float>", n, 1, 0, [&] { return rng.normal<float>({n}); });
  numbers<double>(s, "normal<double>", n, 2, 0, [&] { return rng.normal({n}); });
  numbers<std::int32_t>(s, "integers<int>, 0 to 99", n, 2, 49.5, [&] { return rng.integers<std::int32_t>({n}, 100); });
  return s.finish();
}
