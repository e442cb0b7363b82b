// Devices: which there are, which one is current, what is known about them, and arrays of several devices at once. The
// numbers are those of CuPy's documented behaviours.
#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "test/include/ordering.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using doubles = std::vector<double>;

constexpr std::int64_t n = 1024;

device another() {
  if (const std::optional<device> second = second_gpu()) return *second;
  return device::current().type() == device::kind::cpu ? device::interpreter() : device::cpu();
}

}  // namespace

TEST_CASE("devices: enumeration") {
  CHECK(device::available(device::cpu()));
  CHECK(device::available(device::interpreter()));
  CHECK(device::available(device::current()));
  CHECK(!device::available(device(device::kind::cpu, 1)));
  CHECK(device::cuda_count() >= 0);
  for (int i = 0; i < device::cuda_count(); ++i) CHECK(device::available(device::cuda(i)));
  CHECK(!device::available(device::cuda(device::cuda_count())));
  CHECK(!device::available(device::cuda(-1)));
  CHECK(!device::available(device::cuda(1000)));
  CHECK(name_of(device::cpu()) == "cpu");
  CHECK(name_of(device::cuda(3)) == "cuda:3");
}

TEST_CASE("devices: one that is not there is named") {
  const device missing = device::cuda(63);
  const std::string text = refusal<device_error>([&] { const device_scope in(missing); });
  CHECK(text.find("cuda:63") != std::string::npos);
  CHECK(device::current() != missing);
  CHECK_THROWS_AS(properties(missing), device_error);
  CHECK_THROWS_AS(array<double>{1}.to(missing), device_error);
  CHECK_THROWS_AS(device_scope(device(device::kind::cpu, 7)), device_error);
}

TEST_CASE("devices: properties") {
  for (const device d : {device::current(), another(), device::cpu()}) {
    CAPTURE(name_of(d));
    const device_properties p = properties(d);
    CHECK(std::strlen(p.name) > 0);
    CHECK(p.total_memory > 0);
    CHECK(p.free_memory <= p.total_memory);
    CHECK(p.multiprocessors >= 1);
    if (d.type() == device::kind::cuda) {
      CHECK(p.compute_capability >= 50);
      CHECK(std::strlen(p.pci_bus) >= 7);  // 0000:3b:00.0
      CHECK(std::strchr(p.pci_bus, ':') != nullptr);
    } else {
      CHECK(p.compute_capability == 0);
    }
  }
}

TEST_CASE("devices 4.6: the current device is the thread's, and scopes nest and put it back") {
  const device first = device::current(), other = another();
  {
    const device_scope in(other);
    CHECK(device::current() == other);
    CHECK(zeros({n}).device() == other);
    {
      const device_scope inner(first);
      CHECK(device::current() == first);
    }
    CHECK(device::current() == other);
    std::thread([&] { CHECK(device::current() == first); }).join();  // the process's default
    try {
      const device_scope inner(first);
      throw std::runtime_error("through the scope");
    } catch (const std::runtime_error&) {
    }
    CHECK(device::current() == other);
  }
  CHECK(device::current() == first);
  CHECK(zeros({n}).device() == first);
}

TEST_CASE("devices 4.6: each device has its own current stream") {
  const device other = another();
  const stream mine;
  const stream_scope in(mine);
  {
    const device_scope there(other);
    CHECK(!(stream::current() == mine));
    CHECK(stream::current() == stream::null());
    CHECK(stream::current().device() == other);
    const stream its;
    const stream_scope inner(its);
    CHECK(stream::current() == its);
    {
      const device_scope back(mine.device());
      CHECK(stream::current() == mine);
    }
    CHECK(stream::current() == its);
  }
  CHECK(stream::current() == mine);
}

TEST_CASE("devices 4.6: an expression is evaluated where its operands are") {
  const device here = device::current(), other = another();
  const array<double> a = ones({n});
  std::optional<array<double>> b;
  {
    const device_scope in(other);
    b = full({n}, 2.0);
    const array<double> of_here = a * 10;  // though the current device is another
    CHECK(of_here.device() == here);
    CHECK(holds(of_here, 10));
    CHECK(sum(a).item() == n);
  }
  array<double> c = *b + 1;
  CHECK(c.device() == other);
  c(slice(0, 2)) = 0.0;
  c += *b;
  CHECK(c.device() == other);
  CHECK(c.get()[0] == 2);
  CHECK(c.get()[2] == 5);
  CHECK(c.copy().device() == other);
  CHECK(array<double>(c.T()).device() == other);
  CHECK(c.reshape({2, -1}).device() == other);
  const array<double> moved = c;
  CHECK(moved.device() == other);
  c.set(doubles(n, 4));
  CHECK(c.device() == other);
  CHECK(holds(c, 4));
  CHECK(device::current() == here);
}

