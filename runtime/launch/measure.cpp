#include "runtime/launch/measure.hpp"

namespace sinter::runtime {

double bytes_moved(const codegen::step& s, const binding& b) {
  double bytes = 0;
  for (std::size_t o = 0; o < b.operands.size(); ++o) {
    const bool input = o < s.inputs.size();
    if (input && s.kernel.inputs[o].iota) continue;
    double elements = 1;
    for (int d = 0; d < b.variant.rank; ++d)
      if (b.operands[o].strides[d] != 0 || (input && s.kernel.inputs[o].indexed))
        elements *= static_cast<double>(b.extents[d]);
    bytes += elements * itemsize(codegen::operand_type(s.kernel, static_cast<int>(o)));
  }
  return bytes;
}

int operations(const codegen::kernel& k) {
  int count = 0;
  for (const codegen::value& v : k.values) count += v.kind == codegen::value_kind::apply;
  return count + static_cast<int>(k.accumulators.size());
}

target target_like(codegen::dialect language, const target& here) {
  constexpr int usual_multiprocessors = 132;  // of an H100 or H200, where there is no GPU to ask
  constexpr std::int64_t usual_cache = 50 << 20;
  if (here.language == language) return here;
  return {language, language == codegen::dialect::cuda ? usual_multiprocessors : 1, here.in_order, usual_cache};
}

bool bind_for(const codegen::step& s, const codegen::resolution& r, detail::array_node* const* temporaries,
              detail::array_node* const* outputs, const target& to, binding& into, layout* how) {
  if (!locate(s, r, temporaries, outputs, into)) return false;
  bind(s, r, outputs, to, into);
  const layout l = share_out(s.kernel, into, to);
  if (how) *how = l;
  return true;
}

}  // namespace sinter::runtime
