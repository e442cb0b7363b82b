// Order without thought: what is written, read and dropped on any number of streams is worth the same as on one, and
// memory is never handed out while a stream still uses it. Where streams must not have waited for each other, one of
// them stands still.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

#include "test/include/ordering.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using doubles = std::vector<double>;

constexpr std::int64_t n = 4096;

}  // namespace

// Stream A holds a block behind work, gives it back, B's request empties the pool, and C gets the same memory: in rmm
// issue 2489 C waited for B only, and A's late write landed in C's array.
TEST_CASE("streams: memory that a third stream gets is no longer in use by the first (rmm 2489)") {
  rehearsed([] {
    const array<double> x = ones({n});
    const stream a, b, c;
    memory_pool pool;
    const using_allocator from(pool);
    const std::size_t block = n * sizeof(double);
    pool.set_limit({.bytes = 3 * block});
    for (int round = 0; round < 4; ++round) {
      {
        array<double> late = on(a, [&] { return empty({n}); });
        gate closed(a);
        on(a, [&] { late(ellipsis) = x * 7; });
        closed.open();  // a thread that waits for A from here on, waits
      }
      const array<double> large =
          on(b, [&] { return zeros({3 * n}); });  // A's block has to go back to the device for it
      CHECK(holds(large, 0));
    }
    pool.free_all_blocks();
    {
      array<double> late = on(a, [&] { return empty({n}); });
      gate closed(a);
      on(a, [&] { late(ellipsis) = x * 7; });
      on(b, [&] { late(0) = 3.0; });  // B writes, and C reads, what is A's
      const array<double> read = on(c, [&] { return array<double>(late * 1); });
      late = array<double>();
      closed.open();
      array<double> next = on(a, [&] { return array<double>(x * 9); });
      CHECK(holds(next, 9));
      CHECK(read.get()[0] == 3);
      CHECK(read.get()[n - 1] == 7);
    }
  });
}

TEST_CASE("streams: a block that other streams still read is not handed out again") {
  rehearsed([] {
    const array<double> x = ones({n});
    const stream a, b, c;
    std::vector<array<double>> read_b, read_c;
    // Loading a kernel may wait for the device, so none is loaded behind a gate.
    array<double> loaded = array<double>(x * 1) + 1;
    loaded = slowly(loaded);
    for (int round = 0; round < 8; ++round) {
      array<double> shared = on(a, [&] { return array<double>(x * round); });
      gate closed(b);
      read_b.push_back(on(b, [&] { return array<double>(shared + 1); }));
      read_c.push_back(on(c, [&] { return array<double>(shared + 2); }));
      const void* const place = place_of(shared);
      shared = array<double>();
      const array<double> next = on(a, [&] { return array<double>(x * -1); });
      if (gates_stand()) CHECK(place_of(next) != place);  // B stands in front of its read
      on(a, [&] { return slowly(next); });
    }
    for (int round = 0; round < 8; ++round) {
      CHECK(holds(read_b[static_cast<std::size_t>(round)], round + 1));
      CHECK(holds(read_c[static_cast<std::size_t>(round)], round + 2));
    }
  });
}

TEST_CASE("streams: read after write, write after read and write after write are ordered") {
  const stream s1, s2, s3;
  array<double> a = on(s1, [&] { return slowly(zeros({n})); });
  const array<double> read = on(s2, [&] { return array<double>(a * 2); });  // after the write on s1
  const array<double> other = on(s3, [&] { return slowly(a); });            // reads a for a while
  on(s2, [&] { a(ellipsis) = a + 100; });                                   // after s3's reads
  on(s1, [&] { a(ellipsis) = a * 2; });                                     // after s2's write
  on(s3, [&] { a(slice(_, _, 2)) = -1.0; });
  CHECK(holds(read, 16));
  CHECK(holds(other, 16));
  const doubles end = a.get();
  CHECK(end[0] == -1);
  CHECK(end[1] == 216);
  CHECK(end[n - 2] == -1);
  CHECK(end[n - 1] == 216);
}

TEST_CASE("streams: the host reads what another stream writes after it is written") {
  const stream s;
  array<double> a = on(s, [&] { return slowly(zeros({n})); });
  CHECK(holds(a, 8));  // on the default stream
  on(s, [&] { a(ellipsis) = slowly(a); });
  a(0) = 5.0;
  CHECK(a.get()[0] == 5);
  CHECK(a.get()[1] == 16);
  const doubles from(n, 3);
  on(s, [&] { slowly(a); });
  a.set(from);
  CHECK(on(s, [&] { return static_cast<double>(sum(a)); }) == 3.0 * n);
}