TEST_CASE("devices 4.6: operands of two devices are refused, and the message names both") {
  const device here = device::current(), other = another();
  array<double> a = ones({n});
  const array<double> b = a.to(other);
  const auto names_both = [&](const std::string& text) {
    return text.find(name_of(here)) != std::string::npos && text.find(name_of(other)) != std::string::npos;
  };
  const std::string operands = refusal<device_error>([&] { const array<double> c = a + b; });
  CHECK_MESSAGE(names_both(operands), operands);
  const std::string stored = refusal<device_error>([&] { a(ellipsis) = b * 2; });
  CHECK_MESSAGE(names_both(stored), stored);
  const std::string copied = refusal<device_error>([&] { a(ellipsis) = b; });
  CHECK_MESSAGE(names_both(copied), copied);
  const std::string part = refusal<device_error>([&] { a(slice(0, 4)) = b(slice(0, 4)); });
  CHECK_MESSAGE(names_both(part), part);
  const std::string updated = refusal<device_error>([&] { a += b; });
  CHECK_MESSAGE(names_both(updated), updated);
  CHECK(holds(a, 1));
  CHECK(holds(array<double>(a + b.to(here)), 2));
}

TEST_CASE("devices 4.6: empty arrays and scalars are at home everywhere") {
  const device other = another();
  array<double> nothing;
  CHECK(nothing.get().empty());
  const device_scope in(other);
  const array<double> none;
  CHECK(none.device() == other);
  const array<double> sum_of_none = none + zeros({0});
  CHECK(sum_of_none.shape() == shape{0});
  CHECK(holds(array<double>(ones({n}) + 1), 2));
}

TEST_CASE("devices: threads on different devices at once") {
  const std::vector<device> all{device::current(), another(), device::cpu(), device::interpreter()};
  std::vector<char> right(all.size(), 0);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < all.size(); ++t)
    threads.emplace_back([&, t] {
      const device_scope in(all[t]);
      const stream mine;
      const stream_scope on_mine(mine);
      bool good = true;
      for (int i = 0; i < 10; ++i) {
        array<double> a = full({n}, double(i));
        a = a * 2 + 1;
        good = good && a.device() == all[t] && sum(a).item() == double(n) * (2 * i + 1);
        good = good && holds(a.to(device::cpu()), 2.0 * i + 1);
      }
      right[t] = good;
    });
  for (std::thread& t : threads) t.join();
  for (const char good : right) CHECK(good);
}

TEST_CASE("devices: each device has its own memory and its own pool") {
  const device other = another();
  memory_pool pool;
  const using_allocator from(pool);
  const array<double> a = ones({n});
  const std::size_t here = pool.used_bytes();
  CHECK(here >= n * sizeof(double));
  const device_scope in(other);
  CHECK(pool.used_bytes() == 0);
  const array<double> b = ones({2 * n});
  CHECK(pool.used_bytes() == 2 * n * sizeof(double));
}

TEST_CASE("devices: synchronize waits for all streams of the current device") {
  const stream a, b;
  int done = 0;
  a.launch_host_func([&] { ++done; });
  a.synchronize();
  b.launch_host_func([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ++done;
  });
  synchronize();
  CHECK(done == 2);
  CHECK(a.done());
  CHECK(b.done());
}

TEST_CASE("a device chosen by the environment" * doctest::skip()) {
  const char* const wanted = std::getenv("SINTER_TEST_EXPECTED");
  REQUIRE(wanted);
  CHECK(name_of(device::current()) == wanted);
  CHECK(name_of(zeros({3}).device()) == wanted);
  std::thread([&] { CHECK(name_of(device::current()) == wanted); }).join();
}

TEST_CASE("devices: SINTER_DEVICE chooses the process's device") {
  const auto chosen = [](const char* word, const std::string& expected) {
    const rerun run("a device chosen by the environment",
                    {{"SINTER_DEVICE", word}, {"SINTER_TEST_EXPECTED", expected}});
    CHECK_MESSAGE(run.ok, run.output);
  };
  chosen("cpu", "cpu");
  chosen("interpreter", "interpreter");
  if (device::cuda_count() > 0) chosen("cuda", "cuda:0");
  if (device::cuda_count() > 1) chosen("cuda:1", "cuda:1");
}
