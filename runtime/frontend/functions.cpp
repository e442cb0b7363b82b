// Calls of functions and reductions that a program gives as text: sinter/elementwise_kernel.hpp. A call is one launch over arrays that are
// contiguous or have one element; others are copied first.
#include <sinter/elementwise_kernel.hpp>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include <sinter/error.hpp>

#include "codegen/function/text.hpp"
#include "codegen/ir/broadcast.hpp"
#include "runtime/counters.hpp"
#include "runtime/device/device.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/nodes.hpp"
#include "runtime/launch/modules.hpp"
#include "runtime/launch/program_modules.hpp"
#include "runtime/statement.hpp"
#include "runtime/stream/current.hpp"
#include "runtime/stream/operation.hpp"

namespace sinter::runtime {

class function_state : public counted {
 public:
  function_state(codegen::function_text of, detail::scalar_bits start) : text(std::move(of)), identity(start) {}
  const codegen::function_text text;
  const detail::scalar_bits identity;  // of a reduction

  /// The kernel for a call in which some parameters are numbers. Errors: as compiling's.
  loaded_kernel on(device_impl& device, const std::vector<codegen::function_parameter>& as);

 private:
  struct made {
    const device_impl* device;
    std::vector<codegen::function_parameter> as;
    loaded_kernel code;
  };
  std::mutex making_;
  std::vector<made> kernels_;
};

loaded_kernel function_state::on(device_impl& device, const std::vector<codegen::function_parameter>& as) {
  const auto same = [](const auto& a, const auto& b) { return a.what == b.what; };
  const std::lock_guard hold(making_);
  for (const made& k : kernels_)
    if (k.device == &device && std::equal(as.begin(), as.end(), k.as.begin(), same)) return k.code;
  const codegen::compiler* const with = device.compiler();
  if (!with)
    throw device_error(("sinter: the kernel \"" + text.name + "\" is text, and the device " + to_text(device.id) +
                        " has no compiler for it")
                           .c_str());
  codegen::function_text called = text;
  called.parameters = as;
  codegen::image_origin from{};
  const loaded_kernel code =
      kernel_of(codegen::function_kernel_text(called, device.dialect()), {}, {}, *with, device, from);
  if (from != codegen::image_origin::memory)
    bump(from == codegen::image_origin::disk ? counter::disk_hits : counter::compiles);
  kernels_.push_back({&device, as, code});
  return code;
}

}  // namespace sinter::runtime

namespace sinter::detail {
namespace {

using codegen::function_parameter;
using runtime::as_array_node;
using runtime::device_impl;
using runtime::function_state;

std::vector<std::string> split(const given_text& list) {
  std::vector<std::string> names(1);
  for (const char* at = list.data(); *at; ++at) {
    if (*at == ',') names.emplace_back();
    else if (*at != ' ' && *at != '\n') names.back() += *at;
  }
  if (names.size() == 1 && names[0].empty()) names.clear();
  return names;
}

/// The arguments of a call, as its kernel takes them.
class call_of {
 public:
  call_of(const function_state& f, const function_argument* given) : parameters(f.text.parameters) {
    bool has_shape = false;
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      const array_node* const a = given[p].array ? as_array_node(given[p].array) : nullptr;
      if (!a) {
        parameters[p].what = function_parameter::value;
        continue;
      }
      if (device && device != a->memory->device)
        throw device_error(message("sinter: the operands live on %s and %s; copy one of them with to(device)",
                                   runtime::to_text(device->id).c_str(),
                                   runtime::to_text(a->memory->device->id).c_str())
                               .c_str());
      device = a->memory->device;
      if (parameters[p].what == function_parameter::raw) continue;
      if (has_shape && !codegen::broadcast(extents, a->extents))
        throw shape_error(message("sinter: shapes %s and %s do not broadcast in the kernel \"%s\"",
                                  to_string(extents).c_str(), to_string(a->extents).c_str(), f.text.name.c_str())
                              .c_str());
      if (!has_shape) extents = a->extents;
      has_shape = true;
    }
    if (!has_shape)
      throw shape_error(message("sinter: no argument gives the kernel \"%s\" a shape; broadcast one of them to it",
                                f.text.name.c_str())
                            .c_str());
  }

