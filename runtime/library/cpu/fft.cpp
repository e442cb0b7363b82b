// Transforms by FFTW 3. Plans are made from estimates, which takes little; FFTW makes one at a time.
#include "runtime/library/fft.hpp"

#include <algorithm>
#include <complex>
#include <memory>
#include <mutex>

#include "runtime/device/device.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/library/fft_plans.hpp"
#include "runtime/library/opened.hpp"
#include "runtime/memory/storage.hpp"
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

using run_plan = void (*)(fft_plan, void* in, void* out);
run_plan runner_of(const fftw& by, fft_kind kind) {
  if (kind == fft_kind::from_real) return by.run_from_real;
  return kind == fft_kind::to_real ? by.run_to_real : by.run_complex;
}

struct work {
  run_plan run;
  shared_plan plan;
  memory_pair memory;
};

void transform(void* with) noexcept {
  const work& w = *static_cast<const work*>(with);
  w.run(static_cast<fft_plan>(w.plan.get()), w.memory.from, w.memory.to);
}

// ---- several axes

// FFTW's estimate goes down columns in place, where lines a power of two apart push each other out of the cache. Of large arrays some
// columns at a time are made rows instead, transformed, and put back.
constexpr std::int64_t columns_at_once = 16, worth_passes = 1 << 14;  // columns; points

/// Transforms along one axis that is not the last.
struct column_pass {
  shared_plan plan;  // of `columns_at_once` rows
  std::int64_t outer, n, inner;
};
struct passes {
  work rows;
  column_pass columns[fft_shape::most_axes - 1];
  int count;
  std::byte* room;  // for so many columns, twice
  bool is_double;
};

// Elements by tiles whose rows are whole lines of the cache. One side is near at hand already: by way of another near tile, as
// `copy_turned` goes for matrices, transforms of 512 x 512 of complex128 take a fifth longer.
template <class C>
void turn(const C* from, std::int64_t from_apart, C* to, std::int64_t to_apart, std::int64_t rows,
          std::int64_t columns) {
  constexpr std::int64_t tile = 8;
  for (std::int64_t r0 = 0; r0 < rows; r0 += tile)
    for (std::int64_t c0 = 0; c0 < columns; c0 += tile)
      for (std::int64_t c = c0; c < std::min(c0 + tile, columns); ++c)
        for (std::int64_t r = r0; r < std::min(r0 + tile, rows); ++r) to[c * to_apart + r] = from[r * from_apart + c];
}

template <class R>
void run_pass(const passes& w, const column_pass& p) {
  using number = std::complex<R>;
  auto *const rows = reinterpret_cast<number*>(w.room), *const made = rows + columns_at_once * p.n;
  std::fill_n(rows, columns_at_once * p.n, number{});  // also where there are fewer columns left
  for (std::int64_t o = 0; o < p.outer; ++o)
    for (std::int64_t c = 0; c < p.inner; c += columns_at_once) {
      number* const first = static_cast<number*>(w.rows.memory.to) + o * p.n * p.inner + c;
      const std::int64_t columns = std::min(columns_at_once, p.inner - c);
      turn(first, p.inner, rows, p.n, p.n, columns);
      w.rows.run(static_cast<fft_plan>(p.plan.get()), rows, made);
      turn(made, p.n, first, p.inner, columns, p.n);
    }
}

void transform_by_passes(void* with) noexcept {
  passes& w = *static_cast<passes*>(with);
  transform(&w.rows);
  for (int i = 0; i < w.count; ++i) w.is_double ? run_pass<double>(w, w.columns[i]) : run_pass<float>(w, w.columns[i]);
}

bool call_by_passes(const fftw& by, const fft_shape& s, const memory_pair& m, stream_state& on) {
  const run_plan run = runner_of(by, s.kind);
  const auto along = [&](std::int64_t n, std::int64_t batch) { return fft_shape{s.kind, s.is_double, 1, {n}, batch}; };
  const std::int64_t longest = *std::max_element(s.n, s.n + s.rank), size = s.is_double ? 16 : 8;
  const storage_holder room(make_storage(static_cast<std::size_t>(2 * columns_at_once * longest * size), on));
  std::byte* const base = room.get()->data;
  std::int64_t outer = s.batch, inner = 1;
  for (int d = 0; d < s.rank; ++d) inner *= s.n[d];
  passes all{{run, plan_for(by, along(s.n[s.rank - 1], s.batch * inner / s.n[s.rank - 1]), m, on.device), m},
             {},
             0,
             base,
             s.is_double};
  bool has_all = all.rows.plan != nullptr;
  for (int d = 0; d + 1 < s.rank; ++d) {
    inner /= s.n[d];
    const memory_pair own{base, base + columns_at_once * s.n[d] * size};
    column_pass& pass = all.columns[all.count++];
    pass = {plan_for(by, along(s.n[d], columns_at_once), own, on.device), outer, s.n[d], inner};
    has_all = has_all && pass.plan;
    outer *= s.n[d];
  }
  if (has_all) call_with(&transform_by_passes, all, on);
  return has_all;
}

bool is_worth_passes(const fft_shape& s) {
  std::int64_t points = 1;
  for (int d = 0; d < s.rank; ++d) points *= s.n[d];
  // Fewer columns would leave most of those at once empty; FFTW counts rows in 32 bits.
  const std::int64_t across = s.n[s.rank - 1];
  return s.rank > 1 && points >= worth_passes && across >= 2 * columns_at_once &&
         s.batch < 0x7fffffff / (points / across);
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
  if (is_worth_passes(s)) return call_by_passes(*by, s, memory, on) || (why = "FFTW made no plan", false);
  const work now{runner_of(*by, s.kind), plan_for(*by, s, memory, on.device), memory};
  if (!now.plan) return why = "FFTW made no plan", false;
  call_with(&transform, now, on);
  return true;
}

}  // namespace sinter::runtime
