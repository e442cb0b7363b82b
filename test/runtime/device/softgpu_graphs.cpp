// softgpu's graphs: the order of what is captured, updates, memory that is a graph's, and what spoils a capture.
#include <doctest/doctest.h>

#include "test/support/softgpu/rig.hpp"

using namespace softgpu::test;

namespace {

/// Two graphs of two branches, one of which has a race, captured and ready to run.
struct captured_graphs {
  captured_graphs() {
    r.write<float>(a, {0}, one);
    CHECK(r.d().cuStreamSynchronize(one) == 0);
  }
  ~captured_graphs() {
    for (cu_graph_exec e : {runs, races}) CHECK(r.d().cuGraphExecDestroy(e) == 0);
    for (cu_graph g : {good, bad}) CHECK(r.d().cuGraphDestroy(g) == 0);
    CHECK(r.d().cuGraphLaunch(runs, one) == 1);
  }

  /// one: b = a + 1, then after the other branch a = b + 1; two: c = a + 1 or, if it is to race, b = a + 1
  cu_graph capture(bool race) {
    cu_graph graph = nullptr;
    REQUIRE(r.d().cuStreamBeginCapture_v2(one, cu_capture_relaxed) == 0);
    CHECK(r.d().cuEventRecord(fork, one) == 0);
    CHECK(r.d().cuStreamWaitEvent(two, fork, 0) == 0);
    CHECK(r.launch(adds, 1, 1, one, b, a, 1) == 0);
    CHECK(r.launch(adds, 1, 1, two, race ? b : c, a, 1) == 0);
    CHECK(r.d().cuEventRecord(join, two) == 0);
    CHECK(r.d().cuStreamWaitEvent(one, join, 0) == 0);
    CHECK(r.launch(adds, 1, 1, one, a, b, 1) == 0);
    CHECK(r.d().cuStreamEndCapture(one, &graph) == 0);
    return graph;
  }
  cu_graph_exec instantiate(cu_graph graph) const {
    cu_graph_exec exec = nullptr;
    REQUIRE(r.d().cuGraphInstantiateWithFlags(&exec, graph, 0) == 0);
    return exec;
  }
  /// One launch, and a wait for its end; the races that it had.
  long long races_of(cu_graph_exec exec) {
    CHECK(r.d().cuGraphLaunch(exec, one) == 0);
    CHECK(r.d().cuStreamSynchronize(one) == 0);
    return r.races();
  }

  rig r;
  const cu_stream one = r.stream(), two = r.stream();
  const cu_function adds = r.kernel(add_one);
  const cu_address a = r.allocate(4), b = r.allocate(4), c = r.allocate(4);
  const cu_event fork = r.event(), join = r.event();
  const cu_graph good = capture(false), bad = capture(true);
  const cu_graph_exec runs = instantiate(good), races = instantiate(bad);
};

}  // namespace

TEST_CASE_FIXTURE(captured_graphs,
                  "softgpu: a captured graph runs its branches in the order that was captured, and only in that") {
  // Launches of one graph follow each other, also on different streams.
  for (int round = 0; round < 10; ++round) CHECK(r.d().cuGraphLaunch(runs, round % 2 ? one : two) == 0);
  CHECK(r.d().cuCtxSynchronize() == 0);
  CHECK(r.read<float>(a, 1, one)[0] == 20);
  CHECK(r.read<float>(c, 1, one)[0] == 19);
  CHECK(r.races() == 0);
  CHECK(races_of(races) == 1);
}

TEST_CASE_FIXTURE(captured_graphs, "softgpu: an update of a graph changes arguments and nothing else") {
  CHECK(races_of(runs) == 0);
  cu_graph_update outcome{};
  CHECK(r.d().cuGraphExecUpdate_v2(runs, bad, &outcome) == 0);
  CHECK(races_of(runs) == 1);
  cu_graph other = nullptr;
  CHECK(r.d().cuStreamBeginCapture_v2(one, cu_capture_relaxed) == 0);
  CHECK(r.launch(adds, 1, 1, one, b, a, 1) == 0);
  CHECK(r.d().cuStreamEndCapture(one, &other) == 0);
  CHECK(r.d().cuGraphExecUpdate_v2(runs, other, &outcome) == cu_error_graph_exec_update_failure);
  CHECK(outcome.result == 2);
  CHECK(r.d().cuGraphDestroy(other) == 0);
}

TEST_CASE_FIXTURE(captured_graphs, "softgpu: a launch into a stream that is captured becomes a part of that graph") {
  CHECK(races_of(runs) == 0);
  cu_graph outer = nullptr;
  cu_graph_exec twice = nullptr;
  r.write<float>(a, {0}, one);
  CHECK(r.d().cuStreamBeginCapture_v2(one, cu_capture_relaxed) == 0);
  CHECK(r.d().cuGraphLaunch(runs, one) == 0);
  CHECK(r.d().cuGraphLaunch(runs, one) == 0);
  CHECK(r.d().cuStreamEndCapture(one, &outer) == 0);
  CHECK(r.d().cuGraphInstantiateWithFlags(&twice, outer, 0) == 0);
  CHECK(r.d().cuGraphDestroy(outer) == 0);
  CHECK(r.d().cuGraphLaunch(twice, one) == 0);
  CHECK(r.read<float>(a, 1, one)[0] == 4);
  CHECK(r.races() == 0);
  CHECK(r.d().cuGraphExecDestroy(twice) == 0);
}

