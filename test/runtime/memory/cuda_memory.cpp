// Raw CUDA memory against a driver made here: which call serves which kind, what comes back as null and what is thrown,
// managed memory that would not fit, what counts as pinned, and nothing called once the device is lost.
#include "runtime/device/cuda_memory.hpp"

#include <cstdlib>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <sinter/error.hpp>

#include "test/runtime/memory/memory_device.hpp"

namespace {

using namespace sinter;
using namespace sinter::runtime;

/// What the driver made here was asked, and what it answers.
struct driver_state {
  std::vector<std::string> calls;
  cu_result answer = cu_success;
  std::size_t available = 10'000;
  const std::byte* pinned = nullptr;  // so many bytes are registered with it
  std::size_t pinned_size = 0;
  cu_mem_pool pool = nullptr;
  std::uint64_t attributes[8] = {};
} now;

cu_result called(const char* name) {
  now.calls.emplace_back(name);
  return now.answer;
}

cu_result give(cu_address* memory, const char* name) {
  *memory = 4096;
  return called(name);
}

void answer_about_the_device(driver& d) {
  d.cuDeviceGet = [](cu_device* device, int ordinal) {
    *device = ordinal;
    return cu_success;
  };
  d.cuDeviceGetName = [](char* name, int, cu_device) {
    name[0] = 0;
    return cu_success;
  };
  d.cuDeviceGetPCIBusId = [](char* id, int, cu_device) {
    id[0] = 0;
    return cu_success;
  };
  d.cuDeviceGetAttribute = [](int* value, int, cu_device) {
    *value = 9;
    return cu_success;
  };
  d.cuDeviceTotalMem_v2 = [](std::size_t* bytes, cu_device) {
    *bytes = 1 << 20;
    return cu_success;
  };
  d.cuDriverGetVersion = [](int* version) {
    *version = 13000;
    return cu_success;
  };
}

void answer_about_its_context(driver& d) {
  d.cuCtxGetStreamPriorityRange = [](int* least, int* greatest) {
    *least = *greatest = 0;
    return cu_success;
  };
  d.cuDevicePrimaryCtxRetain = [](cu_context* context, cu_device) {
    *context = reinterpret_cast<cu_context>(&now);
    return cu_success;
  };
  d.cuDevicePrimaryCtxRelease_v2 = [](cu_device) { return cu_success; };
  d.cuCtxSetCurrent = [](cu_context) { return cu_success; };
  d.cuCtxGetCurrent = [](cu_context* context) {
    *context = reinterpret_cast<cu_context>(&now);
    return cu_success;
  };
  d.cuGetErrorName = [](cu_result, const char** text) {
    *text = "CUDA_ERROR_OF_THE_TEST";
    return cu_success;
  };
  d.cuGetErrorString = [](cu_result, const char** text) {
    *text = "a test";
    return cu_success;
  };
}

void answer_about_memory(driver& d) {
  d.cuMemAlloc_v2 = [](cu_address* memory, std::size_t) { return give(memory, "cuMemAlloc"); };
  d.cuMemFree_v2 = [](cu_address) { return called("cuMemFree"); };
  d.cuMemAllocManaged = [](cu_address* memory, std::size_t, unsigned flags) {
    CHECK(flags == cu_attach_global);
    return give(memory, "cuMemAllocManaged");
  };
  d.cuMemAllocHost_v2 = [](void** memory, std::size_t) {
    *memory = &now;
    return called("cuMemAllocHost");
  };
  d.cuMemFreeHost = [](void*) { return called("cuMemFreeHost"); };
  d.cuMemGetInfo_v2 = [](std::size_t* available, std::size_t* total) {
    *available = now.available;
    *total = 1 << 20;
    return cu_success;
  };
  d.cuPointerGetAttributes = [](unsigned count, int* attributes, void** values, cu_address at) -> cu_result {
    CHECK(count == 1);
    CHECK(attributes[0] == cu_pointer_memory_type);
    const auto first = reinterpret_cast<cu_address>(now.pinned);
    const bool known = at >= first && at < first + now.pinned_size;
    *static_cast<int*>(values[0]) = known ? cu_memory_type_host : 0;
    return cu_success;
  };
}

void answer_about_pools(driver& d) {
  d.cuDeviceGetMemPool = [](cu_mem_pool* pool, cu_device) {
    *pool = now.pool;
    return called("cuDeviceGetMemPool");
  };
  d.cuDeviceGetDefaultMemPool = [](cu_mem_pool* pool, cu_device) {
    *pool = now.pool;
    return called("cuDeviceGetDefaultMemPool");
  };
  d.cuMemAllocFromPoolAsync = [](cu_address* memory, std::size_t, cu_mem_pool pool, cu_stream) {
    CHECK(pool == now.pool);
    return give(memory, "cuMemAllocFromPoolAsync");
  };
  d.cuMemFreeAsync = [](cu_address, cu_stream) { return called("cuMemFreeAsync"); };
  d.cuMemPoolSetAttribute = [](cu_mem_pool, int attribute, void* value) {
    now.attributes[attribute] = *static_cast<std::uint64_t*>(value);
    return called("cuMemPoolSetAttribute");
  };
  d.cuMemPoolGetAttribute = [](cu_mem_pool, int attribute, void* value) {
    *static_cast<std::uint64_t*>(value) = now.attributes[attribute];
    return cu_success;
  };
  d.cuMemPoolTrimTo = [](cu_mem_pool, std::size_t) { return called("cuMemPoolTrimTo"); };
}

driver make_driver() {
  driver d;
  answer_about_the_device(d);
  answer_about_its_context(d);
  answer_about_memory(d);
  answer_about_pools(d);
  return d;
}

struct fixture {
  fixture() { now = {}; }
  const driver api = make_driver();
  cuda_context context{api, 0};
  cuda_memory memory{context};
  memory_source& device = memory.of(memory_kind::device);
  memory_source& managed = memory.of(memory_kind::managed);
  memory_source& pinned = memory.of(memory_kind::pinned);

