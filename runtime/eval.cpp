// The conductor, and the file to read first. An evaluation goes through the house in this order:
//
//   prepared  runtime/launch  nodes that look as they did before: straight to their launches (statements.cpp)
//   resolve   codegen/ir      nodes -> a signature, and the shapes, strides and scalars that are not part of it
//   plan_for  runtime/launch  signature -> plan; a new one is decoded, cut into kernels and simplified (codegen/ir, codegen/pass)
//   fusion_for   runtime/launch  of two ways to cut it, the one for these shapes
//   launch    runtime/launch  a kernel's operands: of a layout met before, straight to its launch; else -> its variant, axes
//                             collapsed and accesses classified; the variant -> compiled kernel, a new one emitted,
//                             compiled and cached (codegen/source, compile, cache); geometry, arguments, the device's launch
//
// An expression seen before takes no lock, makes no string and allocates nothing but its results. One that is too large for a
// program goes through as several, and so does one with calls of libraries, which come before what reads their results
// (parts.cpp, codegen/ir/parts, runtime/library).
#include "runtime/eval.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include <sinter/error.hpp>

#include "runtime/counters.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/nodes.hpp"
#include "runtime/launch/workspace.hpp"
#include "runtime/library/call.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/parts.hpp"
#include "runtime/stream/current.hpp"
#include "runtime/stream/operation.hpp"

