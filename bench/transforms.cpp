// Fourier transforms, alone and with work around them. The floor is the bare library's call, into memory that is there already.
#include <complex>
#include <string>

#include <sinter/fft.hpp>
#include <sinter/sinter.hpp>

#include "bench/harness.hpp"
#include "runtime/device/device.hpp"
#include "runtime/frontend/nodes.hpp"
#include "runtime/library/fft.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/stream/current.hpp"

namespace {

namespace sn = sinter;
using namespace sn::runtime;
using sn::array;

template <class T>
array<T> numbers(const sn::shape& s) {
  const array<double> x = sn::astype<double>(sn::arange(s.elements()) * 7 % 251 - 125) / 128;
  return sn::astype<T>(x).reshape(s);
}

template <class T>
std::byte* data_of(const array<T>& a) {
  return as_array_node(a.node())->data();
}

double bare_call(const bench::session& s, const fft_shape& f, const std::byte* from, std::byte* to, std::int64_t n) {
  stream_state& on = current_stream(current_device());
  std::string why;
  const auto call = [&] {
    s.on_cpu() ? transform_on_cpu(f, from, to, on, why) : transform_on_gpu(f, from, to, on, why);
  };
  return s.time(bench::repeat(call), n).us;
}

template <class F>
bench::timing time_of(const bench::session& s, std::int64_t n, F work) {
  return s.time(bench::repeat(work), n);
}

template <class T>
void of_rows(bench::session& s, const char* dtype, std::int64_t rows, std::int64_t n) {
  using complex = std::complex<T>;
  const std::string shape = (rows == 1 ? "" : std::to_string(rows) + "x") + std::to_string(n) + " " + dtype;
  const array<complex> z = numbers<complex>({rows, n});
  const array<T> x = numbers<T>({rows, n});
  array<complex> into = sn::zeros<complex>({rows, n});
  constexpr bool is_double = sizeof(T) == 8;
  const fft_shape whole{fft_kind::forward, is_double, 1, {n}, rows}, half{fft_kind::from_real, is_double, 1, {n}, rows};
  if (const std::string name = "fft " + shape; s.wants(name))
    s.add({name,
           rows * n,
           time_of(s, rows * n, [&] { array<complex> r = sn::fft::fft(z); }),
           {},
           {bare_call(s, whole, data_of(z), data_of(into), rows * n), "bare call"}});
  if (const std::string name = "rfft " + shape; s.wants(name))
    s.add({name,
           rows * n,
           time_of(s, rows * n, [&] { array<complex> r = sn::fft::rfft(x); }),
           {},
           {bare_call(s, half, data_of(x), data_of(into), rows * n), "bare call"}});
  const array<T> window = sn::astype<T>(sn::hanning(n));
  if (const std::string name = "abs(fft(x * w))^2 " + shape; s.wants(name))
    s.add({name,
           rows * n,
           time_of(s, rows * n, [&] { array<T> r = sn::square(sn::abs(sn::fft::fft(z * window))); }),
           {},
           {bare_call(s, whole, data_of(z), data_of(into), rows * n), "bare call"}});
  const array<complex> response = numbers<complex>({n});
  if (const std::string name = "ifft(fft(x) * h) " + shape; s.wants(name))
    s.add({name,
           rows * n,
           time_of(s, rows * n, [&] { array<complex> r = sn::fft::ifft(sn::fft::fft(z) * response); }),
           {},
           {bare_call(s, whole, data_of(z), data_of(into), rows * n), "bare call"}});
}

}  // namespace

int main(int argc, char** argv) {
  bench::session s(argc, argv, "Fourier transforms");
  const std::int64_t scale = s.quick() ? 1024 : s.on_cpu() ? 16 : 1;
  of_rows<float>(s, "float32", 8192 / scale, 1024);
  of_rows<double>(s, "float64", 8192 / scale, 1024);
  of_rows<float>(s, "float32", 1, 10'000'000 / scale);
  of_rows<float>(s, "float32", 1, 4096);
  return s.finish();
}
