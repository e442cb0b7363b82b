// Vector clocks: what is known to have happened. Every lane (a stream, a branch of a graph) has a slot and counts its
// work; a clock says of each slot up to which count it has come. Slots are used again once every lane knows they ended.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

namespace softgpu {

using tick = std::uint32_t;

class vector_clock {
 public:
  tick of(std::size_t slot) const { return slot < at_.size() ? at_[slot] : 0; }
  bool covers(std::size_t slot, tick count) const { return of(slot) >= count; }
  bool covers(const vector_clock& other) const {
    for (std::size_t slot = 0; slot < other.at_.size(); ++slot)
      if (other.at_[slot] > of(slot)) return false;
    return true;
  }

  void set(std::size_t slot, tick count) {
    if (slot >= at_.size()) at_.resize(slot + 1);
    at_[slot] = count;
  }
  void join(const vector_clock& other) {
    if (other.at_.size() > at_.size()) at_.resize(other.at_.size());
    for (std::size_t slot = 0; slot < other.at_.size(); ++slot)
      if (other.at_[slot] > at_[slot]) at_[slot] = other.at_[slot];
  }
  void join(std::size_t slot, tick count) {
    if (of(slot) < count) set(slot, count);
  }
  /// What both know.
  void meet(const vector_clock& other) {
    for (std::size_t slot = 0; slot < at_.size(); ++slot)
      if (other.of(slot) < at_[slot]) at_[slot] = other.of(slot);
  }
  std::size_t size() const { return at_.size(); }

 private:
  std::vector<tick> at_;
};

/// One piece of work as the shadow memory remembers it: an index into the machine's list of these. 0: none.
using epoch = std::uint32_t;

struct epoch_record {
  std::uint32_t slot;
  tick count;
  std::uint32_t label;   // what it was, for reports
  std::uint32_t stream;  // whose, by the number that reports give
};

/// The records of all epochs but those that everything still to come is known to come after.
class epoch_list {
 public:
  epoch add(const epoch_record& one) {
    records_.push_back(one);
    return static_cast<epoch>(first_ + records_.size() - 1);
  }
  const epoch_record* find(epoch which) const { return which < first_ ? nullptr : &records_[which - first_]; }
  void forget(const vector_clock& known) {
    for (; !records_.empty() && known.covers(records_.front().slot, records_.front().count); ++first_)
      records_.pop_front();
  }

 private:
  std::deque<epoch_record> records_;
  std::size_t first_ = 1;
};

}  // namespace softgpu