namespace sinter::runtime {

namespace {

// The thread's own is in use: by an evaluation under way, in which a user's allocator or hook evaluates, or for good once it
// has gone at the thread's end, when other thread-local objects' destructors may still evaluate.
thread_local constinit bool occupied = false;

struct kept_workspace : workspace {
  ~kept_workspace() { occupied = true; }
};

workspace& kept() {
  thread_local kept_workspace own;
  return own;
}

class turn {
 public:
  turn() : mine(!std::exchange(occupied, true)) {}
  turn(const turn&) = delete;
  turn& operator=(const turn&) = delete;
  ~turn() {
    if (mine) occupied = false;
  }
  const bool mine;
};

device_impl& device_of(const codegen::resolution& r, const request* requests, int count) {
  device_impl* on = r.device;
  if (r.other_device) {
    throw device_error(detail::message("sinter: the operands live on %s and %s; copy one of them with to(device)",
                                       to_text(on->id).c_str(), to_text(r.other_device->id).c_str())
                           .c_str());
  }
  for (int i = 0; i < count; ++i) {
    if (!requests[i].into) continue;
    device_impl* target = requests[i].into->memory->device;
    if (on && on != target) {
      throw device_error(
          detail::message("sinter: a value of %s is stored into an array of %s; copy it there with to(device)",
                          to_text(on->id).c_str(), to_text(target->id).c_str())
              .c_str());
    }
    on = target;
  }
  return on ? *on : current_device();
}

void run(const fusion& p, workspace& w, request* requests, stream_state& on) {
  w.temporaries.resize(p.temporaries.size());
  bool compiled = false;
  for (const auto& s : p.steps) {
    w.outputs.clear();
    for (const codegen::step::write& o : s->step.outputs) {
      if (o.root < 0) {
        const codegen::temporary& t = p.temporaries[o.temporary];
        w.temporaries.set(o.temporary, new_array(t.type, w.resolution.boundaries[t.boundary].extents, on));
      }
      w.outputs.push_back(o.root >= 0 ? requests[o.root].into : w.temporaries.data()[o.temporary]);
    }
    launch(*s, w.resolution, w.temporaries.data(), w.outputs.data(), on, w.prepared, w.bound, compiled);
  }
  w.results.keep();
  if (!compiled) bump(counter::memory_hits);
}

}  // namespace

namespace {

bool resolve(const request* requests, int count, workspace& w, const codegen::stand_ins* known,
             codegen::program_room room) {
  w.roots.clear();
  w.extents.clear();
  for (int i = 0; i < count; ++i) {
    w.roots.push_back(requests[i].root);
    w.extents.push_back(requests[i].extents);
  }
  return codegen::resolve(w.roots.data(), w.extents.data(), count, w.resolution, known, room, &device_ways);
}

// The arrays that are still to be made.
void make_results(request* requests, int count, workspace& w, stream_state& on) {
  w.results.resize(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    if (requests[i].into) continue;
    requests[i].into = new_array(requests[i].root->type, *requests[i].extents, on);
    requests[i].made = true;
    w.results.set(static_cast<std::size_t>(i), requests[i].into);
  }
}

}  // namespace

bool evaluate_at_once(request* requests, int count, workspace& w, const codegen::stand_ins* known,
                      codegen::program_room room) {
  if (!resolve(requests, count, w, known, room)) return false;
  stream_state& on = current_stream(device_of(w.resolution, requests, count));
  const fusion& p = fusion_for(plan_for(w.resolution.words, requests[0].hint), w.resolution, target_of(on.device));

  const dropping at_end{w};
  make_results(requests, count, w, on);
  run(p, w, requests, on);
  if (!known) w.statements.keep(requests, count, w.resolution, p, w.temporaries.data(), w.prepared);
  return true;
}

namespace {

void evaluate(request* requests, int count, workspace& w) {
  if (w.statements.evaluate(requests, count)) return;
  if (evaluate_at_once(requests, count, w, nullptr, {})) return;
  evaluate_in_parts(requests, count, w);
}

// What requests and a last word of their signature are on a GPU, if they are one kernel; else null.
const fusion* one_kernel(request* requests, int count, std::uint64_t last, workspace& w) {
  if (!resolve(requests, count, w, nullptr, {})) return nullptr;
  w.resolution.words.push_back(last);
  const device_impl& on = device_of(w.resolution, requests, count);
  if (on.dialect() != codegen::dialect::cuda) return nullptr;
  const fusion& p = fusion_for(plan_for(w.resolution.words, nullptr), w.resolution, target_of(on));
  return p.steps.size() == 1 ? &p : nullptr;
}

bool compress(request* requests, detail::array_node* (*total)(dtype, stream_state&), workspace& w) {
  constexpr int count = 2;
  const fusion* const p = one_kernel(requests, count, codegen::compress_word::mark, w);
  if (!p || !p->steps[0]->step.kernel.compresses) return false;
  stream_state& on = current_stream(device_of(w.resolution, requests, count));
  const dropping at_end{w};
  try {
    make_results(requests, 1, w, on);
  } catch (const out_of_memory&) {
    return false;
  }
  w.results.resize(count);
  requests[1].into = total(requests[1].root->type, on);
  w.results.set(1, requests[1].into);
  run(*p, w, requests, on);
  return true;
}

// Do the axes of a step merge into one, along which the blocks of a kernel that counts go? A reshape may have them cut.
bool is_one_line(const codegen::step& s, const codegen::resolution& r) {
  const sinter::shape& axes = r.spaces[s.domain].extents;
  return std::ranges::all_of(s.inputs, [&](const auto& input) {
    const codegen::operand& o = r.operands[input.operand];
    bool is_first = true;
    std::int64_t next = 0;
    for (int d = axes.size() - 1; !o.flat && !o.fixed && d >= 0; --d) {
      if (axes[d] == 1) continue;
      if (!is_first && o.strides[d] != next) return false;
      is_first = false;
      next = o.strides[d] * axes[d];
    }
    return true;
  });
}

bool count(request& r, int room, std::int64_t size, workspace& w) {
  const fusion* const p = one_kernel(&r, 1, codegen::count_word::make(room).bits, w);
  if (!p || !p->steps[0]->step.kernel.counts) return false;
  if (!is_one_line(p->steps[0]->step, w.resolution)) return false;
  stream_state& on = current_stream(device_of(w.resolution, &r, 1));
  const dropping at_end{w};
  r.into = new_array(dtype::int64, shape{size}, on);
  w.results.resize(1);
  w.results.set(0, r.into);
  operation op(on);
  op.writes(r.into->memory);
  on.device.zero(r.into->data(), byte_size(*r.into), on);
  op.done();
  op.has_written(r.into->memory);
  run(*p, w, &r, on);
  return true;
}

// Calls f with a workspace that no evaluation is at work in.
template <class F>
auto in_workspace(F f) try {
  look();
  const turn now;
  if (!now.mine) [[unlikely]]
    return f(*std::make_unique<workspace>());
  return f(kept());
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

}  // namespace

bool is_evaluating() noexcept { return occupied; }

void evaluate(request* requests, int count) {
  in_workspace([&](workspace& w) { evaluate(requests, count, w); });
}

bool compress(request* requests, detail::array_node* (*total)(dtype, stream_state&)) {
  return in_workspace([&](workspace& w) { return compress(requests, total, w); });
}
bool count(request& r, int room, std::int64_t size) {
  return in_workspace([&](workspace& w) { return count(r, room, size, w); });
}

}  // namespace sinter::runtime

void sinter::detail::forget_evaluations() {
  if (!runtime::occupied) runtime::kept().statements = {};
}
