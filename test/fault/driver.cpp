// Over the controls of test/support/softgpu.
#include "driver.hpp"

#include <cstdlib>
#include <cstring>

#include "test/support/softgpu/softgpu.hpp"

namespace fault::driver {
namespace {

softgpu::controls controls;
long long calls_before = 0;

constexpr int only_that_one = 0, every_call_from_then_on = 2;
constexpr int as_that_call_would = 0, out_of_memory = 2, illegal_address = 700;

}  // namespace

bool open() {
  const char* path = std::getenv("SINTER_CUDA_DRIVER");
  if (!path || !*path) return false;
  controls = softgpu::controls::open(path);
  return true;
}

void start(const plan& p) noexcept {
  if (!controls.softgpu_calls) return;
  calls_before = controls.softgpu_calls();
  if (p.which != kind::driver) return;
  const int result = p.how == manner::refused ? out_of_memory
                     : p.how == manner::lost  ? illegal_address
                                              : as_that_call_would;
  controls.softgpu_fail(p.at, result, p.how == manner::for_ever ? every_call_from_then_on : only_that_one);
}

void stop(record& r) noexcept {
  if (!controls.softgpu_calls) return;
  r.calls[static_cast<int>(kind::driver)] = static_cast<long>(controls.softgpu_calls() - calls_before);
  if (const long failed = static_cast<long>(controls.softgpu_failed())) {
    r.failed += failed;
    std::strncpy(r.name, controls.softgpu_call_name(), sizeof r.name - 1);
  }
  controls.softgpu_fail(-1, 0, 0);
}

long objects() noexcept {
  if (!controls.softgpu_live) return 0;
  const softgpu_counts c = controls.softgpu_live();
  return static_cast<long>(c.allocations + c.pinned + c.streams + c.graphs + c.graph_execs + c.modules);
}

long events() noexcept { return controls.softgpu_live ? static_cast<long>(controls.softgpu_live().events) : 0; }

}  // namespace fault::driver
