// The public classes of sinter/kernel.hpp: launches with arguments of the program's, and variables of modules.
#include <sinter/kernel.hpp>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include <sinter/error.hpp>

#include "runtime/counters.hpp"
#include "runtime/frontend/files.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/nodes.hpp"
#include "runtime/launch/program_modules.hpp"
#include "runtime/log.hpp"
#include "runtime/memory/transfer.hpp"
#include "runtime/report/recording.hpp"
#include "runtime/statement.hpp"
#include "runtime/stream/current.hpp"
#include "runtime/stream/operation.hpp"

namespace sinter {
namespace {

using detail::array_node;
using detail::kernel_argument;
using detail::message;
using runtime::as_array_node;
using runtime::device_impl;
using runtime::kernel_on_device;
using runtime::module_on_device;
using runtime::module_state;

std::string string_of(const detail::given_text& text) { return {text.data(), text.size()}; }

codegen::module_text text_of(const detail::given_text& source, const module_options& how) {
  codegen::module_text text;
  text.source = string_of(source);
  for (const detail::given_text& option : how.options) text.options.push_back(string_of(option));
  for (const module_header& header : how.headers)
    text.headers.push_back({string_of(header.name), string_of(header.text)});
  for (const detail::given_text& name : how.names) text.names.push_back(string_of(name));
  std::sort(text.names.begin(), text.names.end());
  text.names.erase(std::unique(text.names.begin(), text.names.end()), text.names.end());
  return text;
}

void let_go(module_state* m) noexcept {
  if (m && m->drop()) delete m;
}
void let_go(runtime::kernel_state* k) noexcept {
  if (k && k->drop()) delete k;
}

// ---- launching

/// The arrays among the arguments: in their places, and ready to be used.
struct arguments {
  const kernel_argument* list;
  std::size_t count;
  std::vector<const array_node*> arrays;  // of each argument; null: a value

  arguments(const kernel_argument* given, std::size_t how_many) : list(given), count(how_many), arrays(how_many) {
    for (std::size_t i = 0; i < count; ++i) {
      if (list[i].what == kernel_argument::read) arrays[i] = as_array_node(list[i].array);
      if (list[i].what == kernel_argument::written) arrays[i] = as_array_node(list[i].target->get());
    }
  }

  /// The device that all arrays are on.
  device_impl& device(const detail::where& place) const {
    device_impl* on = nullptr;
    for (const array_node* a : arrays) {
      if (!a) continue;
      if (on && on != a->memory->device)
        throw device_error(
            message("sinter: the arrays of a kernel live on %s and %s; copy one of them with to(device)%s",
                    runtime::to_text(on->id).c_str(), runtime::to_text(a->memory->device->id).c_str(),
                    detail::at(place).c_str())
                .c_str());
      on = a->memory->device;
    }
    return on ? *on : runtime::current_device();
  }

  /// What is written gets elements of its own, which a reader of the same array then sees, too.
  void own_what_is_written() {
    for (std::size_t i = 0; i < count; ++i) {
      if (list[i].what != kernel_argument::written) continue;
      const array_node* const before = arrays[i];
      const array_node* const now = runtime::own_elements(*list[i].target, "a kernel that writes into");
      std::replace(arrays.begin(), arrays.end(), before, now);
    }
  }
};

/// The arguments one after the other, each at its alignment, as a kernel takes them.
class argument_block {
 public:
  explicit argument_block(const arguments& from) {
    for (std::size_t i = 0; i < from.count; ++i) {
      if (const array_node* a = from.arrays[i]) {
        const std::byte* const data = a->memory->data ? a->data() : nullptr;
        put(&data, sizeof data, alignof(void*));
      } else {
        put(from.list[i].bytes, from.list[i].size, from.list[i].alignment);
      }
    }
  }
  const void* data() const { return bytes_; }
  std::size_t size() const { return size_; }
  const std::vector<runtime::kernel_facts::parameter>& places() const { return places_; }