TEST_CASE("streams: views and reductions on different streams at once") {
  const stream s1, s2, s3;
  const std::int64_t rows = 64, columns = 5000;
  array<double> m = on(s1, [&] { return array<double>(broadcast_to(arange<double>(columns), {rows, columns}) + 0); });
  std::vector<array<double>> sums(12);
  const stream* const all_streams[] = {&s1, &s2, &s3};
  for (std::size_t i = 0; i < sums.size(); ++i)
    sums[i] = on(*all_streams[i % 3], [&] { return array<double>(sum(m(slice(_, _, 2)) + double(i))); });
  on(s2, [&] { m(slice(0, rows / 2)) = 0.0; });
  const array<double> half = on(s3, [&] { return array<double>(sum(m, {.axis = 1})); });
  const double line = double(columns) * double(columns - 1) / 2;
  for (std::size_t i = 0; i < sums.size(); ++i)
    CHECK(sums[i].item() == double(rows / 2) * (line + double(i) * double(columns)));
  CHECK(half.get()[0] == 0);
  CHECK(half.get()[rows - 1] == line);
}

// A split reduction's blocks count themselves in memory of the stream's: two that run at once must not share it.
TEST_CASE("streams: long sums on many streams do not count in each other's tickets") {
  const std::int64_t length = 300'000;
  std::vector<stream> streams(6);
  const array<double> x = ones({length});
  std::vector<array<double>> results;
  for (int round = 0; round < 5; ++round)
    for (const stream& s : streams)
      results.push_back(on(s, [&] { return array<double>(sum(x * (double(results.size()) + 1))); }));
  for (std::size_t i = 0; i < results.size(); ++i) CHECK(results[i].item() == double(length) * (double(i) + 1));
}

TEST_CASE("streams: an array that passes through many streams") {
  std::vector<stream> streams(8);
  array<double> a = zeros({n});
  for (int i = 0; i < 200; ++i) {
    const stream& s = streams[static_cast<std::size_t>(i * 5 % 8)];
    if (i % 2) on(s, [&] { a += 1; });
    else on(s, [&] { a = a + 1; });
  }
  CHECK(holds(a, 200));
}

namespace {

/// A random program over a few arrays. Each step on a stream that `choose` picks; without one on the default stream.
doubles run_program(unsigned seed, const std::vector<stream>& streams) {
  std::mt19937 random(seed);
  const auto below = [&](std::size_t most) { return static_cast<std::size_t>(random() % most); };
  std::vector<array<double>> arrays;
  for (int i = 0; i < 5; ++i) arrays.push_back(arange<double>(512) + i);
  for (int step = 0; step < 60; ++step) {
    const std::size_t to = below(5), left = below(5), right = below(5), kind = below(8), which = below(97);
    std::optional<stream_scope> in;
    if (!streams.empty()) in.emplace(streams[which % streams.size()]);
    array<double>&a = arrays[to], &b = arrays[left], &c = arrays[right];
    switch (kind) {
      case 0: a = b * 0.5 + c; break;
      case 1: a(ellipsis) = b - c * 0.25; break;
      case 2: a += b; break;
      case 3: a(slice(_, _, 2)) = b(slice(_, _, 2)) * 0.5; break;
      case 4: a = b; break;  // shared from now on
      case 5: a = b(slice(_, _, -1)) + c; break;
      case 6: a = a * 0.125 + mean(b); break;
      case 7: a = zeros({512}); break;
    }
  }
  doubles values;
  for (const array<double>& a : arrays)
    for (const double value : a.get()) values.push_back(value);
  return values;
}

}  // namespace

TEST_CASE("streams: random programs over many streams are worth the same, bit for bit, as on one") {
  for (unsigned seed = 0; seed < 24; ++seed) {
    CAPTURE(seed);
    const doubles expected = run_program(seed, {});
    const std::vector<stream> streams(2 + seed % 7);
    for (int again = 0; again < 2; ++again) CHECK(run_program(seed, streams) == expected);
  }
}

TEST_CASE("streams: threads with a stream each share arrays") {
  const array<double> x = on(stream(), [&] { return slowly(zeros({n})); });
  std::vector<double> sums(4);
  std::vector<std::thread> threads;
  const device here = device::current();
  for (std::size_t t = 0; t < sums.size(); ++t)
    threads.emplace_back([&, t] {
      const device_scope on_device(here);
      const stream mine;
      const stream_scope in(mine);
      array<double> a = x + double(t);
      for (int i = 0; i < 20; ++i) a = a + x * 0.5;
      sums[t] = static_cast<double>(sum(a));
    });
  for (std::thread& t : threads) t.join();
  for (std::size_t t = 0; t < sums.size(); ++t) CHECK(sums[t] == double(n) * (8 + double(t) + 80));
}

TEST_CASE("streams: unordered leaves the order to the program's events") {
  rehearsed([] {
    if (!asynchronous()) return;
    const stream a, b;
    array<double> x = on(a, [&] { return slowly(zeros({n})); });
    const event written = a.record();
    gate closed(a);
    array<double> behind = on(a, [&] { return array<double>(x + 1); });
    array<double> y;
    {
      const unordered here;
      const stream_scope in(b);
      b.wait(written);
      y = x * 2;  // x was written in front of the gate
    }
    b.synchronize();
    CHECK(!closed.gave_up());  // it did not wait for all of A
    closed.open();
    CHECK(holds(y, 16));
    CHECK(holds(behind, 9));
  });
}

