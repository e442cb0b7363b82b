#include "runtime/frontend/masked_reductions.hpp"

#include <sinter/error.hpp>
#include <sinter/reduce.hpp>

#include "runtime/frontend/message.hpp"
#include "runtime/frontend/terms.hpp"

namespace sinter::runtime {

using namespace detail;

namespace {

term number_of(const optional_number& given) { return term::of_bits(given.type, given.bits); }
term mask_over(const term& elements, const reduce_options& how) {
  return term::of(how.where.get()).broadcast_to(elements.extents());
}
// How many elements the mask chooses, as a real number of the parts of a dtype.
term count_in(const term& mask, const reduce_options& how, bool keepdims, dtype type) {
  return astype(fold(reduction::sum, mask, how.axis.list(), keepdims), real_part_of(type));
}

// What changes nothing that is folded with it. Of min and max it is the first value, as no number of the dtype is that to NaN.
term neutral(reduction what, const reduce_options& how) {
  switch (facts(what).starts[0]) {
    case start::zero: return 0;
    case start::one: return 1;
    default: break;
  }
  if (how.initial) return number_of(how.initial);
  throw error(message("sinter: %s of what a mask chooses has no value where that is nothing; give it .initial",
                      facts(what).name)
                  .c_str());
}

bool folds_nothing(const shape& s, std::uint32_t mask) {
  for (int d = 0; d < s.size(); ++d)
    if ((mask >> d & 1) && s[d] == 0) return true;
  return false;
}

}  // namespace

node* make_chosen_reduction(handle of, reduction what, dtype type, const reduce_options& how) {
  if (facts(what).takes_position())
    throw error(message("sinter: %s takes neither where nor initial", facts(what).name).c_str());
  term elements(std::move(of));
  const dtype element = elements.type();
  if (how.where) elements = choose(mask_over(elements, how), elements, astype(neutral(what, how), element));
  const axis_list& axes = how.axis.list();
  if (!how.initial) return make_reduction(elements.held(), what, type, axes, how.keepdims);
  const term first = number_of(how.initial);
  if (facts(what).needs_element && elements.rank() > 0) {
    const std::uint32_t mask = axis_mask(axes, elements.extents());
    if (folds_nothing(elements.extents(), mask))
      return number_node(first, type).broadcast_to(reduced_shape(elements.extents(), mask, how.keepdims)).take();
  }
  return apply(facts(what).fold, {fold(what, elements, axes, how.keepdims, type), astype(first, type)}).take();
}

node* make_masked_mean(handle of, dtype type, const reduce_options& how) {
  const term elements(std::move(of)), mask = mask_over(elements, how);
  const term total = fold(reduction::sum, choose(mask, elements, astype(0, elements.type())), how.axis.list(),
                          how.keepdims, widened(type));
  return astype(total / count_in(mask, how, how.keepdims, widened(type)), type).take();
}

// Distances are from the mean of what the mask chooses: its first element is not known.
node* make_masked_variance(handle of, dtype type, const reduce_options& how, bool root) {
  const term elements(std::move(of)), mask = mask_over(elements, how);
  const dtype wide = is_complex(elements.type()) ? dtype::complex128 : dtype::float64;
  const axis_list& axes = how.axis.list();
  const term chosen = choose(mask, astype(elements, wide), astype(0, wide));
  const term middle = fold(reduction::sum, chosen, axes, true) / count_in(mask, how, true, wide);
  const term distance = choose(mask, chosen - middle, astype(0, wide));
  term squared = apply(op::square, {apply(op::real, {distance})});
  if (is_complex(wide)) squared = squared + apply(op::square, {apply(op::imag, {distance})});
  const term count = count_in(mask, how, how.keepdims, wide);
  const term variance = fold(reduction::sum, squared, axes, how.keepdims) /
                        apply(op::maximum, {count - static_cast<double>(how.ddof), 0.0});
  return astype(root ? apply(op::sqrt, {variance}) : variance, type).take();
}

}  // namespace sinter::runtime