 private:
  void put(const void* from, std::size_t size, std::size_t alignment) {
    size_ = (size_ + alignment - 1) / alignment * alignment;
    if (size > sizeof bytes_ - std::min(size_, sizeof bytes_))
      throw dtype_error("sinter: the arguments of a kernel have more than 32764 bytes");
    std::memcpy(bytes_ + size_, from, size);
    places_.push_back({size_, size});
    size_ += size;
  }

  alignas(64) std::byte bytes_[32764];
  std::size_t size_ = 0;
  std::vector<runtime::kernel_facts::parameter> places_;
};

std::string sizes(const std::vector<runtime::kernel_facts::parameter>& of) {
  std::string all = std::to_string(of.size()) + (of.size() == 1 ? " argument" : " arguments");
  for (std::size_t i = 0; i < of.size(); ++i) all += (i == 0 ? " of " : ", ") + std::to_string(of[i].size);
  return all + (of.empty() ? "" : " bytes");
}

void check_arguments(const kernel_on_device& k, const argument_block& given, const detail::where& place) {
  const auto& takes = k.facts.parameters;
  const auto same = [](const auto& a, const auto& b) { return a.offset == b.offset && a.size == b.size; };
  if (!k.facts.parameters_known ||
      std::equal(takes.begin(), takes.end(), given.places().begin(), given.places().end(), same))
    return;
  throw dtype_error(message("sinter: the kernel \"%s\" takes %s, and was given %s%s", k.name.c_str(),
                            sizes(takes).c_str(), sizes(given.places()).c_str(), detail::at(place).c_str())
                        .c_str());
}

std::string numbers(const launch_extent& e) {
  return std::to_string(e[0]) + "x" + std::to_string(e[1]) + "x" + std::to_string(e[2]);
}

[[noreturn]] void throw_too_much(const kernel_on_device& k, const std::string& what, const std::string& most,
                                 const detail::where& place) {
  throw device_error(message("sinter: %s for the kernel \"%s\" on %s; there may be %s%s", what.c_str(), k.name.c_str(),
                             runtime::to_text(k.in.device.id).c_str(), most.c_str(), detail::at(place).c_str())
                         .c_str());
}

void check_shape(const kernel_on_device& k, const launch_shape& how, const detail::where& place) {
  constexpr std::int64_t most_blocks[] = {2147483647, 65535, 65535}, most_threads[] = {1024, 1024, 64};
  std::int64_t threads = 1;
  for (int axis = 0; axis < 3; ++axis) {
    if (how.grid[axis] < 0 || how.grid[axis] > most_blocks[axis])
      throw_too_much(k, "a grid of " + numbers(how.grid) + " blocks", "0 to 2147483647 x 65535 x 65535", place);
    if (how.block[axis] < 1 || how.block[axis] > most_threads[axis])
      throw_too_much(k, "a block of " + numbers(how.block) + " threads", "1 to 1024 x 1024 x 64", place);
    threads *= how.block[axis];
  }
  const kernel_attributes& may = k.facts.attributes;
  if (threads > may.max_threads)
    throw_too_much(
        k, "a block of " + numbers(how.block) + " = " + std::to_string(threads) + " threads",
        std::to_string(may.max_threads) + " at most: it takes " + std::to_string(may.registers) + " registers a thread",
        place);
  if (how.shared_bytes > may.max_dynamic_shared_bytes)
    throw_too_much(
        k, std::to_string(how.shared_bytes) + " bytes of dynamic shared memory",
        std::to_string(may.max_dynamic_shared_bytes) + " at most, beside its own " + std::to_string(may.shared_bytes),
        place);
}

/// Beyond 48 KiB the driver wants to be asked, once for each kernel.
void allow_shared(kernel_on_device& k, std::size_t bytes) {
  if (bytes + k.facts.attributes.shared_bytes <= k.shared_allowed.load(std::memory_order_acquire)) return;
  const std::lock_guard hold(k.allowing);
  if (bytes + k.facts.attributes.shared_bytes <= k.shared_allowed.load(std::memory_order_relaxed)) return;
  k.in.code->allow_shared(k.entry, bytes);
  k.shared_allowed.store(bytes + k.facts.attributes.shared_bytes, std::memory_order_release);
}

runtime::geometry geometry_of(const launch_shape& how) {
  runtime::geometry g;
  for (int axis = 0; axis < 3; ++axis) {
    g.grid[axis] = static_cast<unsigned>(how.grid[axis]);
    g.block[axis] = static_cast<unsigned>(how.block[axis]);
  }
  g.shared_bytes = static_cast<unsigned>(how.shared_bytes);
  return g;
}

void enqueue(kernel_on_device& k, const launch_shape& how, const arguments& given, const argument_block& block,
             runtime::stream_state& on) {
  detail::storage* const variables = k.in.variables.get();
  const auto each = [&](auto&& reads, auto&& writes) {
    for (std::size_t i = 0; i < given.count; ++i) {
      if (!given.arrays[i]) continue;
      given.list[i].what == kernel_argument::written ? writes(given.arrays[i]->memory) : reads(given.arrays[i]->memory);
    }
    reads(variables);
  };
  runtime::operation op(on);
  each([&](detail::storage* m) { op.reads(m); }, [&](detail::storage* m) { op.writes(m); });
  k.in.device.launch({k.entry, nullptr}, geometry_of(how), block.data(), block.size(), on);
  op.done();
  each([&](detail::storage* m) { op.has_read(m); }, [&](detail::storage* m) { op.has_written(m); });
}

// ---- variables

struct variable {
  module_on_device& in;
  std::byte* at;
  std::size_t size;
};

variable find_variable(module_state& m, const char* name) {
  module_on_device& in = m.on(runtime::current_device());
  std::size_t size = 0;
  std::byte* at = in.code->find_variable(in.name_in_image("&" + std::string(name)).c_str(), size);
  if (!at) at = in.code->find_variable(name, size);
  if (!at) throw error(message("sinter: the module has no variable \"%s\"", name).c_str());
  return {in, at, size};
}

void check_size(const variable& v, const char* name, std::size_t size) {
  if (size != v.size)
    throw shape_error(message("sinter: %zu bytes for the variable \"%s\", which has %zu", size, name, v.size).c_str());
}

/// A copy from or to a variable, which comes after and before the kernels of its module.
void copy(const variable& v, detail::storage& memory, std::byte* at, bool to_variable) {
  runtime::stream_state& on = runtime::current_stream(v.in.device);
  runtime::operation op(on);
  op.writes(v.in.variables.get());
  to_variable ? op.reads(&memory) : op.writes(&memory);
  v.in.device.copy(to_variable ? v.at : at, to_variable ? at : v.at, v.size, on);
  op.done();
  op.has_written(v.in.variables.get());
  to_variable ? op.has_read(&memory) : op.has_written(&memory);
}

}  // namespace

// ---- modules

raw_module::raw_module(const detail::given_text& source, const module_options& how) try
    : state_(new module_state(text_of(source, how))) {
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}
raw_module::raw_module(const raw_module& other) noexcept : state_(other.state_) { state_->retain(); }
raw_module& raw_module::operator=(const raw_module& other) noexcept {
  other.state_->retain();
  let_go(std::exchange(state_, other.state_));
  return *this;
}
raw_module::~raw_module() { let_go(state_); }

raw_module raw_module::from_image(const void* image, std::size_t size) try {
  const auto* const from = static_cast<const std::byte*>(image);
  codegen::bytes copy(from, from + size);
  copy.push_back(std::byte{0});  // the driver reads PTX as a C string
  return raw_module(new module_state(std::move(copy)));
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

raw_module raw_module::load(const detail::given_text& path) try {
  const std::string image = detail::read_whole("raw_module::load", path.data());
  return from_image(image.data(), image.size());
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

raw_kernel raw_module::kernel(const detail::given_text& name) const try {
  state_->add_name(string_of(name));
  return raw_kernel(new runtime::kernel_state(*state_, string_of(name)));
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

void raw_module::add_variable(const detail::given_text& name) const try {
  state_->add_name("&" + string_of(name));
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

void raw_module::compile() const try { state_->on(runtime::current_device()); } catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

// ---- kernels

raw_kernel::raw_kernel(const detail::given_text& source, const detail::given_text& name, const module_options& how)
    : raw_kernel(raw_module(source, how).kernel(name)) {}
raw_kernel::raw_kernel(const raw_kernel& other) noexcept : state_(other.state_) { state_->retain(); }
raw_kernel& raw_kernel::operator=(const raw_kernel& other) noexcept {
  other.state_->retain();
  let_go(std::exchange(state_, other.state_));
  return *this;
}
raw_kernel::~raw_kernel() { let_go(state_); }

kernel_attributes raw_kernel::attributes() const try {
  return state_->on(runtime::current_device()).facts.attributes;
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

void raw_kernel::compile() const try { state_->on(runtime::current_device()); } catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

void raw_kernel::launch(const launch_shape& how, std::initializer_list<detail::kernel_argument> list) const try {
  const detail::where& place = how.grid.at();
  const runtime::statement here(place);
  arguments given(list.begin(), list.size());
  device_impl& device = given.device(place);
  kernel_on_device& k = state_->on(device);
  check_shape(k, how, place);
  if (how.grid[0] == 0 || how.grid[1] == 0 || how.grid[2] == 0) return;
  given.own_what_is_written();
  const argument_block block(given);
  check_arguments(k, block, place);
  allow_shared(k, how.shared_bytes);
  if (runtime::log_level() >= 2) [[unlikely]]
    runtime::log(2, "launch: %s, grid %s, block %s", k.name.c_str(), numbers(how.grid).c_str(),
                 numbers(how.block).c_str());
  runtime::stream_state& on = runtime::current_stream(device);
  runtime::noted(runtime::other_work::program_kernel, k.name.c_str(), 0, on,
                 [&] { enqueue(k, how, given, block, on); });
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

// ---- variables

namespace detail {

void* address_of_variable(module_state& m, const char* name, std::size_t* size) try {
  const variable v = find_variable(m, name);
  if (size) *size = v.size;
  else runtime::lend(*v.in.variables.get(), runtime::current_stream(v.in.device), true);
  return v.at;
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

void write_variable(module_state& m, const char* name, node* from) try {
  const variable v = find_variable(m, name);
  const array_node* const a = as_array_node(from);
  check_size(v, name, runtime::byte_size(*a));
  const handle packed(a->contiguous && a->memory->device == &v.in.device
                          ? retain(from)
                          : make_copy(handle(make_copy_on(from, v.in.device.id)).get()));
  array_node* const elements = as_array_node(packed.get());
  copy(v, *elements->memory, elements->data(), true);
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

void write_variable(module_state& m, const char* name, const void* from, std::size_t size) try {
  const variable v = find_variable(m, name);
  check_size(v, name, size);
  const runtime::storage_holder between(runtime::make_storage(size, runtime::current_stream(v.in.device)));
  runtime::copy_in(*between.get(), between.get()->data, from, size, {});
  copy(v, *between.get(), between.get()->data, true);
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

void read_variable(module_state& m, const char* name, void* to, std::size_t size) try {
  const variable v = find_variable(m, name);
  check_size(v, name, size);
  const runtime::storage_holder between(runtime::make_storage(size, runtime::current_stream(v.in.device)));
  copy(v, *between.get(), between.get()->data, false);
  runtime::copy_out(to, *between.get(), between.get()->data, size, {}, {});
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

node* copy_variable(module_state& m, const char* name, dtype type) try {
  const variable v = find_variable(m, name);
  const auto item = static_cast<std::size_t>(itemsize(type));
  if (v.size % item != 0)
    throw shape_error(
        message("sinter: the variable \"%s\" has %zu bytes, which are no whole number of %zu", name, v.size, item)
            .c_str());
  array_node* const to =
      runtime::new_array(type, shape{static_cast<std::int64_t>(v.size / item)}, runtime::current_stream(v.in.device));
  const handle guard(to);
  copy(v, *to->memory, to->data(), false);
  return retain(to);
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

}  // namespace detail
}  // namespace sinter
