// What the C kernels of every form are written with.
#pragma once

#include "codegen/source/body.hpp"
#include "codegen/source/geometry.hpp"

namespace sinter::codegen {

class cpu_writer : protected kernel_writer {
 protected:
  cpu_writer(writer& w, const body& b) : kernel_writer(w, b) {}

  void argument_struct();
  /// Opens a function over work items.
  void open(std::string_view name);
};

/// The kernel functions, by form.
void write_cpu_map(writer&, const body&);
void write_cpu_fold(writer&, const body&);
void write_cpu_rows(writer&, const body&);

}  // namespace sinter::codegen
