// Graphs and streams: what a captured loop costs beside a graph of the same kernels made through the driver alone, and what
// copies beside kernels save.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/forms.hpp"
#include "bench/recorder.hpp"
#include "runtime/memory/storage.hpp"

namespace {

namespace sn = sinter;
using sn::array;
using namespace sn::runtime;

/// A graph of launches, made and launched with nothing of Sinter in between; elsewhere a loop over them.
class raw_graph {
 public:
  explicit raw_graph(std::vector<bench::launched> all) : all_(std::move(all)) {
    if (!cuda_) return;
    cu_stream on = nullptr;
    bench::check(cuda_->cuStreamCreateWithPriority(&on, cu_stream_non_blocking, 0));
    bench::check(cuda_->cuStreamBeginCapture_v2(on, cu_capture_relaxed));
    for (bench::launched& l : all_) l.again(cuda_, on);
    cu_graph recorded = nullptr;
    bench::check(cuda_->cuStreamEndCapture(on, &recorded));
    bench::check(cuda_->cuGraphInstantiateWithFlags(&graph_, recorded, 0));
    bench::check(cuda_->cuGraphDestroy(recorded));
    bench::check(cuda_->cuStreamDestroy_v2(on));
  }
  void operator()() {
    if (cuda_) return bench::check(cuda_->cuGraphLaunch(graph_, nullptr));
    for (bench::launched& l : all_) l.again(cuda_);
  }

 private:
  std::vector<bench::launched> all_;
  const driver* const cuda_ = bench::driver_of_current();
  cu_graph_exec graph_ = nullptr;
};

void statements(bench::session& s) {
  const int count = s.quick() ? 100 : 10'000;
  const std::string name = std::string(s.quick() ? "100" : "10,000") + " x = x*2.5+1, one graph";
  if (!s.wants(name)) return;
  array<float> x = sn::zeros<float>({100, 100});
  const auto loop = [&] {
    for (int i = 0; i < count; ++i) x = x * 2.5 + 1;
  };
  raw_graph raw(bench::recorder::launches_of(loop));
  const array<float> start = sn::zeros<float>({100, 100});
  x = start;
  const sn::graph g = sn::capture(loop);
  const auto ours = [&] { g.launch(); };
  const bench::timing mine = s.time(bench::repeat(ours), count), driver = s.time(bench::repeat(raw), count);
  const auto plain = [&] {
    array<float> y = start;
    for (int i = 0; i < count; ++i) y = y * 2.5 + 1;
  };
  s.add({name, count, mine, s.time(bench::repeat(plain), count), {driver.us, "raw graph"}});
}

/// Chunks of host memory go in, each is worked on for about as long as its copy takes.
void overlap(bench::session& s) {
  const char* name = "copies beside kernels, 32 chunks";
  if (!s.wants(name) || s.on_cpu()) return;
  constexpr int chunks = 32;
  const std::int64_t n = s.quick() ? 100'000 : 4'000'000;
  std::vector<sn::pinned_array<float>> host;
  for (int c = 0; c < chunks; ++c) {
    host.push_back(sn::empty_pinned<float>({n}));
    for (float& v : host.back()) v = 0.25f;
  }
  std::vector<array<float>> in(chunks), out(chunks);
  for (auto& a : in) a = sn::empty<float>({n});
  const auto copy = [&](int c) {
    in[static_cast<std::size_t>(c)].set(host[static_cast<std::size_t>(c)], {.blocking = false});
  };
  int rounds = 8;
  const auto work = [&](int c) {
    array<float> a = in[static_cast<std::size_t>(c)];
    for (int i = 0; i < rounds; ++i) a = sin(a) * 1.5 + cos(a) * 0.5;
    out[static_cast<std::size_t>(c)] = a;
  };
  const sn::stream copying;
  const auto copies = [&] {
    for (int c = 0; c < chunks; ++c) copy(c);
  };
  const auto kernels = [&] {
    for (int c = 0; c < chunks; ++c) work(c);
  };
  const double copy_us = s.time(bench::repeat(copies), n).us;
  rounds = 8;
  const double kernel_us = s.time(bench::repeat(kernels), n).us;
  rounds = std::max(1, static_cast<int>(8 * copy_us / kernel_us + 0.5));
  const double balanced_us = s.time(bench::repeat(kernels), n).us;
  const auto one_stream = [&] {
    for (int c = 0; c < chunks; ++c) copy(c), work(c);
  };
  const auto two_streams = [&] {
    for (int c = 0; c < chunks; ++c) {
      {
        const sn::stream_scope in_copying(copying);
        copy(c);
      }
      work(c);
    }
  };
  const bench::timing serial = s.time(bench::repeat(one_stream), n), beside = s.time(bench::repeat(two_streams), n);
  for (const array<float>& a : out)
    if (!(a.sum().item() == out[0].sum().item())) return s.wrong(name, n, "the chunks differ");
  s.add({name, n * chunks, beside, serial, {std::max(copy_us, balanced_us), "the longer of the two"}});
  std::printf("copies %.0f us, kernels %.0f us, one after the other %.0f us, beside each other %.0f us: %.2f times\n",
              copy_us, balanced_us, serial.us, beside.us, serial.us / beside.us);
}

/// An array of one GPU, copied to another.
void between_gpus(bench::session& s) {
  const std::int64_t n = s.quick() ? 1 << 20 : 64 << 20;
  const std::string name = "a.to(another GPU), " + std::to_string(4 * n >> 20) + " MiB";
  if (!s.wants(name) || s.on_cpu() || sn::device::cuda_count() < 2) return;
  const sn::device here = sn::device::current(), there = sn::device::cuda(here.ordinal() == 0 ? 1 : 0);
  const array<float> a = sn::ones<float>({n});
  const driver* const cuda = bench::driver_of_current();
  cu_context from = nullptr, to = nullptr;
  bench::check(cuda->cuCtxGetCurrent(&from));
  const sn::device_scope in(there);  // where the copies run, and what the clock waits for
  array<float> b = a.to(there);
  if (!(b.sum().item() == static_cast<float>(n))) return s.wrong(name, n, "the copy differs");
  bench::driver_of_current();
  bench::check(cuda->cuCtxGetCurrent(&to));
  const auto address = [](const array<float>& x) {
    return reinterpret_cast<cu_address>(static_cast<const sn::detail::array_node*>(x.node())->data());
  };
  const auto ours = [&] { b = a.to(there); };
  const auto raw = [&] {
    bench::check(cuda->cuMemcpyPeerAsync(address(b), to, address(a), from, static_cast<std::size_t>(n) * 4, nullptr));
  };
  std::vector<float> host(static_cast<std::size_t>(n));
  const auto by_host = [&] {
    a.get(host);
    b = sn::asarray(host);
  };
  const bench::timing mine = s.time(bench::repeat(ours), n), driver_alone = s.time(bench::repeat(raw), n);
  s.add({name, n, mine, s.time(bench::repeat(by_host), n), {driver_alone.us, "the driver's copy"}});
}

}  // namespace

int main(int argc, char** argv) {
  bench::session s(argc, argv, "Graphs and streams");
  statements(s);
  overlap(s);
  between_gpus(s);
  return s.finish();
}
