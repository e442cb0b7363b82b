// Memory hooks: the order they are called in, what they are told, what they cannot break, and the three that come with
// Sinter.
#include <sinter/memory_hooks.hpp>

#include <cstdio>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <sinter/error.hpp>
#include <sinter/memory.hpp>

#include "runtime/memory/hooks.hpp"
#include "runtime/statement.hpp"
#include "test/runtime/memory/memory_device.hpp"

namespace {

using namespace sinter;
using test::memory_device;

constexpr std::size_t u = runtime::pool::unit;

/// Writes down what it is told.
class recording : public memory_hook {
 public:
  recording(const char* name, std::vector<std::string>& log) : name_(name), log_(log) {}
  const char* name() const override { return name_; }
  void alloc_preprocess(const memory_event& e) override { note("alloc_pre", e); }
  void alloc_postprocess(const memory_event& e) override { note("alloc_post", e); }
  void malloc_preprocess(const memory_event& e) override { note("malloc_pre", e); }
  void malloc_postprocess(const memory_event& e) override { note("malloc_post", e); }
  void free_preprocess(const memory_event& e) override { note("free_pre", e); }
  void free_postprocess(const memory_event& e) override { note("free_post", e); }

  std::vector<memory_event> events;

 private:
  void note(const char* what, const memory_event& e) {
    log_.push_back(std::string(name_) + " " + what);
    events.push_back(e);
  }
  const char* name_;
  std::vector<std::string>& log_;
};

struct pool_on_device {
  memory_device device;
  memory_pool pool;
  const stream& on = device.stream().handle_of();
  void* take(std::size_t size) { return pool.resource().allocate(size, on); }
  void give(void* block, std::size_t size) { pool.resource().deallocate(block, size, on); }
};

using strings = std::vector<std::string>;

}  // namespace

TEST_CASE_FIXTURE(pool_on_device, "memory 1.14: the order of hooks: alloc only where the pool has nothing that fits") {
  strings log;
  recording hook("h", log);
  void* block = nullptr;
  {
    const hook_scope scope(hook);
    block = take(700);
    CHECK(log == strings{"h malloc_pre", "h alloc_pre", "h alloc_post", "h malloc_post"});
    log.clear();
    give(block, 700);
    CHECK(log == strings{"h free_pre", "h free_post"});
    log.clear();
    block = take(900);  // cached
    CHECK(log == strings{"h malloc_pre", "h malloc_post"});
  }
  log.clear();
  give(block, 900);
  CHECK(log.empty());

  const memory_event &before = hook.events[0], &got = hook.events[2], &after = hook.events[3], &freed = hook.events[5];
  CHECK(before.size == 700);
  CHECK(before.mem_size == 2 * u);
  CHECK(before.mem_ptr == nullptr);
  CHECK(before.pmem_id == nullptr);
  CHECK(before.device == device::interpreter());
  CHECK(got.mem_size == 2 * u);
  CHECK(got.mem_ptr == block);
  CHECK(after.size == 700);
  CHECK(after.mem_ptr == block);
  CHECK(after.pmem_id != nullptr);
  CHECK(freed.mem_ptr == block);
  CHECK(freed.mem_size == 2 * u);
  CHECK(freed.pmem_id == after.pmem_id);
}

TEST_CASE_FIXTURE(pool_on_device, "memory 1.14: several hooks, in the order of registration; a name only once") {
  strings log;
  recording a("a", log), b("b", log), again("a", log);
  {
    const hook_scope first(a);
    const hook_scope second(b);
    CHECK_THROWS_AS(std::make_unique<hook_scope>(again), error);
    void* block = take(1);
    CHECK(log == strings{"a malloc_pre", "b malloc_pre", "a alloc_pre", "b alloc_pre", "a alloc_post", "b alloc_post",
                         "a malloc_post", "b malloc_post"});
    log.clear();
    give(block, 1);
    CHECK(log == strings{"a free_pre", "b free_pre", "a free_post", "b free_post"});
  }
  const hook_scope now_free(again);
  log.clear();
  give(take(1), 1);
  CHECK(log.size() == 4);
}

