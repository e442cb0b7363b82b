// Compiling, loading and finding what is in modules of the program's own: program_modules.hpp.
#include "runtime/launch/program_modules.hpp"

#include <algorithm>
#include <unordered_map>

#include <sinter/error.hpp>

#include "codegen/cache/images.hpp"
#include "runtime/counters.hpp"
#include "runtime/device/process.hpp"
#include "runtime/log.hpp"
#include "runtime/stream/table.hpp"

namespace sinter::runtime {
namespace {

/// A name that the image has as it is only where it was compiled with the text.
bool needs_compiling(const std::string& name) { return name.find_first_of("<:") != std::string::npos; }

struct made_module {
  std::mutex making;
  std::unique_ptr<module_on_device> module;
};

struct loaded_modules {
  std::mutex looking;
  std::unordered_map<std::string, made_module> all;  // by content and device; its values stay where they are
};

made_module& entry_of(const std::string& content) {
  static loaded_modules& loaded =
      *new loaded_modules;  // never freed: kernels may be launched in destructors of statics
  const std::lock_guard hold(loaded.looking);
  return loaded.all[content];
}

void append(std::string& to, const std::string& text) { to += std::to_string(text.size()) + " " + text + "\n"; }

}  // namespace

std::string module_state::content() const {
  if (!image_.empty()) return {reinterpret_cast<const char*>(image_.data()), image_.size()};
  std::string all;
  append(all, text_.source);
  for (const auto* list : {&text_.options, &text_.names}) {
    all += std::to_string(list->size()) + " of\n";
    for (const std::string& one : *list) append(all, one);
  }
  for (const codegen::text_header& header : text_.headers) {
    append(all, header.name);
    append(all, header.text);
  }
  return all;
}

void module_state::add_name(const std::string& name) {
  if (!image_.empty()) return;
  const std::lock_guard hold(making_);
  std::vector<std::string>& names = text_.names;
  const auto place = std::lower_bound(names.begin(), names.end(), name);
  if (place != names.end() && *place == name) return;
  if (!made_) {
    names.insert(place, name);
    return;
  }
  if (needs_compiling(name))
    throw error(("sinter: \"" + name +
                 "\" was not compiled with its module: ask for it before the first call, or list it in .names")
                    .c_str());
}

module_on_device& module_state::on(device_impl& device) {
  std::atomic<module_on_device*>& mine = made_on_[device.index];
  if (module_on_device* m = mine.load(std::memory_order_acquire)) return *m;
  if (device.dialect() != codegen::dialect::cuda)
    throw device_error(("sinter: a kernel of CUDA text cannot run on the device " + to_text(device.id) +
                        "; it needs arrays on a GPU, or a GPU as the current device")
                           .c_str());
  const std::lock_guard hold(making_);
  if (module_on_device* m = mine.load(std::memory_order_relaxed)) return *m;
  made_module& entry = entry_of(to_text(device.id) + "\n" + content());
  const std::lock_guard alone(entry.making);
  if (!entry.module) entry.module = make(device);
  made_ = true;
  mine.store(entry.module.get(), std::memory_order_release);
  return *entry.module;
}

std::unique_ptr<module_on_device> module_state::make(device_impl& device) {
  const stopwatch watch;
  codegen::image_origin from = codegen::image_origin::memory;
  std::vector<std::string> lowered;
  std::shared_ptr<const codegen::bytes> made;
  if (image_.empty()) {
    made = codegen::image_for(text_, device.capability(), &from);
    lowered = codegen::lowered_names(*made);
    bump(from == codegen::image_origin::disk ? counter::disk_hits : counter::compiles);
  }
  const codegen::bytes& image = made ? *made : image_;
  auto code = device.load_module(image.data(), image.size());
  std::unique_ptr<module_on_device> result(new module_on_device{
      device, std::move(code), {}, {}, storage_holder(make_storage(0, device.streams().default_stream()))});
  for (std::size_t i = 0; i < lowered.size(); ++i) result->lowered[text_.names[i]] = lowered[i];
  result->kernels_there = made ? codegen::kernels_in_text(text_) : codegen::kernels_in_image(image_);
  log(1, "%s a module of %zu bytes in %.1f ms",
      from == codegen::image_origin::disk       ? "read"
      : from == codegen::image_origin::compiled ? "compiled"
                                                : "loaded",
      image.size(), watch.milliseconds());
  return result;
}

kernel_on_device& kernel_state::on(device_impl& device) {
  std::atomic<kernel_on_device*>& mine = found_on_[device.index];
  if (kernel_on_device* k = mine.load(std::memory_order_acquire)) return *k;
  module_on_device& m = in_.on(device);
  const std::lock_guard hold(m.finding);
  std::unique_ptr<kernel_on_device>& place = m.kernels[name];
  if (!place) {
    void* const entry = m.code->find_kernel(m.name_in_image(name).c_str());
    if (!entry)
      throw error(("sinter: the module has no kernel \"" + name + "\"; " +
                   (m.kernels_there.empty() ? "there is none in it" : "it has " + m.kernels_there))
                      .c_str());
    place.reset(new kernel_on_device{name, m, entry, m.code->facts_of(entry)});
  }
  mine.store(place.get(), std::memory_order_release);
  return *place;
}

}  // namespace sinter::runtime
