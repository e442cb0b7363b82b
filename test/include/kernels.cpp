// Kernels of the program's own. On a GPU they run; elsewhere their launch says why it does not. Compiling needs no GPU, so what
// is said of texts that do not compile is in test/codegen/compile/module.cpp.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <fstream>
#include <numeric>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <sinter/kernel.hpp>

#include "codegen/compile/module.hpp"
#include "test/codegen/scratch.hpp"
#include "test/include/ordering.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;

constexpr std::int64_t n = 1000;
constexpr std::int64_t blocks_of(std::int64_t count, std::int64_t threads = 128) {
  return (count + threads - 1) / threads;
}

/// Where a device runs no CUDA text, one line says so.
bool runs_cuda() { return device::current().type() == device::kind::cuda; }

const char axpy_text[] = R"(
extern "C" __global__ void axpy(float* y, const float* x, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
)";

}  // namespace

TEST_CASE("kernels: a device that runs no CUDA text says so, and compiles nothing") {
  if (runs_cuda()) return;
  const raw_kernel axpy("this is no C++", "axpy");
  array<float> y = zeros<float>({n});
  const std::string said = refusal<device_error>([&] { axpy(1, 32, y, 1.0f); });
  CHECK(said.find("sinter: a kernel of CUDA text cannot run on the device " + name_of(device::current())) == 0);
  CHECK(!refusal<device_error>([&] { axpy.attributes(); }).empty());
}

TEST_CASE("kernels: arrays, numbers and structs are passed as they are") {
  if (!runs_cuda()) return;
  const raw_kernel axpy(axpy_text, "axpy");
  array<float> y = ones<float>({n});
  const array<float> x = arange<float>(n);
  axpy(blocks_of(n), 128, y, x, 2.0f, static_cast<int>(n));
  CHECK(bool(all(y == 2.0f * x + 1)));
  // An expression is evaluated; a temporary lives as long as the device needs it.
  axpy({blocks_of(n)}, {128}, y, x * 0 + 1, 1.0f, static_cast<int>(n));
  CHECK(bool(all(y == 2.0f * x + 2)));

  struct pair {
    double a;
    std::int8_t b;
  };
  const raw_kernel mixed(R"(
struct pair { double a; signed char b; };
__global__ void mixed(double* out, bool flag, short small, pair p, const double* scalar, float f) {
  out[threadIdx.x + blockDim.x * threadIdx.y] = flag ? small + p.a + p.b + *scalar + f : -1.0;
}
)",
                         "mixed");
  array<double> out = zeros({8});
  mixed({1, 1, 1}, {4, 2}, out, true, std::int16_t{3}, pair{0.5, -1}, sum(ones({4})), 0.25f);
  CHECK(out.get() == std::vector<double>(8, 3 + 0.5 - 1 + 4 + 0.25));
}

TEST_CASE("kernels: a wrong number or size of arguments is found before anything runs") {
  if (!runs_cuda()) return;
  const raw_kernel axpy(axpy_text, "axpy");
  array<float> y = ones<float>({n});
  const array<float> x = y;
  const std::string wide = refusal<dtype_error>([&] { axpy(1, 32, y, x, 2.0, n); });
  if (wide.empty()) return;  // a driver that does not tell
  CHECK(wide.find("sinter: the kernel \"axpy\" takes 4 arguments of 8, 8, 4, 4 bytes, and was given "
                  "4 arguments of 8, 8, 8, 8 bytes") == 0);
  CHECK(wide.find("kernels.cpp:") != std::string::npos);
  CHECK(!refusal<dtype_error>([&] { axpy(1, 32, y, x, 2.0f); }).empty());
  CHECK(y.get() == std::vector<float>(n, 1));
}

