// A stand-in for cuSOLVER: factorisations by LAPACK, which run on the driver's streams in the order that these allow. None may be captured,
// each wants the work areas that it has asked for, and those that say so use one on the host until they have run.
#include <limits>
#include <new>
#include <tuple>
#include <type_traits>

#include "entry.hpp"
#include "lapack.hpp"

namespace softgpu {
namespace {

struct solver_handle {
  cu_stream stream = nullptr;
};
struct nothing {};

constexpr int no_driver = 1, no_memory = 2, invalid = 3, failed = 6;  // of cusolverStatus_t
constexpr std::size_t area_size = 512, host_size = 64;

int status_of(cu_result r) {
  return r == 0 ? 0 : r == invalid_value ? invalid : r == out_of_memory ? no_memory : failed;
}

/// What a call works in, as it was given.
struct areas {
  void* device;
  std::size_t size;
  void* host = nullptr;
  std::size_t host_size = 0;
  bool fit(std::size_t wanted, std::size_t on_host = 0) const {
    return device && size >= wanted && host_size >= on_host && (on_host == 0 || host);
  }
  bool touched(execution& by, std::size_t wanted) const {
    const auto on_host = reinterpret_cast<address>(host);
    const bool is_watched = host && by.on.memory.find(on_host);  // any memory of the host will do
    return touches(by, reinterpret_cast<address>(device), wanted, touch::write) &&
           (!is_watched || touches(by, on_host, host_size, touch::write));
  }
};

template <class Body>
int start(const char* name, solver_handle* handle, bool is_allowed, Body body) {
  return status_of(in_stream({name, needs::context}, handle->stream, [&](call_context c, stream& s) -> result {
    if (const result refused = capture_refuses(s)) return refused;
    if (!is_allowed) return invalid_value;
    return submit(c.on, s, std::make_shared<library_work>(name, std::function<result(execution&)>(body)));
  }));
}

/// The same with an element of the type.
template <class Body>
int start_as(const char* name, solver_handle* handle, int type, bool is_allowed, Body body) {
  const bool known = with_type(type, [](auto) {});
  return start(name, handle, is_allowed && known, [=](execution& by) {
    result r = 0;
    with_type(type, [&](auto element) { r = body(by, element); });
    return r;
  });
}

template <class T>
T* of(void* at) {
  return static_cast<T*>(at);
}
int real_type_of(int type) { return type & 1; }

bool tell(execution& by, int* infos, int info) {
  if (!touches(by, infos, 1, touch::write)) return false;
  *infos = info;
  return true;
}

/// How many bytes a call wants.
int ask(const char* name, bool is_allowed, std::size_t* size, std::size_t* on_host, std::size_t wanted_on_host = 0) {
  return status_of(enter({name, needs::context}, [&](call_context) -> result {
    *size = area_size, *on_host = wanted_on_host;
    return is_allowed ? 0 : invalid_value;
  }));
}
int ask_count(const char* name, bool is_allowed, int* count) {
  std::size_t size = 0, host = 0;
  const int status = ask(name, is_allowed, &size, &host);
  *count = static_cast<int>(area_size / 4);
  return status;
}

template <class T>
int singular_values(execution& by, char job, const matrix_of<T>& a, real_of<T>* s, const matrix_of<T>& u,
                    const matrix_of<T>& v) {
  const bool touched = a.changed(by) && touches(by, s, std::min(a.rows, a.columns), touch::write) &&
                       (job == 'N' || (u.touched(by, touch::write) && v.touched(by, touch::write)));
  return touched ? find_singular(job, a, s, u, v) : -1000;
}

template <class T>
result symmetric(execution& by, bool vectors, bool lower, const matrix_of<T>& a, real_of<T>* w, int* info) {
  if (!a.changed(by) || !touches(by, w, a.rows, touch::write)) return illegal_address;
  return tell(by, info, find_symmetric(vectors, lower, a, w)) ? 0 : illegal_address;
}

/// In place, with conjugates.
template <class T>
void turn_over(const matrix_of<T>& square) {
  const auto conjugate = [](const T& x) {
    if constexpr (std::is_same_v<T, real_of<T>>) return x;
    else return std::conj(x);
  };
  for (std::int64_t c = 0; c < square.columns; ++c)
    for (std::int64_t r = 0; r <= c; ++r) {
      T &above = square(r, c), &below = square(c, r);
      std::tie(above, below) = std::pair(conjugate(below), conjugate(above));
    }
}
/// By how much, where the least is near 0.
template <class R>
double move_singular(R* s, std::int64_t count) {
  if (s[count - 1] >= s[0] * std::numeric_limits<R>::epsilon() * 1000) return 0;
  for (std::int64_t i = 0; i < count; ++i) s[i] += s[0];
  return static_cast<double>(s[0]) / 2;
}

int wait_for(const char* name, solver_handle* handle) {
  return status_of(
      in_stream({name, needs::context, illegal_address}, handle->stream, [](call_context c, stream& s) -> result {
        c.on.wait(c.held, s.queue->now);
        return 0;
      }));
}

}  // namespace

#define SOFTGPU_CUSOLVER extern "C" __attribute__((visibility("default"))) int

template <class T>
int create(const char* name, T** made) {
  const cu_result outcome = enter({name, needs::context, out_of_memory}, [&](call_context) -> result {
    if (!host_lapack()) return not_initialized;
    *made = new (std::nothrow) T;
    return *made ? 0 : out_of_memory;
  });
  return outcome == 0 ? 0 : outcome == out_of_memory ? no_memory : no_driver;
}

SOFTGPU_CUSOLVER cusolverDnCreate(solver_handle** handle) { return create("cusolverDnCreate", handle); }
SOFTGPU_CUSOLVER cusolverDnCreateParams(nothing** params) { return create("cusolverDnCreateParams", params); }
SOFTGPU_CUSOLVER cusolverDnCreateGesvdjInfo(nothing** params) { return create("cusolverDnCreateGesvdjInfo", params); }

SOFTGPU_CUSOLVER cusolverDnSetStream(solver_handle* handle, cu_stream stream) {
  return status_of(
      in_stream({"cusolverDnSetStream", needs::context}, stream, [&](call_context, softgpu::stream&) -> result {
        handle->stream = stream;
        return 0;
      }));
}

// ---- LU, Cholesky and QR

SOFTGPU_CUSOLVER cusolverDnXgetrf_bufferSize(solver_handle*, nothing*, std::int64_t m, std::int64_t n, int, const void*,
                                             std::int64_t lda, int, std::size_t* size, std::size_t* host) {
  return ask("cusolverDnXgetrf_bufferSize", m > 0 && n > 0 && lda >= m, size, host);
}
SOFTGPU_CUSOLVER cusolverDnXgetrf(solver_handle* handle, nothing*, std::int64_t m, std::int64_t n, int type, void* a,
                                  std::int64_t lda, std::int64_t* pivots, int compute, void* buffer, std::size_t size,
                                  void*, std::size_t, int* info) {
  const areas given{buffer, size};
  const bool allowed = m > 0 && n > 0 && lda >= m && compute == type && given.fit(area_size);
  return start_as("cusolverDnXgetrf", handle, type, allowed, [=](execution& by, auto element) -> result {
    using T = decltype(element);
    const matrix_of<T> matrix{of<T>(a), m, n, lda};
    const std::int64_t k = std::min(m, n);
    if (!given.touched(by, area_size) || !matrix.changed(by) || !touches(by, pivots, k, touch::write))
      return illegal_address;
    // Of a matrix with a NaN cuSOLVER's factors are numbers.
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < m; ++i)
        if (matrix(i, j) != matrix(i, j)) matrix(i, j) = 0;
    std::vector<int> found;
    const int said = factor_lu(matrix, found);
    std::copy(found.begin(), found.end(), pivots);
    return tell(by, info, said) ? 0 : illegal_address;
  });
}
SOFTGPU_CUSOLVER cusolverDnXpotrf_bufferSize(solver_handle*, nothing*, int part, std::int64_t n, int, const void*,
                                             std::int64_t lda, int, std::size_t* size, std::size_t* host) {
  return ask("cusolverDnXpotrf_bufferSize", part < 2 && n > 0 && lda >= n, size, host);
}
SOFTGPU_CUSOLVER cusolverDnXpotrf(solver_handle* handle, nothing*, int part, std::int64_t n, int type, void* a,
                                  std::int64_t lda, int compute, void* buffer, std::size_t size, void*, std::size_t,
                                  int* info) {
  const areas given{buffer, size};
  const bool allowed = part < 2 && n > 0 && lda >= n && compute == type && given.fit(area_size);
  return start_as("cusolverDnXpotrf", handle, type, allowed, [=](execution& by, auto element) -> result {
    using T = decltype(element);
    const matrix_of<T> matrix{of<T>(a), n, n, lda};
    if (!given.touched(by, area_size) || !matrix.changed(by)) return illegal_address;
    // The other triangle is not promised to stay.
    for (std::int64_t c = 0; c < n; ++c)
      for (std::int64_t r = 0; r < n; ++r)
        if (part == 0 ? r < c : r > c) matrix(r, c) = T(17);
    return tell(by, info, factor_cholesky(part == 0, matrix)) ? 0 : illegal_address;
  });
}

