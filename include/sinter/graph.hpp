// Graphs: work that is recorded once and launched many times, for about the price of one launch.
#pragma once

#include <sinter/stream.hpp>

namespace sinter {

namespace runtime {
class graph_state;
}

namespace detail {
SINTER_API runtime::graph_state* capture(void (*work)(void*), void* with);
}

/// Captured work. Copies are the same graph. Launching it again runs the same kernels and copies over the same storages: it
/// reads what is in those of the arrays that were there before the capture, and writes those that the capture made or stored
/// into, whichever arrays see them. They are the graph's while it lives. So `x(ellipsis) = e` or `x.set(h)` give it new
/// input while x is the only array of its storage; a name that is bound anew, as by `x = e`, is no longer the graph's, and
/// what the capture bound to a name is in that array at every launch. Source: cupy.cuda.Graph.
class SINTER_API graph {
 public:
  graph(const graph&) noexcept;
  graph& operator=(const graph&) noexcept;
  ~graph();

  /// Stream behaviour: enqueued on the current stream, after whatever else its arrays need; does not wait. Errors:
  /// `device_error`, `device_lost`.
  void launch() const;
  void launch(const stream& on) const;
  /// Captures anew. Where the kernels and their order are the same and only scalars, shapes or arrays have changed, the
  /// graph is changed in place, which is cheaper than a new one. True: it was. Errors: as capture; then it is as before.
  template <class F>
  bool update(F&& work) {
    auto call = [&work] { work(); };
    return update([](void* f) { (*static_cast<decltype(call)*>(f))(); }, &call);
  }

  /// Library use: takes over a reference.
  explicit graph(runtime::graph_state* owned) noexcept : state_(owned) {}

 private:
  bool update(void (*work)(void*), void* with);

  runtime::graph_state* state_;
};

/// Records what `work` evaluates, copies and stores on the current device, without running it: arrays made by it hold
/// nothing until the first launch. Memory that it needs is reserved from the pool. What waits for the device cannot be
/// recorded: item, get, printing, synchronize; nor what goes to another device. A stream that `work` makes current, or that
/// waits for one of the capture's, becomes a part of it; it has to be non-blocking. Errors: `device_error` naming what
/// cannot, and after which statement; whatever `work` throws. Source: Stream.begin_capture, Stream.end_capture.
template <class F>
graph capture(F&& work) {
  auto call = [&work] { work(); };
  return graph(detail::capture([](void* f) { (*static_cast<decltype(call)*>(f))(); }, &call));
}

}  // namespace sinter