TEST_CASE("kernels: what is written is the array's own, what is const is only read") {
  if (!runs_cuda()) return;
  const raw_kernel fill(R"(
extern "C" __global__ void fill(double* a, double value) { a[threadIdx.x] = value; })",
                        "fill");
  const raw_kernel copy(R"(
extern "C" __global__ void copy(double* to, const double* from) { to[threadIdx.x] = from[threadIdx.x]; })",
                        "copy");
  array<double> a = zeros({8});
  const array<double> before = a;
  const auto e = a + 1;
  fill(1, 8, a, 7.0);
  CHECK(holds(a, 7));
  CHECK(holds(before, 0));
  CHECK(holds(e, 1));
  const void* const place = place_of(a);
  array<double> b = a;
  CHECK(moved_by([&] { copy(1, 8, std::as_const(a), std::as_const(a)); }).bytes_copied == 0);
  CHECK(place_of(a) == place);
  // The same array to write and to read is one.
  copy(1, 8, b, std::as_const(b));
  CHECK(place_of(b) != place);
  CHECK(holds(b, 7));
  // A view of a row is read where it lies; what is written is a row of its own.
  array<double> table = arange<double>(24).reshape({3, 8}) + 0.0;
  array<double> row = table(1);
  copy(1, 8, a, array(table(2)));
  CHECK(a.get() == std::vector<double>{16, 17, 18, 19, 20, 21, 22, 23});
  fill(1, 8, row, -1.0);
  CHECK(holds(row, -1));
  CHECK(table(1, 0).item() == 8);
}

TEST_CASE("kernels: templates, namespaces and plain names without extern C") {
  if (!runs_cuda()) return;
  const raw_module m(R"(
template <class T, int by> __global__ void scale(T* a) { a[threadIdx.x] *= by; }
namespace deep { namespace er { __global__ void negate(int* a) { a[threadIdx.x] = -a[threadIdx.x]; } } }
__global__ void increment(int* a) { ++a[threadIdx.x]; }
)",
                     {.names = {"scale<short, 5>"}});
  const raw_kernel scale_int = m.kernel("scale<int, 3>"), scale_double = m.kernel("scale<double, 2>");
  const raw_kernel negate = m.kernel(std::string("deep::er::negate")), increment = m.kernel("increment");
  array<int> a = ones<int>({4});
  scale_int(1, 4, a);
  negate(1, 4, a);
  increment(1, 4, a);
  CHECK(a.get() == std::vector<int>(4, -2));
  array<double> d = ones({4});
  scale_double(1, 4, d);
  CHECK(holds(d, 2));
  array<std::int16_t> s = ones<std::int16_t>({4});
  m.kernel("scale<short, 5>")(1, 4, s);  // listed, so it is there after the first call
  CHECK(s.get() == std::vector<std::int16_t>(4, 5));
  CHECK(refusal([&] { m.kernel("scale<float, 2>"); }) ==
        "sinter: \"scale<float, 2>\" was not compiled with its module: ask for it before the first call, or list it in "
        ".names");
}

TEST_CASE("kernels: a wrong name says which there are") {
  if (!runs_cuda()) return;
  const char text[] = R"(
// __global__ void not_this(int*);
template <class T> __global__ void __launch_bounds__(64) scale(T* a, T by) { a[threadIdx.x] *= by; }
namespace ns { extern "C" __global__ void fill(int* a) { *a = 1; } }
extern "C" __global__ void clear(int* a) { *a = 0; }
)";
  array<int> a = ones<int>({4});
  const std::string said = refusal([&] { raw_kernel(text, "scal<float>")(1, 1, a); });
  CHECK(said.find("sinter: the module has no kernel \"scal<float>\"") == 0);
  CHECK(said.find("its text has scale<...>, ns::fill, clear") != std::string::npos);
  const raw_module m(text);
  m.kernel("clear")(1, 1, a);
  CHECK(a(0).item() == 0);
  const std::string late = refusal([&] { m.kernel("cleer")(1, 1, a); });
  CHECK(late == "sinter: the module has no kernel \"cleer\"; it has scale<...>, ns::fill, clear");
}

TEST_CASE("kernels: a text that does not compile is a compile_error with all that was said") {
  if (!runs_cuda()) return;
  const raw_kernel wrong("extern \"C\" __global__ void f(int* a) {\n  *a = missing;\n}\n", "f");
  array<int> a = ones<int>({1});
  try {
    wrong(1, 1, a);
    FAIL("it compiled");
  } catch (const compile_error& e) {
    CHECK(std::string(e.what()).find("the kernel \"f\"") != std::string::npos);
    CHECK(std::string(e.log()).find("missing") != std::string::npos);
    CHECK(std::string(e.source()).find("*a = missing;") != std::string::npos);
  }
  CHECK_THROWS_AS(wrong(1, 1, a), compile_error);
}

