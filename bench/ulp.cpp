// How far functions of one float32 number are off, over all 2^32 of them on the device: against the function of double of the same
// device, rounded. The double functions are held to longer arithmetic by the golden values (test/numpy/golden.py).
//
//   bench_ulp [--stride N] [--parts N] [name ...]     every Nth number; numbers in so many launches; without a name all functions
//
// A line is the name, the largest error in units in the last place, the number it was at, what was wanted there, and how many
// differ in being NaN or infinite. Where the double function is off by half a unit of its own, the float one is by 2^-29 more.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <sinter/elementwise_kernel.hpp>
#include <sinter/sinter.hpp>

#include "test/codegen/ir/expectation.hpp"
#include "test/include/made_at_run_time.hpp"

namespace {

using namespace sinter;
using detail::handle;
using detail::instruction;

/// A code table as an expression type has one. Its address is its identity.
struct program {
  std::vector<instruction> code;
  void* plan = nullptr;
  detail::fragment made{};
  explicit program(std::vector<instruction> steps, dtype gives) : code(std::move(steps)) {
    made = {code.data(), static_cast<std::uint16_t>(code.size()), 1, 0, gives, &plan};
  }
  handle of(const array<float>& x) {
    detail::node* const operand = x.share();
    handle result = test::made_at_run_time({&made, &operand, nullptr});
    detail::release(operand);
    return result;
  }
};

struct worst {
  double ulp = 0;
  float at = 0, got = 0;
  double wanted = 0;
  std::int64_t different = 0;
};

/// A unit in the last place of float at |y|, as ulps_apart of the tests has it.
lazy<double> unit_at(const lazy<double>& y) {
  const auto exponent = maximum(floor(log2(maximum(abs(y), 1e-300))), -126.0);
  return exp2(exponent - 23);
}

/// Of a function over the numbers x.
worst measure(op code, const array<float>& x) {
  const auto apply = [code](dtype t) { return instruction{static_cast<std::uint8_t>(code), t}; };
  program single({{instruction::take_node, dtype::float32}, apply(dtype::float32)}, dtype::float32);
  program twice({{instruction::take_node, dtype::float32}, {instruction::cast, dtype::float64}, apply(dtype::float64)},
                dtype::float64);
  const lazy<float> got(single.of(x).take());
  const lazy<double> wanted(twice.of(x).take()), g = astype<double>(got);
  const lazy<double> rounded = astype<double>(astype<float>(wanted));
  const lazy<bool> plain = isfinite(g) && isfinite(rounded);
  const bool cancels = test::cancels(detail::facts(code).name);
  const lazy<double> size = cancels ? lazy<double>(maximum(maximum(abs(wanted), abs(astype<double>(x))), 1.0)) : wanted;
  const lazy<double> off = where(plain, abs(g - wanted) / unit_at(size), 0.0);
  const auto differs = !plain && !(g == rounded || (isnan(g) && isnan(rounded)));
  auto [largest, place, different] = eval(max(off), argmax(off), count_nonzero(differs));
  const array<float> at = x(place.item());
  return {largest.item(), at.item(), array<float>(lazy<float>(single.of(at).take())).item(),
          array<double>(lazy<double>(twice.of(at).take())).item(), different.item()};
}

bool is_measured(int row, const std::vector<std::string>& names) {
  const test::op_row& r = test::op_rows[row];
  for (const std::string& name : names)
    if (name == r.name) return true;
  return names.empty() && r.arity == 1 && r.ulp > 0 && (r.of == detail::rule::real || r.of == detail::rule::analytic);
}

void print(int row, const worst& w) {
  std::printf("%-16s %10.3f of %3g  at %.9g: %.9g instead of %.17g", test::op_rows[row].name, w.ulp,
              test::op_rows[row].ulp, static_cast<double>(w.at), static_cast<double>(w.got), w.wanted);
  std::printf(w.different ? ", and %lld not finite alike\n" : "\n", static_cast<long long>(w.different));
  std::fflush(stdout);
}

void measure_all(std::int64_t stride, std::int64_t parts, const std::vector<std::string>& names) {
  const elementwise_kernel<float(std::int64_t)> from_bits(
      "n", "union { unsigned int bits; float number; } both; both.bits = (unsigned int)n; return both.number;");
  const std::int64_t all = (std::int64_t{1} << 32) / stride, each = (all + parts - 1) / parts;
  std::vector<worst> found(detail::op_count);
  for (std::int64_t first = 0; first < all; first += each) {
    const array<float> x = from_bits((arange(std::min(each, all - first)) + first) * stride);
    for (int row = 0; row < detail::op_count; ++row) {
      if (!is_measured(row, names)) continue;
      const worst w = measure(static_cast<op>(row), x);
      const std::int64_t different = found[static_cast<std::size_t>(row)].different + w.different;
      if (w.ulp >= found[static_cast<std::size_t>(row)].ulp) found[static_cast<std::size_t>(row)] = w;
      found[static_cast<std::size_t>(row)].different = different;
    }
  }
  for (int row = 0; row < detail::op_count; ++row)
    if (is_measured(row, names)) print(row, found[static_cast<std::size_t>(row)]);
}

}  // namespace

int main(int argc, char** argv) {
  std::int64_t stride = 1, parts = 32;
  std::vector<std::string> names;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--stride" && i + 1 < argc) stride = std::atoll(argv[++i]);
    else if (word == "--parts" && i + 1 < argc) parts = std::atoll(argv[++i]);
    else names.push_back(word);
  }
  measure_all(stride, parts, names);
}