TEST_CASE_FIXTURE(pool_on_device, "memory 1.14: scopes may end in any order, and hooks are the thread's own") {
  strings log;
  recording a("a", log), b("b", log), c("c", log);
  auto first = std::make_unique<hook_scope>(a);
  auto second = std::make_unique<hook_scope>(b);
  auto third = std::make_unique<hook_scope>(c);
  second.reset();
  void* block = take(1);
  log.clear();
  give(block, 1);
  CHECK(log == strings{"a free_pre", "c free_pre", "a free_post", "c free_post"});
  first.reset();
  log.clear();
  std::thread([&] { give(take(1), 1); }).join();
  CHECK(log.empty());
  give(take(1), 1);
  CHECK(log == strings{"c malloc_pre", "c malloc_post", "c free_pre", "c free_post"});
  third.reset();
  CHECK_FALSE(runtime::hooks::any());
}

TEST_CASE("memory 1.14: a request that fails is told too, with a null pointer") {
  memory_device device(2 * u);
  memory_pool pool;
  strings log;
  recording hook("h", log);
  const hook_scope scope(hook);
  CHECK_THROWS_AS(pool.resource().allocate(3 * u, device.stream().handle_of()), out_of_memory);
  // Twice to the device: the second time after giving back what was cached.
  CHECK(log == strings{"h malloc_pre", "h alloc_pre", "h alloc_post", "h alloc_pre", "h alloc_post", "h malloc_post"});
  for (const memory_event& e : hook.events) CHECK(e.mem_ptr == nullptr);
}

TEST_CASE_FIXTURE(pool_on_device, "memory 1.14: what a hook throws goes no further") {
  struct throwing : memory_hook {
    const char* name() const override { return "throwing"; }
    void malloc_preprocess(const memory_event&) override { throw std::runtime_error("not today"); }
    void alloc_postprocess(const memory_event&) override { throw 7; }
    void free_preprocess(const memory_event&) override { throw std::runtime_error("nor tomorrow"); }
  } hook;
  strings log;
  recording behind("behind", log);
  {
    const hook_scope first(hook);
    const hook_scope second(behind);
    give(take(1), 1);
  }
  CHECK(log.size() == 6);
  CHECK(pool.resource().allocate(1, on) != nullptr);
}

TEST_CASE_FIXTURE(pool_on_device, "memory 1.14: a hook may allocate: it does not see that itself") {
  struct allocating : memory_hook {
    explicit allocating(pool_on_device& on) : where(on) {}
    const char* name() const override { return "allocating"; }
    void alloc_preprocess(const memory_event&) override {
      ++calls;
      blocks.push_back(where.take(3 * u));  // grows the pool that is about to grow
    }
    void free_postprocess(const memory_event&) override {
      ++calls;
      for (void* b : blocks) where.give(b, 3 * u);
      blocks.clear();
    }
    pool_on_device& where;
    int calls = 0;
    std::vector<void*> blocks;
  } hook(*this);
  const hook_scope scope(hook);
  void* block = take(5 * u);
  give(block, 5 * u);
  CHECK(hook.calls == 2);
  const runtime::pool_usage now = static_cast<runtime::pooled_resource&>(pool.resource()).of(device).blocks.usage();
  CHECK(now.used == 0);
  CHECK(now.total == 8 * u);
}