TEST_CASE("kernels: options and headers") {
  if (!runs_cuda()) return;
  const std::string text =
      "#include \"mine/value.hpp\"\nextern \"C\" __global__ void f(int* a) { *a = VALUE + value(); }\n";
  array<int> a = zeros<int>({1});
  for (int v : {1, 2}) {
    const raw_kernel f(text, "f",
                       {.options = {"-DVALUE=" + std::to_string(v)},
                        .headers = {{"mine/value.hpp", "__device__ inline int value() { return 40; }\n"}}});
    f(1, 1, a);
    CHECK(a(0).item() == 40 + v);
  }
}

TEST_CASE("kernels: a text is compiled once, and the same text again is the same module") {
  if (!runs_cuda()) return;
  const std::string text = "extern \"C\" __global__ void once(int* a) { *a += 1; }  // " + std::to_string(n);
  array<int> a = zeros<int>({1});
  const counters_snapshot before = counters();
  for (int i = 0; i < 3; ++i) raw_kernel(text, "once")(1, 1, a);
  const counters_snapshot after = counters();
  CHECK(after.compiles - before.compiles + after.disk_hits - before.disk_hits == 1);
  CHECK(after.launches - before.launches == 3);
  CHECK(a(0).item() == 3);
}

TEST_CASE("kernels: another process takes a compiled text from the disk") {
  if (!runs_cuda()) return;
  array<float> y = ones<float>({n});
  raw_kernel(axpy_text, "axpy")(blocks_of(n), 128, y, y, 1.0f, static_cast<int>(n));
  const rerun child("process with a kernel on the disk: its text is not compiled");
  INFO(child.output);
  CHECK(child.ok);
}
TEST_CASE("process with a kernel on the disk: its text is not compiled" * doctest::skip()) {
  array<float> y = ones<float>({n});
  const counters_snapshot moved =
      moved_by([&] { raw_kernel(axpy_text, "axpy")(blocks_of(n), 128, y, y, 1.0f, static_cast<int>(n)); });
  CHECK(moved.compiles == 0);
  CHECK(moved.disk_hits == 1);
  CHECK(y(0).item() == 2);
}

TEST_CASE("kernels: shared memory, barriers and dynamic shared memory beyond 48 KiB") {
  if (!runs_cuda()) return;
  const raw_kernel reverse(R"(
extern "C" __global__ void reverse(float* a, int n) {
  __shared__ float fixed[64];
  extern __shared__ __align__(16) float tile[];
  const int i = threadIdx.x;
  fixed[i] = a[blockIdx.x * blockDim.x + i];
  tile[n - 1 - i] = fixed[i];
  __syncthreads();
  a[blockIdx.x * blockDim.x + i] = i % 2 ? tile[n - blockDim.x + i] : fixed[blockDim.x - 1 - i];
}
)",
                           "reverse");
  array<float> a = arange<float>(128);
  const int large = 20'000;  // floats: 80 kB
  reverse({.grid = 2, .block = 64, .shared_bytes = 4 * large}, a, large);
  reverse({.grid = 2, .block = 64, .shared_bytes = 256}, a, 64);
  CHECK(bool(all(a == arange<float>(128))));
  reverse({.grid = 1, .block = 64, .shared_bytes = 256}, a, 64);
  CHECK(a(0).item() == 63);

  const kernel_attributes facts = reverse.attributes();
  CHECK(facts.shared_bytes >= 256);
  CHECK(facts.max_threads >= 64);
  CHECK(facts.registers > 0);
  CHECK(facts.max_dynamic_shared_bytes > 48 * 1024);
  const std::size_t most = facts.max_dynamic_shared_bytes;
  const std::string said =
      refusal<device_error>([&] { reverse({.grid = 1, .block = 64, .shared_bytes = most + 1}, a, 64); });
  CHECK(said.find("sinter: " + std::to_string(most + 1) +
                  " bytes of dynamic shared memory for the kernel \"reverse\"") == 0);
  CHECK(said.find(std::to_string(most) + " at most") != std::string::npos);
}

