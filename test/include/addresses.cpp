// data(): a program's own work on an array's elements. Its "own kernels" here are copies and fills of the driver's, enqueued as
// any program could.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "runtime/device/device.hpp"
#include "runtime/device/driver.hpp"
#include "test/include/ordering.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using doubles = std::vector<double>;

constexpr std::int64_t n = 4096;

/// Copies elements on the thread's current stream, without Sinter.
void own_copy(double* to, const double* from, std::int64_t count) {
  const std::size_t size = static_cast<std::size_t>(count) * sizeof(double);
  if (!asynchronous()) {
    std::memcpy(to, from, size);
    return;
  }
  const runtime::driver& api = *runtime::find_driver(nullptr);
  REQUIRE(api.cuMemcpyDtoDAsync_v2(reinterpret_cast<runtime::cu_address>(to),
                                   reinterpret_cast<runtime::cu_address>(from), size,
                                   static_cast<runtime::cu_stream>(stream::current().handle())) == 0);
}

template <class A>
constexpr bool has_address = requires(A&& a) {
  std::forward<A>(a).data();
};
static_assert(has_address<array<double>&> && has_address<const array<double>&>);
static_assert(!has_address<array<double>>);  // it would be gone at the end of the statement
static_assert(!has_address<lazy<double>&>);
// An array's address is no host memory.
template <class A>
constexpr bool is_host_memory = requires(A& a, array<double>& x) {
  x.set(a);
}
|| requires(A& a, array<double>& x) { x.get(a); };
static_assert(is_host_memory<doubles> && !is_host_memory<array<double>>);

}  // namespace

TEST_CASE("addresses: where the elements of arrays and of their views lie") {
  const array<double> a = arange<double>(24).reshape({2, 3, 4}) + 0.0;
  const double* const first = a.data();
  CHECK(first == place_of(a));
  CHECK(a.strides() == std::vector<std::int64_t>{12, 4, 1});
  CHECK(a.is_contiguous());
  const array<double> part = a(1, slice(_, _, -1), slice(1, _, 2));
  CHECK(part.data() == first + 12 + 8 + 1);
  CHECK(part.strides() == std::vector<std::int64_t>{-4, 2});
  CHECK(!part.is_contiguous());
  CHECK(part.copy().is_contiguous());
  const array<double> turned = a.T();
  CHECK(turned.data() == first);
  CHECK(turned.strides() == std::vector<std::int64_t>{1, 4, 12});
  CHECK(moved_by([&] { part.data(); }).bytes_copied == 0);
  const array<double> none;
  CHECK(none.data() == nullptr);
  const array<double> one = a(0, 0, 3);
  CHECK(one.data() == first + 3);
  CHECK(one.strides().empty());
}

TEST_CASE("addresses: to write, an array gets elements of its own first; to read, nothing is copied") {
  const array<double> source = full({n}, 7.0);
  array<double> a = zeros({n});
  const void* const place = place_of(a);
  double* const alone = a.data();
  CHECK(alone == place);

  const array<double> copy = a;
  const auto e = a + 1;
  CHECK(moved_by([&] { CHECK(std::as_const(a).data() == place); }).bytes_copied == 0);
  double* to = nullptr;
  CHECK(moved_by([&] { to = a.data(); }).bytes_copied == n * 8);
  CHECK(to != place);
  CHECK(place_of(copy) == place);
  own_copy(to, source.data(), n);
  CHECK(holds(a, 7));
  CHECK(holds(copy, 0));
  CHECK(holds(e, 1));
  CHECK(moved_by([&] { CHECK(a.data() == to); }).bytes_copied == 0);

  // A view's own: what it is a view of keeps its elements.
  array<double> table = zeros({4, n});
  array<double> row = table(2);
  own_copy(row.data(), source.data(), n);
  CHECK(holds(row, 7));
  CHECK(array<double>(table(2)).get() == doubles(n, 0));
}

TEST_CASE("addresses: one that was asked for to read stays good while others are stored into") {
  array<double> x = ones({4, n});
  const array<double> row = x(1);
  const double* const at = row.data();
  x(1) = 5;
  x(0) = 6;
  CHECK(row.data() == at);
  array<double> y = empty({n});
  own_copy(y.data(), at, n);
  CHECK(holds(y, 1));
}

TEST_CASE("addresses: what is enqueued on the current stream is in order there, and for all other streams") {
  rehearsed([] {
    const stream s1, s2, s3;
    array<double> a = on(s1, [] { return slowly(zeros({n})); });
    array<double> b = on(s2, [] { return slowly(ones({n})); });
    on(s3, [&] {
      double* const to = b.data();               // after s2's work
      own_copy(to, std::as_const(a).data(), n);  // after s1's
    });
    const array<double> c = on(s1, [&] { return array<double>(b + 1); });  // after the copy on s3
    on(s2, [&] { a(ellipsis) = -1.0; });                                   // not before the copy has read it
    CHECK(holds(b, 8));
    CHECK(holds(c, 9));
    CHECK(holds(a, -1));
  });
}

TEST_CASE("addresses: work of the program's own counts also behind a place that others have waited for") {
  rehearsed([] {
    const stream s1, s2;
    const array<double> source = full({n}, 3.0);
    array<double> a = zeros({n}), b = zeros({n});
    const array<double> other = on(s1, [&] { return slowly(source); });
    synchronize();
    double* const to = on(s1, [&] { return a.data(); });
    CHECK(on(s2, [&] { return holds(array<double>(other + 1), 12); }));  // s2 waits for s1 as far as it is
    on(s1, [&] { own_copy(to, source.data(), n); });
    on(s2, [&] { b(ellipsis) = a + 1; });
    CHECK(holds(b, 4));
    const double* const from = on(s1, [&] { return std::as_const(a).data(); });
    array<double> kept = empty({n});
    double* const out = on(s1, [&] { return kept.data(); });
    const array<double> another = on(s1, [&] { return slowly(source); });
    CHECK(on(s2, [&] { return holds(array<double>(another + 1), 12); }));
    on(s1, [&] { own_copy(out, from, n); });
    on(s2, [&] { a(ellipsis) = 4.0; });  // after s1 has read it
    CHECK(holds(kept, 3));
    CHECK(holds(a, 4));
  });
}

TEST_CASE("addresses: a block is not handed out while the program's own work uses it") {
  rehearsed([] {
    const stream s1, s2;
    const array<double> source = full({n}, 1.0);
    array<double> out = zeros({n});
    {
      const array<double> a = on(s1, [] { return array<double>(full({n}, 2.0)); });
      const double* const from = on(s2, [&] { return a.data(); });
      double* const to = on(s2, [&] { return out.data(); });
      const array<double> other = on(s2, [&] { return slowly(source); });
      CHECK(on(s1, [&] { return holds(array<double>(other + 1), 10); }));  // s2 is marked behind all it has done
      synchronize();
      on(s2, [&] { own_copy(to, from, n); });
    }
    for (int i = 0; i < 4; ++i) on(s1, [] { return array<double>(full({n}, 9.0)); });
    CHECK(holds(out, 2));
  });
}
