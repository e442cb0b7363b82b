// Transforms by cuFFT. A stream has a plan of its own for each shape; a call takes its work area from the pool, and a graph that is being
// made keeps both.
#include "runtime/library/fft.hpp"

#include <memory>
#include <mutex>

#include <sinter/error.hpp>

#include "codegen/compile/toolkit.hpp"
#include "runtime/device/device.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/library/fft_plans.hpp"
#include "runtime/library/opened.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/stream/capture.hpp"
#include "runtime/stream/table.hpp"

namespace sinter::runtime {

namespace {

// Of cufft.h: results, directions and types are numbers.
constexpr int success = 0, forward = -1, inverse = 1;

#define SINTER_CUFFT_CALLS(X)                                                                                     \
  X(cufftCreate, (int* plan))                                                                                     \
  X(cufftDestroy, (int plan))                                                                                     \
  X(cufftSetAutoAllocation, (int plan, int allocates))                                                            \
  X(cufftMakePlanMany64, (int plan, int rank, long long* n, long long*, long long, long long in_step, long long*, \
                          long long, long long out_step, int type, long long batch, std::size_t* area))           \
  X(cufftSetWorkArea, (int plan, void* area))                                                                     \
  X(cufftSetStream, (int plan, void* stream))                                                                     \
  X(cufftExecC2C, (int plan, void* from, void* to, int direction))                                                \
  X(cufftExecZ2Z, (int plan, void* from, void* to, int direction))                                                \
  X(cufftExecR2C, (int plan, void* from, void* to))                                                               \
  X(cufftExecD2Z, (int plan, void* from, void* to))                                                               \
  X(cufftExecC2R, (int plan, void* from, void* to))                                                               \
  X(cufftExecZ2D, (int plan, void* from, void* to))

struct cufft {
#define SINTER_CUFFT_POINTER(name, parameters) int(*name) parameters = nullptr;
  SINTER_CUFFT_CALLS(SINTER_CUFFT_POINTER)
#undef SINTER_CUFFT_POINTER
#define SINTER_CUFFT_FUNCTION(name, parameters) {#name, &name},
  std::vector<library_function> functions() { return {SINTER_CUFFT_CALLS(SINTER_CUFFT_FUNCTION)}; }
#undef SINTER_CUFFT_FUNCTION
};

opened<cufft>& the_cufft() {
  static auto& one = *new opened<cufft>({"cuFFT", "SINTER_CUFFT",
                                         codegen::toolkit_files("SINTER_CUFFT", {"libcufft.so.12", "libcufft.so.11"}),
                                         "the CUDA toolkit, and in nvidia-cufft (PyPI)"});
  return one;
}

void check(int status, const char* call) {
  constexpr int no_memory = 2;
  if (status == success) return;
  if (status == no_memory)
    throw out_of_memory(detail::message("sinter: %s found no memory on the device", call).c_str(), 0, 0, 0);
  throw device_error(detail::message("sinter: %s failed with result %d of cufftResult", call, status).c_str());
}

int type_of(const fft_shape& s) {
  constexpr int of_double = 0x40;
  const int type = s.kind == fft_kind::from_real ? 0x2a : s.kind == fft_kind::to_real ? 0x2c : 0x29;
  return type | (s.is_double ? of_double : 0);
}

// Bytes of the operand and the result.
struct memory_sizes {
  explicit memory_sizes(const fft_shape& s) : complex(s.is_double ? 16 : 8) {
    std::size_t points = static_cast<std::size_t>(s.batch);
    for (int d = 0; d < s.rank; ++d) points *= static_cast<std::size_t>(s.n[d]);
    const std::size_t half = static_cast<std::size_t>(s.batch * (s.n[0] / 2 + 1)) * complex;
    from = s.kind == fft_kind::from_real ? points * complex / 2 : s.kind == fft_kind::to_real ? half : points * complex;
    to = s.kind == fft_kind::to_real ? points * complex / 2 : s.kind == fft_kind::from_real ? half : points * complex;
  }
  bool is_aligned(const std::byte* at) const { return reinterpret_cast<std::uintptr_t>(at) % complex == 0; }

