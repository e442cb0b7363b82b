// A device's table of streams: places are used again once the work of who had them is over, handles of others are known
// again, and neither streams nor events grow with the number that a program makes.
#include "runtime/stream/table.hpp"

#include <atomic>
#include <cstdint>
#include <set>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <sinter/error.hpp>

#include "runtime/memory/storage.hpp"
#include "runtime/stream/operation.hpp"
#include "runtime/stream/order.hpp"
#include "test/runtime/stream/fake_device.hpp"

namespace {

using namespace sinter;
using namespace sinter::runtime;
using test::fake_device;

}  // namespace

TEST_CASE("table: where no event can be made, settling waits for the streams themselves") {
  fake_device& device = fake_device::make();
  stream_state& a = device.streams().make({});
  std::uint64_t count = 0;
  std::size_t place = 0;
  device.enqueue(a,
                 [&](std::size_t its_place, std::uint64_t its_count, auto) { place = its_place, count = its_count; });
  a.enqueued();
  device.fail_events = 100;
  device.streams().settle();
  CHECK(device.past(place, count));
  device.fail_events = 0;
  release(a);
}

TEST_CASE("table: a place is given away again once its work is over, and not before") {
  fake_device& device = fake_device::make();
  stream_table& table = device.streams();
  CHECK(table.default_stream().number == 0);
  stream_state& a = table.make({});
  const unsigned number = a.number;
  const std::uint64_t position = device.work(a);
  release(a);
  CHECK(device.streams_alive == 0);
  stream_state& b = table.make({});
  CHECK(b.number != number);
  CHECK(!reached(a, position));
  device.finish();
  CHECK(reached(a, position));
  stream_state& c = table.make({});
  CHECK(c.number == number);
  CHECK(c.position() >= position);  // positions go on
  CHECK(device.streams_alive == 2);
  release(b);
  release(c);
  CHECK(device.streams_alive == 0);
}

TEST_CASE("table: what a stream that has gone wrote is still waited for") {
  fake_device& device = fake_device::make();
  stream_state& a = device.streams().make({});
  stream_state& b = device.streams().make({});
  const storage_holder x(make_storage(100, a)), y(make_storage(100, b));
  {
    operation op(a);
    op.writes(x.get());
    device.zero(nullptr, 0, a);
    op.done();
    op.has_written(x.get());
  }
  release(a);
  const int waits = device.waits;
  operation op(b);
  op.reads(x.get());
  CHECK(device.waits == waits + 1);
  release(b);
  device.finish();
}

TEST_CASE("table: the next stream in a place has waited for nothing") {
  fake_device& device = fake_device::make();
  stream_table& table = device.streams();
  stream_state& x = table.make({});
  const std::uint64_t position = device.work(x);
  stream_state& first = table.make({});
  const unsigned number = first.number;
  order_after(first, x, position);
  CHECK(device.ordered(first, x, position));
  release(first);
  stream_state& second = table.make({});
  order_after(second, x, position);
  CHECK(device.ordered(second, x, position));
  release(second);
  device.finish();
  stream_state& third = table.make({});
  CHECK(third.number <= number + 1);
  release(third);
  release(x);
}

TEST_CASE("table: a stream that only waits keeps its place until the wait is over") {
  fake_device& device = fake_device::make();
  stream_state& x = device.streams().make({});
  device.work(x);
  stream_state& waiting = device.streams().make({});
  const unsigned number = waiting.number;
  order_after(waiting, x);
  release(waiting);
  stream_state& next = device.streams().make({});
  CHECK(next.number != number);
  release(next);
  release(x);
  device.finish();
}

TEST_CASE("table: many streams and events in a row take few places") {
  fake_device& device = fake_device::make();
  stream_table& table = device.streams();
  std::set<unsigned> numbers;
  for (int i = 0; i < 1000; ++i) {
    stream_state& a = table.make({});
    stream_state& b = table.make({});
    device.work(a);
    order_after(b, a);
    device.work(b);
    numbers.insert(a.number);
    numbers.insert(b.number);
    release(a);
    release(b);
    if (i % 5 == 4) device.finish();
  }
  CHECK(numbers.size() <= 12);
  CHECK(device.events_alive <= 64);
  CHECK(device.streams_alive == 0);
  // A burst of events comes down again.
  std::vector<event_ref> burst;
  for (int i = 0; i < 2000; ++i) burst.push_back(make_event(device, {}));
  CHECK(device.events_alive >= 2000);
  burst.clear();
  CHECK(device.events_alive <= 600);
}

TEST_CASE("table: events are used again by what they are for") {
  fake_device& device = fake_device::make();
  event_ref timed = make_event(device, {}), untimed = make_event(device, {.timing = false});
  void *const first = timed->handle, *const second = untimed->handle;
  timed = {};
  untimed = {};
  untimed = make_event(device, {.timing = false});
  CHECK(untimed->handle == second);
  timed = make_event(device, {});
  CHECK(timed->handle == first);
  const event_ref blocking = make_event(device, {.blocking_sync = true});
  CHECK(device.events_alive == 3);
  device.fail_events = 1;
  CHECK_THROWS_AS(make_event(device, {}), device_error);
}

TEST_CASE("table: foreign handles have one stream as long as an owner holds it") {
  fake_device& device = fake_device::make();
  stream_table& table = device.streams();
  stream_options how;
  void* const foreign = device.create_stream(how);
  stream_state& a = table.adopt(foreign);
  CHECK(&table.adopt(foreign) == &a);
  CHECK(&table.adopt(nullptr) == &table.default_stream());
  device.work(a);
  release(a);
  CHECK(&table.adopt(foreign) == &a);
  release(a);
  release(a);
  CHECK(device.streams_alive == 1);  // its owner's
  stream_state& own = table.make({});
  CHECK(&table.adopt(own.handle) == &own);
  release(own);
  release(own);
  device.finish();
  device.destroy_stream(foreign);
}

TEST_CASE("table: streams made, dropped and found by many threads at once") {
  fake_device& device = fake_device::make();
  stream_table& table = device.streams();
  stream_options how;
  void* const foreign = device.create_stream(how);
  std::atomic<int> shared{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) {
        stream_state& mine = table.make({});
        if (mine.references.load() != 1) ++shared;  // no other thread has it
        device.work(mine);
        stream_state& known = table.adopt(foreign);
        if (known.handle != foreign) ++shared;
        order_after(mine, known);
        release(known);
        if (i % 10 == 0) device.finish();
        release(mine);
      }
    });
  for (std::thread& t : threads) t.join();
  CHECK(shared == 0);
  CHECK(device.streams_alive == 1);
  device.finish();
  stream_state& last = table.make({});
  CHECK(last.number < 200);
  release(last);
  device.destroy_stream(foreign);
}

TEST_CASE("table: settle waits for every stream, gone ones too") {
  fake_device& device = fake_device::make();
  stream_table& table = device.streams();
  stream_state& a = table.make({});
  stream_state& b = table.make({});
  const std::uint64_t first = device.work(a), second = device.work(b), third = device.work(table.default_stream());
  release(b);
  table.settle();
  const int questions = device.questions;
  CHECK(reached(a, first));
  CHECK(reached(b, second));
  CHECK(reached(table.default_stream(), third));
  CHECK(device.questions == questions);
  release(a);
}
