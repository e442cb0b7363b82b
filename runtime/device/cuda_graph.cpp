// A captured graph becomes an executable one at once; a later capture of the same shape is written into it, which costs a
// tenth of making another. Callers have made the context current; what ends a capture sees to that itself, for
// whatever happens a stream must not stay captured.
#include "runtime/device/cuda_graph.hpp"

#include <sinter/error.hpp>

namespace sinter::runtime {
namespace {

/// The driver's recording; needed only until it has been instantiated.
class captured_graph {
 public:
  explicit captured_graph(cuda_context& c) : context_(c) {}
  captured_graph(const captured_graph&) = delete;
  captured_graph& operator=(const captured_graph&) = delete;
  ~captured_graph() {
    if (handle) context_.api.cuGraphDestroy(handle);
  }
  cu_graph handle = nullptr;

 private:
  cuda_context& context_;
};

class cuda_graph final : public executable_graph {
 public:
  cuda_graph(cuda_context& c, const captured_graph& from) : context_(c) {
    context_.check(context_.api.cuGraphInstantiateWithFlags(&handle_, from.handle, 0), "cuGraphInstantiateWithFlags");
  }
  cuda_graph(const cuda_graph&) = delete;
  cuda_graph& operator=(const cuda_graph&) = delete;
  /// One that is still running goes when it has finished.
  ~cuda_graph() override {
    if (context_.use_if_alive()) context_.api.cuGraphExecDestroy(handle_);
  }

  /// False: it has other kernels, or another order, than this one.
  bool change(const captured_graph& to) {
    cu_graph_update outcome{};
    const cu_result result = context_.api.cuGraphExecUpdate_v2(handle_, to.handle, &outcome);
    if (result == cu_error_graph_exec_update_failure) return false;
    context_.check(result, "cuGraphExecUpdate_v2");
    return true;
  }
  void launch(cu_stream on) { context_.check(context_.api.cuGraphLaunch(handle_, on), "cuGraphLaunch"); }

 private:
  cuda_context& context_;
  cu_graph_exec handle_ = nullptr;
};

}  // namespace

// Relaxed: the pool may have to ask the driver for memory, and a kernel may have to be loaded, while something is captured.
void begin_cuda_capture(cuda_context& c, cu_stream on) {
  c.check(c.api.cuStreamBeginCapture_v2(on, cu_capture_relaxed), "cuStreamBeginCapture_v2");
}

bool end_cuda_capture(cuda_context& c, cu_stream on, std::unique_ptr<executable_graph>& graph) {
  captured_graph recorded(c);
  try {
    c.use();
    c.check(c.api.cuStreamEndCapture(on, &recorded.handle), "cuStreamEndCapture");
  } catch (...) {
    drop_cuda_capture(c, on);
    throw;
  }
  if (graph && static_cast<cuda_graph&>(*graph).change(recorded)) return true;
  graph = std::make_unique<cuda_graph>(c, recorded);
  return false;
}

void drop_cuda_capture(cuda_context& c, cu_stream on) noexcept {
  if (!c.faults.usable()) return;
  c.use_if_alive();  // to end it the driver needs no more than the stream
  cu_result result = cu_success;
  for (int attempts = 2; attempts > 0; --attempts) {
    captured_graph recorded(c);
    result = c.api.cuStreamEndCapture(on, &recorded.handle);
    if (result == cu_success || result == cu_error_stream_capture_invalidated || result == cu_error_illegal_state)
      return;
  }
  // The stream stays captured, and until that ends the driver refuses to wait for anything in this context.
  c.faults.lose(result, "cuStreamEndCapture");
}

void launch_cuda_graph(executable_graph& graph, cu_stream on) { static_cast<cuda_graph&>(graph).launch(on); }

}  // namespace sinter::runtime
