// softgpu's calls beyond kernels and races (softgpu.cpp) and graphs (softgpu_graphs.cpp): host functions, stream-ordered
// memory, faults on demand, what is counted, and what processes and the environment do to it.
#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "test/support/softgpu/rig.hpp"

using namespace softgpu::test;

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
  CHECK(told.answered.get_future().get() == 800);  // the program did not wait for the stream
  CHECK(told.where != std::this_thread::get_id());
  told.answered = {};
  CHECK(r.d().cuLaunchHostFunc(s, call, &told) == 0);  // the thread has gone to sleep in the meantime
  CHECK(told.answered.get_future().get() == 800);
  CHECK(r.d().cuStreamSynchronize(s) == 0);
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
  const auto kind_of = [&](cu_address at) {
    unsigned kind = 77;
    int attribute = cu_pointer_memory_type;
    void* value = &kind;
    CHECK(r.d().cuPointerGetAttributes(1, &attribute, &value, at) == 0);
    return kind;
  };
  CHECK(kind_of(memory + 5) == 2);
  CHECK(kind_of(reinterpret_cast<cu_address>(r.pinned<int>(4))) == 1);
  CHECK(kind_of(reinterpret_cast<cu_address>(&total)) == 0);
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
    return std::vector<long long>{c.allocations, c.bytes,  c.pinned,      c.streams,
                                  c.events,      c.graphs, c.graph_execs, c.modules};
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

TEST_CASE("softgpu: headers that are given, name expressions, and kernels that stand in namespaces") {
  void* program = nullptr;
  const char* const text =
      "#include <in/one.hpp>\nnamespace a { namespace b { __global__ void k(int* p) { *p = both(); } } }\n"
      "template <class T> __global__ void t(T*) {}\n__constant__ double c[3];\n";
  const char *const headers[] = {"__device__ int both() { __syncthreads(); return 1; }\n"}, *names[] = {"in/one.hpp"};
  REQUIRE(look_up<int (*)(void**, const char*, const char*, int, const char* const*, const char* const*)>(
              SINTER_SOFTGPU, "nvrtcCreateProgram")(&program, text, "kernel.cu", 1, headers, names) == 0);
  const auto add = look_up<int (*)(void*, const char*)>(SINTER_SOFTGPU, "nvrtcAddNameExpression");
  for (const char* name : {"a::b::k", "t<float>", "&c"}) CHECK(add(program, name) == 0);
  const char* lowered = nullptr;
  const auto lower = look_up<int (*)(void*, const char*, const char**)>(SINTER_SOFTGPU, "nvrtcGetLoweredName");
  CHECK(lower(program, "&c", &lowered) == 10);
  CHECK(look_up<int (*)(void*, int, const char* const*)>(SINTER_SOFTGPU, "nvrtcCompileProgram")(program, 0, nullptr) ==
        0);
  CHECK(lower(program, "&c", &lowered) == 0);
  CHECK(lower(program, "d", &lowered) == 10);
  std::size_t size = 0;
  CHECK(look_up<int (*)(void*, std::size_t*)>(SINTER_SOFTGPU, "nvrtcGetCUBINSize")(program, &size) == 0);
  std::vector<char> image(size);
  CHECK(look_up<int (*)(void*, char*)>(SINTER_SOFTGPU, "nvrtcGetCUBIN")(program, image.data()) == 0);
  CHECK(look_up<int (*)(void**)>(SINTER_SOFTGPU, "nvrtcDestroyProgram")(&program) == 0);

  rig r;
  cu_module module = nullptr;
  cu_function function = nullptr;
  cu_address at = 0;
  REQUIRE(r.d().cuModuleLoadDataEx(&module, image.data(), 0, nullptr, nullptr) == 0);
  for (const char* name : {"a::b::k", "t<float>"}) CHECK(r.d().cuModuleGetFunction(&function, module, name) == 0);
  for (const char* name : {"k", "t", "&c"}) CHECK(r.d().cuModuleGetFunction(&function, module, name) == 500);
  CHECK(r.d().cuModuleGetGlobal_v2(&at, &size, module, "&c") == 0);
  CHECK(size == 24);
  CHECK(r.d().cuModuleGetGlobal_v2(&at, &size, module, "c") == 500);
  CHECK(r.d().cuModuleUnload(module) == 0);
}

TEST_CASE("softgpu: what a kernel takes, and shared memory that has to be asked for") {
  rig r;
  const cu_stream s = r.stream();
  const cu_function f = r.kernel(
      "extern \"C\" __global__ void __launch_bounds__(64) k(char c, double d, short* p) {\n"
      "  extern __shared__ __align__(8) short own[];\n  own[40000] = c + d; *p = own[40000];\n}\n");
  std::size_t offset = 0, size = 0;
  CHECK(r.d().cuFuncGetParamInfo(f, 1, &offset, &size) == 0);
  CHECK(offset == 8);
  CHECK(size == 8);
  CHECK(r.d().cuFuncGetParamInfo(f, 3, &offset, &size) == 1);
  int value = 0;
  CHECK(r.d().cuFuncGetAttribute(&value, cu_function_max_threads, f) == 0);
  CHECK(value == 64);
  char c = 3;
  double d = 4;
  const cu_address out = r.allocate(2);
  cu_address to = out;
  void* each[] = {&c, &d, &to};
  const auto launch = [&] { return r.d().cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 80'002, s, each, nullptr); };
  CHECK(launch() == 1);
  CHECK(r.d().cuFuncSetAttribute(f, cu_function_max_dynamic_shared_bytes, 300'000) == 1);
  CHECK(r.d().cuFuncSetAttribute(f, cu_function_max_dynamic_shared_bytes, 80'002) == 0);
  CHECK(launch() == 0);
  CHECK(r.read<std::int16_t>(out, 1, s)[0] == 7);
}

TEST_CASE("softgpu: CUDA's own functions and types are there") {
  rig r;
  const cu_stream s = r.stream();
  const cu_function f = r.kernel(
      "extern __shared__ double own[];\n"
      "struct pair { float2 a; long long b; };\n"
      "__device__ __forceinline__ double all(double x) {\n"
      "  const float y = (float)x;\n"
      "  double s = rsqrt(x) + rsqrtf(y) + exp10(x) + exp10f(y) + erfinv(x / 4) + erfcinv(x) + normcdf(x) + "
      "normcdfinv(x / 4);\n"
      "  s += sinpi(x) + cospi(x) + rcbrt(x) + erfcx(x) + cyl_bessel_i0(x) + cyl_bessel_i1f(y) + tgamma(x) + "
      "lgammaf(y);\n"
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
      "  atomicMax(&counter, 9), atomicCAS(&counter, 9, 11), atomicExch(&counter, atomicSub(&counter, 1)), "
      "atomicAdd(out + 4, 1.5);\n"
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
