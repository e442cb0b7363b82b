// explain, dump, to_dot and counters: the stages of an evaluation, shown instead of run. Nothing here launches, or
// compiles what nobody asks to see.
#include <sinter/inspect.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <new>
#include <ostream>
#include <string>
#include <unordered_map>
#include <vector>

#include <sinter/error.hpp>

#include "codegen/ir/calls.hpp"
#include "codegen/ir/formula.hpp"
#include "codegen/ir/parts.hpp"
#include "codegen/source/emit.hpp"
#include "runtime/counters.hpp"
#include "runtime/device/device.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/nodes.hpp"
#include "runtime/inspect/graph.hpp"
#include "runtime/inspect/readings.hpp"
#include "runtime/inspect/tree.hpp"
#include "runtime/launch/measure.hpp"
#include "runtime/library/call.hpp"
#include "runtime/library/ending.hpp"
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
  const runtime::device_impl* device;  // the expression's own
  std::vector<std::string> formulas;   // of its outputs
  runtime::compiled_facts compiled;    // where it is, for that device

  bool by_cuda() const { return device->dialect() == codegen::dialect::cuda; }
};

// The way of an evaluation up to its launches. Arrays of no memory stand for what it would compute.
class evaluation final : public codegen::part_evaluator {
 public:
  // Draws what it meets where there is something to draw on.
  evaluation(node* n, runtime::array_names& names, runtime::graph_drawer* drawing = nullptr)
      : names_(names), drawing_(drawing) {
    runtime::look();
    const codegen::nodes root{typed(n)};
    looked_at_ = typed(n);
    if (!compute(root, {}, true)) codegen::compute_in_parts(root, *this);
  }
  std::vector<looked_at> steps;

 private:
  bool compute(const codegen::nodes& nodes, codegen::program_room room, bool is_root) override {
    if (is_root && known.count(nodes.front())) return true;  // a call leaves it
    std::vector<const shape*> extents;
    for (const typed_node* n : nodes) extents.push_back(&n->extents);
    codegen::resolution r;
    codegen::device_ways ways = runtime::device_ways;
    ways.only_looks = true;
    if (!codegen::resolve(nodes.data(), extents.data(), static_cast<int>(nodes.size()), r, &known, room, &ways))
      return false;
    runtime::device_impl& on = r.device ? *r.device : runtime::current_device();
    const runtime::fusion& p = runtime::fusion_for(runtime::plan_for(r.words, nullptr), r, runtime::target_of(on));
    std::vector<array_node*> temporaries, results;
    for (const codegen::temporary& t : p.temporaries)
      temporaries.push_back(stand_in(t.type, r.boundaries[t.boundary].extents, on));
    for (const typed_node* n : nodes) {
      results.push_back(stand_in(n->type, n->extents, on));
      known[n] = results.back();
    }
    if (is_root) root_ = results.front();
    if (drawing_) drawing_->begin_program(r, p.temporaries);
    for (const auto& s : p.steps) {
      if (drawing_) drawing_->add(s->step, results.data());
      look(*s, r, temporaries, results, on);
    }
    return true;
  }
  void drop(const typed_node* n) override { known.erase(n); }

  const array_node* operand(const call_node& c, int number) override {
    if (const array_node* const ready = runtime::operand_of(c, number, known)) return ready;
    handle turned = runtime::transposed_operand(c, number, known);
    if (!turned) return nullptr;
    stand_ins_.arrays.push_back(std::move(turned));
    return known[c.site->operands[number]] = runtime::as_array_node(stand_ins_.arrays.back().get());
  }
  const typed_node* computed_for(const call_node& c, int number) override { return runtime::computed_for(c, number); }
  bool recall(const call_node& c) override {
    if (const auto at = called_.find(c.site); at != called_.end()) {
      known.emplace(&c, at->second[static_cast<std::size_t>(c.number)]);
      return true;
    }
    handle before = runtime::recalled(c);
    if (!before) return false;
    known.emplace(&c, runtime::as_array_node(before.get()));
    stand_ins_.arrays.push_back(std::move(before));
    return true;
  }
  void call(const call_node& c, const typed_node* reader) override {
    runtime::device_impl& on = *operand(c, 0)->memory->device;
    const runtime::library_call& what = *c.site->what;
    // What is looked at has a name for that time alone.
    const bool may_end = reader && (reader == looked_at_ || codegen::has_one_owner(*reader));
    const std::optional<runtime::call_ending> ending = runtime::ending_of(c, may_end ? reader : nullptr, known);
    std::vector<array_node*>& results = called_[c.site];
    for (int i = 0; i < what.result_count; ++i)
      results.push_back(stand_in(what.results[i].type, what.results[i].extents, on));
    array_node* const result = results[static_cast<std::size_t>(c.number)];
    known.emplace(ending ? reader : &c, result);
    if (reader == looked_at_ && ending) root_ = result;
    steps.push_back({nullptr, &c, c.extents, true, {}, {}, &on, {}, {}});
    if (ending) steps.back().formulas.push_back(text_of(*ending));
    if (!drawing_) return;
    std::vector<const array_node*> operands;
    for (int i = 0; i < c.site->operand_count; ++i) operands.push_back(operand(c, i));
    if (ending && ending->addend) operands.push_back(ending->addend);
    drawing_->add_call(what.name(), operands, results);
  }
  std::string text_of(const runtime::call_ending& e) {
    const auto times = [](double by, const std::string& what, bool is_first) {
      const std::string size = codegen::number_text(to_bits(std::abs(by)), dtype::float64);
      const char* const sign = is_first ? (by < 0 ? "-" : "") : by < 0 ? " - " : " + ";
      return sign + (size == "1" ? "" : size + " * ") + what;
    };
    return times(e.of_result, "product", true) + (e.addend ? times(e.of_addend, name_of(*e.addend), false) : "");
  }
  array_node* stand_in(dtype type, const shape& extents, runtime::device_impl& on) {
    runtime::storage_holder none(runtime::make_storage(0, runtime::current_stream(on)));
    handle made(runtime::new_array(type, extents, none.get()));
    none.take();
    array_node* const to = runtime::as_array_node(stand_ins_.arrays.emplace_back(std::move(made)).get());
    to->memory->data = stand_ins_.places.emplace_back().at;
    return to;
  }

