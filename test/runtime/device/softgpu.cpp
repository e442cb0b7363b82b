// softgpu itself, which every other test on the pretended GPU relies on: that it finds what is wrong, and only that. It is
// driven as a driver is, through the library's own table of entry points and NVRTC's functions.
#include <doctest/doctest.h>

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <filesystem>
#include <future>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "runtime/device/driver.hpp"
#include "test/support/softgpu/softgpu.hpp"

using namespace sinter::runtime;

namespace {

template <class Function>
Function look_up(const char* path, const char* name) {
  void* const library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
  REQUIRE(library);
  return reinterpret_cast<Function>(::dlsym(library, name));
}

struct compiled {
  int status = 0;
  std::string log;
  std::vector<char> image;
};

compiled compile(const char* path, const std::string& text, std::vector<const char*> options = {"-arch=sm_90"}) {
  void* program = nullptr;
  compiled result;
  std::size_t size = 0;
  look_up<int (*)(void**, const char*, const char*, int, const char* const*, const char* const*)>(
    path, "nvrtcCreateProgram")(&program, text.c_str(), "kernel.cu", 0, nullptr, nullptr);
  result.status = look_up<int (*)(void*, int, const char* const*)>(path, "nvrtcCompileProgram")(
    program, static_cast<int>(options.size()), options.data());
  look_up<int (*)(void*, std::size_t*)>(path, "nvrtcGetProgramLogSize")(program, &size);
  result.log.resize(size);
  look_up<int (*)(void*, char*)>(path, "nvrtcGetProgramLog")(program, result.log.data());
  look_up<int (*)(void*, std::size_t*)>(path, "nvrtcGetCUBINSize")(program, &size);
  result.image.resize(size);
  look_up<int (*)(void*, char*)>(path, "nvrtcGetCUBIN")(program, result.image.data());
  look_up<int (*)(void**)>(path, "nvrtcDestroyProgram")(&program);
  return result;
}

/// A driver with device 0's context current, and everything given back at the end.
class rig {
 public:
  explicit rig(const char* path = SINTER_SOFTGPU)
      : path_(path), table_(open_driver(path, &why_)), control(softgpu::controls::open(path)) {
    REQUIRE_MESSAGE(table_ != nullptr, why_);
    REQUIRE(d().cuInit(0) == 0);
    REQUIRE(d().cuDevicePrimaryCtxRetain(&context, 0) == 0);
    REQUIRE(d().cuCtxSetCurrent(context) == 0);
    control.softgpu_reset_reports();
  }
  rig(const rig&) = delete;
  rig& operator=(const rig&) = delete;
  ~rig() {
    control.softgpu_fail(-1, 0, 0);
    control.softgpu_revive();
    d().cuCtxSetCurrent(context);
    d().cuCtxSynchronize();
    for (cu_stream s : streams_) d().cuStreamDestroy_v2(s);
    for (cu_event e : events_) d().cuEventDestroy_v2(e);
    for (cu_module m : modules_) d().cuModuleUnload(m);
    for (cu_address a : blocks_) d().cuMemFree_v2(a);
    for (void* p : pinned_) d().cuMemFreeHost(p);
    control.softgpu_revive();
    control.softgpu_reset_reports();
    d().cuDevicePrimaryCtxRelease_v2(0);
    d().cuCtxSetCurrent(nullptr);
  }

  const driver& d() const { return *table_; }

  cu_stream stream(unsigned flags = cu_stream_non_blocking) {
    cu_stream made = nullptr;
    REQUIRE(d().cuStreamCreateWithPriority(&made, flags, 0) == 0);
    return streams_.emplace_back(made);
  }
  cu_event event(unsigned flags = cu_event_disable_timing) {
    cu_event made = nullptr;
    REQUIRE(d().cuEventCreate(&made, flags) == 0);
    return events_.emplace_back(made);
  }
  cu_address allocate(std::size_t size) {
    cu_address made = 0;
    REQUIRE(d().cuMemAlloc_v2(&made, size) == 0);
    return blocks_.emplace_back(made);
  }
  void free(cu_address at) {
    std::erase(blocks_, at);
    CHECK(d().cuMemFree_v2(at) == 0);
  }
  template <class T>
  T* pinned(std::size_t count) {
    void* made = nullptr;
    REQUIRE(d().cuMemAllocHost_v2(&made, count * sizeof(T)) == 0);
    return static_cast<T*>(pinned_.emplace_back(made));
  }
  cu_function kernel(const std::string& text, const char* name = "k") {
    const compiled made = compile(path_, text);
    REQUIRE_MESSAGE(made.status == 0, made.log);
    cu_module module = nullptr;
    REQUIRE(d().cuModuleLoadDataEx(&module, made.image.data(), 0, nullptr, nullptr) == 0);
    modules_.push_back(module);
    cu_function function = nullptr;
    REQUIRE(d().cuModuleGetFunction(&function, module, name) == 0);
    return function;
  }
  template <class... A>
  cu_result launch(cu_function f, unsigned grid, unsigned block, cu_stream s, A... arguments) {
    void* each[] = {&arguments..., nullptr};
    return d().cuLaunchKernel(f, grid, 1, 1, block, 1, 1, 0, s, each, nullptr);
  }
  template <class T>
  std::vector<T> read(cu_address from, std::size_t count, cu_stream s) {
    std::vector<T> out(count);
    CHECK(d().cuMemcpyDtoHAsync_v2(out.data(), from, count * sizeof(T), s) == 0);
    return out;
  }
  template <class T>
  void write(cu_address to, const std::vector<T>& values, cu_stream s) {
    CHECK(d().cuMemcpyHtoDAsync_v2(to, values.data(), values.size() * sizeof(T), s) == 0);
  }
  /// Races found since the last time.
  long long races() {
    const long long found = control.softgpu_races();
    control.softgpu_reset_reports();
    return found;
  }

 private:
  const char* path_;
  std::string why_;
  std::unique_ptr<driver> table_;
  std::vector<cu_stream> streams_;
  std::vector<cu_event> events_;
  std::vector<cu_address> blocks_;
  std::vector<void*> pinned_;
  std::vector<cu_module> modules_;

