// Systems of equations, factorisations and eigenvalues. The floor is the bare library's call on matrices that lie as the library wants them,
// with a copy of what it writes over.
#include <string>

#include <sinter/linalg.hpp>
#include <sinter/sinter.hpp>

#include "bench/harness.hpp"
#include "bench/linalg_floors.hpp"

namespace {

namespace sn = sinter;
using sn::array;

/// Some numbers without a pattern, and a diagonal that makes matrices positive definite.
template <class T>
array<T> matrices(std::int64_t n, std::int64_t count) {
  const auto x = sn::random::generator(7).uniform<double>({count, n, n}) - 0.5;
  const array<double> all = x + sn::matrix_transpose(x) + static_cast<double>(n) * sn::eye<double>(n);
  return sn::astype<T>(count == 1 ? array<double>(all(0)) : all);
}

/// The rows of one dtype and size.
template <class T, class Bare>
class rows {
 public:
  rows(bench::session& s, const char* dtype, std::int64_t n, std::int64_t count = 1)
      : s_(s),
        of_(std::string(dtype) + " " + (count == 1 ? "" : std::to_string(count) + " of ") + std::to_string(n) + "x" +
            std::to_string(n)),
        n_(n),
        count_(count) {}

  void solve(std::int64_t columns) {
    const std::string name = "solve " + of_ + ", " + std::to_string(columns) + (columns == 1 ? " column" : " columns");
    if (!s_.wants(name)) return;
    const array<T> right =
        sn::random::generator(8).uniform<T>(count_ == 1 ? sn::shape{n_, columns} : sn::shape{count_, n_, columns});
    Bare bare = floor();
    add(name, bare.solve(right, static_cast<int>(columns)), [&] { array<T> x = sn::linalg::solve(a(), right); });
  }
  void inv() {
    const std::string name = "inv " + of_;
    if (!s_.wants(name)) return;
    const array<T> one = sn::eye<T>(n_);
    Bare bare = floor();
    add(name, bare.solve(one, static_cast<int>(n_)), [&] { array<T> x = sn::linalg::inv(a()); });
  }
  void det() {
    Bare bare = floor();
    add("det " + of_, bare.factor(), [&] { array<T> x = sn::linalg::det(a()); });
  }
  void cholesky() {
    Bare bare = floor();
    add("cholesky " + of_, bare.cholesky(), [&] { array<T> x = sn::linalg::cholesky(a()); });
  }
  void qr() {
    Bare bare = floor();
    add("qr " + of_, bare.qr(), [&] {
      const auto [q, r] = sn::linalg::qr(a());
      sn::eval(array<T>(q), array<T>(r));
    });
  }
  void eigh() {
    Bare bare = floor();
    add("eigh " + of_, bare.eigh(), [&] {
      const auto [w, v] = sn::linalg::eigh(a());
      const array<T> values = w, vectors = v;
    });
  }
  void svd() {
    Bare bare = floor();
    add("svd " + of_, bare.svd(true), [&] {
      const auto [u, s, vt] = sn::linalg::svd(a(), {.full_matrices = false});
      const array<T> left = u, values = s, right = vt;
    });
  }
  void svdvals() {
    Bare bare = floor();
    add("svdvals " + of_, bare.svd(false), [&] { array<T> s = sn::linalg::svdvals(a()); });
  }

 private:
  const array<T>& a() {
    if (a_.size() == 0) a_ = matrices<T>(n_, count_);
    return a_;
  }
  Bare floor() { return Bare(a(), static_cast<int>(n_), static_cast<int>(count_)); }
  template <class Ours>
  void add(const std::string& name, const bench::bare_call& bare, const Ours& ours) {
    if (!s_.wants(name)) return;
    const std::int64_t n = n_ * n_ * count_;
    if (!bare.run) return s_.wrong(name, n, bare.why);
    bare.run();
    s_.add({name, n, s_.time(bench::repeat(ours), n), {}, {s_.time(bench::repeat(bare.run), n).us, "bare call"}});
  }

  bench::session& s_;
  const std::string of_;
  const std::int64_t n_, count_;
  array<T> a_;
};

template <class T, class Bare>
void all(bench::session& s, const char* dtype) {
  const std::int64_t scale = s.quick() ? 32 : s.on_cpu() ? 2 : 1, some = s.quick() ? 40 : 1000;
  for (const std::int64_t columns : {1, 1024}) {
    rows<T, Bare>(s, dtype, some).solve(columns);
    rows<T, Bare>(s, dtype, 4096 / scale).solve(columns);
  }
  rows<T, Bare>(s, dtype, 32, some).solve(1);
  rows<T, Bare>(s, dtype, 4096 / scale).cholesky();
  rows<T, Bare>(s, dtype, 2048 / scale).inv();
  rows<T, Bare>(s, dtype, 2048 / scale).qr();
  rows<T, Bare>(s, dtype, 1024 / scale).eigh();
  rows<T, Bare>(s, dtype, 1024 / scale).svd();
  rows<T, Bare>(s, dtype, 1024 / scale).svdvals();
  rows<T, Bare>(s, dtype, 3, 100 * some).det();
}

}  // namespace

int main(int argc, char** argv) {
  bench::session s(argc, argv, "Linear algebra");
  if (s.on_cpu()) {
    all<float, bench::bare_on_host<float>>(s, "float32");
    all<double, bench::bare_on_host<double>>(s, "float64");
  } else {
    all<float, bench::bare_on_gpu<float>>(s, "float32");
    all<double, bench::bare_on_gpu<double>>(s, "float64");
  }
  return s.finish();
}
