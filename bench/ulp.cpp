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
#include <deque>
#include <string>
#include <vector>

#include <sinter/elementwise_kernel.hpp>
#include <sinter/sinter.hpp>

#include "test/codegen/ir/op_rows.hpp"
#include "test/include/made_at_run_time.hpp"

namespace {

using namespace sinter;
using detail::handle;
using detail::instruction;

/// A code table as an expression type has one. Its address is its identity, so it stays where it is.
class program {
 public:
  explicit program(std::vector<instruction> steps, dtype gives) : code_(std::move(steps)) {
    made_ = {code_.data(), static_cast<std::uint16_t>(code_.size()), 1, 0, gives, &plan_};
  }
  handle of(const array<float>& x) {
    detail::node* const operand = x.share();
    handle result = test::made_at_run_time({&made_, &operand, nullptr});
    detail::release(operand);
    return result;
  }

 private:
  std::vector<instruction> code_;
  void* plan_ = nullptr;
  detail::fragment made_{};
};

/// A unit in the last place of float at |y|, as ulps_apart of the tests has it.
lazy<double> unit_at(const lazy<double>& y) {
  return exp2(maximum(detail::apply<op::frexp_exponent>(y), -125.0) - 24.0);
}

/// A function of both types, and the worst found of it.
class function {
 public:
  explicit function(int row) : row_(row) {}

  void measure(const array<float>& x) {
    const lazy<double> wanted(in_double_.of(x).take()), got = astype<double>(lazy<float>(in_float_.of(x).take()));
    const lazy<double> rounded = astype<double>(astype<float>(wanted));
    const lazy<bool> plain = isfinite(got) && isfinite(rounded);
    const lazy<double> largest = maximum(maximum(abs(wanted), abs(astype<double>(x))), 1.0);
    const lazy<double> unit = unit_at(test::cancels(test::op_rows[row_].name) ? largest : wanted);
    const lazy<double> off = where(plain, abs(got - wanted) / unit, 0.0);
    const auto differs = !plain && !(got == rounded || (isnan(got) && isnan(rounded)));
    auto [most, place, different] = eval(max(off), argmax(off), count_nonzero(differs));
    different_ += different.item();
    if (most.item() < ulp_) return;
    ulp_ = most.item();
    at_ = x(place.item()).copy();
  }

  void print() {
    auto [got, wanted] = eval(lazy<float>(in_float_.of(at_).take()), lazy<double>(in_double_.of(at_).take()));
    std::printf("%-16s %10.3f of %3g  at %.9g: %.9g instead of %.17g", test::op_rows[row_].name, ulp_,
                test::op_rows[row_].ulp, static_cast<double>(at_.item()), static_cast<double>(got.item()),
                wanted.item());
    std::printf(different_ ? ", and %lld not finite alike\n" : "\n", static_cast<long long>(different_));
    std::fflush(stdout);
  }

 private:
  instruction apply(dtype t) const { return {static_cast<std::uint8_t>(row_), t}; }

  int row_;
  program in_float_{{{instruction::take_node, dtype::float32}, apply(dtype::float32)}, dtype::float32};
  program in_double_{
      {{instruction::take_node, dtype::float32}, {instruction::cast, dtype::float64}, apply(dtype::float64)},
      dtype::float64};
  double ulp_ = 0;
  array<float> at_ = array<float>{0};
  std::int64_t different_ = 0;
};

bool is_measured(int row, const std::vector<std::string>& names) {
  const test::op_row& r = test::op_rows[row];
  for (const std::string& name : names)
    if (name == r.name) return true;
  return names.empty() && r.arity == 1 && r.ulp > 0 && (r.of == detail::rule::real || r.of == detail::rule::analytic);
}

void measure_all(std::int64_t stride, std::int64_t parts, const std::vector<std::string>& names) {
  const elementwise_kernel<float(std::int64_t)> from_bits(
      "n", "union { unsigned int bits; float number; } both; both.bits = (unsigned int)n; return both.number;");
  const std::int64_t all = (std::int64_t{1} << 32) / stride, each = (all + parts - 1) / parts;
  std::deque<function> all_of_them;
  for (int row = 0; row < detail::op_count; ++row)
    if (is_measured(row, names)) all_of_them.emplace_back(row);
  for (std::int64_t first = 0; first < all; first += each) {
    const array<float> x = from_bits((arange(std::min(each, all - first)) + first) * stride);
    for (function& f : all_of_them) f.measure(x);
  }
  for (function& f : all_of_them) f.print();
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
