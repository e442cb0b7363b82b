// Texts compiled to be read. Images made here are not kept: what an evaluation launches has a cache.
#include "runtime/inspect/readings.hpp"

#include <memory>

#include "codegen/compile/disassemble.hpp"

namespace sinter::runtime {
namespace {

constexpr int supposed_capability = 90;  // of an H100 or H200, as the text's schedule supposes

}  // namespace

std::string compiled_readings::cuda(const std::string& text, const device_impl& on, const std::string& title) const {
  if (!asked.ptx && !asked.sass) return "";
  const int arch = on.dialect() == codegen::dialect::cuda ? on.capability() : supposed_capability;
  const std::string ptx = title + "PTX for sm_" + std::to_string(arch) + " ====\n";
  const std::string sass = title + "SASS for sm_" + std::to_string(arch) + " ====\n";
  std::string out;
  try {
    const auto with = codegen::make_cuda_compiler(arch, codegen::math_mode_from_environment());
    const codegen::compiled_text made = with->compile_to_read(text);
    if (asked.ptx) out += ptx + made.between;
    if (asked.sass) out += sass + codegen::with_head(made.uses, codegen::disassemble(made.image));
  } catch (const error& e) {
    out = (asked.ptx ? ptx : sass) + codegen::with_head("", {"", e.what()});
  }
  return out;
}

std::string compiled_readings::c(const std::string& text, const device_impl& on, const std::string& title) const {
  if (!asked.assembly) return "";
  const std::string head = title + "assembly ====\n";
  try {
    std::unique_ptr<codegen::compiler> own;
    const codegen::compiler* with = on.dialect() == codegen::dialect::c ? on.compiler() : nullptr;
    if (!with) with = (own = codegen::make_cpu_compiler(codegen::math_mode_from_environment())).get();
    if (!with) return head + codegen::with_head("", {"", codegen::why_no_cpu_compiler()});
    return head + codegen::with_head("", codegen::disassemble(with->compile(text)));
  } catch (const error& e) {
    return head + codegen::with_head("", {"", e.what()});
  }
}

}  // namespace sinter::runtime
