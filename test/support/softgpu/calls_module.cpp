// The driver's calls about modules, kernels and graphs.
#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "entry.hpp"
#include "graph.hpp"
#include "kernels.hpp"

namespace softgpu {
namespace {

std::unordered_map<module_object*, std::shared_ptr<module_object>>& modules() {
  static auto* const all = new std::unordered_map<module_object*, std::shared_ptr<module_object>>;
  return *all;
}

std::shared_ptr<module_object> find_module(cu_module handle) {
  const auto found = modules().find(reinterpret_cast<module_object*>(handle));
  return found == modules().end() ? nullptr : found->second;
}

/// By handle, so that a stale one is refused.
std::unordered_map<cu_function, module_object*>& functions() {
  static auto* const all = new std::unordered_map<cu_function, module_object*>;
  return *all;
}

function_object* find_function(cu_function handle, std::shared_ptr<module_object>* in) {
  const auto found = functions().find(handle);
  if (found == functions().end()) return nullptr;
  *in = modules()[found->second];
  return reinterpret_cast<function_object*>(handle);
}

template <class Object>
Object* find_in(std::unordered_set<Object*>& all, void* handle) {
  auto* const wanted = static_cast<Object*>(handle);
  return all.contains(wanted) ? wanted : nullptr;
}

graph_object* find_graph(cu_graph handle) { return find_in(all_graphs().graphs, handle); }
graph_exec_object* find_exec(cu_graph_exec handle) { return find_in(all_graphs().execs, handle); }

/// The bytes of a launch's arguments, in the order and alignment the kernel reads them. False: they do not fit it.
bool gather_arguments(const kernel_record& record, void** parameters, void** extra, std::vector<char>& into) {
  into.resize(record.argument_bytes);
  if (extra) {
    const void* buffer = nullptr;
    const std::size_t* size = nullptr;
    for (void** at = extra; *at != nullptr; at += 2) {
      if (*at == sinter::runtime::cu_launch_buffer) buffer = at[1];
      else if (*at == sinter::runtime::cu_launch_buffer_size) size = static_cast<const std::size_t*>(at[1]);
      else return false;
    }
    if (!buffer || !size || *size < record.argument_bytes) return record.argument_bytes == 0;
    std::memcpy(into.data(), buffer, record.argument_bytes);
    return true;
  }
  if (!parameters) return record.parameter_count == 0;
  for (unsigned p = 0; p < record.parameter_count; ++p)
    std::memcpy(into.data() + record.parameters[p].offset, parameters[p], record.parameters[p].size);
  return true;
}

constexpr std::size_t shared_unasked = std::size_t{48} << 10, shared_asked = std::size_t{227} << 10;

std::size_t fixed_shared(const module_record& in) { return static_cast<std::size_t>(in.shared_end - in.shared_begin); }

result check_shape(const function_object& of, const module_record& in, const launch_shape& shape) {
  for (int axis = 0; axis < 3; ++axis) {
    const unsigned most_grid = axis == 0 ? 2147483647u : 65535u, most_block = axis == 2 ? 64u : 1024u;
    if (shape.grid[axis] == 0 || shape.grid[axis] > most_grid || shape.block[axis] == 0 ||
        shape.block[axis] > most_block)
      return invalid_value;
  }
  const unsigned threads = shape.block[0] * shape.block[1] * shape.block[2];
  if (threads > 1024) return invalid_value;
  if (threads > of.record->most_threads) return 701;
  if (fixed_shared(in) > shared_unasked) return 701;  // ptxas does not compile that
  return fixed_shared(in) + shape.shared_bytes > std::max(shared_unasked, fixed_shared(in) + of.most_dynamic)
             ? invalid_value
             : 0;
}

}  // namespace

bool is_in_variable(address at, std::size_t size) {
  for (const auto& [handle, module] : modules())
    for (const auto& [name, variable] : module->variables)
      if (const address begin = reinterpret_cast<address>(variable.at);
          at >= begin && at - begin <= variable.bytes && size <= variable.bytes - (at - begin))
        return true;
  return false;
}

extern "C" {

cu_result cuModuleLoadDataEx(cu_module* to, const void* image, unsigned, int*, void**) {
  return enter({"cuModuleLoadDataEx", needs::context, out_of_memory}, [&](call_context c) -> result {
    std::string why;
    const std::shared_ptr<module_object> made = load_module(image, &why);
    if (!made) {
      c.on.report("a module was not loaded: " + why);
      return 200;
    }
    made->owner = &c.in;
    modules()[made.get()] = made;
    ++alive().modules;
    *to = reinterpret_cast<cu_module>(made.get());
    return 0;
  });
}

cu_result cuModuleUnload(cu_module handle) {
  return enter({"cuModuleUnload", needs::context}, [&](call_context) -> result {
    const auto found = find_module(handle);
    if (!found) return invalid_handle;
    for (auto& [name, function] : found->functions) functions().erase(reinterpret_cast<cu_function>(&function));
    modules().erase(found.get());
    --alive().modules;
    return 0;
  });
}

cu_result cuModuleGetFunction(cu_function* to, cu_module handle, const char* name) {
  return enter({"cuModuleGetFunction", needs::context}, [&](call_context) -> result {
    const auto found = find_module(handle);
    if (!found) return invalid_handle;
    const auto function = found->functions.find(name);
    if (function == found->functions.end()) return not_found;
    *to = reinterpret_cast<cu_function>(&function->second);
    functions()[*to] = found.get();
    return 0;
  });
}

cu_result cuModuleGetGlobal_v2(cu_address* memory, std::size_t* size, cu_module handle, const char* name) {
  return enter({"cuModuleGetGlobal_v2", needs::context}, [&](call_context) -> result {
    const auto in = find_module(handle);
    if (!in) return invalid_handle;
    const auto found = in->variables.find(name);
    if (found == in->variables.end()) return not_found;
    *memory = reinterpret_cast<address>(found->second.at);
    *size = found->second.bytes;
    return 0;
  });
}

cu_result cuFuncGetAttribute(int* value, int attribute, cu_function handle) {
  return enter({"cuFuncGetAttribute", needs::context}, [&](call_context) -> result {
    std::shared_ptr<module_object> in;
    const function_object* const function = find_function(handle, &in);
    if (!function) return invalid_handle;
    switch (attribute) {
      case 0: *value = static_cast<int>(function->record->most_threads); return 0;
      case 1: *value = static_cast<int>(fixed_shared(*in->record)); return 0;
      case 2:
      case 3: *value = 0; return 0;   // constant and local bytes
      case 4: *value = 32; return 0;  // registers
      case 5:
      case 6: *value = 90; return 0;  // PTX and binary version
      case 8: *value = static_cast<int>(function->most_dynamic); return 0;
      default: return invalid_value;
    }
  });
}

cu_result cuFuncSetAttribute(cu_function handle, int attribute, int value) {
  return enter({"cuFuncSetAttribute", needs::context}, [&](call_context) -> result {
    std::shared_ptr<module_object> in;
    function_object* const function = find_function(handle, &in);
    if (!function) return invalid_handle;
    if (attribute != 8 || value < 0 || fixed_shared(*in->record) + static_cast<std::size_t>(value) > shared_asked)
      return invalid_value;
    function->most_dynamic = static_cast<std::size_t>(value);
    return 0;
  });
}

// By threads and registers alone: 2048 and 65,536 of a multiprocessor.
cu_result cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, cu_function handle, int threads, std::size_t) {
  return enter({"cuOccupancyMaxActiveBlocksPerMultiprocessor", needs::context}, [&](call_context) -> result {
    std::shared_ptr<module_object> in;
    if (!find_function(handle, &in)) return invalid_handle;
    if (threads < 1 || threads > 1024) return invalid_value;
    *blocks = std::min(2048 / threads, 65536 / (32 * threads));
    return 0;
  });
}

cu_result cuFuncGetParamInfo(cu_function handle, std::size_t index, std::size_t* offset, std::size_t* size) {
  return enter({"cuFuncGetParamInfo", needs::context}, [&](call_context) -> result {
    std::shared_ptr<module_object> in;
    const function_object* const function = find_function(handle, &in);
    if (!function) return invalid_handle;
    if (index >= function->record->parameter_count) return invalid_value;
    *offset = function->record->parameters[index].offset;
    *size = function->record->parameters[index].size;
    return 0;
  });
}

cu_result cuLaunchKernel(cu_function handle, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                         unsigned block_y, unsigned block_z, unsigned shared_bytes, cu_stream to, void** parameters,
                         void** extra) {
  return enter({"cuLaunchKernel", needs::context, illegal_address}, [&](call_context c) -> result {
    stream* const s = c.on.find(c.in, to);
    std::shared_ptr<module_object> in;
    const function_object* const function = find_function(handle, &in);
    if (!s || !function || in->owner != &c.in) return invalid_handle;
    const launch_shape shape{{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes};
    if (const result no = check_shape(*function, *in->record, shape)) return no;
    std::vector<char> arguments;
    if (!gather_arguments(*function->record, parameters, extra, arguments)) return invalid_value;
    return submit(c.on, *s, std::make_shared<kernel_work>(in, *function->record, shape, std::move(arguments)));
  });
}

cu_result cuStreamBeginCapture_v2(cu_stream handle, int mode) {
  return enter({"cuStreamBeginCapture_v2", needs::context}, [&](call_context c) -> result {
    stream* const s = c.on.find(c.in, handle);
    if (!s) return invalid_handle;
    if (mode < 0 || mode > 2) return invalid_value;
    if (s->legacy) return 900;
    if (s->capturing) return 401;
    s->after.clear();
    s->capturing = std::make_shared<capture>(*s);
    return 0;
  });
}

cu_result cuStreamEndCapture(cu_stream handle, cu_graph* to) {
  return enter({"cuStreamEndCapture", needs::context}, [&](call_context c) -> result {
    stream* const s = c.on.find(c.in, handle);
    if (!s) return invalid_handle;
    *to = nullptr;
    if (!s->capturing) return 401;
    const std::shared_ptr<capture> ending = s->capturing;
    if (ending->origin() != s) {
      ending->invalidate();
      return 903;
    }
    auto made = std::make_unique<graph_object>();
    made->in = &c.in;
    if (const result wrong = ending->finish(*made)) return wrong;
    all_graphs().graphs.insert(made.get());
    ++alive().graphs;
    *to = reinterpret_cast<cu_graph>(made.release());
    return 0;
  });
}

cu_result cuGraphInstantiateWithFlags(cu_graph_exec* to, cu_graph handle, unsigned long long) {
  return enter({"cuGraphInstantiateWithFlags", needs::context, out_of_memory}, [&](call_context c) -> result {
    const graph_object* const from = find_graph(handle);
    if (!from) return invalid_value;
    auto* const made = new graph_exec_object;
    instantiate(c.on, *made, *from);
    all_graphs().execs.insert(made);
    ++alive().graph_execs;
    *to = reinterpret_cast<cu_graph_exec>(made);
    return 0;
  });
}

cu_result cuGraphExecUpdate_v2(cu_graph_exec handle, cu_graph from, cu_graph_update* outcome) {
  return enter({"cuGraphExecUpdate_v2", needs::context}, [&](call_context) -> result {
    graph_exec_object* const exec = find_exec(handle);
    const graph_object* const graph = find_graph(from);
    if (!exec || !graph) return invalid_value;
    std::size_t node = 0;
    const int what = update(*exec, *graph, &node);
    *outcome = {what, nullptr, nullptr};
    if (what == 0) return 0;
    // Nodes have no handles here: any address that is not null says which list is meant.
    if (node < exec->nodes.size()) outcome->node = &exec->nodes[node];
    return sinter::runtime::cu_error_graph_exec_update_failure;
  });
}

cu_result cuGraphLaunch(cu_graph_exec handle, cu_stream to) {
  return in_stream({"cuGraphLaunch", needs::context, illegal_address}, to, [&](call_context c, stream& s) -> result {
    graph_exec_object* const exec = find_exec(handle);
    if (!exec) return invalid_value;
    if (!s.capturing) return launch(c.on, *exec, s);
    if (!s.capturing->valid()) return 901;
    s.capturing->add(s, exec->nodes);
    return 0;
  });
}

cu_result cuGraphExecDestroy(cu_graph_exec handle) {
  return enter({"cuGraphExecDestroy", needs::context}, [&](call_context c) -> result {
    graph_exec_object* const exec = find_exec(handle);
    if (!exec) return invalid_value;
    for (lane* l : exec->lanes)
      if (l) c.on.close_lane(l);
    all_graphs().execs.erase(exec);
    --alive().graph_execs;
    delete exec;
    return 0;
  });
}

cu_result cuGraphDestroy(cu_graph handle) {
  return enter({"cuGraphDestroy", needs::context}, [&](call_context) -> result {
    graph_object* const graph = find_graph(handle);
    if (!graph) return invalid_value;
    all_graphs().graphs.erase(graph);
    --alive().graphs;
    delete graph;
    return 0;
  });
}

}  // extern "C"

}  // namespace softgpu