 public:
  softgpu::controls control;
  cu_context context = nullptr;
};

const char add_one[] =
  "// adds one\n"
  "extern \"C\" __global__ void __launch_bounds__(256) k(float* __restrict__ out, const float* in, const int n) {\n"
  "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
  "  if (i < n) out[i] = in[i] + 1;\n"
  "}\n";

}  // namespace

TEST_CASE("softgpu: a kernel computes, whichever way its arguments come") {
  rig r;
  const cu_stream s = r.stream();
  const cu_function f = r.kernel(add_one);
  std::vector<float> values(1000);
  std::iota(values.begin(), values.end(), 0.0f);
  const cu_address in = r.allocate(4000), out = r.allocate(4000);
  r.write(in, values, s);
  CHECK(r.launch(f, 4, 256, s, out, in, 1000) == 0);
  CHECK(r.read<float>(out, 1000, s)[999] == 1000);
  struct {
    cu_address out, in;
    int n;
  } packed{in, out, 1000};
  std::size_t size = sizeof packed;
  void* extra[] = {cu_launch_buffer, &packed, cu_launch_buffer_size, &size, cu_launch_end};
  CHECK(r.d().cuLaunchKernel(f, 4, 1, 1, 256, 1, 1, 0, s, nullptr, extra) == 0);
  CHECK(r.read<float>(in, 1000, s)[7] == 9);
  CHECK(r.races() == 0);
  // What a driver refuses at the call.
  CHECK(r.launch(f, 0, 256, s, out, in, 1) == 1);
  CHECK(r.launch(f, 1, 512, s, out, in, 1) == 701);
  size = 16;
  CHECK(r.d().cuLaunchKernel(f, 4, 1, 1, 256, 1, 1, 0, s, nullptr, extra) == 1);
}

TEST_CASE("softgpu: what nothing orders is a race") {
  rig r;
  const cu_stream one = r.stream(), two = r.stream();
  const cu_function f = r.kernel(add_one);
  const cu_address a = r.allocate(400), b = r.allocate(400), c = r.allocate(400);
  const std::vector<float> zeros(100);
  r.write(a, zeros, one);
  CHECK(r.d().cuStreamSynchronize(one) == 0);

  SUBCASE("a read after a write") {
    r.launch(f, 1, 256, one, b, a, 100);
    r.launch(f, 1, 256, two, c, b, 100);
    CHECK(r.d().cuCtxSynchronize() == 0);
    CHECK(r.control.all_reports().find("kernel k (adds one)") != std::string::npos);
    CHECK(r.races() == 1);
  }
  SUBCASE("a write after a read") {
    r.launch(f, 1, 256, one, b, a, 100);
    CHECK(r.d().cuMemsetD8Async(a, 0, 400, two) == 0);
    CHECK(r.d().cuCtxSynchronize() == 0);
    CHECK(r.races() == 1);
  }
  SUBCASE("a write after a write") {
    r.launch(f, 1, 256, one, b, a, 100);
    r.launch(f, 1, 256, two, b, a, 100);
    CHECK(r.d().cuCtxSynchronize() == 0);
    CHECK(r.races() == 1);
  }
  SUBCASE("two reads are none") {
    r.launch(f, 1, 256, one, b, a, 100);
    r.launch(f, 1, 256, two, c, a, 100);
    CHECK(r.d().cuCtxSynchronize() == 0);
    CHECK(r.races() == 0);
    // But a write has to come after both.
    r.launch(f, 1, 256, one, b, a, 100);
    r.launch(f, 1, 256, two, c, a, 100);
    CHECK(r.d().cuStreamSynchronize(one) == 0);
    CHECK(r.d().cuMemsetD8Async(a, 0, 400, one) == 0);
    CHECK(r.d().cuCtxSynchronize() == 0);
    CHECK(r.races() == 1);
  }
  SUBCASE("an event orders, and what it orders gives the right values") {
    const cu_event done = r.event();
    for (int round = 0; round < 20; ++round) {
      r.launch(f, 1, 256, one, b, a, 100);
      CHECK(r.d().cuEventRecord(done, one) == 0);
      CHECK(r.d().cuStreamWaitEvent(two, done, 0) == 0);
      r.launch(f, 1, 256, two, c, b, 100);
      CHECK(r.d().cuEventRecord(done, two) == 0);
      CHECK(r.d().cuStreamWaitEvent(one, done, 0) == 0);
      r.launch(f, 1, 256, one, a, c, 100);
    }
    CHECK(r.read<float>(a, 100, one)[99] == 60);
    CHECK(r.races() == 0);
  }
  SUBCASE("an event that was recorded too early does not") {
    const cu_event done = r.event();
    CHECK(r.d().cuEventRecord(done, one) == 0);
    r.launch(f, 1, 256, one, b, a, 100);
    CHECK(r.d().cuStreamWaitEvent(two, done, 0) == 0);
    r.launch(f, 1, 256, two, c, b, 100);
    CHECK(r.d().cuCtxSynchronize() == 0);
    CHECK(r.races() == 1);
  }
  SUBCASE("the host orders what it has waited for") {
    r.launch(f, 1, 256, one, b, a, 100);
    CHECK(r.d().cuStreamSynchronize(one) == 0);
    r.launch(f, 1, 256, two, c, b, 100);
    while (r.d().cuStreamQuery(two) == cu_error_not_ready) continue;
    r.launch(f, 1, 256, one, a, c, 100);
    CHECK(r.read<float>(a, 1, one)[0] == 3);
    CHECK(r.races() == 0);
  }
  SUBCASE("blocking streams are in order with the legacy stream, both ways; others are not") {
    const cu_stream blocking = r.stream(0);
    r.launch(f, 1, 256, blocking, b, a, 100);
    r.launch(f, 1, 256, static_cast<cu_stream>(nullptr), c, b, 100);
    r.launch(f, 1, 256, blocking, a, c, 100);
    CHECK(r.read<float>(a, 1, blocking)[0] == 3);
    CHECK(r.races() == 0);
    r.launch(f, 1, 256, one, b, a, 100);
    r.launch(f, 1, 256, static_cast<cu_stream>(nullptr), c, b, 100);
    CHECK(r.d().cuCtxSynchronize() == 0);
    CHECK(r.races() >= 1);
  }
}

