// The order between streams, over a device whose events are clocks: what is recorded and waited for, what is spared,
// which memory is kept back, and that none of it is wrong when many threads do it at once.
#include "runtime/stream/order.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <sinter/error.hpp>

#include "runtime/memory/storage.hpp"
#include "runtime/stream/current.hpp"
#include "runtime/stream/operation.hpp"
#include "test/runtime/stream/fake_device.hpp"

namespace {

using namespace sinter;
using namespace sinter::runtime;
using detail::storage;
using test::fake_device;

/// A device with three streams.
struct fixture {
  fake_device& device = fake_device::make();
  stream_state& a = device.streams().make({});
  stream_state& b = device.streams().make({});
  stream_state& c = device.streams().make({});
  ~fixture() {
    for (stream_state* s : {&a, &b, &c}) release(*s);
    device.finish();
    wait_for_pending_frees(device);
  }

  /// One operation as the launcher does it.
  std::uint64_t operate(stream_state& on, std::vector<storage*> reads, std::vector<storage*> writes) {
    operation op(on);
    for (storage* memory : reads) op.reads(memory);
    for (storage* memory : writes) op.writes(memory);
    device.zero(nullptr, 0, on);
    op.done();
    for (storage* memory : reads) op.has_read(memory);
    for (storage* memory : writes) op.has_written(memory);
    return device.enqueued(on);
  }
};

}  // namespace

TEST_CASE_FIXTURE(fixture, "order: on one stream nothing is asked of the driver") {
  const storage_holder x(make_storage(1000, a)), y(make_storage(1000, a));
  for (int i = 0; i < 100; ++i) {
    operate(a, {x.get()}, {y.get()});
    operate(a, {y.get()}, {x.get()});
  }
  CHECK(device.records + device.waits + device.questions == 0);
  CHECK(device.events_alive == 0);
}

TEST_CASE_FIXTURE(fixture, "order: a reader on another stream costs one event and one wait") {
  const storage_holder x(make_storage(1000, a)), y(make_storage(1000, b));
  const std::uint64_t written = operate(a, {}, {x.get()});
  operate(b, {x.get()}, {y.get()});
  CHECK(device.ordered(b, a, written));
  CHECK(device.records == 1);
  CHECK(device.waits == 1);
  for (int i = 0; i < 10; ++i) operate(b, {x.get()}, {y.get()});  // it has waited already
  CHECK(device.records == 1);
  CHECK(device.waits == 1);
  const storage_holder z(make_storage(1000, c));
  operate(c, {x.get()}, {z.get()});  // the event is there already
  CHECK(device.ordered(c, a, written));
  CHECK(device.records == 1);
  CHECK(device.waits == 2);
}

TEST_CASE_FIXTURE(fixture, "order: no stream waits for what the device is known to have done") {
  const storage_holder x(make_storage(1000, a)), y(make_storage(1000, b));
  const std::uint64_t written = operate(a, {}, {x.get()});
  CHECK(!reached(a, written));
  device.finish(a);
  CHECK(reached(a, written));
  const int questions = device.questions;
  CHECK(reached(a, written));
  CHECK(device.questions == questions);  // known
  operate(b, {x.get()}, {y.get()});
  CHECK(device.waits == 0);
}

TEST_CASE_FIXTURE(fixture, "order: a writer comes after all readers and after the writer before") {
  const storage_holder x(make_storage(1000, a)), y(make_storage(1000, b)), z(make_storage(1000, c));
  const std::uint64_t first = operate(a, {}, {x.get()});
  const std::uint64_t read_b = operate(b, {x.get()}, {y.get()});
  operate(c, {x.get()}, {z.get()});
  const std::uint64_t read_c = operate(c, {x.get()}, {z.get()});
  const std::uint64_t read_a = operate(a, {x.get()}, {});  // the writer's own stream reads too
  CHECK(!device.ordered(a, b, read_b));
  operate(a, {}, {x.get()});
  CHECK(device.ordered(a, b, read_b));
  CHECK(device.ordered(a, c, read_c));
  const std::uint64_t later_read = operate(b, {x.get()}, {y.get()});
  const std::uint64_t last_a = operate(a, {x.get()}, {});
  operate(c, {}, {x.get()});
  CHECK(device.ordered(c, a, last_a));
  CHECK(device.ordered(c, a, read_a));
  CHECK(device.ordered(c, a, first));
  CHECK(device.ordered(c, b, later_read));
}

