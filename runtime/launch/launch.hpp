// Launching a step. The first time with a layout it is bound, shared out and packed; what comes of that is kept by the thread,
// and later only the addresses and scalars are put in.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "runtime/launch/bind.hpp"
#include "runtime/launch/plan.hpp"

namespace sinter::runtime {

/// How a bound kernel is shared out.
struct layout {
  geometry how;
  std::int64_t splits = 1;  // parts of each result of a reduction, or tiles or chunks of each row of a scan
};

/// By the kernel, its shape, where its operands lie and the target. Sets the schedule in the variant.
layout share_out(const codegen::kernel&, binding&, const target&);

/// What a device asks of bindings.
target target_of(const device_impl&);

/// A core computes functions so slowly, and reads what lies near so fast, that it keeps what is used again. Null: the thread's
/// device.
bool keeps_work(const device_impl*);

/// The way to evaluate a plan: with its rows fused, if all of them have a shape for which that pays. By shapes and the target
/// alone, since the two may differ in the last bits.
const fusion& fusion_for(const plan&, const codegen::resolution&, const target&);

/// A launch but for what differs from one evaluation to the next.
struct prepared_launch {
  loaded_kernel code;
  geometry how;
  std::size_t scratch = 0;  // bytes for partial results
  std::size_t words = 0;    // bytes that the tiles of a scan leave for each other
  bool tickets = false;     // does it draw tickets?

  // For those who look at launches.
  const compiled_kernel* kernel = nullptr;
  double bytes = 0, points = 0;

  struct slot {
    codegen::parameter::kind what;
    std::uint8_t size;
    std::uint16_t index;
    std::uint16_t offset;
  };
  std::vector<slot> slots;               // what is put in
  std::vector<std::uint64_t> arguments;  // the block, with extents and strides
  std::size_t size = 0;
};

/// Writes an argument where it goes in the block.
template <class T>
void put(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);
}
inline void put(std::byte* at, std::uint64_t bits, int size) {
  switch (size) {
    case 1: return put(at, static_cast<std::uint8_t>(bits));
    case 2: return put(at, static_cast<std::uint16_t>(bits));
    case 4: return put(at, static_cast<std::uint32_t>(bits));
    default: return put(at, bits);
  }
}

inline void put(std::byte* at, const detail::scalar_bits& bits, int size) {
  if (size > 8) std::memcpy(at, bits.bytes, static_cast<std::size_t>(size));
  else put(at, bits.as_unsigned, size);
}

/// A step's launch, and the layout it is for.
struct prepared_step {
  const compiled_step* of = nullptr;  // null: nothing's
  const device_impl* device = nullptr;
  std::vector<std::int64_t> words;
  prepared_launch launch;
};

/// The launches a thread has prepared, at most one for each of some steps.
class prepared_launches {
 public:
  /// The place of a step's launch.
  prepared_step& of(const compiled_step&);

 private:
  static constexpr std::size_t places = 512;
  std::vector<std::unique_ptr<prepared_step>> at_ = std::vector<std::unique_ptr<prepared_step>>(places);
};

/// Launches a step. `b` is the thread's, to work in. Sets `compiled` where the kernel was not at hand. Errors:
/// `compile_error`, `out_of_memory`, `device_error`. Stream behaviour: enqueued on `on`, after what other streams do to the
/// operands.
void launch(compiled_step&, const codegen::resolution&, detail::array_node* const* temporaries,
            detail::array_node* const* outputs, stream_state& on, prepared_launches&, binding& b, bool& compiled);

}  // namespace sinter::runtime