TEST_CASE("softgpu: different bytes of one unit do not conflict") {
  rig r;
  const cu_stream one = r.stream(), two = r.stream();
  const cu_address block = r.allocate(512);
  CHECK(r.d().cuMemsetD8Async(block, 1, 64, one) == 0);
  CHECK(r.d().cuMemsetD8Async(block + 64, 2, 64, two) == 0);
  CHECK(r.d().cuCtxSynchronize() == 0);
  CHECK(r.races() == 0);
  CHECK(r.read<unsigned char>(block, 65, one)[64] == 2);
}

TEST_CASE("softgpu: a missing dependency also shows as a wrong value, in some order") {
  // The same three launches without their event, in many orders: the reader sees the poison in some of them.
  rig r;
  const cu_function f = r.kernel(add_one);
  const cu_address a = r.allocate(4), b = r.allocate(4), c = r.allocate(4);
  const cu_stream one = r.stream(), two = r.stream();
  int right = 0, wrong = 0;
  for (int round = 0; round < 64; ++round) {
    r.write<float>(a, {1}, one);
    CHECK(r.d().cuMemsetD8Async(b, 0, 4, one) == 0);
    CHECK(r.d().cuStreamSynchronize(one) == 0);
    r.launch(f, 1, 1, one, b, a, 1);
    r.launch(f, 1, 1, two, c, b, 1);
    CHECK(r.d().cuCtxSynchronize() == 0);
    (r.read<float>(c, 1, one)[0] == 3 ? right : wrong)++;
  }
  CHECK(right > 0);
  CHECK(wrong > 0);
}

TEST_CASE("softgpu: barriers, shuffles and votes") {
  rig r;
  const cu_stream s = r.stream();
  const cu_address out = r.allocate(4 * 1024);
  // Every thread writes, and reads what another wrote, five times over.
  cu_function f = r.kernel(
    "extern \"C\" __global__ void k(int* out) {\n"
    "  __shared__ int a[256];\n"
    "  a[threadIdx.x] = threadIdx.x;\n"
    "  for (int round = 0; round < 5; ++round) {\n"
    "    __syncthreads();\n"
    "    const int next = a[(threadIdx.x + 1) % 256];\n"
    "    __syncthreads();\n"
    "    a[threadIdx.x] = next;\n"
    "  }\n"
    "  out[threadIdx.x] = a[threadIdx.x];\n"
    "}\n");
  CHECK(r.launch(f, 3, 256, s, out) == 0);
  std::vector<int> got = r.read<int>(out, 256, s);
  for (int i = 0; i < 256; ++i) CHECK(got[i] == (i + 5) % 256);

  f = r.kernel(
    "extern \"C\" __global__ void k(int* out) {\n"
    "  const int i = threadIdx.x;\n"
    "  int sum = i;\n"
    "  for (int half = 16; half > 0; half /= 2) sum += __shfl_down_sync(0xffffffff, sum, half);\n"
    "  const int up = __shfl_up_sync(0xffffffff, i, 1), across = __shfl_xor_sync(0xffffffff, i, 1);\n"
    "  const double third = __shfl_sync(0xffffffff, (double)i, 3, 8);\n"
    "  const unsigned odd = __ballot_sync(0xffffffff, i % 2);\n"
    "  const int all = __all_sync(0xffffffff, i >= 0), any = __any_sync(0xffffffff, i == 40);\n"
    "  int half = -1;  // the upper half of a warp on its own\n"
    "  if (i % 32 >= 16) half = __shfl_down_sync(0xffff0000, i, 1, 16);\n"
    "  const int counted = __syncthreads_count(i % 3 == 0);\n"
    "  int* to = out + 9 * i;\n"
    "  to[0] = sum, to[1] = up, to[2] = across, to[3] = (int)third, to[4] = (int)odd;\n"
    "  to[5] = all, to[6] = any, to[7] = half, to[8] = counted;\n"
    "}\n");
  CHECK(r.launch(f, 1, 64, s, out) == 0);
  got = r.read<int>(out, 9 * 64, s);
  CHECK(got[0] == 31 * 16);
  CHECK(got[9 * 32] == 31 * 16 + 32 * 32);
  for (int i = 0; i < 64; ++i) {
    const int* at = &got[9 * i];
    CHECK(at[1] == (i % 32 == 0 ? i : i - 1));
    CHECK(at[2] == (i ^ 1));
    CHECK(at[3] == i / 8 * 8 + 3);
    CHECK(at[4] == static_cast<int>(0xaaaaaaaau));
    CHECK(at[5] == 1);
    CHECK(at[6] == (i >= 32));
    CHECK(at[7] == (i % 32 < 16 ? -1 : i % 32 == 31 ? i : i + 1));
    CHECK(at[8] == 22);
  }
  CHECK(r.races() == 0);
}

TEST_CASE("softgpu: threads that have ended count as arrived; the rest may not wait for ever") {
  rig r;
  const cu_stream s = r.stream();
  const cu_address out = r.allocate(4);
  const char early[] =
    "extern \"C\" __global__ void k(int* out) {\n"
    "  if (threadIdx.x >= 100) return;\n"
    "  __syncthreads();\n"
    "  if (threadIdx.x == 0) *out = 5;\n"
    "}\n";
  CHECK(r.launch(r.kernel(early), 1, 256, s, out) == 0);
  CHECK(r.read<int>(out, 1, s)[0] == 5);
  const char never[] =
    "extern \"C\" __global__ void k(int* out) {\n"
    "  if (threadIdx.x == 0) __shfl_sync(0xffffffff, 1, 0);\n"
    "  else __syncthreads();\n"
    "}\n";
  CHECK(r.launch(r.kernel(never), 1, 64, s, out) == 0);
  CHECK(r.d().cuStreamSynchronize(s) == 719);
  CHECK(r.d().cuStreamSynchronize(s) == 719);  // and ever after
  cu_address more = 0;
  CHECK(r.d().cuMemAlloc_v2(&more, 4) == 719);
}

