// From text to image: what is asked for twice is compiled once, whatever the process, and a dump changes nothing but a
// folder.
#include "codegen/cache/images.hpp"

#include <dlfcn.h>
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <sinter/error.hpp>

#include "codegen/cache/entry.hpp"
#include "test/codegen/scratch.hpp"

namespace fs = std::filesystem;
using namespace sinter::codegen;
using namespace sinter::test;

namespace {

constexpr std::uint64_t roomy = 64 << 20;

// Counts, and compiles every source but "bad" to its own text behind `start`.
class fake_compiler final : public compiler {
 public:
  fake_compiler(std::string identity, const char* extension, std::string start = "\177ELF")
      : identity_(std::move(identity)), extension_(extension), start_(std::move(start)) {}

  const std::string& identity() const override { return identity_; }
  const char* extension() const override { return extension_; }
  bytes compile(std::string_view source) const override {
    ++compiled;
    if (source == "bad") throw sinter::compile_error("no");
    return to_bytes(start_ + std::string(source));
  }

  mutable int compiled = 0;

 private:
  std::string identity_;
  const char* extension_;
  std::string start_;
};

std::string stem(const compiler& with, std::string_view source) {
  return entry_key(with.identity(), source).substr(0, 16);
}

}  // namespace

TEST_CASE("images: compiled once, then from the disk, told apart by identity and source") {
  const scratch room;
  disk_cache cache(room / "cache", roomy);
  const fake_compiler one("one", "cu"), two("two", "cu");
  image_origin from = image_origin::disk;
  CHECK(to_text(*image_for(cache, one, "a", &from)) == "\177ELFa");
  CHECK(from == image_origin::compiled);
  CHECK(to_text(*image_for(cache, one, "a", &from)) == "\177ELFa");
  CHECK(from == image_origin::disk);
  CHECK(one.compiled == 1);
  CHECK(to_text(*image_for(cache, one, "b", &from)) == "\177ELFb");
  CHECK(from == image_origin::compiled);
  image_for(cache, two, "a", &from);
  CHECK(from == image_origin::compiled);
  CHECK(one.compiled == 2);
  CHECK(two.compiled == 1);
}

TEST_CASE("images: the process's own cache serves the next process") {
  const scratch room;
  const auto origin_in_child = [&] {
    return in_child([&] {
      ::setenv("SINTER_CACHE_DIR", (room / "cache").c_str(), 1);
      image_origin from;
      const auto image = image_for(fake_compiler("identity", "c"), "source", &from);
      if (to_text(*image) != "\177ELFsource") return 9;
      return from == image_origin::compiled ? 1 : 2;
    });
  };
  CHECK(origin_in_child().exit_code == 1);
  CHECK(origin_in_child().exit_code == 2);
}

TEST_CASE("images 6.5: without a disk cache everything is compiled") {
  disk_cache none("", roomy);
  const fake_compiler with("identity", "c");
  image_origin from = image_origin::disk;
  image_for(none, with, "a", &from);
  image_for(none, with, "a");
  CHECK(from == image_origin::compiled);
  CHECK(with.compiled == 2);
}

TEST_CASE("images: a failed compilation is reported again, not kept") {
  const scratch room;
  disk_cache cache(room / "cache", roomy);
  const fake_compiler with("identity", "c");
  CHECK_THROWS_AS(image_for(cache, with, "bad"), sinter::compile_error);
  CHECK_THROWS_AS(image_for(cache, with, "bad"), sinter::compile_error);
  CHECK(with.compiled == 2);
}

TEST_CASE("images 6.4, 6.7: SINTER_DUMP writes source and image, compiled or not, and the source of a failure") {
  const scratch room;
  disk_cache cache(room / "cache", roomy);
  const fake_compiler cuda("identity", "cu"), newer("newer", "cu", "// PTX "), cpu("identity", "c");
  image_for(cache, cuda, "kernel");  // before the dump is asked for: the next time is a hit
  const environment dump("SINTER_DUMP", (room / "made/here").c_str());
  image_for(cache, cuda, "kernel");
  image_for(cache, newer, "kernel");
  image_for(cache, cpu, "other");
  CHECK_THROWS_AS(image_for(cache, cpu, "bad"), sinter::compile_error);
  const auto dumped = [&](const compiler& with, std::string_view source, const char* ending) {
    return read_text(room / ("made/here/" + stem(with, source) + ending));
  };
  CHECK(dumped(cuda, "kernel", ".cu") == "kernel");
  CHECK(dumped(cuda, "kernel", ".cubin") == "\177ELFkernel");
  CHECK(dumped(newer, "kernel", ".ptx") == "// PTX kernel");
  CHECK(dumped(cpu, "other", ".c") == "other");
  CHECK(dumped(cpu, "other", ".so") == "\177ELFother");
  CHECK(dumped(cpu, "bad", ".c") == "bad");
  std::size_t count = 0;
  for (const auto& item : fs::directory_iterator(room / "made/here")) {
    struct stat status;
    REQUIRE(::stat(item.path().c_str(), &status) == 0);
    CHECK((status.st_mode & 0111) == 0);
    ++count;
  }
  CHECK(count == 7);
  CHECK(cuda.compiled == 1);
}