SOFTGPU_CUSOLVER cusolverDnXgeqrf_bufferSize(solver_handle*, nothing*, std::int64_t m, std::int64_t n, int, const void*,
                                             std::int64_t lda, int, const void*, int, std::size_t* size,
                                             std::size_t* host) {
  return ask("cusolverDnXgeqrf_bufferSize", m > 0 && n > 0 && lda >= m, size, host);
}
SOFTGPU_CUSOLVER cusolverDnXgeqrf(solver_handle* handle, nothing*, std::int64_t m, std::int64_t n, int type, void* a,
                                  std::int64_t lda, int tau_type, void* tau, int compute, void* buffer,
                                  std::size_t size, void*, std::size_t, int* info) {
  const areas given{buffer, size};
  const bool allowed = m > 0 && n > 0 && lda >= m && compute == type && tau_type == type && given.fit(area_size);
  return start_as("cusolverDnXgeqrf", handle, type, allowed, [=](execution& by, auto element) -> result {
    using T = decltype(element);
    const matrix_of<T> matrix{of<T>(a), m, n, lda};
    if (!given.touched(by, area_size) || !matrix.changed(by) || !touches(by, of<T>(tau), std::min(m, n), touch::write))
      return illegal_address;
    return tell(by, info, factor_qr(matrix, of<T>(tau))) ? 0 : illegal_address;
  });
}

