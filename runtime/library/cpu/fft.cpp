// Transforms by FFTW 3. Plans are made from estimates, which takes little; FFTW makes one at a time.
#include "runtime/library/fft.hpp"

#include <memory>
#include <mutex>

#include "runtime/device/device.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/library/fft_plans.hpp"
#include "runtime/library/opened.hpp"
#include "runtime/stream/kept_call.hpp"

namespace sinter::runtime {

namespace {

// Of fftw3.h.
constexpr int forward = -1, backward = 1;
constexpr unsigned unaligned = 1u << 1, preserve_input = 1u << 4, estimate = 1u << 6;

using fft_plan = struct fftw_plan_object*;

/// The functions of one precision: `fftw_` or `fftwf_` is before each name.
struct fftw {
  fft_plan (*plan_complex)(int rank, const int* n, int batch, void* in, const int*, int, int in_step, void* out,
                           const int*, int, int out_step, int sign, unsigned flags) = nullptr;
  fft_plan (*plan_from_real)(int rank, const int* n, int batch, void* in, const int*, int, int in_step, void* out,
                             const int*, int, int out_step, unsigned flags) = nullptr;
  fft_plan (*plan_to_real)(int rank, const int* n, int batch, void* in, const int*, int, int in_step, void* out,
                           const int*, int, int out_step, unsigned flags) = nullptr;
  void (*run_complex)(fft_plan, void* in, void* out) = nullptr;
  void (*run_from_real)(fft_plan, void* in, void* out) = nullptr;
  void (*run_to_real)(fft_plan, void* in, void* out) = nullptr;
  int (*alignment_of)(void*) = nullptr;
  void (*destroy)(fft_plan) = nullptr;
};
struct fftw_of_double : fftw {
  std::vector<library_function> functions() {
    return {{"fftw_plan_many_dft", &plan_complex},     {"fftw_plan_many_dft_r2c", &plan_from_real},
            {"fftw_plan_many_dft_c2r", &plan_to_real}, {"fftw_execute_dft", &run_complex},
            {"fftw_execute_dft_r2c", &run_from_real},  {"fftw_execute_dft_c2r", &run_to_real},
            {"fftw_alignment_of", &alignment_of},      {"fftw_destroy_plan", &destroy}};
  }
};
struct fftw_of_float : fftw {
  std::vector<library_function> functions() {
    return {{"fftwf_plan_many_dft", &plan_complex},     {"fftwf_plan_many_dft_r2c", &plan_from_real},
            {"fftwf_plan_many_dft_c2r", &plan_to_real}, {"fftwf_execute_dft", &run_complex},
            {"fftwf_execute_dft_r2c", &run_from_real},  {"fftwf_execute_dft_c2r", &run_to_real},
            {"fftwf_alignment_of", &alignment_of},      {"fftwf_destroy_plan", &destroy}};
  }
};

template <class Table>
const fftw* opened_as(const char* variable, const char* file, const char* package, std::string& why) {
  static auto& one = *new opened<Table>(usual_place("FFTW", variable, {file}, package));
  return one.get(why);
}

const fftw* find_fftw(bool of_double, std::string& why) {
  if (of_double) return opened_as<fftw_of_double>("SINTER_FFTW", "libfftw3.so.3", "libfftw3-double3 (Debian)", why);
  return opened_as<fftw_of_float>("SINTER_FFTWF", "libfftw3f.so.3", "libfftw3-single3 (Debian)", why);
}

struct memory_pair {
  void* from;
  void* to;
};

fft_plan make_plan(const fftw& api, const fft_shape& s, const memory_pair& m, unsigned flags) {
  int n[fft_shape::most_axes], points = 1;
  for (int d = 0; d < s.rank; ++d) points *= n[d] = static_cast<int>(s.n[d]);
  const int half = n[0] / 2 + 1, batch = static_cast<int>(s.batch);
  switch (s.kind) {
    case fft_kind::from_real:
      return api.plan_from_real(1, n, batch, m.from, nullptr, 1, n[0], m.to, nullptr, 1, half, flags);
    case fft_kind::to_real:
      return api.plan_to_real(1, n, batch, m.from, nullptr, 1, half, m.to, nullptr, 1, n[0], flags);
    default:
      return api.plan_complex(s.rank, n, batch, m.from, nullptr, 1, points, m.to, nullptr, 1, points,
                              s.kind == fft_kind::forward ? forward : backward, flags);
  }
}

std::mutex& planning() {
  static auto& one = *new std::mutex;
  return one;
}

/// The plan for a shape and for how memory is aligned. A plan from estimates looks at no element. Null: FFTW has none.
shared_plan plan_for(const fftw& api, const fft_shape& s, const memory_pair& m, const device_impl& on) {
  const bool is_aligned = api.alignment_of(m.from) == 0 && api.alignment_of(m.to) == 0;
  return fft_plans_of(on).plan({s, nullptr, is_aligned}, [&]() -> shared_plan {
    const fft_plan made = [&] {
      const std::lock_guard hold(planning());
      return make_plan(api, s, m, estimate | preserve_input | (is_aligned ? 0 : unaligned));
    }();
    if (!made) return nullptr;
    // Without the lock: where there is no memory for an owner, what destroys the plan is called here.
    return shared_plan(made, [&api](void* plan) {
      const std::lock_guard alone(planning());
      api.destroy(static_cast<fft_plan>(plan));
    });
  });
}

struct work {
  const fftw* by;
  shared_plan plan;
  fft_kind kind;
  memory_pair memory;
};

void transform(void* with) noexcept {
  const work& w = *static_cast<const work*>(with);
  const auto run = w.kind == fft_kind::from_real ? w.by->run_from_real
                   : w.kind == fft_kind::to_real ? w.by->run_to_real
                                                 : w.by->run_complex;
  run(static_cast<fft_plan>(w.plan.get()), w.memory.from, w.memory.to);
}

// FFTW is told extents, their product and how many in 32 bits.
bool fits(const fft_shape& s) {
  double points = 1;
  for (int d = 0; d < s.rank; ++d) points *= static_cast<double>(s.n[d]);
  return points < 0x7fffffff && s.batch < 0x7fffffff;
}

}  // namespace

bool transform_on_cpu(const fft_shape& s, const std::byte* from, std::byte* to, stream_state& on, std::string& why) {
  if (!fits(s)) return why = "FFTW has no such transform", false;
  const fftw* const by = find_fftw(s.is_double, why);
  if (!by) return false;
  const memory_pair memory{const_cast<std::byte*>(from), to};
  const work now{by, plan_for(*by, s, memory, on.device), s.kind, memory};
  if (!now.plan) return why = "FFTW made no plan", false;
  call_with(&transform, now, on);
  return true;
}

}  // namespace sinter::runtime
