#include "runtime/library/transforms.hpp"

#include <numbers>

#include <sinter/detail/rearrange.hpp>

#include "codegen/source/fourier.hpp"
#include "runtime/counters.hpp"
#include "runtime/device/device.hpp"
#include "runtime/eval.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/library/call.hpp"
#include "runtime/library/products.hpp"
#include "runtime/log.hpp"
#include "runtime/memory/storage.hpp"

namespace sinter::runtime {

using namespace detail;

term root_of_unity(const term& turns, std::int64_t n, double sign) {
  const term angle = astype(turns, dtype::float64) * (sign * 2 * std::numbers::pi / static_cast<double>(n));
  return apply(op::make_complex, {apply(op::cos, {angle}), apply(op::sin, {angle})});
}

namespace {

// The definition, in double: each point of the result is a sum over all of the operand's, along the last axis.
term by_definition(const term& x, fft_kind kind, std::int64_t n, dtype result) {
  const bool to_real = kind == fft_kind::to_real;
  const std::int64_t inputs = x.extent(x.rank() - 1), outputs = kind == fft_kind::from_real ? n / 2 + 1 : n;
  const term to = index_of(shape{1, outputs}, 1), from = index_of(shape{inputs, 1}, 0);
  const double sign = to_real || kind == fft_kind::inverse ? 1 : -1;
  term w = root_of_unity(to * from % n, n, sign);
  // Half of the points stand for the others, too, which are their conjugates.
  if (to_real) w = w * astype(choose((from == 0) | (from * 2 == n), 1, 2), dtype::float64);
  const bool is_vector = x.rank() == 1;
  term sums = product_as_fold(astype(is_vector ? x.with_axis(0) : x, dtype::complex128), w);
  if (is_vector) sums = sums.at(0, 0);
  return astype(to_real ? apply(op::real, {sums}) : sums, result);
}

class transform_call final : public library_call {
 public:
  transform_call(const fft_shape& s, dtype from, const shape& of, dtype t, const shape& to)
      : library_call(t, to), of_(s), from_(from), extents_(of) {}

  std::string name() const override {
    constexpr const char* words[] = {"Fourier transform", "inverse Fourier transform", "Fourier transform",
                                     "inverse Fourier transform to real numbers"};
    return message("%s over %d %s of %s %s", words[static_cast<int>(of_.kind)], of_.rank,
                   of_.rank == 1 ? "axis" : "axes", sinter::name(from_), to_string(extents_).c_str());
  }

  void enqueue(call_operands operands, call_results made, stream_state& on) const override {
    const array_node& from = *operands[0];
    array_node& to = *made[0];
    std::string why = "kernels are interpreted there";
    const codegen::dialect language = on.device.dialect();
    if (language == codegen::dialect::cuda ? transform_on_gpu(of_, from.data(), to.data(), on, why)
        : language == codegen::dialect::c  ? transform_on_cpu(of_, from.data(), to.data(), on, why)
                                           : false)
      return bump(counter::library_calls);
    log(1, "%s: %s; by kernels of Sinter's own", name().c_str(), why.c_str());
    store(term::of(const_cast<array_node*>(&from)), to);
  }

  codegen::fourier in_kernels() const override {
    const dtype type = results[0].type;
    if (of_.rank != 1 || of_.has_real() || codegen::plan_fourier(of_.n[0], type).points == 0)
      return codegen::fourier::none;
    return of_.kind == fft_kind::forward ? codegen::fourier::forward : codegen::fourier::inverse;
  }

 private:
  void store(term x, array_node& to) const {
    for (int d = 0; d < of_.rank; ++d) {
      const bool is_last = d + 1 == of_.rank;
      const axis_list last{1, {-1}}, mine{1, {-of_.rank + d}};
      const term along = term::made(make_moved(x.get(), mine, last));
      x = term::made(
          make_moved(by_definition(along, of_.kind, of_.n[d], is_last ? to.type : x.type()).get(), last, mine));
    }
    evaluate_into(x, to);
  }

  const fft_shape of_;
  const dtype from_;
  const shape extents_;
};

}  // namespace

handle make_transform_call(const term& x, fft_kind kind, int axes, std::int64_t points) {
  const int rank = x.rank();
  shape to = x.extents();
  if (kind == fft_kind::to_real) to[rank - 1] = points;
  fft_shape s{kind, real_part_of(x.type()) == dtype::float64, axes, {}, 1};
  for (int d = 0; d < axes; ++d) s.n[d] = to[rank - axes + d];
  for (int d = 0; d < rank - axes; ++d) s.batch *= to[d];
  if (kind == fft_kind::from_real) to[rank - 1] = to[rank - 1] / 2 + 1;
  const dtype complex = s.is_double ? dtype::complex128 : dtype::complex64;
  const dtype type = kind == fft_kind::to_real ? real_part_of(complex) : complex;
  return make_call<transform_call>({x.held()}, s, x.type(), x.extents(), type, to);
}

}  // namespace sinter::runtime