TEST_CASE("softgpu: memory that is allocated in a capture is the graph's") {
  rig r;
  const cu_stream one = r.stream();
  const cu_function f = r.kernel(add_one);
  const cu_address a = r.allocate(4);
  cu_graph own = nullptr;
  cu_graph_exec exec = nullptr;
  cu_mem_pool pool = nullptr;
  cu_address scratch = 0, kept = 0;
  const long long before = r.control.softgpu_live().allocations;
  CHECK(r.d().cuDeviceGetDefaultMemPool(&pool, 0) == 0);
  CHECK(r.d().cuMemAllocFromPoolAsync(&kept, 4, pool, one) == 0);
  CHECK(r.d().cuStreamBeginCapture_v2(one, cu_capture_relaxed) == 0);
  CHECK(r.d().cuMemFreeAsync(kept, one) == 1);  // not of this graph
  CHECK(r.d().cuMemAllocFromPoolAsync(&scratch, 4, pool, one) == 0);
  CHECK(r.launch(f, 1, 1, one, scratch, a, 1) == 0);
  CHECK(r.launch(f, 1, 1, one, a, scratch, 1) == 0);
  CHECK(r.d().cuMemFreeAsync(scratch, one) == 0);
  CHECK(r.d().cuStreamEndCapture(one, &own) == 0);
  CHECK(r.d().cuGraphInstantiateWithFlags(&exec, own, 0) == 0);
  CHECK(r.d().cuGraphDestroy(own) == 0);
  r.write<float>(a, {0}, one);
  for (int round = 0; round < 3; ++round) CHECK(r.d().cuGraphLaunch(exec, one) == 0);
  CHECK(r.read<float>(a, 1, one)[0] == 6);
  CHECK(r.races() == 0);
  CHECK(r.d().cuGraphExecDestroy(exec) == 0);
  CHECK(r.d().cuMemFreeAsync(kept, one) == 0);
  CHECK(r.d().cuStreamSynchronize(one) == 0);
  CHECK(r.control.softgpu_live().allocations == before);
}

TEST_CASE("softgpu: what may not be captured spoils the capture") {
  rig r;
  const cu_stream one = r.stream(), two = r.stream(), blocking = r.stream(0);
  const cu_address a = r.allocate(64);
  const cu_event event = r.event();
  cu_graph graph = nullptr;
  CHECK(r.d().cuStreamEndCapture(one, &graph) == 401);
  CHECK(r.d().cuStreamBeginCapture_v2(nullptr, cu_capture_relaxed) == 900);
  CHECK(r.d().cuStreamBeginCapture_v2(one, cu_capture_relaxed) == 0);
  SUBCASE("waiting for the stream") {
    CHECK(r.d().cuStreamSynchronize(one) == 900);
    CHECK(r.d().cuMemsetD8Async(a, 0, 64, one) == 901);
    CHECK(r.d().cuStreamEndCapture(one, &graph) == 901);
  }
  SUBCASE("asking for its event") {
    CHECK(r.d().cuEventRecord(event, one) == 0);
    CHECK(r.d().cuEventQuery(event) == 907);
    CHECK(r.d().cuStreamEndCapture(one, &graph) == 901);
  }
  SUBCASE("work that came before") {
    CHECK(r.d().cuEventRecord(event, two) == 0);
    CHECK(r.d().cuStreamWaitEvent(one, event, 0) == 905);
    CHECK(r.d().cuStreamEndCapture(one, &graph) == 901);
  }
  SUBCASE("a branch that does not come back") {
    CHECK(r.d().cuEventRecord(event, one) == 0);
    CHECK(r.d().cuStreamWaitEvent(two, event, 0) == 0);
    CHECK(r.d().cuMemsetD8Async(a, 0, 64, two) == 0);
    CHECK(r.d().cuStreamEndCapture(two, &graph) == 903);
    CHECK(r.d().cuStreamEndCapture(one, &graph) == 901);
  }
  SUBCASE("the legacy stream, beside a blocking one") {
    CHECK(r.d().cuStreamEndCapture(one, &graph) == 0);
    CHECK(r.d().cuGraphDestroy(graph) == 0);
    CHECK(r.d().cuStreamBeginCapture_v2(blocking, cu_capture_relaxed) == 0);
    CHECK(r.d().cuMemsetD8Async(a, 0, 64, nullptr) == 906);
    CHECK(r.d().cuStreamEndCapture(blocking, &graph) == 901);
  }
  // Both are ordinary streams again.
  for (cu_stream s : {one, two}) {
    CHECK(r.d().cuMemsetD8Async(a, 0, 64, s) == 0);
    CHECK(r.d().cuStreamSynchronize(s) == 0);
  }
}
