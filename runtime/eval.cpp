// The conductor, and the file to read first. An evaluation goes through the house in this order:
//
//   resolve   codegen/ir      nodes -> a signature, and the shapes, strides and scalars that are not part of it
//   plan_for  runtime/launch  signature -> plan; a new one is decoded, cut into kernels and simplified (codegen/ir, codegen/pass)
//   bind      runtime/launch  a kernel's operands -> its variant: axes collapsed, accesses classified
//   launch    runtime/launch  variant -> compiled kernel; a new one is emitted, compiled and cached (codegen/source, compile,
//                             cache); then geometry, arguments and the device's launch
//
// An expression seen before with operands of the same layout goes straight through: no lock, no string, no compilation.
#include "runtime/eval.hpp"

#include <memory>
#include <new>
#include <utility>

#include <sinter/error.hpp>

#include "runtime/counters.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/nodes.hpp"
#include "runtime/launch/launch.hpp"
#include "runtime/stream/current.hpp"

namespace sinter::runtime {

namespace {

// What one evaluation needs, kept between evaluations of a thread so that none of them allocates.
struct workspace {
  codegen::resolution resolution;
  binding bound;
  std::vector<const detail::typed_node*> roots;
  std::vector<const shape*> extents;
  std::vector<detail::array_node*> outputs;
};

// The thread's own is in use: by an evaluation under way, in which a user's allocator or hook evaluates, or for good once it
// has gone at the thread's end, when other thread-local objects' destructors may still evaluate.
thread_local constinit bool occupied = false;

struct kept_workspace : workspace {
  ~kept_workspace() { occupied = true; }
};

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

// Arrays that are dropped at the end: temporaries, and on failure the new results.
class owned_arrays {
 public:
  ~owned_arrays() {
    for (detail::array_node* a : arrays_) detail::release(a);
  }
  void resize(std::size_t n) { arrays_.resize(n); }
  void set(std::size_t i, detail::array_node* a) { arrays_[i] = a; }
  detail::array_node* const* data() const { return arrays_.data(); }
  void keep() { arrays_.clear(); }

 private:
  std::vector<detail::array_node*> arrays_;
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

binding_rules rules_of(const device_impl& on) {
  static const bool strict = codegen::math_mode_from_environment() == codegen::math_mode::strict;
  return {on.dialect() == codegen::dialect::cuda, strict};
}

void run(plan& p, workspace& w, request* requests, stream_state& on) {
  owned_arrays temporaries;
  temporaries.resize(p.temporaries.size());
  bool compiled = false;
  for (const auto& s : p.steps) {
    w.outputs.clear();
    for (const codegen::step::write& o : s->step.outputs) {
      if (o.root < 0) {
        const codegen::temporary& t = p.temporaries[o.temporary];
        temporaries.set(o.temporary, new_array(t.type, w.resolution.boundaries[t.boundary].extents, on));
      }
      w.outputs.push_back(o.root >= 0 ? requests[o.root].into : temporaries.data()[o.temporary]);
    }
    bind(s->step, w.resolution, temporaries.data(), w.outputs.data(), rules_of(on.device), w.bound);
    launch(*s, w.bound, w.resolution, on, compiled);
  }
  if (!compiled) bump(counters_now.memory_hits);
}

void evaluate(request* requests, int count, workspace& w) {
  w.roots.clear();
  w.extents.clear();
  for (int i = 0; i < count; ++i) {
    w.roots.push_back(requests[i].root);
    w.extents.push_back(requests[i].extents);
  }
  codegen::resolve(w.roots.data(), w.extents.data(), count, w.resolution);
  plan& p = plan_for(w.resolution.words, requests[0].hint);
  stream_state& on = current_stream(device_of(w.resolution, requests, count));

  detail::handle made;  // the common case: one new array
  owned_arrays several;
  if (count > 1) several.resize(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    if (requests[i].into) continue;
    requests[i].into = new_array(requests[i].root->type, *requests[i].extents, on);
    if (count > 1) several.set(static_cast<std::size_t>(i), requests[i].into);
    else made = detail::handle(requests[i].into);
  }
  run(p, w, requests, on);
  made.take();
  several.keep();
}

}  // namespace

void evaluate(request* requests, int count) try {
  const turn now;
  if (!now.mine) [[unlikely]]
    return evaluate(requests, count, *std::make_unique<workspace>());
  thread_local kept_workspace kept;
  evaluate(requests, count, kept);
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

}  // namespace sinter::runtime
