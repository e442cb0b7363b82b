// Values that combine in the elements they are for: a histogram into few elements and into many, deterministic and by atomic
// additions. The floor reads the positions and the values once, and reads and writes the elements once.
#include "bench/forms.hpp"

namespace {

namespace sn = sinter;
using sn::array;

template <class T>
void histogram(bench::session& s, const std::string& type, std::int64_t n, std::int64_t elements) {
  const std::string name = "scatter_add " + type + ", into " + std::to_string(elements);
  if (!s.wants(name)) return;
  std::vector<std::int32_t> at(static_cast<std::size_t>(n));
  const std::vector<double> spread = bench::numbers<double>(n, 0, 1, 1);
  for (std::size_t i = 0; i < at.size(); ++i)
    at[i] = static_cast<std::int32_t>(spread[i] * static_cast<double>(elements));
  const std::vector<T> terms = bench::numbers<T>(n, 1, 100, 2);
  std::vector<double> sums(static_cast<std::size_t>(elements));
  for (std::size_t i = 0; i < at.size(); ++i) sums[static_cast<std::size_t>(at[i])] += static_cast<double>(terms[i]);
  const array<std::int32_t> k = sn::asarray(at);
  const array<T> e = sn::asarray(terms);
  array<T> into = sn::zeros<T>({elements});
  const double read = (4.0 + sizeof(T)) * static_cast<double>(n),
               written = 2.0 * sizeof(T) * static_cast<double>(elements);
  for (const bool atomic : {false, true}) {
    array<T> once = sn::zeros<T>({elements});
    sn::scatter_add(once, k, e, {.atomic = atomic});
    const std::string row = name + (atomic ? ", atomic" : "");
    const std::string bad = bench::disagreement(once.get(), std::is_same_v<T, float> ? 1e-4 : 1e-9, 1,
                                                [&](std::size_t i) { return sums[i]; });
    if (!bad.empty()) s.wrong(row, n, bad);
    else s.measure(row, n, read, written, [&] { sn::scatter_add(into, k, e, {.atomic = atomic}); });
    if (s.on_cpu() || !std::is_floating_point_v<T>) break;  // there is one way
  }
}

}  // namespace

int main(int argc, char** argv) {
  bench::session s(argc, argv, "Sums into elements, 10^7 values");
  const std::int64_t n = s.largest() / 10;
  for (const std::int64_t elements : {std::int64_t{256}, n / 10}) {
    histogram<float>(s, "float32", n, elements);
    histogram<double>(s, "float64", n, elements);
    histogram<std::int32_t>(s, "int32", n, elements);
  }
  return s.finish();
}
