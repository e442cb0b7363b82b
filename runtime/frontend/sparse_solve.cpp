// Systems of equations with sparse matrices: by factors of the host, to which a device's arrays are brought, or, where cuDSS is there, of
// a GPU.
#include <sinter/sparse_solve.hpp>

#include <complex>
#include <limits>
#include <memory>
#include <new>

#include <sinter/error.hpp>
#include <sinter/eval.hpp>

#include "runtime/device/device.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/sparse_entries.hpp"
#include "runtime/library/sparse_factors.hpp"
#include "runtime/log.hpp"
#include "runtime/stream/capture.hpp"
#include "runtime/stream/current.hpp"

namespace sinter::runtime {

namespace {

struct kept_factors final : detail::sparse_factors {
  std::int64_t size = 0;
  dtype type = dtype::float64;             // that it is computed in
  std::unique_ptr<const host_factors> lu;  // null: of no rows, or of a GPU
  std::shared_ptr<gpu_factors> of_gpu;
  sinter::device on;  // where those are
};

}  // namespace
}  // namespace sinter::runtime

namespace sinter::detail {

using runtime::list, runtime::place_list, runtime::read_places, runtime::structure_of, runtime::term;
using sparse::format;

namespace {

runtime::kept_factors& kept(sparse_factors* f) { return *static_cast<runtime::kept_factors*>(f); }

template <class F>
auto of_solved_type(dtype t, F f) {
  switch (t) {
    case dtype::float32: return f(float());
    case dtype::complex64: return f(std::complex<float>());
    case dtype::complex128: return f(std::complex<double>());
    default: return f(double());
  }
}

template <class T>
list<T> read_elements(const term& t) {
  list<T> all(static_cast<std::size_t>(t.extents().elements()));
  if (!all.empty()) read_all(t.get(), all.data(), all.size(), {}, where{});
  return all;
}

// Of single numbers, too: there is one text of the factors for real ones, and one for complex ones.
dtype computed_in(dtype t) { return is_complex(t) ? dtype::complex128 : dtype::float64; }

void require_square(const shape& s, const char* what) {
  if (s[0] != s[1])
    throw shape_error(message("sinter: %s of a sparse array of shape %s", what, to_string(s).c_str()).c_str());
}
void require_right_side(const term& b, std::int64_t size, const char* what) {
  if (b.rank() < 1 || b.rank() > 2 || b.extent(0) != size)
    throw shape_error(message("sinter: %s with a sparse array of shape (%lld, %lld) and a right side of shape %s", what,
                              static_cast<long long>(size), static_cast<long long>(size),
                              to_string(b.extents()).c_str())
                          .c_str());
}

// A matrix' columns one after the other, as they lie in memory, and back.
term columns_of(const term& b) { return b.rank() == 1 ? b : term::made(make_transpose(b.get(), nullptr, 0)); }
node* from_columns(const void* elements, dtype type, const term& b) {
  const device_scope on(device_of(b.get()));
  const shape turned = b.rank() == 1 ? b.extents() : shape{b.extent(1), b.extent(0)};
  const term x = columns_of(term::made(make_from_host(type, turned, elements)));
  return evaluate(runtime::astype(x, b.type()).get(), where{});
}

// ---- factors of a GPU

// Below, the host is done before cuDSS has begun.
constexpr std::int64_t least_of_gpu = 256;

// Null: the host is to do it.
std::shared_ptr<runtime::gpu_factors> factored_on_gpu(const sparse_parts& p, runtime::gpu_factors_kind k) {
  const runtime::sparse_structure& given = structure_of(p.structure);
  if (given.rows() < least_of_gpu || given.entries->device().type() != device::kind::cuda) return nullptr;
  if (runtime::chosen.capture) runtime::refuse_captured_wait("splu", {});
  std::string why = "there are too many entries for cuDSS";
  const bool fits = given.entries->count <= std::numeric_limits<std::int32_t>::max();
  if (!fits || !runtime::has_gpu_factors(runtime::implementation(given.entries->device()), why)) {
    runtime::log(1, "splu: on the host, as %s", why.c_str());
    return nullptr;
  }
  const sparse_parts rows = sum_duplicates(convert(p, format::csr));
  const runtime::sparse_entries& e = *structure_of(rows.structure).entries;
  const term values = runtime::astype(term(rows.data), k.type);
  std::shared_ptr<runtime::gpu_factors> made = e.take_factors(k);
  // What was found with other values may not do for these.
  if (!made || !made->factor(values)) {
    const auto narrow = [](const handle& n) {
      return runtime::evaluated(runtime::astype(term(n), dtype::int32)).held();
    };
    made = runtime::make_gpu_factors({e.majors, e.count, narrow(e.major), narrow(e.minor)}, k, why);
    if (!made) runtime::log(1, "splu: on the host, as %s", why.c_str());
    if (!made || !made->factor(values)) return nullptr;
  }
  e.keep(made);
  return made;
}

// Of b as it is, or of all columns of b, each without gaps.
term solved_on_gpu(const runtime::kept_factors& f, const term& b, linalg::transposition how) {
  const bool conjugated = how == linalg::transposition::conjugated && is_complex(f.type);
  const auto as_wanted = [&](const term& x) { return conjugated ? runtime::apply(op::conjugate, {x}) : x; };
  const term columns = columns_of(runtime::astype(as_wanted(b), f.type));
  return columns_of(as_wanted(runtime::solved_by(f.of_gpu, columns, how != linalg::transposition::none)));
}

// ---- triangles

// Rows of a triangle, from the one that has one unknown.
template <class T>
class triangle {
 public:
  triangle(const sparse_parts& p, bool lower, bool unit_diagonal) : lower_(lower), unit_(unit_diagonal) {
    const sparse_parts rows = sum_duplicates(convert(p, format::csr));
    const runtime::sparse_entries& e = *structure_of(rows.structure).entries;
    starts_ = read_places(e.major);
    columns_ = read_places(e.minor);
    values_ = read_elements<T>(term(rows.data));
  }
  // The elements of b become those of x: `count` of them in each row, beside each other.
  void solve(T* b, std::int64_t count) const {
    const std::int64_t n = static_cast<std::int64_t>(starts_.size()) - 1;
    for (std::int64_t step = 0; step < n; ++step) {
      const std::int64_t row = lower_ ? step : n - 1 - step;
      T* const mine = b + row * count;
      const T diagonal = eliminate(row, b, mine, count);
      if (unit_) continue;
      for (std::int64_t i = 0; i < count; ++i) mine[i] /= diagonal;
    }
  }

