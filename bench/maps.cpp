// Elementwise work over layouts that are not flat: odd offsets, odd row lengths, steps, stencils, short rows, axes in another
// order. On a GPU each row is measured again with other preferences of the schedule (runtime/launch/maps.hpp), which a name
// says after its comma: that is what the chosen ones were chosen by.
#include <functional>

#include "bench/forms.hpp"
#include "runtime/launch/maps.hpp"

namespace {

namespace sn = sinter;
using sn::_;
using sn::array;
using sn::slice;
using preferences = sn::runtime::map_preferences;

using trial = bench::trial<preferences>;

const trial packs[] = {{"packs of 8 bytes", {.pack = 8}},
                       {"no packs", {.pack = 4}},
                       {"no packs, 32 bytes on their way", {.pack = 4, .under_way = 32}},
                       {"32 bytes on their way", {.under_way = 32}}};
const trial rows[] = {{"packs of 8 bytes", {.pack = 8}},
                      {"no packs", {.pack = 4}},
                      {"no packs, 128 bytes across", {.pack = 4, .across = 128}},
                      {"no packs, 32 bytes on their way", {.pack = 4, .under_way = 32}},
                      {"no packs, 8 bytes on their way", {.pack = 4, .under_way = 8}},
                      {"32 bytes on their way", {.under_way = 32}},
                      {"256 bytes across", {.across = 256}},
                      {"2048 bytes across", {.across = 2048}}};
const trial tiles[] = {{"tiles of 32", {.tile = 32}},
                       {"tiles of 64", {.tile = 64}},
                       {"rows of tiles of 32", {.mirrored = false, .tile = 32}},
                       {"rows of tiles of 64", {.mirrored = false, .tile = 64}}};

/// `make` gives the result; `want(i)` its elements by a plain loop. What is read and written in bytes.
template <class F, class W, std::size_t count>
void row(bench::session& s, const std::string& name, double read, double written, F make, W want,
         const trial (&trials)[count]) {
  if (!s.wants(name)) return;
  const auto result = make();
  if (bench::agrees(s, name, result, want))
    bench::measure_trials<F, preferences>(s, name, result.size(), read, written, make, trials,
                                          [](const preferences& with) { sn::runtime::preferences = with; });
}

/// Numbers on the device, and in the host's memory.
template <class T>
struct numbers {
  std::vector<T> host;
  array<T> device;
  numbers(std::int64_t n, std::uint64_t seed) : host(bench::numbers<T>(n, 0, 100, seed)), device(sn::asarray(host)) {}
  double at(std::int64_t i) const { return static_cast<double>(host[static_cast<std::size_t>(i)]); }
};

void flat(bench::session& s) {
  const std::int64_t n = s.largest();
  const auto bytes = static_cast<double>(n);
  {
    const numbers<float> x(n, 1);
    const array<float>& a = x.device;
    const auto i64 = [](std::size_t i) { return static_cast<std::int64_t>(i); };
    row(
        s, "x(1:) - x(:-1)", 4 * bytes, 4 * bytes, [&] { return array<float>(a(slice(1, _)) - a(slice(_, -1))); },
        [&](std::size_t i) { return x.at(i64(i) + 1) - x.at(i64(i)); }, packs);
    row(
        s, "x(1:) * 2", 4 * bytes, 4 * bytes, [&] { return array<float>(a(slice(1, _)) * 2); },
        [&](std::size_t i) { return x.at(i64(i) + 1) * 2; }, packs);
    row(
        s, "x(::2) * 2", 4 * bytes, 2 * bytes, [&] { return array<float>(a(slice(_, _, 2)) * 2); },
        [&](std::size_t i) { return x.at(2 * i64(i)) * 2; }, packs);
    row(
        s, "x(::-1) * 2", 4 * bytes, 4 * bytes, [&] { return array<float>(a(slice(_, _, -1)) * 2); },
        [&](std::size_t i) { return x.at(n - 1 - i64(i)) * 2; }, packs);
    row(
        s, "x * 2, aligned", 4 * bytes, 4 * bytes, [&] { return array<float>(a * 2); },
        [&](std::size_t i) { return x.at(i64(i)) * 2; }, packs);
    array<float> to = sn::zeros<float>({n});
    row(
        s, "y(1:) = x(1:) * 2", 4 * bytes, 4 * bytes, [&] { return to(slice(1, _)) = a(slice(1, _)) * 2, to; },
        [&](std::size_t i) { return i ? x.at(i64(i)) * 2 : 0; }, packs);
  }
  const numbers<std::int8_t> k(n, 2);
  const array<std::int8_t>& c = k.device;
  row(
      s, "int8 k(1:) & k(:-1)", bytes, bytes, [&] { return array<std::int8_t>(c(slice(1, _)) & c(slice(_, -1))); },
      [&](std::size_t i) { return static_cast<double>(k.host[i + 1] & k.host[i]); }, packs);
}

void matrices(bench::session& s) {
  const std::int64_t n = s.quick() ? 64 : s.on_cpu() ? 1000 : 4096, m = 2 * n;
  const auto bytes = 4.0 * static_cast<double>(n * n);
  const numbers<float> x(m * n, 3);
  const array<float> a = x.device.reshape({m, n}), b = a(slice(0, n));
  const slice inner(1, -1), up(2, _), down(_, -2);
  const auto at = [&](std::int64_t i, std::int64_t j) { return x.at(i * n + j); };
  const auto by = [](std::size_t o, std::int64_t columns, auto f) {
    const auto i = static_cast<std::int64_t>(o);
    return f(i / columns, i % columns);
  };
  row(
      s, "inner slice, times 2", bytes, bytes, [&] { return array<float>(b(inner, inner) * 2); },
      [&](std::size_t o) { return by(o, n - 2, [&](auto i, auto j) { return 2 * at(i + 1, j + 1); }); }, rows);
  row(
      s, "all rows but four columns, times 2", bytes, bytes, [&] { return array<float>(b(_, slice(_, -4)) * 2); },
      [&](std::size_t o) { return by(o, n - 4, [&](auto i, auto j) { return 2 * at(i, j); }); }, rows);
  row(
      s, "5-point stencil", 2 * bytes, 2 * bytes,
      [&] { return array<float>(0.25 * (a(up, inner) + a(down, inner) + a(inner, up) + a(inner, down))); },
      [&](std::size_t o) {
        return by(o, n - 2, [&](auto i, auto j) {
          return 0.25 * (at(i + 2, j + 1) + at(i, j + 1) + at(i + 1, j + 2) + at(i + 1, j));
        });
      },
      rows);
  const array<float> r = x.device(slice(0, n)).copy();
  row(
      s, "a + row", bytes, bytes, [&] { return array<float>(b + r); },
      [&](std::size_t o) { return by(o, n, [&](auto i, auto j) { return at(i, j) + x.at(j); }); }, rows);
  row(
      s, "a + a.T", bytes, bytes, [&] { return array<float>(b + b.T()); },
      [&](std::size_t o) { return by(o, n, [&](auto i, auto j) { return at(i, j) + at(j, i); }); }, tiles);
  row(
      s, "transposed copy", bytes, bytes, [&] { return array<float>(b.T().copy()); },
      [&](std::size_t o) { return by(o, n, [&](auto i, auto j) { return at(j, i); }); }, tiles);
  const numbers<double> y(n * n, 4);
  const array<double> d = y.device.reshape({n, n});
  row(
      s, "float64 a.T * 2", 2 * bytes, 2 * bytes, [&] { return array<double>(d.T() * 2); },
      [&](std::size_t o) { return by(o, n, [&](auto i, auto j) { return 2 * y.at(j * n + i); }); }, tiles);
  const numbers<std::int8_t> z(n * n, 5);
  const array<std::int8_t> c = z.device.reshape({n, n});
  row(
      s, "int8 c.T ^ 1", bytes / 4, bytes / 4, [&] { return array<std::int8_t>(c.T() ^ std::int8_t{1}); },
      [&](std::size_t o) {
        return by(o, n,
                  [&](auto i, auto j) { return static_cast<double>(z.host[static_cast<std::size_t>(j * n + i)] ^ 1); });
      },
      tiles);
}

void several_axes(bench::session& s) {
  const std::int64_t n = s.quick() ? 8 : s.on_cpu() ? 32 : 64;
  const numbers<float> x(n * n * n * n, 6);
  const auto bytes = 4.0 * static_cast<double>(n * n * n * n);
  const array<float> a = x.device.reshape({n, n, n, n});
  const auto digits = [n](std::size_t o, auto f) {
    const auto i = static_cast<std::int64_t>(o);
    return f(i / (n * n * n), i / (n * n) % n, i / n % n, i % n);
  };
  row(
      s, "64^4, axes reversed, times 1.5", bytes, bytes, [&] { return array<float>(a.T() * 1.5); },
      [&](std::size_t o) {
        return digits(o, [&](auto i, auto j, auto k, auto l) { return 1.5 * x.at(((l * n + k) * n + j) * n + i); });
      },
      tiles);
  row(
      s, "64^4, axes 0 1 3 2, times 1.5", bytes, bytes, [&] { return array<float>(a.transpose(0, 1, 3, 2) * 1.5); },
      [&](std::size_t o) {
        return digits(o, [&](auto i, auto j, auto k, auto l) { return 1.5 * x.at(((i * n + j) * n + l) * n + k); });
      },
      tiles);
  row(
      s, "64^4, axes 2 0 1 3, times 1.5", bytes, bytes, [&] { return array<float>(a.transpose(2, 0, 1, 3) * 1.5); },
      [&](std::size_t o) {
        return digits(o, [&](auto i, auto j, auto k, auto l) { return 1.5 * x.at(((j * n + k) * n + i) * n + l); });
      },
      rows);
  const std::int64_t side = n * n / 16;
  const array<float> cube = x.device(slice(0, side * side * side)).reshape({side, side, side});
  const slice in(1, -1), up(2, _), down(_, -2);
  const auto cubes = 4.0 * static_cast<double>(side * side * side);
  row(
      s, "7-point stencil", cubes, cubes,
      [&] {
        return array<float>(cube(up, in, in) + cube(down, in, in) + cube(in, up, in) + cube(in, down, in) +
                            cube(in, in, up) + cube(in, in, down) - 6 * cube(in, in, in));
      },
      [&](std::size_t o) {
        const auto p = static_cast<std::int64_t>(o), w = side - 2;
        const std::int64_t at = ((p / (w * w) + 1) * side + p / w % w + 1) * side + p % w + 1;
        return x.at(at + side * side) + x.at(at - side * side) + x.at(at + side) + x.at(at - side) + x.at(at + 1) +
               x.at(at - 1) - 6 * x.at(at);
      },
      rows);
}

void short_rows(bench::session& s) {
  const std::int64_t n = s.quick() ? 1000 : s.on_cpu() ? 1'000'000 : 10'000'000;
  const auto bytes = 4.0 * static_cast<double>(n);
  const numbers<float> x(4 * n, 7), y(n, 8);
  const array<float> three = x.device(slice(0, 3 * n)).reshape({n, 3}), four = x.device.reshape({n, 4}),
                     row_of_3 = y.device(slice(0, 3)), column = y.device.reshape({n, 1});
  const auto by = [](std::size_t o, std::int64_t columns, auto f) {
    const auto i = static_cast<std::int64_t>(o);
    return f(i / columns, i % columns);
  };
  row(
      s, "(N, 3) * 2, flat", 3 * bytes, 3 * bytes, [&] { return array<float>(three * 2); },
      [&](std::size_t o) { return by(o, 3, [&](auto i, auto j) { return x.at(3 * i + j) * 2; }); }, rows);
  row(
      s, "(N, 3) * a row", 3 * bytes, 3 * bytes, [&] { return array<float>(three * row_of_3); },
      [&](std::size_t o) { return by(o, 3, [&](auto i, auto j) { return x.at(3 * i + j) * y.at(j); }); }, rows);
  row(
      s, "(N, 3) * a column", 4 * bytes, 3 * bytes, [&] { return array<float>(three * column); },
      [&](std::size_t o) { return by(o, 3, [&](auto i, auto j) { return x.at(3 * i + j) * y.at(i); }); }, rows);
  row(
      s, "three of (N, 4), times 2", 4 * bytes, 3 * bytes, [&] { return array<float>(four(_, slice(0, 3)) * 2); },
      [&](std::size_t o) { return by(o, 3, [&](auto i, auto j) { return x.at(4 * i + j) * 2; }); }, rows);
  row(
      s, "(3, N).T * 2", 3 * bytes, 3 * bytes,
      [&] {
        return array<float>(x.device(slice(0, 3 * n)).reshape({3, n}).T() * 2);
      },
      [&](std::size_t o) { return by(o, 3, [&](auto i, auto j) { return x.at(j * n + i) * 2; }); }, rows);
  row(
      s, "(N, 3).T * 2", 3 * bytes, 3 * bytes,
      [&] {
        return array<float>(three.T() * 2 + 0 * column.reshape({1, n}));
      },
      [&](std::size_t o) { return by(o, n, [&](auto i, auto j) { return x.at(3 * j + i) * 2; }); }, rows);
  const array<float> two = x.device(slice(0, 4 * n - 2)).reshape({2, 2 * n - 1});  // whose rows do not merge
  row(
      s, "(2, N) in steps of 2, plus 1", 4 * bytes, 2 * bytes, [&] { return array<float>(two(_, slice(_, _, 2)) + 1); },
      [&](std::size_t o) { return by(o, n, [&](auto i, auto j) { return x.at(i * (2 * n - 1) + 2 * j) + 1; }); }, rows);
}

}  // namespace

int main(int argc, char** argv) {
  bench::session s(argc, argv, "Maps over layouts");
  flat(s);
  matrices(s);
  several_axes(s);
  short_rows(s);
  return s.finish();
}
