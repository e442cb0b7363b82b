// A stand-in for cuDSS: LU factors of the whole matrix by LAPACK. Like the library, it knows no conjugated matrices, solves for several columns
// only where any order will do, keeps a block of memory that it has asked for, which every solution writes, and replaces pivots of 0.
#include <memory>
#include <new>

#include "entry.hpp"
#include "lapack.hpp"
#include "runtime/library/cuda/cudss.hpp"

namespace softgpu {
namespace {

namespace dss = sinter::runtime::dss;
using sinter::runtime::dss_memory;

constexpr int invalid = 3, failed = 5;  // of cudssStatus_t
constexpr std::size_t area_size = 256;

int status_of(cu_result r) {
  switch (r) {
    case 0: return dss::success;
    case out_of_memory: return dss::no_memory;
    case invalid_value: return invalid;
    case not_supported: return dss::not_supported;
    default: return failed;
  }
}

struct handle {
  cu_stream stream = nullptr;
  bool is_placed = false;  // the library stays on its first stream, whatever it is told
  dss_memory memory = {};
};
struct config {
  int mode = 0;
  bool in_order = false;
};
struct matrix {
  std::int64_t rows, columns, entries;
  const std::int32_t *starts, *indices;
  const void* values;
  int type;
};
/// What solutions need of a factorisation: they may run when its owner has gone.
struct factors {
  std::vector<std::byte> elements;
  std::vector<int> pivots;
  int replaced = 0;
};
struct data {
  void* area = nullptr;
  bool is_analysed = false;
  std::shared_ptr<factors> made;
};

template <class T>
result factor(execution& by, const matrix& a, factors& to) {
  const auto n = a.rows;
  if (!touches(by, a.starts, n + 1, touch::read) || !touches(by, a.indices, a.entries, touch::read) ||
      !touches(by, static_cast<const T*>(a.values), a.entries, touch::read))
    return illegal_address;
  to.elements.assign(static_cast<std::size_t>(n * n) * sizeof(T), std::byte{});
  const matrix_of<T> whole{reinterpret_cast<T*>(to.elements.data()), n, n, n};
  for (std::int64_t r = 0; r < n; ++r)
    for (std::int64_t k = a.starts[r]; k < a.starts[r + 1]; ++k)
      whole(r, a.indices[k]) = static_cast<const T*>(a.values)[k];
  to.replaced = 0;
  factor_lu(whole, to.pivots);
  for (std::int64_t r = 0; r < n; ++r)
    if (whole(r, r) == T()) whole(r, r) = T(1e-13), ++to.replaced;
  return 0;
}
template <class T>
result solve(execution& by, const factors& f, const matrix& x, const matrix& b, bool transposed) {
  const auto size = b.rows * b.columns;
  if (!touches(by, static_cast<const T*>(b.values), size, touch::read) ||
      !touches(by, static_cast<const T*>(x.values), size, touch::write))
    return illegal_address;
  const matrix_of<T> to{static_cast<T*>(const_cast<void*>(x.values)), x.rows, x.columns, x.rows};
  std::copy_n(static_cast<const T*>(b.values), size, to.at);
  const matrix_of<T> whole{reinterpret_cast<T*>(const_cast<std::byte*>(f.elements.data())), b.rows, b.rows, b.rows};
  return solve_lu(transposed ? 1 : 0, whole, f.pivots, to) == 0 ? 0 : invalid_value;
}

template <class T, class... A>
int create(const char* name, T** made, A... with) {
  return status_of(enter({name, needs::nothing, out_of_memory}, [&](call_context) -> result {
    *made = new (std::nothrow) T{with...};
    return *made ? 0 : out_of_memory;
  }));
}

}  // namespace

#define SOFTGPU_CUDSS extern "C" __attribute__((visibility("default"))) int

SOFTGPU_CUDSS cudssGetProperty(int which, int* value) { return *value = which == 0, dss::success; }
SOFTGPU_CUDSS cudssCreate(handle** made) {
  if (!host_lapack()) return dss::not_initialized;
  return create("cudssCreate", made);
}
SOFTGPU_CUDSS cudssDestroy(handle* h) { return delete h, dss::success; }
SOFTGPU_CUDSS cudssSetStream(handle* h, cu_stream to) {
  return status_of(in_stream({"cudssSetStream", needs::context}, to, [&](call_context, softgpu::stream&) -> result {
    if (!h->is_placed) h->stream = to;
    return h->is_placed = true, 0;
  }));
}
SOFTGPU_CUDSS cudssSetThreadingLayer(handle*, const char*) { return invalid; }
SOFTGPU_CUDSS cudssSetDeviceMemHandler(handle* h, const dss_memory* from) {
  return status_of(enter({"cudssSetDeviceMemHandler", needs::nothing}, [&](call_context) -> result {
    h->memory = *from;
    return 0;
  }));
}
SOFTGPU_CUDSS cudssConfigCreate(config** made) { return create("cudssConfigCreate", made); }
SOFTGPU_CUDSS cudssConfigDestroy(config* c) { return delete c, dss::success; }
SOFTGPU_CUDSS cudssConfigSet(config* c, int setting, const void* value, std::size_t size) {
  return status_of(enter({"cudssConfigSet", needs::nothing}, [&](call_context) -> result {
    if (size != sizeof(int)) return invalid_value;
    const int wanted = *static_cast<const int*>(value);
    if (setting == dss::solve_mode) c->mode = wanted;
    else if (setting == dss::deterministic_mode) c->in_order = wanted;
    else return invalid_value;
    return 0;
  }));
}
SOFTGPU_CUDSS cudssDataCreate(handle*, data** made) { return create("cudssDataCreate", made); }
SOFTGPU_CUDSS cudssDataDestroy(handle* h, data* d) {
  if (d->area) h->memory.free(h->memory.self, d->area, area_size, h->stream);
  return delete d, dss::success;
}
SOFTGPU_CUDSS cudssDataGet(handle*, data* d, int which, void* value, std::size_t, std::size_t* written) {
  return status_of(enter({"cudssDataGet", needs::context}, [&](call_context) -> result {
    if (!d->made) return invalid_value;
    *static_cast<int*>(value) = which == dss::pivots_replaced ? d->made->replaced : 0;
    *written = sizeof(int);
    return 0;
  }));
}
SOFTGPU_CUDSS cudssMatrixCreateDn(matrix** made, std::int64_t rows, std::int64_t columns, std::int64_t, const void* at,
                                  int type, int) {
  return create("cudssMatrixCreateDn", made, rows, columns, std::int64_t{0}, nullptr, nullptr, at, type);
}
SOFTGPU_CUDSS cudssMatrixCreateCsr(matrix** made, std::int64_t rows, std::int64_t columns, std::int64_t entries,
                                   const void* starts, const void*, const void* indices, const void* values, int index,
                                   int, int type, int, int, int) {
  if (index != dss::int32) return dss::not_supported;
  return create("cudssMatrixCreateCsr", made, rows, columns, entries, static_cast<const std::int32_t*>(starts),
                static_cast<const std::int32_t*>(indices), values, type);
}
SOFTGPU_CUDSS cudssMatrixDestroy(matrix* m) { return delete m, dss::success; }
SOFTGPU_CUDSS cudssMatrixSetValues(matrix* m, const void* values) {
  return status_of(enter({"cudssMatrixSetValues", needs::nothing}, [&](call_context) -> result {
    m->values = values;
    return 0;
  }));
}

namespace {

int start(const char* name, handle* h, std::function<result(execution&)> body) {
  return status_of(in_stream({name, needs::context}, h->stream, [&](call_context c, stream& s) -> result {
    return submit(c.on, s, std::make_shared<library_work>(name, std::move(body)));
  }));
}

int start_factors(handle* h, data* d, const matrix& a) {
  if (!d->area && h->memory.allocate(h->memory.self, &d->area, area_size, h->stream) != 0) return dss::no_memory;
  d->made = std::make_shared<factors>();
  return start("cudssExecute, factorization", h, [a, to = d->made](execution& by) -> result {
    result r = invalid_value;
    with_type(a.type, [&](auto element) { r = factor<decltype(element)>(by, a, *to); });
    return r;
  });
}

}  // namespace

SOFTGPU_CUDSS cudssExecute(handle* h, int phase, config* c, data* d, matrix* a, matrix* x, matrix* b) {
  if (phase == dss::analysis) {
    return status_of(
        in_stream({"cudssExecute, analysis", needs::context}, h->stream, [&](call_context, stream& s) -> result {
          if (const result refused = capture_refuses(s)) return refused;
          d->is_analysed = a->values && x->values && b->values;
          return d->is_analysed ? 0 : invalid_value;
        }));
  }
  if (phase == dss::factorization || phase == dss::refactorization)
    return d->is_analysed && !d->made == (phase == dss::factorization) ? start_factors(h, d, *a) : invalid;
  if (phase != dss::solution || !d->made || c->mode > 1 || (c->in_order && b->columns > 1)) return dss::not_supported;
  return start(
      "cudssExecute, solution", h,
      [to = *x, from = *b, by_factors = d->made, area = d->area, transposed = c->mode == 1](execution& by) -> result {
        if (!touches(by, reinterpret_cast<address>(area), area_size, touch::write)) return illegal_address;
        result r = invalid_value;
        with_type(from.type,
                  [&](auto element) { r = solve<decltype(element)>(by, *by_factors, to, from, transposed); });
        return r;
      });
}

}  // namespace softgpu
