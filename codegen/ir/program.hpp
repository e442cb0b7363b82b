// From nodes to a program, second half: a signature read back as typed values. Only a signature not seen before comes here.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "codegen/ir/resolve.hpp"
#include "codegen/ir/target.hpp"

namespace sinter::codegen {

/// A whole evaluation before it is cut. Values are as in a kernel, but `index` of an input is an operand of the resolution.
struct program {
  struct read {  // what an input value reads
    unsigned operand;
    int boundary;  // the boundary whose result it is, or -1
    bool plain;    // ... under broadcasting alone
    bool own_row;  // ... where each point reads what was folded of its own row, or up to itself
    bool iota;
    bool indexed;
  };
  struct boundary {
    reduction what;
    dtype type;
    unsigned domain;  // a space of the resolution
    int rank;         // of its result
    bool joinable;    // its user has exactly the shape of its result
    maker by;
    std::uint16_t value;
    std::uint16_t position;       // of what is folded, where the reduction takes it
    const function_text* called;  // reduction::text
    fourier transform;
  };
  struct root {
    unsigned space;
    std::uint16_t value;
  };
  std::vector<value> values;
  std::vector<read> reads;  // by value; meaningful for inputs
  std::vector<boundary> boundaries;
  std::vector<root> roots;
  bool compresses = false;  // the roots are what a kernel that does has as outputs
  int counts = 0;           // the root is what a kernel that does has as output
  std::vector<dtype> scalars;
  std::vector<const detail::fragment*> fragments;  // what the signature named by address
  bool rounds_each = false;  // strict: every operation of 16 bits rounds, where others keep what is in between as it is
  // Of the expression that is being read: values of 16 bits, and the floats that they are rounded from.
  std::vector<std::pair<std::uint16_t, std::uint16_t>> unrounded;

  std::uint16_t add(const value& v) { return add(v, read{0, -1, false, false, false, false}); }
  std::uint16_t add(const value&, const read&);
};

/// Reads a signature. Every operand an operation computes on has the dtype it computes in: casts are made explicit here
/// (pass/casts.hpp), since a value's users are known one at a time.
program decode(const buffer<std::uint64_t>& words, math_mode);

}  // namespace sinter::codegen
