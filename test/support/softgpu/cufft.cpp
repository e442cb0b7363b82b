// A stand-in for cuFFT: transforms factor by factor, which run on the driver's streams in the order that these allow. A plan has a table on
// the device, as the library's has: it is filled on the legacy default stream, for which a stream that does not block does not wait.
#include <cmath>
#include <complex>
#include <map>
#include <vector>

#include "entry.hpp"
#include "graph.hpp"

namespace softgpu {
namespace {

using point = std::complex<double>;

struct transform_plan {
  int rank = 1, type = 0;
  std::vector<long long> n;
  long long batch = 1;
  cu_stream stream = nullptr;
  address area = 0, table = 0;

  bool is_double() const { return type & 0x40; }
  bool from_real() const { return (type & 0x3f) == 0x2a; }
  bool to_real() const { return (type & 0x3f) == 0x2c; }
  long long points() const {
    long long all = 1;
    for (long long extent : n) all *= extent;
    return all;
  }
  long long elements_in() const { return to_real() ? n[0] / 2 + 1 : points(); }
  long long elements_out() const { return from_real() ? n[0] / 2 + 1 : points(); }
};

// Of `n` points that lie `step` apart: by the smallest factor of n, as many transforms of the rest, put together. `roots`: all of
// them, whose number n divides.
std::vector<point> transformed(const point* from, std::size_t step, std::size_t n, const std::vector<point>& roots) {
  if (n == 1) return {*from};
  std::size_t factor = 2;
  while (n % factor != 0) ++factor;
  const std::size_t rest = n / factor, apart = roots.size() / n;
  std::vector<point> result(n);
  for (std::size_t r = 0; r < factor; ++r) {
    const std::vector<point> part = transformed(from + r * step, step * factor, rest, roots);
    for (std::size_t k = 0; k < n; ++k) result[k] += part[k % rest] * roots[r * k % n * apart];
  }
  return result;
}

// Along an axis of `n` points that lie `step` apart.
void transform(std::vector<point>& all, std::size_t first, std::size_t step, std::size_t n, int direction) {
  std::vector<point> roots(n);
  for (std::size_t k = 0; k < n; ++k)
    roots[k] = std::polar(1.0, direction * 2 * std::acos(-1.0) * static_cast<double>(k) / static_cast<double>(n));
  const std::vector<point> result = transformed(&all[first], step, n, roots);
  for (std::size_t k = 0; k < n; ++k) all[first + k * step] = result[k];
}

constexpr std::size_t area_size = 512, table_size = 64;

class transform_work final : public work {
 public:
  transform_work(transform_plan of, int direction, address from, address to)
      : work(work_kind::library, "cufftExec"), of_(std::move(of)), direction_(direction), from_(from), to_(to) {}

  result run(execution& by) override { return of_.is_double() ? run_as<double>(by) : run_as<float>(by); }

 private:
  static bool check(execution& by, address at, std::size_t size, touch how) {
    arena* const where = by.on.memory.find(at);
    return where && by.on.checker.access(by.self, *where, at, size, how);
  }

  template <class T>
  result run_as(execution& by) {
    const auto in = static_cast<std::size_t>(of_.elements_in()), out = static_cast<std::size_t>(of_.elements_out()),
               batch = static_cast<std::size_t>(of_.batch);
    const std::size_t in_size = sizeof(T) * (of_.from_real() ? 1 : 2), out_size = sizeof(T) * (of_.to_real() ? 1 : 2);
    if (!check(by, of_.area, area_size, touch::write) || !check(by, of_.table, table_size, touch::read))
      return illegal_address;
    if (!check(by, from_, batch * in * in_size, touch::read) || !check(by, to_, batch * out * out_size, touch::write))
      return illegal_address;
    const T* from = static_cast<const T*>(pointer(from_));
    T* to = static_cast<T*>(pointer(to_));
    for (std::size_t b = 0; b < batch; ++b, from += in * in_size / sizeof(T), to += out * out_size / sizeof(T))
      one(from, to, out);
    return 0;
  }

  template <class T>
  void one(const T* from, T* to, std::size_t out) {
    std::vector<point> all(static_cast<std::size_t>(of_.points()));
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool mirrored = of_.to_real() && i > all.size() / 2;
      const std::size_t at = mirrored ? all.size() - i : i;
      if (of_.from_real()) all[i] = static_cast<double>(from[i]);
      else all[i] = {static_cast<double>(from[2 * at]), (mirrored ? -1 : 1) * static_cast<double>(from[2 * at + 1])};
    }
    std::size_t step = 1;
    for (std::size_t d = of_.n.size(); d-- > 0;) {
      const auto n = static_cast<std::size_t>(of_.n[d]);
      for (std::size_t i = 0; i < all.size(); ++i)
        if (i / step % n == 0) transform(all, i, step, n, direction_);
      step *= n;
    }
    for (std::size_t i = 0; i < out; ++i) {
      if (of_.to_real()) {
        to[i] = static_cast<T>(all[i].real());
      } else {
        to[2 * i] = static_cast<T>(all[i].real());
        to[2 * i + 1] = static_cast<T>(all[i].imag());
      }
    }
  }