  std::size_t complex, from, to;  // the first: of one number
};

struct fft_plan {
  fft_plan(const cufft& by, device_impl& d) : api(by), on(d) {}
  fft_plan(const fft_plan&) = delete;
  ~fft_plan() {
    if (!is_made) return;
    try {
      on.use();
      api.cufftDestroy(number);
    } catch (...) {  // the device is lost, and its plans with it
    }
  }

  const cufft& api;
  device_impl& on;
  std::mutex turns;  // of the threads that enqueue it
  int number = 0;
  bool is_made = false;
  std::size_t area = 0;    // bytes
  void* native = nullptr;  // the stream it enqueues on
};

// Null: cuFFT does not work with this driver.
shared_plan make_plan(const cufft& api, const fft_shape& s, device_impl& on) {
  constexpr int internal_error = 5, setup_failed = 7;
  auto plan = std::make_shared<fft_plan>(api, on);
  const int status = api.cufftCreate(&plan->number);
  if (status == internal_error || status == setup_failed) return nullptr;
  check(status, "cufftCreate");
  plan->is_made = true;
  check(api.cufftSetAutoAllocation(plan->number, 0), "cufftSetAutoAllocation");
  long long n[fft_shape::most_axes], points = 1;
  for (int d = 0; d < s.rank; ++d) points *= n[d] = s.n[d];
  const long long half = n[0] / 2 + 1;
  check(
      api.cufftMakePlanMany64(plan->number, s.rank, n, nullptr, 1, s.kind == fft_kind::to_real ? half : points, nullptr,
                              1, s.kind == fft_kind::from_real ? half : points, type_of(s), s.batch, &plan->area),
      "cufftMakePlanMany64");
  // cuFFT fills its tables on the legacy default stream and does not wait for them; Sinter's streams would not either.
  on.synchronize(on.streams().first());
  return plan;
}

int run(const cufft& api, const fft_shape& s, int plan, void* from, void* to) {
  const int direction = s.kind == fft_kind::forward ? forward : inverse;
  switch (s.kind) {
    case fft_kind::from_real: return (s.is_double ? api.cufftExecD2Z : api.cufftExecR2C)(plan, from, to);
    case fft_kind::to_real: return (s.is_double ? api.cufftExecZ2D : api.cufftExecC2R)(plan, from, to);
    default: return (s.is_double ? api.cufftExecZ2Z : api.cufftExecC2C)(plan, from, to, direction);
  }
}

}  // namespace

bool transform_on_gpu(const fft_shape& s, const std::byte* from, std::byte* to, stream_state& on, std::string& why) {
  const cufft* const library = the_cufft().get(why);
  if (!library) return false;
  const cufft& api = *library;
  on.device.use();
  const shared_plan kept = fft_plans_of(on.device).plan({s, &on, true}, [&] { return make_plan(api, s, on.device); });
  if (!kept) return why = "cuFFT does not work with this driver", false;
  if (capture_state* const c = capture_of(on))
    hold(*c, new shared_plan(kept), [](void* held) noexcept { delete static_cast<shared_plan*>(held); });
  auto& plan = *static_cast<fft_plan*>(kept.get());
  const std::lock_guard turn(plan.turns);
  if (!plan.native || plan.native != on.handle) {
    check(api.cufftSetStream(plan.number, on.handle), "cufftSetStream");
    plan.native = on.handle;
  }
  storage_holder area, read, written;
  if (plan.area > 0) {
    area.reset(make_storage(plan.area, on));
    check(api.cufftSetWorkArea(plan.number, area.get()->data), "cufftSetWorkArea");
  }
  // cuFFT may write over what becomes real, and wants real numbers to lie as complex ones would.
  const memory_sizes sizes(s);
  if (s.kind == fft_kind::to_real || !sizes.is_aligned(from)) {
    read.reset(make_storage(sizes.from, on));
    on.device.copy(read.get()->data, from, sizes.from, on);
    from = read.get()->data;
  }
  std::byte* target = to;
  if (!sizes.is_aligned(to)) {
    written.reset(make_storage(sizes.to, on));
    target = written.get()->data;
  }
  const int status = run(api, s, plan.number, const_cast<std::byte*>(from), target);
  on.enqueued();  // whatever became of it: the list of plans must not take it for done
  check(status, "cufftExec");
  if (target != to) on.device.copy(to, target, sizes.to, on);
  return true;
}

}  // namespace sinter::runtime
