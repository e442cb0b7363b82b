// CUDA text of a program's own: what goes into its image, the compiler for it, and what can be said of names that are not there.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "codegen/compile/nvrtc.hpp"

namespace sinter::codegen {

/// A text and what is chosen with it: all that its image depends on besides the compiler.
struct module_text {
  std::string source;
  std::vector<std::string> options;
  std::vector<text_header> headers;
  std::vector<std::string> names;  // NVRTC's name expressions: `f`, `ns::f<float>`, `&variable`
};

/// NVRTC for one module and a compute capability. Options of the text's own come before Sinter's: -std=c++17 and the
/// architecture are only added where it has none. Its images begin with what a driver loads and end with what the names are
/// called there, which `lowered_names` reads. The text has to outlive it. Errors: as make_cuda_compiler's; of its compile also
/// `error` for a name that the text does not have, saying which it has.
std::unique_ptr<compiler> make_module_compiler(const module_text&, int arch);
std::vector<std::string> lowered_names(const bytes& image);

/// The kernels in a CUDA text, in PTX or in a cubin, as messages list them: "f, ns::g, h<...>". Those that macros make or that
/// included files have are not seen.
std::string kernels_in_text(const module_text&);
std::string kernels_in_image(const bytes&);

/// Does a text depend on files besides its headers?
bool includes_files(const module_text&);

}  // namespace sinter::codegen
