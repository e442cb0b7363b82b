// The table of loaded kernels. It is asked where a plan meets a variant for the first time, never in an evaluation that has
// run before, so it takes locks. Kernels stay for the life of the process, as the modules they lie in do.
#include "runtime/launch/modules.hpp"

#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/counters.hpp"
#include "runtime/launch/form_kernels.hpp"

namespace sinter::runtime {

namespace {

/// Everything made from one text: images, one for each compiler, and kernels, one for each device.
struct made_from_text {
  std::mutex making;
  std::vector<std::pair<const std::string*, std::shared_ptr<const codegen::bytes>>> images;  // by identity
  std::vector<std::pair<const device_impl*, loaded_kernel>> kernels;
};

struct table {
  std::mutex looking;
  std::unordered_map<std::string, made_from_text> texts;  // its values stay where they are
};

made_from_text& entry_of(const std::string& text) {
  static table& all = *new table;  // never freed: evaluations may happen in destructors of statics
  const std::lock_guard lock(all.looking);
  return all.texts[text];
}

std::shared_ptr<const codegen::bytes> image_of(made_from_text& made, const std::string& text,
                                               const codegen::compiler& with, codegen::image_origin& from) {
  from = codegen::image_origin::memory;
  for (const auto& [identity, image] : made.images)
    if (*identity == with.identity()) return image;
  auto image = codegen::image_for(with, text, &from);
  made.images.emplace_back(&with.identity(), image);  // a device keeps its compiler for good
  return image;
}

}  // namespace

loaded_kernel kernel_of(const std::string& text, const codegen::kernel& source, const codegen::variant& of,
                        const codegen::compiler& with, device_impl& on, codegen::image_origin& from) {
  made_from_text& made = entry_of(text);
  const std::lock_guard lock(made.making);
  from = codegen::image_origin::memory;
  for (const auto& [device, kernel] : made.kernels)
    if (device == &on) return kernel;
  made.kernels.reserve(made.kernels.size() + 1);  // what is loaded is not loaded again for want of memory
  const auto image = image_of(made, text, with, from);
  const loaded_kernel kernel = on.load(image.get(), source, of);
  made.kernels.emplace_back(&on, kernel);
  return kernel;
}

loaded_kernel kernel_of_text(const std::string& text, device_impl& on) {
  codegen::image_origin from{};
  const loaded_kernel code = kernel_of(text, {}, {}, *on.compiler(), on, from);
  if (from != codegen::image_origin::memory)
    bump(from == codegen::image_origin::disk ? counter::disk_hits : counter::compiles);
  return code;
}

}  // namespace sinter::runtime