TEST_CASE_FIXTURE(pool_on_device, "memory 1.14: debug_print_hook prints one JSON object a line") {
  std::ostringstream out;
  debug_print_hook hook(out);
  void* block = nullptr;
  {
    const hook_scope scope(hook);
    block = take(24);
    give(block, 24);
  }
  char expected[512];
  const auto at = static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(block));
  std::snprintf(expected, sizeof expected, R"({"hook":"alloc","device_id":0,"mem_size":512,"mem_ptr":%llu})", at);
  std::istringstream lines(out.str());
  std::string line;
  std::getline(lines, line);
  CHECK(line == expected);
  std::getline(lines, line);
  std::snprintf(expected, sizeof expected,
                R"({"hook":"malloc","device_id":0,"size":24,"mem_size":512,"mem_ptr":%llu,"pmem_id":"0x)", at);
  CHECK(line.starts_with(expected));
  CHECK(line.ends_with("\"}"));
  const std::string id = line.substr(line.rfind("\"0x"));
  std::getline(lines, line);
  std::snprintf(expected, sizeof expected, R"({"hook":"free","device_id":0,"mem_size":512,"mem_ptr":%llu,"pmem_id":)",
                at);
  CHECK(line == expected + id);
  CHECK_FALSE(std::getline(lines, line));
}

TEST_CASE("memory_statistics_hook counts blocks, bytes and what had to be got from the device") {
  memory_device device(20 * u);
  memory_pool pool;
  const stream& on = device.stream().handle_of();
  memory_statistics_hook hook;
  const hook_scope scope(hook);
  void* a = pool.resource().allocate(100, on);
  void* b = pool.resource().allocate(3 * u, on);
  pool.resource().deallocate(b, 3 * u, on);
  b = pool.resource().allocate(2 * u, on);
  CHECK_THROWS_AS(pool.resource().allocate(30 * u, on), out_of_memory);
  memory_statistics s = hook.statistics();
  CHECK(s.mallocs == 3);
  CHECK(s.frees == 1);
  CHECK(s.allocs == 2);
  CHECK(s.failures == 1);
  CHECK(s.requested_bytes == 100 + 5 * u);
  CHECK(s.used_bytes == 6 * u);
  CHECK(s.acquired_bytes == 4 * u);
  CHECK(s.live_bytes == static_cast<std::int64_t>(3 * u));
  CHECK(s.peak_bytes == static_cast<std::int64_t>(4 * u));
  hook.reset();
  pool.resource().deallocate(a, 100, on);
  s = hook.statistics();
  CHECK(s.mallocs == 0);
  CHECK(s.frees == 1);
  CHECK(s.live_bytes == static_cast<std::int64_t>(2 * u));
  CHECK(s.peak_bytes == static_cast<std::int64_t>(3 * u));
  pool.resource().deallocate(b, 2 * u, on);
}

TEST_CASE_FIXTURE(pool_on_device, "line_profile_hook adds up by statement, beneath the labels around it") {
  line_profile_hook hook;
  const auto report = [&] {
    std::ostringstream out;
    hook.print_report(out);
    return out.str();
  };
  const auto allocate_at = [&](const char* file, unsigned line, std::size_t size) {
    const runtime::statement outer(detail::where::current(file, line));
    {
      const runtime::statement inner(detail::where::current("library.cpp", 1));  // the statement is the outer one
      give(take(size), size);
    }
  };
  allocate_at("unseen.cpp", 1, 100);  // no hook yet
  {
    const hook_scope scope(hook);
    allocate_at("model.cpp", 42, 2 * u);
    allocate_at("model.cpp", 42, 2 * u);
    {
      const allocation_label step("training");
      allocate_at("model.cpp", 43, 2 * u);
      const allocation_label inner("backward");
      give(take(u), u);
    }
    give(take(u), u);
  }
  CHECK(report() ==
        "_root (4.00KB, 1.00KB), 5\n"
        "  (no statement) (512.00B, 0.00B), 1\n"
        "  model.cpp:42 (2.00KB, 1.00KB), 2\n"
        "  training (1.50KB, 0.00B), 2\n"
        "    backward (512.00B, 0.00B), 1\n"
        "    model.cpp:43 (1.00KB, 0.00B), 1\n");
  hook.reset();
  CHECK(report() == "_root (0.00B, 0.00B), 0\n");
}