namespace {

/// Says of a text what NVRTC would.
class readable_compiler final : public compiler {
 public:
  const std::string& identity() const override { return identity_; }
  const char* extension() const override { return "cu"; }
  bytes compile(std::string_view source) const override { return to_bytes("\177ELF" + std::string(source)); }
  compiled_text compile_to_read(std::string_view source) const override {
    return {compile(source), "ptx of " + std::string(source), "f: 14 registers a thread\n"};
  }

 private:
  std::string identity_ = "readable";
};

}  // namespace

TEST_CASE("images: SINTER_DUMP_ALSO writes PTX and machine code beside the image, also of one that the cache had") {
  const scratch room;
  disk_cache cache(room / "cache", roomy);
  const readable_compiler cuda;
  image_for(cache, cuda, "kernel");
  const environment dump("SINTER_DUMP", (room / "made").c_str()), also("SINTER_DUMP_ALSO", "ptx,sass,assembly");
  image_for(cache, cuda, "kernel");
  const std::string beside = room / ("made/" + stem(cuda, "kernel"));
  CHECK(read_text(beside + ".ptx") == "ptx of kernel");
  CHECK(read_text(beside + ".sass")
            .starts_with("// f: 14 registers a thread\n// no instructions: "));  // this is no cubin
  CHECK(!fs::exists(beside + ".s"));
  const auto cpu = make_cpu_compiler(math_mode::standard);
  if (!cpu) return;
  image_for(cache, *cpu, "int answer(void) { return 42; }\n");
  const std::string assembly = read_text(room / ("made/" + stem(*cpu, "int answer(void) { return 42; }\n") + ".s"));
  CHECK((assembly.find("<answer>:") != std::string::npos || assembly.starts_with("// no instructions: objdump")));
}

TEST_CASE("images: a word of SINTER_DUMP_ALSO that means nothing is one warning") {
  const scratch room;
  const child_report report = in_child([&] {
    ::setenv("SINTER_DUMP", room.path().c_str(), 1);
    ::setenv("SINTER_DUMP_ALSO", "ptx,llvm", 1);
    disk_cache none("", roomy);
    const readable_compiler with;
    image_for(none, with, "a");
    return to_text(*image_for(none, with, "b")) == "\177ELFb" ? 0 : 1;
  });
  CHECK(report.exit_code == 0);
  CHECK(report.lines() == 1);
  CHECK(report.errors.find("SINTER_DUMP_ALSO: \"llvm\" is none of ptx, sass and assembly") != std::string::npos);
}

TEST_CASE("images: a dump that cannot be written is one warning") {
  const scratch room;
  write_text(room / "file", "");
  const child_report report = in_child([&] {
    ::setenv("SINTER_DUMP", (room / "file/below").c_str(), 1);
    disk_cache none("", roomy);
    const fake_compiler with("identity", "c");
    return to_text(*image_for(none, with, "a")) == "\177ELFa" && to_text(*image_for(none, with, "b")) == "\177ELFb" ? 0
                                                                                                                    : 1;
  });
  CHECK(report.exit_code == 0);
  CHECK(report.lines() == 1);
  CHECK(report.errors.find("SINTER_DUMP") != std::string::npos);
}

TEST_CASE("images: a CPU kernel from the disk runs like the one just compiled") {
  const auto with = make_cpu_compiler(math_mode::standard);
  if (!with) {
    MESSAGE("skipped: no C compiler");
    return;
  }
  const scratch room;
  for (const image_origin expected : {image_origin::compiled, image_origin::disk}) {
    disk_cache cache(room / "cache", roomy);
    image_origin from;
    const auto image = image_for(cache, *with, "int twice(int x) { return 2 * x; }\n", &from);
    CHECK(from == expected);
    write_text(room / "kernel.so", to_text(*image));
    void* library = ::dlopen((room / "kernel.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    REQUIRE(library);
    CHECK(reinterpret_cast<int (*)(int)>(::dlsym(library, "twice"))(21) == 42);
    ::dlclose(library);
  }
}