 private:
  // Takes away what is known already. Gives the diagonal's element.
  T eliminate(std::int64_t row, const T* b, T* mine, std::int64_t count) const {
    T diagonal{};
    for (auto k = static_cast<std::size_t>(starts_[static_cast<std::size_t>(row)]);
         k < static_cast<std::size_t>(starts_[static_cast<std::size_t>(row) + 1]); ++k) {
      const std::int64_t column = columns_[k];
      if (column == row) diagonal = values_[k];
      if (lower_ ? column >= row : column <= row) continue;
      const T* const known = b + column * count;
      for (std::int64_t i = 0; i < count; ++i) mine[i] -= values_[k] * known[i];
    }
    if (!unit_ && diagonal == T())
      throw linalg_error(
          message("sinter: spsolve_triangular: element %lld of the diagonal is 0", static_cast<long long>(row))
              .c_str());
    return diagonal;
  }

  const bool lower_, unit_;
  place_list starts_, columns_;
  list<T> values_;
};

}  // namespace

void retain(sparse_factors* f) noexcept { __atomic_fetch_add(&f->references, 1, __ATOMIC_RELAXED); }
void release(sparse_factors* f) noexcept {
  if (__atomic_sub_fetch(&f->references, 1, __ATOMIC_ACQ_REL) == 0) delete &kept(f);
}

factors_handle factor_sparse(const sparse_parts& p, bool in_any_order) try {
  const shape s = structure_of(p.structure).extents();
  require_square(s, "splu");
  const dtype type = computed_in(term(p.data).type());
  auto made = std::make_unique<runtime::kept_factors>();
  made->size = s[0];
  made->type = type;
  if (s[0] == 0) return factors_handle(made.release());
  made->on = structure_of(p.structure).entries->device();
  made->of_gpu = factored_on_gpu(p, {type, in_any_order});
  if (made->of_gpu) return factors_handle(made.release());
  const sparse_parts columns = sum_duplicates(convert(p, format::csc));
  const runtime::sparse_entries& e = *structure_of(columns.structure).entries;
  const term values = runtime::astype(term(columns.data), type);
  const place_list starts = read_places(e.major), rows = read_places(e.minor);
  of_solved_type(type, [&](auto v) {
    const auto elements = read_elements<decltype(v)>(values);
    made->lu = runtime::factor_on_cpu({is_complex(type), s[0], starts.data(), rows.data(), elements.data()});
  });
  return factors_handle(made.release());
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

shape shape_of_factors(const factors_handle& f) { return {kept(f.get()).size, kept(f.get()).size}; }

node* solve_with_factors(const factors_handle& f, handle right, linalg::transposition how) try {
  const runtime::kept_factors& factors = kept(f.get());
  const term b = runtime::evaluated(term(right));  // whose device the solution is for
  require_right_side(b, factors.size, "solve");
  if (factors.of_gpu) {
    const sinter::device to = device_of(b.get());
    const bool is_there = to == factors.on;
    const device_scope on(factors.on);
    const term there = is_there ? b : term::made(make_copy_on(b.get(), factors.on));
    const term x = runtime::astype(solved_on_gpu(factors, there, how), b.type());
    return is_there ? evaluate(x.get(), where{}) : make_copy_on(x.get(), to);
  }
  return of_solved_type(factors.type, [&](auto v) {
    auto columns = read_elements<decltype(v)>(columns_of(runtime::astype(b, factors.type)));
    if (!columns.empty()) factors.lu->solve(columns.data(), b.rank() == 1 ? 1 : b.extent(1), how);
    return from_columns(columns.data(), factors.type, b);
  });
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

node* solve_sparse_triangle(const sparse_parts& p, handle right, bool lower, bool unit_diagonal) try {
  const shape s = structure_of(p.structure).extents();
  require_square(s, "spsolve_triangular");
  const term b = runtime::evaluated(term(right));
  require_right_side(b, s[0], "spsolve_triangular");
  return of_solved_type(b.type(), [&](auto v) {
    using T = decltype(v);
    list<T> x = read_elements<T>(b);
    triangle<T>(p, lower, unit_diagonal).solve(x.data(), b.rank() == 1 ? 1 : b.extent(1));
    const device_scope on(device_of(b.get()));
    return make_from_host(b.type(), b.extents(), x.data());
  });
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

}  // namespace sinter::detail
