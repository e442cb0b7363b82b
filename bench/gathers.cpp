// Gathers, rolls, padding, joins and reshapes of expressions: one kernel each, beside the same in steps. The floor reads every
// element that is used once, and the indices, and writes every result once.
#include "bench/forms.hpp"

namespace {

namespace sn = sinter;
using sn::_;
using sn::array;
using sn::slice;

/// `make` gives the result, `steps` the same through arrays, `want(i)` its elements by a plain loop. What is read, in bytes.
template <class F, class U, class W>
void row(bench::session& s, const std::string& name, double read, F make, U steps, W want) {
  if (!s.wants(name)) return;
  const auto result = make();
  if (bench::agrees(s, name, result, want))
    s.measure(name, result.size(), read, 4.0 * static_cast<double>(result.size()), make, steps);
}

std::string power_of_ten(std::int64_t n) {
  int zeros = 0;
  for (; n >= 10; n /= 10) ++zeros;
  return "1e" + std::to_string(zeros);
}

void of_one_axis(bench::session& s, std::int64_t n) {
  const array<float> a = sn::arange<float>(static_cast<float>(n)) % 1024.0f;
  const auto at = [](std::int64_t i) { return static_cast<double>(i % 1024); };
  const array<int> near(sn::floor_divide(sn::arange<int>(static_cast<int>(n)), 2));
  const array<int> far(sn::astype<int>(sn::arange<std::int64_t>(n) * 7919 % n));
  const double bytes = 4.0 * static_cast<double>(n);
  const std::string of = ", " + power_of_ten(n);
  const auto index = [](auto i) { return static_cast<std::int64_t>(i); };
  row(
      s, "a(k) * 2, k = i / 2" + of, 1.5 * bytes, [&] { return array<float>(a(near) * 2); },
      [&] {
        array<float> g = a(near);
        return array<float>(g * 2);
      },
      [&](auto i) { return 2 * at(index(i) / 2); });
  row(
      s, "a(k) * 2, k all over" + of, 2 * bytes, [&] { return array<float>(a(far) * 2); },
      [&] {
        array<float> g = a(far);
        return array<float>(g * 2);
      },
      [&](auto i) { return 2 * at(index(i) * 7919 % n); });
  row(
      s, "roll(a + 1, 1) - a" + of, bytes, [&] { return array<float>(sn::roll(a + 1, 1, 0) - a); },
      [&] {
        array<float> b = a + 1, r = sn::roll(b, 1, 0);
        return array<float>(r - a);
      },
      [&](auto i) { return at((index(i) + n - 1) % n) + 1 - at(index(i)); });
  row(
      s, "pad(a, 1, edge) * 2" + of, bytes, [&] { return array<float>(sn::pad(a, 1, sn::pad_mode::edge) * 2); },
      [&] {
        array<float> p = sn::pad(a, 1, sn::pad_mode::edge);
        return array<float>(p * 2);
      },
      [&](auto i) { return 2 * at(std::clamp<std::int64_t>(index(i) - 1, 0, n - 1)); });
  row(
      s, "concatenate(a + 1, a * 2)" + of, bytes,
      [&] { return array<float>(sn::concatenate(sn::tuple(a + 1, a * 2))); },
      [&] {
        array<float> b = a + 1, c = a * 2;
        return array<float>(sn::concatenate({b, c}));
      },
      [&](auto i) { return index(i) < n ? at(index(i)) + 1 : 2 * at(index(i) - n); });
}

void of_two(bench::session& s, std::int64_t rows, std::int64_t columns) {
  const array<float> a = (sn::arange<float>(static_cast<float>(rows * columns)) % 1000.0f).reshape(rows, columns);
  const array<float> row_of = sn::arange<float>(static_cast<float>(columns));
  const array<int> k(sn::astype<int>(sn::arange<std::int64_t>(rows) * 7919 % rows));
  const auto at = [](std::int64_t i) { return static_cast<double>(static_cast<float>(i % 1000)); };
  const double bytes = 4.0 * static_cast<double>(rows * columns);
  const std::string of = ", " + std::to_string(rows) + " x " + std::to_string(columns);
  row(
      s, "a(k) + row" + of, bytes, [&] { return array<float>(a(k) + row_of); },
      [&] {
        array<float> g = a(k);
        return array<float>(g + row_of);
      },
      [&](auto i) {
        const auto o = static_cast<std::int64_t>(i);
        return at(o / columns * 7919 % rows * columns + o % columns) + static_cast<double>(o % columns);
      });
  row(
      s, "(a + row).ravel() * 2" + of, bytes, [&] { return array<float>((a + row_of).ravel() * 2); },
      [&] {
        array<float> b = a + row_of, r = b.ravel();
        return array<float>(r * 2);
      },
      [&](auto i) {
        const auto o = static_cast<std::int64_t>(i);
        return 2 * (at(o) + static_cast<double>(o % columns));
      });
  row(
      s, "roll(a, 1, 1) + a" + of, bytes, [&] { return array<float>(sn::roll(a, 1, 1) + a); },
      [&] {
        array<float> r = sn::roll(a, 1, 1);
        return array<float>(r + a);
      },
      [&](auto i) {
        const auto o = static_cast<std::int64_t>(i);
        return at(o / columns * columns + (o % columns + columns - 1) % columns) + at(o);
      });
  row(
      s, "stack(a, a * 2, -1)" + of, bytes, [&] { return array<float>(sn::stack(sn::tuple(a, a * 2), -1)); },
      [&] {
        array<float> b = a * 2;
        return array<float>(sn::stack({a, b}, -1));
      },
      [&](auto i) {
        const auto o = static_cast<std::int64_t>(i);
        return at(o / 2) * (o % 2 ? 2 : 1);
      });
}

}  // namespace

int main(int argc, char** argv) {
  bench::session s(argc, argv, "gathers");
  of_one_axis(s, s.largest() / 10);
  s.quick() ? of_two(s, 64, 128) : of_two(s, 2048, 2048);
  return s.finish();
}