// ---- singular values and eigenvalues

SOFTGPU_CUSOLVER cusolverDnXgesvd_bufferSize(solver_handle*, nothing*, signed char, signed char, std::int64_t m,
                                             std::int64_t n, int, const void*, std::int64_t lda, int, const void*, int,
                                             const void*, std::int64_t, int, const void*, std::int64_t, int,
                                             std::size_t* size, std::size_t* host) {
  return ask("cusolverDnXgesvd_bufferSize", m >= n && n > 0 && lda >= m, size, host, host_size);
}
SOFTGPU_CUSOLVER cusolverDnXgesvd(solver_handle* handle, nothing*, signed char u_job, signed char v_job, std::int64_t m,
                                  std::int64_t n, int type, void* a, std::int64_t lda, int s_type, void* s, int u_type,
                                  void* u, std::int64_t ldu, int v_type, void* v, std::int64_t ldv, int compute,
                                  void* buffer, std::size_t size, void* host, std::size_t on_host, int* info) {
  const areas given{buffer, size, host, on_host};
  const bool allowed = m >= n && n > 0 && lda >= m && u_job == v_job && s_type == real_type_of(type) &&
                       u_type == type && v_type == type && compute == type && given.fit(area_size, host_size) &&
                       (u_job == 'N' || (ldu >= m && ldv >= n));
  return start_as("cusolverDnXgesvd", handle, type, allowed, [=](execution& by, auto element) -> result {
    using T = decltype(element);
    const std::int64_t columns = u_job == 'N' ? 0 : u_job == 'A' ? m : n;
    if (!given.touched(by, area_size)) return illegal_address;
    const int said = singular_values<T>(by, static_cast<char>(u_job), {of<T>(a), m, n, lda}, of<real_of<T>>(s),
                                        {of<T>(u), m, columns, ldu}, {of<T>(v), n, u_job == 'N' ? 0 : n, ldv});
    return said != -1000 && tell(by, info, said) ? 0 : illegal_address;
  });
}

