// Products of sparse matrices: the second differences of a square grid, by a vector, by a few columns and by itself. The floor reads the
// entries and their columns, and what they are multiplied by, once, and writes the result once. And systems of equations with them, whose
// floor on a GPU is the bare call of cuDSS.
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <sinter/join.hpp>
#include <sinter/products.hpp>
#include <sinter/sparse.hpp>
#include <sinter/sparse_solve.hpp>

#include "bench/forms.hpp"
#include "bench/sparse_floors.hpp"

namespace {

namespace sn = sinter;
using sn::_;
using sn::array;
using sn::slice;

/// Minus the sums of second differences along both axes, of a grid of side x side points.
template <class T>
sn::sparse::csr_array<T> laplacian(std::int64_t side) {
  const array<std::int64_t> k = sn::arange(side * side).reshape(side, side);
  const auto here = sn::concatenate(sn::tuple(k(_, slice(1, _)).ravel(), k(slice(1, _)).ravel()));
  const auto there = sn::concatenate(sn::tuple(k(_, slice(_, -1)).ravel(), k(slice(_, -1)).ravel()));
  const array<std::int64_t> rows = sn::concatenate(sn::tuple(k.ravel(), here, there));
  const array<std::int64_t> columns = sn::concatenate(sn::tuple(k.ravel(), there, here));
  const array<T> values = sn::astype<T>(sn::where(rows == columns, 4, -1));
  return sn::sparse::coo_array<T>(values, rows, columns, {side * side, side * side}).tocsr();
}

template <class T>
void products(bench::session& s, const std::string& dtype, std::int64_t side) {
  const std::int64_t n = side * side, columns = 16;
  const sn::sparse::csr_array<T> a = laplacian<T>(side);
  const array<T> x = sn::asarray(bench::numbers<T>(n, 0, 1, 1));
  const array<T> block = array<T>(sn::asarray(bench::numbers<T>(n * columns, 0, 1, 2))).reshape(n, columns);
  const std::vector<T> host = x.get();
  const auto second_difference = [&](std::size_t at) {
    const auto i = static_cast<std::int64_t>(at) / side, j = static_cast<std::int64_t>(at) % side;
    const auto value = [&](std::int64_t r, std::int64_t c) {
      return r < 0 || c < 0 || r >= side || c >= side
                 ? 0.0
                 : static_cast<double>(host[static_cast<std::size_t>(r * side + c)]);
    };
    return 4 * value(i, j) - value(i - 1, j) - value(i + 1, j) - value(i, j - 1) - value(i, j + 1);
  };
  const std::string of = " " + dtype + ", grid of " + std::to_string(side) + "x" + std::to_string(side);
  const double entries = static_cast<double>(a.nnz()) * (sizeof(T) + 8.0) + 8.0 * static_cast<double>(n);
  const double vector = static_cast<double>(n) * sizeof(T);
  if (const std::string name = "sparse @ vector" + of; s.wants(name)) {
    const std::string bad = bench::disagreement(array<T>(sn::matmul(a, x)).get(), 1e-5, 1, second_difference);
    if (!bad.empty()) s.wrong(name, a.nnz(), bad);
    else s.measure(name, a.nnz(), entries + vector, vector, [&] { array<T> y = sn::matmul(a, x); });
  }
  if (const std::string name = "sparse @ vector, residual" + of; s.wants(name)) {
    const auto steps = [&] {
      array<T> y = sn::matmul(a, x), r = x - y, squares = r * r;
      array<T> t = sn::sum(squares);
    };
    s.measure(
        name, a.nnz(), entries + vector, 0, [&] { array<T> t = sn::sum(sn::square(x - sn::matmul(a, x))); }, steps);
  }
  if (const std::string name = "sparse @ 16 columns" + of; s.wants(name))
    s.measure(name, a.nnz(), entries + vector * columns, vector * columns, [&] { array<T> y = sn::matmul(a, block); });
}

void product_of_two(bench::session& s, std::int64_t side) {
  const std::string name = "sparse @ sparse float64, grid of " + std::to_string(side) + "x" + std::to_string(side);
  if (!s.wants(name)) return;
  const sn::sparse::csr_array<double> a = laplacian<double>(side);
  const auto entries = static_cast<double>(sn::matmul(a, a).nnz());
  s.measure(name, a.nnz(), 16.0 * static_cast<double>(a.nnz()), 16.0 * entries,
            [&] { array<double> values = sn::matmul(a, a).data(); });
}

// Systems with such a matrix: the first factors of their places, factors of other values there, and a solution by those.
void systems(bench::session& s, std::int64_t side) {
  namespace la = sn::sparse::linalg;
  const std::string of = " float64, grid of " + std::to_string(side) + "x" + std::to_string(side);
  const std::string first = "splu" + of, again = "splu of other values" + of, solution = "solve by factors" + of;
  if (!s.wants(first) && !s.wants(again) && !s.wants(solution)) return;
  const sn::sparse::csr_array<double> a = laplacian<double>(side);
  const array<int> starts = sn::astype<int>(a.indptr()), columns = sn::astype<int>(a.indices());
  const array<double> values = a.data(), b = sn::asarray(bench::numbers<double>(side * side, 0, 1, 1));
  const auto lu = la::splu(a);
  bench::bare_call bare_factors, bare_solution;
  std::unique_ptr<bench::bare_system> bare;
  if (!s.on_cpu()) {
    bare = std::make_unique<bench::bare_system>(starts, columns, values, b);
    bare_factors = bare->factors(), bare_solution = bare->solution();
  }
  const auto add = [&](const std::string& name, const auto& ours, const bench::bare_call& floor) {
    if (!s.wants(name)) return;
    bench::row r{name, a.nnz(), s.time(bench::repeat(ours), a.nnz()), {}, {bench::none, {}, bench::none}};
    if (floor.run) r.floor = {s.time(bench::repeat(floor.run), a.nnz()).us, "bare call"};
    s.add(r);
  };
  add(first, [&] { (void)la::splu(sn::sparse::csr_array<double>(values, columns, starts, a.shape())); }, {});
  add(
      again, [&] { (void)la::splu(a * 2); }, bare_factors);
  add(
      solution, [&] { array<double> x = lu.solve(b); }, bare_solution);
}

}  // namespace

int main(int argc, char** argv) {
  bench::session s(argc, argv, "Sparse products");
  const std::int64_t side = s.quick() ? 32 : s.on_cpu() ? 300 : 1000;
  products<float>(s, "float32", side);
  products<double>(s, "float64", side);
  product_of_two(s, s.quick() ? 32 : 300);
  systems(s, s.quick() ? 32 : 300);
  return s.finish();
}