TEST_CASE("kernels: too many threads or blocks say how many there may be; no blocks are nothing to do") {
  if (!runs_cuda()) return;
  const raw_kernel bounded("extern \"C\" __global__ void __launch_bounds__(64) bounded(int* a) { *a += 1; }",
                           "bounded");
  array<int> a = zeros<int>({1});
  const std::string bound = refusal<device_error>([&] { bounded(1, {16, 8}, a); });
  CHECK(bound.find("sinter: a block of 16x8x1 = 128 threads for the kernel \"bounded\"") == 0);
  CHECK(bound.find("64 at most") != std::string::npos);
  CHECK(refusal<device_error>([&] { bounded(1, 2048, a); }).find("1 to 1024 x 1024 x 64") != std::string::npos);
  CHECK(refusal<device_error>([&] { bounded(1, 0, a); }).find("a block of 0x1x1 threads") != std::string::npos);
  CHECK(refusal<device_error>([&] { bounded(-1, 1, a); }).find("a grid of -1x1x1 blocks") != std::string::npos);
  CHECK(!refusal<device_error>([&] { bounded({1, 70000}, 1, a); }).empty());
  bounded(0, 64, a);
  bounded({1, 0}, 64, a);
  CHECK(a(0).item() == 0);
}

TEST_CASE("kernels: launches are in order with what other streams do to the arrays") {
  if (!runs_cuda()) return;
  const raw_kernel add(R"(
extern "C" __global__ void add(double* to, const double* from, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] += from[i];
}
)",
                       "add");
  rehearsed([&] {
    const stream s1, s2, s3;
    array<double> a = on(s1, [] { return slowly(zeros({n})); });
    array<double> b = on(s2, [] { return slowly(ones({n})); });
    on(s3, [&] { add(blocks_of(n), 128, b, std::as_const(a), static_cast<int>(n)); });
    const array<double> c = on(s1, [&] { return array<double>(b + 1); });
    on(s2, [&] { a(ellipsis) = -1.0; });
    CHECK(holds(b, 17));
    CHECK(holds(c, 18));
    CHECK(holds(a, -1));
  });
}

TEST_CASE("kernels: a launch can be captured, also the first") {
  if (!runs_cuda()) return;
  const std::string text = "extern \"C\" __global__ void twice(double* a) { a[threadIdx.x] *= 2; }  // captured\n";
  array<double> a = ones({8});
  const raw_kernel twice(text, "twice");
  const graph g = capture([&] {
    twice(1, 8, a);
    twice(1, 8, a);
  });
  CHECK(holds(a, 1));
  g.launch();
  g.launch();
  CHECK(holds(a, 16));
}

namespace {

const char scaling_text[] = R"(
struct setting { float scale; int offset; };
__constant__ float weights[4];
__device__ int calls;
namespace ns { __constant__ setting how; }
extern "C" __global__ void apply(float* a) {
  const int i = threadIdx.x;
  a[i] = a[i] * weights[i % 4] * ns::how.scale + ns::how.offset;
  if (i == 0) ++calls;
}
)";

struct setting {
  float scale;
  int offset;
};

/// A kernel that reads two variables and writes a third, and those.
struct scaling_module : raw_module {
  scaling_module() : raw_module(scaling_text) {}

  const raw_kernel apply = kernel("apply");
  const module_variable<float> weights = global<float>("weights");
  const module_variable<int> calls = global<int>("calls");
  const module_variable<setting> how = global<setting>("ns::how");
};

}  // namespace

TEST_CASE("kernels: variables are set and got, also those that a kernel writes") {
  if (!runs_cuda()) return;
  const scaling_module m;
  m.weights.set({1, 2, 3, 4});
  m.calls.set(0);
  m.how.set(setting{10, 1});
  CHECK(m.weights.size() == 4);
  CHECK(m.weights.get().get() == std::vector<float>{1, 2, 3, 4});
  array<float> a = ones<float>({8});
  m.apply(1, 8, a);
  CHECK(a.get() == std::vector<float>{11, 21, 31, 41, 11, 21, 31, 41});
  m.weights.set(m.weights.get() * 0);
  m.how.set(setting{1, 5});
  m.apply(1, 8, a);
  CHECK(a.get() == std::vector<float>(8, 5));
  CHECK(m.calls.item() == 2);
  CHECK(m.how.item().offset == 5);
  m.weights.set(std::vector<float>{2, 2, 2, 2});
  m.apply(1, 8, a);
  CHECK(a.get() == std::vector<float>(8, 15));
  CHECK(refusal<shape_error>([&] {
          m.weights.set({1, 2});
        }) == "sinter: 8 bytes for the variable \"weights\", which has 16");
  CHECK(refusal([&] { m.global<int>("nothing").get(); }) == "sinter: the module has no variable \"nothing\"");
}