// It keeps the caller, to say how far the decomposed matrix is from the one that was given: where the least singular value is near 0 that
// is another one.
SOFTGPU_CUSOLVER cusolverDnXgesvdp_bufferSize(solver_handle*, nothing*, int job, int economic, std::int64_t m,
                                              std::int64_t n, int, const void*, std::int64_t lda, int, const void*, int,
                                              const void*, std::int64_t, int, const void*, std::int64_t, int,
                                              std::size_t* size, std::size_t* host) {
  const bool allowed = job < 2 && economic == 1 && m >= n && n > 0 && lda >= m;
  return ask("cusolverDnXgesvdp_bufferSize", allowed, size, host, host_size);
}
SOFTGPU_CUSOLVER cusolverDnXgesvdp(solver_handle* handle, nothing*, int job, int economic, std::int64_t m,
                                   std::int64_t n, int type, void* a, std::int64_t lda, int s_type, void* s, int u_type,
                                   void* u, std::int64_t ldu, int v_type, void* v, std::int64_t ldv, int compute,
                                   void* buffer, std::size_t size, void* host, std::size_t on_host, int* info,
                                   double* moved_by) {
  const areas given{buffer, size, host, on_host};
  const bool allowed = job < 2 && economic == 1 && m >= n && n > 0 && lda >= m && s_type == real_type_of(type) &&
                       u_type == type && v_type == type && compute == type && given.fit(area_size, host_size) && u &&
                       v && ldu >= m && ldv >= n;
  const auto body = [=](execution& by, auto element) -> result {
    using T = decltype(element);
    if (!given.touched(by, area_size)) return illegal_address;
    // It writes vectors that are not asked for, too.
    const matrix_of<T> right{of<T>(v), n, n, ldv};
    const int said =
        singular_values<T>(by, 'S', {of<T>(a), m, n, lda}, of<real_of<T>>(s), {of<T>(u), m, n, ldu}, right);
    if (said == -1000 || !tell(by, info, said)) return illegal_address;
    turn_over(right);
    *moved_by = move_singular(of<real_of<T>>(s), n);
    return 0;
  };
  const int status = start_as("cusolverDnXgesvdp", handle, type, allowed, body);
  return status != 0 ? status : wait_for("cusolverDnXgesvdp, waiting", handle);
}

