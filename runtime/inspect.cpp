// explain, dump, to_dot and counters: the stages of an evaluation, shown instead of run. Nothing here launches or compiles.
#include <sinter/inspect.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <ostream>
#include <string>
#include <unordered_map>
#include <vector>

#include <sinter/error.hpp>

#include "codegen/ir/function.hpp"
#include "codegen/ir/parts.hpp"
#include "codegen/source/emit.hpp"
#include "runtime/counters.hpp"
#include "runtime/device/device.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/nodes.hpp"
#include "runtime/launch/measure.hpp"
#include "runtime/library/call.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/stream/current.hpp"

namespace sinter {

text::text(const char* characters) : characters_(static_cast<char*>(std::malloc(std::strlen(characters) + 1))) {
  if (!characters_)
    throw out_of_memory("sinter: the host has no memory for a report", std::strlen(characters) + 1, 0, 0);
  std::strcpy(characters_, characters);
}
text::~text() { std::free(characters_); }
std::ostream& operator<<(std::ostream& out, const text& t) { return out << t.c_str(); }

counters_snapshot counters() {
  using runtime::counter;
  const auto read = [](counter c) { return static_cast<std::int64_t>(runtime::count_of(c)); };
  return {read(counter::launches),     read(counter::compiles),        read(counter::memory_hits),
          read(counter::disk_hits),    read(counter::bytes_allocated), read(counter::bytes_copied),
          read(counter::library_calls)};
}

namespace detail {

namespace {

using runtime::typed;

// A kernel that an evaluation would launch, or a call of a library.
struct looked_at {
  const codegen::step* step;  // null: a call
  const call_node* call;
  shape domain;
  bool launched;                     // no: it has no element to compute
  runtime::binding on_cuda, on_cpu;  // as a GPU and the CPU run it: the expression's own device where it is one of them
  bool by_cuda;                      // the expression's own device is a GPU
};

// The way of an evaluation up to its launches. Arrays of no memory stand for what it would compute.
class evaluation final : public codegen::part_evaluator {
 public:
  explicit evaluation(node* n) {
    runtime::look();
    const codegen::nodes root{typed(n)};
    if (!compute(root, {}, true)) codegen::compute_in_parts(root, *this);
  }
  std::vector<looked_at> steps;

 private:
  bool compute(const codegen::nodes& nodes, codegen::program_room room, bool) override {
    std::vector<const shape*> extents;
    for (const typed_node* n : nodes) extents.push_back(&n->extents);
    codegen::resolution r;
    if (!codegen::resolve(nodes.data(), extents.data(), static_cast<int>(nodes.size()), r, &known, room,
                          runtime::keeps_work))
      return false;
    runtime::device_impl& on = r.device ? *r.device : runtime::current_device();
    const runtime::fusion& p = runtime::fusion_for(runtime::plan_for(r.words, nullptr), r, runtime::target_of(on));
    std::vector<array_node*> temporaries, results;
    for (const codegen::temporary& t : p.temporaries)
      temporaries.push_back(stand_in(t.type, r.boundaries[t.boundary].extents, on));
    for (const typed_node* n : nodes) {
      results.push_back(stand_in(n->type, n->extents, on));
      known.emplace(n, results.back());
    }
    for (const auto& s : p.steps) look(s->step, r, temporaries, results, on);
    return true;
  }
  void drop(const typed_node* n) override { known.erase(n); }

  const array_node* operand(const call_node& c, int number) override { return runtime::operand_of(c, number, known); }
  bool recall(const call_node& c) override {
    if (const auto at = called_.find(c.site); at != called_.end()) {
      known.emplace(&c, at->second[static_cast<std::size_t>(c.number)]);
      return true;
    }
    handle before = runtime::recalled(c);
    if (!before) return false;
    known.emplace(&c, runtime::as_array_node(before.get()));
    stand_ins_.push_back(std::move(before));
    return true;
  }
  void call(const call_node& c) override {
    runtime::device_impl& on = *operand(c, 0)->memory->device;
    const runtime::library_call& what = *c.site->what;
    std::vector<array_node*>& results = called_[c.site];
    for (int i = 0; i < what.result_count; ++i)
      results.push_back(stand_in(what.results[i].type, what.results[i].extents, on));
    known.emplace(&c, results[static_cast<std::size_t>(c.number)]);
    steps.push_back({nullptr, &c, c.extents, true, {}, {}, false});
  }
  array_node* stand_in(dtype type, const shape& extents, runtime::device_impl& on) {
    runtime::storage_holder none(runtime::make_storage(0, runtime::current_stream(on)));
    handle made(runtime::new_array(type, extents, none.get()));
    none.take();
    stand_ins_.push_back(std::move(made));
    return runtime::as_array_node(stand_ins_.back().get());
  }

