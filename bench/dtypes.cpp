// Elements of 16 bits and complex ones: maps, folds, rows and scans that are bound by memory in float32, too. A result is compared
// with the same work in float32 or complex128 before it is timed.
#include <complex>
#include <string>

#include <sinter/complex.hpp>
#include <sinter/sinter.hpp>
#include <sinter/softmax.hpp>

#include "bench/harness.hpp"

namespace {

namespace sn = sinter;
using sn::array, sn::bfloat16, sn::half;
using complex64 = std::complex<float>;
using complex128 = std::complex<double>;

template <class T>
using wide_of = std::conditional_t<std::is_same_v<T, half> || std::is_same_v<T, bfloat16>, float, complex128>;

/// Relative to the largest: what rounding to T's digits and another order of a sum may move.
template <class T>
constexpr double allowed = std::is_same_v<T, bfloat16> ? 0.02
                           : std::is_same_v<T, half>   ? 0.003
                                                       : 1e-4;

template <class T>
array<T> operand(std::int64_t n, int step) {
  const array<float> x = sn::astype<float>(sn::arange(n) * step % 251 - 125) / 128;
  if constexpr (sn::detail::complex_number<T>) return sn::astype<T>(sn::make_complex(x, x * x - 0.25f));
  else return sn::astype<T>(x);
}

/// `work` of arrays x and y of T, which reads `reads` elements and writes `writes` of R.
template <class T, class F>
void row(bench::session& s, const std::string& name, std::int64_t n, std::int64_t reads, std::int64_t writes, F work) {
  if (!s.wants(name)) return;
  const array<T> x = operand<T>(n, 7), y = operand<T>(n, 11);
  using W = wide_of<T>;
  const auto once = [&] { return array(work(x, y)); };
  using R = typename decltype(once())::sinter_element;
  {
    const array wanted(work(array<W>(sn::astype<W>(x)), array<W>(sn::astype<W>(y))));
    const array got(sn::astype<typename decltype(wanted)::sinter_element>(once()));
    const double off = static_cast<double>(sn::max(sn::abs(got - wanted)).item());
    const double largest = static_cast<double>(sn::max(sn::abs(wanted)).item());
    if (!(off <= allowed<T> * largest)) return s.wrong(name, n, "off by " + std::to_string(off));
  }
  s.measure(name, n, static_cast<double>(sizeof(T)) * static_cast<double>(reads),
            static_cast<double>(sizeof(R)) * static_cast<double>(writes), once);
}

template <class T>
void rows(bench::session& s, const std::string& dtype, std::int64_t n) {
  const std::int64_t across = std::min<std::int64_t>(4096, n), down = n / across, all = down * across;
  const auto matrix = [=](const auto& x) { return sn::reshape(x, {down, across}); };
  row<T>(s, "x + y, " + dtype, all, 2 * all, all, [](const auto& x, const auto& y) { return x + y; });
  row<T>(s, "x * x + y, " + dtype, all, 2 * all, all, [](const auto& x, const auto& y) { return x * x + y; });
  row<T>(s, "mean(x * x), " + dtype, all, all, 1, [](const auto& x, const auto&) { return sn::mean(x * x); });
  row<T>(s, "mean of rows, " + dtype, all, all, down,
         [=](const auto& x, const auto&) { return sn::mean(matrix(x), 1); });
  row<T>(s, "sum of columns, " + dtype, all, all, across,
         [=](const auto& x, const auto&) { return sn::sum(matrix(x), 0); });
  row<T>(s, "transposed, " + dtype, all, all, all, [=](const auto& x, const auto&) { return matrix(x).T() * 2; });
  if constexpr (sn::detail::complex_number<T>) {
    row<T>(s, "abs(x), " + dtype, all, all, all / 2, [](const auto& x, const auto&) { return sn::abs(x); });
    row<T>(s, "x / (y + 2), " + dtype, all, 2 * all, all, [](const auto& x, const auto& y) { return x / (y + 2); });
    row<T>(s, "cumsum(x), " + dtype, all, all, all, [](const auto& x, const auto&) { return sn::cumsum(x); });
  } else {
    row<T>(s, "exp(x) * y, " + dtype, all, 2 * all, all, [](const auto& x, const auto& y) { return sn::exp(x) * y; });
    row<T>(s, "softmax of rows, " + dtype, all, all, all,
           [=](const auto& x, const auto&) { return sn::special::softmax(matrix(x), 1); });
  }
}

}  // namespace

int main(int argc, char** argv) {
  bench::session s(argc, argv, "Elements of 16 bits and complex ones");
  rows<half>(s, "float16", s.largest());
  rows<bfloat16>(s, "bfloat16", s.largest());
  rows<complex64>(s, "complex64", s.largest() / 4);
  rows<complex128>(s, "complex128", s.largest() / 8);
  return s.finish();
}
