// A sample for the trials alone: it walks through the parts of the runtime that the samples have no need of. Streams that wait
// for one another, events, callbacks, graphs, pinned memory and strided copies, allocators, hooks, other devices, files, ranges.
#include <array>
#include <atomic>
#include <iostream>
#include <memory>

#include <sinter/sinter.hpp>

namespace sn = sinter;
using sn::_, sn::array, sn::slice;

namespace {

/// At the end of a scope, and so before its streams go: what is kept of them for others does not depend on how fast it was.
struct finished {
  finished() = default;
  finished(const finished&) = delete;
  finished& operator=(const finished&) = delete;
  ~finished() {
    try {
      sn::synchronize();
    } catch (const sn::error&) {
      // It has been told where it came up.
    }
  }
};

void order() {
  sn::stream first, second({.non_blocking = true, .priority = -1});
  const finished in_the_end;
  array<float> a = sn::arange<float>(16), b;  // sums that are exact, whatever their order
  {
    const sn::stream_scope on(first);
    a = a * 2 + 1;
    sn::event written = first.record();
    second.wait(written);
    written.synchronize();
    std::cout << "first is done: " << written.done() << '\n';
  }
  {
    const sn::stream_scope on(second);
    b = a + sn::sum(a);  // written on the other stream: the library orders that
    const sn::unordered alone;
    first.wait(second);
    b += 1;
  }
  const auto called = std::make_shared<std::atomic<int>>(0);  // the callback may come when this function has returned
  second.launch_host_func([called] { ++*called; });
  second.synchronize();
  sn::event start, end;
  start.record();
  array<float> c = a * b;
  end.record();
  end.synchronize();
  std::cout << "called " << *called << ", sum " << sn::sum(c).item()
            << ", time goes on: " << (sn::elapsed_time(start, end) >= 0) << '\n';
}

void graphs() {
  array<float> x = sn::arange<float>(64), y = sn::zeros<float>({64}), made;
  const auto step = [&](float factor) {
    return [&, factor] {
      y(sn::ellipsis) = y + factor * x;
      made = sn::sqrt(y);
    };
  };
  sn::graph g = sn::capture(step(1));
  const finished in_the_end;
  g.launch();
  g.launch();
  g.update(step(3));
  g.launch(sn::stream::current());
  sn::synchronize();
  std::cout << "graph: " << sn::sum(y) << ' ' << sn::max(made) << '\n';
}

void transfers() {
  auto pinned = sn::zeros_pinned<float>({64});
  for (std::size_t i = 0; i < pinned.size(); ++i) pinned[i] = static_cast<float>(i);
  array<float> a = sn::empty<float>({64});
  const sn::stream on;
  const finished in_the_end;
  {
    const sn::stream_scope here(on);
    a.set(pinned, {.blocking = false});
    a = a + 1;
    a.get(pinned, {.blocking = false});
  }
  on.synchronize();
  std::array<int, 24> table{};
  array<int> t = sn::arange<int>(12).reshape({3, 4});
  t.get(sn::strided_span<int>(table.data(), {3, 4}, {8, 2}));
  t.set(sn::strided_span<const int>(table.data() + 8, {3, 4}, {0, 2}));
  std::cout << "pinned: " << pinned[63] << ", strided: " << table[22] << ' ' << t(2) << '\n';
}

/// Refuses nothing and counts.
class counting : public sn::memory_resource {
 public:
  explicit counting(std::atomic<int>& live) : upstream_(sn::device_memory()), live_(live) {}
  void* allocate(std::size_t size, const sn::stream& on) override {
    void* const block = upstream_.resource().allocate(size, on);
    ++live_;
    return block;
  }
  void deallocate(void* block, std::size_t size, const sn::stream& on) noexcept override {
    upstream_.resource().deallocate(block, size, on);
    --live_;
  }

 private:
  sn::allocator upstream_;
  std::atomic<int>& live_;
};

void memory() {
  std::atomic<int> live{0};
  sn::memory_statistics_hook statistics;
  sn::line_profile_hook lines;
  {
    const sn::hook_scope counts(statistics), profiles(lines);
    const sn::allocation_label label("in memory()");
    const sn::using_allocator here(sn::make_allocator<counting>(live));
    array<double> a = sn::ones({100}), b = a + 1;
    std::cout << "live: " << live << ", sum " << sn::sum(b) << '\n';
    const sn::memory_pool mine;
    const sn::using_allocator pooled(mine);
    array<double> c = b * 2;
    sn::memory_pool(mine).set_limit({.bytes = 1 << 20});
    std::cout << "pooled: " << mine.used_bytes() << '\n';
  }
  {
    const sn::using_allocator async{sn::async_memory_pool()};
    array<float> a = sn::arange<float>(64);
    std::cout << "async: " << sn::sum(a) << '\n';
  }
  void* const block = sn::default_memory_pool().allocate(1000);
  sn::default_memory_pool().deallocate(block, 1000);
  std::cout << "live: " << live << ", mallocs " << statistics.statistics().mallocs << '\n';
}

void elsewhere() {
  array<float> a = sn::arange<float>(100);
  {
    const sn::device_scope there(sn::device::interpreter());
    array<float> b = a.to(sn::device::interpreter()) * 2;
    array<float> back = b.to(a.device());
    std::cout << "there and back: " << sn::sum(back) << '\n';
  }
  if (sn::device::cuda_count() > 1) {
    const sn::device_scope there(sn::device::cuda(1));
    array<float> b = a.to(sn::device::cuda(1)) + 1;
    sn::synchronize();  // what goes wrong there is told there
    array<float> back = b.to(sn::device::cuda(0));
    if (sn::sum(back).item() != 5050) std::cout << "the other GPU is wrong\n";
  }
  sn::save("a.npy", a(slice(_, _, 3)));
  std::cout << "saved: " << sn::sum(sn::load<double>("a.npy")) << '\n';
}

void profiles() {
  const sn::time_range range("profiles", {.sync = true});
  const array<float> a = sn::ones<float>({10});
  const auto result = sn::benchmark([&] { return array<float>(a + 1); }, {.n_repeat = 3, .name = "add", .n_warmup = 1});
  std::cout << result.name() << ' ' << result.cpu_times().size() << ' ' << (result.to_str().c_str()[0] != '\0') << '\n';
  std::cout << (sn::properties(a.device()).total_memory > 0) << '\n';
}

}  // namespace

int main() {
  order();
  graphs();
  transfers();
  memory();
  elsewhere();
  profiles();
}
