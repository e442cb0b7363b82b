// Images through other people's disassemblers. Invariant: a missing or failing tool is a sentence, never an exception.
#include "codegen/compile/disassemble.hpp"

#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "codegen/compile/file.hpp"
#include "codegen/compile/process.hpp"
#include "codegen/compile/scratch.hpp"
#include "codegen/compile/toolkit.hpp"

namespace sinter::codegen {
namespace {

constexpr Elf64_Half nvidia_machine = 190;  // EM_CUDA, which older elf.h lack

constexpr std::chrono::seconds limit{60};  // nvdisasm takes a second for the largest kernels

std::vector<std::string> environment() {
  std::vector<std::string> all{"LC_ALL=C"};
  for (char** variable = environ; variable && *variable; ++variable)
    if (std::strncmp(*variable, "LC_ALL=", 7) != 0) all.emplace_back(*variable);
  return all;
}

// What the program says of the file `image` in a folder of its own.
listing run_on(const bytes& image, const std::string& program, std::vector<std::string> arguments) {
  for (const std::string& place : scratch_places()) {
    const scratch_folder folder(place);
    const std::string_view contents{reinterpret_cast<const char*>(image.data()), image.size()};
    if (folder.path().empty() || !folder.write("image", contents)) continue;
    arguments.emplace_back("image");
    const process_result result = run_process({program, arguments, environment(), folder.path(), "log", limit});
    const bytes said = read_file(folder.file("log").c_str());
    std::string text(reinterpret_cast<const char*>(said.data()), said.size());
    if (result.end == process_end::timed_out)
      return {"", program + " was stopped after " + std::to_string(limit.count()) + " s"};
    const bool good = result.end == process_end::unknown || (result.end == process_end::exited && result.code == 0);
    if (good && !text.empty()) return {text};
    return {"", program + " failed: " + text.substr(0, text.find('\n'))};
  }
  return {"", "there is no temporary folder for " + program + " to work in"};
}

listing sass_of(const bytes& image) {
  // nvdisasm first: what it writes has labels, and no encodings between the lines.
  const std::string program = toolkit_program({"nvdisasm", "cuobjdump"});
  if (program.empty())
    return {"",
            "neither nvdisasm nor cuobjdump, which the CUDA toolkit has, was found on PATH, or in bin below CUDA_HOME, "
            "CUDA_PATH or "
            "/usr/local/cuda"};
  return run_on(image, program, {program.ends_with("nvdisasm") ? "-c" : "-sass"});
}

listing assembly_of(const bytes& image) {
  const std::string program = program_on_path("objdump");
  if (program.empty()) return {"", "objdump, which binutils has, was not found on PATH"};
  return run_on(image, program, {"-d", "--no-show-raw-insn"});
}

}  // namespace

listing disassemble(const bytes& image) try {
  Elf64_Ehdr head;
  if (image.size() < sizeof head || std::memcmp(image.data(), ELFMAG, SELFMAG) != 0)
    return {"", "the image is PTX, which the driver compiles: this NVRTC does not know the GPU yet"};
  std::memcpy(&head, image.data(), sizeof head);
  return head.e_machine == nvidia_machine ? sass_of(image) : assembly_of(image);
} catch (const error& e) {
  return {"", e.what()};
}

std::string with_head(const std::string& uses, const listing& instructions) {
  std::string all;
  const auto comment = [&](const std::string& lines) {
    for (std::size_t at = 0, end = 0; at < lines.size(); at = end + 1) {
      end = std::min(lines.find('\n', at), lines.size());
      all += "// " + lines.substr(at, end - at) + "\n";
    }
  };
  comment(uses);
  if (instructions.why_not.empty()) return all + instructions.text;
  comment("no instructions: " + instructions.why_not);
  return all;
}

}  // namespace sinter::codegen
