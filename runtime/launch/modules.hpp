// The kernels that this process has loaded, by their texts: different plans may come to the same one.
#pragma once

#include <string>

#include "codegen/cache/images.hpp"
#include "runtime/device/device.hpp"

namespace sinter::runtime {

/// A text's kernel on a device. It is compiled and loaded once: `(x + 1) * 2` and `auto t = x + 1; t * 2` are two types, two
/// plans and one text. Of threads that ask for one text at once, one works and the others wait; different texts do not wait
/// for each other. `from` is told where it came from. Errors: those of `compiler::compile` and `device_impl::load`; nothing
/// is kept then.
loaded_kernel kernel_of(const std::string& text, const codegen::kernel& source, const codegen::variant& of,
                        const codegen::compiler& with, device_impl& on, codegen::image_origin& from);

}  // namespace sinter::runtime
