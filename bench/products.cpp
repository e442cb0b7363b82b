// Products of matrices, alone and with work around them. The floor is the bare library's call, into memory that is there already; of
// products with a vector, the bytes.
#include <complex>
#include <string>

#include <sinter/complex.hpp>
#include <sinter/sinter.hpp>
#include <sinter/special.hpp>

#include "bench/harness.hpp"
#include "runtime/device/device.hpp"
#include "runtime/frontend/nodes.hpp"
#include "runtime/library/blas.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/stream/current.hpp"

namespace {

namespace sn = sinter;
using sn::array;

template <class T>
array<T> numbers(const sn::shape& s, int step) {
  const array<double> x = sn::astype<double>(sn::arange(s.elements()) * step % 251 - 125) / 128;
  if constexpr (sn::detail::complex_number<T>) return sn::astype<T>(sn::make_complex(x, x * x - 0.25)).reshape(s);
  else return sn::astype<T>(x).reshape(s);
}

template <class T>
std::byte* data_of(const array<T>& a) {
  return sn::runtime::as_array_node(a.node())->data();
}

/// `batch` products of rows x inner by inner x columns.
struct sizes {
  std::int64_t rows, inner, columns, batch = 1;
  sn::shape of(std::int64_t a, std::int64_t b) const { return batch == 1 ? sn::shape{a, b} : sn::shape{batch, a, b}; }
  std::int64_t elements() const { return batch * rows * columns; }
  std::string text() const {
    return (batch == 1 ? "" : std::to_string(batch) + " of ") + std::to_string(rows) + "x" + std::to_string(inner) +
           "x" + std::to_string(columns);
  }
};

template <class T>
void product(bench::session& s, const char* dtype, const sizes& z) {
  const std::string name = std::string("matmul ") + dtype + " " + z.text();
  if (!s.wants(name)) return;
  const array<T> a = numbers<T>(z.of(z.rows, z.inner), 7), b = numbers<T>(z.of(z.inner, z.columns), 11);
  array<T> into = sn::zeros<T>(z.of(z.rows, z.columns));
  sn::runtime::stream_state& on = sn::runtime::current_stream(sn::runtime::current_device());
  const sn::runtime::blas_product p{sn::dtype_of<T>,
                                    z.rows,
                                    z.columns,
                                    z.inner,
                                    z.batch,
                                    {data_of(a), false, z.inner, z.rows * z.inner},
                                    {data_of(b), false, z.columns, z.inner * z.columns},
                                    data_of(into)};
  std::string why;
  const auto bare = [&] { return s.on_cpu() ? multiply_on_cpu(p, on, why) : multiply_on_gpu(p, on, why); };
  if (!bare()) return s.wrong(name, z.elements(), why);
  const auto ours = [&] { array<T> c = sn::matmul(a, b); };
  const double off = sn::max(sn::astype<double>(sn::abs(sn::matmul(a, b) - into))).item();
  const double largest = sn::max(sn::astype<double>(sn::abs(into))).item();
  if (!(off <= (sizeof(T) == 2 ? 0.01 : 1e-5) * largest))
    return s.wrong(name, z.elements(), "is not what the bare call gives");
  s.add({name,
         z.elements(),
         s.time(bench::repeat(ours), z.elements()),
         {},
         {s.time(bench::repeat(bare), z.elements()).us, "bare call"}});
}

/// A layer of a network.
void layer(bench::session& s, const sizes& z) {
  const std::string name = "gelu(a @ b + bias) float32 " + z.text();
  if (!s.wants(name)) return;
  const array<float> a = numbers<float>({z.rows, z.inner}, 7), b = numbers<float>({z.inner, z.columns}, 11);
  const array<float> bias = numbers<float>({z.columns}, 3);
  const auto fused = [&] {
    const auto x = sn::matmul(a, b) + bias;
    array<float> y = 0.5f * x * (1.0f + sn::special::erf(x * 0.70710678f));
  };
  const auto alone = [&] { array<float> c = sn::matmul(a, b); };
  s.add({name,
         z.elements(),
         s.time(bench::repeat(fused), z.elements()),
         {},
         {s.time(bench::repeat(alone), z.elements()).us, "the product alone"}});
}

template <class T>
void with_vector(bench::session& s, const char* dtype, std::int64_t rows, std::int64_t columns) {
  const std::string name = std::string("matmul ") + dtype + " " + std::to_string(rows) + "x" + std::to_string(columns);
  const array<T> m = numbers<T>({rows, columns}, 7), across = numbers<T>({columns}, 11), down = numbers<T>({rows}, 5);
  const double bytes = static_cast<double>(rows * columns) * sizeof(T);
  if (s.wants(name + " by a vector"))
    s.measure(name + " by a vector", rows * columns, bytes, 0, [&] { array<T> c = sn::matmul(m, across); });
  if (s.wants(name + " after a vector"))
    s.measure(name + " after a vector", rows * columns, bytes, 0, [&] { array<T> c = sn::matmul(down, m); });
}

void dot(bench::session& s, std::int64_t n) {
  const std::string name = "dot float32 " + std::to_string(n);
  if (!s.wants(name)) return;
  const array<float> u = numbers<float>({n}, 7), v = numbers<float>({n}, 11);
  const auto steps = [&] { array<float> each = u * v, all = sn::sum(each); };
  s.measure(
      name, n, 8.0 * static_cast<double>(n), 0, [&] { array<float> d = sn::dot(u, v); }, steps);
}

}  // namespace

int main(int argc, char** argv) {
  bench::session s(argc, argv, "Products of matrices");
  const std::int64_t side = s.quick() ? 64 : s.on_cpu() ? 1024 : 4096;
  for (const std::int64_t n : {std::int64_t{16}, std::int64_t{64}, side / 16, side / 4, side})
    product<float>(s, "float32", {n, n, n});
  product<double>(s, "float64", {side / 2, side / 2, side / 2});
  product<std::complex<float>>(s, "complex64", {side / 2, side / 2, side / 2});
  if (!s.on_cpu()) {
    product<sn::half>(s, "float16", {side, side, side});
    product<sn::bfloat16>(s, "bfloat16", {side, side, side});
  }
  product<float>(s, "float32", {side / 32, side / 32, side / 32, 64});
  product<float>(s, "float32", {8, 8, 8, side});
  product<float>(s, "float32", {3, 3, 3, side * 16});
  layer(s, {side, side / 4, side / 4});
  dot(s, s.quick() ? 1000 : 1'000'000);
  with_vector<float>(s, "float32", side, side);
  with_vector<double>(s, "float64", side, side);
  return s.finish();
}
