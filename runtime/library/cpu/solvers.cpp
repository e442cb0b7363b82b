// Factorisations, solutions and eigenvalues by LAPACK. The small matrices of a batch are shared out among threads.
#include "runtime/library/solvers.hpp"

#include <algorithm>
#include <complex>
#include <limits>
#include <optional>
#include <string>

#include "runtime/device/device.hpp"
#include "runtime/device/host.hpp"
#include "runtime/launch/element_types.hpp"
#include "runtime/launch/share.hpp"
#include "runtime/library/cpu/lapack_job.hpp"
#include "runtime/library/cpu/shared_calls.hpp"
#include "runtime/library/cpu/unshared_calls.hpp"
#include "runtime/library/openblas_core.hpp"
#include "runtime/library/small_systems.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/stream/kept_call.hpp"

namespace sinter::runtime {

const lapack* find_lapack(std::string& why) {
  static auto& one = *new opened<lapack>(usual_place("LAPACK", "SINTER_LAPACK",
                                                     {"libopenblas.so.0", "libopenblas.so", "liblapack.so.3"},
                                                     "libopenblas0-pthread (Debian)", choose_openblas_core));
  return one.get(why, true);
}

namespace {

solver_fault fault_of(solver what, int info) {
  switch (what) {
    case solver::cholesky: return solver_fault::not_positive;
    case solver::triangular_solve: return solver_fault::singular_triangle;
    case solver::svd: return solver_fault::no_singular_values;
    case solver::eig:
      if (info == lapack_job<double>::not_finite) return solver_fault::not_finite;
      [[fallthrough]];
    case solver::eigh: return solver_fault::no_eigenvalues;
    default: return solver_fault::singular;
  }
}

const lapack& the_lapack() {
  std::string why;
  return *find_lapack(why);  // prepare_on_host has found it
}

void note(const solver_work& w, codegen::index_trouble& to, int info, std::int64_t which) {
  if (__atomic_exchange_n(&to.noted, codegen::index_trouble::no_result, __ATOMIC_RELAXED)) return;
  to.axis = static_cast<std::int32_t>(fault_of(w.of.what, info));
  to.index = info;
  to.extent = w.batch.elements() > 1 ? which : -1;
}

struct parts {
  const solver_work* work;
  codegen::index_trouble* note;
};

// Matrices that a thread takes together, and how many such groups there are.
std::int64_t together(const solver_work& w) { return is_small_system(w.of) ? small_systems_at_once(w.of.type) : 1; }
std::int64_t groups_of(const solver_work& w) { return divide_up(w.batch.elements(), together(w)); }

void solve_small_part(const solver_work& w, std::byte* scratch, std::int64_t begin, std::int64_t end,
                      codegen::index_trouble& to) {
  const std::int64_t at_once = small_systems_at_once(w.of.type);
  for (std::int64_t i = begin; i < end; i += at_once) {
    std::int32_t infos[most_at_once];
    const std::int64_t count = std::min(at_once, end - i);
    solve_small_on_host(w, scratch, i, count, infos);
    for (std::int64_t k = 0; w.of.checked && k < count; ++k)
      if (infos[k] != 0) note(w, to, infos[k], i + k);
  }
}

// One part of the batch.
void solve_part(void* with, std::int64_t number) {
  const parts& all = *static_cast<const parts*>(with);
  const solver_work& w = *all.work;
  const std::int64_t groups = groups_of(w), each = together(w), count = w.batch.elements();
  const std::int64_t begin = groups * number / w.parts * each,
                     end = std::min(count, groups * (number + 1) / w.parts * each);
  std::byte* const scratch = w.scratch + static_cast<std::size_t>(number) * w.scratch_size;
  if (is_small_system(w.of)) return solve_small_part(w, scratch, begin, end, *all.note);
  with_inexact(w.of.type, [&](auto of) {
    using T = typename decltype(of)::type;
    for (std::int64_t i = begin; i < end; ++i) {
      lapack_job<T> one(the_lapack().of<T>(), w, scratch, i);
      const int info = one.run();
      if (info == 0) continue;
      one.fill_with_nan();
      note(w, *all.note, info, i);
    }
  });
}

// A rough count of a matrix's operations.
double operations(const solver_problem& p) {
  const double n = static_cast<double>(std::max({p.rows, p.columns, p.right}));
  return n * n * n / (is_small_system(p) ? small_systems_at_once(p.type) : 1);
}
// Of what LAPACK shares out among threads itself there is enough in one matrix. They wait for each other at every step, so that a
// factorisation of 400 x 400 gains nothing by two of them; columns of a right side are shared out at once.
bool is_shared_by_library(const solver_problem& p) {
  const bool has_many_columns = p.right >= p.rows / 2 && p.right > 1;
  return operations(p) > (has_many_columns ? 4'000'000 : 60'000'000);
}

std::int64_t parts_for(const solver_work& w) {
  constexpr double worth_a_thread = 20'000;  // operations
  const std::int64_t count = w.batch.elements();
  const bool is_little = operations(w.of) * static_cast<double>(count) < worth_a_thread;
  return is_little || is_shared_by_library(w.of) ? 1 : std::min<std::int64_t>(groups_of(w), host_threads());
}

}  // namespace

bool prepare_on_host(solver_work& w, std::string& why) {
  constexpr std::int64_t most = 0x7fffffff;
  w.parts = parts_for(w);
  if (is_small_system(w.of)) return w.scratch_size = small_systems_scratch(w.of), true;
  if (std::max({w.of.rows, w.of.columns, w.of.right}) > most) return why = "LAPACK counts in 32 bits", false;
  const lapack* const by = find_lapack(why);
  if (!by) return false;
  const bool fits = with_inexact(w.of.type, [&](auto of) {
    using T = typename decltype(of)::type;
    if (!lapack_job<T>(by->of<T>(), w, nullptr, 0).ask_for_sizes(w)) return false;
    lapack_job<T> counted(by->of<T>(), w, nullptr, 0);
    counted.run();
    w.scratch_size = counted.used();
    return true;
  });
  if (!fits) why = "LAPACK counts in 32 bits";
  return fits;
}

void solve_on_host(const solver_work& w) noexcept {
  parts all{&w, w.device->index_note()};
  std::optional<unshared_calls> alone;
  std::optional<shared_call> shared;
  if (!is_small_system(w.of)) {
    if (is_shared_by_library(w.of) && !shared_call::cores_are_taken()) shared.emplace();
    else alone.emplace(the_lapack());
  }
  if (w.parts == 1) return solve_part(&all, 0);
  run_on_threads(w.parts, &solve_part, &all);
}

bool solve_on_cpu(solver_work w, stream_state& on, std::string& why) {
  if (!prepare_on_host(w, why)) return false;
  const storage_holder scratch(make_storage(w.scratch_size * static_cast<std::size_t>(w.parts), on));
  w.scratch = scratch.get()->data;
  call_with([](void* with) noexcept { solve_on_host(*static_cast<const solver_work*>(with)); }, w, on);
  if (!capture_of(on)) report(*on.device.index_note());
  return true;
}

}  // namespace sinter::runtime
