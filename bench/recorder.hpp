// The launches that Sinter makes, noted so that they can be repeated with nothing of Sinter in between.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "runtime/device/cpu_graph.hpp"
#include "runtime/device/device.hpp"
#include "runtime/device/driver.hpp"
#include "runtime/stream/capture.hpp"
#include "runtime/stream/current.hpp"
#include "runtime/stream/table.hpp"

namespace bench {

using namespace sinter::runtime;

inline void check(cu_result result) {
  if (result != cu_success) throw std::runtime_error("the driver refused: " + std::to_string(result));
}

/// The driver, with the current device's context current; null where that device is none of its.
inline const driver* driver_of_current() {
  if (current_device().dialect() != sinter::codegen::dialect::cuda) return nullptr;
  current_device().synchronize();
  return find_driver(nullptr);
}

/// A launch as Sinter made it.
struct launched {
  loaded_kernel kernel;
  geometry how;
  std::vector<std::byte> arguments;

  /// Makes it again with nothing of Sinter in between: through the driver, or by a call of the kernel's function.
  void again(const driver* cuda, cu_stream on = nullptr) {
    std::size_t size = arguments.size();
    if (cuda) {
      void* extra[] = {cu_launch_buffer, arguments.data(), cu_launch_buffer_size, &size, cu_launch_end};
      check(cuda->cuLaunchKernel(static_cast<cu_function>(kernel.entry), how.grid[0], how.grid[1], how.grid[2],
                                 how.block[0], how.block[1], how.block[2], 0, on, nullptr, extra));
    } else if (current_device().compiler()) {
      reinterpret_cast<void (*)(const void*, long long, long long)>(kernel.entry)(arguments.data(), 0, how.items);
    } else {  // what is interpreted has no function of its own
      current_device().launch(kernel, how, arguments.data(), size, current_device().streams().default_stream());
    }
  }
};

/// The launches of what runs in its scope: on a GPU the driver's entry is replaced by one that takes notes, on the CPU the
/// work is captured, which lists it.
class recorder {
 public:
  template <class Work>
  static std::vector<launched> launches_of(Work work) {
    if (current_device().dialect() == sinter::codegen::dialect::cuda) return over_the_driver(work);
    return over_a_capture(work);
  }

 private:
  static inline std::vector<launched> noted;
  static inline decltype(driver::cuLaunchKernel) real = nullptr;

  static cu_result note(cu_function function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                        unsigned bz, unsigned shared, cu_stream stream, void** parameters, void** extra) {
    launched l;
    l.kernel.entry = function;
    l.how.grid[0] = gx, l.how.grid[1] = gy, l.how.grid[2] = gz;
    l.how.block[0] = bx, l.how.block[1] = by, l.how.block[2] = bz;
    const auto* bytes = static_cast<const std::byte*>(extra[1]);
    l.arguments.assign(bytes, bytes + *static_cast<std::size_t*>(extra[3]));
    noted.push_back(std::move(l));
    return real(function, gx, gy, gz, bx, by, bz, shared, stream, parameters, extra);
  }

  template <class Work>
  static std::vector<launched> over_the_driver(Work work) {
    auto& table = const_cast<driver&>(*find_driver(nullptr));
    noted.clear();
    real = std::exchange(table.cuLaunchKernel, note);
    work();
    table.cuLaunchKernel = real;
    return noted;
  }

  template <class Work>
  static std::vector<launched> over_a_capture(Work work) {
    work();  // compiles
    stream_state& s = current_device().streams().make({});
    auto& capture = *new capture_state(s);  // kept: the launches' memory may be its own
    begin_host_capture(s);
    s.capture = &capture;
    stream_state* const before = std::exchange(chosen.of_device[s.device.index], &s);
    chosen.capture = &capture;
    work();
    chosen.capture = nullptr;
    chosen.of_device[s.device.index] = before;
    std::vector<launched> all;
    for (const host_operation& o : recording(s).operations) {
      const auto* bytes = reinterpret_cast<const std::byte*>(o.arguments.data());
      if (o.what == host_operation::kernel) all.push_back({o.code, o.how, {bytes, bytes + o.size}});
    }
    drop_host_capture(s);
    s.capture = nullptr;
    return all;
  }
};

}  // namespace bench
