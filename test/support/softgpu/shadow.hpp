// The happens-before check. For every unit of memory it is known which work wrote it last and which has read it since;
// work that touches it must have those before it in the order that streams, events and the host made. And memory that is
// in no block may not be touched at all.
#pragma once

#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

#include "clocks.hpp"
#include "memory.hpp"
#include "module.hpp"

namespace softgpu {

class machine;

/// The work whose accesses are being checked.
struct running_work {
  epoch self = 0;
  const vector_clock* before = nullptr;  // what is ordered before it
  int device = 0;
};

class shadow {
 public:
  explicit shadow(machine& m) : machine_(m) {}

  /// Checks and notes an access of the running work. False: it is not its memory to touch, and that was reported.
  bool access(const running_work& by, arena& where, address at, std::size_t size, touch how) {
    shadow_unit& first = where.unit(at);
    const std::size_t low = (at - where.base) & ((std::size_t{1} << where.unit_shift) - 1);
    const std::size_t high = low + size;
    // Work runs one piece at a time, so that what this one noted last still stands.
    if (high <= first.valid && !initcheck_) [[likely]] {
      const bool reads = first.reader == by.self && !first.shared_read;
      if (how == touch::read && reads) {
        first.read_low = std::min(first.read_low, static_cast<std::uint16_t>(low));
        first.read_high = std::max(first.read_high, static_cast<std::uint16_t>(high));
        return true;
      }
      if (how == touch::write && first.writer == by.self && !first.atomic && (reads || first.reader == 0)) {
        first.write_low = std::min(first.write_low, static_cast<std::uint16_t>(low));
        first.write_high = std::max(first.write_high, static_cast<std::uint16_t>(high));
        return true;
      }
    }
    return slow_access(by, where, at, size, how);
  }

  /// Memory becomes valid or invalid in the order of a stream: like a write, and then units start anew.
  bool begin(const running_work& by, arena& where, address at, std::size_t size);
  bool end(const running_work& by, arena& where, address at, std::size_t size);

  /// The host is about to free this: everything that touched it must be known to the host. Reports, and says whether.
  void check_free(const vector_clock& host, arena& where, address at, std::size_t size);

  void check_initialised(bool on) { initcheck_ = on; }
  void forget_pairs() { told_.clear(); }

 private:
  struct one_reader {
    epoch who;
    std::uint16_t low, high;
  };

  bool slow_access(const running_work&, arena&, address at, std::size_t size, touch);
  void touch_unit(const running_work&, arena&, address at, std::size_t size, touch);
  void note_read(const running_work&, shadow_unit&, std::uint16_t low, std::uint16_t high);
  void check_readers(const running_work&, const shadow_unit&, address at, std::uint16_t low, std::uint16_t high,
                     std::size_t size);
  void drop_readers(shadow_unit&);
  bool ordered(const vector_clock& after, epoch before) const;
  void illegal(const running_work&, arena&, address at, std::size_t size, touch);
  void race(const running_work&, epoch other, bool other_wrote, address at, std::size_t size, touch);
  void check_written(const running_work&, arena&, address at, std::size_t size, touch);

  machine& machine_;
  std::vector<std::vector<one_reader>> several_;
  std::vector<std::uint32_t> unused_;       // of several_
  std::unordered_set<std::uint64_t> told_;  // pairs of work that were reported
  bool initcheck_ = false;
};

}  // namespace softgpu
