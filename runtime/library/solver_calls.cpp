#include "runtime/library/solver_calls.hpp"

#include <algorithm>

#include <sinter/error.hpp>

#include "codegen/ir/broadcast.hpp"
#include "runtime/counters.hpp"
#include "runtime/device/device.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/nodes.hpp"
#include "runtime/memory/storage.hpp"

namespace sinter::runtime {

using namespace detail;

namespace {

// What a problem is called, and how many axes each operand and result has behind those of the batch. 0: there is none; `right`: two, or
// one where it is a vector.
struct solver_row {
  const char* name;
  std::uint8_t operands[solver_work::most_arrays], results[solver_work::most_arrays];
};
constexpr std::uint8_t right = 3;
constexpr solver_row rows[] = {
    {"LU factorisation", {2}, {2, 1}},
    {"solution by LU factors", {2, 1, right}, {right}},
    {"solution of equations", {2, right}, {right}},
    {"permutation of pivots", {1}, {1}},
    {"Cholesky factorisation", {2}, {2}},
    {"solution by Cholesky factors", {2, right}, {right}},
    {"solution of triangular matrices", {2, right}, {right}},
    {"QR factorisation", {2}, {2, 1}},
    {"orthogonal factor", {2, 1}, {2}},
    {"singular value decomposition", {2}, {1, 2, 2}},
    {"symmetric eigenvalues", {2}, {1, 2}},
    {"eigenvalues", {2}, {1, 2}},
    {"solution of banded matrices", {2, right}, {right}},
};

int axes_of(std::uint8_t spelt, const solver_problem& p) { return spelt == right ? (p.is_vector ? 1 : 2) : spelt; }

solver_array lies(const array_node& a, int axes, const shape& batch) {
  solver_array s;
  const int own = a.extents.size() - axes;
  s.data = a.data();
  s.size = byte_size(a);
  s.down = axes > 0 ? a.strides[own] : 0;
  s.across = axes > 1 ? a.strides[own + 1] : 0;
  for (int d = 0; d < batch.size(); ++d) {
    const int mine = own - batch.size() + d;
    s.steps[d] = mine < 0 || a.extents[mine] != batch[d] ? 0 : a.strides[mine];
  }
  return s;
}

class solver_call final : public library_call {
 public:
  solver_call(const solver_problem& p, const shape& batch, const shape& of, std::initializer_list<result_type> r)
      : library_call(r), p_(p), batch_(batch), of_(of) {}

  std::string name() const override {
    return std::string(row().name) + " of " + sinter::name(p_.type) + " " + to_string(of_);
  }
  // The host copies what it works on, however that lies.
  bool takes(const array_node& a, int) const override { return !a.memory->device->asynchronous(); }

  void enqueue(call_operands operands, call_results made, stream_state& on) const override {
    solver_work w;
    w.of = p_;
    w.batch = batch_;
    w.device = &on.device;
    for (std::size_t i = 0; i < operands.size(); ++i)
      w.operands[i] = lies(*operands[i], axes_of(row().operands[i], p_), batch_);
    for (std::size_t i = 0; i < made.size(); ++i) w.results[i] = lies(*made[i], axes_of(row().results[i], p_), batch_);
    const bool is_empty =
        std::all_of(made.begin(), made.end(), [](const array_node* a) { return a->extents.elements() == 0; });
    if (is_empty) return;
    std::string why;
    const bool is_done = on.device.asynchronous() ? solve_on_gpu(w, on, why) : solve_on_cpu(w, on, why);
    if (!is_done) throw device_error(message("sinter: %s: %s", name().c_str(), why.c_str()).c_str());
    bump(counter::library_calls);
  }

 private:
  const solver_row& row() const { return rows[static_cast<int>(p_.what)]; }

  const solver_problem p_;
  const shape batch_, of_;
};

shape with_axes(shape batch, std::initializer_list<std::int64_t> extents) {
  if (batch.size() + static_cast<int>(extents.size()) > max_rank)
    throw shape_error("sinter: a result of more than 8 axes");
  for (const std::int64_t n : extents) {
    batch.set_size(batch.size() + 1);
    batch[batch.size() - 1] = n;
  }
  return batch;
}

}  // namespace

result_handles make_solver_calls(const solver_problem& p, std::initializer_list<term> operands) {
  const solver_row& row = rows[static_cast<int>(p.what)];
  shape batch;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    shape own = operands.begin()[i].extents();
    own.set_size(own.size() - axes_of(row.operands[i], p));
    if (!codegen::broadcast(batch, own))
      throw shape_error(message("sinter: %s of batches of shapes %s and %s", row.name, to_string(batch).c_str(),
                                to_string(own).c_str())
                            .c_str());
  }
  const dtype real = real_part_of(p.type), complex = real == dtype::float32 ? dtype::complex64 : dtype::complex128;
  const std::int64_t m = p.rows, n = p.columns, k = std::min(m, n);
  const auto is = [&](dtype t, std::initializer_list<std::int64_t> extents) {
    return result_type{t, with_axes(batch, extents)};
  };
  const auto of_right = [&] { return p.is_vector ? is(p.type, {n}) : is(p.type, {n, p.right}); };
  const shape& of = operands.begin()->extents();
  handle h[solver_work::most_arrays];
  int i = 0;
  for (const term& t : operands) h[i++] = t.held();
  const auto made = [&](std::initializer_list<result_type> results) {
    switch (operands.size()) {
      case 1: return make_calls<solver_call>({h[0]}, p, batch, of, results);
      case 2: return make_calls<solver_call>({h[0], h[1]}, p, batch, of, results);
      default: return make_calls<solver_call>({h[0], h[1], h[2]}, p, batch, of, results);
    }
  };
  switch (p.what) {
    case solver::lu: return made({is(p.type, {m, n}), is(dtype::int32, {k})});
    case solver::permutation: return made({is(dtype::int64, {m})});
    case solver::cholesky: return made({is(p.type, {n, n})});
    case solver::qr: return made({is(p.type, {n, m}), is(p.type, {k})});
    case solver::orthogonal: return made({is(p.type, {m, p.right})});
    case solver::svd:
      if (!p.vectors) return made({is(real, {k})});
      return made({is(real, {k}), is(p.type, {m, p.full ? m : k}), is(p.type, {p.full ? n : k, n})});
    case solver::eigh:
      if (!p.vectors) return made({is(real, {n})});
      return made({is(real, {n}), is(p.type, {n, n})});
    case solver::eig:
      if (!p.vectors) return made({is(complex, {n})});
      return made({is(complex, {n}), is(complex, {n, n})});
    default: return made({of_right()});
  }
}

term singular_values(const term& a) {
  solver_problem p{solver::svd, a.type()};
  p.rows = a.extent(a.rank() - 2), p.columns = a.extent(a.rank() - 1);
  return term(make_solver_calls(p, {a})[0]);
}

}  // namespace sinter::runtime
