// The handle every array and expression is made of: a counted pointer to a node that only the library can see into. It counts,
// too, as it knows when that takes no locked instruction.
#pragma once

#include <cstdint>

#include <sinter/detail/rules.hpp>

namespace sinter::codegen {
struct text_call;
}

namespace sinter::detail {

struct node {
  int references = 1;
};

SINTER_API node* retain(node*) noexcept;
SINTER_API void drop(node*) noexcept;
/// Drops references, each node's together.
SINTER_API void release_all(node* const*, int count) noexcept;
/// Drops a named expression's node: its reference, and those that it has in advance.
SINTER_API void release_shared(node*) noexcept;

inline void release(node* n) noexcept {
  if (n) drop(n);
}

/// An owned reference to a node.
class handle {
 public:
  handle() = default;
  explicit handle(node* owned) noexcept : node_(owned) {}
  handle(const handle& other) noexcept : node_(retain(other.node_)) {}
  handle(handle&& other) noexcept : node_(other.take()) {}
  handle& operator=(handle other) noexcept {
    node* mine = node_;
    node_ = other.node_;
    other.node_ = mine;
    return *this;
  }
  ~handle() { release(node_); }

  node* get() const noexcept { return node_; }
  node* take() noexcept {
    node* n = node_;
    node_ = nullptr;
    return n;
  }
  explicit operator bool() const noexcept { return node_ != nullptr; }

 private:
  node* node_ = nullptr;
};

/// A scalar operand, already of the dtype the operation computes in.
union scalar_bits {
  std::int64_t as_signed;
  std::uint64_t as_unsigned;
  double as_double;
  float as_float;
  bool as_bool;
  unsigned char bytes[16];  // of any dtype
};

/// One step of an expression's postfix code: take the next node, take the next scalar, apply an operation, or call a text of
/// everything taken.
struct instruction {
  enum : std::uint8_t { take_node = 255, take_scalar = 254, cast = 253, call = 252 };
  std::uint8_t code;
  dtype type;  // of what it leaves on the stack
};

/// Is code[i] a power whose exponent is the scalar taken just before it?
constexpr bool is_scalar_power(const instruction* code, int i) {
  return i > 0 && code[i].code == static_cast<std::uint8_t>(op::power) && code[i - 1].code == instruction::take_scalar;
}
constexpr std::uint16_t count_scalar_powers(const instruction* code, int length) {
  std::uint16_t count = 0;
  for (int i = 0; i < length; ++i) count += is_scalar_power(code, i);
  return count;
}

/// An expression type's constant table. Its address is most of a kernel's key.
struct fragment {
  const instruction* code;
  std::uint16_t length;
  std::uint16_t nodes;
  std::uint16_t scalars;
  dtype type;
  void** last_plan;                            // the plan this type's last evaluation used: a hint, checked before use
  std::uint16_t scalar_powers = 0;             // the classes of their exponents are part of the key
  const codegen::text_call* called = nullptr;  // of a program's own function, given as text
};

}  // namespace sinter::detail