TEST_CASE("kernels: variables are set in order with the kernels that read them, on every stream") {
  if (!runs_cuda()) return;
  const scaling_module m;
  rehearsed([&] {
    const stream s1, s2;
    array<float> x = on(s1, [] { return array<float>(astype<float>(slowly(zeros({8})))); });
    on(s1, [&] {
      m.weights.set({1, 1, 1, 1});
      m.how.set(setting{1, 0});
      m.apply(1, 8, x);
    });
    on(s2, [&] { m.weights.set({0, 0, 0, 0}); });  // not before the kernel has read them
    array<float> y = on(s2, [&] {
      array<float> fresh = ones<float>({8});
      m.apply(1, 8, fresh);
      return fresh;
    });
    CHECK(x.get() == std::vector<float>(8, 8));
    CHECK(y.get() == std::vector<float>(8, 0));
  });
}

TEST_CASE("kernels: an image from memory and from a file has the names it has") {
  if (!runs_cuda()) return;
  const codegen::module_text text{
      "template <class T> __global__ void put(T* a, T v) { *a = v; }\n__device__ int shared_by_all;\n",
      {},
      {},
      {"&shared_by_all", "put<int>"}};
  const int arch = properties(device::current()).compute_capability;
  const codegen::bytes image = codegen::make_module_compiler(text, arch)->compile(text.source);
  const std::vector<std::string> names = codegen::lowered_names(image);
  const test::scratch room;
  const std::string path = room / "image.cubin";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(image.data()), static_cast<std::streamsize>(image.size()));
  array<int> a = zeros<int>({1});
  int value = 0;
  for (const raw_module& m : {raw_module::from_image(image.data(), image.size()), raw_module::load(path)}) {
    m.kernel(names[1])(1, 1, a, ++value);
    CHECK(a(0).item() == value);
    m.global<int>(names[0]).set(value);
    CHECK(m.global<int>(names[0]).item() == value);
    CHECK(refusal([&] { m.kernel("put")(1, 1, a, 1); }).find("sinter: the module has no kernel \"put\"") == 0);
  }
  CHECK(!refusal<io_error>([] { raw_module::load("/nowhere/at/all.cubin"); }).empty());
  CHECK(refusal<io_error>([] { raw_module::load("/"); }) == "sinter: raw_module::load: /: Is a directory");
  CHECK(!refusal<device_error>([&] {
           raw_module::from_image(std::string(100, 'x').data(), 100).kernel("f")(1, 1, a);
         }).empty());
}

TEST_CASE("kernels: PTX is finished by the driver") {
  if (!runs_cuda() || softgpu_controls()) return;
  const char ptx[] =
      ".version 7.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry one(.param .u64 to) {\n"
      "  .reg .u64 %d<3>;\n  .reg .u32 %r<2>;\n  ld.param.u64 %d1, [to];\n  cvta.to.global.u64 %d2, %d1;\n"
      "  mov.u32 %r1, 1;\n  st.global.u32 [%d2], %r1;\n  ret;\n}\n";
  array<int> a = zeros<int>({1});
  const raw_module m = raw_module::from_image(ptx, sizeof ptx - 1);
  m.kernel("one")(1, 1, a);
  CHECK(a(0).item() == 1);
  CHECK(refusal([&] { m.kernel("two")(1, 1, a); }) == "sinter: the module has no kernel \"two\"; it has one");
}

TEST_CASE("kernels: several threads may make and launch one") {
  if (!runs_cuda()) return;
  const raw_kernel fill("extern \"C\" __global__ void fill(double* a, double v) { a[threadIdx.x] = v; }  // threads\n",
                        "fill");
  std::vector<std::thread> threads;
  std::array<std::vector<double>, 4> got;
  for (std::size_t t = 0; t < got.size(); ++t)
    threads.emplace_back([&, t] {
      array<double> a = zeros({8});
      for (int i = 0; i < 20; ++i) fill(1, 8, a, static_cast<double>(t));
      got[t] = a.get();
    });
  for (std::thread& t : threads) t.join();
  for (std::size_t t = 0; t < got.size(); ++t) CHECK(got[t] == std::vector<double>(8, static_cast<double>(t)));
}

TEST_CASE("kernels: arrays of two devices are refused") {
  if (!runs_cuda()) return;
  const raw_kernel axpy(axpy_text, "axpy");
  array<float> y = ones<float>({n});
  const array<float> x = y.to(device::cpu());
  CHECK(refusal<device_error>([&] { axpy(1, 32, y, x, 1.0f, 1); }).find("sinter: the arrays of a kernel live on") == 0);
}
