// Which processor's kernels OpenBLAS works with.
#pragma once

namespace sinter::runtime {

/// An OpenBLAS that is older than the processor takes those of a Pentium 4; it is given the best ones that the processor runs. Does
/// nothing to another library, or where OPENBLAS_CORETYPE says what to take. For a library that no thread works with yet.
void choose_openblas_core(void* library);

}  // namespace sinter::runtime
