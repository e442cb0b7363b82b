// 10^7 allocations and releases by eight threads on eight streams of a device that is far behind, with every use of the
// memory checked: a write comes after all earlier uses of each 512 bytes, a read after the last write, in the order
// that streams, events and what the host knows make. Who a block belonged to in between makes no difference.
#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sinter/error.hpp>

#include "runtime/memory/storage.hpp"
#include "runtime/stream/operation.hpp"
#include "test/runtime/memory/address_space.hpp"
#include "test/runtime/stream/fake_device.hpp"

namespace {

using namespace sinter;
using namespace sinter::runtime;
using detail::storage;
using test::address_space, test::fake_device, test::quick_random;

constexpr std::size_t streams = 8;
constexpr int threads = 8;
constexpr std::size_t units = 1'500;  // few: much waits to be free, and now and then there is none
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr int operations = 1'000'000;
#else
constexpr int operations = 10'000'000;
#endif

/// Remembers of each unit what used it last on each stream. Under the device's lock.
class shadow_memory final : public address_space {
 public:
  shadow_memory() : address_space(units), of_(units) {}

  fake_device* device = nullptr;
  int early_reads = 0, early_writes = 0;
  std::atomic<int> early_releases{0};

  void use(const stream_state& on, const storage& memory, bool writes) {
    device->enqueue(on, [&](std::size_t place, std::uint64_t count, auto precedes) {
      for (std::size_t i = first(memory.data), end = i + address_space::count(memory.size); i < end; ++i) {
        uses& u = of_[i];
        bool ordered = precedes(u.writer, u.written);
        if (writes)
          for (std::size_t s = 0; s < u.read.size(); ++s) ordered = ordered && precedes(s, u.read[s]);
        if (!ordered) ++(writes ? early_writes : early_reads);
        if (writes) u = {place, count, {}};
        else u.read[place] = count;
      }
    });
  }
  /// To the device, which may give it to any program: nothing may be under way there.
  void release(std::byte* segment, std::size_t size) noexcept override {
    for (std::size_t i = first(segment), end = i + address_space::count(size); i < end; ++i) {
      uses& u = of_[i];
      bool over = device->past(u.writer, u.written);
      for (std::size_t s = 0; s < u.read.size(); ++s) over = over && device->past(s, u.read[s]);
      if (!over) ++early_releases;
    }
    address_space::release(segment, size);
  }

 private:
  struct uses {
    std::size_t writer = 0;
    std::uint64_t written = 0;
    std::array<std::uint64_t, streams + 1> read{};  // the default stream's comes first
  };
  std::vector<uses> of_;
};

struct common {
  common() {
    auto memory = std::make_unique<shadow_memory>();
    shadow = memory.get();
    device = &fake_device::make(most_devices - 4, true, std::move(memory));
    shadow->device = device;
    for (stream_state*& s : all) s = &device->streams().make({});
  }
  ~common() {
    for (stream_state* s : all) release(*s);
  }

  shadow_memory* shadow;
  fake_device* device;
  std::array<stream_state*, streams> all;
  struct {
    std::mutex busy;
    storage* left = nullptr;
  } boxes[32];
  std::atomic<std::int64_t> made{0}, refused{0};
};

class worker {
 public:
  worker(common& c, unsigned number) : all_(c), number_(number), random_{number + 1} {}
  ~worker() {
    for (storage* m : mine_) detail::release(m);
  }

  /// Half of what it does are allocations, and the other half releases.
  void run(std::int64_t steps) {
    for (std::int64_t i = 0; i < steps; i += 2) {
      const std::uint64_t r = random_();
      storage*& held = mine_[r % mine_.size()];
      detail::release(std::exchange(held, nullptr));
      held = made(stream_of(r >> 8), r >> 16);
      for (int uses = static_cast<int>(r >> 24 & 3); uses > 0; --uses) {
        const std::uint64_t q = random_();
        if (storage* any = mine_[q % mine_.size()]) use(*any, stream_of(q >> 8), q >> 16 & 1);
      }
      if (r >> 41 & 1) exchange(held, r >> 48);
      if ((r >> 53) % 64 == 0) all_.device->finish(stream_of(r >> 60));
    }
  }

 private:
  /// Mostly its own, now and then any: a stream may be used by several threads.
  stream_state& stream_of(std::uint64_t r) { return *all_.all[r % 4 ? number_ % streams : (r >> 2) % streams]; }
  storage* made(stream_state& on, std::uint64_t r) {
    try {
      storage_holder fresh(make_storage(address_space::unit << r % 3, on));
      ++all_.made;
      use(*fresh.get(), on, true);
      return fresh.take();
    } catch (const out_of_memory&) {
      ++all_.refused;
      return nullptr;
    }
  }
  void use(storage& memory, stream_state& on, bool writes) {
    operation op(on);
    writes ? op.writes(&memory) : op.reads(&memory);
    all_.shadow->use(on, memory, writes);
    op.done();
    writes ? op.has_written(&memory) : op.has_read(&memory);
  }
  void exchange(storage*& held, std::uint64_t r) {
    auto& box = all_.boxes[r % std::size(all_.boxes)];
    const std::lock_guard hold(box.busy);
    std::swap(held, box.left);
  }

  common& all_;
  const unsigned number_;
  quick_random random_;
  std::array<storage*, 12> mine_{};
};

}  // namespace

TEST_CASE("memory 1.3: ten million operations on eight streams: every use comes after those before it") {
  common c;
  std::vector<std::thread> all;
  std::mutex failing;
  std::string thrown;
  for (unsigned t = 0; t < threads; ++t)
    all.emplace_back([&, t] {
      try {
        worker(c, t).run(operations / threads);
      } catch (const std::exception& e) {
        const std::lock_guard hold(failing);
        thrown = e.what();
      }
    });
  for (std::thread& t : all) t.join();
  for (auto& box : c.boxes) detail::release(std::exchange(box.left, nullptr));
  CHECK(thrown == "");
  CHECK(c.made > operations / 2 * 9 / 10);
  CHECK(c.device->host_waits > 0);  // the ladder was climbed
  c.device->finish();
  while (wait_for_pending_frees(*c.device)) {
  }
  pool& blocks = default_pools().of(*c.device).blocks;
  CHECK(blocks.usage().used == 0);
  blocks.free_all_blocks();
  CHECK(blocks.usage().total == 0);
  CHECK(c.shadow->early_reads == 0);
  CHECK(c.shadow->early_writes == 0);
  CHECK(c.shadow->early_releases == 0);
  CHECK(c.device->waits > 0);
}
