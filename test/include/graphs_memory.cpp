// Graphs and memory: what a capture takes for its temporaries, what it keeps of the program's, and what of both may be used
// by other threads and streams meanwhile.
#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "runtime/device/driver.hpp"
#include "test/include/ordering.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using doubles = std::vector<double>;

constexpr std::int64_t n = 4096;

}  // namespace

TEST_CASE("graphs: temporaries of unordered statements on two streams do not share memory unordered") {
  const stream a, b;
  const array<double> x = ones({n}), z = full({n}, 5.0);
  array<double> y, w;
  const graph g = capture([&] {
    const unordered scope;
    on(a, [&] {
      const array<double> t = x + 1;
      y = t * 2;
    });
    on(b, [&] {
      const array<double> t = z + 7;
      w = t * 3;
    });
  });
  for (int i = 0; i < 3; ++i) {
    g.launch();
    synchronize();
    CHECK(holds(y, 4));
    CHECK(holds(w, 36));
  }
}

TEST_CASE("graphs: pinned memory of captured copies is the graph's until that has gone") {
  rehearsed([] {
    const stream s;
    array<double> a = zeros({n}), b = zeros({n});
    std::optional<pinned_array<double>> host = zeros_pinned({n}), out = zeros_pinned({n});
    for (double& v : *host) v = 1;
    const double *const was = host->data(), *const out_was = out->data();
    std::optional<graph> g = on(s, [&] {
      return capture([&] {
        a.set(*host, {.blocking = false});
        b(ellipsis) = a + 1;
        b.get(*out, {.blocking = false});
      });
    });
    gate closed(s);
    g->launch(s);
    host.reset();
    out.reset();
    {
      pinned_array<double> next = zeros_pinned({n}), another = zeros_pinned({n});
      for (const pinned_array<double>* p : {&next, &another}) {
        CHECK(p->data() != was);
        CHECK(p->data() != out_was);
      }
      for (double& v : next) v = 9;
    }
    closed.open();
    CHECK(holds(b, 2));
    g.reset();  // the last one to use the two blocks, which go back to the pool
    const pinned_array<double> first = zeros_pinned({n}), second = zeros_pinned({n}), third = zeros_pinned({n}),
                               fourth = zeros_pinned({n});
    int again = 0;
    for (const pinned_array<double>* p : {&first, &second, &third, &fourth})
      again += p->data() == was || p->data() == out_was;
    CHECK(again == 2);
  });
}

TEST_CASE("graphs: an update comes after what the program did on the stream of the capture") {
  const array<double> x = ones({n});
  array<double> y, z, out = zeros({n});
  std::optional<stream> inside;
  graph g = capture([&] {
    inside = stream::current();
    y = x + 1;
  });
  g.launch();
  y = array<double>();
  synchronize();
  on(*inside, [&] {
    const array<double> t = slowly(x);
    z = t + 1;
  });
  g.update([&] {
    const array<double> u = x + 5;
    out(ellipsis) = u * 2;
  });
  g.launch();
  synchronize();
  CHECK(holds(out, 12));
  CHECK(holds(z, 10));
}

TEST_CASE("graphs: a stream in order with the default stream cannot be captured") {
  if (!asynchronous()) return;
  const stream blocking({.non_blocking = false});
  const array<double> x = ones({n});
  array<double> y = on(blocking, [&] { return array<double>(sum(x)); });
  const runtime::driver& api = *runtime::find_driver(nullptr);
  runtime::cu_stream made = nullptr;
  REQUIRE(api.cuStreamCreateWithPriority(&made, 0, 0) == 0);
  {
    const stream foreign = stream::from_external(made);
    for (const stream& s : {blocking, foreign}) {
      const std::string text = refusal<device_error>([&] { capture([&] { on(s, [&] { y = sum(x); }); }); });
      CHECK_MESSAGE(text.find("non_blocking") != std::string::npos, text);
      CHECK(on(s, [&] { return array<double>(sum(x)); }).item() == double(n));
    }
  }
  synchronize();
  api.cuStreamDestroy_v2(made);
}

TEST_CASE("graphs: a driver pool is not asked on a stream that is captured") {
  const array<double> x = ones({n});
  synchronize();
  const async_memory_pool pool;
  array<double> y;
  const stream s;
  {
    const graph g = capture([&] {
      const using_allocator from(pool);
      const stream_scope in(std::getenv("SINTER_PER_THREAD_DEFAULT_STREAM") ? stream::null() : s);
      y = x + 1;
    });
    for (int i = 0; i < 3; ++i) {
      g.launch();
      synchronize();
      CHECK(holds(y, 2));
    }
  }
  // Nor is a stream waited for that another thread captures: that would end the capture.
  std::string text;
  if (!asynchronous()) return;
  const graph g = capture([&] {
    on(s, [&] { y = x + 2; });
    std::thread([&] { text = refusal<device_error>([&] { async_memory_pool(pool).free_all_blocks(s); }); }).join();
  });
  CHECK_MESSAGE(text.find("free_all_blocks") != std::string::npos, text);
  g.launch();
  CHECK(holds(y, 3));
}

TEST_CASE("graphs: the driver's pool, with default streams for each thread") {
  const rerun c("graphs: a driver pool is not asked on a stream that is captured",
                {{"SINTER_PER_THREAD_DEFAULT_STREAM", "1"}});
  CHECK_MESSAGE(c.ok, c.output);
}

TEST_CASE("graphs: one whose launch cannot be waited for by an event is waited for all the same") {
  const softgpu::controls* const soft = softgpu_controls();
  if (!soft) return;  // a GPU cannot be told to fail
  const stream s;
  const array<double> x = ones({n});
  array<double> y;
  bool called = false, gone_too_early = false;
  std::shared_ptr<void> kept(nullptr, [&](void*) { gone_too_early = !called; });
  std::optional<graph> g = on(s, [&] {
    return capture([&] {
      y = slowly(x);
      stream::current().launch_host_func([&called, with = kept] { called = true; });
    });
  });
  kept.reset();
  gate closed(s);
  g->launch(s);
  std::string failed;
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    failed = soft->softgpu_call_name();
    soft->softgpu_fail(-1, 0, 0);
    closed.open();
  });
  constexpr int out_of_memory_result = 2, this_function = 1;
  soft->softgpu_fail(1, out_of_memory_result,
                     this_function);  // the call after the question for the context: an event's
  g.reset();
  opener.join();
  soft->softgpu_fail(-1, 0, 0);
  CHECK_MESSAGE(failed == "cuEventRecord", failed);
  CHECK(called);
  CHECK(!gone_too_early);
  CHECK(holds(y, 9));
}
