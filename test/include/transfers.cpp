// Elements between the host and arrays: pinned and pageable, blocking and not, of any layout and around the sizes of
// the staging buffer, and from device to device. The numbers are those of CuPy's documented behaviours.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "test/include/ordering.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using bytes = std::vector<std::uint8_t>;
using doubles = std::vector<double>;

constexpr std::int64_t n = 4096;
constexpr std::size_t MiB = std::size_t{1} << 20;

/// Bytes of which no two neighbours of a line or a piece are the same.
bytes pattern(std::size_t size, unsigned seed) {
  bytes all(size);
  std::uint32_t state = seed * 2654435761u + 1;
  for (std::uint8_t& b : all) b = static_cast<std::uint8_t>((state = state * 1664525u + 1013904223u) >> 24);
  return all;
}

pinned_array<double> pinned(std::initializer_list<double> values) {
  pinned_array<double> made = empty_pinned(shape{static_cast<std::int64_t>(values.size())});
  std::copy(values.begin(), values.end(), made.begin());
  return made;
}

}  // namespace

TEST_CASE("transfers 3.3: pageable memory has been read when set and asarray return") {
  rehearsed([] {
    const stream s;
    const stream_scope in(s);
    gate closed(s);  // the device has not begun
    doubles host(n, 1);
    const array<double> a = asarray(host);
    array<double> b = zeros({n});
    std::fill(host.begin(), host.end(), 2.0);
    b.set(host, {.blocking = false});
    std::fill(host.begin(), host.end(), 3.0);
    CHECK(!closed.gave_up());
    closed.open();
    CHECK(holds(a, 1));
    CHECK(holds(b, 2));
  });
}

TEST_CASE("transfers 3.3: pinned memory is copied from directly, and blocking says when it may be used") {
  rehearsed([] {
    pinned_array<double> host = pinned({1, 2, 3, 4});
    array<double> a = zeros({4});
    a.set(host);
    host[0] = 100;  // set has returned
    CHECK(a.get() == doubles{1, 2, 3, 4});
    const stream s;
    const stream_scope in(s);
    gate closed(s);
    a.set(host, {.blocking = false});  // would wait for the gate
    CHECK(!closed.gave_up());
    closed.open();
    s.synchronize();
    host[1] = 200;
    CHECK(a.get() == doubles{100, 2, 3, 4});
    const array<double> b = asarray(host);
    CHECK(b.get() == doubles{100, 200, 3, 4});
  });
}

TEST_CASE("transfers 3.4: get() waits, and into pinned memory it need not") {
  rehearsed([] {
    const stream s;
    const array<double> a = on(s, [&] { return slowly(zeros({n})); });
    doubles plain(n);
    a.get(plain);
    CHECK(plain == doubles(n, 8));
    pinned_array<double> host = zeros_pinned({n});
    gate closed(s);
    on(s, [&] { a.get(host, {.blocking = false}); });
    if (gates_stand()) CHECK(host[0] == 0);
    CHECK(!closed.gave_up());
    closed.open();
    s.synchronize();
    CHECK(host[0] == 8);
    CHECK(host[n - 1] == 8);
    std::fill(host.begin(), host.end(), 0.0);
    array<double>(a + 1).get(host);
    CHECK(host[n - 1] == 9);
    lazy<double> sums = a * 2;  // of an expression
    sums.get(host);
    CHECK(host[0] == 16);
  });
}