SOFTGPU_CUSOLVER cusolverDnXsyevd_bufferSize(solver_handle*, nothing*, int job, int part, std::int64_t n, int,
                                             const void*, std::int64_t lda, int, const void*, int, std::size_t* size,
                                             std::size_t* host) {
  return ask("cusolverDnXsyevd_bufferSize", job < 2 && part < 2 && n > 0 && lda >= n, size, host, host_size);
}
SOFTGPU_CUSOLVER cusolverDnXsyevd(solver_handle* handle, nothing*, int job, int part, std::int64_t n, int type, void* a,
                                  std::int64_t lda, int w_type, void* w, int compute, void* buffer, std::size_t size,
                                  void* host, std::size_t on_host, int* info) {
  const areas given{buffer, size, host, on_host};
  const bool allowed =
      n > 0 && lda >= n && w_type == real_type_of(type) && compute == type && given.fit(area_size, host_size);
  return start_as("cusolverDnXsyevd", handle, type, allowed, [=](execution& by, auto element) -> result {
    using T = decltype(element);
    if (!given.touched(by, area_size)) return illegal_address;
    return symmetric<T>(by, job == 1, part == 0, {of<T>(a), n, n, lda}, of<real_of<T>>(w), info);
  });
}
SOFTGPU_CUSOLVER cusolverDnXsyevBatched_bufferSize(solver_handle*, nothing*, int job, int part, std::int64_t n, int,
                                                   const void*, std::int64_t lda, int, const void*, int,
                                                   std::size_t* size, std::size_t* host, std::int64_t batch) {
  return ask("cusolverDnXsyevBatched_bufferSize", job < 2 && part < 2 && n > 0 && lda >= n && batch > 0, size, host);
}
SOFTGPU_CUSOLVER cusolverDnXsyevBatched(solver_handle* handle, nothing*, int job, int part, std::int64_t n, int type,
                                        void* a, std::int64_t lda, int w_type, void* w, int compute, void* buffer,
                                        std::size_t size, void*, std::size_t, int* infos, std::int64_t batch) {
  const areas given{buffer, size};
  const bool allowed = n > 0 && lda == n && w_type == real_type_of(type) && compute == type && given.fit(area_size);
  return start_as("cusolverDnXsyevBatched", handle, type, allowed, [=](execution& by, auto element) -> result {
    using T = decltype(element);
    if (!given.touched(by, area_size)) return illegal_address;
    for (std::int64_t i = 0; i < batch; ++i)
      if (const result r = symmetric<T>(by, job == 1, part == 0, {of<T>(a) + i * n * n, n, n, n},
                                        of<real_of<T>>(w) + i * n, infos + i))
        return r;
    return 0;
  });
}

// ---- a function for each type

namespace {

template <class T>
int orgqr(const char* name, solver_handle* h, int m, int n, int k, T* a, int lda, const T* tau, T* work, int lwork,
          int* info) {
  const areas given{work, static_cast<std::size_t>(lwork) * 4};
  return start(name, h, m >= n && n >= k && k > 0 && lda >= m && given.fit(area_size), [=](execution& by) -> result {
    const matrix_of<T> q{a, m, n, lda}, reflections{a, m, k, lda};
    if (!given.touched(by, area_size) || !reflections.touched(by, touch::read) || !q.touched(by, touch::write) ||
        !touches(by, tau, k, touch::read))
      return illegal_address;
    return tell(by, info, make_orthogonal(q, k, tau)) ? 0 : illegal_address;
  });
}

template <class T>
int potrf_batched(const char* name, solver_handle* h, int part, int n, T* const* all, int lda, int* infos, int batch) {
  return start(name, h, part < 2 && n > 0 && lda >= n && batch > 0, [=](execution& by) -> result {
    if (!touches(by, all, batch, touch::read)) return illegal_address;
    for (int i = 0; i < batch; ++i) {
      const matrix_of<T> a{all[i], n, n, lda};
      if (!a.changed(by) || !tell(by, infos + i, factor_cholesky(part == 0, a))) return illegal_address;
    }
    return 0;
  });
}

template <class T>
int gesvdj_batched(const char* name, solver_handle* h, int job, int m, int n, T* a, int lda, real_of<T>* s, T* u,
                   int ldu, T* v, int ldv, T* work, int lwork, int* infos, int batch) {
  const areas given{work, static_cast<std::size_t>(lwork) * 4};
  const bool allowed = m > 0 && n > 0 && m <= 32 && n <= 32 && lda >= m && ldu >= m && ldv >= n && batch > 0;
  return start(name, h, allowed && given.fit(area_size), [=](execution& by) -> result {
    if (!given.touched(by, area_size)) return illegal_address;
    const std::int64_t k = std::min(m, n);
    std::vector<T> turned(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < batch; ++i) {
      const matrix_of<T> matrix{a + i * lda * n, m, n, lda}, left{u + i * ldu * m, m, m, ldu},
          right{v + i * ldv * n, n, n, ldv}, adjoint{turned.data(), n, n, n};
      if (!matrix.changed(by) || !touches(by, s + i * k, k, touch::write)) return illegal_address;
      if (job == 1 && (!left.touched(by, touch::write) || !right.touched(by, touch::write))) return illegal_address;
      const int said = find_singular(job == 1 ? 'A' : 'N', matrix, s + i * k, left, adjoint);
      for (std::int64_t r = 0; job == 1 && r < n; ++r)
        for (std::int64_t c = 0; c < n; ++c) right(r, c) = conjugate(adjoint(c, r));
      if (!tell(by, infos + i, said)) return illegal_address;
    }
    return 0;
  });
}

}  // namespace

