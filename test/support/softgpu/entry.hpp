// The way into every exported function: it is counted, may be made to fail, and then has the lock and what it needs.
#pragma once

#include <mutex>

#include "machine.hpp"
#include "runtime/device/driver.hpp"

namespace softgpu {

using sinter::runtime::cu_address;
using sinter::runtime::cu_context;
using sinter::runtime::cu_device;
using sinter::runtime::cu_event;
using sinter::runtime::cu_function;
using sinter::runtime::cu_graph;
using sinter::runtime::cu_graph_exec;
using sinter::runtime::cu_graph_update;
using sinter::runtime::cu_mem_access;
using sinter::runtime::cu_mem_pool;
using sinter::runtime::cu_module;
using sinter::runtime::cu_result;
using sinter::runtime::cu_stream;

// Our definitions have to be what the library calls.
extern "C" {
#define SOFTGPU_DECLARE(name, parameters) __attribute__((visibility("default"))) cu_result name parameters;
SINTER_DRIVER_CALLS(SOFTGPU_DECLARE)
SINTER_DRIVER_OPTIONAL_CALLS(SOFTGPU_DECLARE)
#undef SOFTGPU_DECLARE
}

/// What a call has to have before it starts, and what it gives where the fault plan leaves the choice to it.
enum class needs { nothing, driver, context };

struct call_site {
  const char* name;
  needs what;
  result plausible = invalid_value;
};

/// Counts a call of the driver's or NVRTC's; the result that the fault plan wants of it, or 0.
result planned_fault(const char* name, result plausible);

/// The context that is current on this thread. Null: none.
context*& current_context();

/// Objects that calls hand out, counted for softgpu_live.
struct live_objects {
  std::atomic<long long> streams{0}, events{0}, graphs{0}, graph_execs{0}, modules{0};
};
live_objects& alive();

bool in_host_function();
bool forked();
bool& initialised();

struct call_context {
  machine& on;
  context& in;  // the current one, or device 0's where none is needed
  std::unique_lock<std::mutex>& held;
};

/// Errors after which a context answers nothing but that error.
bool is_sticky(result);

template <class Body>
cu_result enter(const call_site& site, Body&& body) {
  if (forked()) return not_initialized;
  const result planned = planned_fault(site.name, site.plausible);
  if (in_host_function() && site.what == needs::context) return not_permitted;
  machine& on = the_machine();
  std::unique_lock held(on.lock);
  if (site.what != needs::nothing && !initialised()) return not_initialized;
  context* in = current_context();
  if (site.what == needs::context) {
    if (!in) return planned != 0 ? planned : invalid_context;
    if (in->lost != 0) return in->lost;
  }
  if (planned != 0) {
    if (in && is_sticky(planned)) on.lose(*in, planned);
    return planned;
  }
  const result outcome = body(call_context{on, in ? *in : on.of_device(0), held});
  // What went wrong while the call waited is its answer.
  return outcome == 0 && site.what == needs::context && in->lost != 0 ? in->lost : outcome;
}

/// A call about a stream, whichever context that is in; with(call_context, stream) does the rest.
template <class With>
cu_result in_stream(const call_site& site, cu_stream handle, With&& with) {
  return enter(site, [&](call_context c) -> result {
    stream* const s = c.on.find_anywhere(c.in, handle);
    if (!s) return invalid_handle;
    if (s->in->lost != 0) return s->in->lost;
    const context& in = *s->in;
    const result outcome = with(c, *s);
    return outcome == 0 ? in.lost : outcome;
  });
}

}  // namespace softgpu
