// Folds of many forms: everything, along every axis, few columns, several axes, narrow integers, several results at once. On a GPU
// each row is measured again with other preferences of the schedule (runtime/launch/folds.hpp), which a name says after its
// comma: that is what the chosen ones were chosen by.
#include "runtime/launch/folds.hpp"
#include "bench/forms.hpp"

namespace {

namespace sn = sinter;
using sn::array;
using sn::axes;
using preferences = sn::runtime::fold_preferences;

const bench::trial<preferences> trials[] = {{"8 packs under way", {.turns = 8}},
                                            {"2 packs under way", {.turns = 2}},
                                            {"4 packs, registers for 8", {.resident_turns = 4}},
                                            {"2 blocks", {.blocks = 2}},
                                            {"3 blocks", {.blocks = 3}},
                                            {"16 blocks", {.blocks = 16}},
                                            {"16 blocks, 8 packs", {.blocks = 16, .turns = 8}},
                                            {"31 blocks", {.blocks = 31}},
                                            {"no stream", {.stream = 0}},
                                            {"2 column blocks", {.column_blocks = 2}},
                                            {"4 column blocks", {.column_blocks = 4}},
                                            {"6 column blocks", {.column_blocks = 6}}};

/// `make` gives the result, an array or several; `read` and `written` in bytes.
template <class F>
void row(bench::session& s, const std::string& name, std::int64_t n, double read, double written, F make) {
  if (s.wants(name))
    bench::measure_trials<F, preferences>(s, name, n, read, written, make, trials,
                                          [](const preferences& with) { sn::runtime::folding = with; });
}

template <class T>
array<T> numbers(const sn::shape& s) {
  const std::int64_t n = s.elements();
  if constexpr (std::is_floating_point_v<T>) return sn::asarray(bench::numbers<T>(n, 0, 1, 1), s);
  else return array<T>(sn::astype<T>(sn::arange<std::int64_t>(n) * 7919 % 251 - 125)).reshape(s);
}

/// A sum over some axes, checked against a plain loop over the sum along all other axes.
template <class T>
void sum(bench::session& s, const std::string& name, const sn::shape& of, axes over) {
  if (!s.wants(name)) return;
  const array<T> x = numbers<T>(of);
  const auto make = [&] { return array(sn::sum(x, {.axis = over})); };
  double plain = 0;
  for (const T v : x.get()) plain += static_cast<double>(v);
  const double got = static_cast<double>(sn::sum(sn::astype<double>(make())).item());
  if (std::fabs(got - plain) > 1e-4 * std::fabs(plain)) return s.wrong(name, of.elements(), "another sum");
  const double read = static_cast<double>(x.size()) * sizeof(T);
  row(s, name, x.size(), read, static_cast<double>(make().size()) * 4, make);
}

void several(bench::session& s, std::int64_t n) {
  if (!s.wants("mean and var") && !s.wants("min, max, argmax, mean, var") && !s.wants("argmax")) return;
  const array<float> x = numbers<float>({n});
  const double read = 4 * static_cast<double>(n);
  row(s, "mean and var, 1e8", n, read, 8, [&] { return sn::eval(sn::mean(x), sn::var(x)); });
  row(s, "argmax, 1e8", n, read, 8, [&] { return array(sn::argmax(x)); });
  row(s, "max, 1e8", n, read, 4, [&] { return array(sn::max(x)); });
  row(s, "sum((x - 1)^2), 1e8", n, read, 4, [&] { return array(sn::sum(square(x - 1))); });
  row(s, "min, max, argmax, mean, var, 1e8", n, read, 24,
      [&] { return sn::eval(sn::min(x), sn::max(x), sn::argmax(x), sn::mean(x), sn::var(x)); });
}

void of_columns(bench::session& s, std::int64_t rows, std::int64_t columns) {
  const std::string name = "mean and stddev (" + std::to_string(rows) + ", " + std::to_string(columns) + "), axis 0";
  if (!s.wants(name)) return;
  const array<float> x = numbers<float>({rows, columns});
  row(s, name, rows * columns, 4 * static_cast<double>(x.size()), 8 * static_cast<double>(columns),
      [&] { return sn::eval(sn::mean(x, 0), sn::stddev(x, 0)); });
}

}  // namespace

int main(int argc, char** argv) {
  bench::session s(argc, argv, "Folds, float32 but where a row says otherwise");
  const std::int64_t most = s.largest(), side = s.quick() ? 20 : 256, small = s.quick() ? 10 : 64;
  sum<float>(s, "sum, 1e8", {most}, axes::all());
  sum<float>(s, "sum (1e7, 3), axis 0", {most / 10, 3}, 0);
  sum<float>(s, "sum (1e6, 16), axis 0", {most / 100, 16}, 0);
  sum<float>(s, "sum (1e6, 50), axis 0", {most / 100, 50}, 0);
  sum<float>(s, "sum 256^3, all", {side, side, side}, axes::all());
  for (int axis = 0; axis < 3; ++axis)
    sum<float>(s, "sum 256^3, axis " + std::to_string(axis), {side, side, side}, axis);
  sum<std::int8_t>(s, "sum int8, 1e8", {most}, axes::all());
  sum<float>(s, "sum 64^4, axes 1 and 3", {small, small, small, small}, {1, 3});
  sum<float>(s, "sum 64^4, axes 0 and 2", {small, small, small, small}, {0, 2});
  sum<float>(s, "sum (8192, 4096), axis 0", {32 * side, 16 * side}, 0);
  sum<std::int8_t>(s, "sum int8 (8192, 4096), axis 0", {32 * side, 16 * side}, 0);
  sum<double>(s, "sum float64 (8192, 4096), axis 0", {32 * side, 16 * side}, 0);
  sum<float>(s, "sum (8192, 4096), axis 1", {32 * side, 16 * side}, 1);
  sum<float>(s, "sum (1e6, 32), axis 1", {most / 100, 32}, 1);
  sum<double>(s, "sum float64, 5e7", {most / 2}, axes::all());
  several(s, most);
  of_columns(s, 16 * side, 16 * side);
  of_columns(s, side, 256 * side);
  return s.finish();
}
