// The driver's calls about streams, events and waiting.
#include "entry.hpp"
#include "graph.hpp"
#include "pool.hpp"

namespace softgpu {
namespace {

event* find_event(machine& on, cu_event handle) {
  auto* const wanted = reinterpret_cast<event*>(handle);
  return on.events.contains(wanted) ? wanted : nullptr;
}

bool any_capture(context& in, bool spoil) {
  bool found = false;
  for (stream* s : in.streams)
    if (s->capturing) {
      found = true;
      if (spoil) s->capturing->invalidate();
    }
  return found;
}

/// Memory that a pool keeps beyond its threshold goes back when the host waits.
void release_pools(machine& on, context& in) { trim(on, in.pool, in.pool.threshold); }

}  // namespace

extern "C" {

cu_result cuCtxSynchronize() {
  return enter({"cuCtxSynchronize", needs::context, illegal_address}, [](call_context c) -> result {
    if (any_capture(c.in, true)) return 900;
    c.on.wait(c.held, c.on.everything(&c.in));
    release_pools(c.on, c.in);
    return 0;
  });
}

cu_result cuStreamCreateWithPriority(cu_stream* to, unsigned flags, int priority) {
  return enter({"cuStreamCreateWithPriority", needs::context, out_of_memory}, [&](call_context c) -> result {
    if (flags > 1) return invalid_value;
    auto* const made = new stream;
    made->in = &c.in;
    made->blocking = flags == 0;
    made->priority = priority > 0 ? 0 : priority < -5 ? -5 : priority;
    made->queue = c.on.open_lane(c.in, c.on.next_stream_number());
    c.in.streams.insert(made);
    ++alive().streams;
    *to = reinterpret_cast<cu_stream>(made);
    return 0;
  });
}

cu_result cuStreamDestroy_v2(cu_stream handle) {
  return in_stream({"cuStreamDestroy_v2", needs::context}, handle, [&](call_context c, stream& s) -> result {
    if (!s.in->streams.contains(&s)) return invalid_handle;  // the default streams stay
    if (s.capturing) s.capturing->leave(s);
    c.on.close_lane(s.queue);
    s.in->streams.erase(&s);
    --alive().streams;
    delete &s;
    return 0;
  });
}

cu_result cuStreamSynchronize(cu_stream handle) {
  return in_stream({"cuStreamSynchronize", needs::context, illegal_address}, handle,
                   [](call_context c, stream& s) -> result {
                     if (const result no = capture_refuses(s)) return no;
                     // The legacy stream's turn comes after that of all blocking ones.
                     if (s.legacy)
                       if (const result no = submit(c.on, s, std::make_shared<empty_work>("synchronize"))) return no;
                     c.on.wait(c.held, s.queue->now);
                     release_pools(c.on, c.in);
                     return 0;
                   });
}

cu_result cuStreamGetFlags(cu_stream handle, unsigned* flags) {
  return in_stream({"cuStreamGetFlags", needs::context}, handle, [&](call_context, stream& s) -> result {
    *flags = s.blocking || s.legacy ? 0 : 1;
    return 0;
  });
}

cu_result cuStreamQuery(cu_stream handle) {
  return in_stream({"cuStreamQuery", needs::context, illegal_address}, handle, [](call_context c, stream& s) -> result {
    if (const result no = capture_refuses(s)) return no;
    const vector_clock upto = s.queue->now;
    if (!c.on.is_done(upto)) c.on.some_progress();
    if (!c.on.is_done(upto)) return not_ready;
    c.on.host.join(upto);
    return 0;
  });
}

cu_result cuStreamWaitEvent(cu_stream handle, cu_event which, unsigned) {
  return in_stream({"cuStreamWaitEvent", needs::context}, handle, [&](call_context c, stream& s) -> result {
    event* const e = find_event(c.on, which);
    if (!e) return invalid_handle;
    if (e->captured) {
      if (e->captured->ended()) return 907;
      if (s.capturing && s.capturing != e->captured) return s.capturing->invalidate(), e->captured->invalidate(), 902;
      if (!e->captured->valid()) return 901;
      if (s.legacy) return 906;
      s.capturing = e->captured;
      s.capturing->join(s, e->after);
      return 0;
    }
    if (s.capturing) {
      // Work outside of the capture cannot come before work inside, unless it is over in any case.
      if (!s.capturing->valid()) return 901;
      if (!e->recorded) return 0;
      s.capturing->invalidate();
      return 905;
    }
    if (!e->recorded) return 0;
    s.queue->now.join(e->when);
    return 0;
  });
}

cu_result cuLaunchHostFunc(cu_stream handle, void (*call)(void*), void* with) {
  return in_stream({"cuLaunchHostFunc", needs::context, out_of_memory}, handle,
                   [&](call_context c, stream& s) -> result {
                     if (!call) return invalid_value;
                     c.on.start_host_thread();
                     return submit(c.on, s, std::make_shared<host_call>(call, with));
                   });
}

cu_result cuEventCreate(cu_event* to, unsigned flags) {
  return enter({"cuEventCreate", needs::context, out_of_memory}, [&](call_context c) -> result {
    using namespace sinter::runtime;
    if (flags > 7 || ((flags & cu_event_interprocess) && !(flags & cu_event_disable_timing))) return invalid_value;
    auto* const made = new event;
    made->in = &c.in;
    made->timing = !(flags & cu_event_disable_timing);
    c.on.events.insert(made);
    ++alive().events;
    *to = reinterpret_cast<cu_event>(made);
    return 0;
  });
}

cu_result cuEventDestroy_v2(cu_event which) {
  return enter({"cuEventDestroy_v2", needs::context}, [&](call_context c) -> result {
    event* const e = find_event(c.on, which);
    if (!e) return invalid_handle;
    c.on.events.erase(e);
    --alive().events;
    delete e;
    return 0;
  });
}

cu_result cuEventRecord(cu_event which, cu_stream handle) {
  return in_stream({"cuEventRecord", needs::context}, handle, [&](call_context c, stream& s) -> result {
    event* const e = find_event(c.on, which);
    if (!e || e->in != s.in) return invalid_handle;
    if (s.capturing) {
      if (!s.capturing->valid()) return 901;
      e->captured = s.capturing;
      e->after = s.after;
      return 0;
    }
    const auto time = std::make_shared<std::chrono::steady_clock::time_point>();
    if (const result no = submit(c.on, s, std::make_shared<event_work>(time))) return no;
    e->captured.reset();
    e->after.clear();
    e->recorded = true;
    e->time = time;
    e->slot = s.queue->slot;
    e->count = s.queue->issued;
    e->when = s.queue->now;
    return 0;
  });
}

cu_result cuEventQuery(cu_event which) {
  return enter({"cuEventQuery", needs::context, illegal_address}, [&](call_context c) -> result {
    event* const e = find_event(c.on, which);
    if (!e) return invalid_handle;
    if (e->captured) {
      e->captured->invalidate();
      return 907;
    }
    if (!e->recorded) return 0;
    if (!c.on.is_done(e->slot, e->count)) c.on.some_progress();
    if (!c.on.events.contains(e)) return invalid_handle;
    if (!c.on.is_done(e->slot, e->count)) return not_ready;
    c.on.host.join(e->when);
    return 0;
  });
}

cu_result cuEventSynchronize(cu_event which) {
  return enter({"cuEventSynchronize", needs::context, illegal_address}, [&](call_context c) -> result {
    event* const e = find_event(c.on, which);
    if (!e) return invalid_handle;
    if (e->captured) {
      e->captured->invalidate();
      return 907;
    }
    if (!e->recorded) return 0;
    c.on.wait(c.held, e->when);
    release_pools(c.on, c.in);
    return 0;
  });
}

cu_result cuEventElapsedTime(float* milliseconds, cu_event begin, cu_event end) {
  return enter({"cuEventElapsedTime", needs::context}, [&](call_context c) -> result {
    event *const first = find_event(c.on, begin), *const last = find_event(c.on, end);
    if (!first || !last || !first->timing || !last->timing) return invalid_handle;
    if (first->captured || last->captured) return 907;
    if (!first->recorded || !last->recorded) return invalid_handle;
    for (event* e : {first, last})
      if (!c.on.is_done(e->slot, e->count)) return not_ready;
    *milliseconds = std::chrono::duration<float, std::milli>(*last->time - *first->time).count();
    return 0;
  });
}

}  // extern "C"

}  // namespace softgpu
