// Modules of a program's own, without a GPU: names of templates, headers and options, the disk, and what is said of names that
// are not there.
#include "codegen/compile/module.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include <sinter/error.hpp>

#include "codegen/cache/images.hpp"
#include "test/codegen/scratch.hpp"

namespace {

using namespace sinter::codegen;
using namespace sinter::test;

/// NVRTC for a module; null where it is not installed.
std::unique_ptr<compiler> nvrtc(const module_text& text, int arch = 90) {
  try {
    return make_module_compiler(text, arch);
  } catch (const sinter::device_error& missing) {
    MESSAGE("skipped: " << missing.what());
    return nullptr;
  }
}

template <class Error>
std::string complaint(const module_text& text) {
  try {
    make_module_compiler(text, 90)->compile(text.source);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

const char source[] = R"(#include "unit.hpp"
template <class T, int n> __global__ void scale(T* a) { a[threadIdx.x] *= n * UNIT; }
namespace ns {
__constant__ float weights[4];
__global__ void __launch_bounds__(64) fill(float* a) { a[threadIdx.x] = weights[threadIdx.x % 4]; }
}
extern "C" __global__ void clear(float* a) { a[threadIdx.x] = 0; }
/* __global__ void never(); */
)";
const std::vector<text_header> unit = {{"unit.hpp", "#define UNIT 1\n"}};

}  // namespace

TEST_CASE("modules: names of templates, of variables, in namespaces and of extern C, for several architectures") {
  const module_text text{source, {}, unit, {"&ns::weights", "clear", "ns::fill", "scale<float, 3>"}};
  for (int arch : {80, 90, 100}) {
    const auto with = nvrtc(text, arch);
    if (!with) return;
    const bytes image = with->compile(text.source);
    CHECK(lowered_names(image) ==
          std::vector<std::string>{"_ZN2ns7weightsE", "clear", "_ZN2ns4fillEPf", "_Z5scaleIfLi3EEvPT_"});
    CHECK(kernels_in_image(image).size() == std::string("clear, _ZN2ns4fillEPf, _Z5scaleIfLi3EEvPT_").size());
    CHECK(has(kernels_in_image(image), "_Z5scaleIfLi3EEvPT_"));
  }
}

TEST_CASE("modules: the kernels in a text and in PTX") {
  CHECK(kernels_in_text({source, {}, {{"more.hpp", "__global__ void more() {}"}}, {}}) ==
        "scale<...>, ns::fill, clear, more");
  CHECK(kernels_in_text({"namespace a { } \"__global__ void no(\" // __global__ x(\nvoid f() {}", {}, {}, {}}) == "");
  const std::string ptx = "//\n.version 8.0\n.visible .entry one(\n.param .u64 p)\n{ ret; }\n.entry two() { ret; }\n";
  const auto* const from = reinterpret_cast<const std::byte*>(ptx.data());
  CHECK(kernels_in_image(bytes(from, from + ptx.size())) == "one, two");
  CHECK(kernels_in_image({}) == "");
  CHECK(kernels_in_image(bytes(64, std::byte{0x7f})) == "");
}

TEST_CASE("modules: a wrong name is told from a wrong text") {
  if (!nvrtc({source, {}, unit, {}})) return;
  const std::string name = complaint<sinter::error>({source, {}, unit, {"clear", "scal<float, 3>"}});
  CHECK(has(name, "sinter: the module has no kernel \"scal<float, 3>\""));
  CHECK(has(name, "its text has scale<...>, ns::fill, clear"));
  CHECK(has(complaint<sinter::error>({source, {}, unit, {"scale<flot, 3>"}}), "\"flot\" is undefined"));
  CHECK(has(complaint<sinter::error>({source, {}, unit, {"&weights"}}),
            "sinter: the module has no variable \"weights\""));
  const std::string text = complaint<sinter::compile_error>({source, {}, {}, {"clear"}});
  CHECK(has(text, "did not compile the kernel \"clear\": "));
  CHECK(has(text, "unit.hpp"));
}

TEST_CASE("modules: options of the text's own come before Sinter's") {
  const module_text modern{"template <class T> requires true __global__ void f(T* a) { *a = N; }\n",
                           {"-std=c++20", "-DN=3", "--gpu-architecture=compute_80"},
                           {},
                           {"f<int>"}};
  const auto with = nvrtc(modern);
  if (!with) return;
  const std::string image = to_text(with->compile(modern.source));
  CHECK(has(image, ".target sm_80"));
  CHECK(!has(with->identity(), "c++17"));
}

TEST_CASE("modules: whatever an image depends on is part of its identity") {
  const module_text plain{"__global__ void f(int* a) {}", {"-DA"}, {{"a", "b"}}, {"f"}};
  if (!nvrtc(plain)) return;
  std::vector<std::string> all;
  const auto add = [&](auto change, int arch = 90) {
    module_text text = plain;
    change(text);
    all.push_back(nvrtc(text, arch)->identity());
  };
  add([](module_text&) {});
  add([](module_text&) {}, 80);
  add([](module_text& t) { t.options[0] = "-DB"; });
  add([](module_text& t) { t.options = {}; });
  add([](module_text& t) { t.headers[0].text = "c"; });
  add([](module_text& t) { t.headers[0].name = "c"; });
  add([](module_text& t) { t.headers = {}; });
  add([](module_text& t) { t.names = {"g"}; });
  add([](module_text& t) { t.names = {"f", "g"}; });
  std::sort(all.begin(), all.end());
  CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
}

TEST_CASE("modules: images are kept on disk with their names, but not those of files that may change") {
  scratch room;
  disk_cache cache(room / "cache", 1 << 24);
  const module_text text{source, {}, unit, {"clear", "scale<float, 3>"}};
  const auto with = nvrtc(text);
  if (!with) return;
  image_origin from{};
  const auto first = image_for(cache, *with, text.source, &from);
  CHECK(from == image_origin::compiled);
  const auto again = image_for(cache, *nvrtc(text), text.source, &from);
  CHECK(from == image_origin::disk);
  CHECK(lowered_names(*again) == lowered_names(*first));

  CHECK(!includes_files(text));
  CHECK(includes_files({source, {}, {}, {}}));
  CHECK(includes_files({source, {}, {{"unit.hpp", "#include <cuda_fp16.h>\n"}}, {}}));
  CHECK(includes_files({"  #  include NAME\n", {}, {}, {}}));
  CHECK(includes_files({"", {"-include=a.h"}, {}, {}}));
  CHECK(!includes_files({"int include = 1; // include \"this\"\n", {"-I."}, {}, {}}));
}
