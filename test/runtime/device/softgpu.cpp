// softgpu itself, which every other test on the pretended GPU relies on: that kernels compute what they would on a GPU,
// and that it finds what is wrong, and only that. What else its calls do is in softgpu_calls.cpp and softgpu_graphs.cpp.
#include <doctest/doctest.h>

#include <numeric>
#include <string>
#include <vector>

#include "test/support/softgpu/rig.hpp"

using namespace softgpu::test;

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

namespace {

/// Two streams, and three blocks for both. The first is all zeros, and whatever comes is in order with that.
struct two_streams {
  two_streams() {
    r.write(a, std::vector<float>(100), one);
    CHECK(r.d().cuStreamSynchronize(one) == 0);
  }

  rig r;
  const cu_stream one = r.stream(), two = r.stream();
  const cu_function adds = r.kernel(add_one);
  const cu_address a = r.allocate(400), b = r.allocate(400), c = r.allocate(400);
};

}  // namespace

TEST_CASE_FIXTURE(two_streams, "softgpu: what nothing orders is a race") {
  SUBCASE("a read after a write") {
    r.launch(adds, 1, 256, one, b, a, 100);
    r.launch(adds, 1, 256, two, c, b, 100);
    CHECK(r.d().cuCtxSynchronize() == 0);
    CHECK(r.control.all_reports().find("kernel k (adds one)") != std::string::npos);
    CHECK(r.races() == 1);
  }
  SUBCASE("a write after a read") {
    r.launch(adds, 1, 256, one, b, a, 100);
    CHECK(r.d().cuMemsetD8Async(a, 0, 400, two) == 0);
    CHECK(r.d().cuCtxSynchronize() == 0);
    CHECK(r.races() == 1);
  }
  SUBCASE("a write after a write") {
    r.launch(adds, 1, 256, one, b, a, 100);
    r.launch(adds, 1, 256, two, b, a, 100);
    CHECK(r.d().cuCtxSynchronize() == 0);
    CHECK(r.races() == 1);
  }
  SUBCASE("two reads are none") {
    r.launch(adds, 1, 256, one, b, a, 100);
    r.launch(adds, 1, 256, two, c, a, 100);
    CHECK(r.d().cuCtxSynchronize() == 0);
    CHECK(r.races() == 0);
    // But a write has to come after both.
    r.launch(adds, 1, 256, one, b, a, 100);
    r.launch(adds, 1, 256, two, c, a, 100);
    CHECK(r.d().cuStreamSynchronize(one) == 0);
    CHECK(r.d().cuMemsetD8Async(a, 0, 400, one) == 0);
    CHECK(r.d().cuCtxSynchronize() == 0);
    CHECK(r.races() == 1);
  }
}

TEST_CASE_FIXTURE(two_streams, "softgpu: what events, the host or the legacy stream order is no race") {
  SUBCASE("an event orders, and what it orders gives the right values") {
    const cu_event done = r.event();
    for (int round = 0; round < 20; ++round) {
      r.launch(adds, 1, 256, one, b, a, 100);
      CHECK(r.d().cuEventRecord(done, one) == 0);
      CHECK(r.d().cuStreamWaitEvent(two, done, 0) == 0);
      r.launch(adds, 1, 256, two, c, b, 100);
      CHECK(r.d().cuEventRecord(done, two) == 0);
      CHECK(r.d().cuStreamWaitEvent(one, done, 0) == 0);
      r.launch(adds, 1, 256, one, a, c, 100);
    }
    CHECK(r.read<float>(a, 100, one)[99] == 60);
    CHECK(r.races() == 0);
  }
  SUBCASE("an event that was recorded too early does not") {
    const cu_event done = r.event();
    CHECK(r.d().cuEventRecord(done, one) == 0);
    r.launch(adds, 1, 256, one, b, a, 100);
    CHECK(r.d().cuStreamWaitEvent(two, done, 0) == 0);
    r.launch(adds, 1, 256, two, c, b, 100);
    CHECK(r.d().cuCtxSynchronize() == 0);
    CHECK(r.races() == 1);
  }
  SUBCASE("the host orders what it has waited for") {
    r.launch(adds, 1, 256, one, b, a, 100);
    CHECK(r.d().cuStreamSynchronize(one) == 0);
    r.launch(adds, 1, 256, two, c, b, 100);
    while (r.d().cuStreamQuery(two) == cu_error_not_ready) continue;
    r.launch(adds, 1, 256, one, a, c, 100);
    CHECK(r.read<float>(a, 1, one)[0] == 3);
    CHECK(r.races() == 0);
  }
  SUBCASE("blocking streams are in order with the legacy stream, both ways; others are not") {
    const cu_stream blocking = r.stream(0);
    r.launch(adds, 1, 256, blocking, b, a, 100);
    r.launch(adds, 1, 256, static_cast<cu_stream>(nullptr), c, b, 100);
    r.launch(adds, 1, 256, blocking, a, c, 100);
    CHECK(r.read<float>(a, 1, blocking)[0] == 3);
    CHECK(r.races() == 0);
    r.launch(adds, 1, 256, one, b, a, 100);
    r.launch(adds, 1, 256, static_cast<cu_stream>(nullptr), c, b, 100);
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

TEST_CASE("softgpu: use of memory that is not allocated is an error that stays") {
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
