// Modules and the kernels in them: a shared object in memory, opened with the dynamic linker, and a launch as a piece of
// work of a stream.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "machine.hpp"
#include "module.hpp"
#include "work.hpp"

namespace softgpu {

struct module_object;

struct function_object {
  module_object* in = nullptr;
  const kernel_record* record = nullptr;
  std::size_t most_dynamic = 0;  // bytes of shared memory that were asked for; 0: what there is without asking
};

struct module_object {
  ~module_object();
  context* owner = nullptr;
  void* library = nullptr;
  const module_record* record = nullptr;
  std::map<std::string, function_object> functions;
  std::map<std::string, variable_record> variables;
  address image_begin = 0, image_end = 0;  // where it is mapped: its variables are the kernel's own business
};

/// Null, and why: the image is not one of ours or cannot be opened.
std::shared_ptr<module_object> load_module(const void* image, std::string* why);

/// Does a range lie in a variable of a loaded module? The check of accesses does not watch those.
bool is_in_variable(address at, std::size_t size);

struct launch_shape {
  unsigned grid[3], block[3], shared_bytes;
};

class kernel_work final : public work {
 public:
  kernel_work(std::shared_ptr<module_object> module, const kernel_record&, const launch_shape&,
              std::vector<char> arguments);
  result run(execution&) override;
  bool replaceable_by(const work& other) const override;

 private:
  friend class kernel_run;

  const std::shared_ptr<module_object> module_;
  const kernel_record& record_;
  const launch_shape shape_;
  const std::vector<char> arguments_;
};

}  // namespace softgpu
