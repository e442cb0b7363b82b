// From kernel text to the image a device loads: the disk first, the compiler second.
#pragma once

#include <memory>
#include <string_view>

#include "codegen/cache/disk.hpp"
#include "codegen/compile/compiler.hpp"
#include "codegen/compile/module.hpp"

namespace sinter::codegen {

enum class image_origin { memory, disk, compiled };

/// The image of `source`, from the process's disk cache or compiled and then kept there. `from`, where given, is told
/// which. With SINTER_DUMP=folder the source and the image are also written there as plain files, and what
/// SINTER_DUMP_ALSO names: "ptx,sass,assembly". Errors: those of
/// `compiler::compile`. Thread-safe; two threads asking for one source at once may both compile it: runtime/launch/modules.hpp
/// sees to it that none do. Never gives `memory`.
std::shared_ptr<const bytes> image_for(const compiler& with, std::string_view source, image_origin* from = nullptr);

/// The same over a cache of the caller's.
std::shared_ptr<const bytes> image_for(disk_cache& cache, const compiler& with, std::string_view source,
                                       image_origin* from = nullptr);

/// The image of a program's own module for a compute capability. What includes a file that is not among its headers is not kept
/// on disk: that file may change. Errors: those of `make_module_compiler` and of its `compile`.
std::shared_ptr<const bytes> image_for(const module_text&, int arch, image_origin* from = nullptr);

}  // namespace sinter::codegen
