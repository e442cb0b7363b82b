// A kernel's CUDA C++ text to a cubin through NVRTC, between the CUDA dialect and the driver's module loader.
#include <sinter/detail/config.hpp>

#include "codegen/compile/nvrtc.hpp"

namespace sinter::codegen {
namespace {

class cuda_compiler final : public compiler {
 public:
  cuda_compiler(int arch, math_mode mode) : nvrtc_(open_nvrtc()), options_{nvrtc_.arch_option(arch), "-std=c++17"} {
    if (nvrtc_.major > 12 || (nvrtc_.major == 12 && nvrtc_.minor >= 4)) options_.emplace_back("-minimal");
    if (mode == math_mode::strict) options_.emplace_back("-fmad=false");
    if (mode == math_mode::fast) options_.emplace_back("-use_fast_math");
    identity_ = "sinter " SINTER_VERSION "\n" + nvrtc_.identity() + "\narch " + std::to_string(arch) + "\noptions";
    for (const std::string& option : options_) identity_ += " " + option;
  }

  const std::string& identity() const override { return identity_; }
  const char* extension() const override { return "cu"; }

  bytes compile(std::string_view source) const override {
    nvrtc_program made(nvrtc_, std::string(source));
    if (const nvrtc_status status = made.compile(options_); status != nvrtc_success)
      throw_not_compiled(nvrtc_, status, options_[0], made.log(), identity_, source);
    return made.image(makes_cubins());
  }

  compiled_text compile_to_read(std::string_view source) const override {
    nvrtc_program made(nvrtc_, std::string(source));
    std::vector<std::string> options = options_;
    options.emplace_back(nvrtc_tells_uses);
    if (const nvrtc_status status = made.compile(options); status != nvrtc_success)
      throw_not_compiled(nvrtc_, status, options_[0], made.log(), identity_, source);
    return {made.image(makes_cubins()), made.ptx(), uses_in(made.log())};
  }

 private:
  bool makes_cubins() const { return options_[0].starts_with("-arch=sm_"); }

  const nvrtc_library nvrtc_;
  std::vector<std::string> options_;  // the architecture first
  std::string identity_;
};

}  // namespace

std::unique_ptr<compiler> make_cuda_compiler(int arch, math_mode mode) {
  return std::make_unique<cuda_compiler>(arch, mode);
}

}  // namespace sinter::codegen
