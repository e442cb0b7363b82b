// What the CUDA kernels of every form are written with: the kernel's head, and 16-byte packs of neighbouring elements.
#pragma once

#include "codegen/source/body.hpp"
#include "codegen/source/geometry.hpp"

namespace sinter::codegen {

class cuda_writer : protected kernel_writer {
 protected:
  cuda_writer(writer& w, const body& b) : kernel_writer(w, b), width_(lane_width(b.k, b.v)) {}

  bool packed(int o) const { return b_.v.vector && b_.v.operands[o] == access::unit && !b_.is_iota(o); }
  std::string pack(int o) const {
    return std::string(detail::facts(operand_type(b_.k, o)).short_name) + "x" + std::to_string(width_);
  }

  void pack_types();
  /// Opens the kernel function.
  void open(int threads);

  /// How an input is spelled inside a pack: packed inputs were loaded into v<o>.
  std::function<std::string(int)> read_pack(std::string prefix) const {
    return [this, prefix](int o) { return packed(o) ? number("v", o) + ".at[l]" : read(prefix, "i + l")(o); };
  }

  void load_packs(const std::string& prefix) {
    for (int o = 0; o < b_.inputs(); ++o)
      if (packed(o) && b_.first_reads(o))
        w_.line("const ", pack(o), " ", number("v", o), " = *reinterpret_cast<const ", pack(o), "*>(", base(o, prefix),
                " + i);");
  }

  const int width_;
};

/// The kernel function, by form.
void write_cuda_map(writer&, const body&);
void write_cuda_fold(writer&, const body&);

}  // namespace sinter::codegen