TEST_CASE_FIXTURE(fixture, "order: memory that other streams use is kept back until they are done") {
  const storage_holder y(make_storage(1000, b));
  storage_holder x(make_storage(1000, a));
  std::byte* const place = x.get()->data;
  operate(a, {}, {x.get()});
  operate(b, {x.get()}, {y.get()});
  x.reset(nullptr);
  x.reset(make_storage(1000, a));
  CHECK(x.get()->data != place);
  device.finish(a);
  storage_holder other(make_storage(1000, a));
  CHECK(other.get()->data != place);  // it is b that still reads
  device.finish(b);
  other.reset(nullptr);
  other.reset(make_storage(1000, a));  // looks at what waits
  storage_holder again(make_storage(1000, a));
  CHECK((again.get()->data == place || other.get()->data == place));
}

TEST_CASE_FIXTURE(fixture, "order: memory that another stream wrote last is kept back until it is done") {
  storage_holder x(make_storage(1000, a));
  std::byte* const place = x.get()->data;
  operate(b, {}, {x.get()});
  operate(b, {x.get()}, {});  // after the write
  x.reset(nullptr);
  x.reset(make_storage(1000, a));
  CHECK(x.get()->data != place);
  CHECK(wait_for_pending_frees(device));
  CHECK(device.host_waits >= 1);
  CHECK(!wait_for_pending_frees(device));
  const storage_holder again(make_storage(1000, a));
  CHECK(again.get()->data == place);
}

TEST_CASE_FIXTURE(fixture, "order: memory that only its own stream used is free at once") {
  storage_holder x(make_storage(1000, a));
  std::byte* const place = x.get()->data;
  operate(a, {}, {x.get()});
  x.reset(nullptr);
  x.reset(make_storage(1000, a));
  CHECK(x.get()->data == place);
  CHECK(device.records == 0);
}

TEST_CASE_FIXTURE(fixture, "order: what waits behind slow streams does not keep back what is done") {
  const storage_holder into_b(make_storage(8, b)), into_c(make_storage(8, c));
  for (int i = 0; i < 50; ++i) {
    const storage_holder x(make_storage(1000, a));
    operate(a, {}, {x.get()});
    operate(i < 10 ? b : c, {x.get()}, {i < 10 ? into_b.get() : into_c.get()});
  }  // ten that b reads and forty that c reads
  device.finish(a);
  device.finish(c);
  pool& blocks = default_pools().of(device).blocks;
  for (int i = 0; i < 40; ++i) const storage_holder look(make_storage(1, c));
  CHECK(blocks.usage().used <= 2 * 512 + 10 * 1024);
}

TEST_CASE_FIXTURE(fixture, "order: unordered waits for nothing but keeps memory back") {
  const storage_holder y(make_storage(1000, b));
  storage_holder x(make_storage(1000, a));
  std::byte* const place = x.get()->data;
  const std::uint64_t written = operate(a, {}, {x.get()});
  {
    const unordered scope;
    operate(b, {x.get()}, {y.get()});
    CHECK(device.waits == 0);
    operate(c, {}, {x.get()});  // a store
    CHECK(device.waits == 0);
  }
  CHECK(!device.ordered(b, a, written));
  x.reset(nullptr);
  for (stream_state* s : {&c, &b}) {
    const storage_holder next(make_storage(1000, a));
    CHECK(next.get()->data != place);
    device.finish(*s);
  }
  device.finish();
  wait_for_pending_frees(device);
  const storage_holder next(make_storage(1000, a));
  CHECK(next.get()->data == place);
}

TEST_CASE_FIXTURE(fixture, "order: an unordered store does not forget the stream that wrote before") {
  storage_holder x(make_storage(1000, a));
  std::byte* const place = x.get()->data;
  operate(a, {}, {x.get()});
  operate(b, {}, {x.get()});
  {
    const unordered scope;
    operate(c, {}, {x.get()});
  }
  x.reset(nullptr);
  device.finish(c);  // b is still at it
  const storage_holder next(make_storage(1000, a));
  CHECK(next.get()->data != place);
}

TEST_CASE_FIXTURE(fixture, "order: a failed call changes nothing, and the next one works") {
  const storage_holder x(make_storage(1000, a)), y(make_storage(1000, b));
  const std::uint64_t written = operate(a, {}, {x.get()});
  for (int* failing : {&device.fail_events, &device.fail_records, &device.fail_waits}) {
    *failing = 1;
    CHECK_THROWS_AS(operate(b, {x.get()}, {y.get()}), device_error);
    CHECK(*failing == 0);
    CHECK(!device.ordered(b, a, written));
  }
  operate(b, {x.get()}, {y.get()});
  CHECK(device.ordered(b, a, written));
}