  void look(const runtime::compiled_step& compiled, const codegen::resolution& r,
            const std::vector<array_node*>& temporaries, const std::vector<array_node*>& results,
            runtime::device_impl& on) {
    const codegen::step& s = compiled.step;
    std::vector<array_node*> outputs;
    for (const codegen::step::write& o : s.outputs)
      outputs.push_back(o.root >= 0 ? results[static_cast<std::size_t>(o.root)]
                                    : temporaries[static_cast<std::size_t>(o.temporary)]);
    looked_at k{&s, nullptr, r.spaces[s.domain].extents, false, {}, {}, &on, {}, {}};
    const runtime::target here = runtime::target_of(on);
    runtime::layout how;
    const auto bind = [&](codegen::dialect language, runtime::binding& b) {
      k.launched = runtime::bind_for(s, r, temporaries.data(), outputs.data(), runtime::target_like(language, here), b,
                                     language == here.language ? &how : nullptr);
    };
    bind(codegen::dialect::cuda, k.on_cuda);
    bind(codegen::dialect::c, k.on_cpu);
    k.formulas = formulas_of(s, r, temporaries, outputs);
    if (const runtime::compiled_kernel* made =
            k.by_cuda() ? compiled.find(k.on_cuda.variant, on, codegen::dialect::cuda) : nullptr)
      k.compiled = on.facts_of(made->code, how.how);
    steps.push_back(std::move(k));
  }

  // What a kernel leaves for later ones is m0, m1 and so on; the root is y.
  std::vector<std::string> formulas_of(const codegen::step& s, const codegen::resolution& r,
                                       const std::vector<array_node*>& temporaries,
                                       const std::vector<array_node*>& outputs) {
    codegen::formula_names names;
    names.input = [&](int i) {
      const codegen::step::read& read = s.inputs[static_cast<std::size_t>(i)];
      const array_node* const a =
          read.temporary >= 0 ? temporaries[static_cast<std::size_t>(read.temporary)] : r.operands[read.operand].from;
      return a ? name_of(*a) + element_of(r.operands[read.operand], *a) : "x";
    };
    names.scalar = [&](int i) {
      const auto at = static_cast<std::size_t>(i);
      return codegen::number_text(r.scalars[s.scalars[at]], s.kernel.scalars[at]);
    };
    names.output = [&](int o) { return name_of(*outputs[static_cast<std::size_t>(o)]); };
    return codegen::formulas(s.kernel, names);
  }

  // Of an operand that is one element of an array, which one, in C order.
  static std::string element_of(const codegen::operand& o, const array_node& a) {
    if (!o.fixed || !o.data || !a.contiguous || a.extents.elements() <= 1) return "";
    return "[" + std::to_string((o.data - a.data()) / itemsize(a.type)) + "]";
  }

  std::string name_of(const array_node& a) {
    if (&a == root_) return "y";
    const auto is_stand_in = [&](const handle& h) { return h.get() == static_cast<const node*>(&a); };
    if (std::none_of(stand_ins_.arrays.begin(), stand_ins_.arrays.end(), is_stand_in)) return names_.of(a);
    return "m" + std::to_string(between_.try_emplace(&a, between_.size()).first->second);
  }

  runtime::array_names& names_;
  runtime::graph_drawer* const drawing_;
  const typed_node* looked_at_ = nullptr;
  const array_node* root_ = nullptr;  // what stands for it
  std::unordered_map<const array_node*, std::size_t> between_;
  // Arrays without memory, each of which seems to be somewhere: at one place all of them would be one operand.
  struct stand_ins {
    stand_ins() = default;
    stand_ins(const stand_ins&) = delete;
    ~stand_ins() {
      for (const handle& h : arrays)
        if (detail::storage& none = *runtime::as_array_node(h.get())->memory; none.size == 0) none.data = nullptr;
    }
    struct place {
      alignas(256) std::byte at[1];
    };
    std::deque<place> places;
    std::vector<handle> arrays;
  };
  stand_ins stand_ins_;
  std::unordered_map<const call_site*, std::vector<array_node*>> called_;  // their results
};

