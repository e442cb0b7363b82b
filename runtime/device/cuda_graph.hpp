// Stream capture on a CUDA device: the driver records, instantiates and launches.
#pragma once

#include <memory>

#include "runtime/device/cuda_context.hpp"
#include "runtime/device/device.hpp"

namespace sinter::runtime {

void begin_cuda_capture(cuda_context&, cu_stream);
/// As device_impl::end_capture.
bool end_cuda_capture(cuda_context&, cu_stream, std::unique_ptr<executable_graph>& graph);
void drop_cuda_capture(cuda_context&, cu_stream) noexcept;
void launch_cuda_graph(executable_graph&, cu_stream);

}  // namespace sinter::runtime
