// explain, dump, to_dot and counters: the stages of an evaluation, shown instead of run. Nothing here launches or compiles.
#include <sinter/inspect.hpp>

#include <cstdlib>
#include <cstring>
#include <new>
#include <ostream>
#include <string>
#include <unordered_map>
#include <vector>

#include <sinter/error.hpp>

#include "codegen/ir/program.hpp"
#include "codegen/pass/cut.hpp"
#include "codegen/source/emit.hpp"
#include "runtime/counters.hpp"
#include "runtime/device/device.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/nodes.hpp"
#include "runtime/launch/bind.hpp"
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
  const auto read = [](const auto& c) { return static_cast<std::int64_t>(c.load(std::memory_order_relaxed)); };
  const runtime::live_counters& c = runtime::counters_now;
  return {read(c.launches),        read(c.compiles),     read(c.memory_hits),  read(c.disk_hits),
          read(c.bytes_allocated), read(c.bytes_copied), read(c.library_calls)};
}

namespace detail {

namespace {

using runtime::typed;

// An expression taken through resolve, decode and cut, with arrays of no memory standing for results.
struct stages {
  codegen::resolution resolution;
  codegen::schedule schedule;
  std::vector<handle> temporaries;
  handle result;

  explicit stages(node* n) {
    const typed_node* root = typed(n);
    const shape* extents = &root->extents;
    codegen::resolve(&root, &extents, 1, resolution);
    schedule = codegen::cut(codegen::decode(resolution.words));
    runtime::device_impl& on = resolution.device ? *resolution.device : runtime::current_device();
    for (const codegen::temporary& t : schedule.temporaries)
      temporaries.push_back(
          handle(runtime::new_array(t.type, resolution.boundaries[t.boundary].extents, runtime::current_stream(on))));
    result = handle(runtime::new_array(root->type, root->extents, runtime::current_stream(on)));
  }

  runtime::binding bind(const codegen::step& s, bool vectors) const {
    std::vector<array_node*> made, outputs;
    for (const handle& t : temporaries) made.push_back(runtime::as_array_node(t.get()));
    for (const codegen::step::write& o : s.outputs)
      outputs.push_back(o.root >= 0 ? runtime::as_array_node(result.get())
                                    : made[static_cast<std::size_t>(o.temporary)]);
    runtime::binding b;
    runtime::bind(s, resolution, made.data(), outputs.data(), {vectors, false}, b);
    return b;
  }
};

std::string operation_name(const instruction& i) {
  return i.code == instruction::cast ? std::string("astype ") + name(i.type) : facts(static_cast<op>(i.code)).name;
}

// Walks the DAG once per node and gives each a number.
class describer {
 public:
  virtual ~describer() = default;

  void run(node* n) { visit(n); }

 protected:
  virtual void begin(int id, const typed_node* n, const std::string& label) = 0;
  virtual void child(int from, int to) = 0;

  int visit(node* raw) {
    const typed_node* n = typed(raw);
    const auto [at, fresh] = ids_.try_emplace(n, static_cast<int>(ids_.size()));
    const int id = at->second;
    if (!fresh) return id;
    std::vector<node*> children;
    begin(id, n, label(n, children));
    for (node* c : children) child(id, visit(c));
    return id;
  }

 private:
  static std::string label(const typed_node* n, std::vector<node*>& children) {
    switch (n->kind) {
      case node_kind::array: return "array";
      case node_kind::iota: return "index along axis " + std::to_string(static_cast<const iota_node*>(n)->axis);
      case node_kind::view: children = {static_cast<const view_node*>(n)->child}; return "view";
      case node_kind::reshape: children = {static_cast<const reshape_node*>(n)->child}; return "reshape";
      case node_kind::reduction: {
        const auto* r = static_cast<const reduction_node*>(n);
        children = {r->child};
        std::string axes;
        for (int d = 0; d < r->child->extents.size(); ++d)
          if (r->axes >> d & 1) axes += (axes.empty() ? "" : ", ") + std::to_string(d);
        return std::string(codegen::name(r->what)) + " over axes (" + axes + ")";
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
        const int count = in.code == instruction::cast ? 1 : facts(static_cast<op>(in.code)).arity;
        std::string call = operation_name(in) + "(";
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

double bytes_moved(const codegen::step& s, const runtime::binding& b) {
  double bytes = 0;
  for (std::size_t o = 0; o < b.operands.size(); ++o) {
    const bool input = o < s.inputs.size();
    if (input && s.body.inputs[o].iota) continue;
    double elements = 1;
    for (int d = 0; d < b.variant.rank; ++d)
      if (b.operands[o].strides[d] != 0) elements *= static_cast<double>(b.extents[d]);
    bytes +=
        elements * itemsize(input ? s.body.inputs[o].type : s.body.values[s.body.outputs[o - s.inputs.size()]].type);
  }
  return bytes;
}

int operations(const codegen::kernel& k) {
  int count = 0;
  for (const codegen::value& v : k.values) count += v.kind == codegen::value_kind::apply;
  return count + static_cast<int>(k.accumulators.size());
}

}  // namespace

sinter::text explain(node* n) try {
  const stages s(n);  // first: it refuses what is nested too deeply to be walked
  tree t;
  t.run(n);
  std::string out = t.text();
  out += message("kernels: %zu\n", s.schedule.steps.size());
  for (std::size_t i = 0; i < s.schedule.steps.size(); ++i) {
    const codegen::step& step = s.schedule.steps[i];
    const runtime::binding b = s.bind(step, false);
    const double points = static_cast<double>(b.kept) * static_cast<double>(b.reduced);
    out += message("  %zu. %s over %s: %s\n", i + 1, step.body.reduces() ? "reduction" : "map",
                   to_string(s.resolution.spaces[step.domain].extents).c_str(), step.reason.c_str());
    out += message("     %zu inputs, %zu outputs, %d operations a point, %.3g bytes in all, %.2g operations a byte\n",
                   step.inputs.size(), step.outputs.size(), operations(step.body), bytes_moved(step, b),
                   points * operations(step.body) / bytes_moved(step, b));
  }
  return sinter::text(out.c_str());
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

sinter::text dump(node* n) try {
  const stages s(n);
  std::string out;
  for (std::size_t i = 0; i < s.schedule.steps.size(); ++i) {
    const codegen::step& step = s.schedule.steps[i];
    const std::string title = message("==== kernel %zu of %zu: ", i + 1, s.schedule.steps.size());
    out += title + "IR ====\n" + codegen::print(step.body);
    out += title + "CUDA C++ ====\n" + codegen::emit(step.body, s.bind(step, true).variant, codegen::dialect::cuda);
    out += title + "C ====\n" + codegen::emit(step.body, s.bind(step, false).variant, codegen::dialect::c);
  }
  return sinter::text(out.c_str());
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

sinter::text to_dot(node* n) try {
  const stages refuses_what_is_too_deep(n);
  digraph g;
  g.run(n);
  return sinter::text((g.out + "}\n").c_str());
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

}  // namespace detail
}  // namespace sinter