  /// Operands that the kernel can read as they lie, and the argument block.
  void pack(const function_state& f, const function_argument* given, const array_node& out, std::uint32_t reduced) {
    put(out.memory->data);
    put(out.extents.elements());
    if (!f.text.combine.empty()) {
      put(extents.elements() / out.extents.elements());
      put_value(f.identity, static_cast<std::size_t>(itemsize(f.text.result)));
    }
    std::int64_t order[max_rank];  // what is folded comes last
    int rank = 0;
    for (const bool last : {false, true})
      for (int d = 0; d < extents.size(); ++d)
        if ((reduced >> d & 1) == last) order[rank++] = d;
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      if (parameters[p].what == function_parameter::value) {
        put_value(given[p].scalar, static_cast<std::size_t>(itemsize(parameters[p].type)));
        continue;
      }
      const bool raw = parameters[p].what == function_parameter::raw;
      const bool one = !raw && as_array_node(given[p].array)->extents.elements() == 1;
      handle seen(retain(given[p].array));
      if (!raw && !one) {
        seen = handle(make_broadcast(seen.get(), extents));
        if (reduced) seen = handle(make_transpose(seen.get(), order, rank));
      }
      operands.emplace_back(one || as_array_node(seen.get())->contiguous ? seen.take() : make_copy(seen.get()));
      const array_node* const a = as_array_node(operands.back().get());
      put(a->memory->data ? a->data() : nullptr);
      if (!raw) put(std::int64_t{one ? 0 : 1});
    }
  }

  std::vector<function_parameter> parameters;
  device_impl* device = nullptr;
  shape extents;
  std::vector<handle> operands;
  std::vector<std::byte> block;

 private:
  void align(std::size_t to) { block.resize((block.size() + to - 1) / to * to); }
  template <class T>
  void put(T value) {
    align(sizeof value);
    const auto* const from = reinterpret_cast<const std::byte*>(&value);
    block.insert(block.end(), from, from + sizeof value);
  }
  void put_value(const scalar_bits& bits, std::size_t size) {  // little-endian, as everywhere
    align(size);
    const auto* const from = reinterpret_cast<const std::byte*>(&bits);
    block.insert(block.end(), from, from + size);
  }
};

/// `folded`: into each of `count` results; 0: it is no reduction.
runtime::geometry geometry_of(std::int64_t count, std::int64_t folded) {
  constexpr std::int64_t threads = 256, most_blocks = 2147483647;
  runtime::geometry g;
  g.block[0] = threads;
  g.grid[0] = static_cast<unsigned>(std::min(folded ? count : (count + threads - 1) / threads, most_blocks));
  g.items = count;
  g.work_per_item = 2 * static_cast<double>(std::max<std::int64_t>(folded, 1));
  return g;
}

}  // namespace

function_state* make_function(const given_text& parameters, const given_text& body, const given_text& name,
                              dtype result, const parameter_type* types, int count, const folding_text* folding) try {
  codegen::function_text text;
  text.name = name.data();
  text.body = body.data();
  text.result = result;
  const std::vector<std::string> names = split(parameters);
  if (names.size() != static_cast<std::size_t>(count))
    throw error(message("sinter: the signature of the kernel \"%s\" has %d parameters, and \"%s\" names %zu",
                        name.data(), count, parameters.data(), names.size())
                    .c_str());
  for (std::size_t p = 0; p < names.size(); ++p)
    text.parameters.push_back(
        {names[p], types[p].type, types[p].is_raw ? function_parameter::raw : function_parameter::element});
  if (folding) {
    text.combine = folding->combine.data();
    text.finish = folding->finish.data();
  }
  return new function_state(std::move(text), folding ? folding->identity : scalar_bits{});
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

function_state* retain(function_state* f) noexcept {
  f->retain();
  return f;
}
void release(function_state* f) noexcept {
  if (f && f->drop()) delete f;
}

node* call_function(function_state& f, const function_argument* given, const reduce_options& how,
                    const where& place) try {
  const runtime::statement here(place);
  call_of call(f, given);
  device_impl& device = call.device ? *call.device : runtime::current_device();
  runtime::stream_state& on = runtime::current_stream(device);
  const runtime::loaded_kernel kernel = f.on(device, call.parameters);
  const bool folds = !f.text.combine.empty();
  const std::uint32_t reduced = folds ? axis_mask(how.axis.list(), call.extents) : 0;
  const handle result(
      runtime::new_array(f.text.result, reduced_shape(call.extents, reduced, folds && how.keepdims), on));
  array_node* const out = as_array_node(result.get());
  const std::int64_t count = out->extents.elements();
  if (count == 0) return retain(out);
  call.pack(f, given, *out, reduced);
  runtime::operation op(on);
  op.writes(out->memory);
  for (const handle& operand : call.operands) op.reads(as_array_node(operand.get())->memory);
  device.launch(kernel, geometry_of(count, folds ? std::max<std::int64_t>(call.extents.elements() / count, 1) : 0),
                call.block.data(), call.block.size(), on);
  op.done();
  for (const handle& operand : call.operands) op.has_read(as_array_node(operand.get())->memory);
  op.has_written(out->memory);
  return retain(out);
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

}  // namespace sinter::detail
