// What the tests of streams, graphs and transfers need: a stream that stands still until it is told to go on, so that
// what has not waited is seen for certain; the stand-in driver's counts.
#pragma once

#include <dlfcn.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <sinter/sinter.hpp>

#include "test/include/looking.hpp"
#include "test/support/softgpu/softgpu.hpp"

namespace sinter::test {

/// Is work still under way when a call returns? Where it is not, whatever was enqueued has finished.
inline bool asynchronous() { return device::current().type() == device::kind::cuda; }

/// Another device of the same kind, where there are two GPUs.
inline std::optional<device> second_gpu() {
  if (!asynchronous() || device::cuda_count() < 2) return std::nullopt;
  return device::cuda(device::current().ordinal() == 0 ? 1 : 0);
}

/// `cuda:0`, as messages name it.
inline std::string name_of(device d) {
  std::ostringstream text;
  text << d;
  return text.str();
}

/// Runs `work` with a stream as the thread's current one.
template <class Work>
decltype(auto) on(const stream& s, Work&& work) {
  const stream_scope in(s);
  return work();
}

/// A chain of steps, so that what does not wait for its end comes too early; the result is `from` + 8.
inline array<double> slowly(const array<double>& from) {
  array<double> a = from + 1;
  for (int i = 0; i < 7; ++i) a = a + 1;
  return a;
}

/// Is every element this value?
inline bool holds(const array<double>& a, double value) {
  return a.get() == std::vector<double>(static_cast<std::size_t>(a.size()), value);
}

/// While a test is rehearsed gates do not stand.
inline bool& rehearsing() {
  static bool now = false;
  return now;
}

/// Does a gate hold its stream up?
inline bool gates_stand() { return asynchronous() && !rehearsing(); }

/// Runs a test once with gates that do not stand and then in earnest. A driver may wait for the device to load a kernel
/// or to find memory; nothing of that is left to do behind a gate then.
template <class Body>
void rehearsed(Body&& body) {
  {
    const struct rehearsal {
      rehearsal() { rehearsing() = true; }
      ~rehearsal() { rehearsing() = false; }
    } now;
    body();
  }
  body();
}

/// Stops a stream until open() or the destructor. Where work is not asynchronous it does nothing. A test that waits for
/// what is behind it would wait for ever; so the gate gives up after a while and says so.
class gate {
 public:
  explicit gate(const stream& s) : state_(std::make_shared<state>()) {
    if (gates_stand()) s.launch_host_func([in = state_] { in->stand(); });
  }
  gate(const gate&) = delete;
  gate& operator=(const gate&) = delete;
  ~gate() { open(); }
  void open() {
    const std::lock_guard hold(state_->busy);
    state_->open = true;
    state_->opened.notify_all();
  }
  /// A thread waited for the stream before it was opened.
  bool gave_up() const {
    const std::lock_guard hold(state_->busy);
    return state_->gave_up;
  }

 private:
  struct state {
    std::mutex busy;
    std::condition_variable opened;
    bool open = false;
    bool gave_up = false;
    void stand() {
      std::unique_lock hold(busy);
      if (!opened.wait_for(hold, std::chrono::seconds(10), [this] { return open; })) gave_up = true;
    }
  };
  std::shared_ptr<state> state_;
};

/// What the stand-in driver has to say; null on any other device.
inline const softgpu::controls* softgpu_controls() {
  static const auto found = []() -> std::optional<softgpu::controls> {
    const char* const path = std::getenv("SINTER_CUDA_DRIVER");
    if (!path || !asynchronous()) return std::nullopt;
    void* const library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library || !::dlsym(library, "softgpu_live")) return std::nullopt;
    return softgpu::controls::open(path);
  }();
  return found ? &*found : nullptr;
}

/// What a piece of work throws, or nothing.
template <class Error = error, class Work>
std::string refusal(Work&& work) {
  try {
    work();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

}  // namespace sinter::test
