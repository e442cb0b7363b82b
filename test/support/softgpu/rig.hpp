// What tests of softgpu itself stand on: NVRTC as one function, and a driver with a context and whatever is made of it,
// given back at the end. No part of the library above the table of entry points is used.
#pragma once

#include <doctest/doctest.h>

#include <dlfcn.h>

#include <memory>
#include <string>
#include <vector>

#include "runtime/device/driver.hpp"
#include "test/support/softgpu/softgpu.hpp"

namespace softgpu::test {

using namespace sinter::runtime;

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

inline compiled compile(const char* path, const std::string& text, std::vector<const char*> options = {"-arch=sm_90"}) {
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

inline const char add_one[] =
    "// adds one\n"
    "extern \"C\" __global__ void __launch_bounds__(256) k(float* __restrict__ out, const float* in, const int n) {\n"
    "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) out[i] = in[i] + 1;\n"
    "}\n";

}  // namespace softgpu::test