  std::vector<std::string> calls() { return std::exchange(now.calls, {}); }
};

using strings = std::vector<std::string>;

}  // namespace

TEST_CASE_FIXTURE(fixture, "cuda memory: each kind is allocated and freed by its own calls") {
  for (memory_source* source : {&device, &managed, &pinned}) {
    std::byte* block = source->allocate(5000);
    CHECK(block != nullptr);
    source->release(block, 5000);
  }
  CHECK(calls() ==
        strings{"cuMemAlloc", "cuMemFree", "cuMemAllocManaged", "cuMemFree", "cuMemAllocHost", "cuMemFreeHost"});
}

TEST_CASE_FIXTURE(fixture, "cuda memory: managed memory beyond what the device has free is refused without a call") {
  CHECK(managed.allocate(10'001) == nullptr);
  CHECK(calls().empty());
  CHECK(managed.allocate(10'000) != nullptr);
  CHECK(device.allocate(10'001) != nullptr);  // the driver knows best there
}

TEST_CASE_FIXTURE(fixture, "cuda memory: no room is null, anything else is thrown") {
  now.answer = cu_error_out_of_memory;
  for (memory_source* source : {&device, &managed, &pinned}) CHECK(source->allocate(5000) == nullptr);
  now.answer = 1;
  for (memory_source* source : {&device, &managed, &pinned}) CHECK_THROWS_AS(source->allocate(5000), device_error);
  try {
    device.allocate(5000);
  } catch (const device_error& e) {
    CHECK(std::string(e.what()).find("cuMemAlloc(5000 bytes)") != std::string::npos);
  }
}

TEST_CASE_FIXTURE(fixture, "cuda memory: once the device is lost nothing is called any more") {
  std::byte* block = device.allocate(100);
  now.answer = 700;  // an illegal address, which no context survives
  device.release(block, 100);
  CHECK(calls() == strings{"cuMemAlloc", "cuMemFree"});
  for (memory_source* source : {&device, &managed, &pinned}) {
    source->release(block, 100);
    CHECK_THROWS_AS(source->allocate(100), device_lost);
  }
  test::memory_device streams;
  memory.stream_ordered().release(block, streams.stream());
  CHECK(calls().empty());
}

TEST_CASE_FIXTURE(fixture,
                  "cuda memory: pinned is what the driver says is host memory, from the first byte to the last") {
  std::byte bytes[100];
  now.pinned = bytes + 10;
  now.pinned_size = 50;
  CHECK(pinned_for_cuda(bytes + 10, 50));
  CHECK(pinned_for_cuda(bytes + 59, 1));
  CHECK_FALSE(pinned_for_cuda(bytes + 9, 20));
  CHECK_FALSE(pinned_for_cuda(bytes + 10, 51));
  CHECK_FALSE(pinned_for_cuda(bytes + 10, 0));
}

TEST_CASE("cuda memory: without a CUDA device nothing is pinned") {
  { const fixture gone; }
  std::byte byte{};
  CHECK_FALSE(pinned_for_cuda(&byte, 1));
}

TEST_CASE_FIXTURE(fixture, "cuda memory: the driver's pools, asked for once, at first use") {
  test::memory_device streams;  // whose stream stands for one of this device
  stream_state& s = streams.stream();
  now.pool = reinterpret_cast<cu_mem_pool>(&now);
  stream_ordered_source& current = memory.stream_ordered();
  const std::uint64_t before = s.position();
  std::byte* block = current.allocate(100, s);
  current.release(block, s);
  CHECK(s.position() == before + 2);  // both are operations of the stream
  CHECK(calls() == strings{"cuDeviceGetMemPool", "cuMemAllocFromPoolAsync", "cuMemFreeAsync"});
  current.keep(77);
  current.trim(0);
  CHECK(now.attributes[cu_mem_pool_release_threshold] == 77);
  now.attributes[cu_mem_pool_used_now] = 5;
  now.attributes[cu_mem_pool_reserved_now] = 6;
  CHECK(current.used() == 5);
  CHECK(current.reserved() == 6);
  CHECK(calls() == strings{"cuMemPoolSetAttribute", "cuMemPoolTrimTo"});
  memory.stream_ordered(driver_pool::default_).trim(0);
  CHECK(calls() == strings{"cuDeviceGetDefaultMemPool", "cuMemPoolTrimTo"});
  now.answer = cu_error_out_of_memory;
  CHECK(current.allocate(100, s) == nullptr);
}