TEST_CASE("softgpu: the last block folds what the others left") {
  rig r;
  const cu_stream s = r.stream();
  const cu_function f = r.kernel(
    "extern \"C\" __global__ void k(double* out, const double* in, double* parts, unsigned* ticket, int n) {\n"
    "  __shared__ double fold[8];\n"
    "  __shared__ bool last;\n"
    "  double sum = 0;\n"
    "  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) sum += in[i];\n"
    "  for (int half = 16; half > 0; half /= 2) sum += __shfl_down_sync(0xffffffff, sum, half);\n"
    "  if (threadIdx.x % 32 == 0) fold[threadIdx.x / 32] = sum;\n"
    "  __syncthreads();\n"
    "  if (threadIdx.x == 0) {\n"
    "    for (int w = 1; w < 8; ++w) sum += fold[w];\n"
    "    parts[blockIdx.x] = sum;\n"
    "    __threadfence();\n"
    "    last = atomicAdd(ticket, 1u) == gridDim.x - 1;\n"
    "  }\n"
    "  __syncthreads();\n"
    "  if (!last || threadIdx.x != 0) return;\n"
    "  sum = 0;\n"
    "  for (int b = 0; b < gridDim.x; ++b) sum += ((volatile double*)parts)[b];\n"
    "  *out = sum;\n"
    "  *ticket = 0;\n"
    "}\n");
  std::vector<double> values(10'000);
  std::iota(values.begin(), values.end(), 0.0);
  const cu_address in = r.allocate(80'000), out = r.allocate(8), parts = r.allocate(80), ticket = r.allocate(4);
  r.write(in, values, s);
  CHECK(r.d().cuMemsetD8Async(ticket, 0, 4, s) == 0);
  for (int round = 0; round < 5; ++round) {
    CHECK(r.launch(f, 10, 256, s, out, in, parts, ticket, 10'000) == 0);
    CHECK(r.read<double>(out, 1, s)[0] == 49'995'000);
  }
  CHECK(r.races() == 0);
}

TEST_CASE("softgpu: memory that is nobody's is an error that stays") {
  rig r;
  const cu_stream s = r.stream();
  const cu_function f = r.kernel(add_one);
  const cu_address in = r.allocate(4096), out = r.allocate(4000);
  const auto lost = [&](int code) {
    CHECK(r.d().cuStreamSynchronize(s) == code);
    CHECK(r.d().cuStreamSynchronize(s) == code);
    CHECK(r.launch(f, 1, 1, s, out, in, 1) == code);
    r.control.softgpu_revive();
    CHECK(r.d().cuStreamSynchronize(s) == 0);
  };
  SUBCASE("past the end of a block") {
    CHECK(r.launch(f, 4, 256, s, out, in, 1001) == 0);
    lost(700);
    CHECK(r.control.all_reports().find("0 bytes past the end of that of 4000 bytes") != std::string::npos);
  }
  SUBCASE("a block that was freed") {
    r.free(in);
    CHECK(r.launch(f, 1, 256, s, out, in, 10) == 0);
    lost(700);
  }
  SUBCASE("the host's own memory") {
    float here[10] = {};
    CHECK(r.launch(f, 1, 256, s, out, &here[0], 10) == 0);
    lost(700);
  }
  SUBCASE("an address that is not a multiple of what is read there") {
    CHECK(r.launch(f, 1, 256, s, out, in + 2, 10) == 0);
    lost(716);
  }
  SUBCASE("copies are refused at the call") {
    CHECK(r.d().cuMemsetD8Async(out, 0, 4001, s) == 1);
    CHECK(r.d().cuMemcpyDtoDAsync_v2(out, in, 4096, s) == 1);
    CHECK(r.d().cuMemFree_v2(out + 512) == 1);
    CHECK(r.d().cuStreamSynchronize(s) == 0);
  }
  SUBCASE("another device's, without peer access; with it there is none") {
    cu_context other = nullptr;
    CHECK(r.d().cuDevicePrimaryCtxRetain(&other, 1) == 0);
    CHECK(r.d().cuCtxSetCurrent(other) == 0);
    const cu_address there = r.allocate(4000);
    CHECK(r.d().cuCtxSetCurrent(r.context) == 0);
    CHECK(r.launch(f, 1, 256, s, out, there, 10) == 0);
    lost(700);
    CHECK(r.d().cuCtxEnablePeerAccess(other, 0) == 0);
    CHECK(r.d().cuCtxEnablePeerAccess(other, 0) == cu_error_peer_access_already_enabled);
    CHECK(r.launch(f, 1, 256, s, out, there, 10) == 0);
    CHECK(r.d().cuStreamSynchronize(s) == 0);
    CHECK(r.d().cuDevicePrimaryCtxRelease_v2(1) == 0);
  }
  CHECK(r.races() == 0);
}

TEST_CASE("softgpu: memory freed under work in progress is reported") {
  rig r;
  const cu_stream s = r.stream();
  const cu_address block = r.allocate(1024);
  CHECK(r.d().cuMemsetD8Async(block, 0, 1024, s) == 0);
  SUBCASE("without waiting") {
    r.free(block);
    CHECK(r.control.all_reports().find("the host frees") != std::string::npos);
    CHECK(r.races() == 1);
  }
  SUBCASE("after waiting") {
    CHECK(r.d().cuStreamSynchronize(s) == 0);
    r.free(block);
    CHECK(r.races() == 0);
  }
}

TEST_CASE("softgpu: pinned memory is read and written when the copy's turn comes, pageable memory at the call") {
  rig r;
  const cu_stream s = r.stream();
  const cu_address block = r.allocate(4);
  int* const pinned = r.pinned<int>(1);
  *pinned = 1;
  CHECK(r.d().cuMemcpyHtoDAsync_v2(block, pinned, 4, s) == 0);
  *pinned = 2;  // too early: the copy has not happened
  CHECK(r.read<int>(block, 1, s)[0] == 2);
  std::vector<int> pageable{3};
  r.write(block, pageable, s);
  pageable[0] = 4;
  CHECK(r.d().cuMemcpyDtoHAsync_v2(pinned, block, 4, s) == 0);
  CHECK(*pinned == 2);
  CHECK(r.d().cuStreamSynchronize(s) == 0);
  CHECK(*pinned == 3);
}

TEST_CASE("softgpu: events") {
  rig r;
  const cu_stream s = r.stream();
  const cu_event quiet = r.event(), begin = r.event(0), end = r.event(0);
  const cu_address block = r.allocate(1 << 20);
  float time = -1;
  CHECK(r.d().cuEventQuery(begin) == 0);  // never recorded: nothing to wait for
  CHECK(r.d().cuEventSynchronize(begin) == 0);
  CHECK(r.d().cuEventElapsedTime(&time, begin, end) == 400);
  CHECK(r.d().cuEventRecord(begin, s) == 0);
  CHECK(r.d().cuMemsetD8Async(block, 0, 1 << 20, s) == 0);
  CHECK(r.d().cuEventRecord(end, s) == 0);
  CHECK(r.d().cuEventRecord(quiet, s) == 0);
  CHECK(r.d().cuEventElapsedTime(&time, begin, end) == cu_error_not_ready);
  int asked = 0;
  while (r.d().cuEventQuery(end) == cu_error_not_ready) ++asked;
  CHECK(asked < 10);
  CHECK(r.d().cuEventElapsedTime(&time, begin, end) == 0);
  CHECK(time >= 0);
  CHECK(r.d().cuEventElapsedTime(&time, begin, quiet) == 400);
  CHECK(r.d().cuEventSynchronize(nullptr) == 400);
}

TEST_CASE("softgpu: host functions run on the driver's thread, in their turn, and may not call the driver") {
  rig r;
  const cu_stream s = r.stream();
  struct {
    const driver* d;
    std::promise<int> answered;
    std::thread::id where;
  } told{&r.d(), {}, {}};
  const auto call = [](void* with) {
    auto& t = *static_cast<decltype(told)*>(with);
    t.where = std::this_thread::get_id();
    cu_address memory = 0;
    t.answered.set_value(t.d->cuMemAlloc_v2(&memory, 16));
  };
  CHECK(r.d().cuLaunchHostFunc(s, call, &told) == 0);
  CHECK(told.answered.get_future().get() == 800);  // nobody waited for the stream
  CHECK(told.where != std::this_thread::get_id());
  CHECK(r.d().cuStreamSynchronize(s) == 0);
}

TEST_CASE("softgpu: a captured graph runs its branches in the order that was captured, and only in that") {
  rig r;
  const cu_stream one = r.stream(), two = r.stream();
  const cu_function f = r.kernel(add_one);
  const cu_address a = r.allocate(4), b = r.allocate(4), c = r.allocate(4);
  const cu_event fork = r.event(), join = r.event();
  // one: b = a + 1, then after the other branch a = b + 1; two: c = a + 1 or, if it is to race, b = a + 1
  const auto capture = [&](bool race, cu_graph* graph) {
    REQUIRE(r.d().cuStreamBeginCapture_v2(one, cu_capture_relaxed) == 0);
    CHECK(r.d().cuEventRecord(fork, one) == 0);
    CHECK(r.d().cuStreamWaitEvent(two, fork, 0) == 0);
    CHECK(r.launch(f, 1, 1, one, b, a, 1) == 0);
    CHECK(r.launch(f, 1, 1, two, race ? b : c, a, 1) == 0);
    CHECK(r.d().cuEventRecord(join, two) == 0);
    CHECK(r.d().cuStreamWaitEvent(one, join, 0) == 0);
    CHECK(r.launch(f, 1, 1, one, a, b, 1) == 0);
    CHECK(r.d().cuStreamEndCapture(one, graph) == 0);
  };
  cu_graph good = nullptr, bad = nullptr;
  capture(false, &good);
  capture(true, &bad);
  cu_graph_exec runs = nullptr, races = nullptr;
  REQUIRE(r.d().cuGraphInstantiateWithFlags(&runs, good, 0) == 0);
  REQUIRE(r.d().cuGraphInstantiateWithFlags(&races, bad, 0) == 0);
  r.write<float>(a, {0}, one);
  CHECK(r.d().cuStreamSynchronize(one) == 0);
  // Launches of one graph follow each other, also on different streams.
  for (int round = 0; round < 10; ++round) CHECK(r.d().cuGraphLaunch(runs, round % 2 ? one : two) == 0);
  CHECK(r.d().cuCtxSynchronize() == 0);
  CHECK(r.read<float>(a, 1, one)[0] == 20);
  CHECK(r.read<float>(c, 1, one)[0] == 19);
  CHECK(r.races() == 0);
  CHECK(r.d().cuGraphLaunch(races, one) == 0);
  CHECK(r.d().cuStreamSynchronize(one) == 0);
  CHECK(r.races() == 1);

  SUBCASE("an update changes arguments and nothing else") {
    cu_graph_update outcome{};
    CHECK(r.d().cuGraphExecUpdate_v2(runs, bad, &outcome) == 0);
    CHECK(r.d().cuGraphLaunch(runs, one) == 0);
    CHECK(r.d().cuStreamSynchronize(one) == 0);
    CHECK(r.races() == 1);
    cu_graph other = nullptr;
    CHECK(r.d().cuStreamBeginCapture_v2(one, cu_capture_relaxed) == 0);
    CHECK(r.launch(f, 1, 1, one, b, a, 1) == 0);
    CHECK(r.d().cuStreamEndCapture(one, &other) == 0);
    CHECK(r.d().cuGraphExecUpdate_v2(runs, other, &outcome) == cu_error_graph_exec_update_failure);
    CHECK(outcome.result == 2);
    CHECK(r.d().cuGraphDestroy(other) == 0);
  }
  SUBCASE("a launch into a stream that is captured becomes a part of that graph") {
    cu_graph outer = nullptr;
    cu_graph_exec twice = nullptr;
    r.write<float>(a, {0}, one);
    CHECK(r.d().cuStreamBeginCapture_v2(one, cu_capture_relaxed) == 0);
    CHECK(r.d().cuGraphLaunch(runs, one) == 0);
    CHECK(r.d().cuGraphLaunch(runs, one) == 0);
    CHECK(r.d().cuStreamEndCapture(one, &outer) == 0);
    CHECK(r.d().cuGraphInstantiateWithFlags(&twice, outer, 0) == 0);
    CHECK(r.d().cuGraphDestroy(outer) == 0);
    CHECK(r.d().cuGraphLaunch(twice, one) == 0);
    CHECK(r.read<float>(a, 1, one)[0] == 4);
    CHECK(r.races() == 0);
    CHECK(r.d().cuGraphExecDestroy(twice) == 0);
  }
  for (cu_graph_exec e : {runs, races}) CHECK(r.d().cuGraphExecDestroy(e) == 0);
  for (cu_graph g : {good, bad}) CHECK(r.d().cuGraphDestroy(g) == 0);
  CHECK(r.d().cuGraphLaunch(runs, one) == 1);
}

TEST_CASE("softgpu: what may not be captured spoils the capture") {
  rig r;
  const cu_stream one = r.stream(), two = r.stream(), blocking = r.stream(0);
  const cu_address a = r.allocate(64);
  const cu_event event = r.event();
  cu_graph graph = nullptr;
  CHECK(r.d().cuStreamEndCapture(one, &graph) == 401);
  CHECK(r.d().cuStreamBeginCapture_v2(nullptr, cu_capture_relaxed) == 900);
  CHECK(r.d().cuStreamBeginCapture_v2(one, cu_capture_relaxed) == 0);
  SUBCASE("waiting for the stream") {
    CHECK(r.d().cuStreamSynchronize(one) == 900);
    CHECK(r.d().cuMemsetD8Async(a, 0, 64, one) == 901);
    CHECK(r.d().cuStreamEndCapture(one, &graph) == 901);
  }
  SUBCASE("asking for its event") {
    CHECK(r.d().cuEventRecord(event, one) == 0);
    CHECK(r.d().cuEventQuery(event) == 907);
    CHECK(r.d().cuStreamEndCapture(one, &graph) == 901);
  }
  SUBCASE("work that came before") {
    CHECK(r.d().cuEventRecord(event, two) == 0);
    CHECK(r.d().cuStreamWaitEvent(one, event, 0) == 905);
    CHECK(r.d().cuStreamEndCapture(one, &graph) == 901);
  }
  SUBCASE("a branch that does not come back") {
    CHECK(r.d().cuEventRecord(event, one) == 0);
    CHECK(r.d().cuStreamWaitEvent(two, event, 0) == 0);
    CHECK(r.d().cuMemsetD8Async(a, 0, 64, two) == 0);
    CHECK(r.d().cuStreamEndCapture(two, &graph) == 903);
    CHECK(r.d().cuStreamEndCapture(one, &graph) == 901);
  }
  SUBCASE("the legacy stream, beside a blocking one") {
    CHECK(r.d().cuStreamEndCapture(one, &graph) == 0);
    CHECK(r.d().cuGraphDestroy(graph) == 0);
    CHECK(r.d().cuStreamBeginCapture_v2(blocking, cu_capture_relaxed) == 0);
    CHECK(r.d().cuMemsetD8Async(a, 0, 64, nullptr) == 906);
    CHECK(r.d().cuStreamEndCapture(blocking, &graph) == 901);
  }
  // Both are ordinary streams again.
  for (cu_stream s : {one, two}) {
    CHECK(r.d().cuMemsetD8Async(a, 0, 64, s) == 0);
    CHECK(r.d().cuStreamSynchronize(s) == 0);
  }
}

TEST_CASE("softgpu: stream-ordered memory") {
  rig r;
  const cu_stream one = r.stream(), two = r.stream();
  cu_mem_pool pool = nullptr;
  CHECK(r.d().cuDeviceGetDefaultMemPool(&pool, 0) == 0);
  const auto attribute = [&](int which) {
    std::uint64_t value = 0;
    CHECK(r.d().cuMemPoolGetAttribute(pool, which, &value) == 0);
    return value;
  };
  std::uint64_t keep = std::uint64_t{1} << 40;
  CHECK(r.d().cuMemPoolSetAttribute(pool, cu_mem_pool_release_threshold, &keep) == 0);
  cu_address a = 0, b = 0;
  CHECK(r.d().cuMemAllocFromPoolAsync(&a, 1000, pool, one) == 0);
  CHECK(attribute(cu_mem_pool_used_now) == 1024);
  CHECK(r.d().cuMemsetD8Async(a, 1, 1000, one) == 0);
  SUBCASE("is used again at once where that comes after the free") {
    CHECK(r.d().cuMemFreeAsync(a, one) == 0);
    CHECK(attribute(cu_mem_pool_used_now) == 0);
    CHECK(r.d().cuMemAllocFromPoolAsync(&b, 1000, pool, two) == 0);
    CHECK(b != a);
    CHECK(r.d().cuMemFreeAsync(b, two) == 0);
    CHECK(r.d().cuMemAllocFromPoolAsync(&b, 1000, pool, one) == 0);
    CHECK(b == a);
    CHECK(r.d().cuMemFreeAsync(b, one) == 0);
    CHECK(r.d().cuMemFreeAsync(b, one) == 1);
    CHECK(r.races() == 0);
  }
  SUBCASE("another stream has to come after the allocation") {
    CHECK(r.d().cuMemsetD8Async(a, 2, 1000, two) == 0);
    // In some orders the memory is not there yet.
    const int outcome = r.d().cuCtxSynchronize();
    CHECK((outcome == 700 || r.races() >= 1));
    r.control.softgpu_revive();
    CHECK(r.d().cuMemFreeAsync(a, one) == 0);
  }
  SUBCASE("another stream's use has to come before the free") {
    const cu_event there = r.event();
    CHECK(r.d().cuEventRecord(there, one) == 0);
    CHECK(r.d().cuStreamWaitEvent(two, there, 0) == 0);
    CHECK(r.d().cuMemsetD8Async(a, 2, 1000, two) == 0);
    CHECK(r.d().cuMemFreeAsync(a, one) == 0);
    const int outcome = r.d().cuCtxSynchronize();
    CHECK((outcome == 700 || r.races() >= 1));
    r.control.softgpu_revive();
  }
  CHECK(r.d().cuCtxSynchronize() == 0);
  CHECK(attribute(cu_mem_pool_used_now) == 0);
  CHECK(attribute(cu_mem_pool_reserved_now) > 0);
  CHECK(r.d().cuMemPoolTrimTo(pool, 0) == 0);
  CHECK(attribute(cu_mem_pool_reserved_now) == 0);
  keep = 0;
  CHECK(r.d().cuMemPoolSetAttribute(pool, cu_mem_pool_release_threshold, &keep) == 0);
}

TEST_CASE("softgpu: memory has a limit, a kind and, before it is written, a pattern") {
  rig r;
  const cu_stream s = r.stream();
  std::size_t before = 0, after = 0, total = 0;
  CHECK(r.d().cuMemGetInfo_v2(&before, &total) == 0);
  cu_address memory = 0;
  CHECK(r.d().cuMemAlloc_v2(&memory, before + 1) == cu_error_out_of_memory);
  memory = r.allocate(before / 4);
  CHECK(memory % 512 == 0);
  CHECK(r.d().cuMemGetInfo_v2(&after, &total) == 0);
  CHECK(before - after == before / 4);
  CHECK(r.read<unsigned char>(memory + 77, 1, s)[0] == 0xFB);
  unsigned kind = 0;
  CHECK(r.d().cuPointerGetAttribute(&kind, cu_pointer_memory_type, memory + 5) == 0);
  CHECK(kind == 2);
  CHECK(r.d().cuPointerGetAttribute(&kind, cu_pointer_memory_type, reinterpret_cast<cu_address>(r.pinned<int>(4))) == 0);
  CHECK(kind == 1);
  CHECK(r.d().cuPointerGetAttribute(&kind, cu_pointer_memory_type, reinterpret_cast<cu_address>(&kind)) == 1);
  cu_address managed = 0;
  CHECK(r.d().cuMemAllocManaged(&managed, 400, cu_attach_global) == 0);
  auto* const seen = reinterpret_cast<float*>(managed);
  seen[0] = 41;
  CHECK(r.launch(r.kernel(add_one), 1, 1, s, managed, managed, 1) == 0);
  CHECK(r.d().cuStreamSynchronize(s) == 0);
  CHECK(seen[0] == 42);
  CHECK(r.d().cuMemFree_v2(managed) == 0);
}

TEST_CASE("softgpu: any call can be made to fail, once or from then on") {
  rig r;
  const auto allocate = [&] {
    cu_address memory = 0;
    const int result = r.d().cuMemAlloc_v2(&memory, 16);
    if (result == 0) CHECK(r.d().cuMemFree_v2(memory) == 0);
    return result;
  };
  const long long before = r.control.softgpu_calls();
  CHECK(allocate() == 0);
  CHECK(r.control.softgpu_calls() == before + 2);
  r.control.softgpu_fail(2, 0, 0);  // the second allocation, with what it would give
  CHECK(allocate() == 0);
  CHECK(allocate() == cu_error_out_of_memory);
  CHECK(std::string(r.control.softgpu_call_name()) == "cuMemAlloc_v2");
  CHECK(allocate() == 0);
  CHECK(r.control.softgpu_failed() == 1);
  r.control.softgpu_fail(0, 999, 1);
  CHECK(allocate() == 999);
  CHECK(r.d().cuCtxSynchronize() == 0);  // another function
  CHECK(allocate() == 999);
  r.control.softgpu_fail(0, 0, 2);
  CHECK(allocate() == 2);
  CHECK(r.d().cuCtxSynchronize() == 700);
  r.control.softgpu_fail(-1, 0, 0);
  CHECK(allocate() == 700);  // that one stays
  r.control.softgpu_revive();
  CHECK(allocate() == 0);
  r.control.softgpu_fail(1, 0, 0);
  CHECK(compile(SINTER_SOFTGPU, add_one).status == 6);
  r.control.softgpu_fail(1, 7, 0);
  CHECK(compile(SINTER_SOFTGPU, add_one).status == 7);
  CHECK(compile(SINTER_SOFTGPU, add_one).status == 0);
}

TEST_CASE("softgpu: what is not given back is counted") {
  const auto counts = [](const rig& r) {
    const softgpu_counts c = r.control.softgpu_live();
    return std::vector<long long>{c.allocations, c.bytes, c.pinned, c.streams, c.events, c.graphs, c.graph_execs, c.modules};
  };
  rig outer;
  const std::vector<long long> before = counts(outer);
  {
    rig r;
    r.allocate(100);
    r.pinned<int>(10);
    r.event();
    r.kernel(add_one);
    const cu_stream s = r.stream();
    cu_graph graph = nullptr;
    cu_graph_exec exec = nullptr;
    CHECK(r.d().cuStreamBeginCapture_v2(s, cu_capture_relaxed) == 0);
    CHECK(r.d().cuStreamEndCapture(s, &graph) == 0);
    CHECK(r.d().cuGraphInstantiateWithFlags(&exec, graph, 0) == 0);
    const std::vector<long long> now = counts(r), more{1, 100, 1, 1, 1, 1, 1, 1};
    for (std::size_t i = 0; i < now.size(); ++i) CHECK(now[i] - before[i] == more[i]);
    CHECK(r.d().cuGraphExecDestroy(exec) == 0);
    CHECK(r.d().cuGraphDestroy(graph) == 0);
  }
  CHECK(counts(outer) == before);
}

TEST_CASE("softgpu: a text that is not CUDA says so") {
  const compiled wrong = compile(SINTER_SOFTGPU, "__global__ void k(float* a) {\n  a[0] = b;\n}\n");
  CHECK(wrong.status == 6);
  CHECK(wrong.log.find("kernel.cu:2") != std::string::npos);
  CHECK(compile(SINTER_SOFTGPU, add_one, {"-no-such-option"}).status == 5);
  CHECK(compile(SINTER_SOFTGPU, add_one, {"-arch=sm_90", "-DWIDTH=3", "-fmad=false", "-std=c++17"}).status == 0);
}

TEST_CASE("softgpu: CUDA's own functions and types are there") {
  rig r;
  const cu_stream s = r.stream();
  const cu_function f = r.kernel(
    "extern __shared__ double own[];\n"
    "struct pair { float2 a; long long b; };\n"
    "__device__ __forceinline__ double all(double x) {\n"
    "  const float y = (float)x;\n"
    "  double s = rsqrt(x) + rsqrtf(y) + exp10(x) + exp10f(y) + erfinv(x / 4) + erfcinv(x) + normcdf(x) + normcdfinv(x / 4);\n"
    "  s += sinpi(x) + cospi(x) + rcbrt(x) + erfcx(x) + cyl_bessel_i0(x) + cyl_bessel_i1f(y) + tgamma(x) + lgammaf(y);\n"
    "  s += fma(x, x, x) + hypot(y, y) + __expf(y) + __fdividef(y, y) + __fmul_rn(y, y) + j0(x) + norm3d(x, x, x);\n"
    "  return s + __popc(7) + __clz(1) + __ffs(8) + __brev(1) + __umulhi(1u << 31, 4) + max(1, 2u) + min(1ll, 2);\n"
    "}\n"
    "extern \"C\" __global__ void k(double* out, pair p, char c, bool on, float4* four) {\n"
    "  own[threadIdx.x] = threadIdx.x;\n"
    "  __syncthreads();\n"
    "  if (threadIdx.x != 0) return;\n"
    "  out[0] = p.a.x + p.a.y + p.b + c + on + own[3];\n"
    "  out[1] = erfinv(erf(0.3)) + erfcinv(erfc(1.5)) + normcdf(normcdfinv(0.2)) + sinpi(1.0) + cospi(0.5);\n"
    "  out[2] = cyl_bessel_i0(1.0) + rsqrt(4.0) + __float2int_rn(2.5f) + __float2int_rz(1e20f);\n"
    "  out[3] = all(0.5);\n"
    "  const float4 v = *four;\n"
    "  *four = make_float4(v.w, v.z, v.y, v.x);\n"
    "  __shared__ int counter;\n"
    "  counter = 5;\n"
    "  atomicMax(&counter, 9), atomicCAS(&counter, 9, 11), atomicExch(&counter, atomicSub(&counter, 1)), atomicAdd(out + 4, 1.5);\n"
    "  out[5] = counter;\n"
    "}\n");
  struct pair {
    alignas(8) float a[2];
    long long b;
  };
  const cu_address out = r.allocate(48), four = r.allocate(16);
  r.write<double>(out, std::vector<double>(6, 1.0), s);
  r.write<float>(four, {1, 2, 3, 4}, s);
  pair p{{0.5f, 0.25f}, 10};
  char c = 3;
  bool on = true;
  cu_address arguments[] = {out, four};
  void* each[] = {&arguments[0], &p, &c, &on, &arguments[1]};
  CHECK(r.d().cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 32 * 8, s, each, nullptr) == 0);
  const std::vector<double> got = r.read<double>(out, 6, s);
  CHECK(got[0] == 17.75);
  CHECK(got[1] == doctest::Approx(2.0).epsilon(1e-14));
  CHECK(got[2] == doctest::Approx(1.2660658777520084 + 0.5 + 2 + 2147483647.0).epsilon(1e-15));
  CHECK(got[3] == got[3]);
  CHECK(got[4] == 2.5);
  CHECK(got[5] == 11);
  CHECK(r.read<float>(four, 4, s) == std::vector<float>{4, 3, 2, 1});
}

TEST_CASE("softgpu: a child has no device, and does not hang") {
  rig r;
  const cu_stream s = r.stream();
  const cu_address block = r.allocate(64);
  CHECK(r.d().cuMemsetD8Async(block, 0, 64, s) == 0);
  std::atomic<bool> stop{false};
  std::thread busy([&] {
    cu_context now = nullptr;
    while (!stop) r.d().cuCtxGetCurrent(&now);
  });
  for (int round = 0; round < 10; ++round) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(r.d().cuStreamSynchronize(s) == 3 && r.d().cuMemFree_v2(block) == 3 ? 7 : 8);
    int status = 0;
    CHECK(::waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 7);
  }
  stop = true;
  busy.join();
  CHECK(r.d().cuStreamSynchronize(s) == 0);
}

TEST_CASE("softgpu: a copy of the library is a machine of its own, set up by the environment") {
  // The variables are read at the first call of each.
  const std::string path = std::filesystem::temp_directory_path() / ("softgpu_" + std::to_string(::getpid()) + ".so");
  std::filesystem::copy_file(SINTER_SOFTGPU, path, std::filesystem::copy_options::overwrite_existing);
  ::setenv("SOFTGPU_INITCHECK", "1", 1);
  ::setenv("SOFTGPU_DEVICES", "3", 1);
  ::setenv("SOFTGPU_FATAL", "1", 1);
  std::fflush(nullptr);  // or the child's exit would print it a second time
  const pid_t child = ::fork();
  if (child == 0) {
    int devices = 0;
    {
      rig r(path.c_str());
      r.d().cuDeviceGetCount(&devices);
      const cu_stream one = r.stream(), two = r.stream();
      const cu_address in = r.allocate(400), out = r.allocate(400);
      r.launch(r.kernel(add_one), 1, 256, one, out, in, 10);
      r.d().cuStreamSynchronize(one);
      if (devices != 3 || r.control.all_reports().find("uninitialised: ") == std::string::npos) ::_exit(1);
      r.d().cuMemsetD8Async(in, 0, 4, one);
      r.d().cuMemsetD8Async(in, 0, 4, two);
      r.d().cuCtxSynchronize();
      if (r.control.softgpu_races() != 1) ::_exit(2);
      std::exit(0);  // with the race: the destructor of the library has the last word
    }
  }
  int status = 0;
  CHECK(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 66);
  for (const char* name : {"SOFTGPU_INITCHECK", "SOFTGPU_DEVICES", "SOFTGPU_FATAL"}) ::unsetenv(name);
  std::filesystem::remove(path);
}