TEST_CASE("transfers 3.4: sizes and shapes have to fit") {
  array<double> a = zeros({2, 3});
  doubles small(5), right{1, 2, 3, 4, 5, 6};
  CHECK_THROWS_AS(a.get(small), shape_error);
  CHECK_THROWS_AS(a.set(small), shape_error);
  a.set(right);
  CHECK(a.get() == right);
  CHECK_THROWS_AS(a.get(strided_span<double>(right.data(), {3, 2}, {2, 1})), shape_error);
  CHECK_THROWS_AS(a.set(strided_span<double>(right.data(), {6}, {1})), shape_error);
  CHECK_THROWS_AS((strided_span<double>(right.data(), {2, 3}, {1})), shape_error);
  const std::string text = refusal<shape_error>([&] { a.set(strided_span<double>(right.data(), {6}, {1})); });
  CHECK(text.find("transfers.cpp:") != std::string::npos);
  array<double> none = zeros({0, 3});
  none.set(doubles{});
  none.get(strided_span<double>(nullptr, {0, 3}, {3, 1}));
  CHECK(none.get().empty());
}

TEST_CASE("transfers: set leaves those who share the array alone, and keeps the storage of a sole holder") {
  array<double> a = zeros({4});
  const void* const place = place_of(a);
  a.set(doubles{1, 2, 3, 4});
  CHECK(place_of(a) == place);
  const array<double> shared = a;
  a.set(doubles{5, 6, 7, 8});
  CHECK(shared.get() == doubles{1, 2, 3, 4});
  CHECK(a.get() == doubles{5, 6, 7, 8});
  array<double> view = a(slice(1, 3));
  view.set(doubles{0, 0});
  CHECK(a.get() == doubles{5, 6, 7, 8});
  CHECK(view.get() == doubles{0, 0});
}

