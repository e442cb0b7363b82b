// The rules of the check: shadow.hpp.
#include "shadow.hpp"

#include <algorithm>
#include <cstring>

#include "machine.hpp"

namespace softgpu {
namespace {

bool overlap(std::uint16_t low, std::uint16_t high, std::uint16_t other_low, std::uint16_t other_high) {
  return low < other_high && other_low < high;
}

const char* word(touch how) {
  return how == touch::read ? "reads" : how == touch::write ? "writes" : "updates atomically";
}

}  // namespace

bool shadow::ordered(const vector_clock& after, epoch before) const {
  const epoch_record* const known = machine_.epochs.find(before);
  return !known || after.covers(known->slot, known->count);
}

bool shadow::slow_access(const running_work& by, arena& where, address at, std::size_t size, touch how) {
  const std::size_t each = std::size_t{1} << where.unit_shift;
  if (initcheck_) check_written(by, where, at, size, how);
  for (std::size_t done = 0; done < size;) {
    const std::size_t low = (at + done - where.base) & (each - 1);
    const std::size_t now = std::min(each - low, size - done);
    if (!where.contains(at + done) || low + now > where.unit(at + done).valid) {
      illegal(by, where, at + done, now, how);
      return false;
    }
    touch_unit(by, where, at + done, now, how);
    done += now;
  }
  return true;
}

void shadow::touch_unit(const running_work& by, arena& where, address at, std::size_t size, touch how) {
  shadow_unit& unit = where.unit(at);
  const auto low = static_cast<std::uint16_t>((at - where.base) & ((std::size_t{1} << where.unit_shift) - 1));
  const auto high = static_cast<std::uint16_t>(low + size);
  const bool both_atomic = unit.atomic && how == touch::atomic;
  if (unit.writer != 0 && unit.writer != by.self && !both_atomic &&
      overlap(low, high, unit.write_low, unit.write_high) && !ordered(*by.before, unit.writer))
    race(by, unit.writer, true, at, size, how);
  if (how == touch::read) return note_read(by, unit, low, high);
  check_readers(by, unit, at, low, high, size);
  if (unit.shared_read || unit.reader != by.self) drop_readers(unit);
  if (unit.writer == by.self) {
    unit.write_low = std::min(unit.write_low, low);
    unit.write_high = std::max(unit.write_high, high);
    unit.atomic = unit.atomic && how == touch::atomic;
  } else {
    unit.writer = by.self;
    unit.write_low = low;
    unit.write_high = high;
    unit.atomic = how == touch::atomic;
  }
}

void shadow::note_read(const running_work& by, shadow_unit& unit, std::uint16_t low, std::uint16_t high) {
  if (!unit.shared_read) {
    if (unit.reader == by.self) {
      unit.read_low = std::min(unit.read_low, low);
      unit.read_high = std::max(unit.read_high, high);
      return;
    }
    // What comes after this work comes after the reader that came before it.
    if (unit.reader == 0 || ordered(*by.before, unit.reader)) {
      unit.reader = by.self;
      unit.read_low = low;
      unit.read_high = high;
      return;
    }
    if (unused_.empty()) {
      unused_.push_back(static_cast<std::uint32_t>(several_.size()));
      several_.emplace_back();
    }
    const std::uint32_t list = unused_.back();
    unused_.pop_back();
    several_[list] = {{unit.reader, unit.read_low, unit.read_high}};
    unit.reader = list;
    unit.shared_read = true;
  }
  std::vector<one_reader>& readers = several_[unit.reader];
  for (one_reader& r : readers) {
    if (r.who != by.self) continue;
    r.low = std::min(r.low, low);
    r.high = std::max(r.high, high);
    return;
  }
  std::erase_if(readers, [&](const one_reader& r) { return ordered(*by.before, r.who); });
  readers.push_back({by.self, low, high});
}

void shadow::check_readers(const running_work& by, const shadow_unit& unit, address at, std::uint16_t low,
                           std::uint16_t high, std::size_t size) {
  const auto check = [&](epoch who, std::uint16_t from, std::uint16_t upto) {
    if (who != 0 && who != by.self && overlap(low, high, from, upto) && !ordered(*by.before, who))
      race(by, who, false, at, size, touch::write);
  };
  if (!unit.shared_read) return check(unit.reader, unit.read_low, unit.read_high);
  for (const one_reader& r : several_[unit.reader]) check(r.who, r.low, r.high);
}

void shadow::drop_readers(shadow_unit& unit) {
  if (unit.shared_read) {
    several_[unit.reader].clear();
    unused_.push_back(unit.reader);
  }
  unit.reader = 0;
  unit.shared_read = false;
}

bool shadow::begin(const running_work& by, arena& where, address at, std::size_t size) {
  // What the memory was used for before must be over, wherever that is still known.
  const std::size_t each = std::size_t{1} << where.unit_shift;
  for (std::size_t done = 0; done < size; done += each) {
    shadow_unit& unit = where.unit(at + done);
    if (unit.writer != 0 && unit.writer != by.self && !ordered(*by.before, unit.writer))
      race(by, unit.writer, true, at + done, std::min(each, size - done), touch::write);
    drop_readers(unit);
  }
  where.validate(at, size);
  for (std::size_t done = 0; done < size; done += each) {
    shadow_unit& unit = where.unit(at + done);
    unit.writer = by.self;
    unit.write_high = static_cast<std::uint16_t>(each);
  }
  return true;
}

bool shadow::end(const running_work& by, arena& where, address at, std::size_t size) {
  const bool initcheck = initcheck_;
  initcheck_ = false;
  const bool legal = slow_access(by, where, at, size, touch::write);
  initcheck_ = initcheck;
  where.invalidate(at, size);
  return legal;
}

void shadow::check_free(const vector_clock& host, arena& where, address at, std::size_t size) {
  running_work freeing;
  freeing.before = &host;
  const std::size_t each = std::size_t{1} << where.unit_shift;
  for (std::size_t done = 0; done < size; done += each) {
    shadow_unit& unit = where.unit(at + done);
    const std::size_t now = std::min(each, size - done);
    const auto check = [&](epoch who, bool wrote) {
      if (who != 0 && !ordered(host, who)) race(freeing, who, wrote, at + done, now, touch::write);
    };
    check(unit.writer, true);
    if (!unit.shared_read) check(unit.reader, false);
    else
      for (const one_reader& r : several_[unit.reader]) check(r.who, false);
    drop_readers(unit);
    unit.writer = 0;
  }
}

void shadow::illegal(const running_work& by, arena& where, address at, std::size_t size, touch how) {
  const epoch last = where.contains(at) ? where.unit(at).writer : 0;
  std::string text = "illegal access: " + machine_.name(by.self) + " " + word(how) + " " + std::to_string(size) +
                     " bytes at " + machine_.describe(at);
  if (last != 0) text += "; the last to write there was " + machine_.name(last);
  machine_.report(text);
}

void shadow::race(const running_work& by, epoch other, bool other_wrote, address at, std::size_t size, touch how) {
  if (!told_.insert(std::uint64_t{by.self} << 32 | other).second) return;
  const std::string who = by.self == 0 ? "the host frees" : machine_.name(by.self) + " " + word(how);
  machine_.report_race("race: " + who + " " + std::to_string(size) + " bytes at " + machine_.describe(at) + ", which " +
                       machine_.name(other) + (other_wrote ? " writes" : " reads") +
                       "; nothing puts one before the other");
}

void shadow::check_written(const running_work& by, arena& where, address at, std::size_t size, touch how) {
  if (where.kind == memory_kind::pinned || !where.contains(at) || !where.contains(at + size - 1)) return;
  for (std::size_t i = 0; i < size; ++i) {
    unsigned char& bits = *where.written_bits(at + i);
    const auto bit = static_cast<unsigned char>(1u << ((at + i - where.base) % 8));
    if (how != touch::read) {
      bits = static_cast<unsigned char>(bits | bit);
    } else if (!(bits & bit) && where.unit(at + i).valid != 0) {
      if (told_.insert(std::uint64_t{by.self} << 32 | 0xffffffffu).second)
        machine_.report("uninitialised: " + machine_.name(by.self) + " reads " + std::to_string(size) + " bytes at " +
                        machine_.describe(at) + ", which were never written");
      return;
    }
  }
}

}  // namespace softgpu
