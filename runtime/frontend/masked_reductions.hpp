// Reductions of some of the elements, and from a first value on: the options `where` and `initial`.
#pragma once

#include <sinter/options.hpp>

namespace sinter::runtime {

/// Of what the mask chooses, and from the first value on. Errors: `shape_error`; `error` for what has neither.
detail::node* make_chosen_reduction(detail::handle of, detail::reduction, dtype, const reduce_options&);
/// `how` has a mask.
detail::node* make_masked_mean(detail::handle of, dtype, const reduce_options& how);
detail::node* make_masked_variance(detail::handle of, dtype, const reduce_options& how, bool root);

}  // namespace sinter::runtime
