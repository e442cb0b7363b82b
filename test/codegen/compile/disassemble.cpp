// Images as instructions: with the tools where they are, with programs of the test's own in their place, and without any.
#include "codegen/compile/disassemble.hpp"

#include <doctest/doctest.h>

#include <memory>

#include <sinter/error.hpp>

#include "codegen/compile/nvrtc.hpp"
#include "codegen/compile/process.hpp"
#include "codegen/compile/toolkit.hpp"
#include "test/codegen/scratch.hpp"

namespace fs = std::filesystem;
using namespace sinter::codegen;
using namespace sinter::test;

namespace {

constexpr const char* kernel_text =
    R"(extern "C" __global__ void __launch_bounds__(256) sinter_kernel(float* to, const float* from) {
  __shared__ float kept[256];
  kept[threadIdx.x] = from[threadIdx.x];
  __syncthreads();
  to[threadIdx.x] = kept[255 - threadIdx.x];
}
)";

/// NVRTC without a GPU; null where it is not installed.
std::unique_ptr<compiler> nvrtc() {
  try {
    return make_cuda_compiler(90, math_mode::standard);
  } catch (const sinter::device_error& missing) {
    MESSAGE("skipped: " << missing.what());
    return nullptr;
  }
}

void write_program(const std::string& path, const std::string& text) {
  fs::create_directories(fs::path(path).parent_path());
  write_text(path, "#!/bin/sh\n" + text + "\n");
  fs::permissions(path, fs::perms(0700));
}

/// What only the first bytes of a cubin say: that it is one.
bytes like_a_cubin() {
  std::string image(64, '\0');
  image.replace(0, 4, "\177ELF");
  image[18] = static_cast<char>(190);
  return to_bytes(image);
}

}  // namespace

TEST_CASE("disassemble: what ptxas says of kernels becomes a line for each") {
  const std::string log =
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'f' for 'sm_90'\n"
      "ptxas info    : Function properties for f\n"
      "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 14 registers, used 1 barriers, 256 bytes smem\n"
      "ptxas info    : Compiling entry function 'g' for 'sm_90'\n"
      "ptxas info    : Function properties for g\n"
      "ptxas         .     48 bytes stack frame, 8 bytes spill stores, 24 bytes spill loads\n"
      "ptxas info    : Used 255 registers, used 0 barriers, 48 bytes cumulative stack size\n";
  CHECK(uses_in(log) ==
        "f: 14 registers a thread, none spilled, 256 bytes of shared memory a block\n"
        "g: 255 registers a thread, 8 bytes spilled, 40 bytes of arrays, 0 bytes of shared memory a block\n");
  CHECK(uses_in("").empty());
}

TEST_CASE("disassemble: NVRTC gives a cubin, its PTX, and what the kernel uses") {
  const auto with = nvrtc();
  if (!with) return;
  const compiled_text made = with->compile_to_read(kernel_text);
  CHECK(to_text(made.image).starts_with("\177ELF"));
  CHECK(made.between.find(".target sm_90") != std::string::npos);
  CHECK(made.between.find(".entry sinter_kernel(") != std::string::npos);
  CHECK(made.between.find('\0') == std::string::npos);
  CHECK(made.uses.starts_with("sinter_kernel: "));
  CHECK(made.uses.ends_with(" registers a thread, none spilled, 1024 bytes of shared memory a block\n"));
  CHECK_THROWS_AS(with->compile_to_read("no kernel"), sinter::compile_error);
}

TEST_CASE("disassemble: a cubin is SASS where the toolkit's programs are, and a sentence where they are not") {
  const auto with = nvrtc();
  if (!with) return;
  const listing sass = disassemble(with->compile(kernel_text));
  if (toolkit_program({"nvdisasm", "cuobjdump"}).empty()) {
    MESSAGE("skipped in part: no nvdisasm or cuobjdump");
    CHECK(sass.text.empty());
    CHECK(sass.why_not.starts_with("neither nvdisasm nor cuobjdump"));
    return;
  }
  CAPTURE(sass.why_not);
  for (const char* part : {"sinter_kernel", "STS", "BAR.SYNC", "STG.E", "EXIT"})
    CHECK(sass.text.find(part) != std::string::npos);
}

TEST_CASE("disassemble: nvdisasm is looked for before cuobjdump, on PATH before the toolkit's folder") {
  const scratch room;
  const environment home("CUDA_HOME", (room / "toolkit").c_str()), path("PATH", (room / "path").c_str());
  write_program(room / "toolkit/bin/cuobjdump", "echo cuobjdump \"$@\"");
  CHECK(disassemble(like_a_cubin()).text == "cuobjdump -sass image\n");
  write_program(room / "toolkit/bin/nvdisasm", "echo nvdisasm \"$@\"");
  CHECK(disassemble(like_a_cubin()).text == "nvdisasm -c image\n");
  write_program(room / "path/cuobjdump", "echo cuobjdump of PATH");
  CHECK(disassemble(like_a_cubin()).text == "cuobjdump of PATH\n");
  write_program(room / "path/nvdisasm", "echo it does not know sm_90 >&2; exit 3");
  CHECK(disassemble(like_a_cubin()).text.empty());
  CHECK(disassemble(like_a_cubin()).why_not == room / "path/nvdisasm" + " failed: it does not know sm_90");
}

TEST_CASE("disassemble: a shared object is what objdump says, PTX is no image of instructions") {
  CHECK(disassemble(to_bytes("// PTX")).why_not.starts_with("the image is PTX"));
  const auto cpu = make_cpu_compiler(math_mode::standard);
  if (!cpu) return;
  const bytes image = cpu->compile("int answer(void) { return 42; }\n");
  {
    const environment nowhere("PATH", "/nowhere");
    CHECK(disassemble(image).why_not == "objdump, which binutils has, was not found on PATH");
  }
  if (program_on_path("objdump").empty()) {
    MESSAGE("skipped in part: no objdump");
    return;
  }
  CHECK(disassemble(image).text.find("<answer>:") != std::string::npos);
}

TEST_CASE("disassemble: a listing is led by what the kernels use, and a missing one by why") {
  CHECK(with_head("f: 2 registers\ng: 3 registers\n", {"MOV\n"}) == "// f: 2 registers\n// g: 3 registers\nMOV\n");
  CHECK(with_head("", {"", "no tool"}) == "// no instructions: no tool\n");
}