  void look(const codegen::step& s, const codegen::resolution& r, const std::vector<array_node*>& temporaries,
            const std::vector<array_node*>& results, const runtime::device_impl& on) {
    std::vector<array_node*> outputs;
    for (const codegen::step::write& o : s.outputs)
      outputs.push_back(o.root >= 0 ? results[static_cast<std::size_t>(o.root)]
                                    : temporaries[static_cast<std::size_t>(o.temporary)]);
    looked_at k{&s, nullptr, r.spaces[s.domain].extents, false, {}, {}, on.dialect() == codegen::dialect::cuda};
    const runtime::target here = runtime::target_of(on);
    const auto bind = [&](codegen::dialect language, runtime::binding& b) {
      k.launched = runtime::bind_for(s, r, temporaries.data(), outputs.data(), runtime::target_like(language, here), b);
    };
    bind(codegen::dialect::cuda, k.on_cuda);
    bind(codegen::dialect::c, k.on_cpu);
    steps.push_back(std::move(k));
  }

  std::vector<handle> stand_ins_;
  std::unordered_map<const call_site*, std::vector<array_node*>> called_;  // their results
};

std::string operation_name(const instruction& i) {
  return i.code == instruction::cast ? std::string("astype ") + name(i.type) : facts(static_cast<op>(i.code)).name;
}

// Walks the DAG once per node and gives each a number.
class describer {
 public:
  virtual ~describer() = default;

  void run(node* root) {
    struct frame {
      int id;
      std::vector<node*> children;
      std::size_t next;
    };
    std::vector<frame> open;
    const auto enter = [&](node* raw) {
      const typed_node* n = typed(raw);
      const auto [at, fresh] = ids_.try_emplace(n, static_cast<int>(ids_.size()));
      const int id = at->second;
      if (!fresh) return child(open.back().id, id);
      frame f{id, {}, 0};
      begin(id, n, label(n, f.children));
      open.push_back(std::move(f));
    };
    for (enter(root); !open.empty();) {
      frame& f = open.back();
      if (f.next < f.children.size()) {
        enter(f.children[f.next++]);
        continue;
      }
      const int id = f.id;
      open.pop_back();
      if (!open.empty()) child(open.back().id, id);
    }
  }

 protected:
  virtual void begin(int id, const typed_node* n, const std::string& label) = 0;
  virtual void child(int from, int to) = 0;

 private:
  static std::string label(const typed_node* n, std::vector<node*>& children) {
    switch (n->kind) {
      case node_kind::array: return "array";
      case node_kind::iota: {
        const int axis = static_cast<const iota_node*>(n)->axis;
        return axis == iota_node::all_axes ? "position" : "index along axis " + std::to_string(axis);
      }
      case node_kind::view:
        for (int i = 0; i < child_count(n); ++i) children.push_back(detail::child(n, i));
        return children.size() > 1 ? "view by index" : "view";
      case node_kind::reshape: children = {static_cast<const reshape_node*>(n)->child}; return "reshape";
      case node_kind::reduction: {
        const auto* r = static_cast<const reduction_node*>(n);
        children = {r->child};
        std::string axes;
        for (int d = 0; d < r->child->extents.size(); ++d)
          if (r->axes >> d & 1) axes += (axes.empty() ? "" : ", ") + std::to_string(d);
        return (r->called ? r->called->name : codegen::name(r->what)) + " over axes (" + axes + ")";
      }
      case node_kind::scan: {
        const auto* s = static_cast<const scan_node*>(n);
        children = {s->child};
        return std::string("running ") + codegen::name(s->what) + " along axis " + std::to_string(s->axis);
      }
      case node_kind::call: {
        const auto* c = static_cast<const call_node*>(n);
        const call_site& site = *c->site;
        children.assign(site.operands, site.operands + site.operand_count);
        const std::string called = site.what->name();
        return site.what->result_count == 1 ? called : message("result %d of %s", c->number, called.c_str());
      }
      case node_kind::expression: break;
    }
    const auto* e = static_cast<const expression_node*>(n);
    std::vector<std::string> stack;
    int node_at = 0, scalar_at = 0;
    for (int i = 0; i < e->code->length; ++i) {
      const instruction in = e->code->code[i];
      if (in.code == instruction::take_node) {
        children.push_back(e->children[node_at]);
        stack.push_back("#" + std::to_string(node_at++));
      } else if (in.code == instruction::take_scalar) {
        stack.push_back(scalar(e->scalars[scalar_at++], in.type));
      } else {
        const bool calls = in.code == instruction::call;
        if (e->code->called && in.code == instruction::cast && typed(children.back())->type == in.type) continue;
        const int count = calls                          ? static_cast<int>(stack.size())
                          : in.code == instruction::cast ? 1
                                                         : facts(static_cast<op>(in.code)).arity;
        std::string call = (calls ? e->code->called->text.name : operation_name(in)) + "(";
        for (int a = 0; a < count; ++a)
          call += (a ? ", " : "") + stack[stack.size() - static_cast<std::size_t>(count - a)];
        stack.resize(stack.size() - static_cast<std::size_t>(count));
        stack.push_back(call + ")");
      }
    }
    return stack.back();
  }

