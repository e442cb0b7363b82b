// Places of keys of 64 bits, sorted in as many bits beside what they are sorted by.
#pragma once

#include <cstdint>

#include "runtime/library/key_rule.hpp"
#include "runtime/library/vector_sort.hpp"

namespace sinter::runtime {

/// Elements whose keys order their places. Of a key what is packed with its place is the distance from the least one, without low bits
/// that no two keys differ in, which is all of it where integers are counts or labels and doubles whole numbers; else as many of its
/// high bits as there is room for. 64 bits are sorted three times as fast as twice as many, and what has the same high bits is put in
/// order afterwards. Nothing is thrown.
class packed_places {
 public:
  /// `room`: for as many keys and places.
  packed_places(const std::uint64_t* elements, std::int64_t count, const equal_rule<std::uint64_t>&,
                placed_key* room) noexcept;

  /// Places in the order of their keys.
  void write(std::int64_t* to) noexcept;
  /// Keys and places in order, in the room; `first` is added to the places.
  void spread(std::uint64_t first) noexcept;

 private:
  std::uint64_t places() const { return (std::uint64_t{1} << place_bits_) - 1; }
  std::uint64_t* packed() const { return &room_->place; }

  const std::uint64_t* elements_;
  std::int64_t count_;
  const equal_rule<std::uint64_t> rule_;
  placed_key* room_;
  std::uint64_t least_;
  int place_bits_, left_out_;
  bool is_whole_;   // no two keys differ in what is left out
  bool is_rising_;  // nothing is packed, as all are in order
};

}  // namespace sinter::runtime