TEST_CASE_FIXTURE(fixture, "order: a stream of many copies does not gather events") {
  for (int i = 0; i < 1000; ++i) {
    device.work(a);
    mark(a);
    if (i % 7 == 0) device.finish(a);
  }
  CHECK(device.events_alive <= 40);
  const int records = device.records;
  mark(a);
  mark(a);
  CHECK(device.records <= records);  // there is one behind all of it
}

TEST_CASE("order: streams of a device without queues never wait") {
  fake_device& plain = fake_device::make(runtime::most_devices - 1, false);
  stream_state& a = plain.streams().make({});
  stream_state& b = plain.streams().make({});
  plain.work(a);
  order_after(b, a);
  CHECK(reached(a, a.position()));
  wait_until_reached(a, a.position());
  mark(a);
  CHECK(plain.records + plain.waits + plain.questions + plain.host_waits == 0);
  release(a);
  release(b);
}

TEST_CASE("order: between devices, events of the one that is waited for") {
  fake_device& one = fake_device::make(runtime::most_devices - 1);
  fake_device& two = fake_device::make(runtime::most_devices - 2);
  fake_device& host = fake_device::make(runtime::most_devices - 3, false);
  stream_state& a = one.streams().make({});
  stream_state& b = two.streams().make({});
  stream_state& h = host.streams().make({});
  one.work(a);
  order_after(b, a);
  CHECK(one.records == 1);
  CHECK(two.waits == 1);
  one.work(a);
  order_after(h, a);  // its device cannot wait, so the host does
  CHECK(one.host_waits == 1);
  order_after(a, h);
  CHECK(one.waits == 0);
  for (stream_state* s : {&a, &b, &h}) release(*s);
}

TEST_CASE("order: streams of two devices have the same numbers, but are not the same") {
  fake_device& one = fake_device::make(runtime::most_devices - 1);
  fake_device& two = fake_device::make(runtime::most_devices - 2);
  stream_state& a = one.streams().make({});
  stream_state& same_number = two.streams().make({});
  stream_state& b = two.streams().make({});
  REQUIRE(a.number == same_number.number);
  for (int i = 0; i < 10; ++i) two.work(same_number);
  order_after(b, same_number);
  one.work(a);
  order_after(b, a);
  CHECK(one.records == 1);
  CHECK(two.waits == 2);
  for (stream_state* s : {&a, &b, &same_number}) release(*s);
}

// Positions and clocks by many threads: a stream that was ordered after a position comes after it, whatever else runs.
TEST_CASE("order: many threads order many streams at once") {
  fake_device& device = fake_device::make();
  std::vector<stream_state*> streams;
  for (int i = 0; i < 6; ++i) streams.push_back(&device.streams().make({}));
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::mt19937 random(t);
      for (int i = 0; i < 3000; ++i) {
        stream_state &on = *streams[random() % streams.size()], &of = *streams[random() % streams.size()];
        switch (random() % 5) {
          case 0: device.work(on); break;
          case 1: mark(on); break;
          case 2:
            if (random() % 8 == 0) device.finish(on);
            reached(on, on.position());
            break;
          default: {
            if (&on == &of) break;
            std::uint64_t count = 0;
            const std::uint64_t position = device.work(of, &count);
            order_after(on, of, position);
            // Either it waits, or the device had come past it.
            if (!device.ordered(on, of, count) && !reached(of, position)) ++wrong;
          }
        }
      }
    });
  for (std::thread& t : threads) t.join();
  CHECK(wrong == 0);
  for (stream_state* s : streams) release(*s);
}

TEST_CASE("order: many threads read one storage on many streams, and its memory is kept back for all") {
  fake_device& device = fake_device::make();
  std::vector<stream_state*> streams;
  for (int i = 0; i < 4; ++i) streams.push_back(&device.streams().make({}));
  stream_state& home = *streams[0];
  for (int round = 0; round < 50; ++round) {
    storage_holder x(make_storage(4096, home));
    std::byte* const place = x.get()->data;
    device.work(home);
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 20; ++i) {
          stream_state& on = *streams[(t + static_cast<unsigned>(i)) % 4];
          operation op(on);
          op.reads(x.get());
          device.zero(nullptr, 0, on);
          op.done();
          op.has_read(x.get());
        }
      });
    for (std::thread& t : threads) t.join();
    x.reset(nullptr);
    for (stream_state* s : streams) {
      const storage_holder next(make_storage(4096, home));
      CHECK(next.get()->data != place);
      if (s != streams.back()) device.finish(*s);
    }
    device.finish();
    wait_for_pending_frees(device);
  }
  for (stream_state* s : streams) release(*s);
}