  static std::string scalar(scalar_bits bits, dtype t) {
    if (t == dtype::float32) return message("%g", static_cast<double>(bits.as_float));
    if (t == dtype::float64) return message("%g", bits.as_double);
    if (t == dtype::bool_) return bits.as_bool ? "true" : "false";
    return facts(t).is_signed ? std::to_string(bits.as_signed) : std::to_string(bits.as_unsigned);
  }

  std::unordered_map<const typed_node*, int> ids_;
};

class tree : public describer {
 public:
  std::string out = "expression\n";

 private:
  void begin(int id, const typed_node* n, const std::string& label) override {
    lines_.push_back(message("  [%d] %-7s %-16s ", id, name(n->type), to_string(n->extents).c_str()) + label);
    children_.emplace_back();
  }
  void child(int from, int to) override { children_[static_cast<std::size_t>(from)].push_back(to); }
  std::vector<std::string> lines_;
  std::vector<std::vector<int>> children_;

 public:
  std::string text() {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      out += lines_[i];
      for (std::size_t c = 0; c < children_[i].size(); ++c)
        out += (c ? ", " : "   with ") + ("#" + std::to_string(c)) + " = [" + std::to_string(children_[i][c]) + "]";
      out += "\n";
    }
    return out;
  }
};

class digraph : public describer {
 public:
  std::string out = "digraph sinter {\n  node [shape=box, fontname=\"monospace\"];\n";

 private:
  void begin(int id, const typed_node* n, const std::string& label) override {
    out += message("  n%d [label=\"%s\\n%s %s\"];\n", id, label.c_str(), name(n->type), to_string(n->extents).c_str());
  }
  void child(int from, int to) override { out += message("  n%d -> n%d;\n", to, from); }
};

std::string counted(std::size_t n, const char* what) { return message("%zu %s%s", n, what, n == 1 ? "" : "s"); }

}  // namespace

sinter::text explain(node* n) try {
  const evaluation e(n);
  tree t;
  t.run(n);
  std::string out = t.text();
  const auto calls = static_cast<std::size_t>(
      std::count_if(e.steps.begin(), e.steps.end(), [](const looked_at& k) { return k.call; }));
  out += message("kernels: %zu", e.steps.size() - calls) + (calls ? message(", calls: %zu\n", calls) : "\n");
  for (std::size_t i = 0; i < e.steps.size(); ++i) {
    const looked_at& k = e.steps[i];
    if (k.call) {
      out += message("  %zu. call of a library: %s\n", i + 1, k.call->site->what->name().c_str());
      continue;
    }
    const codegen::step& step = *k.step;
    out += message("  %zu. %s over %s: %s\n", i + 1, codegen::name(codegen::form_of(step.kernel)),
                   to_string(k.domain).c_str(), step.reason.c_str());
    if (!k.launched) {
      out += "     not launched: its result has no element\n";
      continue;
    }
    const double points = static_cast<double>(k.on_cpu.kept) * static_cast<double>(k.on_cpu.reduced);
    const double bytes = runtime::bytes_moved(step, k.on_cpu);
    out += message("     %s, %s, %s a point, %.3g bytes in all, %.2g operations a byte\n",
                   counted(step.inputs.size(), "input").c_str(), counted(step.outputs.size(), "output").c_str(),
                   counted(static_cast<std::size_t>(runtime::operations(step.kernel)), "operation").c_str(), bytes,
                   points * runtime::operations(step.kernel) / bytes);
    const codegen::variant& v = (k.by_cuda ? k.on_cuda : k.on_cpu).variant;
    out += "     shared out: " + codegen::print(step.kernel, v) + "\n";
  }
  return sinter::text(out.c_str());
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

sinter::text dump(node* n) try {
  const evaluation e(n);
  std::string out;
  for (std::size_t i = 0; i < e.steps.size(); ++i) {
    const looked_at& k = e.steps[i];
    const std::string title = message("==== kernel %zu of %zu: ", i + 1, e.steps.size());
    if (k.call) {
      out += title + "call of a library: " + k.call->site->what->name() + " ====\n";
      continue;
    }
    out += title + "IR ====\n" + codegen::print(k.step->kernel);
    if (!k.launched) {
      out += title + "not launched: its result has no element ====\n";
      continue;
    }
    out += title + "CUDA C++ ====\n" + codegen::emit(k.step->kernel, k.on_cuda.variant, codegen::dialect::cuda);
    out += title + "C ====\n" + codegen::emit(k.step->kernel, k.on_cpu.variant, codegen::dialect::c);
  }
  return sinter::text(out.c_str());
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

sinter::text to_dot(node* n) try {
  digraph g;
  g.run(n);
  return sinter::text((g.out + "}\n").c_str());
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

}  // namespace detail
}  // namespace sinter