TEST_CASE("transfers: host memory of any strides") {
  doubles host(60);
  std::iota(host.begin(), host.end(), 0.0);
  array<double> a = zeros({3, 4});
  const auto in = [&](std::int64_t offset, std::initializer_list<std::int64_t> strides) {
    a.set(strided_span<const double>(host.data() + offset, {3, 4}, strides));
    return a.get();
  };
  CHECK(in(0, {4, 1}) == doubles{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  CHECK(in(0, {20, 2}) == doubles{0, 2, 4, 6, 20, 22, 24, 26, 40, 42, 44, 46});
  CHECK(in(0, {1, 3}) == doubles{0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11});  // Fortran's order
  CHECK(in(11, {-4, -1}) == doubles{11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0});
  CHECK(in(59, {-1, -10}) == doubles{59, 49, 39, 29, 58, 48, 38, 28, 57, 47, 37, 27});
  CHECK(in(7, {0, 1}) == doubles{7, 8, 9, 10, 7, 8, 9, 10, 7, 8, 9, 10});
  CHECK(in(7, {5, 0}) == doubles{7, 7, 7, 7, 12, 12, 12, 12, 17, 17, 17, 17});

  a = arange<double>(12).reshape({3, 4});
  const auto out = [&](std::int64_t offset, std::initializer_list<std::int64_t> strides) {
    doubles to(16, -1);
    a.get(strided_span<double>(to.data() + offset, {3, 4}, strides));
    return to;
  };
  CHECK(out(0, {5, 1}) == doubles{0, 1, 2, 3, -1, 4, 5, 6, 7, -1, 8, 9, 10, 11, -1, -1});
  CHECK(out(0, {1, 3}) == doubles{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11, -1, -1, -1, -1});
  CHECK(out(11, {-4, -1}) == doubles{11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, -1, -1, -1, -1});
  doubles one(4);
  a.get(strided_span<double>(one.data(), {3, 4}, {0, 1}));  // the rows on top of each other: the last one stays
  CHECK(one == doubles{8, 9, 10, 11});
  array<double>(a.T()).get(strided_span<double>(host.data(), {4, 3}, {1, 4}));
  CHECK(doubles(host.begin(), host.begin() + 12) == doubles{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  array<double> scalar = full({}, 3.0);
  double single = 5;
  scalar.set(strided_span<double>(&single, {}, {}));
  CHECK(scalar.item() == 5);
}

TEST_CASE(
    "transfers: strided pinned memory need not be waited for, and holds what it does when the stream comes there") {
  rehearsed([] {
    const auto columns = [](pinned_array<double>& of) { return strided_span<double>(of.data(), {2, 3}, {1, 2}); };
    const stream s;
    const stream_scope in(s);
    array<double> a = zeros({2, 3});
    pinned_array<double> from = pinned({1, 2, 3, 4, 5, 6}), to = zeros_pinned({6});
    {
      gate closed(s);
      a.set(columns(from), {.blocking = false});
      array<double>(a * 2).get(columns(to), {.blocking = false});
      if (gates_stand()) {
        from[0] = 10;
        CHECK(to[0] == 0);
      }
      CHECK(!closed.gave_up());
    }
    s.synchronize();
    const double first = gates_stand() ? 10 : 1;
    CHECK(a.get() == doubles{first, 3, 5, 2, 4, 6});
    CHECK(doubles(to.begin(), to.end()) == doubles{2 * first, 4, 6, 8, 10, 12});

    // The memory of pinned arrays that have gone is not handed out before the host has packed it.
    gate closed(s);
    {
      pinned_array<double> gone = pinned({7, 7, 7, 7, 7, 7});
      a.set(columns(gone), {.blocking = false});
    }
    pinned_array<double> next = pinned({8, 8, 8, 8, 8, 8});
    closed.open();
    CHECK(a.get() == doubles(6, 7));
    CHECK(next[0] == 8);
  });
}

TEST_CASE("transfers: what is pinned for an array's device, not for the current one") {
  rehearsed([] {
    const stream s;
    array<double> a = zeros({3});
    pinned_array<double> here = pinned({7, 0, 7, 0, 7, 0});
    std::optional<pinned_array<double>> elsewhere;
    {
      const device_scope in(device::cpu());
      elsewhere = pinned({7, 0, 7, 0, 7, 0});
    }
    for (pinned_array<double>* host : {&here, &*elsewhere}) {
      a(ellipsis) = 0.0;
      gate closed(s);
      const strided_span<const double> every_other(host->data(), {3}, {2});
      on(s, [&] {
        const device_scope in(device::cpu());
        a.set(every_other, {.blocking = false});
      });
      closed.open();
      s.synchronize();
      CHECK(a.get() == doubles{7, 7, 7});
    }
  });
}

TEST_CASE("transfers: a graph copies strided pinned memory at every launch") {
  const stream s;
  const stream_scope in(s);
  pinned_array<double> from = zeros_pinned({6}), to = zeros_pinned({6});
  array<double> a = zeros({3}), b = zeros({3});
  const auto every_other = [](pinned_array<double>& of) { return strided_span<double>(of.data() + 1, {3}, {2}); };
  const graph g = capture([&] {
    a.set(every_other(from), {.blocking = false});
    b(ellipsis) = a * 10;
    b.get(every_other(to), {.blocking = false});
  });
  for (int i = 1; i < 4; ++i) {
    for (double& v : from) v = i;
    g.launch();
    s.synchronize();
    CHECK(doubles(to.begin(), to.end()) == doubles{0, 10.0 * i, 0, 10.0 * i, 0, 10.0 * i});
  }
  // Other memory is read when the graph is made, and cannot be written by it.
  doubles plain = {1, 0, 2, 0, 3, 0};
  const std::int64_t strides[] = {2};
  const strided_span<double> there(plain.data(), {3}, strides, 1);
  const graph once = capture([&] { a.set(there, {.blocking = false}); });
  plain.assign(6, 5);
  once.launch();
  CHECK(a.get() == doubles{1, 2, 3});
  CHECK_THROWS_AS(capture([&] { a.get(there, {.blocking = false}); }), device_error);
}

TEST_CASE("transfers: strided and small elements") {
  std::vector<std::int16_t> host(1000);
  std::iota(host.begin(), host.end(), std::int16_t{0});
  array<std::int16_t> a = zeros<std::int16_t>({250});
  a.set(strided_span<std::int16_t>(host.data() + 3, {250}, {4}));
  array<std::int16_t> twice = a * 2;
  twice.get(strided_span<std::int16_t>(host.data() + 996, {250}, {-4}));
  CHECK(host[996] == 6);
  CHECK(host[0] == 2 * 999);
  CHECK(host[1] == 1);
}

// The staging buffer has two halves of 2 MiB, filled in pieces of 1 MiB at multiples of 64 bytes.
TEST_CASE("transfers: sizes around the pieces and halves of the staging buffer") {
  const stream s;
  unsigned seed = 0;
  for (const std::size_t around : {std::size_t{64}, MiB, 2 * MiB, 3 * MiB, 4 * MiB})
    for (const std::ptrdiff_t by : {-65, -1, 0, 1, 64}) {
      const std::size_t size = around + static_cast<std::size_t>(by);
      if (size == 0 || size > 5 * MiB) continue;
      CAPTURE(size);
      const bytes host = pattern(size, ++seed);
      const array<std::uint8_t> a = asarray(host);
      bytes back(size);
      a.get(back);
      CHECK(back == host);
    }
  // Many on one stream, with nothing waited for in between.
  std::vector<bytes> sent;
  std::vector<array<std::uint8_t>> arrays;
  on(s, [&] {
    for (const std::size_t size : {3 * MiB + 5, std::size_t{100}, 2 * MiB - 64, std::size_t{1}, MiB + 63, 2 * MiB}) {
      bytes host = pattern(size, ++seed);
      arrays.push_back(asarray(host));
      sent.push_back(host);
      std::fill(host.begin(), host.end(), std::uint8_t{0});
      if (arrays.size() % 2 == 0) CHECK(arrays[0].get() == sent[0]);
    }
  });
  for (std::size_t i = 0; i < sent.size(); ++i) CHECK(arrays[i].get() == sent[i]);
}

TEST_CASE("transfers: several threads copy on one stream and on their own") {
  const stream shared;
  const device here = device::current();
  std::vector<std::thread> threads;
  std::vector<char> right(4, 0);
  for (unsigned t = 0; t < right.size(); ++t)
    threads.emplace_back([&, t] {
      const device_scope on_device(here);
      const stream mine;
      bool good = true;
      for (unsigned i = 0; i < 6; ++i) {
        const stream_scope in(i % 2 ? mine : shared);
        const bytes host = pattern(MiB + 1000 * t + i, 10 * t + i);
        const array<std::uint8_t> a = asarray(host);
        good = good && array<std::uint8_t>(a ^ std::uint8_t{0}).get() == host;
      }
      right[t] = good;
    });
  for (std::thread& t : threads) t.join();
  for (const char good : right) CHECK(good);
}

TEST_CASE("transfers: a copy goes after what other streams do, and they after it") {
  const stream a, b;
  doubles host(n, 50);
  array<double> x = on(a, [&] { return slowly(zeros({n})); });
  const array<double> y = on(a, [&] { return slowly(x); });  // still reads x
  on(b, [&] { x.set(host); });
  CHECK(on(a, [&] { return holds(array<double>(x + 1), 51); }));
  CHECK(holds(y, 16));
  pinned_array<double> pinned_host = zeros_pinned({n});
  std::fill(pinned_host.begin(), pinned_host.end(), 60.0);
  on(b, [&] { x.set(pinned_host, {.blocking = false}); });
  const array<double> z = on(a, [&] { return array<double>(x + 1); });
  on(b, [&] { x(ellipsis) = -1.0; });
  CHECK(holds(z, 61));
}

TEST_CASE("transfers: pinned memory that goes is not used again before its copies have finished") {
  rehearsed([] {
    const stream s;
    array<double> a;
    gate closed(s);
    {
      pinned_array<double> host = zeros_pinned({n});
      std::fill(host.begin(), host.end(), 3.0);
      a = on(s, [&] {
        array<double> made = empty({n});
        made.set(host, {.blocking = false});
        return made;
      });
    }
    pinned_array<double> next = empty_pinned({n});
    std::fill(next.begin(), next.end(), 9.0);
    closed.open();
    CHECK(holds(a, 3));
  });
}

TEST_CASE("transfers: to(device) copies to another device and back") {
  const device here = device::current(), host = device::cpu();
  const array<double> a = arange<double>(n) + 0.5;
  const array<double> there = a.to(host);
  CHECK(there.device() == host);
  CHECK(a.device() == here);
  const array<double> back = array<double>(there * 2).to(here);  // evaluated where its operands are
  CHECK(back.device() == here);
  CHECK(array<double>(back - a).get() == a.get());
  const array<double> same = a.to(here);
  CHECK(place_of(same) == place_of(a));
  const array<double> reversed = a(slice(_, _, -1)).to(host);
  CHECK(reversed.get()[0] == double(n) - 0.5);
  const array<double> sums = (a + 1).to(host);
  CHECK(sums.get()[1] == 2.5);
  CHECK(zeros({0}).to(host).shape() == shape{0});
  const array<double> interpreted = there.to(device::interpreter());
  CHECK(interpreted.get() == a.get());
}

TEST_CASE("transfers: to(device) waits for the stream that writes") {
  const device here = device::current();
  const stream s;
  const array<double> a = on(s, [&] { return slowly(zeros({n})); });
  const array<double> there = a.to(device::cpu());
  CHECK(holds(there, 8));
  const array<double> back = on(s, [&] { return there.to(here); });
  CHECK(holds(array<double>(back + 1), 9));
}

TEST_CASE("transfers: from one GPU to another, in order") {
  const std::optional<device> second = second_gpu();
  if (!second) return;
  const stream s;
  std::optional<stream> t;
  {
    const device_scope in(*second);
    t.emplace();
  }
  for (int i = 0; i < 4; ++i) {
    array<double> a = on(s, [&] { return slowly(zeros({n}) + i); });
    array<double> b;
    {
      const device_scope in(*second);
      const stream_scope on_t(*t);
      b = a.to(*second);
      CHECK(b.device() == *second);
      b = b + 1;
    }
    on(s, [&] { a(ellipsis) = -1.0; });  // after the copy has read it
    a = array<double>();
    const array<double> next = on(s, [&] { return full({n}, 1000.0); });
    CHECK(holds(b, 9 + i));
    CHECK(holds(b.to(device::current()), 9 + i));
    CHECK(holds(next, 1000));
  }
}

TEST_CASE("transfers 4.6: one GPU is let into the other's memory, whichever pool that is from") {
  const std::optional<device> second = second_gpu();
  if (!second) return;
  const softgpu::controls* const soft = softgpu_controls();
  const auto staged = [&] { return soft ? soft->softgpu_live().staged : 0; };
  const device here = device::current();
  const long long before = staged();
  for (const allocator& from : {allocator(default_memory_pool()), allocator(async_memory_pool())}) {
    const using_allocator scope(from);
    const array<double> a = arange<double>(n);
    const array<double> there = a.to(*second);
    const array<double> back = (there + 1).to(here);
    CHECK(there.get() == a.get());
    CHECK(array<bool>(back == a + 1).all().item());
  }
  CHECK(staged() == before);
}

TEST_CASE("transfers: a single item as any number of the program's") {
  const array<double> a{{1, 2.75}, {-3, 4}};
  CHECK(int(argmax(a)) == 3);
  CHECK(float(a(0, 1)) == 2.75f);
  CHECK(int(a(0, 1)) == 2);
  CHECK(std::int64_t(sum(a)) == 4);
  CHECK(static_cast<long long>(a(1, 0)) == -3);
  CHECK(static_cast<float>(half(a(1, 1))) == 4);
  CHECK(bool(a(0, 0)));
  CHECK(double(all(a == a)) == 1);
  if (any(a > 4)) FAIL("4 is the largest");
  static_assert(!std::is_convertible_v<lazy<double>, double> && !std::is_convertible_v<lazy<double>, int>);
  CHECK_THROWS_AS(static_cast<void>(int(a)), shape_error);
}