std::string counted(std::size_t n, const char* what) { return message("%zu %s%s", n, what, n == 1 ? "" : "s"); }

std::string human(double n, const char* unit) {
  constexpr const char* prefixes[] = {"", "k", "M", "G", "T", "P"};
  int p = 0;
  while (n >= 999.5 && p < 5) n /= 1000, ++p;
  return message("%.3g %s%s", n, prefixes[p], unit);
}

// Beside what the device states: how long it takes at the least, and what bounds it.
std::string roofline_of(const looked_at& k, double bytes, double all_operations) {
  const double bandwidth = k.device->stated_bandwidth(), speed = k.device->stated_operations();
  if (bandwidth <= 0 || speed <= 0) return "";
  const double moving = bytes / bandwidth, computing = all_operations / speed;
  return message("     at least %.3g us: %s at the stated %s%s\n", 1e6 * std::max(moving, computing),
                 moving >= computing ? "memory" : "arithmetic",
                 (moving >= computing ? human(bandwidth, "B/s") : human(speed, "op/s")).c_str(),
                 moving >= computing ? message(", arithmetic takes %.2g of it", computing / moving).c_str() : "");
}

std::string describe(const runtime::compiled_facts& f) {
  if (f.registers == 0) return "";
  std::string text = message("     compiled: %d registers a thread", f.registers);
  text += f.spilled_bytes ? message(", %d bytes of it in memory", f.spilled_bytes) : ", none spilled";
  return text + (f.occupancy > 0 ? message(", occupancy %.0f %%\n", 100 * f.occupancy) : "\n");
}

std::string describe(const looked_at& k) {
  const codegen::step& step = *k.step;
  std::string out;
  for (const std::string& f : k.formulas) out += "     " + f + "\n";
  if (!k.launched) return out + "     not launched: its result has no element\n";
  const double points = static_cast<double>(k.on_cpu.kept) * static_cast<double>(k.on_cpu.reduced);
  const double bytes = runtime::bytes_moved(step, k.on_cpu), all = points * runtime::operations(step.kernel);
  out += message("     %s, %s, %s a point, %s in all, %.2g operations a byte\n",
                 counted(step.inputs.size(), "input").c_str(), counted(step.outputs.size(), "output").c_str(),
                 counted(static_cast<std::size_t>(runtime::operations(step.kernel)), "operation").c_str(),
                 human(bytes, "B").c_str(), all / bytes);
  out += "     shared out: " + codegen::print(step.kernel, (k.by_cuda() ? k.on_cuda : k.on_cpu).variant) + "\n";
  return out + roofline_of(k, bytes, all) + describe(k.compiled);
}

}  // namespace

sinter::text explain(node* n) try {
  runtime::array_names names;
  std::string out = runtime::tree_of(typed(n), names);
  const evaluation e(n, names);
  const auto calls = static_cast<std::size_t>(
      std::count_if(e.steps.begin(), e.steps.end(), [](const looked_at& k) { return k.call; }));
  out += message("kernels: %zu", e.steps.size() - calls) + (calls ? message(", calls: %zu\n", calls) : "\n");
  for (std::size_t i = 0; i < e.steps.size(); ++i) {
    const looked_at& k = e.steps[i];
    if (k.call) {
      out += message("  %zu. call of a library: %s\n", i + 1, k.call->site->what->name().c_str());
      for (const std::string& ending : k.formulas) out += "     which leaves " + ending + "\n";
      continue;
    }
    out += message("  %zu. %s over %s: %s\n", i + 1, codegen::name(codegen::form_of(k.step->kernel)),
                   to_string(k.domain).c_str(), k.step->reason.c_str());
    out += describe(k);
  }
  return sinter::text(out.c_str());
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

sinter::text dump(node* n, dump_options also) try {
  runtime::array_names names;
  const evaluation e(n, names);
  const runtime::compiled_readings read{also};
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
    const std::string cuda =
        codegen::emit(k.step->kernel, k.on_cuda.variant, codegen::target_here(codegen::dialect::cuda));
    out += title + "CUDA C++ ====\n" + cuda;
    out += read.cuda(cuda, *k.device, title);
    if (codegen::form_of(k.step->kernel) == codegen::form::transform) continue;  // of which a CPU has none
    const std::string c = codegen::emit(k.step->kernel, k.on_cpu.variant, codegen::target_here(codegen::dialect::c));
    out += title + "C ====\n" + c;
    out += read.c(c, *k.device, title);
  }
  return sinter::text(out.c_str());
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

sinter::text to_dot(node* n) try {
  runtime::array_names names;
  runtime::tree_of(typed(n), names);  // which numbers the arrays as explain does
  runtime::graph_drawer drawing(names, true);
  const evaluation e(n, names, &drawing);
  return sinter::text(runtime::dot_of(drawing.graph).c_str());
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

}  // namespace detail
}  // namespace sinter
