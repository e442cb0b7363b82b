// What a bound kernel moves and computes, for those who look at kernels: explain, dump and the report.
#pragma once

#include "runtime/launch/launch.hpp"

namespace sinter::runtime {

/// Bytes, if every element is moved once.
double bytes_moved(const codegen::step&, const binding&);

/// Operations at each point of its domain. A fold is one.
int operations(const codegen::kernel&);

/// A device of the language: `here`, where that is one, else what is usual of such devices.
target target_like(codegen::dialect language, const target& here);

/// A step's variant on a target. False: it has no element to compute.
bool bind_for(const codegen::step&, const codegen::resolution&, detail::array_node* const* temporaries,
              detail::array_node* const* outputs, const target&, binding& into, layout* how = nullptr);

}  // namespace sinter::runtime
