// Modules of the program's own: what was given, and what has been made of it on each device. Modules of the same content are
// one, and stay: a kernel may be launched again, or be in a graph.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "codegen/compile/module.hpp"
#include "runtime/device/module.hpp"
#include "runtime/memory/storage.hpp"

namespace sinter::runtime {

struct module_on_device;

struct kernel_on_device {
  std::string name;
  module_on_device& in;
  void* entry;
  kernel_facts facts;
  std::mutex allowing = {};
  std::atomic<std::size_t> shared_allowed{48 << 10};  // dynamic bytes that a launch may ask for so far
};

struct module_on_device {
  device_impl& device;
  std::unique_ptr<program_module> code;
  std::map<std::string, std::string> lowered;  // names in the image, by those asked for
  std::string kernels_there;                   // for messages
  /// Stands for the variables where streams are ordered: kernels read it, who sets or gets a variable writes it.
  storage_holder variables;
  std::mutex finding = {};
  std::map<std::string, std::unique_ptr<kernel_on_device>> kernels = {};

  std::string name_in_image(const std::string& asked) const {
    const auto found = lowered.find(asked);
    return found == lowered.end() ? asked : found->second;
  }
};

/// What objects of a class share.
class counted {
 public:
  void retain() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  bool drop() noexcept { return references_.fetch_sub(1, std::memory_order_acq_rel) == 1; }

 private:
  std::atomic<int> references_{1};
};

class module_state : public counted {
 public:
  explicit module_state(codegen::module_text text) : text_(std::move(text)) {}
  explicit module_state(codegen::bytes image) : image_(std::move(image)) {}

  /// Has a name compiled with the text. Errors: `error` where that is too late.
  void add_name(const std::string& name);
  /// Compiles and loads it where that has not been done. Errors: `device_error`, also where the device runs no CUDA text;
  /// `compile_error`; `error` for a name that is not there.
  module_on_device& on(device_impl&);

 private:
  std::unique_ptr<module_on_device> make(device_impl&);
  std::string content() const;

  codegen::module_text text_;
  codegen::bytes image_;  // empty: there is a text
  std::mutex making_;
  bool made_ = false;  // names can no longer be added
  std::atomic<module_on_device*> made_on_[most_devices] = {};
};

class kernel_state : public counted {
 public:
  kernel_state(module_state& in, std::string asked) : name(std::move(asked)), in_(in) { in.retain(); }
  ~kernel_state() {
    if (in_.drop()) delete &in_;
  }
  const std::string name;
  /// Errors: as module_state::on's; `error` where there is no such kernel, saying which there are.
  kernel_on_device& on(device_impl&);

 private:
  module_state& in_;
  std::atomic<kernel_on_device*> found_on_[most_devices] = {};
};

}  // namespace sinter::runtime
