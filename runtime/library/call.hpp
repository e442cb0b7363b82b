// Calls of libraries: what an expression holds of one, and what a library is asked to do with arrays.
#pragma once

#include <initializer_list>
#include <memory>
#include <new>
#include <span>
#include <string>

#include "codegen/ir/resolve.hpp"
#include "runtime/frontend/message.hpp"

namespace sinter::runtime {

using call_operands = std::span<const detail::array_node* const>;

/// One call: its parameters, without its operands. It is made once and never changes.
class library_call {
 public:
  library_call(dtype t, const shape& s) : type(t), extents(s) {}
  library_call(const library_call&) = delete;
  virtual ~library_call() = default;

  /// As `explain` and messages name it.
  virtual std::string name() const = 0;
  /// Is an operand's layout one that the call reads as it is? Other operands are copied first, into C order.
  virtual bool takes(const detail::array_node&, [[maybe_unused]] int operand) const { return false; }
  /// Enqueues it. All operands are of the stream's device; the result is in C order, and overlaps none of them.
  virtual void enqueue(call_operands, detail::array_node& made, stream_state& on) const = 0;

  const dtype type;  // of the result
  const shape extents;
};

/// A node for a call, which it owns from then on.
detail::handle make_call(std::unique_ptr<const library_call>, std::initializer_list<detail::handle> operands);
/// The same of a C made of arguments. Errors: `out_of_memory`.
template <class C, class... A>
detail::handle make_call(std::initializer_list<detail::handle> operands, const A&... arguments) try {
  return make_call(std::make_unique<C>(arguments...), operands);
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}
/// An operand as an array that its call takes: what stands for it, or itself; else null.
const detail::array_node* operand_of(const detail::call_node&, int number, const codegen::stand_ins& known);

/// Calls. The node keeps the result, unless a graph is being made or it is written into an array that is there already: `into`, or
/// null. Errors: `device_error` for operands of several devices; the library's.
detail::handle call(const detail::call_node&, call_operands, detail::array_node* into);
/// What it gave before; null where it has not been called.
detail::handle recalled(const detail::call_node&);
/// Of a node that goes.
void drop(const library_call*) noexcept;

}  // namespace sinter::runtime