  const transform_plan of_;
  const int direction_;
  const address from_, to_;
};

constexpr int no_memory = 2, invalid_value_given = 4, internal_error = 5, failed = 6;

int result_of(cu_result r) {
  return r == 0 ? 0 : r == out_of_memory ? no_memory : r == invalid_value ? invalid_value_given : failed;
}

// Under the machine's lock.
std::map<int, transform_plan>& plans() {
  static auto& all = *new std::map<int, transform_plan>;
  return all;
}

template <class With>
int with_plan(const char* name, int number, With&& with) {
  return result_of(enter({name, needs::context, out_of_memory}, [&](call_context c) -> result {
    const auto at = plans().find(number);
    return at == plans().end() ? invalid_value : with(c, at->second);
  }));
}

int execute(const char* name, int number, void* from, void* to, int direction) {
  cu_stream stream = nullptr;
  transform_plan of;
  const int found = with_plan(name, number, [&](call_context, transform_plan& p) -> result {
    stream = p.stream;
    of = p;
    return 0;
  });
  if (found != 0) return found;
  return result_of(in_stream({"cufftExec", needs::context}, stream, [&](call_context c, softgpu::stream& s) -> result {
    const std::size_t complex = of.is_double() ? 16 : 8;  // real numbers have to lie as complex ones would
    if (reinterpret_cast<address>(from) % complex != 0 || reinterpret_cast<address>(to) % complex != 0)
      return invalid_value;
    return submit(c.on, s,
                  std::make_shared<transform_work>(of, direction, reinterpret_cast<address>(from),
                                                   reinterpret_cast<address>(to)));
  }));
}

}  // namespace

#define SOFTGPU_CUFFT extern "C" __attribute__((visibility("default"))) int

SOFTGPU_CUFFT cufftCreate(int* number) {
  const cu_result outcome = enter({"cufftCreate", needs::context, out_of_memory}, [&](call_context) -> result {
    static int last = 0;
    plans()[*number = ++last] = {};
    return 0;
  });
  return outcome == 0 ? 0 : outcome == out_of_memory ? no_memory : internal_error;
}

SOFTGPU_CUFFT cufftDestroy(int number) {
  address table = 0;
  const int outcome = with_plan("cufftDestroy", number, [&](call_context, transform_plan& p) -> result {
    table = p.table;
    plans().erase(number);
    return 0;
  });
  return outcome == 0 ? result_of(cuMemFree_v2(table)) : outcome;
}

SOFTGPU_CUFFT cufftSetAutoAllocation(int number, int) {
  return with_plan("cufftSetAutoAllocation", number, [](call_context, transform_plan&) -> result { return 0; });
}

SOFTGPU_CUFFT cufftMakePlanMany64(int number, int rank, long long* n, long long*, long long in_step,
                                  long long in_distance, long long*, long long out_step, long long out_distance,
                                  int type, long long batch, std::size_t* area) {
  address table = 0;
  if (const cu_result r = cuMemAlloc_v2(&table, table_size)) return result_of(r);
  const int outcome = with_plan("cufftMakePlanMany64", number, [&](call_context, transform_plan& p) -> result {
    p.rank = rank, p.type = type, p.batch = batch;
    p.n.assign(n, n + rank);
    *area = area_size;
    const bool fits = rank >= 1 && rank <= 3 && batch > 0 && in_step == 1 && out_step == 1 && p.points() > 0 &&
                      in_distance == p.elements_in() && out_distance == p.elements_out() &&
                      (rank == 1 || (!p.from_real() && !p.to_real()));
    if (!fits) return invalid_value;
    p.table = table;
    return 0;
  });
  constexpr unsigned char values[table_size] = {};
  if (outcome == 0) return result_of(cuMemcpyHtoDAsync_v2(table, values, table_size, nullptr));
  cuMemFree_v2(table);
  return outcome;
}

SOFTGPU_CUFFT cufftSetWorkArea(int number, void* area) {
  return with_plan("cufftSetWorkArea", number, [&](call_context c, transform_plan& p) -> result {
    p.area = reinterpret_cast<address>(area);
    return c.on.memory.find(p.area) ? 0 : invalid_value;
  });
}

SOFTGPU_CUFFT cufftSetStream(int number, cu_stream stream) {
  return with_plan("cufftSetStream", number, [&](call_context, transform_plan& p) -> result {
    p.stream = stream;
    return 0;
  });
}

SOFTGPU_CUFFT cufftExecC2C(int plan, void* from, void* to, int direction) {
  return execute("cufftExecC2C", plan, from, to, direction);
}
SOFTGPU_CUFFT cufftExecZ2Z(int plan, void* from, void* to, int direction) {
  return execute("cufftExecZ2Z", plan, from, to, direction);
}
SOFTGPU_CUFFT cufftExecR2C(int plan, void* from, void* to) { return execute("cufftExecR2C", plan, from, to, -1); }
SOFTGPU_CUFFT cufftExecD2Z(int plan, void* from, void* to) { return execute("cufftExecD2Z", plan, from, to, -1); }
SOFTGPU_CUFFT cufftExecC2R(int plan, void* from, void* to) { return execute("cufftExecC2R", plan, from, to, 1); }
SOFTGPU_CUFFT cufftExecZ2D(int plan, void* from, void* to) { return execute("cufftExecZ2D", plan, from, to, 1); }

#undef SOFTGPU_CUFFT

}  // namespace softgpu