TEST_CASE("streams: what unordered streams use is still not handed out before they are done") {
  rehearsed([] {
    const stream a, b;
    const array<double> one = ones({n});
    for (int round = 0; round < 4; ++round) {
      array<double> x = on(a, [&] { return slowly(zeros({n})); });
      const event written = a.record();
      gate closed(b);
      array<double> y;
      {
        const unordered here;
        const stream_scope in(b);
        b.wait(written);
        y = x * 2;
      }
      const void* const place = place_of(x);
      x = array<double>();
      const array<double> next = on(a, [&] { return array<double>(one * 3); });
      if (gates_stand()) CHECK(place_of(next) != place);
      closed.open();
      CHECK(holds(y, 16));
      CHECK(holds(next, 3));
    }
    // A store: the stream that wrote before is still waited for.
    array<double> x = on(a, [&] { return slowly(zeros({n})); });
    const event written = a.record();
    {
      const unordered here;
      const stream_scope in(b);
      b.wait(written);
      x(ellipsis) = x + 1;
    }
    CHECK(holds(x, 9));  // the scope is over
  });
}

TEST_CASE("streams: unordered scopes nest and end") {
  {
    const unordered outer;
    { const unordered inner; }
  }
  const stream s;
  const array<double> a = on(s, [&] { return slowly(zeros({n})); });
  CHECK(holds(array<double>(a + 1), 9));
}

namespace {

/// What a resource was given back. Blocks may come after the test that asked for them is over, so both hold it.
struct frees {
  std::vector<const void*> blocks;
  std::vector<event> recorded;
  bool has(const void* block) const { return std::find(blocks.begin(), blocks.end(), block) != blocks.end(); }
};

/// A resource of a user's, over the default pool. It uses the stream that it is given, as one that frees on streams
/// would.
class watched_resource final : public memory_resource {
 public:
  explicit watched_resource(std::shared_ptr<frees> freed) : freed_(std::move(freed)) {}
  void* allocate(std::size_t size, const stream& s) override {
    return default_memory_pool().resource().allocate(size, s);
  }
  void deallocate(void* block, std::size_t size, const stream& s) noexcept override {
    const stream mine = s;
    freed_->recorded.push_back(mine.record());
    freed_->blocks.push_back(block);
    default_memory_pool().resource().deallocate(block, size, s);
  }

 private:
  const std::shared_ptr<frees> freed_;
};

}  // namespace

TEST_CASE("streams: a block of a stream that has gone goes back when its work is over, to a stream that is there") {
  rehearsed([] {
    const auto freed = std::make_shared<frees>();
    {
      const using_allocator from(make_allocator<watched_resource>(freed));
      array<double> x;
      std::optional<gate> closed;
      {
        const stream gone;
        closed.emplace(gone);
        x = on(gone, [&] { return full({n}, 3.0); });
      }
      const array<double> y = x + 1;
      const array<double> alone = on(stream(), [&] { return full({n}, 3.0); });
      const void* block = place_of(x);
      x = array<double>();
      if (gates_stand()) CHECK(!freed->has(block));
      closed->open();
      CHECK(holds(y, 4));
      CHECK(holds(alone, 3));
      {
        const stream gone;
        closed.emplace(gone);
        x = on(gone, [&] { return full({n}, 3.0); });
      }
      freed->blocks.clear();
      block = place_of(x);
      x = array<double>();  // no other stream has used it
      if (gates_stand()) CHECK(!freed->has(block));
      closed->open();
      synchronize();
      for (int i = 0; i < 100 && !freed->has(block); ++i) const array<double> look = empty({1});
      CHECK(freed->has(block));
      for (int i = 0; i < 8; ++i) {
        const stream a, b;  // no two streams are given one place
        CHECK(!(a == b));
      }
    }
    for (const event& e : freed->recorded) e.synchronize();
  });
}

TEST_CASE("streams: out of memory waits for what is about to be free") {
  rehearsed([] {
    const stream a, b;
    memory_pool pool;
    const using_allocator from(pool);
    pool.set_limit({.bytes = 4 * n * sizeof(double)});
    array<double> x = on(a, [&] { return array<double>(full({2 * n}, 2.0)); });
    array<double> y = on(b, [&] { return array<double>(x * 2); });  // x is read by another stream
    const double before = y.get()[0];
    y = array<double>();
    gate closed(b);
    y = on(b, [&] { return array<double>(x * 3); });
    x = array<double>();  // in use until B has gone on
    std::thread opener([&] { closed.open(); });
    const array<double> z = on(a, [&] { return array<double>(full({2 * n}, 5.0)); });
    opener.join();
    CHECK(before == 4);
    CHECK(holds(y, 6));
    CHECK(holds(z, 5));
    CHECK_THROWS_AS(on(a, [&] { return zeros({n}); }), out_of_memory);
    CHECK(holds(z, 5));
  });
}

TEST_CASE("streams: copies, zeros and files go in the order of the current stream") {
  const stream s;
  const doubles some{1, 2, 3, 4};
  const stream_scope in(s);
  array<double> a = asarray(some);
  array<double> b = zeros({4});
  array<double> c = a.copy();
  b(ellipsis) = a + c;
  std::ostringstream text;
  text << b;
  CHECK(text.str() == "[2. 4. 6. 8.]");
  CHECK(b.get() == doubles{2, 4, 6, 8});
}