#define SOFTGPU_CUSOLVER_OF(L, O, T)                                                                                   \
  SOFTGPU_CUSOLVER cusolverDn##L##O##gqr_bufferSize(solver_handle*, int m, int n, int k, const T*, int lda, const T*,  \
                                                    int* count) {                                                      \
    return ask_count("cusolverDn" #L#O "gqr_bufferSize", m >= n && n >= k && k > 0 && lda >= m, count);                \
  }                                                                                                                    \
  SOFTGPU_CUSOLVER cusolverDn##L##O##gqr(solver_handle* h, int m, int n, int k, T* a, int lda, const T* tau, T* work,  \
                                         int lwork, int* info) {                                                       \
    return orgqr("cusolverDn" #L#O "gqr", h, m, n, k, a, lda, tau, work, lwork, info);                                 \
  }                                                                                                                    \
  SOFTGPU_CUSOLVER cusolverDn##L##potrfBatched(solver_handle* h, int part, int n, T* const* a, int lda, int* infos,    \
                                               int batch) {                                                            \
    return potrf_batched("cusolverDn" #L "potrfBatched", h, part, n, a, lda, infos, batch);                            \
  }                                                                                                                    \
  SOFTGPU_CUSOLVER cusolverDn##L##gesvdjBatched_bufferSize(solver_handle*, int, int m, int n, const T*, int,           \
                                                           const void*, const T*, int, const T*, int, int* count,      \
                                                           nothing*, int batch) {                                      \
    return ask_count("cusolverDn" #L "gesvdjBatched_bufferSize", m <= 32 && n <= 32 && batch > 0, count);              \
  }                                                                                                                    \
  SOFTGPU_CUSOLVER cusolverDn##L##gesvdjBatched(solver_handle* h, int job, int m, int n, T* a, int lda, real_of<T>* s, \
                                                T* u, int ldu, T* v, int ldv, T* work, int lwork, int* infos,          \
                                                nothing*, int batch) {                                                 \
    return gesvdj_batched("cusolverDn" #L "gesvdjBatched", h, job, m, n, a, lda, s, u, ldu, v, ldv, work, lwork,       \
                          infos, batch);                                                                               \
  }
SOFTGPU_CUSOLVER_OF(S, or, float)
SOFTGPU_CUSOLVER_OF(D, or, double)
SOFTGPU_CUSOLVER_OF(C, un, std::complex<float>)
SOFTGPU_CUSOLVER_OF(Z, un, std::complex<double>)
#undef SOFTGPU_CUSOLVER_OF
#undef SOFTGPU_CUSOLVER

}  // namespace softgpu
